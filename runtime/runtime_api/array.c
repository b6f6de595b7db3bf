/* array.c - CUDA arrays: rows of elements in device memory, and copies to and from them. */
#include "base/checked.h"
#include "runtime/core/context.h"
#include "runtime/core/limits.h"

bool rt_is_array(const rt_context *c, cudaArray_t array)
{
    for (cudaArray_t a = c->arrays; a != NULL; a = a->next) {
        if (a == array) {
            return true;
        }
    }
    return false;
}

rt_side rt_array_side(cudaArray_t array, cudaPos pos)
{
    uintptr_t p = (uintptr_t)array->address + pos.z * array->slice + pos.y * array->pitch +
                  pos.x * array->element_bytes;
    return (rt_side){.p = (unsigned char *)p, .pitch = array->pitch, .plane = array->slice};
}

static bool is_format(const cudaChannelFormatDesc *d)
{
    int bits[4] = {d->x, d->y, d->z, d->w};
    bool known = d->x == 8 || d->x == 16 || d->x == 32;
    for (int i = 1; i < 4; i++) {
        known = known && (bits[i] == d->x || bits[i] == 0) && (bits[i] == 0 || bits[i - 1] != 0);
    }
    bool three = d->z != 0 && d->w == 0; /* no texture unit reads those */
    return known && !three && d->f >= cudaChannelFormatKindSigned &&
           d->f <= cudaChannelFormatKindFloat;
}

/* Rows and slices in bytes; false when they do not fit. */
static bool lay_out(cudaArray_t a, size_t *bytes)
{
    size_t rows = a->extent.height > 0 ? a->extent.height : 1;
    size_t slices = a->extent.depth > 0 ? a->extent.depth : 1;
    if (!ww_mul_fits(a->extent.width, a->element_bytes, &a->pitch) || a->pitch > RT_MAX_PITCH) {
        return false;
    }
    a->pitch = (a->pitch + RT_TEXTURE_PITCH - 1) / RT_TEXTURE_PITCH * RT_TEXTURE_PITCH;
    return ww_mul_fits(a->pitch, rows, &a->slice) && ww_mul_fits(a->slice, slices, bytes);
}

static cudaError_t create(rt_context *c, cudaArray_t *out, const cudaChannelFormatDesc *desc,
                          cudaExtent extent, unsigned flags)
{
    bool cube = (flags & cudaArrayCubemap) != 0;
    if (out == NULL || desc == NULL || !is_format(desc) || extent.width == 0 ||
        (cube && (extent.width != extent.height || extent.depth % 6 != 0))) {
        return cudaErrorInvalidValue;
    }
    if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0) {
        return rt_lacking(c, "an array whose memory is mapped later");
    }
    cudaArray_t a = WW_NEW(struct cudaArray);
    if (a == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *a = (struct cudaArray){.desc = *desc,
                            .extent = extent,
                            .flags = flags,
                            .element_bytes = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8,
                            .next = c->arrays};
    size_t bytes = 0;
    void *p = NULL;
    cudaError_t code = lay_out(a, &bytes) ? rt_allocate(c, &p, bytes) : cudaErrorInvalidValue;
    if (code != cudaSuccess) {
        ww_free(a);
        return code;
    }
    a->address = (uintptr_t)p;
    c->arrays = a;
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned flags)
{
    RT_CALL(c, create(c, out, desc, (cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *desc,
                              cudaExtent extent, unsigned flags)
{
    RT_CALL(c, create(c, out, desc, extent, flags));
}

static cudaError_t release(rt_context *c, cudaArray_t array)
{
    if (array == NULL) {
        return cudaSuccess;
    }
    for (cudaArray_t *a = &c->arrays; *a != NULL; a = &(*a)->next) {
        if (*a == array) {
            *a = array->next;
            cudaError_t code = rt_release(c, (void *)(uintptr_t)array->address);
            ww_free(array);
            return code;
        }
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RT_CALL(c, release(c, array));
}

static cudaError_t describe(const rt_context *c, cudaChannelFormatDesc *desc, cudaExtent *extent,
                            unsigned *flags, cudaArray_t array)
{
    if (!rt_is_array(c, array)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (desc != NULL) {
        *desc = array->desc;
    }
    if (extent != NULL) {
        *extent = array->extent;
    }
    if (flags != NULL) {
        *flags = array->flags;
    }
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    RT_CALL(c, describe(c, desc, extent, flags, array));
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t array)
{
    RT_CALL(c, describe(c, desc, NULL, NULL, array));
}

/* What these ask for only arrays of several planes, with memory that is mapped later or with parts
 * without memory have: here is none. */
static cudaError_t has_none(const rt_context *c, cudaArray_t array)
{
    return rt_is_array(c, array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned index)
{
    (void)out, (void)index;
    RT_CALL(c, has_none(c, array));
}

cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *out, cudaArray_t array,
                                           int device)
{
    (void)out;
    RT_CALL(c, device == 0 ? has_none(c, array) : cudaErrorInvalidDevice);
}

cudaError_t cudaArrayGetSparseProperties(void *out, cudaArray_t array)
{
    (void)out;
    RT_CALL(c, has_none(c, array));
}

/* ---- copies of rectangles; x and width in bytes ---- */

/* An array from byte x of row y on. */
static rt_side array_at(cudaArray_t array, size_t x, size_t y)
{
    rt_side side = rt_array_side(array, (cudaPos){0, y, 0});
    side.p += x;
    return side;
}

static bool holds(cudaArray_t a, size_t x, size_t y, size_t width, size_t height)
{
    size_t row = a->extent.width * a->element_bytes;
    size_t rows = a->extent.height > 0 ? a->extent.height : 1;
    return x <= row && width <= row - x && y <= rows && height <= rows - y;
}

typedef struct corner {
    cudaArray_t array; /* or */
    const void *p;
    size_t x, y;  /* of the array */
    size_t pitch; /* of p */
} corner;

static cudaError_t rectangle(rt_context *c, corner dst, corner src, size_t width, size_t height,
                             int kind, cudaStream_t stream)
{
    const corner *side[] = {&dst, &src};
    for (int i = 0; i < 2; i++) {
        if (side[i]->p == NULL && !rt_is_array(c, side[i]->array)) {
            return cudaErrorInvalidResourceHandle;
        }
        if (side[i]->p == NULL && !holds(side[i]->array, side[i]->x, side[i]->y, width, height)) {
            return cudaErrorInvalidValue;
        }
    }
    return rt_copy(c,
                   dst.p == NULL ? array_at(dst.array, dst.x, dst.y) : rt_at(dst.p, dst.pitch, 0),
                   src.p == NULL ? array_at(src.array, src.x, src.y) : rt_at(src.p, src.pitch, 0),
                   (cudaExtent){width, height, 1}, kind, stream);
}

static cudaError_t to_array(rt_context *c, cudaArray_t dst, size_t x, size_t y, const void *src,
                            size_t pitch, size_t width, size_t height, int kind,
                            cudaStream_t stream)
{
    return src != NULL ? rectangle(c, (corner){.array = dst, .x = x, .y = y},
                                   (corner){.p = src, .pitch = pitch}, width, height, kind, stream)
                       : cudaErrorInvalidValue;
}

static cudaError_t from_array(rt_context *c, void *dst, size_t pitch, cudaArray_t src, size_t x,
                              size_t y, size_t width, size_t height, int kind, cudaStream_t stream)
{
    return dst != NULL
               ? rectangle(c, (corner){.p = dst, .pitch = pitch},
                           (corner){.array = src, .x = x, .y = y}, width, height, kind, stream)
               : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                size_t width, size_t height, int kind)
{
    RT_CALL(c, to_array(c, dst, x, y, src, pitch, width, height, kind, NULL));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                     size_t pitch, size_t width, size_t height, int kind,
                                     cudaStream_t stream)
{
    RT_CALL(c, to_array(c, dst, x, y, src, pitch, width, height, kind, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y,
                                  size_t width, size_t height, int kind)
{
    RT_CALL(c, from_array(c, dst, pitch, src, x, y, width, height, kind, NULL));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y,
                                       size_t width, size_t height, int kind, cudaStream_t stream)
{
    RT_CALL(c, from_array(c, dst, pitch, src, x, y, width, height, kind, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src,
                                     size_t sx, size_t sy, size_t width, size_t height, int kind)
{
    (void)kind;
    RT_CALL(c, rectangle(c, (corner){.array = dst, .x = dx, .y = dy},
                         (corner){.array = src, .x = sx, .y = sy}, width, height,
                         cudaMemcpyDeviceToDevice, NULL));
}

/* ---- copies of bytes in row order, which may begin and end within a row ---- */

/* Bytes to the end of the row at x, at most `bytes`. */
static size_t rest_of_row(cudaArray_t array, size_t x, size_t bytes)
{
    size_t row = array->extent.width * array->element_bytes;
    size_t rest = x < row ? row - x : 0;
    return rest < bytes ? rest : bytes;
}

static cudaError_t linear(rt_context *c, corner dst, corner src, size_t bytes, int kind,
                          cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    while (bytes > 0 && code == cudaSuccess) {
        size_t piece = bytes;
        corner *side[] = {&dst, &src};
        for (int i = 0; i < 2; i++) {
            if (side[i]->p == NULL && !rt_is_array(c, side[i]->array)) {
                return cudaErrorInvalidResourceHandle;
            }
            piece = side[i]->p == NULL ? rest_of_row(side[i]->array, side[i]->x, piece) : piece;
        }
        if (piece == 0) {
            return cudaErrorInvalidValue;
        }
        code = rectangle(c, dst, src, piece, 1, kind, stream);
        bytes -= piece;
        for (int i = 0; i < 2; i++) {
            if (side[i]->p != NULL) {
                side[i]->p = (const unsigned char *)side[i]->p + piece;
                continue;
            }
            side[i]->x += piece;
            if (rest_of_row(side[i]->array, side[i]->x, 1) == 0) {
                side[i]->x = 0;
                side[i]->y++;
            }
        }
    }
    return code;
}

static cudaError_t linear_to_array(rt_context *c, cudaArray_t dst, size_t x, size_t y,
                                   const void *src, size_t bytes, int kind, cudaStream_t stream)
{
    return src != NULL ? linear(c, (corner){.array = dst, .x = x, .y = y}, (corner){.p = src},
                                bytes, kind, stream)
                       : cudaErrorInvalidValue;
}

static cudaError_t linear_from_array(rt_context *c, void *dst, cudaArray_t src, size_t x, size_t y,
                                     size_t bytes, int kind, cudaStream_t stream)
{
    return dst != NULL ? linear(c, (corner){.p = dst}, (corner){.array = src, .x = x, .y = y},
                                bytes, kind, stream)
                       : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                              int kind)
{
    RT_CALL(c, linear_to_array(c, dst, x, y, src, bytes, kind, NULL));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t bytes, int kind, cudaStream_t stream)
{
    RT_CALL(c, linear_to_array(c, dst, x, y, src, bytes, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                int kind)
{
    RT_CALL(c, linear_from_array(c, dst, src, x, y, bytes, kind, NULL));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                     int kind, cudaStream_t stream)
{
    RT_CALL(c, linear_from_array(c, dst, src, x, y, bytes, kind, stream));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src,
                                   size_t sx, size_t sy, size_t bytes, int kind)
{
    (void)kind;
    RT_CALL(c, linear(c, (corner){.array = dst, .x = dx, .y = dy},
                      (corner){.array = src, .x = sx, .y = sy}, bytes, cudaMemcpyDeviceToDevice,
                      NULL));
}
