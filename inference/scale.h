/* scale.h - what a slice counted in parts of an operator, made into what the whole machine counts
 * in all of it. Private to inference/. */
#ifndef WW_INFERENCE_SCALE_H
#define WW_INFERENCE_SCALE_H

#include "arch/arch.h"
#include "counters/counters.h"

/* A weighted sum of counter sets of one shape. */
typedef struct ww__scaled {
    uint32_t count[WW_SCOPE_COUNT];
    double *v[WW_SCOPE_COUNT]; /* [instance * WW_COUNTER_COUNT + counter] */
} ww__scaled;

/* {0} becomes the first set's shape. */
WW_NODISCARD ww_status ww__scaled_add(ww__scaled *sum, const ww_counter_set *set, double weight,
                                      ww_error *err);
void ww__scaled_fini(ww__scaled *sum);
/** Core cycles of the sum, no less than 1. */
double ww__scaled_cycles(const ww__scaled *sum);
/**
 * The whole machine's counters of so many occurrences: instance i counts what instance i modulo the
 * slice's did.
 * @param out  {0} at first; released with ww_counter_set_fini
 */
WW_NODISCARD ww_status ww__scaled_whole(const ww__scaled *sum, const ww_arch *whole,
                                        uint64_t occurrences, ww_counter_set *out, ww_error *err);

#endif
