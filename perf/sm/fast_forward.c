/* fast_forward.c - an SM at rest, whose warps go ahead without time: nothing is in flight,
 * instructions are executed as they come, and when issue goes on the warps stand elsewhere. */
#include <math.h>

#include "perf/sm/async/async.h"

/* Instructions of one warp before the next, on average: few, so that warps that wait for each other
 * get on. */
enum { TURN = 32, MOST_TURN = 4 * TURN, LONGEST_WAY_HOME = 1024 };

static bool sm_at_rest(const ww_sm *sm)
{
    for (uint32_t i = 0; i < WW_SM_CTAS; i++) {
        if (ww_any(sm->cta[i].warps) && sm->cta[i].flights > 0) {
            return false;
        }
    }
    if (sm->async != NULL && !sm_async_at_rest(sm)) {
        return false;
    }
    return sm->pulse.outgoing == 0 && sm->pulse.awaited == 0 && !ww_any(sm->constants.retry) &&
           !ww_any(sm->constants.wait);
}

static uint32_t sm_newest_warps(const ww_sm *sm)
{
    return sm->ctas.newest_warps;
}

static void take_up(ww_sm *sm, uint32_t w, uint64_t now)
{
    ww_slots bit = ww_slot(w);
    sm->warps.at_barrier =
        sm->warps.at[w]->at_barrier ? sm->warps.at_barrier | bit : sm->warps.at_barrier & ~bit;
    sm->warps.held &= ~bit;
    sm->pulse.held = ww_any(sm->warps.held);
    if (sm->async != NULL) {
        sm->async->asleep &= ~bit;
        sm->async->pools.wanted[w] = 0;
        sm->async->overlap.waits[w] = WW_FOR_NOTHING; /* that time is not the machine's */
    }
    sm->warps.issued[w] = 0;
    sm->cta[sm->warps.cta_of[w]].since = now;
    sm_flush(sm, w, ww_program_place(sm->program, ww_warp_pc(sm->warps.at[w])));
    sm_evaluate(sm, w);
}

static void sm_rest(ww_sm *sm, bool rest, uint64_t now)
{
    sm->forward.resting = rest;
    ww_sm_ask_all(sm);
    if (rest) {
        sm->forward.stands = false;
        return;
    }
    for (ww_slots m = sm->warps.live; ww_any(m); m = ww_rest(m)) {
        take_up(sm, ww_first(m), now);
    }
    if (sm->pulse.ctas > 0) {
        sm->pulse.wake = now;
    } else if (sm->pulse.idle_at < now) {
        sm->pulse.idle_at = now;
    }
}

/* The next warp in turn that can execute something; WW_NONE: there is none. */
static uint32_t next_warp(const ww_sm *sm)
{
    for (uint32_t k = 1; k <= WW_SM_WARPS; k++) {
        uint32_t w = (sm->forward.last + k) % WW_SM_WARPS;
        if (ww_in(sm->warps.live, w) && !sm->warps.at[w]->at_barrier) {
            return w;
        }
    }
    return WW_NONE;
}

/* ---- at what pace ---- */

/* CTAs of the SM that began before that one. */
static uint32_t age_of(const ww_sm *sm, uint32_t cta)
{
    uint32_t older = 0;
    for (uint32_t i = 0; i < WW_SM_CTAS; i++) {
        older += ww_any(sm->cta[i].warps) && sm->cta[i].cta.linear < sm->cta[cta].cta.linear;
    }
    return older;
}

/* What a warp of the CTA has issued since warps last went ahead, or the CTA began. */
static uint64_t mean_issued(const ww_sm *sm, uint32_t cta)
{
    const ww_slots live = sm->cta[cta].warps & sm->warps.live;
    uint64_t sum = 0;
    for (ww_slots m = live; ww_any(m); m = ww_rest(m)) {
        sum += sm->warps.issued[ww_first(m)];
    }
    return ww_any(live) ? sum / ww_number(live) : 0;
}

/* The SM has come to rest: where its warps stand, and how fast they got there. Schedulers have
 * favourites, of which age alone tells for longer than a window who they are. */
static void take_stock(ww_sm *sm, uint64_t now)
{
    ww_forward *f = &sm->forward;
    f->stands = true;
    for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
        f->home[w] = ww_in(sm->warps.live, w) ? ww_warp_pc(sm->warps.at[w]) : WW_NONE;
    }
    for (uint32_t i = 0; i < WW_SM_CTAS; i++) {
        if (ww_any(sm->cta[i].warps)) {
            const uint32_t age = age_of(sm, i);
            f->issued[age] += mean_issued(sm, i);
            f->cycles[age] += now - sm->cta[i].since;
        }
    }
}

/* The turns of each CTA's warps, in proportion to what those as old have issued in a cycle. */
static void find_turns(const ww_sm *sm, unsigned *turn)
{
    const ww_forward *f = &sm->forward;
    double sum = 0, count = 0, pace[WW_SM_CTAS] = {0};
    for (uint32_t i = 0; i < WW_SM_CTAS; i++) {
        const uint32_t age = ww_any(sm->cta[i].warps) ? age_of(sm, i) : 0;
        if (ww_any(sm->cta[i].warps) && f->cycles[age] > 0) {
            pace[i] = (double)f->issued[age] / (double)f->cycles[age];
        }
        sum += pace[i];
        count += pace[i] > 0;
    }
    for (uint32_t i = 0; i < WW_SM_CTAS; i++) {
        const double part = pace[i] > 0 ? pace[i] * count / sum : 1;
        turn[i] = (unsigned)fmin(fmax(TURN * part, TURN / 4), MOST_TURN);
    }
}

/* ---- going ahead ---- */

/* Up to `most` instructions of a warp. *done: how many it has executed. */
static ww_status go(ww_sm *sm, uint32_t w, unsigned most, uint64_t now, const ww_observer *observer,
                    ww_functional_stats *stats, uint64_t *done, ww_error *err)
{
    ww_exec_env env = {.launch = sm->launch, .cycle = now, .time = &sm->time, .observer = observer};
    WW_TRY(ww_exec_straight_run(&env, sm->warps.at[w], most, stats, err));
    *done = env.cycle - now;
    stats->warp_inst += *done;
    if (sm->warps.at[w]->depth == 0) {
        sm->forward.home[w] = WW_NONE;
        sm_warp_exited(sm, w, sm->ibuf.count[w]);
        sm_cta_check(sm, &sm->cta[sm->warps.cta_of[w]], now);
    }
    return WW_OK;
}

static ww_status sm_fast_forward(ww_sm *sm, uint64_t most, uint64_t now,
                                 const ww_observer *observer, ww_functional_stats *stats,
                                 ww_error *err)
{
    unsigned turn[WW_SM_CTAS];
    if (!sm->forward.stands) {
        take_stock(sm, now);
    }
    find_turns(sm, turn);
    for (uint64_t all = 0, done; all < most; all += done) {
        uint32_t w = next_warp(sm);
        if (w == WW_NONE) {
            return WW_OK;
        }
        sm->forward.last = w;
        WW_TRY(go(sm, w, turn[sm->warps.cta_of[w]], now, observer, stats, &done, err));
    }
    return WW_OK;
}

/* Whether warp w is not where it stood, and can go on. */
static bool away(const ww_sm *sm, uint32_t w)
{
    return ww_in(sm->warps.live, w) && sm->forward.home[w] != WW_NONE &&
           !sm->warps.at[w]->at_barrier && ww_warp_pc(sm->warps.at[w]) != sm->forward.home[w];
}

static ww_status sm_come_home(ww_sm *sm, uint64_t now, const ww_observer *observer,
                              ww_functional_stats *stats, ww_error *err)
{
    uint16_t way[WW_SM_WARPS] = {0};
    for (bool moved = true; moved;) { /* one may wait for others at a barrier before it is there */
        moved = false;
        for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
            for (uint64_t done = 1; done > 0 && way[w] < LONGEST_WAY_HOME && away(sm, w);
                 way[w]++) {
                WW_TRY(go(sm, w, 1, now, observer, stats, &done, err));
                moved |= done > 0;
            }
        }
    }
    return WW_OK;
}
