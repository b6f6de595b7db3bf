/* memory.c - memory, linear copies and fills of the driver API, over those of the runtime. */
#include "base/checked.h"
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

static void *pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
    void *p = NULL;
    CUresult code = out != NULL && bytes > 0 ? cudaMalloc(&p, bytes) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                            unsigned element_bytes)
{
    void *p = NULL;
    (void)element_bytes;
    CUresult code = out != NULL ? cudaMallocPitch(&p, pitch, width, height) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
    void *p = NULL;
    CUresult code = out != NULL ? cudaMallocManaged(&p, bytes, flags) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
    return cudaFree(pointer(p));
}

CUresult cuMemAllocHost_v2(void **out, size_t bytes)
{
    return cudaMallocHost(out, bytes);
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    return cudaHostAlloc(out, bytes, flags);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *p, unsigned flags)
{
    void *device = NULL;
    CUresult code =
        out != NULL ? cudaHostGetDevicePointer(&device, p, flags) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)device;
    }
    return code;
}

CUresult cuMemFreeHost(void *p)
{
    return cudaFreeHost(p);
}

CUresult cuMemGetInfo_v2(size_t *spare, size_t *total)
{
    return cudaMemGetInfo(spare, total);
}

/* ---- copies and fills ---- */

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
    return cudaMemcpy(pointer(dst), src, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
    return cudaMemcpy(dst, pointer(src), bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return cudaMemcpy(pointer(dst), pointer(src), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(pointer(dst), src, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(dst, pointer(src), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(pointer(dst), pointer(src), bytes, cudaMemcpyDeviceToDevice, stream);
}

/* Addresses tell which side is the device's. */
CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return cudaMemcpy(pointer(dst), pointer(src), bytes, cudaMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(pointer(dst), pointer(src), bytes, cudaMemcpyDefault, stream);
}

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t count)
{
    return cudaMemset(pointer(p), value, count);
}

/* Rows of count elements. */
static CUresult fill(CUdeviceptr p, size_t pitch, unsigned value, unsigned element_bytes,
                     size_t count, size_t rows, cudaStream_t stream)
{
    cudaExtent extent = {0, rows, 1};
    RT_CALL(c, ww_mul_fits(count, element_bytes, &extent.width)
                   ? rt_fill(c, rt_at(pointer(p), pitch, 0), value, element_bytes, extent, stream)
                   : cudaErrorInvalidValue);
}

CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t count)
{
    return fill(p, 0, value, 2, count, 1, NULL);
}

CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned value, size_t count)
{
    return fill(p, 0, value, 4, count, 1, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t count, cudaStream_t stream)
{
    return fill(p, 0, value, 1, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t count, cudaStream_t stream)
{
    return fill(p, 0, value, 2, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr p, unsigned value, size_t count, cudaStream_t stream)
{
    return fill(p, 0, value, 4, count, 1, stream);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                         size_t height)
{
    return fill(p, pitch, value, 1, width, height, NULL);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                          size_t height)
{
    return fill(p, pitch, value, 2, width, height, NULL);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr p, size_t pitch, unsigned value, size_t width, size_t height)
{
    return fill(p, pitch, value, 4, width, height, NULL);
}

CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                           size_t height, cudaStream_t stream)
{
    return fill(p, pitch, value, 1, width, height, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                            size_t height, cudaStream_t stream)
{
    return fill(p, pitch, value, 2, width, height, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned value, size_t width,
                            size_t height, cudaStream_t stream)
{
    return fill(p, pitch, value, 4, width, height, stream);
}

/* ---- host memory, advice ---- */

CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
    return cudaHostRegister(p, bytes, flags);
}

CUresult cuMemHostUnregister(void *p)
{
    return cudaHostUnregister(p);
}

CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
    return cudaHostGetFlags(flags, p);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, cudaMemLocation where, unsigned flags,
                               cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer(p), bytes, where, flags, stream);
}

enum { DEVICE_LOCATION = 1 }; /* cudaMemLocationTypeDevice, with -1 for the host */

/* As before CUDA 13. */
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice where, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer(p), bytes, (cudaMemLocation){DEVICE_LOCATION, where}, 0,
                                stream);
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, int advice, CUdevice where)
{
    return cudaMemAdvise(pointer(p), bytes, advice, (cudaMemLocation){DEVICE_LOCATION, where});
}

CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, int advice, cudaMemLocation where)
{
    return cudaMemAdvise(pointer(p), bytes, advice, where);
}

CUresult cuMemRangeGetAttribute(void *out, size_t bytes, int which, CUdeviceptr p, size_t count)
{
    return cudaMemRangeGetAttribute(out, bytes, which, pointer(p), count);
}

CUresult cuMemRangeGetAttributes(void **out, size_t *bytes, int *which, size_t n, CUdeviceptr p,
                                 size_t count)
{
    return cudaMemRangeGetAttributes(out, bytes, which, n, pointer(p), count);
}
