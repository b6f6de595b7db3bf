/* edges.c - what depends on what in a graph: asked for, taken away, and nodes that are left out. */
#include "runtime/graphs/graph.h"

#include <string.h>

bool rt_graph_undepend(cudaGraphNode_t node, cudaGraphNode_t dep)
{
    for (size_t i = 0; i < node->dep_count; i++) {
        if (node->deps[i] == dep) {
            node->dep_count--;
            memmove(&node->deps[i], &node->deps[i + 1], (node->dep_count - i) * sizeof *node->deps);
            return true;
        }
    }
    return false;
}

/* Where edges of a graph go, as far as the caller has room; its arrays may be NULL. */
typedef struct edge_list {
    cudaGraphNode_t *from, *to;
    cudaGraphEdgeData *data;
    size_t room, count;
} edge_list;

static void put(edge_list *list, cudaGraphNode_t from, cudaGraphNode_t to)
{
    if (list->count < list->room) {
        if (list->from != NULL) {
            list->from[list->count] = from;
        }
        if (list->to != NULL) {
            list->to[list->count] = to;
        }
        if (list->data != NULL) {
            list->data[list->count] = (cudaGraphEdgeData){0};
        }
    }
    list->count++;
}

/* Edges of a graph from or to a node, either NULL for any. As with CUDA, what lies behind the last
 * one is emptied. */
static void list_edges(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to, edge_list list,
                       size_t *count)
{
    list.room = list.from != NULL || list.to != NULL ? *count : 0;
    for (cudaGraphNode_t node = graph->first; node != NULL; node = node->next) {
        for (size_t i = 0; i < node->dep_count; i++) {
            if ((to == NULL || to == node) && (from == NULL || from == node->deps[i])) {
                put(&list, node->deps[i], node);
            }
        }
    }
    *count = list.count;
    while (list.count < list.room) {
        put(&list, NULL, NULL);
    }
}

static cudaError_t get_edges(const rt_context *c, cudaGraph_t graph, edge_list list, size_t *count)
{
    if (!rt_is_graph(c, graph) || count == NULL || (list.from == NULL) != (list.to == NULL)) {
        return cudaErrorInvalidValue;
    }
    list_edges(graph, NULL, NULL, list, count);
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    RT_CALL(c, get_edges(c, graph, (edge_list){.from = from, .to = to, .data = edges}, count));
}

static cudaError_t get_neighbours(const rt_context *c, cudaGraphNode_t node, bool before,
                                  edge_list list, size_t *count)
{
    if (!rt_is_node(c, node) || count == NULL) {
        return cudaErrorInvalidValue;
    }
    list_edges(node->graph, before ? NULL : node, before ? node : NULL, list, count);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    RT_CALL(c, get_neighbours(c, node, true, (edge_list){.from = deps, .data = edges}, count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    RT_CALL(c, get_neighbours(c, node, false, (edge_list){.to = nodes, .data = edges}, count));
}

/* Graphs with memory of their own keep their shape, and so do those that a stream is captured
 * into. */
static bool may_lose(const rt_context *c, cudaGraph_t graph)
{
    for (cudaGraphNode_t node = graph->first; node != NULL; node = node->next) {
        if (node->work.type == cudaGraphNodeTypeMemAlloc ||
            node->work.type == cudaGraphNodeTypeMemFree) {
            return false;
        }
    }
    for (cudaStream_t s = c->streams; s != NULL; s = s->next) {
        const struct rt_capture *capture = rt_capture_of(s);
        if (capture != NULL && capture->graph == graph) {
            return false;
        }
    }
    return true;
}

static bool depends(cudaGraphNode_t node, cudaGraphNode_t dep)
{
    for (size_t i = 0; i < node->dep_count; i++) {
        if (node->deps[i] == dep) {
            return true;
        }
    }
    return false;
}

static cudaError_t remove_dependencies(const rt_context *c, cudaGraph_t graph,
                                       const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                       size_t count)
{
    if (!rt_is_graph(c, graph) || (count > 0 && (from == NULL || to == NULL)) ||
        !may_lose(c, graph)) {
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++) {
        if (!rt_is_node(c, to[i]) || to[i]->graph != graph || !depends(to[i], from[i])) {
            return cudaErrorInvalidValue;
        }
    }
    for (size_t i = 0; i < count; i++) {
        (void)rt_graph_undepend(to[i], from[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    (void)edges;
    RT_CALL(c, remove_dependencies(c, graph, from, to, count));
}

static cudaError_t destroy_node(rt_context *c, cudaGraphNode_t node)
{
    if (!rt_is_node(c, node) || !may_lose(c, node->graph)) {
        return cudaErrorInvalidValue;
    }
    rt_graph_remove(c, node);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RT_CALL(c, destroy_node(c, node));
}

/* ---- nodes that an executable graph runs without ---- */

/* The executable graph's node that stands for one of the graph it was made from; NULL where it may
 * not be left out. */
static cudaGraphNode_t switchable(const rt_context *c, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    cudaGraphNode_t own =
        rt_is_executable(c, exec) && node != NULL ? rt_graph_copy_of(exec->graph, node) : NULL;
    return own != NULL && own->work.type <= cudaGraphNodeTypeMemset ? own : NULL;
}

static cudaError_t set_enabled(const rt_context *c, cudaGraphExec_t exec, cudaGraphNode_t node,
                               unsigned enabled)
{
    cudaGraphNode_t own = switchable(c, exec, node);
    if (own == NULL) {
        return cudaErrorInvalidValue;
    }
    own->disabled = enabled == 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    RT_CALL(c, set_enabled(c, exec, node, enabled));
}

static cudaError_t get_enabled(const rt_context *c, cudaGraphExec_t exec, cudaGraphNode_t node,
                               unsigned *enabled)
{
    cudaGraphNode_t own = switchable(c, exec, node);
    if (own == NULL || enabled == NULL) {
        return cudaErrorInvalidValue;
    }
    *enabled = !own->disabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    RT_CALL(c, get_enabled(c, exec, node, enabled));
}
