/* ld_cache.h - the loader's cache of library names, /etc/ld.so.cache. Untrusted input: every offset
 * is checked. */
#ifndef WW_RUNTIME_NVRTC_LD_CACHE_H
#define WW_RUNTIME_NVRTC_LD_CACHE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Path of the next library of that name, from entry *at on, which moves behind it.
 * @param data  the file's bytes
 * @param at    0 for the first
 * @return a terminated string within data; NULL: there is no further one, or the file is none
 */
const char *rt_ld_cache_next(const void *data, size_t size, const char *name, size_t *at);

#ifdef __cplusplus
}
#endif
#endif
