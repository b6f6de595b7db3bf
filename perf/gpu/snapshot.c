/* snapshot.c - counter increments per interval of a launch; the intervals sum to the launch. */
#include "perf/gpu/gpu.h"

#include <string.h>

#include "base/assert.h"
#include "base/room.h"

ww_status ww_snapshots_begin(ww_snapshots *s, const ww_gpu *gpu, const ww_gpu_run_options *options,
                             ww_error *err)
{
    ww_snapshots_clear(s);
    s->every = options->interval_cycles;
    s->next = s->every > 0 ? gpu->start + s->every : UINT64_MAX;
    if (s->every == 0) {
        return WW_OK;
    }
    uint64_t bytes = options->interval_bytes > 0 ? options->interval_bytes : WW_INTERVAL_BYTES;
    uint64_t pairs = bytes / (2 * ww_counter_set_bytes(&gpu->counters));
    s->most = 2 * (size_t)(pairs > 0 ? pairs : 1);
    const uint32_t *n = gpu->counters.count;
    return ww_counter_set_init(&s->before, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE], n[WW_SCOPE_CHANNEL],
                               err);
}

static ww_status grow(ww_snapshots *s, ww_error *err)
{
    ww_interval *interval = ww_heap_room(s->interval, s->count, 1, &s->capacity, sizeof *interval);
    if (interval == NULL) {
        return ww_no_memory_for(err, "interval %zu", s->count);
    }
    s->interval = interval;
    return WW_OK;
}

ww_status ww_snapshots_take(ww_snapshots *s, const ww_gpu *gpu, uint64_t now, ww_error *err)
{
    uint64_t last = now - gpu->start;
    if (last == s->first) {
        return WW_OK;
    }
    WW_TRY(grow(s, err));
    WW_ASSERT(s->count < s->capacity && last > s->first); /* intervals follow each other */
    ww_interval *interval = &s->interval[s->count];
    memset(interval, 0, sizeof *interval);
    const uint32_t *n = gpu->counters.count;
    WW_TRY(ww_counter_set_init(&interval->counters, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE],
                               n[WW_SCOPE_CHANNEL], err));
    s->count++;
    WW_TRY(ww_counter_set_sub(&interval->counters, &gpu->counters, &s->before, err));
    WW_TRY(ww_counter_set_copy(&s->before, &gpu->counters, err));
    interval->first_cycle = s->first;
    interval->last_cycle = last;
    s->first = last;
    if (s->count >= s->most) {
        s->count = ww_intervals_merge(s->interval, s->count);
        s->every *= 2;
    }
    s->next = now + s->every;
    return WW_OK;
}

void ww_snapshots_clear(ww_snapshots *s)
{
    for (size_t i = 0; i < s->count; i++) {
        ww_counter_set_fini(&s->interval[i].counters);
    }
    ww_free(s->interval);
    ww_counter_set_fini(&s->before);
    memset(s, 0, sizeof *s);
    s->next = UINT64_MAX;
}
