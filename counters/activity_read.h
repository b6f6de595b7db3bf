/* activity_read.h - what the parts of the reader of activity files share; private to counters/. */
#ifndef WW_COUNTERS_ACTIVITY_READ_H
#define WW_COUNTERS_ACTIVITY_READ_H

#include "base/mem.h"
#include "counters/activity.h"
#include "counters/activity_xml.h"

/* What ww_activity_load hands out: the public part first, then what owns the strings. */
typedef struct ww__activity_box {
    ww_activity pub;
    ww_arena arena;
} ww__activity_box;

typedef struct ww__activity_reader {
    ww__activity_xml xml;
    ww__activity_box *box;
    size_t launch_capacity;
    uint32_t shape[WW_SCOPE_COUNT];
    uint64_t interval_bytes; /* of counters, but for the first interval of each launch */
    /* of the launch being read */
    ww_launch_record *launch;
    ww_counter_set *set;
    unsigned char *seen[WW_SCOPE_COUNT], *seen_in_interval[WW_SCOPE_COUNT];
    ww_interval *intervals; /* in the arena */
    size_t interval_room;
    int expected; /* where the name of the next stat is looked for first */
} ww__activity_reader;

/* Counters of the file's shape, at 0. */
WW_NODISCARD ww_status ww__activity_init_set(ww__activity_reader *r, ww_counter_set *set,
                                             ww_error *err);
/* Into set; seen marks the instances that it has had. */
WW_NODISCARD ww_status ww__activity_read_component(ww__activity_reader *r, ww_counter_set *set,
                                                   unsigned char *const *seen, ww_error *err);
/* What was extrapolated, and the errors of that. */
WW_NODISCARD ww_status ww__activity_read_sampling(ww__activity_reader *r, ww_error *err);
/* The next interval of the launch. */
WW_NODISCARD ww_status ww__activity_read_interval(ww__activity_reader *r, ww_error *err);
/* The intervals are parts of the launch: together they count no more than it does. */
WW_NODISCARD ww_status ww__activity_check_intervals(ww__activity_reader *r, ww_error *err);

#endif
