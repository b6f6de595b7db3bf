/* affine.c - the affine classes of all values of a kernel: forward data flow over its blocks until
 * nothing changes. */
#include "perf/ptx/analysis/affine.h"

#include <string.h>

#include "perf/ptx/analysis/affine_rules.h"
#include "perf/ptx/analysis/internal.h"

typedef ww_affine_value value;

/* What a cell holds. A value that was written under a guard is what it is to readers under the same
 * guard, and joins the former one for others. */
typedef struct content {
    value any;
    value under;       /* to readers under the guard; NOTHING: as any */
    uint32_t guard;    /* cell */
    uint32_t inverted; /* 0 or 1; contents are compared as bytes */
} content;

/* A conditional branch and what may differ between threads behind it. */
typedef struct split {
    uint32_t block;    /* that it ends */
    uint32_t meet;     /* block where control comes together; WW_NO_TARGET: nowhere */
    uint64_t *written; /* cells written on the way */
    bool around;       /* the way leads back to the branch: threads leave a loop one by one */
    bool divergent;    /* its predicate is not scalar */
} split;

/* Cells that a loop writes, by its header. */
typedef struct loop {
    uint32_t header;
    uint64_t *body, *written;
} loop;

typedef struct flow {
    const ww_view *view;
    const ww_chains *chains;
    ww_arena *arena;
    ww_affine *out;
    content *in;     /* [block][cells] */
    content *leaves; /* [block][cells] behind the last instruction */
    content *now;    /* [cells] */
    bool *reached;   /* [block]: its `leaves` is known */
    split *splits;
    uint32_t split_count;
    loop *loops;
    uint32_t loop_count;
    uint32_t cell_words, block_words;
} flow;

/* ---- the kernel's shape ---- */

static void note_written(const flow *f, const uint64_t *blocks, uint64_t *cells)
{
    const ww_view *v = f->view;
    for (uint32_t b = 0; b < v->cfg.block_count; b++) {
        if (!ww__has_bit(blocks, b)) {
            continue;
        }
        uint32_t first = v->cfg.block[b].first, last = v->cfg.block[b].last;
        for (uint32_t i = first; i < last; i++) {
            for (uint32_t a = v->writes[i]; a < v->reads[i + 1]; a++) {
                ww__add_bit(cells, v->access[a].cell);
            }
        }
    }
}

static uint64_t *new_bits(const flow *f, uint32_t words)
{
    return WW_ARENA_NEW_ARRAY(f->arena, uint64_t, (size_t)words + 1);
}

static const ww_inst *last_of(const flow *f, uint32_t block)
{
    return &f->view->inst[f->view->cfg.block[block].last - 1];
}

static bool splits_control(const ww_inst *inst)
{
    return inst->op == WW_OP_BRA && inst->guard.kind == WW_OPD_PRED;
}

static bool find_splits(flow *f)
{
    const ww_cfg *cfg = &f->view->cfg;
    f->splits = WW_ARENA_NEW_ARRAY(f->arena, split, (size_t)cfg->block_count + 1);
    bool room = f->splits != NULL;
    for (uint32_t b = 0; room && b < cfg->block_count; b++) {
        if (!splits_control(last_of(f, b)) || cfg->block[b].succ_count < 2) {
            continue;
        }
        WW_ASSERT(f->split_count < cfg->block_count);
        split *s = &f->splits[f->split_count++];
        uint64_t *way = new_bits(f, f->block_words);
        *s =
            (split){.block = b, .meet = cfg->block[b].ipdom, .written = new_bits(f, f->cell_words)};
        room = way != NULL && s->written != NULL;
        if (room) {
            ww_branch_region(f->view, b, way);
            note_written(f, way, s->written);
            s->around = ww__has_bit(way, b);
        }
    }
    return room;
}

/* Adds a block to a loop's body, once, and to those whose predecessors follow. */
static void add_to_body(const flow *f, const loop *l, uint32_t block, uint32_t *stack,
                        uint32_t *depth)
{
    if (!ww__has_bit(l->body, block)) {
        ww__add_bit(l->body, block);
        WW_ASSERT(*depth < f->view->cfg.block_count);
        /* Nothing enters but by the header; code that nothing reaches may run into any block. */
        WW_ASSERT(f->view->dominance.first[block] == UINT32_MAX ||
                  ww_dominates(f->view, l->header, block));
        stack[(*depth)++] = block;
    }
}

/* Adds to a loop's body what reaches its back edge without passing the header. */
static void grow_body(const flow *f, const loop *l, uint32_t from, uint32_t *stack)
{
    WW_ASSERT(ww__has_bit(l->body, l->header)); /* where the search ends */
    uint32_t depth = 0;
    add_to_body(f, l, from, stack, &depth);
    while (depth > 0) {
        const ww_block *block = &f->view->cfg.block[stack[--depth]];
        for (uint32_t k = 0; k < block->pred_count; k++) {
            add_to_body(f, l, block->pred[k], stack, &depth);
        }
    }
    WW_ASSERT(ww__has_bit(l->body, from));
}

static loop *loop_of(flow *f, uint32_t header)
{
    for (uint32_t i = 0; i < f->loop_count; i++) {
        if (f->loops[i].header == header) {
            return &f->loops[i];
        }
    }
    WW_ASSERT(f->loop_count < f->view->cfg.block_count); /* each has a header of its own */
    loop *l = &f->loops[f->loop_count++];
    *l = (loop){header, new_bits(f, f->block_words), new_bits(f, f->cell_words)};
    if (l->body != NULL) {
        ww__add_bit(l->body, header);
    }
    return l;
}

static bool find_loops(flow *f)
{
    const ww_cfg *cfg = &f->view->cfg;
    f->loops = WW_ARENA_NEW_ARRAY(f->arena, loop, (size_t)cfg->block_count + 1);
    uint32_t *stack = WW_ARENA_NEW_ARRAY(f->arena, uint32_t, (size_t)cfg->block_count + 1);
    if (f->loops == NULL || stack == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        for (uint32_t k = 0; k < cfg->block[b].succ_count; k++) {
            uint32_t to = ww_block_successor(&cfg->block[b], k);
            if (!ww_dominates(f->view, to, b)) {
                continue;
            }
            loop *l = loop_of(f, to);
            if (l->body == NULL || l->written == NULL) {
                return false;
            }
            grow_body(f, l, b, stack);
        }
    }
    for (uint32_t i = 0; i < f->loop_count; i++) {
        note_written(f, f->loops[i].body, f->loops[i].written);
    }
    return true;
}

/* ---- what enters a block ---- */

static content join_content(content a, content b)
{
    bool same = a.under.kind != WW_AFFINE_NOTHING && b.under.kind != WW_AFFINE_NOTHING &&
                a.guard == b.guard && a.inverted == b.inverted;
    content c = a;
    c.any = ww__affine_join(a.any, b.any);
    c.under = same ? ww__affine_join(a.under, b.under) : (value){0};
    return c;
}

/* A divergent value that a loop carries around has more tuples in every round (section 4.6). */
static void drop_carried(const flow *f, uint32_t from, uint32_t to, content *c, uint32_t cell)
{
    for (uint32_t i = 0; i < f->loop_count; i++) {
        const loop *l = &f->loops[i];
        if (l->header == to && ww__has_bit(l->body, from) && ww__has_bit(l->written, cell) &&
            c->any.count > 0) {
            c->any = ww__affine_of_kind(WW_AFFINE_NON);
        }
    }
}

static void enter(const flow *f, uint32_t b, content *in)
{
    const ww_view *v = f->view;
    const ww_block *block = &v->cfg.block[b];
    memset(in, 0, v->cell_count * sizeof *in);
    if (b == 0) {
        for (uint32_t c = 0; c < v->cell_count; c++) {
            in[c].any = ww__affine_of_kind(WW_AFFINE_NON); /* nobody has written it */
        }
    }
    for (uint32_t k = 0; k < block->pred_count; k++) {
        uint32_t p = block->pred[k];
        const content *from = f->leaves + (size_t)p * v->cell_count;
        for (uint32_t c = 0; f->reached[p] && c < v->cell_count; c++) {
            content e = from[c];
            if (f->loop_count > 0) {
                drop_carried(f, p, b, &e, c);
            }
            in[c] = join_content(in[c], e);
        }
    }
    for (uint32_t i = 0; i < f->split_count; i++) {
        const split *s = &f->splits[i];
        for (uint32_t c = 0; s->divergent && s->meet == b && c < v->cell_count; c++) {
            if (!ww__has_bit(s->written, c) || !ww_affine_known(in[c].any)) {
                continue;
            }
            if (c >= v->word_cells) { /* a predicate is a bit of each thread */
                bool known = in[c].any.kind <= WW_AFFINE_THREAD;
                in[c].any = ww__affine_of_kind(known ? WW_AFFINE_THREAD : WW_AFFINE_NON);
            } else if (s->around) {
                in[c].any = ww__affine_of_kind(WW_AFFINE_NON);
            } else {
                in[c].any = ww__affine_add_condition(in[c].any, block->first);
            }
        }
    }
}

/* ---- instructions ---- */

static value read_cell(const flow *f, const ww_inst *inst, const ww_access *a)
{
    const content *c = &f->now[a->cell];
    uint32_t count, guard = ww_view_cells(f->view, inst->guard, &count);
    bool inverted = (inst->guard.flags & WW_OPD_NOT) != 0;
    bool under = c->under.kind != WW_AFFINE_NOTHING && count > 0 && c->guard == guard &&
                 c->inverted == inverted && a->role != WW_ROLE_GUARD;
    return under ? c->under : c->any;
}

static void note_reads(const flow *f, uint32_t i)
{
    for (uint32_t a = f->view->reads[i]; a < f->view->writes[i]; a++) {
        f->out->access[a] = read_cell(f, &f->view->inst[i], &f->view->access[a]);
    }
}

/* The condition under which a guarded instruction writes: the comparison that its predicate comes
 * from, where that is one. */
static uint32_t condition_of(const flow *f, uint32_t i)
{
    uint32_t a = f->view->reads[i], n; /* the guard is read first */
    const uint32_t *def = ww_chain(f->chains, a, &n);
    return n == 1 && def[0] != WW_DEF_ENTRY ? f->view->access[def[0]].inst : i;
}

static void write_cell(flow *f, uint32_t i, const ww_access *a, value v)
{
    const ww_inst *inst = &f->view->inst[i];
    content *c = &f->now[a->cell];
    uint32_t count, guard = ww_view_cells(f->view, inst->guard, &count);
    if (a->cell >= f->view->word_cells) { /* what stood under that predicate no longer does */
        for (uint32_t k = 0; k < f->view->cell_count; k++) {
            if (f->now[k].under.kind != WW_AFFINE_NOTHING && f->now[k].guard == a->cell) {
                f->now[k].under = (value){0};
            }
        }
    }
    if (count == 0) {
        *c = (content){.any = v};
        return;
    }
    value predicate = f->now[guard].any;
    c->under = v;
    c->guard = guard;
    c->inverted = (inst->guard.flags & WW_OPD_NOT) != 0;
    if (predicate.kind != WW_AFFINE_SCALAR && predicate.kind != WW_AFFINE_THREAD) {
        c->any = c->under = ww__affine_of_kind(WW_AFFINE_NON);
        return;
    }
    c->any = ww__affine_join(c->any, v);
    if (predicate.kind == WW_AFFINE_THREAD && ww_affine_known(c->any)) {
        bool bit = a->cell >= f->view->word_cells && c->any.kind <= WW_AFFINE_THREAD;
        c->any = bit ? ww__affine_of_kind(WW_AFFINE_THREAD)
                     : ww__affine_add_condition(c->any, condition_of(f, i));
    }
}

static void run_instruction(flow *f, uint32_t i)
{
    const ww_inst *inst = &f->view->inst[i];
    value src[WW_AFFINE_SOURCES], first, second;
    note_reads(f, i);
    uint32_t from = f->view->writes[i], end = f->view->reads[i + 1];
    if (from == end) {
        return;
    }
    for (uint32_t k = 0; k < inst->src_count && k < WW_AFFINE_SOURCES; k++) {
        src[k] = ww_affine_source(f->out, i, k);
    }
    ww__affine_transfer(inst, i, src, &first, &second);
    for (uint32_t a = from; a < end; a++) {
        const ww_access *access = &f->view->access[a];
        value v = access->index == 0 ? first : access->index == 1 ? second : second;
        bool wide = inst->dst[access->index].words == 2;
        v = access->word == 1 && wide ? ww__affine_upper(v) : v;
        v = access->word > 1 ? ww__affine_of_kind(WW_AFFINE_NON) : v;
        f->out->access[a] = v;
    }
    for (uint32_t a = from; a < end; a++) {
        write_cell(f, i, &f->view->access[a], f->out->access[a]);
    }
}

/* What lowering made of a remainder is one again behind its last instruction. */
static bool run_remainder(flow *f, uint32_t i)
{
    uint32_t test = ww_affine_divisor(f->view, f->chains, i);
    if (test == WW_NO_TARGET) {
        return false;
    }
    ww_operand none[2] = {0};
    const ww_inst rem = {.op = WW_OP_REM,
                         .type = WW_T_U32,
                         .dst_count = 1,
                         .src_count = 2,
                         .dst = none,
                         .src = none};
    const ww_access *to = &f->view->access[f->view->writes[i]];
    value src[2], second;
    note_reads(f, i);
    src[0] = ww_affine_source(f->out, i, 0);
    src[1] = ww_affine_source(f->out, test, 0);
    ww__affine_transfer(&rem, i, src, &f->out->access[f->view->writes[i]], &second);
    f->now[to->cell] = (content){.any = f->out->access[f->view->writes[i]]};
    return true;
}

static bool run_block(flow *f, uint32_t b)
{
    const ww_view *v = f->view;
    size_t bytes = v->cell_count * sizeof(content);
    content *in = f->in + (size_t)b * v->cell_count,
            *leaves = f->leaves + (size_t)b * v->cell_count;
    enter(f, b, f->now);
    if (f->reached[b] && memcmp(in, f->now, bytes) == 0) {
        return false;
    }
    memcpy(in, f->now, bytes);
    for (uint32_t i = v->cfg.block[b].first; i < v->cfg.block[b].last; i++) {
        if (!run_remainder(f, i)) {
            run_instruction(f, i);
        }
    }
    memcpy(leaves, f->now, bytes);
    f->reached[b] = true;
    return true;
}

/* Branches whose predicates have turned out to differ between threads. */
static bool note_divergent(flow *f)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->split_count; i++) {
        split *s = &f->splits[i];
        uint32_t branch = f->view->cfg.block[s->block].last - 1;
        bool divergent =
            f->reached[s->block] && ww_affine_guard(f->out, branch).kind != WW_AFFINE_SCALAR;
        changed = changed || (divergent && !s->divergent);
        s->divergent = s->divergent || divergent;
    }
    return changed;
}

static bool is_reached(const flow *f, uint32_t b)
{
    const ww_block *block = &f->view->cfg.block[b];
    bool any = b == 0;
    for (uint32_t k = 0; k < block->pred_count; k++) {
        any = any || f->reached[block->pred[k]];
    }
    return any;
}

static void iterate(flow *f)
{
    enum { MOST_ROUNDS = 1000 }; /* values only grow: the lattice has some 20 steps a cell */
    bool changed = true;
    for (unsigned round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t b = 0; b < f->view->cfg.block_count; b++) {
            changed = (is_reached(f, b) && run_block(f, b)) || changed;
        }
        changed = note_divergent(f) || changed;
    }
}

/* ---- public ---- */

/* Calls would need the callers' masks; an indexed branch, a predicate for each target. */
static bool supported(const ww_view *view)
{
    for (uint32_t i = 0; i < view->inst_count; i++) {
        const ww_inst *inst = &view->inst[i];
        if (inst->op == WW_OP_BRX || (inst->op == WW_OP_CALL && !ww_inst_is_builtin(inst))) {
            return false;
        }
    }
    return view->cell_count > 0;
}

uint32_t ww_affine_divisor(const ww_view *view, const ww_chains *chains, uint32_t inst)
{
    const ww_inst *end = &view->inst[inst];
    bool one_word = end->op == WW_OP_MOV && end->guard.kind == WW_OPD_PRED && end->dst_count == 1 &&
                    end->dst[0].kind == WW_OPD_REG && end->dst[0].words == 1;
    uint32_t n = 0;
    if ((end->mods & (WW_MOD_REMAINDER | WW_MOD_REMAINDER_S)) == 0 || !one_word) {
        return WW_NO_TARGET;
    }
    const uint32_t *def = ww_chain(chains, view->reads[inst], &n); /* the guard is read first */
    if (n != 1 || def[0] == WW_DEF_ENTRY) {
        return WW_NO_TARGET;
    }
    uint32_t test = view->access[def[0]].inst;
    const ww_inst *t = &view->inst[test];
    bool zero = t->op == WW_OP_SETP && t->cmp == WW_CMP_EQ && t->src_count == 2 &&
                t->src[1].kind == WW_OPD_IMM && t->src[1].imm == 0 && t->guard.kind == WW_OPD_NONE;
    return zero ? test : WW_NO_TARGET;
}

ww_affine_value ww_affine_source(const ww_affine *affine, uint32_t inst, uint32_t index)
{
    const ww_view *v = affine->view;
    const ww_operand *o = &v->inst[inst].src[index];
    if (o->kind != WW_OPD_REG && o->kind != WW_OPD_PRED) {
        return ww__affine_constant(o);
    }
    value word[2] = {{0}, {0}};
    for (uint32_t a = v->reads[inst]; a < v->writes[inst]; a++) {
        const ww_access *access = &v->access[a];
        if (access->role == WW_ROLE_SRC && access->index == index && access->word < 2) {
            word[access->word] = affine->access[a];
        }
    }
    bool plain = o->kind == WW_OPD_PRED || o->flags == 0 || word[0].kind == WW_AFFINE_SCALAR;
    if (!plain || o->words > 2) {
        return ww__affine_of_kind(WW_AFFINE_NON);
    }
    return o->kind == WW_OPD_REG && o->words == 2 ? ww__affine_pair(word[0], word[1]) : word[0];
}

ww_affine_value ww_affine_guard(const ww_affine *affine, uint32_t inst)
{
    bool guarded = affine->view->inst[inst].guard.kind == WW_OPD_PRED;
    return guarded ? affine->access[affine->view->reads[inst]]
                   : ww__affine_of_kind(WW_AFFINE_SCALAR);
}

bool ww_affine_guard_known(const ww_affine *affine, uint32_t inst)
{
    ww_affine_value g = ww_affine_guard(affine, inst);
    return g.kind == WW_AFFINE_SCALAR || g.kind == WW_AFFINE_THREAD;
}

ww_affine_class ww_affine_result(const ww_affine *affine, uint32_t inst)
{
    ww_affine_class most = WW_AFFINE_NOTHING;
    for (uint32_t a = affine->view->writes[inst]; a < affine->view->reads[inst + 1]; a++) {
        ww_affine_class kind = (ww_affine_class)affine->access[a].kind;
        most = kind > most ? kind : most;
    }
    return most;
}

ww_status ww_affine_build(const ww_view *view, const ww_chains *chains, ww_arena *arena,
                          ww_affine *out, ww_error *err)
{
    *out = (ww_affine){.view = view, .supported = supported(view)};
    size_t contents = (size_t)view->cfg.block_count * view->cell_count + 1;
    flow f = {.view = view,
              .chains = chains,
              .arena = arena,
              .out = out,
              .cell_words = (view->cell_count + 63) / 64,
              .block_words = (view->cfg.block_count + 63) / 64};
    out->access = WW_ARENA_NEW_ARRAY(arena, ww_affine_value, (size_t)view->access_count + 1);
    f.in = WW_ARENA_NEW_ARRAY(arena, content, contents);
    f.leaves = WW_ARENA_NEW_ARRAY(arena, content, contents);
    f.now = WW_ARENA_NEW_ARRAY(arena, content, (size_t)view->cell_count + 1);
    f.reached = WW_ARENA_NEW_ARRAY(arena, bool, (size_t)view->cfg.block_count + 1);
    if (out->access == NULL || f.in == NULL || f.leaves == NULL || f.now == NULL ||
        f.reached == NULL || !find_splits(&f) || !find_loops(&f)) {
        return ww__analysis_no_memory(view, err);
    }
    for (uint32_t a = 0; a < view->access_count; a++) {
        out->access[a] = ww__affine_of_kind(WW_AFFINE_NON);
    }
    if (out->supported) {
        iterate(&f);
    }
    return WW_OK;
}
