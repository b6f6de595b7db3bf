/* children.c - launches that kernels make (dynamic parallelism): a kernel asks for a buffer, fills
 * in the parameters and hands it over. The grids are run by whoever ran the kernel, after it. */
#include <string.h>

#include "base/mem.h"
#include "perf/exec/memory/pending.h"

enum {
    BUFFER_HEADER = 64,      /* before the parameters */
    MOST_PENDING = 64 << 20, /* bytes of buffers */
};

/* cudaStreamTailLaunch: after all others. */
#define TAIL_STREAM 3u

/* What CUDA calls return. */
enum { CHILD_OK = 0, CHILD_INVALID = 1, CHILD_HANDLE = 1 };

typedef struct buffer_header {
    uint64_t kernel;
    uint32_t grid[3], block[3];
    uint32_t shared;
} buffer_header;

struct ww_children {
    ww_devmem *mem;
    ww_heap *heap;
    ww_child *child;
    uint32_t count, capacity;
};

ww_status ww_children_create(ww_devmem *mem, ww_children **out, ww_error *err)
{
    ww_children *children = WW_NEW(ww_children);
    if (children == NULL) {
        return ww_no_memory_for(err, "launches by kernels");
    }
    children->mem = mem;
    ww_status status = ww_heap_create(mem, MOST_PENDING, &children->heap, err);
    if (status != WW_OK) {
        ww_free(children);
        return status;
    }
    *out = children;
    return WW_OK;
}

void ww_children_destroy(ww_children *children)
{
    if (children != NULL) {
        ww_heap_destroy(children->heap);
        ww_free(children->child);
        ww_free(children);
    }
}

uint32_t ww_children_take(ww_children *children, ww_child **out)
{
    uint32_t count = children->count;
    *out = children->child;
    children->child = NULL;
    children->count = 0;
    children->capacity = 0;
    return count;
}

void ww_children_done(ww_children *children, const ww_child *child)
{
    (void)ww_heap_free(children->heap, child->params - BUFFER_HEADER);
}

static uint64_t pair(const uint32_t *planes, unsigned lane)
{
    return (uint64_t)planes[lane + WW_LANES] << 32 | planes[lane];
}

/* A source of one word. */
static uint32_t word(const ww_exec_ctx *x, const ww_uop_src *s, unsigned lane)
{
    uint32_t scratch[WW_PAIR_WORDS];
    return ww__src(x, s, scratch)[lane];
}

/* A buffer with its header; 0: there is no room. */
static uint64_t new_buffer(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t kernel)
{
    ww_children *children = x->env->launch->children;
    uint64_t address =
        children != NULL ? ww_heap_alloc(children->heap, BUFFER_HEADER + WW_CHILD_PARAM_BYTES) : 0;
    if (address == 0) {
        return 0;
    }
    buffer_header h = {.kernel = kernel, .shared = word(x, &u->element[7], lane)};
    for (unsigned k = 0; k < 3; k++) {
        h.grid[k] = word(x, &u->element[1 + k], lane);
        h.block[k] = word(x, &u->element[4 + k], lane);
    }
    memcpy((void *)(uintptr_t)(address + x->code->bias), &h, sizeof h);
    return address + BUFFER_HEADER;
}

/* GetParameterBufferV2(kernel, grid, block, shared bytes) */
ww_status ww__run_child_buffer(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t result[WW_PAIR_WORDS] = {0};
    const uint32_t *kernel = ww__src(x, &u->element[0], scratch);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = new_buffer(x, u, lane, pair(kernel, lane));
        result[lane] = (uint32_t)address;
        result[lane + WW_LANES] = (uint32_t)(address >> 32);
    }
    ww__dst_write(x, u->dst, result, 2);
    return WW_OK;
}

static ww_status append(const ww_exec_ctx *x, const ww_child *child)
{
    ww_children *c = x->env->launch->children;
    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity != 0 ? 2 * c->capacity : 16;
        ww_child *grown = ww_realloc_array(c->child, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_no_memory_for(x->err, "launches by kernels");
        }
        c->child = grown;
        c->capacity = capacity;
    }
    c->child[c->count++] = *child;
    return WW_OK;
}

/* LaunchDeviceV2(buffer, stream) */
ww_status ww__run_child_launch(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    uint32_t scratch[2][WW_PAIR_WORDS];
    uint32_t result[WW_PAIR_WORDS] = {0};
    const uint32_t *buffer = ww__src(x, &u->src[0], scratch[0]);
    const uint32_t *stream = ww__src(x, &u->src[1], scratch[1]);
    ww_children *children = x->env->launch->children;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t params = pair(buffer, lane);
        const void *at = children != NULL ? ww_devmem_at(children->mem, params - BUFFER_HEADER,
                                                         BUFFER_HEADER + WW_CHILD_PARAM_BYTES)
                                          : NULL;
        if (at == NULL) {
            result[lane] = CHILD_INVALID;
            continue;
        }
        buffer_header h;
        memcpy(&h, at, sizeof h);
        const ww_child child = {.kernel = h.kernel,
                                .grid = {h.grid[0], h.grid[1], h.grid[2]},
                                .block = {h.block[0], h.block[1], h.block[2]},
                                .shared = h.shared,
                                .params = params,
                                .tail = pair(stream, lane) == TAIL_STREAM};
        WW_TRY(append(x, &child));
    }
    ww__dst_write(x, u->dst, result, 1);
    return WW_OK;
}

/* Streams and events of kernels: launches run in their order anyway. */
ww_status ww__run_child_status(ww_exec_ctx *x, const ww_uop *u)
{
    static const uint32_t ok[WW_PAIR_WORDS] = {CHILD_OK};
    ww__dst_write(x, u->dst, ok, 1);
    return WW_OK;
}

/* StreamCreate(handle *, flags), EventCreate(handle *, flags) */
ww_status ww__run_child_handle(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *pointer = ww__src(x, &u->src[0], scratch);
    uint64_t handle = CHILD_HANDLE << 8;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t left;
        unsigned char *p = ww__generic_view(x, lane, pair(pointer, lane), &left);
        if (p == NULL || left < sizeof handle) {
            return ww__bad_pointer(x, u, lane, pair(pointer, lane), "invalid place for a handle,");
        }
        memcpy(p, &handle, sizeof handle);
    }
    return ww__run_child_status(x, u);
}

/* cudaGraphSetConditional(handle, value): the handle is the address of a word. */
ww_status ww__run_graph_condition(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    uint32_t scratch[2][WW_PAIR_WORDS];
    const uint32_t *handle = ww__src(x, &u->src[0], scratch[0]);
    const uint32_t *value = ww__src(x, &u->src[1], scratch[1]);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        void *p = ww_devmem_at(x->env->launch->mem, pair(handle, lane), sizeof *value);
        if (p == NULL) {
            return ww__bad_pointer(x, u, lane, pair(handle, lane), "invalid handle of a condition");
        }
        memcpy(p, &value[lane], sizeof *value);
    }
    return WW_OK;
}
