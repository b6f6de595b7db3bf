/* table.c - PC skip table (section 4.3.2). Of a block's instruction: none -> led (a leader has been
 * chosen) -> open (it has written back) -> none, once the last warp of the majority has passed it.
 * Where no register is free: gathered, until all have come (section 4.3.5). */
#include "mech/darsie/darsie.h"

#include "base/assert.h"

ds_entry *ds_find(darsie *s, ds_cta *c, uint32_t w, uint32_t pc)
{
    const uint64_t history = s->warp[w].history;
    if (ds_by_history(s)) {
        ds_entry *e = &c->entry[(pc * UINT64_C(0x9e3779b9) ^ history) % s->entries];
        return e->used && e->pc == pc && e->history == history ? e : NULL;
    }
    for (uint32_t i = 0; i < s->entries; i++) {
        if (c->entry[i].used && c->entry[i].pc == pc) {
            return &c->entry[i];
        }
    }
    return NULL;
}

/* Where a new entry goes; NULL: nowhere. */
static ds_entry *place(darsie *s, ds_cta *c, uint32_t w, uint32_t pc)
{
    if (ds_by_history(s)) {
        ds_entry *e = &c->entry[(pc * UINT64_C(0x9e3779b9) ^ s->warp[w].history) % s->entries];
        return e->used && ww_warps_any(e->parked) ? NULL : e;
    }
    ds_entry *best = NULL;
    for (uint32_t i = 0; i < s->entries; i++) {
        ds_entry *e = &c->entry[i];
        if (!e->used) {
            return e;
        }
        if (!ww_warps_any(e->parked) && (best == NULL || e->used_at < best->used_at)) {
            best = e;
        }
    }
    return best;
}

/* Warps of the block that have yet to come to the instruction. */
static ww_warps still_to_come(darsie *s, const ds_cta *c, uint32_t leader, uint32_t pc)
{
    ww_warps left = WW_NO_WARPS;
    const ww_warps warps = ds_by_history(s) ? c->live : ww_warps_without(c->majority, c->arrived);
    for (ww_warps_walk m = ww_warps_from(ww_warps_without(warps, ww_warps_only(leader)));
         ww_warps_next(&m);) {
        const uint32_t w = m.warp, front = s->warp[w].front;
        bool before = front == WW_NO_TARGET || front <= pc || ds_by_history(s);
        if (before) {
            ww_warps_add(&left, w);
        }
    }
    return left;
}

ds_entry *ds_enter(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now)
{
    ds_entry *e = place(s, c, w, pc);
    if (e == NULL) {
        return NULL;
    }
    if (e->used) {
        ds_count(s, WW_C_DARSIE_REPLACED, 1);
        ds_remove(s, c, e);
    }
    const uint8_t kind = s->notes->inst[pc].kind;
    *e = (ds_entry){.pc = pc,
                    .used = true,
                    .load = (kind & DS_LOAD) != 0,
                    .global = (kind & DS_GLOBAL_LOAD) != 0,
                    .leader = (uint8_t)w,
                    .left = still_to_come(s, c, w, pc),
                    .used_at = now,
                    .history = s->warp[w].history,
                    .serial = ++s->serial};
    ds_count(s, WW_C_DARSIE_TABLE_WRITE, 1);
    return e;
}

void ds_remove(darsie *s, ds_cta *c, ds_entry *e)
{
    WW_ASSERT(e->used);
    ds_withdraw(s, c, e);
    e->used = false;
    s->again = s->again || ww_warps_any(e->parked);
    ds_count(s, WW_C_DARSIE_TABLE_WRITE, 1);
}

void ds_remove_all(darsie *s, ds_cta *c)
{
    for (uint32_t i = 0; i < s->entries; i++) {
        if (c->entry[i].used) {
            ds_remove(s, c, &c->entry[i]);
        }
    }
}

void ds_remove_loads(darsie *s, ds_cta *c, bool global_only)
{
    for (uint32_t i = 0; i < s->entries; i++) {
        ds_entry *e = &c->entry[i];
        if (e->used && e->load && !e->waiting && !e->vector && (e->global || !global_only)) {
            ds_count(s, WW_C_DARSIE_FLUSHED, 1);
            ds_remove(s, c, e);
        }
    }
}

/* Lowest of the gathered warps leads, or each executes the instruction. */
static void end_gathering(darsie *s, ds_cta *c, ds_entry *e, uint64_t now)
{
    uint32_t cell[DS_CELLS], cells = ds_results(s, &s->kernel->code[e->pc], cell);
    for (ww_warps_walk m = ww_warps_from(e->parked); ww_warps_next(&m);) {
        for (uint32_t i = 0; i < cells; i++) { /* nobody will read the older versions any more */
            ds_drop_use(s, c, m.warp, cell[i]);
        }
    }
    e->waiting = false;
    e->used_at = now;
    s->again = true;
    ds_count(s, WW_C_DARSIE_TABLE_WRITE, 1);
    if (ds_take_versions(s, c, e)) {
        e->leader = (uint8_t)ww_warps_first(e->parked);
        ww_warps_remove(&e->left, e->leader);
        ww_warps_remove(&e->parked, e->leader);
        ds_count(s, WW_C_DARSIE_SYNC_REGISTER, 1);
        ds_count(s, WW_C_DARSIE_LEADER, 1);
        return;
    }
    e->cells = 0;
    e->vector = true;
    e->parked = WW_NO_WARPS;
}

/* Whether some of the warps have skipped instructions that have not taken effect. */
static bool any_marks(const darsie *s, ww_warps warps)
{
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        if (s->warp[m.warp].marks > 0) {
            return true;
        }
    }
    return false;
}

void ds_try_gathered(darsie *s, ds_cta *c, ds_entry *e, uint64_t now)
{
    if (ww_warps_any(ww_warps_without(e->left, e->parked)) || !ww_warps_any(e->parked)) {
        return;
    }
    if (any_marks(s, e->parked)) {
        s->again = true;
        return;
    }
    end_gathering(s, c, e, now);
}

void ds_forget(darsie *s, ds_cta *c, uint32_t w, uint64_t now)
{
    for (uint32_t i = 0; i < s->entries; i++) {
        ds_entry *e = &c->entry[i];
        if (!e->used || !ww_warps_has(&e->left, w)) {
            continue;
        }
        ww_warps_remove(&e->left, w);
        ww_warps_remove(&e->parked, w);
        if (!ww_warps_any(e->left)) {
            ds_remove(s, c, e);
        } else if (e->waiting) {
            ds_try_gathered(s, c, e, now);
        }
    }
}

bool ds_lead_on(darsie *s, ds_cta *c, uint32_t w, ds_entry *e)
{
    ds_warp *warp = &s->warp[w];
    if (warp->leads == DS_LEADS) {
        return false;
    }
    warp->lead[warp->leads++] =
        (ds_lead){.pc = e->pc, .serial = e->serial, .entry = (uint16_t)(e - c->entry)};
    e->fetched = true;
    return true;
}

/* The warp's lead of the instruction; UINT32_MAX: none. */
static uint32_t find_lead(const ds_warp *warp, uint32_t pc, bool executed)
{
    for (uint32_t i = 0; i < warp->leads; i++) {
        if (warp->lead[i].pc == pc && warp->lead[i].executed == executed) {
            return i;
        }
    }
    return UINT32_MAX;
}

static ds_entry *entry_of(ds_cta *c, const ds_lead *lead)
{
    ds_entry *e = &c->entry[lead->entry];
    WW_ASSERT(e->serial >= lead->serial); /* what has taken its place came later */
    return e->used && e->serial == lead->serial ? e : NULL;
}

bool ds_led(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, ds_entry **e)
{
    ds_warp *warp = &s->warp[w];
    uint32_t i = find_lead(warp, pc, false);
    if (i == UINT32_MAX) {
        return false;
    }
    warp->lead[i].executed = true;
    *e = entry_of(c, &warp->lead[i]);
    return true;
}

void ds_lead_written(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now)
{
    ds_warp *warp = &s->warp[w];
    uint32_t i = find_lead(warp, pc, true);
    if (i == UINT32_MAX) {
        return;
    }
    ds_entry *e = entry_of(c, &warp->lead[i]);
    for (warp->leads--; i < warp->leads; i++) {
        warp->lead[i] = warp->lead[i + 1];
    }
    if (e != NULL) {
        e->written = true;
        e->ready_at = now + 1;
        s->again = s->again || ww_warps_any(e->parked);
        ds_count(s, WW_C_DARSIE_TABLE_WRITE, 1);
    }
}

void ds_expect(darsie *s, ds_cta *c, ww_warps warps)
{
    for (uint32_t i = 0; i < s->entries; i++) {
        ds_entry *e = &c->entry[i];
        for (ww_warps_walk m = ww_warps_from(e->used ? warps : WW_NO_WARPS); ww_warps_next(&m);) {
            const uint32_t w = m.warp, front = s->warp[w].front;
            bool before = front == WW_NO_TARGET || front <= e->pc;
            if (before) {
                ww_warps_add(&e->left, w);
            }
        }
    }
}
