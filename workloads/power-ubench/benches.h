/* benches.h - the microbenchmarks of benches.def as launches of the workload power-ubench. Private
 * to workloads/power-ubench. */
#ifndef WW_WORKLOADS_POWER_UBENCH_BENCHES_H
#define WW_WORKLOADS_POWER_UBENCH_BENCHES_H

#include "workloads/support.h"

/** Launches all of them in their order, on at most so many SMs, and compares what they leave with
 * the host's. Repetitions are divided by `divisor`; the DRAM's window has four bytes for each byte
 * of the L2 and more, a power of two of words from `least_words` to `most_words`. */
WW_NODISCARD ww_status ww__power_benches(ww__bench *bench, unsigned sms, unsigned divisor,
                                         size_t least_words, size_t most_words);

#endif
