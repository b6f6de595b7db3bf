/* managed.c - memory of which a pointer says more than that it is the device's: page-locked and
 * managed, and what the program advised for pages of managed memory. Nothing moves here; advice is
 * kept, checked and told. */
#include <string.h>

#include "base/assert.h"
#include "runtime/core/context.h"

enum { PAGE = 4096 }; /* of the host, to which advice is rounded */
enum { READ_MOSTLY = 1, BY_DEVICE = 2, BY_HOST = 4 };
enum { NOWHERE, ON_DEVICE, ON_HOST }; /* as cudaMemLocationType has them */
enum { DEVICE_ID = 0, HOST_ID = -1, NO_ID = -2 };

typedef struct page {
    unsigned char flags, preferred, prefetched;
} page;

struct rt_kept {
    uintptr_t address;
    size_t bytes;
    int type;
    page *pages; /* NULL: no advice was ever given */
    struct rt_kept *next;
};

static size_t page_count(const rt_kept *k)
{
    return (k->bytes + PAGE - 1) / PAGE;
}

cudaError_t rt_keep(rt_context *c, const void *p, size_t bytes, int type)
{
    rt_kept *k = WW_NEW(rt_kept);
    if (k == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *k = (rt_kept){(uintptr_t)p, bytes, type, NULL, c->kept};
    c->kept = k;
    return cudaSuccess;
}

void rt_forget(rt_context *c, const void *p)
{
    for (rt_kept **k = &c->kept; *k != NULL; k = &(*k)->next) {
        if ((*k)->address == (uintptr_t)p) {
            rt_kept *gone = *k;
            *k = gone->next;
            ww_free(gone->pages);
            ww_free(gone);
            return;
        }
    }
}

static rt_kept *kept_at(const rt_context *c, const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;
    for (rt_kept *k = c->kept; k != NULL; k = k->next) {
        if (at >= k->address && at - k->address < k->bytes &&
            bytes <= k->bytes - (at - k->address)) {
            return k;
        }
    }
    return NULL;
}

/* A __managed__ variable, kept from the first question about it on. */
static rt_kept *managed_variable(rt_context *c, const void *p, size_t bytes)
{
    for (const rt_variable *v = c->variables; v != NULL; v = v->next) {
        ww_devptr address;
        size_t size;
        if (v->managed != NULL && v->module->module != NULL &&
            ww_device_symbol(c->device, v->module->module, v->name, &address, &size, NULL) ==
                WW_OK &&
            (uintptr_t)p >= address && (uintptr_t)p - address < size &&
            rt_keep(c, (const void *)(uintptr_t)address, size, cudaMemoryTypeManaged) ==
                cudaSuccess) {
            return kept_at(c, p, bytes);
        }
    }
    return NULL;
}

static rt_kept *managed_at(rt_context *c, const void *p, size_t bytes)
{
    rt_kept *k = kept_at(c, p, bytes);
    k = k != NULL ? k : managed_variable(c, p, bytes);
    return k != NULL && k->type == cudaMemoryTypeManaged ? k : NULL;
}

int rt_memory_type(rt_context *c, const void *p)
{
    const rt_kept *k = kept_at(c, p, 1);
    k = k != NULL ? k : managed_variable(c, p, 1);
    return k != NULL ? k->type : cudaMemoryTypeDevice;
}

/* ---- pages of a range ---- */

typedef struct range {
    page *first;
    size_t count;
} range;

/* The pages that a range touches; false: it is no managed memory, or (advise) there is no memory
 * for what is advised. */
static cudaError_t pages_of(rt_context *c, const void *p, size_t bytes, bool advise, range *out)
{
    rt_kept *k = bytes > 0 ? managed_at(c, p, bytes) : NULL;
    if (k == NULL) {
        return cudaErrorInvalidValue;
    }
    if (k->pages == NULL && advise) {
        k->pages = WW_NEW_ARRAY(page, page_count(k));
        if (k->pages == NULL) {
            return cudaErrorMemoryAllocation;
        }
    }
    size_t from = ((uintptr_t)p - k->address) / PAGE;
    size_t to = ((uintptr_t)p - k->address + bytes - 1) / PAGE;
    WW_ASSERT(to < page_count(k));
    *out = (range){k->pages != NULL ? k->pages + from : NULL, to - from + 1};
    return cudaSuccess;
}

/* NOWHERE: there is no such place. Any node of the host is the host; -1 as a device is how CUDA 12
 * names the host. */
static int place_of(cudaMemLocation where)
{
    if (where.type == ON_DEVICE) {
        return where.id == DEVICE_ID ? ON_DEVICE : where.id == HOST_ID ? ON_HOST : NOWHERE;
    }
    return where.type >= ON_HOST && where.type <= 4 ? ON_HOST : NOWHERE;
}

enum {
    SET_READ_MOSTLY = 1,
    UNSET_READ_MOSTLY,
    SET_PREFERRED,
    UNSET_PREFERRED,
    SET_ACCESSED_BY,
    UNSET_ACCESSED_BY
};

static void advise_page(page *p, int advice, int place)
{
    unsigned by = place == ON_DEVICE ? BY_DEVICE : BY_HOST;
    switch (advice) {
    case SET_READ_MOSTLY:
        p->flags |= READ_MOSTLY;
        break;
    case UNSET_READ_MOSTLY:
        p->flags &= (unsigned char)~READ_MOSTLY;
        break;
    case SET_PREFERRED:
    case UNSET_PREFERRED:
        p->preferred = (unsigned char)(advice == SET_PREFERRED ? place : NOWHERE);
        break;
    case SET_ACCESSED_BY:
        p->flags |= (unsigned char)by;
        break;
    default:
        p->flags &= (unsigned char)~by;
        break;
    }
}

static cudaError_t advise(rt_context *c, const void *p, size_t bytes, int advice,
                          cudaMemLocation where)
{
    if (advice < SET_READ_MOSTLY || advice > UNSET_ACCESSED_BY) {
        return cudaErrorInvalidValue;
    }
    int place = place_of(where);
    bool asks = advice == SET_PREFERRED || advice >= SET_ACCESSED_BY; /* where */
    if (asks && place == NOWHERE) {
        return cudaErrorInvalidDevice;
    }
    range r;
    cudaError_t code = pages_of(c, p, bytes, true, &r);
    for (size_t i = 0; code == cudaSuccess && i < r.count; i++) {
        advise_page(&r.first[i], advice, place);
    }
    return code;
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, cudaMemLocation where)
{
    RT_CALL(c, advise(c, p, bytes, advice, where));
}

static cudaError_t prefetch(rt_context *c, const void *p, size_t bytes, cudaMemLocation where,
                            unsigned flags, cudaStream_t stream)
{
    int place = place_of(where);
    if (flags != 0 || place == NOWHERE) {
        return flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    if (!rt_is_stream(c, stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    range r;
    cudaError_t code = pages_of(c, p, bytes, true, &r);
    for (size_t i = 0; code == cudaSuccess && i < r.count; i++) {
        r.first[i].prefetched = (unsigned char)place;
    }
    return code;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream)
{
    RT_CALL(c, prefetch(c, p, bytes, where, flags, stream));
}

/* ---- what is known of a range ---- */

enum {
    ASK_READ_MOSTLY = 1,
    ASK_PREFERRED,
    ASK_ACCESSED_BY,
    ASK_PREFETCHED,
    ASK_PREFERRED_TYPE,
    ASK_PREFERRED_ID,
    ASK_PREFETCHED_TYPE,
    ASK_PREFETCHED_ID
};

/* The flags that all pages have. */
static unsigned flags_of_all(range r)
{
    unsigned flags = r.first != NULL ? READ_MOSTLY | BY_DEVICE | BY_HOST : 0;
    for (size_t i = 0; r.first != NULL && i < r.count; i++) {
        flags &= r.first[i].flags;
    }
    return flags;
}

/* The place of all pages; NOWHERE where they differ. */
static int place_of_all(range r, bool preferred)
{
    int place = NOWHERE;
    for (size_t i = 0; r.first != NULL && i < r.count; i++) {
        int mine = preferred ? r.first[i].preferred : r.first[i].prefetched;
        if (i > 0 && mine != place) {
            return NOWHERE;
        }
        place = mine;
    }
    return place;
}

static int id_of(int place)
{
    return place == ON_DEVICE ? DEVICE_ID : place == ON_HOST ? HOST_ID : NO_ID;
}

/* Those that access all pages, then nobody. */
static void list_accessors(range r, int *out, size_t count)
{
    unsigned flags = flags_of_all(r);
    size_t n = 0;
    if ((flags & BY_DEVICE) != 0) {
        out[n++] = DEVICE_ID;
    }
    if ((flags & BY_HOST) != 0 && n < count) {
        out[n++] = HOST_ID;
    }
    while (n < count) {
        out[n++] = NO_ID;
    }
}

static cudaError_t tell(range r, int which, size_t bytes, int *out)
{
    const bool list = which == ASK_ACCESSED_BY;
    if (out == NULL || bytes < sizeof *out || bytes % sizeof *out != 0 ||
        (!list && bytes != sizeof *out)) {
        return cudaErrorInvalidValue;
    }
    switch (which) {
    case ASK_READ_MOSTLY:
        *out = (flags_of_all(r) & READ_MOSTLY) != 0;
        return cudaSuccess;
    case ASK_ACCESSED_BY:
        list_accessors(r, out, bytes / sizeof *out);
        return cudaSuccess;
    case ASK_PREFERRED:
    case ASK_PREFERRED_ID:
    case ASK_PREFETCHED:
    case ASK_PREFETCHED_ID:
        *out = id_of(place_of_all(r, which == ASK_PREFERRED || which == ASK_PREFERRED_ID));
        return cudaSuccess;
    case ASK_PREFERRED_TYPE:
    case ASK_PREFETCHED_TYPE:
        *out = place_of_all(r, which == ASK_PREFERRED_TYPE);
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t range_attribute(rt_context *c, void *out, size_t bytes, int which, const void *p,
                                   size_t count)
{
    range r;
    cudaError_t code = pages_of(c, p, count, false, &r);
    return code == cudaSuccess ? tell(r, which, bytes, out) : code;
}

cudaError_t cudaMemRangeGetAttribute(void *out, size_t bytes, int which, const void *p,
                                     size_t count)
{
    RT_CALL(c, range_attribute(c, out, bytes, which, p, count));
}

static cudaError_t range_attributes(rt_context *c, void **out, const size_t *bytes,
                                    const int *which, size_t n, const void *p, size_t count)
{
    if (out == NULL || bytes == NULL || which == NULL || n == 0) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < n && code == cudaSuccess; i++) {
        code = range_attribute(c, out[i], bytes[i], which[i], p, count);
    }
    return code;
}

cudaError_t cudaMemRangeGetAttributes(void **out, size_t *bytes, int *which, size_t n,
                                      const void *p, size_t count)
{
    RT_CALL(c, range_attributes(c, out, bytes, which, n, p, count));
}
