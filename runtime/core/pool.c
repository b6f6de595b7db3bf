/* pool.c - first fit over a sorted list of blocks. */
#include "runtime/core/pool.h"

#include "base/arith.h"
#include "base/assert.h"

#define POOL_MOST  ((size_t)8 << 30)
#define POOL_LEAST ((size_t)256 << 20)
#define MARGIN     ((size_t)2 << 20) /* at both ends: the page size of GPUs */

enum { ALIGN = 512 };

ww_status rt_pool_open(rt_pool *pool, ww_device *device, bool exact_bounds, ww_error *err)
{
    pool->device = device;
    if (exact_bounds) {
        return WW_OK;
    }
    for (size_t bytes = POOL_MOST; bytes >= POOL_LEAST; bytes /= 2) {
        ww_devptr p;
        if (ww_device_malloc(device, bytes, &p, NULL) == WW_OK) {
            pool->first = (p + MARGIN + ALIGN - 1) / ALIGN * ALIGN;
            pool->end = p + bytes - MARGIN;
            WW_ASSERT(pool->first < pool->end);
            ww_device_divide(device, p, p + bytes, &pool->blocks);
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOMEM, "The host refuses %zu MiB of address space for device memory.",
                   POOL_LEAST >> 20);
}

void rt_pool_close(rt_pool *pool)
{
    if (pool->device != NULL) {
        ww_device_divide(pool->device, 0, 0, NULL);
    }
    ww_spans_fini(&pool->blocks);
    rt_segment_close(&pool->segment);
    *pool = (rt_pool){0};
}

static bool is_exact(const rt_pool *pool)
{
    return pool->end == 0;
}

static bool contains(const rt_pool *pool, ww_devptr p)
{
    return p >= pool->first && p < pool->end;
}

bool rt_find_gap(const ww_spans *blocks, uint64_t first, uint64_t end, uint64_t bytes,
                 uint64_t align, uint64_t *place)
{
    uint64_t from = ww_align_up(first, align);
    for (size_t i = 0; i <= blocks->count; i++) {
        uint64_t to = i < blocks->count ? blocks->span[i].address : end;
        if (from <= to && to - from >= bytes) {
            WW_ASSERT(from >= first && from % align == 0);
            *place = from;
            return true;
        }
        if (i < blocks->count) {
            from = ww_align_up(to + blocks->span[i].bytes, align);
        }
    }
    return false;
}

ww_status rt_pool_alloc(rt_pool *pool, size_t bytes, ww_devptr *out, ww_error *err)
{
    if (is_exact(pool)) {
        return ww_device_malloc(pool->device, bytes, out, err);
    }
    WW_TRY(ww_spans_reserve(&pool->blocks, err));
    if (!rt_find_gap(&pool->blocks, pool->first, pool->end, bytes, ALIGN, out)) {
        return ww_fail(err, WW_ENOMEM, "Device memory exhausted: %zu bytes asked for.", bytes);
    }
    WW_ASSERT(contains(pool, *out) && bytes <= pool->end - *out && *out % ALIGN == 0);
    ww_spans_insert(&pool->blocks, *out, bytes);
    return WW_OK;
}

bool rt_pool_free(rt_pool *pool, ww_devptr p)
{
    return is_exact(pool) ? ww_device_free(pool->device, p, NULL) == WW_OK
                          : ww_spans_remove(&pool->blocks, p, NULL);
}

bool rt_pool_bounds(const rt_pool *pool, ww_devptr p, ww_devptr *first, size_t *bytes)
{
    if (!contains(pool, p)) {
        return ww_device_bounds(pool->device, p, first, bytes);
    }
    const ww_span *block = ww_spans_at(&pool->blocks, p);
    if (block == NULL) {
        return false;
    }
    WW_ASSERT(block->address <= p && p - block->address < block->bytes);
    *first = block->address;
    *bytes = (size_t)block->bytes;
    return true;
}

void *rt_pool_host(const rt_pool *pool, ww_devptr p, size_t bytes)
{
    ww_devptr first;
    size_t size;
    if (!rt_pool_bounds(pool, p, &first, &size) || bytes > size - (size_t)(p - first)) {
        return NULL;
    }
    return ww_device_host(pool->device, p, bytes);
}

/* ---- other processes ---- */

ww_status rt_pool_share(rt_pool *pool, ww_error *err)
{
    if (pool->segment.bytes > 0) {
        return WW_OK;
    }
    if (is_exact(pool)) {
        return ww_fail(err, WW_EUNSUP, "memory with exact bounds cannot be shared");
    }
    const uint64_t page = rt_page_bytes();
    ww_devptr from = pool->first / page * page; /* the margins lie around */
    size_t bytes = (size_t)(ww_align_up(pool->end, page) - from);
    unsigned char *host = ww_device_host(pool->device, from, bytes);
    rt_segment segment;
    WW_TRY(rt_segment_create(bytes, &segment, err));
    bool ok = host != NULL;
    for (size_t i = 0; i < pool->blocks.count && ok; i++) {
        const ww_span *block = &pool->blocks.span[i];
        uint64_t offset = block->address - from;
        ok = rt_segment_write(&segment, offset, host + offset, (size_t)block->bytes);
    }
    if (!ok || !rt_segment_map(&segment, 0, host, bytes)) {
        rt_segment_close(&segment);
        return ww_fail(err, WW_EIO, "the host cannot share device memory");
    }
    pool->segment = segment;
    pool->shared = from;
    return WW_OK;
}

bool rt_pool_shared(const rt_pool *pool, ww_devptr p, uint64_t *offset, uint64_t *bytes)
{
    const ww_span *block = contains(pool, p) ? ww_spans_at(&pool->blocks, p) : NULL;
    if (block == NULL || pool->segment.bytes == 0) {
        return false;
    }
    WW_ASSERT(block->address >= pool->shared);
    *offset = block->address - pool->shared;
    *bytes = block->bytes;
    return true;
}
