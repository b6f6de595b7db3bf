/* lanes.c - the core of DART (LPGPU D5.5.3, 2013, section 3.3): a warp's registers lie in one lane,
 * which takes an instruction and sends the threads that execute it through its unit one after the
 * other, so that threads that do not take no time. The front end is that of any core.
 *
 * Of n threads and k cycles between two of them, an instruction that starts at t takes its lane
 * until t + n k, and thread j's result is there at t + j k + L. A dependent instruction of the same
 * threads follows thread by thread: it may start at t + L (later where k > 1 lets it catch up);
 * one of other threads, or one that needs the whole warp, waits for the last result. */
#include "mech/dart/dart.h"

#include "base/arith.h"
#include "base/assert.h"

/* ---- the time of an instruction ---- */

/* Cycles between two threads. A class of operations takes its share of the lanes' time that it
 * takes of a SIMD core's: its pipelines pass 32 threads per interval, and lanes share them in turn.
 */
static uint32_t thread_cycles(const dart *d, const ww_sm_op *op)
{
    if (op->unit == WW_UNIT_LDST) {
        return 1; /* an address each */
    }
    uint32_t threads = WW_WARP_SIZE * ww_mech_pipes(d->sm, op->unit);
    uint32_t cycles = (op->interval * d->count + threads - 1) / threads;
    return cycles > 0 ? cycles : 1;
}

/* Cycles that a lane takes to find its threads beyond one for each: it sees `width` neighbours at a
 * time, and a window without a thread, with more to come behind, passes without one. */
static uint32_t skipping_cycles(uint32_t threads, uint32_t width)
{
    uint32_t empty = 0;
    uint64_t window = (1ull << width) - 1;
    for (; width < WW_WARP_SIZE && threads != 0; threads = (uint32_t)((uint64_t)threads >> width)) {
        empty += (threads & window) == 0;
    }
    return empty;
}

/* Cycles for which the slice is taken: it reads or writes a row of a register at a time, of the
 * rows in which a thread executes, for each vector source and for the result. */
static uint32_t row_cycles(const dart *d, const ww_sm_op *op, uint32_t threads)
{
    const uint32_t width = d->arch->dart.row;
    const uint64_t row = width < WW_WARP_SIZE ? (1ull << width) - 1 : UINT32_MAX;
    uint32_t rows = 0;
    for (uint32_t i = 0; width > 0 && i < WW_WARP_SIZE; i += width) {
        rows += ((uint64_t)threads >> i & row) != 0;
    }
    return rows * (uint32_t)(op->src_words - op->src_scalars + op->dst_words);
}

void dart_results(dart *d, uint32_t flight, const ww_sm_op *op, uint64_t first, uint64_t last)
{
    bool whole = (op->flags & WW_SM_OP_CROSSES) != 0 ||
                 op->dst_levels == 0; /* predicates: the front end's */
    ww_mech_results(d->sm, flight, whole ? last : first, last);
}

uint64_t dart_latency(const dart *d, const ww_sm_op *op)
{
    return (uint64_t)op->latency + d->arch->sm.collect_cycles + d->arch->sm.writeback_cycles;
}

/* ---- issue ---- */

/* Notes whose lane is taken behind cycle `now`, and until when no lane is free again by time. */
static void note_busy(dart *d, uint64_t now)
{
    d->busy = WW_NO_WARPS;
    d->busy_until = UINT64_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->lane[i].free_at > now) {
            d->busy = ww_warps_either(d->busy, d->lane[i].warps);
            d->busy_until = ww_min_u64(d->busy_until, d->lane[i].free_at);
        }
    }
}

void dart_take(dart *d, uint32_t index, uint64_t until)
{
    d->lane[index].free_at = until;
    d->busy = ww_warps_either(d->busy, d->lane[index].warps);
    d->busy_until = ww_min_u64(d->busy_until, until);
}

void dart_free_at(dart *d, uint32_t index, uint64_t when)
{
    d->lane[index].free_at = when;
    d->busy_until = 0; /* what is noted holds no longer */
}

/* Of the slots of a word of sets: those whose lane is taken in cycle `now`. */
static uint64_t busy_in(const dart *d, uint32_t word, uint64_t now)
{
    if (now < d->busy_until) {
        return d->busy.word[word];
    }
    uint64_t busy = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        busy |= d->lane[i].free_at > now ? d->lane[i].warps.word[word] : 0;
    }
    return busy;
}

/* Of the slots of a word of sets: those whose lane is taken, or cannot take what they would issue.
 */
static uint64_t lanes_blocked(const dart *d, const ww_core_heads *heads, uint32_t word,
                              uint64_t now)
{
    uint64_t full = heads->may_hold ? 0 : UINT64_MAX;
    for (uint64_t m = d->collecting; m != 0; m &= m - 1) {
        full |= d->lane[__builtin_ctzll(m)].warps.word[word];
    }
    return (busy_in(d, word, now) & ~heads->control.word[word]) | (full & heads->memory.word[word]);
}

static ww_warps blocked(const void *state, const ww_core_heads *heads, uint64_t now)
{
    const dart *d = state;
    ww_warps not_now = WW_NO_WARPS;
    for (uint32_t k = 0; k < WW_WARPS_WORDS; k++) {
        const uint64_t ready = heads->ready.word[k];
        if (ready == 0) {
            continue;
        }
        not_now.word[k] = lanes_blocked(d, heads, k, now);
        uint64_t m = ready & heads->appearing.word[k] & ~not_now.word[k];
        for (; m != 0; m &= m - 1) {
            if (ww_mech_needs_last(d->sm, 64 * k + (uint32_t)__builtin_ctzll(m))) {
                not_now.word[k] |= m & (0 - m);
            }
        }
    }
    return not_now;
}

/* An operand that the threads share is read once and kept beside the unit. */
static void count_start(dart *d, const ww_sm_op *op, uint32_t threads)
{
    uint64_t vectors = op->src_words - op->src_scalars;
    d->counts[WW_C_DART_CONTROL]++;
    d->counts[WW_C_DART_THREAD] += threads;
    ww_mech_charge(d->sm, op, WW_C_RF_READ_LANES, vectors * threads + op->src_scalars);
}

/* The lane's collector has the last address `cycles` after the instruction started. */
static void collect(dart *d, uint32_t index, uint32_t flight, uint32_t cycles, uint64_t now)
{
    dart_lane *lane = &d->lane[index];
    WW_ASSERT(lane->collected == DART_NONE);
    lane->collected = flight;
    dart_take(d, index, now + cycles);
    lane->collected_at = lane->free_at;
    if (d->arch->dart.coalesce == WW_DART_COALESCE_STREAM) {
        lane->collected_at = ww_mech_coalesce(d->sm, flight, lane->free_at, now);
    }
    d->collecting |= UINT64_C(1) << index;
}

static void start(void *state, uint32_t flight, const ww_core_inst *inst, uint64_t now)
{
    dart *d = state;
    const ww_sm_op *op = inst->op;
    const uint32_t index = dart_lane_of(d, inst->warp);
    uint32_t mask = inst->threads;
    if ((op->flags & WW_SM_OP_ONCE) != 0) {
        mask &= 0u - mask; /* the first thread, for all */
        ww_mech_only(d->sm, flight, mask);
    }
    uint32_t threads = (uint32_t)__builtin_popcount(mask), cycles = thread_cycles(d, op);
    uint32_t skipped = skipping_cycles(mask, d->arch->dart.skip_width);
    uint32_t behind = (threads - 1) * cycles + skipped; /* from the first thread to the last */
    uint32_t rows = row_cycles(d, op, mask);
    behind = rows > behind + cycles ? rows - cycles : behind;
    count_start(d, op, threads);
    if (inst->shared) {
        dart_share(d, index, flight, now, now + rows);
        return;
    }
    if (inst->step != NULL && op->unit != WW_UNIT_LDST) {
        dart_read_operands(d, index, flight, inst, now, now + behind, now + behind + cycles);
        return;
    }
    if (op->unit == WW_UNIT_LDST) {
        collect(d, index, flight, behind + 1, now);
        d->counts[WW_C_DART_ADDRESS] += threads;
        d->counts[WW_C_DART_BUSY] += behind + 1;
        return;
    }
    const uint64_t latency = dart_latency(d, op);
    dart_take(d, index, now + behind + cycles);
    d->counts[WW_C_DART_BUSY] += behind + cycles;
    /* A follower that sends a thread per cycle must not overtake. */
    uint64_t first = now + latency + behind - (threads - 1);
    dart_results(d, flight, op, first, now + latency + behind);
}

/* ---- completion ---- */

static void written(void *state, const ww_core_inst *inst, uint64_t now)
{
    const dart *d = state;
    (void)now;
    ww_mech_charge(d->sm, inst->op, WW_C_RF_WRITE_LANES,
                   (uint64_t)inst->op->dst_words * (uint32_t)__builtin_popcount(inst->threads));
}

/* ---- every cycle ---- */

WW_MAYBE_UNUSED static bool waits_longest(const dart *d, uint32_t lane)
{
    for (uint64_t m = d->collecting; m != 0; m &= m - 1) {
        if (d->lane[__builtin_ctzll(m)].collected_at < d->lane[lane].collected_at) {
            return false;
        }
    }
    return true;
}

/* Hands complete address collectors to the load/store unit, the longest waiting first. */
static void empty_collectors(dart *d, uint64_t now)
{
    while (ww_mech_queue_room(d->sm)) {
        uint32_t first = DART_NONE;
        for (uint64_t m = d->collecting; m != 0; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(m);
            if (d->lane[i].collected_at <= now &&
                (first == DART_NONE || d->lane[i].collected_at < d->lane[first].collected_at)) {
                first = i;
            }
        }
        if (first == DART_NONE) {
            return;
        }
        WW_ASSERT(d->lane[first].collected != DART_NONE);
        WW_ASSERT(waits_longest(d, first));
        ww_mech_queue(d->sm, d->lane[first].collected);
        d->lane[first].collected = DART_NONE;
        d->collecting &= ~(UINT64_C(1) << first);
    }
}

static void cycle(void *state, uint64_t now)
{
    dart *d = state;
    if (d->sharing != 0) {
        dart_arbitrate(d, now);
    }
    if (d->collecting != 0) {
        empty_collectors(d, now);
    }
    if (d->busy_until <= now) {
        note_busy(d, now);
    }
}

static uint64_t next_free(const void *state, uint64_t now)
{
    const dart *d = state;
    if (d->sharing != 0) {
        return now + 1;
    }
    uint64_t next = UINT64_MAX;
    const ww_warps ready = ww_mech_ready(d->sm);
    for (uint32_t i = 0; i < d->count; i++) {
        const dart_lane *lane = &d->lane[i];
        if (lane->free_at > now && ww_warps_any(ww_warps_both(ready, lane->warps))) {
            next = ww_min_u64(next, lane->free_at);
        }
    }
    for (uint64_t m = ww_mech_queue_room(d->sm) ? d->collecting : 0; m != 0; m &= m - 1) {
        const uint64_t at = d->lane[__builtin_ctzll(m)].collected_at;
        next = ww_min_u64(next, at > now ? at : now + 1);
    }
    return next;
}

/* ---- life ---- */

void dart_clear(dart *d)
{
    d->collecting = d->sharing = 0;
    d->busy_until = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        d->lane[i] =
            (dart_lane){.warps = d->lane[i].warps, .collected = DART_NONE, .sharing = DART_NONE};
    }
}

/* Cycles between the first and the last thread of an instruction in a lane, at most: its interval,
 * were all lanes to share one pipeline. */
static uint32_t horizon(const ww_arch *arch)
{
    const ww_units_params *u = &arch->units;
    const uint32_t interval[] = {
        u->int_interval,  u->imul_interval,   u->fp32_interval, u->fp64_interval,
        u->sfu_interval,  u->cvt_interval,    u->idiv_interval, u->fdiv_interval,
        u->ddiv_interval, u->tensor_interval, u->adiv_interval, u->root_interval,
        u->irem_interval, u->dfma_interval,   u->imad_interval, u->dlogic_interval};
    uint32_t most = 1;
    for (size_t i = 0; i < WW_ARRAY_LEN(interval); i++) {
        most = ww_max_u32(most, interval[i]);
    }
    return most * u->sp_count * u->sp_lanes + WW_WARP_SIZE;
}

/* One in each lane's collector and one that it shares with others. */
static uint32_t holds(const ww_arch *arch)
{
    return 2 * arch->units.sp_count * arch->units.sp_lanes;
}

const ww_mech_core dart_core = {
    .horizon = horizon,
    .holds = holds,
    .blocked = blocked,
    .start = start,
    .written = written,
    .cycle = cycle,
    .next_free = next_free,
};
