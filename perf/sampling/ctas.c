/* ctas.c - CTA sampling of one launch. A wave is as many CTAs as the machine holds. Waves are
 * simulated until the caches are warm, then measured until their cycles per instruction agree; then
 * the dispatcher jumps: the CTAs in between are executed without time while the machine stays full,
 * and two waves later measuring goes on. Jumps are whole waves, so that the launch ends with the
 * ramp-down it would have had.
 * Cf. sampling by unit and error bound in Wunderlich et al., SMARTS, ISCA 2003; by CTA in Huang et
 * al., TBPoint, IPDPS 2014. */
#include "perf/sampling/sampling.h"

#include <math.h>

enum {
    FIRST_WINDOWS = 8, /* before the first jump: CTAs that started together take as long to fall out
                          of step */
    RECOVERY_WAVES = 2, /* after a jump: the CTAs from before leave, and L1s fill */
    SITE_WINDOWS = 2,   /* measured then, at least */
    SITE_WAVES = RECOVERY_WAVES + SITE_WINDOWS,
    LEAST_CYCLES = 4096, /* of a wave */
    FIRST_GAP = 3,       /* waves */
    GAPS = 6,            /* none is longer than that part of the launch */
};

ww_status ww_cta_sampler_begin(ww_cta_sampler *s, ww_gpu *gpu, ww_error *err)
{
    s->wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    s->ctas = gpu->grid->ctas;
    s->gap = FIRST_GAP;
    s->begun = false;
    s->skipped = 0;
    s->look = FIRST_WINDOWS;
    /* A mechanism may drop or repeat instructions, which then measure nothing. */
    bool on = s->error > 0 && gpu->mech_count == 0 && s->ctas >= WW_MANY_WAVES * s->wave;
    gpu->cta_stop = on ? 2 * s->wave : UINT64_MAX; /* the first wave has run */
    return on ? ww_ledger_begin(s->ledger, gpu, ww_sample_disturbed(HUGE_VAL), err) : WW_OK;
}

/* Waves that take no longer than memory takes to answer a few times tell little: so many of them
 * count as one that it does. False when too few of those are left. */
static bool lengthen(ww_cta_sampler *s, const ww_gpu *gpu, uint64_t now)
{
    uint64_t first = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    uint64_t cycles = now > first ? now - first : 1; /* that one wave has taken */
    if (cycles < LEAST_CYCLES) {
        s->wave *= (LEAST_CYCLES + cycles - 1) / cycles;
    }
    s->begun = true;
    return s->ctas >= WW_MANY_WAVES * s->wave;
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

/* Whether the windows agree so well that all that is left may count at their rate. Judged at few
 * points, each with half as many windows again: who looks after each window will find one at which
 * they happen to agree. */
static bool agree(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (l->windows < s->look || l->site[0].windows < SITE_WINDOWS) {
        return false;
    }
    double share = (double)(s->skipped + left * s->wave) / (double)s->ctas;
    if (!ww_ledger_agrees(l, share, s->error)) {
        s->look = l->windows + (l->windows + 1) / 2;
        s->gap = FIRST_GAP;
        return false;
    }
    return true;
}

/* Waves to skip now; 0: simulating goes on. What remains holds a whole site. Gaps get longer while
 * what is behind them agrees with what was before, up to a part of the launch. */
static uint64_t waves_to_skip(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (left < SITE_WAVES + FIRST_GAP || !agree(s, l, left)) {
        return 0;
    }
    uint64_t most = left - SITE_WAVES, part = s->ctas / s->wave / GAPS;
    uint64_t gap = s->gap;
    s->gap = 2 * gap < part ? 2 * gap : part > FIRST_GAP ? part : FIRST_GAP;
    return most < gap + SITE_WAVES + gap / 4 ? most : gap;
}

/* A CTA that executes many times what others do may still run when they have all ended. Its pace is
 * theirs, give or take a factor of two. */
static void expect_late(const ww_cta_sampler *s, ww_ledger *l, const ww_functional_stats *gap,
                        uint64_t left)
{
    double mean = (double)(gap->warp_inst - gap->longest) / (double)(gap->ctas - 1);
    double waves = (double)gap->longest / mean - (double)(left / s->wave);
    double cycles = ww_sample_ratio(l->window, l->windows, WW_C_CORE_CYCLES);
    l->late_cycles = fmax(l->late_cycles, 2 * waves * mean * (double)s->wave * cycles);
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
    gpu->cta_stop = grid->next_cta + RECOVERY_WAVES * s->wave;
    return WW_OK;
}

ww_status ww_cta_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_ledger *l = s->ledger;
    ww_gpu_account(gpu, now);
    WW_TRY(ww_ledger_close(l, gpu, err));
    WW_TRY(ww_ledger_warm(l, gpu, err));
    bool worth = s->begun || lengthen(s, gpu, now);
    uint64_t left = (s->ctas - gpu->grid->next_cta) / s->wave;
    if (!worth || left == 0) {
        gpu->cta_stop = UINT64_MAX;
        return WW_OK;
    }
    if (l->windows == 0 && !is_warm(s, gpu)) {
        gpu->cta_stop += s->wave;
        return WW_OK;
    }
    uint64_t waves = waves_to_skip(s, l, left);
    if (waves > 0) {
        return skip(s, gpu, waves * s->wave, now, err);
    }
    gpu->cta_stop += s->wave;
    return ww_ledger_open(l, gpu, err);
}
