/* static.c - static power: modelled leakage of every sub-structure, scaled to the chip's known
 * static power where that is known.
 *
 * Most gates off the critical path are drawn with longer channels, which leak a fraction of a
 * nominal device. McPAT (Li et al., TACO 10(1) 2013) takes 80 % of an in-order core's devices as
 * long; the fraction is the node's own. */
#include "power/component.h"

static const double long_channel_share = 0.8;

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

static double modelled_m2(const ww_power_model *model)
{
    double sum_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        sum_m2 += model->structures[i].area_m2;
    }
    return sum_m2;
}

/* What no component models, and the die nevertheless holds: graphics front ends, texture filters,
 * raster engines, video, display, pads. McPAT (Li et al., TACO 10(1) 2013) calls the like of it
 * "undifferentiated core", of which only area and leakage count. Here the area follows from the
 * published die, and the leakage from the density of what is modelled. It is part of the base
 * power: nothing that a kernel does changes it. */
static void add_rest(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    double model_m2 = modelled_m2(b->model), model_w = modelled_w(b->model);
    double rest_m2 = arch->chip.die_m2 - model_m2;
    if (arch->power.rest_leakage <= 0 || rest_m2 <= 0 || model_m2 <= 0) {
        return;
    }
    ww__component(b, WW_COMPONENT_BP, 1);
    ww__structure(
        b, 1, WW_POWER_REST, 1, rest_m2, rest_m2 * model_w / model_m2 * arch->power.rest_leakage,
        "die of %.4g mm2 less %.4g mm2 modelled; leakage per area as there, times %.3g; %s",
        arch->chip.die_m2 * 1e6, model_m2 * 1e6, arch->power.rest_leakage,
        ww__config_text(b, "power.rest_leakage"));
}

void ww__build_static(ww__builder *b)
{
    add_rest(b);
    if (b->status != WW_OK) {
        return;
    }
    ww_power_model *model = b->model;
    scale(model, 1 - long_channel_share + long_channel_share * b->node->peri.long_channel_leakage);
    double model_w = modelled_w(model), known_w = b->arch->power.static_w;
    if (known_w > 0 && model_w > 0) {
        scale(model, known_w / model_w);
        model->static_source = ww__text(b, "scaled from modelled %.4g W to %s", model_w,
                                        ww__config_text(b, "power.static_w"));
    } else {
        model->static_source = ww__text(b, "leakage of the array and logic models at %g K, %s",
                                        b->node->temp_k, b->node_text);
    }
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        model->component_leakage_w[s->component] += s->leakage_w;
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        model->static_w += model->component_leakage_w[c];
    }
}
