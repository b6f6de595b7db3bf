/* kernel_info.c - the device API's questions about a kernel: parameters, resources, occupancy. */
#include "base/checked.h"
#include "base/mem.h"
#include "perf/api/device_state.h"
#include "perf/ptx/analysis/elements.h"

/* The largest CTA of whole warps of which one fits an SM. */
static uint32_t most_threads(const ww_device *device, const ww_built *b)
{
    uint32_t threads = device->arch->sm.max_cta_threads;
    while (threads > WW_WARP_SIZE &&
           ww_occupancy_of(device->arch, threads, b->registers, b->kernel->shared_bytes).ctas ==
               0) {
        threads = (threads - 1) / WW_WARP_SIZE * WW_WARP_SIZE;
    }
    return b->kernel->max_threads > 0 && b->kernel->max_threads < threads ? b->kernel->max_threads
                                                                          : threads;
}

ww_status ww_device_kernel_info(ww_device *device, ww_module *module, const char *kernel,
                                ww_kernel_info *out, ww_error *err)
{
    ww_built *b;
    WW_TRY(ww_module_kernel(device, module, kernel, &b, err));
    *out = (ww_kernel_info){
        .param_count = b->kernel->param_count,
        .registers = b->registers,
        .shared_bytes = b->kernel->shared_bytes,
        .local_bytes = b->kernel->local_bytes,
        .max_threads = most_threads(device, b),
        .cluster = {b->kernel->cluster[0], b->kernel->cluster[1], b->kernel->cluster[2]}};
    return WW_OK;
}

ww_status ww_device_set_registers(ww_device *device, ww_module *module, const char *kernel,
                                  uint32_t registers, ww_error *err)
{
    ww_built *b;
    WW_TRY(ww_module_kernel(device, module, kernel, &b, err));
    b->registers = registers;
    b->registers_given = true;
    return WW_OK;
}

static ww_status find_param(ww_device *device, ww_module *module, const char *kernel,
                            uint32_t index, const ww_param **out, ww_error *err)
{
    ww_built *b;
    WW_TRY(ww_module_kernel(device, module, kernel, &b, err));
    if (index >= b->kernel->param_count) {
        return ww_fail(err, WW_ERANGE, "kernel %s takes %u parameters; there is no parameter %u.",
                       kernel, b->kernel->param_count, index);
    }
    *out = &b->kernel->params[index];
    return WW_OK;
}

ww_status ww_device_kernel_param(ww_device *device, ww_module *module, const char *kernel,
                                 uint32_t index, size_t *offset, size_t *bytes, ww_error *err)
{
    const ww_param *p = NULL;
    WW_TRY(find_param(device, module, kernel, index, &p, err));
    *offset = p->offset;
    *bytes = p->bytes;
    return WW_OK;
}

ww_status ww_device_kernel_param_floats(ww_device *device, ww_module *module, const char *kernel,
                                        uint32_t index, bool *out, ww_error *err)
{
    const ww_param *p = NULL;
    WW_TRY(find_param(device, module, kernel, index, &p, err));
    *out = ww_ptx_param_floats(module->ptx, kernel, index);
    return WW_OK;
}

ww_status ww_device_kernel_param_elements(ww_device *device, ww_module *module, const char *kernel,
                                          uint32_t index, unsigned *bits, bool *floats,
                                          ww_error *err)
{
    const ww_param *p = NULL;
    ww_elements e = {0};
    WW_TRY(find_param(device, module, kernel, index, &p, err));
    if (p->bytes == sizeof(uint64_t)) {
        WW_TRY(ww_ptx_param_elements(module->ptx, kernel, p->offset, &e, err));
    }
    *bits = e.bits;
    *floats = e.floats;
    return WW_OK;
}

ww_status ww_device_occupancy(ww_device *device, ww_module *module, const char *kernel,
                              uint32_t threads, size_t dynamic_shared, uint32_t *ctas,
                              ww_error *err)
{
    ww_built *b;
    WW_TRY(ww_module_kernel_for(device, module, kernel, (ww_dim3){threads, 1, 1}, &b, err));
    size_t shared;
    *ctas = 0;
    if (threads > 0 && threads <= device->arch->sm.max_cta_threads &&
        ww_add_fits(b->kernel->shared_bytes, dynamic_shared, &shared) &&
        shared <= device->arch->sm.shared_bytes) {
        *ctas = ww_occupancy_of_words(device->arch, threads, ww_built_warp_words(device->arch, b),
                                      (uint32_t)shared)
                    .ctas;
    }
    return WW_OK;
}

ww_status ww_device_max_clusters(ww_device *device, ww_module *module, const char *kernel,
                                 uint32_t threads, size_t dynamic_shared, uint32_t size,
                                 uint32_t *clusters, ww_error *err)
{
    uint32_t ctas;
    WW_TRY(ww_device_occupancy(device, module, kernel, threads, dynamic_shared, &ctas, err));
    *clusters = size > 0 ? ww_occupancy_clusters(device->arch, ctas, size) : 0;
    return WW_OK;
}
