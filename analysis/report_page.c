/* report_page.c - the HTML page of a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report_parts.h"
#include "base/num.h"
#include "power/power.h"
#include "analysis/kernel_name.h"

enum { WIDE = 980, NARROW = 350, SMALL = 330, MAX_TABLE_ROWS = 1000 };

void ww_report_base64(ww_str *out, const char *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        unsigned char byte[3] = {0};
        size_t n = length - i < 3 ? length - i : 3;
        memcpy(byte, data + i, n);
        ww_str_add_char(out, digits[byte[0] >> 2]);
        ww_str_add_char(out, digits[(byte[0] & 3) << 4 | byte[1] >> 4]);
        ww_str_add_char(out, n > 1 ? digits[(byte[1] & 15) << 2 | byte[2] >> 6] : '=');
        ww_str_add_char(out, n > 2 ? digits[byte[2] & 63] : '=');
    }
}

char *ww_report_number(double value, char *buf, size_t size)
{
    double magnitude = fabs(value);
    if (value != 0 && (magnitude >= 1e7 || magnitude < 1e-3)) {
        snprintf(buf, size, "%.2e", value);
    } else {
        snprintf(buf, size, "%.*f", magnitude >= 100 ? 1 : magnitude >= 1 ? 2 : 3, value);
    }
    return buf;
}

/* ---- tables ---- */

typedef enum column_kind { COLUMN_EMPTY, COLUMN_WHOLE, COLUMN_REAL, COLUMN_TEXT } column_kind;

/* The narrowest kind that holds every field of a column. */
static column_kind kind_of(const ww_csv *csv, size_t column)
{
    column_kind kind = COLUMN_EMPTY;
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        const char *text = ww_csv_text(csv, row, column);
        double value = 0;
        if (text[0] == '\0') {
            continue;
        }
        if (ww_num_parse_double(text, &value, NULL) != WW_OK) {
            return COLUMN_TEXT;
        }
        bool whole = value == floor(value) && fabs(value) < 1e9;
        kind = !whole || kind == COLUMN_REAL ? COLUMN_REAL : COLUMN_WHOLE;
    }
    return kind;
}

static bool is_number(column_kind kind)
{
    return kind == COLUMN_WHOLE || kind == COLUMN_REAL;
}

static void put_head(ww_str *out, const ww_csv *csv, size_t column, bool numeric)
{
    const char *unit = ww_csv_unit(csv, column);
    ww_str_addf(out, "<th scope=\"col\"%s>", numeric ? " class=\"n\"" : "");
    ww_markup_text(out, ww_csv_name(csv, column));
    if (unit[0] != '\0' && strcmp(unit, "1") != 0) {
        ww_str_add(out, "<small>");
        ww_markup_text(out, unit);
        ww_str_add(out, "</small>");
    }
    ww_str_add(out, "</th>");
}

static void put_field(ww_str *out, const char *text, column_kind kind, bool first)
{
    double value;
    char number[40];
    if (kind == COLUMN_REAL && ww_num_parse_double(text, &value, NULL) == WW_OK) {
        text = ww_report_number(value, number, sizeof number);
    }
    bool head = first && kind == COLUMN_TEXT;
    ww_str_add(out, head ? "<th scope=\"row\">" : is_number(kind) ? "<td class=\"n\">" : "<td>");
    ww_markup_text(out, text);
    ww_str_add(out, head ? "</th>" : "</td>");
}

static void put_rows(ww_str *out, const ww_csv *csv, const column_kind *kind, ww_arena *arena)
{
    size_t rows = ww_csv_rows(csv) < MAX_TABLE_ROWS ? ww_csv_rows(csv) : MAX_TABLE_ROWS;
    for (size_t row = 0; row < rows; row++) {
        ww_str_add(out, "<tr>");
        for (size_t c = 0; c < ww_csv_columns(csv); c++) {
            if (kind[c] != COLUMN_EMPTY) {
                const char *text = ww_csv_text(csv, row, c);
                bool kernel = strcmp(ww_csv_name(csv, c), "kernel") == 0;
                put_field(out, kernel ? ww_kernel_plain(arena, text) : text, kind[c], c == 0);
            }
        }
        ww_str_add(out, "</tr>\n");
    }
}

/* A figure's data as a table; columns without any value are left out. */
static ww_status put_table(ww_str *out, const ww_figure *figure, ww_error *err)
{
    ww_csv *csv = NULL;
    ww_arena arena = {0};
    WW_TRY(ww_csv_parse(figure->name, ww_str_text(&figure->csv), figure->csv.len, &csv, err));
    size_t columns = ww_csv_columns(csv);
    column_kind *kind = WW_ARENA_NEW_ARRAY(&arena, column_kind, columns);
    if (kind == NULL) {
        ww_csv_destroy(csv);
        ww_arena_fini(&arena);
        return ww_no_memory(err);
    }
    ww_str_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    ww_markup_text(out, figure->title);
    ww_str_add(out, ": data\"><table class=\"sort\"><thead><tr>");
    for (size_t c = 0; c < columns; c++) {
        kind[c] = kind_of(csv, c);
        if (kind[c] != COLUMN_EMPTY) {
            put_head(out, csv, c, is_number(kind[c]));
        }
    }
    ww_str_add(out, "</tr></thead>\n<tbody>\n");
    put_rows(out, csv, kind, &arena);
    ww_str_add(out, "</tbody></table></div>\n");
    if (ww_csv_rows(csv) > MAX_TABLE_ROWS) {
        ww_str_addf(out, "<p class=\"note\">The first %d of %zu rows; the file has all.</p>\n",
                    MAX_TABLE_ROWS, ww_csv_rows(csv));
    }
    ww_csv_destroy(csv);
    ww_arena_fini(&arena);
    return WW_OK;
}

/* ---- figures ---- */

/* id of the figure in the page: "s1-breakdown" */
static void put_id(ww_str *out, size_t set, const ww_figure *figure)
{
    ww_str_addf(out, "s%zu-%s", set, figure->name);
}

static void put_plot(ww_str *out, const ww_figure *figure, size_t i, size_t set)
{
    static const struct {
        const char *css_class;
        double width;
        bool narrow;
    } sizes[] = {{"plot wide-screen", WIDE, false}, {"plot small-screen", NARROW, true}};
    const ww_plot *plot = &figure->plot[i];
    ww_str_add(out, "<figure>\n");
    for (size_t k = 0; k < (figure->small ? 1 : WW_ARRAY_LEN(sizes)); k++) {
        char id[64];
        snprintf(id, sizeof id, "s%zu-%s-%zu%c", set, figure->name, i, k == 0 ? 'w' : 'n');
        ww_frame frame = {
            .head = {.id = id,
                     .title = plot->title,
                     .description = plot->description,
                     .css_class = figure->small ? "plot" : sizes[k].css_class},
            .width = figure->small ? SMALL : sizes[k].width,
            .narrow = sizes[k].narrow,
        };
        ww_plot_draw(plot, &frame, out);
    }
    ww_str_add(out, "</figure>\n");
}

static void put_download(ww_str *out, const ww_figure *figure)
{
    ww_str_addf(
        out, "<p class=\"files\"><a download=\"%s.csv\" href=\"data:text/csv;charset=utf-8;base64,",
        figure->name);
    ww_report_base64(out, ww_str_text(&figure->csv), figure->csv.len);
    ww_str_add(out, "\">Download the data (CSV)</a></p>\n");
}

ww_status ww_report_put_figure(ww_str *out, const ww_figure *figure, size_t set, ww_error *err)
{
    ww_str_add(out, "<section class=\"card\" id=\"");
    put_id(out, set, figure);
    ww_str_add(out, "\">\n<h3>");
    ww_markup_text(out, figure->title);
    ww_str_add(out, "</h3>\n<p class=\"note\">");
    ww_markup_text(out, figure->note);
    ww_str_add(out, "</p>\n");
    if (figure->small) {
        ww_str_add(out, "<div class=\"grid\">\n");
    }
    for (size_t i = 0; i < figure->plots; i++) {
        put_plot(out, figure, i, set);
    }
    if (figure->small) {
        ww_str_add(out, "</div>\n");
    }
    put_download(out, figure);
    ww_str_add(out, figure->open_table ? "" : "<details><summary>Data as a table</summary>\n");
    WW_TRY(put_table(out, figure, err));
    ww_str_add(out, figure->open_table ? "</section>\n" : "</details>\n</section>\n");
    return WW_OK;
}

/* ---- one set ---- */

static void put_tile(ww_str *out, const char *name, const char *value)
{
    ww_str_add(out, "<div class=\"tile\"><dt>");
    ww_markup_text(out, name);
    ww_str_add(out, "</dt><dd>");
    ww_markup_text(out, value);
    ww_str_add(out, "</dd></div>\n");
}

/* A quantity and, above 0, its uncertainty, with the prefix that leaves one to three digits before
 * the point. */
static void put_scaled_tile(ww_str *out, const char *name, double value, double sigma,
                            const char *unit)
{
    static const struct {
        double factor;
        const char *prefix;
    } scales[] = {{1, ""}, {1e-3, "m"}, {1e-6, "\xC2\xB5"}, {1e-9, "n"}};
    char text[120], number[40], error[48] = "";
    size_t i = 0;
    while (i + 1 < WW_ARRAY_LEN(scales) && value < scales[i].factor) {
        i++;
    }
    if (sigma > 0) {
        const char *point =
            strchr(ww_report_number(value / scales[i].factor, number, sizeof number), '.');
        snprintf(error, sizeof error, " \xC2\xB1 %.*f", point != NULL ? (int)strlen(point + 1) : 0,
                 sigma / scales[i].factor);
    }
    snprintf(text, sizeof text, "%s%s %s%s",
             ww_report_number(value / scales[i].factor, number, sizeof number), error,
             scales[i].prefix, unit);
    put_tile(out, name, text);
}

/* Totals over all kernels, as far as the set knows time and static power. */
static void put_tiles(ww_str *out, const ww_report_set *set)
{
    const ww_study *s = set->study;
    char text[80];
    double time_s = 0, energy_j = 0, dynamic_j = 0, sigma_j = 0;
    for (size_t k = 0; k < s->kernel_count; k++) {
        double static_w = isnan(s->static_w[k]) ? 0 : s->static_w[k];
        time_s += s->time_s[k];
        dynamic_j += s->dynamic_w[k] * s->time_s[k];
        energy_j += (s->dynamic_w[k] + static_w) * s->time_s[k];
        sigma_j += s->sigma_w[k] * s->time_s[k];
    }
    bool has_static = s->kernel_count > 0 && !isnan(s->static_w[0]);
    ww_str_add(out, "<dl class=\"tiles\">\n");
    if (time_s > 0 && dynamic_j > 0) {
        put_scaled_tile(out, has_static ? "Energy, all kernels" : "Dynamic energy", energy_j,
                        has_static ? sigma_j : 0, "J");
        if (has_static) {
            char error[40] = "";
            if (sigma_j > 0) {
                snprintf(error, sizeof error, " \xC2\xB1 %.1f", sigma_j / time_s);
            }
            snprintf(text, sizeof text, "%.1f%s W", energy_j / time_s, error);
            put_tile(out, "Mean total power", text);
        }
        snprintf(text, sizeof text, "%.1f W", dynamic_j / time_s);
        put_tile(out, "Mean dynamic power", text);
        put_scaled_tile(out, "Time, all kernels", time_s, 0, "s");
    }
    snprintf(text, sizeof text, "%zu", s->kernel_count);
    put_tile(out, "Kernels", text);
    if (set->peak_ipc > 0) {
        snprintf(text, sizeof text, "%g", set->peak_ipc);
        put_tile(out, "Peak IPC", text);
    }
    ww_str_add(out, "</dl>\n");
}

static void put_cell(ww_str *out, const char *tag, const char *text)
{
    ww_str_addf(out, "<%s>", tag);
    ww_markup_text(out, text);
    ww_str_addf(out, "</%.2s>", tag); /* the name without attributes */
}

static void put_parameter(ww_str *out, const ww_run_parameter *p)
{
    char line[24] = "";
    if (p->line > 0) {
        snprintf(line, sizeof line, ":%d", p->line);
    }
    ww_str_add(out, "<tr>");
    put_cell(out, "th scope=\"row\"", p->key);
    put_cell(out, "td", p->value);
    put_cell(out, "td", strcmp(p->unit, "1") == 0 ? "" : p->unit);
    put_cell(out, "td class=\"w\"", p->source);
    ww_str_add(out, "<td>");
    ww_markup_text(out, p->file);
    ww_str_addf(out, "%s</td></tr>\n", line);
}

static size_t group_length(const char *key)
{
    return strcspn(key, ".");
}

/* Every parameter with its source, folded by the first part of its key. */
static void put_configuration(ww_str *out, const ww_run_info *info, size_t set)
{
    ww_str_addf(out,
                "<section class=\"card\" id=\"s%zu-configuration\">\n<h3>Configuration</h3>\n<p "
                "class=\"note\">",
                set);
    ww_str_add(out, "Every parameter of the simulated GPU, its source and the file and line that "
                    "set it. Hash ");
    ww_markup_text(out, info->config_hash);
    ww_str_add(out, ".</p>\n");
    for (size_t i = 0; i < info->parameter_count;) {
        const char *key = info->parameter[i].key;
        size_t n = group_length(key), count = 0;
        while (i + count < info->parameter_count &&
               group_length(info->parameter[i + count].key) == n &&
               strncmp(info->parameter[i + count].key, key, n) == 0) {
            count++;
        }
        ww_str_add(out, "<details><summary>");
        char *group = ww_strdup(key);
        if (group != NULL) {
            group[n] = '\0';
            ww_markup_text(out, group);
        }
        out->failed |= group == NULL;
        ww_free(group);
        ww_str_addf(out,
                    " (%zu)</summary>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>",
                    count);
        ww_str_add(
            out,
            "<th scope=\"col\">parameter</th><th scope=\"col\">value</th><th "
            "scope=\"col\">unit</th>"
            "<th scope=\"col\">source</th><th scope=\"col\">set in</th></tr></thead>\n<tbody>\n");
        for (size_t k = 0; k < count; k++) {
            put_parameter(out, &info->parameter[i + k]);
        }
        ww_str_add(out, "</tbody></table></div></details>\n");
        i += count;
    }
    ww_str_add(out, "</section>\n");
}

static void put_link(ww_str *out, const char *id_tail, size_t set, const char *text)
{
    ww_str_addf(out, "<a href=\"#s%zu-%s\">", set, id_tail);
    ww_markup_text(out, text);
    ww_str_add(out, "</a>\n");
}

/* How far its watts can be trusted: what they were calibrated to. */
static void put_calibration(ww_str *out, const ww_run_info *info)
{
    const char *text = info->gpu != NULL ? ww_run_info_value(info, "power.calibration") : NULL;
    if (text == NULL) {
        return;
    }
    ww_str_addf(out, "<p class=\"lead\">Power model: <strong>%s</strong> (",
                ww_calibration_state(text));
    ww_markup_text(out, text);
    ww_str_add(out, ")</p>\n");
}

static ww_status put_set(ww_str *out, const ww_report_set *set, const ww_figures *figures,
                         size_t index, ww_error *err)
{
    ww_str_addf(out, "<h2 id=\"s%zu-set\">", index);
    ww_markup_text(out, set->label);
    ww_str_add(out, "</h2>\n<p class=\"lead\">");
    if (set->info.gpu != NULL) {
        const char *product = ww_run_info_value(&set->info, "chip.name");
        ww_markup_text(out, product != NULL ? product : set->info.gpu);
        ww_str_add(out, " (");
        ww_markup_text(out, set->info.gpu);
        ww_str_add(out, ") \xC2\xB7 <code>");
        ww_markup_text(out, set->info.command);
        ww_str_add(out, "</code>");
        if (set->runs > 1) {
            ww_str_addf(out, " and %zu more run%s of this machine", set->runs - 1,
                        set->runs > 2 ? "s" : "");
        }
    } else {
        ww_str_add(out, "from tables");
    }
    ww_str_add(out, "</p>\n");
    put_calibration(out, &set->info);
    put_tiles(out, set);
    ww_str_add(out, "<nav aria-label=\"Figures of this set\">\n");
    for (size_t i = 0; i < figures->count; i++) {
        put_link(out, figures->figure[i].name, index, figures->figure[i].title);
    }
    if (set->info.gpu != NULL) {
        put_link(out, "configuration", index, "Configuration");
    }
    if (index == 1) {
        ww_str_add(out, "<a href=\"#glossary\">What the names mean</a>\n");
    }
    ww_str_add(out, "</nav>\n");
    for (size_t i = 0; i < figures->count; i++) {
        WW_TRY(ww_report_put_figure(out, &figures->figure[i], index, err));
    }
    if (set->info.gpu != NULL) {
        put_configuration(out, &set->info, index);
    }
    return WW_OK;
}

/* ---- the page ---- */

void ww_report_page_start(ww_str *out, const char *title, const char *heading)
{
    ww_str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>WarpWatt: ");
    ww_markup_text(out, title);
    ww_str_add(out, "</title>\n<style>\n");
    ww_report_style(out);
    ww_str_add(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
    ww_markup_text(out, heading);
    ww_str_add(out, "</h1>\n");
}

void ww_report_page_end(ww_str *out)
{
    ww_str_add(out, "<script>");
    ww_str_add(out, ww_report_js);
    ww_str_add(out, "</script>\n</body>\n</html>\n");
}

static void put_start(ww_str *out, const ww_report *report)
{
    ww_report_page_start(out, report->set[0].label, "GPU power and energy");
    if (report->count > 1) {
        ww_str_add(out,
                   "<nav aria-label=\"Result sets\">\n<a href=\"#s0-comparison\">Comparison</a>\n");
        for (size_t i = 0; i < report->count; i++) {
            put_link(out, "set", i + 1, report->set[i].label);
        }
        ww_str_add(out, "<a href=\"#glossary\">What the names mean</a>\n</nav>\n");
    }
    ww_str_add(out, "</header>\n<main>\n");
}

ww_status ww_report_page(const ww_report *report, const ww_figures *sets,
                         const ww_figures *comparison, const ww_report_options *options,
                         ww_str *out, ww_error *err)
{
    put_start(out, report);
    if (report->count > 1 && comparison->comparison.kernels == 0) {
        ww_str_add(out, "<p class=\"note\" id=\"s0-comparison\">The sets share no kernel: nothing "
                        "to compare.</p>\n");
    }
    for (size_t i = 0; i < comparison->count; i++) {
        WW_TRY(ww_report_put_figure(out, &comparison->figure[i], 0, err));
    }
    for (size_t i = 0; i < report->count; i++) {
        WW_TRY(put_set(out, &report->set[i], &sets[i], i + 1, err));
    }
    ww_report_put_glossary(out, report);
    ww_str_add(out, "</main>\n<footer>WarpWatt ");
    ww_markup_text(out, options->version);
    ww_str_addf(out, " \xC2\xB7 bootstrap of %zu resamples, seed %llu</footer>\n",
                options->resamples, (unsigned long long)options->seed);
    ww_report_page_end(out);
    return ww_str_check(out, err);
}
