/* static.c - static power: modelled leakage of every sub-structure, scaled to the chip's known
 * static power where that is known.
 *
 * Gates off the critical path are made of devices that leak a fraction of a fast one (chip.c).
 * McPAT (Li et al., TACO 10(1) 2013) takes 80 % of an in-order core's devices to be such. */
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

void ww__build_static(ww__builder *b)
{
    if (b->status != WW_OK) {
        return;
    }
    ww_power_model *model = b->model;
    scale(model, 1 - slow_share + slow_share * b->slow_leakage);
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
