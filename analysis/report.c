/* report.c - loading what a report is about, and writing its files. */
#include "analysis/report.h"

#include <stdio.h>
#include <string.h>

#include "analysis/report_parts.h"
#include "analysis/result_folders.h"
#include "analysis/result_store.h"
#include "base/file.h"

ww_status ww_report_create(ww_report **out, ww_error *err)
{
    *out = WW_NEW(ww_report);
    return *out != NULL ? WW_OK : ww_no_memory(err);
}

static void set_fini(ww_report_set *set)
{
    ww_study_destroy(set->study);
    ww_run_info_fini(&set->info);
    ww_csv_destroy(set->trace);
    ww_csv_destroy(set->area);
    ww_lines_fini(&set->lines);
    ww_csv_destroy(set->timeline);
    ww_csv_destroy(set->pass);
    ww_free(set->measures.measure);
    set->measures = (ww_report_measures){0};
}

void ww_report_destroy(ww_report *report)
{
    if (report != NULL) {
        for (size_t i = 0; i < report->count; i++) {
            set_fini(&report->set[i]);
        }
        ww_free(report->set);
        ww_arena_fini(&report->arena);
        ww_free(report);
    }
}

/* ---- loading ---- */

static bool is_label_taken(const ww_report *report, const char *label)
{
    for (size_t i = 0; i < report->count; i++) {
        if (strcmp(report->set[i].label, label) == 0) {
            return true;
        }
    }
    return false;
}

/* The folder's own name, the whole path when that is taken, and a number behind it when that is
 * taken too. */
static const char *new_label(ww_report *report, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    char *trimmed = ww_arena_strndup(&report->arena, path, length);
    if (trimmed == NULL) {
        return NULL;
    }
    const char *base = ww_path_base(trimmed);
    const char *label = is_label_taken(report, base) ? trimmed : base;
    for (unsigned i = 2; label != NULL && is_label_taken(report, label); i++) {
        label = ww_arena_printf(&report->arena, "%s (%u)", trimmed, i);
    }
    return label;
}

/* Takes what set holds, also on failure. */
static ww_status take_set(ww_report *report, const char *path, ww_report_set *set, ww_error *err)
{
    set->label = new_label(report, path);
    if (report->count == report->capacity) {
        size_t capacity = report->capacity != 0 ? 2 * report->capacity : 4;
        ww_report_set *grown = ww_realloc_array(report->set, capacity, sizeof *grown);
        report->set = grown != NULL ? grown : report->set;
        report->capacity = grown != NULL ? capacity : report->capacity;
    }
    if (set->label == NULL || report->count == report->capacity) {
        set_fini(set);
        return ww_no_memory(err);
    }
    report->set[report->count++] = *set;
    return WW_OK;
}

/* Every folder of a set must be of the first one's configuration. */
static ww_status check_same_machine(const ww_report_set *set, const char *dir, ww_error *err)
{
    ww_run_info info = {0};
    ww_status status = ww_run_info_load(dir, &info, err);
    if (status == WW_OK && strcmp(info.config_hash, set->info.config_hash) != 0) {
        status = ww_fail(err, WW_ESCHEMA,
                         "%s is of another configuration than the folders beside it: name result "
                         "folders one by one",
                         dir);
    }
    ww_run_info_fini(&info);
    return status;
}

/* Power over time is that of one run: two traces have no common time. */
static ww_status load_trace(ww_report *report, const char *dir, ww_report_set *set, ww_error *err)
{
    char *trace = ww_path_join(&report->arena, dir, "trace.csv");
    if (trace == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(trace) ? ww_csv_load(trace, &set->trace, err) : WW_OK;
}

/* One CTA's time is that of one run. */
static ww_status load_timeline(ww_report *report, const char *dir, ww_report_set *set,
                               ww_error *err)
{
    char *path = ww_path_join(&report->arena, dir, WW_TIMELINE_FILE);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    return set->timeline == NULL && ww_file_exists(path) ? ww_csv_load(path, &set->timeline, err)
                                                         : WW_OK;
}

static ww_status load_pass(ww_report *report, const char *dir, ww_report_set *set, ww_error *err)
{
    char *path = ww_path_join(&report->arena, dir, WW_RESULT_OPERATORS);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(path) ? ww_csv_load(path, &set->pass, err) : WW_OK;
}

static ww_status load_lines(ww_report *report, const char *dir, ww_report_set *set, ww_error *err)
{
    char *path = ww_path_join(&report->arena, dir, WW_LINES_FILE);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(path) ? ww_lines_load(&set->lines, path, err) : WW_OK;
}

static ww_status load_measures(ww_report *report, const char *dir, ww_report_set *set,
                               ww_error *err)
{
    char *path = ww_path_join(&report->arena, dir, "mechanisms.csv");
    if (path == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(path) ? ww_report_measures_load(&set->measures, path, &report->arena, err)
                                : WW_OK;
}

/* Results of other versions may lack the kinds of area: they have no figure of it. */
static ww_status load_area(ww_report *report, const char *dir, ww_report_set *set, ww_error *err)
{
    size_t column;
    char *path = ww_path_join(&report->arena, dir, "area.csv");
    if (path == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_file_exists(path)) {
        return WW_OK;
    }
    WW_TRY(ww_csv_load(path, &set->area, err));
    if (ww_csv_find(set->area, "kind", &column, NULL) != WW_OK) {
        ww_csv_destroy(set->area);
        set->area = NULL;
    }
    return WW_OK;
}

static ww_status load_folder(ww_report *report, const char *dir, ww_report_set *set, ww_error *err)
{
    const char **folders = NULL;
    size_t count = 0;
    WW_TRY(ww_result_folders(dir, &report->arena, &folders, &count, err));
    WW_TRY(ww_study_load_results(dir, &set->study, err));
    WW_TRY(ww_run_info_load(folders[0], &set->info, err));
    set->runs = count;
    WW_TRY(load_area(report, folders[0], set, err));
    WW_TRY(load_pass(report, folders[0], set, err));
    if (ww_run_info_peak_ipc(&set->info, &set->peak_ipc, NULL) != WW_OK) {
        set->peak_ipc = 0;
    }
    for (size_t i = 0; i < count; i++) {
        WW_TRY(load_lines(report, folders[i], set, err));
        WW_TRY(load_timeline(report, folders[i], set, err));
        WW_TRY(load_measures(report, folders[i], set, err));
    }
    for (size_t i = 1; i < count; i++) {
        WW_TRY(check_same_machine(set, folders[i], err));
    }
    return count == 1 ? load_trace(report, folders[0], set, err) : WW_OK;
}

/* Joins a set of the same configuration and other kernels, both without a trace (two traces have no
 * common time). */
static bool join(ww_report *report, ww_report_set *set)
{
    for (size_t i = 0; i < report->count; i++) {
        ww_report_set *s = &report->set[i];
        if (s->info.gpu != NULL && strcmp(s->info.config_hash, set->info.config_hash) == 0 &&
            s->trace == NULL && set->trace == NULL && s->pass == NULL && set->pass == NULL &&
            ww_study_append(s->study, set->study, NULL) == WW_OK &&
            ww_lines_add_all(&s->lines, &set->lines, NULL) == WW_OK &&
            ww_report_measures_append(&s->measures, &set->measures, NULL) == WW_OK) {
            s->runs += set->runs;
            set_fini(set);
            return true;
        }
    }
    return false;
}

ww_status ww_report_add_results(ww_report *report, const char *dir, ww_error *err)
{
    ww_report_set set = {0};
    ww_status status = load_folder(report, dir, &set, err);
    if (status != WW_OK) {
        set_fini(&set);
        return status;
    }
    return join(report, &set) ? WW_OK : take_set(report, dir, &set, err);
}

ww_status ww_report_add_tables(ww_report *report, const char *metrics_path, const char *power_path,
                               double peak_ipc, ww_error *err)
{
    ww_report_set set = {.peak_ipc = peak_ipc};
    WW_TRY(ww_study_load_tables(metrics_path, power_path, &set.study, err));
    return take_set(report, metrics_path, &set, err);
}

/* ---- writing ---- */

/* Where files go: a folder named after the page, "2-" before the names of the second of several
 * sets. */
typedef struct stem {
    ww_file_set *files;
    bool spreadsheet;
    const char *folder;
    size_t set, sets;
} stem;

/* Names come from the input: in a file name, only what is harmless in one. */
static void make_harmless(char *name)
{
    for (; *name != '\0'; name++) {
        bool harmless = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                        (*name >= '0' && *name <= '9') || *name == '-';
        *name = harmless ? *name : '_';
    }
}

static ww_status write_beside(const stem *s, const char *name, const char *suffix,
                              const char *ending, const ww_str *text, ww_error *err)
{
    ww_arena arena = {0};
    char number[24] = "";
    if (s->sets > 1 && s->set > 0) {
        snprintf(number, sizeof number, "%zu-", s->set);
    }
    char *tail = ww_arena_printf(&arena, "%s%s%.40s", name, suffix[0] != '\0' ? "-" : "", suffix);
    if (tail != NULL) {
        make_harmless(tail);
    }
    char *path = tail != NULL
                     ? ww_arena_printf(&arena, "%s/%s%s.%s", s->folder, number, tail, ending)
                     : NULL;
    ww_status status = path == NULL
                           ? ww_no_memory(err)
                           : ww_file_set_put(s->files, path, ww_str_text(text), text->len, err);
    ww_arena_fini(&arena);
    return status;
}

static ww_status write_plot(const stem *s, const ww_figure *figure, const ww_plot *plot,
                            ww_error *err)
{
    ww_str svg = {0};
    ww_frame frame = {
        .head = {.id = "plot",
                 .title = plot->title,
                 .description = plot->description,
                 .css_class = "",
                 .standalone = true},
        .width = figure->small ? 340 : 760,
    };
    ww_plot_draw(plot, &frame, &svg);
    ww_status status = ww_str_check(&svg, err);
    status =
        status == WW_OK ? write_beside(s, figure->name, plot->suffix, "svg", &svg, err) : status;
    ww_str_fini(&svg);
    return status;
}

/* The data of a figure, as they are or for a spreadsheet. */
static ww_status write_data(const stem *s, const ww_figure *figure, ww_error *err)
{
    ww_str guarded = {0};
    if (s->spreadsheet) {
        ww_csv_guard(ww_str_text(&figure->csv), &guarded);
    }
    ww_status status = ww_str_check(&guarded, err);
    status = status == WW_OK ? write_beside(s, figure->name, "", "csv",
                                            s->spreadsheet ? &guarded : &figure->csv, err)
                             : status;
    ww_str_fini(&guarded);
    return status;
}

static ww_status write_figure(const stem *s, const ww_figure *figure, ww_error *err)
{
    WW_TRY(write_data(s, figure, err));
    for (size_t k = 0; k < figure->plots; k++) {
        WW_TRY(write_plot(s, figure, &figure->plot[k], err));
    }
    return WW_OK;
}

ww_status ww_report_write_figure(ww_file_set *files, const char *folder, const ww_figure *figure,
                                 ww_error *err)
{
    return write_figure(&(stem){.files = files, .folder = folder}, figure, err);
}

char *ww_report_folder(ww_arena *arena, const char *html_path)
{
    size_t length = strlen(html_path);
    length -= length > 5 && strcmp(html_path + length - 5, ".html") == 0 ? 5 : 0;
    return ww_arena_printf(arena, "%.*s-files", (int)length, html_path);
}

static ww_status write_figures(const stem *s, const ww_figures *figures, ww_error *err)
{
    for (size_t i = 0; i < figures->count; i++) {
        WW_TRY(write_figure(s, &figures->figure[i], err));
    }
    return WW_OK;
}

static ww_status put_files(const ww_report *report, ww_file_set *files, const ww_figures *sets,
                           const ww_figures *comparison, const ww_report_options *options,
                           ww_error *err)
{
    const char *html_path = files->path;
    ww_str page = {0};
    ww_arena arena = {0};
    stem s = {.files = files,
              .spreadsheet = options->spreadsheet,
              .folder = ww_report_folder(&arena, html_path),
              .sets = report->count};
    ww_status status = s.folder == NULL ? ww_no_memory(err) : WW_OK;
    for (size_t i = 0; status == WW_OK && i < report->count; i++) {
        s.set = i + 1;
        status = write_figures(&s, &sets[i], err);
    }
    s.set = 0;
    status = status == WW_OK ? write_figures(&s, comparison, err) : status;
    status =
        status == WW_OK ? ww_report_page(report, sets, comparison, options, &page, err) : status;
    status = status == WW_OK ? ww_file_set_put(files, html_path, ww_str_text(&page), page.len, err)
                             : status;
    ww_str_fini(&page);
    ww_arena_fini(&arena);
    return status;
}

static ww_status write_files(const ww_report *report, const char *html_path, const ww_figures *sets,
                             const ww_figures *comparison, const ww_report_options *options,
                             ww_error *err)
{
    ww_file_set files;
    WW_TRY(ww_file_set_begin(&files, html_path, err));
    files.inputs = options->inputs;
    files.input_count = options->input_count;
    ww_status status = put_files(report, &files, sets, comparison, options, err);
    return ww_file_set_end(&files, status, err);
}

ww_status ww_report_write(ww_report *report, const char *html_path,
                          const ww_report_options *options, ww_error *err)
{
    if (report->count == 0) {
        return ww_fail(err, WW_ERANGE, "a report needs a result folder");
    }
    ww_figures *sets = WW_NEW_ARRAY(ww_figures, report->count);
    ww_figures comparison = {0};
    ww_report_order(report);
    ww_status status = sets != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < report->count; i++) {
        status = ww_figures_of_set(&report->set[i], options, &sets[i], err);
    }
    if (status == WW_OK && report->count == 1) {
        status = ww_figure_mechanisms(report, &sets[0], err);
    }
    status = status == WW_OK ? ww_figures_of_comparison(report, &comparison, err) : status;
    if (status == WW_OK) {
        status = write_files(report, html_path, sets, &comparison, options, err);
    }
    for (size_t i = 0; sets != NULL && i < report->count; i++) {
        ww_figures_fini(&sets[i]);
    }
    ww_figures_fini(&comparison);
    ww_free(sets);
    return status;
}
