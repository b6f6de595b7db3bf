/* ctas.c - CTA sampling of one launch. A wave is as many CTAs as the machine holds. Waves are
 * simulated until the caches are warm, then measured until their cycles per instruction agree; then
 * the dispatcher jumps: the CTAs in between are executed without time while the machine stays full,
 * and two waves later measuring goes on. Jumps are whole waves, so that the launch ends with the
 * ramp-down it would have had.
 * Cf. sampling by unit and error bound in Wunderlich et al., SMARTS, ISCA 2003; by CTA in Huang et
 * al., TBPoint, IPDPS 2014. */
#include "perf/sampling/sampling.h"

#include <math.h>

#include "base/arith.h"

enum {
    MOST_PARTS = 8,      /* of a wave, each a window */
    FIRST_WINDOWS = 8,   /* before the first jump, and a wave of them at least: CTAs that started
                            together take as long to fall out of step */
    SHORT_RECOVERY = 2,  /* waves after a jump, when they are windows: the CTAs from before leave,
                            and L1s fill; longer ones have recovered after one */
    SHORT_SITE = 2,      /* windows measured then, at least */
    LONG_SITE = 4,       /* when they are parts of waves */
    LEAST_CYCLES = 4096, /* of a window that is a wave, or part of one */
    ENOUGH_CYCLES = 2 * LEAST_CYCLES, /* of one that is several: the first waves take longer */
    LEAST_GAP = 3,                    /* waves */
    FIRST_GAP = 6,                    /* and no more than */
    FIRST_PART = 8,                   /* an eighth of the launch */
    GAPS = 3,                         /* no gap is longer than that part of them */
};

/* Waves that recovering and measuring take behind a jump, at least. */
static uint64_t site_waves(const ww_cta_sampler *s)
{
    return s->parts > 1 ? 2 : SHORT_RECOVERY + SHORT_SITE;
}

static uint64_t first_gap(const ww_cta_sampler *s)
{
    uint64_t part = s->ctas / s->wave / FIRST_PART;
    return ww_max_u64(ww_min_u64(part, FIRST_GAP), LEAST_GAP);
}

ww_status ww_cta_sampler_begin(ww_cta_sampler *s, ww_gpu *gpu, ww_error *err)
{
    s->wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    s->ctas = gpu->grid->ctas;
    s->begun = false;
    s->parts = 1;
    s->skipped = 0;
    s->look = FIRST_WINDOWS;
    /* A mechanism may drop or repeat instructions, which then measure nothing. */
    bool on = s->error > 0 && gpu->mech_count == 0 && s->ctas >= WW_MANY_WAVES * s->wave;
    gpu->cta_stop = on ? 2 * s->wave : UINT64_MAX; /* the first wave has run */
    return on ? ww_ledger_begin(s->ledger, gpu, ww_sample_disturbed(HUGE_VAL), err) : WW_OK;
}

/* Windows that take no longer than memory takes to answer a few times tell little: so many waves
 * count as one that it does; a longer one is several windows. False when too few waves are left. */
static bool divide(ww_cta_sampler *s, const ww_gpu *gpu, uint64_t now)
{
    uint64_t first = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    uint64_t cycles = now > first ? now - first : 1; /* that one wave has taken */
    if (cycles < LEAST_CYCLES) {
        s->wave *= (ENOUGH_CYCLES + cycles - 1) / cycles;
    }
    while (s->parts < MOST_PARTS && cycles >= 2 * s->parts * (uint64_t)LEAST_CYCLES &&
           s->wave % (2 * s->parts) == 0) {
        s->parts *= 2;
    }
    s->begun = true;
    s->gap = first_gap(s);
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

/* What the launch will take, about. */
static double cycles_of(const ww_cta_sampler *s, const ww_ledger *l)
{
    double cycles = (double)ww_counter_total(&l->all.sum, WW_C_CORE_CYCLES);
    return cycles / l->windows * s->parts / (double)s->wave * (double)s->ctas;
}

/* Whether the windows agree so well that all that is left may count at their rate. Judged at few
 * points, each with half as many windows again: who looks after each window will find one at which
 * they happen to agree. */
static bool agree(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (l->windows < s->look || l->site[0].windows < (s->parts > 1 ? LONG_SITE : SHORT_SITE)) {
        return false;
    }
    double share = (double)(s->skipped + left * s->wave) / (double)s->ctas;
    if (!ww_ledger_agrees(l, share, cycles_of(s, l), s->error)) {
        s->look = l->windows + (l->windows + 1) / 2;
        s->gap = first_gap(s);
        return false;
    }
    return true;
}

/* Waves to skip now; 0: simulating goes on. What remains holds a whole site. Gaps get longer while
 * what is behind them agrees with what was before, up to a part of the launch. */
static uint64_t waves_to_skip(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    const uint64_t site = site_waves(s);
    if (left < site + LEAST_GAP || !agree(s, l, left)) {
        return 0;
    }
    uint64_t most = left - site, part = s->ctas / s->wave / GAPS;
    uint64_t gap = s->gap;
    s->gap = ww_min_u64(2 * gap, ww_max_u64(part, LEAST_GAP));
    return most < gap + site + gap / 4 ? most : gap;
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
    gpu->cta_stop = grid->next_cta + (s->parts > 1 ? 1 : SHORT_RECOVERY) * s->wave;
    return WW_OK;
}

ww_status ww_cta_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_ledger *l = s->ledger;
    ww_gpu_account(gpu, now);
    WW_TRY(ww_ledger_close(l, gpu, err));
    WW_TRY(ww_ledger_warm(l, gpu, err));
    bool worth = s->begun || divide(s, gpu, now);
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
    gpu->cta_stop += s->wave / s->parts;
    return ww_ledger_open(l, gpu, err);
}
