/* build.c - a kernel and the functions it calls as one array of instructions over 32-bit registers,
 * ready to execute. Registers, predicates and spill slots of a function lie above those of all its
 * callers, so that a call saves nothing. */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "perf/ptx/program.h"

/* What one function takes, and where its share begins. */
typedef struct share {
    uint32_t registers, predicates, spill_bytes;
    uint32_t register_base, predicate_base, spill_base;
    uint32_t *slot;  /* ptx mode: [virtual register] register or predicate number; NULL: already
                        allocated */
    uint32_t *where; /* [instruction]: index in the kernel's code; [inst_count]: the end */
} share;

typedef struct builder {
    ptx_program *program;
    ww_kernel *kernel;
    share *shares; /* [function] */
    ww_error *err;
} builder;

static ww_status no_memory(const builder *b)
{
    return ww_fail(b->err, WW_ENOMEM, "out of memory while building %.200s",
                   b->program->function[0]->name);
}

/* ---- registers of the stream as written: each virtual register keeps a place of its own ---- */

static ww_status assign_slots(builder *b, uint32_t i)
{
    const ww_function *f = b->program->code[i];
    share *s = &b->shares[i];
    s->slot = WW_ARENA_NEW_ARRAY(&b->program->scratch, uint32_t, (size_t)f->vreg_count + 1);
    if (s->slot == NULL) {
        return no_memory(b);
    }
    s->registers = 0;
    s->predicates = 0;
    for (uint32_t r = 0; r < f->vreg_count; r++) {
        uint32_t words = f->vreg[r].words;
        if (words == 0) {
            s->slot[r] = s->predicates++;
            continue;
        }
        s->registers = (s->registers + words - 1) / words * words; /* pairs are even-aligned */
        s->slot[r] = s->registers;
        s->registers += words;
    }
    return WW_OK;
}

static ww_status allocate(builder *b, uint32_t i, const struct ww_arch *arch)
{
    ww_function *f = b->program->code[i];
    ww_arena *arena = b->program->arena;
    share *s = &b->shares[i];
    WW_TRY(ww_lower(f, arena, arch, b->err));
    WW_TRY(ww_cfg_set_reconvergence(f, &b->program->scratch, b->err));
    f->local_bytes = (uint32_t)b->program->local_bytes; /* spill slots lie behind all variables */
    return ww_allocate_registers(f, arena, arch->sm.max_thread_registers, &s->registers,
                                 &s->predicates, &s->spill_bytes, b->err);
}

/* ---- bases ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t position_of(const builder *b, const ww_function *f)
{
    uint32_t i = 0;
    while (b->program->code[i] != f) {
        i++;
    }
    return i;
}

/* Callers come first, so that a function's own base is final when it reaches its callees. */
static void assign_bases(builder *b)
{
    ww_kernel *k = b->kernel;
    k->registers = k->predicates = k->spill_bytes = 0;
    for (uint32_t i = 0; i < b->program->count; i++) {
        const ww_function *f = b->program->code[i];
        const share *s = &b->shares[i];
        uint32_t registers = s->register_base + s->registers,
                 predicates = s->predicate_base + s->predicates;
        uint32_t spill = s->spill_base + s->spill_bytes;
        k->registers = larger(k->registers, registers);
        k->predicates = larger(k->predicates, predicates);
        k->spill_bytes = larger(k->spill_bytes, spill);
        for (uint32_t c = 0; c < f->callee_count; c++) {
            share *callee = &b->shares[position_of(b, f->callee[c])];
            callee->register_base = larger(callee->register_base, (registers + 1) / 2 * 2);
            callee->predicate_base = larger(callee->predicate_base, predicates);
            callee->spill_base = larger(callee->spill_base, (spill + 15) / 16 * 16);
        }
    }
}

/* ---- flattening ---- */

static uint32_t expanded_size(const ww_inst *inst)
{
    return inst->op == WW_OP_CALL && !ww_inst_is_builtin(inst)
               ? 1u + inst->src_count + inst->dst_count
               : 1u;
}

/* Where each instruction of each function lands. */
static ww_status place(builder *b)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < b->program->count; i++) {
        const ww_function *f = b->program->code[i];
        share *s = &b->shares[i];
        s->where = WW_ARENA_NEW_ARRAY(&b->program->scratch, uint32_t, (size_t)f->inst_count + 1);
        if (s->where == NULL) {
            return no_memory(b);
        }
        for (uint32_t k = 0; k < f->inst_count; k++) {
            s->where[k] = (uint32_t)at;
            at += expanded_size(&f->inst[k]);
        }
        s->where[f->inst_count] = (uint32_t)at;
        if (at > UINT32_MAX / 2) {
            return ww_fail(b->err, WW_EUNSUP, "%.200s is too large", f->name);
        }
    }
    b->kernel->code = WW_ARENA_NEW_ARRAY(b->program->arena, ww_inst, (size_t)at + 1);
    b->kernel->code_count = (uint32_t)at;
    return b->kernel->code != NULL ? WW_OK : no_memory(b);
}

static ww_operand encode_operand(const share *s, ww_operand o)
{
    if (o.kind == WW_OPD_REG) {
        o.reg = s->slot != NULL ? s->slot[o.reg] + (o.part == 2) : o.reg;
        o.reg += s->register_base;
        o.part = 0;
    } else if (o.kind == WW_OPD_PRED) {
        o.reg = (s->slot != NULL ? s->slot[o.reg] : o.reg) + s->predicate_base;
    }
    return o;
}

static ww_status encode_operands(builder *b, const share *s, ww_inst *inst)
{
    ww_operand *list =
        WW_ARENA_NEW_ARRAY(b->program->arena, ww_operand, inst->dst_count + inst->src_count + 1u);
    if (list == NULL) {
        return no_memory(b);
    }
    for (uint32_t i = 0; i < inst->dst_count; i++) {
        list[i] = encode_operand(s, inst->dst[i]);
    }
    for (uint32_t i = 0; i < inst->src_count; i++) {
        list[inst->dst_count + i] = encode_operand(s, inst->src[i]);
    }
    inst->dst = list;
    inst->src = list + inst->dst_count;
    inst->guard = encode_operand(s, inst->guard);
    return WW_OK;
}

static ww_status encode_targets(builder *b, const share *s, ww_inst *inst)
{
    if (inst->op == WW_OP_BRA) {
        inst->target = s->where[inst->target];
    }
    if (inst->reconv != WW_NO_TARGET) {
        inst->reconv = s->where[inst->reconv];
    }
    if (inst->table_count > 0) {
        uint32_t *table = WW_ARENA_NEW_ARRAY(b->program->arena, uint32_t, inst->table_count);
        if (table == NULL) {
            return no_memory(b);
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            table[k] = s->where[inst->table[k]];
        }
        inst->table = table;
    }
    return WW_OK;
}

/* Register allocation numbers each function's spill slots from the same start. */
static void rebase_spill(const builder *b, const share *s, ww_inst *inst)
{
    bool local = (inst->op == WW_OP_LD || inst->op == WW_OP_ST) && inst->space == WW_SPACE_LOCAL;
    if (local && inst->src[0].kind == WW_OPD_NONE &&
        inst->offset >= (int64_t)b->program->local_bytes) {
        inst->offset += s->spill_base;
    }
}

/* One register of a call, copied between the caller's and the callee's. */
static ww_status copy_across(builder *b, ww_inst *out, const ww_inst *call, ww_operand to,
                             ww_operand from)
{
    ww_operand *list = WW_ARENA_NEW_ARRAY(b->program->arena, ww_operand, 2);
    if (list == NULL) {
        return no_memory(b);
    }
    list[0] = to;
    list[1] = from;
    *out = (ww_inst){.op = WW_OP_MOV,
                     .type = to.kind == WW_OPD_PRED ? WW_T_PRED
                             : to.words == 2        ? WW_T_B64
                                                    : WW_T_B32,
                     .mods = WW_MOD_LINKED,
                     .vec = 1,
                     .dst_count = 1,
                     .src_count = 1,
                     .target = WW_NO_TARGET,
                     .reconv = WW_NO_TARGET,
                     .line = call->line,
                     .guard = call->guard,
                     .dst = list,
                     .src = list + 1};
    return WW_OK;
}

static ww_status encode_call(builder *b, const ww_function *f, const ww_inst *call, ww_inst *out)
{
    uint32_t position = position_of(b, f->callee[call->target]);
    const ww_function *callee = b->program->code[position];
    const share *s = &b->shares[position];
    for (uint32_t k = 0; k < call->src_count; k++) {
        WW_TRY(copy_across(b, out++, call, encode_operand(s, callee->formal_in[k]), call->src[k]));
    }
    *out = *call;
    out->target = s->where[0];
    out->src_count = out->dst_count = 0;
    out++;
    for (uint32_t k = 0; k < call->dst_count; k++) {
        WW_TRY(copy_across(b, out++, call, call->dst[k], encode_operand(s, callee->formal_out[k])));
    }
    return WW_OK;
}

static ww_status flatten(builder *b)
{
    WW_TRY(place(b));
    for (uint32_t i = 0; i < b->program->count; i++) {
        const ww_function *f = b->program->code[i];
        const share *s = &b->shares[i];
        for (uint32_t k = 0; k < f->inst_count; k++) {
            ww_inst inst = f->inst[k];
            ww_inst *out = &b->kernel->code[s->where[k]];
            WW_TRY(encode_operands(b, s, &inst));
            WW_TRY(encode_targets(b, s, &inst));
            rebase_spill(b, s, &inst);
            if (inst.op == WW_OP_CALL && !ww_inst_is_builtin(&inst)) {
                WW_TRY(encode_call(b, f, &inst, out));
            } else {
                *out = inst;
            }
        }
    }
    return WW_OK;
}

/* ---- the kernel ---- */

static ww_status list_parameters(builder *b)
{
    const ptx_program *program = b->program;
    const ptx_function *root = program->function[0];
    ww_kernel *k = b->kernel;
    k->params = WW_ARENA_NEW_ARRAY(program->arena, ww_param, root->in_count + 1);
    if (k->params == NULL) {
        return no_memory(b);
    }
    for (uint32_t i = 0; i < root->in_count; i++) {
        const ptx_var *v = root->in[i].var;
        k->params[i] = (ww_param){v->name, (uint32_t)program->param_offset[v->id],
                                  (uint32_t)v->bytes, v->align};
    }
    k->param_count = root->in_count;
    k->param_bytes = (uint32_t)program->param_bytes;
    return WW_OK;
}

static ww_status build_kernel(builder *b, bool lowered, const struct ww_arch *arch)
{
    ptx_program *program = b->program;
    ww_kernel *k = b->kernel;
    const ptx_function *root = program->function[0];
    *k = (ww_kernel){.name = root->name,
                     .file = program->module->file,
                     .shared_bytes = (uint32_t)program->shared_bytes,
                     .uses_dynamic_shared = program->uses_dynamic_shared,
                     .max_threads = root->max_threads,
                     .lowered = lowered};
    WW_TRY(list_parameters(b));
    for (uint32_t i = 0; i < program->count; i++) {
        WW_TRY(assign_slots(b, i));
    }
    assign_bases(b);
    k->ptx_registers = k->registers;
    for (uint32_t i = 0; i < program->count; i++) {
        if (!lowered) {
            WW_TRY(ww_cfg_set_reconvergence(program->code[i], &program->scratch, b->err));
            continue;
        }
        b->shares[i] = (share){0};
        WW_TRY(allocate(b, i, arch));
    }
    if (lowered) {
        assign_bases(b);
        for (uint32_t i = 0; i < program->count; i++) {
            WW_TRY(ww_cfg_set_reconvergence(program->code[i], &program->scratch, b->err));
        }
    }
    k->local_bytes = (uint32_t)program->local_bytes + k->spill_bytes;
    return flatten(b);
}

static ww_status build(ptx_program *program, bool lowered, const struct ww_arch *arch,
                       ww_kernel **out, ww_error *err)
{
    builder b = {.program = program, .err = err};
    WW_TRY(ww__program_translate(program, err));
    b.kernel = WW_ARENA_NEW(program->arena, ww_kernel);
    b.shares = WW_ARENA_NEW_ARRAY(&program->scratch, share, program->count);
    if (b.kernel == NULL || b.shares == NULL) {
        return no_memory(&b);
    }
    WW_TRY(build_kernel(&b, lowered, arch));
    *out = b.kernel;
    return WW_OK;
}

ww_status ww_ptx_build_kernel(ww_ptx_module *module, const char *name, bool lowered,
                              const struct ww_arch *arch, ww_kernel **out, ww_error *err)
{
    ptx_program program;
    WW_TRY(ww__program_link(module, name, NULL, &program, err));
    ww_status status;
    if (!program.function[0]->is_kernel) {
        status = ww_fail_at(err, WW_ENOTFOUND, module->file, program.function[0]->loc.line,
                            program.function[0]->loc.column,
                            "'%.200s' is a device function, not a kernel", name);
    } else {
        status = build(&program, lowered, arch, out, err);
    }
    ww__program_fini(&program);
    return status;
}
