/* redundancy.c - marks of redundant instructions: a forward data flow of two classes for each cell.
 * A thread's own memory is one more cell, which every store to it may write and every load from it
 * reads: what redundant stores have left there, redundant loads find.
 * `same` holds among warps that have come the same way, `met` among all of the block's warps. At
 * the end of what a branch decides, `met` of the cells defined in it takes the class of the
 * branch's predicate; at a barrier, where warps of all ways go on together, `same` becomes `met`.
 */
#include "perf/ptx/analysis/redundancy.h"

#include <string.h>

#include "perf/ptx/analysis/internal.h"

typedef struct flow {
    uint8_t same, met; /* ww_mark */
} flow;

/* A branch and where its sides are together again. */
typedef struct fork {
    uint32_t block, join;
    uint64_t *defined; /* cells that the blocks it decides define */
    uint8_t met;       /* class of its predicate */
} fork;

typedef struct marker {
    const ww_view *view;
    bool local_memory;
    uint32_t cells; /* those of the view, and the last: local memory */
    flow *in;       /* [block][cell] */
    bool *known;    /* [block] some predecessor has been followed */
    flow *now;      /* [cell] */
    fork *forks;
    uint32_t fork_count;
    uint8_t *mark;
} marker;

static uint8_t weaker(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static void join(flow *to, flow from)
{
    to->same = weaker(to->same, from.same);
    to->met = weaker(to->met, from.met);
}

static void join_mark(flow *to, ww_mark mark)
{
    join(to, (flow){(uint8_t)mark, (uint8_t)mark});
}

/* DARSIE, section 4.2; what it does not name is a vector. */
static ww_mark sreg_mark(ww_sreg sreg)
{
    switch (ww_sreg_kind_of(sreg)) {
    case WW_SREG_KIND_THREAD:
        return sreg == WW_SREG_TID_X ? WW_MARK_CR : WW_MARK_V;
    case WW_SREG_KIND_CTA:
    case WW_SREG_KIND_DIMENSION:
    case WW_SREG_KIND_SHARED:
        return WW_MARK_DR;
    case WW_SREG_KIND_LAUNCH:
        return sreg == WW_SREG_ENVREG1 || sreg == WW_SREG_ENVREG2 ? WW_MARK_V : WW_MARK_DR;
    default:
        return WW_MARK_V;
    }
}

/* Whether an instruction may access local memory. */
static bool is_local(const marker *m, const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    bool own = i->space == WW_SPACE_LOCAL || (i->space == WW_SPACE_GENERIC && m->local_memory);
    return (form.kind == WW_KIND_MEMORY && own) || (ww_inst_is_builtin(i) && m->local_memory);
}

static bool writes_local(const marker *m, const ww_inst *i)
{
    return i->op != WW_OP_LD && is_local(m, i);
}

/* Instructions whose results do not follow from their operands alone, or that have effects. */
static bool is_vector(const ww_inst *i)
{
    switch ((ww_op)i->op) {
    case WW_OP_LD:
        return (i->mods & (WW_MOD_VOLATILE | WW_MOD_ORDERED | WW_MOD_CACHE_CV)) != 0;
    case WW_OP_ST:
        return false; /* what it leaves in local memory; it has no result */
    case WW_OP_TEX:
    case WW_OP_TLD4:
    case WW_OP_TXQ:
    case WW_OP_SUQ:
        return false;
    default:
        break;
    }
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    return ww_value_source(i) != 0 || (form.kind != WW_KIND_ARITH && form.kind != WW_KIND_MOVE);
}

/* Class of what the instruction reads. */
static flow read_flow(const marker *m, uint32_t i)
{
    const ww_view *v = m->view;
    const ww_inst *inst = &v->inst[i];
    flow f = {WW_MARK_DR, WW_MARK_DR};
    for (uint32_t a = v->reads[i]; a < v->writes[i]; a++) {
        if (v->access[a].role != WW_ROLE_CALLER) {
            join(&f, m->now[v->access[a].cell]);
        }
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_SREG) {
            join_mark(&f, sreg_mark((ww_sreg)inst->src[k].reg));
        }
    }
    return f;
}

static bool is_meeting(const ww_inst *inst)
{
    return inst->op == WW_OP_BAR && inst->sub != WW_SUB_ARRIVE;
}

static void step(marker *m, uint32_t i)
{
    const ww_view *v = m->view;
    const ww_inst *inst = &v->inst[i];
    flow f = read_flow(m, i);
    if (is_vector(inst)) {
        join_mark(&f, WW_MARK_V);
    }
    if (inst->op == WW_OP_LD && is_local(m, inst)) {
        join(&f, m->now[m->cells - 1]);
    }
    if (writes_local(m, inst)) {
        join(&m->now[m->cells - 1], f);
    }
    uint8_t mark = v->writes[i] < v->reads[i + 1] ? f.same : (uint8_t)WW_MARK_V;
    for (uint32_t a = v->writes[i]; a < v->reads[i + 1]; a++) {
        flow *cell = &m->now[v->access[a].cell];
        flow result = f;
        if (inst->guard.kind == WW_OPD_PRED) {
            join(&result, *cell);
        }
        *cell = result;
        mark = weaker(mark, result.same);
    }
    m->mark[i] = mark;
    for (uint32_t c = 0; is_meeting(inst) && c < m->cells; c++) {
        m->now[c].same = m->now[c].met;
    }
}

/* What the end of a branch's region adds to the cells that it defines. */
static void meet(marker *m, uint32_t block)
{
    for (uint32_t k = 0; k < m->fork_count; k++) {
        const fork *f = &m->forks[k];
        for (uint32_t c = 0; f->join == block && c < m->cells; c++) {
            if (ww__has_bit(f->defined, c)) {
                m->now[c].met = weaker(m->now[c].met, f->met);
            }
        }
    }
}

/* One block; whether a class has grown somewhere. */
static bool follow(marker *m, uint32_t b)
{
    const ww_view *v = m->view;
    const ww_block *block = &v->cfg.block[b];
    uint32_t cells = m->cells;
    bool grown = false;
    memcpy(m->now, m->in + (size_t)b * cells, cells * sizeof *m->now);
    meet(m, b);
    for (uint32_t i = block->first; i < block->last; i++) {
        step(m, i);
    }
    for (uint32_t k = 0; k < m->fork_count; k++) {
        fork *f = &m->forks[k];
        if (f->block == b) {
            uint8_t met = read_flow(m, block->last - 1).met;
            grown |= met > f->met;
            f->met = weaker(f->met, met);
        }
    }
    for (uint32_t s = 0; s < block->succ_count; s++) {
        uint32_t to = ww_block_successor(block, s);
        flow *in = m->in + (size_t)to * cells;
        grown |= !m->known[to];
        m->known[to] = true;
        for (uint32_t c = 0; c < cells; c++) {
            flow before = in[c];
            join(&in[c], m->now[c]);
            grown |= in[c].same != before.same || in[c].met != before.met;
        }
    }
    return grown;
}

static void find_defined(const marker *m, const uint64_t *blocks, uint64_t *defined)
{
    const ww_view *v = m->view;
    for (uint32_t b = 0; b < v->cfg.block_count; b++) {
        const ww_block *block = &v->cfg.block[b];
        for (uint32_t i = block->first; ww__has_bit(blocks, b) && i < block->last; i++) {
            for (uint32_t a = v->writes[i]; a < v->reads[i + 1]; a++) {
                ww__add_bit(defined, v->access[a].cell);
            }
            if (writes_local(m, &v->inst[i])) {
                ww__add_bit(defined, m->cells - 1);
            }
        }
    }
}

static ww_status find_forks(marker *m, ww_arena *arena, ww_error *err)
{
    const ww_view *v = m->view;
    uint32_t blocks = v->cfg.block_count;
    uint32_t words = (m->cells + 63) / 64 + 1, block_words = (blocks + 63) / 64 + 1;
    uint64_t *region = WW_ARENA_NEW_ARRAY(arena, uint64_t, block_words);
    m->forks = WW_ARENA_NEW_ARRAY(arena, fork, (size_t)blocks + 1);
    if (m->forks == NULL || region == NULL) {
        return ww__analysis_no_memory(v, err);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        const ww_block *block = &v->cfg.block[b];
        if (block->succ_count < 2 || block->ipdom == WW_NO_TARGET) {
            continue;
        }
        fork *f = &m->forks[m->fork_count++];
        *f = (fork){.block = b, .join = block->ipdom};
        f->defined = WW_ARENA_NEW_ARRAY(arena, uint64_t, words);
        if (f->defined == NULL) {
            return ww__analysis_no_memory(v, err);
        }
        memset(region, 0, block_words * sizeof *region);
        ww_branch_region(v, b, region);
        find_defined(m, region, f->defined);
    }
    return WW_OK;
}

ww_status ww_redundancy_build(const ww_view *view, bool local_memory, ww_arena *arena,
                              uint8_t **mark, ww_error *err)
{
    size_t blocks = (size_t)view->cfg.block_count + 1, cells = (size_t)view->cell_count + 1;
    marker m = {.view = view,
                .local_memory = local_memory,
                .cells = view->cell_count + 1,
                .in = WW_ARENA_NEW_ARRAY(arena, flow, blocks * cells),
                .known = WW_ARENA_NEW_ARRAY(arena, bool, blocks),
                .now = WW_ARENA_NEW_ARRAY(arena, flow, cells),
                .mark = WW_ARENA_NEW_ARRAY(arena, uint8_t, (size_t)view->inst_count + 1)};
    if (m.in == NULL || m.known == NULL || m.now == NULL || m.mark == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    WW_TRY(find_forks(&m, arena, err));
    memset(m.mark, WW_MARK_V, view->inst_count);
    m.known[0] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t b = 0; b < view->cfg.block_count; b++) {
            if (m.known[b]) {
                grown |= follow(&m, b);
            }
        }
    }
    *mark = m.mark;
    return WW_OK;
}

bool ww_redundancy_promotes(uint32_t x, uint32_t y, uint32_t z)
{
    enum { WARP = 32 };
    return (uint64_t)y * z > 1 && x >= 1 && x <= WARP && (x & (x - 1)) == 0;
}

const char *ww_mark_name(ww_mark mark)
{
    static const char *const name[] = {[WW_MARK_DR] = "DR", [WW_MARK_CR] = "CR", [WW_MARK_V] = "V"};
    return name[mark];
}
