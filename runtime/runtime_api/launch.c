/* launch.c - launches of every kind, and what a program may ask about a kernel. */
#include <string.h>

#include "runtime/graphs/graph.h"

/* `<<<>>>` pushes its configuration, and the kernel's host stub pops it. */
typedef struct configuration {
    cudaDim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configuration;

enum { PUSHED_MOST = 16 };
static _Thread_local configuration pushed[PUSHED_MOST];
static _Thread_local unsigned pushed_count;

unsigned __cudaPushCallConfiguration(cudaDim3 grid, cudaDim3 block, size_t shared,
                                     cudaStream_t stream)
{
    if (pushed_count == PUSHED_MOST) {
        return cudaErrorUnknown;
    }
    pushed[pushed_count++] = (configuration){grid, block, shared, stream};
    return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(cudaDim3 *grid, cudaDim3 *block, size_t *shared,
                                       void *stream)
{
    if (pushed_count == 0) {
        return cudaErrorMissingConfiguration;
    }
    const configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* The loaded kernel of a host function or handle. */
static cudaError_t resolve(rt_context *c, const void *host, rt_kernel **out)
{
    *out = rt_find_kernel(c, host);
    return *out != NULL ? rt_load(c, (*out)->module) : cudaErrorInvalidDeviceFunction;
}

cudaError_t rt_kernel_info(rt_context *c, const void *host, rt_kernel **kernel,
                           ww_kernel_info *info)
{
    cudaError_t code = resolve(c, host, kernel);
    if (code != cudaSuccess) {
        return code;
    }
    ww_error err = {0};
    ww_status status =
        ww_device_kernel_info(c->device, (*kernel)->module->module, (*kernel)->name, info, &err);
    return status == WW_ENOTFOUND ? cudaErrorInvalidDeviceFunction : rt_failed(c, status, &err);
}

/* A launch that the device cannot take at all, as opposed to one that fails while it runs. */
cudaError_t rt_refused(const ww_error *err)
{
    rt_say("%s", err->what);
    return strstr(err->what, "cluster") != NULL         ? cudaErrorInvalidClusterSize
           : strstr(err->what, "shared memory") != NULL ? cudaErrorInvalidValue
                                                        : cudaErrorInvalidConfiguration;
}

static cudaError_t check_fit(rt_context *c, const rt_work *work);

cudaError_t rt_request_of(rt_context *c, const rt_work *work, rt_kernel **kernel,
                          ww_launch_request *out)
{
    ww_kernel_info info;
    cudaDim3 grid = work->u.kernel.grid, block = work->u.kernel.block, cluster;
    cudaError_t code = rt_kernel_info(c, work->u.kernel.host, kernel, &info);
    code = code == cudaSuccess ? rt_cluster_of(c, *kernel, &info, work, &cluster) : code;
    if (code == cudaSuccess) {
        *out = (ww_launch_request){.module = (*kernel)->module->module,
                                   .kernel = (*kernel)->name,
                                   .grid = {grid.x, grid.y, grid.z},
                                   .block = {block.x, block.y, block.z},
                                   .cluster = {cluster.x, cluster.y, cluster.z},
                                   .dynamic_shared = work->u.kernel.shared,
                                   .early = work->u.kernel.early,
                                   .args = (const void *const *)work->u.kernel.args,
                                   .arg_count = info.param_count};
    }
    return code;
}

cudaError_t rt_run_kernel(rt_context *c, const rt_work *work)
{
    rt_kernel *kernel;
    ww_launch_request request;
    cudaError_t code = rt_request_of(c, work, &kernel, &request);
    if (code == cudaSuccess && work->u.kernel.cooperative) {
        code = check_fit(c, work);
    }
    if (code != cudaSuccess) {
        return code;
    }
    ww_error err = {0}, late = {0};
    ww_status status = rt_mirrors_to_device(c, &err);
    status = status == WW_OK ? ww_device_launch_request(c->device, &request, &err) : status;
    rt_progress_end(c);
    if (status == WW_ERANGE) {
        return rt_refused(&err);
    }
    code = rt_failed(c, status, &err);
    status = rt_mirrors_to_host(c, &late); /* what a failed kernel wrote, too */
    code = code == cudaSuccess ? rt_failed(c, status, &late) : code;
    /* As on a GPU, a fault shows at the next call that waits; the launch itself went well. */
    return c->failure != cudaSuccess ? cudaSuccess : code;
}

static cudaError_t issue(rt_context *c, const rt_work *work, cudaStream_t stream)
{
    return rt_deferred_waits(c, stream, work) ? rt_deferred_add(c, stream, work)
                                              : rt_issue(c, stream, work);
}

static cudaError_t launch(rt_context *c, const void *host, cudaDim3 grid, cudaDim3 block,
                          void **args, size_t shared, cudaStream_t stream, bool cooperative)
{
    rt_work work = {.type = cudaGraphNodeTypeKernel};
    work.u.kernel.host = host;
    work.u.kernel.grid = grid;
    work.u.kernel.block = block;
    work.u.kernel.shared = shared;
    work.u.kernel.args = args;
    work.u.kernel.cooperative = cooperative;
    return issue(c, &work, stream);
}

cudaError_t rt_kernel_args(rt_context *c, const void *host, void **args, unsigned char *copy,
                           uint32_t *count, size_t *bytes)
{
    rt_kernel *kernel;
    ww_kernel_info info;
    cudaError_t code = rt_kernel_info(c, host, &kernel, &info);
    if (code != cudaSuccess) {
        return code;
    }
    *count = info.param_count;
    *bytes = 0;
    for (uint32_t i = 0; i < info.param_count; i++) {
        size_t at, size;
        if (ww_device_kernel_param(c->device, kernel->module->module, kernel->name, i, &at, &size,
                                   NULL) != WW_OK) {
            return cudaErrorInvalidValue;
        }
        if (args != NULL && copy != NULL) {
            memcpy(copy + *bytes, args[i], size);
            args[i] = copy + *bytes;
        }
        *bytes += size;
    }
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host)
{
    rt_context *c = rt_lock(); /* runs in static initialisers: the device is not needed yet */
    *out = rt_find_kernel(c, host);
    return rt_leave(c, *out != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host)
{
    return __cudaGetKernel(out, host);
}

cudaError_t cudaGetFuncBySymbol(void **out, const void *host)
{
    return __cudaGetKernel((cudaKernel_t *)out, host);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, cudaDim3 grid, cudaDim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    RT_CALL_BESIDE(c, launch(c, kernel, grid, block, args, shared, stream, false));
}

cudaError_t cudaLaunchKernel(const void *host, cudaDim3 grid, cudaDim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    RT_CALL_BESIDE(c, launch(c, host, grid, block, args, shared, stream, false));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig *config, const void *host, void **args)
{
    rt_work work = {.type = cudaGraphNodeTypeKernel};
    if (config == NULL) {
        return cudaErrorInvalidValue;
    }
    work.u.kernel.host = host;
    work.u.kernel.grid = config->gridDim;
    work.u.kernel.block = config->blockDim;
    work.u.kernel.shared = config->dynamicSmemBytes;
    work.u.kernel.args = args;
    rt_take_attributes(&work, config->attrs, config->numAttrs);
    RT_CALL_BESIDE(c, issue(c, &work, config->stream));
}

static cudaError_t occupancy(rt_context *c, const void *host, int threads, size_t shared,
                             uint32_t *ctas)
{
    rt_kernel *kernel;
    ww_kernel_info info;
    if (threads <= 0) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code = rt_kernel_info(c, host, &kernel, &info);
    if (code != cudaSuccess) {
        return code;
    }
    ww_error err = {0};
    return rt_failed(c,
                     ww_device_occupancy(c->device, kernel->module->module, kernel->name,
                                         (uint32_t)threads, shared, ctas, &err),
                     &err);
}

/* All CTAs of a cooperative launch must be resident at once. */
static cudaError_t check_fit(rt_context *c, const rt_work *work)
{
    uint32_t ctas = 0;
    cudaDim3 g = work->u.kernel.grid, b = work->u.kernel.block;
    cudaError_t code =
        occupancy(c, work->u.kernel.host, (int)(b.x * b.y * b.z), work->u.kernel.shared, &ctas);
    if (code != cudaSuccess) {
        return code;
    }
    return (uint64_t)g.x * g.y * g.z > (uint64_t)ctas * c->arch->sm.count
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, cudaDim3 grid, cudaDim3 block,
                                        void **args, size_t shared, cudaStream_t stream)
{
    RT_CALL(c, launch(c, host, grid, block, args, shared, stream, true));
}

/* ---- occupancy ---- */

static cudaError_t blocks_per_sm(rt_context *c, int *blocks, const void *host, int threads,
                                 size_t shared)
{
    uint32_t ctas = 0;
    cudaError_t code =
        blocks != NULL ? occupancy(c, host, threads, shared, &ctas) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *blocks = (int)ctas;
    }
    return code;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int threads, size_t shared)
{
    RT_CALL_BESIDE(c, blocks_per_sm(c, blocks, host, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int threads, size_t shared,
                                                                   unsigned flags)
{
    (void)flags;
    RT_CALL_BESIDE(c, blocks_per_sm(c, blocks, host, threads, shared));
}

static cudaError_t spare_shared(rt_context *c, size_t *bytes, const void *host, int blocks,
                                int threads)
{
    rt_kernel *kernel;
    ww_kernel_info info;
    (void)threads;
    cudaError_t code = bytes != NULL && blocks > 0 ? rt_kernel_info(c, host, &kernel, &info)
                                                   : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        size_t share = c->arch->sm.shared_bytes / (unsigned)blocks;
        *bytes = share > info.shared_bytes ? share - info.shared_bytes : 0;
    }
    return code;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                                      int threads)
{
    RT_CALL(c, spare_shared(c, bytes, host, blocks, threads));
}

/* ---- attributes ---- */

static cudaError_t attributes(rt_context *c, cudaFuncAttributes *out, const void *host)
{
    rt_kernel *kernel;
    ww_kernel_info info;
    cudaError_t code =
        out != NULL ? rt_kernel_info(c, host, &kernel, &info) : cudaErrorInvalidValue;
    if (code != cudaSuccess) {
        return code;
    }
    *out = (cudaFuncAttributes){
        .sharedSizeBytes = info.shared_bytes,
        .localSizeBytes = info.local_bytes,
        .maxThreadsPerBlock = (int)info.max_threads,
        .numRegs = (int)info.registers,
        .ptxVersion = (int)kernel->module->target,
        .binaryVersion = (int)kernel->module->target,
        .maxDynamicSharedSizeBytes = (int)(c->arch->sm.shared_bytes - info.shared_bytes),
        .preferredShmemCarveout = -1,
        .clusterDimMustBeSet = kernel->needs_cluster,
        .requiredClusterWidth = (int)(info.cluster[0] != 0 ? info.cluster[0] : kernel->cluster.x),
        .requiredClusterHeight = (int)(info.cluster[1] != 0 ? info.cluster[1] : kernel->cluster.y),
        .requiredClusterDepth = (int)(info.cluster[2] != 0 ? info.cluster[2] : kernel->cluster.z),
        .nonPortableClusterSizeAllowed = kernel->large_clusters,
    };
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host)
{
    RT_CALL_BESIDE(c, attributes(c, out, host));
}

static cudaError_t set_attribute(rt_context *c, const void *host, int attribute, int value)
{
    rt_kernel *kernel;
    ww_kernel_info info;
    cudaError_t code = rt_kernel_info(c, host, &kernel, &info);
    if (code != cudaSuccess) {
        return code;
    }
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || (uint64_t)value + info.shared_bytes > c->arch->sm.shared_bytes)) {
        return cudaErrorInvalidValue;
    }
    return rt_set_cluster_attribute(c, kernel, attribute, value);
}

cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    RT_CALL_BESIDE(c, set_attribute(c, host, attribute, value));
}

/* The division between L1 cache and shared memory is the GPU description's. */
static cudaError_t known_kernel(rt_context *c, const void *host)
{
    return rt_find_kernel(c, host) != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaFuncSetCacheConfig(const void *host, int config)
{
    (void)config;
    RT_CALL(c, known_kernel(c, host));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, int config)
{
    (void)config;
    RT_CALL(c, known_kernel(c, host));
}

static cudaError_t name_of(rt_context *c, const char **name, const void *host)
{
    const rt_kernel *kernel = rt_find_kernel(c, host);
    if (kernel == NULL || name == NULL) {
        return kernel == NULL ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    }
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *host)
{
    RT_CALL(c, name_of(c, name, host));
}

static cudaError_t param_info(rt_context *c, const void *host, size_t index, size_t *offset,
                              size_t *bytes)
{
    rt_kernel *kernel;
    size_t at, size;
    cudaError_t code = resolve(c, host, &kernel);
    if (code != cudaSuccess) {
        return code;
    }
    ww_error err = {0};
    code = rt_failed(c,
                     ww_device_kernel_param(c->device, kernel->module->module, kernel->name,
                                            (uint32_t)index, &at, &size, &err),
                     &err);
    if (code == cudaSuccess) {
        *offset = at;
        if (bytes != NULL) {
            *bytes = size;
        }
    }
    return code;
}

cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes)
{
    RT_CALL(c, param_info(c, host, index, offset, bytes));
}
