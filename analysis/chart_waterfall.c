/* chart_waterfall.c - from one sum to another by steps: the whole bars at both ends, between them
 * each step where the one before it ended, what adds to the right, what takes away to the left. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { BAR = 20, LABEL = 16, AXIS = 44, NUMBER = 56 };

/* Rows: the base, the steps, the other. */
static bool is_whole(const ww_waterfall_chart *c, size_t row)
{
    return row == 0 || row == c->steps + 1;
}

/* Parts of one sum begin at nothing. */
static size_t first_row(const ww_waterfall_chart *c)
{
    return c->base_name == NULL ? 1 : 0;
}

static const char *name_of(const ww_waterfall_chart *c, size_t row)
{
    return row == 0 ? c->base_name : row <= c->steps ? c->name[row - 1] : c->other_name;
}

/* Where a row's bar begins and ends. */
static void span_of(const ww_waterfall_chart *c, size_t row, double *from, double *to)
{
    *from = *to = c->base;
    for (size_t i = 0; i < row && i < c->steps; i++) {
        *from = *to;
        *to += c->value[i];
    }
    *from = is_whole(c, row) ? 0 : *from;
}

/* Of a step between two sums, which may be a small part of either, three digits. */
static int decimals_of(double value, int least)
{
    enum { DIGITS = 3, MOST = 6 };
    const double first = value != 0 ? floor(log10(fabs(value))) : 0;
    return (int)fmin(fmax(DIGITS - 1 - first, least), MOST);
}

static void draw_row(ww_svg *svg, const ww_waterfall_chart *c, const ww_scale *x, size_t row,
                     double y)
{
    char text[512], number[32];
    double from, to;
    bool whole = is_whole(c, row), parts = c->base_name == NULL;
    span_of(c, row, &from, &to);
    double left = ww_scale_px(x, fmin(from, to)), right = ww_scale_px(x, fmax(from, to));
    const double value = whole ? to : c->value[row - 1];
    const int decimals = parts   ? x->decimals + 2
                         : whole ? x->decimals + 1
                                 : decimals_of(value, x->decimals);
    snprintf(number, sizeof number, whole || parts ? "%.*f" : "%+.*f", decimals, value);
    snprintf(text, sizeof text, "%.200s: %s %.20s", name_of(c, row), number, c->unit);
    ww_svg_rect(svg, left, y, right - left, BAR - 4,
                whole                   ? "s9 sep"
                : c->base_name == NULL  ? "s0 sep"
                : c->value[row - 1] > 0 ? "neg"
                                        : "pos",
                text);
    ww_svg_text(svg, right + 5, y + 12, WW_SVG_START, "nu", number);
    if (row <= c->steps) { /* the way to the next bar */
        ww_svg_line(svg, ww_scale_px(x, to), y + BAR - 4, ww_scale_px(x, to), y + BAR, "ax");
    }
}

void ww_chart_waterfall(const ww_waterfall_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    const size_t rows = c->steps + 2, first = first_row(c);
    double lowest = 0, highest = 0, label = 0;
    for (size_t i = first; i < rows; i++) {
        double from, to;
        span_of(c, i, &from, &to);
        lowest = fmin(lowest, fmin(from, to));
        highest = fmax(highest, fmax(from, to));
        label = fmax(label, ww_svg_text_width(name_of(c, i), WW_CHART_TEXT) + 12);
    }
    double top = 8, pitch = BAR + (frame->narrow ? LABEL : 0);
    double bottom = top + (double)(rows - first) * pitch;
    double left = frame->narrow ? 8 : fmin(label, 0.42 * frame->width);
    ww_scale x = ww_scale_nice(lowest, highest, left, frame->width - NUMBER, frame->narrow ? 4 : 8);
    ww_svg_open(&svg, out, frame->width, bottom + AXIS, &frame->head);
    ww_axis_below(&svg, &x, top, bottom, c->axis);
    for (size_t i = first; i < rows; i++) {
        char text[256];
        double y = top + (double)(i - first) * pitch + (frame->narrow ? LABEL : 0);
        double room = frame->narrow ? frame->width - 16 : left - 10;
        ww_svg_fit_text(name_of(c, i), WW_CHART_TEXT, room, text, sizeof text);
        ww_svg_text(&svg, frame->narrow ? left : left - 8, frame->narrow ? y - 4 : y + 12,
                    frame->narrow ? WW_SVG_START : WW_SVG_END, "", text);
        draw_row(&svg, c, &x, i, y);
    }
    ww_svg_close(&svg);
}
