/* batch.c - many copies in one call. Each is one of the stream, in the order of the list, which is
 * one of those that CUDA allows. */
#include "runtime/graphs/graph.h"
#include "runtime/runtime_api/cuda11_12_abi.h"

/* Which attribute holds for copy i: the last that begins at it or before. */
static bool attributes_are_valid(const cudaMemcpyAttributes *attributes, const size_t *begins,
                                 size_t attribute_count, size_t count)
{
    enum { FIRST_ORDER = 1, LAST_ORDER = 3 }; /* cudaMemcpySrcAccessOrder */
    if (attributes == NULL || begins == NULL || attribute_count == 0 || attribute_count > count ||
        begins[0] != 0) {
        return false;
    }
    for (size_t i = 0; i < attribute_count; i++) {
        if (begins[i] >= count || (i > 0 && begins[i] <= begins[i - 1]) ||
            attributes[i].srcAccessOrder < FIRST_ORDER ||
            attributes[i].srcAccessOrder > LAST_ORDER) {
            return false;
        }
    }
    return true;
}

/* *failed: the copy that went wrong, or SIZE_MAX where the fault is not one's. */
static cudaError_t copy_all(rt_context *c, const void *const *dst, const void *const *src,
                            const size_t *bytes, size_t count, size_t *failed, cudaStream_t stream)
{
    for (size_t i = 0; i < count; i++) {
        *failed = i;
        if (dst[i] == NULL || src[i] == NULL || bytes[i] == 0) {
            return cudaErrorInvalidValue;
        }
    }
    for (size_t i = 0; i < count; i++) {
        *failed = i;
        cudaError_t code = rt_copy(c, rt_at(dst[i], 0, 0), rt_at(src[i], 0, 0),
                                   (cudaExtent){bytes[i], 1, 1}, cudaMemcpyDefault, stream);
        if (code != cudaSuccess) {
            return code;
        }
    }
    *failed = SIZE_MAX;
    return cudaSuccess;
}

static cudaError_t batch(rt_context *c, const void *const *dst, const void *const *src,
                         const size_t *bytes, size_t count, const cudaMemcpyAttributes *attributes,
                         const size_t *begins, size_t attribute_count, size_t *failed,
                         cudaStream_t stream)
{
    size_t spare;
    failed = failed != NULL ? failed : &spare;
    *failed = SIZE_MAX;
    if (stream == NULL || !rt_is_stream(c, stream)) { /* the legacy stream takes no batches */
        return stream == NULL ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    }
    if (dst == NULL || src == NULL || bytes == NULL || count == 0 ||
        !attributes_are_valid(attributes, begins, attribute_count, count)) {
        return cudaErrorInvalidValue;
    }
    return rt_capture_of(stream) != NULL ? cudaErrorStreamCaptureUnsupported
                                         : copy_all(c, dst, src, bytes, count, failed, stream);
}

cudaError_t cudaMemcpyBatchAsync(const void *const *dst, const void *const *src,
                                 const size_t *bytes, size_t count,
                                 const cudaMemcpyAttributes *attributes, const size_t *begins,
                                 size_t attribute_count, cudaStream_t stream)
{
    RT_CALL(c, batch(c, dst, src, bytes, count, attributes, begins, attribute_count, NULL, stream));
}

/* As CUDA 12 has it: it says which copy was at fault. */
cudaError_t rt12_cudaMemcpyBatchAsync(const void *const *dst, const void *const *src,
                                      const size_t *bytes, size_t count,
                                      const cudaMemcpyAttributes *attributes, const size_t *begins,
                                      size_t attribute_count, size_t *failed, cudaStream_t stream)
{
    RT_CALL(c,
            batch(c, dst, src, bytes, count, attributes, begins, attribute_count, failed, stream));
}
