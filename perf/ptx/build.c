/* build.c - a kernel and the functions it calls as one array of instructions over 32-bit registers,
 * ready to execute. Registers, predicates and spill slots of a function lie above those of all its
 * callers, so that a call saves nothing. */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arith.h"
#include "perf/ptx/build.h"
#include "perf/ptx/regalloc/regalloc.h"

ww_status ww__build_no_memory(const ptx_builder *b)
{
    return ww_no_memory_for(b->err, "building %.200s", b->program->function[0]->name);
}

/* ---- registers of the stream as written: each virtual register keeps a place of its own ---- */

static ww_status assign_slots(ptx_builder *b, uint32_t i)
{
    const ww_function *f = b->program->code[i];
    ptx_share *s = &b->shares[i];
    s->slot = WW_ARENA_NEW_ARRAY(&b->program->scratch, uint32_t, (size_t)f->vreg_count + 1);
    if (s->slot == NULL) {
        return ww__build_no_memory(b);
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

/* Registers that leave room on an SM for a CTA of .maxntid threads, for .minnctapersm of them where
 * that many threads fit, and no more than .maxnreg. */
static uint32_t register_limit(const ptx_function *root, const struct ww_arch *arch)
{
    enum { FEWEST = 16 }; /* a limit below would make code that is all spills */
    uint32_t limit = arch->sm.max_thread_registers;
    if (root->max_threads > 0 && root->max_threads <= arch->sm.max_threads) {
        uint32_t warps = ww_warps_of(root->max_threads);
        uint32_t most = arch->sm.max_threads / (warps * WW_WARP_SIZE);
        uint32_t ctas = root->min_ctas > 0 && root->min_ctas <= most ? root->min_ctas : 1;
        uint32_t warp_registers = arch->sm.registers / (ctas * warps);
        uint32_t fit = warp_registers / arch->sm.register_unit * arch->sm.register_unit;
        limit = ww_min_u32(limit, fit / WW_WARP_SIZE);
    }
    if (root->max_registers > 0) {
        limit = ww_min_u32(limit, root->max_registers);
    }
    return ww_max_u32(limit, FEWEST);
}

/* The most registers that some setmaxnreg asks for; 0: there is none. */
static uint32_t most_asked(const ptx_program *program)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const ww_function *f = program->code[i];
        for (uint32_t k = 0; k < f->inst_count; k++) {
            const ww_inst *inst = &f->inst[k];
            most = inst->op == WW_OP_SETMAXNREG ? ww_max_u32(most, (uint32_t)inst->offset) : most;
        }
    }
    return most;
}

/* Where warps change their registers: those of all when they start, as ptxas allocates what the
 * kernel's bounds allow. Without bounds it passes over setmaxnreg (its message C7508). */
static uint32_t pool_registers(const ptx_program *program, const struct ww_arch *arch)
{
    const ptx_function *root = program->function[0];
    const bool bounded = root->max_threads > 0 || root->max_registers > 0;
    return bounded && most_asked(program) > 0 ? register_limit(root, arch) : 0;
}

/* Registers that code may use: where warps take more, as many as they ask for. */
static uint32_t usable_registers(const ptx_program *program, const struct ww_arch *arch)
{
    const uint32_t limit = register_limit(program->function[0], arch);
    return pool_registers(program, arch) > 0
               ? ww_min_u32(ww_max_u32(limit, most_asked(program)), arch->sm.max_thread_registers)
               : limit;
}

/* Which virtual registers of a kernel hold one value per warp; those of kernels with calls are all
 * vectors. */
static ww_status find_scalars(ptx_builder *b, ww_function *f, ww_scalars *out, ww_error *err)
{
    ww_arena *arena = &b->program->scratch;
    ww_view view;
    ww_chains chains;
    WW_TRY(ww_view_of_function(f, arena, &view, err));
    WW_TRY(ww_chains_build(&view, arena, &chains, err));
    WW_TRY(ww_scalars_find(&view, &chains, *b->varying, arena, out, err));
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if ((out->inst[i / 64] >> (i % 64) & 1) != 0) {
            f->inst[i].mods |= WW_MOD_ONCE;
        }
    }
    return WW_OK;
}

static ww_status allocate(ptx_builder *b, uint32_t i, const struct ww_arch *arch)
{
    ww_function *f = b->program->code[i];
    ww_arena *arena = b->program->arena;
    ptx_share *s = &b->shares[i];
    WW_TRY(ww_lower(f, arena, b->code, arch, b->err));
    WW_TRY(ww_cfg_set_reconvergence(f, &b->program->scratch, b->err));
    f->local_bytes = (uint32_t)b->program->local_bytes; /* spill slots lie behind all variables */
    ww_scalars scalars;
    ww_allocation a;
    bool classes = b->varying != NULL && b->program->count == 1;
    if (classes) {
        WW_TRY(find_scalars(b, f, &scalars, b->err));
    }
    WW_TRY(ww__allocate_classes(f, arena, usable_registers(b->program, arch),
                                classes ? &scalars : NULL, arch, &a, b->err));
    s->registers = a.registers;
    s->predicates = a.predicates;
    s->spill_bytes = a.spill_bytes;
    b->kernel->vector_registers = a.vector_registers;
    b->kernel->scalar_base = a.scalar_base;
    return WW_OK;
}

/* ---- bases ---- */

uint32_t ww__build_position(const ptx_builder *b, const ww_function *f)
{
    uint32_t i = 0;
    while (b->program->code[i] != f) {
        i++;
    }
    return i;
}

/* A callee lies above its caller; where a call closes a cycle the caller saves what is its own. */
static void raise_callee(ptx_builder *b, uint32_t caller, uint32_t callee)
{
    const ptx_share *s = &b->shares[caller];
    ptx_share *t = &b->shares[callee];
    if (callee > caller) {
        t->register_base =
            ww_max_u32(t->register_base, (s->register_base + s->registers + 1) / 2 * 2);
        t->predicate_base = ww_max_u32(t->predicate_base, s->predicate_base + s->predicates);
        t->spill_base = ww_max_u32(t->spill_base, (s->spill_base + s->spill_bytes + 15) / 16 * 16);
    }
}

static bool calls_indirectly(const ww_function *f)
{
    for (uint32_t k = 0; k < f->inst_count; k++) {
        if (f->inst[k].op == WW_OP_CALL && f->inst[k].sub == WW_SUB_INDIRECT) {
            return true;
        }
    }
    return false;
}

/* Callers come first, so that a function's own base is final when it reaches its callees. */
static void assign_bases(ptx_builder *b)
{
    ww_kernel *k = b->kernel;
    const ptx_program *program = b->program;
    k->registers = k->predicates = k->spill_bytes = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const ww_function *f = program->code[i];
        const ptx_share *s = &b->shares[i];
        k->registers = ww_max_u32(k->registers, s->register_base + s->registers);
        k->predicates = ww_max_u32(k->predicates, s->predicate_base + s->predicates);
        k->spill_bytes = ww_max_u32(k->spill_bytes, s->spill_base + s->spill_bytes);
        for (uint32_t c = 0; c < f->callee_count; c++) {
            raise_callee(b, i, ww__build_position(b, f->callee[c]));
        }
        for (uint32_t c = 0; c < program->candidate_count && calls_indirectly(f); c++) {
            raise_callee(b, i, program->position[program->candidate[c]->index]);
        }
    }
}

/* ---- flattening ---- */

enum { MOST_CODE = 1 << 22 }; /* instructions of a kernel; the largest real ones have some 10^5 */

static bool is_expanded(const ww_inst *inst)
{
    return inst->op == WW_OP_CALL && !ww_inst_is_builtin(inst);
}

/* Where each instruction of each function lands. */
static ww_status place_function(ptx_builder *b, uint32_t i, uint64_t *at)
{
    const ww_function *f = b->program->code[i];
    ptx_share *s = &b->shares[i];
    s->where = WW_ARENA_NEW_ARRAY(&b->program->scratch, uint32_t, (size_t)f->inst_count + 1);
    if (s->where == NULL) {
        return ww__build_no_memory(b);
    }
    for (uint32_t k = 0; k < f->inst_count && *at <= MOST_CODE; k++) {
        uint32_t count = 1;
        s->where[k] = (uint32_t)*at;
        if (is_expanded(&f->inst[k])) {
            WW_TRY(ww__build_call(b, i, &f->inst[k], NULL, &count));
        }
        *at += count;
    }
    s->where[f->inst_count] = (uint32_t)*at;
    return *at <= MOST_CODE ? WW_OK : ww_fail(b->err, WW_EUNSUP, "%.200s is too large", f->name);
}

static ww_status place(ptx_builder *b)
{
    uint64_t at = 0;
    const ptx_program *program = b->program;
    for (uint32_t i = 0; i < program->count; i++) {
        WW_TRY(place_function(b, i, &at));
    }
    ww_entry *entry = WW_ARENA_NEW_ARRAY(program->arena, ww_entry, program->candidate_count + 1);
    if (entry == NULL) {
        return ww__build_no_memory(b);
    }
    for (uint32_t k = 0; k < program->candidate_count; k++) {
        uint32_t count;
        entry[k] = (ww_entry){ww__function_address(program->candidate[k]), (uint32_t)at};
        WW_TRY(ww__build_entry(b, k, NULL, &count));
        at += count;
    }
    b->kernel->entry = entry;
    b->kernel->entry_count = program->candidate_count;
    b->kernel->code = WW_ARENA_NEW_ARRAY(program->arena, ww_inst, (size_t)at + 1);
    b->kernel->code_count = (uint32_t)at;
    return b->kernel->code != NULL ? WW_OK : ww__build_no_memory(b);
}

ww_operand ww__build_operand(const ptx_share *s, ww_operand o)
{
    if (o.kind == WW_OPD_REG || (o.kind == WW_OPD_SHARED && o.words > 0)) {
        o.reg = s->slot != NULL ? s->slot[o.reg] + (o.part == 2) : o.reg;
        o.reg += s->register_base;
        o.part = 0;
    } else if (o.kind == WW_OPD_PRED) {
        o.reg = (s->slot != NULL ? s->slot[o.reg] : o.reg) + s->predicate_base;
    }
    return o;
}

static ww_status encode_operands(ptx_builder *b, const ptx_share *s, ww_inst *inst)
{
    ww_operand *list =
        WW_ARENA_NEW_ARRAY(b->program->arena, ww_operand, inst->dst_count + inst->src_count + 1u);
    if (list == NULL) {
        return ww__build_no_memory(b);
    }
    for (uint32_t i = 0; i < inst->dst_count; i++) {
        list[i] = ww__build_operand(s, inst->dst[i]);
    }
    for (uint32_t i = 0; i < inst->src_count; i++) {
        list[inst->dst_count + i] = ww__build_operand(s, inst->src[i]);
    }
    inst->dst = list;
    inst->src = list + inst->dst_count;
    inst->guard = ww__build_operand(s, inst->guard);
    return WW_OK;
}

static ww_status encode_targets(ptx_builder *b, const ptx_share *s, ww_inst *inst)
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
            return ww__build_no_memory(b);
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            table[k] = s->where[inst->table[k]];
        }
        inst->table = table;
    }
    return WW_OK;
}

/* Register allocation numbers each function's spill slots from the same start. */
static void rebase_spill(const ptx_builder *b, const ptx_share *s, ww_inst *inst)
{
    bool local = (inst->op == WW_OP_LD || inst->op == WW_OP_ST) && inst->space == WW_SPACE_LOCAL;
    if (local && inst->src[0].kind == WW_OPD_NONE &&
        inst->offset >= (int64_t)b->program->local_bytes) {
        inst->offset += s->spill_base;
    }
}

static ww_status flatten(ptx_builder *b)
{
    uint32_t count;
    WW_TRY(place(b));
    for (uint32_t i = 0; i < b->program->count; i++) {
        const ww_function *f = b->program->code[i];
        const ptx_share *s = &b->shares[i];
        for (uint32_t k = 0; k < f->inst_count; k++) {
            ww_inst inst = f->inst[k];
            ww_inst *out = &b->kernel->code[s->where[k]];
            WW_TRY(encode_operands(b, s, &inst));
            WW_TRY(encode_targets(b, s, &inst));
            rebase_spill(b, s, &inst);
            if (is_expanded(&inst)) {
                WW_TRY(ww__build_call(b, i, &inst, out, &count));
            } else {
                *out = inst;
            }
        }
    }
    for (uint32_t k = 0; k < b->kernel->entry_count; k++) {
        WW_TRY(ww__build_entry(b, k, &b->kernel->code[b->kernel->entry[k].pc], &count));
    }
    return WW_OK;
}

/* ---- the kernel ---- */

static ww_status list_parameters(ptx_builder *b)
{
    const ptx_program *program = b->program;
    const ptx_function *root = program->function[0];
    ww_kernel *k = b->kernel;
    k->params = WW_ARENA_NEW_ARRAY(program->arena, ww_param, root->in_count + 1);
    if (k->params == NULL) {
        return ww__build_no_memory(b);
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

static ww_status build_kernel(ptx_builder *b, const struct ww_arch *arch)
{
    const bool lowered = b->code != WW_CODE_PTX;
    ptx_program *program = b->program;
    ww_kernel *k = b->kernel;
    const ptx_function *root = program->function[0];
    *k = (ww_kernel){.name = root->name,
                     .file = program->module->file,
                     .source = &program->module->source,
                     .shared_bytes = (uint32_t)program->shared_bytes,
                     .uses_dynamic_shared = program->uses_dynamic_shared,
                     .max_threads = root->max_threads,
                     .cluster = {root->cluster[0], root->cluster[1], root->cluster[2]},
                     .max_cluster = root->max_cluster,
                     .lowered = lowered,
                     .narrow = b->code == WW_CODE_GT200};
    WW_TRY(list_parameters(b));
    for (uint32_t i = 0; i < program->count; i++) {
        WW_TRY(assign_slots(b, i));
    }
    assign_bases(b);
    k->ptx_registers = k->registers;
    k->pool_registers = arch != NULL ? pool_registers(program, arch) : 0;
    for (uint32_t i = 0; i < program->count; i++) {
        if (!lowered) {
            WW_TRY(ww_cfg_set_reconvergence(program->code[i], &program->scratch, b->err));
            continue;
        }
        b->shares[i] = (ptx_share){0};
        WW_TRY(allocate(b, i, arch));
    }
    if (lowered) {
        assign_bases(b);
        for (uint32_t i = 0; i < program->count; i++) {
            WW_TRY(ww_cfg_set_reconvergence(program->code[i], &program->scratch, b->err));
        }
    }
    ww__build_stage(b);
    return flatten(b);
}

static ww_status build(ptx_program *program, ww_code code, const struct ww_arch *arch,
                       const unsigned *varying, ww_kernel **out, ww_error *err)
{
    ptx_builder b = {.program = program, .code = code, .varying = varying, .err = err};
    WW_TRY(ww__program_translate(program, err));
    b.kernel = WW_ARENA_NEW(program->arena, ww_kernel);
    b.shares = WW_ARENA_NEW_ARRAY(&program->scratch, ptx_share, program->count);
    if (b.kernel == NULL || b.shares == NULL) {
        return ww__build_no_memory(&b);
    }
    WW_TRY(build_kernel(&b, arch));
    *out = b.kernel;
    return WW_OK;
}

static ww_status build_named(ww_ptx_module *module, const char *name, ww_code code,
                             const struct ww_arch *arch, const unsigned *varying, ww_kernel **out,
                             ww_error *err)
{
    ptx_program program;
    WW_TRY(ww__program_link(module, name, NULL, &program, err));
    ww_status status;
    if (!program.function[0]->is_kernel) {
        status = ww_fail_at(err, WW_ENOTFOUND, module->file, program.function[0]->loc.line,
                            program.function[0]->loc.column,
                            "'%.200s' is a device function, not a kernel", name);
    } else {
        program.as_written = code == WW_CODE_PTX;
        status = build(&program, code, arch, varying, out, err);
    }
    ww__program_fini(&program);
    return status;
}

ww_status ww_ptx_build_kernel(ww_ptx_module *module, const char *name, ww_code code,
                              const struct ww_arch *arch, ww_kernel **out, ww_error *err)
{
    return build_named(module, name, code, arch, NULL, out, err);
}

ww_status ww_ptx_build_scalarized(ww_ptx_module *module, const char *name, ww_code code,
                                  const struct ww_arch *arch, unsigned varying, ww_kernel **out,
                                  ww_error *err)
{
    ww_kernel *plain = NULL;
    WW_TRY(build_named(module, name, code, arch, NULL, &plain, err));
    WW_TRY(build_named(module, name, code, arch, &varying, out, err));
    (*out)->plain_registers = plain->registers;
    return WW_OK;
}
