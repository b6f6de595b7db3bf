/* static.c - static power: modelled leakage of every sub-structure, scaled to the chip's known
 * static power where that is known.
 *
 * Gates off the critical path are made of devices that leak a fraction of a fast one (chip.c).
 * McPAT (Li et al., TACO 10(1) 2013) takes 80 % of an in-order core's devices to be such. */
#include <math.h>

#include "power/component.h"

static const double slow_share = 0.8;

/* A known static power is that of the chip as it is made, without mechanisms. */
static double modelled_w(const ww_power_model *model)
{
    double sum_w = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        bool made = model->structures[i].component != WW_COMPONENT_MECH;
        sum_w += made ? model->structures[i].leakage_w : 0;
    }
    return sum_w;
}

static void scale(ww_power_model *model, double factor)
{
    for (size_t i = 0; i < model->structure_count; i++) {
        model->structures[i].leakage_w *= factor;
        model->structures[i].leakage_factor *= factor;
    }
}

double ww__group_leakage_w(const ww_power_model *model, ww_power_group group)
{
    double sum_w = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        sum_w += model->structures[i].group == group ? model->structures[i].leakage_w : 0;
    }
    return sum_w;
}

double ww__idle_leakage_w(const ww__builder *b)
{
    const ww_power_params *p = &b->arch->power;
    double sms_w = b->card.sms_w;
    return fmax(0, p->constant_leak * (p->constant_w * b->warming + sms_w) - sms_w);
}

/* Idle SMs are power-gated where sm_idle_w says what is left of them; it goes with the voltage. */
static void gate_sms(ww__builder *b)
{
    ww_power_model *model = b->model;
    ww__card *card = &b->card;
    if (!card->known) {
        card->sms_w = b->arch->power.sm_idle_w * b->arch->sm.count * b->warming;
        double known_w = card->sms_w * ww__over_reference_v(b);
        double model_w = ww__group_leakage_w(model, WW_GROUP_IDLE_SM);
        card->gate = known_w > 0 && model_w > 0 ? known_w / model_w : 1;
    }
    for (size_t i = 0; i < model->structure_count; i++) {
        ww_power_structure *s = &model->structures[i];
        if (s->group == WW_GROUP_IDLE_SM) {
            s->leakage_w *= card->gate;
            s->leakage_factor *= card->gate;
        }
    }
}

/* A known constant power holds what is modelled of it: leakage outside of the SMs and standby. What
 * they leave of it is the card's: regulators, fan, host interface, and the clock of the uncore. */
static void add_constant(ww__builder *b)
{
    const ww_power_params *power = &b->arch->power;
    double known_w = power->constant_w;
    if (known_w <= 0 || b->status != WW_OK) {
        return;
    }
    known_w += ww__idle_leakage_w(b) * (1 - 1 / b->warming);
    if (!b->card.known) {
        b->card.constant_w = known_w - (ww__group_leakage_w(b->model, WW_GROUP_CONSTANT) +
                                        power->mc_background_w + power->gm_background_w);
    }
    double parts_w = known_w - b->card.constant_w;
    if (parts_w > known_w) {
        b->status = ww_fail(b->err, WW_ERANGE,
                            "power.constant_w: %.4g W is less than its parts, %.4g W of leakage "
                            "outside of the SMs and of standby",
                            known_w, parts_w);
        return;
    }
    if (!ww_power_has(b->model, WW_COMPONENT_REST)) {
        ww__component(b, WW_COMPONENT_REST, 1);
    }
    b->model->constant = ww__structure(
        b, 1, "constant power", 1, 0, b->card.constant_w,
        "%.4g W less %.4g W of leakage outside of the SMs and of standby%s; %s", known_w, parts_w,
        b->card.known ? ", of the card as described" : "", ww__config_text(b, "power.constant_w"));
}

void ww__build_static(ww__builder *b)
{
    if (b->status != WW_OK) {
        return;
    }
    ww_power_model *model = b->model;
    scale(model, 1 - slow_share + slow_share * b->slow_leakage);
    gate_sms(b);
    model->constant = SIZE_MAX;
    add_constant(b);
    double model_w = modelled_w(model), known_w = b->arch->power.static_w;
    if (!b->card.known) {
        b->card.scale = known_w > 0 && model_w > 0 ? known_w / model_w : 1;
    }
    if (known_w > 0 && model_w > 0) {
        scale(model, b->card.scale);
        model->static_source =
            b->card.known ? ww__text(b, "modelled %.4g W times %.4g, of the card as described; %s",
                                     model_w, b->card.scale, ww__config_text(b, "power.static_w"))
                          : ww__text(b, "scaled from modelled %.4g W to %s", model_w,
                                     ww__config_text(b, "power.static_w"));
    } else {
        model->static_source = ww__text(b, "leakage of the array and logic models at %g K, %s%s%s",
                                        b->arch->chip.temperature_k, b->node_text,
                                        b->arch->power.sm_idle_w > 0 ? ", SMs gated" : "",
                                        b->arch->power.constant_w > 0 ? ", constant power" : "");
    }
    ww__take_supply(b);
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        model->component_leakage_w[s->component] += s->leakage_w;
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        model->static_w += model->component_leakage_w[c];
    }
}
