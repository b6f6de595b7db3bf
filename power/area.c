/* area.c - area that no circuit model gives: placement and routing, McPAT's scaling of logic, and
 * what is left of a known die. */
#include "power/component.h"

#include <math.h>

double ww__logic_scaling(const ww_node *node)
{
    /* 0.7 per generation, a generation being half of the area of drawn features: 0.434 at 40 nm,
     * 0.49 at 45 nm, as in McPAT 1.3. */
    return pow(0.7, 2 * log2(90e-9 / node->feature_m));
}

double ww__logic_leak_w(const ww_node *node, double area_m2, double density)
{
    ww_cost gates = ww_logic_gates(node, 1, 0);
    return area_m2 / gates.area_m2 * gates.leak_w * density;
}

/* Power grid, clock spines, repeaters, decoupling and the gaps between blocks. McPAT 1.3 adds a
 * fifth to the area of blocks at chip level. It leaks nothing here. Mechanisms go without it, as
 * the papers that they are compared with count tables alone. */
void ww__placement(ww__builder *b)
{
    static const double chip_overhead = 0.2;
    const ww_power_model *model = b->model;
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        area_m2 += s->component == b->component && s->in_sm == b->in_sm ? s->area_m2 : 0;
    }
    uint32_t instances = b->in_sm ? b->arch->sm.count : 1;
    ww__structure(b, 1,
                  b->in_sm || b->component != WW_COMPONENT_LDSTU ? "placement and routing"
                                                                 : "placement and routing, L2",
                  instances, chip_overhead * area_m2 / instances, 0,
                  "McPAT: %.3g of the area of blocks", chip_overhead);
    ww__area_kind(b, WW_AREA_FIT);
}

/* What no component models, and the die nevertheless holds: graphics front ends, texture filters,
 * raster engines, video, display, host interface, pads. Its area is the published die less what is
 * modelled, whatever that is, so it is no estimate of its own; that of a core of lanes, which no
 * die has, is the same as around the SIMD core. Its leakage, where power.rest_leakage asks for it,
 * has the density of what is modelled. Nothing that a kernel does changes it. */
void ww__build_rest(ww__builder *b, const ww_power_model *made)
{
    const ww_arch *arch = b->arch;
    double model_m2 = 0, model_w = 0;
    for (size_t i = 0; i < made->structure_count; i++) {
        const ww_power_structure *s = &made->structures[i];
        bool chip = s->component != WW_COMPONENT_MECH; /* without mechanisms */
        model_m2 += chip ? s->area_m2 : 0;
        model_w += chip ? s->leakage_w : 0;
    }
    ww__card *card = &b->card;
    if (!card->known) {
        card->rest_m2 = arch->chip.die_m2 - model_m2;
        card->rest_w = card->rest_m2 * model_w / model_m2 * arch->power.rest_leakage;
    }
    if (b->status != WW_OK || card->rest_m2 <= 0) {
        return;
    }
    ww__component(b, WW_COMPONENT_REST, 1);
    ww__structure(
        b, 1, "rest of the die", 1, card->rest_m2, card->rest_w,
        "not modelled: die of %.4g mm2 less %.4g mm2%s; leakage per area as there, times %.3g; %s",
        arch->chip.die_m2 * 1e6, (arch->chip.die_m2 - card->rest_m2) * 1e6,
        card->known ? ", of the card as described" : "", arch->power.rest_leakage,
        ww__config_text(b, "power.rest_leakage"));
    ww__area_kind(b, WW_AREA_REST);
}
