/* mshr.h - miss-status holding registers: which fetches are under way and who waits for each. */
#ifndef WW_PERF_MEM_MSHR_H
#define WW_PERF_MEM_MSHR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define WW_NO_MSHR UINT32_MAX

typedef struct ww_mshr {
    uint64_t address;     /* of the sector being fetched */
    uint32_t first, last; /* waiter nodes, in order of arrival */
    uint32_t waiters;
    uint32_t dirty_mask; /* words that waiting stores will have written when the data is there */
    uint32_t next;       /* hash chain, as ~register, or free list */
} ww_mshr;

typedef struct ww_mshr_waiter {
    uint32_t tag;
    uint32_t next;
} ww_mshr_waiter;

typedef struct ww_mshr_file {
    ww_mshr *entry;
    ww_mshr_waiter *node;
    uint32_t *bucket; /* heads of hash chains, as ~register: none in memory of zeros */
    uint32_t *woken;  /* [merge] waiters of the latest release */
    uint32_t bucket_mask, entries, merge, nodes;
    uint32_t used;
    uint32_t free_entry, free_node;      /* lists of those given back */
    uint32_t entries_begun, nodes_begun; /* those below have been in use */
} ww_mshr_file;

/** entries registers that hold up to merge waiters each; memory from the arena; false when out of
 * memory. */
bool ww__mshr_init(ww_mshr_file *file, uint32_t entries, uint32_t merge, ww_arena *arena);
void ww__mshr_clear(ww_mshr_file *file);
/** The register fetching the sector at address, or WW_NO_MSHR. */
uint32_t ww__mshr_find(const ww_mshr_file *file, uint64_t address);
/** True when a new register with one waiter can be taken. */
bool ww__mshr_available(const ww_mshr_file *file);
/** Takes a register for address; only when available. */
uint32_t ww__mshr_take(ww_mshr_file *file, uint64_t address);
/** Adds a waiter; false when the register's list or the waiter store is full. */
bool ww__mshr_wait(ww_mshr_file *file, uint32_t id, uint32_t tag);
/** Frees the register; returns its waiters in order of arrival (valid until the next call). */
const uint32_t *ww__mshr_release(ww_mshr_file *file, uint32_t id, size_t *count);

#endif
