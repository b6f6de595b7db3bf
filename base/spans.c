/* spans.c - a sorted array with binary search: lookups outnumber changes by far. */
#include "base/spans.h"

#include <string.h>

#include "base/assert.h"
#include "base/room.h"

void ww_spans_fini(ww_spans *spans)
{
    ww_free(spans->span);
    *spans = (ww_spans){0};
}

size_t ww_spans_above(const ww_spans *spans, uint64_t address)
{
    size_t low = 0;
    size_t high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->span[middle].address > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

const ww_span *ww_spans_at(const ww_spans *spans, uint64_t address)
{
    size_t above = ww_spans_above(spans, address);
    const ww_span *span = above > 0 ? &spans->span[above - 1] : NULL;
    return span != NULL && address - span->address < span->bytes ? span : NULL;
}

ww_status ww_spans_reserve(ww_spans *spans, ww_error *err)
{
    ww_span *grown = ww_heap_room(spans->span, spans->count, 1, &spans->capacity, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory_for(err, "the table of device allocations");
    }
    spans->span = grown;
    return WW_OK;
}

void ww_spans_insert(ww_spans *spans, uint64_t address, uint64_t bytes)
{
    size_t at = ww_spans_above(spans, address);
    WW_ASSERT(spans->count < spans->capacity); /* ww_spans_reserve has seen to it */
    WW_ASSERT(at == 0 || spans->span[at - 1].bytes <= address - spans->span[at - 1].address);
    WW_ASSERT(at == spans->count || bytes <= spans->span[at].address - address);
    memmove(&spans->span[at + 1], &spans->span[at], (spans->count - at) * sizeof *spans->span);
    spans->span[at] = (ww_span){address, bytes};
    spans->count++;
}

bool ww_spans_remove(ww_spans *spans, uint64_t address, ww_span *removed)
{
    size_t above = ww_spans_above(spans, address);
    if (above == 0 || spans->span[above - 1].address != address) {
        return false;
    }
    size_t at = above - 1;
    if (removed != NULL) {
        *removed = spans->span[at];
    }
    spans->count--;
    memmove(&spans->span[at], &spans->span[at + 1], (spans->count - at) * sizeof *spans->span);
    return true;
}
