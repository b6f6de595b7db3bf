/* line_fold.c - see line_fold.h. */
#include "analysis/line_fold.h"

#include <string.h>

#include "base/suggest.h"

/* ---- names ---- */

static ww_status find(const char *what, const char *name, const char *const *names, int count,
                      int *out, ww_error *err)
{
    ww_suggest suggest;
    char hint[96];
    ww_suggest_init(&suggest, name);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return WW_OK;
        }
        ww_suggest_offer(&suggest, names[i]);
    }
    return ww_fail(err, WW_EUSAGE, "there is no %s %s%s", what, name,
                   ww_suggest_text(&suggest, hint, sizeof hint));
}

ww_status ww_line_fold_find(const char *name, ww_line_fold *out, ww_error *err)
{
    static const char *const names[WW_FOLD_COUNT] = {
#define X(id, text, meaning) [WW_FOLD_##id] = text,
        WW_LINE_FOLDS(X)
#undef X
    };
    int i = 0;
    WW_TRY(find("--by", name, names, WW_FOLD_COUNT, &i, err));
    *out = (ww_line_fold)i;
    return WW_OK;
}

ww_status ww_line_sort_find(const char *name, ww_line_sort *out, ww_error *err)
{
    static const char *const names[WW_SORT_COUNT] = {
#define X(id, text, meaning) [WW_SORT_##id] = text,
        WW_LINE_SORTS(X)
#undef X
    };
    int i = 0;
    WW_TRY(find("--sort", name, names, WW_SORT_COUNT, &i, err));
    *out = (ww_line_sort)i;
    return WW_OK;
}

/* ---- weights ---- */

double ww_line_weight(const ww_line *line, ww_line_sort by)
{
    const uint64_t slots = ww_line_slots(line);
    const uint64_t heat = slots + line->count[WW_LINE_AWAITED];
    switch (by) {
    case WW_SORT_ENERGY:
        return ww_line_j(line);
    case WW_SORT_LOST:
        return (double)(slots - line->count[WW_LINE_ISSUED]);
    case WW_SORT_MISSES:
        return (double)(line->event[WW_LINE_L1_MISS] + line->event[WW_LINE_L2_MISS] +
                        line->event[WW_LINE_DRAM_BURST]);
    case WW_SORT_INSTRUCTIONS:
        return (double)line->count[WW_LINE_WARP_INST];
    case WW_SORT_HEAT:
    case WW_SORT_COUNT:
        break;
    }
    return (double)(heat > 0 ? heat : line->count[WW_LINE_WARP_INST]);
}

bool ww_line_sort_needs_joules(ww_line_sort by)
{
    return by == WW_SORT_ENERGY || by == WW_SORT_MISSES;
}

/* ---- folding ---- */

static bool says(const char *text)
{
    return text != NULL && *text != '\0';
}

/* The line that a line becomes a part of. */
static ww_line folded(const ww_line *line, ww_line_fold by)
{
    ww_line to = *line;
    if (by == WW_FOLD_PTX || line->line == 0) {
        return to;
    }
    to.line = 0;
    to.file = "";
    if (by == WW_FOLD_SOURCE && line->source_line != 0) {
        to.file = line->source;
        to.line = line->source_line;
        to.text = says(line->function) ? line->function : line->kernel;
        return to;
    }
    to.source = "";
    to.source_line = 0;
    if (by == WW_FOLD_FUNCTION && says(line->function)) {
        to.text = line->function;
    } else if (by == WW_FOLD_SOURCE) {
        to.text = "(no line of the source)";
    } else {
        to.text = line->kernel;
    }
    return to;
}

static ww_status check_sources(const ww_lines *lines, ww_error *err)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->line[i].source_line != 0) {
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND,
                   "no line says which one of the source it comes from: compile with -lineinfo");
}

ww_status ww_lines_fold(const ww_lines *lines, ww_line_fold by, ww_lines *out, ww_error *err)
{
    if (by == WW_FOLD_SOURCE || by == WW_FOLD_FUNCTION) {
        WW_TRY(check_sources(lines, err));
    }
    out->has_joules = lines->has_joules;
    for (size_t i = 0; i < lines->count; i++) {
        const ww_line to = folded(&lines->line[i], by);
        WW_TRY(ww_lines_add(out, &to, err));
    }
    return WW_OK;
}

ww_lines_sum ww_lines_sum_up(const ww_lines *lines, const char *workload)
{
    static const char *const idle[] = {"(static)", "(standby)", "(active SMs)"};
    ww_lines_sum sum = {0};
    for (size_t i = 0; i < lines->count; i++) {
        const ww_line *line = &lines->line[i];
        if (strcmp(line->workload, workload) != 0) {
            continue;
        }
        sum.slots += ww_line_slots(line);
        sum.all_j += ww_line_j(line);
        for (size_t k = 0; line->line == 0 && k < WW_ARRAY_LEN(idle); k++) {
            sum.idle_j += strcmp(line->text, idle[k]) == 0 ? ww_line_j(line) : 0;
        }
    }
    return sum;
}
