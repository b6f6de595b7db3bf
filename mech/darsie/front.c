/* front.c - the instruction skipper beside the fetch scheduler (sections 4.3.2, 4.3.4 and 4.3.5).
 * Every cycle each warp of a majority path that comes to a redundant instruction asks the skip
 * table for it; warps of a block at one instruction ask together, and so many different questions
 * are answered in a cycle as the table has read ports. A warp skips an instruction in a cycle. */
#include "mech/darsie/darsie.h"

enum { MOST_LOOKUPS = 16 };

/* Look-ups of a cycle. */
typedef struct questions {
    uint32_t count;
    const ds_cta *cta[MOST_LOOKUPS];
    uint32_t pc[MOST_LOOKUPS];
} questions;

void ds_hold(darsie *s, uint32_t w, ww_counter why)
{
    ww_warps_add(&s->held, w);
    ww_mech_hold_fetch_for(s->sm, w, why);
}

void ds_release(darsie *s, uint32_t w)
{
    if (ww_warps_has(&s->held, w)) {
        ww_warps_remove(&s->held, w);
        ww_mech_release_fetch(s->sm, w);
    }
}

/* A control instruction that the warp has fetched and not executed lies before the instruction. */
static inline bool undecided(const darsie *s, uint32_t w, uint32_t pc)
{
    const uint32_t at = ww_warp_pc(ww_mech_warp(s->sm, w));
    return at > pc || s->notes->controls[pc] != s->notes->controls[at];
}

static inline bool is_on_path(darsie *s, uint32_t w)
{
    return ds_by_history(s) ? ww_warp_active(ww_mech_warp(s->sm, w)) == UINT32_MAX
                            : ww_warps_has(&ds_cta_of(s, w)->majority, w);
}

bool ds_takes_part(darsie *s, uint32_t w, uint32_t pc)
{
    return !undecided(s, w, pc) && is_on_path(s, w);
}

/* Whether the warp has to wait before anything can be said of the instruction. */
static inline bool must_wait(darsie *s, uint32_t w, uint32_t pc)
{
    if (ds_by_history(s)) {
        return ds_redundant(s, pc) && undecided(s, w, pc);
    }
    const ds_cta *c = ds_cta_of(s, w);
    return ww_warps_has(&c->majority, w) && (ww_warps_has(&c->arrived, w) || undecided(s, w, pc));
}

/* ---- the stage before fetch ---- */

/* Whether the cycle has a look-up for the block at the instruction. */
static bool may_ask(darsie *s, questions *q, const ds_cta *c, uint32_t pc)
{
    for (uint32_t i = 0; i < q->count; i++) {
        if (q->cta[i] == c && q->pc[i] == pc) {
            return true;
        }
    }
    if (q->count == s->arch->darsie.lookups || q->count == MOST_LOOKUPS) {
        return false;
    }
    q->cta[q->count] = c;
    q->pc[q->count++] = pc;
    ds_count(s, WW_C_DARSIE_LOOKUP, 1);
    ds_count(s, WW_C_DARSIE_MASK_READ, 1);
    return true;
}

/* Whether the warp has nothing to wait for at the entry: it leads, or each executes on its own. */
static bool is_free(const ds_entry *e, uint32_t w)
{
    return e->vector || (!e->waiting && !e->fetched && e->leader == w);
}

static void park(darsie *s, ds_cta *c, ds_entry *e, uint32_t w, uint64_t now)
{
    if (is_free(e, w)) { /* the gathering has ended with the warp before it */
        s->again = true;
        return;
    }
    ww_warps_add(&e->parked, w);
    ww_warps_remove(&s->asked, w);
    ds_hold(s, w, e->waiting ? WW_C_DARSIE_STALL_REGISTER : WW_C_DARSIE_STALL_LEADER);
    if (e->waiting) {
        ds_try_gathered(s, c, e, now);
    }
}

static void skip(darsie *s, ds_cta *c, ds_entry *e, uint32_t w, uint64_t now)
{
    ds_warp *warp = &s->warp[w];
    ds_hold(s, w, WW_C_DARSIE_STALL_TABLE); /* its program counter moves in this cycle */
    s->again = true;
    if (warp->marks == DS_MARKS || !ww_mech_skip(s->sm, w)) {
        return;
    }
    ds_mark *mark = &warp->mark[(warp->first + warp->marks++) % DS_MARKS];
    uint32_t cell[DS_CELLS];
    *mark = (ds_mark){.cells = e->cells, .value = e->value};
    ds_results(s, &s->kernel->code[e->pc], cell);
    for (uint32_t i = 0; i < e->cells; i++) {
        mark->version[i] = e->version[i];
        mark->cell[i] = (uint16_t)cell[i];
        if (e->version[i] != DS_NONE) {
            ww_warps_add(&c->version[e->version[i]].users, w);
        }
    }
    ds_count(s, WW_C_DARSIE_ADD, 1);
    ds_count(s, WW_C_DARSIE_LOADS, e->load);
    warp->front = e->pc + 1;
    e->used_at = now;
    ww_warps_remove(&e->left, w);
    ww_warps_remove(&e->parked, w);
    if (!ww_warps_any(e->left)) {
        ds_remove(s, c, e);
    }
}

/* A warp has found something about the redundant instruction that it comes to. */
static void found(darsie *s, ds_cta *c, ds_entry *e, uint32_t w, uint64_t now)
{
    if (e == NULL || is_free(e, w) || !ww_warps_has(&e->left, w)) {
        ww_warps_add(&s->asked, w);
        ds_release(s, w);
    } else if (e->waiting || !e->written) {
        park(s, c, e, w, now);
    } else if (now < e->ready_at) {
        park(s, c, e, w, now);
        s->again = true;
    } else {
        skip(s, c, e, w, now);
    }
}

static void look(darsie *s, questions *q, uint32_t w, uint32_t pc, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    if (must_wait(s, w, pc)) {
        ds_hold(s, w, WW_C_DARSIE_STALL_BRANCH);
        return;
    }
    if (ww_warps_has(&c->majority, w) && now < c->resume_at) {
        s->again = true;
        return;
    }
    /* Nothing is undecided before a redundant instruction any more: must_wait has said so. */
    if (!ds_redundant(s, pc) || !is_on_path(s, w) || ww_warps_has(&s->asked, w)) {
        ds_release(s, w);
        return;
    }
    ds_entry *e = ds_find(s, c, w, pc);
    const bool parked = e != NULL && ww_warps_has(&e->parked, w) && !is_free(e, w);
    if (parked && (!e->written || now < e->ready_at)) {
        park(s, c, e, w, now);
        s->again = s->again || e->written;
    } else if (may_ask(s, q, c, pc)) {
        found(s, c, e, w, now);
    } else {
        ds_hold(s, w, WW_C_DARSIE_STALL_TABLE);
        s->again = true;
    }
}

void ds_skip(void *state, ww_warps warps, uint64_t now)
{
    darsie *s = state;
    questions q = {0};
    s->again = false;
    for (ww_warps_walk m =
             ww_warps_from(s->notes != NULL ? ww_warps_both(warps, s->members) : WW_NO_WARPS);
         ww_warps_next(&m);) {
        const uint32_t w = m.warp, pc = ww_mech_next_inst(s->sm, w);
        ds_warp *warp = &s->warp[w];
        if (pc >= s->notes->count || (warp->front != WW_NO_TARGET && warp->front > pc)) {
            ds_release(s, w); /* the end of the code, or let pass already: the cache was busy */
            continue;
        }
        warp->front = pc;
        look(s, &q, w, pc, now);
    }
}

/* ---- fetch ---- */

/* Others that have asked in vain for what has an entry now: they wait without a turn of fetch. */
static void park_others(darsie *s, ds_cta *c, ds_entry *e, uint64_t now)
{
    for (ww_warps_walk m = ww_warps_from(ww_warps_both(e->left, s->asked)); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (s->warp[w].front == e->pc && ds_find(s, c, w, e->pc) == e) {
            park(s, c, e, w, now);
        }
    }
}

/* The first of its block to come to the instruction: it leads, if there is room for its result. */
static ww_fetch_verdict come_first(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now)
{
    if (!ds_could_take(s, pc)) {
        ds_count(s, WW_C_DARSIE_NO_REGISTER, 1);
        return WW_FETCH_GO;
    }
    ds_entry *e = ds_enter(s, c, w, pc, now);
    if (e == NULL) {
        ds_count(s, WW_C_DARSIE_FULL, 1);
        return WW_FETCH_GO;
    }
    if (!ww_warps_any(e->left)) { /* nobody follows */
        ds_remove(s, c, e);
        return WW_FETCH_GO;
    }
    if (ds_take_versions(s, c, e)) {
        const bool leads = ds_lead_on(s, c, w, e);
        ds_count(s, WW_C_DARSIE_LEADER, leads);
        if (leads) {
            park_others(s, c, e, now);
        } else {
            ds_remove(s, c, e);
        }
        return WW_FETCH_GO;
    }
    if (!ds_would_help(s, c, w, pc)) {
        ds_count(s, WW_C_DARSIE_NO_REGISTER, 1);
        e->cells = 0;
        e->vector = true;
        return WW_FETCH_GO;
    }
    e->waiting = true;
    e->leader = DS_NONE;
    ww_warps_add(&e->left, w);
    park_others(s, c, e, now);
    park(s, c, e, w, now);
    return WW_FETCH_WAIT;
}

static ww_fetch_verdict come(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now)
{
    ds_entry *e = ds_find(s, c, w, pc);
    if (e == NULL) {
        return come_first(s, c, w, pc, now);
    }
    if (e->vector) {
        ds_count(s, WW_C_DARSIE_NO_REGISTER, 1);
        ww_warps_remove(&e->left, w);
        if (!ww_warps_any(e->left)) {
            ds_remove(s, c, e);
        }
        return WW_FETCH_GO;
    }
    if (is_free(e, w)) {
        ds_lead_on(s, c, w, e);
        return WW_FETCH_GO;
    }
    if (!ww_warps_has(&e->left, w)) {
        return WW_FETCH_GO;
    }
    park(s, c, e, w, now);
    s->again = true;
    return WW_FETCH_WAIT;
}

ww_fetch_verdict ds_fetch(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    darsie *s = state;
    if (s->notes == NULL || !ww_warps_has(&s->members, w) || pc >= s->notes->count) {
        return WW_FETCH_GO;
    }
    ds_warp *warp = &s->warp[w];
    if (warp->front != WW_NO_TARGET && pc < warp->front) {
        return WW_FETCH_GO; /* the instruction cache could not take it before */
    }
    warp->front = pc;
    if (must_wait(s, w, pc)) {
        ds_hold(s, w, WW_C_DARSIE_STALL_BRANCH);
        return WW_FETCH_WAIT;
    }
    ww_fetch_verdict v = WW_FETCH_GO;
    if (ds_redundant(s, pc) && ds_takes_part(s, w, pc)) {
        v = come(s, ds_cta_of(s, w), w, pc, now);
    }
    if (v == WW_FETCH_GO) {
        warp->front = pc + 1;
        ww_warps_remove(&s->asked, w);
    }
    return v;
}

void ds_flushed(void *state, uint32_t w, uint32_t first, uint32_t count)
{
    darsie *s = state;
    (void)first;
    (void)count;
    if (w < DS_WARPS && ww_warps_has(&s->members, w)) {
        s->warp[w].front = WW_NO_TARGET;
        ww_warps_remove(&s->asked, w);
    }
}
