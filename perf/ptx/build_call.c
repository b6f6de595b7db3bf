/* build_call.c - calls as instructions.
 * Direct: the caller copies arguments into the callee's registers, and results back.
 * Indirect: through staging registers above all others; every function that may be meant has an
 * entry that copies from and to them and calls the function directly. Recursive: callee and caller
 * belong to one cycle of calls, so that the caller's registers, predicates and spill slots may be
 * written by an inner activation of itself. Before such a call they go into the caller's frame in
 * local memory, after it they come back; arguments pass through staging registers. A frame holds
 * the local variables and, behind them, what is saved. The frame's address is the hidden first
 * argument and result of every device function of a recursive program. Frames grow upwards. */
#include "perf/ptx/build.h"

#include "base/arith.h"

enum {
    STACK_BYTES = 16384
}; /* per thread; CUDA's default is 1024, but registers here are not packed */

typedef struct emitter {
    ptx_builder *b;
    ww_inst *out; /* NULL: count only */
    uint32_t count;
    const ww_inst *like; /* gives line and guard */
    bool out_of_memory;
    ww_inst scratch;
    ww_operand scratch_operand[4];
} emitter;

/* ---- emission ---- */

static ww_inst *emit(emitter *e, ww_op op, ww_type type, unsigned dsts, unsigned srcs)
{
    ww_inst *inst = e->out != NULL ? &e->out[e->count] : &e->scratch;
    ww_operand *list = e->scratch_operand;
    e->count++;
    if (e->out != NULL) {
        list = WW_ARENA_NEW_ARRAY(e->b->program->arena, ww_operand, dsts + srcs + 1);
        if (list == NULL) {
            e->out_of_memory = true;
            list = e->scratch_operand;
        }
    }
    *inst = (ww_inst){.op = (uint16_t)op,
                      .type = (uint8_t)type,
                      .mods = WW_MOD_LINKED,
                      .vec = 1,
                      .dst_count = (uint8_t)dsts,
                      .src_count = (uint8_t)srcs,
                      .target = WW_NO_TARGET,
                      .reconv = WW_NO_TARGET,
                      .line = e->like->line,
                      .guard = e->like->guard,
                      .dst = list,
                      .src = list + dsts};
    return inst;
}

static void emit_copy(emitter *e, ww_operand to, ww_operand from)
{
    if (to.kind == WW_OPD_NONE) {
        return;
    }
    ww_inst *inst = emit(e, WW_OP_MOV,
                         to.kind == WW_OPD_PRED ? WW_T_PRED
                         : to.words == 2        ? WW_T_B64
                                                : WW_T_B32,
                         1, 1);
    inst->dst[0] = to;
    inst->src[0] = from;
}

static void emit_binary(emitter *e, ww_op op, ww_type type, ww_operand d, ww_operand a,
                        uint64_t value)
{
    ww_inst *inst = emit(e, op, type, 1, 2);
    inst->dst[0] = d;
    inst->src[0] = a;
    inst->src[1] = ww_opd_imm(value);
}

static void emit_local(emitter *e, bool load, ww_operand value, ww_operand base, uint64_t offset)
{
    ww_inst *inst = load ? emit(e, WW_OP_LD, WW_T_B32, 1, 1) : emit(e, WW_OP_ST, WW_T_B32, 0, 2);
    inst->space = WW_SPACE_LOCAL;
    inst->offset = (int64_t)offset;
    inst->src[0] = base;
    *(load ? &inst->dst[0] : &inst->src[1]) = value;
}

static ww_operand stage(const ptx_builder *b, uint32_t slot, unsigned words)
{
    return ww_opd_reg(b->stage + 2 * slot, words);
}

static ww_operand temporary(const ptx_builder *b)
{
    return ww_opd_reg(b->stage + 2 * b->stage_slots, 1);
}

/* ---- frames ---- */

static uint32_t frame_bytes(const ptx_builder *b, uint32_t position)
{
    const ptx_share *s = &b->shares[position];
    uint64_t words = (uint64_t)s->registers + (s->predicates + 31) / 32 + s->spill_bytes / 4;
    return (uint32_t)ww_align_up(b->program->frame_bytes[position] + 4 * words, 16);
}

static uint64_t largest_list(const ptx_builder *b)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < b->program->count; i++) {
        const ww_function *f = b->program->code[i];
        most = f->formal_in_count > most ? f->formal_in_count : most;
        most = f->formal_out_count > most ? f->formal_out_count : most;
        for (uint32_t k = 0; k < f->inst_count; k++) {
            const ww_inst *inst = &f->inst[k];
            if (inst->op == WW_OP_CALL) {
                most = inst->src_count + 1u > most ? inst->src_count + 1u : most;
                most = inst->dst_count + 1u > most ? inst->dst_count + 1u : most;
            }
        }
    }
    return most;
}

void ww__build_stage(ptx_builder *b)
{
    ww_kernel *k = b->kernel;
    const ptx_program *program = b->program;
    k->local_bytes = (uint32_t)program->local_bytes + k->spill_bytes;
    k->spill_at = (uint32_t)program->local_bytes;
    if (program->framed) {
        b->stack = (uint32_t)ww_align_up(k->local_bytes, 16);
        k->local_bytes = b->stack + STACK_BYTES;
    }
    if (program->framed || program->candidate_count > 0) {
        b->stage = (k->registers + 1) / 2 * 2;
        b->stage_slots = (uint32_t)largest_list(b);
        k->registers = b->stage + 2 * b->stage_slots + 2;
    }
}

/* Moves all that a function has in registers and spill slots into its frame, or back. The register
 * with the frame's address stays. */
static void move_registers(emitter *e, uint32_t position, ww_operand frame, bool load)
{
    const ptx_builder *b = e->b;
    const ptx_share *s = &b->shares[position];
    uint64_t at = b->program->frame_bytes[position];
    ww_operand t = temporary(b);
    for (uint32_t w = 0; w < s->spill_bytes / 4; w++, at += 4) {
        ww_operand none = {.kind = WW_OPD_NONE};
        uint64_t slot = b->program->local_bytes + s->spill_base + 4 * (uint64_t)w;
        emit_local(e, true, t, load ? frame : none, load ? at : slot);
        emit_local(e, false, t, load ? none : frame, load ? slot : at);
    }
    for (uint32_t first = 0; first < s->predicates; first += 32, at += 4) {
        uint32_t n = s->predicates - first < 32 ? s->predicates - first : 32;
        if (load) {
            emit_local(e, true, t, frame, at);
        } else {
            emit_copy(e, t, ww_opd_imm(0));
        }
        for (uint32_t k = 0; k < n; k++) {
            ww_operand p = ww_opd_pred(s->predicate_base + first + k, false);
            if (load) {
                ww_operand bit = ww_opd_reg(t.reg + 1, 1);
                emit_binary(e, WW_OP_AND, WW_T_B32, bit, t, 1ull << k);
                emit_binary(e, WW_OP_SETP, WW_T_U32, p, bit, 0);
                (e->out != NULL ? &e->out[e->count - 1] : &e->scratch)->cmp = WW_CMP_NE;
            } else {
                emit_binary(e, WW_OP_OR, WW_T_B32, t, t, 1ull << k);
                (e->out != NULL ? &e->out[e->count - 1] : &e->scratch)->guard = p;
            }
        }
        if (!load) {
            emit_local(e, false, t, frame, at);
        }
    }
    for (uint32_t r = s->register_base; r < s->register_base + s->registers; r++, at += 4) {
        if (r != frame.reg) {
            emit_local(e, load, ww_opd_reg(r, 1), frame, at);
        }
    }
}

/* ---- calls ---- */

/* A call and what surrounds it. */
typedef struct call_site {
    uint32_t caller, callee; /* positions; callee UINT32_MAX: indirect */
    const ww_inst *call;
    const ww_operand *args; /* without address and frame */
    uint32_t arg_count;
    uint32_t hidden;  /* 1: the frame's address is passed */
    ww_operand frame; /* the caller's; NONE in a kernel */
    bool saved;       /* an inner activation may overwrite the caller's registers */
} call_site;

static bool may_return_to(const ptx_builder *b, const call_site *c)
{
    const ptx_program *p = b->program;
    uint32_t own = p->component[p->function[c->caller]->index];
    if (c->callee != UINT32_MAX) {
        return p->component[p->function[c->callee]->index] == own;
    }
    for (uint32_t k = 0; k < p->candidate_count; k++) {
        if (p->component[p->candidate[k]->index] == own) {
            return true;
        }
    }
    return false;
}

static call_site site_of(const ptx_builder *b, uint32_t caller, const ww_inst *call)
{
    bool indirect = call->sub == WW_SUB_INDIRECT;
    const ww_function *f = b->program->code[caller];
    call_site c = {.caller = caller, .callee = UINT32_MAX, .call = call};
    c.callee = indirect ? UINT32_MAX : ww__build_position(b, f->callee[call->target]);
    c.hidden = b->program->framed;
    c.args = call->src + indirect;
    c.arg_count = call->src_count - (uint32_t)indirect;
    if (c.hidden != 0 && !f->is_kernel) {
        c.frame = call->src[call->src_count - 1];
        c.arg_count--;
        c.saved = may_return_to(b, &c);
    }
    return c;
}

/* The address of the callee's frame. */
static void pass_frame(emitter *e, const call_site *c, ww_operand to)
{
    if (c->frame.kind == WW_OPD_NONE) {
        emit_copy(e, to, ww_opd_imm(e->b->stack));
    } else {
        emit_binary(e, WW_OP_ADD, WW_T_U32, to, c->frame, frame_bytes(e->b, c->caller));
    }
}

static void emit_call(emitter *e, const call_site *c)
{
    ww_inst *inst = emit(e, WW_OP_CALL, WW_T_NONE, 0, c->callee == UINT32_MAX ? 1 : 0);
    ww_operand *src = inst->src;
    *inst = *c->call;
    inst->src = src;
    inst->dst = src;
    inst->dst_count = 0;
    inst->src_count = 0;
    if (c->callee == UINT32_MAX) {
        inst->src_count = 1;
        src[0] = c->call->src[0];
    } else if (e->out != NULL) {
        inst->target = e->b->shares[c->callee].where[0];
    }
}

/* Caller and callee have registers of their own. */
static void emit_plain(emitter *e, const call_site *c)
{
    const ww_function *callee = e->b->program->code[c->callee];
    const ptx_share *s = &e->b->shares[c->callee];
    if (c->hidden != 0) {
        pass_frame(e, c, ww__build_operand(s, callee->formal_in[0]));
    }
    for (uint32_t k = 0; k < c->arg_count; k++) {
        emit_copy(e, ww__build_operand(s, callee->formal_in[k + c->hidden]), c->args[k]);
    }
    emit_call(e, c);
    for (uint32_t k = 0; k < c->call->dst_count; k++) {
        emit_copy(e, c->call->dst[k], ww__build_operand(s, callee->formal_out[k + c->hidden]));
    }
}

/* A function's formals from or to the staging registers. */
static void stage_formals(emitter *e, uint32_t position, const ww_operand *formal, uint32_t count,
                          bool to_stage)
{
    for (uint32_t k = 0; k < count; k++) {
        ww_operand o = ww__build_operand(&e->b->shares[position], formal[k]);
        ww_operand via = stage(e->b, k, o.words);
        emit_copy(e, to_stage ? via : o, to_stage ? o : via);
    }
}

static void emit_staged(emitter *e, const call_site *c)
{
    bool direct = c->callee != UINT32_MAX;
    const ww_function *callee = direct ? e->b->program->code[c->callee] : NULL;
    if (c->hidden != 0) {
        pass_frame(e, c, stage(e->b, 0, 1));
    }
    for (uint32_t k = 0; k < c->arg_count; k++) {
        unsigned words = direct ? callee->formal_in[k + c->hidden].words : c->args[k].words;
        emit_copy(e, stage(e->b, k + c->hidden, words), c->args[k]);
    }
    if (c->saved) {
        move_registers(e, c->caller, c->frame, false);
    }
    if (direct) {
        stage_formals(e, c->callee, callee->formal_in, callee->formal_in_count, false);
    }
    emit_call(e, c);
    if (direct) {
        stage_formals(e, c->callee, callee->formal_out, callee->formal_out_count, true);
    }
    if (c->saved) { /* the callee's frame begins where the caller's ends */
        emit_binary(e, WW_OP_SUB, WW_T_U32, c->frame, stage(e->b, 0, 1),
                    frame_bytes(e->b, c->caller));
        move_registers(e, c->caller, c->frame, true);
    }
    for (uint32_t k = 0; k < c->call->dst_count; k++) {
        ww_operand to = c->call->dst[k];
        emit_copy(e, to, stage(e->b, k + c->hidden, to.words));
    }
}

static bool has_predicates(const ww_operand *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (list[k].kind == WW_OPD_PRED) {
            return true;
        }
    }
    return false;
}

static ww_status finish(const emitter *e, uint32_t *count)
{
    *count = e->count;
    return e->out_of_memory ? ww__build_no_memory(e->b) : WW_OK;
}

ww_status ww__build_call(ptx_builder *b, uint32_t caller, const ww_inst *call, ww_inst *out,
                         uint32_t *count)
{
    emitter e = {.b = b, .out = out, .like = call};
    call_site c = site_of(b, caller, call);
    if (out == NULL) { /* the call is still as its function has it */
        c.frame = ww__build_operand(&b->shares[caller], c.frame);
    }
    if (!c.saved && c.callee != UINT32_MAX) {
        emit_plain(&e, &c);
        return finish(&e, count);
    }
    if (has_predicates(c.args, c.arg_count) || has_predicates(call->dst, call->dst_count)) {
        return ww_fail_at(b->err, WW_EUNSUP, b->program->module->file, (int)call->line, 0,
                          "%.200s: a predicate as argument of an indirect or recursive call is not "
                          "supported",
                          b->program->code[caller]->name);
    }
    emit_staged(&e, &c);
    return finish(&e, count);
}

ww_status ww__build_entry(ptx_builder *b, uint32_t k, ww_inst *out, uint32_t *count)
{
    uint32_t position = b->program->position[b->program->candidate[k]->index];
    const ww_function *f = b->program->code[position];
    const ww_inst like = {.op = WW_OP_CALL, .line = f->line, .vec = 1, .reconv = WW_NO_TARGET};
    emitter e = {.b = b, .out = out, .like = &like};
    call_site c = {.callee = position, .call = &like};
    if (has_predicates(f->formal_in, f->formal_in_count) ||
        has_predicates(f->formal_out, f->formal_out_count)) {
        return ww_fail_at(b->err, WW_EUNSUP, b->program->module->file, (int)f->line, 0,
                          "%.200s: a predicate as argument of an indirect call is not supported",
                          f->name);
    }
    stage_formals(&e, position, f->formal_in, f->formal_in_count, false);
    emit_call(&e, &c);
    stage_formals(&e, position, f->formal_out, f->formal_out_count, true);
    (void)emit(&e, WW_OP_RET, WW_T_NONE, 0, 0);
    return finish(&e, count);
}
