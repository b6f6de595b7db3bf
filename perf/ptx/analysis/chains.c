/* chains.c - reaching definitions and liveness, cell by cell.
 * Inside a block the definitions of a cell form a list, latest first, and a read walks it until a
 * definition ends it: an unguarded one, one under the read's own guard while that predicate is
 * unchanged, or the second of two under opposite guards. Only what such walks leave open goes
 * through the two data-flow problems over blocks: live cells (backward), then the definitions that
 * leave their block alive (forward). */
#include <stdlib.h>
#include <string.h>

#include "perf/ptx/analysis/internal.h"

#define NONE UINT32_MAX

enum { GUARDS_COMPARED = 16 }; /* definitions looked back at for an opposite guard */

typedef struct solver {
    const ww_view *view;
    ww_arena *arena;
    ww_chains *out;
    uint32_t *last;    /* [cell] latest definition in the block being walked; NONE */
    uint32_t *earlier; /* [access] of a write: the definition of its cell before it in its block */
    uint32_t
        *version; /* [inst] definition of its guard that holds there; NONE: none in the block */
    bool *leaves; /* [access] a write that reaches the end of its block */
    uint64_t *exposed, *kill; /* [block][words] cells read before defined; cells ended */
    uint32_t *first;          /* [cell + 1] global definitions of a cell: ids [first, first + 1) */
    uint32_t *global;         /* [id] access; WW_DEF_ENTRY */
    uint32_t *id;             /* [access] global id; NONE */
    uint32_t ids, id_words;
    uint64_t *in, *held; /* [block][id_words] definitions that reach it; those that pass it */
    uint32_t *found;     /* definitions of the read at hand */
    uint32_t found_count;
} solver;

static bool same_predicate(const solver *s, uint32_t a, uint32_t b)
{
    const ww_operand *x = &s->view->inst[a].guard, *y = &s->view->inst[b].guard;
    return x->kind == WW_OPD_PRED && y->kind == WW_OPD_PRED && x->reg == y->reg &&
           s->version[a] == s->version[b];
}

static bool same_guard(const solver *s, uint32_t a, uint32_t b)
{
    return same_predicate(s, a, b) && s->view->inst[a].guard.flags == s->view->inst[b].guard.flags;
}

static bool opposite_guard(const solver *s, uint32_t a, uint32_t b)
{
    return same_predicate(s, a, b) && s->view->inst[a].guard.flags != s->view->inst[b].guard.flags;
}

static bool found_opposite(const solver *s, uint32_t inst)
{
    for (uint32_t k = 0; k < s->found_count && k < GUARDS_COMPARED; k++) {
        if (opposite_guard(s, s->view->access[s->found[k]].inst, inst)) {
            return true;
        }
    }
    return false;
}

/* Lists in s->found the definitions of a cell, latest first from `def`, that instruction `reader`
 * may see (NONE: the end of the block). True when no earlier value is left. */
static bool walk(solver *s, uint32_t def, uint32_t reader)
{
    s->found_count = 0;
    for (; def != NONE; def = s->earlier[def]) {
        uint32_t inst = s->view->access[def].inst;
        if (reader != NONE && opposite_guard(s, inst, reader)) {
            continue;
        }
        bool ends = s->view->inst[inst].guard.kind == WW_OPD_NONE ||
                    (reader != NONE && same_guard(s, inst, reader)) || found_opposite(s, inst);
        s->found[s->found_count++] = def;
        if (ends) {
            return true;
        }
    }
    return false;
}

/* ---- walking a block ---- */

static void enter_block(solver *s)
{
    memset(s->last, 0xff, ((size_t)s->view->cell_count + 1) * sizeof *s->last);
}

static void enter_inst(solver *s, uint32_t inst)
{
    uint32_t count, cell = ww_view_cells(s->view, s->view->inst[inst].guard, &count);
    s->version[inst] = count > 0 ? s->last[cell] : NONE;
}

static void define(solver *s, uint32_t inst)
{
    const ww_view *v = s->view;
    for (uint32_t a = v->writes[inst]; a < v->reads[inst + 1]; a++) {
        s->earlier[a] = s->last[v->access[a].cell];
        s->last[v->access[a].cell] = a;
    }
}

/* What a block reads of its predecessors, what it ends, and which of its definitions leave it. */
static void summarize(solver *s, uint32_t block)
{
    const ww_view *v = s->view;
    const ww_block *b = &v->cfg.block[block];
    uint64_t *exposed = s->exposed + (size_t)block * s->out->words;
    uint64_t *kill = s->kill + (size_t)block * s->out->words;
    enter_block(s);
    for (uint32_t i = b->first; i < b->last; i++) {
        enter_inst(s, i);
        for (uint32_t a = v->reads[i]; a < v->writes[i]; a++) {
            if (!walk(s, s->last[v->access[a].cell], i)) {
                ww__add_bit(exposed, v->access[a].cell);
            }
        }
        define(s, i);
    }
    for (uint32_t a = v->writes[b->first]; a < v->reads[b->last]; a++) {
        uint32_t cell = v->access[a].cell;
        if (s->last[cell] != a || v->access[a].role != WW_ROLE_DST) {
            continue; /* once per cell, at its latest definition */
        }
        if (walk(s, a, NONE)) {
            ww__add_bit(kill, cell);
        }
        for (uint32_t k = 0; k < s->found_count; k++) {
            s->leaves[s->found[k]] = true;
        }
    }
}

/* ---- liveness ---- */

static void solve_liveness(solver *s)
{
    const ww_cfg *cfg = &s->view->cfg;
    uint32_t words = s->out->words;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->block_count; b-- > 0;) {
            uint64_t *out = s->out->live_out + (size_t)b * words;
            uint64_t *in = s->out->live_in + (size_t)b * words;
            for (uint32_t k = 0; k < cfg->block[b].succ_count; k++) {
                uint32_t to = ww_block_successor(&cfg->block[b], k);
                ww__join_bits(out, s->out->live_in + (size_t)to * words, words);
            }
            for (uint32_t w = 0; w < words; w++) {
                size_t at = (size_t)b * words + w;
                uint64_t now = s->exposed[at] | (out[w] & ~s->kill[at]);
                changed |= now != in[w];
                in[w] = now;
            }
        }
    }
}

/* ---- reaching definitions ---- */

static bool is_global(const solver *s, uint32_t access)
{
    const ww_access *a = &s->view->access[access];
    uint32_t block = ww_view_block(s->view, a->inst);
    return s->leaves[access] &&
           ww__has_bit(s->out->live_out + (size_t)block * s->out->words, a->cell);
}

/* Numbers definitions that matter beyond their block by cell: in order, the entry's last. */
static ww_status number_definitions(solver *s, ww_error *err)
{
    const ww_view *v = s->view;
    uint32_t *next = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)v->cell_count + 1);
    if (next == NULL) {
        return ww__analysis_no_memory(v, err);
    }
    for (uint32_t a = 0; a < v->access_count; a++) {
        next[v->access[a].cell] += is_global(s, a);
    }
    for (uint32_t c = 0; c < v->cell_count; c++) {
        s->first[c + 1] = s->first[c] + next[c] + ww__has_bit(s->out->live_in, c);
        next[c] = s->first[c];
    }
    s->ids = s->first[v->cell_count];
    s->id_words = (s->ids + 63) / 64;
    s->global = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)s->ids + 1);
    if (s->global == NULL) {
        return ww__analysis_no_memory(v, err);
    }
    memset(s->global, 0xff, ((size_t)s->ids + 1) * sizeof *s->global);
    for (uint32_t a = 0; a < v->access_count; a++) {
        s->id[a] = is_global(s, a) ? next[v->access[a].cell]++ : NONE;
        if (s->id[a] != NONE) {
            WW_ASSERT(s->id[a] < s->ids);
            s->global[s->id[a]] = a;
        }
    }
    return WW_OK;
}

/* Removes from a set the definitions of the cells that a block ends. */
static void remove_killed(const solver *s, uint32_t block, uint64_t *set)
{
    const uint64_t *kill = s->kill + (size_t)block * s->out->words;
    for (uint32_t w = 0; w < s->out->words; w++) {
        for (uint64_t bits = kill[w]; bits != 0; bits &= bits - 1) {
            uint32_t cell = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t d = s->first[cell]; d < s->first[cell + 1]; d++) {
                ww__drop_bit(set, d);
            }
        }
    }
}

static void solve_reaching(solver *s)
{
    const ww_view *v = s->view;
    uint64_t *now = s->held; /* [id_words] of scratch: what leaves the block at hand */
    for (uint32_t c = 0; c < v->cell_count; c++) {
        if (ww__has_bit(s->out->live_in, c)) {
            ww__add_bit(s->in, s->first[c + 1] - 1); /* the entry's */
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < v->cfg.block_count; b++) {
            const ww_block *block = &v->cfg.block[b];
            if (v->dominance.first[b] == UINT32_MAX) {
                continue; /* never runs */
            }
            memcpy(now, s->in + (size_t)b * s->id_words, s->id_words * sizeof *now);
            remove_killed(s, b, now);
            for (uint32_t a = v->writes[block->first]; a < v->reads[block->last]; a++) {
                if (s->id[a] != NONE) {
                    ww__add_bit(now, s->id[a]);
                }
            }
            for (uint32_t k = 0; k < block->succ_count; k++) {
                size_t to = ww_block_successor(block, k);
                changed |= ww__join_bits(s->in + to * s->id_words, now, s->id_words);
            }
        }
    }
}

/* ---- chains ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* All definitions of a read, ascending and once each, into s->found. */
static void definitions_of(solver *s, uint32_t block, uint32_t access)
{
    const ww_access *a = &s->view->access[access];
    const uint64_t *in = s->in + (size_t)block * s->id_words;
    if (!walk(s, s->last[a->cell], a->inst)) {
        for (uint32_t d = s->first[a->cell]; d < s->first[a->cell + 1]; d++) {
            if (ww__has_bit(in, d)) {
                s->found[s->found_count++] = s->global[d];
            }
        }
    }
    qsort(s->found, s->found_count, sizeof *s->found, compare_numbers);
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->found_count; k++) {
        if (n == 0 || s->found[n - 1] != s->found[k]) {
            s->found[n++] = s->found[k];
        }
    }
    s->found_count = n;
}

/* One pair (read, definition): counted in both chains, or, once there is a list, entered. */
static void pair(solver *s, uint32_t *next, uint32_t from, uint32_t to)
{
    if (s->out->list != NULL) {
        s->out->list[next[from]] = to;
    }
    next[from]++;
}

static void scan_chains(solver *s, uint32_t *next)
{
    const ww_view *v = s->view;
    for (uint32_t b = 0; b < v->cfg.block_count; b++) {
        enter_block(s);
        for (uint32_t i = v->cfg.block[b].first; i < v->cfg.block[b].last; i++) {
            for (uint32_t a = v->reads[i]; a < v->writes[i]; a++) {
                definitions_of(s, b, a);
                for (uint32_t k = 0; k < s->found_count; k++) {
                    pair(s, next, a, s->found[k]);
                    if (s->found[k] != WW_DEF_ENTRY) {
                        pair(s, next, s->found[k], a);
                    }
                }
            }
            define(s, i);
        }
    }
}

static ww_status list_chains(solver *s, ww_error *err)
{
    size_t n = s->view->access_count;
    uint32_t *next = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, n + 1);
    if (next == NULL) {
        return ww__analysis_no_memory(s->view, err);
    }
    scan_chains(s, next);
    for (size_t a = 0; a < n; a++) {
        s->out->at[a + 1] = s->out->at[a] + next[a];
    }
    s->out->list = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)s->out->at[n] + 1);
    if (s->out->list == NULL) {
        return ww__analysis_no_memory(s->view, err);
    }
    memcpy(next, s->out->at, n * sizeof *next);
    scan_chains(s, next);
    return WW_OK;
}

/* ---- all of it ---- */

static ww_status allocate(solver *s, ww_error *err)
{
    const ww_view *v = s->view;
    ww_chains *out = s->out;
    size_t rows = (size_t)v->cfg.block_count + 1, accesses = (size_t)v->access_count + 1;
    out->words = (v->cell_count + 63) / 64;
    out->live_in = WW_ARENA_NEW_ARRAY(s->arena, uint64_t, rows * out->words);
    out->live_out = WW_ARENA_NEW_ARRAY(s->arena, uint64_t, rows * out->words);
    s->exposed = WW_ARENA_NEW_ARRAY(s->arena, uint64_t, rows * out->words);
    s->kill = WW_ARENA_NEW_ARRAY(s->arena, uint64_t, rows * out->words);
    s->last = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)v->cell_count + 1);
    s->version = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)v->inst_count + 1);
    s->first = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, (size_t)v->cell_count + 2);
    s->earlier = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, accesses);
    s->id = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, accesses);
    s->leaves = WW_ARENA_NEW_ARRAY(s->arena, bool, accesses);
    s->found = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, 2 * accesses + v->cell_count);
    out->at = WW_ARENA_NEW_ARRAY(s->arena, uint32_t, accesses);
    bool complete = out->live_in != NULL && out->live_out != NULL && s->exposed != NULL &&
                    s->kill != NULL && s->last != NULL && s->version != NULL && s->first != NULL &&
                    s->earlier != NULL && s->id != NULL && s->leaves != NULL && s->found != NULL &&
                    out->at != NULL;
    return complete ? WW_OK : ww__analysis_no_memory(v, err);
}

ww_status ww_chains_build(const ww_view *view, ww_arena *arena, ww_chains *out, ww_error *err)
{
    *out = (ww_chains){0};
    solver s = {.view = view, .arena = arena, .out = out};
    WW_TRY(allocate(&s, err));
    for (uint32_t b = 0; b < view->cfg.block_count; b++) {
        summarize(&s, b);
    }
    solve_liveness(&s);
    WW_TRY(number_definitions(&s, err));
    s.in = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)view->cfg.block_count * s.id_words + 1);
    s.held = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)s.id_words + 1);
    if (s.in == NULL || s.held == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    solve_reaching(&s);
    return list_chains(&s, err);
}

void ww_live_before(const ww_view *view, const ww_chains *chains, uint32_t inst, uint64_t *live)
{
    uint32_t block = ww_view_block(view, inst);
    const ww_block *b = &view->cfg.block[block];
    const uint64_t *from = inst == b->first ? chains->live_in : chains->live_out;
    memcpy(live, from + (size_t)block * chains->words, chains->words * sizeof *live);
    for (uint32_t i = b->last; inst != b->first && i-- > inst;) {
        for (uint32_t a = view->writes[i]; a < view->reads[i + 1]; a++) {
            if (view->inst[i].guard.kind == WW_OPD_NONE) {
                ww__drop_bit(live, view->access[a].cell);
            }
        }
        for (uint32_t a = view->reads[i]; a < view->writes[i]; a++) {
            ww__add_bit(live, view->access[a].cell);
        }
    }
}
