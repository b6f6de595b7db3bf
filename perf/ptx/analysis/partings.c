/* partings.c - post-dominance as threads see it that end at barriers: a graph whose blocks are
 * those that reach one, and which ends in each block that holds one as well as going on behind it.
 */
#include "perf/ptx/analysis/partings.h"

#include <string.h>

#include "perf/ptx/analysis/internal.h"

enum { MOST_BLOCKS = 8192 }; /* a bit for each pair; beyond, no join is looked for */

typedef struct ways {
    const ww_view *view;
    uint32_t words;
    uint64_t *holds; /* [block] a barrier */
    uint64_t *leads; /* [block] to one */
    uint64_t
        *passed; /* [block][words] what every way from there to a barrier passes; NULL: not known */
    uint32_t *stack;
} ways;

static const ww_block *block_at(const ways *w, uint32_t b)
{
    return &w->view->cfg.block[b];
}

static void find_barriers(ways *w)
{
    for (uint32_t i = 0; i < w->view->inst_count; i++) {
        uint32_t b = ww_view_block(w->view, i);
        if (w->view->inst[i].op == WW_OP_BAR && b != WW_NO_TARGET) {
            ww__add_bit(w->holds, b);
        }
    }
}

static void find_leading(ways *w)
{
    memcpy(w->leads, w->holds, w->words * sizeof *w->leads);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = w->view->cfg.block_count; b-- > 0;) {
            bool leads = ww__has_bit(w->leads, b);
            for (uint32_t k = 0; k < block_at(w, b)->succ_count && !leads; k++) {
                leads = ww__has_bit(w->leads, ww_block_successor(block_at(w, b), k));
                changed = changed || leads;
            }
            if (leads) {
                ww__add_bit(w->leads, b);
            }
        }
    }
}

/* What the ways from all successors that lead to a barrier pass in common. */
static uint32_t common(const ways *w, uint32_t b, uint64_t *out)
{
    const ww_block *block = block_at(w, b);
    uint32_t leading = 0;
    memset(out, 0xff, w->words * sizeof *out);
    for (uint32_t k = 0; k < block->succ_count; k++) {
        uint32_t to = ww_block_successor(block, k);
        if (ww__has_bit(w->leads, to)) {
            leading++;
            for (uint32_t i = 0; i < w->words; i++) {
                out[i] &= w->passed[(size_t)to * w->words + i];
            }
        }
    }
    return leading;
}

static void find_passed(ways *w, uint64_t *row)
{
    const uint32_t count = w->view->cfg.block_count;
    memset(w->passed, 0xff, (size_t)count * w->words * sizeof *w->passed);
    for (uint32_t b = 0; b < count; b++) {
        if (ww__has_bit(w->holds, b)) {
            memset(w->passed + (size_t)b * w->words, 0, w->words * sizeof *w->passed);
            ww__add_bit(w->passed + (size_t)b * w->words, b);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = count; b-- > 0;) {
            uint64_t *mine = w->passed + (size_t)b * w->words;
            if (!ww__has_bit(w->leads, b) || ww__has_bit(w->holds, b)) {
                continue;
            }
            common(w, b, row);
            ww__add_bit(row, b);
            changed = changed || memcmp(row, mine, w->words * sizeof *row) != 0;
            memcpy(mine, row, w->words * sizeof *row);
        }
    }
}

static uint32_t number_of(const uint64_t *bits, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) {
        n += (uint32_t)__builtin_popcountll(bits[i]);
    }
    return n;
}

/* The one of them that is passed first: all the others are passed behind it. */
static uint32_t nearest(const ways *w, const uint64_t *passed)
{
    uint32_t best = WW_NO_TARGET, most = 0;
    for (uint32_t b = 0; b < w->view->cfg.block_count; b++) {
        if (ww__has_bit(passed, b) && ww__has_bit(w->leads, b)) {
            uint32_t n = number_of(w->passed + (size_t)b * w->words, w->words);
            best = n > most ? b : best;
            most = n > most ? n : most;
        }
    }
    return best;
}

static void walk(ways *w, uint32_t from, uint32_t join, uint64_t *blocks)
{
    uint32_t depth = 0;
    w->stack[depth++] = from;
    while (depth > 0) {
        const ww_block *block = block_at(w, w->stack[--depth]);
        for (uint32_t k = 0; k < block->succ_count; k++) {
            uint32_t to = ww_block_successor(block, k);
            if (to != join && !ww__has_bit(blocks, to)) {
                ww__add_bit(blocks, to);
                WW_ASSERT(depth < w->view->cfg.block_count);
                w->stack[depth++] = to;
            }
        }
    }
}

static uint32_t leading_ways(const ways *w, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < block_at(w, b)->succ_count; k++) {
        n += ww__has_bit(w->leads, ww_block_successor(block_at(w, b), k));
    }
    return n;
}

static ww_status list(ways *w, ww_arena *arena, uint64_t *row, ww_parting *out, uint32_t *count,
                      ww_error *err)
{
    for (uint32_t b = 0; b < w->view->cfg.block_count; b++) {
        if (leading_ways(w, b) < 2) {
            continue;
        }
        ww_parting *p = &out[(*count)++];
        *p = (ww_parting){.block = b, .join = WW_NO_TARGET};
        p->blocks = WW_ARENA_NEW_ARRAY(arena, uint64_t, w->words);
        if (p->blocks == NULL) {
            return ww__analysis_no_memory(w->view, err);
        }
        if (w->passed != NULL) {
            common(w, b, row);
            p->join = nearest(w, row);
        }
        walk(w, b, p->join, p->blocks);
    }
    return WW_OK;
}

ww_status ww__partings_build(const ww_view *view, ww_arena *arena, ww_parting **out,
                             uint32_t *count, ww_error *err)
{
    const uint32_t blocks = view->cfg.block_count, words = blocks / 64 + 1;
    const bool joins = blocks <= MOST_BLOCKS;
    ways w = {.view = view,
              .words = words,
              .holds = WW_ARENA_NEW_ARRAY(arena, uint64_t, words),
              .leads = WW_ARENA_NEW_ARRAY(arena, uint64_t, words),
              .passed =
                  joins ? WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)blocks * words + 1) : NULL,
              .stack = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)blocks + 1)};
    uint64_t *row = WW_ARENA_NEW_ARRAY(arena, uint64_t, words);
    *out = WW_ARENA_NEW_ARRAY(arena, ww_parting, (size_t)blocks + 1);
    *count = 0;
    if (w.holds == NULL || w.leads == NULL || (joins && w.passed == NULL) || w.stack == NULL ||
        row == NULL || *out == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    find_barriers(&w);
    find_leading(&w);
    if (joins) {
        find_passed(&w, row);
    }
    return list(&w, arena, row, *out, count, err);
}
