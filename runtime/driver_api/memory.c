/* memory.c - memory, copies, fills and textures of the driver API, over those of the
 * runtime. */
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

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_ARRAY = 3 };

/* Exactly one side may be an array here: that is what is in use. */
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *m)
{
    if (m == NULL || (m->srcMemoryType == MEMORY_ARRAY && m->dstMemoryType == MEMORY_ARRAY)) {
        return cudaErrorInvalidValue;
    }
    const unsigned char *src = m->srcMemoryType == MEMORY_HOST ? m->srcHost : pointer(m->srcDevice);
    unsigned char *dst = m->dstMemoryType == MEMORY_HOST ? m->dstHost : pointer(m->dstDevice);
    src += m->srcMemoryType == MEMORY_ARRAY ? 0 : m->srcY * m->srcPitch + m->srcXInBytes;
    dst += m->dstMemoryType == MEMORY_ARRAY ? 0 : m->dstY * m->dstPitch + m->dstXInBytes;
    int kind =
        m->srcMemoryType == MEMORY_HOST
            ? (m->dstMemoryType == MEMORY_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
            : (m->dstMemoryType == MEMORY_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
    if (m->dstMemoryType == MEMORY_ARRAY) {
        return cudaMemcpy2DToArray(m->dstArray, m->dstXInBytes, m->dstY, src, m->srcPitch,
                                   m->WidthInBytes, m->Height, kind);
    }
    if (m->srcMemoryType == MEMORY_ARRAY) {
        return cudaMemcpy2DFromArray(dst, m->dstPitch, m->srcArray, m->srcXInBytes, m->srcY,
                                     m->WidthInBytes, m->Height, kind);
    }
    return cudaMemcpy2D(dst, m->dstPitch, src, m->srcPitch, m->WidthInBytes, m->Height, kind);
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

/* As before CUDA 13. */
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice where, cudaStream_t stream)
{
    (void)where;
    return cudaMemPrefetchAsync(pointer(p), bytes, (cudaMemLocation){0}, 0, stream);
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, int advice, CUdevice where)
{
    (void)where;
    return cudaMemAdvise(pointer(p), bytes, advice, (cudaMemLocation){0});
}

CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, int advice, cudaMemLocation where)
{
    return cudaMemAdvise(pointer(p), bytes, advice, where);
}

/* ---- arrays and textures ---- */

static bool describe(int format, unsigned channels, cudaChannelFormatDesc *out)
{
    static const struct {
        int format, bits, kind;
    } rows[] = {
        {0x01, 8, cudaChannelFormatKindUnsigned},  {0x02, 16, cudaChannelFormatKindUnsigned},
        {0x03, 32, cudaChannelFormatKindUnsigned}, {0x08, 8, cudaChannelFormatKindSigned},
        {0x09, 16, cudaChannelFormatKindSigned},   {0x0a, 32, cudaChannelFormatKindSigned},
        {0x10, 16, cudaChannelFormatKindFloat},    {0x20, 32, cudaChannelFormatKindFloat}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].format == format) {
            int b = rows[i].bits;
            *out = (cudaChannelFormatDesc){b, channels > 1 ? b : 0, channels > 2 ? b : 0,
                                           channels > 3 ? b : 0, rows[i].kind};
            return channels > 0;
        }
    }
    return false;
}

CUresult cuArrayCreate_v2(cudaArray_t *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    cudaChannelFormatDesc desc;
    return d != NULL && describe(d->Format, d->NumChannels, &desc)
               ? cudaMallocArray(out, &desc, d->Width, d->Height, 0)
               : cudaErrorInvalidValue;
}

CUresult cuArrayDestroy(cudaArray_t array)
{
    return cudaFreeArray(array);
}

static bool convert_resource(const CUDA_RESOURCE_DESC *r, cudaResourceDesc *out)
{
    out->resType = r->resType;
    if (r->resType == cudaResourceTypeLinear) {
        out->res.linear.devPtr = pointer(r->res.linear.devPtr);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return describe(r->res.linear.format, r->res.linear.numChannels, &out->res.linear.desc);
    }
    if (r->resType == cudaResourceTypePitch2D) {
        out->res.pitch2D.devPtr = pointer(r->res.pitch2D.devPtr);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return describe(r->res.pitch2D.format, r->res.pitch2D.numChannels, &out->res.pitch2D.desc);
    }
    out->res.array = r->res.array;
    return true;
}

CUresult cuTexObjectCreate(unsigned long long *out, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const void *view)
{
    enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };
    cudaResourceDesc r = {0};
    cudaTextureDesc t = {0};
    if (resource == NULL || texture == NULL || !convert_resource(resource, &r)) {
        return cudaErrorInvalidValue;
    }
    for (int i = 0; i < 3; i++) {
        t.addressMode[i] = texture->addressMode[i];
    }
    for (int i = 0; i < 4; i++) {
        t.borderColor[i] = texture->borderColor[i];
    }
    t.filterMode = texture->filterMode;
    t.readMode = (texture->flags & READ_AS_INTEGER) == 0;
    t.normalizedCoords = (texture->flags & NORMALIZED_COORDINATES) != 0;
    t.sRGB = (texture->flags & SRGB) != 0;
    return cudaCreateTextureObject(out, &r, &t, view);
}

CUresult cuTexObjectDestroy(unsigned long long object)
{
    return cudaDestroyTextureObject(object);
}
