/* supply.c - the die at another voltage or temperature than those of its description.
 *
 * Circuits are built once, at chip.vdd_v and the reference temperature: a die does not change with
 * its clock or its heat. What they switch costs C V^2 (all on the die, memory controllers among
 * them; DRAM has its own supply), what they leak follows the laws of the node (tech/node.c). The
 * power of an idle board has these parts, as the idle power of two A100 over 81 clocks and of an
 * H100 over temperatures shows (docs/models/power.md): leakage, what goes with the voltage as
 * steeply and does not warm up, clocks, and what neither the voltage nor the core clock changes:
 * fan, regulators, memory. */
#include <math.h>

#include "base/assert.h"
#include "power/component.h"

/* d ln(leakage) / d ln(voltage) at a voltage. */
static double leakage_per_v(const ww_node *node, double v)
{
    static const double step = 1.01;
    return log(ww_node_leakage_over(node, v * step) / ww_node_leakage_over(node, v / step)) /
           log(step * step);
}

ww__supply ww__supply_of(const ww_arch *arch, const ww_node *node, const ww_node *warm)
{
    double v = ww_arch_core_v(arch), over = v / arch->chip.vdd_v;
    ww__supply s = {.energy = 1, .leakage = 1, .voltage = 1, .clock = 1};
    s.leakage_per_v = leakage_per_v(warm, v);
    s.voltage_per_v = leakage_per_v(node, v);
    if (warm->temp_k != node->temp_k) {
        s.leakage = ww_node_leakage_warm(node, warm);
    }
    if (v != arch->chip.vdd_v) {
        s.energy = over * over;
        s.leakage *= ww_node_leakage_over(warm, v);
        s.voltage = ww_node_leakage_over(node, v);
        s.clock = s.energy * arch->clock.core_hz / arch->described_hz;
    }
    WW_ASSERT(s.energy > 0 && s.leakage > 0 && s.voltage > 0 && s.clock > 0);
    return s;
}

bool ww__on_die(const ww__builder *b)
{
    return b->component != WW_COMPONENT_GM && b->group != WW_GROUP_STANDBY;
}

/* What leakage, voltage and clocks are of the constant power behind its parts; the SMs' idle power
 * and the modelled leakage outside of them are leakage that is charged already. */
static void take_constant(ww__builder *b, ww_power_structure *s)
{
    const ww_power_params *p = &b->arch->power;
    const ww__card *card = &b->card;
    double idle_w = p->constant_w + card->sms_w / b->warming, rest_w = s->leakage_w;
    double leaks_w = fmin(rest_w, fmax(0, ww__idle_leakage_w(b) - card->outside_w));
    double voltage_w = fmin(rest_w - leaks_w, p->constant_voltage * idle_w);
    double clocks_w = fmin(rest_w - leaks_w - voltage_w, p->constant_clock * idle_w);
    const ww__supply *at = &b->supply;
    b->model->die.leaks_w = leaks_w;
    b->model->die.voltage_w = voltage_w;
    b->model->die.clocks_w = clocks_w;
    WW_ASSERT(leaks_w >= 0 && leaks_w + voltage_w + clocks_w <= rest_w * (1 + 1e-9)); /* of it */
    s->leakage_w +=
        leaks_w * (at->leakage - 1) + voltage_w * (at->voltage - 1) + clocks_w * (at->clock - 1);
    b->model->per_voltage[WW_GROUP_CONSTANT] += leaks_w * at->leakage * at->leakage_per_v +
                                                voltage_w * at->voltage * at->voltage_per_v +
                                                clocks_w * at->clock * 2;
}

/* A group's energy over the voltage; CONSTANT's sum of watts becomes the mean of its parts. */
static void take_sensitivity(ww__builder *b)
{
    ww_power_model *model = b->model;
    double constant_w = ww__group_leakage_w(model, WW_GROUP_CONSTANT);
    double *per = model->per_voltage;
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        per[g] = g == WW_GROUP_GM || g == WW_GROUP_STANDBY ? 0
                 : g == WW_GROUP_IDLE_SM                   ? b->supply.leakage_per_v
                 : g != WW_GROUP_CONSTANT                  ? 2
                 : constant_w > 0                          ? per[g] / constant_w
                                                           : 0;
    }
    model->voltage_sigma = ww_arch_voltage_sigma(b->arch, b->arch->clock.core_hz);
}

void ww__take_supply(ww__builder *b)
{
    ww_power_model *model = b->model;
    double outside_w = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        ww_power_structure *s = &model->structures[i];
        if (i == model->constant) {
            continue;
        }
        outside_w += s->group == WW_GROUP_CONSTANT ? s->leakage_w : 0;
        s->leakage_w *= b->supply.leakage;
        s->leakage_factor *= b->supply.leakage;
    }
    model->per_voltage[WW_GROUP_CONSTANT] = outside_w * b->supply.leakage * b->supply.leakage_per_v;
    if (!b->card.known) {
        b->card.outside_w = outside_w;
    }
    if (model->constant < model->structure_count) {
        take_constant(b, &model->structures[model->constant]);
    }
    take_sensitivity(b);
}
