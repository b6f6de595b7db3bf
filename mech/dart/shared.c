/* shared.c - shared memory seen from lanes (LPGPU D5.5.3, section 6): each lane presents one
 * address per cycle, so that the threads of a warp never meet in a bank, but lanes do. A bank
 * serves one word per cycle, to all lanes that ask for it; who is not served asks again. */
#include "mech/dart/dart.h"

#include "base/arith.h"
#include "base/assert.h"

enum { BANKS = 64 }; /* ldst.shared_banks at most (arch/params.h) */

/* What has been granted in a cycle. */
typedef struct grants {
    uint64_t taken;        /* banks; of others nothing is said */
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
    dart_take(d, index, UINT64_MAX);
    lane->since = now;
    d->sharing |= UINT64_C(1) << index;
    uint32_t threads = (uint32_t)__builtin_popcount(inst.threads);
    d->counts[WW_C_AGU_LANES] += threads;
    d->counts[WW_C_ATOMICS] += inst.step->is_atomic;
    d->counts[WW_C_SHARED_INST]++;
    d->counts[WW_C_SHARED_LANES] += (uint64_t)threads * lane->words;
}

void dart_read_operands(dart *d, uint32_t index, uint32_t flight, const ww_core_inst *inst,
                        uint64_t now, uint64_t through, uint64_t until)
{
    dart_lane *lane = &d->lane[index];
    WW_ASSERT(lane->sharing == DART_NONE);
    lane->sharing = flight;
    lane->step = NULL;
    lane->through = through;
    lane->sliced_until = until;
    lane->left = ww_mech_flight(d->sm, flight).threads;
    lane->word = lane->pass = 0;
    lane->words = lane->passes = 1;
    for (uint32_t m = lane->left; m != 0; m &= m - 1) {
        const uint32_t thread = (uint32_t)__builtin_ctz(m);
        lane->at[thread] = (uint32_t)inst->step->address[thread] / 4;
    }
    dart_take(d, index, UINT64_MAX);
    lane->since = now;
    d->sharing |= UINT64_C(1) << index;
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

/* Words of its threads are there, the last one asked for as if the instruction had sent that thread
 * into the unit in cycle `last`. */
static void compute(dart *d, uint32_t flight, const ww_core_inst *inst, uint64_t last)
{
    last += d->arch->ldst.shared_latency + dart_latency(d, inst->op);
    dart_results(d, flight, inst->op, last - ((uint32_t)__builtin_popcount(inst->threads) - 1),
                 last);
}

static void finish(dart *d, uint32_t index, uint64_t now)
{
    dart_lane *lane = &d->lane[index];
    uint32_t flight = lane->sharing;
    const ww_core_inst inst = ww_mech_flight(d->sm, flight);
    const bool operand = lane->step == NULL;
    bool reads = operand || !lane->step->is_store || lane->step->is_atomic;
    const uint64_t until = ww_max_u64(now, lane->sliced_until);
    d->counts[WW_C_DART_BUSY] += (operand ? until : now) - lane->since;
    lane->sharing = DART_NONE;
    lane->step = NULL;
    dart_free_at(d, index, until);
    d->sharing &= ~(UINT64_C(1) << index);
    if (operand) {
        compute(d, flight, &inst, ww_max_u64(now - 1, lane->through));
        return;
    }
    ww_mech_accessed(d->sm, flight);
    if (!reads || inst.op->reserve_count == 0) {
        ww_mech_complete(d->sm, flight, now);
        return;
    }
    uint64_t last = now + d->arch->ldst.shared_latency;
    uint64_t first = last - ((uint32_t)__builtin_popcount(inst.threads) - 1);
    dart_results(d, flight, inst.op, first > now ? first : now + 1, last);
}

/* The lane's access has been served. */
static void next_access(dart *d, uint32_t index, uint64_t now)
{
    dart_lane *lane = &d->lane[index];
    if (++lane->pass < lane->passes) {
        return;
    }
    WW_ASSERT(lane->pass == lane->passes);
    lane->pass = 0;
    if (++lane->word < lane->words) {
        return;
    }
    WW_ASSERT(lane->word == lane->words && lane->left != 0);
    lane->word = 0;
    lane->left &= lane->left - 1;
    if (lane->left == 0) {
        finish(d, index, now);
    }
}

/* One access of the lane, unless another one takes its bank; false then. */
static bool access_of(dart *d, grants *g, uint32_t index, uint64_t now)
{
    const dart_lane *lane = &d->lane[index];
    const ww_step *step = lane->step;
    const uint32_t thread = (uint32_t)__builtin_ctz(lane->left);
    const bool atomic = step != NULL && step->is_atomic;
    const bool stores = atomic ? lane->pass > 0 : step != NULL && step->is_store;
    const uint32_t first = step != NULL ? (uint32_t)step->address[thread] / 4 : lane->at[thread];
    const uint32_t before = g->words;
    if (!grant(d, g, first + lane->word, stores || atomic)) {
        return false;
    }
    if (step != NULL || !d->arch->peer.folded_free_energy) {
        d->counts[stores ? WW_C_SHARED_WRITE_WORDS : WW_C_SHARED_READ_WORDS] += g->words - before;
    }
    next_access(d, index, now);
    return true;
}

/* Lanes take turns in coming first: those from `now % count` on, then those before it. */
void dart_arbitrate(dart *d, uint64_t now)
{
    grants g;
    g.taken = g.words = 0;
    const uint64_t before = (UINT64_C(1) << now % d->count) - 1;
    const uint64_t turn[] = {d->sharing & ~before, d->sharing & before};
    const uint32_t presented = (uint32_t)__builtin_popcountll(d->sharing);
    uint32_t denied = 0;
    for (uint32_t t = 0; t < WW_ARRAY_LEN(turn); t++) {
        for (uint64_t m = turn[t]; m != 0; m &= m - 1) {
            denied += !access_of(d, &g, (uint32_t)__builtin_ctzll(m), now);
        }
    }
    d->counts[WW_C_SHARED_CYCLES]++;
    d->counts[WW_C_SHARED_CONFLICT] += denied > 0;
    d->counts[WW_C_DART_REQUEST] += presented;
    d->counts[WW_C_DART_RETRY] += denied;
}
