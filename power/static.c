/* static.c - static power: modelled leakage of every sub-structure, scaled to the chip's known
 * static power where that is known.
 *
 * Most gates off the critical path are drawn with longer channels, which leak a fraction of a
 * nominal device. McPAT (Li et al., TACO 10(1) 2013) takes 80 % of an in-order core's devices as
 * long; the fraction is the node's own. */
#include "power/component.h"

static const double long_channel_share = 0.8;

static double modelled_w(const ww_power_model *model)
{
    double sum_w = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        sum_w += model->structures[i].leakage_w;
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
