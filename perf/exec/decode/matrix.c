/* matrix.c - predecoding of wmma and mma. */
#include "perf/exec/matrix/matrix.h"

/* In which type a register of a fragment is read. */
static ww_type register_type(uint8_t element)
{
    return element == WW_T_F64 ? WW_T_B64 : WW_T_B32;
}

static ww_status keep(struct ww_exec_code *code, const ww_matrix_product *p, ww_uop *u,
                      ww_error *err)
{
    ww_matrix_product *kept = WW_ARENA_NEW_ARRAY(&code->arena, ww_matrix_product, 1);
    if (kept == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    *kept = *p;
    u->matrix = kept;
    return WW_OK;
}

static ww_status prepare_access(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                ww_error *err)
{
    bool load = inst->op == WW_OP_WMMA_LOAD;
    ww_fragment f =
        ww_isa_fragment((ww_tile)inst->tile, (ww_sub)inst->sub, (ww_type)inst->type, true);
    unsigned registers = load ? inst->dst_count : inst->src_count - 2u;
    if (f.registers == 0 || inst->src_count < 2 || registers != f.registers ||
        inst->space == WW_SPACE_PARAM || (!load && inst->space == WW_SPACE_CONST)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    WW_TRY(keep(code, &(ww_matrix_product){.d = f}, u, err));
    u->run = load ? ww__run_matrix_load : ww__run_matrix_store;
    u->element_bytes = (uint8_t)(f.bits / 8);
    WW_TRY(ww__decode_address(code, inst, u, err));
    WW_TRY(ww__operand_resolve(code, inst, &inst->src[1], WW_T_U32, &u->src[1], err));
    u->src_count = 2;
    return load ? ww__decode_destinations(code, inst, f.bits == 64 ? 2 : 1, u, err)
                : ww__decode_elements(code, inst, 2, register_type(inst->type), u, err);
}

ww_status ww__decode_matrix(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                            ww_error *err)
{
    if (inst->op == WW_OP_WMMA_LOAD || inst->op == WW_OP_WMMA_STORE) {
        return prepare_access(code, inst, u, err);
    }
    bool wmma = inst->op == WW_OP_WMMA_MMA;
    ww_matrix_product p = {.type_a = (ww_type)inst->type2,
                           .type_b = (ww_type)inst->type_b,
                           .type_c = (ww_type)inst->type_c,
                           .type_d = (ww_type)inst->type,
                           .saturates = (inst->mods & WW_MOD_SAT) != 0,
                           .bool_op = inst->bool_op};
    const ww_sub matrix[4] = {WW_SUB_D, WW_SUB_A, WW_SUB_B, WW_SUB_C};
    const ww_type type[4] = {p.type_d, p.type_a, p.type_b, p.type_c};
    ww_fragment *fragment[4] = {&p.d, &p.a, &p.b, &p.c};
    for (unsigned k = 0; k < 4; k++) {
        *fragment[k] = ww_isa_fragment((ww_tile)inst->tile, matrix[k], type[k], wmma);
        if (fragment[k]->registers == 0 || (type[k] == WW_T_F64) != (type[0] == WW_T_F64)) {
            return ww__decode_unsupported(code->launch->kernel, inst, err);
        }
    }
    if (inst->dst_count != p.d.registers ||
        inst->src_count != p.a.registers + p.b.registers + p.c.registers) {
        return ww__decode_malformed(code, inst, "fragments of the wrong size", err);
    }
    WW_TRY(keep(code, &p, u, err));
    u->run = ww__run_matrix_multiply;
    WW_TRY(ww__decode_elements(code, inst, 0, register_type(inst->type), u, err));
    return ww__decode_destinations(code, inst, type[0] == WW_T_F64 ? 2 : 1, u, err);
}
