/* constcache.c - constant-bank operands: looked up when an instruction becomes the head of its
 * warp's buffer; a miss holds the warp until the line is there. ld.const and ld.param go through
 * the same cache from the load/store unit. */
#include "perf/sm/sm_state.h"

/* Waiters: heads (this bit, the warp and its epoch) or flights of the load/store unit (their
 * index).
 */
#define HEAD_WAITER 0x80000000u

#define NO_WAITER UINT32_MAX /* nobody waits for the rest of a line */

static void request(ww_sm *sm, uint64_t sector, uint32_t pc)
{
    uint16_t bytes;
    uint64_t address = ww_cache_fetch_address(sm->constants.cache, sector, &bytes);
    sm_send(sm, &(ww_mem_req){.kind = WW_REQ_CONST,
                              .address = address,
                              .bytes = bytes,
                              .owner = ww_owner_of(sm, pc),
                              .flags = WW_OUT_THROUGH_CACHE});
}

/* A line is filled as a whole: the sectors beside the one that missed. */
static void request_rest(ww_sm *sm, uint64_t sector, uint32_t pc, uint64_t now)
{
    const ww_cache_params *p = &sm->arch->l1c;
    uint64_t line = sector / p->line_bytes * p->line_bytes;
    for (uint64_t a = line; a < line + p->line_bytes; a += p->sector_bytes) {
        bool hit;
        ww_cache_eviction evicted = {0};
        if (a == sector || ww_cache_free_mshrs(sm->constants.cache) == 0) {
            continue;
        }
        if (ww_cache_access(sm->constants.cache, a, ~0u, false, false, now, NO_WAITER, &hit,
                            &evicted) == WW_CACHE_MISS) {
            request(sm, a, pc);
            ww_charge(sm, pc, WW_C_L1C_READ_MISS, 1);
        }
    }
}

/* One look-up of the instruction at pc, with the shortcut that a line read twice in a row hits. */
static ww_cache_result look_up(ww_sm *sm, uint64_t line, uint32_t waiter, uint32_t pc, uint64_t now)
{
    ww_cache_result result = WW_CACHE_HIT;
    if (sm->constants.cache != NULL && line != sm->constants.line && !sm->arch->ldst.l1_perfect) {
        bool hit;
        ww_cache_eviction evicted = {0};
        result = ww_cache_access(sm->constants.cache, line, ~0u, false, false, now, waiter, &hit,
                                 &evicted);
    }
    switch (result) {
    case WW_CACHE_HIT:
        sm->constants.line = line;
        ww_charge(sm, pc, WW_C_L1C_READ_HIT, 1);
        break;
    case WW_CACHE_MISS:
        request(sm, line, pc);
        request_rest(sm, line, pc, now);
        /* fall through */
    case WW_CACHE_MERGED:
        sm->constants.line = UINT64_MAX;
        ww_charge(sm, pc, WW_C_L1C_READ_MISS, 1);
        break;
    case WW_CACHE_STALL:
    case WW_CACHE_WRITE_NEXT:
    case WW_CACHE_WRITE_DONE:
        break;
    }
    return result;
}

static void sm_constants(ww_sm *sm, uint32_t w, uint64_t now)
{
    const uint32_t pc = sm->ibuf.pc[w];
    const ww_sm_op *uop = &sm->program->uop[pc];
    const uint64_t *line = sm->program->constants + uop->constants;
    ww_slots bit = ww_slot(w);
    sm->constants.retry &= ~bit;
    while (sm->constants.done[w] < uop->constant_count) {
        const uint32_t waiter = HEAD_WAITER | (uint32_t)sm->constants.epoch[w] << 8 | w;
        ww_cache_result result = look_up(sm, line[sm->constants.done[w]], waiter, pc, now);
        if (result == WW_CACHE_STALL) {
            sm->constants.retry |= bit;
            return;
        }
        if (result != WW_CACHE_HIT) {
            sm->constants.misses[w]++;
            sm->constants.wait |= bit;
        }
        sm->constants.done[w]++;
    }
}

static void sm_constants_forget(ww_constant_stage *constants, uint32_t w)
{
    if (ww_in(constants->wait | constants->retry, w)) {
        constants->epoch[w]++;
        constants->misses[w] = 0;
        constants->wait &= ~ww_slot(w);
        constants->retry &= ~ww_slot(w);
    }
}

/* A miss that fails finds no MSHR, no room in one, or no line; fills alone give them back, and the
 * warps share what one gives in one pass: another would change nothing. */
static void sm_constants_retry(ww_sm *sm, uint64_t now)
{
    sm->constants.filled = false;
    for (ww_slots m = sm->constants.retry; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        sm_constants(sm, w, now);
        sm_evaluate(sm, w);
    }
}

static void sm_const_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    size_t count;
    ww_cache_eviction evicted = {0};
    const uint32_t *waiter =
        ww_cache_fill(sm->constants.cache, reply->address, now, &count, &evicted);
    sm->constants.line = UINT64_MAX;
    sm->constants.filled = true;
    ww_charge(sm, ww_row_of(sm, reply), WW_C_L1C_FILL, 1);
    for (size_t i = 0; i < count; i++) {
        if (waiter[i] == NO_WAITER) {
            continue;
        }
        if ((waiter[i] & HEAD_WAITER) == 0) {
            WW_ASSERT(waiter[i] < sm->flights.capacity && sm->flights.at[waiter[i]].pieces > 0);
            sm->flights.at[waiter[i]].pieces--;
            sm_flight_settle(sm, waiter[i], now);
            continue;
        }
        uint32_t w = waiter[i] & 0xff;
        if (sm->constants.epoch[w] != (uint8_t)(waiter[i] >> 8)) {
            continue; /* the head that waited is gone */
        }
        WW_ASSERT(sm->constants.misses[w] > 0);
        if (--sm->constants.misses[w] == 0) {
            sm->constants.wait &= ~ww_slot(w);
            sm_evaluate(sm, w);
        }
    }
}

/* ld.const and ld.param: one cycle for each different word group that the lanes address. */
static bool sm_const_access(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    ww_flight *f = &sm->flights.at[m->flight];
    uint64_t line = m->segment[m->at].address;
    ww_cache_result result = look_up(sm, line, m->flight, f->uop, now);
    if (result == WW_CACHE_STALL) {
        sm->ldst.blocked = true;
        sm->ldst.until = WW_UNTIL_ANY;
        return false;
    }
    if (result == WW_CACHE_HIT) {
        uint64_t ready = now + sm->arch->l1c.hit_latency;
        f->ready_at = ready > f->ready_at ? ready : f->ready_at;
    } else {
        f->pieces++;
    }
    return ++m->at == m->count;
}
