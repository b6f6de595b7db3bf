/* mechanisms.c - what the chip's mechanisms make of kernels. */
#include "base/mem.h"
#include "perf/api/device_state.h"

bool ww__scalarized(const ww_gpu *gpu, unsigned *varying)
{
    bool on = false;
    for (uint32_t i = 0; i < gpu->mech_count; i++) {
        const ww_mech *mech = gpu->mech[i];
        on |= mech->scalarize != NULL && mech->scalarize(gpu->arch, varying);
    }
    return on;
}

ww_status ww__run_passes(const ww_gpu *gpu, ww_built *built, ww_error *err)
{
    const ww_kernel *kernel = built->kernel;
    const void **notes = NULL;
    if (gpu->mech_count > 0) {
        notes = WW_ARENA_NEW_ARRAY(&built->arena, const void *, gpu->mech_count);
        if (notes == NULL) {
            return ww_no_memory_for(err, "kernel %s", kernel->name);
        }
    }
    for (uint32_t i = 0; i < gpu->mech_count; i++) {
        const ww_mech *mech = gpu->mech[i];
        const ww_mech_build build = {.arch = gpu->arch, .kernel = kernel, .arena = &built->arena};
        ww_status st = mech->pass != NULL ? mech->pass(&build, &kernel, &notes[i], err) : WW_OK;
        if (st != WW_OK) {
            ww_error_prefix(err, "mechanism %s: ", mech->name);
            return st;
        }
    }
    built->kernel = kernel;
    built->notes = notes;
    return WW_OK;
}
