/* hooks.c - MTA, the hardware scheme of Many-Thread Aware Prefetching (Lee et al., MICRO 2010), as
 * CTA-Aware Prefetching (Koo et al., IPDPS 2018, section VI-B) describes its baseline: strides of a
 * loop within a warp where there is one, else strides from warp to warp. A stride that several
 * warps share is promoted to a table by load; tables are asked in the order global strides,
 * inter-thread strides, strides of the warp. */
#include "mech/lib/strides.h"
#include "mech/mechanisms.h"
#include "mech/mta/buffer.h"
#include "mech/mta/throttle.h"

enum {
    TRAINED = 2, /* equal strides in a row */
};

typedef struct mta {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    ww_strides warps;         /* key: load and warp */
    ww_strides global;        /* key: load */
    ww_strides threads;       /* key: load; position: warp slot */
    mta_buffer buffer;
    mta_throttle throttle;
    ww_prefetch_outcome before; /* counters at the start of the period */
    uint32_t agree, index, first_degree;
    uint64_t period, look; /* cycles; the next look at the outcome */
} mta;

static void release(void *state)
{
    mta *s = state;
    ww_strides_fini(&s->warps);
    ww_strides_fini(&s->global);
    ww_strides_fini(&s->threads);
    mta_buffer_fini(&s->buffer);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    mta *s = state;
    const ww_mta_params *p = &arch->mta;
    s->agree = p->agree;
    s->period = p->oracle == WW_PREFETCH_ORACLE_NONE ? p->period : 0;
    s->first_degree = p->start;
    s->throttle =
        (mta_throttle){.early_high = p->early_high, .early_low = p->early_low, .merge = p->merge};
    WW_TRY(ww_strides_init(&s->warps, p->warp_entries, err));
    WW_TRY(ww_strides_init(&s->global, p->global_entries, err));
    WW_TRY(ww_strides_init(&s->threads, p->thread_entries, err));
    return mta_buffer_init(&s->buffer, s->prefetcher.sm, arch, err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(mta),
                                     .queue_entries = arch->mta.queue_entries,
                                     .free_mshrs = arch->mta.free_mshrs,
                                     .beside = arch->mta.buffer_bytes / arch->l1d.line_bytes +
                                               arch->mta.buffer_mshrs,
                                     .oracle = arch->mta.oracle,
                                     .at_once_bytes = arch->mta.buffer_bytes,
                                     .at_once_ways = arch->mta.buffer_ways,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    mta *s = state;
    (void)launch;
    (void)err;
    ww_prefetcher_clear(&s->prefetcher);
    ww_strides_clear(&s->warps);
    ww_strides_clear(&s->global);
    ww_strides_clear(&s->threads);
    mta_buffer_clear(&s->buffer);
    s->index = ww_mech_index(s->prefetcher.sm, s);
    s->throttle.degree = s->period > 0 ? s->first_degree : 0;
    s->throttle.turn = 0;
    s->before = (ww_prefetch_outcome){0};
    s->look = 0;
    return WW_OK;
}

static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    mta *s = state;
    (void)now;
    ww_strides_drop(&s->warps, UINT32_MAX, warp);
}

/* Warps whose loads at pc move by a stride. */
static uint32_t warps_with(const mta *s, uint32_t pc, int64_t stride)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->warps.entries; i++) {
        const ww_stride *e = &s->warps.entry[i];
        count += e->key >> 32 == pc && e->confidence >= TRAINED && e->stride == stride;
    }
    return count;
}

/* Learns from a load; the distance to what comes next, 0: not known. */
static int64_t distance_of(mta *s, const ww_mech_access *access, uint64_t address)
{
    const ww_stride *own =
        ww_strides_observe_next(&s->warps, (uint64_t)access->pc << 32 | access->warp, address);
    const ww_stride *across = ww_strides_observe(&s->threads, access->pc, access->warp, address);
    bool loops = own->confidence >= TRAINED && own->stride != 0;
    ww_stride *global = ww_strides_find(&s->global, access->pc);
    if (global == NULL && loops && warps_with(s, access->pc, own->stride) >= s->agree) {
        global = ww_strides_observe(&s->global, access->pc, 0, address);
        global->stride = own->stride;
    }
    if (global != NULL) {
        global->used = ++s->global.clock;
        return global->stride;
    }
    if (across->confidence + 1u >= s->agree) {
        return across->stride;
    }
    return loops ? own->stride : 0;
}

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    mta *s = state;
    if (!ww_prefetcher_takes(access, split)) {
        return;
    }
    ww_mech_count(s->prefetcher.sm, WW_C_MTA_LOOKUP, 1);
    int64_t distance = distance_of(s, access, split->run[0].address);
    if (distance == 0) {
        return;
    }
    if (mta_throttle_drops(&s->throttle)) {
        ww_mech_count(s->prefetcher.sm, WW_C_MTA_THROTTLED, 1);
        return;
    }
    ww_prefetcher_request_split(&s->prefetcher, split, distance, now);
}

static bool beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    mta *s = state;
    return s->buffer.tags == NULL
               ? ww_prefetcher_beside(state, access, now, ready)
               : mta_buffer_serves(&s->buffer, &s->prefetcher, access, now, ready);
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    mta *s = state;
    if (s->buffer.tags == NULL) {
        ww_prefetcher_looked_up(state, access, result, now);
    } else {
        mta_buffer_missed(&s->buffer, &s->prefetcher, access, now);
    }
}

static void filled(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    mta *s = state;
    if (s->buffer.tags == NULL) {
        ww_prefetcher_fill(state, address, waiters, now);
    }
}

static void arrived(void *state, uint64_t address, uint32_t token, uint64_t now)
{
    mta *s = state;
    (void)token;
    mta_buffer_arrived(&s->buffer, &s->prefetcher, address, now);
}

static void evicted(void *state, uint64_t address, uint64_t now)
{
    const mta *s = state;
    if (s->buffer.tags == NULL) {
        ww_prefetcher_evicted(state, address, now);
    }
}

static void look_back(mta *s, uint64_t now)
{
    const ww_prefetch_outcome *o = &s->prefetcher.outcome;
    const ww_prefetch_outcome period = {
        .issued = o->issued - s->before.issued,
        .used = o->used - s->before.used,
        .late = o->late - s->before.late,
        .early = o->early - s->before.early,
    };
    mta_throttle_adjust(&s->throttle, &period);
    s->before = *o;
    s->look = now + s->period;
}

static void tick(void *state, uint64_t now)
{
    mta *s = state;
    if (s->period > 0 && s->look == 0) {
        s->look = now + s->period;
    } else if (s->period > 0 && now >= s->look) {
        look_back(s, now);
    }
    if (s->buffer.tags == NULL) {
        ww_prefetcher_tick(state, now);
    } else {
        mta_buffer_tick(&s->buffer, &s->prefetcher, s->index, now);
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const mta *s = state;
    const uint64_t queue = ww_prefetcher_next(state, now);
    return queue == UINT64_MAX && s->period > 0 && s->look > now ? s->look : queue;
}

const ww_mech ww_mech_mta = {
    .name = "mta",
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .warp_exited = warp_exited,
    .coalesced = coalesced,
    .beside = beside,
    .looked_up = looked_up,
    .filled = filled,
    .arrived = arrived,
    .evicted = evicted,
    .tick = tick,
    .next = next,
};
