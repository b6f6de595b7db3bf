/* prepare.c - what a launch needs before it runs: checked geometry, thread indices, predecoded
 * instructions. */
#include <float.h>

#include "base/mem.h"
#include "perf/exec/memcheck/shadow.h"
#include "perf/exec/straight_run.h"

enum { MOST_WARPS = 64, MOST_SHARED = 1 << 20 };

/* Values of %tid for every warp of a CTA. */
static ww_status prepare_tid(struct ww_exec_code *code, ww_error *err)
{
    const ww_dim3 *block = &code->launch->block;
    size_t words = (size_t)code->warps * 3 * WW_LANES;
    code->tid_raw = ww_alloc_array(words * sizeof(uint32_t) + 64, 1);
    if (code->tid_raw == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    code->tid = (uint32_t *)(((uintptr_t)code->tid_raw + 63) & ~(uintptr_t)63);
    for (uint32_t t = 0; t < code->warps * WW_LANES; t++) {
        uint32_t *lane = code->tid + t / WW_LANES * 3 * WW_LANES + t % WW_LANES;
        lane[0] = t % block->x;
        lane[WW_LANES] = t / block->x % block->y;
        lane[2 * WW_LANES] = t / block->x / block->y;
    }
    return WW_OK;
}

static ww_status check_geometry(const ww_launch *l, ww_error *err)
{
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    uint64_t ctas = (uint64_t)l->grid.x * l->grid.y;
    bool overflow = l->grid.z != 0 && ctas > UINT32_MAX / l->grid.z;
    if (l->block.x > MOST_WARPS * WW_LANES || l->block.y > MOST_WARPS * WW_LANES || threads == 0 ||
        threads > MOST_WARPS * WW_LANES || ctas == 0 || l->grid.z == 0 || overflow) {
        return ww_fail(
            err, WW_ERANGE, "kernel %s: a grid of %ux%ux%u CTAs of %ux%ux%u threads cannot run.",
            l->kernel->name, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
    }
    return WW_OK;
}

/* Lane arithmetic is exact only in the default floating-point environment. */
static ww_status check_host(ww_error *err)
{
    volatile float tiny = FLT_MIN;
    volatile double one = 1.0;
    volatile double ulp = DBL_EPSILON;
    bool subnormals = tiny / 2.0f != 0.0f;
    bool nearest = one + ulp * 0.75 == one + ulp && one + ulp / 2 == one && -one - ulp / 2 == -one;
    if (!subnormals || !nearest) {
        return ww_fail(
            err, WW_EINTERNAL,
            "The host's floating point flushes subnormals or does not round to nearest.");
    }
    return WW_OK;
}

static ww_status prepare_code(struct ww_exec_code *code, ww_error *err)
{
    const ww_kernel *kernel = code->launch->kernel;
    WW_TRY(prepare_tid(code, err));
    code->uop = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop, kernel->code_count + 1);
    if (code->uop == NULL) {
        return ww_no_memory_for(err, "preparing kernel %s", kernel->name);
    }
    for (uint32_t k = 0; k <= kernel->code_count; k++) {
        ww_uop_pred always = {kernel->predicates, UINT32_MAX};
        ww_uop *u = &code->uop[k];
        *u = (ww_uop){.run = ww__run_off_end,
                      .kind = WW_KIND_OTHER,
                      .guard = always,
                      .pred = always,
                      .pred2 = always,
                      .dst = WW_NO_REG,
                      .pred_dst = WW_NO_REG,
                      .pred_dst2 = WW_NO_REG,
                      .parameter = WW_NO_REG};
        if (k < kernel->code_count) {
            WW_TRY(ww__decode(code, &kernel->code[k], u, err));
        }
    }
    if (code->launch->memcheck != NULL) {
        WW_TRY(ww__grids_launched(code->launch, err));
        return ww__shadow_wrap(code, err);
    }
    return ww__straight_run_prepare(code, err);
}

ww_status ww_exec_prepare(ww_launch *launch, ww_error *err)
{
    WW_TRY(check_geometry(launch, err));
    WW_TRY(check_host(err));
    uint64_t shared = (uint64_t)launch->kernel->shared_bytes + launch->dynamic_shared;
    if (shared > MOST_SHARED) {
        return ww_fail(err, WW_ERANGE, "kernel %s: %llu bytes of shared memory per CTA.",
                       launch->kernel->name, (unsigned long long)shared);
    }
    struct ww_exec_code *code = WW_NEW(struct ww_exec_code);
    if (code == NULL) {
        return ww_no_memory_for(err, "preparing kernel %s", launch->kernel->name);
    }
    code->launch = launch;
    code->lanes = launch->lanes != NULL ? launch->lanes : ww__lanes_select();
    code->threads = launch->block.x * launch->block.y * launch->block.z;
    code->warps = ww_warps_of(code->threads);
    code->shared_bytes = (uint32_t)shared;
    code->bias = ww_devmem_bias(launch->mem);
    code->independent = ww_cluster_size(launch) == 1 && ww__ctas_independent(launch->kernel);
    launch->code = code;
    ww_status status = prepare_code(code, err);
    if (status != WW_OK) {
        ww_exec_release(launch);
    }
    return status;
}

void ww_exec_release(ww_launch *launch)
{
    struct ww_exec_code *code = launch->code;
    if (code != NULL) {
        ww_arena_fini(&code->arena);
        ww_free(code->pool_raw);
        ww_free(code->tid_raw);
        ww_free(code);
        launch->code = NULL;
    }
}
