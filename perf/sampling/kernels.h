/* kernels.h - kernel sampling: what repeated launches of a kernel take is known from those
 * simulated before. Private to perf/. Depends on: perf/sampling/sampling.h. */
#ifndef WW_PERF_SAMPLING_KERNELS_H
#define WW_PERF_SAMPLING_KERNELS_H

#include "perf/sampling/sampling.h"

/* Launches that execute alike: as many instructions, of the same kinds. */
typedef struct ww_launch_kind {
    struct ww_launch_kind *next; /* by when one was last seen, latest first */
    struct ww_launch_kind *then; /* that of the launch behind the one before last of this kind */
    ww_sample_site known;        /* sum over the launches simulated since rates last changed */
    ww_sample_window *window;    /* each of them */
    uint32_t windows;
    uint32_t to_skip; /* launches to predict before one is simulated again */
    uint32_t streak;  /* what to_skip began at */
    uint32_t skipped; /* launches predicted since one was simulated */
    double miss; /* largest relative difference, so far, of what a launch behind predicted ones took
                    from what had been predicted */
} ww_launch_kind;

/* Launches of one kernel with as many CTAs of as many threads, however they are arranged. */
typedef struct ww_kernel_sampler {
    struct ww_kernel_sampler *next;
    const void *kernel; /* whose launches; compared by address */
    uint64_t ctas, threads;
    uint32_t shared_bytes;
    ww_launch_kind *kinds; /* the first: that of the latest launch */
} ww_kernel_sampler;

/** The entry of such launches in a list, made when missing. */
WW_NODISCARD ww_status ww_kernel_sampler_find(ww_kernel_sampler **list, const void *kernel,
                                              const ww_launch *launch, uint32_t shared_bytes,
                                              ww_kernel_sampler **out, ww_error *err);
void ww_kernel_sampler_destroy(ww_kernel_sampler *list);

/** The kind that the next launch is expected to be of, if its cycles can be predicted with that
 * relative half-width of their 95 % interval; else NULL. */
const ww_launch_kind *ww_kernel_sampler_expect(const ww_kernel_sampler *r, double error);
/** Counters of a launch that was only executed, and their errors. counters: cleared before. */
WW_NODISCARD ww_status ww_kernel_sampler_predict(ww_kernel_sampler *r, const ww_program *program,
                                                 const ww_functional_stats *stats,
                                                 ww_counter_set *counters,
                                                 ww_counter_block *error_of, ww_error *err);
/** A launch was simulated: what it counted. */
WW_NODISCARD ww_status ww_kernel_sampler_learn(ww_kernel_sampler *r, const ww_counter_set *counters,
                                               double error, ww_error *err);

#endif
