/* graph.h - private to runtime/: graphs of work, made node by node or by capturing a stream. */
#ifndef WW_RUNTIME_GRAPHS_GRAPH_H
#define WW_RUNTIME_GRAPHS_GRAPH_H

#include "runtime/core/context.h"

struct rt_capture;

/* Memory of a graph: there from the node's creation until the last graph that has the node is gone.
 */
typedef struct rt_graph_memory {
    void *p;
    unsigned nodes;
    struct rt_graph_memory *next;
} rt_graph_memory;

typedef struct rt_graph_object rt_graph_object; /* user_object.c */

/* A condition of a graph: a word of device memory, shared with the copies of the graph. */
typedef struct rt_condition {
    ww_devptr cell;
    uint32_t value; /* when a launch of the graph begins, */
    bool assign;    /* if this is set */
    struct rt_condition *next;
} rt_condition;

/* One piece of work that a stream or a graph runs. */
typedef struct rt_work {
    int type; /* cudaGraphNodeType */
    union {
        struct {
            const void *host;
            cudaDim3 grid, block;
            cudaDim3 cluster; /* 0: what the kernel says */
            bool early;       /* it may begin before the one before it in its stream has ended */
            size_t shared;
            bool cooperative;
            void **args; /* of the caller; a node holds a copy */
        } kernel;
        struct {
            rt_side dst, src;
            cudaExtent extent;
            int kind;
        } copy;
        struct {
            rt_side dst;
            cudaExtent extent; /* width in bytes */
            unsigned value, element_bytes;
        } fill;
        struct {
            cudaHostFn_t function;
            void *user;
        } host;
        cudaGraph_t graph;              /* a child, owned by the node */
        cudaEvent_t event;              /* to record */
        struct rt_graph_memory *memory; /* to allocate; shared by copies of the node */
        struct {
            ww_devptr handle;
            int kind; /* cudaGraphConditionalNodeType */
            unsigned size;
            cudaGraph_t *body; /* [size], owned by the node */
        } condition;
    } u;
} rt_work;

/* Does the work now. Host functions run without the lock; kernels' faults show later. */
cudaError_t rt_run_work(rt_context *c, const rt_work *work);

struct cudaGraphNode {
    rt_work work;
    unsigned char *arg_bytes; /* kernels: copies of the arguments */
    cudaGraph_t graph;
    cudaGraphNode_t *deps;
    size_t dep_count, dep_capacity;
    cudaGraphNode_t origin; /* of an executable graph's node: the one that it was made from */
    bool disabled;          /* an executable graph runs without it */
    cudaLaunchAttributeValue attributes[RT_STREAM_ATTRIBUTES]; /* of a kernel, by number */
    uint32_t mark;                                             /* of the walk that visited it */
    cudaGraphNode_t next;                                      /* in the order of creation */
};

struct cudaGraph {
    cudaGraphNode_t first, last;
    size_t count;
    uint32_t marks;
    bool is_child;
    rt_condition *conditions;
    rt_graph_object *objects;
    cudaGraph_t next;
};

struct cudaGraphExec {
    cudaGraph_t graph; /* a copy */
    cudaGraphExec_t next;
};

/* A capture in progress; streams that take part point at it. */
struct rt_capture {
    cudaGraph_t graph;
    cudaStream_t origin;
    bool given; /* the graph is the program's, which need not ask for it at the end */
    uint64_t id;
};

cudaError_t rt_graph_create(rt_context *c, cudaGraph_t *out);
void rt_graph_destroy(rt_context *c, cudaGraph_t graph);
/* Adds work that follows deps. */
cudaError_t rt_graph_add(rt_context *c, cudaGraph_t graph, const cudaGraphNode_t *deps,
                         size_t count, const rt_work *work, cudaGraphNode_t *out);
cudaError_t rt_graph_depend(cudaGraphNode_t node, const cudaGraphNode_t *deps, size_t count);
bool rt_is_graph(const rt_context *c, cudaGraph_t graph);
bool rt_is_node(const rt_context *c, cudaGraphNode_t node);
/* Takes a node, and what depends on it no longer does, out of its graph. */
void rt_graph_remove(rt_context *c, cudaGraphNode_t node);
/* ---- edges.c ---- */
/* Takes one dependency away; false: there is none. */
bool rt_graph_undepend(cudaGraphNode_t node, cudaGraphNode_t dep);

/* Does the work, or adds it to the graph that the stream is captured into. */
cudaError_t rt_issue(rt_context *c, cudaStream_t stream, const rt_work *work);

/* ---- launch.c ---- */
/* The kernel that a host function or handle stands for, loaded, and what is known of it. */
cudaError_t rt_kernel_info(rt_context *c, const void *host, rt_kernel **kernel,
                           ww_kernel_info *info);
/* Says why the device does not take a launch; the code for it. */
cudaError_t rt_refused(const ww_error *err);
/* What a launch asks of the device; its arguments stay the caller's. */
cudaError_t rt_request_of(rt_context *c, const rt_work *work, rt_kernel **kernel,
                          ww_launch_request *out);
/* ---- cluster.c ---- */
/* Attributes of a launch. */
void rt_take_attributes(rt_work *work, const cudaLaunchAttribute *attribute, unsigned count);
/* The clusters that a launch has, *out 0: none; cudaErrorInvalidClusterSize where it may not. */
cudaError_t rt_cluster_of(rt_context *c, const rt_kernel *kernel, const ww_kernel_info *info,
                          const rt_work *work, cudaDim3 *out);
/* An attribute of a kernel, which may be one that is about clusters. */
cudaError_t rt_set_cluster_attribute(const rt_context *c, rt_kernel *kernel, int which, int value);

/* ---- deferred.c ---- */
/* Whether a launch in the stream may wait; otherwise those that wait have been run. */
bool rt_deferred_waits(rt_context *c, cudaStream_t stream, const rt_work *work);
/* Keeps a launch. */
cudaError_t rt_deferred_add(rt_context *c, cudaStream_t stream, const rt_work *work);
/* Keeps the record of an event in a stream; false: it is to be recorded now. */
bool rt_deferred_record(rt_context *c, cudaEvent_t event, cudaStream_t stream);
void rt_deferred_wait(rt_context *c, cudaStream_t stream, cudaEvent_t event);
/* The capture that a stream takes part in, or NULL. */
struct rt_capture *rt_capture_of(cudaStream_t stream);
void rt_frontier_clear(rt_frontier *f);
/* The event stands for what the captured stream has reached. */
cudaError_t rt_capture_event(cudaEvent_t event, cudaStream_t stream);
/* The stream takes part in the event's capture, behind what the event stands for. */
cudaError_t rt_capture_wait(cudaStream_t stream, cudaEvent_t event);

/* ---- graph.c ---- */
cudaError_t rt_graph_set_work(rt_context *c, cudaGraphNode_t node, const rt_work *work);
cudaError_t rt_graph_copy(rt_context *c, cudaGraph_t *out, cudaGraph_t graph);
/* The node of a copy that was made from origin, or NULL. */
cudaGraphNode_t rt_graph_copy_of(cudaGraph_t copy, cudaGraphNode_t origin);
cudaError_t rt_graph_run(rt_context *c, cudaGraph_t graph);
/* Work of type MemAlloc; its memory is *out. */
cudaError_t rt_graph_allocate(rt_context *c, size_t bytes, rt_work *work, void **out);
bool rt_is_executable(const rt_context *c, cudaGraphExec_t exec);

/* ---- user_object.c ---- */
cudaError_t rt_graph_copy_objects(cudaGraph_t to, cudaGraph_t from);
void rt_graph_drop_objects(rt_context *c, cudaGraph_t graph);

/* ---- condition.c ---- */
bool rt_graph_add_condition(cudaGraph_t graph, const rt_condition *condition, ww_devptr cell);
cudaError_t rt_graph_copy_conditions(cudaGraph_t to, cudaGraph_t from);
void rt_graph_free_conditions(cudaGraph_t graph);
/* Gives the conditions of a graph that is launched their values. */
cudaError_t rt_graph_assign_conditions(rt_context *c, cudaGraph_t graph);
/* Work of type Conditional, with empty bodies. */
cudaError_t rt_condition_work(rt_context *c, const cudaConditionalNodeParams *params,
                              rt_work *work);
/* Gives a copy of such work bodies of its own. */
cudaError_t rt_condition_copy(rt_context *c, rt_work *work);
void rt_free_bodies(rt_context *c, const rt_work *work);
cudaError_t rt_run_condition(rt_context *c, const rt_work *work);

/* ---- launch.c ---- */
cudaError_t rt_run_kernel(rt_context *c, const rt_work *work);
/* Number of a kernel's parameters and bytes of all; copies them from *args into `copy`, where they
 * are not NULL, and lets args point there. */
cudaError_t rt_kernel_args(rt_context *c, const void *host, void **args, unsigned char *copy,
                           uint32_t *count, size_t *bytes);

/* ---- copy.c ---- */
cudaError_t rt_run_copy(rt_context *c, const rt_work *work);
cudaError_t rt_run_fill(rt_context *c, const rt_work *work);
cudaError_t rt_work_of_3d(rt_context *c, const cudaMemcpy3DParms *p, rt_work *work);

#endif
