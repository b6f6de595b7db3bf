/* pool.c - first fit over a sorted list of blocks. */
#include "runtime/pool.h"

#include <string.h>

#include "base/mem.h"

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
    ww_free(pool->block);
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

/* Index of the first block above p. */
static size_t above(const rt_pool *pool, ww_devptr p)
{
    size_t low = 0;
    size_t high = pool->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pool->block[middle].address > p) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Index and address of the first gap of that size; false when there is none. */
static bool find_gap(const rt_pool *pool, size_t bytes, size_t *index, ww_devptr *place)
{
    ww_devptr from = pool->first;
    for (size_t i = 0; i <= pool->count; i++) {
        ww_devptr to = i < pool->count ? pool->block[i].address : pool->end;
        if (from <= to && to - from >= bytes) {
            *index = i;
            *place = from;
            return true;
        }
        if (i < pool->count) {
            from = (to + pool->block[i].bytes + ALIGN - 1) / ALIGN * ALIGN;
        }
    }
    return false;
}

ww_status rt_pool_alloc(rt_pool *pool, size_t bytes, ww_devptr *out, ww_error *err)
{
    size_t at;
    if (is_exact(pool)) {
        return ww_device_malloc(pool->device, bytes, out, err);
    }
    if (pool->count == pool->capacity) {
        size_t capacity = pool->capacity != 0 ? 2 * pool->capacity : 64;
        rt_block *block = ww_realloc_array(pool->block, capacity, sizeof *block);
        if (block == NULL) {
            return ww_fail(err, WW_ENOMEM, "Out of memory for the table of device allocations.");
        }
        pool->block = block;
        pool->capacity = capacity;
    }
    if (!find_gap(pool, bytes, &at, out)) {
        return ww_fail(err, WW_ENOMEM, "Device memory exhausted: %zu bytes asked for.", bytes);
    }
    memmove(&pool->block[at + 1], &pool->block[at], (pool->count - at) * sizeof *pool->block);
    pool->block[at] = (rt_block){*out, bytes};
    pool->count++;
    return WW_OK;
}

bool rt_pool_free(rt_pool *pool, ww_devptr p)
{
    if (is_exact(pool)) {
        return ww_device_free(pool->device, p, NULL) == WW_OK;
    }
    size_t at = above(pool, p);
    if (at == 0 || pool->block[at - 1].address != p) {
        return false;
    }
    at--;
    pool->count--;
    memmove(&pool->block[at], &pool->block[at + 1], (pool->count - at) * sizeof *pool->block);
    return true;
}

bool rt_pool_bounds(const rt_pool *pool, ww_devptr p, ww_devptr *first, size_t *bytes)
{
    if (!contains(pool, p)) {
        return ww_device_bounds(pool->device, p, first, bytes);
    }
    size_t at = above(pool, p);
    if (at == 0 || p - pool->block[at - 1].address >= pool->block[at - 1].bytes) {
        return false;
    }
    *first = pool->block[at - 1].address;
    *bytes = pool->block[at - 1].bytes;
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
