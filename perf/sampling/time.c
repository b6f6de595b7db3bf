/* time.c - sampling in time, for long launches of few waves of CTAs: windows of cycles are
 * measured; between them the machine comes to rest, and all resident warps go ahead without time,
 * CTA after CTA, by as many instructions as the SMs would have issued in a multiple of the window.
 * Then it is simulated again, first until pipelines and caches have recovered, then measured. Cf.
 * systematic sampling in Wunderlich et al., SMARTS, ISCA 2003. */
#include <math.h>

#include "base/arith.h"
#include "perf/sampling/sampling.h"

enum {
    WINDOW = 4096, /* core cycles */
    RAMP = 8192,
    LONGEST_RAMP = 1 << 17,
    RECOVERY = 2048,
    MOST_RECOVERIES = 4,
    FIRST_WINDOWS = 8,  /* before warps first go ahead */
    LEAST_STRETCH = 16, /* windows */
    MOST_STRETCH = 64,
    TURNS = 128,     /* in which a stretch is divided among the SMs, and CTAs are dispatched */
    COLD_TURNS = 96, /* of which nobody keeps the L2; what it lacks then, it recovers in time */
};

/* No launch is taken to be known better: warps that went ahead without time stand otherwise to each
 * other than they would, for longer than any window shows. Measured, docs/sampling.md. */
#define FLOOR 0.1

ww_status ww_time_sampler_begin(ww_time_sampler *a, ww_gpu *gpu, ww_error *err)
{
    a->phase = WW_TIME_OFF;
    uint64_t wave = (uint64_t)gpu->arch->sm.count * gpu->grid->cta_limit;
    if (a->error <= 0 || gpu->mech_count > 0 || gpu->grid->ctas >= WW_MANY_WAVES * wave) {
        return WW_OK;
    }
    a->phase = WW_TIME_RAMP;
    a->until = gpu->start + gpu->arch->sm.kernel_launch_cycles + RAMP;
    a->fills = 0;
    a->stretch = LEAST_STRETCH;
    a->look = FIRST_WINDOWS;
    const uint32_t *n = gpu->counters.count;
    if (a->saved.block[WW_SCOPE_CHIP] == NULL) {
        WW_TRY(ww_counter_set_init(&a->saved, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE],
                                   n[WW_SCOPE_CHANNEL], err));
    }
    return ww_ledger_begin(a->ledger, gpu, FLOOR, err);
}

void ww_time_sampler_fini(ww_time_sampler *a)
{
    ww_counter_set_fini(&a->saved);
    *a = (ww_time_sampler){0};
}

/* Sectors that have come into the L2. */
static uint64_t l2_fills(const ww_gpu *gpu)
{
    return ww_counter_total(&gpu->counters, WW_C_L2_FILL) +
           ww_counter_total(&gpu->counters, WW_C_L2_WRITE_MISS);
}

static uint64_t l2_sectors(const ww_gpu *gpu)
{
    return (uint64_t)gpu->arch->l2.bytes / gpu->arch->l2.sector_bytes * ww_arch_slices(gpu->arch);
}

/* Whether the L2 holds what it will hold: it has been filled once, after which evictions and
 * write-backs go on as they will, or never will be. */
static bool is_warm(const ww_time_sampler *a, const ww_gpu *gpu)
{
    uint64_t fills = l2_fills(gpu) - a->fills;
    return fills >= l2_sectors(gpu) || fills < l2_sectors(gpu) / 64;
}

/* Whether the L2 holds again what the launch uses now: it is filled no faster than in the window
 * before warps went ahead. */
static bool has_recovered(const ww_time_sampler *a, const ww_gpu *gpu)
{
    const ww_counter_set *window = &a->ledger->site[1].sum;
    uint64_t then =
        ww_counter_total(window, WW_C_L2_FILL) + ww_counter_total(window, WW_C_L2_WRITE_MISS);
    uint64_t cycles = ww_counter_total(window, WW_C_CORE_CYCLES);
    uint64_t expected = cycles > 0 ? then * RECOVERY / cycles : 0;
    return l2_fills(gpu) - a->fills <= expected + expected / 4 + l2_sectors(gpu) / 256;
}

/* ---- going ahead ---- */

static uint64_t residents(const ww_gpu *gpu)
{
    uint64_t ctas = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ctas += gpu->pulse[i]->ctas;
    }
    return ctas;
}

static bool at_rest(const ww_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->work[i].orders > 0 || !ww_sm_at_rest(gpu->sm[i])) {
            return false;
        }
    }
    return true;
}

/* CTAs take the places that others have left, in the dispatcher's order. */
static ww_status refill(const ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    uint32_t full = 0, sms = gpu->arch->sm.count;
    while (gpu->grid->next_cta < gpu->grid->ctas && full < sms) {
        uint32_t i = gpu->next_sm;
        gpu->next_sm = i + 1 < sms ? i + 1 : 0;
        if (gpu->pulse[i]->ctas >= gpu->grid->cta_limit) {
            full++;
            continue;
        }
        full = 0;
        WW_TRY(ww_sm_launch_cta(gpu->sm[i], (uint32_t)gpu->grid->next_cta++, now - 1, err));
        a->ledger->gap_stats.ctas++;
        a->ledger->gap_stats.warps += ww_sm_newest_warps(gpu->sm[i]);
    }
    return WW_OK;
}

/* Instructions of SM i in one turn: in proportion to those of the windows before. */
static uint64_t share_of(const ww_time_sampler *a, uint32_t i)
{
    const ww_sample_site *site = &a->ledger->site[1];
    uint64_t issued = site->sum.block[WW_SCOPE_SM][i].v[WW_C_INST_ISSUED];
    return a->stretch * issued / site->windows / TURNS + 1;
}

static bool is_less_full(const ww_gpu *gpu, uint64_t before)
{
    return 10 * residents(gpu) < 9 * before;
}

/* Until the stretch is over, or the machine is not as full as it was. */
static ww_status run_turns(const ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    uint64_t before = residents(gpu);
    const ww_observer warming = ww_sampling_warming(gpu);
    for (uint32_t turn = 0; turn < TURNS && !is_less_full(gpu, before); turn++) {
        for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
            WW_TRY(ww_sm_fast_forward(gpu->sm[i], share_of(a, i), now,
                                      turn < COLD_TURNS ? NULL : &warming, &a->ledger->gap_stats,
                                      err));
        }
        WW_TRY(refill(a, gpu, now, err));
    }
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_come_home(gpu->sm[i], now, &warming, &a->ledger->gap_stats, err));
    }
    return refill(a, gpu, now, err);
}

/* When the machine is no longer as full as it was, the launch comes to its end, which is simulated:
 * it tells nothing of what was skipped, which therefore counts at the rate before it alone. */
static ww_status go_ahead(ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_gpu_account(gpu, now);
    WW_TRY(ww_counter_set_copy(&a->saved, &gpu->counters, err));
    uint64_t before = residents(gpu);
    ww_status st = run_turns(a, gpu, now, err);
    WW_TRY(ww_counter_set_copy(&gpu->counters, &a->saved, st == WW_OK ? err : NULL));
    WW_TRY(st);
    ww_ledger_profile(a->ledger, gpu);
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_rest(gpu->sm[i], false, now);
    }
    a->stretch = a->stretch < MOST_STRETCH ? 2 * a->stretch : MOST_STRETCH;
    gpu->resting = false;
    if (is_less_full(gpu, before)) {
        a->phase = WW_TIME_OFF;
        return ww_ledger_end_gap(a->ledger, gpu, err);
    }
    a->phase = WW_TIME_RECOVER;
    a->until = now + RECOVERY;
    a->recoveries = 0;
    a->fills = l2_fills(gpu);
    return WW_OK;
}

static ww_status come_to_rest(ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    WW_TRY(ww_ledger_skip(a->ledger, gpu, err));
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_rest(gpu->sm[i], true, now);
    }
    gpu->resting = true;
    a->phase = WW_TIME_DRAIN;
    return WW_OK;
}

/* ---- the phases ---- */

/* Whether the windows agree so well that warps may go ahead; for a longer stretch every time. Where
 * they do not, more are measured, half as many again. */
static bool agree(ww_time_sampler *a, const ww_gpu *gpu, const ww_ledger *l)
{
    if (l->windows < a->look || gpu->grid->next_cta < a->least || l->site[0].warp_inst == 0) {
        return false;
    }
    if (!ww_ledger_agrees(l, 1, HUGE_VAL, a->error)) {
        a->look = l->windows + (l->windows + 1) / 2;
        a->stretch = LEAST_STRETCH;
        return false;
    }
    return true;
}

static ww_status measure(ww_time_sampler *a, const ww_gpu *gpu, ww_ledger *l, uint64_t now,
                         ww_error *err)
{
    if (l->windows == 0) { /* CTAs that began together pass through phases together */
        a->least = ww_min_u64(gpu->grid->next_cta + residents(gpu), gpu->grid->ctas / 2);
    }
    a->phase = WW_TIME_MEASURE;
    a->until = now + WINDOW;
    return ww_ledger_open(l, gpu, err);
}

static ww_status end_phase(ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_ledger *l = a->ledger;
    ww_gpu_account(gpu, now);
    if (a->phase == WW_TIME_MEASURE) {
        WW_TRY(ww_ledger_close(l, gpu, err));
        return agree(a, gpu, l) ? come_to_rest(a, gpu, now, err) : measure(a, gpu, l, now, err);
    }
    if (a->phase == WW_TIME_RAMP && now < gpu->start + LONGEST_RAMP && !is_warm(a, gpu)) {
        return WW_OK;
    }
    if (a->phase == WW_TIME_RECOVER && ++a->recoveries < MOST_RECOVERIES &&
        !has_recovered(a, gpu)) {
        a->until = now + RECOVERY;
        a->fills = l2_fills(gpu);
        return WW_OK;
    }
    WW_TRY(ww_ledger_warm(l, gpu, err));
    return measure(a, gpu, l, now, err);
}

ww_status ww_time_sampler_step(ww_time_sampler *a, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    if (a->phase == WW_TIME_DRAIN) {
        return at_rest(gpu) ? go_ahead(a, gpu, now, err) : WW_OK;
    }
    return a->phase != WW_TIME_OFF && now >= a->until ? end_phase(a, gpu, now, err) : WW_OK;
}

/* A window that the end of the launch has cut measures the end, not what was skipped; and where
 * nothing was left to be skipped, there is no gap. */
void ww_time_sampler_end(ww_time_sampler *a)
{
    ww_ledger *l = a->ledger;
    if (a->phase == WW_TIME_MEASURE) {
        l->measuring = false;
    } else if (a->phase == WW_TIME_DRAIN) {
        l->gap = l->warming = false;
    }
    a->phase = WW_TIME_OFF;
}
