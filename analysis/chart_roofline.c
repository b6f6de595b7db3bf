/* chart_roofline.c - points below lines that nothing passes. Both axes are logarithmic, with a tick
 * at each power of ten. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum {
    LEFT = 60,
    RIGHT = 20,
    TOP = 12,
    PLOT = 280,
    NARROW_PLOT = 220,
    AXIS = 44,
    LINE_COLOURS = 8
};

/* Powers of ten from 10^lo to 10^hi on so many pixels. */
typedef struct decades {
    int lo, hi;
    double px_lo, px_hi;
} decades;

static void cover(decades *d, double value)
{
    if (value > 0 && isfinite(value)) {
        d->lo = (int)fmin(d->lo, floor(log10(value)));
        d->hi = (int)fmax(d->hi, ceil(log10(value)));
    }
}

static double px(const decades *d, double value)
{
    return d->px_lo + (log10(value) - d->lo) / (d->hi - d->lo) * (d->px_hi - d->px_lo);
}

static bool present(const ww_roofline_chart *c, size_t i)
{
    return c->x[i] > 0 && c->y[i] > 0 && isfinite(c->x[i]) && isfinite(c->y[i]);
}

static decades span(const double *value, size_t count, const double *roof, size_t roofs)
{
    enum { EMPTY = 1000 };
    decades d = {.lo = EMPTY, .hi = -EMPTY};
    for (size_t i = 0; i < count; i++) {
        cover(&d, value[i]);
    }
    for (size_t i = 0; i < roofs; i++) {
        cover(&d, roof[i]);
    }
    if (d.lo > d.hi) {
        d.lo = 0;
        d.hi = 1;
    }
    d.hi = d.hi > d.lo ? d.hi : d.lo + 1;
    return d;
}

static void label_of(int power, char *text, size_t size)
{
    snprintf(text, size, "%.*f", power < 0 ? -power : 0, pow(10, power));
}

static void draw_axes(ww_svg *svg, const ww_roofline_chart *c, const decades *x, const decades *y)
{
    char text[64];
    for (int p = x->lo; p <= x->hi; p++) {
        const double at = px(x, pow(10, p));
        ww_svg_line(svg, at, y->px_hi, at, y->px_lo, p == x->lo ? "ax" : "gd");
        label_of(p, text, sizeof text);
        ww_svg_text(svg, at, y->px_lo + 15, WW_SVG_MIDDLE, "mu", text);
    }
    for (int p = y->lo; p <= y->hi; p++) {
        const double at = px(y, pow(10, p));
        ww_svg_line(svg, x->px_lo, at, x->px_hi, at, p == y->lo ? "ax" : "gd");
        label_of(p, text, sizeof text);
        ww_svg_text(svg, x->px_lo - 6, at + 4, WW_SVG_END, "mu", text);
    }
    ww_svg_text(svg, (x->px_lo + x->px_hi) / 2, y->px_lo + 32, WW_SVG_MIDDLE, "mu", c->x_axis);
    ww_svg_text_up(svg, 12, (y->px_lo + y->px_hi) / 2, WW_SVG_MIDDLE, "mu", c->y_axis);
}

/* What of a roof lies within the plot. */
static void draw_roof(ww_svg *svg, const ww_roofline_chart *c, const decades *x, const decades *y,
                      size_t roof)
{
    ww_str path = {0};
    bool drawing = false;
    for (size_t i = 0; i < c->samples; i++) {
        const double value = c->roof[i * c->roofs + roof];
        const bool inside = c->roof_x[i] >= pow(10, x->lo) && c->roof_x[i] <= pow(10, x->hi) &&
                            value >= pow(10, y->lo) && value <= pow(10, y->hi);
        if (inside) {
            ww_str_add_char(&path, drawing ? 'L' : 'M');
            ww_svg_number(&path, px(x, c->roof_x[i]));
            ww_str_add_char(&path, ' ');
            ww_svg_number(&path, px(y, value));
        }
        drawing = inside;
    }
    if (path.len > 0) {
        ww_svg_path(svg, ww_str_text(&path), "fit", NULL);
    }
    ww_str_fini(&path);
}

void ww_chart_roofline(const ww_roofline_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    const double plot = frame->narrow ? NARROW_PLOT : PLOT;
    const double legend = ww_legend_height(c->series_name, c->series, frame->width - LEFT - RIGHT);
    const double top = TOP + legend, bottom = top + plot;
    decades x = span(c->x, c->points, NULL, 0);
    decades y = span(c->y, c->points, c->roof, c->samples * c->roofs);
    /* A roof goes down to nothing at the left; points say how far down the axis goes. */
    decades of_points = span(c->y, c->points, NULL, 0);
    y.lo = of_points.lo < y.hi ? of_points.lo : y.lo;
    x.px_lo = LEFT;
    x.px_hi = frame->width - RIGHT;
    y.px_lo = bottom;
    y.px_hi = top;
    ww_svg_open(&svg, out, frame->width, bottom + AXIS, &frame->head);
    ww_legend_draw(&svg, c->series_name, c->series, LEFT, TOP - 4, frame->width - LEFT - RIGHT);
    draw_axes(&svg, c, &x, &y);
    for (size_t r = 0; r < c->roofs; r++) {
        draw_roof(&svg, c, &x, &y, r);
    }
    for (size_t i = 0; i < c->points; i++) {
        if (present(c, i)) {
            ww_svg_circle(&svg, px(&x, c->x[i]), px(&y, c->y[i]), 4.2,
                          ww_svg_series(c->series_name[c->of[i]], c->of[i]), c->name[i]);
        }
    }
    ww_svg_close(&svg);
}
