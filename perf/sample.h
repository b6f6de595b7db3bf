/* sample.h - sampling of long launches: some CTAs in time, the others without, and what the whole
 * would have counted. Private to perf/. Depends on: base, counters, perf/exec, perf/sm. */
#ifndef WW_PERF_SAMPLE_H
#define WW_PERF_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "counters/counters.h"
#include "perf/exec/exec.h"
#include "perf/sm/sm.h"

/* Relative standard error of the cycles that sampling aims at where nothing else is asked for. */
#define WW_SAMPLE_ERROR 0.02

/* The counters of one wave that was measured, summed over instances. */
typedef struct ww_sample_window {
    uint64_t v[WW_COUNTER_COUNT];
} ww_sample_window;

/** Appends the totals of counters to a list of *count windows (NULL and 0 at first; release with
 * ww_free); returns the new one in *out. ENOMEM. */
ww_status ww_sample_window_add(ww_sample_window **list, uint32_t *count,
                               const ww_counter_set *counters, const ww_sample_window **out,
                               ww_error *err);

/* Waves measured one after the other. */
typedef struct ww_sample_site {
    ww_counter_set sum;
    uint64_t warp_inst; /* of sum */
} ww_sample_site;

typedef struct ww_cta_sampler {
    uint64_t
        next; /* CTAs dispatched at which ww_sampler_reached must be called; UINT64_MAX: never */

    /* of the launch */
    const ww_launch *launch;
    const ww_program *program;
    double error;           /* aimed at */
    uint64_t wave;          /* CTAs that the machine holds at once */
    uint64_t ctas;          /* of the launch */
    uint64_t gap;           /* waves to skip at a time; 0: not decided yet */
    bool measuring;         /* the wave that ends at `next` is a window */
    ww_counter_set before;  /* counters where the window began */
    ww_sample_site site[2]; /* the present one, and the one before the last gap */
    ww_sample_window *window;
    uint32_t windows;

    /* since the site before: CTAs skipped, and the waves simulated until measuring goes on, which
     * find caches as the jump left them and count as skipped too */
    ww_functional_stats gap_stats;
    ww_pc_count *pc;        /* [program->count] of them */
    bool warming;           /* before: counters at the jump */
    ww_counter_set warm_up; /* counters of those waves, of all gaps */
    uint64_t warm_up_inst;  /* of the present gap */

    /* of all gaps that have been closed */
    ww_counter_set extra;             /* what they would have counted */
    double drift[WW_COUNTER_COUNT];   /* variance of extra's totals: a gap's rate lies somewhere
                                         between those of its two sites */
    ww_counter_block error_of;        /* standard error of extra's totals */
    uint64_t extrapolated;            /* warp instructions in them */
    uint64_t exact[WW_COUNTER_COUNT]; /* counters that need no extrapolation, of the present gap */
} ww_cta_sampler;

struct ww_gpu;

/** Prepares for a launch; too few waves turn the sampler off (`next` is UINT64_MAX). launch and
 * program are borrowed until ww_sampler_end. */
ww_status ww_sampler_begin(ww_cta_sampler *s, const struct ww_gpu *gpu, const ww_launch *launch,
                           const ww_program *program, ww_error *err);
/** The dispatcher has placed CTA `next` - 1 and goes no further. Between windows; may execute CTAs
 * without time and move the grid's next_cta.
 */
ww_status ww_sampler_reached(ww_cta_sampler *s, struct ww_gpu *gpu, uint64_t now, ww_error *err);
/** The launch has run: adds what was skipped to the chip's counters. */
ww_status ww_sampler_end(ww_cta_sampler *s, struct ww_gpu *gpu, ww_error *err);
void ww_sampler_fini(ww_cta_sampler *s);

/* ---- estimate.c ---- */
/** Adds to each counter of *dst what `warp_inst` warp instructions would have counted at the mean
 * rate of the two sites (b may be NULL). Counters that `exact` covers come from there instead,
 * dealt out evenly to the instances.
 * @param exact  [WW_COUNTER_COUNT] */
ww_status ww_sample_extrapolate(ww_counter_set *dst, const ww_sample_site *a,
                                const ww_sample_site *b, uint64_t warp_inst, const uint64_t *exact,
                                ww_error *err);
/** Variance of what `warp_inst` warp instructions count when their rate is anywhere between those
 * of two sites with the same probability. */
double ww_sample_drift(const ww_sample_site *a, const ww_sample_site *b, uint64_t warp_inst,
                       ww_counter counter);
/** Standard error of a ratio to warp instructions, over windows, widened by Student's t for few
 * of them. Cochran, Sampling Techniques, 3rd ed., eq. 2.39. */
double ww_sample_ratio_error(const ww_sample_window *window, uint32_t count, ww_counter counter);
/** The ratio itself. */
double ww_sample_ratio(const ww_sample_window *window, uint32_t count, ww_counter counter);

#endif
