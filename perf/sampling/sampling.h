/* sampling.h - sampling of long launches: some CTAs in time, the others without, and what the whole
 * would have counted. Private to perf/. Depends on: base, counters, perf/gpu and below. */
#ifndef WW_PERF_SAMPLING_SAMPLING_H
#define WW_PERF_SAMPLING_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "counters/counters.h"
#include "perf/exec/exec.h"
#include "perf/gpu/gpu.h"

/* Launches of so many waves (CTAs that the machine holds at once) are sampled by CTA, whose phases
 * then stay as they are; in launches of fewer nothing worth it could be skipped that way, and warps
 * go ahead instead. */
enum { WW_MANY_WAVES = 10 };

/* The counters of one wave that was measured, summed over instances. */
typedef struct ww_sample_window {
    uint64_t v[WW_COUNTER_COUNT];
    uint32_t site; /* of which it is; those of one follow each other */
    double weight; /* instructions of gaps that count at its rate */
} ww_sample_window;

/** Appends the totals of counters to a list of *count windows (NULL and 0 at first; release with
 * ww_free); returns the new one in *out. ENOMEM. */
WW_NODISCARD ww_status ww_sample_window_add(ww_sample_window **list, uint32_t *count,
                                            const ww_counter_set *counters,
                                            const ww_sample_window **out, ww_error *err);

/* Waves measured one after the other. */
typedef struct ww_sample_site {
    ww_counter_set sum;
    uint64_t warp_inst; /* of sum */
    uint32_t windows;
} ww_sample_site;

/* ---- ledger.c ---- */
typedef struct ww_ledger {
    const ww_program *program;
    bool measuring;         /* a window is open */
    ww_counter_set before;  /* counters where the window, or the gap, began */
    ww_sample_site site[2]; /* the present one, and the one before the last gap */
    ww_sample_site all;     /* all of them together */
    ww_sample_window *window;
    uint32_t windows, sites;

    /* since the site before: instructions executed without time, and what was simulated around them
     * until measuring goes on, which finds caches as the gap left them and counts as skipped too */
    bool gap, warming;
    ww_functional_stats gap_stats;
    ww_pc_count *pc;        /* [program->count] of them */
    ww_counter_set warm_up; /* counters of what was simulated so, of all gaps */
    uint64_t warm_up_inst;  /* of the present gap */

    /* of all gaps that have been closed */
    ww_counter_set extra;           /* what they would have counted */
    double drift[WW_COUNTER_COUNT]; /* variance of extra's totals: a gap's rate lies somewhere
                                       between those of its two sites */
    ww_counter_block error_of;      /* half-width of the 95 % interval of extra's totals */
    double floor;                   /* no total is known better than to that part of it */
    double unlike;      /* warp instructions of gaps that are of another kind than those measured */
    double late_cycles; /* by which the longest CTA of a gap may outlast everything behind it */
    uint64_t extrapolated;            /* warp instructions in them */
    uint64_t exact[WW_COUNTER_COUNT]; /* counters that need no extrapolation, of the present gap */
} ww_ledger;

/** Empty books. floor: relative error below which no total is said to be known; 0: they will not be
 * used, and need no room. */
WW_NODISCARD ww_status ww_ledger_begin(ww_ledger *l, const ww_gpu *gpu, double floor,
                                       ww_error *err);
void ww_ledger_fini(ww_ledger *l);
/** A measured window begins; the counters must be accounted, here and below. */
WW_NODISCARD ww_status ww_ledger_open(ww_ledger *l, const ww_gpu *gpu, ww_error *err);
/** It ends, if one is open; so does the gap before it. */
WW_NODISCARD ww_status ww_ledger_close(ww_ledger *l, const ww_gpu *gpu, ww_error *err);
/** A gap begins: l->gap_stats is to take what is executed without time. */
WW_NODISCARD ww_status ww_ledger_skip(ww_ledger *l, const ww_gpu *gpu, ww_error *err);
/** Gives the instructions executed without time to the profile; where their slots went is estimated
 * in the end. */
void ww_ledger_profile(const ww_ledger *l, ww_gpu *gpu);
/** The machine has recovered from the gap, if there was one. */
WW_NODISCARD ww_status ww_ledger_warm(ww_ledger *l, const ww_gpu *gpu, ww_error *err);
/** The gap ends here: what was executed without time ran at the rate of the site before. */
WW_NODISCARD ww_status ww_ledger_end_gap(ww_ledger *l, const ww_gpu *gpu, ww_error *err);
/** Whether the rate of cycles is known so well that, when `share` of the launch counts at it, the
 * launch's cycles, about so many, are known to `error`, with something left for what is yet to be
 * seen. */
bool ww_ledger_agrees(const ww_ledger *l, double share, double cycles, double error);
/** The launch has run: adds what was skipped to the chip's counters. */
WW_NODISCARD ww_status ww_ledger_end(ww_ledger *l, ww_gpu *gpu, ww_error *err);

/* ---- ctas.c: some CTAs in time, the others without ---- */
typedef struct ww_cta_sampler {
    ww_ledger *ledger;
    double error;         /* aimed at; 0: off */
    uint64_t ctas;        /* of the launch */
    uint64_t wave;        /* CTAs that the machine holds at once */
    uint64_t wave_cycles; /* that it takes them; 0: not known yet */
    uint64_t since;       /* core cycle at which the present wave began, until that is known */
    uint64_t window;      /* core cycles */
    uint64_t next;    /* core cycle at which a window ends, or one may begin; UINT64_MAX: none */
    uint64_t skipped; /* CTAs, so far */
    uint64_t gap;     /* CTAs to skip next */
    double longest;   /* CTA of a gap, in mean ones */
    uint32_t look;    /* windows at which their agreement is judged next */
} ww_cta_sampler;

/** Prepares for the chip's launch; too few waves turn the sampler off (nothing stops the
 * dispatcher). */
WW_NODISCARD ww_status ww_cta_sampler_begin(ww_cta_sampler *s, ww_gpu *gpu, ww_error *err);
/** The dispatcher has stopped where a wave has ended. */
void ww_cta_sampler_reached(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now);
/** At every edge, before CTAs are dispatched: may execute CTAs without time and move the grid's
 * next_cta. */
WW_NODISCARD ww_status ww_cta_sampler_step(ww_cta_sampler *s, ww_gpu *gpu, uint64_t now,
                                           ww_error *err);

/* ---- time.c: some cycles in time, and between them all warps go ahead without ---- */
typedef enum ww_time_phase {
    WW_TIME_OFF,
    WW_TIME_RAMP,    /* from the start until the caches are warm */
    WW_TIME_MEASURE, /* a window */
    WW_TIME_DRAIN,   /* nothing is issued until nothing is in flight; then warps go ahead */
    WW_TIME_RECOVER, /* until the machine has forgotten that they did */
} ww_time_phase;

typedef struct ww_time_sampler {
    ww_ledger *ledger;
    ww_time_phase phase;
    double error;         /* aimed at; 0: off */
    uint64_t until;       /* core cycle at which the phase ends; DRAIN: as soon as can be */
    uint64_t fills;       /* of the L2 where the phase, or its last stretch, began */
    uint32_t recoveries;  /* of RECOVER: stretches so far */
    uint64_t least;       /* CTAs to have been dispatched before warps first go ahead */
    uint64_t stretch;     /* instructions to go ahead, in those of a window */
    uint32_t look;        /* windows at which their agreement is judged next */
    ww_counter_set saved; /* counters, which warps that go ahead do not touch */
} ww_time_sampler;

WW_NODISCARD ww_status ww_time_sampler_begin(ww_time_sampler *a, ww_gpu *gpu, ww_error *err);
void ww_time_sampler_fini(ww_time_sampler *a);
/** At every edge, before CTAs are dispatched. */
WW_NODISCARD ww_status ww_time_sampler_step(ww_time_sampler *a, ww_gpu *gpu, uint64_t now,
                                            ww_error *err);
/** The last CTA has ended. */
void ww_time_sampler_end(ww_time_sampler *a);

/* ---- sampling.c: both, as the chip asks for them ---- */
typedef struct ww_sampling {
    ww_cta_sampler ctas;
    ww_time_sampler time;
    ww_ledger ledger; /* of either */
} ww_sampling;

/** What ww_gpu_run is to ask; the errors that ctas and time aim at are set before each launch. */
ww_gpu_edges ww_sampling_edges(ww_sampling *s);
void ww_sampling_fini(ww_sampling *s);

/* ---- warming.c ---- */
/** Keeps the L2 as what is executed without time would. */
ww_observer ww_sampling_warming(ww_gpu *gpu);
/** Executes the CTAs [first, end) without time, as ww_exec_ctas, and leaves the L2 as they would;
 * windows tell what CTAs count, and thus how many of the last ones decide that. */
WW_NODISCARD ww_status ww_sampling_execute(ww_gpu *gpu, const ww_launch *launch, uint64_t first,
                                           uint64_t end, uint64_t now,
                                           const ww_sample_window *window, uint32_t windows,
                                           ww_functional_stats *stats, ww_error *err);

/* ---- estimate.c ---- */
/** Adds to each counter of *dst what `warp_inst` warp instructions would have counted at the rate
 * of the two sites together (b may be NULL). Counters that `exact` covers come from there instead,
 * dealt out evenly to the instances.
 * @param exact  [WW_COUNTER_COUNT]
 * @param slope  [WW_COUNTER_COUNT] of ww_sample_slope, so that rates are those at the share of
 *               memory accesses that `exact` tells; NULL: as they are */
WW_NODISCARD ww_status ww_sample_extrapolate(ww_counter_set *dst, const ww_sample_site *a,
                                             const ww_sample_site *b, uint64_t warp_inst,
                                             const uint64_t *exact, const double *slope,
                                             ww_error *err);
/** Part of the instructions measured at two sites that are of the first. */
double ww_sample_part(const ww_sample_site *of, const ww_sample_site *other);
/** Variance of what `warp_inst` warp instructions count, about the rate of two sites together, when
 * theirs is anywhere between those of the two with the same probability. */
double ww_sample_drift(const ww_sample_site *a, const ww_sample_site *b, uint64_t warp_inst,
                       ww_counter counter, double slope);
/** How the ratio of a counter to warp instructions changes with the share of them that access
 * memory, over windows: a weighted least-squares line; 0 where there are few windows, or all alike.
 */
double ww_sample_slope(const ww_sample_window *window, uint32_t count, ww_counter counter);
/** Whether the cycles per instruction of windows, about a line of that slope, scatter from site to
 * site as they do within sites (analysis of variance), so that there is one rate for all. */
bool ww_sample_one_rate(const ww_sample_window *window, uint32_t count, double slope);
/** Half-width of the 95 % interval of a ratio to warp instructions, over windows, about a line of
 * that slope (0: none was fitted), for a mean that rests on `rests_on` windows: its standard error
 * (Cochran, eq. 2.39 and 7.29) times Student's t, but not less than half of what the ratio differs
 * from the first half of the windows to the second. Too few windows: infinite. */
double ww_sample_ratio_error(const ww_sample_window *window, uint32_t count, ww_counter counter,
                             double slope, double rests_on);
/** The ratio itself. */
double ww_sample_ratio(const ww_sample_window *window, uint32_t count, ww_counter counter);
/** A machine that has been disturbed takes another course: where its caches and warps do not stand
 * exactly as they would, a launch of so many cycles differs by up to that part of them (95 %), even
 * when all of it is simulated. No scatter within the launch shows it. Measured, docs/sampling.md.
 */
double ww_sample_disturbed(double cycles);
/** Standard deviations to the 95 % interval of Student's distribution; infinite for 0. */
double ww_student_95(uint32_t degrees);

/* ---- mix.c: whether what was skipped is of the kind that was measured ---- */
/** Part of `inst` warp instructions, with what they count in v (of counters from code), that is of
 * another kind than those of the windows, beyond the scatter of the windows among themselves:
 * between 0 and 1.
 * @param v  [WW_COUNTER_COUNT] */
double ww_mix_unlike(const ww_sample_window *window, uint32_t count, const uint64_t *v);

#endif
