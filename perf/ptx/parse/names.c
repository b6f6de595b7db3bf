/* names.c - what names mean: nested blocks, register ranges, labels, and the table of
 * instruction forms. */
#include <stdio.h>
#include <string.h>

#include "perf/ptx/parse/parser.h"

/* ---- blocks ---- */

static ww_status add_scope_id(ptx_parser *p, uint32_t *id)
{
    if (p->scope_count == p->scope_capacity) {
        uint32_t capacity = p->scope_capacity != 0 ? 2 * p->scope_capacity : 64;
        uint32_t *parent = ww_realloc_array(p->scope_parent, capacity, sizeof *parent);
        if (parent == NULL) {
            return ww__parse_no_memory(p);
        }
        p->scope_parent = parent;
        p->scope_capacity = capacity;
    }
    *id = p->scope_count++;
    p->scope_parent[*id] = p->depth > 0 ? p->scope[p->depth].id : *id;
    return WW_OK;
}

ww_status ww__parse_open_block(ptx_parser *p)
{
    if (p->depth == PTX_MAX_DEPTH) {
        return ww__parse_fail(p, WW_EPARSE, p->token.loc, "blocks are nested more than %d deep",
                              PTX_MAX_DEPTH);
    }
    uint32_t id = 0;
    WW_TRY(add_scope_id(p, &id));
    p->depth++;
    p->scope[p->depth] = (ptx_block_scope){.id = id};
    return WW_OK;
}

void ww__parse_close_block(ptx_parser *p)
{
    for (ptx_decl *d = p->scope[p->depth].decls; d != NULL; d = d->next) {
        if (d->is_range) {
            d->name->range = d->shadowed;
        } else {
            d->name->plain = d->shadowed;
        }
    }
    p->depth--;
}

/* ---- declarations ---- */

static ww_status intern(ptx_parser *p, const ptx_token *token, ptx_name **out)
{
    bool added = false;
    ww_map_entry *entry = ww_map_add_n(&p->names, token->text, token->length, &added);
    if (entry == NULL) {
        return ww__parse_no_memory(p);
    }
    if (entry->ptr == NULL) {
        ptx_name *name = WW_ARENA_NEW(p->arena, ptx_name);
        if (name == NULL ||
            (name->text = ww_arena_strndup(p->arena, token->text, token->length)) == NULL) {
            return ww__parse_no_memory(p);
        }
        entry->ptr = name;
    }
    *out = entry->ptr;
    return WW_OK;
}

/* A module may declare a function or an extern variable again. */
static bool may_repeat(const ptx_decl *old, const ptx_decl *now)
{
    return old->kind == PTX_DECL_VAR && now->kind == PTX_DECL_VAR &&
           (old->var->linkage.is_extern || now->var->linkage.is_extern);
}

ww_status ww__parse_declare(ptx_parser *p, const ptx_token *token, ptx_decl decl)
{
    ptx_name *name = NULL;
    WW_TRY(intern(p, token, &name));
    ptx_decl **meaning = decl.is_range ? &name->range : &name->plain;
    if (*meaning != NULL && (*meaning)->depth == p->depth && !may_repeat(*meaning, &decl)) {
        return ww__parse_fail(p, WW_EPARSE, token->loc, "'%.*s' is already declared in this block",
                              (int)token->length, token->text);
    }
    ptx_decl *d = WW_ARENA_NEW(p->arena, ptx_decl);
    if (d == NULL) {
        return ww__parse_no_memory(p);
    }
    *d = decl;
    d->name = name;
    d->depth = p->depth;
    d->order = p->decl_count++;
    d->shadowed = *meaning;
    d->next = p->scope[p->depth].decls;
    p->scope[p->depth].decls = d;
    *meaning = d;
    return WW_OK;
}

/* Splits "%r12" into its range's name and number; the number has no leading zero. */
static bool split_number(const char *text, size_t n, size_t *prefix, uint32_t *number)
{
    size_t at = n;
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') {
        at--;
    }
    if (at == 0 || at == n || n - at > 7 || (text[at] == '0' && n - at > 1)) {
        return false;
    }
    uint32_t value = 0;
    for (size_t i = at; i < n; i++) {
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *prefix = at;
    *number = value;
    return true;
}

const ptx_decl *ww__parse_find(const ptx_parser *p, const char *text, size_t n, uint32_t *index)
{
    const ptx_decl *plain = NULL;
    const ww_map_entry *entry = ww_map_find_n(&p->names, text, n);
    if (entry != NULL && entry->ptr != NULL) {
        plain = ((const ptx_name *)entry->ptr)->plain;
    }
    size_t prefix;
    uint32_t number;
    *index = 0;
    if (!split_number(text, n, &prefix, &number)) {
        return plain;
    }
    entry = ww_map_find_n(&p->names, text, prefix);
    const ptx_decl *range =
        entry != NULL && entry->ptr != NULL ? ((const ptx_name *)entry->ptr)->range : NULL;
    while (range != NULL && number >= range->count) {
        range = range->shadowed; /* an outer block may declare more of them */
    }
    if (range == NULL || (plain != NULL && plain->order > range->order)) {
        return plain;
    }
    *index = number;
    return range;
}

/* ---- labels ---- */

/* The map entry of a label of one block. */
static ww_map_entry *label_entry(ptx_parser *p, uint32_t scope, const char *text, size_t n,
                                 bool add)
{
    char key[512];
    int prefix = snprintf(key, sizeof key, "%u ", scope);
    if (n + (size_t)prefix >= sizeof key) {
        return NULL;
    }
    memcpy(key + prefix, text, n);
    key[(size_t)prefix + n] = '\0';
    return add ? ww_map_add(&p->labels, key, NULL) : ww_map_find(&p->labels, key);
}

ww_status ww__parse_declare_label(ptx_parser *p, const ptx_token *name, ptx_label **out)
{
    if (name->length > 480) {
        return ww__parse_fail(p, WW_EPARSE, name->loc, "label is longer than 480 characters");
    }
    uint32_t scope = p->scope[p->depth].id;
    ww_map_entry *entry = label_entry(p, scope, name->text, name->length, true);
    ptx_label *label = WW_ARENA_NEW(p->arena, ptx_label);
    if (entry == NULL || label == NULL) {
        return ww__parse_no_memory(p);
    }
    if (entry->ptr != NULL) {
        return ww__parse_fail(p, WW_EPARSE, name->loc,
                              "label '%.*s' is already declared in this block", (int)name->length,
                              name->text);
    }
    *label = (ptx_label){.scope = scope, .inst = p->func->inst_count, .loc = name->loc};
    label->name = ww_arena_strndup(p->arena, name->text, name->length);
    if (label->name == NULL) {
        return ww__parse_no_memory(p);
    }
    entry->ptr = label;
    *out = label;
    return WW_OK;
}

ww_status ww__parse_refer_label(ptx_parser *p, const ptx_token *name, ptx_label **out)
{
    ptx_label *label = WW_ARENA_NEW(p->arena, ptx_label);
    if (label == NULL) {
        return ww__parse_no_memory(p);
    }
    *label = (ptx_label){.scope = p->scope[p->depth].id, .next = p->label_refs, .loc = name->loc};
    label->name = ww_arena_strndup(p->arena, name->text, name->length);
    if (label->name == NULL) {
        return ww__parse_no_memory(p);
    }
    p->label_refs = label;
    *out = label;
    return WW_OK;
}

ww_status ww__parse_bind_labels(ptx_parser *p)
{
    const ptx_label *lost = NULL;
    for (ptx_label *ref = p->label_refs; ref != NULL; ref = ref->next) {
        size_t n = strlen(ref->name);
        for (uint32_t scope = ref->scope;; scope = p->scope_parent[scope]) {
            const ww_map_entry *entry = label_entry(p, scope, ref->name, n, false);
            if (entry != NULL) {
                ref->target = entry->ptr;
                break;
            }
            if (p->scope_parent[scope] == scope) {
                lost =
                    ref; /* the list is newest first: the last one found is the first in the text */
                break;
            }
        }
    }
    if (lost != NULL) {
        return ww__parse_fail(p, WW_EPARSE, lost->loc, "'%.200s' is not declared", lost->name);
    }
    return WW_OK;
}

/* ---- forms ---- */

ww_status ww__parse_form(ptx_parser *p, const char *text, size_t n, const ptx_form **out)
{
    ww_map_entry *entry = ww_map_add_n(&p->forms, text, n, NULL);
    if (entry == NULL) {
        return ww__parse_no_memory(p);
    }
    if (entry->ptr == NULL) {
        ptx_form *form = WW_ARENA_NEW(p->arena, ptx_form);
        char problem[512];
        if (form == NULL || (form->text = ww_arena_strndup(p->arena, text, n)) == NULL) {
            return ww__parse_no_memory(p);
        }
        ww__form_decode(text, n, form, problem, sizeof problem);
        if (form->problem != NULL &&
            (form->problem = ww_arena_strndup(p->arena, problem, strlen(problem))) == NULL) {
            return ww__parse_no_memory(p);
        }
        entry->ptr = form;
    }
    *out = entry->ptr;
    return WW_OK;
}
