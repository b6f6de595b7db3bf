/* virtual_memory.c - mapped memory of the driver API: ranges of addresses that are reserved, memory
 * without an address, and the mapping of one over the other. Memory lies in one segment of the
 * process, or, where it may go to other processes, in one of its own. */
#include <string.h>

#include "base/assert.h"
#include "runtime/driver_api/calls.h"
#include "runtime/core/limits.h"
#include "runtime/sharing/window.h"

enum { TYPE_DEVICE = 1, TYPE_PINNED = 1, ACCESS_READ_WRITE = 3 };

#define COMMON_BYTES ((uint64_t)4 * RT_DEVICE_BYTES) /* room to place memory in, not memory */

/* Memory without an address. It lasts as long as its handle or a mapping does. */
struct rt_physical {
    rt_segment own; /* none: in the common segment */
    uint64_t offset, bytes;
    unsigned handles, mappings;
    bool imported;
    CUmemAllocationProp properties;
    rt_physical *next;
};

struct rt_reservation {
    rt_window window;
    rt_reservation *next;
};

struct rt_mapping {
    ww_devptr address;
    uint64_t bytes;
    rt_physical *physical;
    rt_reservation *reservation;
    rt_mapping *next;
};

/* ---- memory ---- */

static rt_physical *find_physical(rt_context *c, CUmemGenericAllocationHandle handle)
{
    for (rt_physical *p = c->physicals; p != NULL; p = p->next) {
        if ((uintptr_t)p == handle && p->handles > 0) {
            return p;
        }
    }
    return NULL;
}

static const rt_segment *segment_of(const rt_context *c, const rt_physical *p)
{
    return p->own.bytes > 0 ? &p->own : &c->common;
}

static void drop_physical(rt_context *c, rt_physical *gone)
{
    if (gone->handles > 0 || gone->mappings > 0) {
        return;
    }
    for (rt_physical **p = &c->physicals; *p != NULL; p = &(*p)->next) {
        if (*p == gone) {
            *p = gone->next;
            break;
        }
    }
    if (gone->own.bytes > 0) {
        rt_segment_close(&gone->own);
    } else if (ww_spans_remove(&c->common_blocks, gone->offset, NULL)) {
        rt_segment_clear(&c->common, gone->offset, gone->bytes);
    }
    c->allocated -= gone->imported || gone->bytes > c->allocated ? 0 : gone->bytes;
    ww_free(gone);
}

static cudaError_t place_in_common(rt_context *c, rt_physical *p)
{
    ww_error err = {0};
    if (c->common.bytes == 0 && rt_segment_create(COMMON_BYTES, &c->common, &err) != WW_OK) {
        return rt_lacking(c, "cuMemCreate on this host");
    }
    if (ww_spans_reserve(&c->common_blocks, NULL) != WW_OK ||
        !rt_find_gap(&c->common_blocks, 0, c->common.bytes, p->bytes, RT_GRANULARITY, &p->offset)) {
        return cudaErrorMemoryAllocation;
    }
    ww_spans_insert(&c->common_blocks, p->offset, p->bytes);
    return cudaSuccess;
}

static cudaError_t check_properties(const CUmemAllocationProp *wish)
{
    if (wish == NULL || wish->type != TYPE_PINNED || wish->location.type != TYPE_DEVICE) {
        return cudaErrorInvalidValue;
    }
    if (wish->location.id != 0) {
        return cudaErrorInvalidDevice;
    }
    return (wish->requestedHandleTypes & ~RT_HANDLE_TYPE_FD) == 0 ? cudaSuccess
                                                                  : cudaErrorNotSupported;
}

static cudaError_t add_physical(rt_context *c, const rt_physical *model,
                                CUmemGenericAllocationHandle *out)
{
    rt_physical *p = WW_NEW(rt_physical);
    if (p == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *p = *model;
    p->handles = 1;
    p->next = c->physicals;
    c->physicals = p;
    *out = (uintptr_t)p;
    return cudaSuccess;
}

static cudaError_t create(rt_context *c, CUmemGenericAllocationHandle *out, size_t bytes,
                          const CUmemAllocationProp *wish)
{
    rt_physical model = {.bytes = bytes};
    cudaError_t code = check_properties(wish);
    if (code != cudaSuccess || out == NULL || bytes == 0 || bytes % RT_GRANULARITY != 0) {
        return code != cudaSuccess ? code : cudaErrorInvalidValue;
    }
    if (!rt_has_room(c, bytes)) {
        return cudaErrorMemoryAllocation;
    }
    model.properties = *wish;
    if (!rt_compresses(c)) {
        model.properties.compressionType = 0; /* programs look whether they got what they wanted */
    }
    if (wish->requestedHandleTypes == 0) {
        code = place_in_common(c, &model);
    } else if (rt_segment_create(bytes, &model.own, NULL) != WW_OK) {
        code = rt_lacking(c, "cuMemCreate with handles on this host");
    }
    code = code == cudaSuccess ? add_physical(c, &model, out) : code;
    if (code == cudaSuccess) {
        rt_count_allocated(c, bytes);
    }
    return code;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                     const CUmemAllocationProp *wish, unsigned long long flags)
{
    RT_CALL(c, flags == 0 ? create(c, out, bytes, wish) : cudaErrorInvalidValue);
}

static cudaError_t release(rt_context *c, CUmemGenericAllocationHandle handle)
{
    rt_physical *p = find_physical(c, handle);
    if (p == NULL) {
        return cudaErrorInvalidValue;
    }
    p->handles--;
    drop_physical(c, p);
    return cudaSuccess;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    RT_CALL(c, release(c, handle));
}

static cudaError_t properties_of(rt_context *c, CUmemAllocationProp *out,
                                 CUmemGenericAllocationHandle handle)
{
    const rt_physical *p = find_physical(c, handle);
    if (p == NULL || out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = p->properties;
    return cudaSuccess;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out,
                                                CUmemGenericAllocationHandle handle)
{
    RT_CALL(c, properties_of(c, out, handle));
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *wish, int option)
{
    (void)option;
    CUresult code = bytes != NULL ? check_properties(wish) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *bytes = RT_GRANULARITY;
    }
    return code;
}

/* ---- other processes ---- */

static cudaError_t export_memory(rt_context *c, void *out, CUmemGenericAllocationHandle handle,
                                 int type)
{
    const rt_physical *p = find_physical(c, handle);
    if (p == NULL || out == NULL || type != RT_HANDLE_TYPE_FD ||
        p->properties.requestedHandleTypes != RT_HANDLE_TYPE_FD) {
        return cudaErrorInvalidValue;
    }
    int fd;
    if (!rt_segment_export(&p->own, &fd)) {
        return cudaErrorOperatingSystem;
    }
    memcpy(out, &fd, sizeof fd);
    return cudaSuccess;
}

CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle, int type,
                                      unsigned long long flags)
{
    RT_CALL(c, flags == 0 ? export_memory(c, out, handle, type) : cudaErrorInvalidValue);
}

static cudaError_t import_memory(rt_context *c, CUmemGenericAllocationHandle *out, int fd, int type)
{
    rt_physical model = {.imported = true,
                         .properties = {.type = TYPE_PINNED,
                                        .requestedHandleTypes = RT_HANDLE_TYPE_FD,
                                        .location = {.type = TYPE_DEVICE}}};
    if (out == NULL || type != RT_HANDLE_TYPE_FD ||
        rt_segment_adopt(fd, &model.own, NULL) != WW_OK) {
        return cudaErrorInvalidValue;
    }
    model.bytes = model.own.bytes;
    cudaError_t code = add_physical(c, &model, out);
    if (code != cudaSuccess) {
        rt_segment_close(&model.own);
    }
    return code;
}

/* A descriptor comes as the value of the pointer. */
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *handle, int type)
{
    RT_CALL(c, import_memory(c, out, (int)(intptr_t)handle, type));
}

/* ---- addresses ---- */

/* Addresses are no memory yet: programs reserve far more than the device has. */
static CUresult reserve(rt_context *c, CUdeviceptr *out, size_t bytes, size_t align)
{
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    rt_reservation *r = WW_NEW(rt_reservation);
    cudaError_t code =
        r != NULL
            ? rt_window_open(c, bytes, align > RT_GRANULARITY ? align : RT_GRANULARITY, &r->window)
            : cudaErrorMemoryAllocation;
    if (code != cudaSuccess) {
        ww_free(r);
        return code;
    }
    r->next = c->reservations;
    c->reservations = r;
    *out = r->window.address;
    return cudaSuccess;
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags)
{
    (void)wish;
    RT_CALL(c, flags == 0 ? reserve(c, out, bytes, alignment) : cudaErrorInvalidValue);
}

static bool overlaps(const rt_mapping *m, ww_devptr p, uint64_t bytes)
{
    return m->address < p + bytes && p < m->address + m->bytes;
}

static bool is_mapped(const rt_context *c, ww_devptr p, uint64_t bytes)
{
    for (const rt_mapping *m = c->mappings; m != NULL; m = m->next) {
        if (overlaps(m, p, bytes)) {
            return true;
        }
    }
    return false;
}

static cudaError_t free_addresses(rt_context *c, CUdeviceptr p, size_t bytes)
{
    for (rt_reservation **r = &c->reservations; *r != NULL; r = &(*r)->next) {
        rt_reservation *gone = *r;
        if (gone->window.address != p) {
            continue;
        }
        if (bytes > gone->window.bytes || is_mapped(c, p, gone->window.bytes)) {
            return cudaErrorInvalidValue;
        }
        *r = gone->next;
        rt_window_close(c, &gone->window);
        ww_free(gone);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes)
{
    RT_CALL(c, free_addresses(c, p, bytes));
}

static rt_reservation *find_reservation(rt_context *c, CUdeviceptr p, size_t bytes)
{
    rt_reservation *r = c->reservations;
    while (r != NULL && !rt_window_holds(&r->window, p, bytes)) {
        r = r->next;
    }
    return r;
}

static cudaError_t map(rt_context *c, CUdeviceptr p, size_t bytes, size_t offset,
                       CUmemGenericAllocationHandle handle)
{
    rt_physical *physical = find_physical(c, handle);
    rt_reservation *r = find_reservation(c, p, bytes);
    if (physical == NULL || r == NULL || bytes == 0 || bytes % RT_GRANULARITY != 0 ||
        offset % RT_GRANULARITY != 0 || p % RT_GRANULARITY != 0 || offset > physical->bytes ||
        bytes > physical->bytes - offset || is_mapped(c, p, bytes)) {
        return cudaErrorInvalidValue;
    }
    rt_mapping *m = WW_NEW(rt_mapping);
    if (m == NULL) {
        return cudaErrorMemoryAllocation;
    }
    if (!rt_window_map(c, &r->window, p, segment_of(c, physical), physical->offset + offset,
                       bytes)) {
        ww_free(m);
        return cudaErrorMapBufferObjectFailed;
    }
    *m = (rt_mapping){p, bytes, physical, r, c->mappings};
    c->mappings = m;
    physical->mappings++;
    return cudaSuccess;
}

CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    RT_CALL(c, flags == 0 ? map(c, p, bytes, offset, handle) : cudaErrorInvalidValue);
}

/* Mappings go as wholes: any number of them, but no part of one. */
static cudaError_t unmap(rt_context *c, CUdeviceptr p, size_t bytes)
{
    uint64_t covered = 0;
    for (const rt_mapping *m = c->mappings; m != NULL; m = m->next) {
        if (overlaps(m, p, bytes)) {
            if (m->address < p || m->address + m->bytes > p + bytes) {
                return cudaErrorInvalidValue;
            }
            covered += m->bytes;
        }
    }
    if (bytes == 0 || covered != bytes) {
        return cudaErrorInvalidValue;
    }
    for (rt_mapping **m = &c->mappings; *m != NULL;) {
        rt_mapping *gone = *m;
        if (!overlaps(gone, p, bytes)) {
            m = &gone->next;
            continue;
        }
        *m = gone->next;
        (void)rt_window_unmap(c, &gone->reservation->window, gone->address, gone->bytes);
        WW_ASSERT(gone->physical->mappings > 0);
        gone->physical->mappings--;
        drop_physical(c, gone->physical);
        ww_free(gone);
    }
    return cudaSuccess;
}

CUresult cuMemUnmap(CUdeviceptr p, size_t bytes)
{
    RT_CALL(c, unmap(c, p, bytes));
}

/* What is mapped, the device reads and writes. */
static cudaError_t known_addresses(rt_context *c, CUdeviceptr p, size_t bytes)
{
    return find_reservation(c, p, bytes) != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const cudaMemAccessDesc *access, size_t count)
{
    RT_CALL(c, access != NULL && count > 0 ? known_addresses(c, p, bytes) : cudaErrorInvalidValue);
}

static cudaError_t get_access(rt_context *c, unsigned long long *flags,
                              const cudaMemLocation *location, CUdeviceptr p)
{
    if (flags == NULL || location == NULL || !is_mapped(c, p, 1)) {
        return cudaErrorInvalidValue;
    }
    *flags = location->type == TYPE_DEVICE && location->id == 0 ? ACCESS_READ_WRITE : 0;
    return cudaSuccess;
}

CUresult cuMemGetAccess(unsigned long long *flags, const cudaMemLocation *location, CUdeviceptr p)
{
    RT_CALL(c, get_access(c, flags, location, p));
}

static cudaError_t retain(rt_context *c, CUmemGenericAllocationHandle *out, CUdeviceptr p)
{
    for (const rt_mapping *m = c->mappings; m != NULL && out != NULL; m = m->next) {
        if (overlaps(m, p, 1)) {
            m->physical->handles++;
            *out = (uintptr_t)m->physical;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *p)
{
    RT_CALL(c, retain(c, out, (uintptr_t)p));
}
