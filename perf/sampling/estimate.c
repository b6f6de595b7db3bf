/* estimate.c - from measured waves to what was not simulated: regression estimates, with the
 * instructions and those of them that access memory as the quantities known exactly, and the
 * intervals that hold them. A wave cuts through CTAs, and has more or fewer of the accesses that
 * they begin and end with than its share. Cf. Cochran, Sampling Techniques, 3rd ed., chapter 7. */
#include <math.h>

#include "base/mem.h"
#include "perf/sampling/sampling.h"

static const ww_counter parts_of_slots[] = {
    WW_C_SLOTS_ISSUED,  WW_C_STALL_RAW_LONG, WW_C_STALL_RAW_SHORT, WW_C_STALL_LSU,
    WW_C_STALL_SP,      WW_C_STALL_SFU,      WW_C_STALL_IBUF,      WW_C_STALL_HELD,
    WW_C_STALL_BARRIER, WW_C_STALL_IDLE,
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
            return ww_no_memory_for(err, "sampling");
        }
        *list = grown;
    }
    ww_sample_window *window = &(*list)[(*count)++];
    window->site = 0;
    window->weight = 0;
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

/* Instructions that access memory, of all. */
static double memory_share(const uint64_t *v)
{
    return (double)v[WW_C_PIPE_LDST] / (double)v[WW_C_INST_ISSUED];
}

static double site_rate(const ww_sample_site *s, ww_counter counter)
{
    return (double)ww_counter_total(&s->sum, (ww_counter)counter) / (double)s->warp_inst;
}

/* By what the rates of a site change where the share of memory accesses is another. */
static void factors(const ww_sample_site *s, const double *slope, double share, double *out)
{
    double here = site_rate(s, WW_C_PIPE_LDST);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        double r = site_rate(s, (ww_counter)c);
        out[c] = slope != NULL && r > 0 ? fmax(0, 1 + slope[c] * (share - here) / r) : 1;
    }
}

/* Two sites (b may be NULL), and how their rates count. */
typedef struct rates {
    const ww_sample_site *a, *b;
    double part_b; /* of the instructions measured */
    double of_a[WW_COUNTER_COUNT], of_b[WW_COUNTER_COUNT];
} rates;

static void extrapolate_block(uint64_t *v, const rates *from, int scope, uint32_t instance,
                              double warp_inst)
{
    uint64_t add[WW_COUNTER_COUNT] = {0};
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if ((int)ww_counter_describe((ww_counter)c)->scope == scope &&
            !ww_counter_describe((ww_counter)c)->from_code) {
            double r = rate(from->a, scope, instance, c) * from->of_a[c];
            if (from->b != NULL) {
                double other = rate(from->b, scope, instance, c) * from->of_b[c];
                r += (other - r) * from->part_b;
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
                                const double *slope, ww_error *err)
{
    if (a->warp_inst == 0 || (b != NULL && b->warp_inst == 0)) {
        return ww_fail(err, WW_EINTERNAL, "sampling: a measured wave without instructions");
    }
    rates from = {.a = a, .b = b};
    double share = warp_inst > 0 ? (double)exact[WW_C_PIPE_LDST] / (double)warp_inst : 0;
    factors(a, slope, share, from.of_a);
    if (b != NULL) {
        from.part_b = ww_sample_part(b, a);
        factors(b, slope, share, from.of_b);
    }
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        for (uint32_t i = 0; i < dst->count[scope]; i++) {
            extrapolate_block(dst->block[scope][i].v, &from, scope, i, (double)warp_inst);
        }
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (ww_counter_describe((ww_counter)c)->from_code) {
            deal_out(dst, (ww_counter)c, exact[c]);
        }
    }
    return WW_OK;
}

double ww_sample_part(const ww_sample_site *of, const ww_sample_site *other)
{
    return (double)of->warp_inst / (double)(of->warp_inst + other->warp_inst);
}

double ww_sample_drift(const ww_sample_site *a, const ww_sample_site *b, uint64_t warp_inst,
                       ww_counter counter, double slope)
{
    double width = site_rate(a, counter) - site_rate(b, counter) -
                   slope * (site_rate(a, WW_C_PIPE_LDST) - site_rate(b, WW_C_PIPE_LDST));
    double counts = width * (double)warp_inst, aside = ww_sample_part(a, b) - 0.5;
    return counts * counts * (1.0 / 12 + aside * aside); /* of a uniform distribution */
}

double ww_sample_disturbed(double cycles)
{
    static const double PART = 0.025, OF = 262144; /* cycles */
    static const double LEAST = 0.01;
    return fmax(LEAST, PART * sqrt(OF / fmax(1, cycles)));
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

double ww_sample_slope(const ww_sample_window *window, uint32_t count, ww_counter counter)
{
    enum { FEWEST = 6 };               /* fewer would be fitted, whatever they are */
    static const double SPREAD = 1e-3; /* of the share; less tells nothing */
    double share = ww_sample_ratio(window, count, WW_C_PIPE_LDST);
    double ratio = ww_sample_ratio(window, count, counter), xx = 0, xy = 0, inst = 0;
    for (uint32_t i = 0; i < count && count >= FEWEST; i++) {
        double n = (double)window[i].v[WW_C_INST_ISSUED];
        double x = n > 0 ? memory_share(window[i].v) - share : 0;
        xx += n * x * x;
        xy += x * ((double)window[i].v[counter] - ratio * n);
        inst += n;
    }
    return xx > inst * SPREAD * SPREAD * share * share ? xy / xx : 0;
}

/* By what a window's counter differs from a line of that slope through the ratio of all. */
static double residual(const ww_sample_window *w, ww_counter counter, double ratio, double slope,
                       double share)
{
    double n = (double)w->v[WW_C_INST_ISSUED];
    return (double)w->v[counter] - ratio * n - slope * ((double)w->v[WW_C_PIPE_LDST] - share * n);
}

bool ww_sample_one_rate(const ww_sample_window *window, uint32_t count, double slope)
{
    /* Times the variance within: the 5 % points of F for so many sites, and 20 degrees within. */
    static const double most[] = {0, 0, 4.35, 3.49, 3.10, 2.87, 2.71, 2.60};
    double ratio = ww_sample_ratio(window, count, WW_C_CORE_CYCLES);
    double share = ww_sample_ratio(window, count, WW_C_PIPE_LDST);
    double within = 0, between = 0;
    uint32_t sites = 0;
    for (uint32_t i = 0, end; i < count; i = end, sites++) {
        double sum = 0, squares = 0;
        for (end = i; end < count && window[end].site == window[i].site; end++) {
            double r = residual(&window[end], WW_C_CORE_CYCLES, ratio, slope, share);
            sum += r;
            squares += r * r;
        }
        double of_mean = sum * sum / (end - i);
        between += of_mean;
        within += squares - of_mean;
    }
    double limit = most[sites < WW_ARRAY_LEN(most) ? sites : WW_ARRAY_LEN(most) - 1];
    return sites >= 2 && count > sites && between * (count - sites) <= limit * within * (sites - 1);
}

/* By how much the ratio differs between the first half of the windows and the second: neighbours
 * are alike, so that a few of them in a row scatter less than what follows. */
static double half_difference(const ww_sample_window *window, uint32_t count, ww_counter counter,
                              double slope)
{
    uint32_t half = count / 2;
    const ww_sample_window *second = window + count - half;
    double shares = ww_sample_ratio(window, half, WW_C_PIPE_LDST) -
                    ww_sample_ratio(second, half, WW_C_PIPE_LDST);
    double ratios = ww_sample_ratio(window, half, counter) - ww_sample_ratio(second, half, counter);
    return fabs(ratios - slope * shares) / 2;
}

double ww_sample_ratio_error(const ww_sample_window *window, uint32_t count, ww_counter counter,
                             double slope, double rests_on)
{
    uint32_t fitted = fabs(slope) > 0 ? 2 : 1;
    if (count <= fitted) {
        return HUGE_VAL;
    }
    double ratio = ww_sample_ratio(window, count, counter), squares = 0, inst = 0;
    double share = ww_sample_ratio(window, count, WW_C_PIPE_LDST);
    for (uint32_t i = 0; i < count; i++) {
        double d = residual(&window[i], counter, ratio, slope, share);
        squares += d * d;
        inst += (double)window[i].v[WW_C_INST_ISSUED];
    }
    double mean = inst / count;
    if (!(mean > 0)) {
        return HUGE_VAL;
    }
    uint32_t degrees = count - fitted;
    double random = ww_student_95(degrees) * sqrt(squares / degrees / rests_on) / mean;
    return fmax(random, half_difference(window, count, counter, slope));
}
