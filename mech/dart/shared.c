/* shared.c - shared memory seen from lanes (LPGPU D5.5.3, section 6): each lane presents one
 * address per cycle, so that the threads of a warp never meet in a bank, but lanes do. A bank
 * serves one word per cycle, to all lanes that ask for it; who is not served asks again. */
#include "mech/dart/dart.h"

#include "base/assert.h"

enum { BANKS = 64 }; /* ldst.shared_banks at most (arch/params.h) */

/* What has been granted in a cycle. */
typedef struct grants {
    uint64_t taken;        /* banks */
    uint32_t word[BANKS];  /* [bank] word that it serves */
    bool exclusive[BANKS]; /* [bank] of an atomic or a store of its own */
    uint32_t words;
} grants;

void dart_share(dart *d, uint32_t index, uint32_t flight, uint64_t now, uint64_t until)
{
    const ww_core_inst inst = ww_mech_flight(d->sm, flight);
    dart_lane *lane = &d->lane[index];
    WW_ASSERT(lane->sharing == DART_NONE);
    lane->sharing = flight;
    lane->step = inst.step;
    lane->sliced_until = until;
    lane->left = inst.threads;
    lane->word = lane->pass = 0;
    lane->words = (uint8_t)((inst.step->lane_bytes + 3) / 4);
    lane->passes = inst.step->is_atomic ? 2 : 1;
    lane->free_at = UINT64_MAX;
    lane->since = now;
    d->sharing |= UINT64_C(1) << index;
    uint32_t threads = (uint32_t)__builtin_popcount(inst.threads);
    ww_mech_count(d->sm, WW_C_AGU_LANES, threads);
    ww_mech_count(d->sm, WW_C_ATOMICS, inst.step->is_atomic);
    ww_mech_count(d->sm, WW_C_SHARED_INST, 1);
    ww_mech_count(d->sm, WW_C_SHARED_LANES, (uint64_t)threads * lane->words);
}

/* Whether the banks serve a word in this cycle. */
static bool grant(const dart *d, grants *g, uint32_t word, bool exclusive)
{
    uint32_t bank = word % d->arch->ldst.shared_banks;
    WW_ASSERT(bank < BANKS);
    if ((g->taken >> bank & 1) != 0) {
        return g->word[bank] == word && !exclusive && !g->exclusive[bank];
    }
    g->taken |= UINT64_C(1) << bank;
    g->word[bank] = word;
    g->exclusive[bank] = exclusive;
    g->words++;
    return true;
}

static void finish(dart *d, uint32_t index, uint64_t now)
{
    dart_lane *lane = &d->lane[index];
    uint32_t flight = lane->sharing;
    const ww_core_inst inst = ww_mech_flight(d->sm, flight);
    bool reads = !lane->step->is_store || lane->step->is_atomic;
    ww_mech_count(d->sm, WW_C_DART_BUSY, now - lane->since);
    lane->sharing = DART_NONE;
    lane->step = NULL;
    lane->free_at = now > lane->sliced_until ? now : lane->sliced_until;
    d->sharing &= ~(UINT64_C(1) << index);
    ww_mech_accessed(d->sm, flight);
    if (!reads || inst.op->reserve_count == 0) {
        ww_mech_complete(d->sm, flight, now);
        return;
    }
    uint64_t last = now + d->arch->ldst.shared_latency;
    uint64_t first = last - ((uint32_t)__builtin_popcount(inst.threads) - 1);
    dart_results(d, flight, first > now ? first : now + 1, last);
}

/* The lane's access has been served. */
static void next_access(dart *d, uint32_t index, uint64_t now)
{
    dart_lane *lane = &d->lane[index];
    if (++lane->pass < lane->passes) {
        return;
    }
    lane->pass = 0;
    if (++lane->word < lane->words) {
        return;
    }
    lane->word = 0;
    WW_ASSERT(lane->left != 0);
    lane->left &= lane->left - 1;
    if (lane->left == 0) {
        finish(d, index, now);
    }
}

/* Lanes take turns in coming first. */
void dart_arbitrate(dart *d, uint64_t now)
{
    grants loads = {0}, *g = &loads;
    uint32_t reads = 0, writes = 0, presented = 0, denied = 0, from = (uint32_t)(now % d->count);
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t i = (from + k) % d->count;
        dart_lane *lane = &d->lane[i];
        if (lane->sharing == DART_NONE) {
            continue;
        }
        presented++;
        const ww_step *step = lane->step;
        uint32_t thread = (uint32_t)__builtin_ctz(lane->left);
        uint32_t word = (uint32_t)step->address[thread] / 4 + lane->word, before = g->words;
        bool stores = step->is_atomic ? lane->pass > 0 : step->is_store;
        if (!grant(d, g, word, stores || step->is_atomic)) {
            denied++;
            continue;
        }
        reads += stores ? 0 : g->words - before;
        writes += stores ? g->words - before : 0;
        next_access(d, i, now);
    }
    ww_mech_count(d->sm, WW_C_SHARED_CYCLES, 1);
    ww_mech_count(d->sm, WW_C_SHARED_CONFLICT, denied > 0);
    ww_mech_count(d->sm, WW_C_DART_REQUEST, presented);
    ww_mech_count(d->sm, WW_C_DART_RETRY, denied);
    ww_mech_count(d->sm, WW_C_SHARED_READ_WORDS, reads);
    ww_mech_count(d->sm, WW_C_SHARED_WRITE_WORDS, writes);
}
