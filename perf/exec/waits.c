/* waits.c - collecting what warps wait for, and the text of a report of it. */
#include "perf/exec/waits.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "isa/warpgroup.h"
#include "perf/exec/exec.h"

static ww_wait *kind_of(ww_waits *waits, const char *text)
{
    for (uint32_t i = 0; i < waits->kinds; i++) {
        if (strcmp(waits->kind[i].text, text) == 0) {
            return &waits->kind[i];
        }
    }
    if (waits->kinds == WW_WAIT_KINDS) {
        return NULL;
    }
    ww_wait *k = &waits->kind[waits->kinds++];
    *k = (ww_wait){0};
    snprintf(k->text, sizeof k->text, "%s", text);
    return k;
}

void ww_waits_add(ww_waits *waits, const char *text, uint32_t sm, const ww_warp *warp)
{
    ww_wait *k = kind_of(waits, text);
    const ww_cta *cta = warp->cta;
    waits->warps++;
    if (k == NULL) {
        return;
    }
    k->warps++;
    /* CTAs come one after the other: the last one is this one, or this one is new. */
    if (k->last != cta) {
        k->last = cta;
        k->ctas++;
        if (k->ctas <= WW_WAIT_CTAS) {
            k->cta[k->ctas - 1] =
                (ww_wait_cta){.sm = sm, .id = {cta->id[0], cta->id[1], cta->id[2]}};
        }
    }
    if (k->ctas <= WW_WAIT_CTAS) {
        k->cta[k->ctas - 1].warps |= 1ull << (warp->index & 63);
    }
}

/* Ranks with threads that have neither arrived nor exited. */
static char *at_cluster(const ww_cta *cta, char *buf, size_t size)
{
    uint32_t ranks = cta->cluster != NULL ? cta->cluster->size : 1;
    int n = snprintf(buf, size, "the cluster's barrier; not there:");
    for (uint32_t r = 0; r < ranks && n > 0 && (size_t)n < size; r++) {
        const ww_cta *other = cta->cluster != NULL ? cta->cluster->cta[r] : cta;
        uint32_t missing = 0;
        for (uint32_t w = 0; other != NULL && w < other->warp_count; w++) {
            const ww_warp *warp = &other->warp[w];
            missing += (warp->live & ~warp->cluster_arrived) != 0;
        }
        if (missing > 0) {
            n += snprintf(buf + n, size - (size_t)n, " rank %u (%u warps)", r, missing);
        }
    }
    return buf;
}

/* Warps of its group that have closed fewer groups of products. */
static char *at_products(const ww_warp *warp, char *buf, size_t size)
{
    const ww_cta *cta = warp->cta;
    uint32_t first = warp->index / WW_WARPGROUP_WARPS * WW_WARPGROUP_WARPS;
    int n = snprintf(buf, size, "products of its warp group; not there:");
    for (uint32_t k = first;
         k < first + WW_WARPGROUP_WARPS && k < cta->warp_count && n > 0 && (size_t)n < size; k++) {
        const ww_warp *other = &cta->warp[k];
        if (other->depth > 0 && other->product_groups < warp->product_groups) {
            n += snprintf(buf + n, size - (size_t)n, " warp %u", k);
        }
    }
    return buf;
}

/* How many have come, and how many it takes. */
char *ww_waits_at_barrier(const ww_warp *warp, char *buf, size_t size)
{
    const ww_cta *cta = warp->cta;
    if (warp->barrier_id == WW_BARRIER_CLUSTER) {
        return at_cluster(cta, buf, size);
    }
    if (warp->barrier_id == WW_BARRIER_PRODUCTS) {
        return at_products(warp, buf, size);
    }
    const ww_barrier *b = &cta->barrier[warp->barrier_id];
    uint32_t expected = b->expected_warps != 0 ? b->expected_warps : cta->live_warps;
    uint32_t exited = cta->warp_count - cta->live_warps;
    int n = snprintf(buf, size, "barrier %u, %u of %u warps there", warp->barrier_id,
                     b->arrived_warps, expected);
    if (exited > 0 && n > 0 && (size_t)n < size) {
        snprintf(buf + n, size - (size_t)n, ", %u of the CTA's %u have exited", exited,
                 cta->warp_count);
    }
    return buf;
}

char *ww_waits_lanes_apart(const ww_warp *warp, const ww_kernel *kernel, char *buf, size_t size)
{
    buf[0] = '\0';
    if (warp->depth < 2) {
        return buf;
    }
    const ww_stack_entry *top = &warp->stack[warp->depth - 1], *below = top - 1;
    if ((below->mask & ~top->mask) == 0) {
        return buf;
    }
    if (below->pc < kernel->code_count) {
        snprintf(buf, size, " (some lanes; others wait at line %u for them)",
                 kernel->code[below->pc].line);
    } else {
        snprintf(buf, size, " (some lanes; others wait at the end for them)");
    }
    return buf;
}

/* ---- the text ---- */

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
        add(t, "%s CTA %u,%u,%u", i > 0 ? ";" : "", c->id[0], c->id[1], c->id[2]);
        if (c->sm != WW_WAIT_NO_SM) {
            add(t, " on SM %u", c->sm);
        }
        add(t, ":");
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
