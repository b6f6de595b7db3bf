/* waits.c - the text of a report of what warps wait for. */
#include "perf/sm/waits.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

enum { TAIL = 64 }; /* kept free for the closing line */

typedef struct text {
    char *buf;
    size_t size, used;
    bool full; /* something did not fit */
} text;

static void add(text *t, const char *fmt, ...) WW_PRINTF(2, 3);

static void add(text *t, const char *fmt, ...)
{
    if (t->full) {
        return;
    }
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->size - t->used) {
        t->full = true;
    } else {
        t->used += (size_t)n;
    }
}

/* Warp numbers as ranges: " 0-2 5". */
static void add_ranges(text *t, uint64_t warps)
{
    while (warps != 0) {
        unsigned first = (unsigned)__builtin_ctzll(warps), last = first;
        while (last < 63 && (warps >> (last + 1) & 1) != 0) {
            last++;
        }
        if (last > first) {
            add(t, " %u-%u", first, last);
        } else {
            add(t, " %u", first);
        }
        warps &= last < 63 ? ~0ull << (last + 1) : 0;
    }
}

static void add_kind(text *t, const ww_wait *k)
{
    add(t, "\n  %s\n    %u warp%s:", k->text, k->warps, k->warps == 1 ? "" : "s");
    for (uint32_t i = 0; i < k->ctas && i < WW_WAIT_CTAS; i++) {
        const ww_wait_cta *c = &k->cta[i];
        add(t, "%s CTA %u,%u,%u on SM %u:", i > 0 ? ";" : "", c->id[0], c->id[1], c->id[2], c->sm);
        add_ranges(t, c->warps);
    }
    if (k->ctas > WW_WAIT_CTAS) {
        add(t, "; more CTAs: %u", k->ctas - WW_WAIT_CTAS);
    }
}

char *ww_waits_format(const ww_waits *waits, char *buf, size_t size)
{
    if (size == 0) {
        return buf;
    }
    buf[0] = '\0';
    text t = {.buf = buf, .size = size > TAIL ? size - TAIL : 1};
    uint32_t told = 0;
    for (uint32_t i = 0; i < waits->kinds; i++) {
        size_t before = t.used;
        add_kind(&t, &waits->kind[i]);
        if (t.full) {
            t.used = before;
            buf[before] = '\0';
            break;
        }
        told += waits->kind[i].warps;
    }
    if (told < waits->warps) {
        t.full = false;
        t.size = size;
        add(&t, "\n  and %u warps that wait elsewhere", waits->warps - told);
    }
    return buf;
}
