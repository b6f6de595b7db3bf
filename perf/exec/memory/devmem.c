/* devmem.c - device memory: one reserved range of host addresses, of which allocations are opened
 * and closed. A device address is its host address less a constant, so that an access needs a
 * bounds check and an addition. Bounds are exact to the byte; pages that no allocation owns cannot
 * be touched at all. */
#include "perf/exec/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/mem.h"
#include "base/spans.h"

#define RESERVED_BYTES  (64ull << 30) /* address range; less where the host refuses */
#define RESERVED_LEAST  (1ull << 30)
#define ALLOCATED_LIMIT (48ull << 30) /* sum of live allocations; untouched pages cost nothing */
#define GUARD_BYTES     512u          /* between allocations: small overruns hit nothing */

struct ww_devmem {
    unsigned char *host; /* device address WW_GLOBAL_BASE */
    uint64_t reserved;
    uint64_t page;
    uint64_t next;      /* addresses from here on were never handed out */
    uint64_t allocated; /* live bytes */
    ww_spans live;
    const ww_spans *blocks; /* what an allocation of [divided, divided_end) is divided into */
    uint64_t divided, divided_end;
};

ww_status ww_devmem_create(ww_devmem **out, ww_error *err)
{
    ww_devmem *mem = WW_NEW(ww_devmem);
    if (mem == NULL) {
        return ww_no_memory_for(err, "the device memory");
    }
    mem->page = (uint64_t)sysconf(_SC_PAGESIZE);
    mem->next = WW_GLOBAL_BASE;
    for (mem->reserved = RESERVED_BYTES; mem->reserved >= RESERVED_LEAST; mem->reserved /= 2) {
        /* Where that range is free, host and device addresses coincide, as under CUDA's unified
         * addressing; a second device or a sanitizer's shadow pushes it elsewhere. */
        void *wish = (void *)(uintptr_t)WW_GLOBAL_BASE;
        void *p = mmap(wish, (size_t)mem->reserved, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            mem->host = p;
            *out = mem;
            return WW_OK;
        }
    }
    ww_free(mem);
    return ww_fail(err, WW_ENOMEM, "Cannot reserve %llu MiB of address space for device memory.",
                   RESERVED_LEAST >> 20);
}

void ww_devmem_destroy(ww_devmem *mem)
{
    if (mem != NULL) {
        munmap(mem->host, (size_t)mem->reserved);
        ww_spans_fini(&mem->live);
        ww_free(mem);
    }
}

uintptr_t ww_devmem_bias(const ww_devmem *mem)
{
    return (uintptr_t)mem->host - (uintptr_t)WW_GLOBAL_BASE;
}

static unsigned char *host_of(const ww_devmem *mem, uint64_t address)
{
    return mem->host + (address - WW_GLOBAL_BASE);
}

static uint64_t end_of(const ww_devmem *mem)
{
    return WW_GLOBAL_BASE + mem->reserved;
}

/* A free place of that size: fresh addresses first, so that stale pointers keep faulting; then the
 * first gap. */
static bool find_place(const ww_devmem *mem, uint64_t bytes, uint64_t align, uint64_t *place)
{
    uint64_t fresh = ww_align_up(mem->next, align);
    if (fresh < end_of(mem) && bytes + GUARD_BYTES <= end_of(mem) - fresh) {
        *place = fresh;
        return true;
    }
    uint64_t from = WW_GLOBAL_BASE;
    const ww_spans *live = &mem->live;
    for (size_t k = 0; k <= live->count; k++) {
        uint64_t until = k < live->count ? live->span[k].address : end_of(mem);
        uint64_t candidate = ww_align_up(from, align);
        if (candidate < until && bytes + GUARD_BYTES <= until - candidate) {
            *place = candidate;
            return true;
        }
        if (k < live->count) {
            from = live->span[k].address + live->span[k].bytes + GUARD_BYTES;
        }
    }
    return false;
}

ww_status ww_devmem_alloc(ww_devmem *mem, uint64_t bytes, uint64_t align, uint64_t *address,
                          ww_error *err)
{
    if (bytes == 0 || align == 0 || (align & (align - 1)) != 0 || align > 1u << 30) {
        return ww_fail(err, WW_ERANGE,
                       "Device allocation of %" PRIu64 " bytes aligned to %" PRIu64 ".", bytes,
                       align);
    }
    uint64_t place = 0;
    if (bytes > ALLOCATED_LIMIT - mem->allocated || !find_place(mem, bytes, align, &place)) {
        return ww_fail(err, WW_ENOMEM,
                       "Device memory exhausted: %" PRIu64 " bytes asked for, %" PRIu64
                       " in use of %llu.",
                       bytes, mem->allocated, ALLOCATED_LIMIT);
    }
    WW_TRY(ww_spans_reserve(&mem->live, err));
    uint64_t first_page = (place - WW_GLOBAL_BASE) & ~(mem->page - 1);
    uint64_t end_page = ww_align_up(place - WW_GLOBAL_BASE + bytes, mem->page);
    if (mprotect(mem->host + first_page, (size_t)(end_page - first_page), PROT_READ | PROT_WRITE) !=
        0) {
        return ww_fail(err, WW_ENOMEM, "The host refuses %" PRIu64 " bytes for device memory.",
                       bytes);
    }
    ww_spans_insert(&mem->live, place, bytes);
    mem->allocated += bytes;
    if (place + bytes + GUARD_BYTES > mem->next) {
        mem->next = place + bytes + GUARD_BYTES;
    }
    *address = place;
    return WW_OK;
}

/* Gives whole pages back and clears the rest, so that memory handed out again is zero. */
static void clear(ww_devmem *mem, const ww_span *a)
{
    uint64_t first = a->address - WW_GLOBAL_BASE;
    uint64_t end = first + a->bytes;
    uint64_t first_page = ww_align_up(first, mem->page);
    uint64_t end_page = end & ~(mem->page - 1);
    if (first_page >= end_page) {
        memset(mem->host + first, 0, (size_t)a->bytes);
        return;
    }
    memset(mem->host + first, 0, (size_t)(first_page - first));
    memset(mem->host + end_page, 0, (size_t)(end - end_page));
    size_t length = (size_t)(end_page - first_page);
    if (madvise(mem->host + first_page, length, MADV_DONTNEED) != 0) {
        memset(mem->host + first_page, 0, length);
    }
    (void)mprotect(mem->host + first_page, length, PROT_NONE);
}

ww_status ww_devmem_free(ww_devmem *mem, uint64_t address, ww_error *err)
{
    ww_span freed;
    if (!ww_spans_remove(&mem->live, address, &freed)) {
        return ww_fail(err, WW_ENOTFOUND, "0x%" PRIx64 " is not the start of a device allocation.",
                       address);
    }
    clear(mem, &freed);
    mem->allocated -= freed.bytes;
    return WW_OK;
}

bool ww_devmem_bounds(const ww_devmem *mem, uint64_t address, uint64_t *first, uint64_t *end)
{
    const ww_span *span = ww_spans_at(&mem->live, address);
    if (span == NULL) {
        return false;
    }
    *first = span->address;
    *end = *first + span->bytes;
    return true;
}

bool ww_devmem_next(const ww_devmem *mem, uint64_t address, uint64_t *first, uint64_t *end)
{
    size_t at = address > 0 ? ww_spans_above(&mem->live, address - 1) : 0;
    if (at == mem->live.count) {
        return false;
    }
    *first = mem->live.span[at].address;
    *end = *first + mem->live.span[at].bytes;
    return true;
}

void *ww_devmem_at(ww_devmem *mem, uint64_t address, uint64_t bytes)
{
    uint64_t first;
    uint64_t end;
    if (!ww_devmem_bounds(mem, address, &first, &end) || bytes > end - address) {
        return NULL;
    }
    return host_of(mem, address);
}

void ww_devmem_divide(ww_devmem *mem, uint64_t first, uint64_t end, const ww_spans *blocks)
{
    mem->divided = first;
    mem->divided_end = end;
    mem->blocks = blocks;
}

/* Where an address lies beside the nearest of some allocations. */
static void explain(const ww_spans *live, uint64_t address, char *buf, size_t size)
{
    size_t at = ww_spans_above(live, address);
    const ww_span *below = at > 0 ? &live->span[at - 1] : NULL;
    const ww_span *next = at < live->count ? &live->span[at] : NULL;
    if (below != NULL && address - below->address < below->bytes) {
        snprintf(buf, size, "%" PRIu64 " bytes into the %" PRIu64 "-byte allocation at 0x%" PRIx64,
                 address - below->address, below->bytes, below->address);
        return;
    }
    uint64_t after = below != NULL ? address - (below->address + below->bytes) : UINT64_MAX;
    uint64_t before = next != NULL ? next->address - address : UINT64_MAX;
    if (below == NULL && next == NULL) {
        snprintf(buf, size, "there are no allocations");
    } else if (after <= before) {
        snprintf(buf, size, "%" PRIu64 " bytes after the %" PRIu64 "-byte allocation at 0x%" PRIx64,
                 after, below->bytes, below->address);
    } else {
        snprintf(buf, size,
                 "%" PRIu64 " bytes before the %" PRIu64 "-byte allocation at 0x%" PRIx64, before,
                 next->bytes, next->address);
    }
}

/* The distance of an address from a range. */
static uint64_t distance(uint64_t address, uint64_t first, uint64_t end)
{
    return address < first ? first - address : address >= end ? address - end : 0;
}

static bool is_nearest(const ww_devmem *mem, uint64_t address)
{
    uint64_t here = distance(address, mem->divided, mem->divided_end);
    for (size_t i = 0; i < mem->live.count; i++) {
        const ww_span *s = &mem->live.span[i];
        bool divided = s->address <= mem->divided && mem->divided < s->address + s->bytes;
        if (!divided && distance(address, s->address, s->address + s->bytes) < here) {
            return false;
        }
    }
    return true;
}

char *ww_devmem_explain(const ww_devmem *mem, uint64_t address, char *buf, size_t size)
{
    bool divided = mem->blocks != NULL && is_nearest(mem, address);
    explain(divided ? mem->blocks : &mem->live, address, buf, size);
    return buf;
}
