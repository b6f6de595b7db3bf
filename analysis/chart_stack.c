/* chart_stack.c - horizontal stacked bars. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { BAR = 16, GAP = 7, LABEL = 16, AXIS = 44, HEADING = 22 };

/* Where things are. */
typedef struct layout {
    double left, right, top, bottom; /* of the plot area */
    double pitch;                    /* from row to row */
    double bar_offset;               /* of the bar within its row */
} layout;

static double part(const ww_stack_chart *c, size_t row, size_t series)
{
    double value = c->value[row * c->series + series];
    return value > 0 && isfinite(value) ? value : 0;
}

static double bar_sum(const ww_stack_chart *c, size_t row)
{
    double sum = 0;
    for (size_t s = 0; s < c->series; s++) {
        sum += part(c, row, s);
    }
    return sum;
}

static double sigma_of(const ww_stack_chart *c, size_t row)
{
    return c->sigma != NULL && c->sigma[row] > 0 ? c->sigma[row] : 0;
}

static double widest_bar(const ww_stack_chart *c)
{
    double widest = 0;
    for (size_t r = 0; r < c->rows; r++) {
        widest = fmax(widest, bar_sum(c, r) + sigma_of(c, r));
    }
    return widest;
}

/* "118.2 ± 25.1" */
static void total_text(const ww_stack_chart *c, size_t row, char *text, size_t size)
{
    char error[40];
    snprintf(text, size, "%.*f%s", c->decimals, bar_sum(c, row),
             ww_error_text(sigma_of(c, row), c->decimals, error, sizeof error));
}

/* Room for numbers behind the bars. */
static double totals_width(const ww_stack_chart *c)
{
    enum { LEAST = 44, NONE = 18 };
    double widest = LEAST;
    char text[128];
    if (!c->totals) {
        return NONE;
    }
    for (size_t r = 0; r < c->rows; r++) {
        total_text(c, r, text, sizeof text);
        widest = fmax(widest, ww_svg_text_width(text, WW_CHART_SMALL) + 12);
    }
    return widest;
}

static double label_width(const ww_stack_chart *c, double most)
{
    double widest = 0;
    for (size_t r = 0; r < c->rows; r++) {
        widest = fmax(widest, ww_svg_text_width(c->row[r], WW_CHART_TEXT));
    }
    return fmin(widest + 10, most);
}

/* Of a row, below the headings of its group and those before. */
static double row_top(const ww_stack_chart *c, const layout *l, size_t row)
{
    size_t headings = c->group_rows > 0 ? (row + c->group_rows) / c->group_rows : 0;
    headings -= headings > 0 && row == c->rows; /* there is no group behind the last row */
    return l->top + (double)headings * HEADING + (double)row * l->pitch;
}

static layout lay_out(const ww_stack_chart *c, const ww_frame *frame)
{
    layout l = {.right = frame->width - totals_width(c)};
    l.left = frame->narrow ? 8 : label_width(c, 0.42 * frame->width);
    l.top = ww_legend_height(c->name, c->series, frame->width) + 8;
    l.pitch = BAR + GAP + (frame->narrow ? LABEL : 0);
    l.bar_offset = frame->narrow ? LABEL + 2 : GAP / 2.0;
    l.bottom = row_top(c, &l, c->rows) + 4;
    return l;
}

/* Above its first row. */
static void draw_heading(ww_svg *svg, const ww_stack_chart *c, const ww_frame *frame,
                         const layout *l, size_t group)
{
    char text[512];
    double y = row_top(c, l, group * c->group_rows) - 6;
    ww_svg_fit_text(c->group[group], WW_CHART_TEXT, frame->width - 16, text, sizeof text);
    ww_svg_text(svg, frame->narrow ? l->left : 4, y, WW_SVG_START, "hd", text);
}

static void draw_row(ww_svg *svg, const ww_stack_chart *c, const ww_frame *frame, const layout *l,
                     const ww_scale *scale, size_t row)
{
    char text[512];
    double y = row_top(c, l, row) + l->bar_offset, sum = bar_sum(c, row), before = 0;
    if (frame->narrow) {
        ww_svg_fit_text(c->row[row], WW_CHART_TEXT, frame->width - 16, text, sizeof text);
        ww_svg_text(svg, l->left, y - 4, WW_SVG_START, "", text);
    } else {
        ww_svg_fit_text(c->row[row], WW_CHART_TEXT, l->left - 8, text, sizeof text);
        ww_svg_text(svg, l->left - 8, y + 12, WW_SVG_END, "", text);
    }
    for (size_t s = 0; s < c->series; s++) {
        double value = part(c, row, s);
        if (value == 0) {
            continue;
        }
        bool grouped = c->group_rows > 0;
        snprintf(text, sizeof text, "%.200s%s%.200s \xC2\xB7 %.60s: %.*f %s (%.1f %%)",
                 grouped ? c->group[row / c->group_rows] : "", grouped ? " \xC2\xB7 " : "",
                 c->row[row], c->name[s], c->decimals, value, c->unit, 100 * value / sum);
        double x = ww_scale_px(scale, before);
        before += value;
        ww_svg_rect(svg, x, y, ww_scale_px(scale, before) - x, BAR, ww_svg_series(c->name[s], s),
                    text);
    }
    if (c->totals) {
        double end = ww_scale_px(scale, sum + sigma_of(c, row));
        ww_error_across(svg, scale, y + BAR / 2.0, sum, sigma_of(c, row));
        total_text(c, row, text, sizeof text);
        ww_svg_text(svg, end + 5, y + 12, WW_SVG_START, "nu", text);
    }
}

void ww_chart_stack(const ww_stack_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    layout l = lay_out(c, frame);
    double limit = c->limit > 0 ? c->limit : widest_bar(c);
    ww_scale scale = ww_scale_nice(0, limit, l.left, l.right, frame->narrow ? 4 : 8);
    ww_svg_open(&svg, out, frame->width, l.bottom + AXIS, &frame->head);
    ww_legend_draw(&svg, c->name, c->series, frame->narrow ? l.left : 4, 2, frame->width - 8);
    ww_axis_below(&svg, &scale, l.top, l.bottom, c->axis);
    for (size_t row = 0; row < c->rows; row++) {
        draw_row(&svg, c, frame, &l, &scale, row);
    }
    for (size_t row = 0; c->group_rows > 0 && row < c->rows; row += c->group_rows) {
        draw_heading(&svg, c, frame, &l, row / c->group_rows);
    }
    ww_svg_close(&svg);
}
