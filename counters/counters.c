/* counters.c - the counter table and arithmetic on counter sets. */
#include "counters/counters.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

static const ww_counter_info table[WW_COUNTER_COUNT] = {
#define CODE true
#define TIME false
#define WW_COUNTER(id, name, unit, scope, from, consumers, meaning)                                \
    [WW_C_##id] = {name, unit, WW_SCOPE_##scope, from, consumers, meaning},
#include "counters/counters.def"
#undef WW_COUNTER
#undef CODE
#undef TIME
};

/* Names that counters once had, so that old activity files stay readable. Ends with NULL. */
static const struct {
    const char *old_name;
    ww_counter counter;
} aliases[] = {
    {"sm.op.tensor", WW_C_MMA_F16},
    {NULL, WW_COUNTER_COUNT},
};

const ww_counter_info *ww_counter_describe(ww_counter counter)
{
    return &table[counter];
}

ww_counter ww_counter_find(const char *name)
{
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (strcmp(table[c].name, name) == 0) {
            return (ww_counter)c;
        }
    }
    for (size_t i = 0; aliases[i].old_name != NULL; i++) {
        if (strcmp(aliases[i].old_name, name) == 0) {
            return aliases[i].counter;
        }
    }
    return WW_COUNTER_COUNT;
}

static size_t block_count(const ww_counter_set *set)
{
    size_t n = 0;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        n += set->count[s];
    }
    return n;
}

/* All blocks lie behind each other, the first scope's first. */
static ww_counter_block *all_blocks(const ww_counter_set *set)
{
    return set->block[0];
}

ww_status ww_counter_set_init(ww_counter_set *set, uint32_t sms, uint32_t slices, uint32_t channels,
                              ww_error *err)
{
    ww_counter_set made = {.count = {[WW_SCOPE_SM] = sms,
                                     [WW_SCOPE_SLICE] = slices,
                                     [WW_SCOPE_CHANNEL] = channels,
                                     [WW_SCOPE_CHIP] = 1}};
    ww_counter_block *block = WW_NEW_ARRAY(ww_counter_block, block_count(&made));
    if (block == NULL) {
        return ww_no_memory(err);
    }
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        made.block[s] = block;
        block += made.count[s];
    }
    WW_ASSERT(block == made.block[0] + block_count(&made));
    *set = made;
    return WW_OK;
}

void ww_counter_set_fini(ww_counter_set *set)
{
    if (set != NULL) {
        ww_free(all_blocks(set));
        *set = (ww_counter_set){0};
    }
}

static bool is_zero(const ww_counter_block *block)
{
    uint64_t any = 0;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        any |= block->v[c];
    }
    return any == 0;
}

/* Most blocks of a chip that has little to do are zero, in memory that has never been touched. */
void ww_counter_set_clear(ww_counter_set *set)
{
    const size_t n = block_count(set);
    for (size_t i = 0; i < n; i++) {
        ww_counter_block *block = &all_blocks(set)[i];
        if (!is_zero(block)) {
            memset(block, 0, sizeof *block);
        }
    }
}

static ww_status check_shape(const ww_counter_set *a, const ww_counter_set *b, ww_error *err)
{
    if (memcmp(a->count, b->count, sizeof a->count) != 0) {
        return ww_fail(
            err, WW_EINTERNAL,
            "counter sets differ in shape: %u SMs, %u slices, %u channels against %u, %u, %u",
            a->count[WW_SCOPE_SM], a->count[WW_SCOPE_SLICE], a->count[WW_SCOPE_CHANNEL],
            b->count[WW_SCOPE_SM], b->count[WW_SCOPE_SLICE], b->count[WW_SCOPE_CHANNEL]);
    }
    return WW_OK;
}

ww_status ww_counter_set_add(ww_counter_set *dst, const ww_counter_set *src, ww_error *err)
{
    WW_TRY(check_shape(dst, src, err));
    size_t n = block_count(dst);
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            all_blocks(dst)[i].v[c] += all_blocks(src)[i].v[c];
        }
    }
    return WW_OK;
}

ww_status ww_counter_set_sub(ww_counter_set *dst, const ww_counter_set *a, const ww_counter_set *b,
                             ww_error *err)
{
    WW_TRY(check_shape(a, b, err));
    WW_TRY(check_shape(dst, a, err));
    size_t n = block_count(a);
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            if (all_blocks(a)[i].v[c] < all_blocks(b)[i].v[c]) {
                return ww_fail(err, WW_EINTERNAL, "counter %s would become negative",
                               table[c].name);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            all_blocks(dst)[i].v[c] = all_blocks(a)[i].v[c] - all_blocks(b)[i].v[c];
        }
    }
    return WW_OK;
}

ww_status ww_counter_set_copy(ww_counter_set *dst, const ww_counter_set *src, ww_error *err)
{
    WW_TRY(check_shape(dst, src, err));
    memmove(all_blocks(dst), all_blocks(src), block_count(src) * sizeof(ww_counter_block));
    return WW_OK;
}

ww_status ww_counter_set_clone(ww_counter_set *out, const ww_counter_set *src, ww_error *err)
{
    WW_TRY(ww_counter_set_init(out, src->count[WW_SCOPE_SM], src->count[WW_SCOPE_SLICE],
                               src->count[WW_SCOPE_CHANNEL], err));
    const size_t n = block_count(src);
    for (size_t i = 0; i < n; i++) {
        if (!is_zero(&all_blocks(src)[i])) {
            all_blocks(out)[i] = all_blocks(src)[i];
        }
    }
    return WW_OK;
}

uint64_t ww_counter_set_bytes(const ww_counter_set *set)
{
    return block_count(set) * sizeof(ww_counter_block);
}

uint64_t ww_counter_total(const ww_counter_set *set, ww_counter counter)
{
    WW_ASSERT(counter < WW_COUNTER_COUNT);
    ww_scope scope = table[counter].scope;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < set->count[scope]; i++) {
        sum += set->block[scope][i].v[counter];
    }
    return sum;
}

bool ww_launch_varies(const ww_launch_record *launch)
{
    return launch->interval_count > 0 && launch->intervals[0].at.core_hz > 0;
}

double ww_interval_hz(const ww_launch_record *launch, const ww_interval *interval)
{
    return interval->at.core_hz > 0 ? interval->at.core_hz : launch->core_hz;
}

static bool same_point(const ww_point *a, const ww_point *b)
{
    return !(a->core_hz != b->core_hz) && !(a->vdd_v != b->vdd_v) &&
           !(a->temperature_k != b->temperature_k);
}

size_t ww_intervals_merge(ww_interval *intervals, size_t count)
{
    size_t left = 0;
    bool whole = true; /* the newest is one of a pair already, or has none */
    for (size_t i = 0; i < count; i++) {
        ww_interval *into = left > 0 ? &intervals[left - 1] : NULL;
        if (whole || !same_point(&into->at, &intervals[i].at)) {
            intervals[left++] = intervals[i];
            whole = false;
        } else {
            WW_ASSERT(into->last_cycle <= intervals[i].last_cycle); /* neighbours, in order */
            /* Of one machine: their sets are of one shape. */
            WW_CERTAIN(ww_counter_set_add(&into->counters, &intervals[i].counters, NULL));
            into->last_cycle = intervals[i].last_cycle;
            ww_counter_set_fini(&intervals[i].counters);
            whole = true;
        }
    }
    return left;
}
