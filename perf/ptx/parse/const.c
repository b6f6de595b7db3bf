/* const.c - constant expressions (PTX manual, "Constant Expressions"): 64-bit integers, or
 * one floating-point number. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

static ww_status parse_binary(ptx_parser *p, int lowest, ptx_constant *out);

/* Binding strength of binary operators; 0: not one. */
static int strength(const ptx_parser *p)
{
    if (p->token.kind != PTX_TOK_PUNCT) {
        return 0;
    }
    switch (p->token.punct) {
    case PTX_P_OR:
        return 1;
    case PTX_P_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PTX_P_EQ:
    case PTX_P_NE:
        return 6;
    case '<':
    case '>':
    case PTX_P_LE:
    case PTX_P_GE:
        return 7;
    case PTX_P_SHL:
    case PTX_P_SHR:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

static ww_status divide(ptx_parser *p, int op, ptx_loc loc, bool is_unsigned, uint64_t a,
                        uint64_t b, uint64_t *out)
{
    if (b == 0) {
        return ww__parse_fail(p, WW_EPARSE, loc, "division by zero in a constant expression");
    }
    if (is_unsigned) {
        *out = op == '/' ? a / b : a % b;
    } else if ((int64_t)b == -1) {
        *out = op == '/' ? 0 - a : 0; /* INT64_MIN / -1 wraps */
    } else {
        *out = (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    }
    return WW_OK;
}

static bool compare(int op, bool is_unsigned, uint64_t a, uint64_t b)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case PTX_P_EQ:
        return a == b;
    case PTX_P_NE:
        return a != b;
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case PTX_P_LE:
        return less || a == b;
    default:
        return !less;
    }
}

static ww_status combine(ptx_parser *p, int op, ptx_loc loc, ptx_constant *left,
                         const ptx_constant *right)
{
    if (left->kind != PTX_TOK_INT || right->kind != PTX_TOK_INT) {
        return ww__parse_fail(p, WW_EPARSE, loc, "constant expressions take integers only");
    }
    uint64_t a = left->bits, b = right->bits;
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    left->is_unsigned = is_unsigned;
    switch (op) {
    case PTX_P_OR:
        left->bits = a != 0 || b != 0;
        break;
    case PTX_P_AND:
        left->bits = a != 0 && b != 0;
        break;
    case '|':
        left->bits = a | b;
        break;
    case '^':
        left->bits = a ^ b;
        break;
    case '&':
        left->bits = a & b;
        break;
    case '+':
        left->bits = a + b;
        break;
    case '-':
        left->bits = a - b;
        break;
    case '*':
        left->bits = a * b;
        break;
    case '/':
    case '%':
        return divide(p, op, loc, is_unsigned, a, b, &left->bits);
    case PTX_P_SHL:
        left->bits = b < 64 ? a << b : 0;
        break;
    case PTX_P_SHR:
        if (is_unsigned) {
            left->bits = b < 64 ? a >> b : 0;
        } else {
            left->bits = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
        }
        break;
    default:
        left->bits = compare(op, is_unsigned, a, b);
        break;
    }
    return WW_OK;
}

static ww_status parse_parenthesis(ptx_parser *p, ptx_constant *out)
{
    WW_TRY(ww__parse_advance(p));
    bool to_unsigned = ww__parse_at_dot(p, "u64");
    if (to_unsigned || ww__parse_at_dot(p, "s64")) {
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_expect(p, ')'));
        WW_TRY(parse_binary(p, 11, out));
        out->is_unsigned = to_unsigned;
        return WW_OK;
    }
    WW_TRY(ww__parse_constant(p, out));
    return ww__parse_expect(p, ')');
}

static ww_status parse_primary(ptx_parser *p, ptx_constant *out)
{
    if (p->token.kind == PTX_TOK_INT || p->token.kind == PTX_TOK_F32 ||
        p->token.kind == PTX_TOK_F64) {
        *out = (ptx_constant){p->token.kind, p->token.is_unsigned, p->token.value};
        return ww__parse_advance(p);
    }
    if (ww__parse_at_name(p, "WARP_SZ")) {
        *out = (ptx_constant){PTX_TOK_INT, false, 32};
        return ww__parse_advance(p);
    }
    if (ww__parse_at(p, '(')) {
        return parse_parenthesis(p, out);
    }
    return ww__parse_expected(p, "a constant");
}

static ww_status parse_unary(ptx_parser *p, ptx_constant *out)
{
    int op = p->token.kind == PTX_TOK_PUNCT ? p->token.punct : 0;
    if (op != '-' && op != '+' && op != '~' && op != '!') {
        return parse_primary(p, out);
    }
    ptx_loc loc = p->token.loc;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_binary(p, 11, out));
    if (out->kind != PTX_TOK_INT && (op == '~' || op == '!')) {
        return ww__parse_fail(p, WW_EPARSE, loc, "constant expressions take integers only");
    }
    switch (op) {
    case '-':
        if (out->kind == PTX_TOK_F32) {
            out->bits ^= 1ull << 31;
        } else if (out->kind == PTX_TOK_F64) {
            out->bits ^= 1ull << 63;
        } else {
            out->bits = 0 - out->bits;
        }
        break;
    case '~':
        out->bits = ~out->bits;
        break;
    case '!':
        out->bits = out->bits == 0;
        break;
    default:
        break;
    }
    return WW_OK;
}

/* Operators at least as strong as `lowest`; 11: operands of unary operators. */
static ww_status parse_binary(ptx_parser *p, int lowest, ptx_constant *out)
{
    if (p->nesting == PTX_MAX_DEPTH) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "expression is nested more than %d deep",
                              PTX_MAX_DEPTH);
    }
    p->nesting++;
    ww_status status = parse_unary(p, out);
    while (status == WW_OK && strength(p) >= lowest) {
        int op = p->token.punct, next = strength(p) + 1;
        ptx_loc loc = p->token.loc;
        ptx_constant right = {0};
        status = ww__parse_advance(p);
        status = status == WW_OK ? parse_binary(p, next, &right) : status;
        status = status == WW_OK ? combine(p, op, loc, out, &right) : status;
    }
    p->nesting--;
    return status;
}

ww_status ww__parse_constant(ptx_parser *p, ptx_constant *out)
{
    WW_TRY(parse_binary(p, 1, out));
    if (!ww__parse_at(p, '?')) {
        return WW_OK;
    }
    if (p->nesting == PTX_MAX_DEPTH) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "expression is nested more than %d deep",
                              PTX_MAX_DEPTH);
    }
    ptx_constant yes = {0}, no = {0};
    p->nesting++;
    ww_status status = ww__parse_advance(p);
    status = status == WW_OK ? ww__parse_constant(p, &yes) : status;
    status = status == WW_OK ? ww__parse_expect(p, ':') : status;
    status = status == WW_OK ? ww__parse_constant(p, &no) : status;
    p->nesting--;
    *out = out->bits != 0 ? yes : no;
    return status;
}

ww_status ww__parse_integer(ptx_parser *p, uint64_t *out)
{
    ptx_constant c = {0};
    ptx_loc loc = p->token.loc;
    WW_TRY(ww__parse_constant(p, &c));
    if (c.kind != PTX_TOK_INT) {
        return ww__parse_fail(p, WW_EPARSE, loc, "an integer is needed here");
    }
    *out = c.bits;
    return WW_OK;
}

static double as_double(const ptx_constant *c)
{
    if (c->kind == PTX_TOK_INT) {
        return c->is_unsigned ? (double)c->bits : (double)(int64_t)c->bits;
    }
    if (c->kind == PTX_TOK_F32) {
        float value;
        uint32_t bits = (uint32_t)c->bits;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &c->bits, sizeof value);
    return value;
}

uint64_t ww__constant_bits(const ptx_constant *c, ww_type type)
{
    unsigned bytes = ww_type_bytes(type);
    bool real = type == WW_T_F32 || type == WW_T_F64;
    if (c->kind == PTX_TOK_INT && !real) {
        return c->bits;
    }
    /* Written in the width of the destination: the bits themselves, NaN payloads included. */
    if ((c->kind == PTX_TOK_F32 && bytes == 4) || (c->kind == PTX_TOK_F64 && bytes == 8)) {
        return c->bits;
    }
    if (bytes == 8) {
        double value = as_double(c);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    float value = (float)as_double(c);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
