/* operand.c - operands of instructions: registers, constants, addresses, vectors, pairs,
 * argument lists. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

static ww_status parse_operand(ptx_parser *p, ptx_operand *out);

/* ---- lists ---- */

static ww_status push(ptx_parser *p, const ptx_operand *o)
{
    if (p->operand_count == PTX_MAX_OPERANDS) {
        return ww__parse_fail(p, WW_EPARSE, o->loc, "more than %d operands", PTX_MAX_OPERANDS);
    }
    p->operands[p->operand_count++] = *o;
    return WW_OK;
}

/* Takes the operands above `base` off the stack into the arena. */
static ww_status pop_list(ptx_parser *p, uint32_t base, ptx_operand **list, uint32_t *count)
{
    *count = p->operand_count - base;
    *list = WW_ARENA_NEW_ARRAY(p->arena, ptx_operand, *count + 1);
    if (*list == NULL) {
        return ww__parse_no_memory(p);
    }
    memcpy(*list, p->operands + base, *count * sizeof **list);
    p->operand_count = base;
    return WW_OK;
}

/* Items up to the closing bracket; the opening one is the current token. */
static ww_status parse_list(ptx_parser *p, int close, ptx_operand *out)
{
    uint32_t base = p->operand_count;
    WW_TRY(ww__parse_advance(p));
    bool more = !ww__parse_at(p, close);
    while (more) {
        ptx_operand item = {0};
        WW_TRY(parse_operand(p, &item));
        WW_TRY(push(p, &item));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    WW_TRY(ww__parse_expect(p, close));
    return pop_list(p, base, &out->u.list, &out->count);
}

/* ---- names ---- */

/* "%tid.x" is two tokens. */
static ww_status parse_special(ptx_parser *p, const ptx_token *name, ptx_operand *out)
{
    char text[64];
    size_t n = name->length;
    if (n + 8 >= sizeof text) {
        return ww__parse_fail(p, WW_EPARSE, name->loc, "'%.*s' is not declared",
                              (int)(n < 200 ? n : 200), name->text);
    }
    memcpy(text, name->text, n);
    if (p->token.kind == PTX_TOK_DOT && p->token.length <= 2) {
        text[n++] = '.';
        memcpy(text + n, p->token.text, p->token.length);
        n += p->token.length;
        WW_TRY(ww__parse_advance(p));
    }
    text[n] = '\0';
    ww_sreg sreg = ww_sreg_find(text, n);
    if (sreg != WW_SREG_COUNT) {
        out->kind = PTX_OPD_SREG;
        out->reg = sreg;
        return WW_OK;
    }
    static const char *const known[] = {
        "%envreg", "%pm",     "%cluster",       "%ncluster",  "%tid",          "%ntid",
        "%ctaid",  "%nctaid", "%reserved_smem", "%aggr_smem", "%current_graph"};
    for (size_t i = 0; i < WW_ARRAY_LEN(known); i++) {
        if (strncmp(text, known[i], strlen(known[i])) == 0) {
            out->kind = PTX_OPD_OTHER;
            out->u.name = ww_arena_printf(p->arena, "special register '%s'", text);
            return out->u.name != NULL ? WW_OK : ww__parse_no_memory(p);
        }
    }
    return ww__parse_fail(p, WW_EPARSE, name->loc, "'%s' is not declared", text);
}

/* The registers of one that was declared as a vector, or the one of them that follows the dot. */
static ww_status use_vector(ptx_parser *p, const ptx_decl *decl, uint32_t index, ptx_operand *out)
{
    const uint32_t n = decl->vector;
    ptx_operand one = *out;
    one.kind = PTX_OPD_REG;
    one.type = (uint8_t)decl->type;
    one.reg = decl->first + index * n;
    if (p->token.kind == PTX_TOK_DOT) {
        static const char names[] = "xyzwrgba";
        const char *at =
            p->token.length == 1 ? memchr(names, p->token.text[0], sizeof names - 1) : NULL;
        uint32_t component = at != NULL ? (uint32_t)(at - names) % 4 : n;
        if (component >= n) {
            return ww__parse_fail(p, WW_EPARSE, p->token.loc, "a vector of %u has no '.%.*s'", n,
                                  (int)(p->token.length < 20 ? p->token.length : 20),
                                  p->token.text);
        }
        one.reg += component;
        *out = one;
        return ww__parse_advance(p);
    }
    ptx_operand *list = WW_ARENA_NEW_ARRAY(p->arena, ptx_operand, n);
    if (list == NULL) {
        return ww__parse_no_memory(p);
    }
    for (uint32_t i = 0; i < n; i++) {
        list[i] = one;
        list[i].reg += i;
    }
    out->kind = PTX_OPD_VEC;
    out->u.list = list;
    out->count = n;
    return WW_OK;
}

/* The part of a register that a video instruction names: .b0 to .b3, .h0, .h1. */
static ww_status use_selector(ptx_parser *p, ptx_operand *out)
{
    const char *s = p->token.text;
    bool byte = p->token.length == 2 && s[0] == 'b' && s[1] >= '0' && s[1] <= '3';
    bool half = p->token.length == 2 && s[0] == 'h' && (s[1] == '0' || s[1] == '1');
    if (!byte && !half) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "'.%.*s' is no part of a register",
                              (int)(p->token.length < 20 ? p->token.length : 20), s);
    }
    out->selector = (uint8_t)((byte ? PTX_SELECT_B0 : PTX_SELECT_H0) + (s[1] - '0'));
    return ww__parse_advance(p);
}

static ww_status use_register(ptx_parser *p, const ptx_decl *decl, uint32_t index, ptx_operand *out)
{
    if (decl->vector > 1) {
        return use_vector(p, decl, index, out);
    }
    out->kind = PTX_OPD_REG;
    out->type = (uint8_t)decl->type;
    out->reg = decl->first + index;
    return p->token.kind == PTX_TOK_DOT ? use_selector(p, out) : WW_OK;
}

static ww_status parse_name(ptx_parser *p, ptx_operand *out)
{
    ptx_token name = p->token;
    WW_TRY(ww__parse_advance(p));
    if (name.length == 1 && name.text[0] == '_') {
        out->kind = PTX_OPD_SINK;
        return WW_OK;
    }
    uint32_t index;
    const ptx_decl *decl = ww__parse_find(p, name.text, name.length, &index);
    if (decl == NULL && name.text[0] == '%') {
        return parse_special(p, &name, out);
    }
    if (decl == NULL) {
        out->kind = PTX_OPD_LABEL; /* bound at the end of the function */
        return ww__parse_refer_label(p, &name, &out->u.label);
    }
    if (decl->kind == PTX_DECL_REG) {
        return use_register(p, decl, index, out);
    }
    if (decl->kind == PTX_DECL_FUNC) {
        out->kind = PTX_OPD_FUNC;
        out->u.func = decl->func;
        return WW_OK;
    }
    out->kind = PTX_OPD_VAR;
    out->u.var = decl->var;
    return WW_OK;
}

/* "+4", "+-4", "-4" behind a name. */
static ww_status parse_displacement(ptx_parser *p, uint64_t *out)
{
    *out = 0;
    bool plus;
    WW_TRY(ww__parse_accept(p, '+', &plus));
    if (plus || ww__parse_at(p, '-')) {
        return ww__parse_integer(p, out);
    }
    return WW_OK;
}

/* ---- operands ---- */

static ww_status parse_address(ptx_parser *p, ptx_operand *out)
{
    uint32_t base = p->operand_count;
    ptx_operand item = {.loc = p->token.loc};
    WW_TRY(ww__parse_advance(p));
    item.loc = p->token.loc;
    if (p->token.kind == PTX_TOK_NAME && !ww__parse_at_name(p, "WARP_SZ")) {
        WW_TRY(parse_name(p, &item));
        WW_TRY(parse_displacement(p, &out->imm));
    } else {
        item.kind = PTX_OPD_INT;
        WW_TRY(ww__parse_integer(p, &item.imm));
    }
    WW_TRY(push(p, &item));
    bool more;
    WW_TRY(ww__parse_accept(p, ',', &more));
    while (more) {
        item = (ptx_operand){0};
        WW_TRY(parse_operand(p, &item));
        WW_TRY(push(p, &item));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    WW_TRY(ww__parse_expect(p, ']'));
    out->kind = PTX_OPD_ADDR;
    return pop_list(p, base, &out->u.list, &out->count);
}

static ww_status parse_pair(ptx_parser *p, ptx_operand *out)
{
    ptx_operand *list = WW_ARENA_NEW_ARRAY(p->arena, ptx_operand, 2);
    if (list == NULL) {
        return ww__parse_no_memory(p);
    }
    list[0] = *out;
    list[1].loc = p->token.loc;
    if (p->token.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "a register");
    }
    WW_TRY(parse_name(p, &list[1]));
    *out = (ptx_operand){.kind = PTX_OPD_PAIR, .count = 2, .u.list = list, .loc = list[0].loc};
    return WW_OK;
}

/* Whether a minus is that of a register, which only vmad takes, not of a number. */
static ww_status at_minus(ptx_parser *p, bool *out)
{
    ptx_lexer ahead = p->lexer;
    ptx_token next = {0};
    if (p->may_negate && ww__parse_at(p, '-')) {
        WW_TRY(ww__lexer_next(&ahead, &next, p->err));
    }
    *out = next.kind == PTX_TOK_NAME;
    return WW_OK;
}

static ww_status parse_simple(ptx_parser *p, ptx_operand *out)
{
    bool minus;
    WW_TRY(at_minus(p, &minus));
    if (minus) {
        WW_TRY(ww__parse_advance(p));
        out->negated = true;
    }
    if (p->token.kind == PTX_TOK_NAME && !ww__parse_at_name(p, "WARP_SZ")) {
        WW_TRY(parse_name(p, out));
        bool is_pair;
        WW_TRY(ww__parse_accept(p, '|', &is_pair));
        if (is_pair) {
            return parse_pair(p, out);
        }
        return out->kind == PTX_OPD_VAR ? parse_displacement(p, &out->imm) : WW_OK;
    }
    if (ww__parse_at(p, '!')) {
        ptx_lexer ahead = p->lexer;
        ptx_token next;
        WW_TRY(ww__lexer_next(&ahead, &next, p->err));
        if (next.kind == PTX_TOK_NAME) {
            return ww__parse_predicate(p, out);
        }
    }
    ptx_constant c = {0};
    WW_TRY(ww__parse_constant(p, &c));
    out->kind = c.kind == PTX_TOK_INT   ? PTX_OPD_INT
                : c.kind == PTX_TOK_F32 ? PTX_OPD_F32
                                        : PTX_OPD_F64;
    out->imm = c.bits;
    return WW_OK;
}

static ww_status parse_operand(ptx_parser *p, ptx_operand *out)
{
    *out = (ptx_operand){.loc = p->token.loc};
    if (p->nesting == PTX_MAX_DEPTH) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "operands are nested more than %d deep",
                              PTX_MAX_DEPTH);
    }
    p->nesting++;
    ww_status status;
    if (ww__parse_at(p, '{')) {
        out->kind = PTX_OPD_VEC;
        status = parse_list(p, '}', out);
    } else if (ww__parse_at(p, '[')) {
        status = parse_address(p, out);
    } else {
        status = parse_simple(p, out);
    }
    p->nesting--;
    return status;
}

ww_status ww__parse_predicate(ptx_parser *p, ptx_operand *out)
{
    bool negated;
    *out = (ptx_operand){.loc = p->token.loc};
    WW_TRY(ww__parse_accept(p, '!', &negated));
    if (p->token.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "a predicate");
    }
    ptx_loc loc = p->token.loc;
    WW_TRY(parse_name(p, out));
    if (out->kind != PTX_OPD_REG || out->type != WW_T_PRED) {
        return ww__parse_fail(p, WW_EPARSE, loc, "a predicate register is needed here");
    }
    out->negated = negated;
    return WW_OK;
}

ww_status ww__parse_operands(ptx_parser *p, ptx_inst *inst)
{
    p->operand_count = 0;
    bool more = !ww__parse_at(p, ';');
    bool is_call = inst->form->op == WW_OP_CALL;
    p->may_negate = inst->form->op == WW_OP_VMAD;
    while (more) {
        ptx_operand o = {.loc = p->token.loc};
        if (is_call && ww__parse_at(p, '(')) {
            o.kind = PTX_OPD_LIST;
            WW_TRY(parse_list(p, ')', &o));
        } else {
            WW_TRY(parse_operand(p, &o));
        }
        WW_TRY(push(p, &o));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    WW_TRY(ww__parse_expect(p, ';'));
    WW_TRY(pop_list(p, 0, &inst->operand, &inst->operand_count));
    for (uint32_t i = 0; i < inst->operand_count && !is_call; i++) {
        if (inst->operand[i].kind == PTX_OPD_FUNC) {
            inst->operand[i].u.func->address_taken = true;
            p->ast->any_address = true;
        }
    }
    return WW_OK;
}
