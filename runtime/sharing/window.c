/* window.c - device addresses over memory of other processes, or that moves between addresses. */
#include "runtime/sharing/window.h"

#include "base/assert.h"
#include "base/checked.h"

cudaError_t rt_window_open(rt_context *c, uint64_t bytes, uint64_t align, rt_window *out)
{
    ww_error err = {0};
    ww_devptr base;
    const uint64_t page = rt_page_bytes();
    align = align > page ? align : page;
    size_t with_margin;
    if (bytes == 0 || (align & (align - 1)) != 0 || !ww_align_up_fits(bytes, page, &bytes) ||
        !ww_add_fits(bytes, align, &with_margin)) {
        return cudaErrorInvalidValue;
    }
    ww_status status = ww_device_malloc(c->device, with_margin, &base, &err);
    if (status != WW_OK) {
        return rt_failed(c, status, &err);
    }
    WW_ASSERT(bytes % page == 0 && base <= UINT64_MAX - bytes - align);
    *out = (rt_window){.base = base, .address = (base + align - 1) & ~(align - 1), .bytes = bytes};
    return cudaSuccess;
}

void rt_window_close(rt_context *c, rt_window *window)
{
    if (window->bytes > 0) {
        (void)rt_window_unmap(c, window, window->address, window->bytes);
        WW_CERTAIN(ww_device_free(c->device, window->base, NULL)); /* rt_window_open allocated it */
    }
    *window = (rt_window){0};
}

bool rt_window_holds(const rt_window *window, ww_devptr address, uint64_t bytes)
{
    return address >= window->address && address - window->address <= window->bytes &&
           bytes <= window->bytes - (address - window->address);
}

static void *host_of(rt_context *c, const rt_window *window, ww_devptr address, uint64_t bytes)
{
    const uint64_t page = rt_page_bytes();
    return rt_window_holds(window, address, bytes) && address % page == 0 && bytes % page == 0
               ? ww_device_host(c->device, address, (size_t)bytes)
               : NULL;
}

bool rt_window_map(rt_context *c, const rt_window *window, ww_devptr address,
                   const rt_segment *segment, uint64_t offset, uint64_t bytes)
{
    void *host = host_of(c, window, address, bytes);
    if (host == NULL || !rt_segment_map(segment, offset, host, (size_t)bytes)) {
        return false;
    }
    ww_device_written(c->device, address, (size_t)bytes); /* by whom it belongs to, unseen */
    return true;
}

bool rt_window_unmap(rt_context *c, const rt_window *window, ww_devptr address, uint64_t bytes)
{
    void *host = host_of(c, window, address, bytes);
    return host != NULL && rt_segment_unmap(host, (size_t)bytes);
}
