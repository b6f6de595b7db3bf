/* gpu.h - the simulated chip: SMs, memory system and the windows of cycles in which they run. What
 * executes parts of a launch without time (perf/sampling) sits above and is asked at edges.
 * Private to perf/; tests use it too. Depends on: base, counters, arch, mech, perf/sm and below. */
#ifndef WW_PERF_GPU_GPU_H
#define WW_PERF_GPU_GPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"
#include "base/threads.h"
#include "counters/counters.h"
#include "counters/governor.h"
#include "perf/mem/charges.h"
#include "perf/mem/port.h"
#include "perf/sm/seam.h"
#include "perf/sm/sm.h"
#include "perf/types.h"

/* Snapshots of one launch (snapshot.c). */
typedef struct ww_snapshots {
    uint64_t every;        /* core cycles; 0: none are taken */
    uint64_t next;         /* cycle of the next one */
    uint64_t first;        /* where the current interval began, since launch */
    ww_counter_set before; /* counters at that point */
    ww_interval *interval;
    size_t count, capacity;
    size_t most; /* of them, even; at which neighbours are merged and `every` doubles */
} ww_snapshots;

/* What an SM is to do in the present window, and how that went. Between edges it belongs to the
 * thread that simulates the SM. */
typedef struct ww_sm_work {
    ww_sm_order *order; /* [WW_LONGEST_WINDOW] of gpu->orders */
    ww_error *err;      /* of gpu->work_err: nobody touches them as a rule */
    uint64_t stopped;   /* cycle of the error */
    uint64_t active;    /* after a stretch in which it was due: as pulse->active */
    uint32_t orders;
    unsigned counts_for; /* the thread into whose profile the SM counts */
    ww_status status;
    bool due; /* there is something to do */
} ww_sm_work;

/* A launch among those that run at the same time (grids.c). */
typedef struct ww_grid {
    const ww_launch *launch;
    const ww_program *program;
    uint32_t cta_limit;    /* that an SM holds */
    const uint32_t *after; /* grids before it in the list that must have ended */
    uint32_t after_count;
    bool early; /* it may begin when their CTAs have all been placed, and have ended or let
                   dependents begin (griddepcontrol) */

    uint64_t ctas, next_cta;
    bool clustered; /* its CTAs come in clusters of more than one */
    uint32_t sms;   /* that take its CTAs */
    uint64_t last;  /* cycle in which one of those before was done */
    uint64_t first; /* cycle from which its CTAs may be placed; UINT64_MAX: others come first */
    uint64_t end;   /* cycle by which all its work was done; UINT64_MAX: it is not */
    ww_profile_count *profile; /* rows; NULL: none. While it runs: as many for each thread */
    uint32_t profiles;         /* tables of rows */
} ww_grid;

#define WW_NO_GRID UINT32_MAX

struct ww_share; /* parts.c */
struct ww_gpu_edges;

typedef struct ww_gpu {
    const ww_arch *arch;     /* borrowed */
    ww_counter_set counters; /* of the current launch */
    ww_memsys *memory;
    ww_ports *ports;
    ww_sm **sm;
    ww_arena sm_room;          /* of the SMs */
    const ww_sm_pulse **pulse; /* [sm] */
    ww_sm_work *work;          /* [sm] */
    ww_sm_order *orders;       /* [sm][WW_LONGEST_WINDOW] */
    ww_error *work_err;        /* [sm] */
    ww_pending **effects;      /* [sm] room for a list */
    uint64_t cycle;            /* device time: core cycles since creation */
    double core_hz;            /* of the cycles to come */
    uint32_t window;           /* core cycles */
    bool behind;               /* the memory system runs a window behind the SMs */
    bool may_skip;
    const ww_mech *mech[WW_MECH_MOST]; /* active mechanisms, for every SM */
    uint32_t mech_count;
    bool profiling;
    bool values;           /* bits that switch are counted */
    ww_data data;          /* of theirs */
    ww_timeline *timeline; /* NULL: none; borrowed */
    ww_charges charges;    /* of the memory system, by owner; since they were last cleared */

    /* parts.c */
    ww_team *team;          /* NULL: the caller's thread alone */
    struct ww_share *share; /* [member] */
    uint32_t *due;          /* SMs with something to do, ascending */
    uint32_t due_count;
    uint64_t events, progress; /* issues, replies and completions: of the last stretch, so far */
    uint64_t from, until;      /* of the SMs */
    uint64_t memory_until;     /* of the memory system */
    bool at_edge, memory_edge; /* a window begins at `from`; one ends at memory_until */

    /* of the running launch, or of several that run at the same time; stays until the next */
    ww_grid *grid; /* in the order of issue */
    uint32_t grids;
    uint32_t *grid_of; /* [sm] the one whose CTAs it takes; WW_NO_GRID: none */
    uint64_t start;
    uint64_t limit; /* first cycle that the launch may not take; UINT64_MAX: none */
    uint32_t next_sm;
    ww_cluster **cta_cluster; /* cluster.c: those with CTAs on the chip */
    uint32_t cta_clusters, cta_cluster_room;
    uint32_t next_gpc;
    ww_snapshots snapshots;
    const ww_governor *governor;      /* NULL: the clock stays; borrowed */
    const struct ww_gpu_edges *edges; /* NULL: nobody is asked */
    uint64_t cta_stop; /* CTAs dispatched at which `reached` is called; UINT64_MAX: never */
    bool resting;      /* no CTA is dispatched */
    bool cut;          /* the instruction budget ended it */
} ww_gpu;

/* Who is asked while a single launch runs, between windows, when nothing is being simulated. It may
 * execute CTAs or warps without time, move the grid's next_cta, and set `cta_stop` and `resting`,
 * which are off when a launch begins. */
typedef struct ww_gpu_edges {
    /* The launch is about to begin. */
    ww_status (*begin)(void *user, ww_gpu *gpu, ww_error *err);
    /* At every edge, before CTAs are dispatched. */
    ww_status (*edge)(void *user, ww_gpu *gpu, uint64_t now, ww_error *err);
    /* The dispatcher has placed CTA cta_stop - 1 and goes no further. */
    ww_status (*reached)(void *user, ww_gpu *gpu, uint64_t now, ww_error *err);
    /* The launch has ended without an error; the counters are its. */
    ww_status (*end)(void *user, ww_gpu *gpu, ww_error *err);
    void *user;
} ww_gpu_edges;

/* What a launch may do besides running. */
typedef struct ww_gpu_run_options {
    uint64_t interval_cycles, max_cycles;
    uint64_t max_instructions;   /* > 0: thread instructions of the program after which it ends */
    uint64_t interval_bytes;     /* that the counters of intervals may take; 0: WW_INTERVAL_BYTES */
    const ww_gpu_edges *edges;   /* NULL: nobody is asked; borrowed */
    const ww_governor *governor; /* of the core clock, with interval_cycles; NULL: it stays */
    void (*on_progress)(void *user, uint64_t cycles, uint64_t warp_instructions, double done);
    const volatile sig_atomic_t *stop; /* see ww_device_options */
    void *user;
} ww_gpu_run_options;

WW_NODISCARD ww_status ww_gpu_create(const ww_arch *arch, ww_gpu **out, ww_error *err);
void ww_gpu_destroy(ww_gpu *gpu);
/** Adds a mechanism to every SM; its table must outlive the chip. Before kernels are built.
 * @error as ww_sm_attach */
WW_NODISCARD ww_status ww_gpu_attach(ww_gpu *gpu, const ww_mech *mech, ww_error *err);
/** Off: every cycle is ticked. The counters are the same; tests compare them. Default on. */
void ww_gpu_allow_skip(ww_gpu *gpu, bool allow);
/** Simulates on so many threads from now on, at most one per SM and one more. The results are the
 * same for any number. Default 1. @error ENOMEM */
WW_NODISCARD ww_status ww_gpu_set_threads(ww_gpu *gpu, unsigned threads, ww_error *err);

/**
 * Runs a prepared launch to completion: until every CTA has finished and the memory system is
 * quiet; or to the first edge of a window at which its instruction budget is used up (gpu->cut).
 * Counters and intervals are those of this launch and stay until the next. After an error, and
 * after a launch that was cut, the chip is reset.
 * @error as ww_exec_step; EDEADLOCK (no progress, or max_cycles exceeded) with what each warp waits
 * for
 */
WW_NODISCARD ww_status ww_gpu_run(ww_gpu *gpu, const ww_launch *launch, const ww_program *program,
                                  uint32_t cta_limit, const ww_gpu_run_options *options,
                                  ww_error *err);

/**
 * The same for n launches that may run at the same time, each once those that it names as `after`
 * have ended. An SM takes CTAs of one launch at a time; when it is done with them, it goes over to
 * the first launch in the list that has CTAs left. Counters and intervals are those of all
 * launches together; gpu->grid tells when each ended. With more than one, nobody is asked at edges.
 * @param grids  launch, program, cta_limit and after filled in; copied
 */
WW_NODISCARD ww_status ww_gpu_run_grids(ww_gpu *gpu, const ww_grid *grids, uint32_t n,
                                        const ww_gpu_run_options *options, ww_error *err);

/** Counts by instruction from now on, in the profiles of gpu->grid after each launch. Default off.
 * @error ENOMEM
 */
WW_NODISCARD ww_status ww_gpu_set_profiling(ww_gpu *gpu, bool on, ww_error *err);
/** Counts bits that switch from now on; between launches. @error ENOMEM */
WW_NODISCARD ww_status ww_gpu_count_values(ww_gpu *gpu, ww_data data, ww_error *err);
/** Makes room in gpu->charges for so many owners of requests, and clears it. Of a chip that
 * profiles; between launches. @error ENOMEM */
WW_NODISCARD ww_status ww_gpu_charge(ww_gpu *gpu, uint32_t owners, ww_error *err);

/** Follows the timeline's CTA of each launch from now on; NULL: none. */
void ww_gpu_set_timeline(ww_gpu *gpu, ww_timeline *timeline);

/* ---- dispatch.c ---- */
/* At the edge of a window: orders the CTAs of the cycles [edge - 1, edge - 1 + window), to SMs with
 * room as of the edge, round robin, at most one per SM and cycle. */
WW_NODISCARD ww_status ww_gpu_dispatch(ww_gpu *gpu, uint64_t edge, ww_error *err);

/* ---- cluster.c ---- */
/* Orders clusters of a grid, as many as find room in a GPC each, up to its CTA number `ctas`; all
 * CTAs of one in the window whose first cycle `from` is. @error ENOMEM */
WW_NODISCARD ww_status ww_clusters_dispatch(ww_gpu *gpu, uint32_t g, uint64_t from, uint64_t ctas,
                                            ww_error *err);
/* At the edge of a window: hands over what SMs have sent each other, opens barriers, and frees the
 * places of clusters that have ended. @error ENOMEM */
WW_NODISCARD ww_status ww_clusters_meet(ww_gpu *gpu, uint64_t edge, ww_error *err);
/* No CTA is on the chip any more. */
void ww_clusters_forget(ww_gpu *gpu);
void ww_clusters_free(ww_gpu *gpu);

/* ---- grids.c ---- */
/* Takes the grids over and gives every SM what it begins with. */
WW_NODISCARD ww_status ww_grids_begin(ww_gpu *gpu, const ww_grid *grids, uint32_t n, ww_error *err);
/* At the edge of a window: notes which grids have ended, which may begin therefore, and gives SMs
 * that are done with theirs another. */
WW_NODISCARD ww_status ww_grids_advance(ww_gpu *gpu, uint64_t edge, ww_error *err);
/* All CTAs are done: takes the SMs back and sums up the profiles. */
void ww_grids_end(ww_gpu *gpu);
/* CTAs placed so far; CTAs not placed yet. */
uint64_t ww_grids_placed(const ww_gpu *gpu);
uint64_t ww_grids_left(const ww_gpu *gpu);
/* The first that has not ended. */
const ww_grid *ww_grids_current(const ww_gpu *gpu);
void ww_grids_clear(ww_gpu *gpu);

/* ---- clock.c ---- */
/* Core cycles, a multiple of the window, from an edge over windows in which nothing can happen;
 * UINT64_MAX: nothing can happen any more. */
uint64_t ww_gpu_idle_cycles(const ww_gpu *gpu, uint64_t edge);
/* Counts the cycles of active clusters in a stretch that the SMs have just run. */
void ww_gpu_count_clusters(ww_gpu *gpu, uint64_t cycles);
/* The same for `cycles` in which no SM runs. */
void ww_gpu_count_idle(ww_gpu *gpu, uint64_t cycles);
/* True when every CTA is done and nothing is on its way; *last: the last cycle in which that was
 * not so. */
bool ww_gpu_finished(const ww_gpu *gpu, uint64_t *last);
/* Brings all counters that integrate over time up to cycle now, exclusive. */
void ww_gpu_account(ww_gpu *gpu, uint64_t now);

/* ---- parts.c ---- */
/* Runs the SMs that are due through [from, until) and the memory system up to memory_until. */
void ww_gpu_run_parts(ww_gpu *gpu);
void ww_gpu_end_threads(ww_gpu *gpu);

/* ---- snapshot.c ---- */
WW_NODISCARD ww_status ww_snapshots_begin(ww_snapshots *s, const ww_gpu *gpu,
                                          const ww_gpu_run_options *options, ww_error *err);
/* Closes the interval that ends before cycle now. The counters must be accounted up to now. */
WW_NODISCARD ww_status ww_snapshots_take(ww_snapshots *s, const ww_gpu *gpu, uint64_t now,
                                         ww_error *err);
void ww_snapshots_clear(ww_snapshots *s);

/* ---- govern.c ---- */
/* Everything stands at cycle now: from it on, the core runs at another clock. */
void ww_gpu_set_clock(ww_gpu *gpu, double core_hz, uint64_t now);
/* Closes an interval as ww_snapshots_take and asks who governs the clock. @error ERANGE: a clock
 * that the card does not have; more intervals than memory holds */
WW_NODISCARD ww_status ww_gpu_snapshot(ww_gpu *gpu, uint64_t now, ww_error *err);
/* The launch's cycles over its time. Where the machine's own point held throughout, intervals say
 * nothing of it any more. */
double ww_gpu_mean_hz(ww_gpu *gpu);

#endif
