/* children.c - dynamic parallelism: a parent's launches run when it has ended, each with all that
 * it launches itself before the next. CUDA allows that order: a parent cannot wait for its
 * children, and the launches of a CTA follow each other unless streams or the program say
 * otherwise. */
#include "base/assert.h"
#include "base/mem.h"
#include "perf/api/device_state.h"

enum { MOST_GENERATIONS = 128, MOST_PARAMETERS = 512 };

static ww_status run_child(ww_device *device, ww_module *module, const ww_child *child,
                           ww_error *err)
{
    const char *name = ww_ptx_kernel_at(module->ptx, child->kernel);
    if (name == NULL) {
        return ww_fail(err, WW_EFAULT, "A kernel launches 0x%llx, which is no kernel.",
                       (unsigned long long)child->kernel);
    }
    ww_built *built;
    WW_TRY(ww_module_kernel(device, module, name, &built, err));
    const ww_kernel *kernel = built->kernel;
    if (kernel->param_bytes > WW_CHILD_PARAM_BYTES || kernel->param_count > MOST_PARAMETERS) {
        return ww_fail(err, WW_EUNSUP,
                       "kernel %s has %u bytes of parameters; launched by a kernel it may have %d.",
                       name, kernel->param_bytes, WW_CHILD_PARAM_BYTES);
    }
    const unsigned char *params = ww_devmem_at(device->mem, child->params, WW_CHILD_PARAM_BYTES);
    const void *argument[MOST_PARAMETERS];
    for (uint32_t k = 0; params != NULL && k < kernel->param_count; k++) {
        WW_ASSERT(kernel->params[k].offset < WW_CHILD_PARAM_BYTES);
        argument[k] = params + kernel->params[k].offset;
    }
    return ww_device_launch(device, module, name, child->grid, child->block, child->shared,
                            argument, kernel->param_count, err);
}

static ww_status run_all(ww_device *device, ww_module *module, const ww_child *child,
                         uint32_t count, ww_error *err)
{
    for (int tail = 0; tail < 2; tail++) {
        for (uint32_t k = 0; k < count; k++) {
            if (child[k].tail == (tail != 0)) {
                WW_TRY(run_child(device, module, &child[k], err));
                ww_children_done(device->children, &child[k]);
            }
        }
    }
    return WW_OK;
}

ww_status ww_device_run_children(ww_device *device, ww_module *module, ww_status parent,
                                 ww_error *err)
{
    ww_child *child;
    uint32_t count = ww_children_take(device->children, &child);
    ww_status status = parent;
    if (parent == WW_OK && count > 0 && device->generation == MOST_GENERATIONS) {
        status = ww_fail(err, WW_EKERNEL, "Kernels launch kernels %d generations deep.",
                         MOST_GENERATIONS);
    } else if (parent == WW_OK && count > 0) {
        device->generation++;
        status = run_all(device, module, child, count, err);
        device->generation--;
    }
    ww_free(child);
    return status;
}
