/* heap.c - device-side malloc: blocks of powers of two, reused by size in the order of last use, so
 * that a run's addresses depend on nothing but the run. Blocks never go back to device memory while
 * the heap lives: other CTAs may still look at them. */
#include "base/assert.h"
#include "base/mem.h"
#include "perf/exec/exec.h"

enum { LEAST_ORDER = 4, ORDERS = 40 }; /* 16 bytes … 2^43 */

typedef struct block {
    uint64_t address;
    uint8_t order;
    bool used;
    uint32_t next; /* free block of the same order, NO_BLOCK: none */
} block;

#define NO_BLOCK UINT32_MAX

struct ww_heap {
    ww_devmem *mem;
    uint64_t limit, taken; /* bytes */
    block *block;          /* in the order of creation */
    uint32_t *by_address;  /* blocks by ascending address */
    uint32_t count, capacity;
    uint32_t free_list[ORDERS];
};

ww_status ww_heap_create(ww_devmem *mem, uint64_t limit, ww_heap **out, ww_error *err)
{
    ww_heap *heap = WW_NEW(ww_heap);
    if (heap == NULL) {
        return ww_no_memory_for(err, "the device heap");
    }
    heap->mem = mem;
    heap->limit = limit;
    for (unsigned k = 0; k < ORDERS; k++) {
        heap->free_list[k] = NO_BLOCK;
    }
    *out = heap;
    return WW_OK;
}

void ww_heap_destroy(ww_heap *heap)
{
    if (heap == NULL) {
        return;
    }
    for (uint32_t k = 0; k < heap->count; k++) {
        /* The list holds what was allocated and not freed. */
        WW_CERTAIN(ww_devmem_free(heap->mem, heap->block[k].address, NULL));
    }
    ww_free(heap->block);
    ww_free(heap->by_address);
    ww_free(heap);
}

/* Place in by_address of the first block at or above an address. */
static uint32_t place_of(const ww_heap *heap, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = heap->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (heap->block[heap->by_address[middle]].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool grow(ww_heap *heap)
{
    if (heap->count < heap->capacity) {
        return true;
    }
    uint32_t capacity = heap->capacity != 0 ? 2 * heap->capacity : 64;
    block *blocks = ww_realloc_array(heap->block, capacity, sizeof *blocks);
    if (blocks == NULL) {
        return false;
    }
    heap->block = blocks;
    uint32_t *order = ww_realloc_array(heap->by_address, capacity, sizeof *order);
    if (order == NULL) {
        return false;
    }
    heap->by_address = order;
    heap->capacity = capacity;
    return true;
}

static uint64_t new_block(ww_heap *heap, uint8_t order)
{
    uint64_t bytes = 1ull << order;
    uint64_t address;
    if (bytes > heap->limit - heap->taken || !grow(heap) ||
        ww_devmem_alloc(heap->mem, bytes, 16, &address, NULL) != WW_OK) {
        return 0;
    }
    uint32_t at = place_of(heap, address);
    for (uint32_t k = heap->count; k > at; k--) {
        heap->by_address[k] = heap->by_address[k - 1];
    }
    heap->by_address[at] = heap->count;
    WW_ASSERT(heap->count < heap->capacity);
    heap->block[heap->count++] = (block){address, order, true, NO_BLOCK};
    heap->taken += bytes;
    return address;
}

uint64_t ww_heap_alloc(ww_heap *heap, uint64_t bytes)
{
    uint8_t order = LEAST_ORDER;
    if (bytes == 0 || bytes > heap->limit) {
        return 0;
    }
    while (order < ORDERS - 1 && 1ull << order < bytes) {
        order++;
    }
    uint32_t k = heap->free_list[order];
    if (k == NO_BLOCK) {
        return 1ull << order < bytes ? 0 : new_block(heap, order);
    }
    WW_ASSERT(k < heap->count && !heap->block[k].used && heap->block[k].order == order);
    heap->free_list[order] = heap->block[k].next;
    heap->block[k].used = true;
    return heap->block[k].address;
}

bool ww_heap_free(ww_heap *heap, uint64_t address)
{
    uint32_t at = place_of(heap, address);
    if (at == heap->count) {
        return false;
    }
    block *b = &heap->block[heap->by_address[at]];
    if (b->address != address || !b->used) {
        return false;
    }
    b->used = false;
    b->next = heap->free_list[b->order];
    heap->free_list[b->order] = heap->by_address[at];
    return true;
}
