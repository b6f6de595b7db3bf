/* mshr.c - the MSHR file: records hashed by line, waiters in linked nodes, everything
 * preallocated. */
#include "perf/mem/mshr.h"

#include <string.h>

#include "base/assert.h"
#include "perf/mem/bits.h"

/* Waiters held at once are bounded by what the levels above can have in flight; beyond this a file
 * stalls like a full one. */
enum { MAX_WAITERS = 1 << 16 };

static uint32_t hash(const ww_mshr_file *file, uint64_t line)
{
    return (uint32_t)((line * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & file->bucket_mask;
}

/* All of it, but for the chains. */
static void forget(ww_mshr_file *file)
{
    file->free_record = file->free_node = WW_NO_MSHR;
    file->records_begun = file->nodes_begun = 0;
    file->used = 0;
}

/* The next free one of a free list, or of those that have not been in use yet: memory is touched as
 * it is needed. */
static uint32_t free_node(const ww_mshr_file *file)
{
    uint32_t begun = file->nodes_begun;
    return file->free_node != WW_NO_MSHR || begun == file->nodes ? file->free_node : begun;
}

bool ww__mshr_init(ww_mshr_file *file, uint32_t entries, uint32_t merge, uint32_t sectors,
                   ww_arena *arena)
{
    uint64_t nodes = ww_min_u64((uint64_t)entries * merge, MAX_WAITERS);
    file->entries = entries;
    file->merge = merge;
    file->sectors = sectors;
    file->nodes = (uint32_t)ww_max_u64(nodes, entries);
    file->bucket_mask = ww__pow2_ceil(entries * 2) - 1;
    file->record = WW_ARENA_NEW_ARRAY(arena, ww_mshr_record, entries);
    file->entry = WW_ARENA_NEW_ARRAY(arena, ww_mshr, (size_t)entries * sectors);
    file->node = WW_ARENA_NEW_ARRAY(arena, ww_mshr_waiter, file->nodes);
    file->bucket = WW_ARENA_NEW_ARRAY(arena, uint32_t, file->bucket_mask + 1);
    file->woken = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)sectors * merge);
    if (!file->record || !file->entry || !file->node || !file->bucket || !file->woken) {
        return false;
    }
    forget(file);
    return true;
}

void ww__mshr_clear(ww_mshr_file *file)
{
    if (file->used > 0) { /* else every chain is empty, and every register and node free */
        memset(file->bucket, 0, ((size_t)file->bucket_mask + 1) * sizeof *file->bucket);
        forget(file);
    }
}

uint32_t ww__mshr_find(const ww_mshr_file *file, uint64_t line)
{
    if (file->used == 0) {
        return WW_NO_MSHR;
    }
    uint32_t id = ~file->bucket[hash(file, line)];
    while (id != WW_NO_MSHR && file->record[id].line != line) {
        id = ~file->record[id].next;
    }
    return id;
}

bool ww__mshr_available(const ww_mshr_file *file)
{
    return file->used < file->entries && free_node(file) != WW_NO_MSHR;
}

/* There are as many records as registers, so that one is free where a register is. */
static uint32_t new_record(ww_mshr_file *file, uint64_t line)
{
    uint32_t id = file->free_record;
    if (id != WW_NO_MSHR) {
        file->free_record = file->record[id].next;
    } else {
        id = file->records_begun++;
    }
    uint32_t *head = &file->bucket[hash(file, line)];
    file->record[id] = (ww_mshr_record){.line = line, .next = *head};
    *head = ~id;
    return id;
}

static void drop_record(ww_mshr_file *file, uint32_t id)
{
    ww_mshr_record *record = &file->record[id];
    uint32_t *link = &file->bucket[hash(file, record->line)];
    while (*link != ~id) {
        WW_ASSERT(~*link != WW_NO_MSHR); /* a record in use is in its chain */
        link = &file->record[~*link].next;
    }
    *link = record->next;
    record->next = file->free_record;
    file->free_record = id;
}

uint32_t ww__mshr_take(ww_mshr_file *file, uint32_t id, uint64_t line, uint32_t sector)
{
    WW_ASSERT(file->used < file->entries && sector < file->sectors);
    if (id == WW_NO_MSHR) {
        id = new_record(file, line);
    }
    WW_ASSERT((file->record[id].pending >> sector & 1) == 0);
    file->record[id].pending |= UINT32_C(1) << sector;
    *ww__mshr_of(file, id, sector) = (ww_mshr){0};
    file->used++;
    return id;
}

bool ww__mshr_wait(ww_mshr_file *file, uint32_t id, uint32_t sector, uint32_t tag)
{
    WW_ASSERT(id < file->entries && (ww__mshr_pending(file, id) >> sector & 1) != 0);
    ww_mshr *entry = ww__mshr_of(file, id, sector);
    uint32_t n = free_node(file);
    if (entry->waiters >= file->merge || n == WW_NO_MSHR) {
        return false;
    }
    if (n == file->free_node) {
        file->free_node = file->node[n].next;
    } else {
        file->nodes_begun++;
    }
    file->node[n] = (ww_mshr_waiter){.tag = tag, .next = WW_NO_MSHR};
    if (entry->waiters++ == 0) {
        entry->first = n;
    } else {
        file->node[entry->last].next = n;
    }
    entry->last = n;
    return true;
}

uint32_t ww__mshr_release(ww_mshr_file *file, uint32_t id, uint32_t sector, uint32_t *woken)
{
    WW_ASSERT(id < file->entries && (ww__mshr_pending(file, id) >> sector & 1) != 0);
    const ww_mshr *entry = ww__mshr_of(file, id, sector);
    uint32_t w = entry->first;
    for (uint32_t n = 0; n < entry->waiters; n++) {
        woken[n] = file->node[w].tag;
        w = file->node[w].next;
    }
    if (entry->waiters > 0) {
        file->node[entry->last].next = file->free_node;
        file->free_node = entry->first;
    }
    file->used--;
    file->record[id].pending &= ~(UINT32_C(1) << sector);
    if (file->record[id].pending == 0) {
        drop_record(file, id);
    }
    return entry->waiters;
}
