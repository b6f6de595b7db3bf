/* alu.c - predecoding of what computes in its lanes: arithmetic, comparisons, logic of
 * predicates, vector moves. */
#include "perf/exec/code.h"

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
    case WW_OP_VMAD:
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

ww_status ww__decode_alu(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    ww_lane_op op = code->lanes->find(inst);
    if (op.fn == NULL || inst->dst_count == 0) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->fn = op.fn;
    u->x = op.x;
    u->out_words = op.out_words;
    u->pred_is_x = op.pred_source;
    WW_TRY(ww__decode_sources(code, inst, u, err));
    if (u->src_count < sources_needed((ww_op)inst->op)) {
        return ww__decode_malformed(code, inst, "source missing", err);
    }
    if (op.out_words > 0) {
        WW_TRY(ww__decode_register(code, inst, &inst->dst[0], op.out_words, &u->dst, err));
        WW_TRY(ww__decode_predicate(code, inst, 1, &u->pred_dst, err));
    } else {
        WW_TRY(ww__decode_predicate(code, inst, 0, &u->pred_dst, err));
    }
    u->plain = all_plain(u);
    u->run = u->plain ? ww__run_alu_plain : ww__run_alu;
    return WW_OK;
}

ww_status ww__decode_compare(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    ww_lane_op op = code->lanes->find(inst);
    if (op.fn == NULL) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->fn = op.fn;
    WW_TRY(ww__decode_sources(code, inst, u, err));
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
        return ww__decode_register(code, inst, &inst->dst[0], 1, &u->dst, err);
    }
    u->run = ww__run_setp;
    WW_TRY(ww__decode_predicate(code, inst, 0, &u->pred_dst, err));
    return ww__decode_predicate(code, inst, 1, &u->pred_dst2, err);
}

ww_status ww__decode_pred_logic(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
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

static ww_type unsigned_of(unsigned bytes)
{
    return bytes == 1   ? WW_T_U8
           : bytes == 2 ? WW_T_U16
           : bytes == 4 ? WW_T_U32
           : bytes == 8 ? WW_T_U64
                        : WW_T_B128;
}

ww_status ww__decode_vector_move(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                 ww_error *err)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    unsigned parts = inst->dst_count > inst->src_count ? inst->dst_count : inst->src_count;
    bool parallel = inst->dst_count == inst->src_count;
    unsigned part = parallel ? bytes : parts > 0 ? bytes / parts : 0;
    bool one_side = inst->dst_count == 1 || inst->src_count == 1;
    if (parts > WW_MOST_ELEMENTS || bytes == 0 || part == 0 || part > 8 ||
        (part & (part - 1)) != 0 || (!parallel && !one_side)) {
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
