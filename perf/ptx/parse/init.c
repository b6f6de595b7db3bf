/* init.c - initialisers of .global and .const variables: numbers, nested braces, addresses of
 * variables. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

typedef struct initialiser {
    ptx_var *var;
    const uint64_t *dims;
    uint32_t dim_count;
    uint64_t at;      /* next byte */
    uint64_t written; /* bytes defined so far */
    unsigned element; /* bytes */
} initialiser;

static ww_status grow(ptx_parser *p, uint64_t bytes, ptx_loc loc)
{
    if (bytes <= p->init_capacity) {
        return WW_OK;
    }
    if (bytes > PTX_MAX_INIT_BYTES) {
        return ww__parse_fail(p, WW_EUNSUP, loc, "initialiser is larger than 256 MiB");
    }
    uint64_t capacity = p->init_capacity != 0 ? p->init_capacity : 256;
    while (capacity < bytes) {
        capacity *= 2;
    }
    unsigned char *init = ww_realloc_array(p->init, (size_t)capacity, 1);
    if (init == NULL) {
        return ww__parse_no_memory(p);
    }
    p->init = init;
    p->init_capacity = capacity;
    return WW_OK;
}

static ww_status put(ptx_parser *p, initialiser *i, uint64_t bits, ptx_loc loc)
{
    if (!i->var->is_array || i->dims[0] != 0) {
        if (i->at + i->element > i->var->bytes) {
            return ww__parse_fail(p, WW_EPARSE, loc, "too many values for '%.100s' of %llu bytes",
                                  i->var->name, (unsigned long long)i->var->bytes);
        }
    }
    WW_TRY(grow(p, i->at + i->element, loc));
    if (i->at > i->written) {
        memset(p->init + i->written, 0, (size_t)(i->at - i->written));
    }
    for (unsigned k = 0; k < i->element; k++) {
        p->init[i->at + k] = (unsigned char)(k < 8 ? bits >> (8 * k) : 0);
    }
    i->at += i->element;
    i->written = i->written > i->at ? i->written : i->at;
    return WW_OK;
}

static ww_status put_address(ptx_parser *p, initialiser *i)
{
    ptx_loc loc = p->token.loc;
    bool generic = ww__parse_at_name(p, "generic");
    if (generic) {
        WW_TRY(ww__parse_advance(p));
        WW_TRY(ww__parse_expect(p, '('));
    }
    uint32_t index;
    const ptx_decl *decl = p->token.kind == PTX_TOK_NAME
                               ? ww__parse_find(p, p->token.text, p->token.length, &index)
                               : NULL;
    if (decl == NULL || decl->kind == PTX_DECL_REG) {
        return ww__parse_expected(p, "a constant or a declared variable");
    }
    WW_TRY(ww__parse_advance(p));
    if (generic) {
        WW_TRY(ww__parse_expect(p, ')'));
    }
    uint64_t addend = 0;
    if (ww__parse_at(p, '+') || ww__parse_at(p, '-')) {
        WW_TRY(ww__parse_integer(p, &addend)); /* takes the sign */
    }
    if (decl->kind == PTX_DECL_FUNC) {
        decl->func->address_taken = true;
        p->ast->any_address = true;
        return put(p, i, ww__function_address(decl->func) + addend, loc);
    }
    if (i->element != 8 ||
        (decl->var->space != WW_SPACE_GLOBAL && decl->var->space != WW_SPACE_CONST)) {
        return ww__parse_fail(p, WW_EUNSUP, loc,
                              "address of '%.100s': initialisers take 64-bit addresses of .global "
                              "and .const variables",
                              decl->var->name);
    }
    ptx_reloc *reloc = WW_ARENA_NEW(p->arena, ptx_reloc);
    if (reloc == NULL) {
        return ww__parse_no_memory(p);
    }
    *reloc = (ptx_reloc){
        .offset = i->at, .target = decl->var, .addend = (int64_t)addend, .next = i->var->relocs};
    i->var->relocs = reloc;
    i->var->reloc_count++;
    return put(p, i, 0, loc);
}

/* Bytes of one item of the braces at a level. */
static uint64_t stride(const initialiser *i, uint32_t level)
{
    uint64_t bytes = i->element;
    for (uint32_t k = level + 1; k < i->dim_count; k++) {
        bytes *= i->dims[k];
    }
    return bytes;
}

static ww_status parse_value(ptx_parser *p, initialiser *i, uint32_t level);

/* The items between braces; an item in braces of its own starts a row. */
static ww_status parse_row(ptx_parser *p, initialiser *i, uint32_t level)
{
    uint64_t start = i->at;
    WW_TRY(ww__parse_advance(p));
    bool more = !ww__parse_at(p, '}');
    while (more) {
        bool nested = ww__parse_at(p, '{');
        uint64_t item = i->at;
        WW_TRY(parse_value(p, i, level + 1));
        if (nested) {
            i->at = item + stride(i, level);
        }
        WW_TRY(ww__parse_accept(p, ',', &more));
        more = more && !ww__parse_at(p, '}');
    }
    if (i->at < start) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "initialiser is too large");
    }
    return ww__parse_expect(p, '}');
}

static ww_status parse_value(ptx_parser *p, initialiser *i, uint32_t level)
{
    if (ww__parse_at(p, '{')) {
        if (level >= PTX_MAX_DIMENSIONS) {
            return ww__parse_fail(p, WW_EPARSE, p->token.loc,
                                  "initialiser is nested more than %d deep", PTX_MAX_DIMENSIONS);
        }
        return parse_row(p, i, level);
    }
    if (p->token.kind == PTX_TOK_NAME && !ww__parse_at_name(p, "WARP_SZ")) {
        return put_address(p, i);
    }
    ptx_constant c = {0};
    ptx_loc loc = p->token.loc;
    WW_TRY(ww__parse_constant(p, &c));
    if (ww__parse_at(p, '(')) {
        return ww__parse_fail(p, WW_EUNSUP, loc,
                              "bytes of an address as initialiser are not supported");
    }
    return put(p, i, ww__constant_bits(&c, i->var->type), loc);
}

ww_status ww__parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, uint32_t n)
{
    if (v->space != WW_SPACE_GLOBAL && v->space != WW_SPACE_CONST) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc,
                              "only .global and .const variables can be initialised");
    }
    initialiser i = {.var = v, .dims = dims, .dim_count = n, .element = ww_type_bytes(v->type)};
    WW_TRY(parse_value(p, &i, 0));
    if (v->is_array && dims[0] == 0) {
        v->bytes = i.written;
    }
    if (i.written > 0) {
        unsigned char *init = ww_arena_alloc(p->arena, (size_t)i.written, 1);
        if (init == NULL) {
            return ww__parse_no_memory(p);
        }
        memcpy(init, p->init, (size_t)i.written);
        v->init = init;
        v->init_bytes = i.written;
    }
    return WW_OK;
}
