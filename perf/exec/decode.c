/* decode.c - predecoding of one instruction: its handler, its lane function and its resolved
 * operands. */
#include "perf/exec/code.h"

#include <stdio.h>

enum { MOST_ELEMENTS = 8 };

/* ".rn", and nothing for no name. */
static const char *dotted(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s%s", name[0] != '\0' ? "." : "", name);
    return text;
}

ww_status ww__decode_unsupported(const ww_kernel *kernel, const ww_inst *inst, ww_error *err)
{
    char sub[32], round[16], type[32], from[32];
    return ww_fail_at(err, WW_EUNSUP, kernel->file, (int)inst->line, 0,
                      "kernel %s: the executor does not support %s%s%s%s%s.", kernel->name,
                      ww_op_name((ww_op)inst->op),
                      dotted(ww_sub_name((ww_sub)inst->sub), sub, sizeof sub),
                      dotted(ww_round_name((ww_round)inst->round), round, sizeof round),
                      dotted(ww_type_name((ww_type)inst->type), type, sizeof type),
                      dotted(ww_type_name((ww_type)inst->type2), from, sizeof from));
}

ww_status ww__decode_malformed(const struct ww_exec_code *code, const ww_inst *inst,
                               const char *what, ww_error *err)
{
    const ww_kernel *k = code->launch->kernel;
    return ww_fail_at(err, WW_EINTERNAL, k->file, (int)inst->line, 0,
                      "kernel %s: malformed instruction %s: %s.", k->name,
                      ww_op_name((ww_op)inst->op), what);
}

/* ---- destinations ---- */

static ww_status register_dst(struct ww_exec_code *code, const ww_inst *inst,
                              const ww_operand *operand, unsigned words, uint32_t *out,
                              ww_error *err)
{
    const ww_kernel *kernel = code->launch->kernel;
    *out = WW_NO_REG;
    if (operand->kind == WW_OPD_NONE) {
        return WW_OK;
    }
    if (operand->kind != WW_OPD_REG || operand->words < words || operand->words > 4 ||
        operand->reg >= kernel->registers || operand->words > kernel->registers - operand->reg) {
        return ww__decode_malformed(
            code, inst, "destination register missing, too narrow or outside the kernel's", err);
    }
    *out = operand->reg * WW_LANES;
    return WW_OK;
}

ww_status ww__decode_predicate(struct ww_exec_code *code, const ww_inst *inst, unsigned k,
                               uint32_t *out, ww_error *err)
{
    *out = WW_NO_REG;
    if (k >= inst->dst_count || inst->dst[k].kind == WW_OPD_NONE) {
        return WW_OK;
    }
    if (inst->dst[k].kind != WW_OPD_PRED || inst->dst[k].reg >= code->launch->kernel->predicates) {
        return ww__decode_malformed(code, inst,
                                    "destination predicate missing or outside the kernel's", err);
    }
    *out = inst->dst[k].reg;
    return WW_OK;
}

/* ---- computing instructions ---- */

/* Source k is a predicate, if only as a constant. */
static bool is_predicate(const ww_inst *inst, unsigned k)
{
    switch ((ww_op)inst->op) {
    case WW_OP_SELP:
    case WW_OP_SETP:
    case WW_OP_SET:
    case WW_OP_ADDC:
    case WW_OP_SUBC:
        return k == 2;
    case WW_OP_MADC:
        return k == 3;
    default:
        return inst->src[k].kind == WW_OPD_PRED;
    }
}

/* All sources but predicates, in order; the predicate goes to u->pred. */
static ww_status general_sources(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                 ww_error *err)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        const ww_operand *o = &inst->src[k];
        if (is_predicate(inst, k)) {
            WW_TRY(ww__operand_pred(code, inst, o, &u->pred, err));
            continue;
        }
        if (o->kind == WW_OPD_NONE) {
            continue;
        }
        if (u->src_count == WW_UOP_SOURCES) {
            return ww__decode_malformed(code, inst, "too many sources", err);
        }
        WW_TRY(ww__operand_resolve(code, inst, o, ww__operand_type(inst, k), &u->src[u->src_count],
                                   err));
        u->src_count++;
    }
    return WW_OK;
}

/* Sources that lane functions of the operation read. */
static unsigned sources_needed(ww_op op)
{
    switch (op) {
    case WW_OP_FMA:
    case WW_OP_MAD:
    case WW_OP_MADC:
    case WW_OP_MAD24:
    case WW_OP_SAD:
    case WW_OP_SHF:
    case WW_OP_PRMT:
    case WW_OP_BFE:
    case WW_OP_FNS:
    case WW_OP_DP4A:
    case WW_OP_DP2A:
    case WW_OP_VIDEO:
    case WW_OP_CVT_PACK:
    case WW_OP_SLCT:
    case WW_OP_SCADD:
        return 3;
    case WW_OP_BFI:
    case WW_OP_LOP3:
        return 4;
    case WW_OP_ABS:
    case WW_OP_NEG:
    case WW_OP_NOT:
    case WW_OP_CNOT:
    case WW_OP_POPC:
    case WW_OP_CLZ:
    case WW_OP_BFIND:
    case WW_OP_BREV:
    case WW_OP_RCP:
    case WW_OP_SQRT:
    case WW_OP_RSQRT:
    case WW_OP_SIN:
    case WW_OP_COS:
    case WW_OP_LG2:
    case WW_OP_EX2:
    case WW_OP_TANH:
    case WW_OP_RCP64H:
    case WW_OP_RSQ64H:
    case WW_OP_RRO:
    case WW_OP_TESTP:
    case WW_OP_CVT:
    case WW_OP_MOV:
    case WW_OP_CVTA:
    case WW_OP_ISSPACEP:
        return 1;
    default:
        return 2;
    }
}

static bool all_plain(const ww_uop *u)
{
    for (unsigned k = 0; k < u->src_count; k++) {
        if (u->src[k].kind > WW_SRC_POOL || u->src[k].flags != 0) {
            return false;
        }
    }
    return true;
}

static ww_status prepare_alu(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    ww_lane_op op = code->lanes->find(inst);
    if (op.fn == NULL || inst->dst_count == 0) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->fn = op.fn;
    u->x = op.x;
    u->out_words = op.out_words;
    u->pred_is_x = op.pred_source;
    WW_TRY(general_sources(code, inst, u, err));
    if (u->src_count < sources_needed((ww_op)inst->op)) {
        return ww__decode_malformed(code, inst, "source missing", err);
    }
    if (op.out_words > 0) {
        WW_TRY(register_dst(code, inst, &inst->dst[0], op.out_words, &u->dst, err));
        WW_TRY(ww__decode_predicate(code, inst, 1, &u->pred_dst, err));
    } else {
        WW_TRY(ww__decode_predicate(code, inst, 0, &u->pred_dst, err));
    }
    u->plain = all_plain(u);
    u->run = u->plain ? ww__run_alu_plain : ww__run_alu;
    return WW_OK;
}

static ww_status prepare_compare(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                 ww_error *err)
{
    ww_lane_op op = code->lanes->find(inst);
    if (op.fn == NULL) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->fn = op.fn;
    WW_TRY(general_sources(code, inst, u, err));
    if (u->src_count < 2) {
        return ww__decode_malformed(code, inst, "source missing", err);
    }
    if (inst->op == WW_OP_SET) {
        unsigned bytes = ww_type_bytes((ww_type)inst->type);
        if (inst->dst_count == 0 || (bytes != 4 && bytes != 2)) {
            return ww__decode_unsupported(code->launch->kernel, inst, err);
        }
        /* Of packed halves, each is compared, and gives half of the result: PTX manual, "set". */
        bool pair = inst->type2 == WW_T_F16X2 || inst->type2 == WW_T_BF16X2;
        u->fn_upper = pair ? code->lanes->compare_upper(inst, (ww_type)inst->type2) : NULL;
        u->run = ww__run_set;
        return register_dst(code, inst, &inst->dst[0], 1, &u->dst, err);
    }
    u->run = ww__run_setp;
    WW_TRY(ww__decode_predicate(code, inst, 0, &u->pred_dst, err));
    return ww__decode_predicate(code, inst, 1, &u->pred_dst2, err);
}

static ww_status prepare_pred_logic(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                    ww_error *err)
{
    bool unary = inst->op == WW_OP_NOT || inst->op == WW_OP_MOV;
    if (inst->src_count < (unary ? 1 : 2)) {
        return ww__decode_malformed(code, inst, "source missing", err);
    }
    WW_TRY(ww__operand_pred(code, inst, &inst->src[0], &u->pred, err));
    if (!unary) {
        WW_TRY(ww__operand_pred(code, inst, &inst->src[1], &u->pred2, err));
    }
    u->run = inst->op == WW_OP_MOV ? ww__run_pred_move : ww__run_pred_logic;
    return ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
}

/* ---- several operands: vector moves, loads, stores ---- */

ww_status ww__decode_destinations(struct ww_exec_code *code, const ww_inst *inst, unsigned words,
                                  ww_uop *u, ww_error *err)
{
    uint32_t *list = WW_ARENA_NEW_ARRAY(&code->arena, uint32_t, inst->dst_count);
    if (list == NULL) {
        return ww_fail(err, WW_ENOMEM, "Out of memory while preparing a kernel.");
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        WW_TRY(register_dst(code, inst, &inst->dst[k], words, &list[k], err));
    }
    u->dst_list = list;
    u->dst_count = inst->dst_count;
    return WW_OK;
}

ww_status ww__decode_elements(struct ww_exec_code *code, const ww_inst *inst, unsigned first,
                              ww_type type, ww_uop *u, ww_error *err)
{
    unsigned n = inst->src_count - first;
    ww_uop_src *list = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_src, n);
    if (list == NULL) {
        return ww_fail(err, WW_ENOMEM, "Out of memory while preparing a kernel.");
    }
    for (unsigned k = 0; k < n; k++) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[first + k], type, &list[k], err));
    }
    u->element = list;
    u->element_count = (uint8_t)n;
    return WW_OK;
}

static ww_type unsigned_of(unsigned bytes)
{
    return bytes == 1   ? WW_T_U8
           : bytes == 2 ? WW_T_U16
           : bytes == 4 ? WW_T_U32
           : bytes == 8 ? WW_T_U64
                        : WW_T_B128;
}

static ww_status prepare_vector_move(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                     ww_error *err)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    unsigned parts = inst->dst_count > inst->src_count ? inst->dst_count : inst->src_count;
    bool parallel = inst->dst_count == inst->src_count;
    unsigned part = parallel ? bytes : parts > 0 ? bytes / parts : 0;
    bool one_side = inst->dst_count == 1 || inst->src_count == 1;
    if (parts > MOST_ELEMENTS || bytes == 0 || part == 0 || part > 8 || (part & (part - 1)) != 0 ||
        (!parallel && !one_side)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    bool unpack = !parallel && inst->src_count == 1;
    u->element_bytes = (uint8_t)part;
    u->out_words = (uint8_t)((bytes + 3) / 4);
    u->run = ww__run_vector_move;
    if (unpack && bytes > 8 && inst->src[0].kind != WW_OPD_REG) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    WW_TRY(ww__decode_elements(code, inst, 0, unpack ? unsigned_of(bytes) : unsigned_of(part), u,
                               err));
    return ww__decode_destinations(code, inst, unpack || parallel ? (part + 3) / 4 : u->out_words,
                                   u, err);
}

ww_status ww__decode_address(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    static const ww_operand zero = {.kind = WW_OPD_IMM};
    const ww_operand *o =
        inst->src_count > 0 && inst->src[0].kind != WW_OPD_NONE ? &inst->src[0] : &zero;
    WW_TRY(
        ww__operand_resolve(code, inst, o, o->words == 2 ? WW_T_U64 : WW_T_U32, &u->src[0], err));
    if (o->kind == WW_OPD_IMM) {
        u->src[0].words = 2;
    }
    u->src_count = 1;
    switch ((ww_space)inst->space) {
    case WW_SPACE_GENERIC:
    case WW_SPACE_GLOBAL:
    case WW_SPACE_SHARED:
    case WW_SPACE_LOCAL:
    case WW_SPACE_CONST:
    case WW_SPACE_PARAM:
        return WW_OK;
    default:
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
}

static bool fits_access(unsigned bytes, unsigned elements)
{
    unsigned total = bytes * elements;
    return bytes != 0 && elements >= 1 && elements <= MOST_ELEMENTS && (total & (total - 1)) == 0;
}

static ww_status prepare_load(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                              ww_error *err)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    if (!fits_access(bytes, inst->dst_count)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->element_bytes = (uint8_t)bytes;
    u->run = ww__run_ld;
    u->out_words = 1;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        u->out_words = inst->dst[k].kind == WW_OPD_REG ? inst->dst[k].words : u->out_words;
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    return ww__decode_destinations(code, inst, (bytes + 3) / 4, u, err);
}

static ww_status prepare_store(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                               ww_error *err)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    if (inst->src_count < 2 || !fits_access(bytes, inst->src_count - 1u) ||
        inst->space == WW_SPACE_PARAM || inst->space == WW_SPACE_CONST) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->element_bytes = (uint8_t)bytes;
    u->run = ww__run_st;
    WW_TRY(ww__decode_address(code, inst, u, err));
    return ww__decode_elements(code, inst, 1, (ww_type)inst->type, u, err);
}

static bool atomic_form(const ww_inst *inst)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    bool flt = ww_type_is_float((ww_type)inst->type);
    if (inst->sub < WW_SUB_ADD || inst->sub > WW_SUB_CAS || bytes < 2 || bytes > 8) {
        return false;
    }
    if (flt && inst->sub != WW_SUB_ADD && inst->sub != WW_SUB_EXCH) {
        return false;
    }
    return bytes >= 4 || inst->sub == WW_SUB_CAS || inst->sub == WW_SUB_EXCH || flt;
}

static ww_status prepare_atomic(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                ww_error *err)
{
    unsigned needed = inst->sub == WW_SUB_CAS ? 3 : 2;
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    if (!atomic_form(inst) || inst->src_count < needed || inst->space == WW_SPACE_PARAM ||
        inst->space == WW_SPACE_CONST) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->run = ww__run_atom;
    u->element_bytes = (uint8_t)bytes;
    u->out_words = bytes == 8 ? 2 : 1;
    WW_TRY(ww__decode_address(code, inst, u, err));
    for (unsigned k = 1; k < needed; k++) {
        WW_TRY(
            ww__operand_resolve(code, inst, &inst->src[k], (ww_type)inst->type, &u->src[k], err));
        u->src_count++;
    }
    return inst->dst_count > 0 ? register_dst(code, inst, &inst->dst[0], u->out_words, &u->dst, err)
                               : WW_OK;
}

/* ---- control, synchronisation, cross-lane ---- */

static ww_status prepare_branch(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                ww_error *err)
{
    uint32_t count = code->launch->kernel->code_count;
    bool indirect = inst->op == WW_OP_CALL && inst->sub == WW_SUB_INDIRECT;
    bool ok = inst->op == WW_OP_BRX ? inst->table_count > 0 && inst->src_count > 0
              : indirect            ? inst->src_count > 0
                                    : inst->target < count;
    for (uint32_t k = 0; ok && indirect && k < code->launch->kernel->entry_count; k++) {
        ok = code->launch->kernel->entry[k].pc < count;
    }
    for (uint32_t k = 0; ok && inst->op == WW_OP_BRX && k < inst->table_count; k++) {
        ok = inst->table[k] < count;
    }
    if (!ok || (inst->op != WW_OP_CALL && inst->reconv != WW_NO_TARGET && inst->reconv > count)) {
        return ww__decode_malformed(code, inst, "target outside the kernel", err);
    }
    u->moves_pc = true;
    u->run = inst->op == WW_OP_BRA   ? ww__run_bra
             : inst->op == WW_OP_BRX ? ww__run_brx
             : indirect              ? ww__run_call_indirect
                                     : ww__run_call;
    if (inst->op == WW_OP_BRX || indirect) {
        u->src_count = 1;
        return ww__operand_resolve(code, inst, &inst->src[0], indirect ? WW_T_U64 : WW_T_U32,
                                   &u->src[0], err);
    }
    return WW_OK;
}

static ww_status prepare_barrier(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                 ww_error *err)
{
    static const ww_operand zero = {.kind = WW_OPD_IMM};
    WW_TRY(general_sources(code, inst, u, err));
    if (u->src_count == 0) {
        WW_TRY(ww__operand_resolve(code, inst, &zero, WW_T_U32, &u->src[0], err));
        u->src_count = 1;
    }
    u->run = ww__run_bar;
    if (inst->sub == WW_SUB_RED_POPC && inst->dst_count > 0) {
        return register_dst(code, inst, &inst->dst[0], 1, &u->dst, err);
    }
    return ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
}

static ww_status prepare_vote(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                              ww_error *err)
{
    if (inst->src_count == 0 || inst->dst_count == 0) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    WW_TRY(ww__operand_pred(code, inst, &inst->src[0], &u->pred, err));
    if (inst->src_count > 1) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[1], WW_T_U32, &u->src[0], err));
        u->src_count = 1;
    }
    u->run = ww__run_vote;
    return inst->sub == WW_SUB_BALLOT ? register_dst(code, inst, &inst->dst[0], 1, &u->dst, err)
                                      : ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
}

/* match, shfl, redux, activemask: register result, perhaps a predicate too. */
static ww_status prepare_cross_lane(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                    ww_uop_run *run, unsigned needed, ww_error *err)
{
    for (unsigned k = 0; k < inst->src_count && k < WW_UOP_SOURCES; k++) {
        ww_type type = k == 0 && inst->op == WW_OP_MATCH ? (ww_type)inst->type : WW_T_U32;
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], type, &u->src[k], err));
        u->src_count++;
    }
    if (u->src_count < needed || inst->dst_count == 0) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    u->run = run;
    WW_TRY(register_dst(code, inst, &inst->dst[0], 1, &u->dst, err));
    return ww__decode_predicate(code, inst, 1, &u->pred_dst, err);
}

static ww_status prepare_redux(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                               ww_error *err)
{
    if (inst->sub < WW_SUB_ADD || inst->sub > WW_SUB_XOR || inst->sub == WW_SUB_INC ||
        inst->sub == WW_SUB_DEC || ww_type_bytes((ww_type)inst->type) != 4 ||
        ww_type_is_float((ww_type)inst->type)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    return prepare_cross_lane(code, inst, u, ww__run_redux, 1, err);
}

static ww_status choose(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    bool pred_type = inst->type == WW_T_PRED;
    switch ((ww_op)inst->op) {
    case WW_OP_AND:
    case WW_OP_OR:
    case WW_OP_XOR:
    case WW_OP_NOT:
        return pred_type ? prepare_pred_logic(code, inst, u, err) : prepare_alu(code, inst, u, err);
    case WW_OP_MOV:
        if (pred_type) {
            return prepare_pred_logic(code, inst, u, err);
        }
        return inst->dst_count == 1 && inst->src_count == 1 &&
                       ww_type_bytes((ww_type)inst->type) <= 8
                   ? prepare_alu(code, inst, u, err)
                   : prepare_vector_move(code, inst, u, err);
    case WW_OP_SETP:
    case WW_OP_SET:
        return prepare_compare(code, inst, u, err);
    case WW_OP_LD:
        return prepare_load(code, inst, u, err);
    case WW_OP_ST:
        return prepare_store(code, inst, u, err);
    case WW_OP_ATOM:
    case WW_OP_RED:
        return prepare_atomic(code, inst, u, err);
    case WW_OP_BRA:
    case WW_OP_BRX:
    case WW_OP_CALL:
        return ww_inst_is_builtin(inst) ? ww__decode_builtin(code, inst, u, err)
                                        : prepare_branch(code, inst, u, err);
    case WW_OP_RET:
        u->run = ww__run_ret;
        u->moves_pc = true;
        return WW_OK;
    case WW_OP_EXIT:
        u->run = ww__run_exit;
        u->moves_pc = true;
        return WW_OK;
    case WW_OP_TRAP:
        u->run = ww__run_trap;
        return WW_OK;
    case WW_OP_BAR:
        return prepare_barrier(code, inst, u, err);
    case WW_OP_VOTE:
        return prepare_vote(code, inst, u, err);
    case WW_OP_MATCH:
        return prepare_cross_lane(code, inst, u, ww__run_match, 1, err);
    case WW_OP_SHFL:
        return prepare_cross_lane(code, inst, u, ww__run_shfl, 3, err);
    case WW_OP_ACTIVEMASK:
        return prepare_cross_lane(code, inst, u, ww__run_activemask, 0, err);
    case WW_OP_REDUX:
        return prepare_redux(code, inst, u, err);
    case WW_OP_CP_ASYNC:
    case WW_OP_LDMATRIX:
    case WW_OP_STMATRIX:
        return ww__decode_copy(code, inst, u, err);
    case WW_OP_CP_BULK:
    case WW_OP_CP_REDUCE:
        return ww__decode_bulk(code, inst, u, err);
    case WW_OP_ELECT:
        return prepare_cross_lane(code, inst, u, ww__run_elect, 1, err);
    case WW_OP_MOVMATRIX:
        return prepare_cross_lane(code, inst, u, ww__run_movmatrix, 1, err);
    case WW_OP_MBARRIER:
        return ww__decode_mbarrier(code, inst, u, err);
    case WW_OP_TEX:
    case WW_OP_TLD4:
    case WW_OP_SULD:
    case WW_OP_SUST:
    case WW_OP_SURED:
    case WW_OP_TXQ:
    case WW_OP_SUQ:
        return ww__decode_texture(code, inst, u, err);
    case WW_OP_WMMA_LOAD:
    case WW_OP_WMMA_STORE:
    case WW_OP_WMMA_MMA:
    case WW_OP_MMA:
        return ww__decode_matrix(code, inst, u, err);
    case WW_OP_BAR_WARP: /* the lanes of a warp run together */
    case WW_OP_MEMBAR:   /* memory is updated instruction by instruction */
    case WW_OP_PREFETCH:
    case WW_OP_NANOSLEEP:
    case WW_OP_BRKPT:
    case WW_OP_CP_WAIT: /* copies are done at once */
    case WW_OP_NOP:
        u->run = ww__run_nop;
        return WW_OK;
    default:
        return prepare_alu(code, inst, u, err);
    }
}

ww_status ww__decode(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    u->inst = inst;
    u->kind = (uint8_t)ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2,
                                   (ww_sub)inst->sub)
                  .kind;
    WW_TRY(ww__operand_pred(code, inst, &inst->guard, &u->guard, err));
    return choose(code, inst, u, err);
}
