/* condition.c - conditional nodes: a word of device memory that kernels set decides whether,
 * how often or which of the node's graphs run. */
#include "runtime/graphs/graph.h"

/* The word's address is the handle that programs and kernels hold. */
static cudaError_t create_handle(rt_context *c, cudaGraphConditionalHandle *out, cudaGraph_t graph,
                                 unsigned value, unsigned flags)
{
    enum { ASSIGN_DEFAULT = 1 };
    if (out == NULL || !rt_is_graph(c, graph) || (flags & ~(unsigned)ASSIGN_DEFAULT) != 0) {
        return cudaErrorInvalidValue;
    }
    const rt_condition condition = {.value = value, .assign = (flags & ASSIGN_DEFAULT) != 0};
    void *cell;
    cudaError_t code = rt_allocate(c, &cell, sizeof value);
    if (code != cudaSuccess) {
        return code;
    }
    *out = (uintptr_t)cell;
    return rt_graph_add_condition(graph, &condition, (uintptr_t)cell) ? cudaSuccess
                                                                      : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph,
                                             unsigned value, unsigned flags)
{
    RT_CALL(c, create_handle(c, out, graph, value, flags));
}

bool rt_graph_add_condition(cudaGraph_t graph, const rt_condition *condition, ww_devptr cell)
{
    rt_condition *own = WW_NEW(rt_condition);
    if (own == NULL) {
        return false;
    }
    *own = *condition;
    own->cell = cell;
    own->next = graph->conditions;
    graph->conditions = own;
    return true;
}

cudaError_t rt_graph_copy_conditions(cudaGraph_t to, cudaGraph_t from)
{
    for (const rt_condition *k = from->conditions; k != NULL; k = k->next) {
        if (!rt_graph_add_condition(to, k, k->cell)) {
            return cudaErrorMemoryAllocation;
        }
    }
    return cudaSuccess;
}

void rt_graph_free_conditions(cudaGraph_t graph)
{
    while (graph->conditions != NULL) {
        rt_condition *next = graph->conditions->next;
        ww_free(graph->conditions);
        graph->conditions = next;
    }
}

cudaError_t rt_graph_assign_conditions(rt_context *c, cudaGraph_t graph)
{
    ww_error err = {0};
    for (const rt_condition *k = graph->conditions; k != NULL; k = k->next) {
        ww_status status =
            k->assign ? ww_device_write(c->device, k->cell, &k->value, sizeof k->value, &err)
                      : WW_OK;
        if (status != WW_OK) {
            return rt_failed(c, status, &err);
        }
    }
    return cudaSuccess;
}

/* ---- nodes ---- */

void rt_free_bodies(rt_context *c, const rt_work *work)
{
    for (unsigned k = 0; work->u.condition.body != NULL && k < work->u.condition.size; k++) {
        if (work->u.condition.body[k] != NULL) {
            rt_graph_destroy(c, work->u.condition.body[k]);
        }
    }
    ww_free(work->u.condition.body);
}

static cudaError_t new_body(rt_context *c, const cudaGraph_t *from, cudaGraph_t *out)
{
    cudaError_t code = from != NULL ? rt_graph_copy(c, out, *from) : rt_graph_create(c, out);
    if (code == cudaSuccess) {
        (*out)->is_child = true;
    } else {
        *out = NULL;
    }
    return code;
}

/* Bodies of its own for *work: empty, or copies of `from`. */
static cudaError_t make_bodies(rt_context *c, const cudaGraph_t *from, rt_work *work)
{
    cudaError_t code = cudaSuccess;
    work->u.condition.body = WW_NEW_ARRAY(cudaGraph_t, work->u.condition.size);
    if (work->u.condition.body == NULL) {
        return cudaErrorMemoryAllocation;
    }
    for (unsigned k = 0; k < work->u.condition.size && code == cudaSuccess; k++) {
        code = new_body(c, from != NULL ? &from[k] : NULL, &work->u.condition.body[k]);
    }
    if (code != cudaSuccess) {
        rt_free_bodies(c, work);
    }
    return code;
}

cudaError_t rt_condition_copy(rt_context *c, rt_work *work)
{
    return make_bodies(c, work->u.condition.body, work);
}

cudaError_t rt_condition_work(rt_context *c, const cudaConditionalNodeParams *params, rt_work *work)
{
    enum { MOST_BODIES = 1 << 16 };
    unsigned most = params->type == cudaGraphCondTypeIf      ? 2
                    : params->type == cudaGraphCondTypeWhile ? 1
                                                             : MOST_BODIES;
    if (params->type < cudaGraphCondTypeIf || params->type > cudaGraphCondTypeSwitch ||
        params->size == 0 || params->size > most ||
        ww_device_host(c->device, params->handle, sizeof(uint32_t)) == NULL) {
        return cudaErrorInvalidValue;
    }
    *work = (rt_work){.type = cudaGraphNodeTypeConditional};
    work->u.condition.handle = params->handle;
    work->u.condition.kind = params->type;
    work->u.condition.size = params->size;
    return make_bodies(c, NULL, work);
}

static cudaError_t value_of(rt_context *c, const rt_work *work, uint32_t *value)
{
    ww_error err = {0};
    ww_status status =
        ww_device_read(c->device, value, work->u.condition.handle, sizeof *value, &err);
    return status == WW_OK ? cudaSuccess : rt_failed(c, status, &err);
}

cudaError_t rt_run_condition(rt_context *c, const rt_work *work)
{
    uint32_t value;
    cudaError_t code = value_of(c, work, &value);
    bool loop = work->u.condition.kind == cudaGraphCondTypeWhile;
    while (loop && code == cudaSuccess && c->failure == cudaSuccess && value != 0) {
        code = rt_graph_run(c, work->u.condition.body[0]);
        code = code == cudaSuccess ? value_of(c, work, &value) : code;
    }
    if (loop || code != cudaSuccess) {
        return code;
    }
    uint32_t body = work->u.condition.kind == cudaGraphCondTypeIf ? value == 0 : value;
    return body < work->u.condition.size ? rt_graph_run(c, work->u.condition.body[body])
                                         : cudaSuccess;
}
