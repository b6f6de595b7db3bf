/* sample.c - CTA sampling of one launch. A wave is as many CTAs as the machine holds. Waves are
 * simulated until the caches are warm, then measured until their cycles per instruction agree; then
 * the dispatcher jumps: the CTAs in between are executed without time while the machine stays full,
 * and two waves later measuring goes on. Jumps are whole waves, so that the launch ends with the
 * ramp-down it would have had.
 * Cf. sampling by unit and error bound in Wunderlich et al., SMARTS, ISCA 2003; by CTA in Huang et
 * al., TBPoint, IPDPS 2014. */
#include "perf/sample.h"

#include "perf/gpu.h"

enum {
    FIRST_WINDOWS = 2, /* before the first jump */
    SITE_WAVES = 3,    /* after a jump: those before it leave, the caches fill, the measured one */
    WAVES_PER_SITE = 12, /* a site costs at most a quarter of what it stands for */
    MOST_SITES = 8,
};

ww_status ww_sampler_begin(ww_cta_sampler *s, ww_gpu *gpu, const ww_launch *launch,
                           const ww_program *program, ww_error *err)
{
    s->launch = launch;
    s->wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    s->ctas = gpu->grid->ctas;
    s->gap = 0;
    /* A mechanism may drop or repeat instructions, which then measure nothing. */
    bool on = s->error > 0 && gpu->mech_count == 0 && s->ctas >= WW_MANY_WAVES * s->wave;
    s->next = on ? 2 * s->wave : UINT64_MAX; /* the first wave has run */
    return on ? ww_ledger_begin(&gpu->ledger, gpu, program, true, err) : WW_OK;
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

static bool agree(const ww_cta_sampler *s, const ww_ledger *l)
{
    return l->windows >= FIRST_WINDOWS && l->site[0].warp_inst > 0 &&
           ww_sample_ratio_error(l->window, l->windows, WW_C_CORE_CYCLES) <=
               s->error * ww_sample_ratio(l->window, l->windows, WW_C_CORE_CYCLES);
}

/* Waves to skip now; 0: simulating goes on. What remains holds a whole site. */
static uint64_t waves_to_skip(ww_cta_sampler *s, const ww_ledger *l, uint64_t left)
{
    if (left <= SITE_WAVES || !agree(s, l)) {
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

static ww_status skip(ww_cta_sampler *s, ww_gpu *gpu, uint64_t ctas, uint64_t now, ww_error *err)
{
    ww_ledger *l = &gpu->ledger;
    ww_grid *grid = gpu->grid;
    WW_TRY(ww_ledger_skip(l, gpu, err));
    WW_TRY(ww_exec_ctas(s->launch, grid->next_cta, grid->next_cta + ctas, now, &l->gap_stats, err));
    ww_ledger_profile(l, gpu);
    grid->next_cta += ctas;
    s->next = grid->next_cta + (SITE_WAVES - 1) * s->wave;
    return WW_OK;
}

ww_status ww_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_ledger *l = &gpu->ledger;
    ww_gpu_account(gpu, now);
    WW_TRY(ww_ledger_close(l, gpu, err));
    WW_TRY(ww_ledger_warm(l, gpu, err));
    uint64_t left = (s->ctas - gpu->grid->next_cta) / s->wave;
    if (left == 0) {
        s->next = UINT64_MAX;
        return WW_OK;
    }
    if (l->windows == 0 && !is_warm(s, gpu)) {
        s->next += s->wave;
        return WW_OK;
    }
    uint64_t waves = waves_to_skip(s, l, left);
    if (waves > 0) {
        return skip(s, gpu, waves * s->wave, now, err);
    }
    s->next += s->wave;
    return ww_ledger_open(l, gpu, err);
}
