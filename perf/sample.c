/* sample.c - CTA sampling of one launch. A wave is as many CTAs as the machine holds. Waves are
 * simulated until the caches are warm, then measured until their cycles per instruction agree; then
 * the dispatcher jumps: the CTAs in between are executed without time while the machine stays full,
 * and two waves later measuring goes on. Jumps are whole waves, so that the launch ends with the
 * ramp-down it would have had.
 * Cf. sampling by unit and error bound in Wunderlich et al., SMARTS, ISCA 2003; by CTA in Huang et
 * al., TBPoint, IPDPS 2014. */
#include "perf/sample.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "perf/gpu.h"

enum {
    FEWEST_WAVES = 8,  /* below, nothing worth it could be skipped */
    FIRST_WINDOWS = 2, /* before the first jump */
    SITE_WAVES = 3,    /* after a jump: those before it leave, the caches fill, the measured one */
    WAVES_PER_SITE = 12, /* a site costs at most a quarter of what it stands for */
    MOST_SITES = 8,
};

static ww_status init_set(ww_counter_set *set, const ww_gpu *gpu, ww_error *err)
{
    const uint32_t *n = gpu->counters.count;
    if (set->block[WW_SCOPE_CHIP] != NULL) {
        ww_counter_set_clear(set);
        return WW_OK;
    }
    return ww_counter_set_init(set, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE], n[WW_SCOPE_CHANNEL], err);
}

static ww_status init_storage(ww_cta_sampler *s, const ww_gpu *gpu, ww_error *err)
{
    ww_counter_set *const sets[] = {&s->before, &s->site[0].sum, &s->site[1].sum, &s->extra,
                                    &s->warm_up};
    for (size_t i = 0; i < WW_ARRAY_LEN(sets); i++) {
        WW_TRY(init_set(sets[i], gpu, err));
    }
    ww_free(s->pc);
    s->pc = WW_NEW_ARRAY(ww_pc_count, s->program->count);
    return s->pc != NULL ? WW_OK : ww_fail(err, WW_ENOMEM, "Out of memory for sampling.");
}

ww_status ww_sampler_begin(ww_cta_sampler *s, const ww_gpu *gpu, const ww_launch *launch,
                           const ww_program *program, ww_error *err)
{
    s->launch = launch;
    s->program = program;
    s->wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    s->ctas = gpu->grid->ctas;
    s->gap = 0;
    s->measuring = false;
    s->windows = 0;
    s->warming = false;
    s->extrapolated = 0;
    s->site[0].warp_inst = s->site[1].warp_inst = 0;
    memset(s->drift, 0, sizeof s->drift);
    memset(&s->error_of, 0, sizeof s->error_of);
    /* A mechanism may drop or repeat instructions, which then measure nothing. */
    if (s->error <= 0 || gpu->mech_count > 0 || s->ctas < FEWEST_WAVES * s->wave) {
        s->next = UINT64_MAX;
        return WW_OK;
    }
    s->next = 2 * s->wave; /* the first wave has run */
    return init_storage(s, gpu, err);
}

void ww_sampler_fini(ww_cta_sampler *s)
{
    ww_counter_set_fini(&s->before);
    ww_counter_set_fini(&s->site[0].sum);
    ww_counter_set_fini(&s->site[1].sum);
    ww_counter_set_fini(&s->extra);
    ww_counter_set_fini(&s->warm_up);
    ww_free(s->window);
    ww_free(s->pc);
    *s = (ww_cta_sampler){.next = UINT64_MAX};
}

/* ---- measuring ---- */

static ww_status open_window(ww_cta_sampler *s, const ww_gpu *gpu, ww_error *err)
{
    s->measuring = true;
    s->next += s->wave;
    return ww_counter_set_copy(&s->before, &gpu->counters, err);
}

static ww_status close_window(ww_cta_sampler *s, const ww_gpu *gpu, ww_error *err)
{
    const ww_sample_window *w;
    WW_TRY(ww_counter_set_sub(&s->before, &gpu->counters, &s->before, err));
    WW_TRY(ww_sample_window_add(&s->window, &s->windows, &s->before, &w, err));
    s->measuring = false;
    s->site[0].warp_inst += w->v[WW_C_INST_ISSUED];
    return ww_counter_set_add(&s->site[0].sum, &s->before, err);
}

/* ---- skipping ---- */

/* The waves after a jump are over. */
static ww_status end_warm_up(ww_cta_sampler *s, const ww_gpu *gpu, ww_error *err)
{
    WW_TRY(ww_counter_set_sub(&s->before, &gpu->counters, &s->before, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        s->exact[c] = ww_counter_total(&s->before, (ww_counter)c);
    }
    s->warm_up_inst = s->exact[WW_C_INST_ISSUED];
    s->warming = false;
    return ww_counter_set_add(&s->warm_up, &s->before, err);
}

/* What lay between two sites ran at their mean rate. */
static ww_status close_gap(ww_cta_sampler *s, ww_error *err)
{
    uint64_t inst = s->gap_stats.warp_inst + s->warm_up_inst;
    ww_program_tally(s->program, &s->gap_stats, s->exact);
    const ww_sample_site *after = &s->site[s->site[0].warp_inst > 0 ? 0 : 1];
    WW_TRY(ww_sample_extrapolate(&s->extra, &s->site[1], after, inst, s->exact, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        s->drift[c] += ww_sample_drift(&s->site[1], after, inst, (ww_counter)c);
    }
    s->extrapolated += inst;
    s->gap_stats = (ww_functional_stats){0};
    return WW_OK;
}

/* Whether the L2 holds what this launch puts there: either all of it has been replaced, after which
 * evictions and write-backs go on as they will, or it never will be. */
static bool is_warm(const ww_cta_sampler *s, const ww_gpu *gpu)
{
    const ww_cache_params *l2 = &gpu->arch->l2;
    double room = (double)l2->bytes * ww_arch_slices(gpu->arch);
    double taken =
        (double)l2->sector_bytes * (double)(ww_counter_total(&gpu->counters, WW_C_L2_FILL) +
                                            ww_counter_total(&gpu->counters, WW_C_L2_WRITE_MISS));
    return taken >= room || taken * (double)s->ctas < room * (double)gpu->grid->next_cta;
}

static bool agree(const ww_cta_sampler *s)
{
    return s->windows >= FIRST_WINDOWS && s->site[0].warp_inst > 0 &&
           ww_sample_ratio_error(s->window, s->windows, WW_C_CORE_CYCLES) <=
               s->error * ww_sample_ratio(s->window, s->windows, WW_C_CORE_CYCLES);
}

/* Waves to skip now; 0: simulating goes on. What remains holds a whole site. */
static uint64_t waves_to_skip(ww_cta_sampler *s, uint64_t left)
{
    if (left <= SITE_WAVES || !agree(s)) {
        return 0;
    }
    if (s->gap == 0) {
        uint64_t sites = left / WAVES_PER_SITE;
        sites = sites < 1 ? 1 : sites > MOST_SITES ? MOST_SITES : sites;
        s->gap = (left + sites - 1) / sites - SITE_WAVES;
    }
    uint64_t most = left - SITE_WAVES;
    return most < s->gap + SITE_WAVES + s->gap / 2 ? most : s->gap;
}

/* Instructions that are executed without time; where their slots went is estimated in the end. */
static void profile_gap(ww_gpu *gpu, const ww_pc_count *pc, uint32_t count)
{
    for (uint32_t i = 0; gpu->profiling && i < count; i++) {
        gpu->grid->profile[i].v[WW_LINE_WARP_INST] += pc[i].issued;
        gpu->grid->profile[i].v[WW_LINE_THREAD_INST] += pc[i].lanes;
    }
}

static ww_status skip(ww_cta_sampler *s, ww_gpu *gpu, uint64_t ctas, uint64_t now, ww_error *err)
{
    memset(s->pc, 0, s->program->count * sizeof *s->pc);
    s->gap_stats = (ww_functional_stats){.pc = s->pc};
    WW_TRY(ww_exec_ctas(s->launch, gpu->grid->next_cta, gpu->grid->next_cta + ctas, now,
                        &s->gap_stats, err));
    profile_gap(gpu, s->pc, s->program->count);
    gpu->grid->next_cta += ctas;
    WW_TRY(ww_counter_set_copy(&s->site[1].sum, &s->site[0].sum, err));
    s->site[1].warp_inst = s->site[0].warp_inst;
    ww_counter_set_clear(&s->site[0].sum);
    s->site[0].warp_inst = 0;
    s->next = gpu->grid->next_cta + (SITE_WAVES - 1) * s->wave;
    s->warming = true;
    return ww_counter_set_copy(&s->before, &gpu->counters, err);
}

ww_status ww_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_gpu_account(gpu, now);
    if (s->measuring) {
        WW_TRY(close_window(s, gpu, err));
        if (s->gap_stats.warp_inst > 0) {
            WW_TRY(close_gap(s, err));
        }
    }
    if (s->warming) {
        WW_TRY(end_warm_up(s, gpu, err));
    }
    uint64_t left = (s->ctas - gpu->grid->next_cta) / s->wave;
    if (left == 0) {
        s->next = UINT64_MAX;
        return WW_OK;
    }
    if (s->windows == 0 && !is_warm(s, gpu)) {
        s->next += s->wave;
        return WW_OK;
    }
    uint64_t waves = waves_to_skip(s, left);
    return waves > 0 ? skip(s, gpu, waves * s->wave, now, err) : open_window(s, gpu, err);
}

/* A launch may end before the dispatcher comes back. */
static ww_status close_all(ww_cta_sampler *s, const ww_gpu *gpu, ww_error *err)
{
    if (s->measuring) {
        WW_TRY(close_window(s, gpu, err));
    }
    if (s->warming) {
        WW_TRY(end_warm_up(s, gpu, err));
    }
    return s->gap_stats.warp_inst > 0 ? close_gap(s, err) : WW_OK;
}

ww_status ww_sampler_end(ww_cta_sampler *s, ww_gpu *gpu, ww_error *err)
{
    WW_TRY(close_all(s, gpu, err));
    if (s->extrapolated == 0) {
        return WW_OK;
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (!ww_program_tallies((ww_counter)c)) {
            double e = ww_sample_ratio_error(s->window, s->windows, (ww_counter)c) *
                       (double)s->extrapolated;
            s->error_of.v[c] = (uint64_t)(sqrt(e * e + s->drift[c]) + 0.5);
        }
    }
    WW_TRY(ww_counter_set_sub(&gpu->counters, &gpu->counters, &s->warm_up, err));
    return ww_counter_set_add(&gpu->counters, &s->extra, err);
}
