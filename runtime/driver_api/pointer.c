/* pointer.c - what a pointer points to, as the driver API tells it. */
#include <string.h>

#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

/* Attributes by number (CUpointer_attribute), and what is written for each. */
enum {
    CONTEXT = 1,
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    BUFFER_ID = 7,
    IS_MANAGED = 8,
    DEVICE_ORDINAL = 9,
    IS_IPC_CAPABLE = 10,
    RANGE_START = 11,
    RANGE_SIZE = 12,
    IS_MAPPED = 13
};

/* The allocation that holds p. */
static bool find_allocation(const rt_context *c, CUdeviceptr p, ww_devptr *first, size_t *bytes)
{
    return rt_mempool_bounds(c, p, first, bytes) || rt_pool_bounds(&c->pool, p, first, bytes);
}

/* Writes an attribute; zero where nothing is known of p. */
static cudaError_t write_attribute(rt_context *c, void *out, int which, CUdeviceptr p, bool known,
                                   ww_devptr first, size_t bytes)
{
    enum { TYPE_HOST = 1, TYPE_DEVICE = 2 }; /* managed memory counts as the device's */
    const int type = known ? rt_memory_type(c, (const void *)(uintptr_t)p) : 0;
    CUcontext context = known ? rt_context_handle() : NULL;
    void *host = known && c->unified ? (void *)(uintptr_t)p : NULL;
    uint64_t number = 0;
    int value = 0;
    switch (which) {
    case CONTEXT:
        memcpy(out, &context, sizeof context);
        return cudaSuccess;
    case MEMORY_TYPE:
        value = !known ? 0 : type == cudaMemoryTypeHost ? TYPE_HOST : TYPE_DEVICE;
        break;
    case DEVICE_ORDINAL:
        value = known ? 0 : -2; /* as CUDA has it: a device that is none */
        break;
    case IS_MANAGED:
    case IS_IPC_CAPABLE:
    case IS_MAPPED:
        value =
            (known && which == IS_MAPPED) || (which == IS_MANAGED && type == cudaMemoryTypeManaged);
        memcpy(out, &(bool){value != 0}, sizeof(bool));
        return cudaSuccess;
    case HOST_POINTER:
        memcpy(out, &host, sizeof host);
        return cudaSuccess;
    case DEVICE_POINTER:
    case BUFFER_ID:
    case RANGE_START:
    case RANGE_SIZE:
        number = !known ? 0 : which == DEVICE_POINTER ? p : which == RANGE_SIZE ? bytes : first;
        memcpy(out, &number, sizeof number);
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
    memcpy(out, &value, sizeof value);
    return cudaSuccess;
}

static cudaError_t get_attribute(rt_context *c, void *out, int which, CUdeviceptr p, bool must_know)
{
    ww_devptr first = 0;
    size_t bytes = 0;
    bool known = find_allocation(c, p, &first, &bytes);
    return out == NULL || (must_know && !known)
               ? cudaErrorInvalidValue
               : write_attribute(c, out, which, p, known, first, bytes);
}

CUresult cuPointerGetAttribute(void *out, int which, CUdeviceptr p)
{
    RT_CALL(c, get_attribute(c, out, which, p, true));
}

static cudaError_t get_attributes(rt_context *c, unsigned count, const int *which, void **out,
                                  CUdeviceptr p)
{
    cudaError_t code = which != NULL && out != NULL ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && code == cudaSuccess; i++) {
        code = get_attribute(c, out[i], which[i], p, false);
    }
    return code;
}

/* Of a pointer that is none of the device's, everything is zero. */
CUresult cuPointerGetAttributes(unsigned count, const int *which, void **out, CUdeviceptr p)
{
    RT_CALL(c, get_attributes(c, count, which, out, p));
}

static cudaError_t address_range(const rt_context *c, CUdeviceptr *base, size_t *size,
                                 CUdeviceptr p)
{
    ww_devptr first;
    size_t bytes;
    if (!find_allocation(c, p, &first, &bytes)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (base != NULL) {
        *base = first;
    }
    if (size != NULL) {
        *size = bytes;
    }
    return cudaSuccess;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    RT_CALL(c, address_range(c, base, size, p));
}
