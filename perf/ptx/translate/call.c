/* call.c - calls of device functions: .param variables become virtual registers, one for
 * a scalar, one per 32-bit word of an array; a call reads those of its arguments and writes those
 * of its results. */
#include <string.h>

#include "perf/ptx/translate/translate.h"

enum { MAX_PIECES = 1 << 12, MAX_CALL_OPERANDS = 255 };

/* ---- registers of .param variables ---- */

static ww_status pieces_of(ptx_translator *t, const ptx_var *v, const ptx_pieces **out)
{
    ptx_pieces *p = &t->param[v->id];
    *out = p;
    if (p->count != 0) {
        return WW_OK;
    }
    uint64_t count = v->is_array ? (v->bytes + 3) / 4 : 1;
    if (count == 0 || count > MAX_PIECES || (!v->is_array && v->bytes > 8)) {
        return ww__translate_unsupported(t, NULL, "parameter '%.100s' of %llu bytes", v->name,
                                         (unsigned long long)v->bytes);
    }
    p->vreg = WW_ARENA_NEW_ARRAY(&t->program->scratch, uint32_t, count);
    if (p->vreg == NULL) {
        return ww__translate_no_memory(t);
    }
    for (uint32_t i = 0; i < count; i++) {
        p->vreg[i] = ww_function_new_vreg(t->out, t->program->arena,
                                          !v->is_array && v->bytes == 8 ? WW_T_B64 : WW_T_B32);
        if (p->vreg[i] == UINT32_MAX) {
            return ww__translate_no_memory(t);
        }
    }
    p->is_array = v->is_array;
    p->count = (uint32_t)count;
    return WW_OK;
}

static unsigned words_of_piece(const ptx_translator *t, uint32_t vreg)
{
    return t->out->vreg[vreg].words;
}

/* The 32-bit word at a byte offset. */
static ww_operand word_at(const ptx_translator *t, const ptx_pieces *p, uint64_t offset)
{
    if (p->is_array) {
        return ww_opd_reg(p->vreg[offset / 4], 1);
    }
    ww_operand o = ww_opd_reg(p->vreg[0], 1);
    o.part = words_of_piece(t, p->vreg[0]) == 2 ? (offset >= 4 ? 2 : 1) : 0;
    return o;
}

static bool is_whole_pair(const ptx_translator *t, const ptx_pieces *p)
{
    return !p->is_array && words_of_piece(t, p->vreg[0]) == 2;
}

/* ---- ld.param ---- */

static ww_status load_piece(ptx_translator *t, const ptx_pieces *p, uint64_t offset,
                            const ptx_operand *to)
{
    ww_type type = (ww_type)t->inst->form->type;
    unsigned bytes = ww_type_bytes(type);
    ww_inst *inst;
    if (bytes < 4) {
        ww_type field = ww_type_is_signed(type) && !ww_type_is_float(type) ? WW_T_S32 : WW_T_U32;
        WW_TRY(ww__translate_emit(t, WW_OP_BFE, field, 1, 3, &inst));
        inst->src[0] = word_at(t, p, offset);
        inst->src[1] = ww_opd_imm(offset % 4 * 8);
        inst->src[2] = ww_opd_imm(8 * bytes);
        return ww__translate_destination(t, to, type, &inst->dst[0]);
    }
    bool pack = bytes == 8 && !is_whole_pair(t, p);
    WW_TRY(ww__translate_emit(t, WW_OP_MOV, type, 1, pack ? 2 : 1, &inst));
    if (pack) {
        inst->src[0] = word_at(t, p, offset);
        inst->src[1] = word_at(t, p, offset + 4);
    } else {
        inst->src[0] = bytes == 8 ? ww_opd_reg(p->vreg[0], 2) : word_at(t, p, offset);
    }
    return ww__translate_destination(t, to, type, &inst->dst[0]);
}

/* ---- st.param ---- */

/* Eight bytes into two words. */
static ww_status store_split(ptx_translator *t, const ptx_pieces *p, uint64_t offset,
                             ww_operand value)
{
    ww_inst *inst;
    if (value.kind == WW_OPD_REG) {
        WW_TRY(ww__translate_emit(t, WW_OP_MOV, WW_T_B64, 2, 1, &inst));
        inst->dst[0] = word_at(t, p, offset);
        inst->dst[1] = word_at(t, p, offset + 4);
        inst->src[0] = value;
        return WW_OK;
    }
    for (uint64_t half = 0; half < 2; half++) {
        WW_TRY(ww__translate_emit(t, WW_OP_MOV, WW_T_B32, 1, 1, &inst));
        inst->dst[0] = word_at(t, p, offset + 4 * half);
        inst->src[0] = ww_opd_imm(value.imm >> (32 * half) & UINT32_MAX);
    }
    return WW_OK;
}

static ww_status store_piece(ptx_translator *t, const ptx_pieces *p, const ptx_var *v,
                             uint64_t offset, const ptx_operand *from)
{
    ww_type type = (ww_type)t->inst->form->type;
    unsigned bytes = ww_type_bytes(type);
    ww_operand value;
    ww_inst *inst;
    WW_TRY(ww__translate_source(t, from, type, &value));
    if (bytes == 8 && !is_whole_pair(t, p)) {
        return store_split(t, p, offset, value);
    }
    bool whole = bytes >= 4 || (!v->is_array && bytes == v->bytes);
    if (whole) {
        WW_TRY(ww__translate_emit(t, WW_OP_MOV, bytes == 8 ? WW_T_B64 : WW_T_B32, 1, 1, &inst));
        inst->dst[0] = bytes == 8 ? ww_opd_reg(p->vreg[0], 2) : word_at(t, p, offset);
        inst->src[0] = value;
        return WW_OK;
    }
    WW_TRY(ww__translate_emit(t, WW_OP_BFI, WW_T_B32, 1, 4, &inst));
    inst->dst[0] = word_at(t, p, offset);
    inst->src[0] = value;
    inst->src[1] = inst->dst[0];
    inst->src[2] = ww_opd_imm(offset % 4 * 8);
    inst->src[3] = ww_opd_imm(8 * bytes);
    return WW_OK;
}

ww_status ww__translate_param_access(ptx_translator *t, bool *taken)
{
    const ptx_form *form = t->inst->form;
    bool is_load = form->op == WW_OP_LD;
    *taken = false;
    if (form->space != WW_SPACE_PARAM || t->inst->operand_count != 2) {
        return WW_OK;
    }
    const ptx_operand *address = &t->inst->operand[is_load ? 1 : 0];
    const ptx_operand *value = &t->inst->operand[is_load ? 0 : 1];
    if (address->kind != PTX_OPD_ADDR || address->count != 1 ||
        address->u.list[0].kind != PTX_OPD_VAR) {
        return WW_OK;
    }
    const ptx_var *v = address->u.list[0].u.var;
    unsigned bytes = ww_type_bytes((ww_type)form->type);
    uint64_t offset = address->imm, all = (uint64_t)bytes * form->vec;
    if (v->space != WW_SPACE_PARAM) {
        return WW_OK; /* an error, found when the address is translated */
    }
    if (offset > v->bytes || all > v->bytes - offset || offset % bytes != 0) {
        return ww__translate_malformed(
            t, address, "%llu bytes at offset %lld of parameter '%.100s' of %llu bytes",
            (unsigned long long)all, (long long)offset, v->name, (unsigned long long)v->bytes);
    }
    if (t->func->is_kernel && v->id < t->func->formal_count) {
        return WW_OK;
    }
    *taken = true;
    const ptx_pieces *p;
    WW_TRY(pieces_of(t, v, &p));
    bool is_vector = value->kind == PTX_OPD_VEC;
    if ((is_vector ? value->count : 1) != form->vec) {
        return ww__translate_malformed(t, value, "'%.100s' needs %u elements here", form->text,
                                       form->vec);
    }
    for (uint32_t i = 0; i < form->vec; i++) {
        const ptx_operand *item = is_vector ? &value->u.list[i] : value;
        uint64_t at = offset + (uint64_t)i * bytes;
        WW_TRY(is_load ? load_piece(t, p, at, item) : store_piece(t, p, v, at, item));
    }
    return WW_OK;
}

/* ---- formals ---- */

/* In a recursive program the first argument and the first result are the frame's address. */
static ww_status list_formals(ptx_translator *t, const ptx_formal *formal, uint32_t count,
                              ww_operand **out, uint32_t *out_count)
{
    uint32_t hidden = t->frame.kind != WW_OPD_NONE;
    uint32_t total = hidden;
    for (uint32_t i = 0; i < count; i++) {
        const ptx_pieces *p = NULL;
        if (formal[i].var != NULL) {
            WW_TRY(pieces_of(t, formal[i].var, &p));
        }
        total += p != NULL ? p->count : 1;
    }
    *out = WW_ARENA_NEW_ARRAY(t->program->arena, ww_operand, total + 1);
    if (*out == NULL) {
        return ww__translate_no_memory(t);
    }
    (*out)[0] = t->frame;
    for (uint32_t i = 0, n = hidden; i < count; i++) {
        if (formal[i].var == NULL) {
            WW_TRY(formal[i].reg.type == WW_T_PRED
                       ? ww__translate_predicate(t, &formal[i].reg, &(*out)[n])
                       : ww__translate_source(t, &formal[i].reg, (ww_type)formal[i].reg.type,
                                              &(*out)[n]));
            n++;
            continue;
        }
        const ptx_pieces *p = &t->param[formal[i].var->id];
        for (uint32_t k = 0; k < p->count; k++) {
            (*out)[n++] = ww_opd_reg(p->vreg[k], words_of_piece(t, p->vreg[k]));
        }
    }
    *out_count = total;
    return WW_OK;
}

ww_status ww__translate_formals(ptx_translator *t)
{
    if (t->func->is_kernel) {
        return WW_OK;
    }
    if (t->program->framed) {
        WW_TRY(ww__translate_new(t, WW_T_B32, &t->frame));
    }
    WW_TRY(list_formals(t, t->func->in, t->func->in_count, &t->out->formal_in,
                        &t->out->formal_in_count));
    return list_formals(t, t->func->out, t->func->out_count, &t->out->formal_out,
                        &t->out->formal_out_count);
}

/* ---- calls ---- */

typedef struct call_parts {
    const ptx_operand *results, *callee, *arguments; /* lists may be NULL */
} call_parts;

/* call (results), callee, (arguments), prototype; with all but the callee optional. */
static ww_status split_call(ptx_translator *t, call_parts *out)
{
    uint32_t n = t->inst->operand_count, at = 0;
    const ptx_operand *o = t->inst->operand;
    *out = (call_parts){0};
    if (at < n && o[at].kind == PTX_OPD_LIST) {
        out->results = &o[at++];
    }
    if (at < n) {
        out->callee = &o[at++];
    }
    if (at < n && o[at].kind == PTX_OPD_LIST) {
        out->arguments = &o[at++];
    }
    bool prototype = at < n && o[at].kind == PTX_OPD_LABEL;
    at += prototype;
    if (out->callee == NULL || at != n) {
        return ww__translate_malformed(t, NULL, "malformed call");
    }
    bool indirect = out->callee->kind == PTX_OPD_REG && out->callee->type != WW_T_PRED &&
                    ww_type_bytes((ww_type)out->callee->type) == 8;
    if (out->callee->kind != PTX_OPD_FUNC && !indirect) {
        return ww__translate_malformed(t, out->callee, "a call needs a function here");
    }
    return WW_OK;
}

/* Virtual registers of one argument or result, matched with the formal it stands for. */
static ww_status append_actual(ptx_translator *t, const ptx_operand *actual,
                               const ptx_formal *formal, bool is_result, ww_operand *list,
                               uint32_t *n)
{
    const ptx_var *fv = formal->var;
    if (actual->kind == PTX_OPD_VAR && actual->u.var->space == WW_SPACE_PARAM &&
        !(t->func->is_kernel && actual->u.var->id < t->func->formal_count)) {
        const ptx_var *av = actual->u.var;
        const ptx_pieces *p;
        WW_TRY(pieces_of(t, av, &p));
        bool same = fv != NULL
                        ? fv->is_array == av->is_array && (fv->bytes + 3) / 4 == (av->bytes + 3) / 4
                        : !av->is_array && ww_type_bytes((ww_type)formal->reg.type) == av->bytes;
        if (!same) {
            return ww__translate_unsupported(
                t, actual, "an argument whose layout differs from the callee's parameter");
        }
        if (*n + p->count > MAX_CALL_OPERANDS) {
            return ww__translate_unsupported(
                t, actual, "a call with more than %d words of arguments", MAX_CALL_OPERANDS);
        }
        for (uint32_t i = 0; i < p->count; i++) {
            list[(*n)++] = ww_opd_reg(p->vreg[i], words_of_piece(t, p->vreg[i]));
        }
        return WW_OK;
    }
    if ((fv != NULL && fv->is_array) || *n == MAX_CALL_OPERANDS) {
        return ww__translate_unsupported(t, actual, "this argument of a call");
    }
    ww_type type = fv != NULL ? fv->type : (ww_type)formal->reg.type;
    ww_operand *o = &list[(*n)++];
    if (type == WW_T_PRED) {
        return is_result ? ww__translate_predicate_destination(t, actual, o)
                         : ww__translate_predicate(t, actual, o);
    }
    return is_result ? ww__translate_destination(t, actual, type, o)
                     : ww__translate_source(t, actual, type, o);
}

static ww_status actuals(ptx_translator *t, const ptx_operand *list, const ptx_formal *formal,
                         uint32_t count, bool is_result, ww_operand *out, uint32_t *n)
{
    uint32_t given = 0, at = 0;
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const ptx_operand *actual = &list->u.list[i];
        given += actual->kind == PTX_OPD_VEC ? actual->count : 1;
    }
    *n = 0;
    if (given != count) {
        return ww__translate_malformed(t, list, "the call gives %u %s where the function has %u",
                                       given, is_result ? "results" : "arguments", count);
    }
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const ptx_operand *actual = &list->u.list[i];
        bool vector = actual->kind == PTX_OPD_VEC; /* its elements stand for as many formals */
        for (uint32_t k = 0; k < (vector ? actual->count : 1); k++) {
            const ptx_operand *one = vector ? &actual->u.list[k] : actual;
            WW_TRY(append_actual(t, one, &formal[at++], is_result, out, n));
        }
    }
    return WW_OK;
}

/* The callee's place in the caller's list of callees. */
static ww_status callee_index(ptx_translator *t, const ptx_function *callee, uint32_t *out)
{
    ww_function *f = t->out;
    uint32_t position = t->program->position[callee->index];
    ww_function *code = position != UINT32_MAX ? t->program->code[position] : NULL;
    for (uint32_t i = 0; i < f->callee_count; i++) {
        if (f->callee[i] == code) {
            *out = i;
            return WW_OK;
        }
    }
    if ((f->callee_count & (f->callee_count - 1)) == 0) { /* full at powers of two */
        uint32_t capacity = f->callee_count != 0 ? 2 * f->callee_count : 1;
        ww_function **grown = WW_ARENA_NEW_ARRAY(t->program->arena, ww_function *, capacity);
        if (grown == NULL) {
            return ww__translate_no_memory(t);
        }
        for (uint32_t i = 0; i < f->callee_count; i++) {
            grown[i] = f->callee[i];
        }
        f->callee = grown;
    }
    *out = f->callee_count;
    f->callee[f->callee_count++] = code;
    return WW_OK;
}

/* ---- functions of the CUDA runtime ---- */

/* Bytes of results and arguments, one digit each; c: an array of 12 (dim3). */
static const struct {
    const char *name, *out, *in;
    ww_sub sub;
} builtins[] = {
    {"vprintf", "4", "88", WW_SUB_VPRINTF},
    {"malloc", "8", "8", WW_SUB_MALLOC},
    {"free", "", "8", WW_SUB_FREE},
    {"__assertfail", "", "88488", WW_SUB_ASSERTFAIL},
    /* What the CUDA device runtime, PTX itself, calls for dynamic parallelism. */
    {"__cuda_syscall_cnpv2GetParameterBufferV2", "8", "8cc4", WW_SUB_CHILD_BUFFER},
    {"__cuda_syscall_cnpv2LaunchDeviceV2", "4", "88", WW_SUB_CHILD_LAUNCH},
    {"__cuda_syscall_cnpv2StreamCreate", "4", "84", WW_SUB_CHILD_HANDLE},
    {"__cuda_syscall_cnpv2EventCreate", "4", "84", WW_SUB_CHILD_HANDLE},
    {"__cuda_syscall_cnpv2GetLastError", "4", "", WW_SUB_CHILD_STATUS},
    {"__cuda_syscall_cnpv2SetLastError", "4", "4", WW_SUB_CHILD_STATUS},
    {"__cuda_syscall_cnpv2StreamDestroy", "4", "8", WW_SUB_CHILD_STATUS},
    {"__cuda_syscall_cnpv2StreamWaitEvent", "4", "884", WW_SUB_CHILD_STATUS},
    {"__cuda_syscall_cnpv2EventRecord", "4", "88", WW_SUB_CHILD_STATUS},
    {"__cuda_syscall_cnpv2EventDestroy", "4", "8", WW_SUB_CHILD_STATUS},
    {"cudaGraphSetConditional", "", "84", WW_SUB_GRAPH_CONDITION},
};

static bool has_bytes(const ptx_formal *formal, uint32_t count, const char *bytes)
{
    if (count != strlen(bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ptx_var *v = formal[i].var;
        uint64_t have = v != NULL ? v->bytes : ww_type_bytes((ww_type)formal[i].reg.type);
        bool array = bytes[i] == 'c';
        if ((v != NULL && v->is_array) != array ||
            have != (array ? 12u : (unsigned)(bytes[i] - '0'))) {
            return false;
        }
    }
    return true;
}

/* Which of them a function without a body is; NONE: none. */
static ww_sub builtin_of(const ptx_function *f)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(builtins); i++) {
        if (strcmp(builtins[i].name, f->name) == 0 &&
            has_bytes(f->out, f->out_count, builtins[i].out) &&
            has_bytes(f->in, f->in_count, builtins[i].in)) {
            return builtins[i].sub;
        }
    }
    return WW_SUB_NONE;
}

/* ---- indirect calls ---- */

/* Registers of .param variables, which say how they are passed without a prototype. */
static ww_status untyped_actuals(ptx_translator *t, const ptx_operand *list, ww_operand *out,
                                 uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const ptx_operand *actual = &list->u.list[i];
        const ptx_pieces *p;
        if (actual->kind != PTX_OPD_VAR || actual->u.var->space != WW_SPACE_PARAM ||
            (t->func->is_kernel && actual->u.var->id < t->func->formal_count)) {
            return ww__translate_unsupported(
                t, actual, "an argument of an indirect call that is not a .param variable");
        }
        WW_TRY(pieces_of(t, actual->u.var, &p));
        if (*n + p->count > MAX_CALL_OPERANDS) {
            return ww__translate_unsupported(
                t, actual, "a call with more than %d words of arguments", MAX_CALL_OPERANDS);
        }
        for (uint32_t k = 0; k < p->count; k++) {
            out[(*n)++] = ww_opd_reg(p->vreg[k], words_of_piece(t, p->vreg[k]));
        }
    }
    return WW_OK;
}

/* Where frames are in use, calls name the caller's as their last source. */
static bool names_frame(const ptx_translator *t)
{
    return t->frame.kind != WW_OPD_NONE;
}

/* In a recursive program a call becomes several instructions, among them the call itself: a branch
 * around them takes the place of its guard. */
static ww_status branch_around(ptx_translator *t)
{
    if (!t->inst->guarded || !t->program->framed) {
        return WW_OK;
    }
    ww_inst *inst;
    WW_TRY(ww__translate_emit(t, WW_OP_BRA, WW_T_NONE, 0, 0, &inst));
    inst->guard.flags ^= WW_OPD_NOT;
    inst->target =
        (uint32_t)(t->inst - t->func->inst) + 1; /* numbered in PTX, as all targets here */
    t->skipped = true;
    return WW_OK;
}

/* Sources: the address, then the arguments. */
static ww_status translate_indirect(ptx_translator *t, const call_parts *parts)
{
    ww_operand in[MAX_CALL_OPERANDS], out[MAX_CALL_OPERANDS];
    uint32_t in_count, out_count;
    ww_inst *inst;
    WW_TRY(branch_around(t));
    WW_TRY(untyped_actuals(t, parts->arguments, in, &in_count));
    WW_TRY(untyped_actuals(t, parts->results, out, &out_count));
    if (in_count + 2 > MAX_CALL_OPERANDS) {
        return ww__translate_unsupported(t, NULL, "a call with so many arguments");
    }
    WW_TRY(ww__translate_emit_form(t, out_count, 1 + in_count + names_frame(t), &inst));
    inst->sub = WW_SUB_INDIRECT;
    inst->target = WW_NO_TARGET;
    for (uint32_t i = 0; i < out_count; i++) {
        inst->dst[i] = out[i];
    }
    for (uint32_t i = 0; i < in_count; i++) {
        inst->src[1 + i] = in[i];
    }
    if (names_frame(t)) {
        inst->src[1 + in_count] = t->frame;
    }
    return ww__translate_source(t, parts->callee, WW_T_B64, &inst->src[0]);
}

ww_status ww__translate_call(ptx_translator *t)
{
    call_parts parts;
    WW_TRY(split_call(t, &parts));
    if (parts.callee->kind == PTX_OPD_REG) {
        return translate_indirect(t, &parts);
    }
    const ptx_function *callee = parts.callee->u.func;
    ww_sub builtin = callee->has_body ? WW_SUB_NONE : builtin_of(callee);
    if (!callee->has_body && builtin == WW_SUB_NONE) {
        return ww__translate_unsupported(
            t, parts.callee, "a call of '%.100s', which has no body in this module,", callee->name);
    }
    ww_operand in[MAX_CALL_OPERANDS], out[MAX_CALL_OPERANDS];
    uint32_t in_count, out_count, target = 0;
    WW_TRY(actuals(t, parts.arguments, callee->in, callee->in_count, false, in, &in_count));
    WW_TRY(actuals(t, parts.results, callee->out, callee->out_count, true, out, &out_count));
    bool frame = builtin == WW_SUB_NONE && names_frame(t);
    if (builtin == WW_SUB_NONE) {
        WW_TRY(branch_around(t));
        WW_TRY(callee_index(t, callee, &target));
    }
    if (frame && in_count == MAX_CALL_OPERANDS) {
        return ww__translate_unsupported(t, NULL, "a call with so many arguments");
    }
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, out_count, in_count + frame, &inst));
    for (uint32_t i = 0; i < out_count; i++) {
        inst->dst[i] = out[i];
    }
    for (uint32_t i = 0; i < in_count; i++) {
        inst->src[i] = in[i];
    }
    if (frame) {
        inst->src[in_count] = t->frame;
    }
    inst->target = builtin == WW_SUB_NONE ? target : WW_NO_TARGET;
    inst->sub = (uint8_t)builtin;
    return WW_OK;
}
