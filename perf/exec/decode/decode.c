/* decode.c - predecoding of one instruction: its handler, its lane function and its resolved
 * operands. */
#include "perf/exec/code.h"

static ww_status choose(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    bool pred_type = inst->type == WW_T_PRED;
    switch ((ww_op)inst->op) {
    case WW_OP_AND:
    case WW_OP_OR:
    case WW_OP_XOR:
    case WW_OP_NOT:
        return pred_type ? ww__decode_pred_logic(code, inst, u, err)
                         : ww__decode_alu(code, inst, u, err);
    case WW_OP_MOV:
        if (pred_type) {
            return ww__decode_pred_logic(code, inst, u, err);
        }
        return inst->dst_count == 1 && inst->src_count == 1 &&
                       ww_type_bytes((ww_type)inst->type) <= 8
                   ? ww__decode_alu(code, inst, u, err)
                   : ww__decode_vector_move(code, inst, u, err);
    case WW_OP_SETP:
    case WW_OP_SET:
        return ww__decode_compare(code, inst, u, err);
    case WW_OP_LD:
        return ww__decode_load(code, inst, u, err);
    case WW_OP_ST:
        return ww__decode_store(code, inst, u, err);
    case WW_OP_ATOM:
    case WW_OP_RED:
        return ww__decode_atomic(code, inst, u, err);
    case WW_OP_BRA:
    case WW_OP_BRX:
    case WW_OP_CALL:
        return ww_inst_is_builtin(inst) ? ww__decode_builtin(code, inst, u, err)
                                        : ww__decode_branch(code, inst, u, err);
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
        return ww__decode_barrier(code, inst, u, err);
    case WW_OP_VOTE:
        return ww__decode_vote(code, inst, u, err);
    case WW_OP_MATCH:
        return ww__decode_cross_lane(code, inst, u, ww__run_match, 1, err);
    case WW_OP_SHFL:
        return ww__decode_cross_lane(code, inst, u, ww__run_shfl, 3, err);
    case WW_OP_ACTIVEMASK:
        return ww__decode_cross_lane(code, inst, u, ww__run_activemask, 0, err);
    case WW_OP_REDUX:
        return ww__decode_redux(code, inst, u, err);
    case WW_OP_CP_ASYNC:
    case WW_OP_LDMATRIX:
    case WW_OP_STMATRIX:
        return ww__decode_copy(code, inst, u, err);
    case WW_OP_CP_BULK:
    case WW_OP_CP_REDUCE:
        return ww__decode_bulk(code, inst, u, err);
    case WW_OP_ELECT:
        return ww__decode_cross_lane(code, inst, u, ww__run_elect, 1, err);
    case WW_OP_MOVMATRIX:
        return ww__decode_cross_lane(code, inst, u, ww__run_movmatrix, 1, err);
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
    case WW_OP_WGMMA:
        return ww__decode_wgmma(code, inst, u, err);
    case WW_OP_CP_TENSOR:
    case WW_OP_CP_TENSOR_REDUCE:
        return ww__decode_tensor(code, inst, u, err);
    case WW_OP_TENSORMAP_REPLACE:
    case WW_OP_TENSORMAP_COPY:
        return ww__decode_tensormap(code, inst, u, err);
    case WW_OP_BAR_WARP: /* the lanes of a warp run together */
        u->run = ww__run_nop;
        return ww__decode_sources(code, inst, u, err);
    case WW_OP_PREFETCH:
        u->run = ww__run_prefetch;
        return ww__decode_address(code, inst, u, err);
    case WW_OP_WGMMA_WAIT:
        u->run = ww__run_products;
        return WW_OK;
    case WW_OP_SETMAXNREG:   /* every register is there */
    case WW_OP_GRID_CONTROL: /* grids run one after the other */
    case WW_OP_MEMBAR:       /* memory is updated instruction by instruction */
    case WW_OP_NANOSLEEP:
    case WW_OP_BRKPT:
    case WW_OP_CP_WAIT: /* copies are done at once */
    case WW_OP_NOP:
        u->run = ww__run_nop;
        return WW_OK;
    default:
        return ww__decode_alu(code, inst, u, err);
    }
}

ww_status ww__decode(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    u->inst = inst;
    u->kind = (uint8_t)ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2,
                                   (ww_sub)inst->sub)
                  .kind;
    WW_TRY(ww__operand_pred(code, inst, &inst->guard, &u->guard, err));
    WW_TRY(choose(code, inst, u, err));
    return ww__folded_prepare(code, inst, u, err);
}
