/* host_memory.c - page-locked and registered host memory. What the runtime allocates lies in device
 * memory, which the host sees at the same address; memory that the program registers has a mirror
 * in device memory, copied before and after every launch. */
#include <string.h>

#include "runtime/core/context.h"

static cudaError_t allocate_host(rt_context *c, void **out, size_t bytes)
{
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!c->unified) { /* no zero-copy access then, but copies work */
        *out = ww_alloc_array(bytes, 1);
        return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    ww_devptr p;
    ww_error err = {0};
    cudaError_t code = rt_failed(c, rt_pool_alloc(&c->pool, bytes, &p, &err), &err);
    if (code == cudaSuccess) {
        code = rt_keep(c, (void *)(uintptr_t)p, bytes, cudaMemoryTypeHost);
        if (code != cudaSuccess) {
            rt_pool_free(&c->pool, p);
            return code;
        }
        *out = (void *)(uintptr_t)p;
        ww_device_written(c->device, p, bytes); /* by the program, unseen */
    }
    return code;
}

static cudaError_t free_host(rt_context *c, void *p)
{
    if (p == NULL) {
        return cudaSuccess;
    }
    if (!c->unified) {
        ww_free(p);
        return cudaSuccess;
    }
    if (!rt_pool_free(&c->pool, (uintptr_t)p)) {
        return cudaErrorInvalidValue;
    }
    rt_forget(c, p);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    RT_CALL(c, allocate_host(c, out, bytes));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    RT_CALL(c, allocate_host(c, out, bytes));
}

cudaError_t cudaFreeHost(void *p)
{
    RT_CALL(c, free_host(c, p));
}

/* ---- registered memory ---- */

rt_mirror *rt_mirror_of(const rt_context *c, const void *p)
{
    uintptr_t at = (uintptr_t)p;
    for (rt_mirror *m = c->mirrors; m != NULL; m = m->next) {
        if (at >= (uintptr_t)m->host && at - (uintptr_t)m->host < m->bytes) {
            return m;
        }
    }
    return NULL;
}

static cudaError_t register_host(rt_context *c, void *p, size_t bytes)
{
    if (p == NULL || bytes == 0) {
        return cudaErrorInvalidValue;
    }
    if (rt_mirror_of(c, p) != NULL) {
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    rt_mirror *m = WW_NEW(rt_mirror);
    ww_error err = {0};
    if (m == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *m = (rt_mirror){.host = p, .bytes = bytes, .next = c->mirrors};
    cudaError_t code = rt_failed(c, rt_pool_alloc(&c->pool, bytes, &m->device, &err), &err);
    if (code != cudaSuccess) {
        ww_free(m);
        return code;
    }
    c->mirrors = m;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    (void)flags;
    RT_CALL(c, register_host(c, p, bytes));
}

static cudaError_t unregister_host(rt_context *c, void *p)
{
    for (rt_mirror **m = &c->mirrors; *m != NULL; m = &(*m)->next) {
        if ((*m)->host == p) {
            rt_mirror *gone = *m;
            *m = gone->next;
            (void)rt_pool_free(&c->pool, gone->device); /* the program may have freed it */
            ww_free(gone);
            return cudaSuccess;
        }
    }
    return cudaErrorHostMemoryNotRegistered;
}

cudaError_t cudaHostUnregister(void *p)
{
    RT_CALL(c, unregister_host(c, p));
}

ww_status rt_mirrors_to_device(rt_context *c, ww_error *err)
{
    for (const rt_mirror *m = c->mirrors; m != NULL; m = m->next) {
        WW_TRY(ww_device_write(c->device, m->device, m->host, m->bytes, err));
    }
    return WW_OK;
}

ww_status rt_mirrors_to_host(rt_context *c, ww_error *err)
{
    for (const rt_mirror *m = c->mirrors; m != NULL; m = m->next) {
        WW_TRY(ww_device_read(c->device, m->host, m->device, m->bytes, err));
    }
    return WW_OK;
}

static cudaError_t device_pointer(const rt_context *c, void **out, void *p)
{
    ww_devptr first;
    size_t bytes;
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    const rt_mirror *m = rt_mirror_of(c, p);
    if (m != NULL) {
        *out = (void *)(uintptr_t)(m->device + ((uintptr_t)p - (uintptr_t)m->host));
        return cudaSuccess;
    }
    if (!c->unified || !rt_pool_bounds(&c->pool, (uintptr_t)p, &first, &bytes)) {
        return cudaErrorInvalidValue;
    }
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags)
{
    (void)flags;
    RT_CALL(c, device_pointer(c, out, p));
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *p)
{
    (void)p;
    if (flags == NULL) {
        return cudaErrorInvalidValue;
    }
    *flags = 2; /* mapped */
    RT_CALL(c, cudaSuccess);
}
