/* pool.h - device memory of a CUDA program. All of it lies in one allocation of the simulated
 * device, so that a stray access near an allocation reads or writes its neighbour, as on a GPU,
 * where protection works on pages of megabytes; programs depend on that without knowing. With exact
 * bounds every allocation is one of the device's own, and stray accesses are faults. */
#ifndef WW_RUNTIME_CORE_POOL_H
#define WW_RUNTIME_CORE_POOL_H

#include <stdbool.h>

#include "base/spans.h"
#include "perf/api/device.h"
#include "runtime/sharing/segment.h"

typedef struct rt_pool {
    ww_device *device;
    ww_devptr first, end; /* both 0: exact bounds */
    ww_spans blocks;
    rt_segment segment; /* holds the pool's pages once other processes may map them, */
    ww_devptr shared;   /* from this address on */
} rt_pool;

/** Reserves the pool; costs address space only. */
WW_NODISCARD ww_status rt_pool_open(rt_pool *pool, ww_device *device, bool exact_bounds,
                                    ww_error *err);
void rt_pool_close(rt_pool *pool);
/** Allocates bytes > 0, aligned to 512. ENOMEM. */
WW_NODISCARD ww_status rt_pool_alloc(rt_pool *pool, size_t bytes, ww_devptr *out, ww_error *err);
/** Frees an allocation; false when p is not the start of one. */
bool rt_pool_free(rt_pool *pool, ww_devptr p);
/** Bounds of the allocation or device variable that holds p. */
bool rt_pool_bounds(const rt_pool *pool, ww_devptr p, ww_devptr *first, size_t *bytes);
/** Host view of a range within one allocation or device variable; NULL: it is none. */
void *rt_pool_host(const rt_pool *pool, ww_devptr p, size_t bytes);

/** Makes the pool one that other processes can map, from now on. Addresses and contents stay.
 * EUNSUP with exact bounds; EIO. */
WW_NODISCARD ww_status rt_pool_share(rt_pool *pool, ww_error *err);
/** The allocation that holds p, as a range of the segment; false: p lies in none of the pool's. */
bool rt_pool_shared(const rt_pool *pool, ww_devptr p, uint64_t *offset, uint64_t *bytes);

/** First gap of that size between sorted blocks within [first, end), aligned. */
bool rt_find_gap(const ww_spans *blocks, uint64_t first, uint64_t end, uint64_t bytes,
                 uint64_t align, uint64_t *place);

#endif
