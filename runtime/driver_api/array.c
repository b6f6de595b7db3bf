/* array.c - arrays, textures and surfaces of the driver API, and copies of rectangles and boxes,
 * over those of the runtime. */
#include "base/checked.h"
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

static void *pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

/* ---- copies ---- */

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_ARRAY = 3, MEMORY_UNIFIED = 4 };

/* One end of a copy: where it begins, x in bytes. */
typedef struct end {
    int type;
    const void *host;
    CUdeviceptr device; /* of unified memory too */
    cudaArray_t array;
    size_t x, y, z, pitch, height;
} end;

/* Whether an array has so much from its corner on. */
static bool holds(cudaArray_t a, const end *e, cudaExtent size)
{
    size_t width = a->extent.width * a->element_bytes;
    size_t rows = a->extent.height > 0 ? a->extent.height : 1;
    size_t slices = a->extent.depth > 0 ? a->extent.depth : 1;
    return e->x <= width && size.width <= width - e->x && e->y <= rows &&
           size.height <= rows - e->y && e->z <= slices && size.depth <= slices - e->z;
}

static cudaError_t side_of_array(rt_context *c, const end *e, cudaExtent size, rt_side *out)
{
    if (!rt_is_array(c, e->array)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (!holds(e->array, e, size)) {
        return cudaErrorInvalidValue;
    }
    *out = rt_array_side(e->array, (cudaPos){0, e->y, e->z});
    out->p += e->x;
    return cudaSuccess;
}

static cudaError_t side_of(rt_context *c, const end *e, cudaExtent size, rt_side *out)
{
    if (e->type == MEMORY_ARRAY) {
        return side_of_array(c, e, size, out);
    }
    if (e->type < MEMORY_HOST || e->type > MEMORY_UNIFIED ||
        (size.depth > 1 && e->height < size.height)) {
        return cudaErrorInvalidValue;
    }
    uintptr_t base = e->type == MEMORY_HOST ? (uintptr_t)e->host : (uintptr_t)e->device;
    size_t plane, slices, rows, at;
    if (!ww_mul_fits(e->pitch, e->height, &plane) || !ww_mul_fits(e->z, plane, &slices) ||
        !ww_mul_fits(e->y, e->pitch, &rows) || !ww_add_fits(slices, rows, &at) ||
        !ww_add_fits(at, e->x, &at) || !ww_add_fits(at, base, &at)) {
        return cudaErrorInvalidValue;
    }
    *out = rt_at((const void *)at, e->pitch, plane);
    return cudaSuccess;
}

static int kind_of(const end *dst, const end *src)
{
    if (dst->type == MEMORY_UNIFIED || src->type == MEMORY_UNIFIED) {
        return cudaMemcpyDefault;
    }
    return src->type == MEMORY_HOST
               ? (dst->type == MEMORY_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
               : (dst->type == MEMORY_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

static cudaError_t copy(rt_context *c, const end *dst, const end *src, cudaExtent size,
                        cudaStream_t stream)
{
    rt_side to, from;
    cudaError_t code = side_of(c, dst, size, &to);
    code = code == cudaSuccess ? side_of(c, src, size, &from) : code;
    return code == cudaSuccess ? rt_copy(c, to, from, size, kind_of(dst, src), stream) : code;
}

static cudaError_t copy_2d(rt_context *c, const CUDA_MEMCPY2D *m, cudaStream_t stream)
{
    if (m == NULL) {
        return cudaErrorInvalidValue;
    }
    const end dst = {
        m->dstMemoryType, m->dstHost, m->dstDevice, m->dstArray, m->dstXInBytes, m->dstY, 0,
        m->dstPitch,      0};
    const end src = {
        m->srcMemoryType, m->srcHost, m->srcDevice, m->srcArray, m->srcXInBytes, m->srcY, 0,
        m->srcPitch,      0};
    return copy(c, &dst, &src, (cudaExtent){m->WidthInBytes, m->Height, 1}, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *m)
{
    RT_CALL(c, copy_2d(c, m, NULL));
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *m)
{
    return cuMemcpy2D_v2(m);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *m, cudaStream_t stream)
{
    RT_CALL(c, copy_2d(c, m, stream));
}

/* Of a mipmapped array each level is an array of its own. */
static cudaError_t copy_3d(rt_context *c, const CUDA_MEMCPY3D *m, cudaStream_t stream)
{
    if (m == NULL || m->srcLOD != 0 || m->dstLOD != 0) {
        return cudaErrorInvalidValue;
    }
    const end dst = {m->dstMemoryType, m->dstHost, m->dstDevice, m->dstArray, m->dstXInBytes,
                     m->dstY,          m->dstZ,    m->dstPitch,  m->dstHeight};
    const end src = {m->srcMemoryType, m->srcHost, m->srcDevice, m->srcArray, m->srcXInBytes,
                     m->srcY,          m->srcZ,    m->srcPitch,  m->srcHeight};
    return copy(c, &dst, &src, (cudaExtent){m->WidthInBytes, m->Height, m->Depth}, stream);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *m)
{
    RT_CALL(c, copy_3d(c, m, NULL));
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *m, cudaStream_t stream)
{
    RT_CALL(c, copy_3d(c, m, stream));
}

/* Bytes in row order; offsets in bytes. */
CUresult cuMemcpyHtoA_v2(cudaArray_t dst, size_t offset, const void *src, size_t bytes)
{
    return cudaMemcpyToArray(dst, offset, 0, src, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyHtoAAsync_v2(cudaArray_t dst, size_t offset, const void *src, size_t bytes,
                              cudaStream_t stream)
{
    return cudaMemcpyToArrayAsync(dst, offset, 0, src, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoA_v2(cudaArray_t dst, size_t offset, CUdeviceptr src, size_t bytes)
{
    return cudaMemcpyToArray(dst, offset, 0, pointer(src), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyAtoH_v2(void *dst, cudaArray_t src, size_t offset, size_t bytes)
{
    return cudaMemcpyFromArray(dst, src, offset, 0, bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, cudaArray_t src, size_t offset, size_t bytes,
                              cudaStream_t stream)
{
    return cudaMemcpyFromArrayAsync(dst, src, offset, 0, bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, cudaArray_t src, size_t offset, size_t bytes)
{
    return cudaMemcpyFromArray(pointer(dst), src, offset, 0, bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyAtoA_v2(cudaArray_t dst, size_t dst_offset, cudaArray_t src, size_t src_offset,
                         size_t bytes)
{
    return cudaMemcpyArrayToArray(dst, dst_offset, 0, src, src_offset, 0, bytes,
                                  cudaMemcpyDeviceToDevice);
}

/* ---- arrays and textures ---- */

/* CUarray_format and what the runtime calls it. */
static const struct {
    int format, bits, kind;
} formats[] = {{0x01, 8, cudaChannelFormatKindUnsigned},  {0x02, 16, cudaChannelFormatKindUnsigned},
               {0x03, 32, cudaChannelFormatKindUnsigned}, {0x08, 8, cudaChannelFormatKindSigned},
               {0x09, 16, cudaChannelFormatKindSigned},   {0x0a, 32, cudaChannelFormatKindSigned},
               {0x10, 16, cudaChannelFormatKindFloat},    {0x20, 32, cudaChannelFormatKindFloat}};

static bool describe(int format, unsigned channels, cudaChannelFormatDesc *out)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(formats); i++) {
        if (formats[i].format == format) {
            int b = formats[i].bits;
            *out = (cudaChannelFormatDesc){b, channels > 1 ? b : 0, channels > 2 ? b : 0,
                                           channels > 3 ? b : 0, formats[i].kind};
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

CUresult cuArray3DCreate_v2(cudaArray_t *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    cudaChannelFormatDesc desc;
    return d != NULL && describe(d->Format, d->NumChannels, &desc)
               ? cudaMalloc3DArray(out, &desc, (cudaExtent){d->Width, d->Height, d->Depth},
                                   d->Flags)
               : cudaErrorInvalidValue;
}

static void undescribe(const cudaChannelFormatDesc *d, int *format, unsigned *channels)
{
    *channels = (unsigned)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
    for (size_t i = 0; i < WW_ARRAY_LEN(formats); i++) {
        if (formats[i].bits == d->x && formats[i].kind == d->f) {
            *format = formats[i].format;
        }
    }
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, cudaArray_t array)
{
    cudaChannelFormatDesc desc;
    cudaExtent extent;
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    CUresult code =
        out != NULL ? cudaArrayGetInfo(&desc, &extent, &d.Flags, array) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        undescribe(&desc, &d.Format, &d.NumChannels);
        d.Width = extent.width, d.Height = extent.height, d.Depth = extent.depth;
        *out = d;
    }
    return code;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult code = out != NULL ? cuArray3DGetDescriptor_v2(&d, array) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    }
    return code;
}

CUresult cuArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned index)
{
    return cudaArrayGetPlane(out, array, index);
}

CUresult cuArrayGetMemoryRequirements(cudaArrayMemoryRequirements *out, cudaArray_t array,
                                      CUdevice device)
{
    return cudaArrayGetMemoryRequirements(out, array, device);
}

CUresult cuArrayGetSparseProperties(void *out, cudaArray_t array)
{
    return cudaArrayGetSparseProperties(out, array);
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

/* What an object was made of comes back as the program gave it. */
static void unconvert_resource(const cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
    *out = (CUDA_RESOURCE_DESC){.resType = r->resType};
    if (r->resType == cudaResourceTypeLinear) {
        out->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        undescribe(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
    } else if (r->resType == cudaResourceTypePitch2D) {
        out->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        undescribe(&r->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
    } else {
        out->res.array = r->res.array;
    }
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long object)
{
    cudaResourceDesc r;
    CUresult code =
        out != NULL ? cudaGetTextureObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        unconvert_resource(&r, out);
    }
    return code;
}

CUresult cuSurfObjectCreate(unsigned long long *out, const CUDA_RESOURCE_DESC *resource)
{
    cudaResourceDesc r = {0};
    return resource != NULL && resource->resType == cudaResourceTypeArray &&
                   convert_resource(resource, &r)
               ? cudaCreateSurfaceObject(out, &r)
               : cudaErrorInvalidValue;
}

CUresult cuSurfObjectDestroy(unsigned long long object)
{
    return cudaDestroySurfaceObject(object);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long object)
{
    cudaResourceDesc r;
    CUresult code =
        out != NULL ? cudaGetSurfaceObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        unconvert_resource(&r, out);
    }
    return code;
}
