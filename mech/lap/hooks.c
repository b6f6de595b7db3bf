/* hooks.c - LAP, locality-aware prefetching of Orchestrated Scheduling and Prefetching for GPGPUs
 * (Jog et al., ISCA 2013) as CTA-Aware Prefetching (Koo et al., IPDPS 2018, section VI-B) describes
 * its baseline: when two lines of an aligned macro block of four have missed the L1D, the others
 * are requested. A table of blocks remembers which lines missed or were requested; each block is
 * completed once while it is in the table. */
#include "mech/lib/prefetch.h"
#include "mech/mechanisms.h"

typedef struct block {
    uint64_t number; /* address over the block's bytes; UINT64_MAX: free */
    uint64_t used;
    uint32_t lines; /* missed */
    bool fired;
} block;

typedef struct lap {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    block *block;
    uint32_t blocks, lines, misses;
    uint64_t clock;
} lap;

static void release(void *state)
{
    lap *s = state;
    ww_free(s->block);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    lap *s = state;
    s->blocks = arch->lap.entries;
    s->lines = arch->lap.lines;
    s->misses = arch->lap.misses;
    s->block = WW_NEW_ARRAY(block, s->blocks);
    return s->block != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(lap),
                                     .queue_entries = arch->lap.queue_entries,
                                     .free_mshrs = arch->lap.free_mshrs,
                                     .oracle = arch->lap.oracle,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    lap *s = state;
    (void)launch;
    (void)err;
    ww_prefetcher_clear(&s->prefetcher);
    for (uint32_t i = 0; i < s->blocks; i++) {
        s->block[i] = (block){.number = UINT64_MAX};
    }
    return WW_OK;
}

/* The block's entry; the one not used for longest gives way. */
static block *entry_of(lap *s, uint64_t number)
{
    block *victim = &s->block[0];
    for (uint32_t i = 0; i < s->blocks; i++) {
        if (s->block[i].number == number) {
            return &s->block[i];
        }
        victim = s->block[i].used < victim->used ? &s->block[i] : victim;
    }
    *victim = (block){.number = number};
    return victim;
}

static void missed(lap *s, uint64_t address, uint64_t now)
{
    uint64_t line = address / s->prefetcher.line_bytes;
    block *b = entry_of(s, line / s->lines);
    b->used = ++s->clock;
    b->lines |= UINT32_C(1) << (line % s->lines);
    if (b->fired || (uint32_t)__builtin_popcount(b->lines) < s->misses) {
        return;
    }
    b->fired = true;
    for (uint32_t i = 0; i < s->lines; i++) {
        if ((b->lines >> i & 1) == 0) {
            uint64_t other = (b->number * s->lines + i) * s->prefetcher.line_bytes;
            ww_prefetcher_request(&s->prefetcher, other, WW_FOR_NOBODY, now);
        }
    }
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    lap *s = state;
    ww_prefetcher_looked_up(state, access, result, now);
    if (result == WW_CACHE_MISS && access->kind == WW_ACCESS_LOAD) {
        ww_mech_count(s->prefetcher.sm, WW_C_LAP_LOOKUP, 1);
        missed(s, access->address, now);
    }
}

const ww_mech ww_mech_lap = {
    .name = "lap",
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .beside = ww_prefetcher_beside,
    .looked_up = looked_up,
    .filled = ww_prefetcher_fill,
    .evicted = ww_prefetcher_evicted,
    .tick = ww_prefetcher_tick,
    .next = ww_prefetcher_next,
};
