/* copy.h - the copy engine of an SM, private to perf/sm: commands in their order, each started some
 * cycles behind the one before, walked row by row into requests of at most a line, and done when
 * what they asked for has been written to shared memory, or acknowledged. */
#ifndef WW_PERF_SM_ASYNC_COPY_H
#define WW_PERF_SM_ASYNC_COPY_H

#include "perf/exec/engines.h"
#include "perf/sm/sm_state.h"

enum { WW_COPY_MAPS = 32 };
#define WW_COPY_NONE UINT32_MAX

typedef enum ww_copy_state {
    WW_COPY_FREE,
    WW_COPY_WAITS,  /* to start */
    WW_COPY_STARTS, /* its front, or its tensor map, is under way */
    WW_COPY_WALKS,
    WW_COPY_SENDS, /* to another CTA of the cluster, by a walk of its own */
    WW_COPY_ENDS,  /* everything has been asked for */
} ww_copy_state;

typedef struct ww_copy_task {
    ww_copy_job job;
    uint8_t state;   /* ww_copy_state */
    uint8_t warp;    /* that asked for it */
    uint8_t slot;    /* its CTA */
    uint32_t uop;    /* the instruction that asked */
    bool read;       /* of a store: its bytes have left shared memory */
    bool told;       /* of a multicast: the other CTAs, that all of it is on its way */
    uint32_t parts;  /* of a multicast: on their way from the crossbar to the SM itself */
    uint32_t group;  /* of a store: the warp's group of copies */
    uint32_t next;   /* in the order of commands; free list */
    uint32_t pieces; /* requests without a reply */
    uint64_t row;    /* the walk: row, its bytes, and those of sectors that it asks for */
    uint64_t first, end;
    uint64_t from, until;
    uint64_t at;    /* when its next step is due; UINT64_MAX: not by time */
    uint64_t began; /* it has been asked for */
    uint64_t port;  /* cycle behind its last one at the port */
} ww_copy_task;

typedef struct ww_copies {
    ww_copy_task *task;
    size_t room;
    uint32_t free;              /* free list */
    uint32_t first, last;       /* commands that have not been walked to their end, in order */
    uint32_t waiting;           /* of those, not started */
    uint32_t under_way;         /* tasks that are not free */
    uint64_t start_at, walk_at; /* the next command may start; the next request may be made */
    uint32_t out, out_last;     /* commands whose bytes go to other CTAs, in order */
    uint64_t out_at;            /* the next of their lines may be read */
    uint64_t in_flight;         /* bytes asked for and not there */
    bool warm;                  /* has had a command on global memory */
    bool blocked;               /* the way to the interconnect is full */
    uint64_t map[WW_COPY_MAPS]; /* tensor maps that it keeps, latest first */
    uint32_t maps;
    uint64_t busy; /* cycles in which it walked a command */
} ww_copies;

/* Groups of a warp's bulk copies. */
typedef struct ww_bulk_groups {
    uint32_t open, oldest_read, oldest_done; /* numbers of groups */
    uint16_t unread[WW_SM_GROUPS], undone[WW_SM_GROUPS];
} ww_bulk_groups;

#endif
