/* behind.h - for ceilings of mechanisms that bring data ahead of their use: accesses whose data are
 * there at once, while their lines come through MSHRs, L2 and DRAM all the same. What runs ahead
 * may ask in any order and holds a line until all have used it, so lines come in the order of their
 * addresses, none twice while it is still to come, and none of which `came` was told. It holds no
 * more lines than there is room for, so no more are behind: beyond those the memory holds accesses
 * of a run-ahead (`_late`) back by its rate, not by its latency, and those that a prefetcher has
 * not reached are made as any other. Depends on: perf/sm/seam.h. */
#ifndef WW_MECH_LIB_BEHIND_H
#define WW_MECH_LIB_BEHIND_H

#include "perf/sm/seam.h"

enum { WW_BEHIND_MOST = 1024, WW_BEHIND_PUT_OFF = 2048, WW_BEHIND_FLIGHTS = 4096 };

/* An access whose line has no place yet among those to come. */
typedef struct ww_behind_late {
    uint64_t address;
    uint32_t flight, latency;
} ww_behind_late;

/* Addresses of accesses whose lines are still to come, in order, and where the next one is sought;
 * accesses that wait for a place, oldest first; and which loads have their data at once, by their
 * flights. */
typedef struct ww_behind {
    uint64_t address[WW_BEHIND_MOST];
    uint64_t from;
    ww_behind_late late[WW_BEHIND_PUT_OFF];
    uint32_t count, most, first_late, lates;
    uint64_t covered[WW_BEHIND_FLIGHTS / 64];
} ww_behind;

/** `most`: lines, as far as the list has places, that what runs ahead can hold. */
void ww_behind_clear(ww_behind *b, uint32_t most);
/** Whether a load, from its issue on, has its data at once; flights beyond those kept never have.
 */
void ww_behind_cover(ww_behind *b, uint32_t flight, bool covered);
bool ww_behind_covers(const ww_behind *b, uint32_t flight);
/** For `beside`: the data are there `latency` cycles from now. False: the line has no place among
 * those to come, and the access is to be made as any other. */
WW_NODISCARD bool ww_behind_serve(ww_behind *b, const ww_mech_access *access, uint32_t latency,
                                  uint64_t now, uint64_t *ready);
/** The same, and where the line has no place the data are there, with UINT64_MAX, `latency` cycles
 * from when it has one; false: too many wait for one. */
WW_NODISCARD bool ww_behind_serve_late(ww_behind *b, const ww_mech_access *access, uint32_t latency,
                                       uint64_t now, uint64_t *ready);
/** From `filled`: these bytes are in the L1D, for whomever, and need not come for those whose use
 * they are behind. */
void ww_behind_came(ww_behind *b, uint64_t address, uint32_t bytes);
/** Asks for the next line, if the L1D has a cycle for it. From `tick`. */
void ww_behind_send(ww_behind *b, ww_sm *sm, uint64_t now);
/** For `next`: whether it will do something. */
bool ww_behind_waits(const ww_behind *b);

#endif
