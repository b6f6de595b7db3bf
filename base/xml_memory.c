/* xml_memory.c - an allocator for libxml2 and jansson: blocks of fixed classes of sizes, cut from
 * one reserved range and reused class by class. What is beyond the range, for documents near the
 * limit of size, comes from the host. */
#include "base/xml_memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>

#include <jansson.h>

enum {
    GRAIN = 16,
    SMALL = 1024,                  /* up to here a class is a multiple of the grain */
    SMALL_CLASSES = SMALL / GRAIN, /* then come powers of two */
    CLASSES = SMALL_CLASSES + 32,
};
#define MOST_BYTES                                                                                 \
    ((size_t)2 << 30) /* of address space; pages that are not touched cost nothing                 \
                       */
#define LEAST_BYTES ((size_t)64 << 20)

/* In front of every block. */
typedef union header {
    size_t class_;
    char grain[GRAIN];
} header;

typedef struct free_block {
    struct free_block *next;
} free_block;

/* The process has one libxml2, and so one of these. */
static struct {
    pthread_mutex_t lock;
    bool decided, failed;
    char *first, *next, *end;
    free_block *free[CLASSES];
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_ours(const void *p)
{
    return (const char *)p >= heap.first && (const char *)p < heap.end;
}

static size_t class_of(size_t bytes)
{
    if (bytes <= SMALL) {
        return bytes == 0 ? 0 : (bytes - 1) / GRAIN;
    }
    size_t c = SMALL_CLASSES;
    for (size_t size = 2 * SMALL; size < bytes; size *= 2) {
        c++;
    }
    return c;
}

static size_t size_of(size_t class_)
{
    return class_ < SMALL_CLASSES ? (class_ + 1) * GRAIN
                                  : (size_t)2 * SMALL << (class_ - SMALL_CLASSES);
}

static void *take(size_t bytes)
{
    size_t c = class_of(bytes), whole = sizeof(header) + size_of(c);
    void *p = NULL;
    pthread_mutex_lock(&heap.lock);
    if (heap.free[c] != NULL) {
        p = heap.free[c];
        heap.free[c] = heap.free[c]->next;
    } else if ((size_t)(heap.end - heap.next) >= whole) {
        header *h = (header *)(void *)heap.next;
        h->class_ = c;
        heap.next += whole;
        p = h + 1;
    }
    pthread_mutex_unlock(&heap.lock);
    return p;
}

static void *xml_malloc(size_t bytes)
{
    void *p = bytes < MOST_BYTES ? take(bytes) : NULL;
    return p != NULL ? p : malloc(bytes);
}

static void xml_free(void *p)
{
    if (p == NULL || !is_ours(p)) {
        free(p);
        return;
    }
    free_block *block = p;
    pthread_mutex_lock(&heap.lock);
    size_t c = ((header *)p - 1)->class_;
    block->next = heap.free[c];
    heap.free[c] = block;
    pthread_mutex_unlock(&heap.lock);
}

static void *xml_realloc(void *p, size_t bytes)
{
    if (p == NULL) {
        return xml_malloc(bytes);
    }
    if (!is_ours(p)) {
        return realloc(p, bytes);
    }
    size_t have = size_of(((header *)p - 1)->class_);
    if (bytes <= have) {
        return p;
    }
    void *more = xml_malloc(bytes);
    if (more != NULL) {
        memcpy(more, p, have);
        xml_free(p);
    }
    return more;
}

static char *xml_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = xml_malloc(n);
    if (copy != NULL) {
        memcpy(copy, s, n);
    }
    return copy;
}

static bool reserve(void)
{
    for (size_t bytes = MOST_BYTES; bytes >= LEAST_BYTES; bytes /= 2) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            heap.first = heap.next = p;
            heap.end = heap.first + bytes;
            return true;
        }
    }
    return false;
}

/* True where nobody has given libxml2 an allocator yet. */
static bool is_free_to_choose(void)
{
    xmlFreeFunc release = NULL;
    xmlMallocFunc allocate = NULL;
    xmlReallocFunc grow = NULL;
    xmlStrdupFunc copy = NULL;
    return xmlMemGet(&release, &allocate, &grow, &copy) == 0 && allocate == malloc &&
           release == free;
}

static bool jansson_is_free_to_choose(void)
{
    json_malloc_t allocate = NULL;
    json_free_t release = NULL;
    json_get_alloc_funcs(&allocate, &release);
    return allocate == malloc && release == free;
}

ww_status ww__xml_memory_reserve(ww_error *err)
{
    pthread_mutex_lock(&heap.lock);
    bool choose = !heap.decided && is_free_to_choose();
    if (choose && reserve()) {
        (void)xmlMemSetup(xml_free, xml_malloc, xml_realloc, xml_strdup);
        if (jansson_is_free_to_choose()) {
            json_set_alloc_funcs(xml_malloc, xml_free);
        }
        heap.decided = true;
    } else {
        heap.decided = !choose;
    }
    bool ready = heap.decided;
    pthread_mutex_unlock(&heap.lock);
    if (!ready) {
        return ww_fail(err, WW_ENOMEM, "out of memory: no address space for documents");
    }
    xmlInitParser();
    return WW_OK;
}
