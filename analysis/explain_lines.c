/* explain_lines.c - see explain_lines.h. */
#include "analysis/explain_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/line_fold.h"
#include "analysis/result_folders.h"
#include "analysis/study.h"
#include "base/assert.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/map.h"

/* Lines of both runs under way to their pairs. */
typedef struct pairing {
    ww_arena *arena;
    const char *kernel;
    ww_map index; /* of a pair, by key */
    ww_explain_lines *out;
    size_t room;
    bool by_source;
} pairing;

/* The lines of all result folders of a run; *known: each has some, with joules. */
static ww_status load(ww_arena *arena, const char *dir, ww_lines *lines, bool *known, ww_error *err)
{
    const char **folder;
    size_t count;
    *known = true;
    WW_TRY(ww_result_folders(dir, arena, &folder, &count, err));
    for (size_t i = 0; i < count && *known; i++) {
        const char *path = ww_path_join(arena, folder[i], WW_LINES_FILE);
        if (path == NULL) {
            return ww_no_memory(err);
        }
        *known = ww_file_exists(path);
        WW_TRY(*known ? ww_lines_load(lines, path, err) : WW_OK);
    }
    *known = *known && lines->has_joules;
    return WW_OK;
}

static bool has_sources(const ww_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->line[i].source_line != 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const pairing *p, const ww_line *line)
{
    const char *label = ww_study_label(p->arena, line->workload, line->kernel);
    return p->kernel == NULL || strcmp(p->kernel, line->kernel) == 0 ||
           (label != NULL && strcmp(p->kernel, label) == 0);
}

/* Files are known by their names: the same source may lie elsewhere. */
static void put_key(const ww_line *line, bool by_source, ww_str *key)
{
    ww_str_addf(key, "%s\t%s\t%s\t%u\t%s", line->workload, line->kernel, ww_path_base(line->file),
                line->line, by_source && line->line != 0 ? line->function : line->text);
}

static ww_status grow(pairing *p, ww_error *err)
{
    ww_explain_lines *out = p->out;
    if (out->count < p->room) {
        return WW_OK;
    }
    size_t room = p->room > 0 ? 2 * p->room : 64;
    ww_explain_line *more = WW_ARENA_NEW_ARRAY(p->arena, ww_explain_line, room);
    if (more == NULL) {
        return ww_no_memory(err);
    }
    if (out->count > 0) {
        memcpy(more, out->line, out->count * sizeof *more);
    }
    out->line = more;
    p->room = room;
    return WW_OK;
}

static const char *copy(const pairing *p, const char *text)
{
    return ww_arena_strndup(p->arena, text, strlen(text));
}

static ww_status name_line(const pairing *p, const ww_line *line, ww_explain_line *out,
                           ww_error *err)
{
    out->workload = copy(p, line->workload);
    out->kernel = copy(p, line->kernel);
    out->text = copy(p, line->text);
    out->place = line->line != 0
                     ? ww_arena_printf(p->arena, "%s:%u", ww_path_base(line->file), line->line)
                     : "";
    return out->workload != NULL && out->kernel != NULL && out->text != NULL && out->place != NULL
               ? WW_OK
               : ww_no_memory(err);
}

static ww_status add_line(pairing *p, const ww_line *line, bool base, ww_error *err)
{
    ww_str key = {0};
    bool added = false;
    put_key(line, p->by_source, &key);
    ww_map_entry *entry = key.failed ? NULL : ww_map_add(&p->index, ww_str_text(&key), &added);
    ww_str_fini(&key);
    if (entry == NULL) {
        return ww_no_memory(err);
    }
    if (added) {
        WW_TRY(grow(p, err));
        entry->num = (int64_t)p->out->count;
        p->out->line[p->out->count] = (ww_explain_line){0};
        WW_TRY(name_line(p, line, &p->out->line[p->out->count++], err));
    }
    ww_explain_line *to = &p->out->line[entry->num];
    const double joules = ww_line_j(line);
    *(base ? &to->in_base : &to->in_other) = true;
    *(base ? &to->base_j : &to->other_j) += joules;
    *(base ? &p->out->base_j : &p->out->other_j) += joules;
    return WW_OK;
}

static ww_status add_lines(pairing *p, const ww_lines *lines, bool base, ww_error *err)
{
    ww_lines folded = {0};
    ww_status status =
        ww_lines_fold(lines, p->by_source ? WW_FOLD_SOURCE : WW_FOLD_PTX, &folded, err);
    for (size_t i = 0; status == WW_OK && i < folded.count; i++) {
        if (is_wanted(p, &folded.line[i])) {
            status = add_line(p, &folded.line[i], base, err);
        }
    }
    ww_lines_fini(&folded);
    return status;
}

static int by_difference(const void *a, const void *b)
{
    const ww_explain_line *x = a, *y = b;
    const double dx = fabs(x->difference_j), dy = fabs(y->difference_j);
    if (dx > dy || dx < dy) {
        return dx > dy ? -1 : 1;
    }
    int names = strcmp(x->kernel, y->kernel);
    names = names != 0 ? names : strcmp(x->place, y->place);
    names = names != 0 ? names : strcmp(x->text, y->text);
    return names != 0 ? names : strcmp(x->workload, y->workload);
}

ww_status ww_explain_find_lines(ww_explanation *e, const char *kernel, ww_explain_lines *out,
                                ww_error *err)
{
    ww_lines base = {0}, other = {0};
    bool base_known = false, other_known = false;
    pairing p = {.arena = &e->arena, .kernel = kernel, .out = out};
    *out = (ww_explain_lines){0};
    ww_status status = load(&e->arena, e->base.dir, &base, &base_known, err);
    status = status == WW_OK ? load(&e->arena, e->other.dir, &other, &other_known, err) : status;
    out->known = status == WW_OK && base_known && other_known;
    if (out->known) {
        p.by_source = has_sources(&base) && has_sources(&other);
        status = add_lines(&p, &base, true, err);
        status = status == WW_OK ? add_lines(&p, &other, false, err) : status;
    }
    for (size_t i = 0; i < out->count; i++) {
        out->line[i].difference_j = out->line[i].other_j - out->line[i].base_j;
    }
    if (status == WW_OK && out->count > 0) {
        qsort(out->line, out->count, sizeof *out->line, by_difference);
    }
    ww_map_fini(&p.index);
    ww_lines_fini(&base);
    ww_lines_fini(&other);
    return status;
}

const char *ww_explain_unit_of_lines(const ww_explain_lines *lines, size_t count, double *scale)
{
    double most_j = 0;
    WW_ASSERT(count <= lines->count);
    for (size_t i = 0; i < count; i++) {
        most_j = fmax(most_j, fmax(lines->line[i].base_j, lines->line[i].other_j));
    }
    return ww_explain_unit_of(most_j, scale);
}

ww_status ww_explain_export_lines(const ww_explain_lines *lines, ww_str *out, ww_error *err)
{
    static const char *const names[] = {"workload", "kernel", "place", "text", "in"};
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(&csv, names[i], NULL);
    }
    WW_CSV_HEAD(&csv, {"base", "J"}, {"other", "J"}, {"difference", "J"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < lines->count; i++) {
        const ww_explain_line *line = &lines->line[i];
        ww_csv_put_text(&csv, line->workload);
        ww_csv_put_text(&csv, line->kernel);
        ww_csv_put_text(&csv, line->place);
        ww_csv_put_text(&csv, line->text);
        ww_csv_put_text(&csv, !line->in_other ? "base" : !line->in_base ? "other" : "both");
        WW_CSV_DOUBLES(&csv, line->base_j, line->other_j, line->difference_j);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}
