/* sm.h - one streaming multiprocessor in time: what the GPU around it sees.
 * Functional execution happens at issue (ww_exec_step); everything here decides when.
 * Depends on: base, counters, isa, arch, perf/ptx, perf/exec, perf/mem. */
#ifndef WW_PERF_SM_SM_H
#define WW_PERF_SM_SM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"
#include "counters/counters.h"
#include "counters/lines.h"
#include "counters/timeline.h"
#include "perf/exec/exec.h"
#include "perf/mem/port.h"
#include "perf/sm/program.h"
#include "perf/exec/waits.h"
#include "perf/sm/message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- occupancy (occupancy.c): pure ---- */
typedef struct ww_occupancy {
    uint32_t ctas;     /* CTAs per SM; 0: one does not fit */
    const char *limit; /* what binds: "ctas", "threads", "warps", "registers", "shared" */
    uint32_t warps_per_cta;
    uint32_t warp_registers; /* 32-bit registers allocated to a warp */
    uint32_t cta_shared;     /* shared memory allocated to a CTA */
} ww_occupancy;

/** CTAs of that shape one SM holds. Registers are allocated per warp in units of sm.register_unit,
 * shared memory per CTA in units of sm.shared_unit_bytes (CUDA Occupancy Calculator, compute
 * capability 2.x: warp allocation granularity). */
ww_occupancy ww_occupancy_of(const ww_arch *arch, uint32_t threads, uint32_t registers,
                             uint32_t shared_bytes);

/** The same for warps that take so many 32-bit registers, whatever threads have of them. */
ww_occupancy ww_occupancy_of_words(const ww_arch *arch, uint32_t threads, uint32_t warp_words,
                                   uint32_t shared_bytes);

/** The GPC of an SM. Pairs of SMs, which share a TPC, are not divided: of 132 SMs and 8 GPCs, six
 * have 16 and two 18, as an H200 has. */
uint32_t ww_occupancy_gpc(const ww_arch *arch, uint32_t sm);
/** Clusters of that many CTAs that the machine holds at a time where an SM holds so many CTAs: all
 * CTAs of one in one GPC. */
uint32_t ww_occupancy_clusters(const ww_arch *arch, uint32_t ctas_per_sm, uint32_t size);

/* ---- the SM ---- */
typedef struct ww_sm ww_sm; /* opaque */
struct ww_mech;

/* What the GPU looks at every cycle. */
typedef struct ww_sm_pulse {
    uint64_t
        wake; /* first cycle that must be ticked unless a reply arrives; UINT64_MAX: none known */
    uint64_t progress; /* issues, replies and completions so far: unchanged means stuck */
    uint32_t outgoing; /* requests waiting for the interconnect */
    uint32_t ctas;     /* resident */
    uint32_t awaited;  /* replies due */
    bool held;         /* a warp waits for the window's edge */
    uint64_t active;   /* of the last window: bit per cycle that began with a CTA resident */
    uint64_t idle_at;  /* cycle in which the last CTA, request or reply was done with */
    uint32_t willing;  /* of the CTAs: have let dependent grids begin */
} ww_sm_pulse;

/* A CTA given to an SM: placed in core cycle `at`. */
typedef struct ww_sm_order {
    uint64_t at;
    uint32_t linear;
    ww_cluster *cluster; /* that it joins; NULL: none */
} ww_sm_order;

/* What the chip tells the SM of a CTA of a cluster, at an edge. */
typedef enum ww_cluster_event {
    WW_CLUSTER_DONE, /* nothing: whether the CTA is done, and nothing of it under way */
    WW_CLUSTER_LEFT, /* so are all CTAs of the cluster: its place is free */
} ww_cluster_event;

/** Whether its SMs have more warp slots than a word names, those of mechanisms included: they are
 * another compilation, and so are the mechanisms that fit them (slots.h). */
bool ww_sm_is_wide(const ww_arch *arch);
/** An SM of that architecture. port and counters are borrowed; what it always has lies in room,
 * which must live as long. @error ENOMEM; EUNSUP (more than 256 warps) */
WW_NODISCARD ww_status ww_sm_create(const ww_arch *arch, uint32_t id, ww_port *port,
                                    ww_counter_block *counters, ww_arena *room, ww_sm **out,
                                    ww_error *err);
void ww_sm_destroy(ww_sm *sm);
/** Adds a mechanism (perf/sm/seam.h), whose table must live as long as the SM. Before
 * ww_sm_begin.
 * @error as its `create`; ERANGE (too many); EUNSUP (a build without mechanisms) */
WW_NODISCARD ww_status ww_sm_attach(ww_sm *sm, const struct ww_mech *mech, ww_error *err);
/** Releases the mechanisms; ww_sm_destroy does the same. */
void ww_sm_detach_all(ww_sm *sm);

/** Prepares for a launch; program and launch are borrowed until ww_sm_end. The L1 data, constant
 * (unless peer.keep_constants) and texture caches start empty (they are not coherent between
 * kernels); instruction lines stay. */
WW_NODISCARD ww_status ww_sm_begin(ww_sm *sm, const ww_program *program, const ww_launch *launch,
                                   uint32_t cta_limit, ww_error *err);
/** Ends a launch, finished or not: resident CTAs and everything in flight are forgotten. */
void ww_sm_end(ww_sm *sm);

/** True when a CTA may be launched at cycle now. */
bool ww_sm_accepts(const ww_sm *sm, uint64_t now);
/** First cycle at which a launch may be accepted as far as timers say (not resources). */
uint64_t ww_sm_launch_time(const ww_sm *sm);
/** Places the linear-th CTA; after ww_sm_accepts, after the SM's tick of that cycle. It runs from
 * now + 1. */
WW_NODISCARD ww_status ww_sm_launch_cta(ww_sm *sm, uint32_t linear, uint64_t now, ww_error *err);

/** Tells it of one of its CTAs; see the events. A CTA of a cluster keeps its place until it is told
 * that it has left. */
bool ww_sm_cluster(ww_sm *sm, ww_cta *cta, ww_cluster_event event, uint64_t now);

/** What its CTAs have sent to others of their clusters since the last edge; NULL: they cannot. */
ww_messages *ww_sm_outbox(ww_sm *sm);
/** At an edge: whether the grids before the launch's have not ended yet, for which its CTAs may
 * wait; when they have, those that do go on. */
void ww_sm_set_depends(ww_sm *sm, bool depends, uint64_t now);
/** Adds spans of the timeline's CTA to it from now on, in launches that use engines; NULL: none. */
void ww_sm_set_timeline(ww_sm *sm, ww_timeline *timeline);
/** At an edge: hands over a message to one of its CTAs, m->to, which acts in cycle m->at, not
 * before the edge. False: out of memory. */
bool ww_sm_deliver(ww_sm *sm, const ww_message *m);

/** One core cycle. Cycles since the last tick are accounted for first: nothing happened in them.
 * @error as ww_exec_step */
WW_NODISCARD ww_status ww_sm_tick(ww_sm *sm, uint64_t now, ww_error *err);
/** Of a cycle that is not ticked, the part that depends on the interconnect alone: sends waiting
 * requests. */
void ww_sm_drain(ww_sm *sm, uint64_t now);
/**
 * Runs through core cycles [from, until), a window (at most 64 cycles) or a part of one; placing
 * orders in theirs, the first of which may be from - 1. Warps held until a window's edge go on when
 * from is one.
 * @param stopped  after an error: the cycle in which it happened
 * @error as ww_sm_tick
 */
WW_NODISCARD ww_status ww_sm_run(ww_sm *sm, uint64_t from, uint64_t until, bool edge,
                                 const ww_sm_order *order, uint32_t orders, uint64_t *stopped,
                                 ww_error *err);
/* ---- without time (fast_forward.c) ---- */
/** Whether the SM issues nothing. When it goes on, warps are where the executor has brought them.
 */
void ww_sm_rest(ww_sm *sm, bool rest, uint64_t now);
/** Nothing is in flight. */
bool ww_sm_at_rest(const ww_sm *sm);
/** At rest: executes about `most` instructions of the resident warps in turns, or what there is,
 * seen by the observer (or NULL);
 * CTAs that end leave. @error as ww_exec_step */
WW_NODISCARD ww_status ww_sm_fast_forward(ww_sm *sm, uint64_t most, uint64_t now,
                                          const ww_observer *observer, ww_functional_stats *stats,
                                          ww_error *err);
/** Behind that: each warp goes on to the place where it stood when the SM came to rest, if it comes
 * by there soon, so that they stand to each other as they did. @error as ww_exec_step */
WW_NODISCARD ww_status ww_sm_come_home(ww_sm *sm, uint64_t now, const ww_observer *observer,
                                       ww_functional_stats *stats, ww_error *err);
/** Warps of the CTA launched last. */
uint32_t ww_sm_newest_warps(const ww_sm *sm);

/** First core cycle, `from` or later, in which the SM has something to do; UINT64_MAX: none known.
 */
uint64_t ww_sm_next(const ww_sm *sm, uint64_t from);
/** What the SM has done to global memory since the last edge. */
ww_pending *ww_sm_pending(ww_sm *sm);
/** Brings time-integrating counters up to cycle `now` exclusive. Changes nothing else. */
void ww_sm_account(ww_sm *sm, uint64_t now);
const ww_sm_pulse *ww_sm_pulse_of(const ww_sm *sm);
/** Whether sleeping is allowed: off, every cycle of a busy SM is ticked (for tests of the
 * equivalence). Default on. */
void ww_sm_allow_sleep(ww_sm *sm, bool allow);

/** Adds what each live warp waits for. */
void ww_sm_explain(const ww_sm *sm, ww_waits *waits);

/* ---- counts by instruction (profile.c) ---- */
typedef struct ww_profile_count {
    uint64_t v[WW_LINE_COUNT];
    uint64_t charged[WW_SM_CHARGES]; /* events, by counter from WW_CHARGE_FIRST on */
} ww_profile_count;

/** Rows of a program's profile: its instructions, and behind them WW_CHARGE_ROWS more. */
static inline uint32_t ww_profile_rows(const ww_program *program)
{
    return program->count + WW_CHARGE_ROWS;
}

/** Whether launches from now on are profiled. Default off. Between launches. @error ENOMEM */
WW_NODISCARD ww_status ww_sm_set_profiling(ww_sm *sm, bool on, ww_error *err);
/** From cycle now on it runs at another clock: what it says of time in nanoseconds. */
void ww_sm_set_core_clock(ww_sm *sm, double core_hz, uint64_t now);
/** Whether launches from now on count bits that switch (values.h). Default off. Between launches.
 * @error ENOMEM */
WW_NODISCARD ww_status ww_sm_set_values(ww_sm *sm, bool on, ww_error *err);
/** Counts into a table of the caller's from now on, [ww_profile_rows], which SMs that no two
 * threads simulate at a time may share; NULL: into the SM's own. */
void ww_sm_count_into(ww_sm *sm, ww_profile_count *table);
/** Of the launch until ww_sm_end, where the SM has counted into its own table: rows. Slots and
 * instructions sum to the counters that they are a share of (ww_line_count_counter), events to
 * theirs. NULL: not profiled. */
const ww_profile_count *ww_sm_profile(const ww_sm *sm);

/* ---- counts without time (tally.c) ---- */
/** Adds to v[counter] what executed instructions mean for the counters that depend on nothing but
 * how often each was executed (from_code in their rows); stats->pc must have been counted. */
void ww_program_tally(const ww_program *program, const ww_functional_stats *stats, uint64_t *v);
/** Adds to a row of a profile the same of the instruction in that place, of those executed (pc, by
 * instruction). */
void ww_profile_tally(const ww_program *program, uint32_t place, const ww_pc_count *pc,
                      ww_profile_count *row);
/** Instructions started on pipelines of a kind; WW_COUNTER_COUNT for control. */
ww_counter ww_pipe_counter(unsigned pipe);

#ifdef __cplusplus
}
#endif
#endif
