/* copy.c - copies and fills: linear, two- and three-dimensional, to and from device variables. */
#include <string.h>

#include "base/checked.h"
#include "runtime/graphs/graph.h"

static bool set_kind(rt_side *dst, rt_side *src, int kind)
{
    dst->anywhere = src->anywhere = kind == cudaMemcpyDefault;
    dst->on_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    src->on_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

/* Bytes from the first to the last that an extent touches; false when they do not fit size_t. */
static bool span_of(const rt_side *s, cudaExtent e, size_t *bytes)
{
    size_t rows, slices;
    return ww_mul_fits(s->pitch, e.height - 1, &rows) &&
           ww_mul_fits(s->plane, e.depth - 1, &slices) && ww_add_fits(rows, slices, bytes) &&
           ww_add_fits(*bytes, e.width, bytes);
}

/* Whether a side lies in device memory, as the call or the address says. */
static bool is_on_device(const rt_context *c, const rt_side *s)
{
    ww_devptr first;
    size_t size;
    return s->on_device ||
           (s->anywhere && rt_pool_bounds(&c->pool, (uintptr_t)s->p, &first, &size));
}

/* Replaces a device address by the host's view of it. */
static bool locate(rt_context *c, rt_side *s, cudaExtent e)
{
    size_t bytes;
    if (!span_of(s, e, &bytes)) {
        return false;
    }
    if (!is_on_device(c, s)) {
        return s->p != NULL;
    }
    s->p = rt_pool_host(&c->pool, (uintptr_t)s->p, bytes);
    return s->p != NULL;
}

/* For memcheck: device memory at `dst` has values now. */
static void note_written(rt_context *c, const rt_side *dst, cudaExtent e)
{
    ww_devptr first;
    size_t size;
    if (!rt_pool_bounds(&c->pool, (uintptr_t)dst->p, &first, &size)) {
        return;
    }
    for (size_t z = 0; z < e.depth; z++) {
        for (size_t y = 0; y < e.height; y++) {
            ww_device_written(c->device, (uintptr_t)dst->p + z * dst->plane + y * dst->pitch,
                              e.width);
        }
    }
}

/* Rows in device memory pass through the L2, as the machine has it. */
static void note_copied(rt_context *c, const rt_side *s, cudaExtent e, ww_way way)
{
    for (size_t z = 0; z < e.depth; z++) {
        for (size_t y = 0; y < e.height; y++) {
            ww_device_copied(c->device, (uintptr_t)s->p + z * s->plane + y * s->pitch, e.width,
                             way);
        }
    }
}

/* What is read passes before what is written. */
static void note_both(rt_context *c, const rt_side *dst, const rt_side *src, cudaExtent e)
{
    bool from_device = is_on_device(c, src), to_device = is_on_device(c, dst);
    if (from_device) {
        note_copied(c, src, e, to_device ? WW_ON_DEVICE : WW_TO_HOST);
    }
    if (to_device) {
        note_copied(c, dst, e, from_device ? WW_ON_DEVICE : WW_FROM_HOST);
    }
}

cudaError_t rt_run_copy(rt_context *c, const rt_work *work)
{
    rt_side dst = work->u.copy.dst, src = work->u.copy.src;
    cudaExtent e = work->u.copy.extent;
    if (!set_kind(&dst, &src, work->u.copy.kind)) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (e.width == 0 || e.height == 0 || e.depth == 0) {
        return cudaSuccess;
    }
    if ((e.height > 1 || e.depth > 1) && (dst.pitch < e.width || src.pitch < e.width)) {
        return cudaErrorInvalidPitchValue;
    }
    const rt_side written = dst, read = src;
    if (!locate(c, &dst, e) || !locate(c, &src, e)) {
        return cudaErrorInvalidValue;
    }
    note_written(c, &written, e);
    note_both(c, &written, &read, e);
    for (size_t z = 0; z < e.depth; z++) {
        for (size_t y = 0; y < e.height; y++) {
            memmove(dst.p + z * dst.plane + y * dst.pitch, src.p + z * src.plane + y * src.pitch,
                    e.width);
        }
    }
    return cudaSuccess;
}

cudaError_t rt_copy(rt_context *c, rt_side dst, rt_side src, cudaExtent e, int kind,
                    cudaStream_t stream)
{
    rt_work work = {.type = cudaGraphNodeTypeMemcpy};
    work.u.copy.dst = dst;
    work.u.copy.src = src;
    work.u.copy.extent = e;
    work.u.copy.kind = kind;
    return rt_issue(c, stream, &work);
}

static cudaError_t copy_linear(rt_context *c, void *dst, const void *src, size_t bytes, int kind,
                               cudaStream_t stream)
{
    return rt_copy(c, rt_at(dst, 0, 0), rt_at(src, 0, 0), (cudaExtent){bytes, 1, 1}, kind, stream);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    RT_CALL(c, copy_linear(c, dst, src, bytes, kind, NULL));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, cudaStream_t stream)
{
    RT_CALL(c, copy_linear(c, dst, src, bytes, kind, stream));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t bytes, cudaStream_t stream)
{
    RT_CALL(c, dst_device != 0 || src_device != 0
                   ? cudaErrorInvalidDevice
                   : copy_linear(c, dst, src, bytes, cudaMemcpyDeviceToDevice, stream));
}

static cudaError_t copy_2d(rt_context *c, rt_side dst, rt_side src, size_t width, size_t height,
                           int kind, cudaStream_t stream)
{
    return rt_copy(c, dst, src, (cudaExtent){width, height, 1}, kind, stream);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, int kind)
{
    RT_CALL(c, copy_2d(c, rt_at(dst, dpitch, 0), rt_at(src, spitch, 0), width, height, kind, NULL));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, int kind, cudaStream_t stream)
{
    RT_CALL(c,
            copy_2d(c, rt_at(dst, dpitch, 0), rt_at(src, spitch, 0), width, height, kind, stream));
}

/* false: it lies beyond all addresses. */
static bool side_3d(const cudaPitchedPtr *p, cudaPos pos, rt_side *out)
{
    size_t plane, slices, rows, at;
    if (!ww_mul_fits(p->pitch, p->ysize, &plane) || !ww_mul_fits(pos.z, plane, &slices) ||
        !ww_mul_fits(pos.y, p->pitch, &rows) || !ww_add_fits(slices, rows, &at) ||
        !ww_add_fits(at, pos.x, &at) || !ww_add_fits(at, (uintptr_t)p->ptr, &at)) {
        return false;
    }
    *out = rt_at((const void *)at, p->pitch, plane);
    return true;
}

static bool side_of(cudaArray_t array, const cudaPitchedPtr *p, cudaPos pos, rt_side *out)
{
    if (array == NULL) {
        return side_3d(p, pos, out);
    }
    *out = rt_array_side(array, pos);
    return true;
}

/* The extent's width counts elements where an array takes part. */
cudaError_t rt_work_of_3d(rt_context *c, const cudaMemcpy3DParms *p, rt_work *work)
{
    if (p == NULL) {
        return cudaErrorInvalidValue;
    }
    cudaArray_t array = p->dstArray != NULL ? p->dstArray : p->srcArray;
    if ((p->srcArray != NULL && !rt_is_array(c, p->srcArray)) ||
        (p->dstArray != NULL && !rt_is_array(c, p->dstArray))) {
        return cudaErrorInvalidResourceHandle;
    }
    *work = (rt_work){.type = cudaGraphNodeTypeMemcpy};
    if (!side_of(p->dstArray, &p->dstPtr, p->dstPos, &work->u.copy.dst) ||
        !side_of(p->srcArray, &p->srcPtr, p->srcPos, &work->u.copy.src)) {
        return cudaErrorInvalidValue;
    }
    work->u.copy.extent = p->extent;
    work->u.copy.kind = p->kind;
    size_t unit = array != NULL ? array->element_bytes : 1;
    return ww_mul_fits(p->extent.width, unit, &work->u.copy.extent.width) ? cudaSuccess
                                                                          : cudaErrorInvalidValue;
}

static cudaError_t copy_3d(rt_context *c, const cudaMemcpy3DParms *p, cudaStream_t stream)
{
    rt_work work;
    cudaError_t code = rt_work_of_3d(c, p, &work);
    return code == cudaSuccess ? rt_issue(c, stream, &work) : code;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    RT_CALL(c, copy_3d(c, p, NULL));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RT_CALL(c, copy_3d(c, p, stream));
}

/* Between devices, which are one. */
static cudaError_t copy_3d_peer(rt_context *c, const cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    if (p == NULL || p->srcDevice != 0 || p->dstDevice != 0) {
        return p == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    const cudaMemcpy3DParms here = {.srcArray = p->srcArray,
                                    .srcPos = p->srcPos,
                                    .srcPtr = p->srcPtr,
                                    .dstArray = p->dstArray,
                                    .dstPos = p->dstPos,
                                    .dstPtr = p->dstPtr,
                                    .extent = p->extent,
                                    .kind = cudaMemcpyDeviceToDevice};
    return copy_3d(c, &here, stream);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p)
{
    RT_CALL(c, copy_3d_peer(c, p, NULL));
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    RT_CALL(c, copy_3d_peer(c, p, stream));
}

/* ---- fills ---- */

static void fill_row(unsigned char *row, size_t bytes, unsigned value, unsigned element_bytes)
{
    if (element_bytes == 1) {
        memset(row, (int)(value & 0xff), bytes);
        return;
    }
    for (size_t i = 0; i + element_bytes <= bytes; i += element_bytes) {
        memcpy(row + i, &value, element_bytes); /* little-endian hosts */
    }
}

cudaError_t rt_run_fill(rt_context *c, const rt_work *work)
{
    rt_side dst = work->u.fill.dst;
    cudaExtent e = work->u.fill.extent;
    if (e.width == 0 || e.height == 0 || e.depth == 0) {
        return cudaSuccess;
    }
    dst.on_device = true;
    if (((e.height > 1 || e.depth > 1) && dst.pitch < e.width) || !locate(c, &dst, e)) {
        return cudaErrorInvalidValue;
    }
    note_written(c, &work->u.fill.dst, e);
    note_copied(c, &work->u.fill.dst, e, WW_ON_DEVICE);
    for (size_t z = 0; z < e.depth; z++) {
        for (size_t y = 0; y < e.height; y++) {
            fill_row(dst.p + z * dst.plane + y * dst.pitch, e.width, work->u.fill.value,
                     work->u.fill.element_bytes);
        }
    }
    return cudaSuccess;
}

cudaError_t rt_fill(rt_context *c, rt_side dst, unsigned value, unsigned element_bytes,
                    cudaExtent e, cudaStream_t stream)
{
    rt_work work = {.type = cudaGraphNodeTypeMemset};
    work.u.fill.dst = dst;
    work.u.fill.extent = e;
    work.u.fill.value = value;
    work.u.fill.element_bytes = element_bytes;
    return rt_issue(c, stream, &work);
}

static cudaError_t fill(rt_context *c, rt_side dst, int value, cudaExtent e, cudaStream_t stream)
{
    return rt_fill(c, dst, (unsigned)value, 1, e, stream);
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes)
{
    RT_CALL(c, fill(c, rt_at(dst, 0, 0), value, (cudaExtent){bytes, 1, 1}, NULL));
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream)
{
    RT_CALL(c, fill(c, rt_at(dst, 0, 0), value, (cudaExtent){bytes, 1, 1}, stream));
}

cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    RT_CALL(c, fill(c, rt_at(dst, pitch, 0), value, (cudaExtent){width, height, 1}, NULL));
}

cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    RT_CALL(c, fill(c, rt_at(dst, pitch, 0), value, (cudaExtent){width, height, 1}, stream));
}

static cudaError_t fill_3d(rt_context *c, const cudaPitchedPtr *dst, int value, cudaExtent e,
                           cudaStream_t stream)
{
    rt_side side;
    return side_3d(dst, (cudaPos){0, 0, 0}, &side) ? fill(c, side, value, e, stream)
                                                   : cudaErrorInvalidValue;
}

cudaError_t cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent e)
{
    RT_CALL(c, fill_3d(c, &dst, value, (cudaExtent){e.width, e.height, e.depth}, NULL));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent e, cudaStream_t stream)
{
    RT_CALL(c, fill_3d(c, &dst, value, (cudaExtent){e.width, e.height, e.depth}, stream));
}

/* ---- device variables ---- */

static cudaError_t symbol(rt_context *c, const void *host, ww_devptr *address, size_t *bytes)
{
    const rt_variable *v = rt_find_variable(c, host);
    if (v == NULL) {
        return cudaErrorInvalidSymbol;
    }
    cudaError_t code = rt_load(c, v->module);
    if (code != cudaSuccess) {
        return code;
    }
    return ww_device_symbol(c->device, v->module->module, v->name, address, bytes, NULL) == WW_OK
               ? cudaSuccess
               : cudaErrorInvalidSymbol;
}

static cudaError_t copy_symbol(rt_context *c, const void *host, void *out, const void *in,
                               size_t count, size_t offset, int kind, cudaStream_t stream)
{
    ww_devptr address;
    size_t bytes;
    cudaError_t code = symbol(c, host, &address, &bytes);
    if (code != cudaSuccess) {
        return code;
    }
    if (offset > bytes || count > bytes - offset) {
        return cudaErrorInvalidValue;
    }
    void *there = (void *)(uintptr_t)(address + offset);
    return out != NULL ? copy_linear(c, out, there, count, kind, stream)
                       : copy_linear(c, there, in, count, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *host, const void *src, size_t count, size_t offset,
                               int kind)
{
    RT_CALL(c, copy_symbol(c, host, NULL, src, count, offset, kind, NULL));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *src, size_t count, size_t offset,
                                    int kind, cudaStream_t stream)
{
    RT_CALL(c, copy_symbol(c, host, NULL, src, count, offset, kind, stream));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *host, size_t count, size_t offset, int kind)
{
    RT_CALL(c, dst != NULL ? copy_symbol(c, host, dst, NULL, count, offset, kind, NULL)
                           : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *host, size_t count, size_t offset,
                                      int kind, cudaStream_t stream)
{
    RT_CALL(c, dst != NULL ? copy_symbol(c, host, dst, NULL, count, offset, kind, stream)
                           : cudaErrorInvalidValue);
}

static cudaError_t symbol_place(rt_context *c, const void *host, void **address, size_t *size)
{
    ww_devptr p;
    size_t bytes;
    cudaError_t code = symbol(c, host, &p, &bytes);
    if (code == cudaSuccess && address != NULL) {
        *address = (void *)(uintptr_t)p;
    }
    if (code == cudaSuccess && size != NULL) {
        *size = bytes;
    }
    return code;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *host)
{
    RT_CALL(c, symbol_place(c, host, address, NULL));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *host)
{
    RT_CALL(c, symbol_place(c, host, NULL, size));
}
