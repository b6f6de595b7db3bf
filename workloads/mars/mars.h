/* mars.h - what the drivers of the MapReduce workloads share: the framework's stages between map
 * and reduce (He et al., "Mars: a MapReduce framework on graphics processors", PACT 2008). */
#ifndef WW_WORKLOADS_MARS_H
#define WW_WORKLOADS_MARS_H

#include "workloads/support.h"

#define WW__MARS_THREADS 256 /* of every CTA */

/* An entry of a directory, as in mars.cuh. */
typedef struct ww__mars_entry {
    int32_t key, key_bytes, value, value_bytes; /* offsets and sizes in bytes */
} ww__mars_entry;

/* What a stage emits, and the arrays that place it there. */
typedef struct ww__mars {
    ww__bench *bench;
    int32_t most;     /* records */
    int32_t capacity; /* of the directory: a power of two of 512 or more */
    ww_devptr directory, keys, values;
    ww_devptr key_bytes, value_bytes, counts;   /* per task: sizes, and how many records */
    ww_devptr key_places, value_places, places; /* their prefix sums */
    ww_devptr starts;                           /* of groups: their first entries */
    ww_devptr scratch;
} ww__mars;

/** Makes buffers for a stage of that many tasks, each of which emits at most one record with a key
 * and a value of four bytes. */
WW_NODISCARD ww_status ww__mars_init(ww__mars *m, ww__bench *bench, int32_t tasks);
/** Grid of a thread per task. */
ww_dim3 ww__mars_grid(int32_t tasks);
/** Prefix sums of the sizes and counts that a count kernel left for that many tasks; *records
 * receives the sum of the counts. */
WW_NODISCARD ww_status ww__mars_place(ww__mars *m, int32_t tasks, int32_t *records);
/** Sorts the directory by key. */
WW_NODISCARD ww_status ww__mars_sort(ww__mars *m);
/** Finds the groups of equal keys among the first n entries of the sorted directory. Their first
 * entries are in m->starts afterwards, their number in *groups. */
WW_NODISCARD ww_status ww__mars_group(ww__mars *m, int32_t n, int32_t *groups);

#endif
