/* govern.c - see govern.h. */
#include "run/govern.h"

#include <math.h>

#include "base/assert.h"

static const double hottest_k = 400; /* of the tables of devices */

ww_status ww_govern_evaluate(const ww_arch *arch, const ww_power_model *model,
                             const ww_interval *interval, ww_power_result *out, ww_error *err)
{
    const ww_launch_record launch = {.core_hz = interval->at.core_hz,
                                     .dram_hz = arch->clock.dram_hz,
                                     .vdd_v = ww_arch_core_v(arch),
                                     .counters = &interval->counters,
                                     .intervals = interval,
                                     .interval_count = 1};
    return ww_power_evaluate_interval(model, &launch, interval, out, err);
}

/* The clock below the one that ran: a step, or a hundredth of the range where steps are not known.
 */
static double step_of(const ww_clock_range *clocks)
{
    return clocks->step_hz > 0 ? clocks->step_hz : (clocks->highest_hz - clocks->lowest_hz) / 100;
}

/* Above its limit a card goes down by a step in every interval, and below it up again. */
static double under_ceiling(ww_govern *g, const ww_governed *told, double hz)
{
    double step_hz = step_of(&told->clocks);
    g->ceiling_hz =
        g->heat.die_k > g->package.limit_k ? told->at.core_hz - step_hz : g->ceiling_hz + step_hz;
    g->ceiling_hz =
        fmin(fmax(g->ceiling_hz, told->clocks.lowest_hz), fmax(told->clocks.highest_hz, hz));
    return hz > g->ceiling_hz ? g->ceiling_hz : hz; /* a NaN stays one */
}

static ww_status warm(ww_govern *g, const ww_governed *told, ww_error *err)
{
    double seconds = told->seconds * (g->choice.repeat > 0 ? g->choice.repeat : 1);
    g->heat = ww_package_after(&g->package, g->heat, told->power.total_w, seconds);
    if (!(g->heat.die_k <= hottest_k)) {
        return ww_fail(err, WW_ERANGE,
                       "heat: the die reaches %.4g K with %.4g W at %.4g MHz, beyond %g K, where "
                       "what leaks is not known any more",
                       g->heat.die_k, told->power.total_w, told->at.core_hz / 1e6, hottest_k);
    }
    return WW_OK;
}

static ww_governed told_of(const ww_govern *g, const ww_interval *interval)
{
    const ww_counter_set *counters = &interval->counters;
    uint64_t cycles = interval->last_cycle - interval->first_cycle;
    WW_ASSERT(cycles > 0 && interval->at.core_hz > 0);
    return (ww_governed){
        .cycles = cycles,
        .warp_instructions = ww_counter_total(counters, WW_C_INST_ISSUED),
        .start_s = g->time_s,
        .seconds = (double)cycles / interval->at.core_hz,
        .active_sms = (double)ww_counter_total(counters, WW_C_SM_ACTIVE) /
                      ((double)cycles * (double)g->arch->sm.count),
        .arch = g->arch,
        .model = g->model,
        .interval = interval,
        .at = interval->at,
        .clocks = ww_arch_clocks(g->arch),
    };
}

static ww_status choose(ww_govern *g, const ww_governed *told, double *next_hz, ww_error *err)
{
    switch (g->choice.kind) {
    case WW_GOVERN_HOLD:
        *next_hz = g->arch->clock.core_hz;
        return WW_OK;
    case WW_GOVERN_CAP:
        return ww_govern_capped(g->choice.cap_w, told, next_hz, err);
    case WW_GOVERN_EDP:
        *next_hz = ww_govern_least_edp(&g->edp, told);
        return WW_OK;
    case WW_GOVERN_CALL:
        break;
    }
    return g->choice.next(g->choice.user, told, next_hz, err);
}

static ww_status next(void *user, ww_interval *interval, double *next_hz, ww_error *err)
{
    ww_govern *g = user;
    if (g->choice.heats) {
        interval->at.temperature_k = g->heat.die_k;
    }
    ww_governed told = told_of(g, interval);
    WW_TRY(ww_govern_evaluate(g->arch, g->model, interval, &told.power, err));
    g->time_s += told.seconds;
    if (g->choice.heats) {
        WW_TRY(warm(g, &told, err));
    }
    WW_TRY(choose(g, &told, next_hz, err));
    if (g->choice.heats) {
        *next_hz = under_ceiling(g, &told, *next_hz);
    }
    return WW_OK;
}

ww_status ww_govern_init(ww_govern *g, const ww_arch *arch, const ww_power_model *model,
                         const ww_govern_choice *choice, ww_error *err)
{
    *g = (ww_govern){.arch = arch, .model = model, .choice = *choice};
    WW_TRY(ww_package_of(arch, &g->package, err));
    g->heat = ww_package_settled(&g->package, arch->chip.temperature_k);
    g->ceiling_hz = fmax(ww_arch_clocks(arch).highest_hz, arch->clock.core_hz);
    g->governor = (ww_governor){.next = next, .user = g};
    return WW_OK;
}
