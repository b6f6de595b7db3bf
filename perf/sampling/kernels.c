/* kernels.c - kernel sampling. Launches of a kernel are of a kind when they execute as many
 * instructions, and of the same kinds. Those of a kind are simulated until their cycles per
 * instruction agree; then 1, 2, 4, ... up to 8 are executed without time before one is simulated
 * again. Where that one disagrees, learning starts anew. The kind of the next launch is the one
 * that followed the last time; what it was is known once it has been executed. Cf. Baddouh et al.,
 * Principal Kernel Analysis, MICRO 2021, which groups launches by their features beforehand; here
 * every launch is executed, so that its instructions are known. */
#include "perf/sampling/kernels.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { FEWEST_LAUNCHES = 3, MOST_SKIPPED = 8, MOST_KINDS = 8 };

/* Launches of which a larger part differs are not of a kind. */
#define ALIKE 0.1

ww_status ww_kernel_sampler_find(ww_kernel_sampler **list, const void *kernel,
                                 const ww_launch *launch, uint32_t shared_bytes,
                                 ww_kernel_sampler **out, ww_error *err)
{
    const ww_dim3 g = launch->grid, b = launch->block;
    uint64_t ctas = (uint64_t)g.x * g.y * g.z, threads = (uint64_t)b.x * b.y * b.z;
    for (ww_kernel_sampler *r = *list; r != NULL; r = r->next) {
        if (r->kernel == kernel && r->ctas == ctas && r->threads == threads &&
            r->shared_bytes == shared_bytes) {
            *out = r;
            return WW_OK;
        }
    }
    ww_kernel_sampler *r = WW_NEW(ww_kernel_sampler);
    if (r == NULL) {
        return ww_no_memory_for(err, "sampling");
    }
    *r = (ww_kernel_sampler){.next = *list,
                             .kernel = kernel,
                             .ctas = ctas,
                             .threads = threads,
                             .shared_bytes = shared_bytes};
    *list = r;
    *out = r;
    return WW_OK;
}

static void kind_destroy(ww_launch_kind *k)
{
    ww_counter_set_fini(&k->known.sum);
    ww_free(k->window);
    ww_free(k);
}

void ww_kernel_sampler_destroy(ww_kernel_sampler *list)
{
    while (list != NULL) {
        ww_kernel_sampler *next = list->next;
        while (list->kinds != NULL) {
            ww_launch_kind *k = list->kinds;
            list->kinds = k->next;
            kind_destroy(k);
        }
        ww_free(list);
        list = next;
    }
}

static double mean_inst(const ww_launch_kind *k)
{
    return (double)k->known.warp_inst / k->windows;
}

/* Half-width of the 95 % interval of one more launch's ratio to its instructions: the scatter of
 * launches, and how well their mean is known; and never less than predictions have been off. */
static double prediction_error(const ww_launch_kind *k, ww_counter counter)
{
    double scatter = ww_sample_ratio_error(k->window, k->windows, counter, 0, k->windows) *
                     sqrt(1.0 + k->windows);
    double cycles = (double)ww_counter_total(&k->known.sum, WW_C_CORE_CYCLES) / k->windows;
    double least = fmax(k->miss, ww_sample_disturbed(cycles));
    return fmax(scatter, least * ww_sample_ratio(k->window, k->windows, counter));
}

const ww_launch_kind *ww_kernel_sampler_expect(const ww_kernel_sampler *r, double error)
{
    const ww_launch_kind *k = r->kinds != NULL ? r->kinds->then : NULL;
    bool known = k != NULL && k->to_skip > 0 && k->windows >= FEWEST_LAUNCHES &&
                 prediction_error(k, WW_C_CORE_CYCLES) <=
                     error * ww_sample_ratio(k->window, k->windows, WW_C_CORE_CYCLES);
    return known ? k : NULL;
}

/* Part of a launch that is not as those of a kind are. */
static double distance(const ww_launch_kind *k, const uint64_t *v)
{
    double inst = fabs((double)v[WW_C_INST_ISSUED] / mean_inst(k) - 1);
    return fmax(inst, ww_mix_unlike(k->window, k->windows, v));
}

/* The nearest kind of which so many launches are known; NULL: none. */
static ww_launch_kind *nearest(const ww_kernel_sampler *r, uint32_t fewest, const uint64_t *v)
{
    ww_launch_kind *best = NULL;
    double least = HUGE_VAL;
    for (ww_launch_kind *k = r->kinds; k != NULL; k = k->next) {
        double d = k->windows >= fewest ? distance(k, v) : HUGE_VAL;
        if (d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

static void take_out(ww_kernel_sampler *r, const ww_launch_kind *k)
{
    ww_launch_kind **at = &r->kinds;
    while (*at != NULL && *at != k) {
        at = &(*at)->next;
    }
    *at = *at != NULL ? k->next : NULL;
}

/* The latest launch was of that kind. */
static void note(ww_kernel_sampler *r, ww_launch_kind *k)
{
    if (r->kinds != NULL) {
        r->kinds->then = k;
    }
    take_out(r, k);
    k->next = r->kinds;
    r->kinds = k;
}

/* Instructions of a launch whose time the kind does not tell: one of more or fewer may take in
 * proportion, or as long as ever; what part is of another kind may take no time, or twice as much.
 */
static double unknown_inst(const ww_launch_kind *k, const uint64_t *v)
{
    double inst = (double)v[WW_C_INST_ISSUED];
    return fabs(inst - mean_inst(k)) + inst * ww_mix_unlike(k->window, k->windows, v);
}

ww_status ww_kernel_sampler_predict(ww_kernel_sampler *r, const ww_program *program,
                                    const ww_functional_stats *stats, ww_counter_set *counters,
                                    ww_counter_block *error_of, ww_error *err)
{
    uint64_t exact[WW_COUNTER_COUNT] = {[WW_C_LAUNCHES] = 1};
    ww_program_tally(program, stats, exact);
    ww_launch_kind *k = nearest(r, FEWEST_LAUNCHES, exact);
    WW_ASSERT(k != NULL); /* the one expected */
    WW_TRY(ww_sample_extrapolate(counters, &k->known, NULL, stats->warp_inst, exact, NULL, err));
    const double unknown = unknown_inst(k, exact);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        error_of->v[c] = 0;
        if (!ww_counter_describe((ww_counter)c)->from_code) {
            double scatter = prediction_error(k, (ww_counter)c) * (double)stats->warp_inst;
            double rate = ww_sample_ratio(k->window, k->windows, (ww_counter)c);
            error_of->v[c] = (uint64_t)(scatter + rate * unknown + 0.5);
        }
    }
    k->to_skip -= k->to_skip > 0;
    k->skipped++;
    if (distance(k, exact) > ALIKE) {
        k->to_skip = 0;
        k->streak = 0;
    }
    note(r, k);
    return WW_OK;
}

static ww_status add(ww_launch_kind *k, const ww_counter_set *counters, ww_error *err)
{
    const ww_sample_window *w;
    WW_TRY(ww_sample_window_add(&k->window, &k->windows, counters, &w, err));
    k->known.warp_inst += w->v[WW_C_INST_ISSUED];
    return ww_counter_set_add(&k->known.sum, counters, err);
}

/* Launches to predict now: more only when those before have been checked. */
static uint32_t longer(const ww_launch_kind *k)
{
    if (k->streak == 0 || k->skipped == 0) {
        return k->streak > 0 ? k->streak : 1;
    }
    return 2 * k->streak < MOST_SKIPPED ? 2 * k->streak : MOST_SKIPPED;
}

/* Makes room for one more kind: the one not seen for longest goes. */
static void forget_oldest(ww_kernel_sampler *r)
{
    uint32_t count = 0;
    ww_launch_kind *oldest = NULL;
    for (ww_launch_kind *k = r->kinds; k != NULL; k = k->next) {
        count++;
        oldest = k;
    }
    if (count < MOST_KINDS) {
        return;
    }
    for (ww_launch_kind *k = r->kinds; k != NULL; k = k->next) {
        k->then = k->then == oldest ? NULL : k->then;
    }
    take_out(r, oldest);
    kind_destroy(oldest);
}

static ww_status new_kind(ww_kernel_sampler *r, const ww_counter_set *shape, ww_launch_kind **out,
                          ww_error *err)
{
    forget_oldest(r);
    ww_launch_kind *k = WW_NEW(ww_launch_kind);
    if (k == NULL) {
        return ww_no_memory_for(err, "sampling");
    }
    const uint32_t *n = shape->count;
    ww_status status = ww_counter_set_init(&k->known.sum, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE],
                                           n[WW_SCOPE_CHANNEL], err);
    if (status != WW_OK) {
        kind_destroy(k);
        return status;
    }
    *out = k;
    return WW_OK;
}

/* One more launch of a kind: forgets those before when it took another time per instruction. */
static void compare(ww_launch_kind *k, const uint64_t *v, double error)
{
    double rate = (double)v[WW_C_CORE_CYCLES] / (double)v[WW_C_INST_ISSUED];
    double off = fabs(rate / ww_sample_ratio(k->window, k->windows, WW_C_CORE_CYCLES) - 1);
    k->miss = k->skipped > 0 ? fmax(k->miss, off) : k->miss;
    if (off > 2 * error) {
        k->windows = 0;
        k->known.warp_inst = 0;
        k->streak = 0;
        ww_counter_set_clear(&k->known.sum);
    }
}

ww_status ww_kernel_sampler_learn(ww_kernel_sampler *r, const ww_counter_set *counters,
                                  double error, ww_error *err)
{
    uint64_t v[WW_COUNTER_COUNT];
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        v[c] = ww_counter_total(counters, (ww_counter)c);
    }
    ww_launch_kind *k = nearest(r, 1, v);
    if (k != NULL && distance(k, v) <= ALIKE) {
        compare(k, v, error);
    } else {
        WW_TRY(new_kind(r, counters, &k, err));
    }
    note(r, k);
    WW_TRY(add(k, counters, err));
    k->streak = k->windows >= FEWEST_LAUNCHES ? longer(k) : k->streak;
    k->to_skip = k->streak;
    k->skipped = 0;
    return WW_OK;
}
