/* seam_core.h - the seam of a mechanism that brings a core of its own: what lies between issue and
 * the end of an instruction is its (ww_mech.core, a table of hooks), and what it needs of the SM
 * for that are services. Front end, scoreboard, schedulers, SIMT stacks and the load/store unit
 * stay the SM's. Included by seam.h.
 *
 * The way of an instruction: `blocked` lets it issue, `start` takes it. One that no memory answers
 * gets its times at once (ww_mech_results). One of memory is held by the core, which makes its
 * addresses, until it either hands it to the load/store unit (ww_mech_queue) or has made all
 * accesses itself (ww_mech_accessed, then ww_mech_results or ww_mech_complete). */
#ifndef WW_PERF_SM_SEAM_CORE_H
#define WW_PERF_SM_SEAM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counters.h"
#include "perf/exec/exec.h"
#include "perf/sm/program.h"
#include "perf/sm/warps.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_sm ww_sm;

/* Heads of one scheduler that are ready, sets of warp slots. */
typedef struct ww_core_heads {
    ww_warps ready;
    ww_warps control, memory; /* those that go to WW_UNIT_CTRL, to WW_UNIT_LDST; others may be in */
    ww_warps appearing;       /* their warp has results that have begun to appear; likewise */
    bool may_hold;            /* one more memory instruction: there are entries for those that the
                                 core holds and those queued */
} ww_core_heads;

/* An instruction as the core sees it: the head of a warp, or one in flight. */
typedef struct ww_core_inst {
    const ww_sm_op *op;  /* lives as long as the launch */
    const ww_step *step; /* of a memory instruction that the core holds: what it accesses, until it
                            is handed on or accessed. In `start`, of one that reads a word of shared
                            memory as an operand, through the banks (ldst.folded): its threads'
                            addresses, until `start` returns. NULL: all others, heads */
    uint32_t threads;    /* that execute it; of a head: those that are active and pass its guard */
    uint32_t warp;       /* slot */
    bool shared;         /* in flight: it accesses shared memory */
} ww_core_inst;

/* A core: the row that stands for collectors and pipelines, or partitions, on other machines.
 * `state` is the mechanism's own; each hook is there. Nothing of it may change in a cycle in which
 * the SM is not ticked but by the clock alone (next_free). */
typedef struct ww_mech_core {
    /* Cycles by which the last result of an instruction may lie behind the longest latency of the
     * machine. */
    uint32_t (*horizon)(const ww_arch *arch);
    /* Memory instructions that it holds at most. */
    uint32_t (*holds)(const ww_arch *arch);
    /* Those of the ready heads that cannot issue in cycle now; others may be in. */
    ww_warps (*blocked)(const void *state, const ww_core_heads *heads, uint64_t now);
    /* Takes an instruction that has just been issued; its registers are reserved. Its operations
     * are counted behind it, of the threads that are left. */
    void (*start)(void *state, uint32_t flight, const ww_core_inst *inst, uint64_t now);
    /* All results of an instruction are there: they are written in this cycle, and it is over. */
    void (*written)(void *state, const ww_core_inst *inst, uint64_t now);
    /* Every cycle that the SM is ticked, behind the load/store unit, before issue. */
    void (*cycle)(void *state, uint64_t now);
    /* First cycle after now in which something taken is free again or `cycle` will do something;
     * UINT64_MAX: not by time alone. */
    uint64_t (*next_free)(const void *state, uint64_t now);
} ww_mech_core;

/* ---- services, rows of WW_MECH_SERVICES (ops.h) ---- */

/** Pipelines of a kind (ww_unit or WW_PIPE_INT) that the machine describes. */
uint32_t ww_mech_pipes(const ww_sm *sm, uint32_t unit);

/* heads and hazards */
/** Warp slots whose head has no hazard and which nothing holds. */
ww_warps ww_mech_ready(const ww_sm *sm);
/** The head of a warp that has one. */
ww_core_inst ww_mech_head_of(const ww_sm *sm, uint32_t warp);
/** Whether the head of a warp names results that have begun to appear, and needs the last of them:
 * it is of control or crosses threads, other threads execute it, or they are its guard. Others
 * follow thread by thread. */
bool ww_mech_needs_last(const ww_sm *sm, uint32_t warp);

/* instructions in flight */
ww_core_inst ww_mech_flight(const ww_sm *sm, uint32_t flight);
/** Adds to a counter of the SM what the instruction caused: it is of its line. */
void ww_mech_charge(ww_sm *sm, const ww_sm_op *op, ww_counter counter, uint64_t n);
/** Only these of its threads, at least one, go through the unit; from `start`. */
void ww_mech_only(ww_sm *sm, uint32_t flight, uint32_t threads);
/** Its results begin to appear in cycle `first`, from which on the scoreboard lets instructions
 * that name them issue (`blocked` is asked about those), and are all there in `last`, when
 * `written` is called. now < first <= last; last - now at most `horizon` and the machine's longest
 * latency. */
void ww_mech_results(ww_sm *sm, uint32_t flight, uint64_t first, uint64_t last);

/* memory instructions that the core holds */
/** Whether the load/store unit's queue takes one. */
bool ww_mech_queue_room(const ww_sm *sm);
/** Hands it to the load/store unit, which ends it; where there is room. */
void ww_mech_queue(ww_sm *sm, uint32_t flight);
/** Splits it into accesses of addresses that come one per cycle, the last in last_at: the
 * load/store unit will make each when its last address is there, in whatever order instructions
 * stand. Returns the cycle in which the first is complete, from which on it may be queued. */
uint64_t ww_mech_coalesce(ww_sm *sm, uint32_t flight, uint64_t last_at, uint64_t now);
/** The core has made all of its accesses: the unit knows nothing of it any more. */
void ww_mech_accessed(ww_sm *sm, uint32_t flight);

#ifdef __cplusplus
}
#endif
#endif
