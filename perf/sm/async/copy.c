/* copy.c - the copy engine at work: starting commands, walking their rows, taking replies, and
 * completing. Requests go past the L1 to the L2 as those of warps do, and their bytes through the
 * port of shared memory. */
#include "base/arith.h"
#include "base/room.h"
#include "perf/sm/async/async.h"
#include "perf/sm/core.h"

enum { LINE = 128, SECTOR = 32 };
#define MAP_REPLY 0x80000000u /* of a token: the tensor map of the task behind it */

static bool copies_out(const ww_copy_task *t)
{
    return t->job.kind == WW_COPY_STORE || t->job.kind == WW_COPY_REDUCE;
}

/* ---- commands ---- */

/* CTAs other than the command's own that receive what it copies: bit per rank. */
static uint32_t others_of(const ww_sm *sm, const ww_copy_task *t)
{
    return t->job.ranks & ~(1u << sm->cta[t->slot].cta.rank);
}

/* Whether its own CTA is among them, or the only one. */
static bool comes_here(const ww_sm *sm, const ww_copy_task *t)
{
    return t->job.ranks == 0 || (t->job.ranks >> sm->cta[t->slot].cta.rank & 1) != 0;
}

static ww_object_op completion_of(const ww_copy_task *t)
{
    return (ww_object_op){.sub = WW_SUB_COMPLETE_TX,
                          .object = t->job.object,
                          .pc = t->job.pc,
                          .number = (uint32_t)t->job.bytes};
}

/* Tasks from `first` to the end of their room, none of them under way. */
static void sm_copy_free_from(ww_copies *c, size_t first)
{
    for (size_t i = c->room; i-- > first;) {
        c->task[i] = (ww_copy_task){.next = c->free};
        c->free = (uint32_t)i;
    }
}

static uint32_t take_task(ww_copies *c)
{
    if (c->free == WW_COPY_NONE) {
        const size_t held = c->room;
        ww_copy_task *task = ww_heap_room(c->task, held, 1, &c->room, sizeof *task);
        if (task == NULL) {
            return WW_COPY_NONE;
        }
        c->task = task;
        sm_copy_free_from(c, held);
    }
    const uint32_t i = c->free;
    c->free = c->task[i].next;
    return i;
}

static ww_status copy_ask(ww_sm *sm, uint32_t w, uint32_t pc, const ww_copy_job *job, ww_error *err)
{
    ww_copies *c = &sm->async->copies;
    const uint32_t i = take_task(c);
    if (i == WW_COPY_NONE) {
        return ww_no_memory_for(err, "commands of a copy engine");
    }
    ww_copy_task *t = &c->task[i];
    *t = (ww_copy_task){.job = *job,
                        .state = WW_COPY_WAITS,
                        .began = sm->async->overlap.now,
                        .warp = (uint8_t)w,
                        .slot = sm->warps.cta_of[w],
                        .uop = pc,
                        .next = WW_COPY_NONE};
    if (c->first == WW_COPY_NONE) {
        c->first = i;
    } else {
        c->task[c->last].next = i;
    }
    c->last = i;
    c->waiting++;
    c->under_way++;
    sm->cta[t->slot].flights++;
    if (copies_out(t)) {
        bulk_joins(&sm->async->bulk[w], t);
    }
    return WW_OK;
}

/* ---- tensor maps that the engine keeps ---- */

static bool knows_map(ww_sm *sm, uint64_t address)
{
    ww_copies *c = &sm->async->copies;
    for (uint32_t k = 0; k < c->maps; k++) {
        if (c->map[k] == address) {
            memmove(c->map + 1, c->map, k * sizeof *c->map);
            c->map[0] = address;
            return true;
        }
    }
    return false;
}

static void keep_map(ww_sm *sm, uint64_t address)
{
    ww_copies *c = &sm->async->copies;
    const uint32_t most = sm->arch->async.copy_maps;
    if (!knows_map(sm, address)) {
        c->maps = c->maps < most ? c->maps + 1 : most;
        memmove(c->map + 1, c->map, (c->maps - 1) * sizeof *c->map);
        c->map[0] = address;
    }
}

static uint32_t words_set(uint32_t words)
{
    return (uint32_t)__builtin_popcount(words);
}

/* A request for sectors, of which these words are the copy's. */
static void send_part(ww_sm *sm, const ww_copy_task *t, ww_req_kind kind, uint64_t address,
                      uint32_t bytes, uint32_t words, uint32_t token)
{
    ww_charge(sm, t->uop, WW_C_GMEM_TRANSACTION, 1);
    ww_charge(sm, t->uop, WW_C_COPY_REQUESTS, 1);
    ww_count(sm, WW_C_L1D_BYPASS, 1);
    sm_send(sm, &(ww_mem_req){.kind = (uint8_t)kind,
                              .address = address,
                              .bytes = (uint16_t)bytes,
                              .token = token,
                              .owner = ww_owner_of(sm, t->uop),
                              .flags = WW_OUT_ENGINE,
                              .byte_mask = words,
                              .lanes = kind == WW_REQ_REDUCE ? words_set(words) : 0});
}

/* ---- the walk ---- */

/* The sectors of global memory that the task's row covers. */
static void enter_row(ww_copy_task *t)
{
    uint64_t first = t->job.address, end = first + t->job.bytes;
    if (t->job.tensor) {
        ww_tensor_box box = t->job.box;
        box.map = &t->job.map;
        const ww_tensor_row r = ww_tensor_box_row(&box, t->row);
        first = r.address + (uint64_t)r.first * r.stride;
        end = r.first < r.last ? first + (uint64_t)(r.last - 1 - r.first) * r.stride + box.unit
                               : first;
    }
    t->first = first;
    t->end = end;
    t->from = first / SECTOR * SECTOR;
    t->until = end > first ? (end + SECTOR - 1) / SECTOR * SECTOR : t->from;
}

/* Words of the row in [from, end), at most a line: bit i is the i-th from `from`. */
static uint32_t words_in(const ww_copy_task *t, uint64_t from, uint64_t end)
{
    const uint64_t first = (ww_max_u64(t->first, from) - from) / 4;
    const uint64_t last = (ww_min_u64(t->end, end) - from + 3) / 4;
    return (uint32_t)((UINT64_C(1) << last) - (UINT64_C(1) << first));
}

static uint64_t rows_of(const ww_copy_task *t)
{
    return t->job.tensor ? t->job.box.rows : 1;
}

static uint64_t row_bytes(const ww_copy_task *t)
{
    return t->job.tensor ? t->job.box.row_bytes : t->job.bytes;
}

/* `bytes` of a copy through the port, in so many cycles, from a cycle on. */
static void through_port(ww_sm *sm, ww_copy_task *t, uint32_t rows, uint64_t bytes, uint64_t from,
                         uint64_t now)
{
    const bool reads = copies_out(t) || t->job.kind == WW_COPY_SHARED;
    const bool writes = !copies_out(t) && t->state != WW_COPY_SENDS;
    ww_charge(sm, t->uop, WW_C_SHARED_CYCLES, rows);
    ww_charge(sm, t->uop, WW_C_SHARED_READ_WORDS, reads ? bytes / 4 : 0);
    ww_charge(sm, t->uop, WW_C_SHARED_WRITE_WORDS, writes ? bytes / 4 : 0);
    const uint64_t end = ww_smem_port_take(&sm->async->port, now, from, rows);
    t->port = ww_max_u64(t->port, end);
}

/* ---- what other CTAs receive ---- */

/* A multicast's bytes, fetched once, are copied where the ways to the SMs part. */
static void share(ww_sm *sm, uint32_t index, uint32_t rows, uint32_t bytes, uint64_t now)
{
    const ww_copy_task *t = &sm->async->copies.task[index];
    ww_cta *cta = &sm->cta[t->slot].cta;
    for (uint32_t m = others_of(sm, t); m != 0; m &= m - 1) {
        send_at(sm,
                (ww_message){.kind = WW_MESSAGE_DELIVERY,
                             .from = cta,
                             .to_rank = (uint8_t)__builtin_ctz(m),
                             .rows = (uint8_t)rows,
                             .row = t->uop + 1,
                             .bytes = (uint16_t)bytes},
                now + sm->arch->async.multicast_latency);
        ww_charge(sm, t->uop, WW_C_MULTICAST_BLOCKS, (bytes + SECTOR - 1) / SECTOR);
    }
}

/* All of it is on its way: whoever receives it completes it when it is there. */
static void tell_others(ww_sm *sm, ww_copy_task *t, uint64_t at)
{
    t->told = true;
    for (uint32_t m = t->job.completes ? others_of(sm, t) : 0; m != 0; m &= m - 1) {
        send_at(sm,
                (ww_message){.kind = WW_MESSAGE_END,
                             .from = &sm->cta[t->slot].cta,
                             .to_rank = (uint8_t)__builtin_ctz(m),
                             .row = t->uop + 1,
                             .op = completion_of(t)},
                at);
    }
}

static void tell_others_of_load(ww_sm *sm, ww_copy_task *t, uint64_t now)
{
    if (t->state == WW_COPY_ENDS && t->pieces == 0 && !t->told && others_of(sm, t) != 0 &&
        t->job.kind == WW_COPY_LOAD) {
        tell_others(sm, t, now + sm->arch->async.multicast_latency);
        t->port = ww_max_u64(t->port, now);
    }
}

static void copy_part_came(ww_sm *sm, uint32_t task, uint32_t bytes, uint64_t now)
{
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[task];
    t->parts--;
    c->in_flight -= bytes;
    c->blocked = false;
    through_port(sm, t, 1, bytes, way_in(sm, bytes, now), now);
}

/* From the order of commands to those that go out. */
static void go_out(ww_sm *sm, uint32_t index)
{
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[index];
    c->first = t->next;
    c->last = c->first == WW_COPY_NONE ? WW_COPY_NONE : c->last;
    t->state = WW_COPY_SENDS;
    t->next = WW_COPY_NONE;
    t->from = 0;
    if (c->out == WW_COPY_NONE) {
        c->out = index;
    } else {
        c->task[c->out_last].next = index;
    }
    c->out_last = index;
}

/* Reads the next line of a copy to another CTA and sends it, a packet ahead of the lane. */
static bool walk_out(ww_sm *sm, uint64_t now)
{
    const ww_async_params *p = &sm->arch->async;
    ww_copies *c = &sm->async->copies;
    if (c->out == WW_COPY_NONE || c->out_at > now) {
        return false;
    }
    ww_copy_task *t = &c->task[c->out];
    const uint32_t bytes = (uint32_t)ww_min_u64(LINE, t->job.bytes - t->from);
    const uint32_t flits = (bytes + SECTOR - 1) / SECTOR;
    if (bytes > 0) {
        through_port(sm, t, 1, bytes, now, now);
        send_message(sm,
                     (ww_message){.kind = WW_MESSAGE_DATA,
                                  .from = &sm->cta[t->slot].cta,
                                  .to_rank = (uint8_t)__builtin_ctz(others_of(sm, t)),
                                  .rows = t->job.reduces ? 2 : 1,
                                  .row = t->uop + 1,
                                  .bytes = (uint16_t)bytes},
                     flits, t->port);
    }
    const uint64_t packet = ((uint64_t)LINE / SECTOR * p->remote_sms) / p->remote_lanes;
    const uint64_t end = lane_end(sm);
    c->out_at = ww_max_u64(now + 1, end > packet ? end - packet : 0);
    t->from += bytes;
    if (t->from >= t->job.bytes) {
        tell_others(sm, t, end + p->remote_latency);
        c->out = t->next;
        t->state = WW_COPY_ENDS;
        t->port = ww_max_u64(t->port, end);
    }
    return true;
}

/* All of it has been asked for: the next command's turn. */
static void leave_order(ww_sm *sm, ww_copy_task *t, uint64_t now)
{
    ww_copies *c = &sm->async->copies;
    t->state = WW_COPY_ENDS;
    c->first = t->next;
    if (c->first == WW_COPY_NONE) {
        c->last = WW_COPY_NONE;
    }
    tell_others_of_load(sm, t, now);
}

static void next_row(ww_sm *sm, ww_copy_task *t, uint64_t now)
{
    if (++t->row < rows_of(t)) {
        enter_row(t);
    } else {
        leave_order(sm, t, now);
    }
}

/* Rows that lie outside the tensor, and copies within shared memory: the port alone. */
static void pass_row(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[index];
    const uint32_t rows = (uint32_t)((row_bytes(t) + LINE - 1) / LINE);
    const bool within = t->job.kind == WW_COPY_SHARED;
    if (t->job.kind == WW_COPY_LOAD) {
        share(sm, index, rows, (uint32_t)row_bytes(t), now);
    }
    if (within || (t->job.kind == WW_COPY_LOAD && comes_here(sm, t))) {
        through_port(sm, t, within ? 2 * rows : rows, row_bytes(t), now, now);
    }
    c->walk_at = now + ww_max_u32(rows, sm->arch->async.copy_row);
    next_row(sm, t, now);
}

/* Asks for the next part of a row; false: it cannot now. */
static bool ask_for_part(ww_sm *sm, uint32_t index, uint64_t now)
{
    static const uint8_t kinds[] = {[WW_COPY_LOAD] = WW_REQ_READ,
                                    [WW_COPY_STORE] = WW_REQ_WRITE,
                                    [WW_COPY_REDUCE] = WW_REQ_REDUCE,
                                    [WW_COPY_PREFETCH] = WW_REQ_BRING};
    const ww_async_params *p = &sm->arch->async;
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[index];
    const uint64_t end = ww_min_u64(t->until, (t->from / LINE + 1) * LINE);
    const uint32_t bytes = (uint32_t)(end - t->from), words = words_in(t, t->from, end);
    if (!ww_sm_out_room(sm) ||
        (t->job.kind == WW_COPY_LOAD && c->in_flight + bytes > p->copy_in_flight)) {
        c->blocked = true;
        return false;
    }
    if (t->job.kind == WW_COPY_LOAD) {
        c->in_flight += bytes;
    } else if (copies_out(t)) {
        through_port(sm, t, 1, 4 * words_set(words), now, now);
    }
    send_part(sm, t, (ww_req_kind)kinds[t->job.kind], t->from, bytes, words, index);
    t->pieces++;
    c->walk_at = now + ww_max_u32(p->copy_row, (bytes + p->copy_bytes - 1) / p->copy_bytes);
    t->from = end;
    if (end >= t->until) {
        next_row(sm, t, now);
    }
    return true;
}

static bool walk(ww_sm *sm, uint64_t now)
{
    ww_copies *c = &sm->async->copies;
    const uint32_t index = c->first;
    if (index == WW_COPY_NONE) {
        return false;
    }
    ww_copy_task *t = &c->task[index];
    if (t->state == WW_COPY_STARTS && t->at <= now) {
        if (t->job.kind == WW_COPY_SHARED && others_of(sm, t) != 0) {
            go_out(sm, index);
            c->out_at = ww_max_u64(c->out_at, now);
            return true;
        }
        t->state = WW_COPY_WALKS;
        enter_row(t);
        if (rows_of(t) == 0 || row_bytes(t) == 0) {
            leave_order(sm, t, now);
            return true;
        }
    }
    if (t->state != WW_COPY_WALKS || c->walk_at > now || c->blocked) {
        return false;
    }
    if (t->from >= t->until || t->job.kind == WW_COPY_SHARED) {
        pass_row(sm, index, now);
        return true;
    }
    return ask_for_part(sm, index, now);
}

/* The first command that waits. */
static uint32_t waiting_task(const ww_copies *c)
{
    uint32_t i = c->first;
    while (i != WW_COPY_NONE && c->task[i].state != WW_COPY_WAITS) {
        i = c->task[i].next;
    }
    return i;
}

static bool start_command(ww_sm *sm, uint64_t now)
{
    const ww_async_params *p = &sm->arch->async;
    ww_copies *c = &sm->async->copies;
    const uint32_t i = c->waiting > 0 && c->start_at <= now ? waiting_task(c) : WW_COPY_NONE;
    if (i == WW_COPY_NONE) {
        return false;
    }
    ww_copy_task *t = &c->task[i];
    if (!c->warm && t->job.kind != WW_COPY_SHARED) {
        c->warm = true;
        c->start_at = now + p->copy_cold;
        return true;
    }
    const bool fetches = t->job.tensor && !knows_map(sm, t->job.map_address);
    if (fetches && !ww_sm_out_room(sm)) {
        c->blocked = true;
        return false;
    }
    if (fetches) {
        send_part(sm, t, WW_REQ_READ, t->job.map_address / LINE * LINE, LINE, UINT32_MAX,
                  i | MAP_REPLY);
    }
    ww_charge(sm, t->uop, WW_C_COPY_COMMANDS, 1);
    t->state = WW_COPY_STARTS;
    t->at = fetches ? UINT64_MAX : now + p->copy_front;
    c->start_at = now + p->copy_command;
    c->waiting--;
    return true;
}

static void copy_replied(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[reply->token & ~MAP_REPLY];
    c->blocked = false;
    if ((reply->token & MAP_REPLY) != 0) {
        keep_map(sm, t->job.map_address);
        t->at = now + sm->arch->async.copy_front;
        return;
    }
    t->pieces--;
    if (t->job.kind != WW_COPY_LOAD) {
        return;
    }
    if (!t->job.multicast && others_of(sm, t) == 0) {
        const bool crowded = sm->cta[t->slot].cta.cluster != NULL;
        c->in_flight -= reply->bytes;
        through_port(sm, t, 1, reply->bytes, crowded ? way_in(sm, reply->bytes, now) : now, now);
        return;
    }
    const uint32_t index = reply->token & ~MAP_REPLY;
    share(sm, index, 1, reply->bytes, now);
    if (comes_here(sm, t)) {
        const ww_message part = {.kind = WW_MESSAGE_PART,
                                 .to = &sm->cta[t->slot].cta,
                                 .bytes = reply->bytes,
                                 .token = index};
        t->parts++;
        deliver_here(sm, part, now + sm->arch->async.multicast_latency);
    } else {
        c->in_flight -= reply->bytes;
    }
    tell_others_of_load(sm, t, now);
}

/* ---- ends ---- */

/* When the task ends, as far as is known. */
static uint64_t end_of(const ww_copy_task *t)
{
    return t->state == WW_COPY_ENDS && t->pieces == 0 && t->parts == 0 ? t->port : UINT64_MAX;
}

static uint64_t read_end_of(const ww_copy_task *t)
{
    return t->state == WW_COPY_ENDS && copies_out(t) && !t->read ? t->port : UINT64_MAX;
}

/* A task that has ended, or read its last byte, by now; WW_COPY_NONE: none. */
static uint32_t ended_task(const ww_copies *c, uint64_t now)
{
    for (uint32_t i = 0; c->under_way > 0 && i < c->room; i++) {
        const ww_copy_task *t = &c->task[i];
        if (end_of(t) <= now || read_end_of(t) <= now) {
            return i;
        }
    }
    return WW_COPY_NONE;
}

static ww_status end_task(ww_sm *sm, uint32_t i, uint64_t now, bool *flipped, ww_error *err)
{
    ww_copies *c = &sm->async->copies;
    ww_copy_task *t = &c->task[i];
    ww_cta_slot *slot = &sm->cta[t->slot];
    ww_bulk_groups *bulk = &sm->async->bulk[t->warp];
    *flipped = false;
    sm->pulse.progress++;
    if (copies_out(t) && !t->read) {
        t->read = true;
        bulk->unread[t->group % WW_SM_GROUPS]--;
        return WW_OK;
    }
    if (copies_out(t)) {
        bulk->undone[t->group % WW_SM_GROUPS]--;
    }
    if (t->job.completes && comes_here(sm, t)) {
        const ww_object_op op = completion_of(t);
        ww_charge(sm, t->uop, WW_C_OBJECT_OPS, 1);
        WW_TRY(ww_exec_object(sm->launch, &slot->cta, &op, flipped, err));
    }
    note_engine(sm, t->slot, WW_SPAN_COPY, t->began, now);
    t->state = WW_COPY_FREE;
    t->next = c->free;
    c->free = i;
    c->under_way--;
    if (--slot->flights == 0) {
        sm_cta_check(sm, slot, now);
    }
    return WW_OK;
}

/* ---- events ---- */

static uint64_t copy_next(const ww_copies *c)
{
    uint64_t next = UINT64_MAX;
    if (c->under_way == 0) {
        return next;
    }
    if (c->waiting > 0 && !c->blocked) {
        next = c->start_at;
    }
    if (c->first != WW_COPY_NONE) {
        const ww_copy_task *t = &c->task[c->first];
        if (t->state == WW_COPY_STARTS) {
            next = ww_min_u64(next, t->at);
        } else if (t->state == WW_COPY_WALKS && !c->blocked) {
            next = ww_min_u64(next, c->walk_at);
        }
    }
    if (c->out != WW_COPY_NONE) {
        next = ww_min_u64(next, c->out_at);
    }
    for (uint32_t i = 0; i < c->room; i++) {
        next = ww_min_u64(next, ww_min_u64(end_of(&c->task[i]), read_end_of(&c->task[i])));
    }
    return next;
}

/* ---- groups of stores (bulk_group) ---- */

static void bulk_joins(ww_bulk_groups *g, ww_copy_task *t)
{
    t->group = g->open;
    g->unread[t->group % WW_SM_GROUPS]++;
    g->undone[t->group % WW_SM_GROUPS]++;
}

static void bulk_forget(ww_bulk_groups *g)
{
    while (g->oldest_read != g->open && g->unread[g->oldest_read % WW_SM_GROUPS] == 0) {
        g->oldest_read++;
    }
    while (g->oldest_done != g->open && g->undone[g->oldest_done % WW_SM_GROUPS] == 0) {
        g->oldest_done++;
    }
}

static void bulk_commit(ww_bulk_groups *g)
{
    if (g->open - g->oldest_done + 1 < WW_SM_GROUPS) { /* else the group stays open */
        g->open++;
    }
    bulk_forget(g);
}

/* The group that must be the oldest before all but `left` have been read, or are done; whether it
 * is. */
static bool bulk_arrived(ww_bulk_groups *g, bool reads, uint64_t left, uint32_t *until)
{
    bulk_forget(g);
    const uint32_t oldest = reads ? g->oldest_read : g->oldest_done;
    *until = left < g->open - oldest ? g->open - (uint32_t)left : oldest;
    return oldest == *until;
}
