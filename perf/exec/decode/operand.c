/* operand.c - what the predecoding of all kinds of instructions shares: messages,
 * destinations, sources, addresses. */
#include "perf/exec/code.h"

#include <stdio.h>

/* ---- messages ---- */

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

ww_status ww__decode_register(struct ww_exec_code *code, const ww_inst *inst,
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

/* ---- sources ---- */

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
ww_status ww__decode_sources(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
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

/* ---- several operands ---- */

ww_status ww__decode_destinations(struct ww_exec_code *code, const ww_inst *inst, unsigned words,
                                  ww_uop *u, ww_error *err)
{
    uint32_t *list = WW_ARENA_NEW_ARRAY(&code->arena, uint32_t, inst->dst_count);
    if (list == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        WW_TRY(ww__decode_register(code, inst, &inst->dst[k], words, &list[k], err));
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
        return ww_no_memory_for(err, "preparing a kernel");
    }
    for (unsigned k = 0; k < n; k++) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[first + k], type, &list[k], err));
    }
    u->element = list;
    u->element_count = (uint8_t)n;
    return WW_OK;
}

/* ---- addresses ---- */

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
