/* kernels.c - kernel sampling. Launches of the same kernel and geometry are simulated until their
 * cycles per instruction agree; then 1, 2, 4, ... up to 8 are executed without time before one is
 * simulated again. Where that one disagrees, or a launch executes another number of instructions,
 * learning starts anew. Cf. Baddouh et al., Principal Kernel Analysis, MICRO 2021, which groups
 * launches by their features beforehand; here every launch is executed, so that its instructions
 * are known. */
#include "perf/sampling/kernels.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { FEWEST_LAUNCHES = 3, MOST_SKIPPED = 8 };

/* Launches whose instructions differ by more are not alike. */
#define ALIKE 0.1

static bool same_dim(ww_dim3 a, ww_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

ww_status ww_kernel_sampler_find(ww_kernel_sampler **list, const void *kernel,
                                 const ww_launch *launch, uint32_t shared_bytes,
                                 const ww_counter_set *shape, ww_kernel_sampler **out,
                                 ww_error *err)
{
    for (ww_kernel_sampler *r = *list; r != NULL; r = r->next) {
        if (r->kernel == kernel && same_dim(r->grid, launch->grid) &&
            same_dim(r->block, launch->block) && r->shared_bytes == shared_bytes) {
            *out = r;
            return WW_OK;
        }
    }
    ww_kernel_sampler *r = WW_NEW(ww_kernel_sampler);
    if (r == NULL) {
        return ww_no_memory_for(err, "sampling");
    }
    r->kernel = kernel;
    r->grid = launch->grid;
    r->block = launch->block;
    r->shared_bytes = shared_bytes;
    r->next = *list;
    *list = r;
    *out = r;
    const uint32_t *n = shape->count;
    return ww_counter_set_init(&r->known.sum, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE],
                               n[WW_SCOPE_CHANNEL], err);
}

void ww_kernel_sampler_destroy(ww_kernel_sampler *list)
{
    while (list != NULL) {
        ww_kernel_sampler *next = list->next;
        ww_counter_set_fini(&list->known.sum);
        ww_free(list->window);
        ww_free(list);
        list = next;
    }
}

static double mean_inst(const ww_kernel_sampler *r)
{
    return (double)r->known.warp_inst / r->windows;
}

/* Half-width of the 95 % interval of one more launch's ratio to its instructions: the scatter of
 * launches, and how well their mean is known; and never less than predictions have been off. */
static double prediction_error(const ww_kernel_sampler *r, ww_counter counter)
{
    double scatter = ww_sample_ratio_error(r->window, r->windows, counter, 0, r->windows) *
                     sqrt(1.0 + r->windows);
    double cycles = (double)ww_counter_total(&r->known.sum, WW_C_CORE_CYCLES) / r->windows;
    double least = fmax(r->miss, ww_sample_disturbed(cycles));
    return fmax(scatter, least * ww_sample_ratio(r->window, r->windows, counter));
}

bool ww_kernel_sampler_predictable(const ww_kernel_sampler *r, double error)
{
    return r->to_skip > 0 && r->windows >= FEWEST_LAUNCHES &&
           prediction_error(r, WW_C_CORE_CYCLES) <=
               error * ww_sample_ratio(r->window, r->windows, WW_C_CORE_CYCLES);
}

/* A launch of more or fewer instructions may take in proportion, or as long as ever. */
static double size_error(const ww_kernel_sampler *r, double inst, ww_counter counter)
{
    double rate = ww_sample_ratio(r->window, r->windows, counter);
    return fabs(rate * (inst - mean_inst(r)));
}

ww_status ww_kernel_sampler_predict(ww_kernel_sampler *r, const ww_program *program,
                                    const ww_functional_stats *stats, ww_counter_set *counters,
                                    ww_counter_block *error_of, ww_error *err)
{
    double inst = (double)stats->warp_inst;
    uint64_t exact[WW_COUNTER_COUNT] = {[WW_C_LAUNCHES] = 1};
    ww_program_tally(program, stats, exact);
    WW_TRY(ww_sample_extrapolate(counters, &r->known, NULL, stats->warp_inst, exact, NULL, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        error_of->v[c] = 0;
        if (!ww_counter_describe((ww_counter)c)->from_code) {
            double scatter = prediction_error(r, (ww_counter)c) * inst;
            double size = size_error(r, inst, (ww_counter)c);
            error_of->v[c] = (uint64_t)(scatter + size + 0.5);
        }
    }
    r->to_skip--;
    r->skipped++;
    if (fabs(inst / mean_inst(r) - 1) > ALIKE) {
        r->to_skip = 0;
        r->streak = 0;
    }
    return WW_OK;
}

static ww_status add(ww_kernel_sampler *r, const ww_counter_set *counters, ww_error *err)
{
    const ww_sample_window *w;
    WW_TRY(ww_sample_window_add(&r->window, &r->windows, counters, &w, err));
    r->known.warp_inst += w->v[WW_C_INST_ISSUED];
    return ww_counter_set_add(&r->known.sum, counters, err);
}

/* Launches to predict now: more only when those before have been checked. */
static uint32_t longer(const ww_kernel_sampler *r)
{
    if (r->streak == 0 || r->skipped == 0) {
        return r->streak > 0 ? r->streak : 1;
    }
    return 2 * r->streak < MOST_SKIPPED ? 2 * r->streak : MOST_SKIPPED;
}

ww_status ww_kernel_sampler_learn(ww_kernel_sampler *r, const ww_counter_set *counters,
                                  double error, ww_error *err)
{
    double inst = (double)ww_counter_total(counters, WW_C_INST_ISSUED);
    double cycles = (double)ww_counter_total(counters, WW_C_CORE_CYCLES);
    bool alike = r->windows > 0 && fabs(inst / mean_inst(r) - 1) <= ALIKE;
    if (alike) {
        double known = ww_sample_ratio(r->window, r->windows, WW_C_CORE_CYCLES);
        double off = fabs(cycles / inst / known - 1);
        r->miss = r->skipped > 0 ? fmax(r->miss, off) : r->miss;
        alike = off <= 2 * error;
    }
    if (!alike) {
        r->windows = 0;
        r->known.warp_inst = 0;
        r->streak = 0;
        ww_counter_set_clear(&r->known.sum);
    }
    WW_TRY(add(r, counters, err));
    if (r->windows >= FEWEST_LAUNCHES) {
        r->streak = longer(r);
    }
    r->to_skip = r->streak;
    r->skipped = 0;
    return WW_OK;
}
