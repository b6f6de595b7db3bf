/* texture_reference.c - CUDA 11's texture<> variables: references of a module that the program
 * binds to memory or to an array. */
#include "runtime/core/context.h"
#include "runtime/runtime_api/cuda11_12_abi.h"

void rt11___cudaRegisterTexture(void **handle, const rt11_texture_reference *host,
                                const void **device, const char *name, int dimensions,
                                int normalized_read, int ext)
{
    (void)device, (void)dimensions, (void)ext;
    rt_texture_reference *reference = WW_NEW(rt_texture_reference);
    if (reference == NULL) {
        return;
    }
    *reference = (rt_texture_reference){.host = host,
                                        .name = name,
                                        .normalized_read = normalized_read != 0,
                                        .module = (rt_module *)(void *)handle};
    rt_context *c = rt_lock();
    reference->next = c->references;
    c->references = reference;
    rt_unlock();
}

static const rt_texture_reference *find(const rt_context *c, const void *host)
{
    const rt_texture_reference *r = c->references;
    while (r != NULL && r->host != host) {
        r = r->next;
    }
    return r;
}

static cudaError_t get_reference(const rt_context *c, const rt11_texture_reference **out,
                                 const void *host)
{
    const rt_texture_reference *r = find(c, host);
    if (out == NULL || r == NULL) {
        return out == NULL ? cudaErrorInvalidValue : cudaErrorInvalidTexture;
    }
    *out = r->host;
    return cudaSuccess;
}

cudaError_t rt11_cudaGetTextureReference(const rt11_texture_reference **out, const void *host)
{
    RT_CALL(c, get_reference(c, out, host));
}

/* The variable says how to sample; whether integers are read as numbers is part of its type. */
static cudaError_t bind(rt_context *c, const rt11_texture_reference *host,
                        const cudaResourceDesc *resource)
{
    const rt_texture_reference *r = find(c, host);
    if (r == NULL) {
        return cudaErrorInvalidTexture;
    }
    const cudaTextureDesc sampling = {
        .addressMode = {host->addressMode[0], host->addressMode[1], host->addressMode[2]},
        .filterMode = host->filterMode,
        .readMode = r->normalized_read,
        .sRGB = host->sRGB,
        .normalizedCoords = host->normalized,
    };
    ww_texture texture = {0};
    cudaError_t code = rt_load(c, r->module);
    if (code == cudaSuccess) {
        code = rt_describe_texture(c, &texture, resource, &sampling);
    }
    if (code != cudaSuccess) {
        return code;
    }
    ww_error err = {0};
    return ww_device_texture_bind(c->device, r->module->module, r->name, &texture, &err) == WW_OK
               ? cudaSuccess
               : cudaErrorInvalidTexture;
}

static const cudaChannelFormatDesc *format(const rt11_texture_reference *host,
                                           const cudaChannelFormatDesc *desc)
{
    return desc != NULL ? desc : &host->channelDesc;
}

/* A texture of the whole allocation may be asked for by bytes of UINT_MAX or more. */
cudaError_t rt11_cudaBindTexture(size_t *offset, const rt11_texture_reference *host, const void *p,
                                 const cudaChannelFormatDesc *desc, size_t bytes)
{
    if (host == NULL) {
        return cudaErrorInvalidTexture;
    }
    if (offset != NULL) {
        *offset = 0;
    }
    rt_context *c = rt_enter();
    ww_devptr first = 0;
    size_t whole = 0;
    if (rt_pool_bounds(&c->pool, (uintptr_t)p, &first, &whole)) {
        size_t left = whole - (size_t)((uintptr_t)p - first);
        bytes = bytes < left ? bytes : left;
    }
    cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = (void *)(uintptr_t)p;
    resource.res.linear.desc = *format(host, desc);
    resource.res.linear.sizeInBytes = bytes;
    return rt_leave(c, c->failure != cudaSuccess ? c->failure : bind(c, host, &resource));
}

cudaError_t rt11_cudaBindTexture2D(size_t *offset, const rt11_texture_reference *host,
                                   const void *p, const cudaChannelFormatDesc *desc, size_t width,
                                   size_t height, size_t pitch)
{
    if (host == NULL) {
        return cudaErrorInvalidTexture;
    }
    if (offset != NULL) {
        *offset = 0;
    }
    cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = (void *)(uintptr_t)p;
    resource.res.pitch2D.desc = *format(host, desc);
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    RT_CALL(c, bind(c, host, &resource));
}

/* The array's own format holds; CUDA wants desc to be the same. */
cudaError_t rt11_cudaBindTextureToArray(const rt11_texture_reference *host, cudaArray_t array,
                                        const cudaChannelFormatDesc *desc)
{
    (void)desc;
    if (host == NULL) {
        return cudaErrorInvalidTexture;
    }
    cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array = array;
    RT_CALL(c, bind(c, host, &resource));
}

/* What was bound may be read until something else is bound: CUDA leaves that undefined. */
cudaError_t rt11_cudaUnbindTexture(const rt11_texture_reference *host)
{
    RT_CALL(c, find(c, host) != NULL ? cudaSuccess : cudaErrorInvalidTexture);
}

cudaError_t rt11_cudaGetTextureAlignmentOffset(size_t *offset, const rt11_texture_reference *host)
{
    if (offset != NULL) {
        *offset = 0;
    }
    RT_CALL(c, offset == NULL          ? cudaErrorInvalidValue
               : find(c, host) != NULL ? cudaSuccess
                                       : cudaErrorInvalidTexture);
}
