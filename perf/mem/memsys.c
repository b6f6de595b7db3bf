/* memsys.c - the memory system as one: clocks, ports, and what happens next.
 * Domains keep their own time; a core cycle runs DRAM, L2, interconnect in that order (against the
 * flow of requests), each only if its clock reaches a cycle in which it has work. Between such
 * cycles nothing is done at all: clocks move by arithmetic when they are needed, which makes
 * skipping and ticking the same thing. */
#include <stdio.h>

#include "arch/mesh.h"
#include "perf/mem/joins.h"
#include "perf/mem/l2.h"

/* Counts of an SM's requests since the last sync, kept away from the SM's counters, which another
 * thread may be writing. */
typedef struct sm_traffic {
    uint64_t packets, flits, waited;
} sm_traffic;

struct ww_memsys {
    ww_arena arena;
    ww_addrmap map;
    ww_pool pool;
    ww_clock icnt_clock, l2_clock, dram_clock;
    ww_net request, reply;
    ww_joins joins;
    ww_l2 l2;
    ww_dram *dram;
    uint32_t *turn;     /* [channel] slice whose requests the controller takes next */
    ww_agenda channels; /* controllers by DRAM cycle */
    uint32_t channel_count, slices_per_channel, sms;
    uint32_t control_bytes, flit_bytes;
    bool fill_by_host;
    ww_counter_set *counters;
    sm_traffic *traffic; /* [sm] */

    uint64_t done; /* core cycles run: all clocks stand at the end of cycle done - 1 */
    uint64_t seen; /* core cycles the owner has ticked or skipped; >= done */
    uint64_t wake; /* core cycle of the next work, WW_NEVER: none */
    uint64_t synced_icnt, synced_l2, synced_dram; /* domain cycles already counted */

    ww_reply_fn *on_reply; /* NULL: nobody asks */
    void *reply_user;
    uint32_t *certain; /* replies granted in the present core cycle */
    uint32_t certain_count;
};

/* ---- construction ---- */

static void count_wait(void *user, uint32_t sm, uint32_t id, uint64_t waited)
{
    (void)id;
    ww_memsys *ms = user;
    ms->traffic[sm].waited += waited;
}

/* A reply will be at its SM in a cycle that is known now. */
static void reply_is_certain(void *user, uint32_t id)
{
    ww_memsys *ms = user;
    if (ms->on_reply) {
        ms->certain[ms->certain_count++] = id;
    }
}

/* A reply is on its way, and its port has room again. */
static void reply_leaves(void *user, uint32_t input, uint32_t id, uint64_t waited)
{
    (void)waited;
    ww_memsys *ms = user;
    if (input >= ms->reply.beside) {
        return;
    }
    if (ms->l2.slice[input].replies.count > 0) {
        ww__agenda_wake(&ms->l2.agenda, input, ms->l2_clock.cycle + 1);
    }
    if (ms->joins.most != 0) {
        ww__joins_share(&ms->joins, &ms->reply, id, ms->icnt_clock.cycle, ms->l2.charges);
    }
}

static void wake_slice(void *user, uint32_t slice)
{
    ww_memsys *ms = user;
    ww__agenda_wake(&ms->l2.agenda, slice, ms->l2_clock.cycle + 1);
}

static bool init_memory(ww_memsys *ms, const ww_arch *arch)
{
    ms->dram = WW_ARENA_NEW_ARRAY(&ms->arena, ww_dram, ms->channel_count);
    ms->turn = WW_ARENA_NEW_ARRAY(&ms->arena, uint32_t, ms->channel_count);
    if (!ms->dram || !ms->turn || !ww__agenda_init(&ms->channels, ms->channel_count, &ms->arena)) {
        return false;
    }
    for (uint32_t c = 0; c < ms->channel_count; c++) {
        ww_counter_block *block = &ms->counters->block[WW_SCOPE_CHANNEL][c];
        if (!ww__dram_init(&ms->dram[c], arch, c, &ms->map, block, &ms->arena)) {
            return false;
        }
    }
    return true;
}

static bool make_meshes(ww_memsys *ms, const ww_arch *arch)
{
    ww_mesh_plan plan;
    return ww_mesh_plan_make(arch, &ms->arena, &plan, NULL) == WW_OK &&
           ww__mesh_attach(&ms->request, &arch->icnt, plan.columns, plan.rows, plan.sm, plan.slice,
                           &ms->arena) &&
           ww__mesh_attach(&ms->reply, &arch->icnt, plan.columns, plan.rows, plan.slice, plan.sm,
                           &ms->arena);
}

static bool init_networks(ww_memsys *ms, const ww_arch *arch)
{
    const bool joins = arch->icnt.joined_reads != 0;
    uint32_t slices = ww_arch_slices(arch), replies = slices + (joins ? ms->sms : 0);
    if (!ww__pool_init(&ms->pool, ww__pool_capacity(arch), &ms->arena) ||
        !ww__net_init(&ms->request, &arch->icnt, ms->sms, arch->icnt.port_sms, slices, &ms->pool,
                      &ms->arena) ||
        !ww__net_init(&ms->reply, &arch->icnt, replies, 1, ms->sms, &ms->pool, &ms->arena) ||
        !ww__joins_init(&ms->joins, arch, &ms->pool, &ms->arena)) {
        return false;
    }
    if (joins) {
        ww__net_beside(&ms->reply);
    }
    ww__net_widen(&ms->reply, arch->icnt.reply_flits);
    ww__net_limit(&ms->reply, arch->icnt.reply_most);
    if (arch->icnt.topology == WW_ICNT_MESH && !make_meshes(ms, arch)) {
        return false;
    }
    ms->request.on_grant = count_wait;
    ms->request.on_arrival = wake_slice;
    ms->request.user = ms;
    ms->certain = WW_ARENA_NEW_ARRAY(&ms->arena, uint32_t, ms->pool.capacity);
    ms->traffic = WW_ARENA_NEW_ARRAY(&ms->arena, sm_traffic, ms->sms);
    ms->reply.on_grant = reply_leaves;
    ms->reply.on_certain = reply_is_certain;
    ms->reply.user = ms;
    return ms->certain != NULL && ms->traffic != NULL;
}

static ww_status init(ww_memsys *ms, const ww_arch *arch, ww_counter_set *counters, ww_error *err)
{
    WW_TRY(ww__addrmap_init(&ms->map, arch, err));
    WW_TRY(ww__dram_check(arch, err));
    ms->counters = counters;
    ms->channel_count = arch->mem.channels;
    ms->slices_per_channel = arch->mem.slices;
    ms->sms = arch->sm.count;
    ms->control_bytes = arch->icnt.control_bytes;
    ms->flit_bytes = arch->icnt.flit_bytes;
    ms->fill_by_host = arch->mem.host_copies_fill_l2;
    ms->wake = WW_NEVER;
    ww__clock_init(&ms->icnt_clock, arch->clock.icnt_hz, arch->clock.core_hz);
    ww__clock_init(&ms->l2_clock, arch->clock.l2_hz, arch->clock.core_hz);
    ww__clock_init(&ms->dram_clock, arch->clock.dram_hz, arch->clock.core_hz);
    if (!init_networks(ms, arch) || !init_memory(ms, arch)) {
        return ww_no_memory_for(err, "the memory system");
    }
    ms->l2.pool = &ms->pool;
    ms->l2.request = &ms->request;
    ms->l2.reply = &ms->reply;
    ms->l2.dram = ms->dram;
    ms->l2.channels = &ms->channels;
    ms->l2.icnt_clock = &ms->icnt_clock;
    ms->l2.dram_clock = &ms->dram_clock;
    return ww__l2_init(&ms->l2, arch, counters, &ms->arena, err);
}

ww_status ww_memsys_create(const ww_arch *arch, ww_counter_set *counters, ww_memsys **out,
                           ww_error *err)
{
    ww_memsys *ms = WW_NEW(ww_memsys);
    if (!ms) {
        return ww_no_memory_for(err, "the memory system");
    }
    ww_arena_init(&ms->arena);
    ww_status status = init(ms, arch, counters, err);
    if (status != WW_OK) {
        ww_memsys_destroy(ms);
        return status;
    }
    *out = ms;
    return WW_OK;
}

ww_status ww_memsys_charge(ww_memsys *ms, const ww_charges *charges, ww_error *err)
{
    ms->l2.charges = charges;
    for (uint32_t c = 0; c < ms->channel_count; c++) {
        ms->dram[c].charges = charges;
    }
    for (uint32_t s = 0; charges != NULL && s < ms->l2.slices; s++) {
        WW_TRY(ww_cache_know_owners(ms->l2.slice[s].cache, err));
    }
    return WW_OK;
}

ww_status ww_memsys_count_values(ww_memsys *ms, const ww_arch *arch, ww_data data, ww_error *err)
{
    ww_mem_values *v = ww__values_create(arch, data, &ms->arena);
    if (v == NULL) {
        return ww_no_memory_for(err, "the values of the memory system");
    }
    ms->l2.values = v;
    for (uint32_t c = 0; c < ms->channel_count; c++) {
        ms->dram[c].values = v;
    }
    return WW_OK;
}

void ww_memsys_destroy(ww_memsys *ms)
{
    if (ms) {
        ww__l2_fini(&ms->l2);
        ww_arena_fini(&ms->arena);
        ww_free(ms);
    }
}

/* ---- DRAM domain ---- */

/* Takes one request from the slices of channel c, round-robin, if there is room; true when more
 * wait. */
static bool feed_controller(ww_memsys *ms, uint32_t c, uint64_t now)
{
    ww_dram *dram = &ms->dram[c];
    uint32_t n = ms->slices_per_channel;
    ww_slice *slice = &ms->l2.slice[c * n];
    uint32_t wait = 0;
    for (uint32_t s = 0; s < n; s++) {
        wait += slice[s].out.count;
    }
    if (wait == 0 || !ww__dram_can_accept(dram)) {
        return wait > 0;
    }
    uint32_t s = ms->turn[c];
    while (slice[s].out.count == 0) {
        s = s + 1 == n ? 0 : s + 1;
    }
    ww__dram_accept(dram, ww__ring_front(&slice[s].out), now);
    ww__ring_drop(&slice[s].out);
    ww__l2_unblock(&ms->l2, c * n + s, ms->l2_clock.cycle + 1);
    ms->turn[c] = s + 1 == n ? 0 : s + 1;
    return wait > 1;
}

static uint64_t tick_channel(ww_memsys *ms, uint32_t c, uint64_t now)
{
    ww_dram *dram = &ms->dram[c];
    ww_dram_req data;
    while (ww__dram_pop(dram, now, &data)) {
        ww__l2_deliver(&ms->l2, &data, ms->l2_clock.cycle + 1);
    }
    bool more = feed_controller(ms, c, now);
    uint64_t next = ww__dram_tick(dram, now);
    return more && ww__dram_can_accept(dram) ? now + 1 : next;
}

static void tick_dram(ww_memsys *ms, uint64_t now)
{
    ww_agenda *agenda = &ms->channels;
    for (uint32_t w = 0; w < agenda->words; w++) {
        for (uint64_t bits = ww__agenda_take(agenda, w, now); bits != 0; bits &= bits - 1) {
            uint32_t c = w * 64 + ww__bit_first(bits);
            uint64_t at = agenda->at[c];
            ww__agenda_put(agenda, c, at <= now ? tick_channel(ms, c, now) : at, now);
        }
    }
    ww__agenda_pass(agenda, now);
}

/* ---- time ---- */

/* Core cycle (>= done) in which a domain whose next work is in its cycle `next` gets there. */
static uint64_t core_cycle_of(const ww_memsys *ms, const ww_clock *clock, uint64_t next)
{
    return next == WW_NEVER ? WW_NEVER : ms->done + ww__clock_distance(clock, next) - 1;
}

/* When something happens, none of it in a domain's next cycle. */
static WW_NOINLINE void find_wake_ahead(ww_memsys *ms, uint64_t icnt)
{
    ms->wake = ww_min_u64(core_cycle_of(ms, &ms->icnt_clock, icnt),
                          ww_min_u64(core_cycle_of(ms, &ms->l2_clock, ms->l2.agenda.next),
                                     core_cycle_of(ms, &ms->dram_clock, ms->channels.next)));
}

static WW_ALWAYS_INLINE void find_wake(ww_memsys *ms)
{
    const uint64_t icnt = ww_min_u64(ms->request.next, ms->reply.next);
    if (icnt <= ms->icnt_clock.cycle + 1 || ms->l2.agenda.next <= ms->l2_clock.cycle + 1 ||
        ms->channels.next <= ms->dram_clock.cycle + 1) {
        ms->wake = ms->done; /* waking early does no harm, and spares the divisions */
    } else {
        find_wake_ahead(ms, icnt);
    }
}

void ww_memsys_set_core_clock(ww_memsys *ms, double dram_hz, double core_hz)
{
    ww__clock_change(&ms->dram_clock, dram_hz, core_hz);
    find_wake(ms);
}

/* Tells of the replies granted in the core cycle that ends here, `done`. */
static void announce_replies(ww_memsys *ms)
{
    for (uint32_t i = 0; i < ms->certain_count; i++) {
        const ww_packet *packet = &ms->pool.packet[ms->certain[i]];
        const ww_mem_req *req = &packet->req;
        uint64_t from = ms->done + 1;
        if (packet->ready > ms->icnt_clock.cycle) {
            from += ww__clock_distance(&ms->icnt_clock, packet->ready);
        }
        if (packet->whole != WW_NO_PACKET) {
            ww_packet *whole = &ms->pool.packet[packet->whole];
            req = --whole->unsure == 0 ? &whole->req : NULL;
        }
        ms->on_reply(ms->reply_user, packet->req.sm, req, from);
    }
    ms->certain_count = 0;
}

/* Runs one core cycle. */
static void step(ww_memsys *ms)
{
    for (uint64_t n = ww__clock_enter(&ms->dram_clock); n > 0; n--) {
        if (++ms->dram_clock.cycle >= ms->channels.next) {
            tick_dram(ms, ms->dram_clock.cycle);
        }
    }
    for (uint64_t n = ww__clock_enter(&ms->l2_clock); n > 0; n--) {
        if (++ms->l2_clock.cycle >= ms->l2.agenda.next) {
            ww__l2_tick(&ms->l2, ms->l2_clock.cycle);
        }
    }
    for (uint64_t n = ww__clock_enter(&ms->icnt_clock); n > 0; n--) {
        uint64_t now = ++ms->icnt_clock.cycle;
        if (now >= ms->request.next) {
            ww__net_tick(&ms->request, now);
        }
        if (now >= ms->reply.next) {
            ww__net_tick(&ms->reply, now);
        }
    }
    if (ms->certain_count > 0) {
        announce_replies(ms);
    }
    ms->done++;
    find_wake(ms);
}

static WW_NOINLINE void catch_up(ww_memsys *ms, uint64_t until)
{
    do {
        if (ms->wake <= ms->done) {
            step(ms);
            continue;
        }
        uint64_t quiet = ww_min_u64(ms->wake, until) - ms->done;
        ww__clock_jump(&ms->icnt_clock, quiet);
        ww__clock_jump(&ms->l2_clock, quiet);
        ww__clock_jump(&ms->dram_clock, quiet);
        ms->done += quiet;
    } while (ms->done < until);
}

/* Brings all domains to the end of core cycle `until` - 1. */
static WW_ALWAYS_INLINE void advance(ww_memsys *ms, uint64_t until)
{
    if (ms->done < until) {
        catch_up(ms, until);
    }
}

void ww_memsys_tick(ww_memsys *ms, uint64_t now)
{
    ms->seen = now + 1;
    if (now >= ms->wake) {
        advance(ms, now + 1);
    }
}

uint64_t ww_memsys_next_event(const ww_memsys *ms, uint64_t now)
{
    if (ww__bit_any(ms->reply.arrived, ms->reply.out_words)) {
        return now + 1;
    }
    return ms->wake == WW_NEVER ? WW_NEVER : ww_max_u64(ms->wake, now + 1);
}

void ww_memsys_skip(ww_memsys *ms, uint64_t now, uint64_t then)
{
    if (then > now) {
        ww_memsys_tick(ms, then - 1);
    }
}

/* ---- ports ---- */

bool ww_memsys_can_inject(const ww_memsys *ms, uint32_t sm, const ww_mem_req *req)
{
    (void)req; /* ports count packets, not bytes */
    return ww__net_can_push(&ms->request, sm) &&
           ms->pool.used + WW_MOST_PARTS < ms->pool.capacity; /* one can always be taken apart */
}

void ww_memsys_inject(ww_memsys *ms, uint32_t sm, const ww_mem_req *req, uint64_t now)
{
    advance(ms, now);
    uint32_t id = ww__pool_take(&ms->pool);
    ww_packet *packet = &ms->pool.packet[id];
    ww_slice_address at = ww__addrmap_slice(&ms->map, req->address);
    uint32_t bytes = ms->control_bytes + (ww__kind_carries_data(req->kind) ? req->bytes : 0);
    packet->req = *req;
    packet->req.sm = sm;
    packet->req.issued = now;
    packet->local = at.local;
    packet->slice = (uint16_t)at.slice;
    packet->flits = (uint16_t)((bytes + ms->flit_bytes - 1) / ms->flit_bytes);
    packet->pending = 0;
    packet->whole = WW_NO_PACKET;
    packet->far = ms->l2.sm_part != NULL && ms->l2.sm_part[sm] != ms->l2.slice_part[at.slice];
    ms->traffic[sm].packets++;
    ms->traffic[sm].flits += packet->flits;
    ww_charge_owner(ms->l2.charges, req->owner, WW_C_ICNT_REQ_PACKETS, 1);
    ww_charge_owner(ms->l2.charges, req->owner, WW_C_ICNT_REQ_FLITS, packet->flits);
    if (WW_UNLIKELY(ms->l2.values != NULL) && ww__kind_carries_data(req->kind)) {
        ww__values_request(ms->l2.values, sm, req, ms->l2.charges);
    }
    if (ms->joins.most != 0 && ww__joins_enter(&ms->joins, id)) {
        return;
    }
    ww__net_push(&ms->request, sm, at.slice, id, ms->icnt_clock.cycle);
    ms->wake = ms->done;
}

bool ww_memsys_has_reply(const ww_memsys *ms, uint32_t sm)
{
    return ww__net_arrived(&ms->reply, sm);
}

const uint64_t *ww_memsys_replies(const ww_memsys *ms)
{
    return ms->reply.arrived;
}

bool ww_memsys_receive(ww_memsys *ms, uint32_t sm, ww_mem_req *reply)
{
    if (!ww__net_arrived(&ms->reply, sm)) {
        return false;
    }
    advance(ms, ms->seen); /* whether the next one has arrived depends on the time */
    uint32_t id = ww__net_pop(&ms->reply, sm, ms->icnt_clock.cycle);
    if (ms->reply.next != WW_NEVER) {
        ms->wake = ww_min_u64(ms->wake, core_cycle_of(ms, &ms->icnt_clock, ms->reply.next));
    }
    uint32_t whole = ms->pool.packet[id].whole;
    if (whole != WW_NO_PACKET) {
        ww__pool_give(&ms->pool, id);
        if (--ms->pool.packet[whole].pending > 0) {
            return false; /* the other parts are still to come */
        }
        id = whole;
    }
    *reply = ms->pool.packet[id].req;
    ww__pool_give(&ms->pool, id);
    return true;
}

void ww_memsys_on_reply(ww_memsys *ms, ww_reply_fn *fn, void *user)
{
    ms->on_reply = fn;
    ms->reply_user = user;
}

/* A packet granted in an interconnect cycle of core cycle g arrives `latency` interconnect cycles
 * later or more, in core cycle g + floor(latency * core_hz / icnt_hz) at the earliest, and is taken
 * in the next one. */
uint32_t ww_memsys_lookahead(const ww_memsys *ms)
{
    const ww_clock *clock = &ms->icnt_clock;
    uint64_t cycles = ms->reply.latency * clock->core_hz / clock->hz;
    return (uint32_t)ww_min_u64(cycles, UINT16_MAX) + 1;
}

uint32_t ww_memsys_most_replies(const ww_memsys *ms)
{
    return ms->reply.output_capacity;
}

uint32_t ww_memsys_room(const ww_memsys *ms, uint32_t sm)
{
    return ms->request.input_packets - ms->request.in[sm].count;
}

void ww_memsys_restart(ww_memsys *ms, uint64_t now)
{
    ms->seen = now;
}

void ww_memsys_host_copy(ww_memsys *ms, uint64_t address, uint64_t bytes)
{
    if (ms->fill_by_host) {
        ww__l2_fill_by_host(&ms->l2, &ms->map, address, bytes);
    }
}

void ww_memsys_touch(ww_memsys *ms, uint64_t address, uint32_t bytes, bool write)
{
    ww__l2_touch(&ms->l2, &ms->map, address, bytes, write);
}

/* ---- the whole ---- */

bool ww_memsys_idle(const ww_memsys *ms)
{
    return ms->pool.used == 0 && ms->wake == WW_NEVER;
}

void ww_memsys_sync(ww_memsys *ms)
{
    advance(ms, ms->seen);
    for (uint32_t i = 0; i < ms->sms; i++) {
        uint64_t *sm = ms->counters->block[WW_SCOPE_SM][i].v;
        if (ms->traffic[i].packets == 0 && ms->traffic[i].waited == 0 && ms->l2.values == NULL) {
            continue; /* nothing of its counters is touched */
        }
        sm[WW_C_ICNT_REQ_PACKETS] += ms->traffic[i].packets;
        sm[WW_C_ICNT_REQ_FLITS] += ms->traffic[i].flits;
        sm[WW_C_ICNT_STALL] += ms->traffic[i].waited;
        sm[WW_C_ICNT_JOINED] += ww__joins_shared(&ms->joins, i);
        ww__values_sync(ms->l2.values, i, sm);
        ms->traffic[i] = (sm_traffic){0};
    }
    uint64_t *v = ms->counters->block[WW_SCOPE_CHIP][0].v;
    v[WW_C_ICNT_CYCLES] += ms->icnt_clock.cycle - ms->synced_icnt;
    v[WW_C_L2_CYCLES] += ms->l2_clock.cycle - ms->synced_l2;
    v[WW_C_DRAM_CYCLES] += ms->dram_clock.cycle - ms->synced_dram;
    ms->synced_icnt = ms->icnt_clock.cycle;
    ms->synced_l2 = ms->l2_clock.cycle;
    ms->synced_dram = ms->dram_clock.cycle;
    ww__l2_sync(&ms->l2, ms->l2_clock.cycle);
    for (uint32_t c = 0; c < ms->channel_count; c++) {
        ww__dram_sync(&ms->dram[c], ms->dram_clock.cycle);
    }
}

void ww_memsys_kernel_boundary(ww_memsys *ms)
{
    ww_memsys_sync(ms);
}

/* ---- deadlock reports ---- */

static size_t append(char *buf, size_t size, size_t used, const char *what, uint32_t index,
                     uint32_t a, uint32_t b, uint32_t c)
{
    if (used >= size) {
        return used;
    }
    int n = snprintf(buf + used, size - used, "%s %u: %u, %u, %u\n", what, index, a, b, c);
    return n > 0 ? used + (size_t)n : used;
}

char *ww_memsys_explain(const ww_memsys *ms, char *buf, size_t size)
{
    if (size == 0) {
        return buf;
    }
    int n = snprintf(buf, size, "memory system: %u requests in flight\n", ms->pool.used);
    size_t used = n > 0 ? (size_t)n : 0;
    for (uint32_t i = 0; i < ms->sms; i++) {
        uint32_t out = ms->request.in[i].count;
        uint32_t in = ms->reply.out[i].queue.count;
        if (out + in > 0) {
            used = append(buf, size, used, "SM port (requests, replies, replies arrived)", i, out,
                          in, ww__net_arrived(&ms->reply, i));
        }
    }
    for (uint32_t s = 0; s < ms->l2.slices; s++) {
        const ww_slice *slice = &ms->l2.slice[s];
        if (slice->rop.count + slice->far.count + slice->out.count + slice->replies.count > 0 ||
            !ww_cache_idle(slice->cache)) {
            used =
                append(buf, size, used, "L2 slice (requests, to DRAM, replies)", s,
                       slice->rop.count + slice->far.count, slice->out.count, slice->replies.count);
        }
    }
    for (uint32_t c = 0; c < ms->channel_count; c++) {
        const ww_dram *dram = &ms->dram[c];
        if (dram->count + dram->ret_held > 0) {
            used = append(buf, size, used, "memory controller (reads, writes, data returning)", c,
                          dram->kind_count[0], dram->kind_count[1], dram->ret_held);
        }
    }
    return buf;
}
