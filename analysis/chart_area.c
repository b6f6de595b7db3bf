/* chart_area.c - stacked areas over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/chart_axis.h"

enum {
    LEFT = 52,
    RIGHT = 20,
    PLOT = 260,
    NARROW_PLOT = 200,
    BAND = 14,
    AXIS = 44,
    LIST_LINE = 16,
    LIST_GAP = 14
};

static double part(const ww_area_chart *c, size_t step, size_t series)
{
    double value = c->value[step * c->series + series];
    return value > 0 && isfinite(value) ? value : 0;
}

/* Sum of the series below `series` in a step. */
static double below(const ww_area_chart *c, size_t step, size_t series)
{
    double sum = 0;
    for (size_t s = 0; s < series; s++) {
        sum += part(c, step, s);
    }
    return sum;
}

static void add_point(ww_str *path, char command, double x, double y)
{
    ww_str_add_char(path, command);
    ww_svg_number(path, x);
    ww_str_add_char(path, ' ');
    ww_svg_number(path, y);
}

/* Forward along the upper edge, back along the lower one. */
static void draw_series(ww_svg *svg, const ww_area_chart *c, const ww_scale *x, const ww_scale *y,
                        size_t series)
{
    ww_str path = {0};
    for (size_t i = 0; i < c->steps; i++) {
        double top = ww_scale_px(y, below(c, i, series + 1));
        add_point(&path, i == 0 ? 'M' : 'L', ww_scale_px(x, c->edge[i]), top);
        add_point(&path, 'L', ww_scale_px(x, c->edge[i + 1]), top);
    }
    for (size_t i = c->steps; i-- > 0;) {
        double bottom = ww_scale_px(y, below(c, i, series));
        add_point(&path, 'L', ww_scale_px(x, c->edge[i + 1]), bottom);
        add_point(&path, 'L', ww_scale_px(x, c->edge[i]), bottom);
    }
    ww_str_add_char(&path, 'Z');
    svg->out->failed |= path.failed;
    char class_name[8];
    const char *class_and_separator = ww_svg_series(c->name[series], series);
    snprintf(class_name, sizeof class_name, "%.*s", (int)strcspn(class_and_separator, " "),
             class_and_separator);
    ww_svg_path(svg, ww_str_text(&path), class_name, c->name[series]);
    ww_str_fini(&path);
}

/* ---- one series as a line ---- */

/* About the values, never closer than a twentieth of them: what hardly moves is seen to. */
static ww_scale scale_of_course(const ww_area_chart *c, double bottom, double top)
{
    static const double least_span = 0.05;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < c->steps; i++) {
        lo = fmin(lo, part(c, i, 0));
        hi = fmax(hi, part(c, i, 0));
    }
    const double wanted = fmax(least_span * hi - (hi - lo), 0) / 2;
    return ww_scale_nice(fmax(lo - wanted, 0), hi + wanted, bottom, top, 6);
}

static void draw_course(ww_svg *svg, const ww_area_chart *c, const ww_scale *x, const ww_scale *y)
{
    ww_str path = {0};
    for (size_t i = 0; i < c->steps; i++) {
        const double at = ww_scale_px(y, part(c, i, 0));
        add_point(&path, i == 0 ? 'M' : 'L', ww_scale_px(x, c->edge[i]), at);
        add_point(&path, 'L', ww_scale_px(x, c->edge[i + 1]), at);
    }
    svg->out->failed |= path.failed;
    ww_svg_path(svg, ww_str_text(&path), "ls0", c->name[0]);
    ww_str_fini(&path);
}

/* ---- spans with a name: a strip below the axis; where names do not fit, numbers, and a list ----
 */

static bool name_fits(const ww_area_chart *c, const ww_scale *x, size_t band)
{
    double room = ww_scale_px(x, c->band_edge[band + 1]) - ww_scale_px(x, c->band_edge[band]);
    return ww_svg_text_width(c->band[band], WW_CHART_SMALL) <= room - 8;
}

static bool all_fit(const ww_area_chart *c, const ww_scale *x)
{
    for (size_t i = 0; i < c->bands; i++) {
        if (!name_fits(c, x, i)) {
            return false;
        }
    }
    return true;
}

/* Number of a band's name, from 1, in the order of first sight; *first: it is seen there. */
static unsigned number_of(const ww_area_chart *c, size_t band, bool *first)
{
    unsigned number = 0;
    for (size_t i = 0; i < band; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) {
            seen = strcmp(c->band[k], c->band[i]) == 0;
        }
        number += !seen;
        if (strcmp(c->band[i], c->band[band]) == 0) {
            *first = false;
            return number;
        }
    }
    *first = true;
    return number + 1;
}

/* The list of names at y; draws when svg is given. Returns its height. */
static double list_bands(ww_svg *svg, const ww_area_chart *c, double y, double width)
{
    double x = 4, height = LIST_LINE;
    for (size_t i = 0; i < c->bands; i++) {
        char entry[160], text[160];
        bool first;
        unsigned number = number_of(c, i, &first);
        if (!first) {
            continue;
        }
        snprintf(entry, sizeof entry, "%u %.140s", number, c->band[i]);
        ww_svg_fit_text(entry, WW_CHART_SMALL, width - 8, text, sizeof text);
        double w = ww_svg_text_width(text, WW_CHART_SMALL) + LIST_GAP;
        if (x > 4 && x + w - LIST_GAP > width) {
            x = 4;
            height += LIST_LINE;
        }
        if (svg != NULL) {
            ww_svg_text(svg, x, y + height - 4, WW_SVG_START, "mu", text);
        }
        x += w;
    }
    return height + 4;
}

static void draw_bands(ww_svg *svg, const ww_area_chart *c, const ww_scale *x, double y)
{
    bool names = all_fit(c, x);
    for (size_t i = 0; i < c->bands; i++) {
        char text[160];
        bool first;
        double x1 = ww_scale_px(x, c->band_edge[i]), x2 = ww_scale_px(x, c->band_edge[i + 1]);
        ww_svg_rect(svg, x1, y, x2 - x1 - fmin(1, (x2 - x1) / 4), BAND, "band", c->band[i]);
        if (names) {
            snprintf(text, sizeof text, "%.150s", c->band[i]);
        } else {
            unsigned number = number_of(c, i, &first);
            bool fits = name_fits(c, x, i);
            snprintf(text, sizeof text, "%u%s%.140s", number, fits ? " " : "",
                     fits ? c->band[i] : "");
        }
        if (ww_svg_text_width(text, WW_CHART_SMALL) <= x2 - x1 - 4) {
            ww_svg_text(svg, x1 + 3, y + 11, WW_SVG_START, "mu", text);
        }
    }
}

/* Time in the unit that keeps numbers short. */
static double time_unit(double span_s, const char **name)
{
    static const struct {
        double s;
        const char *name;
    } units[] = {{1, "time [s]"}, {1e-3, "time [ms]"}, {1e-6, "time [\xC2\xB5s]"}};
    size_t i = 0;
    while (i + 1 < WW_ARRAY_LEN(units) && span_s < units[i].s) {
        i++;
    }
    *name = units[i].name;
    return units[i].s;
}

void ww_chart_area(const ww_area_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    const char *time_axis;
    const double legend = c->course ? 0 : ww_legend_height(c->name, c->series, frame->width);
    double top = legend + 10, highest = 0;
    double bottom = top + (frame->narrow ? NARROW_PLOT : PLOT);
    double unit = time_unit(c->edge[c->steps] - c->edge[0], &time_axis);
    for (size_t i = 0; i < c->steps; i++) {
        highest = fmax(highest, below(c, i, c->series));
    }
    double bands = c->bands > 0 ? BAND + 6 : 0;
    ww_scale y =
        c->course ? scale_of_course(c, bottom, top) : ww_scale_nice(0, highest, bottom, top, 6);
    ww_scale ticks = ww_scale_nice(c->edge[0] / unit, c->edge[c->steps] / unit, LEFT,
                                   frame->width - RIGHT, frame->narrow ? 4 : 8);
    ticks.hi = c->edge[c->steps] / unit; /* the plot ends where the data do */
    ww_scale x = ticks;
    x.lo *= unit;
    x.hi *= unit;
    bool listed = c->bands > 0 && !all_fit(c, &x);
    double list_top = bottom + bands + AXIS;
    double list = listed ? list_bands(NULL, c, list_top, frame->width - 8) : 0;
    ww_svg_open(&svg, out, frame->width, list_top + list, &frame->head);
    ww_axis_below(&svg, &ticks, bottom, bottom + bands, time_axis);
    ww_axis_left(&svg, &y, LEFT, frame->width - RIGHT, c->axis);
    if (c->course) {
        draw_course(&svg, c, &x, &y);
    } else {
        ww_legend_draw(&svg, c->name, c->series, 4, 2, frame->width - 8);
        for (size_t s = 0; s < c->series; s++) {
            draw_series(&svg, c, &x, &y, s);
        }
    }
    draw_bands(&svg, c, &x, bottom + 4);
    if (listed) {
        list_bands(&svg, c, list_top, frame->width - 8);
    }
    ww_svg_close(&svg);
}
