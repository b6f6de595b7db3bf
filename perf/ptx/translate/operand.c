/* operand.c - operands of PTX instructions as registers, immediates and addresses of the
 * executable stream. */
#include "perf/ptx/translate/translate.h"

#include "perf/ptx/parse/parser.h" /* constants in the type of their use */

ww_status ww__translate_count(ptx_translator *t, uint32_t least, uint32_t most)
{
    uint32_t n = t->inst->operand_count;
    if (n < least || n > most) {
        return ww__translate_malformed(t, NULL, "'%.100s' has %u operands instead of %u",
                                       t->inst->form->text, n, n < least ? least : most);
    }
    return WW_OK;
}

ww_status ww__translate_count_policy(ptx_translator *t, uint32_t least, uint32_t most,
                                     uint32_t *count)
{
    bool policy = t->inst->form->policy;
    WW_TRY(ww__translate_count(t, least + policy, most + policy));
    *count = t->inst->operand_count - policy;
    ww_operand ignored;
    return policy ? ww__translate_source(t, &t->inst->operand[*count], WW_T_B64, &ignored) : WW_OK;
}

static unsigned words_of(ww_type type)
{
    unsigned bytes = ww_type_bytes(type);
    return bytes <= 4 ? 1 : bytes / 4;
}

static ww_status virtual_register(ptx_translator *t, const ptx_operand *o, uint32_t *out)
{
    if (t->vreg[o->reg] == UINT32_MAX) {
        uint32_t id = ww_function_new_vreg(t->out, t->program->arena, (ww_type)o->type);
        if (id == UINT32_MAX) {
            return ww__translate_no_memory(t);
        }
        t->vreg[o->reg] = id;
    }
    *out = t->vreg[o->reg];
    return WW_OK;
}

static ww_status use_register(ptx_translator *t, const ptx_operand *o, ww_type type,
                              ww_operand *out)
{
    unsigned have = ww_type_bytes((ww_type)o->type), need = ww_type_bytes(type);
    if (o->selector != 0) {
        return ww__translate_unsupported(t, o, "a part of a register in '%.100s'",
                                         t->inst->form->text);
    }
    if (have == 0) {
        return ww__translate_malformed(t, o, "a predicate cannot be an operand of type .%s",
                                       ww_type_name(type));
    }
    if (have > 8) {
        return ww__translate_unsupported(t, o, "128-bit registers");
    }
    if (have < need) {
        return ww__translate_malformed(t, o, "a %u-bit register cannot be an operand of type .%s",
                                       8 * have, ww_type_name(type));
    }
    uint32_t id = 0;
    WW_TRY(virtual_register(t, o, &id));
    *out = ww_opd_reg(id, words_of(type));
    out->part = have == 8 && out->words == 1 ? 1 : 0; /* the low word of a wider register */
    return WW_OK;
}

ww_status ww__translate_variable(ptx_translator *t, const ptx_operand *o, uint64_t *out)
{
    const ptx_var *v = o->u.var;
    switch (v->space) {
    case WW_SPACE_GLOBAL:
    case WW_SPACE_CONST:
        *out = t->program->module->symbol[v->id].address + o->imm;
        return WW_OK;
    case WW_SPACE_SHARED:
        *out = t->program->shared_offset[v->id] + o->imm;
        return WW_OK;
    case WW_SPACE_LOCAL:
        if (t->frame.kind != WW_OPD_NONE) {
            return ww__translate_unsupported(t, o,
                                             "this use of variable '%.100s' in a recursive "
                                             "program",
                                             v->name);
        }
        *out = t->program->local_offset[t->position][v->id] + o->imm;
        return WW_OK;
    case WW_SPACE_PARAM:
        if (t->func->is_kernel && v->id < t->func->formal_count) {
            *out = t->program->param_offset[v->id] + o->imm;
            return WW_OK;
        }
        return ww__translate_unsupported(
            t, o, "the address of parameter '%.100s' of a device function", v->name);
    case WW_SPACE_TEX:
        if (v->owner == NULL) { /* the handle that the loader reserved for the reference */
            *out = t->program->module->symbol[v->id].address;
            return WW_OK;
        }
        return ww__translate_unsupported(t, o, "a texture or surface declared in a function,");
    default:
        return ww__translate_unsupported(t, o, "the address of '%.100s'", v->name);
    }
}

ww_status ww__translate_source(ptx_translator *t, const ptx_operand *o, ww_type type,
                               ww_operand *out)
{
    uint64_t address;
    switch (o->kind) {
    case PTX_OPD_REG:
        return use_register(t, o, type, out);
    case PTX_OPD_INT:
    case PTX_OPD_F32:
    case PTX_OPD_F64: {
        ptx_constant c = {o->kind == PTX_OPD_INT   ? PTX_TOK_INT
                          : o->kind == PTX_OPD_F32 ? PTX_TOK_F32
                                                   : PTX_TOK_F64,
                          false, o->imm};
        *out = ww_opd_imm(ww__constant_bits(&c, type));
        return WW_OK;
    }
    case PTX_OPD_SREG:
        *out = ww_opd_sreg((ww_sreg)o->reg);
        out->words = (uint8_t)words_of(type);
        return WW_OK;
    case PTX_OPD_VAR:
        WW_TRY(ww__translate_variable(t, o, &address));
        *out = ww_opd_imm(address);
        return WW_OK;
    case PTX_OPD_FUNC:
        *out = ww_opd_imm(ww__function_address(o->u.func));
        return WW_OK;
    case PTX_OPD_OTHER:
        return ww__translate_unsupported(t, o, "%.100s", o->u.name);
    default:
        return ww__translate_malformed(t, o, "'%.100s' cannot have this operand here",
                                       t->inst->form->text);
    }
}

ww_status ww__translate_predicate(ptx_translator *t, const ptx_operand *o, ww_operand *out)
{
    if (o->kind == PTX_OPD_INT) {
        *out = ww_opd_imm(o->imm != 0);
        return WW_OK;
    }
    if (o->kind == PTX_OPD_SREG && o->reg == WW_SREG_IS_EXPLICIT_CLUSTER) {
        *out = ww_opd_sreg(WW_SREG_IS_EXPLICIT_CLUSTER);
        out->flags = o->negated ? WW_OPD_NOT : 0;
        return WW_OK;
    }
    if (o->kind != PTX_OPD_REG || o->type != WW_T_PRED) {
        return ww__translate_malformed(t, o, "'%.100s' needs a predicate here",
                                       t->inst->form->text);
    }
    uint32_t id = 0;
    WW_TRY(virtual_register(t, o, &id));
    *out = ww_opd_pred(id, o->negated);
    return WW_OK;
}

ww_status ww__translate_destination(ptx_translator *t, const ptx_operand *o, ww_type type,
                                    ww_operand *out)
{
    if (o->kind == PTX_OPD_SINK) {
        *out = (ww_operand){.kind = WW_OPD_NONE};
        return WW_OK;
    }
    if (o->kind == PTX_OPD_OTHER) {
        return ww__translate_unsupported(t, o, "%.100s", o->u.name);
    }
    if (o->kind != PTX_OPD_REG) {
        return ww__translate_malformed(t, o, "the destination of '%.100s' must be a register",
                                       t->inst->form->text);
    }
    WW_TRY(use_register(t, o, type, out));
    if (out->part == 0) {
        return WW_OK;
    }
    if (t->widening_count == PTX_MAX_VECTOR) {
        return ww__translate_unsupported(
            t, o, "more than %d results in registers wider than their type", PTX_MAX_VECTOR);
    }
    ptx_widening *w = &t->widening[t->widening_count++];
    uint32_t id = 0;
    WW_TRY(virtual_register(t, o, &id));
    w->to = ww_opd_reg(id, 2);
    w->type = type;
    WW_TRY(ww__translate_new(t, WW_T_B32, &w->from));
    *out = w->from;
    return WW_OK;
}

ww_status ww__translate_predicate_destination(ptx_translator *t, const ptx_operand *o,
                                              ww_operand *out)
{
    if (o->kind == PTX_OPD_SINK) {
        *out = (ww_operand){.kind = WW_OPD_NONE};
        return WW_OK;
    }
    if (o->kind != PTX_OPD_REG || o->type != WW_T_PRED || o->negated) {
        return ww__translate_malformed(t, o, "the destination of '%.100s' must be a predicate",
                                       t->inst->form->text);
    }
    return ww__translate_predicate(t, o, out);
}

/* A symbol in an address: the space of the access is the symbol's. */
static ww_status symbolic_address(ptx_translator *t, const ptx_operand *base, ww_space *space,
                                  ww_operand *reg, int64_t *offset)
{
    ww_space of = base->u.var->space;
    if (*space == WW_SPACE_GENERIC) {
        *space = of;
    }
    if (*space != of) {
        return ww__translate_malformed(
            t, base, "'%.100s' accesses .%s memory, but '%.100s' is in .%s memory",
            t->inst->form->text, ww_space_name(*space), base->u.var->name, ww_space_name(of));
    }
    uint64_t address;
    if (of == WW_SPACE_LOCAL && t->frame.kind != WW_OPD_NONE) {
        *reg = t->frame;
        *offset += (int64_t)t->program->local_offset[t->position][base->u.var->id];
        return WW_OK;
    }
    WW_TRY(ww__translate_variable(t, base, &address));
    *offset = (int64_t)((uint64_t)*offset + address);
    return WW_OK;
}

ww_status ww__translate_address(ptx_translator *t, const ptx_operand *o, ww_space *space,
                                ww_operand *base, int64_t *offset)
{
    if (o->kind != PTX_OPD_ADDR || o->count != 1) {
        return ww__translate_malformed(t, o, "'%.100s' needs an address in brackets here",
                                       t->inst->form->text);
    }
    const ptx_operand *b = &o->u.list[0];
    *base = (ww_operand){.kind = WW_OPD_NONE};
    *offset = (int64_t)o->imm;
    if (b->kind == PTX_OPD_INT) {
        *offset = (int64_t)(o->imm + b->imm);
        return WW_OK;
    }
    if (b->kind == PTX_OPD_VAR) {
        return symbolic_address(t, b, space, base, offset);
    }
    if (b->kind != PTX_OPD_REG ||
        (ww_type_bytes((ww_type)b->type) != 4 && ww_type_bytes((ww_type)b->type) != 8)) {
        return ww__translate_malformed(
            t, b, "an address must be a variable or a register of 32 or 64 bits");
    }
    return ww__translate_source(t, b, (ww_type)b->type, base);
}

ww_status ww__translate_carry(ptx_translator *t, ww_operand *out)
{
    if (t->carry == UINT32_MAX) {
        t->carry = ww_function_new_vreg(t->out, t->program->arena, WW_T_PRED);
        if (t->carry == UINT32_MAX) {
            return ww__translate_no_memory(t);
        }
    }
    *out = ww_opd_pred(t->carry, false);
    return WW_OK;
}
