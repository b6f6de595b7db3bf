/* translate.c - a parsed function as instructions over virtual registers: one per PTX instruction,
 * names resolved. */
#include "perf/ptx/translate/translate.h"

#include <string.h>

#include "perf/ptx/contract.h"

/* ---- instructions by signature ---- */

static ww_type type_of(const ptx_form *form, char letter)
{
    switch (letter) {
    case 'U':
        return WW_T_U32;
    case 'S':
        return (ww_type)form->type2;
    case 'W':
        return form->sub == WW_SUB_WIDE ? ww_type_doubled((ww_type)form->type)
                                        : (ww_type)form->type;
    case 'A':
        return WW_T_U64;
    default:
        return (ww_type)form->type;
    }
}

static bool is_predicate(const ptx_form *form, char letter)
{
    return letter == 'P' || (letter == 'T' && form->type == WW_T_PRED);
}

static bool subtracts(ww_op op)
{
    return op == WW_OP_SUB || op == WW_OP_SUBC;
}

/* The machine has one flag, the carry of the adder; a borrow is its complement, as it subtracts by
 * adding the complement. Additions and subtractions hand it to one another as it is: CUDA 13.0's
 * ptxas for compute capability 7.5 makes subc after add.cc IADD3.X a, ~b with add.cc's flag, and
 * addc after sub.cc IADD3.X a, b with that of a + ~b + 1. The predicate here holds a borrow behind
 * a subtraction, so that only what mixes the two takes the complement. */
static ww_status take_carry(ptx_translator *t, ww_operand *out)
{
    WW_TRY(ww__translate_carry(t, out));
    if (t->carry_from != 0 && subtracts(t->carry_from) != subtracts((ww_op)t->inst->form->op)) {
        out->flags |= WW_OPD_NOT;
    }
    return WW_OK;
}

static ww_status translate_signature(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const char *equals = strchr(form->signature, '=');
    unsigned dsts = (unsigned)(equals - form->signature), srcs = (unsigned)strlen(equals + 1);
    WW_TRY(ww__translate_count(t, dsts + srcs, dsts + srcs));
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, dsts + form->carry_out, srcs + form->carry_in, &inst));
    for (unsigned i = 0; i < dsts; i++) {
        const ptx_operand *o = &t->inst->operand[i];
        char letter = form->signature[i];
        WW_TRY(is_predicate(form, letter)
                   ? ww__translate_predicate_destination(t, o, &inst->dst[i])
                   : ww__translate_destination(t, o, type_of(form, letter), &inst->dst[i]));
    }
    for (unsigned i = 0; i < srcs; i++) {
        const ptx_operand *o = &t->inst->operand[dsts + i];
        char letter = equals[1 + i];
        WW_TRY(is_predicate(form, letter)
                   ? ww__translate_predicate(t, o, &inst->src[i])
                   : ww__translate_source(t, o, type_of(form, letter), &inst->src[i]));
    }
    if (form->carry_in) {
        WW_TRY(take_carry(t, &inst->src[srcs]));
    }
    if (form->carry_out) {
        t->carry_from = (ww_op)form->op;
        return ww__translate_carry(t, &inst->dst[dsts]);
    }
    return WW_OK;
}

static ww_status translate_convert(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    bool pair = form->type == WW_T_F16X2 || form->type == WW_T_BF16X2 ||
                ww_type_is_narrow_pair((ww_type)form->type);
    unsigned srcs = pair && form->type2 == WW_T_F32 ? 2 : 1;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 1 + srcs, 1 + srcs));
    WW_TRY(ww__translate_emit_form(t, 1, srcs, &inst));
    WW_TRY(ww__translate_destination(t, &t->inst->operand[0], (ww_type)form->type, &inst->dst[0]));
    for (unsigned i = 0; i < srcs; i++) {
        WW_TRY(
            ww__translate_source(t, &t->inst->operand[1 + i], (ww_type)form->type2, &inst->src[i]));
    }
    return WW_OK;
}

static ww_status translate_compare(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    bool combined = form->bool_op != WW_BOOL_NONE, is_setp = form->shape == PTX_SHAPE_SETP;
    ww_type type = (ww_type)(is_setp ? form->type : form->type2);
    WW_TRY(ww__translate_count(t, 3u + combined, 3u + combined));
    bool pair = is_setp && o[0].kind == PTX_OPD_PAIR;
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, pair ? 2 : 1, 2u + combined, &inst));
    if (!is_setp) {
        WW_TRY(ww__translate_destination(t, &o[0], (ww_type)form->type, &inst->dst[0]));
    } else {
        WW_TRY(
            ww__translate_predicate_destination(t, pair ? &o[0].u.list[0] : &o[0], &inst->dst[0]));
        if (pair) {
            WW_TRY(ww__translate_predicate_destination(t, &o[0].u.list[1], &inst->dst[1]));
        }
    }
    WW_TRY(ww__translate_source(t, &o[1], type, &inst->src[0]));
    WW_TRY(ww__translate_source(t, &o[2], type, &inst->src[1]));
    return combined ? ww__translate_predicate(t, &o[3], &inst->src[2]) : WW_OK;
}

/* ---- control ---- */

/* The label of a branch; its instruction is numbered in PTX until the function is complete. */
static ww_status branch_label(ptx_translator *t, const ptx_operand *o, const ptx_label **out)
{
    if (o->kind != PTX_OPD_LABEL || o->u.label->target->is_prototype) {
        return ww__translate_malformed(t, o, "'%.100s' needs a label here", t->inst->form->text);
    }
    *out = o->u.label->target;
    return WW_OK;
}

static ww_status translate_branch(ptx_translator *t)
{
    const ptx_label *label = NULL;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 1, 1));
    WW_TRY(branch_label(t, &t->inst->operand[0], &label));
    WW_TRY(ww__translate_emit_form(t, 0, 0, &inst));
    inst->target = label->inst;
    return WW_OK;
}

static ww_status translate_indexed_branch(ptx_translator *t)
{
    const ptx_label *label = NULL;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    WW_TRY(branch_label(t, &t->inst->operand[1], &label));
    if (label->target_count == 0) {
        return ww__translate_malformed(t, &t->inst->operand[1], "'%.100s' names no .branchtargets",
                                       label->name);
    }
    uint32_t *table = WW_ARENA_NEW_ARRAY(t->program->arena, uint32_t, label->target_count);
    if (table == NULL) {
        return ww__translate_no_memory(t);
    }
    for (uint32_t i = 0; i < label->target_count; i++) {
        table[i] = label->targets[i]->target->inst;
    }
    WW_TRY(ww__translate_emit_form(t, 0, 1, &inst));
    inst->sub = WW_SUB_NONE;
    inst->table = table;
    inst->table_count = label->target_count;
    return ww__translate_source(t, &t->inst->operand[0], WW_T_U32, &inst->src[0]);
}

/* ret of a kernel ends the thread. */
static ww_status translate_bare(ptx_translator *t)
{
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 0, 0));
    WW_TRY(ww__translate_emit_form(t, 0, 0, &inst));
    if (inst->op == WW_OP_RET && t->func->is_kernel) {
        inst->op = WW_OP_EXIT;
    }
    return WW_OK;
}

/* ---- functions ---- */

/* As written, a load extends what it loads itself; false when it cannot. */
static bool load_widens(ptx_translator *t)
{
    ww_inst *load = t->out->inst_count > 0 ? &t->out->inst[t->out->inst_count - 1] : NULL;
    if (!t->program->as_written || load == NULL || load->op != WW_OP_LD ||
        t->widening_count != load->dst_count) {
        return false;
    }
    for (uint32_t i = 0; i < t->widening_count; i++) {
        load->dst[i] = t->widening[i].to;
    }
    t->widening_count = 0;
    return true;
}

/* Results that went into a temporary, extended into their wide registers. */
static ww_status emit_widenings(ptx_translator *t)
{
    if (t->widening_count > 0 && load_widens(t)) {
        return WW_OK;
    }
    for (uint32_t i = 0; i < t->widening_count; i++) {
        const ptx_widening *w = &t->widening[i];
        bool is_signed = ww_type_is_signed(w->type) && !ww_type_is_float(w->type);
        ww_inst *inst;
        WW_TRY(ww__translate_emit(t, WW_OP_CVT, is_signed ? WW_T_S64 : WW_T_U64, 1, 1, &inst));
        inst->type2 = is_signed ? WW_T_S32 : WW_T_U32;
        inst->mods = WW_MOD_LINKED;
        inst->dst[0] = w->to;
        inst->src[0] = w->from;
    }
    t->widening_count = 0;
    return WW_OK;
}

static ww_status translate_instruction(ptx_translator *t)
{
    bool taken;
    if (t->inst->form->problem != NULL) {
        return ww__translate_report(t, WW_EUNSUP, NULL, t->inst->form->problem);
    }
    switch ((ptx_shape)t->inst->form->shape) {
    case PTX_SHAPE_SIGNATURE:
        return translate_signature(t);
    case PTX_SHAPE_LD:
    case PTX_SHAPE_ST:
        WW_TRY(ww__translate_param_access(t, &taken));
        return taken ? WW_OK : ww__translate_memory(t);
    case PTX_SHAPE_ATOM:
    case PTX_SHAPE_RED:
    case PTX_SHAPE_PREFETCH:
        return ww__translate_memory(t);
    case PTX_SHAPE_MOV:
        return ww__translate_mov(t);
    case PTX_SHAPE_SETP:
    case PTX_SHAPE_SET:
        return translate_compare(t);
    case PTX_SHAPE_CVT:
        return translate_convert(t);
    case PTX_SHAPE_BRA:
        return translate_branch(t);
    case PTX_SHAPE_BRX:
        return translate_indexed_branch(t);
    case PTX_SHAPE_CALL:
        return ww__translate_call(t);
    case PTX_SHAPE_NONE:
        return translate_bare(t);
    case PTX_SHAPE_BAR:
        return ww__translate_barrier(t);
    case PTX_SHAPE_VOTE:
        return ww__translate_vote(t);
    case PTX_SHAPE_SHFL:
        return ww__translate_shuffle(t);
    case PTX_SHAPE_MATCH:
        return ww__translate_match(t);
    case PTX_SHAPE_MBARRIER:
        return ww__translate_mbarrier(t);
    case PTX_SHAPE_COPY_ARRIVE:
        return ww__translate_copy_arrive(t);
    case PTX_SHAPE_COPY:
    case PTX_SHAPE_COPY_WAIT:
    case PTX_SHAPE_LDMATRIX:
        return ww__translate_copy(t);
    case PTX_SHAPE_TEX:
    case PTX_SHAPE_SURFACE_LOAD:
    case PTX_SHAPE_SURFACE_STORE:
    case PTX_SHAPE_TEXTURE_QUERY:
        return ww__translate_texture(t);
    case PTX_SHAPE_MATRIX_LOAD:
    case PTX_SHAPE_MATRIX_STORE:
    case PTX_SHAPE_MATRIX_MULTIPLY:
        return ww__translate_matrix(t);
    case PTX_SHAPE_VIDEO:
    case PTX_SHAPE_HALVES:
        return ww__translate_video(t);
    case PTX_SHAPE_PENDING_COUNT:
        return ww__translate_pending_count(t);
    case PTX_SHAPE_BULK:
    case PTX_SHAPE_STORE_ASYNC:
        return ww__translate_bulk(t);
    case PTX_SHAPE_TENSOR:
        return ww__translate_tensor(t);
    case PTX_SHAPE_TENSORMAP:
        return ww__translate_tensormap(t);
    case PTX_SHAPE_WGMMA:
    case PTX_SHAPE_WGMMA_WAIT:
        return ww__translate_wgmma(t);
    case PTX_SHAPE_FENCE:
    case PTX_SHAPE_REGISTERS:
    case PTX_SHAPE_HINT:
    case PTX_SHAPE_POLICY:
    case PTX_SHAPE_MAPA:
    case PTX_SHAPE_RANK:
    case PTX_SHAPE_ELECT:
    case PTX_SHAPE_CLUSTER_BARRIER:
        return ww__translate_cluster(t);
    }
    return WW_OK;
}

/* With a collector, goes on after what a user may want listed. */
static ww_status pass(ptx_translator *t, ww_status status)
{
    bool listed = status == WW_EUNSUP || status == WW_EPARSE;
    return listed && t->program->problems != NULL
               ? ww__problems_add(t->program->problems, t->program->arena, t->func->name, t->err)
               : status;
}

/* A label or a fall-through behind the last instruction returns. */
static ww_status close_function(ptx_translator *t)
{
    const ww_function *f = t->out;
    ww_inst *inst;
    t->inst = NULL;
    t->start[t->func->inst_count] = f->inst_count;
    bool needed = f->inst_count == 0;
    if (!needed) {
        const ww_inst *last = &f->inst[f->inst_count - 1];
        needed = last->guard.kind != WW_OPD_NONE ||
                 (last->op != WW_OP_RET && last->op != WW_OP_EXIT && last->op != WW_OP_BRA &&
                  last->op != WW_OP_BRX && last->op != WW_OP_TRAP);
    }
    for (uint32_t i = 0; i < f->inst_count && !needed; i++) {
        needed = f->inst[i].op == WW_OP_BRA && f->inst[i].target == t->func->inst_count;
        for (uint32_t k = 0; k < f->inst[i].table_count; k++) {
            needed |= f->inst[i].table[k] == t->func->inst_count;
        }
    }
    return needed ? ww__translate_emit(t, t->func->is_kernel ? WW_OP_EXIT : WW_OP_RET, WW_T_NONE, 0,
                                       0, &inst)
                  : WW_OK;
}

/* PTX instruction numbers of branch targets become numbers of the translated ones. */
static ww_status bind_targets(ptx_translator *t)
{
    for (uint32_t i = 0; i < t->out->inst_count; i++) {
        ww_inst *inst = &t->out->inst[i];
        if (inst->op == WW_OP_BRA) {
            inst->target = t->start[inst->target];
        }
        if (inst->op == WW_OP_BRX) {
            uint32_t *table = WW_ARENA_NEW_ARRAY(t->program->arena, uint32_t, inst->table_count);
            if (table == NULL) {
                return ww__translate_no_memory(t);
            }
            for (uint32_t k = 0; k < inst->table_count; k++) {
                table[k] = t->start[inst->table[k]];
            }
            inst->table = table;
        }
    }
    return WW_OK;
}

static ww_status translate_body(ptx_translator *t)
{
    WW_TRY(pass(t, ww__translate_formals(t)));
    for (uint32_t i = 0; i < t->func->inst_count; i++) {
        t->inst = &t->func->inst[i];
        t->start[i] = t->out->inst_count;
        t->widening_count = 0;
        t->skipped = false;
        ww_status status = translate_instruction(t);
        WW_TRY(pass(t, status == WW_OK ? emit_widenings(t) : status));
    }
    WW_TRY(close_function(t));
    return t->program->problems != NULL ? WW_OK : bind_targets(t);
}

static ww_status translate_function(ptx_program *program, uint32_t position, ww_error *err)
{
    const ptx_function *func = program->function[position];
    ptx_translator t = {.program = program,
                        .func = func,
                        .position = position,
                        .out = program->code[position],
                        .carry = UINT32_MAX,
                        .err = err};
    t.vreg = WW_ARENA_NEW_ARRAY(&program->scratch, uint32_t, (size_t)func->reg_count + 1);
    t.param = WW_ARENA_NEW_ARRAY(&program->scratch, ptx_pieces, (size_t)func->param_count + 1);
    t.start = WW_ARENA_NEW_ARRAY(&program->scratch, uint32_t, (size_t)func->inst_count + 1);
    if (t.vreg == NULL || t.param == NULL || t.start == NULL) {
        return ww__translate_no_memory(&t);
    }
    memset(t.vreg, 0xff, ((size_t)func->reg_count + 1) * sizeof *t.vreg);
    *t.out = (ww_function){
        .name = func->name, .is_kernel = func->is_kernel, .line = (uint32_t)func->loc.line};
    for (const ptx_var *v = func->locals; v != NULL; v = v->next) {
        uint64_t end = program->local_offset[position][v->id] + v->bytes;
        t.out->local_bytes = t.out->local_bytes > end ? t.out->local_bytes : (uint32_t)end;
    }
    return translate_body(&t);
}

ww_status ww__program_translate(ptx_program *program, ww_error *err)
{
    ww_error local = {0};
    err = err != NULL ? err : &local; /* the collector reads messages back */
    program->code = WW_ARENA_NEW_ARRAY(&program->scratch, ww_function *, program->count + 1);
    ww_function *code = WW_ARENA_NEW_ARRAY(program->arena, ww_function, program->count + 1);
    if (program->code == NULL || code == NULL) {
        return ww_no_memory_for(err, "translating %s", program->module->file);
    }
    for (uint32_t i = 0; i < program->count; i++) {
        program->code[i] = &code[i];
    }
    for (uint32_t i = 0; i < program->count; i++) {
        WW_TRY(translate_function(program, i, err));
        if (program->problems == NULL) {
            WW_TRY(ww__contract(program->code[i], program->arena, &program->scratch, err));
        }
    }
    return WW_OK;
}

ww_status ww_ptx_translate(ww_ptx_module *module, const char *name, ww_function **out,
                           ww_error *err)
{
    ptx_program program;
    WW_TRY(ww__program_link(module, name, NULL, &program, err));
    ww_status status = ww__program_translate(&program, err);
    if (status == WW_OK) {
        *out = program.code[0];
    }
    ww__program_fini(&program);
    return status;
}
