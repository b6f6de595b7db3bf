/* memory.h - latencies and bandwidths of a described GPU's memories, private to validation/. */
#ifndef WW_VALIDATION_MEMORY_H
#define WW_VALIDATION_MEMORY_H

#include "base/mem.h"

/** A latency in cycles (shared_latency, l1_latency, l2_latency, dram_latency) or a bandwidth in
 * GB/s (l2_bandwidth, dram_bandwidth, dram_write_bandwidth). @error ENOTFOUND: no such quantity;
 * and those of the device */
WW_NODISCARD ww_status ww__memory_measure(ww_arena *arena, const char *gpu, const char *quantity,
                                          double *out, ww_error *err);

#endif
