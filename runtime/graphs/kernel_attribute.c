/* kernel_attribute.c - attributes of a graph's kernel nodes: what a launch would be given beside
 * its geometry. */
#include <string.h>

#include "runtime/graphs/graph.h"

enum {
    ACCESS_POLICY_WINDOW = 1,
    CLUSTER_SCHEDULING = 5,
    PRIORITY = 8,
    DOMAIN_MAP = 9,
    DOMAIN = 10
};

/* One that CUDA knows of kernel nodes. */
static bool is_known(int which)
{
    return which == ACCESS_POLICY_WINDOW || which == cudaLaunchAttributeCooperative ||
           which == cudaLaunchAttributeClusterDimension || which == CLUSTER_SCHEDULING ||
           (which >= PRIORITY && which <= DOMAIN);
}

static bool is_kernel(const rt_context *c, cudaGraphNode_t node)
{
    return rt_is_node(c, node) && node->work.type == cudaGraphNodeTypeKernel;
}

static cudaError_t set(rt_context *c, cudaGraphNode_t node, int which,
                       const cudaLaunchAttributeValue *value)
{
    if (value == NULL || !is_known(which) || !is_kernel(c, node)) {
        return cudaErrorInvalidValue;
    }
    if (which == ACCESS_POLICY_WINDOW && !rt_is_policy_window(c, &value->accessPolicyWindow)) {
        return cudaErrorInvalidValue;
    }
    if (which == cudaLaunchAttributeCooperative) { /* which a launch's attributes only turn on */
        node->work.u.kernel.cooperative = false;
    }
    const cudaLaunchAttribute attribute = {.id = which, .value = *value};
    rt_take_attributes(&node->work, &attribute, 1);
    node->attributes[which] = *value;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int which,
                                            const cudaLaunchAttributeValue *value)
{
    RT_CALL(c, set(c, node, which, value));
}

/* What the launch has itself is told as it is; the node may have been made by a capture. */
static cudaError_t get(const rt_context *c, cudaGraphNode_t node, int which,
                       cudaLaunchAttributeValue *value)
{
    if (value == NULL || !is_known(which) || !is_kernel(c, node)) {
        return cudaErrorInvalidValue;
    }
    *value = node->attributes[which];
    if (which == cudaLaunchAttributeCooperative) {
        value->i = node->work.u.kernel.cooperative;
    } else if (which == cudaLaunchAttributeClusterDimension) {
        value->clusterDim = node->work.u.kernel.cluster;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int which,
                                            cudaLaunchAttributeValue *value)
{
    RT_CALL(c, get(c, node, which, value));
}

static cudaError_t copy(const rt_context *c, cudaGraphNode_t to, cudaGraphNode_t from)
{
    if (!is_kernel(c, to) || !is_kernel(c, from)) {
        return cudaErrorInvalidValue;
    }
    memmove(to->attributes, from->attributes, sizeof to->attributes);
    to->work.u.kernel.cooperative = from->work.u.kernel.cooperative;
    to->work.u.kernel.cluster = from->work.u.kernel.cluster;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    RT_CALL(c, copy(c, to, from));
}
