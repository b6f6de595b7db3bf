/* report_lines.c - the lines of kernels that the issue slots went to, as a table of the report. */
#include "analysis/hot_lines.h"
#include "analysis/report_parts.h"

enum {
    TOP = 10,
    FEWEST_PARTS = 100
}; /* lines per kernel; kernels below 1/100 of the slots: none */

static void put_percent(ww_csv_writer *csv, uint64_t part, uint64_t whole)
{
    ww_csv_put_double(csv, whole > 0 ? 100.0 * (double)part / (double)whole : 0);
}

/* Joules and misses; empty where there are none. */
static void put_joules(ww_csv_writer *csv, const ww_hot_kernel *k, const ww_line *line)
{
    ww_csv_put_double(csv, 1e6 * ww_line_j(line));
    ww_csv_put_double(csv, k->workload_j > 0 ? 100.0 * ww_line_j(line) / k->workload_j : 0);
    for (int e = 0; e < WW_LINE_EVENT_COUNT; e++) {
        ww_csv_put_u64(csv, line->event[e]);
    }
}

/* Where a row is, and what stands there: of one that no line causes, its name. */
static void put_place(ww_csv_writer *csv, const ww_line *line, bool sources)
{
    char text[WW_HOT_TEXT];
    ww_csv_put_text(csv, line->workload);
    ww_csv_put_text(csv, line->kernel);
    ww_csv_put_text(csv, ww_hot_place(line, text, sizeof text));
    ww_csv_put_text(csv, line->text);
    if (sources) {
        ww_csv_put_text(csv, ww_hot_source(line, text, sizeof text));
    }
}

static void put_kernel(ww_csv_writer *csv, const ww_hot_kernel *k, bool sources, bool joules)
{
    char text[WW_HOT_TEXT];
    for (size_t i = 0; i < k->count; i++) {
        const ww_line *line = k->line[i];
        uint64_t slots = ww_line_slots(line), issued = line->count[WW_LINE_ISSUED];
        put_place(csv, line, sources);
        put_percent(csv, issued, k->slots);
        put_percent(csv, slots - issued, k->slots);
        put_percent(csv, line->count[WW_LINE_AWAITED], k->slots);
        if (joules) {
            put_joules(csv, k, line);
        }
        ww_csv_put_text(csv, ww_hot_reasons(line, k->slots, text, sizeof text));
        ww_csv_end_row(csv);
    }
}

static void put_heads(ww_csv_writer *csv, bool sources, bool joules)
{
    static const char *const where[] = {"workload", "kernel", "line", "text"};
    static const char *const slots[] = {"issued", "lost", "awaited"};
    for (size_t i = 0; i < WW_ARRAY_LEN(where); i++) {
        ww_csv_put_header(csv, where[i], NULL);
    }
    if (sources) {
        ww_csv_put_header(csv, "source", NULL);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(slots); i++) {
        ww_csv_put_header(csv, slots[i], "%");
    }
    if (joules) {
        ww_csv_put_header(csv, "energy", "uJ");
        ww_csv_put_header(csv, "energy share", "%");
    }
    for (int e = 0; joules && e < WW_LINE_EVENT_COUNT; e++) {
        ww_csv_put_header(csv, ww_line_event_name((ww_line_event)e), NULL);
    }
    ww_csv_put_header(csv, "lost to", NULL);
    ww_csv_end_row(csv);
}

static void put_table(ww_csv_writer *csv, const ww_hot_lines *hot, bool joules)
{
    uint64_t slots = 0;
    bool sources = false;
    for (size_t k = 0; k < hot->kernel_count; k++) {
        slots += hot->kernel[k].slots;
        sources = sources || hot->kernel[k].has_source;
    }
    put_heads(csv, sources, joules);
    for (size_t k = 0; k < hot->kernel_count; k++) {
        if (hot->kernel[k].slots >= slots / FEWEST_PARTS ||
            *hot->kernel[k].line[0]->kernel == '\0') {
            put_kernel(csv, &hot->kernel[k], sources, joules);
        }
    }
}

ww_status ww_figure_lines(const ww_report_set *set, ww_figures *f, ww_error *err)
{
    ww_hot_lines hot = {0};
    ww_status status = ww_hot_lines_find(&set->lines, TOP, WW_SORT_HEAT, &hot, err);
    ww_figure *figure =
        ww_figures_add(f, "lines", "Where kernels wait",
                       "Issue slots of each kernel in percent, its ten hottest lines in the order "
                       "of the program. Lost: slots in which this line waited. Awaited: slots in "
                       "which another line waited for this one's result. Energy: of the line's "
                       "events, its share of all that the workload spends; what no line causes, "
                       "as static energy, is the workload's rows without a kernel.",
                       0);
    if (status == WW_OK && figure == NULL) {
        status = ww_no_memory(err);
    }
    if (status == WW_OK) {
        ww_csv_writer csv;
        figure->open_table = true;
        ww_csv_init(&csv, &figure->csv);
        put_table(&csv, &hot, set->lines.has_joules);
        status = ww_csv_finish(&csv, err);
    }
    ww_hot_lines_fini(&hot);
    return status;
}
