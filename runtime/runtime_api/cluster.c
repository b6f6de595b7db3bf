/* cluster.c - launches in clusters: attributes of launches and kernels, their checks, and what a
 * program may ask about clusters (CUDA runtime API, "Execution Control", "Occupancy"). */
#include <string.h>

#include "runtime/graphs/graph.h"

enum {
    PORTABLE = 8, /* CTAs of a cluster on every GPU that has clusters */
    MOST = 16     /* with cudaFuncAttributeNonPortableClusterSizeAllowed */
};

void rt_take_attributes(rt_work *work, const cudaLaunchAttribute *attribute, unsigned count)
{
    for (unsigned i = 0; attribute != NULL && i < count; i++) {
        const cudaLaunchAttributeValue *value = &attribute[i].value;
        switch (attribute[i].id) {
        case cudaLaunchAttributeCooperative:
            work->u.kernel.cooperative |= value->i != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            work->u.kernel.cluster = value->clusterDim;
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            work->u.kernel.early = value->i != 0;
            break;
        default: /* where clusters lie changes no result */
            break;
        }
    }
}

static uint64_t size_of(cudaDim3 c)
{
    return c.x > MOST || c.y > MOST || c.z > MOST ? MOST + 1 : (uint64_t)c.x * c.y * c.z;
}

cudaError_t rt_cluster_of(rt_context *c, const rt_kernel *kernel, const ww_kernel_info *info,
                          const rt_work *work, cudaDim3 *out)
{
    cudaDim3 own = {info->cluster[0], info->cluster[1], info->cluster[2]};
    cudaDim3 asked = work->u.kernel.cluster;
    cudaDim3 set = kernel->cluster;
    cudaDim3 grid = work->u.kernel.grid;
    bool named = asked.x != 0 || asked.y != 0 || asked.z != 0;
    *out = named ? asked : own.x != 0 ? own : set;
    if (!named && out->x == 0) {
        return kernel->needs_cluster ? cudaErrorInvalidClusterSize : cudaSuccess;
    }
    uint64_t size = size_of(*out);
    bool differs = own.x != 0 && (own.x != out->x || own.y != out->y || own.z != out->z);
    if (size == 0 || size > MOST || (size > PORTABLE && !kernel->large_clusters) || differs ||
        grid.x % out->x != 0 || grid.y % out->y != 0 || grid.z % out->z != 0) {
        return cudaErrorInvalidClusterSize;
    }
    return size > 1 && !rt_takes_clusters(c) ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t rt_set_cluster_attribute(const rt_context *c, rt_kernel *kernel, int which, int value)
{
    unsigned *extent[] = {&kernel->cluster.x, &kernel->cluster.y, &kernel->cluster.z};
    switch (which) {
    case cudaFuncAttributeClusterDimMustBeSet:
        kernel->needs_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 1) {
            return cudaErrorInvalidValue;
        }
        for (int k = 0; k < 3; k++) {
            *extent[k] = *extent[k] == 0 ? 1 : *extent[k];
        }
        *extent[which - cudaFuncAttributeRequiredClusterWidth] = (unsigned)value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->large_clusters = value != 0;
        return rt_takes_clusters(c) ? cudaSuccess : cudaErrorNotSupported;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return value >= 0 && value <= 2 ? cudaSuccess : cudaErrorInvalidValue;
    default:
        return cudaSuccess;
    }
}

/* ---- occupancy ---- */

/* A question about the clusters of a kernel's launches. */
typedef struct question {
    rt_kernel *kernel;
    ww_kernel_info info;
    rt_work work;
} question;

static cudaError_t ask(rt_context *c, const void *host, const cudaLaunchConfig *config,
                       const int *answer, question *q)
{
    if (answer == NULL || config == NULL) {
        return cudaErrorInvalidValue;
    }
    q->work = (rt_work){.type = cudaGraphNodeTypeKernel};
    q->work.u.kernel.grid = config->gridDim;
    q->work.u.kernel.block = config->blockDim;
    q->work.u.kernel.shared = config->dynamicSmemBytes;
    rt_take_attributes(&q->work, config->attrs, config->numAttrs);
    return rt_kernel_info(c, host, &q->kernel, &q->info);
}

/* Clusters of that many of the kernel's CTAs that the GPU holds at a time. */
static cudaError_t active(rt_context *c, const question *q, uint64_t size, uint32_t *clusters)
{
    const cudaDim3 block = q->work.u.kernel.block;
    ww_error err = {0};
    return rt_failed(c,
                     ww_device_max_clusters(c->device, q->kernel->module->module, q->kernel->name,
                                            block.x * block.y * block.z, q->work.u.kernel.shared,
                                            (uint32_t)size, clusters, &err),
                     &err);
}

static cudaError_t max_active(rt_context *c, int *clusters, const void *host,
                              const cudaLaunchConfig *config)
{
    question q;
    cudaDim3 cluster;
    uint32_t n = 0;
    cudaError_t code = ask(c, host, config, clusters, &q);
    code = code == cudaSuccess ? rt_cluster_of(c, q.kernel, &q.info, &q.work, &cluster) : code;
    if (code == cudaSuccess) {
        code = active(c, &q, cluster.x != 0 ? size_of(cluster) : 1, &n);
    }
    if (code == cudaSuccess) {
        *clusters = (int)n;
    }
    return code;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                           const cudaLaunchConfig *config)
{
    RT_CALL_BESIDE(c, max_active(c, clusters, host, config));
}

/* The largest of those sizes of which a GPC has room for one. */
static cudaError_t max_potential(rt_context *c, int *size, const void *host,
                                 const cudaLaunchConfig *config)
{
    question q;
    uint32_t n = 0;
    cudaError_t code = ask(c, host, config, size, &q);
    if (code == cudaSuccess && !rt_takes_clusters(c)) {
        return cudaErrorNotSupported;
    }
    unsigned largest = code == cudaSuccess && q.kernel->large_clusters ? MOST : PORTABLE;
    for (; code == cudaSuccess && n == 0 && largest > 0; largest -= n == 0) {
        code = active(c, &q, largest, &n);
    }
    if (code == cudaSuccess) {
        *size = (int)largest;
    }
    return code;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                                 const cudaLaunchConfig *config)
{
    RT_CALL_BESIDE(c, max_potential(c, size, host, config));
}
