/* totals.h - every counter, summed over all launches of a device: what a test gives a device as its
 * `on_launch` that asks what work came to, whatever ran it. */
#ifndef WW_TESTS_SUPPORT_TOTALS_H
#define WW_TESTS_SUPPORT_TOTALS_H

#include "counters/counters.h"
#include "perf/api/device.h"

typedef struct totals {
    uint64_t counter[WW_COUNTER_COUNT];
} totals;

/* user: totals, which a launch is added to. */
WW_NODISCARD static inline ww_status totals_collect(void *user, const ww_launch_record *record,
                                                    ww_error *err)
{
    totals *t = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        t->counter[c] += ww_counter_total(record->counters, (ww_counter)c);
    }
    return WW_OK;
}

#endif
