/* map.h - a hash map from strings to a pointer and a number; iterates in the order of insertion. */
#ifndef WW_BASE_MAP_H
#define WW_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_map_entry {
    const char *key; /* owned by the map */
    void *ptr;       /* the caller's; NULL in a new entry */
    int64_t num;     /* the caller's; 0 in a new entry */
} ww_map_entry;

/* {0} is an empty map. Entries 0..count-1 are in the order of insertion; nothing is ever removed.
 */
typedef struct ww_map {
    ww_map_entry *entries; /* moves when the map grows */
    size_t count, cap;
    uint32_t *slots; /* entry index + 1; 0: free */
    size_t slot_count;
    ww_arena keys;
} ww_map;

/** Releases the map, not what its entries point to. Idempotent; NULL allowed. */
void ww_map_fini(ww_map *map);
/** The entry of a key, or NULL; valid until the next ww_map_add. */
ww_map_entry *ww_map_find(const ww_map *map, const char *key);
/** The entry of the key text[0..n-1], or NULL. */
ww_map_entry *ww_map_find_n(const ww_map *map, const char *text, size_t n);
/** The entry of a key, added when it was absent; *added (NULL allowed) tells which. NULL: out of
 * memory. */
ww_map_entry *ww_map_add(ww_map *map, const char *key, bool *added);
/** The same for the key text[0..n-1]. */
ww_map_entry *ww_map_add_n(ww_map *map, const char *text, size_t n, bool *added);
/** Sets the pointer of a key, added when absent; ENOMEM. */
WW_NODISCARD ww_status ww_map_set_ptr(ww_map *map, const char *key, void *ptr, ww_error *err);
/** Sets the number of a key, added when absent; ENOMEM. */
WW_NODISCARD ww_status ww_map_set_num(ww_map *map, const char *key, int64_t num, ww_error *err);
/** The pointer of a key; NULL when the key is absent. */
void *ww_map_ptr(const ww_map *map, const char *key);
/** The number of a key; fallback when the key is absent. */
int64_t ww_map_num(const ww_map *map, const char *key, int64_t fallback);

#ifdef __cplusplus
}
#endif
#endif
