/* hash.h - FNV-1a, the hash of maps and of configurations; the same on every machine. */
#ifndef WW_BASE_HASH_H
#define WW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WW_HASH_INIT UINT64_C(0xcbf29ce484222325)

/** Hash of n bytes, continuing from h (start with WW_HASH_INIT). Source: Fowler, Noll, Vo, RFC
 * 9923. */
static inline uint64_t ww_hash_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

#ifdef __cplusplus
}
#endif
#endif
