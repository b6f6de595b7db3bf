/* ledger.c - the books of a sampled launch: what was measured, what was executed without time
 * between two sites, and in the end what the whole would have counted. Whoever samples (ctas.c,
 * time.c) decides when. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "perf/sampling/sampling.h"

static ww_status init_set(ww_counter_set *set, const ww_gpu *gpu, ww_error *err)
{
    const uint32_t *n = gpu->counters.count;
    if (set->block[WW_SCOPE_CHIP] != NULL) {
        ww_counter_set_clear(set);
        return WW_OK;
    }
    return ww_counter_set_init(set, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE], n[WW_SCOPE_CHANNEL], err);
}

static ww_status init_storage(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    ww_counter_set *const sets[] = {&l->before,  &l->site[0].sum, &l->site[1].sum,
                                    &l->all.sum, &l->extra,       &l->warm_up};
    for (size_t i = 0; i < WW_ARRAY_LEN(sets); i++) {
        WW_TRY(init_set(sets[i], gpu, err));
    }
    ww_free(l->pc);
    l->pc = WW_NEW_ARRAY(ww_pc_count, l->program->count);
    return l->pc != NULL ? WW_OK : ww_no_memory_for(err, "sampling");
}

ww_status ww_ledger_begin(ww_ledger *l, const ww_gpu *gpu, double floor, ww_error *err)
{
    l->program = gpu->grid->program;
    l->measuring = l->warming = l->gap = false;
    l->windows = l->sites = 0;
    l->extrapolated = 0;
    l->unlike = l->late_cycles = 0;
    l->all.warp_inst = l->all.windows = 0;
    for (int i = 0; i < 2; i++) {
        l->site[i].warp_inst = l->site[i].windows = 0;
    }
    memset(l->drift, 0, sizeof l->drift);
    memset(&l->error_of, 0, sizeof l->error_of);
    l->floor = floor;
    return floor > 0 ? init_storage(l, gpu, err) : WW_OK;
}

void ww_ledger_fini(ww_ledger *l)
{
    ww_counter_set_fini(&l->before);
    ww_counter_set_fini(&l->site[0].sum);
    ww_counter_set_fini(&l->site[1].sum);
    ww_counter_set_fini(&l->all.sum);
    ww_counter_set_fini(&l->extra);
    ww_counter_set_fini(&l->warm_up);
    ww_free(l->window);
    ww_free(l->pc);
    *l = (ww_ledger){0};
}

/* `inst` instructions of a gap count at the rate of so many windows together. */
static void weigh(ww_sample_window *window, uint32_t count, double inst)
{
    for (uint32_t i = 0; i < count; i++) {
        window[i].weight += inst / count;
    }
}

/* What lay between two sites ran at their rate; or where all sites have the same, at that of all.
 */
static ww_status close_gap(ww_ledger *l, ww_error *err)
{
    uint64_t inst = l->gap_stats.warp_inst + l->warm_up_inst;
    ww_program_tally(l->program, &l->gap_stats, l->exact);
    l->unlike += (double)inst * ww_mix_unlike(l->window, l->windows, l->exact);
    double slope[WW_COUNTER_COUNT];
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        slope[c] = ww_sample_slope(l->window, l->windows, (ww_counter)c);
    }
    l->extrapolated += inst;
    l->gap = false;
    if (ww_sample_one_rate(l->window, l->windows, slope[WW_C_CORE_CYCLES])) {
        weigh(l->window, l->windows, (double)inst);
        return ww_sample_extrapolate(&l->extra, &l->all, NULL, inst, l->exact, slope, err);
    }
    const ww_sample_site *before = &l->site[1];
    const ww_sample_site *after = l->site[0].warp_inst > 0 ? &l->site[0] : before;
    double part = before == after ? 1 : ww_sample_part(before, after);
    ww_sample_window *behind = l->window + l->windows - l->site[0].windows;
    weigh(behind - before->windows, before->windows, part * (double)inst);
    weigh(behind, l->site[0].windows, (1 - part) * (double)inst);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        l->drift[c] += ww_sample_drift(before, after, inst, (ww_counter)c, slope[c]);
    }
    return ww_sample_extrapolate(&l->extra, before, after, inst, l->exact, slope, err);
}

ww_status ww_ledger_open(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    l->measuring = true;
    return ww_counter_set_copy(&l->before, &gpu->counters, err);
}

static ww_status close_window(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    const ww_sample_window *w;
    WW_TRY(ww_counter_set_sub(&l->before, &gpu->counters, &l->before, err));
    WW_TRY(ww_sample_window_add(&l->window, &l->windows, &l->before, &w, err));
    l->window[l->windows - 1].site = l->sites;
    l->measuring = false;
    ww_sample_site *const of[] = {&l->site[0], &l->all};
    for (size_t i = 0; i < WW_ARRAY_LEN(of); i++) {
        of[i]->warp_inst += w->v[WW_C_INST_ISSUED];
        of[i]->windows++;
        WW_TRY(ww_counter_set_add(&of[i]->sum, &l->before, err));
    }
    return WW_OK;
}

ww_status ww_ledger_close(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    if (l->measuring) {
        return close_window(l, gpu, err);
    }
    return WW_OK;
}

ww_status ww_ledger_skip(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    if (l->gap) {
        WW_TRY(close_gap(l, err));
    }
    l->sites++;
    memset(l->pc, 0, l->program->count * sizeof *l->pc);
    l->gap_stats = (ww_functional_stats){.pc = l->pc};
    l->gap = l->warming = true;
    WW_TRY(ww_counter_set_copy(&l->site[1].sum, &l->site[0].sum, err));
    l->site[1].warp_inst = l->site[0].warp_inst;
    l->site[1].windows = l->site[0].windows;
    ww_counter_set_clear(&l->site[0].sum);
    l->site[0].warp_inst = l->site[0].windows = 0;
    return ww_counter_set_copy(&l->before, &gpu->counters, err);
}

void ww_ledger_profile(const ww_ledger *l, ww_gpu *gpu)
{
    for (uint32_t i = 0; gpu->profiling && i < l->program->count; i++) {
        ww_profile_tally(l->program, i, l->pc, &gpu->grid->profile[i]);
    }
}

ww_status ww_ledger_warm(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    if (!l->warming) {
        return WW_OK;
    }
    WW_TRY(ww_counter_set_sub(&l->before, &gpu->counters, &l->before, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        l->exact[c] = ww_counter_total(&l->before, (ww_counter)c);
    }
    l->warm_up_inst = l->exact[WW_C_INST_ISSUED];
    l->warming = false;
    return ww_counter_set_add(&l->warm_up, &l->before, err);
}

ww_status ww_ledger_end_gap(ww_ledger *l, const ww_gpu *gpu, ww_error *err)
{
    WW_TRY(ww_ledger_warm(l, gpu, err));
    return close_gap(l, err);
}

bool ww_ledger_agrees(const ww_ledger *l, double share, double cycles, double error)
{
    static const double MARGIN = 0.8;
    double rate = ww_sample_ratio(l->window, l->windows, WW_C_CORE_CYCLES);
    double slope = ww_sample_slope(l->window, l->windows, WW_C_CORE_CYCLES);
    double random =
        ww_sample_ratio_error(l->window, l->windows, WW_C_CORE_CYCLES, slope, l->windows);
    double least = fmax(l->floor, ww_sample_disturbed(cycles)) * rate;
    return hypot(share * random, least) <= MARGIN * error * rate;
}

/* Sum of the squares of the windows' weights: all of them squared, for each window that it rests
 * on. */
static double leverage(const ww_ledger *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->windows; i++) {
        sum += l->window[i].weight * l->window[i].weight;
    }
    return sum;
}

/* Half-width of the 95 % interval of what was extrapolated: the scatter of the windows, and the
 * drift between sites, as variances; and in full what scatter does not tell. */
static double error_of(const ww_ledger *l, const ww_counter_set *counters, ww_counter counter)
{
    static const double NORMAL_95 = 1.96;
    double rate = ww_sample_ratio(l->window, l->windows, counter);
    double cycles = ww_sample_ratio(l->window, l->windows, WW_C_CORE_CYCLES);
    double slope = ww_sample_slope(l->window, l->windows, counter);
    double all = (double)l->extrapolated, rests_on = all * all / leverage(l);
    double random = ww_sample_ratio_error(l->window, l->windows, counter, slope, rests_on) * all;
    double late = counter <= WW_C_DRAM_CYCLES && cycles > 0 ? l->late_cycles * rate / cycles : 0;
    double launch = (double)ww_counter_total(counters, WW_C_CORE_CYCLES);
    double least =
        fmax(l->floor, ww_sample_disturbed(launch)) * (double)ww_counter_total(counters, counter);
    return hypot(hypot(random, least), NORMAL_95 * sqrt(l->drift[counter])) + rate * l->unlike +
           late;
}

ww_status ww_ledger_end(ww_ledger *l, ww_gpu *gpu, ww_error *err)
{
    WW_TRY(ww_ledger_close(l, gpu, err));
    WW_TRY(ww_ledger_warm(l, gpu, err));
    if (l->gap) {
        WW_TRY(close_gap(l, err));
    }
    if (l->extrapolated == 0) {
        return WW_OK;
    }
    WW_TRY(ww_counter_set_sub(&gpu->counters, &gpu->counters, &l->warm_up, err));
    WW_TRY(ww_counter_set_add(&gpu->counters, &l->extra, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        bool exact = ww_counter_describe((ww_counter)c)->from_code;
        double e = exact ? 0 : error_of(l, &gpu->counters, (ww_counter)c);
        l->error_of.v[c] = (uint64_t)(e + 0.5);
    }
    return WW_OK;
}
