/* lanes.h - a core of lanes that execute a warp over time, private to perf/sm: what lanes.c and
 * lanes_shared.c know of each other. */
#ifndef WW_PERF_SM_LANES_H
#define WW_PERF_SM_LANES_H

#include "perf/sm/core.h"

enum { WW_LANES_MOST = 64 };

/* One lane: a slice of the register file, a pipelined unit, an instruction register and an address
 * collector. Times are core cycles, which are lane clocks here. */
typedef struct ww_lane {
    uint64_t free_at; /* first cycle in which it takes an instruction; UINT64_MAX: when its accesses
                         to shared memory are done */
    ww_slots warps;   /* slots whose registers lie here */

    /* address collector: a memory instruction until the load/store unit takes it */
    uint32_t collected; /* flight; WW_NONE: empty */
    uint64_t collected_at;

    /* shared memory: an instruction whose threads access it one after the other */
    uint32_t sharing;      /* flight; WW_NONE: none */
    uint32_t left;         /* threads still to come */
    uint8_t word;          /* of the first of them, the next one */
    uint8_t words, passes; /* of a thread; accesses per word: an atomic reads and writes */
    uint8_t pass;
    uint64_t sliced_until; /* its registers' rows keep the lane that long */
} ww_lane;

struct ww_lanes {
    uint32_t count;
    ww_lane lane[WW_LANES_MOST];
    uint64_t collecting, sharing; /* lanes with an instruction there */
    uint32_t tail[WW_SM_WARPS];   /* flights of each warp whose first results are there and whose
                                     last are not, by ww_flight.next; WW_NONE: none */
};

static inline ww_lane *ww_lane_of(const ww_sm *sm, uint32_t w)
{
    return &sm->lanes->lane[w % sm->lanes->count];
}

/* Results of an instruction begin to appear in cycle `first`, the last is there in `last`: what
 * follows in the lane thread by thread goes on in between. */
static void lanes_result(ww_sm *sm, uint32_t flight, uint64_t first, uint64_t last);

/* ---- lanes_shared.c ---- */
/* The lane begins with an instruction on shared memory; it presents its first address in the next
 * cycle. Its slice is taken until `until`. */
static void lanes_share(ww_sm *sm, uint32_t lane, uint32_t flight, uint64_t now, uint64_t until);
/* One cycle of the banks: each lane's next access, unless another one takes its bank. */
static void lanes_arbitrate(ww_sm *sm, uint64_t now);

#endif
