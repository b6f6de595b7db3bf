/* nodes.c - nodes of every kind that is supported, and new parameters for them. */
#include <string.h>

#include "base/checked.h"
#include "runtime/graphs/graph.h"

static cudaError_t add(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                       const cudaGraphNode_t *deps, size_t count, const rt_work *work)
{
    if (out == NULL || !rt_is_graph(c, graph) || (deps == NULL && count > 0)) {
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++) {
        if (deps[i] == NULL || deps[i]->graph != graph) {
            return cudaErrorInvalidValue;
        }
    }
    return rt_graph_add(c, graph, deps, count, work, out);
}

/* ---- kernels ---- */

/* Arguments come as pointers; packed ones (extra) belong to the driver API. */
static cudaError_t kernel_work(const cudaKernelNodeParams *p, rt_work *work)
{
    if (p == NULL || p->extra != NULL) {
        return cudaErrorInvalidValue;
    }
    *work = (rt_work){.type = cudaGraphNodeTypeKernel};
    work->u.kernel.host = p->func;
    work->u.kernel.grid = p->gridDim;
    work->u.kernel.block = p->blockDim;
    work->u.kernel.shared = p->sharedMemBytes;
    work->u.kernel.args = p->kernelParams;
    return cudaSuccess;
}

static cudaError_t add_kernel(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                              const cudaGraphNode_t *deps, size_t count,
                              const cudaKernelNodeParams *params)
{
    rt_work work;
    cudaError_t code = kernel_work(params, &work);
    return code == cudaSuccess ? add(c, out, graph, deps, count, &work) : code;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t count,
                                   const cudaKernelNodeParams *params)
{
    RT_CALL(c, add_kernel(c, out, graph, deps, count, params));
}

/* The node of an executable graph that was made from node, if its work is of that type. */
static cudaGraphNode_t executable_node(const rt_context *c, cudaGraphExec_t exec,
                                       cudaGraphNode_t node, int type)
{
    cudaGraphNode_t copy = rt_is_executable(c, exec) ? rt_graph_copy_of(exec->graph, node) : NULL;
    return copy != NULL && copy->work.type == type ? copy : NULL;
}

static cudaError_t set_kernel(rt_context *c, cudaGraphNode_t node,
                              const cudaKernelNodeParams *params)
{
    rt_work work;
    cudaError_t code = kernel_work(params, &work);
    if (node == NULL || node->work.type != cudaGraphNodeTypeKernel) {
        return cudaErrorInvalidValue;
    }
    if (code == cudaSuccess) { /* attributes are not among the parameters */
        work.u.kernel.cooperative = node->work.u.kernel.cooperative;
        work.u.kernel.cluster = node->work.u.kernel.cluster;
        code = rt_graph_set_work(c, node, &work);
    }
    return code;
}

/* The arguments are the node's own, until it gets others. */
static cudaError_t get_kernel(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    if (node == NULL || params == NULL || node->work.type != cudaGraphNodeTypeKernel) {
        return cudaErrorInvalidValue;
    }
    union {
        const void *constant;
        void *function;
    } host = {.constant = node->work.u.kernel.host};
    *params = (cudaKernelNodeParams){.func = host.function,
                                     .gridDim = node->work.u.kernel.grid,
                                     .blockDim = node->work.u.kernel.block,
                                     .sharedMemBytes = (unsigned)node->work.u.kernel.shared,
                                     .kernelParams = node->work.u.kernel.args};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    RT_CALL(c, get_kernel(node, params));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params)
{
    RT_CALL(c, set_kernel(c, node, params));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *params)
{
    RT_CALL(c, set_kernel(c, executable_node(c, exec, node, cudaGraphNodeTypeKernel), params));
}

/* ---- copies and fills ---- */

static rt_work linear_copy(void *dst, const void *src, size_t bytes, int kind)
{
    rt_work work = {.type = cudaGraphNodeTypeMemcpy};
    work.u.copy.dst = rt_at(dst, 0, 0);
    work.u.copy.src = rt_at(src, 0, 0);
    work.u.copy.extent = (cudaExtent){bytes, 1, 1};
    work.u.copy.kind = kind;
    return work;
}

static cudaError_t add_copy_3d(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                               const cudaGraphNode_t *deps, size_t count,
                               const cudaMemcpy3DParms *params)
{
    rt_work work;
    cudaError_t code = rt_work_of_3d(c, params, &work);
    return code == cudaSuccess ? add(c, out, graph, deps, count, &work) : code;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t count,
                                   const cudaMemcpy3DParms *params)
{
    RT_CALL(c, add_copy_3d(c, out, graph, deps, count, params));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t count, void *dst,
                                     const void *src, size_t bytes, int kind)
{
    const rt_work work = linear_copy(dst, src, bytes, kind);
    RT_CALL(c, add(c, out, graph, deps, count, &work));
}

static cudaError_t set_copy_1d(rt_context *c, cudaGraphNode_t node, void *dst, const void *src,
                               size_t bytes, int kind)
{
    const rt_work work = linear_copy(dst, src, bytes, kind);
    return node != NULL ? rt_graph_set_work(c, node, &work) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t bytes, int kind)
{
    RT_CALL(c, set_copy_1d(c, executable_node(c, exec, node, cudaGraphNodeTypeMemcpy), dst, src,
                           bytes, kind));
}

static cudaError_t add_fill(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                            const cudaGraphNode_t *deps, size_t count, const cudaMemsetParams *p)
{
    rt_work work = {.type = cudaGraphNodeTypeMemset};
    if (p == NULL || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) {
        return cudaErrorInvalidValue;
    }
    work.u.fill.dst = rt_at(p->dst, p->pitch, 0);
    work.u.fill.extent = (cudaExtent){0, p->height, 1};
    if (!ww_mul_fits(p->width, p->elementSize, &work.u.fill.extent.width)) {
        return cudaErrorInvalidValue;
    }
    work.u.fill.value = p->value;
    work.u.fill.element_bytes = p->elementSize;
    return add(c, out, graph, deps, count, &work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t count,
                                   const cudaMemsetParams *params)
{
    RT_CALL(c, add_fill(c, out, graph, deps, count, params));
}

/* ---- others ---- */

static cudaError_t host_work(const cudaHostNodeParams *params, rt_work *work)
{
    *work = (rt_work){.type = cudaGraphNodeTypeHost};
    if (params == NULL || params->fn == NULL) {
        return cudaErrorInvalidValue;
    }
    work->u.host.function = params->fn;
    work->u.host.user = params->userData;
    return cudaSuccess;
}

static cudaError_t add_host(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                            const cudaGraphNode_t *deps, size_t count,
                            const cudaHostNodeParams *params)
{
    rt_work work;
    cudaError_t code = host_work(params, &work);
    return code == cudaSuccess ? add(c, out, graph, deps, count, &work) : code;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t count,
                                 const cudaHostNodeParams *params)
{
    RT_CALL(c, add_host(c, out, graph, deps, count, params));
}

static cudaError_t set_host(rt_context *c, cudaGraphNode_t node, const cudaHostNodeParams *params)
{
    rt_work work;
    cudaError_t code = node != NULL ? host_work(params, &work) : cudaErrorInvalidValue;
    return code == cudaSuccess ? rt_graph_set_work(c, node, &work) : code;
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *params)
{
    RT_CALL(c, set_host(c, executable_node(c, exec, node, cudaGraphNodeTypeHost), params));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                  const cudaGraphNode_t *deps, size_t count)
{
    const rt_work work = {.type = cudaGraphNodeTypeEmpty};
    RT_CALL(c, add(c, out, graph, deps, count, &work));
}

static cudaError_t add_child(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                             const cudaGraphNode_t *deps, size_t count, cudaGraph_t child)
{
    rt_work work = {.type = cudaGraphNodeTypeGraph};
    if (!rt_is_graph(c, child) || child == graph) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code = rt_graph_copy(c, &work.u.graph, child);
    if (code != cudaSuccess) {
        return code;
    }
    work.u.graph->is_child = true;
    code = add(c, out, graph, deps, count, &work);
    if (code != cudaSuccess) {
        rt_graph_destroy(c, work.u.graph);
    }
    return code;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *deps, size_t count, cudaGraph_t child)
{
    RT_CALL(c, add_child(c, out, graph, deps, count, child));
}

static cudaError_t add_event_record(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t count, cudaEvent_t event)
{
    rt_work work = {.type = cudaGraphNodeTypeEventRecord};
    work.u.event = event;
    return rt_is_event(c, event) ? add(c, out, graph, deps, count, &work)
                                 : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *deps, size_t count,
                                        cudaEvent_t event)
{
    RT_CALL(c, add_event_record(c, out, graph, deps, count, event));
}

/* The memory is there from now on until the graph and its copies are destroyed. */
static cudaError_t add_allocation(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                                  const cudaGraphNode_t *deps, size_t count,
                                  cudaMemAllocNodeParams *params)
{
    rt_work work;
    cudaError_t code = params != NULL && rt_is_graph(c, graph)
                           ? rt_graph_allocate(c, params->bytesize, &work, &params->dptr)
                           : cudaErrorInvalidValue;
    return code == cudaSuccess ? add(c, out, graph, deps, count, &work) : code;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t count,
                                     cudaMemAllocNodeParams *params)
{
    RT_CALL(c, add_allocation(c, out, graph, deps, count, params));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t count, void *p)
{
    const rt_work work = {.type = cudaGraphNodeTypeMemFree};
    (void)p;
    RT_CALL(c, add(c, out, graph, deps, count, &work));
}

/* The bodies are for the program to fill. */
static cudaError_t add_conditional(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t count,
                                   cudaConditionalNodeParams *params)
{
    rt_work work;
    cudaError_t code = rt_condition_work(c, params, &work);
    if (code != cudaSuccess) {
        return code;
    }
    code = add(c, out, graph, deps, count, &work);
    if (code != cudaSuccess) {
        rt_free_bodies(c, &work);
        return code;
    }
    params->phGraph_out = work.u.condition.body;
    return cudaSuccess;
}

static cudaError_t add_any(rt_context *c, cudaGraphNode_t *out, cudaGraph_t graph,
                           const cudaGraphNode_t *deps, size_t count, cudaGraphNodeParams *p)
{
    if (p == NULL) {
        return cudaErrorInvalidValue;
    }
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return add_kernel(c, out, graph, deps, count, &p->u.kernel);
    case cudaGraphNodeTypeMemcpy:
        return add_copy_3d(c, out, graph, deps, count, &p->u.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return add_fill(c, out, graph, deps, count, &p->u.memset);
    case cudaGraphNodeTypeHost:
        return add_host(c, out, graph, deps, count, &p->u.host);
    case cudaGraphNodeTypeGraph:
        return add_child(c, out, graph, deps, count, p->u.graph.graph);
    case cudaGraphNodeTypeEventRecord:
        return add_event_record(c, out, graph, deps, count, p->u.eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return add_allocation(c, out, graph, deps, count, &p->u.alloc);
    case cudaGraphNodeTypeConditional:
        return add_conditional(c, out, graph, deps, count, &p->u.conditional);
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeMemFree: {
        const rt_work work = {.type = p->type};
        return add(c, out, graph, deps, count, &work);
    }
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t count,
                             cudaGraphNodeParams *params)
{
    (void)edges; /* kinds of edges of programmatic launches */
    RT_CALL(c, add_any(c, out, graph, deps, count, params));
}
