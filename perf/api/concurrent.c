/* concurrent.c - kernels of several streams, which share the machine. */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/str.h"
#include "perf/api/launch.h"

static ww_status check_order(const ww_launch_request *list, size_t count, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < list[i].after_count; k++) {
            if (list[i].after[k] >= i) {
                return ww_fail(err, WW_ERANGE, "kernel %s: launch %zu waits for launch %u.",
                               list[i].kernel, i, list[i].after[k]);
            }
        }
    }
    return WW_OK;
}

/* Whether the machine can run them at the same time at all. */
static bool can_share(const ww_device *device, size_t count)
{
    const ww_device_options *o = &device->options;
    return count > 1 && !o->functional_only && !o->sample_ctas && !o->sample_kernels &&
           device->memcheck == NULL && device->gpu->mech_count == 0 && o->share_count == 0;
}

/* Kernels that need the machine, or the device's state, to themselves: all their CTAs must be
 * resident at once, or they launch others, which follow them. */
static bool is_alone(const ww_prepared *r)
{
    bool launches = false;
    for (uint32_t i = 0; i < r->built->kernel->code_count; i++) {
        const ww_inst *inst = &r->built->kernel->code[i];
        launches |= inst->op == WW_OP_CALL && inst->sub >= WW_SUB_CHILD_BUFFER &&
                    inst->sub <= WW_SUB_CHILD_STATUS;
    }
    return r->built->waits_for_grid || launches;
}

static ww_status run_each(ww_device *device, ww_launch_request *list, size_t count, bool follows,
                          ww_error *err)
{
    uint64_t cycles = 0;
    for (size_t i = 0; i < count; i++) {
        const ww_launch_request *q = &list[i];
        if (follows) {
            const bool early = q->early && q->after_count == 1;
            ww_memcheck_grids_next(device->memcheck, i, early ? q->after : NULL);
        }
        WW_TRY(ww_device_launch_request(device, q, err));
        cycles +=
            device->gpu != NULL ? ww_counter_total(&device->gpu->counters, WW_C_CORE_CYCLES) : 0;
        list[i].end = cycles;
    }
    return WW_OK;
}

/* Memcheck follows what each touches where one may begin before the one before it has ended. */
static ww_status run_in_turn(ww_device *device, ww_launch_request *list, size_t count,
                             ww_error *err)
{
    bool follows = false;
    for (size_t i = 0; i < count && device->memcheck != NULL; i++) {
        follows |= list[i].early && list[i].after_count == 1;
    }
    if (!follows) {
        return run_each(device, list, count, false, err);
    }
    WW_TRY(ww_memcheck_grids_begin(device->memcheck, count, err));
    ww_status st = run_each(device, list, count, true, err);
    ww_memcheck_grids_end(device->memcheck);
    return st;
}

/* "a x2 + b": what ran, in the order of first launches. */
static void add_names(ww_str *name, const ww_prepared *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t times = 0, before = 0;
        for (size_t k = 0; k < count; k++) {
            bool same = r[k].built == r[i].built;
            before += same && k < i;
            times += same;
        }
        if (before == 0) {
            ww_str_addf(name, "%s%s", name->len > 0 ? " + " : "", r[i].built->kernel->name);
            if (times > 1) {
                ww_str_addf(name, " x%zu", times);
            }
        }
    }
}

/* The record of all: CTAs together, the largest of everything else. */
static ww_status report(ww_device *device, const ww_prepared *r, size_t count,
                        const ww_allowance *allowance, ww_error *err)
{
    ww_prepared all = r[0];
    uint64_t ctas = 0;
    for (size_t i = 0; i < count; i++) {
        const ww_dim3 g = r[i].launch.grid, b = r[i].launch.block, most = all.launch.block;
        ctas += (uint64_t)g.x * g.y * g.z;
        if (b.x * b.y * b.z > most.x * most.y * most.z) {
            all.launch.block = b;
            all.built = r[i].built;
            all.occupancy = r[i].occupancy;
            all.shared_bytes = r[i].shared_bytes;
        }
    }
    all.launch.grid = (ww_dim3){ctas < UINT32_MAX ? (uint32_t)ctas : UINT32_MAX, 1, 1};
    ww_str name = {0};
    add_names(&name, r, count);
    ww_status st = ww__launch_report(device, &all, ww_str_text(&name), allowance, err);
    ww_str_fini(&name);
    device->launches += (uint32_t)count;
    return st;
}

static ww_status run_grids(ww_device *device, ww_launch_request *list, ww_prepared *r,
                           ww_grid *grid, size_t count, uint64_t most, ww_error *err)
{
    ww_gpu_run_options options = {.interval_cycles = device->options.interval_cycles,
                                  .max_cycles = device->options.max_cycles,
                                  .max_instructions = most,
                                  .governor = device->options.governor,
                                  .on_progress = device->options.on_progress,
                                  .stop = device->options.stop,
                                  .user = device->options.user};
    for (size_t i = 0; i < count; i++) {
        grid[i] = (ww_grid){.launch = &r[i].launch,
                            .program = &r[i].built->program,
                            .cta_limit = r[i].occupancy.ctas,
                            .after = list[i].after,
                            .after_count = list[i].after_count,
                            .early = list[i].early};
    }
    WW_TRY(ww_profile_prepare(device, err));
    WW_TRY(ww_gpu_run_grids(device->gpu, grid, (uint32_t)count, &options, err));
    for (size_t i = 0; i < count; i++) {
        const ww_grid *done = &device->gpu->grid[i];
        WW_ASSERT(done->end != UINT64_MAX && done->end >= device->gpu->start);
        list[i].end = done->end - device->gpu->start;
        if (device->options.profile) {
            WW_TRY(ww_kernel_profile_add(device, r[i].built, done->profile, &device->gpu->counters,
                                         0, err));
        }
    }
    return device->options.profile ? ww_profile_launched(device, 0, err) : WW_OK;
}

/* Runs prepared launches; a kernel that must be alone makes all of them run in turn. */
static ww_status run_prepared(ww_device *device, ww_launch_request *list, ww_prepared *r,
                              ww_grid *grid, size_t count, ww_error *err)
{
    size_t ready = 0;
    ww_allowance allowance;
    ww_status st = ww__budget_ask(device, r[0].built->kernel->name, &allowance, err);
    for (; st == WW_OK && ready < count; ready += st == WW_OK) {
        st = ww_exec_prepare(&r[ready].launch, err);
    }
    if (st == WW_OK) {
        st = run_grids(device, list, r, grid, count, allowance.most, err);
    }
    for (size_t i = 0; i < ready; i++) {
        ww_exec_release(&r[i].launch);
    }
    ww_output_flush(device->output, device->options.on_print, device->options.user);
    return st == WW_OK ? report(device, r, count, &allowance, err) : st;
}

static ww_status share(ww_device *device, ww_launch_request *list, ww_prepared *r, size_t count,
                       ww_error *err)
{
    bool alone = false;
    for (size_t i = 0; i < count; i++) {
        WW_TRY(ww__launch_prepare(device, &list[i], device->launches + (uint32_t)i, &r[i], err));
        alone = alone || is_alone(&r[i]);
    }
    if (alone) {
        return run_in_turn(device, list, count, err);
    }
    ww_grid *grid = WW_NEW_ARRAY(ww_grid, count);
    ww_status st = grid != NULL ? run_prepared(device, list, r, grid, count, err)
                                : ww_no_memory_for(err, "%zu launches", count);
    ww_free(grid);
    return st;
}

ww_status ww_device_launch_concurrent(ww_device *device, ww_launch_request *list, size_t count,
                                      ww_error *err)
{
    WW_TRY(check_order(list, count, err));
    if (!can_share(device, count)) {
        return run_in_turn(device, list, count, err);
    }
    ww_prepared *r = WW_NEW_ARRAY(ww_prepared, count);
    if (r == NULL) {
        return ww_no_memory_for(err, "%zu launches", count);
    }
    ww_status st = share(device, list, r, count, err);
    for (size_t i = 0; i < count; i++) {
        ww_free(r[i].params);
    }
    ww_free(r);
    return st;
}
