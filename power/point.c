/* point.c - the same model at other clocks, voltages and temperatures than it was built for: what a
 * launch costs whose clock a governor moved, or whose die warmed up, interval by interval.
 *
 * Energies of circuits on the die go with the square of the voltage, leakage by the laws of the
 * node, the constant power by its parts (supply.c). Leakage over temperature comes from nodes at
 * the temperatures of the tables, its logarithm interpolated between them as there. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "power/component.h"

static const double coldest_k = 300, hottest_k = 400, apart_k = 10; /* of the tables of devices */

ww_status ww__keep_points(ww__builder *b, const ww_node_table *nodes, ww_error *err)
{
    ww__die *die = &b->model->die;
    const ww_chip_params *chip = &b->arch->chip;
    for (size_t i = 0; i < WW_ARRAY_LEN(die->warm); i++) {
        double temp_k = coldest_k + apart_k * (double)i;
        WW_TRY(ww_node_at(nodes, WW_DEVICE_HP, chip->vdd_v, temp_k, &die->warm[i], err));
    }
    die->reference = *b->node;
    die->described_v = chip->vdd_v;
    die->described_hz = b->arch->described_hz;
    die->supply = b->supply;
    die->own = (ww_point){.core_hz = b->arch->clock.core_hz,
                          .vdd_v = ww_arch_core_v(b->arch),
                          .temperature_k = chip->temperature_k};
    return WW_OK;
}

/* Leakage over that of the coldest die at the described voltage. Beyond an end of the tables, the
 * end's. */
static double leakage(const ww__die *die, const ww_point *at)
{
    double steps =
        fmin(fmax((at->temperature_k - coldest_k) / apart_k, 0), (hottest_k - coldest_k) / apart_k);
    size_t below = (size_t)fmin(floor(steps), (double)(WW_ARRAY_LEN(die->warm) - 2));
    double at_end[2];
    for (size_t i = 0; i < 2; i++) {
        const ww_node *warm = &die->warm[below + i];
        at_end[i] =
            ww_node_leakage_warm(&die->warm[0], warm) * ww_node_leakage_over(warm, at->vdd_v);
    }
    return at_end[0] * pow(at_end[1] / at_end[0], steps - (double)below);
}

ww__leakage ww__leakage_at(const ww_power_model *model, const ww_point *at)
{
    const ww__die *die = &model->die;
    ww__leakage over = {.die = leakage(die, at) / leakage(die, &die->own), .constant = 1};
    if (model->constant >= model->structure_count) {
        return over;
    }
    double own_w = model->structures[model->constant].leakage_w, v = at->vdd_v / die->described_v;
    double clock = 1, voltage = 1;
    if (at->vdd_v != die->described_v) {
        clock = v * v * at->core_hz / die->described_hz;
        voltage = ww_node_leakage_over(&die->reference, at->vdd_v);
    }
    double more_w = die->leaks_w * die->supply.leakage * (over.die - 1) +
                    die->voltage_w * (voltage - die->supply.voltage) +
                    die->clocks_w * (clock - die->supply.clock);
    over.constant = own_w > 0 ? (own_w + more_w) / own_w : 1;
    return over;
}

double ww_power_static_at_w(const ww_power_model *model, const ww_point *at)
{
    ww__leakage over = ww__leakage_at(model, at);
    double constant_w =
        model->constant < model->structure_count ? model->structures[model->constant].leakage_w : 0;
    return (model->static_w - constant_w) * over.die + constant_w * over.constant;
}

bool ww__varies(const ww_counter_set *counters, const ww_launch_record *launch)
{
    return counters == launch->counters && ww_launch_varies(launch);
}

ww__leakage ww__leaking_s(const ww_power_model *model, const ww_counter_set *counters,
                          const ww_launch_record *launch)
{
    double time_s = (double)ww_counter_total(counters, WW_C_CORE_CYCLES) / launch->core_hz;
    ww__leakage s = {.die = time_s, .constant = time_s};
    if (!ww__varies(counters, launch)) {
        return s;
    }
    s = (ww__leakage){0};
    for (size_t i = 0; i < launch->interval_count; i++) {
        const ww_interval *interval = &launch->intervals[i];
        ww__leakage over = ww__leakage_at(model, &interval->at);
        double cycles = (double)ww_counter_total(&interval->counters, WW_C_CORE_CYCLES);
        s.die += over.die * (cycles / interval->at.core_hz);
        s.constant += over.constant * (cycles / interval->at.core_hz);
    }
    return s;
}

double ww_power_leakage_j(const ww_power_model *model, const ww_power_structure *structure,
                          const ww_launch_record *launch)
{
    ww__leakage s = ww__leaking_s(model, launch->counters, launch);
    bool constant = model->constant < model->structure_count &&
                    structure == &model->structures[model->constant];
    return structure->leakage_w * (constant ? s.constant : s.die);
}

ww_status ww_power_evaluate_interval(const ww_power_model *model, const ww_launch_record *launch,
                                     const ww_interval *interval, ww_power_result *out,
                                     ww_error *err)
{
    ww_launch_record alone = *launch;
    if (!ww_launch_varies(launch)) {
        return ww_power_evaluate(model, &interval->counters, launch, out, err);
    }
    alone.counters = &interval->counters;
    alone.intervals = interval;
    alone.interval_count = 1;
    alone.core_hz = interval->at.core_hz;
    return ww_power_evaluate(model, alone.counters, &alone, out, err);
}
