/* decouple.c - candidates, the affine stream that they need, and what that leaves of the kernel. */
#include "perf/ptx/analysis/decouple.h"

#include <string.h>

#include "perf/ptx/analysis/internal.h"

typedef struct splitter {
    const ww_view *view;
    const ww_chains *chains;
    const ww_affine *affine;
    const ww_decouple_options *options;
    ww_decoupled *out;
    uint32_t *work; /* instructions to be looked at */
    uint32_t work_count;
    uint64_t *needed;  /* [instruction] by what the kernel's warps go on executing */
    uint64_t *by_data; /* [instruction] that runs as loaded data decides; NULL: never mind */
    uint64_t **region; /* [block] blocks that its last branch decides; NULL: it decides none */
    uint32_t block_words;
} splitter;

/* ---- candidates ---- */

bool ww_decouple_loads(const ww_inst *inst)
{
    return inst->op == WW_OP_LD &&
           (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL ||
            inst->space == WW_SPACE_GENERIC);
}

static bool accesses_memory(const splitter *s, const ww_inst *inst)
{
    bool kind = inst->op == WW_OP_LD || inst->op == WW_OP_ST || inst->op == WW_OP_ATOM ||
                inst->op == WW_OP_RED;
    return kind && ww_inst_has_address(inst) && (inst->mods & WW_MOD_VOLATILE) == 0 &&
           (s->options->shared || inst->space != WW_SPACE_SHARED);
}

/* A constant that the affine warp may read itself. */
static bool reads_constant(const ww_inst *inst)
{
    return inst->op == WW_OP_LD && (inst->space == WW_SPACE_CONST || inst->space == WW_SPACE_PARAM);
}

static bool within_options(const splitter *s, ww_affine_value v)
{
    return s->options->divergence || v.count == 0;
}

static bool is_comparison(const ww_inst *inst)
{
    return inst->op == WW_OP_SETP && inst->dst_count > 0 && inst->dst[0].kind == WW_OPD_PRED;
}

/* Branches around a block whose threads may go different ways. */
static uint32_t depth_of(const splitter *s, uint32_t block)
{
    const ww_cfg *cfg = &s->view->cfg;
    uint32_t depth = 1;
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        if (s->region[b] != NULL && ww__has_bit(s->region[b], block) &&
            ww_affine_guard(s->affine, cfg->block[b].last - 1).kind != WW_AFFINE_SCALAR) {
            depth++;
        }
    }
    return depth;
}

/* Room for the masks of a value's conditions; the ninth makes its users ineligible. */
static bool keep_conditions(splitter *s, ww_affine_value v)
{
    ww_decoupled *d = s->out;
    uint32_t count = d->condition_count;
    for (uint32_t k = 0; k < v.count; k++) {
        uint32_t i = 0;
        while (i < count && d->condition[i] != v.condition[k]) {
            i++;
        }
        if (i == count && count == s->options->conditions) {
            return false;
        }
        if (i == count) {
            d->condition[count++] = v.condition[k];
        }
    }
    d->condition_count = count;
    return true;
}

static uint16_t candidate(const splitter *s, uint32_t i, ww_affine_value value[2])
{
    const ww_inst *inst = &s->view->inst[i];
    value[0] = value[1] = (ww_affine_value){0};
    if (!ww_affine_guard_known(s->affine, i) ||
        (s->by_data != NULL && ww__has_bit(s->by_data, i))) {
        return 0;
    }
    if (is_comparison(inst)) {
        ww_affine_class kind = ww_affine_result(s->affine, i);
        value[0] = ww_affine_source(s->affine, i, 0);
        value[1] = ww_affine_source(s->affine, i, 1);
        bool known = kind == WW_AFFINE_SCALAR || kind == WW_AFFINE_THREAD;
        return known ? WW_STREAM_PREDICATE : 0;
    }
    if (!accesses_memory(s, inst)) {
        return 0;
    }
    value[0] = ww_affine_source(s->affine, i, 0);
    if (!ww_affine_expands(value[0]) ||
        (reads_constant(inst) && value[0].kind == WW_AFFINE_SCALAR)) {
        return 0;
    }
    return ww_decouple_loads(inst) ? WW_STREAM_DATA : WW_STREAM_ADDRESS;
}

static void find_candidates(splitter *s)
{
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        ww_affine_value value[2];
        uint16_t stream = candidate(s, i, value);
        if (stream == 0 || !within_options(s, value[0]) || !within_options(s, value[1])) {
            continue;
        }
        if (depth_of(s, ww_view_block(s->view, i)) > s->options->stack_depth) {
            s->out->rejected_depth++;
        } else if (!keep_conditions(s, value[0]) || !keep_conditions(s, value[1])) {
            s->out->rejected_conditions++;
        } else {
            s->out->stream[i] = stream;
        }
    }
}

/* ---- what the kernel's warps still need ---- */

static bool has_effect(const ww_inst *inst)
{
    ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    bool computes =
        (form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE) && form.unit != WW_UNIT_TENSOR;
    return !computes && !reads_constant(inst);
}

/* A decoupled access takes address and lanes from the queue, a decoupled comparison its result. */
static bool still_reads(const splitter *s, const ww_access *a)
{
    uint16_t stream = s->out->stream[a->inst];
    if ((stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0) {
        return a->role == WW_ROLE_SRC && a->index > 0;
    }
    if ((stream & WW_STREAM_PREDICATE) != 0) {
        return a->role == WW_ROLE_GUARD;
    }
    return true;
}

static void need(splitter *s, uint32_t i)
{
    if (!ww__has_bit(s->needed, i)) {
        ww__add_bit(s->needed, i);
        WW_ASSERT(s->work_count < s->view->inst_count);
        s->work[s->work_count++] = i;
    }
}

static void close_needed(splitter *s)
{
    const ww_view *v = s->view;
    while (s->work_count > 0) {
        uint32_t i = s->work[--s->work_count];
        for (uint32_t a = v->reads[i]; a < v->writes[i]; a++) {
            uint32_t n;
            const uint32_t *def = ww_chain(s->chains, a, &n);
            for (uint32_t k = 0; still_reads(s, &v->access[a]) && k < n; k++) {
                if (def[k] != WW_DEF_ENTRY) {
                    need(s, v->access[def[k]].inst);
                }
            }
        }
    }
}

/* The only instruction of the kernel's warps that reads what a comparison writes; UINT32_MAX: there
 * are others, or none. */
static uint32_t only_reader(const splitter *s, uint32_t i)
{
    const ww_view *v = s->view;
    uint32_t reader = UINT32_MAX;
    for (uint32_t a = v->writes[i]; a < v->reads[i + 1]; a++) {
        uint32_t n;
        const uint32_t *use = ww_chain(s->chains, a, &n);
        for (uint32_t k = 0; k < n; k++) {
            const ww_access *u = &v->access[use[k]];
            if (!ww__has_bit(s->needed, u->inst) || !still_reads(s, u)) {
                continue;
            }
            if (reader != UINT32_MAX && reader != u->inst) {
                return UINT32_MAX;
            }
            reader = u->inst;
        }
    }
    return reader;
}

/* A branch behind the comparison in its block that alone reads the predicate, and reads nothing
 * else: it dequeues the predicate itself. */
static bool branch_dequeues(const splitter *s, uint32_t i, uint32_t *branch)
{
    const ww_view *v = s->view;
    uint32_t n, b = *branch = only_reader(s, i);
    if (b == UINT32_MAX || v->inst[b].op != WW_OP_BRA || b < i ||
        v->inst[i].guard.kind != WW_OPD_NONE || ww_view_block(v, b) != ww_view_block(v, i)) {
        return false;
    }
    for (uint32_t k = i + 1; k < b; k++) { /* predicates leave the queue in the order of the text */
        if ((s->out->stream[k] & WW_STREAM_PREDICATE) != 0 && ww__has_bit(s->needed, k)) {
            return false;
        }
    }
    ww_chain(s->chains, v->reads[b], &n);
    return n == 1;
}

static void divide_kernel(splitter *s)
{
    ww_decoupled *d = s->out;
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        if (has_effect(&s->view->inst[i]) || (d->stream[i] & WW_STREAM_ADDRESS) != 0) {
            need(s, i);
        }
    }
    close_needed(s);
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        uint32_t branch;
        bool needed = ww__has_bit(s->needed, i);
        if ((d->stream[i] & WW_STREAM_PREDICATE) == 0 || !needed) {
            continue; /* nobody waits for it: its use, if any, is the affine warp's */
        }
        if (branch_dequeues(s, i, &branch)) {
            d->stream[branch] |= WW_STREAM_DEQUEUES;
            ww__drop_bit(s->needed, i);
        } else {
            d->stream[i] |= WW_STREAM_DEQUEUES;
        }
    }
}

/* ---- the affine stream ---- */

static void take(splitter *s, uint32_t i)
{
    if ((s->out->stream[i] & WW_STREAM_AFFINE) == 0) {
        s->out->stream[i] |= WW_STREAM_AFFINE;
        WW_ASSERT(s->work_count < s->view->inst_count);
        s->work[s->work_count++] = i;
    }
}

static void take_definitions(splitter *s, uint32_t access)
{
    uint32_t n;
    const uint32_t *def = ww_chain(s->chains, access, &n);
    for (uint32_t k = 0; k < n; k++) {
        if (def[k] != WW_DEF_ENTRY && ww_affine_known(s->affine->access[def[k]])) {
            take(s, s->view->access[def[k]].inst);
        }
    }
}

/* What an instruction of the affine stream reads there. */
static bool affine_reads(const splitter *s, const ww_access *a)
{
    const ww_inst *inst = &s->view->inst[a->inst];
    uint16_t stream = s->out->stream[a->inst];
    if (a->role == WW_ROLE_GUARD) {
        return ww_affine_guard_known(s->affine, a->inst);
    }
    bool address = (stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0;
    return inst->op != WW_OP_BAR && (!address || a->index == 0);
}

static bool leaves(const ww_inst *inst)
{
    return inst->op == WW_OP_EXIT || inst->op == WW_OP_RET;
}

/* Branches that decide whether a block runs. */
static void take_control(splitter *s, uint32_t block)
{
    const ww_dominance *d = &s->view->dominance;
    for (uint32_t k = d->control_at[block]; k < d->control_at[block + 1]; k++) {
        take(s, s->view->cfg.block[d->control[k]].last - 1);
    }
}

static void close_affine(splitter *s)
{
    const ww_view *v = s->view;
    while (s->work_count > 0) {
        uint32_t i = s->work[--s->work_count];
        take_control(s, ww_view_block(v, i));
        for (uint32_t a = v->reads[i]; a < v->writes[i]; a++) {
            if (affine_reads(s, &v->access[a])) {
                take_definitions(s, a);
            }
        }
        bool decides = v->inst[i].op == WW_OP_BRA || leaves(&v->inst[i]);
        if (decides && !ww_affine_guard_known(s->affine, i)) {
            s->out->stream[i] |= WW_STREAM_RETURNS;
        }
    }
}

/* Blocks from which some instruction of the affine stream (`all`), or a memory access of it, can
 * still be reached. */
static void mark_ahead(const splitter *s, uint16_t streams, uint64_t *ahead)
{
    const ww_view *v = s->view;
    memset(ahead, 0, (s->block_words + 1) * sizeof *ahead);
    for (uint32_t i = 0; i < v->inst_count; i++) {
        if ((s->out->stream[i] & streams) != 0) {
            ww__add_bit(ahead, ww_view_block(v, i));
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = v->cfg.block_count; b-- > 0;) {
            for (uint32_t k = 0; !ww__has_bit(ahead, b) && k < v->cfg.block[b].succ_count; k++) {
                if (ww__has_bit(ahead, ww_block_successor(&v->cfg.block[b], k))) {
                    ww__add_bit(ahead, b);
                    changed = true;
                }
            }
        }
    }
}

/* Whether one of those can follow instruction i. */
static bool follows(const splitter *s, uint32_t i, uint16_t streams, const uint64_t *ahead)
{
    const ww_block *block = &s->view->cfg.block[ww_view_block(s->view, i)];
    for (uint32_t k = i + 1; k < block->last; k++) {
        if ((s->out->stream[k] & streams) != 0) {
            return true;
        }
    }
    for (uint32_t k = 0; k < block->succ_count; k++) {
        if (ww__has_bit(ahead, ww_block_successor(block, k))) {
            return true;
        }
    }
    return false;
}

/* Barriers keep requests behind them back, and threads that exit need no more addresses. */
static bool take_barriers_and_exits(splitter *s, uint64_t *ahead)
{
    enum { REQUESTS = WW_STREAM_DATA | WW_STREAM_ADDRESS };
    uint32_t before = s->work_count;
    mark_ahead(s, REQUESTS, ahead);
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        if (s->view->inst[i].op == WW_OP_BAR && follows(s, i, REQUESTS, ahead)) {
            take(s, i);
        }
    }
    mark_ahead(s, WW_STREAM_AFFINE, ahead);
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        const ww_inst *inst = &s->view->inst[i];
        if (leaves(inst) && inst->guard.kind == WW_OPD_PRED &&
            follows(s, i, WW_STREAM_AFFINE, ahead)) {
            take(s, i);
        }
    }
    return s->work_count > before;
}

/* A comparison joins the affine stream for those who wait for its predicate. */
static bool is_enqueued(const splitter *s, uint32_t i)
{
    uint16_t stream = s->out->stream[i];
    if ((stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0) {
        return true;
    }
    uint32_t branch;
    return (stream & WW_STREAM_PREDICATE) != 0 &&
           ((stream & WW_STREAM_DEQUEUES) != 0 ||
            (branch = only_reader(s, i), branch != UINT32_MAX &&
                                             (s->out->stream[branch] & WW_STREAM_DEQUEUES) != 0 &&
                                             s->view->inst[branch].op == WW_OP_BRA));
}

static bool build_affine(splitter *s)
{
    uint64_t *ahead = s->region[s->view->cfg.block_count]; /* spare */
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        if (is_enqueued(s, i)) {
            take(s, i);
        }
    }
    if (s->work_count == 0) {
        return false;
    }
    do {
        close_affine(s);
    } while (take_barriers_and_exits(s, ahead));
    return true;
}

/* Keeps the mark of a comparison whose predicate somebody takes from the queue, or that differs
 * between threads: the expansion unit makes the affine warp's own masks too. */
static void finish(splitter *s, bool any)
{
    ww_decoupled *d = s->out;
    for (uint32_t i = 0; i < s->view->inst_count; i++) {
        const ww_inst *inst = &s->view->inst[i];
        uint16_t *stream = &d->stream[i];
        if (!any) {
            *stream = 0;
            continue;
        }
        bool enqueued = is_enqueued(s, i);
        bool masks = ww_affine_result(s->affine, i) != WW_AFFINE_SCALAR;
        if ((*stream & WW_STREAM_AFFINE) == 0 || (!enqueued && !masks)) {
            *stream &= (uint16_t)~WW_STREAM_PREDICATE;
        }
        if (!ww__has_bit(s->needed, i) && !has_effect(inst)) {
            *stream |= WW_STREAM_ABSENT;
        }
        d->affine += (*stream & WW_STREAM_AFFINE) != 0;
        d->absent += (*stream & WW_STREAM_ABSENT) != 0;
        d->predicates += (*stream & WW_STREAM_PREDICATE) != 0;
        d->loads += (*stream & WW_STREAM_DATA) != 0;
        d->stores += (*stream & WW_STREAM_ADDRESS) != 0 && inst->op == WW_OP_ST;
        d->others += (*stream & WW_STREAM_ADDRESS) != 0 && inst->op != WW_OP_ST;
    }
}

/* ---- public ---- */

static bool allocate(splitter *s, ww_arena *arena)
{
    const ww_view *v = s->view;
    s->block_words = (v->cfg.block_count + 63) / 64;
    s->out->stream = WW_ARENA_NEW_ARRAY(arena, uint16_t, (size_t)v->inst_count + 1);
    s->out->condition = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)s->options->conditions + 1);
    s->work = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)v->inst_count + 1);
    s->needed = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)v->inst_count / 64 + 1);
    s->region = WW_ARENA_NEW_ARRAY(arena, uint64_t *, (size_t)v->cfg.block_count + 1);
    if (!s->options->follow_data) {
        s->by_data = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)v->inst_count / 64 + 1);
    }
    bool room = (s->options->follow_data || s->by_data != NULL) && s->out->stream != NULL &&
                s->out->condition != NULL && s->work != NULL && s->needed != NULL &&
                s->region != NULL;
    for (uint32_t b = 0; room && b <= v->cfg.block_count; b++) {
        bool spare = b == v->cfg.block_count;
        const ww_inst *last = spare ? NULL : &v->inst[v->cfg.block[b].last - 1];
        if (!spare && (last->op != WW_OP_BRA || last->guard.kind != WW_OPD_PRED)) {
            continue;
        }
        s->region[b] = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)s->block_words + 1);
        room = s->region[b] != NULL;
        if (room && !spare) {
            ww_branch_region(v, b, s->region[b]);
        }
    }
    return room;
}

ww_status ww_decouple(const ww_affine *affine, const ww_chains *chains,
                      const ww_decouple_options *options, ww_arena *arena, ww_decoupled *out,
                      ww_error *err)
{
    *out = (ww_decoupled){0};
    splitter s = {
        .view = affine->view, .chains = chains, .affine = affine, .options = options, .out = out};
    if (!allocate(&s, arena)) {
        return ww__analysis_no_memory(affine->view, err);
    }
    if (affine->supported) {
        if (s.by_data != NULL) {
            ww_mark_data_control(affine, chains, s.by_data);
        }
        find_candidates(&s);
        divide_kernel(&s);
        finish(&s, build_affine(&s));
    }
    return WW_OK;
}
