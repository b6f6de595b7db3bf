/* launch.c - one kernel launch: checks, parameter block, the run, and its record. */
#include "perf/api/launch.h"

#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/mem.h"

/* CUDA C Programming Guide, table "Technical Specifications per Compute Capability". */
enum { MAX_GRID_X = INT32_MAX, MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64 };

static ww_status check_grid(const char *kernel, ww_dim3 g, ww_error *err)
{
    if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > MAX_GRID_X || g.y > MAX_GRID_YZ ||
        g.z > MAX_GRID_YZ || (uint64_t)g.x * g.y > UINT32_MAX / g.z) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: grid %u x %u x %u: each dimension must be at least 1, x at most "
                       "%d, y and z at most %d, and all together below 2^32.",
                       kernel, g.x, g.y, g.z, MAX_GRID_X, MAX_GRID_YZ);
    }
    return WW_OK;
}

static ww_status check_block(const ww_arch *arch, const ww_kernel *kernel, ww_dim3 b, ww_error *err)
{
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (b.x == 0 || b.y == 0 || b.z == 0) {
        return ww_fail(err, WW_ERANGE, "kernel %s: block %u x %u x %u has an empty dimension.",
                       kernel->name, b.x, b.y, b.z);
    }
    if (b.x > arch->sm.max_cta_threads || b.y > arch->sm.max_cta_threads || b.z > MAX_BLOCK_Z ||
        threads > arch->sm.max_cta_threads) {
        return ww_fail(
            err, WW_ERANGE,
            "kernel %s: block %u x %u x %u exceeds the %u threads of a CTA (z at most %d).",
            kernel->name, b.x, b.y, b.z, arch->sm.max_cta_threads, MAX_BLOCK_Z);
    }
    if (kernel->max_threads > 0 && threads > kernel->max_threads) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: %llu threads per CTA, but its .maxntid allows %u.", kernel->name,
                       (unsigned long long)threads, kernel->max_threads);
    }
    return WW_OK;
}

/* A kernel whose addresses have 32 bits reaches no allocation that ends beyond them. */
static ww_status check_addresses(const ww_devmem *mem, const ww_kernel *kernel, ww_error *err)
{
    const uint64_t limit = UINT64_C(1) << 32;
    uint64_t first = 0, end = 0;
    if (kernel->narrow &&
        (ww_devmem_bounds(mem, limit, &first, &end) || ww_devmem_next(mem, limit, &first, &end))) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: its addresses have 32 bits (gt200), but memory is allocated up "
                       "to 0x%llx, beyond 4 GiB.",
                       kernel->name, (unsigned long long)end);
    }
    return WW_OK;
}

static ww_status check_resources(const ww_arch *arch, ww_prepared *r, size_t dynamic_shared,
                                 ww_error *err)
{
    const ww_kernel *kernel = r->built->kernel;
    ww_dim3 b = r->launch.block;
    size_t shared = SIZE_MAX;
    if (!ww_add_fits(kernel->shared_bytes, dynamic_shared, &shared) ||
        shared > arch->sm.shared_bytes) {
        return ww_fail(
            err, WW_ERANGE,
            "kernel %s: %zu dynamic and %u static bytes of shared memory per CTA, an SM has %u.",
            kernel->name, dynamic_shared, kernel->shared_bytes, arch->sm.shared_bytes);
    }
    r->shared_bytes = (uint32_t)shared;
    r->occupancy = ww_occupancy_of_words(arch, b.x * b.y * b.z, ww_built_warp_words(arch, r->built),
                                         r->shared_bytes);
    if (r->occupancy.ctas == 0) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: a CTA of %u threads, %u registers each and %u bytes of shared "
                       "memory does not fit an SM; the limit is %s.",
                       kernel->name, b.x * b.y * b.z, r->built->registers, r->shared_bytes,
                       r->occupancy.limit);
    }
    return WW_OK;
}

/* The launch's clusters: its own, the kernel's, or none. */
static ww_status set_cluster(const ww_arch *arch, ww_prepared *r, ww_dim3 asked, ww_error *err)
{
    const ww_kernel *kernel = r->built->kernel;
    const uint32_t *own = kernel->cluster;
    const ww_dim3 g = r->launch.grid;
    ww_dim3 c = asked.x != 0 ? asked : (ww_dim3){own[0], own[1], own[2]};
    if (c.x == 0) {
        return WW_OK;
    }
    if (own[0] != 0 && (c.x != own[0] || c.y != own[1] || c.z != own[2])) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: clusters of %u x %u x %u CTAs, but its .reqnctapercluster says "
                       "%u x %u x %u.",
                       kernel->name, c.x, c.y, c.z, own[0], own[1], own[2]);
    }
    uint64_t size = (uint64_t)c.x * c.y * c.z;
    if (size == 0 || c.x > WW_CLUSTER_MOST || c.y > WW_CLUSTER_MOST || size > WW_CLUSTER_MOST ||
        g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0 ||
        (kernel->max_cluster > 0 && size > kernel->max_cluster)) {
        return ww_fail(
            err, WW_ERANGE,
            "kernel %s: clusters of %u x %u x %u CTAs: they must divide the grid of %u x "
            "%u x %u and have at most %u CTAs.",
            kernel->name, c.x, c.y, c.z, g.x, g.y, g.z,
            kernel->max_cluster > 0 && kernel->max_cluster < WW_CLUSTER_MOST
                ? kernel->max_cluster
                : (uint32_t)WW_CLUSTER_MOST);
    }
    if (ww_occupancy_clusters(arch, r->occupancy.ctas, (uint32_t)size) == 0) {
        return ww_fail(err, WW_ERANGE,
                       "kernel %s: no GPC has room for a cluster of %u CTAs at a time: an SM holds "
                       "%u.",
                       kernel->name, (uint32_t)size, r->occupancy.ctas);
    }
    r->launch.cluster = c;
    return WW_OK;
}

static ww_status pack_params(ww_prepared *r, const void *const *args, size_t arg_count,
                             ww_error *err)
{
    const ww_kernel *kernel = r->built->kernel;
    if (arg_count != kernel->param_count) {
        return ww_fail(err, WW_ERANGE, "kernel %s takes %u parameters, %zu were given.",
                       kernel->name, kernel->param_count, arg_count);
    }
    r->params = WW_NEW_ARRAY(unsigned char, (size_t)kernel->param_bytes + 16);
    if (r->params == NULL) {
        return ww_no_memory_for(err, "parameters");
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        if (args[i] == NULL) {
            return ww_fail(err, WW_ERANGE, "kernel %s: parameter %u is missing.", kernel->name, i);
        }
        const ww_param *p = &kernel->params[i];
        WW_ASSERT(p->offset <= kernel->param_bytes && p->bytes <= kernel->param_bytes - p->offset);
        memcpy(r->params + p->offset, args[i], p->bytes);
    }
    r->launch.params = r->params;
    return WW_OK;
}

/* Executes a launch without time; stats->pc is the caller's to free, also after an error. */
static ww_status execute(const ww_prepared *r, ww_functional_stats *stats, ww_error *err)
{
    const ww_dim3 g = r->launch.grid;
    *stats = (ww_functional_stats){.pc = WW_NEW_ARRAY(ww_pc_count, r->built->program.count)};
    if (stats->pc == NULL) {
        return ww_no_memory_for(err, "instruction counts");
    }
    return ww_exec_ctas(&r->launch, 0, (uint64_t)g.x * g.y * g.z, 0, stats, err);
}

/* Without time only what the instructions alone tell is known; it is booked on SM 0. */
static ww_status run_functional(ww_device *device, ww_prepared *r, ww_error *err)
{
    ww_functional_stats stats;
    ww_status st = execute(r, &stats, err);
    if (st == WW_OK) {
        ww_counter_set *counters = &device->gpu->counters;
        ww_counter_set_clear(counters);
        ww_program_tally(&r->built->program, &stats, counters->block[WW_SCOPE_SM][0].v);
        counters->block[WW_SCOPE_CHIP][0].v[WW_C_LAUNCHES] = 1;
    }
    if (st == WW_OK && device->options.profile) {
        st = ww_kernel_profile_add_executed(device, r->built, stats.pc, NULL, err);
    }
    ww_free(stats.pc);
    return st;
}

/* That sampling aims at. */
static double sample_error(const ww_device *device)
{
    return device->options.sample_error > 0 ? device->options.sample_error : WW_SAMPLE_ERROR;
}

static ww_status run_timed(ww_device *device, ww_prepared *r, uint64_t most, ww_error *err)
{
    const ww_device_options *o = &device->options;
    const bool whole = ww_cluster_size(&r->launch) > 1; /* a cluster cannot be forwarded in part */
    const bool sampled = (o->sample_ctas || o->sample_time) && !whole;
    ww_sampling *s = &device->sampling;
    s->ctas.error = o->sample_ctas && !whole ? sample_error(device) : 0;
    s->time.error = o->sample_time && !whole ? sample_error(device) : 0;
    const ww_gpu_edges edges = ww_sampling_edges(s);
    ww_gpu_run_options options = {.interval_cycles = o->interval_cycles,
                                  .max_cycles = o->max_cycles,
                                  .max_instructions = most,
                                  .governor = o->governor,
                                  .edges = sampled ? &edges : NULL,
                                  .on_progress = o->on_progress,
                                  .stop = o->stop,
                                  .user = o->user};
    WW_TRY(ww_profile_prepare(device, err));
    WW_TRY(
        ww_gpu_run(device->gpu, &r->launch, &r->built->program, r->occupancy.ctas, &options, err));
    if (sampled && s->ledger.extrapolated > 0) {
        r->sampling.share = (double)s->ledger.extrapolated /
                            (double)ww_counter_total(&device->gpu->counters, WW_C_INST_ISSUED);
        r->sampling.error = s->ledger.error_of;
    }
    if (!o->profile) {
        return WW_OK;
    }
    WW_TRY(ww_kernel_profile_add(device, r->built, device->gpu->grid->profile,
                                 &device->gpu->counters, r->sampling.share, err));
    return ww_profile_launched(device, r->sampling.share, err);
}

static ww_status predict(ww_device *device, ww_prepared *r, ww_kernel_sampler *sampler,
                         const ww_launch_kind *expected, ww_error *err)
{
    const ww_dim3 g = r->launch.grid;
    ww_functional_stats stats = {.pc = WW_NEW_ARRAY(ww_pc_count, r->built->program.count)};
    if (stats.pc == NULL) {
        return ww_no_memory_for(err, "instruction counts");
    }
    ww_status st =
        ww_sampling_execute(device->gpu, &r->launch, 0, (uint64_t)g.x * g.y * g.z,
                            device->gpu->cycle, expected->window, expected->windows, &stats, err);
    if (st == WW_OK) {
        ww_counter_set_clear(&device->gpu->counters);
        r->sampling.share = 1;
        st = ww_kernel_sampler_predict(sampler, &r->built->program, &stats, &device->gpu->counters,
                                       &r->sampling.error, err);
    }
    if (st == WW_OK && device->options.profile) {
        st =
            ww_kernel_profile_add_executed(device, r->built, stats.pc, &device->gpu->counters, err);
    }
    ww_free(stats.pc);
    return st;
}

/* What of the machine's past was not simulated in time leaves its mark on a launch that is. */
static void carry_over(ww_device *device, ww_prepared *r)
{
    if (device->disturbed && r->sampling.share <= 0) {
        const ww_counter_set *counters = &device->gpu->counters;
        double part = ww_sample_disturbed((double)ww_counter_total(counters, WW_C_CORE_CYCLES));
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            double total = (double)ww_counter_total(counters, (ww_counter)c);
            r->sampling.error.v[c] =
                ww_counter_describe((ww_counter)c)->from_code ? 0 : (uint64_t)(part * total + 0.5);
        }
    }
    device->disturbed |= r->sampling.share > 0;
}

/* With kernel sampling: one of many launches alike is predicted from those before. A mechanism may
 * drop or repeat instructions, which then tell nothing. */
static ww_status run_or_predict(ww_device *device, ww_prepared *r, uint64_t most, ww_error *err)
{
    ww_kernel_sampler *sampler;
    if (!device->options.sample_kernels || device->gpu->mech_count > 0 ||
        ww_cluster_size(&r->launch) > 1) {
        return run_timed(device, r, most, err);
    }
    WW_TRY(ww_kernel_sampler_find(&device->kernel_samplers, r->built, &r->launch, r->shared_bytes,
                                  &sampler, err));
    const ww_launch_kind *expected = ww_kernel_sampler_expect(sampler, sample_error(device));
    if (expected != NULL) {
        return predict(device, r, sampler, expected, err);
    }
    WW_TRY(run_timed(device, r, most, err));
    return ww_kernel_sampler_learn(sampler, &device->gpu->counters, sample_error(device), err);
}

/* Results come from plain execution; hardware would have had the mechanism's. */
static ww_status check_mechanisms(const ww_device *device, const char *kernel, ww_error *err)
{
    const uint64_t wrong = ww_counter_total(&device->gpu->counters, WW_C_MECH_MISMATCH);
    if (wrong == 0 || ww_mech_unsound(device->arch) != NULL) {
        return WW_OK;
    }
    return ww_fail(
        err, WW_EVERIFY,
        "kernel %s: a mechanism (%s) supplied %llu result%s that plain execution "
        "contradicts (sm.mech.mismatch): its model is wrong, or the program's threads race.",
        kernel, device->arch->mech.active, (unsigned long long)wrong, wrong == 1 ? "" : "s");
}

ww_status ww__launch_report(ww_device *device, const ww_prepared *r, const char *kernel,
                            const ww_allowance *allowance, ww_error *err)
{
    const ww_arch *a = device->arch;
    const ww_snapshots *s = &device->gpu->snapshots;
    const double core_hz = ww_gpu_mean_hz(device->gpu), over = core_hz / a->clock.core_hz;
    const ww_launch_record record = {
        .kernel = kernel,
        .workload = "",
        .launch_index = device->launches,
        .grid = {r->launch.grid.x, r->launch.grid.y, r->launch.grid.z},
        .block = {r->launch.block.x, r->launch.block.y, r->launch.block.z},
        .registers = r->built->registers,
        .shared_bytes = r->shared_bytes,
        .ctas_per_sm = r->occupancy.ctas,
        .occupancy_limit = r->occupancy.limit,
        .core_hz = core_hz,
        .icnt_hz = a->clock.icnt_hz * over,
        .l2_hz = a->clock.l2_hz * over,
        .dram_hz = a->clock.dram_hz,
        .vdd_v = ww_arch_core_v(a),
        .temperature_k = a->chip.temperature_k,
        .counters = &device->gpu->counters,
        .sampling = r->sampling,
        .intervals = device->options.functional_only ? NULL : s->interval,
        .interval_count = device->options.functional_only ? 0 : s->count,
    };
    WW_TRY(check_mechanisms(device, kernel, err));
    if (device->options.on_launch != NULL) {
        WW_TRY(device->options.on_launch(device->options.user, &record, err));
    }
    return allowance != NULL
               ? ww__budget_spend(device, allowance,
                                  ww_counter_total(&device->gpu->counters, WW_C_INST_PROGRAM), err)
               : WW_OK;
}

/* Grid-wide barriers count in memory that the driver supplies, zero when the kernel starts. */
static ww_status prepare_workspace(ww_device *device, ww_prepared *r, ww_error *err)
{
    enum { WORKSPACE_BYTES = 256 };
    if (!r->built->waits_for_grid) {
        return WW_OK;
    }
    if (device->grid_workspace == 0) {
        WW_TRY(ww_devmem_alloc(device->mem, WORKSPACE_BYTES, WORKSPACE_BYTES,
                               &device->grid_workspace, err));
    }
    void *p = ww_devmem_at(device->mem, device->grid_workspace, WORKSPACE_BYTES);
    if (p != NULL) {
        memset(p, 0, WORKSPACE_BYTES);
        ww_device_written(device, device->grid_workspace, WORKSPACE_BYTES);
    }
    r->launch.grid_workspace = device->grid_workspace;
    return WW_OK;
}

/* For what follows alone: nobody hears of it. */
static ww_status pass_over(ww_device *device, const ww_prepared *r, ww_error *err)
{
    ww_functional_stats stats;
    ww_status st = execute(r, &stats, err);
    ww_free(stats.pc);
    ww_output_flush(device->output, NULL, NULL);
    return st;
}

/* A launch that its share cut short runs to its end for those that follow, as it would have from
 * the start. */
static ww_status complete(ww_device *device, ww_prepared *r, ww_memory_copy *before, ww_error *err)
{
    ww_child *child;
    const uint32_t children = ww_children_take(device->children, &child);
    ww_free(child);
    if (children > 0) {
        return ww_fail(err, WW_EUNSUP,
                       "kernel %s launches others: a share of an instruction budget cannot end it.",
                       r->built->kernel->name);
    }
    ww__memory_restore(device->mem, before);
    WW_TRY(prepare_workspace(device, r, err));
    return pass_over(device, r, err);
}

static ww_status run_and_report(ww_device *device, ww_prepared *r, const ww_allowance *allowance,
                                ww_error *err)
{
    ww_status st = allowance == NULL ? run_functional(device, r, err)
                                     : run_or_predict(device, r, allowance->most, err);
    if (st == WW_OK) {
        carry_over(device, r);
    }
    ww_output_flush(device->output, device->options.on_print, device->options.user);
    if (st == WW_OK) {
        st = ww__launch_report(device, r, r->built->kernel->name, allowance, err);
        device->launches++;
    }
    return st;
}

static ww_status run_share(ww_device *device, ww_prepared *r, const ww_allowance *allowance,
                           ww_error *err)
{
    ww_memory_copy before = {0};
    if (!allowance->timed) {
        device->launches++;
        return pass_over(device, r, err);
    }
    const bool needed = allowance->share != NULL && ww__budget_goes_on(device, allowance);
    if (needed) {
        WW_TRY(ww__memory_save(device->mem, &before, err));
    }
    ww_status st = run_and_report(device, r, allowance, err);
    if (st == WW_OK && needed && device->gpu->cut) {
        st = complete(device, r, &before, err);
    }
    ww__memory_forget(&before);
    return st;
}

static ww_status run(ww_device *device, ww_prepared *r, ww_error *err)
{
    ww_allowance allowance;
    if (device->options.stop != NULL && *device->options.stop != 0) {
        return ww_fail(err, WW_EINTERRUPTED, "interrupted");
    }
    WW_TRY(prepare_workspace(device, r, err));
    WW_TRY(ww_exec_prepare(&r->launch, err));
    ww_status st = WW_OK;
    if (device->options.functional_only) {
        st = run_and_report(device, r, NULL, err);
    } else {
        st = ww__budget_ask(device, r->built->kernel->name, &allowance, err);
        st = st == WW_OK ? run_share(device, r, &allowance, err) : st;
    }
    ww_exec_release(&r->launch);
    return st;
}

ww_status ww__launch_prepare(ww_device *device, const ww_launch_request *q, uint32_t id,
                             ww_prepared *r, ww_error *err)
{
    *r = (ww_prepared){0};
    WW_TRY(check_grid(q->kernel, q->grid, err));
    WW_TRY(ww_module_kernel(device, q->module, q->kernel, &r->built, err));
    WW_TRY(check_block(device->arch, r->built->kernel, q->block, err));
    WW_TRY(ww_module_kernel_for(device, q->module, q->kernel, q->block, &r->built, err));
    r->launch = (ww_launch){.kernel = r->built->kernel,
                            .grid = q->grid,
                            .block = q->block,
                            .dynamic_shared = (uint32_t)q->dynamic_shared,
                            .mem = device->mem,
                            .id = id,
                            .sm_count = device->arch->sm.count,
                            .textures = device->textures,
                            .heap = device->heap,
                            .output = device->output,
                            .children = device->children,
                            .team = device->gpu != NULL ? device->gpu->team : NULL,
                            .memcheck = device->memcheck,
                            .taken_path_first = device->arch->peer.taken_path_first};
    WW_TRY(check_addresses(device->mem, r->built->kernel, err));
    WW_TRY(check_resources(device->arch, r, q->dynamic_shared, err));
    WW_TRY(set_cluster(device->arch, r, q->cluster, err));
    r->launch.resident_ctas = r->occupancy.ctas * device->arch->sm.count;
    return pack_params(r, q->args, q->arg_count, err);
}

ww_status ww_device_launch_check(ww_device *device, const ww_launch_request *q, ww_error *err)
{
    ww_prepared r;
    ww_status st = ww__launch_prepare(device, q, 0, &r, err);
    ww_free(r.params);
    return st;
}

ww_status ww_device_launch_request(ww_device *device, const ww_launch_request *q, ww_error *err)
{
    ww_prepared r = {0};
    if (device->memcheck != NULL && device->gpu->mech_count > 0) {
        return ww_fail(err, WW_EUSAGE,
                       "memcheck takes the plain machine: a mechanism may run "
                       "instructions ahead, twice or not at all.");
    }
    ww_status st = ww__launch_prepare(device, q, device->launches, &r, err);
    if (st == WW_OK) {
        st = run(device, &r, err);
    }
    ww_free(r.params);
    return ww_device_run_children(device, q->module, st, err);
}

ww_status ww_device_launch(ww_device *device, ww_module *module, const char *kernel, ww_dim3 grid,
                           ww_dim3 block, size_t dynamic_shared, const void *const *args,
                           size_t arg_count, ww_error *err)
{
    const ww_launch_request q = {.module = module,
                                 .kernel = kernel,
                                 .grid = grid,
                                 .block = block,
                                 .dynamic_shared = dynamic_shared,
                                 .args = args,
                                 .arg_count = arg_count};
    return ww_device_launch_request(device, &q, err);
}
