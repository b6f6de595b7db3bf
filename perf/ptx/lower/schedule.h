/* schedule.h - private to instruction scheduling: the dependences inside one region of a block. */
#ifndef WW_PERF_PTX_LOWER_SCHEDULE_H
#define WW_PERF_PTX_LOWER_SCHEDULE_H

#include "perf/ptx/lower/lower.h"

/* A region: instructions of one block that may change places. Node i is instruction `first` + i. */
typedef struct ww_region {
    uint32_t first, count;
} ww_region;

typedef struct ww_dag_edge {
    uint32_t to;
    uint32_t next;    /* next edge out of the same node; UINT32_MAX: none */
    uint32_t latency; /* cycles between the issue of both that cost no stall */
} ww_dag_edge;

typedef struct ww_dag {
    uint32_t count;
    uint32_t *head;     /* [node] first edge out; UINT32_MAX: none */
    uint32_t *blockers; /* [node] edges in */
    uint32_t *latency;  /* [node] cycles from issue to result */
    uint32_t *height;   /* [node] cycles from issue to the end of the region on the longest path */
    ww_dag_edge *edge;
    uint32_t edge_count, edge_capacity;
} ww_dag;

/* What the instructions of the current region last did to one register or one kind of memory. */
typedef struct ww_location {
    uint32_t region;  /* number of the region that the rest belongs to */
    uint32_t write;   /* last node that wrote any of it; UINT32_MAX: none */
    uint32_t word[2]; /* the same for the low and the high word of a register */
    uint32_t readers; /* chain of cells: nodes that have read since */
} ww_location;

typedef struct ww_reader_cell {
    uint32_t node, next;
} ww_reader_cell;

/* Builds the graphs of one function's regions, one after the other, in the same storage. */
typedef struct ww_dag_builder {
    const ww_function *f;
    const ww_arch *arch;
    ww_arena *scratch;
    ww_location *location; /* [register], then the kinds of memory */
    ww_reader_cell *cell;
    uint32_t cell_count, cell_capacity;
    uint32_t region;
    bool out_of_memory;
    ww_dag dag; /* of the last region built */
} ww_dag_builder;

WW_NODISCARD ww_status ww__dag_builder_init(ww_dag_builder *b, const ww_function *f,
                                            const ww_arch *arch, ww_arena *scratch, ww_error *err);
/** Replaces b->dag by the graph of a region. Every edge goes from a lower to a higher node. */
WW_NODISCARD ww_status ww__dag_build(ww_dag_builder *b, ww_region region, ww_error *err);
/** True for an instruction that nothing may cross: it ends a region and belongs to none. */
bool ww__ends_region(const ww_inst *inst);

/** Reorders the instructions inside blocks to overlap latencies, within the registers the
 * architecture grants. */
WW_NODISCARD ww_status ww__schedule(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                    ww_error *err);
/** 32-bit registers that scheduling may fill without lowering the occupancy of a full SM. */
uint32_t ww__schedule_register_target(const ww_arch *arch);

#endif
