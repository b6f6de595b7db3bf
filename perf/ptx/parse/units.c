/* units.c - several texts as one module: what their names stand for across units. */
#include <string.h>

#include "perf/ptx/parse/parser.h"

ww_status ww__parse_linkage(ptx_parser *p)
{
    p->linkage = (ptx_linkage){0};
    for (;;) {
        bool is_extern = ww__parse_at_dot(p, "extern");
        bool is_weak = ww__parse_at_dot(p, "weak") || ww__parse_at_dot(p, "common");
        if (!is_extern && !is_weak && !ww__parse_at_dot(p, "visible")) {
            return WW_OK;
        }
        p->linkage.is_linked = true;
        p->linkage.is_extern |= is_extern;
        p->linkage.is_weak |= is_weak;
        WW_TRY(ww__parse_advance(p));
    }
}

void ww__parse_end_unit(ptx_parser *p)
{
    for (ptx_decl *d = p->scope[0].decls; d != NULL; d = d->next) {
        d->name->plain = d->name->range = NULL;
    }
    p->scope[0].decls = NULL;
}

/* ---- functions ---- */

static ww_status already_declared(ptx_parser *p)
{
    return ww__parse_fail(p, WW_EPARSE, p->token.loc, "'%.*s' is already declared",
                          (int)(p->token.length < 200 ? p->token.length : 200), p->token.text);
}

static ww_status new_function(ptx_parser *p, bool is_kernel, ptx_function **out)
{
    ptx_function *f = WW_ARENA_NEW(p->arena, ptx_function);
    if (f == NULL || (f->name = ww__parse_text(p)) == NULL) {
        return ww__parse_no_memory(p);
    }
    f->is_kernel = is_kernel;
    f->loc = p->token.loc;
    f->unit = p->unit;
    f->linkage = p->linkage;
    *out = f;
    return WW_OK;
}

static ww_status add_function(ptx_parser *p, bool is_kernel, ptx_function **out)
{
    WW_TRY(new_function(p, is_kernel, out));
    ptx_function *f = *out;
    f->index = p->ast->function_count++;
    if (p->last_function != NULL) {
        p->last_function->next = f;
    } else {
        p->ast->functions = f;
    }
    p->last_function = f;
    if (!p->linkage.is_linked) {
        return WW_OK;
    }
    ww_map_entry *entry = ww_map_add_n(&p->linked_functions, p->token.text, p->token.length, NULL);
    if (entry == NULL) {
        return ww__parse_no_memory(p);
    }
    entry->ptr = f;
    return WW_OK;
}

/* Another unit's function of the current name, or NULL. */
static ptx_function *linked_function(const ptx_parser *p)
{
    const ww_map_entry *entry =
        p->linkage.is_linked ? ww_map_find_n(&p->linked_functions, p->token.text, p->token.length)
                             : NULL;
    return entry != NULL ? entry->ptr : NULL;
}

ww_status ww__parse_function_name(ptx_parser *p, bool is_kernel, ptx_function **fill)
{
    uint32_t index;
    const ptx_decl *old = ww__parse_find(p, p->token.text, p->token.length, &index);
    ptx_function *f = linked_function(p);
    if (old != NULL) {
        if (old->kind != PTX_DECL_FUNC || (old->func->has_body && old->func->unit == p->unit)) {
            return already_declared(p);
        }
        f = old->func;
    }
    if (f == NULL) {
        WW_TRY(add_function(p, is_kernel, &f));
    } else if (f->is_kernel != is_kernel) {
        return already_declared(p);
    }
    if (old == NULL) {
        WW_TRY(ww__parse_declare(p, &p->token, (ptx_decl){.kind = PTX_DECL_FUNC, .func = f}));
    }
    *fill = f;
    if (f->has_body) {
        return new_function(p, is_kernel, fill);
    }
    f->unit = p->unit;
    f->linkage = p->linkage;
    return WW_OK;
}

ww_status ww__parse_function_defined(ptx_parser *p, const ptx_function *fill)
{
    const ww_map_entry *entry = ww_map_find(&p->linked_functions, fill->name);
    const ptx_function *first = entry != NULL && fill->linkage.is_linked ? entry->ptr : fill;
    if (first != fill && !(first->linkage.is_weak && fill->linkage.is_weak)) {
        return ww__parse_fail(p, WW_EPARSE, fill->loc, "'%.200s' is defined by two units",
                              fill->name);
    }
    return WW_OK;
}

/* ---- variables ---- */

static bool is_definition(const ptx_var *v)
{
    return v->linkage.is_linked && !v->linkage.is_extern;
}

/* The definitions among all units, by name; one that is not weak has precedence. */
static ww_status list_definitions(ptx_parser *p, ww_map *definitions)
{
    for (ptx_var *v = p->ast->symbols; v != NULL; v = v->next) {
        if (!is_definition(v)) {
            continue;
        }
        ww_map_entry *entry = ww_map_add(definitions, v->name, NULL);
        if (entry == NULL) {
            return ww__parse_no_memory(p);
        }
        const ptx_var *other = entry->ptr;
        if (other != NULL && !other->linkage.is_weak && !v->linkage.is_weak) {
            return ww__parse_fail(p, WW_EPARSE, v->loc, "'%.200s' is defined by two units",
                                  v->name);
        }
        if (other == NULL || other->linkage.is_weak) {
            entry->ptr = v;
        }
    }
    return WW_OK;
}

/* The list runs from the last variable to the first; numbers, from the first to the last. */
static void keep_definitions(ptx_parser *p, const ww_map *definitions)
{
    ptx_var **end = &p->ast->symbols;
    ptx_var *others = NULL;
    uint32_t count = 0;
    while (*end != NULL) {
        ptx_var *v = *end;
        v->stands_for = v->linkage.is_linked ? ww_map_ptr(definitions, v->name) : NULL;
        if (v->stands_for != NULL && v->stands_for != v) {
            *end = v->next;
            v->next = others;
            others = v;
        } else {
            end = &v->next;
            count++;
        }
    }
    p->module->symbol_count = count;
    for (ptx_var *v = p->ast->symbols; v != NULL; v = v->next) {
        v->id = --count;
    }
    for (ptx_var *v = others; v != NULL; v = v->next) {
        v->id = v->stands_for->id;
    }
}

ww_status ww__link_variables(ptx_parser *p)
{
    ww_map definitions = {0};
    ww_status status = list_definitions(p, &definitions);
    if (status == WW_OK) {
        keep_definitions(p, &definitions);
    }
    ww_map_fini(&definitions);
    return status;
}
