/* mshr.h - miss-status holding registers: which sectors are being fetched and who waits for each.
 * A register is of one sector; those of a line stand together in a record, so that a request finds
 * them all at once. */
#ifndef WW_PERF_MEM_MSHR_H
#define WW_PERF_MEM_MSHR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define WW_NO_MSHR UINT32_MAX

/* A register: in use where its record's `pending` has the sector's bit. */
typedef struct ww_mshr {
    uint32_t first, last; /* waiter nodes, in order of arrival */
    uint32_t waiters;
    uint32_t dirty_mask; /* words that waiting stores will have written when the data is there */
} ww_mshr;

typedef struct ww_mshr_record {
    uint64_t line;    /* number */
    uint32_t pending; /* sectors being fetched */
    uint32_t next;    /* hash chain, as ~record, or free list */
} ww_mshr_record;

typedef struct ww_mshr_waiter {
    uint32_t tag;
    uint32_t next;
} ww_mshr_waiter;

typedef struct ww_mshr_file {
    ww_mshr_record *record;
    ww_mshr *entry; /* [record * sectors + sector] */
    ww_mshr_waiter *node;
    uint32_t *bucket; /* heads of hash chains, as ~record: none in memory of zeros */
    uint32_t *woken;  /* [sectors * merge] waiters of the latest releases */
    uint32_t bucket_mask, entries, merge, nodes, sectors;
    uint32_t used;                       /* registers */
    uint32_t free_record, free_node;     /* lists of those given back */
    uint32_t records_begun, nodes_begun; /* those below have been in use */
} ww_mshr_file;

/** entries registers that hold up to merge waiters each, for lines of that many sectors; memory
 * from the arena; false when out of memory. */
bool ww__mshr_init(ww_mshr_file *file, uint32_t entries, uint32_t merge, uint32_t sectors,
                   ww_arena *arena);
void ww__mshr_clear(ww_mshr_file *file);
/** The record of a line that is being fetched in part at least, or WW_NO_MSHR. */
uint32_t ww__mshr_find(const ww_mshr_file *file, uint64_t line);
/** Sectors of a record that are being fetched; none of WW_NO_MSHR. */
static inline uint32_t ww__mshr_pending(const ww_mshr_file *file, uint32_t id)
{
    return id != WW_NO_MSHR ? file->record[id].pending : 0;
}
static inline ww_mshr *ww__mshr_of(const ww_mshr_file *file, uint32_t id, uint32_t sector)
{
    return &file->entry[(size_t)id * file->sectors + sector];
}
/** True when a new register with one waiter can be taken. */
bool ww__mshr_available(const ww_mshr_file *file);
/** Takes a register for a sector that has none, id: its line's record or WW_NO_MSHR; only when
 * available. Returns the record. */
uint32_t ww__mshr_take(ww_mshr_file *file, uint32_t id, uint64_t line, uint32_t sector);
/** Adds a waiter; false when the register's list or the waiter store is full. */
bool ww__mshr_wait(ww_mshr_file *file, uint32_t id, uint32_t sector, uint32_t tag);
/** Frees the register; writes its waiters in order of arrival to `woken`, which has room for
 * `merge`, and returns how many. The record is gone with its last register. */
uint32_t ww__mshr_release(ww_mshr_file *file, uint32_t id, uint32_t sector, uint32_t *woken);

#endif
