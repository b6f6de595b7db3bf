/* ctas.c - CTA sampling of one launch. A wave is as many CTAs as the machine holds. Waves are
 * simulated until the caches are warm; then windows of cycles are measured until their cycles per
 * instruction agree; then the dispatcher jumps: the CTAs in between are executed without time while
 * the machine stays full, and when it has recovered measuring goes on. Jumps are whole waves, so
 * that the launch ends with the ramp-down it would have had.
 * Cf. sampling by unit and error bound in Wunderlich et al., SMARTS, ISCA 2003; by CTA in Huang et
 * al., TBPoint, IPDPS 2014. */
#include "perf/sampling/sampling.h"

#include <math.h>

#include "base/arith.h"

enum {
    WINDOW = 4096,     /* core cycles of a window: a few times what memory takes to answer */
    PARTS = 8,         /* or so much of a wave, where that is longer */
    SHORT_WAVE = 8192, /* cycles: the first ones take longer than those to come */
    FIRST_WINDOWS = 6, /* before the first jump, and a wave of them at least: CTAs that started
                          together take as long to fall out of step */
    SITE = 2,          /* windows after a jump, at least */
    RECOVERY = 1,      /* windows after a jump, in which L1s fill, and half a wave at least: CTAs
                          from before leave */
    LEAST_GAP = 3,     /* waves */
    FIRST_GAP = 4,     /* the first gap is a quarter of the launch, */
    LONGEST_GAP = 3,   /* and none longer than three eighths, so that sites are spread over it */
    OF_LONGEST_GAP = 8,
};

/* Cycles in which the machine recovers from a jump. */
static uint64_t recovery(const ww_cta_sampler *s)
{
    return ww_max_u64(RECOVERY * s->window, s->wave_cycles / 2);
}

/* CTAs to keep for behind a jump: those that begin while the machine recovers and a site is
 * measured, more, if they begin at once; and as many as take until the longest CTA of a gap ends.
 */
static uint64_t site(const ww_cta_sampler *s)
{
    uint64_t cycles = recovery(s) + SITE * s->window;
    uint64_t ctas = s->wave * (cycles + cycles / 4) / s->wave_cycles + 1;
    return ww_max_u64(ctas, (uint64_t)ceil(s->longest) * s->wave);
}

static uint64_t first_gap(const ww_cta_sampler *s)
{
    return ww_max_u64(s->ctas / FIRST_GAP, LEAST_GAP * s->wave);
}

ww_status ww_cta_sampler_begin(ww_cta_sampler *s, ww_gpu *gpu, ww_error *err)
{
    s->wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    s->ctas = gpu->grid->ctas;
    s->wave_cycles = 0;
    s->since = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    s->next = UINT64_MAX;
    s->skipped = 0;
    s->longest = 1;
    s->gap = first_gap(s);
    /* A mechanism may drop or repeat instructions, which then measure nothing. */
    bool on = s->error > 0 && gpu->mech_count == 0 && s->ctas >= WW_MANY_WAVES * s->wave;
    gpu->cta_stop = on ? 2 * s->wave : UINT64_MAX; /* the first wave has run */
    return on ? ww_ledger_begin(s->ledger, gpu, ww_sample_disturbed(HUGE_VAL), err) : WW_OK;
}

void ww_cta_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now)
{
    bool first = s->wave_cycles == 0;
    s->wave_cycles = ww_max_u64(now - s->since, 1);
    s->since = now;
    if (first && s->wave_cycles < SHORT_WAVE) {
        gpu->cta_stop += s->wave;
        return;
    }
    gpu->cta_stop = UINT64_MAX;
    s->window = ww_max_u64(WINDOW, s->wave_cycles / PARTS);
    s->look = (uint32_t)ww_max_u64(FIRST_WINDOWS, (s->wave_cycles + s->window - 1) / s->window);
    s->next = now;
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

/* A CTA that executes many times what others do may still run when they have all ended. Its pace is
 * theirs, give or take a factor of two. */
static void expect_late(ww_cta_sampler *s, ww_ledger *l, const ww_functional_stats *gap,
                        uint64_t left)
{
    double mean = (double)(gap->warp_inst - gap->longest) / (double)(gap->ctas - 1);
    double longest = (double)gap->longest / mean, waves = longest - (double)(left / s->wave);
    s->longest = fmax(s->longest, longest);
    double cycles = ww_sample_ratio(l->window, l->windows, WW_C_CORE_CYCLES);
    l->late_cycles = fmax(l->late_cycles, 2 * waves * mean * (double)s->wave * cycles);
}

/* Whether the windows agree so well that all that is left may count at their rate. Judged at few
 * points, each with half as many windows again: who looks after each window will find one at which
 * they happen to agree. */
static bool agree(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (l->windows < s->look || l->site[0].windows < SITE) {
        return false;
    }
    double share = (double)(s->skipped + left) / (double)s->ctas;
    double cycles = (double)s->wave_cycles / (double)s->wave * (double)s->ctas;
    if (!ww_ledger_agrees(l, share, cycles, s->error)) {
        s->look = l->windows + (l->windows + 1) / 2;
        s->gap = first_gap(s);
        return false;
    }
    return true;
}

/* CTAs to skip now, whole waves of them; 0: simulating goes on. What remains holds a whole site.
 * Gaps get longer while what is behind them agrees with what was before, up to a part of the
 * launch. */
static uint64_t ctas_to_skip(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (left < site(s) + LEAST_GAP * s->wave || !agree(s, l, left)) {
        return 0;
    }
    uint64_t most = left - site(s), gap = s->gap;
    uint64_t longest = s->ctas / OF_LONGEST_GAP * LONGEST_GAP;
    s->gap = ww_min_u64(2 * gap, ww_max_u64(longest, LEAST_GAP * s->wave));
    return (most < gap + site(s) + gap / 4 ? most : gap) / s->wave * s->wave;
}

static ww_status skip(ww_cta_sampler *s, ww_gpu *gpu, uint64_t ctas, uint64_t now, ww_error *err)
{
    ww_ledger *l = s->ledger;
    ww_grid *grid = gpu->grid;
    WW_TRY(ww_ledger_skip(l, gpu, err));
    WW_TRY(ww_sampling_execute(gpu, grid->launch, grid->next_cta, grid->next_cta + ctas, now,
                               l->window, l->windows, &l->gap_stats, err));
    ww_ledger_profile(l, gpu);
    grid->next_cta += ctas;
    s->skipped += ctas;
    expect_late(s, l, &l->gap_stats, s->ctas - grid->next_cta);
    s->next = now + recovery(s);
    return WW_OK;
}

/* Where a window has ended, or the machine has had time to get warm or to recover. */
static ww_status go_on(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_ledger *l = s->ledger;
    ww_gpu_account(gpu, now);
    WW_TRY(ww_ledger_close(l, gpu, err));
    WW_TRY(ww_ledger_warm(l, gpu, err));
    if (l->windows == 0 && !is_warm(s, gpu)) {
        s->next = now + s->window;
        return WW_OK;
    }
    uint64_t ctas = ctas_to_skip(s, l, s->ctas - gpu->grid->next_cta);
    if (ctas > 0) {
        return skip(s, gpu, ctas, now, err);
    }
    s->next = now + s->window;
    return ww_ledger_open(l, gpu, err);
}

ww_status ww_cta_sampler_step(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    if (s->next == UINT64_MAX) {
        return WW_OK;
    }
    if (gpu->grid->next_cta == s->ctas) { /* the machine is full no more */
        s->ledger->measuring = false;
        s->next = UINT64_MAX;
        return WW_OK;
    }
    return now >= s->next ? go_on(s, gpu, now, err) : WW_OK;
}
