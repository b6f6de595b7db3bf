/* counters.h - the narrow waist between perf and power: activity counters, their sets and interval
 * snapshots. Depends on: base. A statistic costs an increment: `block->v[WW_C_RF_READ] += n`.
 *
 * counters/ is all that energy knows of time: a counter is a row of counters.def with its scope and
 * meaning, an activity file (activity.h) holds what launches counted, foreign.h reads what other
 * simulators and profilers print. Equal counts give equal joules, wherever they come from. */
#ifndef WW_COUNTERS_COUNTERS_H
#define WW_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_counter {
#define WW_COUNTER(id, name, unit, scope, from, consumers, meaning) WW_C_##id,
#include "counters/counters.def"
#undef WW_COUNTER
    WW_COUNTER_COUNT
} ww_counter;

typedef enum ww_scope {
    WW_SCOPE_SM,
    WW_SCOPE_SLICE,
    WW_SCOPE_CHANNEL,
    WW_SCOPE_CHIP,
    WW_SCOPE_COUNT
} ww_scope;

typedef struct ww_counter_info {
    const char *name; /* "sm.rf.read" */
    const char *unit;
    ww_scope scope;
    bool from_code;        /* follows from how often each instruction is executed, without time */
    const char *consumers; /* "RF", "BP,METRIC", "INFO" */
    const char *meaning;
} ww_counter_info;

/** The table row of a counter. */
const ww_counter_info *ww_counter_describe(ww_counter counter);
/** Counter of that name (aliases included), or WW_COUNTER_COUNT. */
ww_counter ww_counter_find(const char *name);

/* The counters of one instance (one SM, slice, channel or the chip); rows of other scopes stay 0.
 */
typedef struct ww_counter_block {
    uint64_t v[WW_COUNTER_COUNT];
} ww_counter_block;

/* All counters of a GPU. */
typedef struct ww_counter_set {
    uint32_t count[WW_SCOPE_COUNT];          /* instances per scope; CHIP: 1 */
    ww_counter_block *block[WW_SCOPE_COUNT]; /* [scope][instance]; one allocation, owned */
} ww_counter_set;

/** Zeroed set for that many SMs, slices and channels. */
WW_NODISCARD ww_status ww_counter_set_init(ww_counter_set *set, uint32_t sms, uint32_t slices,
                                           uint32_t channels, ww_error *err);
void ww_counter_set_fini(ww_counter_set *set);
void ww_counter_set_clear(ww_counter_set *set);
/** dst += src; shapes must match (EINTERNAL otherwise). */
WW_NODISCARD ww_status ww_counter_set_add(ww_counter_set *dst, const ww_counter_set *src,
                                          ww_error *err);
/** dst = a - b, counter by counter; EINTERNAL when a counter would become negative or shapes
 * differ. */
WW_NODISCARD ww_status ww_counter_set_sub(ww_counter_set *dst, const ww_counter_set *a,
                                          const ww_counter_set *b, ww_error *err);
/** A new set that equals src. @error ENOMEM */
WW_NODISCARD ww_status ww_counter_set_clone(ww_counter_set *out, const ww_counter_set *src,
                                            ww_error *err);
WW_NODISCARD ww_status ww_counter_set_copy(ww_counter_set *dst, const ww_counter_set *src,
                                           ww_error *err);
/** Bytes that its counters take. */
uint64_t ww_counter_set_bytes(const ww_counter_set *set);
/** Sum of one counter over its instances. */
uint64_t ww_counter_total(const ww_counter_set *set, ww_counter counter);

/* What of a launch was not simulated in time but extrapolated. */
typedef struct ww_extrapolation {
    double share;           /* of the warp instructions; 0: everything was simulated */
    ww_counter_block error; /* half-width of the 95 % interval of each counter's total */
} ww_extrapolation;

/* One kernel launch as the rest of WarpWatt sees it. Borrowed during callbacks. */
typedef struct ww_launch_record {
    const char *kernel;
    const char *workload;  /* "" when unknown */
    const char *size;      /* of the workload's input, "small"; "" or NULL when it has none */
    uint32_t stream;       /* of a program, from 1; 0: its default stream, or several */
    uint32_t launch_index; /* 0-based within the run */
    uint32_t grid[3], block[3];
    uint32_t registers;                      /* per thread, allocated */
    uint32_t shared_bytes;                   /* per CTA, static + dynamic */
    uint32_t ctas_per_sm;                    /* occupancy limit */
    const char *occupancy_limit;             /* "threads", "ctas", "registers", "shared" */
    double core_hz, icnt_hz, l2_hz, dram_hz; /* clocks of this launch */
    double vdd_v, temperature_k;
    const ww_counter_set *counters;      /* of this launch alone */
    const struct ww_interval *intervals; /* snapshots when asked for */
    size_t interval_count;
    ww_extrapolation sampling;
} ww_launch_record;

/* What a stretch of cycles ran at. */
typedef struct ww_point {
    double core_hz, vdd_v, temperature_k;
} ww_point;

/* Counter increments of one interval of a launch. */
typedef struct ww_interval {
    uint64_t first_cycle, last_cycle; /* core cycles [first, last) since launch */
    ww_point at;                      /* core_hz 0, in all or none: what the launch says */
    ww_counter_set counters;          /* increments; the intervals sum to the launch */
} ww_interval;

/* Bytes that the counters of a run's intervals may take, besides the first interval of each launch:
 * who collects intervals merges neighbours to stay within it, so that a run of any length fits in
 * memory and in an activity file, which may hold twice as much. */
#define WW_INTERVAL_BYTES (UINT64_C(1) << 30)

/** Whether its clock, voltage or temperature changed while it ran: core_hz is then its cycles over
 * its time, vdd_v and temperature_k are those of the machine. */
bool ww_launch_varies(const ww_launch_record *launch);
/** Core clock of an interval. */
double ww_interval_hz(const ww_launch_record *launch, const ww_interval *interval);

/** Merges neighbouring intervals of a launch two by two, where they ran at the same point; an odd
 * last one stays as it is. Returns how many there are now. */
size_t ww_intervals_merge(ww_interval *intervals, size_t count);

/* ---- activity files (activity.xml) ---- */
typedef struct ww_activity {
    char *gpu;            /* configuration name */
    uint64_t config_hash; /* of the configuration that ran */
    size_t launch_count;
    ww_launch_record *launches; /* owned, with their counters */
} ww_activity;

/** Writes launches as McPAT-like XML ("stat" elements by instance), complete enough for
 * ww_activity_load. */
WW_NODISCARD ww_status ww_activity_save(const char *path, const char *gpu, uint64_t config_hash,
                                        const ww_launch_record *launches, size_t launch_count,
                                        ww_error *err);
/** Reads an activity file; unknown or malformed entries are located errors. */
WW_NODISCARD ww_status ww_activity_load(const char *path, ww_activity **out, ww_error *err);
/** The same from memory; name is used in messages. */
WW_NODISCARD ww_status ww_activity_parse(const char *name, const char *text, size_t length,
                                         ww_activity **out, ww_error *err);
void ww_activity_destroy(ww_activity *activity);

#ifdef __cplusplus
}
#endif
#endif
