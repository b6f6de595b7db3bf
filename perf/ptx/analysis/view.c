/* view.c - cells, accesses and control flow of a function over virtual registers or of a kernel. */
#include <string.h>

#include "perf/ptx/analysis/internal.h"
#include "perf/ptx/cfg.h"

/* ---- cells ---- */

static ww_status number_cells(ww_view *view, ww_arena *arena, ww_error *err)
{
    const ww_function *f = view->function;
    uint32_t *first = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->vreg_count + 1);
    if (first == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->vreg_count; r++) {
        first[r] = n;
        n += f->vreg[r].words;
    }
    view->word_cells = n;
    for (uint32_t r = 0; r < f->vreg_count; r++) {
        if (f->vreg[r].words == 0) {
            first[r] = n++;
        }
    }
    view->cell_count = n;
    view->first_cell = first;
    return WW_OK;
}

uint32_t ww_view_cells(const ww_view *view, ww_operand o, uint32_t *count)
{
    *count = 0;
    if (o.kind != WW_OPD_PRED && ww_operand_registers(&o) == 0) {
        return UINT32_MAX;
    }
    *count = o.kind == WW_OPD_PRED ? 1 : o.words;
    if (view->first_cell != NULL) {
        return view->first_cell[o.reg] + (o.kind == WW_OPD_REG && o.part == 2);
    }
    return o.kind == WW_OPD_PRED ? view->word_cells + o.reg : o.reg;
}

/* ---- accesses ---- */

static void add_accesses(ww_view *view, ww_operand o, uint32_t inst, ww_role role, uint32_t index)
{
    uint32_t count, cell = ww_view_cells(view, o, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (view->access != NULL) {
            view->access[view->access_count] =
                (ww_access){inst, cell + k, (uint8_t)role, (uint8_t)index, (uint8_t)k};
        }
        view->access_count++;
    }
}

/* Lists the accesses of all instructions, or counts them while there is no list yet. */
static void scan_accesses(ww_view *view)
{
    const ww_function *f = view->function;
    view->access_count = 0;
    for (uint32_t i = 0; i < view->inst_count; i++) {
        const ww_inst *inst = &view->inst[i];
        view->reads[i] = view->access_count;
        add_accesses(view, inst->guard, i, WW_ROLE_GUARD, 0);
        for (uint32_t k = 0; k < inst->src_count; k++) {
            add_accesses(view, inst->src[k], i, WW_ROLE_SRC, k);
        }
        for (uint32_t k = 0; f != NULL && inst->op == WW_OP_RET && k < f->formal_out_count; k++) {
            add_accesses(view, f->formal_out[k], i, WW_ROLE_CALLER, k);
        }
        view->writes[i] = view->access_count;
        for (uint32_t k = 0; k < inst->dst_count; k++) {
            add_accesses(view, inst->dst[k], i, WW_ROLE_DST, k);
        }
    }
    view->reads[view->inst_count] = view->access_count;
}

static ww_status list_accesses(ww_view *view, ww_arena *arena, ww_error *err)
{
    view->reads = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)view->inst_count + 1);
    view->writes = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)view->inst_count + 1);
    if (view->reads == NULL || view->writes == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    scan_accesses(view);
    view->access = WW_ARENA_NEW_ARRAY(arena, ww_access, (size_t)view->access_count + 1);
    if (view->access == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    scan_accesses(view);
    return WW_OK;
}

/* ---- calls of a kernel as jumps ---- */

typedef struct caller {
    const ww_view *view;
    const ww_kernel *kernel;
    ww_arena *arena;
    uint32_t *first, *to; /* jumps under construction */
    uint32_t *stack, *seen, stamp;
} caller;

static bool is_call(const ww_inst *inst)
{
    return inst->op == WW_OP_CALL && !ww_inst_is_builtin(inst);
}

/* Number of callees of a call, and the first instruction of callee k. */
static uint32_t callee_count(const caller *c, const ww_inst *call)
{
    return call->sub == WW_SUB_INDIRECT ? c->kernel->entry_count : 1;
}

static uint32_t callee(const caller *c, const ww_inst *call, uint32_t k)
{
    return call->sub == WW_SUB_INDIRECT ? c->kernel->entry[k].pc : call->target;
}

static void push(caller *c, uint32_t *depth, uint32_t inst)
{
    if (inst < c->view->inst_count && c->seen[inst] != c->stamp) {
        c->seen[inst] = c->stamp;
        WW_ASSERT(*depth < c->view->inst_count);
        c->stack[(*depth)++] = inst;
    }
}

/* Marks what the function that begins there runs, stepping over its calls. */
static void mark_body(caller *c, uint32_t entry)
{
    uint32_t depth = 0;
    c->stamp++;
    push(c, &depth, entry);
    WW_ASSERT(depth == 1); /* nothing bears this function's mark yet */
    while (depth > 0) {
        uint32_t at = c->stack[--depth];
        const ww_inst *inst = &c->view->inst[at];
        bool ends = ww__ends_block(inst);
        if (inst->op == WW_OP_BRA) {
            push(c, &depth, inst->target);
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            push(c, &depth, inst->table[k]);
        }
        if (!ends || inst->guard.kind != WW_OPD_NONE) {
            push(c, &depth, at + 1);
        }
    }
}

/* Adds the jumps from every ret of the marked function behind a call. */
static void add_returns(caller *c, uint32_t call, bool count_only)
{
    for (uint32_t i = 0; i < c->view->inst_count; i++) {
        if (c->seen[i] == c->stamp && c->view->inst[i].op == WW_OP_RET) {
            if (!count_only) {
                c->to[c->first[i]] = call + 1;
            }
            c->first[i]++;
        }
    }
}

/* One walk over all calls: first[i] counts the jumps of i, or, while filling, is where the next one
 * goes. */
static void scan_calls(caller *c, bool count_only)
{
    for (uint32_t i = 0; i < c->view->inst_count; i++) {
        const ww_inst *call = &c->view->inst[i];
        for (uint32_t k = 0; is_call(call) && k < callee_count(c, call); k++) {
            if (!count_only) {
                c->to[c->first[i]] = callee(c, call, k);
            }
            c->first[i]++;
            mark_body(c, callee(c, call, k));
            add_returns(c, i, count_only);
        }
    }
}

static bool has_calls(const ww_view *view)
{
    for (uint32_t i = 0; i < view->inst_count; i++) {
        if (is_call(&view->inst[i])) {
            return true;
        }
    }
    return false;
}

static ww_status find_jumps(caller *c, ww_cfg_jumps *out, ww_error *err)
{
    uint32_t n = c->view->inst_count;
    uint32_t *first = WW_ARENA_NEW_ARRAY(c->arena, uint32_t, (size_t)n + 2);
    c->first = WW_ARENA_NEW_ARRAY(c->arena, uint32_t, (size_t)n + 1);
    c->stack = WW_ARENA_NEW_ARRAY(c->arena, uint32_t, (size_t)n + 1);
    c->seen = WW_ARENA_NEW_ARRAY(c->arena, uint32_t, (size_t)n + 1);
    if (first == NULL || c->first == NULL || c->stack == NULL || c->seen == NULL) {
        return ww__analysis_no_memory(c->view, err);
    }
    scan_calls(c, true);
    for (uint32_t i = 0; i < n; i++) {
        first[i + 1] = first[i] + c->first[i];
    }
    c->to = WW_ARENA_NEW_ARRAY(c->arena, uint32_t, (size_t)first[n] + 1);
    if (c->to == NULL) {
        return ww__analysis_no_memory(c->view, err);
    }
    memcpy(c->first, first, n * sizeof *first);
    scan_calls(c, false);
    *out = (ww_cfg_jumps){first, c->to};
    return WW_OK;
}

/* ---- the view ---- */

static ww_status finish(ww_view *view, const ww_function *code, const ww_cfg_jumps *jumps,
                        ww_arena *arena, ww_error *err)
{
    WW_TRY(list_accesses(view, arena, err));
    WW_TRY(ww__cfg_build_jumps(code, jumps, arena, &view->cfg, err));
    return ww__dominance_build(view, arena, err);
}

ww_status ww_view_of_function(const ww_function *f, ww_arena *arena, ww_view *out, ww_error *err)
{
    *out = (ww_view){.name = f->name, .inst = f->inst, .inst_count = f->inst_count, .function = f};
    WW_TRY(number_cells(out, arena, err));
    return finish(out, f, NULL, arena, err);
}

ww_status ww_view_of_kernel(const ww_kernel *kernel, ww_arena *arena, ww_view *out, ww_error *err)
{
    *out = (ww_view){.name = kernel->name,
                     .inst = kernel->code,
                     .inst_count = kernel->code_count,
                     .word_cells = kernel->registers,
                     .cell_count = kernel->registers + kernel->predicates};
    ww_function code = {
        .name = kernel->name, .inst = kernel->code, .inst_count = kernel->code_count};
    caller c = {.view = out, .kernel = kernel, .arena = arena};
    ww_cfg_jumps jumps;
    if (!has_calls(out)) {
        return finish(out, &code, NULL, arena, err);
    }
    WW_TRY(find_jumps(&c, &jumps, err));
    return finish(out, &code, &jumps, arena, err);
}
