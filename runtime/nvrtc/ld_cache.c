/* ld_cache.c - reads the loader's cache in the format that the GNU C library has written since 2.2:
 * a header, entries of fixed size, strings; all offsets count from the header. A file may begin
 * with the cache of older versions, which names the same libraries. */
#define _GNU_SOURCE
#include "runtime/nvrtc/ld_cache.h"

#include <stdint.h>
#include <string.h>

static const char magic[] = "glibc-ld.so.cache1.1";

typedef struct cache_header {
    char magic[sizeof magic - 1];
    uint32_t entries, string_bytes;
    uint8_t flags, pad[3];
    uint32_t extension;
    uint32_t unused[3];
} cache_header;

typedef struct cache_entry {
    int32_t flags;
    uint32_t name, path; /* offsets of strings */
    uint32_t os_version;
    uint64_t hwcap;
} cache_entry;

_Static_assert(sizeof(cache_header) == 48 && sizeof(cache_entry) == 24, "layout of the cache");

/* The string at that offset, or NULL when it does not end within the bytes. */
static const char *string_at(const char *base, size_t size, uint32_t offset)
{
    return offset < size && memchr(base + offset, '\0', size - offset) != NULL ? base + offset
                                                                               : NULL;
}

const char *rt_ld_cache_next(const void *data, size_t size, const char *name, size_t *at)
{
    cache_header header;
    const char *base = size > 0 ? memmem(data, size, magic, sizeof magic - 1) : NULL;
    if (base == NULL) {
        return NULL;
    }
    size -= (size_t)(base - (const char *)data);
    if (size < sizeof header) {
        return NULL;
    }
    memcpy(&header, base, sizeof header);
    size_t most = (size - sizeof header) / sizeof(cache_entry);
    size_t count = header.entries < most ? header.entries : most;
    for (; *at < count; ++*at) {
        cache_entry entry;
        memcpy(&entry, base + sizeof header + *at * sizeof entry, sizeof entry);
        const char *key = string_at(base, size, entry.name);
        const char *path = string_at(base, size, entry.path);
        if (key != NULL && path != NULL && strcmp(key, name) == 0) {
            ++*at;
            return path;
        }
    }
    return NULL;
}
