/* control.c - predecoding of control flow, synchronisation and what passes values between
 * lanes. */
#include "perf/exec/code.h"

ww_status ww__decode_branch(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
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

ww_status ww__decode_barrier(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    static const ww_operand zero = {.kind = WW_OPD_IMM};
    WW_TRY(ww__decode_sources(code, inst, u, err));
    if (u->src_count == 0) {
        WW_TRY(ww__operand_resolve(code, inst, &zero, WW_T_U32, &u->src[0], err));
        u->src_count = 1;
    }
    u->run = inst->sub == WW_SUB_ARRIVE_CLUSTER ? ww__run_cluster_arrive
             : inst->sub == WW_SUB_SYNC_CLUSTER ? ww__run_cluster_wait
                                                : ww__run_bar;
    if (inst->sub == WW_SUB_RED_POPC && inst->dst_count > 0) {
        return ww__decode_register(code, inst, &inst->dst[0], 1, &u->dst, err);
    }
    return ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
}

ww_status ww__decode_vote(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
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
    return inst->sub == WW_SUB_BALLOT
               ? ww__decode_register(code, inst, &inst->dst[0], 1, &u->dst, err)
               : ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
}

/* match, shfl, redux, activemask: register result, perhaps a predicate too. */
ww_status ww__decode_cross_lane(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
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
    WW_TRY(ww__decode_register(code, inst, &inst->dst[0], 1, &u->dst, err));
    return ww__decode_predicate(code, inst, 1, &u->pred_dst, err);
}

ww_status ww__decode_redux(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    if (inst->sub < WW_SUB_ADD || inst->sub > WW_SUB_XOR || inst->sub == WW_SUB_INC ||
        inst->sub == WW_SUB_DEC || ww_type_bytes((ww_type)inst->type) != 4 ||
        ww_type_is_float((ww_type)inst->type)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    return ww__decode_cross_lane(code, inst, u, ww__run_redux, 1, err);
}
