/* chart_ratio.c - groups of horizontal bars, each a ratio to a base of 1, from which they grow:
 * gains to the right, losses to the left, numbers at their far ends. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { BAR = 15, GROUP_GAP = 12, LABEL = 16, AXIS = 44, NUMBER = 40 };

static double sigma_of(const ww_ratio_chart *c, size_t i)
{
    return c->sigma != NULL && c->sigma[i] > 0 ? c->sigma[i] : 0;
}

static void draw_bar(ww_svg *svg, const ww_ratio_chart *c, const ww_scale *x, size_t group,
                     size_t series, double y)
{
    char text[512], error[40];
    double value = c->value[group * c->series + series];
    double sigma = sigma_of(c, group * c->series + series);
    if (!(value >= 0) || isinf(value)) {
        return;
    }
    snprintf(text, sizeof text, "%.200s \xC2\xB7 %.200s: %.3f%s", c->group[group], c->name[series],
             value, ww_error_text(sigma, 3, error, sizeof error));
    double one = ww_scale_px(x, 1), end = ww_scale_px(x, value);
    ww_svg_rect(svg, fmin(one, end), y, fabs(end - one), BAR - 2,
                ww_svg_series(c->name[series], series), text);
    /* finer than the ticks, so that no bar seen says 1.00 */
    snprintf(text, sizeof text, "%.*f",
             x->decimals < 2    ? 2
             : x->decimals == 2 ? 3
                                : x->decimals,
             value);
    bool loss = value < 1;
    ww_error_across(svg, x, y + (BAR - 2) / 2.0, value, sigma);
    end = ww_scale_px(x, loss ? fmin(value - sigma, 1) : fmax(value + sigma, 1));
    ww_svg_text(svg, end + (loss ? -5 : 5), y + 10, loss ? WW_SVG_END : WW_SVG_START, "nu", text);
}

void ww_chart_ratio(const ww_ratio_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    double lowest = 1, highest = 1, label = 0;
    for (size_t i = 0; i < c->groups * c->series; i++) {
        bool drawn = isfinite(c->value[i]) && c->value[i] >= 0;
        highest = drawn ? fmax(highest, c->value[i] + sigma_of(c, i)) : highest;
        lowest = drawn ? fmin(lowest, c->value[i] - sigma_of(c, i)) : lowest;
    }
    for (size_t g = 0; g < c->groups; g++) {
        label = fmax(label, ww_svg_text_width(c->group[g], WW_CHART_TEXT) + 12);
    }
    double top = ww_legend_height(c->name, c->series, frame->width - 8) + 8;
    double pitch = (double)c->series * BAR + GROUP_GAP + (frame->narrow ? LABEL : 0);
    double bottom = top + (double)c->groups * pitch;
    double left = frame->narrow ? 8 : fmin(label, 0.42 * frame->width);
    ww_scale x = ww_scale_of_ratios(lowest, highest, left + NUMBER, frame->width - NUMBER,
                                    frame->narrow ? 4 : 8);
    ww_svg_open(&svg, out, frame->width, bottom + AXIS, &frame->head);
    ww_legend_draw(&svg, c->name, c->series, 4, 2, frame->width - 8);
    ww_axis_below(&svg, &x, top, bottom, c->axis);
    for (size_t g = 0; g < c->groups; g++) {
        char text[256];
        double y = top + (double)g * pitch + GROUP_GAP / 2.0 + (frame->narrow ? LABEL : 0);
        double room = frame->narrow ? frame->width - 16 : left - 10;
        ww_svg_fit_text(c->group[g], WW_CHART_TEXT, room, text, sizeof text);
        ww_svg_text(&svg, frame->narrow ? left : left - 8,
                    frame->narrow ? y - 4 : y + (double)c->series * BAR / 2 + 3,
                    frame->narrow ? WW_SVG_START : WW_SVG_END, "", text);
        for (size_t s = 0; s < c->series; s++) {
            draw_bar(&svg, c, &x, g, s, y + (double)s * BAR);
        }
        /* beside the bars only: on a phone a group's name stands above them */
        ww_svg_line(&svg, ww_scale_px(&x, 1), y - 3, ww_scale_px(&x, 1),
                    y + (double)c->series * BAR + 1, "one");
    }
    ww_svg_close(&svg);
}
