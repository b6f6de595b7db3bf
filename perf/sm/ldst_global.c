/* ldst_global.c - global, local, constant and texture accesses: coalesced segments, looked up in
 * the L1 caches or sent on. */
#include "perf/sm/hooks.h"
#include "perf/sm/values.h"

/* Physical address of a byte of a thread's local memory: words interleaved by lane, so that a
 * warp's access to one variable is one line. */
static uint64_t local_address(const ww_sm *sm, uint32_t w, unsigned lane, uint64_t offset)
{
    uint64_t words = (sm->launch->kernel->local_bytes + 3) / 4;
    uint64_t warp = (uint64_t)sm->id * sm->arch->sm.max_warps + w;
    return WW_LOCAL_PHYSICAL + (warp * words + offset / 4) * 4 * WW_WARP_SIZE + lane * 4u +
           offset % 4;
}

/* Addresses as the caches see them: the step's own, or in `out`. Lanes of a mixed generic access
 * that fall into shared memory are left out. */
static const uint64_t *physical(const ww_sm *sm, const ww_mem_inst *m, uint64_t *out,
                                uint32_t *taking_part)
{
    const ww_flight *f = &sm->flights.at[m->flight];
    uint32_t lanes = *taking_part = f->exec;
    if (m->step.space != WW_SPACE_LOCAL && m->step.space != WW_SPACE_GENERIC) {
        return m->step.address;
    }
    for (uint32_t rest = f->exec; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t a = m->step.address[lane];
        if (m->step.space == WW_SPACE_LOCAL) {
            a = local_address(sm, f->warp, lane, a + 4ull * m->chunk);
        } else if (m->step.space == WW_SPACE_GENERIC) {
            if (a - WW_SHARED_WINDOW < WW_WINDOW_BYTES) {
                lanes &= ~(1u << lane);
            } else if (a - WW_LOCAL_WINDOW < WW_WINDOW_BYTES) {
                a = local_address(sm, f->warp, lane, a - WW_LOCAL_WINDOW);
            }
        }
        out[lane] = a;
    }
    *taking_part = lanes;
    return out;
}

static bool looks_up_l1d(const ww_sm *sm, const ww_mem_inst *m, const ww_sm_op *uop)
{
    if (sm->l1d.cache == NULL || m->path == WW_PATH_ATOMIC) {
        return false;
    }
    if (m->path == WW_PATH_TEX) { /* one cache for both, or one of its own */
        return sm->ldst.l1t == NULL && sm->arch->ldst.unified_bytes > 0;
    }
    return m->local || (sm->arch->ldst.l1_caches_global && (uop->flags & WW_SM_OP_BYPASS_L1) == 0);
}

/* Texture fetches with a cache of their own: no global accesses. */
static bool through_l1t(const ww_sm *sm, const ww_mem_inst *m)
{
    return m->path == WW_PATH_TEX && sm->ldst.l1t != NULL;
}

/* Prefetches bring whole lines of the cache that they name. */
static void split_lines(const ww_sm *sm, ww_mem_inst *m, const uint64_t *address, uint32_t lanes)
{
    const uint32_t line = m->cached ? sm->arch->l1d.line_bytes : sm->arch->l2.line_bytes;
    m->count = ww_coalesce(address, lanes, 1, line, line, m->segment);
    for (uint32_t i = 0; i < m->count; i++) {
        m->segment[i].byte_mask = UINT32_MAX;
    }
}

/* Splits the instruction (local memory: its current word) into segments. Loads through the L1D
 * fetch whole lines or sectors, so they coalesce to those; everything else to the segment sizes of
 * the load/store unit. */
static void split(const ww_sm *sm, ww_mem_inst *m, const uint64_t *address, uint32_t lanes)
{
    uint32_t largest = sm->arch->ldst.segment_bytes, smallest = sm->arch->ldst.min_segment_bytes;
    uint32_t bytes = sm->arch->peer.first_elements ? sm->flights.at[m->flight].op->element_bytes
                                                   : m->step.lane_bytes;
    if (WW_UNLIKELY((sm->flights.at[m->flight].op->flags & WW_SM_OP_PREFETCH) != 0)) {
        split_lines(sm, m, address, lanes);
        return;
    }
    if (sm->arch->ldst.narrow_segments && bytes < 4) {
        largest = largest < 32 * bytes ? largest : 32 * bytes;
        smallest = smallest < largest ? smallest : largest;
    } else if (m->cached && m->path != WW_PATH_STORE) {
        largest = sm->arch->l1d.line_bytes;
        smallest = sm->arch->l1d.sector_bytes;
    } else if (through_l1t(sm, m)) {
        largest = sm->arch->l1t.line_bytes;
        smallest = sm->arch->l1t.sector_bytes;
    }
    if (m->local && bytes > 4) {
        bytes = 4;
    }
    if (WW_UNLIKELY(m->last_at != 0)) {
        m->addresses = (uint32_t)__builtin_popcount(lanes);
        m->count =
            ww_coalesce_stream(address, lanes, bytes, largest, smallest, m->segment, m->closed);
    } else if (m->step.neighbours && bytes >= 4 && bytes == m->step.lane_bytes && largest <= 128 &&
               sm->arch->chip.compute_capability >= 20 && (bytes & (bytes - 1)) == 0) {
        m->count = ww_coalesce_neighbours(address[0], bytes, largest, smallest, m->segment);
    } else if (sm->arch->chip.compute_capability >= 20) {
        m->count = ww_coalesce(address, lanes, bytes, largest, smallest, m->segment);
    } else { /* compute capability 1.x coalesces half-warps */
        m->count = ww_coalesce(address, lanes & 0xffffu, bytes, largest, smallest, m->segment);
        m->count += ww_coalesce(address, lanes & 0xffff0000u, bytes, largest, smallest,
                                m->segment + m->count);
    }
}

static void coalesce(ww_sm *sm, ww_mem_inst *m)
{
    uint64_t translated[WW_WARP_SIZE];
    uint32_t lanes;
    const uint64_t *address = physical(sm, m, translated, &lanes);
    uint32_t words = m->local ? 1 : (m->step.lane_bytes + 3) / 4;
    const uint32_t pc = sm->flights.at[m->flight].uop;
    const bool brings = (sm->flights.at[m->flight].op->flags & WW_SM_OP_PREFETCH) != 0;
    ww_charge(sm, pc, WW_C_GMEM_WORDS, brings ? 0 : (uint64_t)__builtin_popcount(lanes) * words);
    m->at = 0;
    m->offset = 0;
    split(sm, m, address, lanes);
    if (!through_l1t(sm, m)) {
        ww_charge(sm, pc, WW_C_GMEM_TRANSACTION, m->count);
    }
}

static void sm_tell_addresses(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_sm_op *uop = sm->flights.at[m->flight].op;
    uint64_t translated[WW_WARP_SIZE];
    m->path = (uint8_t)sm_mem_path(uop, &m->step);
    m->local = m->step.space == WW_SPACE_LOCAL;
    if (m->path != WW_PATH_LOAD || m->local || (uop->flags & WW_SM_OP_PREFETCH) != 0) {
        return;
    }
    m->cached = looks_up_l1d(sm, m, uop);
    uint32_t lanes;
    const uint64_t *address = physical(sm, m, translated, &lanes);
    split(sm, m, address, lanes);
    hook_addressed(sm, m, address, lanes, now);
}

/* Constant memory serves one address per cycle: each different element of the warp is a segment. */
static void split_constant(ww_sm *sm, ww_mem_inst *m)
{
    uint64_t base = m->step.space == WW_SPACE_PARAM ? WW_PARAM_PHYSICAL : 0;
    uint32_t sector = sm->arch->l1c.sector_bytes;
    uint64_t seen[WW_WARP_SIZE];
    m->count = 0;
    m->at = 0;
    uint32_t rest = sm->flights.at[m->flight].exec;
    rest = m->step.same ? rest & -rest : rest;
    for (; rest != 0; rest &= rest - 1) {
        uint64_t a = base + m->step.address[__builtin_ctz(rest)];
        unsigned k = 0;
        while (k < m->count && seen[k] != a) {
            k++;
        }
        if (k == m->count) {
            seen[k] = a;
            m->segment[m->count++].address = sector > 0 ? a / sector * sector : a;
        }
    }
}

static void prepare(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_sm_op *uop = sm->flights.at[m->flight].op;
    m->prepared = true;
    m->chunk = 0;
    m->local = m->step.space == WW_SPACE_LOCAL;
    if (m->path == WW_PATH_CONST) {
        split_constant(sm, m);
        return;
    }
    m->cached = looks_up_l1d(sm, m, uop);
    ww_charge(sm, ww_place_of(sm, uop), WW_C_COALESCE, (uop->flags & WW_SM_OP_ADDRESSED) == 0);
    if (!through_l1t(sm, m)) {
        ww_count(sm, WW_C_GMEM_INST, 1);
    }
    coalesce(sm, m);
    if (ww_hooked(sm, WW_HOOK(coalesced))) {
        uint64_t translated[WW_WARP_SIZE];
        uint32_t lanes;
        const uint64_t *address = physical(sm, m, translated, &lanes);
        hook_coalesced(sm, m, address, lanes, now);
    }
}

static uint64_t sm_segment_at(const ww_mem_inst *m)
{
    return m->last_at == 0 || m->at >= m->count ? m->last_at
                                                : m->last_at - (m->addresses - m->closed[m->at]);
}

static uint64_t sm_coalesce_as_they_come(ww_sm *sm, uint32_t index, uint64_t last_at, uint64_t now)
{
    ww_mem_inst *m = &sm->ldst.at[index];
    const ww_sm_op *uop = sm->flights.at[m->flight].op;
    m->path = (uint8_t)sm_mem_path(uop, &m->step);
    if (m->path == WW_PATH_NONE || m->path == WW_PATH_CONST) {
        return last_at;
    }
    m->last_at = last_at;
    sm->ldst.streams = true;
    prepare(sm, m, now);
    return sm_segment_at(m);
}

static void sm_left_l1d(ww_sm *sm, const ww_cache_eviction *evicted, uint64_t now)
{
    if (evicted->gone && ww_hooked(sm, WW_HOOK(evicted))) {
        hook_evicted(sm, evicted->address, now);
    }
    if (evicted->dirty) {
        const uint32_t owner = ww_cache_dirtied(sm->l1d.cache, evicted);
        const ww_mem_req of = {.owner = owner};
        ww_charge(sm, ww_row_of(sm, &of), WW_C_L1D_WRITEBACK, 1);
        if (ww_values_of(sm) != NULL) {
            values_l1d(sm, ww_row_of(sm, &of), false, evicted->address, sm->arch->l1d.line_bytes);
        }
        sm_send(sm, &(ww_mem_req){.kind = WW_REQ_WRITEBACK,
                                  .owner = owner,
                                  .address = evicted->address,
                                  .bytes = (uint16_t)sm->arch->l1d.line_bytes});
    }
}

static void result_at(ww_flight *f, uint64_t when)
{
    if (when > f->ready_at) {
        f->ready_at = when;
    }
}

/* Where an instruction counts once per result when its last access hits. */
static void count_results(ww_sm *sm, const ww_flight *f)
{
    uint8_t results = f->op->results;
    if (sm->arch->peer.count_hit_results && results > 1 && f->sent && f->pieces == 1) {
        ww_charge(sm, f->uop, WW_C_INST_ISSUED, results - 1u);
        ww_charge(sm, f->uop, WW_C_INST_THREAD, (results - 1u) * f->lanes);
    }
}

/* Looks up one sector; false: it must be tried again. Hits deliver at hit_at. */
static bool look_up_l1d(ww_sm *sm, const ww_line_access *a, uint64_t hit_at, uint64_t now)
{
    const ww_cache_params *p = &sm->arch->l1d;
    ww_flight *f = &sm->flights.at[a->flight];
    bool store = a->store, hit = false;
    ww_cache_eviction evicted = {0};
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        sm->l1d.used = now;
        uint64_t ready;
        if (ww_hooked(sm, WW_HOOK(beside)) && !store && hook_beside(sm, a, now, &ready)) {
            if (ready == UINT64_MAX) { /* mech_serve */
                f->pieces++;
            } else {
                result_at(f, ready);
            }
            return true;
        }
    }
    ww_cache_for(sm->l1d.cache, ww_owner_of(sm, f->uop));
    ww_cache_result result = ww_cache_access(sm->l1d.cache, a->address, a->mask, store, a->local,
                                             now, a->flight, &hit, &evicted);
    if (result == WW_CACHE_STALL) {
        return false;
    }
    sm_left_l1d(sm, &evicted, now);
    if (store) {
        ww_charge(sm, f->uop, hit ? WW_C_L1D_WRITE_HIT : WW_C_L1D_WRITE_MISS, 1);
        ww_charge(sm, f->uop, WW_C_L1D_WRITE_KEPT, ww_cache_keeps(sm->l1d.cache, result, hit));
    } else {
        ww_charge(sm, f->uop, result == WW_CACHE_HIT ? WW_C_L1D_READ_HIT : WW_C_L1D_READ_MISS, 1);
        ww_charge(sm, f->uop, WW_C_L1D_READ_MERGED, result == WW_CACHE_MERGED);
    }
    if (ww_values_of(sm) != NULL && (!store || ww_cache_keeps(sm->l1d.cache, result, hit))) {
        values_l1d(sm, f->uop, store, a->address, a->bytes);
    }
    switch (result) {
    case WW_CACHE_HIT:
        if (!store) {
            result_at(f, hit_at);
            count_results(sm, f);
        }
        break;
    case WW_CACHE_MISS: {
        uint16_t fetch_bytes;
        uint64_t fetch = ww_cache_fetch_address(sm->l1d.cache, a->address, &fetch_bytes);
        if (!sm_send_along(sm, WW_REQ_READ, fetch, fetch_bytes, 0, 0)) {
            sm_send(sm, &(ww_mem_req){.kind = WW_REQ_READ,
                                      .address = fetch,
                                      .bytes = fetch_bytes,
                                      .owner = ww_owner_of(sm, f->uop),
                                      .flags = WW_OUT_THROUGH_CACHE});
        }
    } /* fall through */
    case WW_CACHE_MERGED:
        f->pieces++;
        break;
    case WW_CACHE_WRITE_NEXT:
        if (!sm_send_along(sm, WW_REQ_WRITE, a->address, a->bytes, a->flight, a->mask)) {
            f->pieces++;
            sm_send(sm, &(ww_mem_req){.kind = WW_REQ_WRITE,
                                      .address = a->address,
                                      .bytes = a->bytes,
                                      .token = a->flight,
                                      .owner = ww_owner_of(sm, f->uop),
                                      .byte_mask = a->mask});
        }
        break;
    case WW_CACHE_WRITE_DONE:
    case WW_CACHE_STALL:
        break;
    }
    if (ww_hooked(sm, WW_HOOK(looked_up))) {
        hook_looked_up(sm, a, result, now);
    }
    if (!sm->arch->peer.l1_looks_up_last && (result == WW_CACHE_HIT || store)) {
        /* a miss holds the port for its look-up only */
        sm->ldst.busy_until = now + (a->bytes + p->data_port_bytes - 1) / p->data_port_bytes;
    }
    return true;
}

/* One sector of the head's access: looked up now, or put into the pipeline before the tags. */
static bool access_l1d(ww_sm *sm, const ww_mem_inst *m, uint64_t address, uint32_t bytes,
                       uint32_t mask, uint64_t now)
{
    const uint64_t ready = now + sm->arch->l1d.hit_latency;
    ww_line_access a = {.due = ready - 1, /* results are written in the cycle after the look-up */
                        .address = address,
                        .mask = mask,
                        .flight = m->flight,
                        .bytes = (uint16_t)bytes,
                        .store = m->path == WW_PATH_STORE,
                        .local = m->local};
    if (!sm->arch->peer.l1_looks_up_last) {
        sm->ldst.until = ww_sm_out_room(sm) ? WW_UNTIL_FILL : WW_UNTIL_SENT;
        return ww_sm_out_room(sm) && look_up_l1d(sm, &a, ready, now);
    }
    if (sm->l1d.count >= sm->arch->l1d.hit_latency) {
        sm->ldst.until = 0; /* its head lets this one go on */
        return false;
    }
    WW_ASSERT(sm->l1d.count <= sm->l1d.mask);
    sm->l1d.ring[(sm->l1d.first + sm->l1d.count++) & sm->l1d.mask] = a;
    sm->flights.at[m->flight].pieces++;
    return true;
}

static void sm_l1d_line(ww_sm *sm, uint64_t now)
{
    if (sm->l1d.count == 0 || sm->l1d.blocked) {
        return;
    }
    const ww_line_access *a = &sm->l1d.ring[sm->l1d.first];
    if (a->due > now) {
        return;
    }
    const bool room = ww_sm_out_room(sm);
    if (!room || !look_up_l1d(sm, a, now, now)) {
        sm->l1d.blocked = true;
        sm->l1d.until = ww_hooked(sm, WW_HOOK_ANY) ? WW_UNTIL_ANY
                        : room                     ? WW_UNTIL_FILL
                                                   : WW_UNTIL_SENT;
        return;
    }
    sm->l1d.first = (sm->l1d.first + 1) & sm->l1d.mask;
    sm->l1d.count--;
    sm->ldst.blocked = false;
    WW_ASSERT(a->flight < sm->flights.capacity && sm->flights.at[a->flight].pieces > 0);
    sm->flights.at[a->flight].pieces--;
    sm_flight_settle(sm, a->flight, now);
}

static bool access_l1t(ww_sm *sm, ww_mem_inst *m, uint64_t address, uint64_t now)
{
    sm->ldst.until = ww_sm_out_room(sm) ? WW_UNTIL_FILL : WW_UNTIL_SENT;
    if (!ww_sm_out_room(sm)) {
        return false;
    }
    ww_flight *f = &sm->flights.at[m->flight];
    bool hit;
    ww_cache_eviction evicted = {0};
    ww_cache_result result =
        ww_cache_access(sm->ldst.l1t, address, ~0u, false, false, now, m->flight, &hit, &evicted);
    if (result == WW_CACHE_STALL) {
        return false;
    }
    ww_charge(sm, f->uop, result == WW_CACHE_HIT ? WW_C_L1T_READ_HIT : WW_C_L1T_READ_MISS, 1);
    if (result == WW_CACHE_HIT) {
        result_at(f, now + sm->arch->l1t.hit_latency);
        return true;
    }
    if (result == WW_CACHE_MISS) {
        uint16_t bytes;
        uint64_t fetch = ww_cache_fetch_address(sm->ldst.l1t, address, &bytes);
        sm_send(sm, &(ww_mem_req){.kind = WW_REQ_TEX,
                                  .address = fetch,
                                  .bytes = bytes,
                                  .owner = ww_owner_of(sm, f->uop),
                                  .flags = WW_OUT_THROUGH_CACHE});
    }
    f->pieces++;
    return true;
}

/* Sends a segment past the L1. */
static void send_segment(ww_sm *sm, ww_mem_inst *m, const ww_segment *s)
{
    const ww_sm_op *uop = sm->flights.at[m->flight].op;
    ww_req_kind kind = WW_REQ_READ;
    uint32_t lanes = 0;
    if (m->path == WW_PATH_ATOMIC) {
        kind = uop->dst_words > 0 ? WW_REQ_ATOMIC : WW_REQ_REDUCE;
        lanes = (uint32_t)__builtin_popcount(s->lanes);
    } else if (m->path == WW_PATH_STORE) {
        kind = WW_REQ_WRITE;
    } else if ((uop->flags & WW_SM_OP_PREFETCH) != 0) {
        kind = WW_REQ_BRING;
    }
    ww_count(sm, WW_C_L1D_BYPASS, 1);
    sm->flights.at[m->flight].pieces++;
    sm_send(sm, &(ww_mem_req){.kind = (uint8_t)kind,
                              .address = s->address,
                              .bytes = s->bytes,
                              .token = m->flight,
                              .owner = ww_owner_of(sm, ww_place_of(sm, uop)),
                              .byte_mask = s->byte_mask,
                              .lanes = lanes});
}

/* Goes to the next sector of the current segment that holds a word of the access; false: the
 * segment is done. */
static bool next_sector(const ww_segment *s, uint32_t sector, uint32_t *offset)
{
    while (*offset < s->bytes) {
        uint32_t mask = s->byte_mask >> (*offset / 4);
        if (sector / 4 < 32) {
            mask &= (1u << (sector / 4)) - 1;
        }
        if (mask != 0) {
            return true;
        }
        *offset += sector;
    }
    return false;
}

/* One access of segment `at`; advances m->at when the segment is done. */
static bool access_segment(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_segment *s = &m->segment[m->at];
    bool texture = through_l1t(sm, m);
    if (!m->cached && !texture) {
        if (!ww_sm_out_room(sm)) {
            sm->ldst.until = WW_UNTIL_SENT;
            return false;
        }
        send_segment(sm, m, s);
        m->at++;
        return true;
    }
    uint32_t sector = texture ? sm->arch->l1t.sector_bytes : sm->arch->l1d.sector_bytes;
    sector = sector < s->bytes ? sector : s->bytes;
    uint32_t together = texture ? 1 : sm->arch->ldst.l1_sectors;
    for (uint32_t i = 0; i < together && next_sector(s, sector, &m->offset); i++) {
        uint64_t address = s->address + m->offset;
        uint32_t mask = s->byte_mask >> (m->offset / 4);
        mask = sector / 4 < 32 ? mask & ((1u << (sector / 4)) - 1) : mask;
        bool done = texture ? access_l1t(sm, m, address, now)
                            : access_l1d(sm, m, address, sector, mask, now);
        if (!done) {
            return false;
        }
        m->offset += sector;
    }
    if (!next_sector(s, sector, &m->offset)) {
        m->at++;
        m->offset = 0;
    }
    return true;
}

/* ldst.l1_perfect: every access of the instruction hits at once. */
static bool access_perfect(ww_sm *sm, const ww_mem_inst *m, uint64_t now)
{
    ww_counter counter = m->path == WW_PATH_CONST   ? WW_C_L1C_READ_HIT
                         : through_l1t(sm, m)       ? WW_C_L1T_READ_HIT
                         : m->path == WW_PATH_STORE ? WW_C_L1D_WRITE_HIT
                                                    : WW_C_L1D_READ_HIT;
    uint32_t words = m->local ? (m->step.lane_bytes + 3u) / 4 : 1;
    ww_count(sm, counter, (uint64_t)m->count * words);
    result_at(&sm->flights.at[m->flight], now + 1);
    return true;
}

static bool sm_global_access(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    if (!m->prepared) {
        prepare(sm, m, now);
    }
    if (WW_UNLIKELY(sm->arch->ldst.l1_perfect) && m->path != WW_PATH_ATOMIC) {
        return access_perfect(sm, m, now);
    }
    if (m->path == WW_PATH_CONST) {
        return sm_const_access(sm, m, now);
    }
    if (m->at < m->count && !access_segment(sm, m, now)) {
        sm->ldst.blocked = true;
        if (sm->ldst.busy_until > now || ww_hooked(sm, WW_HOOK_ANY)) {
            /* a sector before took the port, or others are asked at every try */
            sm->ldst.until = WW_UNTIL_ANY;
        }
        return false;
    }
    if (m->at < m->count) {
        return false;
    }
    if (m->local && 4 * (m->chunk + 1) < m->step.lane_bytes) {
        m->chunk++;
        coalesce(sm, m);
        return false;
    }
    return true;
}

static void wake_waiters(ww_sm *sm, const uint32_t *waiter, size_t count, uint64_t now)
{
    for (size_t i = 0; i < count; i++) {
        if (WW_UNLIKELY(waiter[i] == WW_NONE)) {
            continue; /* requested ahead by a mechanism */
        }
        sm->flights.at[waiter[i]].pieces--;
        result_at(&sm->flights.at[waiter[i]], now + sm->arch->sm.writeback_cycles);
        sm_flight_settle(sm, waiter[i], now);
    }
}

static void sm_data_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    for (uint32_t done = 0; done < reply->bytes; done += sm->arch->l1d.sector_bytes) {
        size_t count;
        ww_cache_eviction evicted = {0};
        uint64_t sector = reply->address + done;
        ww_cache_for(sm->l1d.cache, reply->owner);
        const uint32_t *waiter = ww_cache_fill(sm->l1d.cache, sector, now, &count, &evicted);
        ww_charge(sm, ww_row_of(sm, reply), WW_C_L1D_FILL, 1);
        if (ww_values_of(sm) != NULL) {
            values_l1d(sm, ww_row_of(sm, reply), true, sector, sm->arch->l1d.sector_bytes);
        }
        sm_left_l1d(sm, &evicted, now);
        if (ww_hooked(sm, WW_HOOK(filled))) {
            hook_filled(sm, sector, waiter, count, now);
        }
        wake_waiters(sm, waiter, count, now);
    }
}

static void sm_texture_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    size_t count;
    ww_cache_eviction evicted = {0};
    const uint32_t *waiter = ww_cache_fill(sm->ldst.l1t, reply->address, now, &count, &evicted);
    ww_charge(sm, ww_row_of(sm, reply), WW_C_L1T_FILL, 1);
    wake_waiters(sm, waiter, count, now);
}
