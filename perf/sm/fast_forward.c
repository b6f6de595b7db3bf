/* fast_forward.c - an SM at rest, whose warps go ahead without time: nothing is in flight,
 * instructions are executed as they come, and when issue goes on the warps stand elsewhere. */
#include "perf/sm/async/async.h"

/* Instructions of one warp before the next, on average: few, so that warps that wait for each other
 * get on. A scheduler's favourites run ahead of the others, and go on doing so. */
enum { TURN = 32, MOST_TURN = 4 * TURN };

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

static void take_up(ww_sm *sm, uint32_t w)
{
    ww_slots bit = ww_slot(w);
    sm->warps.at_barrier =
        sm->warps.at[w]->at_barrier ? sm->warps.at_barrier | bit : sm->warps.at_barrier & ~bit;
    sm->warps.held &= ~bit;
    if (sm->async != NULL) {
        sm->async->asleep &= ~bit;
        sm->async->pools.wanted[w] = 0;
        sm->async->overlap.waits[w] = WW_FOR_NOTHING; /* that time is not the machine's */
    }
    sm->warps.issued[w] = 0;
    sm_flush(sm, w, ww_program_place(sm->program, ww_warp_pc(sm->warps.at[w])));
    sm_evaluate(sm, w);
}

static void sm_rest(ww_sm *sm, bool rest, uint64_t now)
{
    sm->forward.resting = rest;
    ww_sm_ask_all(sm);
    if (rest) {
        return;
    }
    for (ww_slots m = sm->warps.live; ww_any(m); m = ww_rest(m)) {
        take_up(sm, ww_first(m));
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

/* Instructions of all warps since they started or last went ahead, per warp. */
static uint32_t mean_issued(const ww_warp_stage *warps)
{
    uint64_t sum = 0, count = ww_number(warps->live);
    for (ww_slots m = warps->live; ww_any(m); m = ww_rest(m)) {
        sum += warps->issued[ww_first(m)];
    }
    return count > 0 ? (uint32_t)(sum / count) : 0;
}

/* In proportion to what the warp has issued; one that began while others went ahead is like most.
 */
static unsigned turn_of(const ww_warp_stage *warps, uint32_t w, uint32_t mean)
{
    uint64_t turn = mean > 0 ? (uint64_t)TURN * warps->issued[w] / mean : TURN;
    return turn == 0 ? TURN / 4 : turn < MOST_TURN ? (unsigned)turn : MOST_TURN;
}

static ww_status sm_fast_forward(ww_sm *sm, uint64_t most, uint64_t now,
                                 const ww_observer *observer, ww_functional_stats *stats,
                                 ww_error *err)
{
    uint64_t done = 0;
    uint32_t mean = mean_issued(&sm->warps);
    while (done < most) {
        uint32_t w = next_warp(sm);
        if (w == WW_NONE) {
            return WW_OK;
        }
        sm->forward.last = w;
        ww_exec_env env = {.launch = sm->launch,
                           .cycle = now,
                           .nanoseconds = ww_sm_nanoseconds(sm, now),
                           .observer = observer};
        WW_TRY(
            ww_exec_straight_run(&env, sm->warps.at[w], turn_of(&sm->warps, w, mean), stats, err));
        done += env.cycle - now;
        stats->warp_inst += env.cycle - now;
        if (sm->warps.at[w]->depth == 0) {
            sm_warp_exited(sm, w, sm->ibuf.count[w]);
            sm_cta_check(sm, &sm->cta[sm->warps.cta_of[w]], now);
        }
    }
    return WW_OK;
}
