/* redundancy.c - marks of redundant instructions: a forward data flow of two classes for each cell.
 * A thread's own memory is one more cell, which every store to it may write and every load from it
 * reads: what redundant stores have left there, redundant loads find.
 * `same` holds among warps that have come the same way, `met` among all that will come to the next
 * barrier. Where the sides of a branch meet before any barrier (partings.h), `met` of the cells
 * defined on the way takes the class of the branch's predicate; where they do not, that of all
 * cells defined anywhere behind it, for warps may pass the code there in different rounds of the
 * block's barriers. At a barrier, where warps of all ways go on together, `same` becomes `met`. */
#include "perf/ptx/analysis/redundancy.h"

#include <string.h>

#include "perf/ptx/analysis/internal.h"
#include "perf/ptx/analysis/partings.h"

typedef struct flow {
    uint8_t same, met; /* ww_mark */
} flow;

/* A branch whose sides come to barriers. */
typedef struct fork {
    ww_parting at;
    uint64_t *defined; /* cells that the blocks on the way to its join define; NULL: it has none */
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
    uint8_t *apart; /* [block] class of the branches behind which warps may be out of step there */
    bool talks;     /* warps may pass each other values otherwise than at barriers of the block */
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

/* Whether that set of places has the thread's own memory: by name, or as one of those that a
 * generic address may mean. */
static bool has_local(const marker *m, uint32_t places)
{
    return (places & WW_AT_LOCAL) != 0 &&
           ((places & WW_AT_MEMORY) == WW_AT_LOCAL || m->local_memory);
}

/* Instructions whose results do not follow from what they read alone. */
static bool is_vector(const ww_effects *e)
{
    return (e->may & WW_MAY_REPEATED) == 0 || e->meets != 0;
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

/* Fences, accesses in order, barrier objects, barriers of some of a block's warps: with them a warp
 * may read what another has just written, and a third one at the same place something else. */
static bool is_talk(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const unsigned beyond = WW_MEETS_CTA | WW_MEETS_CLUSTER | WW_MEETS_GRID;
    const bool orders = (e.writes & (WW_AT_ORDER | WW_AT_OBJECTS)) != 0;
    return orders && (e.meets & beyond) != 0 && !(is_meeting(inst) && inst->src_count < 2);
}

static bool any_talk(const ww_view *v)
{
    for (uint32_t i = 0; i < v->inst_count; i++) {
        if (is_talk(&v->inst[i])) {
            return true;
        }
    }
    return false;
}

/* Memory that other warps may write while the kernel runs. */
static bool reads_shared_data(const ww_inst *inst, const ww_effects *e)
{
    const uint32_t written = WW_AT_GLOBAL | WW_AT_SHARED | WW_AT_CLUSTER_SHARED;
    return (e->reads & written) != 0 && (inst->mods & WW_MOD_NC) == 0;
}

static void step(marker *m, uint32_t i)
{
    const ww_view *v = m->view;
    const ww_inst *inst = &v->inst[i];
    const ww_effects e = ww_inst_effects(inst);
    flow f = read_flow(m, i);
    if (is_vector(&e) || (m->talks && reads_shared_data(inst, &e))) {
        join_mark(&f, WW_MARK_V);
    }
    f.met = weaker(f.met, m->apart[ww_view_block(v, i)]);
    if (has_local(m, e.reads)) {
        join(&f, m->now[m->cells - 1]);
    }
    if (has_local(m, e.writes)) {
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
        for (uint32_t c = 0; f->at.join == block && c < m->cells; c++) {
            if (ww__has_bit(f->defined, c)) {
                m->now[c].met = weaker(m->now[c].met, f->met);
            }
        }
    }
}

/* Lanes of one warp that come to barriers at different places count there as the whole warp: of
 * such a branch not even the lanes of two warps that go the same way are in step. */
static uint8_t class_apart(uint8_t predicate)
{
    return predicate == WW_MARK_DR ? WW_MARK_DR : WW_MARK_V;
}

/* The branch at the block's end; whether its class has grown. */
static bool turn(marker *m, uint32_t block)
{
    bool grown = false;
    for (uint32_t k = 0; k < m->fork_count; k++) {
        fork *f = &m->forks[k];
        if (f->at.block != block) {
            continue;
        }
        uint8_t met = read_flow(m, m->view->cfg.block[block].last - 1).met;
        grown = grown || met > f->met;
        f->met = weaker(f->met, met);
        for (uint32_t b = 0; f->at.join == WW_NO_TARGET && b < m->view->cfg.block_count; b++) {
            if (ww__has_bit(f->at.blocks, b)) {
                m->apart[b] = weaker(m->apart[b], class_apart(f->met));
            }
        }
    }
    return grown;
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
    grown |= turn(m, b);
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
            if (has_local(m, ww_inst_effects(&v->inst[i]).writes)) {
                ww__add_bit(defined, m->cells - 1);
            }
        }
    }
}

static ww_status find_forks(marker *m, ww_arena *arena, ww_error *err)
{
    const ww_view *v = m->view;
    ww_parting *parting;
    WW_TRY(ww__partings_build(v, arena, &parting, &m->fork_count, err));
    m->forks = WW_ARENA_NEW_ARRAY(arena, fork, (size_t)m->fork_count + 1);
    if (m->forks == NULL) {
        return ww__analysis_no_memory(v, err);
    }
    for (uint32_t k = 0; k < m->fork_count; k++) {
        fork *f = &m->forks[k];
        *f = (fork){.at = parting[k]};
        if (f->at.join == WW_NO_TARGET) {
            continue;
        }
        f->defined = WW_ARENA_NEW_ARRAY(arena, uint64_t, m->cells / 64 + 1);
        if (f->defined == NULL) {
            return ww__analysis_no_memory(v, err);
        }
        find_defined(m, f->at.blocks, f->defined);
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
                .apart = WW_ARENA_NEW_ARRAY(arena, uint8_t, blocks),
                .talks = any_talk(view),
                .mark = WW_ARENA_NEW_ARRAY(arena, uint8_t, (size_t)view->inst_count + 1)};
    if (m.in == NULL || m.known == NULL || m.now == NULL || m.apart == NULL || m.mark == NULL) {
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
