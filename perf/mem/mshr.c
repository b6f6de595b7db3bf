/* mshr.c - the MSHR file: hashed by sector address, waiters in linked nodes, everything
 * preallocated. */
#include "perf/mem/mshr.h"

#include <string.h>

#include "perf/mem/bits.h"

/* Waiters held at once are bounded by what the levels above can have in flight; beyond this a file
 * stalls like a full one. */
enum { MAX_WAITERS = 1 << 16 };

static uint32_t hash(const ww_mshr_file *file, uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & file->bucket_mask;
}

/* All of it, but for the chains. */
static void forget(ww_mshr_file *file)
{
    file->free_entry = file->free_node = WW_NO_MSHR;
    file->entries_begun = file->nodes_begun = 0;
    file->used = 0;
}

/* The next free one of a free list, or of those that have not been in use yet: memory is touched as
 * it is needed. */
static uint32_t free_entry(const ww_mshr_file *file)
{
    uint32_t begun = file->entries_begun;
    return file->free_entry != WW_NO_MSHR || begun == file->entries ? file->free_entry : begun;
}

static uint32_t free_node(const ww_mshr_file *file)
{
    uint32_t begun = file->nodes_begun;
    return file->free_node != WW_NO_MSHR || begun == file->nodes ? file->free_node : begun;
}

bool ww__mshr_init(ww_mshr_file *file, uint32_t entries, uint32_t merge, ww_arena *arena)
{
    uint64_t nodes = ww_min_u64((uint64_t)entries * merge, MAX_WAITERS);
    file->entries = entries;
    file->merge = merge;
    file->nodes = (uint32_t)ww_max_u64(nodes, entries);
    file->bucket_mask = ww__pow2_ceil(entries * 2) - 1;
    file->entry = WW_ARENA_NEW_ARRAY(arena, ww_mshr, entries);
    file->node = WW_ARENA_NEW_ARRAY(arena, ww_mshr_waiter, file->nodes);
    file->bucket = WW_ARENA_NEW_ARRAY(arena, uint32_t, file->bucket_mask + 1);
    file->woken = WW_ARENA_NEW_ARRAY(arena, uint32_t, merge);
    if (!file->entry || !file->node || !file->bucket || !file->woken) {
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

uint32_t ww__mshr_find(const ww_mshr_file *file, uint64_t address)
{
    if (file->used == 0) {
        return WW_NO_MSHR;
    }
    uint32_t id = ~file->bucket[hash(file, address)];
    while (id != WW_NO_MSHR && file->entry[id].address != address) {
        id = ~file->entry[id].next;
    }
    return id;
}

bool ww__mshr_available(const ww_mshr_file *file)
{
    return free_entry(file) != WW_NO_MSHR && free_node(file) != WW_NO_MSHR;
}

uint32_t ww__mshr_take(ww_mshr_file *file, uint64_t address)
{
    uint32_t id = free_entry(file);
    ww_mshr *entry = &file->entry[id];
    uint32_t b = hash(file, address);
    if (id == file->free_entry) {
        file->free_entry = entry->next;
    } else {
        file->entries_begun++;
    }
    *entry = (ww_mshr){
        .address = address, .first = WW_NO_MSHR, .last = WW_NO_MSHR, .next = file->bucket[b]};
    file->bucket[b] = ~id;
    file->used++;
    return id;
}

bool ww__mshr_wait(ww_mshr_file *file, uint32_t id, uint32_t tag)
{
    ww_mshr *entry = &file->entry[id];
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

const uint32_t *ww__mshr_release(ww_mshr_file *file, uint32_t id, size_t *count)
{
    ww_mshr *entry = &file->entry[id];
    uint32_t *link = &file->bucket[hash(file, entry->address)];
    while (*link != ~id) {
        link = &file->entry[~*link].next;
    }
    *link = entry->next;

    size_t n = 0;
    for (uint32_t w = entry->first; w != WW_NO_MSHR; w = file->node[w].next) {
        file->woken[n++] = file->node[w].tag;
    }
    if (n > 0) {
        file->node[entry->last].next = file->free_node;
        file->free_node = entry->first;
    }
    entry->next = file->free_entry;
    file->free_entry = id;
    file->used--;
    *count = n;
    return file->woken;
}
