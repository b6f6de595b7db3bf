/* chart_lines.c - lines over a number: a point per value, ticks at the values themselves. Where
 * they span more than a factor of eight the axis is logarithmic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/chart_axis.h"

enum {
    LEFT = 64,
    RIGHT = 24,
    PLOT = 260,
    NARROW_PLOT = 220,
    AXIS = 44,
    LOGARITHMIC_FROM = 8,
    LINE_COLOURS = 8
};

static bool is_logarithmic(const ww_line_chart *c)
{
    return c->x[0] > 0 && c->x[c->points - 1] >= LOGARITHMIC_FROM * c->x[0];
}

/* Share of the way from the first to the last value. */
static double place(const ww_line_chart *c, double x)
{
    double first = c->x[0], last = c->x[c->points - 1];
    if (!(last > first)) {
        return 0.5;
    }
    return is_logarithmic(c) ? log(x / first) / log(last / first) : (x - first) / (last - first);
}

static double px(const ww_line_chart *c, const ww_frame *frame, size_t i)
{
    return LEFT + 14 + place(c, c->x[i]) * (frame->width - RIGHT - LEFT - 28);
}

static double sigma_of(const ww_line_chart *c, size_t i)
{
    return c->sigma != NULL && c->sigma[i] > 0 ? c->sigma[i] : 0;
}

static ww_scale scale_of(const ww_line_chart *c, double bottom, double top)
{
    double lo = c->against_one ? 1 : INFINITY, hi = c->against_one ? 1 : -INFINITY;
    for (size_t i = 0; i < c->points * c->series; i++) {
        if (isfinite(c->value[i])) {
            lo = fmin(lo, c->value[i] - sigma_of(c, i));
            hi = fmax(hi, c->value[i] + sigma_of(c, i));
        }
    }
    if (c->against_one) {
        return ww_scale_of_ratios(lo, hi, bottom, top, 6);
    }
    return ww_scale_nice(lo <= hi ? lo : 0, lo <= hi ? hi : 1, bottom, top, 6);
}

/* Values that are too near to the one before stay without a number. */
static void draw_ticks(ww_svg *svg, const ww_line_chart *c, const ww_frame *frame, double top,
                       double bottom)
{
    double used = -1000;
    for (size_t i = 0; i < c->points; i++) {
        char text[40];
        double x = px(c, frame, i);
        snprintf(text, sizeof text, "%g", c->x[i]);
        double half = ww_svg_text_width(text, WW_CHART_SMALL) / 2 + 3;
        ww_svg_line(svg, x, top, x, bottom, "gd");
        if (x - half > used) {
            ww_svg_text(svg, x, bottom + 15, WW_SVG_MIDDLE, "mu", text);
            used = x + half;
        }
    }
    ww_svg_text(svg, (LEFT + frame->width - RIGHT) / 2, bottom + 32, WW_SVG_MIDDLE, "mu",
                c->x_axis);
}

static void draw_series(ww_svg *svg, const ww_line_chart *c, const ww_frame *frame,
                        const ww_scale *y, size_t s)
{
    const char *fill = ww_svg_series(c->name[s], s % LINE_COLOURS);
    char stroke[32];
    ww_str path = {0};
    bool drawing = false;
    snprintf(stroke, sizeof stroke, "l%.*s", (int)strcspn(fill, " "), fill);
    for (size_t i = 0; i < c->points; i++) {
        double value = c->value[i * c->series + s];
        if (isfinite(value)) {
            ww_str_add_char(&path, drawing ? 'L' : 'M');
            ww_svg_number(&path, px(c, frame, i));
            ww_str_add_char(&path, ' ');
            ww_svg_number(&path, ww_scale_px(y, value));
        }
        drawing = isfinite(value);
    }
    svg->out->failed |= path.failed;
    ww_svg_path(svg, ww_str_text(&path), stroke, c->name[s]);
    ww_str_fini(&path);
    for (size_t i = 0; i < c->points; i++) {
        char tip[300], error[40];
        double value = c->value[i * c->series + s], sigma = sigma_of(c, i * c->series + s);
        if (isfinite(value)) {
            snprintf(tip, sizeof tip, "%.120s at %g: %.3f%s", c->name[s], c->x[i], value,
                     ww_error_text(sigma, 3, error, sizeof error));
            ww_error_up(svg, y, px(c, frame, i), value, sigma);
            ww_svg_circle(svg, px(c, frame, i), ww_scale_px(y, value), 3.4, fill, tip);
        }
    }
}

void ww_chart_lines(const ww_line_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    char axis[128];
    double top = ww_legend_height(c->name, c->series, frame->width - 8) + 12;
    double bottom = top + (frame->narrow ? NARROW_PLOT : PLOT);
    ww_scale y = scale_of(c, bottom, top);
    ww_svg_fit_text(c->y_axis, WW_CHART_SMALL, bottom - top, axis, sizeof axis);
    ww_svg_open(&svg, out, frame->width, bottom + AXIS, &frame->head);
    ww_legend_draw(&svg, c->name, c->series, 4, 2, frame->width - 8);
    ww_axis_left(&svg, &y, LEFT, frame->width - RIGHT, axis);
    draw_ticks(&svg, c, frame, top, bottom);
    if (c->against_one) {
        ww_svg_line(&svg, LEFT, ww_scale_px(&y, 1), frame->width - RIGHT, ww_scale_px(&y, 1),
                    "one");
    }
    for (size_t s = 0; s < c->series; s++) {
        draw_series(&svg, c, frame, &y, s);
    }
    ww_svg_close(&svg);
}
