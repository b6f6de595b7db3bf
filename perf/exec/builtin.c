/* builtin.c - functions that CUDA's runtime supplies to kernels: malloc, free, assert; printf is in
 * print.c. */
#include <inttypes.h>
#include <string.h>

#include "perf/exec/memory/pending.h"

unsigned char *ww__generic_view(const ww_exec_ctx *x, unsigned lane, uint64_t address,
                                uint64_t *left)
{
    const ww_warp *w = x->warp;
    const ww_kernel *kernel = x->env->launch->kernel;
    uint64_t shared = address - WW_SHARED_WINDOW;
    uint64_t local = address - WW_LOCAL_WINDOW;
    if (shared < WW_WINDOW_BYTES) {
        *left = shared < w->cta->shared_bytes ? w->cta->shared_bytes - shared : 0;
        return *left > 0 ? w->cta->shared + shared : NULL;
    }
    if (local < WW_WINDOW_BYTES) {
        *left = local < kernel->local_bytes ? kernel->local_bytes - local : 0;
        return *left > 0 ? w->local + (size_t)lane * kernel->local_bytes + local : NULL;
    }
    uint64_t first;
    uint64_t end;
    if (!ww_devmem_bounds(x->env->launch->mem, address, &first, &end)) {
        return NULL;
    }
    *left = end - address;
    return (unsigned char *)(uintptr_t)(address + x->code->bias);
}

ww_status ww__bad_pointer(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t address,
                          const char *what)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const uint32_t *cta = x->warp->cta->id;
    uint32_t tid[3];
    ww__thread_of(x, lane, tid);
    return ww_fail_at(x->err, WW_EFAULT, kernel->file, (int)u->inst->line, 0,
                      "kernel %s: %s 0x%" PRIx64 " by thread (%u,%u,%u) of CTA (%u,%u,%u).",
                      kernel->name, what, address, tid[0], tid[1], tid[2], cta[0], cta[1], cta[2]);
}

ww_status ww__generic_text(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t address,
                           const char **text, size_t *n)
{
    uint64_t left;
    const unsigned char *p = ww__generic_view(x, lane, address, &left);
    const unsigned char *end = p != NULL ? memchr(p, 0, left) : NULL;
    if (end == NULL) {
        return ww__bad_pointer(x, u, lane, address,
                               "text without an end, or an invalid pointer to text,");
    }
    *text = (const char *)p;
    *n = (size_t)(end - p);
    return WW_OK;
}

static uint64_t pair(const uint32_t *planes, unsigned lane)
{
    return (uint64_t)planes[lane + WW_LANES] << 32 | planes[lane];
}

/* The heap serves all SMs: at the edge, in the order of calls. */
ww_status ww__call_at_edge(const ww_exec_ctx *x)
{
    x->out->wait = true;
    if (ww__pending_add(x->env->pending, WW_EFFECT_CALL, x, NULL, x->exec, 0, 0) == NULL) {
        return ww__pending_no_memory(x);
    }
    return WW_OK;
}

/* Lanes are served in ascending order. */
ww_status ww__run_malloc(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t result[WW_PAIR_WORDS] = {0};
    const uint32_t *bytes = ww__src(x, &u->src[0], scratch);
    ww_heap *heap = x->env->launch->heap;
    for (uint32_t m = x->exec; m != 0 && heap != NULL; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = ww_heap_alloc(heap, pair(bytes, lane));
        result[lane] = (uint32_t)address;
        result[lane + WW_LANES] = (uint32_t)(address >> 32);
    }
    ww__dst_write(x, u->dst, result, 2);
    return WW_OK;
}

ww_status ww__run_free(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *pointer = ww__src(x, &u->src[0], scratch);
    ww_heap *heap = x->env->launch->heap;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = pair(pointer, lane);
        if (address != 0 && (heap == NULL || !ww_heap_free(heap, address))) {
            return ww__bad_pointer(x, u, lane, address,
                                   "free of a pointer that malloc did not return,");
        }
    }
    return WW_OK;
}

/* __assertfail(message, file, line, function, character size) */
ww_status ww__run_assertfail(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    unsigned lane = (unsigned)__builtin_ctz(x->exec);
    uint32_t scratch[WW_PAIR_WORDS];
    const char *text[3] = {"?", "?", "?"};
    static const unsigned argument[3] = {0, 1, 3};
    for (unsigned k = 0; k < 3; k++) {
        size_t n;
        uint64_t address = pair(ww__src(x, &u->element[argument[k]], scratch), lane);
        if (address != 0) {
            WW_TRY(ww__generic_text(x, u, lane, address, &text[k], &n));
        }
    }
    uint32_t line = ww__src(x, &u->element[2], scratch)[lane];
    const uint32_t *cta = x->warp->cta->id;
    uint32_t tid[3];
    ww__thread_of(x, lane, tid);
    return ww_fail_at(x->err, WW_EASSERT, kernel->file, (int)u->inst->line, 0,
                      "kernel %.200s: %.200s:%u: %.200s: CTA (%u,%u,%u), thread (%u,%u,%u): "
                      "assertion `%.200s` failed.",
                      kernel->name, text[1], line, text[2], cta[0], cta[1], cta[2], tid[0], tid[1],
                      tid[2], text[0]);
}

ww_status ww__decode_builtin(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    /* Arguments: bytes, one digit each; results in words. */
    static const struct {
        ww_uop_run *run;
        const char *in;
        uint8_t out_words;
    } rows[] = {
        {ww__run_vprintf, "88", 1},
        {ww__run_malloc, "8", 2},
        {ww__run_free, "8", 0},
        {ww__run_assertfail, "88488", 0},
        {ww__run_child_buffer, "84444444", 2},
        {ww__run_child_launch, "88", 1},
        {ww__run_child_handle, "84", 1},
        {ww__run_child_status, NULL, 1},
        {ww__run_graph_condition, "84", 0},
    };
    unsigned row = (unsigned)inst->sub - WW_SUB_VPRINTF;
    const char *in = rows[row].in;
    if ((in != NULL && inst->src_count != strlen(in)) ||
        inst->dst_count != (rows[row].out_words > 0)) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    u->run = rows[row].run;
    u->src_count = in != NULL ? inst->src_count : 0; /* the others' arguments are not looked at */
    ww_uop_src *list = u->src;
    if (u->src_count > WW_UOP_SOURCES) {
        list = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_src, inst->src_count);
        if (list == NULL) {
            return ww_no_memory_for(err, "preparing a kernel");
        }
        u->element = list;
    }
    for (unsigned k = 0; k < u->src_count; k++) {
        ww_type type = in[k] == '8' ? WW_T_U64 : WW_T_U32;
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], type, &list[k], err));
    }
    if (u->src_count > WW_UOP_SOURCES) {
        u->src_count = 0;
    }
    if (rows[row].out_words == 0 || inst->dst[0].kind == WW_OPD_NONE) {
        return WW_OK;
    }
    if (inst->dst[0].kind != WW_OPD_REG || inst->dst[0].words < rows[row].out_words) {
        return ww__decode_malformed(code, inst, "destination missing or too narrow", err);
    }
    const ww_kernel *kernel = code->launch->kernel;
    if (inst->dst[0].reg >= kernel->registers ||
        inst->dst[0].words > kernel->registers - inst->dst[0].reg) {
        return ww__decode_malformed(code, inst, "destination outside the kernel's registers", err);
    }
    u->dst = inst->dst[0].reg * WW_LANES;
    return WW_OK;
}
