/* dram_bank_sched.c - FR-FCFS bank by bank: each bank serves one request at a time, chosen when it
 * is idle: the oldest to the open row, else the oldest of all. Reads and writes wait in one
 * queue and are served alike; banks take turns for the commands. Once a direction of the data bus
 * is in use the other one has to wait for a gap, which batches by itself. The discipline of
 * GPGPU-Sim (Bakhoda et al., ISPASS 2009) without a separate write queue. */
#include "perf/mem/dram.h"

static bool data_full(const ww_dram *d)
{
    return d->ret_held >= d->ret_capacity;
}

/* Oldest waiting request of the bank to that row. */
static uint16_t oldest_in_row(const ww_dram *d, const ww_dram_bank *bank, uint32_t row)
{
    uint16_t id = bank->list[0].head;
    while (id != WW_NO_ENTRY && d->entry[id].row != row) {
        id = d->entry[id].next;
    }
    return id;
}

static uint16_t next_request(const ww_dram *d, const ww_dram_bank *bank)
{
    uint16_t id = bank->row == WW_NO_ROW ? WW_NO_ENTRY : oldest_in_row(d, bank, bank->row);
    return id != WW_NO_ENTRY ? id : bank->list[0].head;
}

bool ww__bank_assign(ww_dram *d)
{
    for (uint32_t i = 0; i < d->banks; i++) {
        uint32_t b = (d->turn + i) % d->banks;
        ww_dram_bank *bank = &d->bank[b];
        if (bank->current != WW_NO_ENTRY || bank->list[0].head == WW_NO_ENTRY) {
            continue;
        }
        bank->current = next_request(d, bank);
        ww__sched_remove(d, bank->current);
        d->assigned++;
        d->turn = (d->turn + 1) % d->banks;
        return true;
    }
    return false;
}

ww_dram_choice ww__bank_column(const ww_dram *d, uint64_t now)
{
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    for (uint32_t i = 0; i < d->banks && d->assigned > 0; i++) {
        uint32_t b = (d->turn + i) % d->banks;
        const ww_dram_bank *bank = &d->bank[b];
        const ww_dram_entry *e = &d->entry[bank->current];
        if (bank->current == WW_NO_ENTRY || bank->row != e->row) {
            continue;
        }
        uint64_t at = ww_max_u64(ww_max_u64(d->next_col, d->next_dir[e->req.write]),
                                 ww_max_u64(bank->next_col, d->group_next_col[e->group]));
        if (!e->req.write && data_full(d)) {
            at = ww_max_u64(at, now + 1);
        }
        if (at <= now) {
            return (ww_dram_choice){.command = WW_CMD_COL, .bank = b, .entry = bank->current};
        }
        best.earliest = ww_min_u64(best.earliest, at);
    }
    return best;
}

ww_dram_choice ww__bank_row(const ww_dram *d, uint64_t now)
{
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    for (uint32_t i = 0; i < d->banks && d->assigned > 0; i++) {
        uint32_t b = (d->turn + i) % d->banks;
        const ww_dram_bank *bank = &d->bank[b];
        if (bank->current == WW_NO_ENTRY || bank->row == d->entry[bank->current].row) {
            continue;
        }
        bool closed = bank->row == WW_NO_ROW;
        uint64_t at = closed ? ww_max_u64(bank->next_act, d->next_act) : bank->next_pre;
        if (at <= now) {
            return (ww_dram_choice){
                .command = closed ? WW_CMD_ACT : WW_CMD_PRE, .bank = b, .entry = bank->current};
        }
        best.earliest = ww_min_u64(best.earliest, at);
    }
    return best;
}
