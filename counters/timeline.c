/* timeline.c - spans of a CTA, kept and as a table. */
#include "counters/timeline.h"

#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/room.h"

void ww_timeline_add(ww_timeline *t, const ww_timed_span *span)
{
    ww_timed_span *grown = t->count < WW_TIMELINE_MOST
                               ? ww_heap_room(t->span, t->count, 1, &t->room, sizeof *grown)
                               : NULL;
    if (grown == NULL) {
        t->dropped++;
        return;
    }
    t->span = grown;
    t->span[t->count++] = *span;
}

void ww_timeline_fini(ww_timeline *t)
{
    ww_free(t->span);
    *t = (ww_timeline){0};
}

static void put_head(ww_csv_writer *csv)
{
    static const char *const head[][2] = {{"workload", NULL}, {"kernel", NULL},  {"launch", NULL},
                                          {"row", NULL},      {"role", NULL},    {"what", NULL},
                                          {"from", "cycle"},  {"until", "cycle"}};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(csv, head[i][0], head[i][1]);
    }
    ww_csv_end_row(csv);
}

static uint64_t first_of(const ww_timeline *t, uint32_t launch)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < t->count; i++) {
        const ww_timed_span *s = &t->span[i];
        first = s->launch == launch && s->from < first ? s->from : first;
    }
    return first;
}

enum { WARPS = 256 };

/* What each warp has asked for by the end of the launch, whose first span is number i. */
static void find_roles(const ww_timeline *t, size_t i, uint8_t roles[WARPS])
{
    memset(roles, 0, WARPS);
    for (size_t k = i; k < t->count && t->span[k].launch == t->span[i].launch; k++) {
        const ww_timed_span *s = &t->span[k];
        uint8_t *role = &roles[s->warp % WARPS];
        *role = *role < s->role ? s->role : *role;
    }
}

void ww_timeline_rows(const ww_timeline *t, const char *workload, ww_str *out)
{
    static const char *const what[] = {
#define WW_SPAN_NAME(ID, name) name,
        WW_SPANS(WW_SPAN_NAME)
#undef WW_SPAN_NAME
    };
    static const char *const roles[] = {"other", "producer", "consumer"};
    ww_csv_writer csv;
    uint64_t first = 0;
    uint8_t role[WARPS];
    const bool empty = out->len == 0;
    ww_csv_init(&csv, out);
    if (empty) {
        put_head(&csv);
    }
    for (size_t i = 0; i < t->count; i++) {
        const ww_timed_span *s = &t->span[i];
        const bool engine = s->kind == WW_SPAN_COPY || s->kind == WW_SPAN_PRODUCT;
        char row[32];
        if (i == 0 || s->launch != t->span[i - 1].launch) {
            first = first_of(t, s->launch);
            find_roles(t, i, role);
        }
        snprintf(row, sizeof row, "warp %u", s->warp);
        ww_csv_put_text(&csv, workload);
        ww_csv_put_text(&csv, s->kernel);
        ww_csv_put_u64(&csv, s->launch);
        ww_csv_put_text(&csv, s->kind == WW_SPAN_COPY      ? "copy engine"
                              : s->kind == WW_SPAN_PRODUCT ? "matrix unit"
                                                           : row);
        ww_csv_put_text(&csv, engine ? "engine" : roles[role[s->warp % WARPS]]);
        ww_csv_put_text(&csv, what[s->kind]);
        ww_csv_put_u64(&csv, s->from - first);
        ww_csv_put_u64(&csv, s->until - first);
        ww_csv_end_row(&csv);
    }
}
