/* memory.c - predecoding of loads, stores and atomics. */
#include "perf/exec/code.h"

static bool fits_access(unsigned bytes, unsigned elements)
{
    unsigned total = bytes * elements;
    return bytes != 0 && elements >= 1 && elements <= WW_MOST_ELEMENTS &&
           (total & (total - 1)) == 0;
}

/* Where the parameter lies that a load of one or two words names; WW_NO_REG: a register says it,
 * the access is wrong, or memcheck wants to see addresses. */
static uint32_t parameter_of(const struct ww_exec_code *code, const ww_inst *inst, const ww_uop *u)
{
    const uint32_t room = code->launch->kernel->param_bytes, bytes = u->element_bytes;
    const bool named =
        inst->src_count == 0 || inst->src[0].kind == WW_OPD_NONE || inst->src[0].kind == WW_OPD_IMM;
    const uint64_t at =
        (uint64_t)inst->offset + (inst->src_count > 0 && named ? (uint64_t)inst->src[0].imm : 0);
    const bool whole = bytes == 4u * u->out_words && inst->dst_count == 1;
    if (code->launch->memcheck != NULL || inst->space != WW_SPACE_PARAM || !named || !whole ||
        u->dst_list[0] == WW_NO_REG || at % bytes != 0 || at > room || room - at < bytes) {
        return WW_NO_REG;
    }
    return (uint32_t)at;
}

ww_status ww__decode_load(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
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
    WW_TRY(ww__decode_destinations(code, inst, (bytes + 3) / 4, u, err));
    u->parameter = parameter_of(code, inst, u);
    return WW_OK;
}

ww_status ww__decode_store(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
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

ww_status ww__decode_atomic(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
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
    return inst->dst_count > 0
               ? ww__decode_register(code, inst, &inst->dst[0], u->out_words, &u->dst, err)
               : WW_OK;
}
