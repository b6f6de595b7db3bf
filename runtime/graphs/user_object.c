/* user_object.c - what a program wants to be freed with the graphs that use it: counted references,
 * and a function for the last. */
#include "runtime/graphs/graph.h"

struct cudaUserObject {
    void *object;
    cudaHostFn_t destroy;
    uint64_t references;
    cudaUserObject_t next;
};

/* References of a graph. */
struct rt_graph_object {
    cudaUserObject_t object;
    uint64_t count;
    struct rt_graph_object *next;
};

static bool is_object(const rt_context *c, cudaUserObject_t object)
{
    for (cudaUserObject_t o = c->user_objects; o != NULL; o = o->next) {
        if (o == object) {
            return true;
        }
    }
    return false;
}

static cudaError_t create(rt_context *c, cudaUserObject_t *out, void *object, cudaHostFn_t destroy,
                          unsigned count, unsigned flags)
{
    enum { NO_DESTRUCTOR_SYNC = 1 }; /* which a program has to say */
    if (out == NULL || destroy == NULL || count == 0 || count > INT32_MAX ||
        flags != NO_DESTRUCTOR_SYNC) {
        return cudaErrorInvalidValue;
    }
    cudaUserObject_t o = WW_NEW(struct cudaUserObject);
    if (o == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *o = (struct cudaUserObject){object, destroy, count, c->user_objects};
    c->user_objects = o;
    *out = o;
    return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *object, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags)
{
    RT_CALL(c, create(c, out, object, destroy, count, flags));
}

static cudaError_t retain(rt_context *c, cudaUserObject_t object, uint64_t count)
{
    if (count == 0 || count > INT32_MAX || !is_object(c, object)) {
        return cudaErrorInvalidValue;
    }
    object->references += count;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    RT_CALL(c, retain(c, object, count));
}

/* With the last reference it goes to those whose function rt_user_objects_end calls. */
static void drop(rt_context *c, cudaUserObject_t object, uint64_t count)
{
    object->references -= count;
    if (object->references > 0) {
        return;
    }
    cudaUserObject_t *o = &c->user_objects;
    while (*o != object) {
        o = &(*o)->next;
    }
    *o = object->next;
    object->next = c->dead_objects;
    c->dead_objects = object;
}

static cudaError_t release(rt_context *c, cudaUserObject_t object, uint64_t count)
{
    if (count == 0 || !is_object(c, object) || count > object->references) {
        return cudaErrorInvalidValue;
    }
    drop(c, object, count);
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    RT_CALL(c, release(c, object, count));
}

void rt_user_objects_end(cudaUserObject_t dead)
{
    while (dead != NULL) {
        cudaUserObject_t next = dead->next;
        dead->destroy(dead->object);
        ww_free(dead);
        dead = next;
    }
}

/* ---- references of graphs ---- */

static rt_graph_object *held_by(cudaGraph_t graph, cudaUserObject_t object)
{
    rt_graph_object *held = graph->objects;
    while (held != NULL && held->object != object) {
        held = held->next;
    }
    return held;
}

static cudaError_t hold(cudaGraph_t graph, cudaUserObject_t object, uint64_t count)
{
    rt_graph_object *held = held_by(graph, object);
    if (held == NULL) {
        held = WW_NEW(rt_graph_object);
        if (held == NULL) {
            return cudaErrorMemoryAllocation;
        }
        *held = (rt_graph_object){object, 0, graph->objects};
        graph->objects = held;
    }
    held->count += count;
    return cudaSuccess;
}

static cudaError_t graph_retain(rt_context *c, cudaGraph_t graph, cudaUserObject_t object,
                                unsigned count, unsigned flags)
{
    enum { MOVE = 1 }; /* the references are the caller's */
    if (!rt_is_graph(c, graph) || !is_object(c, object) || count == 0 || count > INT32_MAX ||
        flags > MOVE || (flags == MOVE && count > object->references)) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code = hold(graph, object, count);
    if (code == cudaSuccess && flags != MOVE) {
        object->references += count;
    }
    return code;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags)
{
    RT_CALL(c, graph_retain(c, graph, object, count, flags));
}

static cudaError_t graph_release(rt_context *c, cudaGraph_t graph, cudaUserObject_t object,
                                 unsigned count)
{
    rt_graph_object *held = rt_is_graph(c, graph) ? held_by(graph, object) : NULL;
    if (held == NULL || count == 0 || count > held->count) {
        return cudaErrorInvalidValue;
    }
    held->count -= count;
    if (held->count == 0) {
        rt_graph_object **h = &graph->objects;
        while (*h != held) {
            h = &(*h)->next;
        }
        *h = held->next;
        ww_free(held);
    }
    drop(c, object, count);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    RT_CALL(c, graph_release(c, graph, object, count));
}

/* A copy holds what its original does, once. */
cudaError_t rt_graph_copy_objects(cudaGraph_t to, cudaGraph_t from)
{
    cudaError_t code = cudaSuccess;
    for (rt_graph_object *held = from->objects; held != NULL && code == cudaSuccess;
         held = held->next) {
        code = hold(to, held->object, 1);
        held->object->references += code == cudaSuccess;
    }
    return code;
}

void rt_graph_drop_objects(rt_context *c, cudaGraph_t graph)
{
    for (rt_graph_object *held = graph->objects, *next; held != NULL; held = next) {
        next = held->next;
        drop(c, held->object, held->count);
        ww_free(held);
    }
    graph->objects = NULL;
}
