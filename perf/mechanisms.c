/* mechanisms.c - mechanisms on the whole chip: attached to every SM, their passes over kernels. */
#include "perf/gpu.h"

#include "base/mem.h"
#include "perf/device_state.h"

ww_status ww_gpu_attach(ww_gpu *gpu, const ww_mech *mech, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_attach(gpu->sm[i], mech, err));
    }
    gpu->mech[gpu->mech_count++] = mech;
    return WW_OK;
}

ww_status ww_gpu_run_passes(const ww_gpu *gpu, ww_built *built, ww_error *err)
{
    const ww_kernel *kernel = built->kernel;
    const void **notes = NULL;
    if (gpu->mech_count > 0) {
        notes = WW_ARENA_NEW_ARRAY(&built->arena, const void *, gpu->mech_count);
        if (notes == NULL) {
            return ww_fail(err, WW_ENOMEM, "Out of memory for kernel %s.", kernel->name);
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
