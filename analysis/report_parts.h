/* report_parts.h - what a report is made of: sets that were loaded, and figures that are drawn.
 * Private to analysis/. */
#ifndef WW_ANALYSIS_REPORT_PARTS_H
#define WW_ANALYSIS_REPORT_PARTS_H

#include "analysis/categories.h"
#include "analysis/chart.h"
#include "analysis/compare.h"
#include "analysis/correlate.h"
#include "analysis/report.h"
#include "analysis/run_info.h"
#include "analysis/study.h"
#include "base/csv.h"
#include "base/file_set.h"
#include "counters/lines.h"
#include "counters/timeline.h"

/* ---- what was loaded ---- */

/* A mechanism's measure of a kernel, over its launches; texts are the report's. */
typedef struct ww_report_measure {
    const char *workload, *kernel, *mechanism, *measure, *unit, *meaning;
    double sum;
    size_t launches; /* that have a value */
} ww_report_measure;
typedef struct ww_report_measures {
    ww_report_measure *measure;
    size_t count, capacity;
} ww_report_measures;

typedef struct ww_report_set {
    const char *label; /* distinct; owned by the report */
    ww_study *study;
    ww_run_info info; /* of the first run; gpu NULL: made of tables */
    size_t runs;
    double peak_ipc;             /* 0: unknown */
    ww_csv *trace;               /* NULL: none */
    ww_csv *area;                /* area.csv; NULL: none */
    ww_lines lines;              /* none without a profile */
    ww_csv *timeline;            /* of the first run that has one; NULL: none */
    ww_csv *pass;                /* operators of the first run's pass; NULL: it ran no model */
    ww_report_measures measures; /* none without mechanisms */
} ww_report_set;

struct ww_report {
    ww_arena arena;
    ww_report_set *set;
    size_t count, capacity;
};

/* ---- figures ---- */

typedef enum ww_plot_kind {
    WW_PLOT_STACK,
    WW_PLOT_HEAT,
    WW_PLOT_SCATTER,
    WW_PLOT_AREA,
    WW_PLOT_RATIO,
    WW_PLOT_COLUMNS,
    WW_PLOT_LINES,
    WW_PLOT_WATERFALL,
    WW_PLOT_ROOFLINE,
    WW_PLOT_TIMELINE
} ww_plot_kind;

typedef struct ww_plot {
    const char *suffix;              /* of its file name; "" when the figure has one plot */
    const char *title, *description; /* for screen readers */
    ww_plot_kind kind;
    union {
        ww_stack_chart stack;
        ww_heat_chart heat;
        ww_scatter_chart scatter;
        ww_area_chart area;
        ww_ratio_chart ratio;
        ww_column_chart columns;
        ww_line_chart lines;
        ww_waterfall_chart waterfall;
        ww_roofline_chart roofline;
        ww_timeline_chart timeline;
    } chart;
} ww_plot;

/* Plots with one heading and one table behind them. */
typedef struct ww_figure {
    const char *name; /* "breakdown": part of ids and file names */
    const char *title, *note;
    ww_plot *plot;
    size_t plots;
    bool small;      /* plots of a grid, not drawn anew for phones */
    bool open_table; /* the table is shown without asking */
    ww_str csv;
} ww_figure;

enum { WW_MAX_FIGURES = 15 };

typedef struct ww_figures {
    ww_arena arena; /* owns titles and chart data */
    ww_figure figure[WW_MAX_FIGURES];
    size_t count;
    ww_correlation_matrix correlation;
    ww_categories categories;
    ww_comparison comparison;
} ww_figures;

/** All figures of one set. Data that a figure needs and the set lacks leave it out. */
WW_NODISCARD ww_status ww_figures_of_set(const ww_report_set *set, const ww_report_options *options,
                                         ww_figures *out, ww_error *err);
/** The figures that compare all sets with the first; none when they share no kernel. */
WW_NODISCARD ww_status ww_figures_of_comparison(const ww_report *report, ww_figures *out,
                                                ww_error *err);
/** Power over time from the set's trace, which it must have. */
WW_NODISCARD ww_status ww_figure_trace(const ww_report_set *set, ww_figures *out, ww_error *err);
/** Joules of every kernel by component; of a study that ww_report_has_energy. */
WW_NODISCARD ww_status ww_figure_energy(const ww_study *study, ww_figures *out, ww_error *err);
/** Whether time, dynamic and static power of every kernel are known. */
bool ww_report_has_energy(const ww_study *study);
/** Energy of a kernel, all launches; dynamic and static power together. NaN where unknown. */
double ww_report_energy_j(const ww_study *study, size_t kernel);
double ww_report_total_w(const ww_study *study, size_t kernel);
/** Whether standard uncertainties are known; those of total powers [W], the arena's, NULL: no
 * memory. */
bool ww_report_has_sigma(const ww_study *study);
double *ww_report_sigmas(const ww_study *study, ww_arena *arena);
/** Columns of uncertainties of the total and of the components, where they are known: heads, and a
 * kernel's in watts times scale. */
void ww_report_head_sigmas(const ww_study *study, const char *unit, ww_csv_writer *csv);
void ww_report_put_sigmas(const ww_study *study, size_t kernel, double scale, ww_csv_writer *csv);
/** Lines over the one parameter in which three or more sets differ, when there is one; behind the
 * comparison, which it draws. */
WW_NODISCARD ww_status ww_figure_swept(const ww_report *report, ww_figures *out, ww_error *err);
/** Adds the measures of a mechanisms.csv, texts into the arena; those of another set, with other
 * kernels. */
WW_NODISCARD ww_status ww_report_measures_load(ww_report_measures *m, const char *path,
                                               ww_arena *arena, ww_error *err);
WW_NODISCARD ww_status ww_report_measures_append(ww_report_measures *m,
                                                 const ww_report_measures *other, ww_error *err);
/** Measures of mechanisms by kernel and set; none where no set has one. */
WW_NODISCARD ww_status ww_figure_mechanisms(const ww_report *report, ww_figures *out,
                                            ww_error *err);
/** Powers by component of all sets side by side; behind the comparison, whose kernels it draws. */
WW_NODISCARD ww_status ww_figure_sides(const ww_report *report, ww_figures *out, ww_error *err);
/** A table of the parameters in which the machines differ from the first set's; none where there
 * is no difference. */
WW_NODISCARD ww_status ww_figure_differences(const ww_report *report, ww_figures *out,
                                             ww_error *err);
/** The unit in which numbers of that unit are read best, bytes as KiB, MiB or GiB where all are
 * whole in it; *scale: what they are divided by. */
const char *ww_report_unit(const char *unit, const double *value, size_t count, double *scale);
/** Puts the sets behind the first in the order of the one numeric parameter in which three or more
 * differ, when there is one. */
void ww_report_order(ww_report *report);
/** What the names on the page mean. */
void ww_report_put_glossary(ww_str *out, const ww_report *report);
/** The hottest lines of the set's kernels, of which it must have some. */
WW_NODISCARD ww_status ww_figure_lines(const ww_report_set *set, ww_figures *out, ww_error *err);
/** What the warps of one CTA and the engines for it do, from the set's timeline.csv, which it must
 * have: of its first launch. */
WW_NODISCARD ww_status ww_figure_timeline(const ww_report_set *set, ww_figures *out, ww_error *err);
/** Time and energy of a model's pass by operator, and its rooflines, from the set's operators.csv,
 * which it must have. */
WW_NODISCARD ww_status ww_figure_pass(const ww_report_set *set, ww_figures *out, ww_error *err);
/** Joules against time of the passes of several sets, and which of them no other beats in both;
 * none of fewer than two passes. */
WW_NODISCARD ww_status ww_figure_passes(const ww_report *report, ww_figures *out, ww_error *err);
/** Area by component from the set's area.csv, which it must have. */
WW_NODISCARD ww_status ww_figure_area(const ww_report_set *set, ww_figures *out, ww_error *err);
/** The dies of all sets that know theirs, when there are two. */
WW_NODISCARD ww_status ww_figure_areas(const ww_report *report, ww_figures *out, ww_error *err);
/** Releases figures; idempotent. */
void ww_figures_fini(ww_figures *figures);
/** The next free figure; NULL when all are taken. */
ww_figure *ww_figures_add(ww_figures *figures, const char *name, const char *title,
                          const char *note, size_t plots);
/** Draws one plot. */
void ww_plot_draw(const ww_plot *plot, const ww_frame *frame, ww_str *out);

/* ---- the page ---- */

/* Script of the page. */
extern const char ww_report_js[];
/** The style sheet of page and drawings. */
void ww_report_style(ww_str *out);
/** The page of a report from its figures, one ww_figures per set, and the comparison. */
WW_NODISCARD ww_status ww_report_page(const ww_report *report, const ww_figures *sets,
                                      const ww_figures *comparison,
                                      const ww_report_options *options, ww_str *out, ww_error *err);
/** The head of a page and its title; a page's end. */
void ww_report_page_start(ww_str *out, const char *title, const char *heading);
void ww_report_page_end(ww_str *out);
/** A figure's section: heading, plots, data. set: a number in its ids. */
WW_NODISCARD ww_status ww_report_put_figure(ww_str *out, const ww_figure *figure, size_t set,
                                            ww_error *err);
/** The folder of a page's plots and data: PAGE-files beside PAGE.html. NULL: out of memory. */
char *ww_report_folder(ww_arena *arena, const char *html_path);
/** Writes a figure's plots and data into such a folder, NAME.svg, NAME.csv. */
WW_NODISCARD ww_status ww_report_write_figure(ww_file_set *files, const char *folder,
                                              const ww_figure *figure, ww_error *err);
/** Writes a page of figures alone, and their plots and data into a folder beside it.
 * @error EIO, ENOMEM; what ww_csv_parse says of a table */
WW_NODISCARD ww_status ww_report_write_plain(const char *html_path, const char *title,
                                             const char *version, const ww_figure *figure,
                                             size_t count, ww_error *err);
/** Base64 of data (RFC 4648). */
void ww_report_base64(ww_str *out, const char *data, size_t length);
/** A number for people: about four digits. Returns buf. */
char *ww_report_number(double value, char *buf, size_t size);

#endif
