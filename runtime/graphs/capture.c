/* capture.c - work of streams: run at once, or turned into the nodes of a graph while a stream is
 * captured. A stream's or event's frontier holds the nodes that whatever comes next must follow. */
#include <string.h>

#include "runtime/graphs/graph.h"

static struct rt_capture *capture_of(const rt_frontier *f)
{
    return f->capture;
}

struct rt_capture *rt_capture_of(cudaStream_t stream)
{
    return (uintptr_t)stream > 2 ? capture_of(&stream->frontier) : NULL;
}

static void clear(rt_frontier *f)
{
    ww_free(f->nodes);
    *f = (rt_frontier){0};
}

void rt_frontier_clear(rt_frontier *f)
{
    clear(f);
}

static cudaError_t add_to_frontier(rt_frontier *f, const cudaGraphNode_t *nodes, size_t count)
{
    cudaGraphNode_t *grown =
        ww_realloc_array(f->nodes, f->count + count + 1, sizeof(cudaGraphNode_t));
    if (grown == NULL) {
        return cudaErrorMemoryAllocation;
    }
    f->nodes = grown;
    for (size_t i = 0; i < count; i++) {
        f->nodes[f->count++] = nodes[i];
    }
    return cudaSuccess;
}

static cudaError_t set_frontier(rt_frontier *f, struct rt_capture *capture,
                                const cudaGraphNode_t *nodes, size_t count)
{
    f->capture = capture;
    f->count = 0;
    return add_to_frontier(f, nodes, count);
}

/* ---- running ---- */

cudaError_t rt_run_work(rt_context *c, const rt_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return rt_run_kernel(c, work);
    case cudaGraphNodeTypeMemcpy:
        return rt_run_copy(c, work);
    case cudaGraphNodeTypeMemset:
        return rt_run_fill(c, work);
    case cudaGraphNodeTypeHost:
        rt_unlock(); /* it may wait for a thread that calls the runtime */
        work->u.host.function(work->u.host.user);
        (void)rt_lock();
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return rt_graph_run(c, work->u.graph);
    case cudaGraphNodeTypeConditional:
        return rt_run_condition(c, work);
    case cudaGraphNodeTypeEventRecord:
        work->u.event->recorded = true;
        work->u.event->time_s = c->time_s;
        return cudaSuccess;
    default: /* empty; memory of graphs lasts as long as they do */
        return cudaSuccess;
    }
}

cudaError_t rt_issue(rt_context *c, cudaStream_t stream, const rt_work *work)
{
    cudaGraphNode_t node;
    if (!rt_is_stream(c, stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    struct rt_capture *capture = rt_capture_of(stream);
    if (capture == NULL) {
        c->issuing = rt_is_default_stream(stream) ? 0 : (uint32_t)stream->id;
        cudaError_t done = rt_run_work(c, work);
        c->issuing = 0;
        return done;
    }
    rt_frontier *f = &stream->frontier;
    cudaError_t code = rt_graph_add(c, capture->graph, f->nodes, f->count, work, &node);
    return code == cudaSuccess ? set_frontier(f, capture, &node, 1) : code;
}

/* ---- events of captures ---- */

cudaError_t rt_capture_event(cudaEvent_t event, cudaStream_t stream)
{
    const rt_frontier *f = &stream->frontier;
    return set_frontier(&event->frontier, f->capture, f->nodes, f->count);
}

cudaError_t rt_capture_wait(cudaStream_t stream, cudaEvent_t event)
{
    const rt_frontier *f = &event->frontier;
    if ((uintptr_t)stream <= 2) {
        return cudaErrorStreamCaptureUnsupported;
    }
    stream->frontier.capture = f->capture;
    return add_to_frontier(&stream->frontier, f->nodes, f->count);
}

/* ---- captures ---- */

static cudaError_t begin(rt_context *c, cudaStream_t stream, cudaGraph_t graph,
                         const cudaGraphNode_t *deps, size_t count)
{
    if ((uintptr_t)stream <= 2) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (!rt_is_stream(c, stream) || (graph != NULL && !rt_is_graph(c, graph))) {
        return cudaErrorInvalidResourceHandle;
    }
    if (rt_capture_of(stream) != NULL) {
        return cudaErrorIllegalState;
    }
    struct rt_capture *capture = WW_NEW(struct rt_capture);
    if (capture == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *capture = (struct rt_capture){
        .graph = graph, .origin = stream, .given = graph != NULL, .id = ++c->next_stream_id};
    cudaError_t code = graph == NULL ? rt_graph_create(c, &capture->graph) : cudaSuccess;
    if (code == cudaSuccess) {
        code = set_frontier(&stream->frontier, capture, deps, count);
    }
    if (code != cudaSuccess) {
        ww_free(capture);
    }
    return code;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    (void)mode;
    RT_CALL(c, begin(c, stream, NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t count, int mode)
{
    (void)mode, (void)edges;
    RT_CALL(c, begin(c, stream, graph, deps, count));
}

/* The capture ends for all streams and events that took part. */
static cudaError_t end(rt_context *c, cudaStream_t stream, cudaGraph_t *out)
{
    struct rt_capture *capture = rt_is_stream(c, stream) ? rt_capture_of(stream) : NULL;
    if (!rt_is_stream(c, stream) || (out == NULL && (capture == NULL || !capture->given))) {
        return cudaErrorInvalidValue;
    }
    if (capture == NULL || capture->origin != stream) {
        return capture == NULL ? cudaErrorIllegalState : cudaErrorStreamCaptureUnmatched;
    }
    if (out != NULL) {
        *out = capture->graph;
    }
    for (cudaStream_t s = c->streams; s != NULL; s = s->next) {
        if (s->frontier.capture == capture) {
            clear(&s->frontier);
        }
    }
    for (cudaEvent_t e = c->events; e != NULL; e = e->next) {
        if (e->frontier.capture == capture) {
            clear(&e->frontier);
        }
    }
    ww_free(capture);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    RT_CALL(c, end(c, stream, out));
}

static cudaError_t capture_info(const rt_context *c, cudaStream_t stream, int *status,
                                unsigned long long *id, cudaGraph_t *graph,
                                const cudaGraphNode_t **deps, size_t *count)
{
    if (status == NULL || !rt_is_stream(c, stream)) {
        return cudaErrorInvalidValue;
    }
    const struct rt_capture *capture = rt_capture_of(stream);
    *status = capture != NULL ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (capture == NULL) {
        return cudaSuccess;
    }
    if (id != NULL) {
        *id = capture->id;
    }
    if (graph != NULL) {
        *graph = capture->graph;
    }
    if (deps != NULL) {
        *deps = stream->frontier.nodes;
    }
    if (count != NULL) {
        *count = stream->frontier.count;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
    RT_CALL(c, capture_info(c, stream, status, NULL, NULL, NULL, NULL));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **deps,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    if (edges != NULL) {
        *edges = NULL;
    }
    RT_CALL(c, capture_info(c, stream, status, id, graph, deps, count));
}

static cudaError_t update_dependencies(const rt_context *c, cudaStream_t stream,
                                       const cudaGraphNode_t *deps, size_t count, unsigned flags)
{
    enum { REPLACE = 1 };
    if (!rt_is_stream(c, stream) || rt_capture_of(stream) == NULL) {
        return cudaErrorIllegalState;
    }
    rt_frontier *f = &stream->frontier;
    return flags == REPLACE ? set_frontier(f, f->capture, deps, count)
                            : add_to_frontier(f, deps, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned flags)
{
    (void)edges;
    RT_CALL(c, update_dependencies(c, stream, deps, count, flags));
}

/* Nothing here is forbidden during a capture. */
cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    return mode != NULL ? cudaSuccess : cudaErrorInvalidValue;
}
