/* emit.c - what the translation of all kinds of instructions shares: messages, new
 * instructions and registers. */
#include "perf/ptx/translate/translate.h"

#include <stdio.h>

/* ---- messages ---- */

static void locate(const ptx_translator *t, const ptx_operand *o, ptx_loc *loc)
{
    *loc = o != NULL && o->loc.line > 0 ? o->loc : t->inst != NULL ? t->inst->loc : t->func->loc;
}

ww_status ww__translate_report(ptx_translator *t, ww_status code, const ptx_operand *o,
                               const char *text)
{
    ptx_loc loc;
    locate(t, o, &loc);
    return ww_fail_at(t->err, code, t->program->module->file, loc.line, loc.column, "%s: %s",
                      t->func->name, text);
}

ww_status ww__translate_unsupported(ptx_translator *t, const ptx_operand *o, const char *fmt, ...)
{
    char what[384], text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    snprintf(text, sizeof text, "%s is not supported", what);
    return ww__translate_report(t, WW_EUNSUP, o, text);
}

ww_status ww__translate_malformed(ptx_translator *t, const ptx_operand *o, const char *fmt, ...)
{
    char what[384];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return ww__translate_report(t, WW_EPARSE, o, what);
}

ww_status ww__translate_no_memory(ptx_translator *t)
{
    return ww_no_memory_for(t->err, "translating %.200s", t->func->name);
}

/* ---- emission ---- */

static ww_status guard_of(ptx_translator *t, ww_operand *out)
{
    *out = (ww_operand){.kind = WW_OPD_NONE};
    return t->inst != NULL && t->inst->guarded && !t->skipped
               ? ww__translate_predicate(t, &t->inst->guard, out)
               : WW_OK;
}

ww_status ww__translate_emit(ptx_translator *t, ww_op op, ww_type type, unsigned dsts,
                             unsigned srcs, ww_inst **out)
{
    ww_operand guard;
    WW_TRY(guard_of(t, &guard));
    ww_inst *inst = ww_function_append(t->out, t->program->arena, op, type, dsts, srcs);
    if (inst == NULL) {
        return ww__translate_no_memory(t);
    }
    inst->guard = guard;
    inst->line = (uint32_t)(t->inst != NULL ? t->inst->loc.line : t->func->loc.line);
    *out = inst;
    return WW_OK;
}

ww_status ww__translate_emit_form(ptx_translator *t, unsigned dsts, unsigned srcs, ww_inst **out)
{
    const ptx_form *form = t->inst->form;
    WW_TRY(ww__translate_emit(t, (ww_op)form->op, (ww_type)form->type, dsts, srcs, out));
    ww_inst *inst = *out;
    bool has_space = form->shape == PTX_SHAPE_LD || form->shape == PTX_SHAPE_ST ||
                     form->shape == PTX_SHAPE_ATOM || form->shape == PTX_SHAPE_RED ||
                     form->shape == PTX_SHAPE_PREFETCH || form->op == WW_OP_CVTA ||
                     form->shape == PTX_SHAPE_MATRIX_LOAD || form->shape == PTX_SHAPE_COPY ||
                     form->shape == PTX_SHAPE_LDMATRIX || form->op == WW_OP_MBARRIER ||
                     form->shape == PTX_SHAPE_MATRIX_STORE || form->op == WW_OP_ISSPACEP ||
                     form->shape == PTX_SHAPE_BULK || form->shape == PTX_SHAPE_TENSOR ||
                     form->shape == PTX_SHAPE_TENSORMAP;
    inst->type2 = form->type2;
    inst->mods = form->mods;
    inst->sub = form->sub;
    inst->cmp = form->cmp;
    inst->bool_op = form->bool_op;
    inst->round = form->round;
    inst->space = has_space ? form->space : WW_SPACE_NONE;
    inst->vec = form->vec;
    inst->tile = form->tile;
    inst->layout = form->layout;
    inst->type_b = form->type_b;
    inst->type_c = form->type_c;
    return WW_OK;
}

ww_status ww__translate_new(ptx_translator *t, ww_type type, ww_operand *out)
{
    uint32_t id = ww_function_new_vreg(t->out, t->program->arena, type);
    if (id == UINT32_MAX) {
        return ww__translate_no_memory(t);
    }
    *out = type == WW_T_PRED ? ww_opd_pred(id, false) : ww_opd_reg(id, t->out->vreg[id].words);
    return WW_OK;
}
