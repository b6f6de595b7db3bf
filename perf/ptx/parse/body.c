/* body.c - function bodies: blocks, declarations, labels, guarded instructions. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

enum { MAX_FORM = 256 };

static ww_status append(ptx_parser *p, const ptx_inst *inst)
{
    ptx_function *f = p->func;
    if (f->inst_count == f->inst_capacity) {
        uint32_t capacity = f->inst_capacity != 0 ? 2 * f->inst_capacity : 64;
        ptx_inst *list = WW_ARENA_NEW_ARRAY(p->arena, ptx_inst, capacity);
        if (list == NULL) {
            return ww__parse_no_memory(p);
        }
        if (f->inst_count > 0) {
            memcpy(list, f->inst, f->inst_count * sizeof *list);
        }
        f->inst = list;
        f->inst_capacity = capacity;
    }
    f->inst[f->inst_count++] = *inst;
    return WW_OK;
}

/* "ld" ".global" ".v4" ".f32" -> its form. */
static ww_status parse_opcode(ptx_parser *p, const ptx_form **out)
{
    char text[MAX_FORM];
    size_t n = p->token.length;
    ptx_loc loc = p->token.loc;
    if (n >= sizeof text) {
        return ww__parse_expected(p, "an instruction");
    }
    memcpy(text, p->token.text, n);
    WW_TRY(ww__parse_advance(p));
    while (p->token.kind == PTX_TOK_DOT) {
        if (n + 1 + p->token.length >= sizeof text) {
            return ww__parse_fail(p, WW_EPARSE, loc,
                                  "instruction name is longer than %d characters", MAX_FORM);
        }
        text[n++] = '.';
        memcpy(text + n, p->token.text, p->token.length);
        n += p->token.length;
        WW_TRY(ww__parse_advance(p));
    }
    return ww__parse_form(p, text, n, out);
}

static ww_status parse_instruction(ptx_parser *p)
{
    ptx_inst inst = {.loc = p->token.loc};
    bool guarded;
    WW_TRY(ww__parse_accept(p, '@', &guarded));
    if (guarded) {
        WW_TRY(ww__parse_predicate(p, &inst.guard));
        inst.guarded = true;
    }
    if (p->token.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "an instruction");
    }
    inst.loc = p->token.loc;
    WW_TRY(parse_opcode(p, &inst.form));
    WW_TRY(ww__parse_operands(p, &inst));
    return append(p, &inst);
}

/* "label: .branchtargets a, b, c;" */
static ww_status parse_branch_targets(ptx_parser *p, ptx_label *label)
{
    uint32_t capacity = 0;
    bool more = true;
    WW_TRY(ww__parse_advance(p));
    while (more) {
        if (p->token.kind != PTX_TOK_NAME) {
            return ww__parse_expected(p, "a label");
        }
        if (label->target_count == capacity) {
            capacity = capacity != 0 ? 2 * capacity : 8;
            ptx_label **list = WW_ARENA_NEW_ARRAY(p->arena, ptx_label *, capacity);
            if (list == NULL) {
                return ww__parse_no_memory(p);
            }
            if (label->target_count > 0) {
                memcpy(list, label->targets, label->target_count * sizeof *list);
            }
            label->targets = list;
        }
        WW_TRY(ww__parse_refer_label(p, &p->token, &label->targets[label->target_count]));
        label->target_count++;
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return ww__parse_expect(p, ';');
}

/* ".callprototype (…) _ (…);" says how an indirect call passes its arguments, which the call's own
 * .param variables say as well. */
static ww_status skip_statement(ptx_parser *p)
{
    while (!ww__parse_at(p, ';')) {
        if (p->token.kind == PTX_TOK_END) {
            return ww__parse_expected(p, "';'");
        }
        WW_TRY(ww__parse_advance(p));
    }
    return ww__parse_advance(p);
}

static ww_status parse_label(ptx_parser *p)
{
    ptx_label *label = NULL;
    ptx_token name = p->token;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(ww__parse_expect(p, ':'));
    WW_TRY(ww__parse_declare_label(p, &name, &label));
    if (ww__parse_at_dot(p, "branchtargets")) {
        return parse_branch_targets(p, label);
    }
    if (ww__parse_at_dot(p, "callprototype") || ww__parse_at_dot(p, "calltargets")) {
        label->is_prototype = true;
        return skip_statement(p);
    }
    return WW_OK;
}

static ww_status parse_directive(ptx_parser *p)
{
    if (ww__parse_at_dot(p, "reg")) {
        return ww__parse_registers(p);
    }
    ww_space space = ww__parse_space(p);
    p->linkage = (ptx_linkage){0};
    if (space != WW_SPACE_NONE) {
        return ww__parse_variables(p, space);
    }
    WW_TRY(ww__parse_linkage(p));
    if (p->linkage.is_linked) {
        space = ww__parse_space(p);
        return space != WW_SPACE_NONE ? ww__parse_variables(p, space)
                                      : ww__parse_expected(p, "a state space");
    }
    bool taken;
    WW_TRY(ww__parse_description(p, &taken));
    return taken
               ? WW_OK
               : ww__parse_fail(p, WW_EUNSUP, p->token.loc, "directive '.%.*s' is not supported",
                                (int)(p->token.length < 60 ? p->token.length : 60), p->token.text);
}

static ww_status parse_statement(ptx_parser *p)
{
    if (p->token.kind == PTX_TOK_DOT) {
        return parse_directive(p);
    }
    if (p->token.kind == PTX_TOK_NAME) {
        ptx_lexer ahead = p->lexer;
        ptx_token next;
        WW_TRY(ww__lexer_next(&ahead, &next, p->err));
        if (next.kind == PTX_TOK_PUNCT && next.punct == ':') {
            return parse_label(p);
        }
    }
    bool empty;
    WW_TRY(ww__parse_accept(p, ';', &empty));
    return empty ? WW_OK : parse_instruction(p);
}

ww_status ww__parse_body(ptx_parser *p)
{
    uint32_t outer = p->depth;
    ptx_loc start = p->token.loc;
    WW_TRY(ww__parse_expect(p, '{'));
    WW_TRY(ww__parse_open_block(p));
    while (p->depth > outer) {
        if (p->token.kind == PTX_TOK_END) {
            return ww__parse_fail(p, WW_EPARSE, start, "the body of '%.100s' has no end",
                                  p->func->name);
        }
        if (ww__parse_at(p, '{')) {
            WW_TRY(ww__parse_open_block(p));
            WW_TRY(ww__parse_advance(p));
        } else if (ww__parse_at(p, '}')) {
            ww__parse_close_block(p);
            WW_TRY(ww__parse_advance(p));
        } else {
            WW_TRY(parse_statement(p));
        }
    }
    return ww__parse_forget_location(p);
}
