/* pool.c - memory in the order of streams, of the driver API, over that of the runtime. */
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

static void *pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, cudaStream_t stream)
{
    void *p = NULL;
    CUresult code = out != NULL ? cudaMallocAsync(&p, bytes, stream) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, cudaMemPool_t pool,
                                 cudaStream_t stream)
{
    void *p = NULL;
    CUresult code =
        out != NULL ? cudaMallocFromPoolAsync(&p, bytes, pool, stream) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuMemFreeAsync(CUdeviceptr p, cudaStream_t stream)
{
    return cudaFreeAsync(pointer(p), stream);
}

CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t *out, CUdevice device)
{
    return cudaDeviceGetDefaultMemPool(out, device);
}

CUresult cuDeviceGetMemPool(cudaMemPool_t *out, CUdevice device)
{
    return cudaDeviceGetMemPool(out, device);
}

CUresult cuDeviceSetMemPool(CUdevice device, cudaMemPool_t pool)
{
    return cudaDeviceSetMemPool(device, pool);
}

CUresult cuMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props)
{
    return cudaMemPoolCreate(out, props);
}

CUresult cuMemPoolDestroy(cudaMemPool_t pool)
{
    return cudaMemPoolDestroy(pool);
}

CUresult cuMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    return cudaMemPoolTrimTo(pool, bytes);
}

CUresult cuMemPoolSetAttribute(cudaMemPool_t pool, int which, void *value)
{
    return cudaMemPoolSetAttribute(pool, which, value);
}

CUresult cuMemPoolGetAttribute(cudaMemPool_t pool, int which, void *value)
{
    return cudaMemPoolGetAttribute(pool, which, value);
}

CUresult cuMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count)
{
    return cudaMemPoolSetAccess(pool, list, count);
}

CUresult cuMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location)
{
    return cudaMemPoolGetAccess(flags, pool, location);
}

CUresult cuMemPoolExportToShareableHandle(void *out, cudaMemPool_t pool, int type,
                                          unsigned long long flags)
{
    return cudaMemPoolExportToShareableHandle(out, pool, type, (unsigned)flags);
}

CUresult cuMemPoolImportFromShareableHandle(cudaMemPool_t *out, void *handle, int type,
                                            unsigned long long flags)
{
    return cudaMemPoolImportFromShareableHandle(out, handle, type, (unsigned)flags);
}

CUresult cuMemPoolExportPointer(cudaMemPoolPtrExportData *out, CUdeviceptr p)
{
    return cudaMemPoolExportPointer(out, pointer(p));
}

CUresult cuMemPoolImportPointer(CUdeviceptr *out, cudaMemPool_t pool,
                                cudaMemPoolPtrExportData *data)
{
    void *p = NULL;
    CUresult code = out != NULL ? cudaMemPoolImportPointer(&p, pool, data) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}
