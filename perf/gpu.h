/* gpu.h - the simulated chip: SMs, memory system and the cycle loop over them. Private to perf/;
 * tests use it too. Depends on: base, counters, arch, perf/sm and below. */
#ifndef WW_PERF_GPU_H
#define WW_PERF_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"
#include "counters/counters.h"
#include "perf/device.h"
#include "perf/mech/mech.h"
#include "perf/sm/sm.h"

/* Snapshots of one launch (snapshot.c). */
typedef struct ww_snapshots {
    uint64_t every;        /* core cycles; 0: none are taken */
    uint64_t next;         /* cycle of the next one */
    uint64_t first;        /* where the current interval began, since launch */
    ww_counter_set before; /* counters at that point */
    ww_interval *interval;
    size_t count, capacity;
} ww_snapshots;

typedef struct ww_gpu {
    const ww_arch *arch;     /* borrowed */
    ww_counter_set counters; /* of the current launch */
    ww_memsys *memory;
    ww_sm **sm;
    const ww_sm_pulse **pulse; /* [sm] */
    bool *active;              /* [sm] holds a CTA, as of the end of the last cycle */
    uint32_t *cluster_sms;     /* [cluster] active SMs */
    uint32_t active_clusters;
    uint64_t cycle; /* device time: core cycles since creation */
    bool may_skip;
    const ww_mech *mech[WW_MECH_MOST]; /* active mechanisms, for every SM */
    uint32_t mech_count;

    /* of the running launch */
    uint64_t start;
    uint64_t ctas, next_cta;
    uint32_t cta_limit, next_sm;
    ww_snapshots snapshots;
} ww_gpu;

/* What a launch may do besides running. */
typedef struct ww_gpu_run_options {
    uint64_t interval_cycles, max_cycles;
    void (*on_progress)(void *user, uint64_t cycles, uint64_t warp_instructions);
    void *user;
} ww_gpu_run_options;

ww_status ww_gpu_create(const ww_arch *arch, ww_gpu **out, ww_error *err);
void ww_gpu_destroy(ww_gpu *gpu);
/** Adds a mechanism to every SM; its table must outlive the chip. Before kernels are built.
 * @error as ww_sm_attach */
ww_status ww_gpu_attach(ww_gpu *gpu, const ww_mech *mech, ww_error *err);
/** Off: every cycle is ticked. The counters are the same; tests compare them. Default on. */
void ww_gpu_allow_skip(ww_gpu *gpu, bool allow);

/**
 * Runs a prepared launch to completion: until every CTA has finished and the memory system is
 * quiet. Counters and intervals are those of this launch and stay until the next. After an error
 * the chip is reset.
 * @error as ww_exec_step; EDEADLOCK (no progress, or max_cycles exceeded) with what each warp waits
 * for
 */
ww_status ww_gpu_run(ww_gpu *gpu, const ww_launch *launch, const ww_program *program,
                     uint32_t cta_limit, const ww_gpu_run_options *options, ww_error *err);

/** The chip of a device, for tests. */
ww_gpu *ww_device_gpu(ww_device *device);

/* ---- dispatch.c ---- */
/* Gives CTAs to SMs that accept one, round robin, at most one per SM and cycle. */
ww_status ww_gpu_dispatch(ww_gpu *gpu, uint64_t now, ww_error *err);

/* ---- clock.c ---- */
/* First core cycle after now in which anything can happen; UINT64_MAX: never. */
uint64_t ww_gpu_next_cycle(const ww_gpu *gpu, uint64_t now);
/* Notes which SMs and clusters hold CTAs. */
void ww_gpu_note_active(ww_gpu *gpu);
/* True when every CTA is done and nothing is on its way. */
bool ww_gpu_finished(const ww_gpu *gpu);
/* Brings all counters that integrate over time up to cycle now, exclusive. */
void ww_gpu_account(ww_gpu *gpu, uint64_t now);

/* ---- snapshot.c ---- */
ww_status ww_snapshots_begin(ww_snapshots *s, const ww_gpu *gpu, uint64_t every, ww_error *err);
/* Closes the interval that ends before cycle now. The counters must be accounted up to now. */
ww_status ww_snapshots_take(ww_snapshots *s, const ww_gpu *gpu, uint64_t now, ww_error *err);
void ww_snapshots_clear(ww_snapshots *s);

#endif
