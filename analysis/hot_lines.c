/* hot_lines.c - choosing and naming the lines that matter. */
#include "analysis/hot_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* A line and what it weighs. */
typedef struct weighed {
    const ww_line *line;
    double weight;
} weighed;

static int by_weight(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight > y->weight || x->weight < y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    if (x->line->line != y->line->line) {
        return x->line->line > y->line->line ? 1 : -1;
    }
    return strcmp(x->line->text, y->line->text);
}

/* By line; slots without a warp last. */
static int by_line(const void *a, const void *b)
{
    const ww_line *x = *(const ww_line *const *)a, *y = *(const ww_line *const *)b;
    int files = strcmp(x->file, y->file);
    if (files != 0) {
        return files;
    }
    uint32_t lx = x->line - 1, ly = y->line - 1; /* 0 becomes the largest */
    return lx != ly ? (lx > ly ? 1 : -1) : strcmp(x->text, y->text);
}

static int by_slots(const void *a, const void *b)
{
    const ww_hot_kernel *x = a, *y = b;
    if (x->slots != y->slots) {
        return x->slots > y->slots ? -1 : 1;
    }
    return x->line < y->line ? -1 : 1; /* as they came: all lie in one array */
}

static ww_hot_kernel *kernel_of(ww_hot_lines *out, const ww_lines *lines, const size_t *first,
                                const ww_line *line)
{
    for (size_t k = 0; k < out->kernel_count; k++) {
        if (ww_line_same_kernel(&lines->line[first[k]], line)) {
            return &out->kernel[k];
        }
    }
    return NULL;
}

/* Counts each kernel's lines; first: one of its lines. */
static void count_kernels(const ww_lines *lines, ww_hot_lines *out, size_t *first)
{
    for (size_t i = 0; i < lines->count; i++) {
        const ww_line *line = &lines->line[i];
        ww_hot_kernel *k = kernel_of(out, lines, first, line);
        if (k == NULL) {
            first[out->kernel_count] = i;
            k = &out->kernel[out->kernel_count++];
        }
        k->lines++;
        k->slots += ww_line_slots(line);
        k->energy_j += ww_line_j(line);
        k->has_source = k->has_source || line->source_line != 0;
    }
}

/* All joules of the kernels' workloads, and what an issue slot costs of those that time alone
 * costs; a workload is summed up once. */
static void share_workloads(const ww_lines *lines, ww_hot_lines *out)
{
    for (size_t k = 0; k < out->kernel_count; k++) {
        ww_hot_kernel *kernel = &out->kernel[k];
        const char *workload = kernel->line[0]->workload;
        size_t same = 0;
        while (strcmp(out->kernel[same].line[0]->workload, workload) != 0) {
            same++;
        }
        if (same == k) {
            const ww_lines_sum sum = ww_lines_sum_up(lines, workload);
            kernel->workload_j = sum.all_j;
            kernel->slot_j = sum.slots > 0 ? sum.idle_j / (double)sum.slots : 0;
        } else {
            kernel->workload_j = out->kernel[same].workload_j;
            kernel->slot_j = out->kernel[same].slot_j;
        }
    }
}

/* The heaviest lines: by their weight, or, where heat has chosen them, as the program has them. */
static void choose(ww_hot_kernel *k, size_t top, ww_line_sort by, weighed *room)
{
    for (size_t i = 0; i < k->lines; i++) {
        room[i] = (weighed){k->line[i], ww_line_weight(k->line[i], by)};
    }
    qsort(room, k->lines, sizeof *room, by_weight);
    for (size_t i = 0; i < k->lines; i++) {
        k->line[i] = room[i].line;
    }
    k->count = top > 0 && top < k->lines ? top : k->lines;
    if (by == WW_SORT_HEAT) {
        qsort(k->line, k->count, sizeof(const ww_line *), by_line);
    }
}

ww_status ww_hot_lines_find(const ww_lines *lines, size_t top, ww_line_sort by, ww_hot_lines *out,
                            ww_error *err)
{
    out->kernel = WW_ARENA_NEW_ARRAY(&out->arena, ww_hot_kernel, lines->count + 1);
    size_t *first = WW_ARENA_NEW_ARRAY(&out->arena, size_t, lines->count + 1);
    const ww_line **all = WW_ARENA_NEW_ARRAY(&out->arena, const ww_line *, lines->count + 1);
    weighed *room = WW_ARENA_NEW_ARRAY(&out->arena, weighed, lines->count + 1);
    if (out->kernel == NULL || first == NULL || all == NULL || room == NULL) {
        return ww_no_memory_for(err, "the lines of kernels");
    }
    count_kernels(lines, out, first);
    for (size_t k = 0; k < out->kernel_count; k++) {
        out->kernel[k].line = all;
        all += out->kernel[k].lines;
    }
    for (size_t i = 0; i < lines->count; i++) {
        ww_hot_kernel *k = kernel_of(out, lines, first, &lines->line[i]);
        if (k != NULL) {
            k->line[k->count++] = &lines->line[i];
        }
    }
    for (size_t k = 0; k < out->kernel_count; k++) {
        choose(&out->kernel[k], top, by, room);
    }
    share_workloads(lines, out);
    qsort(out->kernel, out->kernel_count, sizeof *out->kernel, by_slots);
    return WW_OK;
}

void ww_hot_lines_fini(ww_hot_lines *hot)
{
    ww_arena_fini(&hot->arena);
    *hot = (ww_hot_lines){0};
}

double ww_hot_share(const ww_hot_kernel *k, const ww_line *line)
{
    return k->slots > 0 ? (double)ww_line_slots(line) / (double)k->slots : 0;
}

double ww_hot_by_slots_j(const ww_hot_kernel *k, const ww_line *line)
{
    return k->slot_j * (double)ww_line_slots(line);
}

char *ww_hot_place(const ww_line *line, char *buf, size_t size)
{
    if (line->line == 0) {
        snprintf(buf, size, "-");
    } else {
        snprintf(buf, size, "%s:%u", ww_path_base(line->file), line->line);
    }
    return buf;
}

char *ww_hot_source(const ww_line *line, char *buf, size_t size)
{
    buf[0] = '\0';
    if (line->source_line != 0) {
        snprintf(buf, size, "%s:%u", ww_path_base(line->source), line->source_line);
    }
    return buf;
}

char *ww_hot_reasons(const ww_line *line, uint64_t of_kernel, char *buf, size_t size)
{
    bool told[WW_LINE_COUNT] = {false};
    size_t used = 0;
    buf[0] = '\0';
    for (;;) {
        int most = WW_LINE_COUNT;
        for (int c = WW_LINE_ISSUED + 1; c <= WW_LINE_IDLE; c++) {
            if (!told[c] && (most == WW_LINE_COUNT || line->count[c] > line->count[most])) {
                most = c;
            }
        }
        if (most == WW_LINE_COUNT || of_kernel == 0) {
            return buf;
        }
        double percent = 100.0 * (double)line->count[most] / (double)of_kernel;
        if (percent < 0.05) {
            return buf;
        }
        int n = snprintf(buf + used, size - used, "%s%s %.1f", used > 0 ? ", " : "",
                         ww_line_count_name((ww_line_count)most), percent);
        if (n < 0 || (size_t)n >= size - used) {
            buf[used] = '\0';
            return buf;
        }
        used += (size_t)n;
        told[most] = true;
    }
}
