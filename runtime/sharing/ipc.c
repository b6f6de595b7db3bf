/* ipc.c - memory and events that another process opens by a handle. Memory: the first handle makes
 * device memory a segment, which the other process maps at addresses of its own. Events need no
 * memory: work has run when the call that issues it returns, so that an event which another process
 * has recorded is complete. Handles are bytes from outside. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/driver_api/calls.h"
#include "runtime/sharing/window.h"

/* Memory of another process that is open here; opening it again gives the same addresses. */
struct rt_import {
    int pid;
    uint64_t nonce, offset;
    void *p;
    rt_window window;
    unsigned uses;
    rt_import *next;
};

static cudaError_t get_memory_handle(rt_context *c, cudaIpcMemHandle_t *out, const void *p)
{
    ww_error err = {0};
    rt_handle handle = {.pid = (int)getpid()};
    ww_devptr first;
    size_t bytes;
    if (out == NULL || !rt_pool_bounds(&c->pool, (uintptr_t)p, &first, &bytes)) {
        return cudaErrorInvalidValue;
    }
    ww_status status = rt_pool_share(&c->pool, &err);
    if (status != WW_OK) {
        return rt_lacking(c, status == WW_EUNSUP ? "cudaIpcGetMemHandle with --memcheck"
                                                 : "cudaIpcGetMemHandle on this host");
    }
    if (!rt_pool_shared(&c->pool, (uintptr_t)p, &handle.offset, &handle.bytes)) {
        return cudaErrorInvalidValue; /* a variable, or memory that came from elsewhere */
    }
    handle.fd = c->pool.segment.fd;
    handle.nonce = c->pool.segment.nonce;
    rt_handle_write(out->reserved, RT_HANDLE_MEMORY, &handle);
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p)
{
    RT_CALL(c, get_memory_handle(c, out, p));
}

/* Maps the pages of the memory that a handle names. */
static cudaError_t map_memory(rt_context *c, const rt_handle *handle, const rt_segment *segment,
                              rt_import *import)
{
    const uint64_t page = rt_page_bytes();
    uint64_t from = handle->offset / page * page;
    uint64_t inside = handle->offset - from;
    uint64_t bytes = (inside + handle->bytes + page - 1) / page * page;
    cudaError_t code = rt_window_open(c, bytes, page, &import->window);
    if (code == cudaSuccess && !rt_window_map(c, &import->window, import->window.address, segment,
                                              from, import->window.bytes)) {
        rt_window_close(c, &import->window);
        code = cudaErrorMapBufferObjectFailed;
    }
    import->p = (void *)(uintptr_t)(import->window.address + inside);
    return code;
}

static cudaError_t import_memory(rt_context *c, const rt_handle *handle, void **out)
{
    rt_segment segment = {0};
    if (rt_segment_open(handle->pid, handle->fd, handle->nonce, &segment, NULL) != WW_OK) {
        return cudaErrorMapBufferObjectFailed;
    }
    rt_import *import = WW_NEW(rt_import);
    cudaError_t code = import == NULL ? cudaErrorMemoryAllocation
                       : !rt_handle_fits(handle, &segment)
                           ? cudaErrorInvalidResourceHandle
                           : map_memory(c, handle, &segment, import);
    rt_segment_close(&segment); /* the mapping stays */
    if (code != cudaSuccess) {
        ww_free(import);
        return code;
    }
    import->pid = handle->pid;
    import->nonce = handle->nonce;
    import->offset = handle->offset;
    import->uses = 1;
    import->next = c->imports;
    c->imports = import;
    *out = import->p;
    return cudaSuccess;
}

static cudaError_t open_memory_handle(rt_context *c, void **out, const cudaIpcMemHandle_t *bytes)
{
    rt_handle handle;
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    if (!rt_handle_read(bytes->reserved, RT_HANDLE_MEMORY, &handle)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (handle.pid == (int)getpid()) {
        return cudaErrorDeviceUninitialized; /* as CUDA has it: it is for other processes */
    }
    for (rt_import *i = c->imports; i != NULL; i = i->next) {
        if (i->nonce == handle.nonce && i->offset == handle.offset && i->pid == handle.pid) {
            i->uses++;
            *out = i->p;
            return cudaSuccess;
        }
    }
    return import_memory(c, &handle, out);
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
    enum { LAZY_ENABLE_PEER_ACCESS = 1 };
    RT_CALL(c, flags <= LAZY_ENABLE_PEER_ACCESS ? open_memory_handle(c, out, &handle)
                                                : cudaErrorInvalidValue);
}

static cudaError_t close_memory(rt_context *c, const void *p)
{
    for (rt_import **i = &c->imports; *i != NULL; i = &(*i)->next) {
        rt_import *import = *i;
        if (import->p != p) {
            continue;
        }
        if (--import->uses == 0) {
            *i = import->next;
            rt_window_close(c, &import->window);
            ww_free(import);
        }
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    RT_CALL(c, close_memory(c, p));
}

/* ---- events ---- */

static cudaError_t get_event_handle(rt_context *c, cudaIpcEventHandle_t *out, cudaEvent_t event)
{
    rt_handle handle = {.pid = (int)getpid(), .fd = -1};
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    if (!rt_is_event(c, event) || !event->interprocess) {
        return cudaErrorInvalidResourceHandle;
    }
    rt_handle_write(out->reserved, RT_HANDLE_EVENT, &handle);
    return cudaSuccess;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event)
{
    RT_CALL(c, get_event_handle(c, out, event));
}

static cudaError_t check_event_handle(const cudaIpcEventHandle_t *bytes)
{
    rt_handle handle;
    if (!rt_handle_read(bytes->reserved, RT_HANDLE_EVENT, &handle) || handle.pid <= 0) {
        return cudaErrorInvalidResourceHandle;
    }
    if (handle.pid == (int)getpid()) {
        return cudaErrorDeviceUninitialized;
    }
    return kill(handle.pid, 0) == 0 || errno == EPERM ? cudaSuccess
                                                      : cudaErrorMapBufferObjectFailed;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle)
{
    cudaError_t code = check_event_handle(&handle);
    if (code != cudaSuccess) {
        RT_CALL(c, code);
    }
    return cudaEventCreateWithFlags(out, RT_EVENT_INTERPROCESS | RT_EVENT_DISABLE_TIMING);
}

/* ---- of the driver API ---- */

CUresult cuIpcGetMemHandle(cudaIpcMemHandle_t *out, CUdeviceptr p)
{
    return cudaIpcGetMemHandle(out, (void *)(uintptr_t)p);
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, cudaIpcMemHandle_t handle, unsigned flags)
{
    void *p = NULL;
    CUresult code = out != NULL ? cudaIpcOpenMemHandle(&p, handle, flags) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = (uintptr_t)p;
    }
    return code;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr p)
{
    return cudaIpcCloseMemHandle((void *)(uintptr_t)p);
}

CUresult cuIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event)
{
    return cudaIpcGetEventHandle(out, event);
}

CUresult cuIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle)
{
    return cudaIpcOpenEventHandle(out, handle);
}
