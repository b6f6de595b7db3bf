/* collector.c - operand collectors: an issued instruction waits here until its source registers
 * have been read, one per bank and cycle, the oldest instruction first, after the writes of the
 * cycle. */
#include <string.h>

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

static bool accepts(const ww_sm *sm, unsigned unit)
{
    if (unit == WW_UNIT_CTRL) {
        return true;
    }
    if (sm->oc.free == 0 || sm->oc.ports == 0) {
        return false;
    }
    if (sm->oc.of_unit[unit] >= share_of(&sm->arch->regfile, unit)) {
        return false;
    }
    return unit != WW_UNIT_LDST || sm->ldst.free != WW_NONE;
}

static ww_slots pool_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now)
{
    (void)s;
    (void)now;
    ww_slots blocked = WW_NO_SLOTS;
    for (unsigned u = 0; u < WW_PIPE_KINDS; u++) {
        ww_slots heads = sm->ibuf.head[u] & ready;
        if (ww_any(heads) && !accepts(sm, u)) {
            blocked |= heads;
        }
    }
    return blocked;
}

static void pool_start(ww_sm *sm, uint32_t index, const ww_sm_op *uop, uint64_t now)
{
    (void)now;
    uint32_t c = (uint32_t)__builtin_ctzll(sm->oc.free);
    ww_collector *oc = &sm->oc.collector[c];
    uint64_t *need = sm->oc.need + (size_t)c * sm->oc.need_stride;
    sm->oc.free &= ~ww_word_bit(c);
    sm->oc.ports--;
    sm->oc.order[sm->oc.count++] = (uint8_t)c;
    sm->oc.of_unit[uop->unit]++;
    *oc = (ww_collector){.flight = index,
                         .unit = uop->unit,
                         .reads = uop->src_words,
                         .top = uop->src_levels,
                         .rounds = (uint8_t)(uop->extra_rounds + sm->arch->sm.collect_cycles)};
    uint32_t w = sm->flights.at[index].warp;
    if (ww_hooked(sm, WW_HOOK(operands)) && sm->oc.moved > 0) {
        oc->top = (uint8_t)sm->oc.moved;
        memcpy(need, sm->oc.moved_pass, sm->oc.moved * sizeof *need);
        return;
    }
    for (unsigned i = 0; i < uop->src_levels; i++) {
        need[i] = ww_bank_rotate(&sm->regfile, sm->program->banks[uop->src_banks + i], w);
    }
}

static void sm_collector_release(ww_collect_stage *oc, uint32_t order_index)
{
    uint32_t c = oc->order[order_index];
    oc->of_unit[oc->collector[c].unit]--;
    oc->free |= ww_word_bit(c);
    oc->count--;
    memmove(&oc->order[order_index], &oc->order[order_index + 1], oc->count - order_index);
}

/* Grants free banks to one collector. Operands that share a bank move up pass by pass. */
static void read_some(ww_sm *sm, ww_collector *oc, uint64_t *need)
{
    uint64_t grant = need[0] & ~sm->regfile.busy;
    uint64_t n = (uint64_t)__builtin_popcountll(grant);
    uint64_t lanes = sm->flights.at[oc->flight].lanes;
    ww_count(sm, WW_C_RF_ARBITRATION, (uint64_t)__builtin_popcountll(need[0]));
    ww_count(sm, WW_C_RF_CONFLICT, oc->reads - n);
    ww_count(sm, WW_C_RF_READ, n);
    ww_count(sm, WW_C_RF_READ_LANES, n * lanes);
    ww_count(sm, WW_C_OC_WRITE, n);
    sm->regfile.busy |= grant;
    oc->reads = (uint8_t)(oc->reads - n);
    need[0] &= ~grant;
    for (unsigned i = 1; i < oc->top && grant != 0; i++) {
        uint64_t moved = grant & need[i];
        need[i] &= ~moved;
        need[i - 1] |= moved;
        grant = moved;
    }
}

static void sm_read_operands(ww_sm *sm)
{
    for (uint32_t i = 0; i < sm->oc.count; i++) {
        uint32_t c = sm->oc.order[i];
        ww_collector *oc = &sm->oc.collector[c];
        if (oc->reads > 0) {
            read_some(sm, oc, sm->oc.need + (size_t)c * sm->oc.need_stride);
        } else if (oc->rounds > 0) {
            oc->rounds--;
        }
    }
}
