/* room.h - arrays that grow, in an arena or on the heap. */
#ifndef WW_BASE_ROOM_H
#define WW_BASE_ROOM_H

#include "base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The array with room for one element more than `count`, which it holds: itself, or a copy twice
 * as long; NULL, and nothing changes, when out of memory. *room: elements that it can hold; 0 at
 * first, with array NULL. The one that it outgrew lives on in the arena. */
void *ww_arena_room(ww_arena *arena, void *array, size_t count, size_t *room,
                    size_t size) WW_NODISCARD;

/** The same of an array on the heap, with room for `more` elements: itself, or moved and at least
 * twice as long. Who keeps it frees it (ww_free). */
void *ww_heap_room(void *array, size_t count, size_t more, size_t *room, size_t size) WW_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
