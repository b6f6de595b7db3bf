/* lanes_shared.c - shared memory seen from lanes (LPGPU D5.5.3, section 6): each lane presents one
 * address per cycle, so that the threads of a warp never meet in a bank, but lanes do. A bank
 * serves one word per cycle, to all lanes that ask for it; who is not served asks again. */
#include "perf/sm/lanes.h"

/* What has been granted in a cycle. */
typedef struct grants {
    uint64_t taken;                /* banks */
    uint32_t word[WW_LANES_MOST];  /* [bank] word that it serves */
    bool exclusive[WW_LANES_MOST]; /* [bank] of an atomic or a store of its own */
    uint32_t words;
} grants;

static void lanes_share(ww_sm *sm, uint32_t index, uint32_t flight, uint64_t now, uint64_t until)
{
    ww_lane *lane = &sm->lanes->lane[index];
    ww_flight *f = &sm->flights.at[flight];
    const ww_step *step = &sm->ldst.at[f->mem].step;
    lane->sharing = flight;
    lane->sliced_until = until;
    lane->left = f->exec;
    lane->word = lane->pass = 0;
    lane->words = (uint8_t)((step->lane_bytes + 3) / 4);
    lane->passes = step->is_atomic ? 2 : 1;
    lane->free_at = UINT64_MAX;
    f->ready_at = now; /* for the lane's time, until the last access */
    sm->lanes->sharing |= ww_word_bit(index);
    uint64_t words = (uint64_t)f->lanes * lane->words;
    ww_count(sm, WW_C_AGU_LANES, f->lanes);
    ww_count(sm, WW_C_ATOMICS, step->is_atomic);
    ww_count(sm, WW_C_SHARED_INST, 1);
    ww_count(sm, WW_C_SHARED_LANES, words);
}

/* Whether the banks serve a word in this cycle. */
static bool grant(ww_sm *sm, grants *g, uint32_t word, bool exclusive)
{
    uint32_t bank = word % sm->arch->ldst.shared_banks;
    if ((g->taken >> bank & 1) != 0) {
        return g->word[bank] == word && !exclusive && !g->exclusive[bank];
    }
    g->taken |= 1ull << bank;
    g->word[bank] = word;
    g->exclusive[bank] = exclusive;
    g->words++;
    return true;
}

static void finish(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_lane *lane = &sm->lanes->lane[index];
    uint32_t flight = lane->sharing;
    ww_flight *f = &sm->flights.at[flight];
    ww_mem_inst *m = &sm->ldst.at[f->mem];
    bool reads = !m->step.is_store || m->step.is_atomic;
    ww_count(sm, WW_C_DART_BUSY, now - f->ready_at);
    lane->sharing = WW_NONE;
    lane->free_at = now > lane->sliced_until ? now : lane->sliced_until;
    sm->lanes->sharing &= ~ww_word_bit(index);
    m->next = sm->ldst.free;
    sm->ldst.free = f->mem;
    if (!reads || sm->program->uop[f->uop].reserve_count == 0) {
        sm_flight_done(sm, flight, now);
        return;
    }
    uint64_t last = now + sm->arch->ldst.shared_latency, first = last - (f->lanes - 1u);
    lanes_result(sm, flight, first > now ? first : now + 1, last);
}

/* The lane's access has been served. */
static void next_access(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_lane *lane = &sm->lanes->lane[index];
    if (++lane->pass < lane->passes) {
        return;
    }
    lane->pass = 0;
    if (++lane->word < lane->words) {
        return;
    }
    lane->word = 0;
    lane->left &= lane->left - 1;
    if (lane->left == 0) {
        finish(sm, index, now);
    }
}

/* Lanes take turns in coming first. */
static void lanes_arbitrate(ww_sm *sm, uint64_t now)
{
    ww_lanes *l = sm->lanes;
    grants loads = {0}, *g = &loads;
    uint32_t reads = 0, writes = 0, presented = 0, denied = 0, from = (uint32_t)(now % l->count);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t i = (from + k) % l->count;
        ww_lane *lane = &l->lane[i];
        if (lane->sharing == WW_NONE) {
            continue;
        }
        presented++;
        const ww_step *step = &sm->ldst.at[sm->flights.at[lane->sharing].mem].step;
        uint32_t thread = (uint32_t)__builtin_ctz(lane->left);
        uint32_t word = (uint32_t)step->address[thread] / 4 + lane->word, before = g->words;
        bool stores = step->is_atomic ? lane->pass > 0 : step->is_store;
        if (!grant(sm, g, word, stores || step->is_atomic)) {
            denied++;
            continue;
        }
        reads += stores ? 0 : g->words - before;
        writes += stores ? g->words - before : 0;
        next_access(sm, i, now);
    }
    ww_count(sm, WW_C_SHARED_CYCLES, 1);
    ww_count(sm, WW_C_SHARED_CONFLICT, denied > 0);
    ww_count(sm, WW_C_DART_REQUEST, presented);
    ww_count(sm, WW_C_DART_RETRY, denied);
    ww_count(sm, WW_C_SHARED_READ_WORDS, reads);
    ww_count(sm, WW_C_SHARED_WRITE_WORDS, writes);
}
