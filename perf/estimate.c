/* estimate.c - from measured waves to what was not simulated: ratio estimates with exact
 * instruction counts as the known quantity, and the intervals that hold them. */
#include <math.h>

#include "base/mem.h"
#include "perf/sample.h"

static const ww_counter parts_of_slots[] = {
    WW_C_SLOTS_ISSUED, WW_C_STALL_RAW_LONG, WW_C_STALL_RAW_SHORT, WW_C_STALL_LSU,  WW_C_STALL_SP,
    WW_C_STALL_SFU,    WW_C_STALL_IBUF,     WW_C_STALL_BARRIER,   WW_C_STALL_IDLE,
};

static double rate(const ww_sample_site *s, int scope, uint32_t instance, int counter)
{
    return (double)s->sum.block[scope][instance].v[counter] / (double)s->warp_inst;
}

ww_status ww_sample_window_add(ww_sample_window **list, uint32_t *count,
                               const ww_counter_set *counters, const ww_sample_window **out,
                               ww_error *err)
{
    if (*count == 0 || (*count >= 8 && (*count & (*count - 1)) == 0)) {
        uint32_t capacity = *count == 0 ? 8 : 2 * *count;
        ww_sample_window *grown = ww_realloc_array(*list, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_fail(err, WW_ENOMEM, "Out of memory for sampling.");
        }
        *list = grown;
    }
    ww_sample_window *window = &(*list)[(*count)++];
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        window->v[c] = ww_counter_total(counters, (ww_counter)c);
    }
    *out = window;
    return WW_OK;
}

/* The slots are what their parts add up to, whatever rounding did to each. */
static uint64_t slots_of(const uint64_t *v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(parts_of_slots); i++) {
        sum += v[parts_of_slots[i]];
    }
    return sum;
}

static void extrapolate_block(uint64_t *v, const ww_sample_site *a, const ww_sample_site *b,
                              int scope, uint32_t instance, double warp_inst)
{
    uint64_t add[WW_COUNTER_COUNT] = {0};
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if ((int)ww_counter_describe((ww_counter)c)->scope == scope &&
            !ww_program_tallies((ww_counter)c)) {
            double r = rate(a, scope, instance, c);
            if (b != NULL) {
                r = (r + rate(b, scope, instance, c)) / 2;
            }
            add[c] = (uint64_t)llround(r * warp_inst);
        }
    }
    if (scope == WW_SCOPE_SM) {
        add[WW_C_SLOTS] = slots_of(add);
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        v[c] += add[c];
    }
}

static void deal_out(ww_counter_set *dst, ww_counter counter, uint64_t total)
{
    ww_scope scope = ww_counter_describe(counter)->scope;
    uint64_t n = dst->count[scope];
    for (uint64_t i = 0; i < n; i++) {
        dst->block[scope][i].v[counter] += total / n + (i < total % n);
    }
}

ww_status ww_sample_extrapolate(ww_counter_set *dst, const ww_sample_site *a,
                                const ww_sample_site *b, uint64_t warp_inst, const uint64_t *exact,
                                ww_error *err)
{
    if (a->warp_inst == 0 || (b != NULL && b->warp_inst == 0)) {
        return ww_fail(err, WW_EINTERNAL, "sampling: a measured wave without instructions");
    }
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        for (uint32_t i = 0; i < dst->count[scope]; i++) {
            extrapolate_block(dst->block[scope][i].v, a, b, scope, i, (double)warp_inst);
        }
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (ww_program_tallies((ww_counter)c)) {
            deal_out(dst, (ww_counter)c, exact[c]);
        }
    }
    return WW_OK;
}

double ww_sample_drift(const ww_sample_site *a, const ww_sample_site *b, uint64_t warp_inst,
                       ww_counter counter)
{
    double width = (double)ww_counter_total(&a->sum, counter) / (double)a->warp_inst -
                   (double)ww_counter_total(&b->sum, counter) / (double)b->warp_inst;
    double counts = width * (double)warp_inst;
    return counts * counts / 12; /* of a uniform distribution */
}

double ww_student_95(uint32_t degrees)
{
    static const double t[] = {HUGE_VAL, 12.706, 4.303, 3.182, 2.776, 2.571,
                               2.447,    2.365,  2.306, 2.262, 2.228};
    return degrees < WW_ARRAY_LEN(t) ? t[degrees] : 1.96 + 2.5 / (degrees - 0.7);
}

double ww_sample_ratio(const ww_sample_window *window, uint32_t count, ww_counter counter)
{
    double inst = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        inst += (double)window[i].v[WW_C_INST_ISSUED];
        sum += (double)window[i].v[counter];
    }
    return inst > 0 ? sum / inst : 0;
}

/* By how much the ratio differs between the first half of the windows and the second: neighbours
 * are alike, so that a few of them in a row scatter less than what follows. */
static double half_difference(const ww_sample_window *window, uint32_t count, ww_counter counter)
{
    uint32_t half = count / 2;
    return fabs(ww_sample_ratio(window, half, counter) -
                ww_sample_ratio(window + count - half, half, counter)) /
           2;
}

double ww_sample_ratio_error(const ww_sample_window *window, uint32_t count, ww_counter counter)
{
    if (count < 2) {
        return HUGE_VAL;
    }
    double ratio = ww_sample_ratio(window, count, counter), squares = 0, inst = 0;
    for (uint32_t i = 0; i < count; i++) {
        double x = (double)window[i].v[WW_C_INST_ISSUED];
        double d = (double)window[i].v[counter] - ratio * x;
        squares += d * d;
        inst += x;
    }
    double mean = inst / count;
    if (!(mean > 0)) {
        return HUGE_VAL;
    }
    double random = ww_student_95(count - 1) * sqrt(squares / (count - 1) / count) / mean;
    return fmax(random, half_difference(window, count, counter));
}
