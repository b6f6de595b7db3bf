/* map.c - an insertion-ordered hash map: a dense entry array behind open-addressed index slots. */
#include "base/map.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 16 }; /* a power of two; slots stay at most half full */

void ww_map_fini(ww_map *map)
{
    if (map == NULL) {
        return;
    }
    ww_free(map->entries);
    ww_free(map->slots);
    ww_arena_fini(&map->keys);
    *map = (ww_map){0};
}

/* The slot that holds the key, or the free slot where it belongs. Needs slot_count > 0. */
static size_t slot_of(const ww_map *map, const char *text, size_t n)
{
    size_t mask = map->slot_count - 1;
    WW_ASSERT(map->slot_count > 0 && (map->slot_count & mask) == 0);
    size_t i = (size_t)ww_hash_bytes(WW_HASH_INIT, text, n) & mask;
    while (map->slots[i] != 0) {
        WW_ASSERT(map->slots[i] <= map->count);
        const char *key = map->entries[map->slots[i] - 1].key;
        if (strncmp(key, text, n) == 0 && key[n] == '\0') {
            break;
        }
        i = (i + 1) & mask;
    }
    return i;
}

static bool grow_slots(ww_map *map)
{
    size_t count = map->slot_count != 0 ? map->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = WW_NEW_ARRAY(uint32_t, count);
    if (slots == NULL) {
        return false;
    }
    ww_free(map->slots);
    map->slots = slots;
    map->slot_count = count;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->entries[i].key;
        slots[slot_of(map, key, strlen(key))] = (uint32_t)(i + 1);
    }
    return true;
}

static bool grow_entries(ww_map *map)
{
    size_t cap = map->cap != 0 ? map->cap * 2 : FIRST_SLOTS / 2;
    ww_map_entry *entries = ww_realloc_array(map->entries, cap, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    map->cap = cap;
    return true;
}

ww_map_entry *ww_map_find(const ww_map *map, const char *key)
{
    return ww_map_find_n(map, key, strlen(key));
}

ww_map_entry *ww_map_find_n(const ww_map *map, const char *text, size_t n)
{
    if (map->slot_count == 0) {
        return NULL;
    }
    uint32_t index = map->slots[slot_of(map, text, n)];
    return index != 0 ? &map->entries[index - 1] : NULL;
}

ww_map_entry *ww_map_add(ww_map *map, const char *key, bool *added)
{
    return ww_map_add_n(map, key, strlen(key), added);
}

ww_map_entry *ww_map_add_n(ww_map *map, const char *text, size_t n, bool *added)
{
    ww_map_entry *found = ww_map_find_n(map, text, n);
    if (added != NULL) {
        *added = found == NULL;
    }
    if (found != NULL) {
        return found;
    }
    if (map->count >= UINT32_MAX / 4 || (map->count == map->cap && !grow_entries(map)) ||
        (map->slot_count < 2 * (map->count + 1) && !grow_slots(map))) {
        return NULL;
    }
    char *key = ww_arena_strndup(&map->keys, text, n);
    if (key == NULL) {
        return NULL;
    }
    WW_ASSERT(map->count < map->cap && 2 * map->count < map->slot_count);
    ww_map_entry *entry = &map->entries[map->count];
    *entry = (ww_map_entry){.key = key};
    map->slots[slot_of(map, text, n)] = (uint32_t)++map->count;
    return entry;
}

ww_status ww_map_set_ptr(ww_map *map, const char *key, void *ptr, ww_error *err)
{
    ww_map_entry *entry = ww_map_add(map, key, NULL);
    if (entry == NULL) {
        return ww_no_memory_for(err, "adding '%s' to a map", key);
    }
    entry->ptr = ptr;
    return WW_OK;
}

ww_status ww_map_set_num(ww_map *map, const char *key, int64_t num, ww_error *err)
{
    ww_map_entry *entry = ww_map_add(map, key, NULL);
    if (entry == NULL) {
        return ww_no_memory_for(err, "adding '%s' to a map", key);
    }
    entry->num = num;
    return WW_OK;
}

void *ww_map_ptr(const ww_map *map, const char *key)
{
    const ww_map_entry *entry = ww_map_find(map, key);
    return entry != NULL ? entry->ptr : NULL;
}

int64_t ww_map_num(const ww_map *map, const char *key, int64_t fallback)
{
    const ww_map_entry *entry = ww_map_find(map, key);
    return entry != NULL ? entry->num : fallback;
}
