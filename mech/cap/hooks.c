/* hooks.c - CAP, the CTA-aware prefetcher of CTA-Aware Prefetching and Scheduling (Koo et al.,
 * IPDPS 2018, section V-B), between the SM and its tables (tables.c): which loads it sees, the
 * generator's one address per cycle, and word of the warp that a line is for: its wake-up is the
 * scheduler's part (V-A), of PAS where that is switched on as well. */
#include "mech/cap/eligible.h"
#include "mech/cap/tables.h"
#include "mech/lib/behind.h"
#include "mech/lib/prefetch.h"
#include "mech/mechanisms.h"

typedef struct cap {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    cap_tables tables;
    const cap_notes *notes;
    uint32_t most_requests, sectors; /* of the L1D */
    bool whole_warps;
    bool lines;         /* bases are whole lines, else the first bytes of runs */
    bool requested;     /* the generator's present address is counted */
    uint64_t earliest;  /* the generator's next cycle */
    ww_warps *warps_of; /* [CTA slot] warp slots */
    ww_cap_oracle oracle;
    ww_behind behind; /* a ceiling (cap.oracle): loads whose lines were requested */
} cap;

static void release(void *state)
{
    cap *s = state;
    cap_tables_fini(&s->tables);
    ww_free(s->warps_of);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    cap *s = state;
    const cap_shape shape = {.ctas = arch->sm.max_ctas,
                             .bases = arch->cap.entries,
                             .strides = arch->cap.strides,
                             .threshold = arch->cap.threshold,
                             .keep = arch->cap.table == WW_CAP_KEEP,
                             .ahead_only = arch->cap.ahead_only,
                             .loops = arch->cap.loops,
                             .all_at_once = arch->cap.all_at_once,
                             .first_only = arch->cap.verify == WW_CAP_VERIFY_FIRST};
    s->most_requests = arch->cap.requests;
    s->sectors = arch->l1d.bytes / arch->l1d.sector_bytes;
    s->whole_warps = arch->cap.whole_warps;
    s->lines = arch->cap.base == WW_CAP_LINE;
    s->oracle = arch->cap.oracle;
    s->warps_of = WW_NEW_ARRAY(ww_warps, shape.ctas);
    if (s->warps_of == NULL) {
        return ww_no_memory(err);
    }
    return cap_tables_init(&s->tables, shape, err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(cap),
                                     .free_mshrs = arch->cap.free_mshrs,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    cap *s = state;
    s->notes = launch->notes;
    s->requested = false;
    s->earliest = 0;
    ww_prefetcher_clear(&s->prefetcher);
    ww_behind_clear(&s->behind, s->sectors);
    return cap_tables_begin(&s->tables, launch->kernel->code_count, err);
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    cap *s = state;
    (void)now;
    if (cta < s->tables.shape.ctas) {
        s->warps_of[cta] = warps;
        cap_tables_cta_started(&s->tables, cta, ww_warps_count(warps));
    }
}

static void cta_ended(void *state, uint32_t cta, uint64_t now)
{
    cap *s = state;
    (void)now;
    if (cta < s->tables.shape.ctas) {
        cap_tables_cta_ended(&s->tables, cta);
        ww_prefetcher_forget(&s->prefetcher, s->warps_of[cta]);
    }
}

/* Threads that have ended do not count as masked off. */
static bool is_whole(const ww_warp *warp, const ww_mech_split *split)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < split->runs; i++) {
        lanes |= split->run[i].lanes;
    }
    return lanes == warp->live;
}

/* What the tables are shown of an access; false: it is not for them. */
static bool load_of(const cap *s, const ww_mech_access *access, const ww_mech_split *split,
                    cap_load *load)
{
    uint32_t count = s->lines || split->segments > s->most_requests ? split->segments : split->runs;
    if (!access->cached || access->extra || !s->notes->direct[access->pc] || count == 0 ||
        count > s->most_requests) {
        return false;
    }
    const ww_warp *warp = ww_mech_warp(s->prefetcher.sm, access->warp);
    if (s->whole_warps && !is_whole(warp, split)) {
        return false;
    }
    *load = (cap_load){.pc = access->pc, .cta = access->cta, .warp = warp->index, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        load->address[i] = s->lines ? split->segment[i].address : split->run[i].address;
        load->bytes[i] = s->lines ? split->segment[i].bytes : split->run[i].bytes;
    }
    return true;
}

/* V-B: the tables are accessed when a load is issued. */
static void addressed(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    cap *s = state;
    cap_load load;
    cap_events events = {0};
    ww_behind_cover(&s->behind, access->flight, false);
    if (!load_of(s, access, split, &load)) {
        return;
    }
    bool idle = s->tables.marks == 0;
    cap_tables_load(&s->tables, &load, &events);
    ww_behind_cover(&s->behind, access->flight,
                    s->oracle != WW_CAP_ORACLE_NONE && events.requested);
    s->requested = s->requested && s->tables.walking != NULL;
    if (idle) {
        s->earliest = now + 1;
    }
    ww_sm *sm = s->prefetcher.sm;
    ww_mech_count(sm, WW_C_CAP_LOOKUP, events.lookups);
    ww_mech_count(sm, WW_C_CAP_BASE_WRITE, events.base_writes);
    ww_mech_count(sm, WW_C_CAP_DIST_WRITE, events.dist_writes);
    ww_mech_count(sm, WW_C_CAP_WALK, events.walks);
    ww_mech_count(sm, WW_C_CAP_MISPREDICT, events.mispredicts);
    ww_mech_count(sm, WW_C_CAP_CTA_DISTANCE, events.distances);
    ww_mech_count(sm, WW_C_CAP_CTA_REPEAT, events.repeats);
}

static uint16_t slot_of(const cap *s, uint32_t cta, uint32_t warp)
{
    ww_warps warps = s->warps_of[cta];
    for (uint32_t i = 0; i < warp && ww_warps_any(warps); i++) {
        ww_warps_remove(&warps, ww_warps_first(warps));
    }
    return (uint16_t)(ww_warps_any(warps) ? ww_warps_first(warps) : WW_FOR_NOBODY);
}

static void wake(const cap *s, uint16_t warp, bool demanded, uint64_t now)
{
    if (warp != WW_FOR_NOBODY && ww_mech_prefetched(s->prefetcher.sm, warp, demanded, now)) {
        ww_mech_count(s->prefetcher.sm, WW_C_CAP_WAKE, 1);
    }
}

/* The generator's present address has been dealt with; under a ceiling its data are there. */
static bool sent(cap *s, const cap_request *r, uint64_t now)
{
    const uint16_t warp = slot_of(s, r->cta, r->warp);
    ww_inject_result result = WW_INJECT_SENT;
    if (s->oracle != WW_CAP_ORACLE_PERFECT) {
        result = ww_prefetcher_send(&s->prefetcher, r->address, warp, now);
    }
    if (s->oracle != WW_CAP_ORACLE_NONE && result == WW_INJECT_SENT) {
        wake(s, warp, false, now);
    }
    return result != WW_INJECT_BUSY;
}

static bool beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    cap *s = state;
    if (s->oracle == WW_CAP_ORACLE_NONE || access->kind != WW_ACCESS_LOAD || access->local ||
        access->extra || !ww_behind_covers(&s->behind, access->flight)) {
        return false;
    }
    *ready = now + 1;
    if (s->oracle == WW_CAP_ORACLE_AHEAD && !ww_behind_serve(&s->behind, access, 1, now, ready)) {
        return false;
    }
    ww_prefetcher_looked_up(s, access, WW_CACHE_HIT, now);
    return true;
}

static void tick(void *state, uint64_t now)
{
    cap *s = state;
    cap_request r;
    ww_behind_send(&s->behind, s->prefetcher.sm, now);
    if (s->tables.marks == 0 || now < s->earliest ||
        !cap_tables_next(&s->tables, s->prefetcher.sector_bytes, &r)) {
        return;
    }
    if (!s->requested) {
        ww_mech_count(s->prefetcher.sm, WW_C_PF_REQUESTED, 1);
        s->requested = true;
    }
    if (sent(s, &r, now)) {
        cap_tables_advance(&s->tables, s->prefetcher.sector_bytes);
        s->requested = false;
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const cap *s = state;
    if (ww_behind_waits(&s->behind)) {
        return now + 1;
    }
    if (s->tables.marks == 0) {
        return UINT64_MAX;
    }
    return s->earliest > now ? s->earliest : now + 1;
}

static void filled(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    cap *s = state;
    (void)waiters;
    ww_behind_came(&s->behind, address, s->prefetcher.sector_bytes);
    const ww_prefetch_arrival arrival = ww_prefetcher_filled(&s->prefetcher, address);
    if (s->oracle == WW_CAP_ORACLE_NONE) {
        wake(s, arrival.warp, arrival.demanded, now);
    }
}

const ww_mech ww_mech_cap = {
    .name = "cap",
    .pass = cap_pass,
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .cta_started = cta_started,
    .cta_ended = cta_ended,
    .addressed = addressed,
    .beside = beside,
    .looked_up = ww_prefetcher_looked_up,
    .filled = filled,
    .evicted = ww_prefetcher_evicted,
    .tick = tick,
    .next = next,
};
