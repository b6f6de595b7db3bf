/* hooks.c - decoupled affine computation where the SM calls it: batches of CTAs, the affine warp,
 * and the kernel's warps at their queues. */
#include <string.h>

#include "base/arith.h"
#include "base/assert.h"
#include "mech/dac/dac.h"

/* ---- lifetime ---- */

static void free_values(dac *s)
{
    ww_free(s->value);
    ww_free(s->bits);
    ww_free(s->unknown);
    s->value = NULL;
    s->bits = s->unknown = NULL;
}

static void destroy(void *state)
{
    dac *s = state;
    if (s != NULL) {
        ww_free(s->atq);
        ww_free(s->queue);
        ww_free(s->predicate);
        ww_free(s->unlock);
        free_values(s);
        ww_free(s->tid);
        ww_free(s);
    }
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_dac_params *p = &arch->dac;
    const uint32_t slots = ww_mech_slots(sm);
    if (arch->sm.max_warps > slots - 1) { /* the affine warp has a slot of its own */
        return ww_fail(err, WW_EUNSUP, "%u warp slots: at most %u", arch->sm.max_warps, slots - 1);
    }
    dac *s = WW_NEW(dac);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    *state = s;
    s->sm = sm;
    s->arch = arch;
    s->slots = slots;
    s->atq_size = p->atq;
    s->atq = WW_NEW_ARRAY(dac_tuples, p->atq);
    s->queue = WW_NEW_ARRAY(dac_queue, slots);
    s->predicate = WW_NEW_ARRAY(dac_predicates, slots);
    s->unlock = WW_NEW_ARRAY(dac_unlocks, slots);
    bool room = s->atq != NULL && s->queue != NULL && s->predicate != NULL && s->unlock != NULL;
    if (!room || p->pwaq < arch->sm.max_warps || p->pwpq < arch->sm.max_warps) {
        destroy(s);
        return room ? ww_fail(err, WW_ERANGE,
                              "dac.pwaq and dac.pwpq must hold an entry for each of %u warps",
                              arch->sm.max_warps)
                    : ww_no_memory(err);
    }
    return WW_OK;
}

/* Entries of each warp's queues: divided among all warp slots, or among the warps that the kernel
 * fills the SM with. */
static void divide_queues(dac *s)
{
    const ww_dac_params *p = &s->arch->dac;
    const ww_dim3 b = s->launch->block;
    uint32_t warps = s->arch->sm.max_warps;
    uint32_t of_cta = (b.x * b.y * b.z + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    if (p->partition == WW_DAC_PARTITION_RESIDENT) {
        warps = ww_min_u32(warps, s->cta_limit * of_cta);
    }
    s->queue_size = ww_min_u32(p->pwaq / warps, DAC_RECORDS);
    s->predicate_size = ww_min_u32(p->pwpq / warps, DAC_RECORDS);
}

/* Thread indices of the warps of a CTA. */
static bool number_threads(dac *s)
{
    const ww_dim3 b = s->launch->block;
    uint32_t threads = b.x * b.y * b.z;
    s->tid = WW_NEW_ARRAY(dac_threads, (threads + WW_WARP_SIZE - 1) / WW_WARP_SIZE);
    for (uint32_t t = 0; s->tid != NULL && t < threads; t++) {
        uint16_t *tid = s->tid[t / WW_WARP_SIZE].of[t % WW_WARP_SIZE];
        tid[0] = (uint16_t)(t % b.x);
        tid[1] = (uint16_t)(t / b.x % b.y);
        tid[2] = (uint16_t)(t / b.x / b.y);
    }
    return s->tid != NULL;
}

/* Room for what the kernel's registers and predicates hold, which every pass clears
 * (dac_flow_begin). */
static bool make_values(dac *s)
{
    const uint32_t values = s->registers + s->predicates;
    if (values <= s->values && s->value != NULL) {
        return true;
    }
    free_values(s);
    s->values = values;
    s->value = WW_NEW_ARRAY(dac_value, (size_t)values + 1);
    s->bits = WW_NEW_ARRAY(dac_masks, (size_t)values + 1);
    s->unknown = WW_NEW_ARRAY(dac_masks, (size_t)values + 1);
    if (s->value != NULL && s->bits != NULL && s->unknown != NULL) {
        return true;
    }
    free_values(s);
    return false;
}

/* Sectors of the L1D that requests may lock. */
static uint32_t lockable(const dac *s)
{
    const ww_cache_params *l1 = &s->arch->l1d;
    return l1->bytes / l1->sector_bytes / l1->ways * dac_lockable_ways(s->arch);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    dac *s = state;
    const dac_notes *notes = launch->notes;
    s->notes = notes != NULL && notes->copies > 0 ? notes : NULL;
    dac_count(s, WW_C_DAC_STATIC, notes != NULL ? notes->whole : 0);
    dac_count(s, WW_C_DAC_STATIC_AFFINE, notes != NULL ? notes->potential : 0);
    s->kernel = launch->kernel;
    s->launch = launch->launch;
    s->cta_limit = launch->cta_limit;
    divide_queues(s);
    s->running = false;
    s->resident = s->waiting = 0;
    s->given_up = s->held = s->lifted = s->returned = s->covered = s->pass = s->awaiting =
        WW_NO_WARPS;
    s->atq_first = s->atq_count = 0;
    ww_behind_clear(&s->behind, lockable(s));
    s->addresses.busy_until = s->comparisons.busy_until = 0;
    s->addresses.lines.warp = UINT32_MAX;
    memset(s->partial, 0, sizeof s->partial);
    for (uint32_t w = 0; w < s->slots; w++) {
        s->queue[w].first = s->queue[w].count = 0;
        s->queue[w].through = false;
        s->predicate[w].first = s->predicate[w].count = s->unlock[w].count = 0;
    }
    if (s->notes == NULL) {
        return WW_OK;
    }
    const ww_dim3 b = s->launch->block, g = s->launch->grid;
    const uint32_t most[WW_INDEX_COUNT] = {b.x - 1, b.y - 1, b.z - 1, g.x - 1, g.y - 1, g.z - 1};
    memcpy(s->most, most, sizeof most);
    ww_free(s->tid);
    s->registers = s->kernel->registers;
    s->predicates = s->kernel->predicates;
    return number_threads(s) && make_values(s) ? WW_OK : ww_no_memory(err);
}

/* ---- CTAs and batches ---- */

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    dac *s = state;
    s->warps_of[cta] = warps;
    s->resident |= dac_cta(cta);
    s->waiting |= dac_cta(cta);
    s->last_placed = now;
    s->given_up = ww_warps_without(s->given_up, warps);
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        s->cta_of[w] = (uint8_t)cta;
        s->barriers[w] = 0;
    }
}

static void cta_ended(void *state, uint32_t cta, uint64_t now)
{
    dac *s = state;
    (void)now;
    s->resident &= ~dac_cta(cta);
    s->waiting &= ~dac_cta(cta);
    s->warps_of[cta] = WW_NO_WARPS;
}

static uint32_t initial_lanes(const dac *s, uint32_t warp)
{
    const ww_dim3 b = s->launch->block;
    uint32_t first = ww_mech_warp(s->sm, warp)->index * WW_WARP_SIZE, threads = b.x * b.y * b.z;
    uint32_t n = threads - first;
    return n >= WW_WARP_SIZE ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* The affine warp runs once for all CTAs that no pass has covered yet (section 4.1). */
static void start_pass(dac *s, uint64_t now)
{
    uint32_t linear = 0;
    s->pass = WW_NO_WARPS;
    memset(&s->live, 0, sizeof s->live);
    for (uint64_t c = s->waiting; c != 0; c &= c - 1) {
        for (ww_warps_walk m =
                 ww_warps_from(ww_warps_both(s->warps_of[dac_first_cta(c)], ww_mech_live(s->sm)));
             ww_warps_next(&m);) {
            uint32_t w = m.warp;
            ww_warps_add(&s->pass, w);
            s->live.of[w] = initial_lanes(s, w);
            linear = ww_mech_warp(s->sm, w)->cta->linear;
        }
    }
    uint64_t ctas = s->waiting;
    s->waiting = 0;
    if (!ww_warps_any(s->pass)) {
        return;
    }
    s->covered = ww_warps_either(s->covered, s->pass);
    if (ww_mech_start_warp(s->sm, s->notes->count, linear, now, &s->warp, NULL) != WW_OK) {
        dac_give_up(s, s->pass);
        return;
    }
    ww_mech_drive(s->sm, s->warp, ww_mech_index(s->sm, s));
    s->running = true;
    if (s->arch->dac.favour) {
        ww_mech_favour(s->sm, ww_warps_only(s->warp));
    }
    dac_flow_begin(s);
    ww_mech_go_to(s->sm, s->warp, s->notes->count + s->at);
    dac_count(s, WW_C_DAC_PASSES, 1);
    dac_count(s, WW_C_DAC_PASS_CTAS, (uint64_t)__builtin_popcountll(ctas));
}

/* When a pass may start: the SM is full, or the dispatcher has given it nothing for a while. */
static uint64_t start_at(const dac *s)
{
    if (s->notes == NULL || s->running || s->waiting == 0 || dac_is_oracle(s)) {
        return UINT64_MAX;
    }
    bool all = s->arch->dac.batch != WW_DAC_BATCH_CTA;
    bool full = (uint32_t)__builtin_popcountll(s->resident) >= s->cta_limit;
    if (s->arch->dac.batch == WW_DAC_BATCH_SYNCHRONOUS && s->resident != s->waiting) {
        return UINT64_MAX;
    }
    return full || !all ? 0 : s->last_placed + s->arch->dac.patience;
}

void dac_give_up(dac *s, ww_warps warps)
{
    s->given_up = ww_warps_either(s->given_up, warps);
    dac_count(s, WW_C_DAC_GIVEN_UP, ww_warps_count(warps));
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        dac_forget_warp(s, m.warp);
        dac_recheck(s, m.warp);
    }
    s->covered = ww_warps_without(s->covered, warps);
    s->pass = ww_warps_without(s->pass, warps);
    s->stuck = false;
}

/* ---- holds ---- */

/* What keeps a kernel's warp at an instruction; WW_COUNTER_COUNT: nothing. */
static ww_counter reason_of(const dac *s, uint32_t w, uint32_t pc)
{
    uint16_t stream = pc < s->notes->count ? s->notes->stream[pc] : 0;
    bool data;
    if (dac_is_oracle(s) || ww_warps_has(&s->given_up, w)) {
        return WW_COUNTER_COUNT;
    }
    if ((stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0 &&
        !dac_address_ready(s, w, pc, &data)) {
        return data ? WW_C_DAC_STALL_DATA : WW_C_DAC_STALL_ADDRESS;
    }
    if ((stream & WW_STREAM_DEQUEUES) != 0 && !dac_predicate_ready(s, w)) {
        return WW_C_DAC_STALL_PREDICATE;
    }
    if ((stream & WW_STREAM_RETURNS) != 0 && ww_warps_has(&s->returned, w)) {
        return WW_C_DAC_STALL_RETURN;
    }
    return WW_COUNTER_COUNT;
}

static ww_counter affine_reason(const dac *s, uint64_t now)
{
    switch (dac_flow_waits(s, now)) {
    case DAC_WAITS_FOR_ROOM:
        return WW_C_DAC_STALL_ROOM;
    case DAC_WAITS_FOR_MASKS:
    case DAC_WAITS_FOR_STACK:
        return WW_C_DAC_STALL_MASKS;
    case DAC_GO:
        break;
    }
    return WW_COUNTER_COUNT;
}

static void hold(dac *s, uint32_t w, uint32_t pc, ww_counter why)
{
    ww_warps_add(&s->held, w);
    s->held_pc[w] = pc;
    ww_mech_hold_issue(s->sm, w, why);
}

void dac_recheck(dac *s, uint32_t w)
{
    if (ww_warps_has(&s->held, w) && (!s->running || w != s->warp) &&
        reason_of(s, w, s->held_pc[w]) == WW_COUNTER_COUNT) {
        ww_warps_remove(&s->held, w);
        ww_mech_release_issue(s->sm, w);
    }
}

static bool is_affine_warp(const dac *s, uint32_t w)
{
    return s->running && w == s->warp;
}

static void head(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    dac *s = state;
    if (s->notes == NULL) {
        return;
    }
    bool affine = is_affine_warp(s, w);
    ww_counter why = affine ? affine_reason(s, now) : reason_of(s, w, pc);
    if (affine) { /* in the active set whenever it does not wait */
        ww_mech_wake(s->sm, w);
    }
    if (why != WW_COUNTER_COUNT) {
        hold(s, w, pc, why);
    }
    bool comparison = pc < s->notes->count && (s->notes->stream[pc] & WW_STREAM_DEQUEUES) != 0 &&
                      s->kernel->code[pc].op == WW_OP_SETP;
    if (comparison && !ww_warps_has(&s->given_up, w)) {
        ww_warps_add(&s->lifted, w);
        ww_mech_lift(s->sm, w); /* the mask comes from the queue: no collector, no unit */
    }
}

/* ---- issue ---- */

/* What has been lifted has no collector, also if its warp has been given up since. */
static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    dac *s = state;
    (void)pc;
    (void)now;
    const bool dequeues = ww_warps_has(&s->lifted, w);
    ww_warps_remove(&s->lifted, w);
    return (ww_issue_verdict){.kind = dequeues ? WW_ISSUE_REUSE : WW_ISSUE_UNIT, .latency = 1};
}

static uint32_t driven(void *state, uint32_t w, uint32_t pc, ww_step *step, uint64_t now)
{
    dac *s = state;
    uint32_t lanes;
    (void)w;
    bool more = dac_flow_step(s, &lanes, now);
    step->pc = pc;
    step->active = step->exec = lanes >= WW_WARP_SIZE ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
    dac_count(s, WW_C_DAC_AFFINE_INST, 1);
    return more ? s->notes->count + s->at : WW_NO_TARGET;
}

static uint32_t guard_lanes(const dac *s, uint32_t w, uint32_t pc)
{
    const ww_operand *g = &s->kernel->code[pc].guard;
    uint32_t bits = g->kind == WW_OPD_PRED ? ww_mech_warp(s->sm, w)->preds[g->reg] : UINT32_MAX;
    return (g->flags & WW_OPD_NOT) != 0 ? ~bits : bits;
}

static void take(dac *s, uint32_t w, const ww_step *step)
{
    uint16_t stream = s->notes->stream[step->pc];
    const ww_inst *inst = &s->kernel->code[step->pc];
    if ((stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0) {
        dac_take_address(s, w, step);
    }
    if ((stream & WW_STREAM_DEQUEUES) != 0) {
        bool branch = inst->op == WW_OP_BRA;
        uint32_t bits = branch ? ww_mech_warp(s->sm, w)->preds[inst->guard.reg]
                               : ww_mech_warp(s->sm, w)->preds[inst->dst[0].reg];
        dac_take_predicate(s, w, step, bits);
    }
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    dac *s = state;
    (void)flight;
    (void)now;
    if (s->notes == NULL || step->pc >= s->notes->count) {
        return;
    }
    if (!dac_is_oracle(s) && !ww_warps_has(&s->given_up, w)) {
        take(s, w, step);
    }
    if ((s->notes->stream[step->pc] & WW_STREAM_RETURNS) != 0 && !dac_is_oracle(s)) {
        ww_warps_add(&s->returned, w);
        s->return_pc[w] = step->pc;
        s->return_active[w] = step->active;
        s->return_lanes[w] = step->active & guard_lanes(s, w, step->pc);
        dac_count(s, WW_C_DAC_RETURNED, 1);
    }
    if (step->barrier) {
        s->barriers[w]++;
        s->stuck = false;
    }
}

/* A tuple has come through the lanes to the ATQ. */
static void written(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    dac *s = state;
    (void)now;
    if (!is_affine_warp(s, w) || s->notes == NULL || pc < s->notes->count) {
        return;
    }
    const uint32_t at = pc - s->notes->count;
    const dac_copy *copy = &s->notes->copy[at];
    WW_ASSERT(s->notes->copy_of[copy->inst] <= at);
    dac_kind kind = (dac_kind)copy->kind;
    for (uint32_t i = 0; i < s->atq_count && kind != DAC_COPY; i++) {
        dac_tuples *e = &s->atq[(s->atq_first + i) % s->atq_size];
        if (!e->written) {
            e->written = true;
            s->stuck = false;
            return;
        }
    }
}

static void warp_exited(void *state, uint32_t w, uint64_t now)
{
    dac *s = state;
    (void)now;
    if (s->notes == NULL) {
        return;
    }
    ww_warps_remove(&s->held, w);
    ww_warps_remove(&s->lifted, w);
    if (is_affine_warp(s, w)) {
        s->running = false;
        if (s->arch->dac.favour) {
            ww_mech_favour(s->sm, WW_NO_WARPS);
        }
        for (uint32_t i = 0; i < s->atq_count; i++) { /* what is still in the lanes has left them */
            dac_tuples *e = &s->atq[(s->atq_first + i) % s->atq_size];
            e->written = true;
        }
        s->stuck = false;
        return;
    }
    dac_count(s, WW_C_DAC_LEFT_OVER, s->queue[w].count + s->predicate[w].count);
    dac_forget_warp(s, w);
    dac_flow_exited(s, w);
    ww_warps_remove(&s->covered, w);
    ww_warps_remove(&s->pass, w);
    s->partial[w] = 0;
    s->stuck = false;
}

/* ---- memory ---- */

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    dac *s = state;
    (void)now;
    if (access->kind != WW_ACCESS_LOAD || access->extra) {
        return;
    }
    bool affine = s->notes != NULL && access->pc < s->notes->count &&
                  (s->notes->stream[access->pc] & WW_STREAM_DATA) != 0 &&
                  !ww_warps_has(&s->given_up, access->warp);
    dac_count(s, WW_C_DAC_LOADS, split->segments);
    dac_count(s, WW_C_DAC_LOADS_AFFINE, affine ? split->segments : 0);
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    dac *s = state;
    (void)result;
    (void)now;
    uint64_t line = access->address / s->arch->l1d.line_bytes * s->arch->l1d.line_bytes;
    if (access->kind == WW_ACCESS_STORE) {
        dac_line_stored(s, access->cta, line);
    } else {
        dac_unlock_line(s, access->warp, line);
    }
}

static void filled(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    dac *s = state;
    (void)waiters;
    (void)now;
    ww_behind_came(&s->behind, address, s->arch->l1d.sector_bytes);
    dac_line_arrived(s, address / s->arch->l1d.line_bytes * s->arch->l1d.line_bytes);
}

static void evicted(void *state, uint64_t address, uint64_t now)
{
    (void)now;
    dac_line_left(state, address);
}

/* ---- time ---- */

static void release_affine_warp(dac *s, uint64_t now)
{
    if (s->running && ww_warps_has(&s->held, s->warp) &&
        affine_reason(s, now) == WW_COUNTER_COUNT) {
        ww_warps_remove(&s->held, s->warp);
        ww_mech_release_issue(s->sm, s->warp);
    }
}

/* Whether nothing of this SM will move by itself again: the affine warp and the units wait for
 * warps of the kernel, and those, as far as they do not wait at barriers for each other, for them.
 */
static bool all_wait(const dac *s, uint64_t now)
{
    const bool units = dac_expand_busy(s) || ww_warps_any(s->awaiting);
    if (s->notes == NULL || units || !ww_warps_any(s->held) || start_at(s) != UINT64_MAX) {
        return false;
    }
    if (s->running && (!ww_warps_has(&s->held, s->warp) || s->turn_until > now ||
                       affine_reason(s, now) == WW_COUNTER_COUNT)) {
        return false;
    }
    for (uint32_t i = 0; i < s->atq_count; i++) {
        if (!s->atq[(s->atq_first + i) % s->atq_size].written) {
            return false;
        }
    }
    for (ww_warps_walk m =
             ww_warps_from(ww_warps_without(ww_mech_live(s->sm), ww_mech_extra(s->sm)));
         ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (!ww_warps_has(&s->held, w) && !ww_mech_warp(s->sm, w)->at_barrier) {
            return false;
        }
    }
    return ww_warps_any(ww_warps_both(s->covered, s->held));
}

static void tick(void *state, uint64_t now)
{
    dac *s = state;
    if (all_wait(s, now)) {
        dac_give_up(s, s->covered);
    }
    if (start_at(s) <= now) {
        start_pass(s, now);
    }
    if (s->atq_count > 0) {
        dac_expand(s, now);
    }
    ww_behind_send(&s->behind, s->sm, now);
    release_affine_warp(s, now);
}

static uint64_t next(const void *state, uint64_t now)
{
    const dac *s = state;
    uint64_t at = start_at(s);
    bool held = s->running && ww_warps_has(&s->held, s->warp);
    if (ww_behind_waits(&s->behind) || dac_expand_busy(s) || all_wait(s, now) ||
        (held && affine_reason(s, now + 1) == WW_COUNTER_COUNT)) {
        return now + 1;
    }
    if (held && s->turn_until > now) {
        at = s->turn_until < at ? s->turn_until : at;
    }
    return at > now ? at : now + 1;
}

const ww_mech ww_mech_dac = {
    .name = "dac",
    .pass = dac_pass,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .cta_ended = cta_ended,
    .warp_exited = warp_exited,
    .head = head,
    .issue = issue,
    .driven = driven,
    .executed = executed,
    .written = written,
    .coalesced = coalesced,
    .beside = dac_oracle_beside,
    .looked_up = looked_up,
    .filled = filled,
    .evicted = evicted,
    .tick = tick,
    .next = next,
};
