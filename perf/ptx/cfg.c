/* cfg.c - control-flow graph of a function, and immediate post-dominators for reconvergence.
 * Method: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reverse
 * graph with one virtual exit. */
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/cfg.h"

/* Working state: the graph, and block numbers in reverse postorder of the reverse graph. */
typedef struct builder {
    const ww_function *f;
    const ww_cfg_jumps *jumps; /* NULL: none */
    ww_arena *arena;
    ww_cfg *cfg;
    bool *leader;
    uint32_t *succ_total; /* [block] successors, for `more` */
} builder;

bool ww__ends_block(const ww_inst *inst)
{
    const ww_goes goes = (ww_goes)ww_inst_effects(inst).goes;
    return goes != WW_GOES_ON && goes != WW_GOES_CALLS && goes != WW_GOES_BREAKS;
}

/* Control never goes on behind it. */
static bool never_falls_through(const ww_inst *inst)
{
    return ww__ends_block(inst) && inst->guard.kind == WW_OPD_NONE;
}

static ww_status mark_leaders(builder *b, ww_error *err)
{
    const ww_function *f = b->f;
    b->leader = WW_ARENA_NEW_ARRAY(b->arena, bool, (size_t)f->inst_count + 1);
    if (b->leader == NULL) {
        return ww_no_memory_for(err, "the control flow of %s", f->name);
    }
    b->leader[0] = true;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA) {
            if (inst->target > f->inst_count) {
                return ww_fail(err, WW_EINTERNAL, "%s: branch target %u is outside the function",
                               f->name, inst->target);
            }
            b->leader[inst->target] = true;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            b->leader[inst->table[k]] = true;
        }
        for (uint32_t k = 0; k < ww__jump_count(b->jumps, i); k++) {
            b->leader[b->jumps->to[b->jumps->first[i] + k]] = true;
        }
        if (ww__ends_block(inst) || ww__jump_count(b->jumps, i) > 0) {
            b->leader[i + 1] = true;
        }
    }
    return WW_OK;
}

static ww_status make_blocks(builder *b, ww_error *err)
{
    const ww_function *f = b->f;
    ww_cfg *cfg = b->cfg;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        n += b->leader[i];
    }
    cfg->block = WW_ARENA_NEW_ARRAY(b->arena, ww_block, n + 1);
    cfg->block_of = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, (size_t)f->inst_count + 1);
    if (cfg->block == NULL || cfg->block_of == NULL) {
        return ww_no_memory_for(err, "the control flow of %s", f->name);
    }
    cfg->block_count = n;
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (b->leader[i]) {
            at++;
            cfg->block[at].first = i;
        }
        cfg->block_of[i] = at;
        cfg->block[at].last = i + 1;
    }
    cfg->block_of[f->inst_count] = WW_NO_TARGET;
    return WW_OK;
}

/* Adds a successor once; the end of the function is none. */
static void add_successor(uint32_t block, uint32_t *list, uint32_t *count)
{
    for (uint32_t k = 0; k < *count; k++) {
        if (list[k] == block) {
            return;
        }
    }
    if (block != WW_NO_TARGET) {
        list[(*count)++] = block;
    }
}

/* Successors of a block into list (room for all of the last instruction's targets and one more). */
static uint32_t successors(const builder *b, uint32_t block, uint32_t *list)
{
    const ww_cfg *cfg = b->cfg;
    uint32_t at = cfg->block[block].last - 1, jumps = ww__jump_count(b->jumps, at);
    const ww_inst *last = &b->f->inst[at];
    uint32_t n = 0;
    bool falls = jumps > 0 ? last->guard.kind != WW_OPD_NONE : !never_falls_through(last);
    if (falls && block + 1 < cfg->block_count) {
        list[n++] = block + 1;
    }
    for (uint32_t k = 0; k < jumps; k++) {
        add_successor(cfg->block_of[b->jumps->to[b->jumps->first[at] + k]], list, &n);
    }
    if (last->op == WW_OP_BRA && last->target < b->f->inst_count) {
        add_successor(cfg->block_of[last->target], list, &n);
    }
    for (uint32_t k = 0; last->op == WW_OP_BRX && k < last->table_count; k++) {
        add_successor(cfg->block_of[last->table[k]], list, &n);
    }
    return n;
}

static ww_status connect_blocks(builder *b, ww_error *err)
{
    ww_cfg *cfg = b->cfg;
    uint32_t *pred_count = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, cfg->block_count + 1);
    bool failed = pred_count == NULL;
    for (uint32_t i = 0; i < cfg->block_count && !failed; i++) {
        uint32_t at = cfg->block[i].last - 1;
        uint32_t room = b->f->inst[at].table_count + ww__jump_count(b->jumps, at) + 2;
        uint32_t *list = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, room);
        if (list == NULL) {
            failed = true;
            break;
        }
        ww_block *block = &cfg->block[i];
        block->succ_count = successors(b, i, list);
        WW_ASSERT(block->succ_count <= room);
        block->succ[0] = block->succ_count > 0 ? list[0] : WW_NO_TARGET;
        block->succ[1] = block->succ_count > 1 ? list[1] : WW_NO_TARGET;
        block->more = list;
        for (uint32_t k = 0; k < block->succ_count; k++) {
            pred_count[list[k]]++;
        }
    }
    for (uint32_t i = 0; i < cfg->block_count && !failed; i++) {
        cfg->block[i].pred = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, pred_count[i] + 1);
        failed = cfg->block[i].pred == NULL;
    }
    if (failed) {
        return ww_no_memory_for(err, "the control flow of %s", b->f->name);
    }
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        for (uint32_t k = 0; k < cfg->block[i].succ_count; k++) {
            ww_block *to = &cfg->block[cfg->block[i].more[k]];
            uint32_t *pred = (uint32_t *)(uintptr_t)to->pred; /* ours until the graph is complete */
            WW_ASSERT(to->pred_count < pred_count[cfg->block[i].more[k]]);
            pred[to->pred_count++] = i;
        }
    }
    return WW_OK;
}

/* ---- post-dominators ---- */

/* Reverse postorder number of each block on the reverse graph; the virtual exit is block_count. */
typedef struct order {
    uint32_t exit;
    uint32_t
        *number;    /* [block]: postorder number, exit highest; UINT32_MAX: cannot reach an exit */
    uint32_t *list; /* blocks by descending number, exit first */
    uint32_t count;
    bool *endless; /* [block]: given an edge to the exit because its loop has none */
} order;

static bool leaves(const ww_cfg *cfg, uint32_t block)
{
    return cfg->block[block].succ_count == 0;
}

/* Depth-first from a root over predecessors; iterative, since graphs may be deep. */
static void visit(const ww_cfg *cfg, order *o, uint32_t root, uint32_t *stack, uint32_t *next,
                  uint32_t *post, uint32_t *post_count)
{
    uint32_t depth = 0;
    stack[depth++] = root;
    o->number[root] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (next[block] < cfg->block[block].pred_count) {
            uint32_t p = cfg->block[block].pred[next[block]++];
            if (o->number[p] == UINT32_MAX) {
                o->number[p] = 0;
                WW_ASSERT(depth < cfg->block_count); /* each block is on the stack once */
                stack[depth++] = p;
            }
        } else {
            post[(*post_count)++] = block;
            depth--;
        }
    }
}

static ww_status make_order(builder *b, order *o, ww_error *err)
{
    const ww_cfg *cfg = b->cfg;
    uint32_t n = cfg->block_count;
    uint32_t *stack = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, n + 1),
             *next = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, n + 1);
    uint32_t *post = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, n + 1);
    o->exit = n;
    o->number = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, n + 1);
    o->list = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, n + 1);
    o->endless = WW_ARENA_NEW_ARRAY(b->arena, bool, n + 1);
    if (stack == NULL || next == NULL || post == NULL || o->number == NULL || o->list == NULL ||
        o->endless == NULL) {
        return ww_no_memory_for(err, "the control flow of %s", b->f->name);
    }
    memset(o->number, 0xff, (n + 1) * sizeof *o->number);
    uint32_t count = 0;
    for (uint32_t i = n; i-- > 0;) {
        if (leaves(cfg, i) && o->number[i] == UINT32_MAX) {
            visit(cfg, o, i, stack, next, post, &count);
        }
    }
    /* Blocks of an endless loop reach no exit: give each such region an edge to it from its last
     * block. */
    for (uint32_t i = n; i-- > 0;) {
        if (o->number[i] == UINT32_MAX) {
            o->endless[i] = true;
            visit(cfg, o, i, stack, next, post, &count);
        }
    }
    o->list[0] = o->exit;
    o->number[o->exit] = count;
    for (uint32_t i = 0; i < count; i++) {
        o->number[post[i]] = i;
        o->list[count - i] = post[i];
    }
    o->count = count + 1;
    return WW_OK;
}

static uint32_t intersect(const order *o, const uint32_t *ipdom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (o->number[a] < o->number[b]) {
            a = ipdom[a];
        }
        while (o->number[b] < o->number[a]) {
            b = ipdom[b];
        }
    }
    return a;
}

static ww_status post_dominators(builder *b, ww_error *err)
{
    ww_cfg *cfg = b->cfg;
    order o = {0};
    WW_TRY(make_order(b, &o, err));
    uint32_t *ipdom = WW_ARENA_NEW_ARRAY(b->arena, uint32_t, cfg->block_count + 1);
    if (ipdom == NULL) {
        return ww_no_memory_for(err, "the control flow of %s", b->f->name);
    }
    memset(ipdom, 0xff, (cfg->block_count + 1) * sizeof *ipdom);
    ipdom[o.exit] = o.exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < o.count; i++) {
            uint32_t block = o.list[i], meet = UINT32_MAX;
            for (uint32_t k = 0; k < cfg->block[block].succ_count; k++) {
                uint32_t s = cfg->block[block].more[k];
                if (ipdom[s] != UINT32_MAX) {
                    meet = meet == UINT32_MAX ? s : intersect(&o, ipdom, s, meet);
                }
            }
            if (meet == UINT32_MAX || o.endless[block]) {
                meet = o.exit;
            }
            if (ipdom[block] != meet) {
                ipdom[block] = meet;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        cfg->block[i].ipdom = ipdom[i] == o.exit ? WW_NO_TARGET : ipdom[i];
    }
    return WW_OK;
}

ww_status ww_cfg_build(const ww_function *f, ww_arena *arena, ww_cfg *out, ww_error *err)
{
    return ww__cfg_build_jumps(f, NULL, arena, out, err);
}

ww_status ww__cfg_build_jumps(const ww_function *f, const ww_cfg_jumps *jumps, ww_arena *arena,
                              ww_cfg *out, ww_error *err)
{
    *out = (ww_cfg){0};
    builder b = {.f = f, .jumps = jumps, .arena = arena, .cfg = out};
    if (f->inst_count == 0) {
        return ww_fail(err, WW_EINTERNAL, "%s has no instructions", f->name);
    }
    WW_TRY(mark_leaders(&b, err));
    WW_TRY(make_blocks(&b, err));
    WW_TRY(connect_blocks(&b, err));
    return post_dominators(&b, err);
}

ww_status ww_cfg_set_reconvergence(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_cfg cfg;
    WW_TRY(ww_cfg_build(f, arena, &cfg, err));
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA || inst->op == WW_OP_BRX) {
            uint32_t ipdom = cfg.block[cfg.block_of[i]].ipdom;
            inst->reconv = ipdom == WW_NO_TARGET ? WW_NO_TARGET : cfg.block[ipdom].first;
        }
    }
    return WW_OK;
}
