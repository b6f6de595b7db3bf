/* pool.c - first fit over a sorted list of blocks. */
#include "runtime/pool.h"

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
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOMEM, "The host refuses %zu MiB of address space for device memory.",
                   POOL_LEAST >> 20);
}

void rt_pool_close(rt_pool *pool)
{
    ww_spans_fini(&pool->blocks);
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

/* Address of the first gap of that size; false when there is none. */
static bool find_gap(const rt_pool *pool, size_t bytes, ww_devptr *place)
{
    const ww_spans *blocks = &pool->blocks;
    ww_devptr from = pool->first;
    for (size_t i = 0; i <= blocks->count; i++) {
        ww_devptr to = i < blocks->count ? blocks->span[i].address : pool->end;
        if (from <= to && to - from >= bytes) {
            *place = from;
            return true;
        }
        if (i < blocks->count) {
            from = (to + blocks->span[i].bytes + ALIGN - 1) / ALIGN * ALIGN;
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
    if (!find_gap(pool, bytes, out)) {
        return ww_fail(err, WW_ENOMEM, "Device memory exhausted: %zu bytes asked for.", bytes);
    }
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
