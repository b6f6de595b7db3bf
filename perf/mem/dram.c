/* dram.c - commands, their timing consequences, data returns and refresh of one memory controller.
 * Constraints as in the GDDR5 standard (JESD212) and its HBM and GDDR3 siblings: tRCD tRAS tRP tRC
 * tRRD tCCD(S/L/R) tCL tWL tWTR(tCDLR) tWR tRTP tREFI tRFC. Page policy: rows stay open until a
 * conflict or a refresh closes them. */
#include "perf/mem/dram.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "perf/mem/values.h"

static ww_dram_timing timing_of(const ww_arch *arch)
{
    const ww_mem_params *m = &arch->mem;
    uint32_t burst = (m->burst_length + m->data_rate - 1) / m->data_rate;
    uint32_t same_group = m->bank_groups > 1 ? m->tccdl : m->tccd;
    uint32_t turn = m->tcl + burst + 2; /* JESD212: tRTW = CL + BL/4 + 2 - WL */
    return (ww_dram_timing){
        .burst = burst,
        .burst_bytes = ww_arch_burst_bytes(arch),
        .col = m->tccd > burst ? m->tccd : burst,
        .col_same_group = same_group > burst ? same_group : burst,
        .read_other_stack = m->tccdr > burst ? m->tccdr : burst,
        .read_to_write = turn > m->twl ? turn - m->twl : 1,
        .write_to_read = m->twl + burst + m->tcdlr,
        .read_to_pre = m->trtp,
        .write_to_pre = m->twl + burst + m->twr,
        .rcd = m->trcd,
        .ras = m->tras,
        .rp = m->trp,
        .rc = m->trc,
        .rrd = m->trrd,
        .read_done = m->tcl + burst + m->extra_latency,
        .refi = m->trefi,
        .rfc = m->trfc,
        .rfc_bank = m->trfc_bank,
        .dual_command = m->type == WW_DRAM_HBM2 || m->type == WW_DRAM_HBM3 ||
                        m->scheduler == WW_DRAM_BANK_FRFCFS,
    };
}

ww_status ww__dram_check(const ww_arch *arch, ww_error *err)
{
    const ww_mem_params *m = &arch->mem;
    if (m->trefi != 0 && m->trfc + m->trc >= m->trefi) {
        return ww_fail(err, WW_ERANGE,
                       "mem.trefi = %u leaves no time between refreshes of mem.trfc = %u and "
                       "mem.trc = %u cycles.",
                       m->trefi, m->trfc, m->trc);
    }
    if (m->trefi != 0 && m->refresh == WW_REFRESH_PER_BANK &&
        (m->trfc_bank == 0 || m->trfc_bank + m->trc >= m->trefi)) {
        return ww_fail(err, WW_ERANGE, "mem.refresh is per-bank, and mem.trfc_bank = %u %s.",
                       m->trfc_bank,
                       m->trfc_bank == 0 ? "says that the device has no refresh of one bank"
                                         : "leaves no time between two refreshes of a bank");
    }
    return WW_OK;
}

static void go_to_stack(ww_dram *d, uint32_t stack)
{
    d->stack = stack;
    memset(d->stack_banks, 0, sizeof(d->stack_banks));
    for (uint32_t b = 0; b < d->banks; b++) {
        if (d->bank[b].stack == stack) {
            ww__bit_set(d->stack_banks, b);
        }
    }
}

bool ww__dram_init(ww_dram *d, const ww_arch *arch, uint32_t channel, const ww_addrmap *map,
                   ww_counter_block *counters, ww_arena *arena)
{
    const ww_mem_params *m = &arch->mem;
    memset(d, 0, offsetof(ww_dram, bank));
    d->t = timing_of(arch);
    d->map = map;
    d->counters = counters;
    d->channel = channel;
    d->scheduler = m->scheduler;
    d->banks = m->banks;
    d->words = ww__bit_words(m->banks);
    d->groups = map->groups.by * m->stack_ids;
    d->capacity = m->queue_entries;
    d->order = (ww_dram_list){WW_NO_ENTRY, WW_NO_ENTRY};
    d->refresh_due = WW_NEVER;
    d->per_bank = m->refresh == WW_REFRESH_PER_BANK;
    /* The return path is a pipeline that can be full of data besides the entries behind it. */
    d->ret_capacity = m->return_entries + d->t.read_done / d->t.burst + 1;
    d->ret_mask = ww__pow2_ceil(d->ret_capacity) - 1;
    d->ret = ww_arena_alloc(arena, d->ret_mask + 1, sizeof(*d->ret));
    uint32_t entries = d->capacity;
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        entries += d->banks; /* requests in service have left the queue */
    }
    d->entry = WW_ARENA_NEW_ARRAY(arena, ww_dram_entry, entries);
    d->group_next_col = WW_ARENA_NEW_ARRAY(arena, uint64_t, d->groups);
    if (!d->ret || !d->entry || !d->group_next_col) {
        return false;
    }
    WW_ASSERT(entries < WW_NO_ENTRY);
    d->entries = (uint16_t)entries;
    d->free_entry = WW_NO_ENTRY;
    for (uint32_t b = 0; b < d->banks; b++) {
        d->bank[b] = (ww_dram_bank){
            .row = WW_NO_ROW,
            .stack = (uint8_t)(b / map->stack_banks.by),
            .hit = {WW_NO_ENTRY, WW_NO_ENTRY},
            .current = WW_NO_ENTRY,
            .list = {{WW_NO_ENTRY, WW_NO_ENTRY}, {WW_NO_ENTRY, WW_NO_ENTRY}},
        };
    }
    go_to_stack(d, 0);
    if (m->trefi != 0) { /* channels refresh in turn, so that they do not all pause at once */
        d->refresh_due = m->trefi + (uint64_t)m->trefi * channel / m->channels;
        d->round = d->refresh_due;
    }
    return true;
}

/* ---- accounting ---- */

static void account_queue(ww_dram *d, uint64_t now)
{
    if (d->count != 0) {
        d->counters->v[WW_C_DRAM_QUEUE] += d->count * (now - d->queue_since);
    }
    d->queue_since = now;
}

static void row_opened(ww_dram *d, uint64_t now)
{
    if (d->open_count++ == 0) {
        d->active_since = ww_max_u64(d->active_since, now);
    }
}

/* At `when`, which for a refresh may lie ahead. */
static void rows_closed(ww_dram *d, uint32_t rows, uint64_t when)
{
    if (rows == 0) {
        return;
    }
    d->counters->v[WW_C_DRAM_PRE] += rows;
    WW_ASSERT(rows <= d->open_count);
    d->open_count -= rows;
    d->last_close = ww_max_u64(d->last_close, when);
    if (d->open_count == 0 && d->last_close > d->active_since) {
        d->counters->v[WW_C_DRAM_ACTIVE] += d->last_close - d->active_since;
        d->active_since = d->last_close;
    }
}

/* ---- commands ---- */

static void activate(ww_dram *d, uint32_t b, uint16_t id, uint64_t now)
{
    ww_dram_bank *bank = &d->bank[b];
    WW_ASSERT(bank->row == WW_NO_ROW); /* JESD212: a bank has one row open */
    bank->row = d->entry[id].row;
    bank->opener = d->entry[id].seq;
    bank->owner = d->entry[id].req.owner;
    bank->next_col = now + d->t.rcd;
    bank->next_pre = now + d->t.ras;
    bank->next_act = now + d->t.rc;
    d->next_act = now + d->t.rrd;
    ww__bit_set(d->open, b);
    row_opened(d, now);
    d->counters->v[WW_C_DRAM_ACT]++;
    ww_charge_owner(d->charges, bank->owner, WW_C_DRAM_ACT, 1);
    ww__sched_row_changed(d, b);
}

static void close_bank(ww_dram *d, uint32_t b, uint64_t now)
{
    ww_dram_bank *bank = &d->bank[b];
    ww_charge_owner(d->charges, bank->owner, WW_C_DRAM_PRE, 1); /* opening a row is closing it */
    bank->row = WW_NO_ROW;
    bank->next_act = ww_max_u64(bank->next_act, now + d->t.rp);
    ww__bit_clear(d->open, b);
    ww__sched_row_changed(d, b);
}

static void finish_request(ww_dram *d, uint16_t id, uint64_t now)
{
    ww_dram_entry *e = &d->entry[id];
    if (!e->req.write) {
        WW_ASSERT(d->ret_count <= d->ret_mask); /* a read begins where the way back has room */
        struct ww_dram_return *ret = &d->ret[(d->ret_first + d->ret_count++) & d->ret_mask];
        ret->req = e->req;
        ret->done = now + d->t.read_done;
        d->ret_held++;
    }
    account_queue(d, now);
    if (d->bank[e->bank].current == id) {
        d->bank[e->bank].current = WW_NO_ENTRY;
        ww__bank_changed(d, e->bank);
        d->assigned--;
    } else {
        ww__sched_remove(d, id);
    }
    d->kind_count[e->req.write]--;
    d->count--;
    e->next = d->free_entry;
    d->free_entry = id;
}

static void note_values(ww_dram *d, uint32_t owner, ww_counter counter, ww_switches n)
{
    d->counters->v[counter] += n.switched;
    d->counters->v[counter + 1] += n.compared;
    ww_charge_owner(d->charges, owner, counter, n.switched);
    ww_charge_owner(d->charges, owner, (ww_counter)(counter + 1), n.compared);
}

/* The burst that a request is at. */
static WW_NOINLINE void note_burst(ww_dram *d, const ww_dram_entry *e)
{
    const ww_mem_values *v = d->values;
    const uint32_t size = d->t.burst_bytes, within = (uint32_t)(e->req.local % size);
    const uint32_t all = (within + e->req.bytes + size - 1) / size;
    const uint64_t local = e->req.local - within + (uint64_t)(all - e->bursts) * size;
    const uint64_t address = ww__addrmap_global(d->map, e->req.slice, local);
    const ww_burst_switches n = ww__values_wires(v, &v->wires[d->channel], address, v->burst_bytes);
    note_values(d, e->req.owner, WW_C_SWITCHED_DRAM_BURST,
                ww__values_pass(v, &v->burst[d->channel], address, v->burst_bytes, v->burst_bytes));
    note_values(d, e->req.owner, WW_C_SWITCHED_DRAM_WIRES, n.plain);
    note_values(d, e->req.owner, WW_C_SWITCHED_DRAM_PAIRS, n.pairs);
    note_values(d, e->req.owner, WW_C_SWITCHED_DRAM_ZEROS, n.zeros);
}

/* Dies of another stack ID drive the data bus a gap later: JESD238's tCCDR, of reads alone. */
static void note_stack(ww_dram *d, uint32_t stack, uint64_t now)
{
    const bool others_waited = now < d->next_other_stack;
    d->stack_reads = others_waited ? d->stack_reads + 1 : 0;
    if (stack != d->stack) {
        go_to_stack(d, stack);
    }
    d->next_other_stack = now + d->t.read_other_stack;
}

static void column(ww_dram *d, uint16_t id, uint64_t now)
{
    ww_dram_entry *e = &d->entry[id];
    ww_dram_bank *bank = &d->bank[e->bank];
    uint64_t *v = d->counters->v;
    d->next_col = now + d->t.col;
    d->group_next_col[e->group] = now + d->t.col_same_group;
    if (e->req.write) {
        d->next_dir[0] = now + d->t.write_to_read;
        bank->next_pre = ww_max_u64(bank->next_pre, now + d->t.write_to_pre);
        v[WW_C_DRAM_WR]++;
        ww_charge_owner(d->charges, e->req.owner, WW_C_DRAM_WR, 1);
    } else {
        d->next_dir[1] = now + d->t.read_to_write;
        if (d->t.read_other_stack > d->t.col) {
            note_stack(d, bank->stack, now);
        }
        bank->next_pre = ww_max_u64(bank->next_pre, now + d->t.read_to_pre);
        v[WW_C_DRAM_RD]++;
        ww_charge_owner(d->charges, e->req.owner, WW_C_DRAM_RD, 1);
    }
    v[WW_C_DRAM_BUS_BUSY] += d->t.burst;
    if (WW_UNLIKELY(d->values != NULL)) {
        note_burst(d, e);
    }
    v[WW_C_DRAM_ROW_HIT] += bank->opener != e->seq;
    if (--e->bursts == 0) {
        finish_request(d, id, now);
    }
}

/* All-bank refresh: close the open rows as soon as they may be, refresh, block the
 * banks. Row state and times are settled at once, so that an idle controller's refreshes can be
 * caught up later with the same result. */
static void refresh_all(ww_dram *d)
{
    uint64_t start = d->refresh_due;
    uint64_t closed = start;
    uint32_t rows = d->open_count;
    for (uint32_t w = 0; w < d->words; w++) {
        for (uint64_t bits = d->open[w]; bits != 0; bits &= bits - 1) {
            closed = ww_max_u64(closed, d->bank[w * 64 + ww__bit_first(bits)].next_pre);
        }
    }
    for (uint32_t w = 0; w < d->words; w++) {
        for (uint64_t bits = d->open[w]; bits != 0; bits &= bits - 1) {
            close_bank(d, w * 64 + ww__bit_first(bits), closed);
        }
    }
    rows_closed(d, rows, closed);
    uint64_t at = closed;
    for (uint32_t b = 0; b < d->banks; b++) { /* tRP and tRC of earlier commands have to pass */
        at = ww_max_u64(at, d->bank[b].next_act);
    }
    for (uint32_t b = 0; b < d->banks; b++) {
        d->bank[b].next_act = at + d->t.rfc;
    }
    d->counters->v[WW_C_DRAM_REF]++;
    d->refresh_due += d->t.refi;
}

/* The same for one bank; the others go on. Bank k of a round is due k / banks of tREFI after the
 * round's beginning. */
static void refresh_bank(ww_dram *d)
{
    uint32_t b = d->refresh_bank;
    ww_dram_bank *bank = &d->bank[b];
    if (bank->row != WW_NO_ROW) {
        uint64_t closed = ww_max_u64(d->refresh_due, bank->next_pre);
        close_bank(d, b, closed);
        rows_closed(d, 1, closed);
    }
    bank->next_act = ww_max_u64(d->refresh_due, bank->next_act) + d->t.rfc_bank;
    d->counters->v[WW_C_DRAM_REF_BANK]++;
    if (++d->refresh_bank == d->banks) {
        d->refresh_bank = 0;
        d->round += d->t.refi;
    }
    d->refresh_due = d->round + (uint64_t)d->t.refi * d->refresh_bank / d->banks;
}

static void refresh(ww_dram *d)
{
    if (d->per_bank) {
        refresh_bank(d);
    } else {
        refresh_all(d);
    }
}

/* Rounds that came due while there was nothing to do: once every bank has had its turn all rows are
 * closed, and only the last turn of each bank still matters. */
static void catch_up_rounds(ww_dram *d, uint64_t now)
{
    for (uint32_t k = 0; k < d->banks && d->refresh_due <= now; k++) {
        refresh_bank(d);
    }
    if (d->refresh_due <= now) {
        uint64_t rounds = (now - d->refresh_due) / d->t.refi;
        rounds -= rounds > 0; /* the last whole one is gone through */
        d->counters->v[WW_C_DRAM_REF_BANK] += rounds * d->banks;
        d->round += rounds * d->t.refi;
        d->refresh_due += rounds * d->t.refi;
    }
    while (d->refresh_due <= now) {
        refresh_bank(d);
    }
}

/* Refreshes that came due while there was nothing to do. */
static void catch_up_refresh(ww_dram *d, uint64_t now)
{
    if (d->refresh_due > now) {
        return;
    }
    if (d->per_bank) {
        catch_up_rounds(d, now);
        return;
    }
    refresh(d);
    if (d->refresh_due <= now) {
        /* From the second on all rows are closed: only the last one still matters to the banks. */
        uint64_t more = (now - d->refresh_due) / d->t.refi;
        d->counters->v[WW_C_DRAM_REF] += more;
        d->refresh_due += more * d->t.refi;
        refresh(d);
    }
}

/* One given back, or the next that has never been taken. */
static uint16_t take_entry(ww_dram *d)
{
    const uint16_t id = d->free_entry;
    if (id == WW_NO_ENTRY) {
        WW_ASSERT(d->fresh_entry < d->entries);
        return d->fresh_entry++;
    }
    d->free_entry = d->entry[id].next;
    return id;
}

/* ---- interface ---- */

void ww__dram_accept(ww_dram *d, const ww_dram_req *req, uint64_t now)
{
    if (d->count == 0) {
        catch_up_refresh(d, now);
    } else if (now > d->ticked + 1) {
        ww__sched_pass(d);
    }
    account_queue(d, now);
    uint16_t id = take_entry(d);
    ww_dram_entry *e = &d->entry[id];
    ww_dram_address at = ww__addrmap_dram(d->map, req->slice, req->local);
    uint32_t first = at.column / d->t.burst_bytes;
    uint32_t last = (at.column + req->bytes - 1u) / d->t.burst_bytes;
    e->req = *req;
    e->seq = ++d->seq;
    WW_ASSERT(at.bank < d->banks && at.group < d->groups);
    e->row = at.row;
    e->bank = (uint8_t)at.bank;
    e->group = (uint8_t)at.group;
    e->bursts = (uint16_t)(last - first + 1);
    d->count++;
    d->kind_count[req->write]++;
    d->counters->v[req->write ? WW_C_MC_WRITE : WW_C_MC_READ]++;
    ww_charge_owner(d->charges, req->owner, req->write ? WW_C_MC_WRITE : WW_C_MC_READ, 1);
    ww__sched_add(d, id);
}

static void issue(ww_dram *d, const ww_dram_choice *choice, uint64_t now)
{
    switch (choice->command) {
    case WW_CMD_ACT:
        activate(d, choice->bank, choice->entry, now);
        break;
    case WW_CMD_PRE:
        close_bank(d, choice->bank, now);
        rows_closed(d, 1, now);
        break;
    case WW_CMD_COL:
        column(d, choice->entry, now);
        break;
    case WW_CMD_NONE:
        break;
    }
}

static uint64_t next_return(const ww_dram *d)
{
    return d->ret_count > 0 ? d->ret[d->ret_first & d->ret_mask].done : WW_NEVER;
}

uint64_t ww__dram_tick(ww_dram *d, uint64_t now)
{
    if (d->count == 0) {
        return next_return(d);
    }
    d->ticked = now;
    while (d->refresh_due <= now) {
        refresh(d);
    }
    bool acted = d->scheduler == WW_DRAM_BANK_FRFCFS && ww__bank_assign(d);
    ww_dram_choice col = ww__sched_column(d, now);
    ww_dram_choice row = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    if (col.command != WW_CMD_NONE) {
        issue(d, &col, now);
    }
    if (col.command == WW_CMD_NONE || d->t.dual_command) {
        row = ww__sched_row(d, now);
        if (row.command != WW_CMD_NONE) {
            issue(d, &row, now);
        }
    }
    acted |= col.command != WW_CMD_NONE || row.command != WW_CMD_NONE;
    if (d->count == 0) {
        return next_return(d);
    }
    uint64_t command = acted ? ww__sched_next(d, now)
                             : ww_max_u64(now + 1, ww_min_u64(col.earliest, row.earliest));
    return ww_min_u64(ww_min_u64(command, d->refresh_due), next_return(d));
}

bool ww__dram_pop(ww_dram *d, uint64_t now, ww_dram_req *out)
{
    if (next_return(d) > now) {
        return false;
    }
    WW_ASSERT(d->ret_count > 0);
    *out = d->ret[d->ret_first++ & d->ret_mask].req;
    d->ret_count--;
    return true;
}

void ww__dram_sync(ww_dram *d, uint64_t now)
{
    if (d->count == 0) {
        catch_up_refresh(d, now);
    }
    account_queue(d, now);
    if (d->open_count > 0 && now > d->active_since) {
        d->counters->v[WW_C_DRAM_ACTIVE] += now - d->active_since;
        d->active_since = now;
    }
}
