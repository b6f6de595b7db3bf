/* graph.c - graphs as wholes: creation, copies, executable graphs and their launch. */
#include "runtime/graphs/graph.h"

#include <string.h>

#include "base/assert.h"

bool rt_is_graph(const rt_context *c, cudaGraph_t graph)
{
    for (cudaGraph_t g = c->graphs; g != NULL; g = g->next) {
        if (g == graph) {
            return true;
        }
    }
    return false;
}

bool rt_is_node(const rt_context *c, cudaGraphNode_t node)
{
    for (cudaGraph_t g = c->graphs; g != NULL; g = g->next) {
        for (cudaGraphNode_t n = g->first; n != NULL; n = n->next) {
            if (n == node) {
                return true;
            }
        }
    }
    return false;
}

cudaError_t rt_graph_create(rt_context *c, cudaGraph_t *out)
{
    cudaGraph_t graph = WW_NEW(struct cudaGraph);
    if (graph == NULL) {
        return cudaErrorMemoryAllocation;
    }
    graph->next = c->graphs;
    c->graphs = graph;
    *out = graph;
    return cudaSuccess;
}

/* ---- memory of graphs ---- */

cudaError_t rt_graph_allocate(rt_context *c, size_t bytes, rt_work *work, void **out)
{
    rt_graph_memory *memory = WW_NEW(rt_graph_memory);
    if (memory == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t code = rt_allocate(c, &memory->p, bytes);
    if (code != cudaSuccess) {
        ww_free(memory);
        return code;
    }
    memory->next = c->graph_memory;
    c->graph_memory = memory;
    c->graph_bytes += bytes;
    *work = (rt_work){.type = cudaGraphNodeTypeMemAlloc};
    work->u.memory = memory;
    *out = memory->p;
    return cudaSuccess;
}

static void drop_memory(rt_context *c, rt_graph_memory *memory)
{
    WW_ASSERT(memory->nodes > 0);
    if (--memory->nodes > 0) {
        return;
    }
    rt_graph_memory **m = &c->graph_memory;
    while (*m != memory) {
        m = &(*m)->next;
    }
    *m = memory->next;
    (void)rt_release(c, memory->p);
    ww_free(memory);
}

bool rt_is_graph_memory(const rt_context *c, const void *p)
{
    for (const rt_graph_memory *m = c->graph_memory; m != NULL; m = m->next) {
        if (m->p == p) {
            return true;
        }
    }
    return false;
}

static void free_node(rt_context *c, cudaGraphNode_t node)
{
    if (node->work.type == cudaGraphNodeTypeGraph) {
        rt_graph_destroy(c, node->work.u.graph);
    } else if (node->work.type == cudaGraphNodeTypeConditional) {
        rt_free_bodies(c, &node->work);
    } else if (node->work.type == cudaGraphNodeTypeMemAlloc) {
        drop_memory(c, node->work.u.memory);
    } else if (node->work.type == cudaGraphNodeTypeKernel) {
        ww_free(node->work.u.kernel.args);
        ww_free(node->arg_bytes);
    }
    ww_free(node->deps);
    ww_free(node);
}

void rt_graph_destroy(rt_context *c, cudaGraph_t graph)
{
    for (cudaGraph_t *g = &c->graphs; *g != NULL; g = &(*g)->next) {
        if (*g == graph) {
            *g = graph->next;
            break;
        }
    }
    for (cudaGraphNode_t node = graph->first; node != NULL;) {
        cudaGraphNode_t next = node->next;
        free_node(c, node);
        node = next;
    }
    rt_graph_free_conditions(graph);
    rt_graph_drop_objects(c, graph);
    ww_free(graph);
}

/* ---- nodes ---- */

cudaError_t rt_graph_depend(cudaGraphNode_t node, const cudaGraphNode_t *deps, size_t count)
{
    if (node->dep_count + count > node->dep_capacity) {
        size_t capacity = 2 * (node->dep_count + count);
        cudaGraphNode_t *grown = ww_realloc_array(node->deps, capacity, sizeof(cudaGraphNode_t));
        if (grown == NULL) {
            return cudaErrorMemoryAllocation;
        }
        node->deps = grown;
        node->dep_capacity = capacity;
    }
    for (size_t i = 0; i < count; i++) {
        node->deps[node->dep_count++] = deps[i];
    }
    return cudaSuccess;
}

/* A kernel's arguments must outlive the call that made the node. */
static cudaError_t copy_args(rt_context *c, cudaGraphNode_t node)
{
    uint32_t count = 0;
    size_t bytes = 0;
    cudaError_t code = rt_kernel_args(c, node->work.u.kernel.host, NULL, NULL, &count, &bytes);
    if (code != cudaSuccess) {
        return code;
    }
    void **args = WW_NEW_ARRAY(void *, count + 1);
    node->arg_bytes = WW_NEW_ARRAY(unsigned char, bytes + 1);
    if (args == NULL || node->arg_bytes == NULL) {
        ww_free(args);
        ww_free(node->arg_bytes);
        node->arg_bytes = NULL;
        node->work.u.kernel.args = NULL;
        return cudaErrorMemoryAllocation;
    }
    if (count > 0) { /* a kernel without parameters need not be given a list */
        memcpy(args, node->work.u.kernel.args, count * sizeof *args);
    }
    node->work.u.kernel.args = args;
    return rt_kernel_args(c, node->work.u.kernel.host, args, node->arg_bytes, &count, &bytes);
}

cudaError_t rt_graph_set_work(rt_context *c, cudaGraphNode_t node, const rt_work *work)
{
    /* The new arguments may be those that cudaGraphKernelNodeGetParams gave away. */
    void **old_args = node->work.type == cudaGraphNodeTypeKernel ? node->work.u.kernel.args : NULL;
    unsigned char *old_bytes = node->arg_bytes;
    node->arg_bytes = NULL;
    node->work = *work;
    if (work->type == cudaGraphNodeTypeMemAlloc) {
        work->u.memory->nodes++;
    }
    cudaError_t code = work->type == cudaGraphNodeTypeKernel ? copy_args(c, node) : cudaSuccess;
    ww_free(old_args);
    ww_free(old_bytes);
    return code;
}

cudaError_t rt_graph_add(rt_context *c, cudaGraph_t graph, const cudaGraphNode_t *deps,
                         size_t count, const rt_work *work, cudaGraphNode_t *out)
{
    cudaGraphNode_t node = WW_NEW(struct cudaGraphNode);
    if (node == NULL) {
        return cudaErrorMemoryAllocation;
    }
    node->graph = graph;
    node->work.type = cudaGraphNodeTypeEmpty;
    cudaError_t code = rt_graph_depend(node, deps, count);
    if (code == cudaSuccess) {
        code = rt_graph_set_work(c, node, work);
    }
    if (code != cudaSuccess) {
        node->work.type = cudaGraphNodeTypeEmpty;
        free_node(c, node);
        return code;
    }
    if (graph->last != NULL) {
        graph->last->next = node;
    } else {
        graph->first = node;
    }
    graph->last = node;
    graph->count++;
    *out = node;
    return cudaSuccess;
}

void rt_graph_remove(rt_context *c, cudaGraphNode_t node)
{
    cudaGraph_t graph = node->graph;
    cudaGraphNode_t before = NULL;
    for (cudaGraphNode_t n = graph->first; n != NULL; n = n->next) {
        before = n->next == node ? n : before;
        rt_graph_undepend(n, node);
    }
    *(before != NULL ? &before->next : &graph->first) = node->next;
    graph->last = graph->last == node ? before : graph->last;
    graph->count--;
    /* Another node may come to lie where this one was. */
    for (cudaGraph_t g = c->graphs; g != NULL; g = g->next) {
        for (cudaGraphNode_t n = g->first; n != NULL; n = n->next) {
            n->origin = n->origin == node ? NULL : n->origin;
        }
    }
    free_node(c, node);
}

/* ---- copies ---- */

cudaGraphNode_t rt_graph_copy_of(cudaGraph_t copy, cudaGraphNode_t origin)
{
    cudaGraphNode_t node = copy->first;
    while (node != NULL && node->origin != origin) {
        node = node->next;
    }
    return node;
}

static cudaError_t copy_nodes(rt_context *c, cudaGraph_t to, cudaGraph_t from)
{
    for (cudaGraphNode_t node = from->first; node != NULL; node = node->next) {
        cudaGraphNode_t copy;
        rt_work work = node->work;
        cudaError_t code = cudaSuccess;
        if (work.type == cudaGraphNodeTypeGraph) {
            code = rt_graph_copy(c, &work.u.graph, node->work.u.graph);
            if (code == cudaSuccess) {
                work.u.graph->is_child = true;
            }
        } else if (work.type == cudaGraphNodeTypeConditional) {
            code = rt_condition_copy(c, &work);
        }
        code = code == cudaSuccess ? rt_graph_add(c, to, NULL, 0, &work, &copy) : code;
        if (code != cudaSuccess) {
            return code;
        }
        copy->origin = node;
        memcpy(copy->attributes, node->attributes, sizeof copy->attributes);
    }
    for (cudaGraphNode_t copy = to->first; copy != NULL; copy = copy->next) {
        for (size_t i = 0; i < copy->origin->dep_count; i++) {
            cudaGraphNode_t dep = rt_graph_copy_of(to, copy->origin->deps[i]);
            cudaError_t code = dep != NULL ? rt_graph_depend(copy, &dep, 1) : cudaErrorInvalidValue;
            if (code != cudaSuccess) {
                return code;
            }
        }
    }
    return cudaSuccess;
}

cudaError_t rt_graph_copy(rt_context *c, cudaGraph_t *out, cudaGraph_t graph)
{
    cudaError_t code = rt_graph_create(c, out);
    if (code == cudaSuccess) {
        code = rt_graph_copy_conditions(*out, graph);
        code = code == cudaSuccess ? rt_graph_copy_objects(*out, graph) : code;
        code = code == cudaSuccess ? copy_nodes(c, *out, graph) : code;
        if (code != cudaSuccess) {
            rt_graph_destroy(c, *out);
        }
    }
    return code;
}

/* ---- running ---- */

/* Runs a node behind what it depends on; mark says which nodes have run. */
static cudaError_t run_node(rt_context *c, cudaGraphNode_t node, uint32_t mark)
{
    if (node->mark == mark) {
        return cudaSuccess;
    }
    node->mark = mark;
    for (size_t i = 0; i < node->dep_count; i++) {
        cudaError_t code = run_node(c, node->deps[i], mark);
        if (code != cudaSuccess) {
            return code;
        }
    }
    return node->disabled ? cudaSuccess : rt_run_work(c, &node->work);
}

cudaError_t rt_graph_run(rt_context *c, cudaGraph_t graph)
{
    uint32_t mark = ++graph->marks;
    cudaError_t assigned = rt_graph_assign_conditions(c, graph);
    if (assigned != cudaSuccess) {
        return assigned;
    }
    for (cudaGraphNode_t node = graph->first; node != NULL; node = node->next) {
        cudaError_t code = run_node(c, node, mark);
        if (code != cudaSuccess || c->failure != cudaSuccess) {
            return code;
        }
    }
    return cudaSuccess;
}

/* ---- entry points ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    RT_CALL(c, out == NULL || flags != 0 ? cudaErrorInvalidValue : rt_graph_create(c, out));
}

static cudaError_t destroy(rt_context *c, cudaGraph_t graph)
{
    if (!rt_is_graph(c, graph) || graph->is_child) {
        return cudaErrorInvalidValue;
    }
    rt_graph_destroy(c, graph);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RT_CALL(c, destroy(c, graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    RT_CALL(c, out == NULL || !rt_is_graph(c, graph) ? cudaErrorInvalidValue
                                                     : rt_graph_copy(c, out, graph));
}

/* Fills nodes[0..*count-1], or only counts. */
static cudaError_t list_nodes(const rt_context *c, cudaGraph_t graph, bool only_roots,
                              cudaGraphNode_t *nodes, size_t *count)
{
    if (!rt_is_graph(c, graph) || count == NULL) {
        return cudaErrorInvalidValue;
    }
    size_t n = 0;
    for (cudaGraphNode_t node = graph->first; node != NULL; node = node->next) {
        if (only_roots && node->dep_count > 0) {
            continue;
        }
        if (nodes != NULL && n < *count) {
            nodes[n] = node;
        }
        n++;
    }
    for (size_t i = n; nodes != NULL && i < *count; i++) {
        nodes[i] = NULL;
    }
    *count = n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL(c, list_nodes(c, graph, false, nodes, count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL(c, list_nodes(c, graph, true, nodes, count));
}

static cudaError_t type_of(const rt_context *c, cudaGraphNode_t node, int *type)
{
    if (type == NULL || !rt_is_node(c, node)) {
        return cudaErrorInvalidValue;
    }
    *type = node->work.type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type)
{
    RT_CALL(c, type_of(c, node, type));
}

static cudaError_t find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t node, cudaGraph_t clone)
{
    *out = rt_graph_copy_of(clone, node);
    return *out != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node, cudaGraph_t clone)
{
    RT_CALL(c, out == NULL || !rt_is_graph(c, clone) ? cudaErrorInvalidValue
                                                     : find_in_clone(out, node, clone));
}

static cudaError_t add_dependencies(const rt_context *c, cudaGraph_t graph,
                                    const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                    size_t count)
{
    cudaError_t code = rt_is_graph(c, graph) && ((from != NULL && to != NULL) || count == 0)
                           ? cudaSuccess
                           : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = rt_graph_depend(to[i], &from[i], 1);
    }
    return code;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    (void)edges; /* kinds of edges of programmatic launches */
    RT_CALL(c, add_dependencies(c, graph, from, to, count));
}

static cudaError_t instantiate(rt_context *c, cudaGraphExec_t *out, cudaGraph_t graph)
{
    if (out == NULL || !rt_is_graph(c, graph)) {
        return cudaErrorInvalidValue;
    }
    cudaGraphExec_t exec = WW_NEW(struct cudaGraphExec);
    if (exec == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t code = rt_graph_copy(c, &exec->graph, graph);
    if (code != cudaSuccess) {
        ww_free(exec);
        return code;
    }
    exec->next = c->executables;
    c->executables = exec;
    *out = exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    RT_CALL(c, instantiate(c, out, graph));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(out, graph, flags);
}

bool rt_is_executable(const rt_context *c, cudaGraphExec_t exec)
{
    for (cudaGraphExec_t e = c->executables; e != NULL; e = e->next) {
        if (e == exec) {
            return true;
        }
    }
    return false;
}

/* Both graphs have the same kinds of nodes in the same order. */
static bool same_shape(cudaGraph_t a, cudaGraph_t b)
{
    cudaGraphNode_t x = a->first, y = b->first;
    for (; x != NULL && y != NULL; x = x->next, y = y->next) {
        if (x->work.type != y->work.type || x->dep_count != y->dep_count) {
            return false;
        }
    }
    return x == NULL && y == NULL;
}

static cudaError_t update(rt_context *c, cudaGraphExec_t exec, cudaGraph_t graph,
                          cudaGraphExecUpdateResultInfo *result)
{
    enum { UPDATE_ERROR_TOPOLOGY = 2 };
    cudaGraph_t copy;
    if (!rt_is_executable(c, exec) || !rt_is_graph(c, graph) || result == NULL) {
        return cudaErrorInvalidValue;
    }
    *result = (cudaGraphExecUpdateResultInfo){0};
    if (!same_shape(exec->graph, graph)) {
        result->result = UPDATE_ERROR_TOPOLOGY;
        return cudaErrorGraphExecUpdateFailure;
    }
    cudaError_t code = rt_graph_copy(c, &copy, graph);
    if (code == cudaSuccess) {
        rt_graph_destroy(c, exec->graph);
        exec->graph = copy;
    }
    return code;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    RT_CALL(c, update(c, exec, graph, result));
}

static cudaError_t destroy_executable(rt_context *c, cudaGraphExec_t exec)
{
    for (cudaGraphExec_t *e = &c->executables; *e != NULL; e = &(*e)->next) {
        if (*e == exec) {
            *e = exec->next;
            rt_graph_destroy(c, exec->graph);
            ww_free(exec);
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    RT_CALL(c, destroy_executable(c, exec));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    RT_CALL(c, rt_is_executable(c, exec) && rt_is_stream(c, stream) ? cudaSuccess
                                                                    : cudaErrorInvalidValue);
}

static cudaError_t launch_graph(rt_context *c, cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!rt_is_executable(c, exec) || !rt_is_stream(c, stream)) {
        return cudaErrorInvalidValue;
    }
    if (rt_capture_of(stream) != NULL) {
        return rt_lacking(c, "cudaGraphLaunch into a stream that is being captured");
    }
    return rt_graph_run(c, exec->graph);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    RT_CALL(c, launch_graph(c, exec, stream));
}

/* ---- memory of graphs ---- */

static cudaError_t graph_memory(const rt_context *c, int device, void *value)
{
    if (device != 0 || value == NULL) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    uint64_t bytes = c->graph_bytes;
    memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
}

/* Current and highest use, reserved or not: allocations of graphs last as long as their graphs. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, int which, void *value)
{
    (void)which;
    RT_CALL(c, graph_memory(c, device, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, int which, void *value)
{
    (void)which, (void)value;
    RT_CALL(c, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    RT_CALL(c, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
