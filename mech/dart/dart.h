/* dart.h - private to the room: lanes that execute a warp over time (LPGPU D5.5.3, 2013, section
 * 3.3), on one SM.
 *
 *   lanes.c   what a lane does with an instruction, and when others may follow
 *   shared.c  shared memory as lanes see it
 *   hooks.c   where the SM calls all this
 */
#ifndef WW_MECH_DART_DART_H
#define WW_MECH_DART_DART_H

#include "mech/mechanisms.h"

enum { DART_LANES = 64 }; /* at most */

#define DART_NONE UINT32_MAX /* no flight */

/* One lane: a slice of the register file, a pipelined unit, an instruction register and an address
 * collector. Times are core cycles, which are lane clocks here. */
typedef struct dart_lane {
    ww_warps warps;   /* whose registers lie in it */
    uint64_t free_at; /* first cycle in which it takes an instruction; UINT64_MAX: when its accesses
                         to shared memory are done */

    /* address collector: a memory instruction until the load/store unit takes it */
    uint32_t collected; /* flight; DART_NONE: empty */
    uint64_t collected_at;

    /* shared memory: an instruction whose threads access it one after the other */
    uint32_t sharing;    /* flight; DART_NONE: none */
    const ww_step *step; /* its addresses; NULL: it reads an operand there, at word `at`, */
    uint64_t through;    /* and its last thread reaches the unit in that cycle at the earliest */
    uint32_t at[WW_WARP_SIZE];
    uint32_t left;         /* threads still to come */
    uint8_t word;          /* of the first of them, the next one */
    uint8_t words, passes; /* of a thread; accesses per word: an atomic reads and writes */
    uint8_t pass;
    uint64_t since;        /* cycle in which the lane took it */
    uint64_t sliced_until; /* its registers' rows keep the lane that long */
} dart_lane;

typedef struct dart {
    ww_sm *sm;
    const ww_arch *arch;
    uint64_t *counts; /* of the SM, by ww_counter */
    uint32_t count;
    uint64_t collecting, sharing; /* lanes with an instruction there */
    ww_warps busy;       /* whose lane is taken, in cycles from the last `cycle` to busy_until */
    uint64_t busy_until; /* first cycle in which one of those lanes is free again */
    dart_lane lane[DART_LANES];
} dart;

/* The lane in which a warp's registers lie, for life. */
static inline uint32_t dart_lane_of(const dart *d, uint32_t warp)
{
    WW_ASSERT(d->count > 0 && d->count <= DART_LANES);
    return warp % d->count;
}

/* ---- lanes.c ---- */
extern const ww_mech_core dart_core;
/* Empties the lanes. */
void dart_clear(dart *d);
/* Results of an instruction begin to appear in cycle `first`, the last is there in `last`: what
 * follows in the lane thread by thread goes on in between. */
void dart_results(dart *d, uint32_t flight, const ww_sm_op *op, uint64_t first, uint64_t last);
/* Cycles from a thread that enters the unit to its result. */
uint64_t dart_latency(const dart *d, const ww_sm_op *op);
/* Takes a free lane until cycle `until`; UINT64_MAX: until dart_free_at says when. */
void dart_take(dart *d, uint32_t index, uint64_t until);
/* A lane that was taken until who knows when is free in cycle `when`; from within `cycle`. */
void dart_free_at(dart *d, uint32_t index, uint64_t when);

/* ---- shared.c ---- */
/* The lane begins with an instruction on shared memory; it presents its first address in the next
 * cycle. Its slice is taken until `until`. */
void dart_share(dart *d, uint32_t lane, uint32_t flight, uint64_t now, uint64_t until);
/* The same of one that computes and reads a word of shared memory for each thread before it sends
 * it through the unit, where the last one comes no earlier than in cycle `through`, behind which
 * the lane is free. */
void dart_read_operands(dart *d, uint32_t lane, uint32_t flight, const ww_core_inst *inst,
                        uint64_t now, uint64_t through, uint64_t until);
/* One cycle of the banks: each lane's next access, unless another one takes its bank. */
void dart_arbitrate(dart *d, uint64_t now);

#endif
