/* link.c - the call graph below a kernel, and where its shared, local and parameter variables lie.
 */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/suggest.h"
#include "perf/ptx/program.h"

static ww_status no_memory(const ptx_program *program, ww_error *err)
{
    return ww_no_memory_for(err, "linking %s", program->module->file);
}

/* ---- call graph ---- */

/* The function that a call names; NULL: an indirect call. */
static ptx_function *callee_of(const ptx_inst *inst)
{
    if (inst->form->op == WW_OP_CALL) {
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            if (inst->operand[i].kind == PTX_OPD_FUNC) {
                return inst->operand[i].u.func;
            }
        }
    }
    return NULL;
}

/* Module functions whose address is taken. */
static ww_status list_candidates(ptx_program *program, ww_error *err)
{
    const struct ww_ptx_ast *ast = program->module->ast;
    program->candidate =
        WW_ARENA_NEW_ARRAY(&program->scratch, ptx_function *, ast->function_count + 1);
    if (program->candidate == NULL) {
        return no_memory(program, err);
    }
    for (ptx_function *f = ast->any_address ? ast->functions : NULL; f != NULL; f = f->next) {
        if (f->address_taken && f->has_body && !f->is_kernel) {
            program->candidate[program->candidate_count++] = f;
        }
    }
    return WW_OK;
}

typedef struct frame {
    ptx_function *function;
    uint32_t next;      /* instruction */
    uint32_t candidate; /* of the indirect call at next */
} frame;

/* The search for callees: Tarjan's components (R. Tarjan, "Depth-first search and linear graph
 * algorithms", SIAM J. Comput. 1(2), 1972) and an order in which callers precede callees, but for
 * the calls that close a cycle. */
typedef struct search {
    ptx_program *program;
    frame *stack;
    uint32_t depth;
    uint32_t *number, *low; /* [function]: number 0: not seen */
    bool *open;             /* [function]: on the stack */
    ptx_function **pending; /* seen, component not complete */
    uint32_t pending_count, numbers, components;
    bool indirect; /* an indirect call was met */
} search;

/* Next function that the top of the stack calls; NULL: no more. */
static ptx_function *next_callee(search *s)
{
    frame *top = &s->stack[s->depth - 1];
    while (top->next < top->function->inst_count) {
        const ptx_inst *inst = &top->function->inst[top->next];
        if (ww__is_indirect_call(inst)) {
            s->indirect = true;
            if (top->candidate < s->program->candidate_count) {
                return s->program->candidate[top->candidate++];
            }
        }
        top->candidate = 0;
        top->next++;
        ptx_function *callee = callee_of(inst);
        if (callee != NULL && callee->has_body) {
            return callee;
        }
    }
    return NULL;
}

static void enter(search *s, ptx_function *f)
{
    WW_ASSERT(!s->open[f->index] && s->depth <= s->numbers); /* each is entered once */
    s->stack[s->depth++] = (frame){f, 0, 0};
    s->number[f->index] = s->low[f->index] = ++s->numbers;
    s->open[f->index] = true;
    s->pending[s->pending_count++] = f;
    s->program->component[f->index] = UINT32_MAX;
}

static void leave(search *s)
{
    WW_ASSERT(s->depth > 0);
    ptx_function *f = s->stack[--s->depth].function;
    uint32_t low = s->low[f->index];
    s->open[f->index] = false;
    s->program->function[s->program->count++] = f;
    if (low == s->number[f->index]) {
        ptx_function *member;
        do {
            WW_ASSERT(s->pending_count > 0);
            member = s->pending[--s->pending_count];
            s->program->component[member->index] = s->components;
        } while (member != f);
        s->components++;
    }
    if (s->depth > 0) {
        uint32_t *caller = &s->low[s->stack[s->depth - 1].function->index];
        *caller = low < *caller ? low : *caller;
    }
}

static void visit(search *s)
{
    const frame *top = &s->stack[s->depth - 1];
    WW_ASSERT(top < s->stack + s->depth && s->open[top->function->index]);
    const ptx_function *f = top->function;
    ptx_function *callee = next_callee(s);
    if (callee == NULL) {
        leave(s);
    } else if (s->number[callee->index] == 0) {
        enter(s, callee);
    } else {
        s->program->framed |= s->open[callee->index];
        if (s->program->component[callee->index] == UINT32_MAX &&
            s->number[callee->index] < s->low[f->index]) {
            s->low[f->index] = s->number[callee->index];
        }
    }
}

static ww_status order_functions(ptx_program *program, ptx_function *root, ww_error *err)
{
    size_t n = (size_t)program->module->ast->function_count + 1;
    ww_arena *arena = &program->scratch;
    search s = {.program = program,
                .stack = WW_ARENA_NEW_ARRAY(arena, frame, n),
                .number = WW_ARENA_NEW_ARRAY(arena, uint32_t, n),
                .low = WW_ARENA_NEW_ARRAY(arena, uint32_t, n),
                .open = WW_ARENA_NEW_ARRAY(arena, bool, n),
                .pending = WW_ARENA_NEW_ARRAY(arena, ptx_function *, n)};
    program->function = WW_ARENA_NEW_ARRAY(arena, ptx_function *, n);
    program->component = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    if (s.stack == NULL || s.number == NULL || s.low == NULL || s.open == NULL ||
        s.pending == NULL || program->function == NULL || program->component == NULL) {
        return no_memory(program, err);
    }
    WW_TRY(list_candidates(program, err));
    enter(&s, root);
    while (s.depth > 0) {
        visit(&s);
    }
    for (uint32_t i = 0; i < program->count / 2; i++) {
        ptx_function *f = program->function[i];
        program->function[i] = program->function[program->count - 1 - i];
        program->function[program->count - 1 - i] = f;
    }
    program->candidate_count = s.indirect ? program->candidate_count : 0;
    return WW_OK;
}

static ww_status number_functions(ptx_program *program, ww_error *err)
{
    struct ww_ptx_ast *ast = program->module->ast;
    if (ast->position == NULL) {
        size_t n = (size_t)ast->function_count + 1;
        ast->position = WW_ARENA_NEW_ARRAY(&program->module->arena, uint32_t, n);
        if (ast->position == NULL) {
            return no_memory(program, err);
        }
        memset(ast->position, 0xff, n * sizeof *ast->position);
    }
    program->position = ast->position;
    for (uint32_t i = 0; i < program->count; i++) {
        program->position[program->function[i]->index] = i;
    }
    return WW_OK;
}

/* ---- shared memory ---- */

static void mark_shared(const ptx_operand *list, uint32_t count, bool *used)
{
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *o = &list[i];
        if (o->kind == PTX_OPD_VAR && o->u.var->space == WW_SPACE_SHARED) {
            used[o->u.var->id] = true;
        } else if (o->kind == PTX_OPD_ADDR || o->kind == PTX_OPD_VEC || o->kind == PTX_OPD_LIST) {
            mark_shared(o->u.list, o->count, used); /* bounded by the parser's nesting limit */
        }
    }
}

/* Variables in use, in the order of declaration; dynamic ones all start behind them. */
static ww_status lay_out_shared(ptx_program *program, ww_error *err)
{
    const struct ww_ptx_ast *ast = program->module->ast;
    uint32_t n = ast->shared_count;
    bool *used = WW_ARENA_NEW_ARRAY(&program->scratch, bool, n + 1);
    const ptx_var **by_id = WW_ARENA_NEW_ARRAY(&program->scratch, const ptx_var *, n + 1);
    program->shared_offset = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t, n + 1);
    if (used == NULL || by_id == NULL || program->shared_offset == NULL) {
        return no_memory(program, err);
    }
    for (const ptx_var *v = ast->shared; v != NULL; v = v->next) {
        by_id[v->id] = v;
    }
    for (uint32_t i = 0; i < program->count; i++) {
        const ptx_function *f = program->function[i];
        for (uint32_t k = 0; k < f->inst_count; k++) {
            mark_shared(f->inst[k].operand, f->inst[k].operand_count, used);
        }
    }
    uint64_t bytes = 0, dynamic_align = 1;
    for (uint32_t i = 0; i < n; i++) {
        const ptx_var *v = by_id[i];
        bool dynamic = v->is_array && v->bytes == 0;
        if (!used[i]) {
            continue;
        }
        if (dynamic) {
            program->uses_dynamic_shared = true;
            dynamic_align = v->align > dynamic_align ? v->align : dynamic_align;
            continue;
        }
        bytes = ww_align_up(bytes, ww_max_u64(v->align, 1));
        program->shared_offset[i] = bytes;
        bytes += v->bytes;
    }
    uint64_t least = program->uses_dynamic_shared ? 16 : 1;
    bytes = ww_align_up(bytes, ww_max_u64(dynamic_align, least));
    for (uint32_t i = 0; i < n; i++) {
        if (used[i] && by_id[i]->is_array && by_id[i]->bytes == 0) {
            program->shared_offset[i] = bytes;
        }
    }
    program->shared_bytes = bytes;
    return WW_OK;
}

/* ---- local memory ---- */

/* Raises the base of what function i calls to at. */
static void raise_callees(const ptx_program *program, uint32_t i, uint64_t at, uint64_t *base)
{
    const ptx_function *f = program->function[i];
    for (uint32_t k = 0; k < f->inst_count; k++) {
        const ptx_function *callee = callee_of(&f->inst[k]);
        uint32_t c = callee != NULL ? program->position[callee->index] : UINT32_MAX;
        if (c != UINT32_MAX && base[c] < at) {
            base[c] = at;
        }
        for (uint32_t n = 0; ww__is_indirect_call(&f->inst[k]) && n < program->candidate_count;
             n++) {
            c = program->position[program->candidate[n]->index];
            base[c] = base[c] < at ? at : base[c];
        }
    }
}

/* Without recursion every variable has a place of its own, callees' above their callers'. */
static ww_status lay_out_locals(ptx_program *program, ww_error *err)
{
    uint64_t *base = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t, program->count + 1);
    program->local_offset = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t *, program->count + 1);
    program->frame_bytes = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t, program->count + 1);
    if (base == NULL || program->local_offset == NULL || program->frame_bytes == NULL) {
        return no_memory(program, err);
    }
    for (uint32_t i = 0; i < program->count; i++) {
        const ptx_function *f = program->function[i];
        uint64_t *offset = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t, f->local_count + 1);
        if (offset == NULL) {
            return no_memory(program, err);
        }
        uint64_t at = base[i];
        for (const ptx_var *v = f->locals; v != NULL; v = v->next) {
            at = ww_align_up(at, ww_max_u64(v->align, 1));
            offset[v->id] = at;
            at += v->bytes;
        }
        program->local_offset[i] = offset;
        at = ww_align_up(at, 16);
        program->frame_bytes[i] = at;
        if (!program->framed) {
            raise_callees(program, i, at, base);
        }
        if (!program->framed || i == 0) {
            program->local_bytes = at > program->local_bytes ? at : program->local_bytes;
        }
    }
    return WW_OK;
}

/* ---- parameters ---- */

static ww_status lay_out_parameters(ptx_program *program, ww_error *err)
{
    const ptx_function *root = program->function[0];
    program->param_offset = WW_ARENA_NEW_ARRAY(&program->scratch, uint64_t, root->param_count + 1);
    if (program->param_offset == NULL) {
        return no_memory(program, err);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; root->is_kernel && i < root->in_count; i++) {
        const ptx_var *v = root->in[i].var;
        bytes = ww_align_up(bytes, ww_max_u64(v->align, 1));
        program->param_offset[v->id] = bytes;
        bytes += v->bytes;
    }
    program->param_bytes = bytes;
    return WW_OK;
}

/* ---- all of it ---- */

static ww_status not_found(const ww_ptx_module *module, const char *name, ww_error *err)
{
    ww_suggest suggest;
    char hint[160];
    ww_suggest_init(&suggest, name);
    for (const ptx_function *f = module->ast->functions; f != NULL; f = f->next) {
        if (f->has_body) {
            ww_suggest_offer(&suggest, f->name);
        }
    }
    return ww_fail_at(err, WW_ENOTFOUND, module->file, 0, 0, "there is no kernel '%.200s'%s", name,
                      ww_suggest_text(&suggest, hint, sizeof hint));
}

/* Local memory of a thread is addressed by 32 bits. Behind its variables, or those of a frame, lie
 * spilled registers, the stack and further frames, for which the other half is left. */
static bool local_fits(const ptx_program *program)
{
    const uint64_t most = UINT32_MAX / 2;
    bool fits = program->local_bytes <= most;
    for (uint32_t i = 0; i < program->count; i++) {
        fits = fits && program->frame_bytes[i] <= most;
    }
    return fits;
}

static ww_status check_sizes(const ptx_program *program, ww_error *err)
{
    const ptx_function *root = program->function[0];
    const char *what = program->shared_bytes > UINT32_MAX  ? "shared memory"
                       : !local_fits(program)              ? "local memory"
                       : program->param_bytes > UINT16_MAX ? "parameters"
                                                           : NULL;
    if (what != NULL) {
        return ww_fail_at(err, WW_EUNSUP, program->module->file, root->loc.line, root->loc.column,
                          "'%.200s' needs too much %s", root->name, what);
    }
    return WW_OK;
}

/* Most kernels call nothing: they are spared what is as large as the module. */
static bool calls(const ptx_function *f)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_function *callee = callee_of(&f->inst[i]);
        if (ww__is_indirect_call(&f->inst[i]) || (callee != NULL && callee->has_body)) {
            return true;
        }
    }
    return false;
}

static ww_status link_into(ptx_program *program, ptx_function *root, ww_error *err)
{
    if (program->problems != NULL || !calls(root)) {
        program->function = WW_ARENA_NEW_ARRAY(&program->scratch, ptx_function *, 1);
        if (program->function == NULL) {
            return no_memory(program, err);
        }
        program->function[0] = root;
        program->count = 1;
    } else {
        WW_TRY(order_functions(program, root, err));
    }
    WW_TRY(number_functions(program, err));
    WW_TRY(lay_out_shared(program, err));
    WW_TRY(lay_out_locals(program, err));
    WW_TRY(lay_out_parameters(program, err));
    return check_sizes(program, err);
}

ww_status ww__program_link(ww_ptx_module *module, const char *name, ptx_problems *problems,
                           ptx_program *out, ww_error *err)
{
    ptx_function *root = ww__ast_function(module->ast, name);
    if (root == NULL || !root->has_body) {
        *out = (ptx_program){.module = module};
        return not_found(module, name, err);
    }
    return ww__program_link_function(module, root, problems, out, err);
}

ww_status ww__program_link_function(ww_ptx_module *module, ptx_function *root,
                                    ptx_problems *problems, ptx_program *out, ww_error *err)
{
    *out = (ptx_program){.module = module, .arena = &module->arena, .problems = problems};
    ww_status status = link_into(out, root, err);
    if (status != WW_OK) {
        ww__program_fini(out);
    }
    return status;
}

void ww__program_fini(ptx_program *program)
{
    for (uint32_t i = 0; program->position != NULL && i < program->count; i++) {
        program->position[program->function[i]->index] = UINT32_MAX;
    }
    program->position = NULL;
    ww_arena_fini(&program->scratch);
}
