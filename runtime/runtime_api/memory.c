/* memory.c - device memory: allocation, pitched and managed memory, what a pointer points to. */
#include <string.h>

#include "base/checked.h"
#include "runtime/graphs/graph.h"
#include "runtime/core/limits.h"

void rt_count_allocated(rt_context *c, uint64_t bytes)
{
    c->allocated += bytes;
    c->allocated_most = c->allocated > c->allocated_most ? c->allocated : c->allocated_most;
}

bool rt_has_room(rt_context *c, uint64_t bytes)
{
    if (bytes <= c->device_bytes - c->allocated) {
        return true;
    }
    if (!c->short_of_memory) {
        c->short_of_memory = true;
        rt_say("the program asked for %llu bytes of device memory with %llu of %llu in "
               "use: an error, as on a GPU (warpwatt run --memory SIZE gives more)",
               (unsigned long long)bytes, (unsigned long long)c->allocated,
               (unsigned long long)c->device_bytes);
    }
    return false;
}

cudaError_t rt_allocate(rt_context *c, void **out, size_t bytes)
{
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!rt_has_room(c, bytes)) {
        return cudaErrorMemoryAllocation;
    }
    ww_error err = {0};
    ww_devptr p;
    ww_status status = rt_pool_alloc(&c->pool, bytes, &p, &err);
    if (status != WW_OK) {
        return rt_failed(c, status, &err);
    }
    rt_count_allocated(c, bytes);
    *out = (void *)(uintptr_t)p;
    return cudaSuccess;
}

cudaError_t rt_release(rt_context *c, void *p)
{
    ww_devptr first;
    size_t bytes;
    if (p == NULL || rt_mempool_release(c, p)) {
        return cudaSuccess;
    }
    if (!rt_pool_bounds(&c->pool, (uintptr_t)p, &first, &bytes) || first != (uintptr_t)p ||
        !rt_pool_free(&c->pool, first)) {
        return cudaErrorInvalidValue;
    }
    rt_forget(c, p);
    c->allocated -= bytes <= c->allocated ? bytes : c->allocated;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    RT_CALL(c, rt_allocate(c, out, bytes));
}

static cudaError_t release(rt_context *c, void *p)
{
    return rt_is_graph_memory(c, p) ? cudaSuccess : rt_release(c, p);
}

cudaError_t cudaFree(void *p)
{
    RT_CALL(c, release(c, p));
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    RT_CALL(c, rt_is_stream(c, stream) ? release(c, p) : cudaErrorInvalidResourceHandle);
}

static size_t pitch_of(size_t width)
{
    return (width + RT_PITCH - 1) / RT_PITCH * RT_PITCH;
}

static cudaError_t allocate_pitched(rt_context *c, void **out, size_t *pitch, cudaExtent e)
{
    if (pitch == NULL || e.width > RT_MAX_PITCH) {
        return cudaErrorInvalidValue;
    }
    size_t row = pitch_of(e.width);
    size_t plane, bytes;
    if (!ww_mul_fits(row, e.height, &plane) || !ww_mul_fits(plane, e.depth, &bytes)) {
        return cudaErrorMemoryAllocation;
    }
    *pitch = row;
    return rt_allocate(c, out, bytes);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    RT_CALL(c, allocate_pitched(c, out, pitch, (cudaExtent){width, height, 1}));
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent)
{
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = (cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    RT_CALL(c, allocate_pitched(c, &out->ptr, &out->pitch, extent));
}

static cudaError_t allocate_managed(rt_context *c, void **out, size_t bytes)
{
    cudaError_t code = rt_allocate(c, out, bytes);
    if (code != cudaSuccess) {
        return code;
    }
    code = rt_keep(c, *out, bytes, cudaMemoryTypeManaged);
    if (code != cudaSuccess) {
        (void)rt_release(c, *out); /* as it came */
        *out = NULL;
        return code;
    }
    ww_device_written(c->device, (uintptr_t)*out, bytes); /* by the program, unseen */
    return cudaSuccess;
}

/* One pointer for host and device: possible where both see device memory at the same address. */
cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    RT_CALL(c, bytes == 0   ? cudaErrorInvalidValue
               : c->unified ? allocate_managed(c, out, bytes)
                            : cudaErrorNotSupported);
}

static cudaError_t free_and_total(const rt_context *c, size_t *spare, size_t *total)
{
    if (spare == NULL || total == NULL) {
        return cudaErrorInvalidValue;
    }
    *total = c->device_bytes;
    *spare = c->device_bytes - c->allocated;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *spare, size_t *total)
{
    RT_CALL(c, free_and_total(c, spare, total));
}

static cudaError_t pointer_attributes(rt_context *c, cudaPointerAttributes *out, const void *p)
{
    ww_devptr first;
    size_t bytes;
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    memset(out, 0, sizeof *out);
    out->device = -1;
    const rt_mirror *mirror = rt_mirror_of(c, p);
    if (mirror != NULL) {
        *out = (cudaPointerAttributes){
            .type = cudaMemoryTypeHost,
            .devicePointer =
                (void *)(uintptr_t)(mirror->device + ((uintptr_t)p - (uintptr_t)mirror->host)),
            .hostPointer = (void *)(uintptr_t)p};
        return cudaSuccess;
    }
    if (!rt_pool_bounds(&c->pool, (uintptr_t)p, &first, &bytes)) {
        return cudaSuccess; /* memory that the runtime does not know */
    }
    out->type = rt_memory_type(c, p);
    out->device = 0;
    out->devicePointer = (void *)(uintptr_t)p;
    out->hostPointer = c->unified ? (void *)(uintptr_t)p : NULL;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p)
{
    RT_CALL(c, pointer_attributes(c, out, p));
}
