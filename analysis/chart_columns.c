/* chart_columns.c - groups of upright bars, plain or stacked, the last groups set apart: a bar per
 * configuration, a group per program, means at the right, as papers draw them. Ratios to one stand
 * on the line of one, so that a gain of some per cent is seen beside a loss. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { PLOT = 220, MOST_LABEL = 110, LEFT = 64, MEAN_GAP = 14, MOST_BAR = 22, THIN = 2 };

/* Where things are. */
typedef struct layout {
    double left, right, top, bottom; /* of the plot area */
    double pitch, bar;               /* from group to group; width of a bar */
    double labels;                   /* height below it */
} layout;

static double part(const ww_column_chart *c, size_t group, size_t bar, size_t p)
{
    double value = c->value[(group * c->bars + bar) * c->parts + p];
    return isfinite(value) && value > 0 ? value : 0;
}

static double height_of(const ww_column_chart *c, size_t group, size_t bar)
{
    double sum = 0;
    for (size_t p = 0; p < c->parts; p++) {
        sum += part(c, group, bar, p);
    }
    return sum;
}

static double highest(const ww_column_chart *c)
{
    double most = c->against_one ? 1 : 0;
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t b = 0; b < c->bars; b++) {
            most = fmax(most, height_of(c, g, b));
        }
    }
    return most > 0 ? most : 1;
}

/* Where bars stand. */
static double foot_of(const ww_column_chart *c)
{
    return c->against_one && c->parts == 1 ? 1 : 0;
}

static double lowest(const ww_column_chart *c)
{
    double least = foot_of(c);
    for (size_t i = 0; least > 0 && i < c->groups * c->bars; i++) {
        least = c->value[i] > 0 ? fmin(least, c->value[i]) : least;
    }
    return least;
}

static const char *const *legend(const ww_column_chart *c, size_t *count)
{
    *count = c->parts > 1 ? c->parts : c->bars;
    return c->parts > 1 ? c->part : c->bar;
}

static layout lay_out(const ww_column_chart *c, const ww_frame *frame)
{
    size_t names;
    const char *const *name = legend(c, &names);
    layout l = {.left = LEFT, .right = frame->width - 10};
    l.top = ww_legend_height(name, names, frame->width - 8) + 10;
    l.bottom = l.top + PLOT;
    for (size_t g = 0; g < c->groups; g++) {
        l.labels = fmax(l.labels, ww_svg_text_width(c->group[g], WW_CHART_SMALL) + 14);
    }
    l.labels = fmin(l.labels, MOST_LABEL);
    double gap = c->means > 0 ? MEAN_GAP : 0;
    l.pitch = (l.right - l.left - gap) / (double)c->groups;
    l.bar = fmin(0.82 * l.pitch / (double)c->bars, MOST_BAR);
    return l;
}

static double group_x(const ww_column_chart *c, const layout *l, size_t group)
{
    bool mean = group >= c->groups - c->means;
    return l->left + (double)group * l->pitch + (mean ? MEAN_GAP : 0);
}

static void draw_bar(ww_svg *svg, const ww_column_chart *c, const layout *l, const ww_scale *y,
                     size_t group, size_t bar)
{
    double used = l->bar * (double)c->bars, below = 0, ground = foot_of(c);
    double x = group_x(c, l, group) + (l->pitch - used) / 2 + (double)bar * l->bar;
    for (size_t p = 0; p < c->parts; p++) {
        char tip[512];
        double value = part(c, group, bar, p);
        if (value == 0) {
            continue;
        }
        double top = ww_scale_px(y, fmax(ground, below + value));
        double foot = ww_scale_px(y, ground > 0 ? fmin(ground, value) : below);
        bool stacked = c->parts > 1;
        snprintf(tip, sizeof tip, "%.150s \xC2\xB7 %.150s%s%.100s: %.3f", c->group[group],
                 c->bar[bar], stacked ? " \xC2\xB7 " : "", stacked ? c->part[p] : "", value);
        double height = fmax(foot - top, THIN); /* of what is as its base, too */
        ww_svg_rect(svg, x, foot - height, l->bar, height,
                    stacked ? ww_svg_series(c->part[p], p) : ww_svg_series(c->bar[bar], bar), tip);
        below += value;
    }
}

static void draw_group(ww_svg *svg, const ww_column_chart *c, const layout *l, const ww_scale *y,
                       size_t group)
{
    char text[64];
    double x = group_x(c, l, group) + l->pitch / 2;
    for (size_t b = 0; b < c->bars; b++) {
        draw_bar(svg, c, l, y, group, b);
    }
    ww_svg_fit_text(c->group[group], WW_CHART_SMALL, l->labels - 8, text, sizeof text);
    ww_svg_text_up(svg, x + 4, l->bottom + 6, WW_SVG_END, "sm", text);
}

void ww_chart_columns(const ww_column_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    size_t names;
    const char *const *name = legend(c, &names);
    layout l = lay_out(c, frame);
    ww_scale y = foot_of(c) > 0 ? ww_scale_of_ratios(lowest(c), highest(c), l.bottom, l.top, 6)
                                : ww_scale_nice(0, highest(c), l.bottom, l.top, 6);
    char axis[128];
    ww_svg_fit_text(c->axis, WW_CHART_SMALL, PLOT, axis, sizeof axis);
    ww_svg_open(&svg, out, frame->width, l.bottom + l.labels, &frame->head);
    ww_legend_draw(&svg, name, names, 4, 2, frame->width - 8);
    ww_axis_left(&svg, &y, l.left, l.right, axis);
    for (size_t g = 0; g < c->groups; g++) {
        draw_group(&svg, c, &l, &y, g);
    }
    if (c->means > 0 && c->means < c->groups) {
        double x = group_x(c, &l, c->groups - c->means) - MEAN_GAP / 2.0;
        ww_svg_line(&svg, x, l.top, x, l.bottom, "ax");
    }
    if (c->against_one) {
        ww_svg_line(&svg, l.left, ww_scale_px(&y, 1), l.right, ww_scale_px(&y, 1), "one");
    }
    ww_svg_close(&svg);
}
