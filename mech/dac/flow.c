/* flow.c - where the affine warp goes (section 4.5): the Affine SIMT Stack works as that of every
 * warp (perf/exec/simt.c), with masks of all warps of the pass instead of 32 lanes, so that each
 * warp's part of it is the warp's own stack. Control that decides nothing the affine stream holds
 * is stepped over. */
#include <string.h>

#include "base/assert.h"
#include "mech/dac/dac.h"

static dac_entry *top_of(dac *s)
{
    WW_ASSERT(s->depth > 0 && s->depth <= DAC_STACK);
    return &s->stack[s->depth - 1];
}

/* Warps in which some but not all threads are active: their masks are in the Per Warp Stacks. */
static uint32_t mixed_warps(const dac *s, const dac_masks *m)
{
    uint32_t n = 0;
    for (ww_warps_walk rest = ww_warps_from(s->pass); ww_warps_next(&rest);) {
        uint32_t w = rest.warp;
        n += m->of[w] != 0 && m->of[w] != s->live.of[w];
    }
    return n;
}

static void count_access(dac *s, const dac_masks *m)
{
    dac_count(s, WW_C_DAC_STACK, 1);
    dac_count(s, WW_C_DAC_STACK_LANES, mixed_warps(s, m));
}

static void keep_condition(dac *s, uint32_t inst, const dac_masks *m)
{
    if (inst < s->notes->count && s->notes->keeps[inst]) {
        dac_count(s, WW_C_DAC_DCRF_WRITE, 1);
        dac_count(s, WW_C_DAC_DCRF_LANES, mixed_warps(s, m));
    }
}

static void pop(dac *s)
{
    count_access(s, &top_of(s)->active);
    s->depth--;
    if (s->depth > 0) {
        keep_condition(s, top_of(s)->pc, &top_of(s)->active);
    }
}

/* Takes threads out of the stack: they have exited, or nothing of theirs is left to do. */
static void remove_threads(dac *s, const dac_masks *gone)
{
    uint32_t kept = 0;
    dac_masks_without(s, &s->live, gone);
    for (uint32_t k = 0; k < s->depth; k++) {
        dac_entry *e = &s->stack[k];
        dac_masks_without(s, &e->active, gone);
        if (!dac_masks_empty(s, &e->active)) {
            if (kept != k) {
                s->stack[kept] = *e;
            }
            kept++;
        }
    }
    s->depth = kept;
}

/* Goes on to the next instruction of the affine stream: its first copy. */
static uint32_t locate(dac *s)
{
    const dac_notes *n = s->notes;
    for (uint32_t steps = 0; s->depth > 0 && steps < 4 * n->count + DAC_STACK; steps++) {
        dac_entry *top = top_of(s);
        if (s->depth > 1 && top->pc == top->reconv) {
            pop(s);
            continue;
        }
        uint32_t pc = n->hop[top->pc < n->count ? top->pc : n->count];
        if (top->reconv != WW_NO_TARGET && top->pc < top->reconv && pc > top->reconv) {
            pc = top->reconv;
        }
        top->pc = pc;
        if (s->depth > 1 && pc == top->reconv) {
            continue;
        }
        WW_ASSERT(s->depth == 1 || pc != top->reconv);
        const ww_inst *inst = pc < n->count ? &s->kernel->code[pc] : NULL;
        if (inst != NULL && (n->stream[pc] & WW_STREAM_AFFINE) != 0) {
            return n->copy_of[pc];
        }
        bool guarded = inst != NULL && inst->guard.kind == WW_OPD_PRED;
        bool branches = inst != NULL && inst->op == WW_OP_BRA;
        if (branches && !guarded) {
            top->pc = inst->target;
        } else if (branches && inst->reconv != WW_NO_TARGET) {
            top->pc = inst->reconv;
        } else if (inst != NULL && guarded && !branches) {
            top->pc++;
        } else {
            const dac_masks gone = top->active;
            remove_threads(s, &gone);
        }
    }
    s->depth = 0;
    return n->copies - 1;
}

void dac_flow_begin(dac *s)
{
    memset(s->passed, 0, sizeof s->passed);
    for (uint32_t r = 0; r < s->registers + s->predicates; r++) {
        s->value[r].count = 0;
        s->value[r].everywhere = false;
    }
    memset(s->bits, 0, s->predicates * sizeof *s->bits);
    memset(s->unknown, 0xff, s->predicates * sizeof *s->unknown);
    s->depth = 1;
    s->stack[0] = (dac_entry){.pc = 0, .reconv = WW_NO_TARGET, .active = s->live};
    s->turn_until = 0;
    s->at = locate(s);
}

void dac_flow_exited(dac *s, uint32_t warp)
{
    s->live.of[warp] = 0;
    for (uint32_t k = 0; k < s->depth; k++) {
        s->stack[k].active.of[warp] = 0;
    }
}

/* ---- branches ---- */

static void push(dac *s, const dac_entry *entry)
{
    WW_ASSERT(s->depth < DAC_STACK);
    s->stack[s->depth++] = *entry;
    count_access(s, &entry->active);
    dac_count(s, WW_C_DAC_DEEP, s->depth > s->arch->dac.stack);
}

/* As ww__simt_branch and ww__simt_scatter. */
static void branch(dac *s, const ww_inst *inst, const dac_masks *taken, uint64_t now)
{
    dac_entry *top = top_of(s);
    dac_masks stay = top->active;
    dac_masks_without(s, &stay, taken);
    count_access(s, &top->active);
    s->turn_until = now + 1 + mixed_warps(s, taken);
    if (dac_masks_empty(s, &stay)) {
        top->pc = inst->target;
        return;
    }
    if (dac_masks_empty(s, taken)) {
        top->pc++;
        return;
    }
    bool in_place = inst->reconv == WW_NO_TARGET || inst->reconv == top->reconv;
    uint32_t meet = in_place ? top->reconv : inst->reconv, n = 0;
    dac_entry path[2];
    const dac_entry on = {.pc = top->pc + 1, .reconv = meet, .active = stay};
    const dac_entry away = {.pc = inst->target, .reconv = meet, .active = *taken};
    bool first = s->launch->taken_path_first;
    if (on.pc != meet && first) {
        path[n++] = on;
    }
    if (away.pc != meet) {
        path[n++] = away;
    }
    if (on.pc != meet && !first) {
        path[n++] = on;
    }
    if (n == 0) {
        top->pc++;
        return;
    }
    uint32_t k = 0;
    if (in_place) {
        top->pc = path[0].pc;
        top->active = path[0].active;
        k = 1;
    } else {
        top->pc = inst->reconv;
    }
    for (; k < n; k++) {
        push(s, &path[k]);
    }
}

/* Lanes that pass the guard, as the kernel's warps have returned them. */
static void returned_lanes(dac *s, uint32_t pc, const dac_masks *active, dac_masks *out)
{
    memset(out, 0, sizeof *out);
    for (ww_warps_walk m = ww_warps_from(s->pass); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        if (active->of[w] == 0) {
            continue;
        }
        bool right = s->return_pc[w] == pc && s->return_active[w] == active->of[w];
        dac_count(s, WW_C_MECH_MISMATCH, !right);
        out->of[w] = s->return_lanes[w] & active->of[w];
        ww_warps_remove(&s->returned, w);
        dac_recheck(s, w);
    }
}

/* False: nobody knows which way some threads go. */
static bool deciding_lanes(dac *s, uint32_t pc, const dac_masks *active, dac_masks *out)
{
    dac_masks lost;
    if ((s->notes->stream[pc] & WW_STREAM_RETURNS) != 0) {
        returned_lanes(s, pc, active, out);
        return true;
    }
    dac_guarded(s, pc, active, out, &lost);
    return dac_masks_empty(s, &lost);
}

/* A branch or a guarded exit; false: the pass cannot go on. */
static bool turn(dac *s, uint32_t pc, uint64_t now)
{
    const ww_inst *inst = &s->kernel->code[pc];
    const dac_masks active = top_of(s)->active;
    static const dac_masks none;
    dac_masks lanes;
    if (dac_masks_empty(s, &active)) { /* its threads have exited meanwhile */
        remove_threads(s, &none);
        return true;
    }
    if (!deciding_lanes(s, pc, &active, &lanes) || s->depth + 2 > DAC_STACK) {
        return false;
    }
    if (inst->op == WW_OP_BRA) {
        branch(s, inst, &lanes, now);
        return true;
    }
    top_of(s)->pc++;
    remove_threads(s, &lanes);
    return true;
}

/* ---- enqueueing ---- */

static uint32_t tuple_lanes(const dac_value *v)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        n += ww_tuple_lanes(&v->word[k].tuple);
    }
    return n > 0 ? n : 1;
}

static dac_tuples *enqueue(dac *s, dac_kind kind, uint32_t pc)
{
    dac_tuples *e = dac_atq_push(s);
    e->kind = (uint8_t)kind;
    e->data = e->to_warps = false;
    e->pc = pc;
    e->started = 0;
    e->unmade = WW_NO_WARPS;
    e->active = top_of(s)->active;
    memcpy(e->barriers, s->passed, sizeof e->barriers);
    e->todo = WW_NO_WARPS;
    for (ww_warps_walk m = ww_warps_from(s->pass); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        if (e->active.of[w] != 0) {
            ww_warps_add(&e->todo, w);
        }
    }
    return e;
}

bool dac_through_l1d(const dac *s, const ww_inst *inst)
{
    enum { PAST_L1 = WW_MOD_CACHE_CG | WW_MOD_CACHE_CV | WW_MOD_VOLATILE };
    bool texture =
        (inst->mods & WW_MOD_NC) != 0 && s->arch->l1t.bytes > 0 && !s->arch->peer.nc_in_l1d;
    return inst->space != WW_SPACE_LOCAL && (inst->mods & PAST_L1) == 0 && !texture &&
           s->arch->ldst.l1_caches_global && s->arch->l1d.bytes > 0;
}

static uint32_t enqueue_access(dac *s, uint32_t pc)
{
    const ww_inst *inst = &s->kernel->code[pc];
    dac_tuples *e = enqueue(s, DAC_ENQUEUE, pc);
    dac_masks lost;
    dac_guarded(s, pc, &e->active, &e->lanes, &lost);
    e->data = (s->notes->stream[pc] & WW_STREAM_DATA) != 0 && dac_through_l1d(s, inst) &&
              s->arch->dac.prefetch;
    e->bytes = ww_type_bytes((ww_type)inst->type) * inst->vec;
    dac_operand(s, pc, 0, &e->lanes, &e->address);
    dac_displace(s, &e->address, inst->offset);
    e->lost = lost;
    return tuple_lanes(&e->address);
}

static uint32_t enqueue_predicate(dac *s, uint32_t pc)
{
    const ww_inst *inst = &s->kernel->code[pc];
    dac_tuples *e = enqueue(s, DAC_ENQUEUE_PREDICATE, pc);
    uint32_t p = inst->dst[0].reg;
    e->to_warps = s->notes->to_warps[pc];
    e->lanes = s->bits[p];
    e->lost = s->unknown[p];
    dac_masks_and(s, &e->lost, &e->active);
    dac_operand(s, pc, 0, &e->active, &e->left);
    dac_operand(s, pc, 1, &e->active, &e->right);
    e->unmade = e->todo;
    return tuple_lanes(&e->left) + tuple_lanes(&e->right);
}

/* The marker of a barrier: what comes behind waits until the warps have executed it. */
static void enqueue_barrier(dac *s, uint32_t pc)
{
    dac_tuples *e = enqueue(s, DAC_END, pc);
    for (ww_warps_walk m = ww_warps_from(e->todo); ww_warps_next(&m);) {
        s->passed[m.warp]++;
    }
    e->written = true;
}

/* Section 4.1: whether a full Per Warp Predicate Queue keeps an enq from issuing. */
static bool finds_full_queue(const dac *s, const dac_copy *c)
{
    const ww_dac_full rule = (ww_dac_full)s->arch->dac.predicates_full;
    const bool own = rule == WW_DAC_FULL_OWN;
    if (rule == WW_DAC_FULL_EXPANSION || c->kind == DAC_COPY || s->depth == 0 ||
        (own && (c->kind != DAC_ENQUEUE_PREDICATE || !s->notes->to_warps[c->inst]))) {
        return false;
    }
    const dac_masks *active = &s->stack[s->depth - 1].active;
    for (ww_warps_walk m = ww_warps_from(s->pass); ww_warps_next(&m);) {
        if (s->predicate[m.warp].count >= s->predicate_size && (!own || active->of[m.warp] != 0)) {
            return true;
        }
    }
    return false;
}

/* ---- steps ---- */

static const dac_copy *copy_at(const dac *s)
{
    return &s->notes->copy[s->at];
}

dac_wait dac_flow_waits(const dac *s, uint64_t now)
{
    const dac_copy *c = copy_at(s);
    uint16_t stream = s->notes->stream[c->inst];
    const ww_inst *inst = &s->kernel->code[c->inst];
    if (now < s->turn_until) {
        return DAC_WAITS_FOR_STACK;
    }
    if (c->kind == DAC_ENQUEUE || c->kind == DAC_ENQUEUE_PREDICATE ||
        (c->kind == DAC_COPY && inst->op == WW_OP_BAR)) {
        return dac_atq_room(s) && !finds_full_queue(s, c) ? DAC_GO : DAC_WAITS_FOR_ROOM;
    }
    bool turns = inst->op == WW_OP_BRA || inst->op == WW_OP_EXIT || inst->op == WW_OP_RET;
    if (c->kind != DAC_COPY || !turns || s->depth == 0) {
        return DAC_GO;
    }
    if ((stream & WW_STREAM_RETURNS) == 0) {
        bool expanded = !s->notes->masks[c->inst] || dac_masks_made(s);
        return expanded ? DAC_GO : DAC_WAITS_FOR_MASKS;
    }
    const dac_masks *active = &s->stack[s->depth - 1].active;
    for (ww_warps_walk m = ww_warps_from(ww_warps_without(s->pass, s->returned));
         ww_warps_next(&m);) {
        if (active->of[m.warp] != 0) {
            return DAC_WAITS_FOR_MASKS;
        }
    }
    return DAC_GO;
}

/* Behind the present instruction: over the jump where there is one, unless a branch was taken. */
static void go_on(dac *s, uint32_t inst)
{
    uint32_t at = s->at + 1;
    bool straight = s->depth > 0 && top_of(s)->pc == inst + 1;
    bool jump = at < s->notes->copies && s->notes->copy[at].kind == DAC_JUMP &&
                s->notes->copy[at].inst == inst;
    s->at = straight && jump ? at : locate(s);
}

static uint32_t step_copy(dac *s, uint32_t pc, bool *ok, uint64_t now)
{
    const ww_inst *inst = &s->kernel->code[pc];
    bool turns = inst->op == WW_OP_BRA || inst->op == WW_OP_EXIT || inst->op == WW_OP_RET;
    uint32_t lanes = 1;
    if (turns) {
        *ok = turn(s, pc, now);
        return lanes;
    }
    if (inst->op == WW_OP_BAR) {
        enqueue_barrier(s, pc);
    } else {
        const dac_masks active = top_of(s)->active;
        lanes = dac_evaluate(s, pc, &active);
        keep_condition(s, pc, &active);
    }
    bool enqueues = s->notes->copy[s->at + 1].kind == DAC_ENQUEUE_PREDICATE &&
                    s->notes->copy[s->at + 1].inst == pc;
    top_of(s)->pc += !enqueues;
    if (enqueues) {
        s->at++;
        s->stays = true;
    }
    return lanes;
}

bool dac_flow_step(dac *s, uint32_t *lanes, uint64_t now)
{
    const dac_copy c = *copy_at(s);
    bool ok = true;
    *lanes = 1;
    s->stays = false;
    if (c.kind == DAC_END || s->depth == 0) {
        return false;
    }
    switch ((dac_kind)c.kind) {
    case DAC_COPY:
        *lanes = step_copy(s, c.inst, &ok, now);
        break;
    case DAC_ENQUEUE:
        *lanes = enqueue_access(s, c.inst);
        top_of(s)->pc++;
        break;
    case DAC_ENQUEUE_PREDICATE:
        *lanes = enqueue_predicate(s, c.inst);
        top_of(s)->pc++;
        break;
    case DAC_JUMP:
        s->at = locate(s);
        return true;
    case DAC_END:
        break;
    }
    if (!ok) {
        dac_give_up(s, s->pass);
        return false;
    }
    if (!s->stays) {
        go_on(s, c.inst);
    }
    return true;
}
