/* mem.h - checked allocation and arenas.
 * All of WarpWatt allocates through here, so that overflow is checked once and tests can make any
 * allocation fail. */
#ifndef WW_BASE_MEM_H
#define WW_BASE_MEM_H

#include <stddef.h>

#include "base/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Zeroed memory for n objects of size bytes; NULL when out of memory or when n*size overflows. */
void *ww_alloc_array(size_t n, size_t size) WW_NODISCARD;
/** Grows or shrinks to n objects; new bytes are not zeroed; on failure NULL and p stays valid. */
void *ww_realloc_array(void *p, size_t n, size_t size) WW_NODISCARD;
/** Frees what the above gave; NULL allowed. */
void ww_free(void *p);
/** Copy of a string; NULL when out of memory. */
char *ww_strdup(const char *s) WW_NODISCARD;

#define WW_NEW(type)          ((type *)ww_alloc_array(1, sizeof(type)))
#define WW_NEW_ARRAY(type, n) ((type *)ww_alloc_array((n), sizeof(type)))

/** Test hook: makes the k-th allocation from now on fail (1: the next), this thread only; 0 turns
 * it off. */
void ww_mem_fail_after(size_t k);

/* An arena: many allocations, one release. */
typedef struct ww_arena {
    struct ww_arena_chunk *head;
    size_t bytes; /* handed out so far */
} ww_arena;

/** An empty arena owns nothing; {0} is valid too. */
void ww_arena_init(ww_arena *arena);
/** Releases all its memory; idempotent; NULL allowed. */
void ww_arena_fini(ww_arena *arena);
/** Zeroed, 32-byte aligned memory that lives as long as the arena; NULL when out of memory. */
void *ww_arena_alloc(ww_arena *arena, size_t n, size_t size) WW_NODISCARD;
/** Copy of the first n bytes of s, terminated. */
char *ww_arena_strndup(ww_arena *arena, const char *s, size_t n) WW_NODISCARD;
/** Formatted string in the arena; NULL when out of memory. */
char *ww_arena_printf(ww_arena *arena, const char *fmt, ...) WW_PRINTF(2, 3) WW_NODISCARD;

#define WW_ARENA_NEW(arena, type)          ((type *)ww_arena_alloc((arena), 1, sizeof(type)))
#define WW_ARENA_NEW_ARRAY(arena, type, n) ((type *)ww_arena_alloc((arena), (n), sizeof(type)))

#ifdef __cplusplus
}
#endif
#endif
