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

/* Sets of banks are gone through word by word from that of the bank whose turn it is, which comes
 * last again with its lower bits. */
typedef struct turns {
    uint64_t mask; /* bits of word w that are meant */
    uint32_t w, left;
} turns;

static inline turns first_turn(const ww_dram *d)
{
    return (turns){.mask = UINT64_MAX << (d->turn & 63), .w = d->turn / 64, .left = d->words};
}

static inline bool next_turn(const ww_dram *d, turns *t)
{
    t->w = t->w + 1 == d->words ? 0 : t->w + 1;
    t->mask = t->left > 1 ? UINT64_MAX : ~(UINT64_MAX << (d->turn & 63));
    return t->left-- > 0;
}

/* The first bank in turn that has no request in service and one that waits; UINT32_MAX: none. */
static uint32_t idle_bank(const ww_dram *d)
{
    turns t = first_turn(d);
    do {
        const uint64_t bits = d->pending[0][t.w] & ~d->serving[t.w] & t.mask;
        if (bits != 0) {
            return t.w * 64 + ww__bit_first(bits);
        }
    } while (next_turn(d, &t));
    return UINT32_MAX;
}

void ww__bank_changed(ww_dram *d, uint32_t b)
{
    const ww_dram_bank *bank = &d->bank[b];
    ww__bit_clear(d->serving, b);
    ww__bit_clear(d->hits[0], b);
    if (bank->current != WW_NO_ENTRY) {
        ww__bit_set(d->serving, b);
        if (d->entry[bank->current].row == bank->row) {
            ww__bit_set(d->hits[0], b);
        }
    }
}

bool ww__bank_assign(ww_dram *d)
{
    uint32_t b = idle_bank(d);
    if (b == UINT32_MAX) {
        return false;
    }
    ww_dram_bank *bank = &d->bank[b];
    bank->current = next_request(d, bank);
    bank->writes = d->entry[bank->current].req.write;
    bank->group = d->entry[bank->current].group;
    ww__sched_remove(d, bank->current);
    ww__bank_changed(d, b);
    d->assigned++;
    d->turn = d->turn + 1 == d->banks ? 0 : d->turn + 1;
    return true;
}

/* Cycles from which the channel takes the column command of a read and of a write. */
typedef struct channel_from {
    uint64_t of[2];
} channel_from;

static inline channel_from columns_from(const ww_dram *d)
{
    return (channel_from){
        {ww_max_u64(d->next_col, d->next_dir[0]), ww_max_u64(d->next_col, d->next_dir[1])}};
}

/* The same of a bank's request. */
static inline uint64_t column_from(const ww_dram *d, const ww_dram_bank *bank,
                                   const channel_from *channel)
{
    return ww_max_u64(channel->of[bank->writes],
                      ww_max_u64(bank->next_col, d->group_next_col[bank->group]));
}

static uint64_t row_from(const ww_dram *d, const ww_dram_bank *bank)
{
    return bank->row == WW_NO_ROW ? ww_max_u64(bank->next_act, d->next_act) : bank->next_pre;
}

ww_dram_choice ww__bank_column(const ww_dram *d, uint64_t now)
{
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    if (!ww__bit_any(d->hits[0], d->words)) {
        return best;
    }
    if (d->next_col > now) {
        best.earliest = d->next_col;
        return best;
    }
    channel_from channel = columns_from(d);
    if (data_full(d)) {
        channel.of[0] = ww_max_u64(channel.of[0], now + 1);
    }
    turns t = first_turn(d);
    do {
        for (uint64_t bits = d->hits[0][t.w] & t.mask; bits != 0; bits &= bits - 1) {
            uint32_t b = t.w * 64 + ww__bit_first(bits);
            const ww_dram_bank *bank = &d->bank[b];
            const uint64_t at = column_from(d, bank, &channel);
            if (at <= now) {
                return (ww_dram_choice){.command = WW_CMD_COL, .bank = b, .entry = bank->current};
            }
            best.earliest = ww_min_u64(best.earliest, at);
        }
    } while (next_turn(d, &t));
    return best;
}

ww_dram_choice ww__bank_row(const ww_dram *d, uint64_t now)
{
    ww_dram_choice best = {.command = WW_CMD_NONE, .earliest = WW_NEVER};
    turns t = first_turn(d);
    do {
        uint64_t bits = d->serving[t.w] & ~d->hits[0][t.w] & t.mask;
        for (; bits != 0; bits &= bits - 1) {
            uint32_t b = t.w * 64 + ww__bit_first(bits);
            const ww_dram_bank *bank = &d->bank[b];
            uint64_t at = row_from(d, bank);
            if (at <= now) {
                bool closed = bank->row == WW_NO_ROW;
                return (ww_dram_choice){
                    .command = closed ? WW_CMD_ACT : WW_CMD_PRE, .bank = b, .entry = bank->current};
            }
            best.earliest = ww_min_u64(best.earliest, at);
        }
    } while (next_turn(d, &t));
    return best;
}

uint64_t ww__bank_next(const ww_dram *d, uint64_t now)
{
    uint64_t next = WW_NEVER;
    if (idle_bank(d) != UINT32_MAX) {
        return now + 1;
    }
    const channel_from channel = columns_from(d);
    for (uint32_t w = 0; w < d->words; w++) {
        for (uint64_t bits = d->hits[0][w]; bits != 0; bits &= bits - 1) {
            const uint32_t b = w * 64 + ww__bit_first(bits);
            const uint64_t at = column_from(d, &d->bank[b], &channel);
            next = ww_min_u64(next, at);
        }
        for (uint64_t bits = d->serving[w] & ~d->hits[0][w]; bits != 0; bits &= bits - 1) {
            const uint64_t at = row_from(d, &d->bank[w * 64 + ww__bit_first(bits)]);
            next = ww_min_u64(next, at);
        }
    }
    return ww_max_u64(next, now + 1);
}
