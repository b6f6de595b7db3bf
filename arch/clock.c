/* clock.c - core clock and voltage of a card: the clocks that it can be set to, the voltage that
 * goes with each, and a machine set to one of them.
 *
 * A description states its voltage, chip.vdd_v, at its own core clock; clock.voltage says how it
 * changes with the clock. Interconnect and L2 lie on the same supply and go in proportion; DRAM has
 * its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch/config.h"
#include "base/num.h"
#include "base/units.h"

typedef struct point {
    double hz, v;
} point;

/* Where no curve is known: voltage over clock, both relative to the described ones, as the mean of
 * six cards whose curves are read or fitted (two A100, V100, TITAN V, TITAN Xp, K40c; docs/models/
 * power.md), each relative to its highest clock; they lie 0.07 about it. */
static const point assumed[] = {{0.3, 0.8},   {0.5, 0.815}, {0.76, 0.85},
                                {0.9, 0.915}, {1, 1},       {1.15, 1.1275}};

static bool is_assumed(const ww_arch *arch)
{
    return strcmp(arch->clock.voltage, "assumed") == 0;
}

/* The point at *at, which moves behind it. */
static bool next_point(const char **at, point *out)
{
    const char *p = *at;
    double mhz = 0, v = 0;
    while (*p == ' ') {
        p++;
    }
    if (!ww_num_scan(p, &p, &mhz) || *p != ':' || !ww_num_scan(p + 1, &p, &v) ||
        (*p != ' ' && *p != '\0')) {
        return false;
    }
    *at = p;
    *out = (point){mhz * 1e6, v};
    return true;
}

/* Straight between the points; at and beyond an end, the end's. */
static double curve_v(const char *points, double hz)
{
    point left, right;
    const char *at = points;
    if (!next_point(&at, &left)) {
        return 1; /* ww__clock_check refuses it */
    }
    for (right = left; hz > right.hz; left = right) {
        if (!next_point(&at, &right)) {
            return left.v;
        }
        if (hz <= right.hz) {
            return left.v + (right.v - left.v) * (hz - left.hz) / (right.hz - left.hz);
        }
    }
    return right.v;
}

static double assumed_v(double share)
{
    size_t i = 1;
    while (i + 1 < WW_ARRAY_LEN(assumed) && share > assumed[i].hz) {
        i++;
    }
    const point *left = &assumed[i - 1], *right = &assumed[i];
    return left->v + (right->v - left->v) * (share - left->hz) / (right->hz - left->hz);
}

static double shape(const ww_arch *arch, double hz)
{
    return is_assumed(arch) ? assumed_v(hz / arch->described_hz) : curve_v(arch->clock.voltage, hz);
}

ww_clock_range ww_arch_clocks(const ww_arch *arch)
{
    const point *last = &assumed[WW_ARRAY_LEN(assumed) - 1];
    ww_clock_range r = {.lowest_hz = assumed[0].hz * arch->described_hz,
                        .highest_hz = last->hz * arch->described_hz,
                        .step_hz = arch->clock.step_hz};
    const char *at = arch->clock.voltage;
    point p;
    for (bool first = true; !is_assumed(arch) && next_point(&at, &p); first = false) {
        r.lowest_hz = first ? p.hz : r.lowest_hz;
        r.highest_hz = p.hz;
    }
    return r;
}

double ww_arch_clock_below(const ww_arch *arch, double hz)
{
    static const double rounding = 1e-9; /* of the division by the step */
    ww_clock_range r = ww_arch_clocks(arch);
    double own = arch->described_hz, clock = fmin(fmax(hz, r.lowest_hz), r.highest_hz);
    if (r.step_hz > 0) {
        double steps = floor((clock - r.lowest_hz) / r.step_hz + rounding);
        clock = fmin(clock, r.lowest_hz + steps * r.step_hz);
    }
    return own <= hz && own > clock ? own : clock;
}

double ww_arch_voltage(const ww_arch *arch, double core_hz)
{
    return core_hz == arch->described_hz
               ? arch->chip.vdd_v
               : arch->chip.vdd_v * (shape(arch, core_hz) / shape(arch, arch->described_hz));
}

double ww_arch_voltage_sigma(const ww_arch *arch, double core_hz)
{
    return arch->clock.voltage_sigma * fmin(1, 4 * fabs(core_hz / arch->described_hz - 1));
}

static ww_status fail_points(const ww_arch *arch, const char *why, ww_error *err)
{
    return ww__config_fail(arch, "clock.voltage", err, WW_ERANGE, "%s", why);
}

ww_status ww__clock_check(const ww_arch *arch, ww_error *err)
{
    enum { LEAST = 2 };
    const char *at = arch->clock.voltage;
    point p = {0, 0}, last = {0, 0};
    size_t count = 0;
    if (is_assumed(arch)) {
        return WW_OK;
    }
    for (; *at != '\0' && next_point(&at, &p); count++, last = p) {
        if (!(p.hz >= 1e6 && p.hz <= 5e9 && p.v >= 0.3 && p.v <= 2)) {
            return fail_points(arch, "a point outside 1 to 5000 MHz and 0.3 to 2 V", err);
        }
        if (!(p.hz > last.hz && p.v >= last.v)) {
            return fail_points(arch, "clocks must rise, and voltages must not fall", err);
        }
    }
    if (*at != '\0' || count < LEAST) {
        return fail_points(arch,
                           "needs two or more points MHz:V, such as '600:0.7 1400:0.9', or "
                           "the word assumed",
                           err);
    }
    ww_clock_range r = ww_arch_clocks(arch);
    return arch->described_hz >= r.lowest_hz && arch->described_hz <= r.highest_hz
               ? WW_OK
               : fail_points(arch, "the description's own clock.core_hz lies outside", err);
}

/* ---- a machine at another clock ---- */

static bool was_set(const ww_arch *arch, const char *key)
{
    const char *file = arch->config->values[ww_param_index(key)].origin.file;
    return strcmp(file, "--set") == 0;
}

static ww_status put(ww_arch *arch, const char *key, double value, const char *source,
                     ww_error *err)
{
    char text[WW_NUM_CHARS];
    ww_config_origin origin = {.file = "--clock", .source = source};
    if (source == NULL) {
        return ww_no_memory(err);
    }
    return ww__config_set(arch, ww_param_index(key), ww_num_format(value, text), NULL, origin, err);
}

static ww_status in_range(const ww_arch *arch, ww_error *err)
{
    ww_clock_range r = ww_arch_clocks(arch);
    char lo[48], hi[48];
    if (arch->clock.set_hz >= r.lowest_hz && arch->clock.set_hz <= r.highest_hz) {
        return WW_OK;
    }
    ww_units_format(r.lowest_hz, "Hz", lo, sizeof lo);
    ww_units_format(r.highest_hz, "Hz", hi, sizeof hi);
    return ww__config_fail(arch, "clock.set_hz", err, WW_ERANGE,
                           "outside the clocks of this card, %s to %s%s", lo, hi,
                           is_assumed(arch) ? " (assumed)" : "");
}

static ww_status set_clocks(ww_arch *arch, double hz, ww_error *err)
{
    static const char *const other[] = {"clock.icnt_hz", "clock.l2_hz"};
    const double described_hz[] = {arch->clock.icnt_hz, arch->clock.l2_hz};
    ww_arena *arena = &arch->config->arena;
    char at[48], step[48];
    ww_units_format(hz, "Hz", at, sizeof at);
    ww_units_format(arch->clock.step_hz, "Hz", step, sizeof step);
    WW_TRY(put(arch, "clock.core_hz", hz,
               ww_arena_printf(arena, "clock.set_hz, down to a step (%s) of the card", step), err));
    for (size_t i = 0; i < WW_ARRAY_LEN(other); i++) {
        if (!was_set(arch, other[i])) {
            WW_TRY(put(arch, other[i], hz * (described_hz[i] / arch->described_hz),
                       "in proportion to the core clock", err));
        }
    }
    if (was_set(arch, "clock.core_v")) {
        return WW_OK;
    }
    return put(arch, "clock.core_v", ww_arch_voltage(arch, hz),
               ww_arena_printf(arena, "clock.voltage at %s: %s", at,
                               ww_arch_source(arch, "clock.voltage")),
               err);
}

ww_status ww__clock_set(ww_arch *arch, ww_error *err)
{
    if (!(arch->clock.set_hz > 0)) {
        return WW_OK;
    }
    if (was_set(arch, "clock.core_hz")) {
        return ww__config_fail(arch, "clock.set_hz", err, WW_ERANGE,
                               "clock.core_hz is set as well: one of the two");
    }
    WW_TRY(in_range(arch, err));
    double hz = ww_arch_clock_below(arch, arch->clock.set_hz);
    return hz == arch->described_hz ? WW_OK : set_clocks(arch, hz, err);
}
