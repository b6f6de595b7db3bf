/* strides.c - see strides.h. */
#include "mech/lib/strides.h"

#include "base/assert.h"

#define NO_KEY UINT64_MAX

ww_status ww_strides_init(ww_strides *t, uint32_t entries, ww_error *err)
{
    *t = (ww_strides){.entry = WW_NEW_ARRAY(ww_stride, entries), .entries = entries};
    if (t->entry == NULL) {
        return ww_no_memory_for(err, "a table of strides");
    }
    ww_strides_clear(t);
    return WW_OK;
}

void ww_strides_fini(ww_strides *t)
{
    ww_free(t->entry);
    t->entry = NULL;
}

void ww_strides_clear(ww_strides *t)
{
    for (uint32_t i = 0; i < t->entries; i++) {
        t->entry[i] = (ww_stride){.key = NO_KEY};
    }
}

ww_stride *ww_strides_find(ww_strides *t, uint64_t key)
{
    for (uint32_t i = 0; i < t->entries; i++) {
        if (t->entry[i].key == key) {
            return &t->entry[i];
        }
    }
    return NULL;
}

static ww_stride *oldest(ww_strides *t)
{
    ww_stride *victim = &t->entry[0];
    for (uint32_t i = 0; i < t->entries; i++) {
        if (t->entry[i].key == NO_KEY) {
            return &t->entry[i];
        }
        victim = t->entry[i].used < victim->used ? &t->entry[i] : victim;
    }
    return victim;
}

static void learn(ww_stride *e, int64_t distance, int64_t positions)
{
    if (positions == 0 || distance % positions != 0) {
        e->confidence = 0;
        return;
    }
    int64_t stride = distance / positions;
    bool same = e->confidence > 0 && stride == e->stride;
    e->confidence = same ? (uint8_t)(e->confidence + (e->confidence < WW_STRIDE_SURE)) : 1;
    e->stride = stride;
}

ww_stride *ww_strides_observe(ww_strides *t, uint64_t key, uint32_t position, uint64_t address)
{
    WW_ASSERT(key != NO_KEY && t->entries > 0);
    ww_stride *e = ww_strides_find(t, key);
    if (e == NULL) {
        e = oldest(t);
        *e = (ww_stride){.key = key};
    } else {
        learn(e, (int64_t)(address - e->address), (int64_t)position - (int64_t)e->position);
    }
    e->address = address;
    e->position = position;
    e->used = ++t->clock;
    return e;
}

ww_stride *ww_strides_observe_next(ww_strides *t, uint64_t key, uint64_t address)
{
    const ww_stride *e = ww_strides_find(t, key);
    return ww_strides_observe(t, key, e != NULL ? e->position + 1 : 0, address);
}

void ww_strides_drop(ww_strides *t, uint64_t mask, uint64_t key)
{
    for (uint32_t i = 0; i < t->entries; i++) {
        if (t->entry[i].key != NO_KEY && (t->entry[i].key & mask) == key) {
            t->entry[i].key = NO_KEY;
        }
    }
}
