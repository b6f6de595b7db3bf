/* behind.h - for ceilings of mechanisms that bring data ahead of their use: accesses whose data are
 * there at once, while their lines come through MSHRs, L2 and DRAM all the same. Depends on:
 * perf/sm/seam.h. */
#ifndef WW_MECH_LIB_BEHIND_H
#define WW_MECH_LIB_BEHIND_H

#include "perf/sm/seam.h"

enum { WW_BEHIND_MOST = 1024, WW_BEHIND_FLIGHTS = 4096 };

/* Addresses of accesses that have been served and whose lines are still to come, oldest first; and
 * which loads have their data at once, by their flights. */
typedef struct ww_behind {
    uint64_t address[WW_BEHIND_MOST];
    uint32_t first, count;
    uint64_t covered[WW_BEHIND_FLIGHTS / 64];
} ww_behind;

void ww_behind_clear(ww_behind *b);
/** Whether a load, from its issue on, has its data at once; flights beyond those kept never have.
 */
void ww_behind_cover(ww_behind *b, uint32_t flight, bool covered);
bool ww_behind_covers(const ww_behind *b, uint32_t flight);
/** False: too many are still to come, and the access is to be made as any other. */
WW_NODISCARD bool ww_behind_add(ww_behind *b, uint64_t address);
/** Asks for the line of the oldest, if the L1D has a cycle for it. From `tick`. */
void ww_behind_send(ww_behind *b, ww_sm *sm, uint64_t now);

#endif
