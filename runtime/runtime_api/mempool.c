/* mempool.c - pools of memory that is allocated in the order of streams. Those for this process
 * alone, the default one too, share the device's memory; one that other processes may import is a
 * segment, mapped over a window of addresses of its own. */
#include <string.h>

#include "runtime/graphs/graph.h"
#include "runtime/core/limits.h"
#include "runtime/sharing/window.h"

enum { ALIGN = 512, TYPE_DEVICE = 1, TYPE_PINNED = 1, ACCESS_READ_WRITE = 3 };

static bool is_pool(const rt_context *c, cudaMemPool_t pool)
{
    for (cudaMemPool_t p = c->mem_pools; p != NULL; p = p->next) {
        if (p == pool && !p->dying) {
            return true;
        }
    }
    return pool == &c->default_pool;
}

static bool is_shareable(const struct cudaMemPool *pool)
{
    return pool->segment.bytes > 0;
}

static cudaMemPool_t add_pool(rt_context *c)
{
    cudaMemPool_t pool = WW_NEW(struct cudaMemPool);
    if (pool != NULL) {
        pool->next = c->mem_pools;
        c->mem_pools = pool;
    }
    return pool;
}

static void remove_pool(rt_context *c, cudaMemPool_t pool)
{
    for (cudaMemPool_t *p = &c->mem_pools; *p != NULL; p = &(*p)->next) {
        if (*p == pool) {
            *p = pool->next;
            break;
        }
    }
    if (c->mem_pool == pool) {
        c->mem_pool = NULL;
    }
    rt_window_close(c, &pool->window);
    rt_segment_close(&pool->segment);
    ww_spans_fini(&pool->blocks);
    ww_free(pool);
}

/* Addresses for all of the pool's segment. */
static cudaError_t map_pool(rt_context *c, cudaMemPool_t pool)
{
    cudaError_t code =
        rt_window_open(c, pool->segment.bytes, (uint64_t)RT_GRANULARITY, &pool->window);
    if (code == cudaSuccess && !rt_window_map(c, &pool->window, pool->window.address,
                                              &pool->segment, 0, pool->window.bytes)) {
        code = cudaErrorMapBufferObjectFailed;
    }
    return code;
}

static cudaError_t create_pool(rt_context *c, cudaMemPool_t *out, const cudaMemPoolProps *props)
{
    if (out == NULL || props == NULL || props->allocType != TYPE_PINNED ||
        props->location.type != TYPE_DEVICE) {
        return cudaErrorInvalidValue;
    }
    if (props->location.id != 0) {
        return cudaErrorInvalidDevice;
    }
    if ((props->handleTypes & ~RT_HANDLE_TYPE_FD) != 0) {
        return cudaErrorNotSupported;
    }
    cudaMemPool_t pool = add_pool(c);
    if (pool == NULL) {
        return cudaErrorMemoryAllocation;
    }
    if (props->handleTypes != 0) {
        ww_error err = {0};
        uint64_t bytes = props->maxSize > 0 && props->maxSize < c->device_bytes ? props->maxSize
                                                                                : c->device_bytes;
        cudaError_t code = rt_segment_create(bytes, &pool->segment, &err) == WW_OK
                               ? map_pool(c, pool)
                               : rt_lacking(c, "cudaMemPoolCreate with handles on this host");
        if (code != cudaSuccess) {
            remove_pool(c, pool);
            return code;
        }
    }
    *out = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props)
{
    RT_CALL(c, create_pool(c, out, props));
}

/* What is allocated stays until it is freed. */
static cudaError_t destroy_pool(rt_context *c, cudaMemPool_t pool)
{
    if (!is_pool(c, pool) || pool == &c->default_pool) {
        return cudaErrorInvalidValue;
    }
    pool->dying = true;
    if (pool->blocks.count == 0) {
        remove_pool(c, pool);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RT_CALL(c, destroy_pool(c, pool));
}

/* ---- allocation ---- */

static cudaError_t allocate_shareable(rt_context *c, cudaMemPool_t pool, void **out, size_t bytes)
{
    uint64_t place;
    *out = NULL;
    if (pool->imported) {
        return cudaErrorNotPermitted;
    }
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!rt_has_room(c, bytes) || ww_spans_reserve(&pool->blocks, NULL) != WW_OK ||
        !rt_find_gap(&pool->blocks, pool->window.address, pool->window.address + pool->window.bytes,
                     bytes, ALIGN, &place)) {
        return cudaErrorMemoryAllocation;
    }
    ww_spans_insert(&pool->blocks, place, bytes);
    rt_count_allocated(c, bytes);
    *out = (void *)(uintptr_t)place;
    return cudaSuccess;
}

bool rt_mempool_release(rt_context *c, const void *p)
{
    for (cudaMemPool_t pool = c->mem_pools; pool != NULL; pool = pool->next) {
        ww_span freed;
        if (!ww_spans_remove(&pool->blocks, (uintptr_t)p, &freed)) {
            continue;
        }
        c->allocated -= pool->imported || freed.bytes > c->allocated ? 0 : freed.bytes;
        if (pool->dying && pool->blocks.count == 0) {
            remove_pool(c, pool);
        }
        return true;
    }
    return false;
}

bool rt_mempool_bounds(const rt_context *c, ww_devptr p, ww_devptr *first, size_t *bytes)
{
    for (cudaMemPool_t pool = c->mem_pools; pool != NULL; pool = pool->next) {
        const ww_span *block = ww_spans_at(&pool->blocks, p);
        if (block != NULL) {
            *first = block->address;
            *bytes = (size_t)block->bytes;
            return true;
        }
    }
    return false;
}

/* In a stream that is captured, memory is the graph's. */
static cudaError_t allocate_in_order(rt_context *c, void **out, size_t bytes, cudaMemPool_t pool,
                                     cudaStream_t stream)
{
    rt_work work;
    if (out == NULL || !is_pool(c, pool) || !rt_is_stream(c, stream)) {
        return rt_is_stream(c, stream) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    }
    if (rt_capture_of(stream) == NULL) {
        return is_shareable(pool) ? allocate_shareable(c, pool, out, bytes)
                                  : rt_allocate(c, out, bytes);
    }
    cudaError_t code = rt_graph_allocate(c, bytes, &work, out);
    return code == cudaSuccess ? rt_issue(c, stream, &work) : code;
}

static cudaMemPool_t current_pool(rt_context *c)
{
    return c->mem_pool != NULL ? c->mem_pool : &c->default_pool;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    RT_CALL(c, allocate_in_order(c, out, bytes, current_pool(c), stream));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    RT_CALL(c, allocate_in_order(c, out, bytes, pool, stream));
}

/* ---- pools of the device, attributes, access ---- */

static cudaError_t get_pool(rt_context *c, cudaMemPool_t *out, int device, bool current)
{
    if (out == NULL || device != 0) {
        return out == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    *out = current ? current_pool(c) : &c->default_pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    RT_CALL(c, get_pool(c, out, device, false));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    RT_CALL(c, get_pool(c, out, device, true));
}

static cudaError_t set_pool(rt_context *c, int device, cudaMemPool_t pool)
{
    if (device != 0 || !is_pool(c, pool) || pool->imported) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    c->mem_pool = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    RT_CALL(c, set_pool(c, device, pool));
}

enum {
    REUSE_FIRST = 1,
    REUSE_LAST = 3,
    RELEASE_THRESHOLD = 4,
    RESERVED_CURRENT = 5,
    RESERVED_HIGH = 6,
    USED_CURRENT = 7,
    USED_HIGH = 8
};

/* Memory is reused at once and never given back before it has to be, whatever is set. */
static cudaError_t set_attribute(const rt_context *c, cudaMemPool_t pool, int which,
                                 const void *value)
{
    if (!is_pool(c, pool) || value == NULL) {
        return cudaErrorInvalidValue;
    }
    if (which >= REUSE_FIRST && which <= REUSE_LAST) {
        memcpy(&pool->reuse[which - REUSE_FIRST], value, sizeof pool->reuse[0]);
    } else if (which == RELEASE_THRESHOLD) {
        memcpy(&pool->threshold, value, sizeof pool->threshold);
    } else if (which != RESERVED_HIGH && which != USED_HIGH) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int which, void *value)
{
    RT_CALL(c, set_attribute(c, pool, which, value));
}

static cudaError_t get_attribute(const rt_context *c, cudaMemPool_t pool, int which, void *value)
{
    if (!is_pool(c, pool) || value == NULL || which < REUSE_FIRST || which > USED_HIGH) {
        return cudaErrorInvalidValue;
    }
    if (which <= REUSE_LAST) {
        memcpy(value, &pool->reuse[which - REUSE_FIRST], sizeof pool->reuse[0]);
        return cudaSuccess;
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < pool->blocks.count; i++) {
        bytes += pool->blocks.span[i].bytes;
    }
    uint64_t used = is_shareable(pool) ? bytes : c->allocated;
    uint64_t high = is_shareable(pool) ? bytes : c->allocated_most;
    uint64_t number = which == RELEASE_THRESHOLD                           ? pool->threshold
                      : which == USED_CURRENT || which == RESERVED_CURRENT ? used
                                                                           : high;
    memcpy(value, &number, sizeof number);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int which, void *value)
{
    RT_CALL(c, get_attribute(c, pool, which, value));
}

static cudaError_t known_pool(const rt_context *c, cudaMemPool_t pool)
{
    return is_pool(c, pool) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    RT_CALL(c, known_pool(c, pool));
}

static cudaError_t set_access(const rt_context *c, cudaMemPool_t pool,
                              const cudaMemAccessDesc *list, size_t count)
{
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (list[i].location.type != TYPE_DEVICE || list[i].location.id != 0) {
            return cudaErrorInvalidDevice;
        }
        if (list[i].flags != ACCESS_READ_WRITE) {
            return cudaErrorInvalidValue; /* of the device itself nothing can be taken away */
        }
    }
    return is_pool(c, pool) && (list != NULL || count == 0) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count)
{
    RT_CALL(c, set_access(c, pool, list, count));
}

static cudaError_t get_access(const rt_context *c, int *flags, cudaMemPool_t pool,
                              const cudaMemLocation *location)
{
    if (flags == NULL || location == NULL || !is_pool(c, pool)) {
        return cudaErrorInvalidValue;
    }
    *flags = location->type == TYPE_DEVICE && location->id == 0 ? ACCESS_READ_WRITE : 0;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location)
{
    RT_CALL(c, get_access(c, flags, pool, location));
}

/* ---- other processes ---- */

static cudaError_t export_pool(const rt_context *c, void *out, cudaMemPool_t pool, int type)
{
    if (out == NULL || !is_pool(c, pool) || type != RT_HANDLE_TYPE_FD || !is_shareable(pool) ||
        pool->imported) {
        return cudaErrorInvalidValue;
    }
    int fd;
    if (!rt_segment_export(&pool->segment, &fd)) {
        return cudaErrorOperatingSystem;
    }
    memcpy(out, &fd, sizeof fd);
    return cudaSuccess;
}

cudaError_t cudaMemPoolExportToShareableHandle(void *out, cudaMemPool_t pool, int type,
                                               unsigned flags)
{
    RT_CALL(c, flags == 0 ? export_pool(c, out, pool, type) : cudaErrorInvalidValue);
}

static cudaError_t import_pool(rt_context *c, cudaMemPool_t *out, int fd, int type)
{
    if (out == NULL || type != RT_HANDLE_TYPE_FD) {
        return cudaErrorInvalidValue;
    }
    cudaMemPool_t pool = add_pool(c);
    if (pool == NULL) {
        return cudaErrorMemoryAllocation;
    }
    pool->imported = true;
    cudaError_t code = rt_segment_adopt(fd, &pool->segment, NULL) == WW_OK ? map_pool(c, pool)
                                                                           : cudaErrorInvalidValue;
    if (code != cudaSuccess) {
        remove_pool(c, pool);
        return code;
    }
    *out = pool;
    return cudaSuccess;
}

/* A descriptor comes as the value of the pointer. */
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *out, void *handle, int type,
                                                 unsigned flags)
{
    RT_CALL(c,
            flags == 0 ? import_pool(c, out, (int)(intptr_t)handle, type) : cudaErrorInvalidValue);
}

static cudaError_t export_pointer(const rt_context *c, cudaMemPoolPtrExportData *out, const void *p)
{
    for (cudaMemPool_t pool = c->mem_pools; pool != NULL && out != NULL; pool = pool->next) {
        const ww_span *block = ww_spans_at(&pool->blocks, (uintptr_t)p);
        if (block != NULL && !pool->imported) {
            rt_handle handle = {.fd = -1,
                                .nonce = pool->segment.nonce,
                                .offset = block->address - pool->window.address,
                                .bytes = block->bytes};
            rt_handle_write(out->reserved, RT_HANDLE_POOL_POINTER, &handle);
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *out, void *p)
{
    RT_CALL(c, export_pointer(c, out, p));
}

/* Puts a block into a table unless it is there already; false: it overlaps another. */
static bool add_block(ww_spans *blocks, uint64_t address, uint64_t bytes)
{
    size_t above = ww_spans_above(blocks, address);
    const ww_span *below = above > 0 ? &blocks->span[above - 1] : NULL;
    if (below != NULL && below->address == address && below->bytes == bytes) {
        return true;
    }
    if ((below != NULL && address - below->address < below->bytes) ||
        (above < blocks->count && blocks->span[above].address - address < bytes) ||
        ww_spans_reserve(blocks, NULL) != WW_OK) {
        return false;
    }
    ww_spans_insert(blocks, address, bytes);
    return true;
}

static cudaError_t import_pointer(const rt_context *c, void **out, cudaMemPool_t pool,
                                  const cudaMemPoolPtrExportData *data)
{
    rt_handle handle;
    if (out == NULL || data == NULL || !is_pool(c, pool) || !pool->imported ||
        !rt_handle_read(data->reserved, RT_HANDLE_POOL_POINTER, &handle) ||
        !rt_handle_fits(&handle, &pool->segment) ||
        !add_block(&pool->blocks, pool->window.address + handle.offset, handle.bytes)) {
        return cudaErrorInvalidValue;
    }
    *out = (void *)(uintptr_t)(pool->window.address + handle.offset);
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportPointer(void **out, cudaMemPool_t pool, cudaMemPoolPtrExportData *data)
{
    RT_CALL(c, import_pointer(c, out, pool, data));
}
