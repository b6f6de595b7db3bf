/* ranges.c - the tool that programs with NVTX load: `warpwatt run` names libcuda.so.1 in
 * NVTX_INJECTION64_PATH, which NVTX's header opens at a program's first call, and asks for
 * InitializeInjectionNvtx2. That one is handed tables of the functions that programs call, by
 * module and number, and puts its own in (nvtx3/nvtxDetail/nvtxTypes.h: tables, numbers,
 * attributes). */
#include "runtime/core/ranges.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { NAME = 64, DEEPEST = 32, MOST_STARTED = 64 };

/* ---- open ranges ---- */

typedef struct range {
    const void *domain; /* NULL: the program's own */
    uint64_t id;        /* of one that is started and ended; 0: pushed and popped */
    char name[NAME];
} range;

/* Deeper ones are counted, and have no names. */
typedef struct thread_ranges {
    range open[DEEPEST];
    int depth;
} thread_ranges;

static _Thread_local thread_ranges pushed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range started[MOST_STARTED];
static int started_count;
static uint64_t last_id;

/* Names are parts of a launch's label: what XML and paths cannot carry is not in them. */
static void copy_name(char *to, const char *from)
{
    size_t n = 0;
    for (; from != NULL && from[n] != '\0' && n < NAME - 1; n++) {
        unsigned char c = (unsigned char)from[n];
        to[n] = c < 0x20 || c > 0x7e || c == '/' ? '?' : (char)c;
    }
    to[n] = '\0';
    if (n == 0) {
        memcpy(to, "range", sizeof "range");
    }
}

static void copy_wide(char *to, const wchar_t *from)
{
    char narrow[NAME] = "";
    for (size_t i = 0; from != NULL && from[i] != 0 && i < NAME - 1; i++) {
        narrow[i] = from[i] < 0x7f ? (char)from[i] : '?';
        narrow[i + 1] = '\0';
    }
    copy_name(to, narrow);
}

static int push(const void *domain, const char *name)
{
    if (pushed.depth < DEEPEST) {
        range *r = &pushed.open[pushed.depth];
        r->domain = domain;
        memcpy(r->name, name, NAME);
    }
    return pushed.depth++;
}

/* The innermost range of a domain; those of others above it stay open. */
static int pop(const void *domain)
{
    int i = pushed.depth - 1;
    while (i >= 0 && i < DEEPEST && pushed.open[i].domain != domain) {
        i--;
    }
    if (i < 0) {
        return -1; /* NVTX_NO_PUSH_POP_TRACKING */
    }
    pushed.depth--;
    for (int k = i; k < pushed.depth && k + 1 < DEEPEST; k++) {
        pushed.open[k] = pushed.open[k + 1];
    }
    return pushed.depth;
}

static uint64_t start(const void *domain, const char *name)
{
    pthread_mutex_lock(&lock);
    uint64_t id = ++last_id;
    if (started_count < MOST_STARTED) {
        range *r = &started[started_count++];
        *r = (range){.domain = domain, .id = id};
        memcpy(r->name, name, NAME);
    }
    pthread_mutex_unlock(&lock);
    return id;
}

static void end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < started_count && started[i].id != id) {
        i++;
    }
    if (i < started_count) {
        started_count--;
        memmove(&started[i], &started[i + 1], (size_t)(started_count - i) * sizeof started[i]);
    }
    pthread_mutex_unlock(&lock);
}

void rt_ranges_append(ww_str *out)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < started_count; i++) {
        ww_str_addf(out, "/%s", started[i].name);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < pushed.depth && i < DEEPEST; i++) {
        ww_str_addf(out, "/%s", pushed.open[i].name);
    }
}

/* ---- what programs call ---- */

/* nvtxEventAttributes_t; its size says how much of it there is. */
typedef struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const char *registered; /* what register_a and register_w gave */
    } message;
} attributes;

static void name_of(const attributes *a, char *name)
{
    enum { ASCII = 1, WIDE = 2, REGISTERED = 3 }; /* nvtxMessageType_t */
    if (a == NULL || a->size < sizeof *a) {
        copy_name(name, NULL);
    } else if (a->message_type == WIDE) {
        copy_wide(name, a->message.wide);
    } else {
        copy_name(name, a->message_type == ASCII || a->message_type == REGISTERED ? a->message.ascii
                                                                                  : NULL);
    }
}

static int push_ex(const attributes *a)
{
    char name[NAME];
    name_of(a, name);
    return push(NULL, name);
}
static int push_a(const char *message)
{
    char name[NAME];
    copy_name(name, message);
    return push(NULL, name);
}
static int push_w(const wchar_t *message)
{
    char name[NAME];
    copy_wide(name, message);
    return push(NULL, name);
}
static int pop_own(void)
{
    return pop(NULL);
}
static uint64_t start_ex(const attributes *a)
{
    char name[NAME];
    name_of(a, name);
    return start(NULL, name);
}
static uint64_t start_a(const char *message)
{
    char name[NAME];
    copy_name(name, message);
    return start(NULL, name);
}
static uint64_t start_w(const wchar_t *message)
{
    char name[NAME];
    copy_wide(name, message);
    return start(NULL, name);
}
static int domain_push(const void *domain, const attributes *a)
{
    char name[NAME];
    name_of(a, name);
    return push(domain, name);
}
static uint64_t domain_start(const void *domain, const attributes *a)
{
    char name[NAME];
    name_of(a, name);
    return start(domain, name);
}
static void domain_end(const void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

/* Handles of domains and texts are copies of their names, which last. */
static char *copy_a(const char *text)
{
    return strdup(text != NULL ? text : "");
}
static char *copy_w(const wchar_t *text)
{
    char name[NAME];
    copy_wide(name, text);
    return strdup(name);
}
static char *register_a(const void *domain, const char *text)
{
    (void)domain;
    return copy_a(text);
}
static char *register_w(const void *domain, const wchar_t *text)
{
    (void)domain;
    return copy_w(text);
}

/* ---- attaching ---- */

typedef void (*function)(void);

typedef struct callbacks { /* NvtxExportTableCallbacks */
    size_t size;
    int (*table)(int module, function ***out, unsigned *count);
} callbacks;

typedef struct hook {
    unsigned number;
    function ours;
} hook;

/* Puts functions into a module's table as far as that goes; the others stay what they are: nothing.
 */
static void attach(const callbacks *c, int module, const hook *hooks, size_t hook_count)
{
    function **table = NULL;
    unsigned count = 0;
    if (c->table(module, &table, &count) != 1 || table == NULL) {
        return;
    }
    for (size_t i = 0; i < hook_count; i++) {
        if (hooks[i].number < count && table[hooks[i].number] != NULL) {
            *table[hooks[i].number] = hooks[i].ours;
        }
    }
}

#define HOOK(number, f)                                                                            \
    {                                                                                              \
        number, (function)f                                                                        \
    }
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t))
{
    enum { CALLBACKS = 1, CORE = 1, CORE2 = 5 }; /* NvtxExportTableID, NvtxCallbackModule */
    static const hook core[] = {HOOK(4, start_ex), HOOK(5, start_a), HOOK(6, start_w),
                                HOOK(7, end),      HOOK(8, push_ex), HOOK(9, push_a),
                                HOOK(10, push_w),  HOOK(11, pop_own)};
    static const hook core2[] = {HOOK(2, domain_start), HOOK(3, domain_end),  HOOK(4, domain_push),
                                 HOOK(5, pop),          HOOK(10, register_a), HOOK(11, register_w),
                                 HOOK(12, copy_a),      HOOK(13, copy_w)};
    const callbacks *c = export_table != NULL ? export_table(CALLBACKS) : NULL;
    if (c == NULL || c->size < sizeof *c || c->table == NULL) {
        return 0;
    }
    attach(c, CORE, core, COUNT(core));
    attach(c, CORE2, core2, COUNT(core2));
    return 1;
}
