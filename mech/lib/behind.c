/* behind.c - lines that come behind the accesses to them. */
#include "mech/lib/behind.h"

void ww_behind_clear(ww_behind *b)
{
    *b = (ww_behind){0};
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

bool ww_behind_add(ww_behind *b, uint64_t address)
{
    if (b->count == WW_BEHIND_MOST) {
        return false;
    }
    b->address[(b->first + b->count++) % WW_BEHIND_MOST] = address;
    return true;
}

void ww_behind_send(ww_behind *b, ww_sm *sm, uint64_t now)
{
    if (b->count > 0 && ww_mech_inject(sm, b->address[b->first], 0, now) != WW_INJECT_BUSY) {
        b->first = (b->first + 1) % WW_BEHIND_MOST;
        b->count--;
    }
}
