/* remote.h - an SM's end of the network between the SMs of a GPC, private to perf/sm: its lane out,
 * what it has sent in this window, and what will arrive. */
#ifndef WW_PERF_SM_ASYNC_REMOTE_H
#define WW_PERF_SM_ASYNC_REMOTE_H

#include "perf/sm/message.h"
#include "perf/sm/sm_state.h"

/* An operation on an mbarrier of another CTA, of an instruction in the load/store unit. */
typedef struct ww_waiting_op {
    uint32_t mem; /* its entry there */
    ww_object_op op;
} ww_waiting_op;

typedef struct ww_remote {
    uint64_t lane_free; /* in parts of a cycle: async.remote_lanes of them */
    uint64_t came;      /* cycle in which the last packet by the way of replies was whole */
    uint64_t sequence;  /* messages sent */
    ww_messages out;    /* of this window */
    ww_messages in;     /* a heap: the one that acts first is at[0] */
    ww_waiting_op *waiting;
    uint32_t waits;
    size_t waiting_room;
    uint64_t
        written[WW_CLUSTER_MOST]; /* by sender: cycle behind the last write that it asked for */
    bool failed;                  /* there was no memory for a message */
} ww_remote;

#endif
