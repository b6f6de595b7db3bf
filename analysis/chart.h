/* chart.h - the kinds of plot a report is made of. Each takes its data and a frame, and appends one
 * SVG drawing. Depends on: base. Pure: equal data give equal bytes. */
#ifndef WW_ANALYSIS_CHART_H
#define WW_ANALYSIS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/svg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_frame {
    ww_svg_head head;
    double width; /* user units; the height follows from the data */
    bool narrow;  /* for a phone: labels above the bars, fewer ticks */
} ww_frame;

/* Horizontal bars of stacked parts, one per row. */
typedef struct ww_stack_chart {
    size_t rows, series;
    const char *const *row;   /* [rows] */
    const char *const *name;  /* [series] */
    const double *value;      /* [rows * series]; NaN and negative count as 0 */
    const double *sigma;      /* [rows] +- of each sum; NULL or NaN: not drawn */
    const char *axis;         /* "dynamic power [W]" */
    const char *unit;         /* behind a number: "W", "%" */
    double limit;             /* end of the axis; 0: from the data */
    int decimals;             /* of printed numbers */
    bool totals;              /* print each bar's sum at its end */
    size_t group_rows;        /* rows of each group; 0: no groups */
    const char *const *group; /* [rows / group_rows] headings above them */
} ww_stack_chart;
void ww_chart_stack(const ww_stack_chart *c, const ww_frame *frame, ww_str *out);

/* A matrix of values from -1 to 1. */
typedef struct ww_heat_chart {
    size_t rows, columns;
    const char *const *row;    /* [rows] */
    const char *const *column; /* [columns] */
    const double *value;       /* [rows * columns]; NaN: empty cell */
    const bool *weak;          /* [rows * columns] number printed pale */
    const char *const *tip;    /* [rows * columns] tooltips */
} ww_heat_chart;
void ww_chart_heat(const ww_heat_chart *c, const ww_frame *frame, ww_str *out);

/* Points with their least-squares line. */
typedef struct ww_scatter_chart {
    size_t count;
    const double *x, *y;     /* [count]; points with NaN are left out */
    const double *sigma;     /* [count] +- of y; NULL or NaN: not drawn */
    const char *const *name; /* [count] tooltips */
    const char *x_axis, *y_axis;
    const char *caption; /* printed above the plot */
    bool has_fit;
    double slope, intercept;
    size_t front; /* points of a line through some of them, with their labels; 0: none */
    const double *front_x, *front_y;
    const char *const *front_label;
} ww_scatter_chart;
void ww_chart_scatter(const ww_scatter_chart *c, const ww_frame *frame, ww_str *out);

/* Stacked areas over time, constant within each step. */
typedef struct ww_area_chart {
    size_t steps, series;
    const double *edge;      /* [steps + 1] s, ascending */
    const double *value;     /* [steps * series] */
    const char *const *name; /* [series] */
    const char *axis;        /* of the values: "power [W]" */
    bool course;             /* of one series: a line, on an axis about its values */
    size_t bands;            /* spans of time with a name, shown below the axis */
    const double *band_edge; /* [bands + 1] */
    const char *const *band; /* [bands] */
} ww_area_chart;
void ww_chart_area(const ww_area_chart *c, const ww_frame *frame, ww_str *out);

/* Groups of bars against 1. */
typedef struct ww_ratio_chart {
    size_t groups, series;
    const char *const *group; /* [groups] */
    const char *const *name;  /* [series] */
    const double *value;      /* [groups * series]; NaN: no bar */
    const double *sigma;      /* likewise, its +-; NULL or NaN: not drawn */
    const char *axis;
} ww_ratio_chart;
void ww_chart_ratio(const ww_ratio_chart *c, const ww_frame *frame, ww_str *out);

/* Lines over a number. */
typedef struct ww_line_chart {
    size_t points, series;
    const double *x;         /* [points] ascending */
    const char *const *name; /* [series] */
    const double *value;     /* [points * series]; NaN: a gap */
    const double *sigma;     /* likewise, its +-; NULL or NaN: not drawn */
    const char *x_axis, *y_axis;
    bool against_one; /* a line at 1 */
} ww_line_chart;
void ww_chart_lines(const ww_line_chart *c, const ww_frame *frame, ww_str *out);

/* Groups of upright bars, each plain or of stacked parts. */
typedef struct ww_column_chart {
    size_t groups, bars, parts; /* bars of each group, parts of each bar */
    size_t means;               /* of the groups, the last: set apart */
    const char *const *group;   /* [groups] */
    const char *const *bar;     /* [bars] */
    const char *const *part;    /* [parts] when there are several */
    const double *value;        /* [groups * bars * parts]; NaN and negative: nothing */
    const char *axis;
    bool against_one; /* a line at 1 */
} ww_column_chart;
void ww_chart_columns(const ww_column_chart *c, const ww_frame *frame, ww_str *out);

/* Rows over time: spans of kinds, each with a colour; a row's longer spans are drawn first. */
typedef struct ww_timeline_span {
    size_t row, kind;
    double from, until;
} ww_timeline_span;
typedef struct ww_timeline_chart {
    size_t rows, kinds, spans;
    const char *const *row;  /* [rows] */
    const char *const *kind; /* [kinds], for the legend */
    const ww_timeline_span *span;
    double end;
    const char *axis;
} ww_timeline_chart;
void ww_chart_timeline(const ww_timeline_chart *c, const ww_frame *frame, ww_str *out);

/* From one sum to another by steps. */
typedef struct ww_waterfall_chart {
    const char *base_name; /* NULL: the steps are parts of one sum, from nothing */
    const char *other_name;
    double base; /* base + all steps is the other's */
    size_t steps;
    const char *const *name; /* [steps] */
    const double *value;     /* [steps] */
    const char *axis;
    const char *unit; /* behind a number */
} ww_waterfall_chart;
void ww_chart_waterfall(const ww_waterfall_chart *c, const ww_frame *frame, ww_str *out);

/* Points below lines that nothing passes, both axes logarithmic. */
typedef struct ww_roofline_chart {
    size_t points, series;
    const double *x, *y;            /* [points]; what is not above 0 is left out */
    const char *const *name;        /* [points] tooltips */
    const size_t *of;               /* [points] series */
    const char *const *series_name; /* [series], for the legend */
    size_t roofs, samples;
    const double *roof_x; /* [samples] ascending */
    const double *roof;   /* [samples * roofs] */
    const char *x_axis, *y_axis;
} ww_roofline_chart;
void ww_chart_roofline(const ww_roofline_chart *c, const ww_frame *frame, ww_str *out);

#ifdef __cplusplus
}
#endif
#endif
