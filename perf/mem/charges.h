/* charges.h - whose requests the events of the memory system are. A request carries its owner, a
 * number that the requester gives out; 0: nobody. Depends on: base, counters. */
#ifndef WW_PERF_MEM_CHARGES_H
#define WW_PERF_MEM_CHARGES_H

#include <stddef.h>

#include "base/compiler.h"
#include "counters/lines.h"

/* Events by owner, in the order of their counters from WW_CHARGE_MEMORY on. */
typedef struct ww_charges {
    uint32_t owners; /* 0 .. owners - 1; what has another one is nobody's */
    uint64_t *v;     /* [owner][WW_MEMORY_CHARGES] */
} ww_charges;

static inline uint64_t *ww_charges_of(const ww_charges *c, uint32_t owner)
{
    return c->v + (size_t)(owner < c->owners ? owner : 0) * WW_MEMORY_CHARGES;
}

/* n events of an owner; c may be NULL: nobody is charged. */
static inline void ww_charge_owner(const ww_charges *c, uint32_t owner, ww_counter counter,
                                   uint64_t n)
{
    if (WW_UNLIKELY(c != NULL)) {
        ww_charges_of(c, owner)[counter - WW_CHARGE_MEMORY] += n;
    }
}

#endif
