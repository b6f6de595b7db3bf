/* behind.c - lines that come behind the accesses to them. */
#include "mech/lib/behind.h"

#include <string.h>

#include "base/arith.h"
#include "base/assert.h"

void ww_behind_clear(ww_behind *b, uint32_t most)
{
    *b = (ww_behind){.most = ww_min_u32(most, WW_BEHIND_MOST)};
}

void ww_behind_cover(ww_behind *b, uint32_t flight, bool covered)
{
    if (flight < WW_BEHIND_FLIGHTS) {
        const uint64_t bit = UINT64_C(1) << flight % 64;
        uint64_t *word = &b->covered[flight / 64];
        *word = covered ? *word | bit : *word & ~bit;
    }
}

bool ww_behind_covers(const ww_behind *b, uint32_t flight)
{
    return flight < WW_BEHIND_FLIGHTS && (b->covered[flight / 64] >> flight % 64 & 1) != 0;
}

/* The place of the first line to come that is not below an address. */
static uint32_t place_of(const ww_behind *b, uint64_t address)
{
    uint32_t low = 0;
    for (uint32_t high = b->count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (b->address[middle] < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Each line is there once, in the order of addresses. */
WW_MAYBE_UNUSED static bool is_in_order(const ww_behind *b)
{
    for (uint32_t i = 1; i < b->count; i++) {
        if (b->address[i - 1] >= b->address[i]) {
            return false;
        }
    }
    return true;
}

/* Whether the line is among those to come, or has a place there now. */
static bool add(ww_behind *b, uint64_t address)
{
    const uint32_t at = place_of(b, address);
    if (at < b->count && b->address[at] == address) {
        return true;
    }
    if (b->count >= b->most) {
        return false;
    }
    memmove(&b->address[at + 1], &b->address[at], (b->count - at) * sizeof b->address[0]);
    b->address[at] = address;
    b->count++;
    WW_ASSERT(is_in_order(b));
    return true;
}

bool ww_behind_serve(ww_behind *b, const ww_mech_access *access, uint32_t latency, uint64_t now,
                     uint64_t *ready)
{
    const bool served = add(b, access->address);
    *ready = now + latency;
    return served;
}

bool ww_behind_serve_late(ww_behind *b, const ww_mech_access *access, uint32_t latency,
                          uint64_t now, uint64_t *ready)
{
    if (ww_behind_serve(b, access, latency, now, ready)) {
        return true;
    }
    if (b->lates == WW_BEHIND_PUT_OFF) {
        return false;
    }
    b->late[(b->first_late + b->lates++) % WW_BEHIND_PUT_OFF] =
        (ww_behind_late){.address = access->address, .flight = access->flight, .latency = latency};
    *ready = UINT64_MAX;
    return true;
}

void ww_behind_came(ww_behind *b, uint64_t address, uint32_t bytes)
{
    const uint32_t from = place_of(b, address), to = place_of(b, address + bytes);
    memmove(&b->address[from], &b->address[to], (b->count - to) * sizeof b->address[0]);
    b->count -= to - from;
}

/* Accesses that wait for a place take those that there are, oldest first. */
static void admit(ww_behind *b, ww_sm *sm, uint64_t now)
{
    while (b->lates > 0 && add(b, b->late[b->first_late].address)) {
        const ww_behind_late *l = &b->late[b->first_late];
        ww_mech_serve(sm, l->flight, now + l->latency, now);
        b->first_late = (b->first_late + 1) % WW_BEHIND_PUT_OFF;
        b->lates--;
    }
}

bool ww_behind_waits(const ww_behind *b)
{
    return b->count > 0 || b->lates > 0;
}

void ww_behind_send(ww_behind *b, ww_sm *sm, uint64_t now)
{
    admit(b, sm, now);
    if (b->count == 0) {
        return;
    }
    uint32_t at = place_of(b, b->from);
    at = at == b->count ? 0 : at; /* above the highest: the lowest again */
    if (ww_mech_inject(sm, b->address[at], 0, now) == WW_INJECT_BUSY) {
        return;
    }
    b->from = b->address[at];
    b->count--;
    memmove(&b->address[at], &b->address[at + 1], (b->count - at) * sizeof b->address[0]);
    WW_ASSERT(is_in_order(b));
    admit(b, sm, now);
}
