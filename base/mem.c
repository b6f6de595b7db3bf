/* mem.c - checked allocation and arenas. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { ARENA_ALIGN = 32, ARENA_CHUNK = 64 * 1024, ARENA_LARGEST = 4 * 1024 * 1024 };

/* A chunk's memory comes zeroed, in large chunks as pages that cost nothing before they are used. A
 * chunk from the system costs more than some pages that are, so an arena that grows takes larger
 * ones. */
typedef struct ww_arena_chunk {
    struct ww_arena_chunk *next;
    void *memory; /* that the chunk lies in */
    size_t used, size;
    _Alignas(ARENA_ALIGN) unsigned char data[];
} ww_arena_chunk;

static _Thread_local size_t fail_countdown;

void ww_mem_fail_after(size_t k)
{
    fail_countdown = k;
}

static int must_fail(void)
{
    return fail_countdown > 0 && --fail_countdown == 0;
}

void *ww_alloc_array(size_t n, size_t size)
{
    if (must_fail() || (size != 0 && n > PTRDIFF_MAX / size)) {
        return NULL;
    }
    return calloc(n != 0 ? n : 1, size != 0 ? size : 1);
}

void *ww_realloc_array(void *p, size_t n, size_t size)
{
    if (must_fail() || (size != 0 && n > PTRDIFF_MAX / size)) {
        return NULL;
    }
    return realloc(p, n * size != 0 ? n * size : 1);
}

void ww_free(void *p)
{
    free(p);
}

char *ww_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = ww_alloc_array(n, 1);
    if (copy != NULL) {
        memcpy(copy, s, n);
    }
    return copy;
}

void ww_arena_init(ww_arena *arena)
{
    *arena = (ww_arena){0};
}

void ww_arena_fini(ww_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (ww_arena_chunk *chunk = arena->head; chunk != NULL;) {
        ww_arena_chunk *next = chunk->next;
        free(chunk->memory);
        chunk = next;
    }
    *arena = (ww_arena){0};
}

static ww_arena_chunk *add_chunk(ww_arena *arena, size_t bytes)
{
    size_t room = ARENA_CHUNK;
    while (room < arena->bytes && room < ARENA_LARGEST) {
        room *= 2;
    }
    room = bytes > room ? bytes : room;
    unsigned char *memory = calloc(1, sizeof(ww_arena_chunk) + room + ARENA_ALIGN);
    if (memory == NULL) {
        return NULL;
    }
    size_t beyond = (uintptr_t)memory % ARENA_ALIGN;
    void *aligned = memory + (beyond != 0 ? ARENA_ALIGN - beyond : 0);
    ww_arena_chunk *chunk = aligned;
    *chunk = (ww_arena_chunk){.next = arena->head, .memory = memory, .size = room};
    arena->head = chunk;
    return chunk;
}

void *ww_arena_alloc(ww_arena *arena, size_t n, size_t size)
{
    if (must_fail() || (size != 0 && n > (PTRDIFF_MAX - 4 * (size_t)ARENA_LARGEST) / size)) {
        return NULL;
    }
    size_t bytes = (n * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    ww_arena_chunk *chunk = arena->head;
    if (chunk == NULL || chunk->size - chunk->used < bytes) {
        chunk = add_chunk(arena, bytes);
        if (chunk == NULL) {
            return NULL;
        }
    }
    void *p = chunk->data + chunk->used;
    chunk->used += bytes;
    WW_ASSERT(chunk->used <= chunk->size && (uintptr_t)p % ARENA_ALIGN == 0);
    arena->bytes += bytes;
    return p;
}

char *ww_arena_strndup(ww_arena *arena, const char *s, size_t n)
{
    char *copy = ww_arena_alloc(arena, n + 1, 1);
    if (copy != NULL) {
        memcpy(copy, s, n);
    }
    return copy;
}

char *ww_arena_printf(ww_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = n < 0 ? NULL : ww_arena_alloc(arena, (size_t)n + 1, 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return text;
}
