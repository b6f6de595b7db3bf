/* chart_scatter.c - points and their least-squares line. */
#include <math.h>

#include "analysis/chart_axis.h"

enum { LEFT = 52, RIGHT = 20, TOP = 28, BOTTOM = 44, HEIGHT = 250 };

static bool present(const ww_scatter_chart *c, size_t i)
{
    return isfinite(c->x[i]) && isfinite(c->y[i]);
}

/* The line from edge to edge of the plot area, cut where it leaves it. */
static void draw_fit(ww_svg *svg, const ww_scatter_chart *c, const ww_scale *x, const ww_scale *y)
{
    double x1 = x->lo, x2 = x->hi;
    if (c->slope != 0) {
        double at_lo = (y->lo - c->intercept) / c->slope, at_hi = (y->hi - c->intercept) / c->slope;
        x1 = fmax(x1, fmin(at_lo, at_hi));
        x2 = fmin(x2, fmax(at_lo, at_hi));
    }
    if (x1 < x2) {
        ww_svg_line(svg, ww_scale_px(x, x1), ww_scale_px(y, c->intercept + c->slope * x1),
                    ww_scale_px(x, x2), ww_scale_px(y, c->intercept + c->slope * x2), "fit");
    }
}

/* From point to point by steps: what lies above and to the right is beaten by one of them. */
static void draw_front(ww_svg *svg, const ww_scatter_chart *c, const ww_scale *x, const ww_scale *y)
{
    for (size_t i = 0; i < c->front; i++) {
        const double at_x = ww_scale_px(x, c->front_x[i]), at_y = ww_scale_px(y, c->front_y[i]);
        if (i > 0) {
            const double last_y = ww_scale_px(y, c->front_y[i - 1]);
            ww_svg_line(svg, ww_scale_px(x, c->front_x[i - 1]), last_y, at_x, last_y, "fit");
            ww_svg_line(svg, at_x, last_y, at_x, at_y, "fit");
        }
        const bool left = at_x > (x->px_lo + x->px_hi) / 2;
        ww_svg_text(svg, at_x + (left ? -6 : 6), at_y + 14, left ? WW_SVG_END : WW_SVG_START, "mu",
                    c->front_label[i]);
    }
}

void ww_chart_scatter(const ww_scatter_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    double x_lo = 0, x_hi = 0, y_lo = 0, y_hi = 0; /* both axes show their origin */
    for (size_t i = 0; i < c->count; i++) {
        if (present(c, i)) {
            x_lo = fmin(x_lo, c->x[i]);
            x_hi = fmax(x_hi, c->x[i]);
            double sigma = c->sigma != NULL && c->sigma[i] > 0 ? c->sigma[i] : 0;
            y_lo = fmin(y_lo, c->y[i]);
            y_hi = fmax(y_hi, c->y[i] + sigma);
        }
    }
    ww_scale x = ww_scale_nice(x_lo, x_hi, LEFT, frame->width - RIGHT, 5);
    ww_scale y = ww_scale_nice(y_lo, y_hi, HEIGHT - BOTTOM, TOP, 5);
    ww_svg_open(&svg, out, frame->width, HEIGHT, &frame->head);
    ww_svg_text(&svg, LEFT, 16, WW_SVG_START, "", c->caption);
    ww_axis_left(&svg, &y, LEFT, frame->width - RIGHT, c->y_axis);
    ww_axis_below(&svg, &x, TOP, HEIGHT - BOTTOM, c->x_axis);
    if (c->has_fit) {
        draw_fit(&svg, c, &x, &y);
    }
    draw_front(&svg, c, &x, &y);
    for (size_t i = 0; i < c->count; i++) {
        if (present(c, i)) {
            ww_error_up(&svg, &y, ww_scale_px(&x, c->x[i]), c->y[i],
                        c->sigma != NULL ? c->sigma[i] : 0);
            ww_svg_circle(&svg, ww_scale_px(&x, c->x[i]), ww_scale_px(&y, c->y[i]), 3.6, "pt",
                          c->name[i]);
        }
    }
    ww_svg_close(&svg);
}
