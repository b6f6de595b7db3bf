/* wheel.h - timing wheel: events that are a bounded number of cycles away, at constant cost each.
 * An event is an index into the owner's records, which link those of a cycle, at most once in the
 * wheel; events of one cycle come in order of insertion. */
#ifndef WW_PERF_SM_WHEEL_H
#define WW_PERF_SM_WHEEL_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/status.h"

#define WW_NONE UINT32_MAX

/* Events of one cycle; each knows the next one. */
typedef struct ww_wheel_slot {
    uint32_t head, tail;
} ww_wheel_slot;

typedef struct ww_wheel {
    ww_wheel_slot *slot; /* [mask + 1] */
    uint64_t *used;      /* bit per slot */
    uint32_t mask;       /* slots - 1 */
    uint32_t count;      /* events in the wheel */
} ww_wheel;

/* Room for events up to `horizon` cycles ahead. */
WW_NODISCARD static inline ww_status ww_wheel_init(ww_wheel *wheel, uint32_t horizon, ww_error *err)
{
    uint32_t slots = 64;
    while (slots <= horizon) {
        slots *= 2;
    }
    wheel->mask = slots - 1;
    wheel->count = 0;
    wheel->slot = WW_NEW_ARRAY(ww_wheel_slot, slots);
    wheel->used = WW_NEW_ARRAY(uint64_t, slots / 64);
    if (wheel->slot == NULL || wheel->used == NULL) {
        return ww_no_memory_for(err, "a timing wheel");
    }
    return WW_OK;
}

static inline void ww_wheel_fini(ww_wheel *wheel)
{
    ww_free(wheel->slot);
    ww_free(wheel->used);
}

/* Forgets all events. */
static inline void ww_wheel_clear(ww_wheel *wheel)
{
    if (wheel->used != NULL) { /* NULL: memory ran out in ww_wheel_init */
        memset(wheel->used, 0, (size_t)(wheel->mask + 1) / 8);
    }
    wheel->count = 0;
}

/* Schedules event at cycle `when`, now < when <= now + horizon. The event of that cycle which it is
 * to follow; WW_NONE: it is the first. */
static inline uint32_t ww_wheel_add(ww_wheel *wheel, uint64_t when, uint32_t event)
{
    const uint32_t at = (uint32_t)when & wheel->mask;
    const uint64_t bit = 1ull << (at % 64);
    ww_wheel_slot *slot = &wheel->slot[at];
    wheel->count++;
    if ((wheel->used[at / 64] & bit) != 0) {
        const uint32_t before = slot->tail;
        slot->tail = event;
        return before;
    }
    *slot = (ww_wheel_slot){event, event};
    wheel->used[at / 64] |= bit;
    return WW_NONE;
}

/* First event of cycle `when`, unlinked with its whole list; WW_NONE: none. The caller lowers count
 * per event. */
static inline uint32_t ww_wheel_take(ww_wheel *wheel, uint64_t when)
{
    uint32_t slot = (uint32_t)when & wheel->mask;
    uint64_t bit = 1ull << (slot % 64);
    if ((wheel->used[slot / 64] & bit) == 0) {
        return WW_NONE;
    }
    wheel->used[slot / 64] &= ~bit;
    return wheel->slot[slot].head;
}

/* Cycle of the next event after now; UINT64_MAX: none. */
static inline uint64_t ww_wheel_next(const ww_wheel *wheel, uint64_t now)
{
    if (wheel->count == 0) {
        return UINT64_MAX;
    }
    uint32_t words = (wheel->mask + 1) / 64;
    uint32_t start = (uint32_t)(now + 1) & wheel->mask;
    uint32_t word = start / 64;
    uint64_t bits = wheel->used[word] & (~0ull << (start % 64));
    for (uint32_t i = 0; i <= words; i++) {
        if (bits != 0) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return now + 1 + ((slot - start) & wheel->mask);
        }
        word = (word + 1) % words;
        bits = wheel->used[word];
    }
    return UINT64_MAX;
}

#endif
