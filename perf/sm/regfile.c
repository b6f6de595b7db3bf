/* regfile.c - the register file's single-ported banks: writes first, oldest first, then operand
 * reads (collector.c). Register r of warp slot w lies in bank (r + w) mod banks. */
#include "perf/sm/regfile.h"

/* Banks of the pass of f's result registers that level names. */
static WW_ALWAYS_INLINE uint64_t pass_of(const ww_sm *sm, const ww_flight *f, unsigned level)
{
    const uint64_t *pass = sm->program->banks + f->op->dst_banks;
    return ww_bank_rotate(&sm->regfile, pass[level], f->warp);
}

/* Joins the queue. */
static void wait_for_banks_to_write(ww_sm *sm, uint32_t index)
{
    sm->flights.at[index].next = WW_NONE;
    if (sm->regfile.first == WW_NONE) {
        sm->regfile.first = index;
    } else {
        sm->flights.at[sm->regfile.last].next = index;
    }
    sm->regfile.last = index;
}

static void sm_write_back(ww_sm *sm, uint32_t index)
{
    ww_flight *f = &sm->flights.at[index];
    f->level = 0;
    f->write = pass_of(sm, f, 0);
    wait_for_banks_to_write(sm, index);
}

static WW_NOINLINE void note_writes(ww_sm *sm, const ww_flight *f, uint64_t asked, uint64_t granted)
{
    ww_note(sm, f->uop, WW_C_RF_ARBITRATION, asked);
    ww_note(sm, f->uop, WW_C_RF_WRITE, granted);
    ww_note(sm, f->uop, WW_C_RF_WRITE_LANES, granted * f->lanes);
}

static WW_ALWAYS_INLINE void sm_count_writes(ww_sm *sm, const ww_flight *f, uint64_t asked,
                                             uint64_t granted)
{
    ww_count(sm, WW_C_RF_ARBITRATION, asked);
    ww_count(sm, WW_C_RF_WRITE, granted);
    ww_count(sm, WW_C_RF_WRITE_LANES, granted * f->lanes);
    if (WW_UNLIKELY(ww_charged(sm) != NULL)) {
        note_writes(sm, f, asked, granted);
    }
}

/* Writes what is possible; true when the flight has written everything. */
static bool write_some(ww_sm *sm, ww_flight *f)
{
    uint64_t grant = f->write & ~sm->regfile.busy;
    uint64_t n = (uint64_t)__builtin_popcountll(grant);
    sm_count_writes(sm, f, (uint64_t)__builtin_popcountll(f->write), n);
    sm->regfile.busy |= grant;
    f->write &= ~grant;
    if (f->write != 0) {
        return false;
    }
    if (++f->level == f->op->dst_levels) {
        return true;
    }
    f->write = pass_of(sm, f, f->level);
    return false;
}

static void sm_write_registers(ww_sm *sm, uint64_t now)
{
    uint32_t previous = WW_NONE;
    uint32_t index = sm->regfile.first;
    while (index != WW_NONE) {
        ww_flight *f = &sm->flights.at[index];
        uint32_t next = f->next;
        if (write_some(sm, f)) {
            if (previous == WW_NONE) {
                sm->regfile.first = next;
            } else {
                sm->flights.at[previous].next = next;
            }
            if (next == WW_NONE) {
                sm->regfile.last = previous;
            }
            sm_flight_done(sm, index, now);
        } else {
            previous = index;
        }
        index = next;
    }
}

/* A result that has just appeared, with no other waiting for banks: most are written whole. */
static WW_ALWAYS_INLINE void sm_write_result(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    const uint64_t pass = pass_of(sm, f, 0);
    if (WW_LIKELY((pass & sm->regfile.busy) == 0 && f->op->dst_levels == 1)) {
        const uint64_t n = (uint64_t)__builtin_popcountll(pass);
        sm->regfile.busy |= pass;
        sm_count_writes(sm, f, n, n);
        sm_flight_done(sm, index, now);
        return;
    }
    f->level = 0;
    f->write = pass;
    if (write_some(sm, f)) {
        sm_flight_done(sm, index, now);
    } else {
        wait_for_banks_to_write(sm, index);
    }
}
