/* collector.c - operand collectors: an issued instruction waits here until its source registers
 * have been read, one per bank and cycle, the oldest instruction first, after the writes of the
 * cycle. */
#include <string.h>

#include "base/arith.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"
#include "perf/sm/regfile.h"

/* Instructions of the unit's kind that the collectors may hold: a slow unit should not keep the
 * others from getting operands. */
static uint32_t share_of(const ww_regfile_params *p, unsigned unit)
{
    switch (unit) {
    case WW_UNIT_SP:
    case WW_PIPE_INT:
    case WW_PIPE_IMUL:
        return p->sp_collectors;
    case WW_UNIT_LDST:
        return p->ldst_collectors;
    default:
        return p->sfu_collectors;
    }
}

static void share_collectors(ww_collect_stage *oc, const ww_regfile_params *p)
{
    for (unsigned unit = 0; unit < WW_PIPE_KINDS; unit++) {
        oc->share[unit] = share_of(p, unit);
    }
}

static WW_ALWAYS_INLINE bool pool_accepts(const ww_sm *sm, uint32_t s, unsigned unit, uint64_t now)
{
    (void)s;
    (void)now;
    if (unit == WW_UNIT_CTRL) {
        return true;
    }
    if (sm->oc.count == sm->oc.capacity || sm->oc.ports == 0) {
        return false;
    }
    if ((uint32_t)__builtin_popcountll(sm->oc.in_unit[unit]) >= sm->oc.share[unit]) {
        return false;
    }
    return unit != WW_UNIT_LDST || sm->ldst.free != WW_NONE;
}

/* Collectors go on, and schedulers hear of it; what others have taken of this cycle's ports is
 * there again in the next. */
static ww_slots pool_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now,
                             uint64_t *next)
{
    *next = sm->oc.ports < sm->arch->regfile.collector_ports ? now + 1 : UINT64_MAX;
    ww_slots blocked = WW_NO_SLOTS;
    for (ww_slots left = ready; ww_any(left);) {
        const unsigned u = sm->ibuf.unit[ww_first(left)];
        ww_slots heads = sm->ibuf.head[u] & ready;
        left = ww_rest(left) & ~heads;
        if (!pool_accepts(sm, s, u, now)) {
            blocked |= heads;
        }
    }
    return blocked;
}

/* A set of collectors as it is when those in use have moved up. */
static uint64_t moved_up(uint64_t set, uint64_t used)
{
    uint64_t to = 0;
    for (uint64_t m = set; m != 0; m &= m - 1) {
        to |= ww_word_bit((uint32_t)__builtin_popcountll(used & ((m & -m) - 1)));
    }
    return to;
}

/* Everyone moves up to the oldest, which takes the first place: there is none behind the youngest.
 */
static WW_NOINLINE void close_gaps(ww_collect_stage *oc)
{
    const uint64_t used = oc->used;
    uint32_t to = 0;
    for (uint64_t m = used; m != 0; m &= m - 1, to++) {
        const uint32_t from = (uint32_t)__builtin_ctzll(m);
        if (from != to) {
            oc->collector[to] = oc->collector[from];
            memcpy(oc->need + (size_t)to * oc->need_stride,
                   oc->need + (size_t)from * oc->need_stride, oc->need_stride * sizeof *oc->need);
        }
    }
    oc->reading = moved_up(oc->reading, used);
    oc->refilling = moved_up(oc->refilling, used);
    oc->complete = moved_up(oc->complete, used);
    for (unsigned u = 0; u < WW_PIPE_KINDS; u++) {
        oc->in_unit[u] = moved_up(oc->in_unit[u], used);
    }
    for (unsigned k = 0; k < WW_SM_COLLECTORS; k++) {
        oc->refilled[k] = moved_up(oc->refilled[k], used);
    }
    oc->used = moved_up(used, used);
    oc->end = to;
}

/* It spends its refill cycles from the next one on. */
static void start_refill(ww_collect_stage *oc, uint32_t c, uint64_t now)
{
    ww_collector *at = &oc->collector[c];
    const uint32_t ahead = ww_min_u32(at->rounds, WW_SM_COLLECTORS - 1);
    at->rounds -= ahead;
    oc->refilling |= ww_word_bit(c);
    oc->refilled[(now + ahead) % WW_SM_COLLECTORS] |= ww_word_bit(c);
}

/* It refills from the next cycle on, if it has to, and then waits for a pipeline. */
static WW_ALWAYS_INLINE void go_on_to_pipeline(ww_collect_stage *oc, uint32_t c, uint64_t now)
{
    if (oc->collector[c].rounds > 0) {
        start_refill(oc, c, now);
    } else {
        oc->complete |= ww_word_bit(c);
    }
}

/* Its registers have been read: a word of shared memory comes last. */
static WW_ALWAYS_INLINE void have_read(ww_sm *sm, uint32_t c, uint64_t now)
{
    ww_collector *oc = &sm->oc.collector[c];
    if (WW_UNLIKELY(oc->folded)) {
        oc->rounds += sm_folded_wait(sm, &sm->flights.at[oc->flight], now);
    }
    go_on_to_pipeline(&sm->oc, c, now);
}

static void pool_start(ww_sm *sm, uint32_t index, const ww_sm_op *uop, uint64_t now)
{
    ww_collect_stage *stage = &sm->oc;
    if (WW_UNLIKELY(stage->end == WW_SM_COLLECTORS)) {
        close_gaps(stage);
    }
    WW_ASSERT(stage->end < WW_SM_COLLECTORS && stage->ports > 0);
    const uint32_t c = stage->end++;
    const uint64_t bit = ww_word_bit(c);
    ww_collector *oc = &stage->collector[c];
    const ww_flight *f = &sm->flights.at[index];
    stage->count++;
    stage->ports--;
    stage->used |= bit;
    stage->in_unit[uop->unit] |= bit;
    *oc = (ww_collector){.op = uop,
                         .flight = index,
                         .reads = uop->src_words,
                         .top = uop->src_levels,
                         .lanes = f->lanes,
                         .folded = ww_sm_folded_waits(sm, uop),
                         .rounds = uop->extra_rounds + sm->arch->sm.collect_cycles};
    if (oc->reads == 0) {
        have_read(sm, c, now);
        return;
    }
    stage->reading |= bit;
    uint64_t *need = stage->need + (size_t)c * stage->need_stride;
    if (ww_hooked(sm, WW_HOOK(operands)) && stage->moved > 0) {
        oc->top = (uint8_t)stage->moved;
        oc->need = stage->moved_pass[0];
        memcpy(need, stage->moved_pass + 1, (stage->moved - 1) * sizeof *need);
        return;
    }
    const uint64_t *pass = sm->program->banks + uop->src_banks;
    oc->need = ww_bank_rotate(&sm->regfile, pass[0], f->warp);
    for (unsigned i = 1; i < uop->src_levels; i++) {
        need[i - 1] = ww_bank_rotate(&sm->regfile, pass[i], f->warp);
    }
}

static void sm_collector_release(ww_collect_stage *oc, uint32_t c)
{
    const uint64_t bit = ww_word_bit(c);
    WW_ASSERT((oc->used & bit) != 0 && oc->count > 0);
    oc->in_unit[oc->collector[c].op->unit] &= ~bit;
    oc->complete &= ~bit;
    oc->used &= ~bit;
    if (--oc->count == 0) {
        oc->end = 0;
    }
}

/* What the collectors did in a cycle. */
typedef struct operand_reads {
    uint64_t asked, granted, refused, lanes;
} operand_reads;

static WW_NOINLINE void note_reads(ww_sm *sm, const ww_flight *f, uint64_t asked, uint64_t granted)
{
    uint64_t *row = sm->charged[f->uop].charged;
    row[WW_C_RF_ARBITRATION - WW_CHARGE_FIRST] += asked;
    row[WW_C_RF_READ - WW_CHARGE_FIRST] += granted;
    row[WW_C_RF_READ_LANES - WW_CHARGE_FIRST] += granted * f->lanes;
    row[WW_C_OC_WRITE - WW_CHARGE_FIRST] += granted;
}

/* Operands that share a bank with those granted move up pass by pass. */
static void move_up(ww_collector *oc, uint64_t *need, uint64_t grant)
{
    uint64_t *before = &oc->need;
    *before &= ~grant;
    for (unsigned i = 0; i + 1 < oc->top && grant != 0; i++) {
        const uint64_t moved = grant & need[i];
        need[i] &= ~moved;
        *before |= moved;
        before = &need[i];
        grant = moved;
    }
}

/* Grants free banks to collector c; true: it has read everything, which most do at once. */
static WW_ALWAYS_INLINE bool read_some(ww_sm *sm, uint32_t c, operand_reads *total)
{
    ww_collector *oc = &sm->oc.collector[c];
    const uint64_t grant = oc->need & ~sm->regfile.busy;
    const uint64_t asked = (uint64_t)__builtin_popcountll(oc->need);
    const uint64_t n = (uint64_t)__builtin_popcountll(grant);
    WW_ASSERT(n <= oc->reads);
    total->asked += asked;
    total->granted += n;
    total->lanes += n * oc->lanes;
    if (WW_UNLIKELY(ww_charged(sm) != NULL)) {
        note_reads(sm, &sm->flights.at[oc->flight], asked, n);
    }
    sm->regfile.busy |= grant;
    if (WW_LIKELY(n == oc->reads)) {
        return true;
    }
    total->refused += oc->reads - n;
    oc->reads = (uint8_t)(oc->reads - n);
    move_up(oc, sm->oc.need + (size_t)c * sm->oc.need_stride, grant);
    return false;
}

/* Those whose refills end now. */
static WW_ALWAYS_INLINE void refill(ww_collect_stage *stage, uint64_t now)
{
    uint64_t *due = &stage->refilled[now % WW_SM_COLLECTORS];
    uint64_t m = *due;
    for (*due = 0; m != 0; m &= m - 1) {
        const uint32_t c = (uint32_t)__builtin_ctzll(m);
        stage->refilling &= ~ww_word_bit(c);
        go_on_to_pipeline(stage, c, now);
    }
}

static void sm_read_operands(ww_sm *sm, uint64_t now)
{
    ww_collect_stage *stage = &sm->oc;
    operand_reads total = {0};
    refill(stage, now);
    for (uint64_t m = stage->reading; m != 0; m &= m - 1) { /* the oldest first */
        const uint32_t c = (uint32_t)__builtin_ctzll(m);
        if (read_some(sm, c, &total)) {
            stage->reading &= ~ww_word_bit(c);
            have_read(sm, c, now);
        }
    }
    ww_count(sm, WW_C_RF_ARBITRATION, total.asked);
    ww_count(sm, WW_C_RF_CONFLICT, total.refused);
    ww_count(sm, WW_C_RF_READ, total.granted);
    ww_count(sm, WW_C_RF_READ_LANES, total.lanes);
    ww_count(sm, WW_C_OC_WRITE, total.granted);
}
