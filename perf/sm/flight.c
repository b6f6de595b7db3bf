/* flight.c - issued instructions until they complete: allocation, completion, release of what they
 * hold. */
#include <string.h>

#include "base/assert.h"
#include "perf/sm/hooks.h"
#include "perf/sm/core.h"

/* Makes sure that one more instruction can be issued. Grows rarely: the number in flight settles
 * within a few hundred cycles. */
static ww_status sm_flight_room(ww_flight_stage *flights, ww_error *err)
{
    if (flights->free != WW_NONE) {
        return WW_OK;
    }
    uint32_t capacity = flights->capacity == 0 ? 256 : 2 * flights->capacity;
    void *room = ww_alloc_array(capacity + 1, sizeof(ww_flight));
    if (room == NULL) {
        return ww_no_memory_for(err, "instructions in flight");
    }
    ww_flight *flight = ww_to_line(room);
    if (flights->capacity > 0) {
        memcpy(flight, flights->at, flights->capacity * sizeof *flight);
    }
    ww_free(flights->room);
    flights->room = room;
    flights->at = flight;
    for (uint32_t i = capacity; i-- > flights->capacity;) {
        flight[i].next = flights->free;
        flights->free = i;
    }
    flights->capacity = capacity;
    return WW_OK;
}

static uint32_t sm_flight_take(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t exec)
{
    uint32_t index = sm->flights.free;
    WW_ASSERT(index != WW_NONE); /* sm_flight_room has seen to it */
    ww_flight *f = &sm->flights.at[index];
    sm->flights.free = f->next;
    *f = (ww_flight){.uop = pc,
                     .exec = exec,
                     .mem = WW_NONE,
                     .next = WW_NONE,
                     .lanes = (uint8_t)__builtin_popcount(exec),
                     .warp = (uint8_t)w,
                     .op = &sm->program->uop[pc]};
    sm->cta[sm->warps.cta_of[w]].flights++;
    return index;
}

/* What mechanisms know of an instruction that is done. */
static WW_NOINLINE void done_hooked(ww_sm *sm, uint32_t index, uint64_t now)
{
    const ww_flight *f = &sm->flights.at[index];
    if (!f->loose) {
        sm_release_beside_shadow(sm, f, f->op);
    }
    hook_written(sm, index, now);
}

static void sm_flight_done(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    const ww_sm_op *uop = f->op;
    uint32_t w = f->warp;
    if (WW_UNLIKELY(f->copies) && !sm_copy_arrived(sm, index, now)) {
        return;
    }
    f->next = sm->flights.free;
    sm->flights.free = index;
    sm->pulse.progress++;
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        done_hooked(sm, index, now);
    } else if (!f->loose) {
        sm_release(sm, w, uop);
    }
    if ((uop->flags & WW_SM_OP_MEMORY) != 0 && --sm->warps.mem_flights[w] == 0 &&
        ww_in(sm->warps.at_fence, w)) {
        sm->groups.waits[w] = false;
        sm->warps.at_fence &= ~ww_slot(w);
        sm_evaluate(sm, w);
    }
    ww_cta_slot *slot = &sm->cta[sm->warps.cta_of[w]];
    WW_ASSERT(slot->flights > 0);
    if (--slot->flights == 0) {
        sm_cta_check(sm, slot, now);
    }
}

static inline bool writes_registers(const ww_flight *f)
{
    return f->op->dst_levels > 0 && !f->quiet;
}

static void sm_flight_settle(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    if (!f->sent || f->pieces > 0) {
        return;
    }
    if (f->ready_at > now) {
        ww_flight_ends(&sm->flights, f->ready_at, index);
    } else if (writes_registers(f)) {
        ww_core_of(sm)->write(sm, index, now);
    } else {
        sm_flight_done(sm, index, now);
    }
}

/* Results of a cycle in which others wait for banks, or of a core without banks. */
static void expire_behind(ww_sm *sm, uint32_t index, uint64_t now)
{
    while (index != WW_NONE) {
        const ww_flight *f = &sm->flights.at[index];
        const uint32_t next = f->later;
        sm->flights.wheel.count--;
        if (writes_registers(f)) {
            ww_core_of(sm)->write(sm, index, now);
        } else {
            sm_flight_done(sm, index, now);
        }
        index = next;
    }
}

/* Results of a cycle in which none waits for banks: flights that write no register are done first.
 */
static bool expire_at_once(ww_sm *sm, uint32_t index, uint64_t now)
{
    uint32_t writes = WW_NONE, *end = &writes;
    while (index != WW_NONE) {
        ww_flight *f = &sm->flights.at[index];
        const uint32_t next = f->later;
        sm->flights.wheel.count--;
        if (writes_registers(f)) {
            *end = index;
            end = &f->next;
        } else {
            sm_flight_done(sm, index, now);
        }
        index = next;
    }
    *end = WW_NONE;
    for (index = writes; index != WW_NONE;) {
        const uint32_t next = sm->flights.at[index].next;
        sm_write_result(sm, index, now);
        index = next;
    }
    return writes != WW_NONE;
}

/* Flights whose results appear in this cycle. */
static bool sm_expire(ww_sm *sm, uint64_t now)
{
    const uint32_t index = ww_wheel_take(&sm->flights.wheel, now);
    if (index == WW_NONE) {
        return false;
    }
    if (WW_BARE && ww_core_of(sm)->write == pool_write && sm->regfile.first == WW_NONE) {
        return expire_at_once(sm, index, now);
    }
    expire_behind(sm, index, now);
    return false;
}
