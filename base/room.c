/* room.c - see room.h. */
#include "base/room.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"

void *ww_arena_room(ww_arena *arena, void *array, size_t count, size_t *room, size_t size)
{
    WW_ASSERT(count <= *room);
    if (count < *room) {
        return array;
    }
    size_t grown_room = *room == 0 ? 16 : *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    void *grown = ww_arena_alloc(arena, grown_room, size);
    if (grown != NULL) {
        if (count > 0) {
            memcpy(grown, array, count * size);
        }
        *room = grown_room;
    }
    return grown;
}

void *ww_heap_room(void *array, size_t count, size_t more, size_t *room, size_t size)
{
    WW_ASSERT(count <= *room);
    if (more <= *room - count) {
        return array;
    }
    if (more > SIZE_MAX - count) {
        return NULL;
    }
    size_t wanted = *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    wanted = wanted > count + more ? wanted : count + more;
    wanted = wanted > 16 ? wanted : 16;
    void *grown = ww_realloc_array(array, wanted, size);
    if (grown != NULL) {
        *room = wanted;
    }
    return grown;
}
