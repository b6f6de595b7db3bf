/* wheel.h - timing wheel: events that are a bounded number of cycles away, at constant cost each.
 * An event is an index into the owner's records, at most once in the wheel; events of one cycle
 * come in order of insertion. */
#ifndef WW_PERF_SM_WHEEL_H
#define WW_PERF_SM_WHEEL_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/status.h"

#define WW_NONE UINT32_MAX

typedef struct ww_wheel {
    uint32_t *head, *tail; /* [mask + 1] */
    uint32_t *next;        /* [capacity], per event: the next one of the same cycle */
    uint64_t *used;        /* bit per slot */
    uint32_t mask;         /* slots - 1 */
    uint32_t count;        /* events in the wheel */
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
    wheel->head = WW_NEW_ARRAY(uint32_t, slots);
    wheel->tail = WW_NEW_ARRAY(uint32_t, slots);
    wheel->used = WW_NEW_ARRAY(uint64_t, slots / 64);
    if (wheel->head == NULL || wheel->tail == NULL || wheel->used == NULL) {
        return ww_no_memory_for(err, "a timing wheel");
    }
    return WW_OK;
}

static inline void ww_wheel_fini(ww_wheel *wheel)
{
    ww_free(wheel->head);
    ww_free(wheel->tail);
    ww_free(wheel->next);
    ww_free(wheel->used);
}

/* Makes room for events 0 .. capacity-1. */
WW_NODISCARD static inline ww_status ww_wheel_reserve(ww_wheel *wheel, uint32_t capacity,
                                                      ww_error *err)
{
    uint32_t *next = ww_realloc_array(wheel->next, capacity, sizeof *next);
    if (next == NULL) {
        return ww_no_memory_for(err, "a timing wheel");
    }
    wheel->next = next;
    return WW_OK;
}

/* Forgets all events. */
static inline void ww_wheel_clear(ww_wheel *wheel)
{
    if (wheel->used != NULL) { /* NULL: memory ran out in ww_wheel_init */
        memset(wheel->used, 0, (size_t)(wheel->mask + 1) / 8);
    }
    wheel->count = 0;
}

/* Schedules event at cycle `when`, now < when <= now + horizon. */
static inline void ww_wheel_add(ww_wheel *wheel, uint64_t when, uint32_t event)
{
    uint32_t slot = (uint32_t)when & wheel->mask;
    uint64_t bit = 1ull << (slot % 64);
    wheel->next[event] = WW_NONE;
    if ((wheel->used[slot / 64] & bit) != 0) {
        wheel->next[wheel->tail[slot]] = event;
    } else {
        wheel->head[slot] = event;
        wheel->used[slot / 64] |= bit;
    }
    wheel->tail[slot] = event;
    wheel->count++;
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
    return wheel->head[slot];
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
