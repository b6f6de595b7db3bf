/* decl.c - declarations: registers, variables of every state space, parameters. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

/* What stands between a space and a variable's name. */
typedef struct head {
    ww_type type;
    bool opaque; /* .texref, .samplerref, .surfref */
    unsigned vector;
    uint32_t align;
} head;

ww_space ww__parse_space(const ptx_parser *p)
{
    static const struct {
        const char *word;
        ww_space space;
    } spaces[] = {
        {"global", WW_SPACE_GLOBAL}, {"const", WW_SPACE_CONST}, {"shared", WW_SPACE_SHARED},
        {"local", WW_SPACE_LOCAL},   {"param", WW_SPACE_PARAM}, {"tex", WW_SPACE_TEX},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(spaces); i++) {
        if (ww__parse_at_dot(p, spaces[i].word)) {
            return spaces[i].space;
        }
    }
    return WW_SPACE_NONE;
}

static ww_status parse_alignment(ptx_parser *p, uint32_t *align)
{
    ptx_loc loc = p->token.loc;
    uint64_t n;
    WW_TRY(ww__parse_number(p, 1 << 16, &n));
    if (n == 0 || (n & (n - 1)) != 0) {
        return ww__parse_fail(p, WW_EPARSE, loc, "alignment must be a power of two");
    }
    *align = (uint32_t)n;
    return WW_OK;
}

/* ".ptr .global .align 16": what a pointer parameter points to. */
static ww_status parse_pointee(ptx_parser *p)
{
    WW_TRY(ww__parse_advance(p));
    if (ww__parse_space(p) != WW_SPACE_NONE) {
        WW_TRY(ww__parse_advance(p));
    }
    if (ww__parse_at_dot(p, "align")) {
        uint32_t ignored;
        WW_TRY(ww__parse_advance(p));
        return parse_alignment(p, &ignored);
    }
    return WW_OK;
}

static bool is_opaque(const ptx_parser *p)
{
    return ww__parse_at_dot(p, "texref") || ww__parse_at_dot(p, "samplerref") ||
           ww__parse_at_dot(p, "surfref");
}

static ww_status parse_head(ptx_parser *p, head *h)
{
    *h = (head){.type = WW_T_NONE, .vector = 1};
    while (p->token.kind == PTX_TOK_DOT) {
        ww_type type = ww_type_find(p->token.text, (unsigned)p->token.length);
        if (ww__parse_at_dot(p, "align")) {
            WW_TRY(ww__parse_advance(p));
            WW_TRY(parse_alignment(p, &h->align));
            continue;
        }
        if (ww__parse_at_dot(p, "ptr")) {
            WW_TRY(parse_pointee(p));
            continue;
        }
        if (ww__parse_at_dot(p, "attribute")) {
            WW_TRY(ww__parse_advance(p));
            WW_TRY(ww__parse_skip_brackets(p, '(', ')'));
            continue;
        }
        if (ww__parse_at_dot(p, "v2") || ww__parse_at_dot(p, "v4")) {
            h->vector = (unsigned)(p->token.text[1] - '0');
        } else if (is_opaque(p)) {
            h->opaque = true;
            h->type = WW_T_B64;
        } else if (type != WW_TYPE_COUNT) {
            h->type = type;
        } else {
            return ww__parse_expected(p, "a type");
        }
        WW_TRY(ww__parse_advance(p));
    }
    if (h->type == WW_T_NONE) {
        return ww__parse_expected(p, "a type");
    }
    return WW_OK;
}

/* ---- registers ---- */

static ww_status declare_registers(ptx_parser *p, const head *h, const ptx_token *name,
                                   bool is_range, uint64_t count, uint32_t *first)
{
    if (p->func->reg_count + count * (h->vector > 1 ? h->vector : 1) > PTX_MAX_REGISTERS) {
        return ww__parse_fail(p, WW_EUNSUP, name->loc, "more than %d registers in one function",
                              PTX_MAX_REGISTERS);
    }
    uint32_t vector = h->vector > 1 ? h->vector : 1;
    ptx_decl decl = {.kind = PTX_DECL_REG,
                     .is_range = is_range,
                     .type = h->type,
                     .first = p->func->reg_count,
                     .count = (uint32_t)count,
                     .vector = vector};
    p->func->reg_count += (uint32_t)count * vector;
    if (first != NULL) {
        *first = decl.first;
    }
    return ww__parse_declare(p, name, decl);
}

ww_status ww__parse_registers(ptx_parser *p)
{
    head h;
    bool more = true;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_head(p, &h));
    while (more) {
        ptx_token name = p->token;
        if (name.kind != PTX_TOK_NAME) {
            return ww__parse_expected(p, "a register name");
        }
        WW_TRY(ww__parse_advance(p));
        bool is_range;
        uint64_t count = 1;
        WW_TRY(ww__parse_accept(p, '<', &is_range));
        if (is_range) {
            WW_TRY(ww__parse_number(p, PTX_MAX_REGISTERS, &count));
            WW_TRY(ww__parse_expect(p, '>'));
        }
        WW_TRY(declare_registers(p, &h, &name, is_range, count, NULL));
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return ww__parse_expect(p, ';');
}

ww_status ww__parse_register_formal(ptx_parser *p, ptx_function *owner, ptx_operand *out,
                                    unsigned *elements)
{
    head h;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_head(p, &h));
    ptx_token name = p->token;
    if (name.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "a register name");
    }
    WW_TRY(ww__parse_advance(p));
    ptx_function *outer = p->func;
    p->func = owner;
    *out = (ptx_operand){.kind = PTX_OPD_REG, .type = (uint8_t)h.type, .loc = name.loc};
    ww_status status = declare_registers(p, &h, &name, false, 1, &out->reg);
    p->func = outer;
    *elements = h.vector;
    return status;
}

/* ---- variables ---- */

/* "[2][3]"; an empty first dimension is 0. */
static ww_status parse_dimensions(ptx_parser *p, ptx_var *v, uint64_t *dims, uint32_t *n)
{
    *n = 0;
    while (ww__parse_at(p, '[')) {
        if (*n == PTX_MAX_DIMENSIONS - 1) {
            return ww__parse_fail(p, WW_EPARSE, p->token.loc, "more than %d array dimensions",
                                  PTX_MAX_DIMENSIONS - 1);
        }
        WW_TRY(ww__parse_advance(p));
        uint64_t size = 0;
        ptx_loc loc = p->token.loc;
        if (!ww__parse_at(p, ']')) {
            WW_TRY(ww__parse_integer(p, &size));
        } else if (*n > 0) {
            return ww__parse_expected(p, "an array size");
        }
        WW_TRY(ww__parse_expect(p, ']'));
        if (size != 0 && v->bytes > PTX_MAX_VARIABLE_BYTES / size) {
            return ww__parse_fail(p, WW_EPARSE, loc, "'%.100s' is larger than 64 GiB", v->name);
        }
        v->bytes *= *n == 0 && size == 0 ? 1 : size;
        dims[(*n)++] = size;
        v->is_array = true;
    }
    return WW_OK;
}

/* Name, dimensions and layout of one variable. */
static ww_status parse_declarator(ptx_parser *p, ww_space space, const head *h, uint64_t *dims,
                                  uint32_t *n, ptx_var **out)
{
    if (p->token.kind != PTX_TOK_NAME) {
        return ww__parse_expected(p, "a variable name");
    }
    unsigned element = ww_type_bytes(h->type);
    if (element == 0) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "a variable cannot have type .%s",
                              ww_type_name(h->type));
    }
    ptx_var *v = WW_ARENA_NEW(p->arena, ptx_var);
    if (v == NULL || (v->name = ww__parse_text(p)) == NULL) {
        return ww__parse_no_memory(p);
    }
    v->space = h->opaque ? WW_SPACE_TEX : space;
    v->type = h->type;
    v->loc = p->token.loc;
    v->bytes = (uint64_t)element * h->vector;
    v->align = h->align != 0 ? h->align : (uint32_t)v->bytes;
    v->owner = p->func;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_dimensions(p, v, dims, n));
    if (v->is_array && dims[0] == 0) {
        v->bytes = 0;
    }
    if (h->vector > 1) {
        dims[(*n)++] = h->vector;
    }
    *out = v;
    return WW_OK;
}

/* Puts a variable into its list and numbers it. */
static void enlist(ptx_parser *p, ptx_var *v)
{
    switch (v->space) {
    case WW_SPACE_GLOBAL:
    case WW_SPACE_CONST:
    case WW_SPACE_TEX:
        if (v->space == WW_SPACE_TEX && p->func != NULL) {
            break;
        }
        v->id = p->module->symbol_count++;
        v->next = p->ast->symbols;
        p->ast->symbols = v;
        break;
    case WW_SPACE_SHARED:
        v->id = p->ast->shared_count++;
        v->next = p->ast->shared;
        p->ast->shared = v;
        break;
    case WW_SPACE_LOCAL:
        if (p->func != NULL) {
            v->id = p->func->local_count++;
            v->next = p->func->locals;
            p->func->locals = v;
        }
        break;
    case WW_SPACE_PARAM:
        if (p->func != NULL) {
            v->id = p->func->param_count++;
        }
        break;
    default:
        break;
    }
}

ww_status ww__parse_variables(ptx_parser *p, ww_space space)
{
    head h;
    bool more = true;
    ptx_loc loc = p->token.loc;
    WW_TRY(ww__parse_advance(p));
    if (p->func == NULL && (space == WW_SPACE_LOCAL || space == WW_SPACE_PARAM)) {
        return ww__parse_fail(p, WW_EUNSUP, loc, "a .%s variable outside a function",
                              ww_space_name(space));
    }
    WW_TRY(parse_head(p, &h));
    while (more) {
        uint64_t dims[PTX_MAX_DIMENSIONS] = {0};
        uint32_t n;
        ptx_var *v = NULL;
        ptx_token name = p->token;
        WW_TRY(parse_declarator(p, space, &h, dims, &n, &v));
        v->linkage = p->linkage;
        enlist(p, v);
        WW_TRY(ww__parse_declare(p, &name, (ptx_decl){.kind = PTX_DECL_VAR, .var = v}));
        bool initialised;
        WW_TRY(ww__parse_accept(p, '=', &initialised));
        if (initialised) {
            WW_TRY(ww__parse_initialiser(p, v, dims, n));
        } else if (v->is_array && dims[0] == 0 && v->space != WW_SPACE_SHARED &&
                   !v->linkage.is_extern) {
            return ww__parse_fail(p, WW_EPARSE, name.loc,
                                  "array '%.100s' has neither size nor initialiser", v->name);
        }
        WW_TRY(ww__parse_accept(p, ',', &more));
    }
    return ww__parse_expect(p, ';');
}

ww_status ww__parse_parameter(ptx_parser *p, ptx_function *owner, ptx_var **out)
{
    head h;
    uint64_t dims[PTX_MAX_DIMENSIONS] = {0};
    uint32_t n;
    WW_TRY(ww__parse_advance(p));
    WW_TRY(parse_head(p, &h));
    ptx_token name = p->token;
    ptx_function *outer = p->func;
    p->func = owner;
    ww_status status = parse_declarator(p, WW_SPACE_PARAM, &h, dims, &n, out);
    if (status == WW_OK) {
        (*out)->space = WW_SPACE_PARAM; /* an opaque handle as parameter is 64 bits */
        enlist(p, *out);
        status = ww__parse_declare(p, &name, (ptx_decl){.kind = PTX_DECL_VAR, .var = *out});
    }
    p->func = outer;
    return status;
}
