/* fetch.c - instruction fetch: round robin over warps with room in their buffer, through the
 * instruction cache. */
#include "base/arith.h"
#include "perf/sm/hooks.h"

/* Waiters of the instruction cache are warps in a given epoch: a flush makes them stale. */
static uint32_t waiter_of(const ww_fetch_stage *fetch, uint32_t w)
{
    return w | (uint32_t)fetch->epoch[w] << 8;
}

#define PREFETCH_WAITER UINT32_MAX /* nobody waits for a line that is read ahead */

static uint32_t fetch_pc(const ww_ibuf_stage *ibuf, uint32_t w)
{
    return ibuf->pc[w] + ibuf->count[w];
}

/* Instructions one fetch of the warp brings: up to the fetch width, the buffer's room, the line's
 * and the code's end. */
static uint32_t fetch_count(const ww_sm *sm, uint32_t w)
{
    return sm_fetch_group(sm, fetch_pc(&sm->ibuf, w), sm->ibuf.count[w]);
}

/* Whether fetch is to wait until the instruction has issued. */
static bool forks(const ww_sm *sm, uint32_t pc)
{
    return (sm->program->uop[pc].flags & WW_SM_OP_FORK) != 0;
}

static bool behind_fork(const ww_sm *sm, uint32_t w)
{
    return sm->arch->sm.fetch_awaits_branches && sm->ibuf.count[w] > 0 &&
           forks(sm, fetch_pc(&sm->ibuf, w) - 1);
}

static uint32_t sm_fetch_group(const ww_sm *sm, uint32_t pc, uint32_t used)
{
    const ww_sm_params *p = &sm->arch->sm;
    uint32_t n = p->fetch_instructions;
    uint32_t room = p->ibuffer_entries - used;
    uint32_t left = sm->program->count - pc;
    n = ww_min_u32(n, room);
    n = ww_min_u32(n, left);
    n = ww_min_u32(n, sm->program->uop[pc].line_left);
    for (uint32_t k = 0; p->fetch_awaits_branches && k + 1 < n; k++) {
        n = forks(sm, pc + k) ? k + 1 : n;
    }
    return n;
}

/* A fetch starts only when a whole group fits, so that warps do not trickle. */
static WW_ALWAYS_INLINE void sm_update_fetchable(ww_sm *sm, uint32_t w)
{
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        sm_skip_fetchable(sm, w);
        return;
    }
    bool fits = sm->ibuf.count[w] <= sm->fetch.most &&
                fetch_pc(&sm->ibuf, w) < sm->program->count && !behind_fork(sm, w);
    ww_slots bit = ww_slot(w);
    sm->fetch.fetchable = fits ? sm->fetch.fetchable | bit : sm->fetch.fetchable & ~bit;
}

/* The same, once the warp's fetch is under way. */
static uint32_t width(const ww_sm *sm, uint32_t w)
{
    return ww_hooked(sm, WW_HOOK(fetch)) ? sm->skip.fetch_width[w] : fetch_count(sm, w);
}

static void enqueue(ww_sm *sm, uint32_t w, uint64_t due)
{
    WW_ASSERT(sm->fetch.count <= sm->fetch.mask);
    uint32_t slot = (sm->fetch.first + sm->fetch.count++) & sm->fetch.mask;
    sm->fetch.ring[slot] = (ww_fetched){.due = due,
                                        .pc = fetch_pc(&sm->ibuf, w),
                                        .warp = (uint8_t)w,
                                        .epoch = sm->fetch.epoch[w],
                                        .count = (uint8_t)width(sm, w)};
}

static void ask_for_line(ww_sm *sm, uint64_t line, uint32_t pc)
{
    uint16_t bytes;
    uint64_t address = ww_cache_fetch_address(sm->fetch.l1i, line, &bytes);
    sm_send(sm, &(ww_mem_req){.kind = WW_REQ_INST,
                              .address = address,
                              .bytes = bytes,
                              .owner = ww_owner_of(sm, pc),
                              .flags = WW_OUT_THROUGH_CACHE});
    ww_charge(sm, pc, WW_C_L1I_READ_MISS, 1);
}

/* A stream goes on from a line that is read: it asks for lines up to so many behind it. What the
 * cache cannot take now, it is asked for when the next line is read. */
static void read_ahead(ww_sm *sm, ww_read_ahead *ahead, uint64_t line, uint32_t pc, uint64_t now)
{
    const uint32_t line_bytes = sm->arch->l1i.sector_bytes;
    const uint64_t next = line + line_bytes;
    const uint64_t code_end =
        sm->program->code_base + (uint64_t)sm->program->count * sm->arch->sm.instruction_bytes;
    const uint64_t end =
        ww_min_u64(code_end, next + (uint64_t)sm->arch->sm.prefetch_lines * line_bytes);
    uint64_t at = ahead->next + ahead->bytes;
    ww_cache_result result = WW_CACHE_MISS;
    for (; at < end; at += line_bytes) {
        bool hit;
        ww_cache_eviction evicted = {0};
        if (ww_cache_probe(sm->fetch.l1i, at) != WW_CACHE_MISS) {
            continue; /* another stream's, or read before */
        }
        result = ww_cache_access(sm->fetch.l1i, at, ~0u, false, false, now, PREFETCH_WAITER, &hit,
                                 &evicted);
        if (result != WW_CACHE_MISS) {
            break;
        }
        ask_for_line(sm, at, pc);
    }
    *ahead = (ww_read_ahead){.next = next, .bytes = at - next};
}

/* Code is mostly read in order: a miss begins a stream of the lines behind it. */
static void begin_stream(ww_sm *sm, ww_read_ahead *ahead, uint64_t line, uint32_t pc, uint64_t now)
{
    *ahead = (ww_read_ahead){.next = line + sm->arch->l1i.sector_bytes};
    read_ahead(sm, ahead, line, pc, now);
}

/* Each line of a stream that is read lets it go on. */
static bool in_stream(const ww_read_ahead *ahead, uint64_t line)
{
    return line - ahead->next < ahead->bytes;
}

/* The front end reads a program's beginning ahead while its launch is under way: those lines are
 * there when the first CTA is. Each GPC reads them once, which is not counted. */
static void prefetch_program(ww_sm *sm)
{
    const ww_program *program = sm->program;
    const uint64_t now = 0; /* before its first cycle */
    const uint64_t code = (uint64_t)program->count * sm->arch->sm.instruction_bytes;
    const uint64_t end = program->code_base + ww_min_u64(code, sm->arch->sm.launch_prefetch_bytes);
    for (uint64_t at = program->code_base; at < end; at += sm->arch->l1i.sector_bytes) {
        bool hit;
        size_t waiters;
        ww_cache_eviction evicted = {0};
        if (ww_cache_access(sm->fetch.l1i, at, ~0u, false, false, now, PREFETCH_WAITER, &hit,
                            &evicted) == WW_CACHE_MISS) {
            ww_cache_fill(sm->fetch.l1i, at, now, &waiters, &evicted);
            ww_charge(sm, 0, WW_C_L1I_FILL, 1);
        }
    }
}

/* Looks up the warp's next instructions. A second look-up of the line read last must hit and
 * changes nothing in the cache. */
static WW_ALWAYS_INLINE void fetch_warp(ww_sm *sm, ww_read_ahead *ahead, uint32_t w, uint64_t now)
{
    const ww_cache_params *p = &sm->arch->l1i;
    const uint32_t pc = fetch_pc(&sm->ibuf, w);
    uint64_t pc_address = sm->program->code_base + (uint64_t)pc * sm->arch->sm.instruction_bytes;
    uint64_t line = pc_address & ~(uint64_t)(p->sector_bytes - 1);
    ww_charge(sm, pc, WW_C_WARP_STATUS_READ, 1);
    ww_charge(sm, pc, WW_C_WARP_STATUS_WRITE, 1);
    ww_cache_result result = WW_CACHE_HIT;
    if (sm->fetch.l1i != NULL && line != sm->fetch.l1i_line) {
        bool hit;
        ww_cache_eviction evicted = {0};
        result = ww_cache_access(sm->fetch.l1i, line, ~0u, false, false, now,
                                 waiter_of(&sm->fetch, w), &hit, &evicted);
    }
    if (result == WW_CACHE_STALL) {
        return;
    }
    sm->fetch.fetching |= ww_slot(w);
    if (result == WW_CACHE_HIT) {
        if (WW_UNLIKELY(in_stream(ahead, line))) {
            read_ahead(sm, ahead, line, pc, now);
        }
        sm->fetch.l1i_line = line;
        ww_charge(sm, pc, WW_C_L1I_READ_HIT, 1);
        enqueue(sm, w, now + p->hit_latency);
        return;
    }
    sm->fetch.l1i_line = UINT64_MAX;
    if (result == WW_CACHE_MISS) {
        ask_for_line(sm, line, pc);
    } else {
        ww_charge(sm, pc, WW_C_L1I_READ_MISS, 1);
    }
    if (in_stream(ahead, line)) {
        read_ahead(sm, ahead, line, pc, now);
    } else if (result == WW_CACHE_MISS) {
        begin_stream(sm, ahead, line, pc, now);
    }
}

/* The fetches of a cycle from the warps of a group. */
static void fetch_from(ww_sm *sm, ww_slots group, uint32_t which, uint32_t turns, uint64_t now)
{
    uint32_t *next = &sm->fetch.next[which];
    ww_slots supplied = WW_NO_SLOTS; /* in this cycle: they have taken no turn */
    for (uint32_t i = 0; i < turns;) {
        ww_slots candidates = group & sm->fetch.fetchable & ~sm->fetch.fetching & ~supplied;
        if (!ww_any(candidates)) {
            return;
        }
        if (ww_hooked(sm, WW_HOOK_ANY) && ww_any(candidates & ~sm->extra.background)) {
            candidates &= ~sm->extra.background;
        }
        ww_slots above = candidates & ww_from(*next);
        uint32_t w = ww_first(ww_any(above) ? above : candidates);
        *next = w + 1;
        const ww_fetch_verdict verdict =
            ww_hooked(sm, WW_HOOK(fetch)) ? sm_fetch_asked(sm, w, now) : WW_FETCH_GO;
        if (verdict == WW_FETCH_SUPPLY) {
            supplied |= ww_slot(w);
            continue;
        }
        if (verdict == WW_FETCH_GO) {
            fetch_warp(sm, &sm->fetch.ahead[which], w, now);
        }
        i++;
    }
}

static void sm_fetch(ww_sm *sm, uint64_t now)
{
    const ww_sm_params *p = &sm->arch->sm;
    if (!p->fetch_by_group) {
        fetch_from(sm, sm->warps.live, 0, p->fetch_warps, now);
        return;
    }
    for (uint32_t i = 0; i < p->fetch_warps; i++) {
        const uint32_t s = i % sm->issue.schedulers;
        const ww_slots group = sm->warps.live & sm->issue.sched[s].mine;
        fetch_from(sm, group, s, 1, now);
    }
}

static void sm_fetch_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    size_t count;
    ww_cache_eviction evicted = {0};
    const uint32_t *waiter = ww_cache_fill(sm->fetch.l1i, reply->address, now, &count, &evicted);
    sm->fetch.l1i_line = UINT64_MAX;
    ww_charge(sm, ww_row_of(sm, reply), WW_C_L1I_FILL, 1);
    for (size_t i = 0; i < count; i++) {
        if (waiter[i] == PREFETCH_WAITER) {
            continue;
        }
        uint32_t w = waiter[i] & 0xff;
        if (ww_any(sm->fetch.fetching & sm->warps.live & ww_slot(w)) &&
            sm->fetch.epoch[w] == (uint8_t)(waiter[i] >> 8)) {
            sm->fetch.fetching &= ~ww_slot(w);
            sm_decode_into(sm, w, fetch_pc(&sm->ibuf, w), width(sm, w), now);
        }
    }
}
