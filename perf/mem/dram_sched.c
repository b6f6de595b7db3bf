/* dram_sched.c - which DRAM command next: FCFS, or FR-FCFS with write draining.
 * FR-FCFS (Rixner et al., ISCA 2000): row hits first, then the oldest request; commands to
 * different banks overlap. Reads go before writes, which are drained in batches between two fill
 * levels of the queue. A request that waits for another row of its bank is bypassed at most
 * BYPASS_CAP times (FR-FCFS+Cap: Mutlu and Moscibroda, MICRO 2007), which bounds starvation. */
#include "perf/mem/dram.h"

#include <string.h>

enum { BYPASS_CAP = 32 };

/* ---- lists ---- */

static void list_append(ww_dram *d, ww_dram_list *list, uint16_t id)
{
    ww_dram_entry *e = &d->entry[id];
    e->prev = list->tail;
    e->next = WW_NO_ENTRY;
    if (list->tail == WW_NO_ENTRY) {
        list->head = id;
    } else {
        d->entry[list->tail].next = id;
    }
    list->tail = id;
}

static void list_remove(ww_dram *d, ww_dram_list *list, uint16_t id)
{
    const ww_dram_entry *e = &d->entry[id];
    if (e->prev == WW_NO_ENTRY) {
        list->head = e->next;
    } else {
        d->entry[e->prev].next = e->next;
    }
    if (e->next == WW_NO_ENTRY) {
        list->tail = e->prev;
    } else {
        d->entry[e->next].prev = e->prev;
    }
}

static void set_hit(ww_dram *d, uint32_t b, uint32_t kind, uint16_t id)
{
    d->bank[b].hit[kind] = id;
    if (id == WW_NO_ENTRY) {
        ww__bit_clear(d->hits[kind], b);
    } else {
        ww__bit_set(d->hits[kind], b);
    }
}

static uint16_t find_hit(const ww_dram *d, uint32_t b, uint32_t kind)
{
    const ww_dram_bank *bank = &d->bank[b];
    if (bank->row == WW_NO_ROW) {
        return WW_NO_ENTRY;
    }
    uint16_t id = bank->list[kind].head;
    if (bank->bypassed >= BYPASS_CAP && id != WW_NO_ENTRY && d->entry[id].row != bank->row) {
        return WW_NO_ENTRY; /* the oldest has waited long enough */
    }
    while (id != WW_NO_ENTRY && d->entry[id].row != bank->row) {
        id = d->entry[id].next;
    }
    return id;
}

void ww__sched_add(ww_dram *d, uint16_t id)
{
    WW_ASSERT(id < d->entries && d->entry[id].bank < d->banks);
    const ww_dram_entry *e = &d->entry[id];
    if (d->scheduler == WW_DRAM_FCFS) {
        list_append(d, &d->order, id);
        return;
    }
    uint32_t kind = d->scheduler == WW_DRAM_BANK_FRFCFS ? 0 : e->req.write;
    ww_dram_bank *bank = &d->bank[e->bank];
    list_append(d, &bank->list[kind], id);
    ww__bit_set(d->pending[kind], e->bank);
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        return;
    }
    if (bank->hit[kind] == WW_NO_ENTRY && bank->row == e->row) {
        set_hit(d, e->bank, kind, find_hit(d, e->bank, kind));
    }
}

void ww__sched_remove(ww_dram *d, uint16_t id)
{
    const ww_dram_entry *e = &d->entry[id];
    if (d->scheduler == WW_DRAM_FCFS) {
        list_remove(d, &d->order, id);
        return;
    }
    ww_dram_bank *bank = &d->bank[e->bank];
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        list_remove(d, &bank->list[0], id);
        if (bank->list[0].head == WW_NO_ENTRY) {
            ww__bit_clear(d->pending[0], e->bank);
        }
        return;
    }
    uint32_t kind = e->req.write;
    if (bank->list[kind].head != id) {
        bank->bypassed++;
    }
    list_remove(d, &bank->list[kind], id);
    if (bank->list[kind].head == WW_NO_ENTRY) {
        ww__bit_clear(d->pending[kind], e->bank);
    }
    set_hit(d, e->bank, kind, find_hit(d, e->bank, kind));
}

void ww__sched_row_changed(ww_dram *d, uint32_t b)
{
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        ww__bank_changed(d, b);
    }
    if (d->scheduler != WW_DRAM_FRFCFS) {
        return;
    }
    d->bank[b].bypassed = 0;
    set_hit(d, b, 0, find_hit(d, b, 0));
    set_hit(d, b, 1, find_hit(d, b, 1));
}

/* ---- choosing ---- */

static bool returns_full(const ww_dram *d)
{
    return d->ret_held >= d->ret_capacity;
}

/* Earliest cycle of a column command for e, whose row is open. */
static uint64_t column_time(const ww_dram *d, const ww_dram_entry *e)
{
    uint64_t channel = ww_max_u64(d->next_col, d->next_dir[e->req.write]);
    uint64_t bank = ww_max_u64(d->bank[e->bank].next_col, d->group_next_col[e->group]);
    if (!e->req.write && d->bank[e->bank].stack != d->stack) {
        bank = ww_max_u64(bank, d->next_other_stack);
    }
    return ww_max_u64(channel, bank);
}

/* Batches of writes: start when they fill half of the queue or nothing else is there, stop at an
 * eighth. Asked again with the same requests the answer stays. */
static bool drains_next(const ww_dram *d)
{
    uint32_t reads = d->kind_count[0];
    uint32_t writes = d->kind_count[1];
    uint32_t least = d->draining ? d->capacity / 8 + 1 : (d->capacity + 1) / 2;
    return writes > 0 && (reads == 0 || writes >= least);
}

void ww__sched_pass(ww_dram *d)
{
    if (d->scheduler == WW_DRAM_FRFCFS) {
        d->draining = drains_next(d);
    }
}

static ww_dram_choice fcfs_column(const ww_dram *d, uint64_t now)
{
    ww_dram_choice none = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    uint16_t id = d->order.head;
    const ww_dram_entry *e = &d->entry[id];
    if (id == WW_NO_ENTRY || d->bank[e->bank].row != e->row) {
        return none;
    }
    if (!e->req.write && returns_full(d)) {
        none.earliest = now + 1;
        return none;
    }
    uint64_t at = column_time(d, e);
    if (at > now) {
        none.earliest = at;
        return none;
    }
    return (ww_dram_choice){.command = WW_CMD_COL, .bank = e->bank, .entry = id};
}

/* Takes from a set of banks with row hits those of other stack IDs, whose reads are not yet
 * possible; all of them once so many reads have gone before them that the oldest is to be next. */
static void keep_stack(const ww_dram *d, uint64_t *hits)
{
    uint64_t others = 0;
    for (uint32_t w = 0; w < d->words; w++) {
        others |= hits[w] & ~d->stack_banks[w];
        hits[w] &= d->stack_banks[w];
    }
    if (others != 0 && d->stack_reads >= BYPASS_CAP) {
        memset(hits, 0, d->words * sizeof(*hits));
    }
}

static ww_dram_choice frfcfs_column(ww_dram *d, uint64_t now)
{
    d->draining = drains_next(d);
    uint32_t kind = d->draining;
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    if (!ww__bit_any(d->hits[kind], d->words)) {
        return best;
    }
    uint64_t channel = ww_max_u64(d->next_col, d->next_dir[kind]);
    if (kind == 0 && returns_full(d)) {
        channel = ww_max_u64(channel, now + 1);
    }
    if (channel > now) {
        best.earliest = channel;
        return best;
    }
    const uint64_t *hits = d->hits[kind];
    uint64_t kept[WW_BANK_WORDS];
    if (kind == 0 && d->next_other_stack > now) {
        memcpy(kept, hits, sizeof(kept));
        keep_stack(d, kept);
        hits = kept;
        best.earliest = d->next_other_stack;
    }
    uint64_t oldest = UINT64_MAX;
    for (uint32_t w = 0; w < d->words; w++) {
        for (uint64_t bits = hits[w]; bits != 0; bits &= bits - 1) {
            uint32_t b = w * 64 + ww__bit_first(bits);
            uint16_t id = d->bank[b].hit[kind];
            const ww_dram_entry *e = &d->entry[id];
            uint64_t at = ww_max_u64(d->bank[b].next_col, d->group_next_col[e->group]);
            if (at > now) {
                best.earliest = ww_min_u64(best.earliest, at);
            } else if (e->seq < oldest) {
                oldest = e->seq;
                best.command = WW_CMD_COL;
                best.bank = b;
                best.entry = id;
            }
        }
    }
    return best;
}

ww_dram_choice ww__sched_column(ww_dram *d, uint64_t now)
{
    switch (d->scheduler) {
    case WW_DRAM_FCFS:
        return fcfs_column(d, now);
    case WW_DRAM_BANK_FRFCFS:
        return ww__bank_column(d, now);
    case WW_DRAM_FRFCFS:
        break;
    }
    return frfcfs_column(d, now);
}

/* Cycle from which the row command that a bank's next request needs is possible. */
static uint64_t row_time(const ww_dram *d, const ww_dram_bank *bank)
{
    return bank->row == WW_NO_ROW ? ww_max_u64(bank->next_act, d->next_act) : bank->next_pre;
}

/* Row command that brings request id closer; keeps the oldest possible one in best. */
static void consider_row(const ww_dram *d, uint32_t b, uint16_t id, uint64_t now, uint64_t *oldest,
                         ww_dram_choice *best)
{
    const ww_dram_bank *bank = &d->bank[b];
    bool closed = bank->row == WW_NO_ROW;
    uint64_t at = row_time(d, bank);
    if (at > now) {
        best->earliest = ww_min_u64(best->earliest, at);
    } else if (d->entry[id].seq < *oldest) {
        *oldest = d->entry[id].seq;
        best->command = closed ? WW_CMD_ACT : WW_CMD_PRE;
        best->bank = b;
        best->entry = id;
    }
}

ww_dram_choice ww__sched_row(const ww_dram *d, uint64_t now)
{
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    uint64_t oldest = UINT64_MAX;
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        return ww__bank_row(d, now);
    }
    if (d->scheduler == WW_DRAM_FCFS) {
        uint16_t id = d->order.head;
        if (id != WW_NO_ENTRY && d->bank[d->entry[id].bank].row != d->entry[id].row) {
            consider_row(d, d->entry[id].bank, id, now, &oldest, &best);
        }
        return best;
    }
    uint32_t kind = d->draining;
    for (uint32_t w = 0; w < d->words; w++) {
        for (uint64_t bits = d->pending[kind][w] & ~d->hits[kind][w]; bits != 0; bits &= bits - 1) {
            uint32_t b = w * 64 + ww__bit_first(bits);
            consider_row(d, b, d->bank[b].list[kind].head, now, &oldest, &best);
        }
    }
    return best;
}

uint64_t ww__sched_next(const ww_dram *d, uint64_t now)
{
    if (d->scheduler == WW_DRAM_BANK_FRFCFS) {
        return ww__bank_next(d, now);
    }
    if (d->scheduler == WW_DRAM_FCFS) {
        return now + 1;
    }
    uint32_t kind = drains_next(d);
    uint64_t next = WW_NEVER;
    if (ww__bit_any(d->hits[kind], d->words)) {
        next = ww_max_u64(d->next_col, d->next_dir[kind]);
    }
    for (uint32_t w = 0; w < d->words && next > now + 1; w++) {
        for (uint64_t bits = d->pending[kind][w] & ~d->hits[kind][w]; bits != 0; bits &= bits - 1) {
            next = ww_min_u64(next, row_time(d, &d->bank[w * 64 + ww__bit_first(bits)]));
        }
    }
    return ww_max_u64(next, now + 1);
}
