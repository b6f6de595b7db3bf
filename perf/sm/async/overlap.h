/* overlap.h - which engines of an SM are at work at the same time, and what warps that ask for
 * copies or for products wait for, private to perf/sm. */
#ifndef WW_PERF_SM_ASYNC_OVERLAP_H
#define WW_PERF_SM_ASYNC_OVERLAP_H

#include "perf/sm/sm_state.h"

/* What a warp has asked an engine for. */
typedef enum ww_role { WW_ROLE_NONE, WW_ROLE_PRODUCER, WW_ROLE_CONSUMER } ww_role;

/* What it waits for: counters of a role follow each other in this order. */
typedef enum ww_waits_for {
    WW_FOR_OBJECT,   /* the end of an mbarrier's phase */
    WW_FOR_PRODUCTS, /* products of its warp group */
    WW_FOR_COPIES,   /* the copy engine: room, its copies to be read or done */
    WW_FOR_BARRIER,  /* a barrier of its CTA or cluster */
    WW_FOR_OTHER,    /* registers, other grids */
    WW_FOR_COUNT,
    WW_FOR_NOTHING = WW_FOR_COUNT
} ww_waits_for;

typedef struct ww_overlap {
    uint64_t counted;     /* cycles before it are */
    uint64_t matrix, sfu; /* at work until then */
    bool copying;         /* some copy is under way */
    uint64_t now;         /* cycle of what happens */
    uint64_t born[WW_SM_WARPS];
    uint64_t since[WW_SM_WARPS]; /* it has waited */
    uint8_t waits[WW_SM_WARPS];  /* ww_waits_for */
    uint8_t role[WW_SM_WARPS];   /* ww_role */
    uint64_t waited[WW_SM_WARPS][WW_FOR_COUNT];
} ww_overlap;

#endif
