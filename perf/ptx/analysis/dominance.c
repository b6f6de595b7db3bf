/* dominance.c - dominators, both trees numbered so that a question is two comparisons, and control
 * dependence. Methods: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001);
 * Ferrante, Ottenstein, Warren, "The Program Dependence Graph and Its Use in Optimization" (1987).
 */
#include <string.h>

#include "perf/ptx/analysis/internal.h"

/* ---- immediate dominators ---- */

typedef struct postorder {
    uint32_t *number; /* [block]; UINT32_MAX: the entry does not reach it */
    uint32_t *list;   /* blocks by ascending number */
    uint32_t count;
} postorder;

/* Depth-first from the entry; iterative, since graphs may be deep. */
static ww_status number_blocks(const ww_view *view, ww_arena *arena, postorder *o, ww_error *err)
{
    const ww_cfg *cfg = &view->cfg;
    size_t n = (size_t)cfg->block_count + 1;
    uint32_t *stack = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    uint32_t *next = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    o->number = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    o->list = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    if (stack == NULL || next == NULL || o->number == NULL || o->list == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    memset(o->number, 0xff, n * sizeof *o->number);
    uint32_t depth = 1; /* stack[0] is the entry, block 0 */
    o->number[0] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (next[block] < cfg->block[block].succ_count) {
            uint32_t s = ww_block_successor(&cfg->block[block], next[block]++);
            if (o->number[s] == UINT32_MAX) {
                o->number[s] = 0;
                WW_ASSERT(depth < cfg->block_count); /* each block is on the stack once */
                stack[depth++] = s;
            }
        } else {
            o->number[block] = o->count;
            WW_ASSERT(o->count < cfg->block_count);
            o->list[o->count++] = block;
            depth--;
        }
    }
    return WW_OK;
}

static uint32_t meet(const postorder *o, const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (o->number[a] < o->number[b]) {
            a = idom[a];
        }
        while (o->number[b] < o->number[a]) {
            b = idom[b];
        }
    }
    return a;
}

static void find_idoms(const ww_view *view, const postorder *o, uint32_t *idom)
{
    memset(idom, 0xff, ((size_t)view->cfg.block_count + 1) * sizeof *idom);
    idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = o->count - 1; k-- > 0;) {
            uint32_t block = o->list[k], found = UINT32_MAX;
            const ww_block *b = &view->cfg.block[block];
            for (uint32_t p = 0; p < b->pred_count; p++) {
                if (idom[b->pred[p]] != UINT32_MAX) {
                    found = found == UINT32_MAX ? b->pred[p] : meet(o, idom, b->pred[p], found);
                }
            }
            changed |= idom[block] != found;
            idom[block] = found;
        }
    }
    idom[0] = WW_NO_TARGET;
}

/* ---- numbering a tree given by parents ---- */

typedef struct tree {
    const uint32_t *parent;   /* [node]; WW_NO_TARGET: a root */
    uint32_t *child, *sister; /* first child of a node, next child of its parent */
    uint32_t count;
} tree;

static void link_children(tree *t)
{
    memset(t->child, 0xff, ((size_t)t->count + 1) * sizeof *t->child);
    memset(t->sister, 0xff, ((size_t)t->count + 1) * sizeof *t->sister);
    for (uint32_t i = t->count; i-- > 0;) {
        if (t->parent[i] != WW_NO_TARGET) {
            t->sister[i] = t->child[t->parent[i]];
            t->child[t->parent[i]] = i;
        }
    }
}

/* Preorder numbers below a root: a node's subtree is [first, last]. */
static void number_tree(const tree *t, uint32_t root, uint32_t *next, uint32_t *first,
                        uint32_t *last)
{
    uint32_t at = root;
    first[at] = (*next)++;
    for (;;) {
        if (t->child[at] != UINT32_MAX) {
            at = t->child[at];
            first[at] = (*next)++;
            continue;
        }
        last[at] = *next - 1;
        while (at != root && t->sister[at] == UINT32_MAX) {
            at = t->parent[at];
            last[at] = *next - 1;
        }
        if (at == root) {
            return;
        }
        at = t->sister[at];
        first[at] = (*next)++;
    }
}

/* ---- control dependence ---- */

/* Calls behind every (branch block, block that it decides): the blocks from each successor up the
 * post-dominator tree, without the branch's own post-dominator. A block may come twice for one
 * branch; `mark` suppresses that. */
static void scan_control(const ww_view *view, uint32_t *mark, uint32_t *at, uint32_t *list)
{
    const ww_cfg *cfg = &view->cfg;
    memset(mark, 0xff, ((size_t)cfg->block_count + 1) * sizeof *mark);
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        const ww_block *block = &cfg->block[b];
        for (uint32_t k = 0; block->succ_count > 1 && k < block->succ_count; k++) {
            uint32_t to = ww_block_successor(block, k);
            for (; to != WW_NO_TARGET && to != block->ipdom && mark[to] != b;
                 to = cfg->block[to].ipdom) {
                mark[to] = b;
                if (list != NULL) {
                    list[at[to]] = b;
                }
                at[to]++;
            }
        }
    }
}

static ww_status find_control(ww_view *view, ww_arena *arena, ww_error *err)
{
    uint32_t n = view->cfg.block_count;
    ww_dominance *d = &view->dominance;
    uint32_t *mark = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    uint32_t *at = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    d->control_at = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    if (mark == NULL || at == NULL || d->control_at == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    scan_control(view, mark, at, NULL);
    for (uint32_t b = 0; b < n; b++) {
        d->control_at[b + 1] = d->control_at[b] + at[b];
    }
    d->control = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)d->control_at[n] + 1);
    if (d->control == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    memcpy(at, d->control_at, n * sizeof *at);
    scan_control(view, mark, at, d->control);
    return WW_OK;
}

/* ---- all of it ---- */

static ww_status allocate(ww_view *view, ww_arena *arena, tree *t, uint32_t **ipdom, ww_error *err)
{
    size_t n = (size_t)view->cfg.block_count + 1;
    ww_dominance *d = &view->dominance;
    uint32_t **rows[] = {&d->idom,      &d->first, &d->last,   &d->post_first,
                         &d->post_last, &t->child, &t->sister, ipdom};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        *rows[i] = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
        if (*rows[i] == NULL) {
            return ww__analysis_no_memory(view, err);
        }
        memset(*rows[i], 0xff, n * sizeof **rows[i]);
    }
    return WW_OK;
}

ww_status ww__dominance_build(ww_view *view, ww_arena *arena, ww_error *err)
{
    uint32_t n = view->cfg.block_count;
    ww_dominance *d = &view->dominance;
    postorder order = {0};
    tree t = {.count = n};
    uint32_t *ipdom = NULL, next = 0;
    WW_TRY(allocate(view, arena, &t, &ipdom, err));
    WW_TRY(number_blocks(view, arena, &order, err));
    find_idoms(view, &order, d->idom);
    t.parent = d->idom;
    link_children(&t);
    number_tree(&t, 0, &next, d->first, d->last);
    for (uint32_t b = 0; b < n; b++) {
        ipdom[b] = view->cfg.block[b].ipdom;
    }
    t.parent = ipdom;
    link_children(&t);
    next = 0;
    for (uint32_t b = 0; b < n; b++) {
        if (ipdom[b] == WW_NO_TARGET) {
            number_tree(&t, b, &next, d->post_first, d->post_last);
        }
    }
    return find_control(view, arena, err);
}

bool ww_dominates(const ww_view *view, uint32_t a, uint32_t b)
{
    const ww_dominance *d = &view->dominance;
    return d->first[a] != UINT32_MAX && d->first[b] != UINT32_MAX && d->first[a] <= d->first[b] &&
           d->first[b] <= d->last[a];
}

bool ww_post_dominates(const ww_view *view, uint32_t a, uint32_t b)
{
    const ww_dominance *d = &view->dominance;
    return d->post_first[a] <= d->post_first[b] && d->post_first[b] <= d->post_last[a];
}

/* Blocks reached from `block` without passing `stop`. Without a stack: the bits themselves say what
 * is known, and passes repeat until nothing is new; regions are small. */
static void flood(const ww_view *view, uint32_t block, uint32_t stop, uint64_t *bits)
{
    if (block == stop) {
        return;
    }
    ww__add_bit(bits, block);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < view->cfg.block_count; b++) {
            const ww_block *from = &view->cfg.block[b];
            for (uint32_t k = 0; ww__has_bit(bits, b) && k < from->succ_count; k++) {
                uint32_t to = ww_block_successor(from, k);
                if (to != stop && !ww__has_bit(bits, to)) {
                    ww__add_bit(bits, to);
                    changed = true;
                }
            }
        }
    }
}

void ww_branch_side(const ww_view *view, uint32_t block, uint32_t k, uint64_t *bits)
{
    const ww_block *b = &view->cfg.block[block];
    flood(view, ww_block_successor(b, k), b->ipdom, bits);
}

void ww_branch_region(const ww_view *view, uint32_t block, uint64_t *bits)
{
    for (uint32_t k = 0; k < view->cfg.block[block].succ_count; k++) {
        ww_branch_side(view, block, k, bits);
    }
}
