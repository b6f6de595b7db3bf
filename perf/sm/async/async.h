/* async.h - the asynchronous engines of an SM beside its pipeline, private to perf/sm: their state,
 * the warps that sleep for them, and when they act next. An SM has them for launches of programs
 * that use them (ww_program.asynchronous), and is not `plain` then. */
#ifndef WW_PERF_SM_ASYNC_ASYNC_H
#define WW_PERF_SM_ASYNC_ASYNC_H

#include "perf/sm/async/matrix.h"
#include "perf/sm/sm_state.h"

/* What a warp sleeps for. */
typedef enum ww_sleep_for {
    WW_SLEEP_TIME,   /* a cycle */
    WW_SLEEP_MATRIX, /* products of its warp group */
} ww_sleep_for;

struct ww_async {
    uint64_t next;   /* the first cycle in which an engine acts; UINT64_MAX: none does by itself */
    ww_slots asleep; /* these are at_barrier as well: they leave the schedulers */
    uint8_t why[WW_SM_WARPS];           /* ww_sleep_for */
    uint64_t until[WW_SM_WARPS];        /* cycle; products done */
    uint16_t team_key[WW_MATRIX_TEAMS]; /* CTA slot and warp group, + 1; 0: free */
    bool blocked;                       /* some partition's queue has been full */
    ww_smem_port port;
    ww_matrix matrix;
};

#endif
