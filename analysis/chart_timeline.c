/* chart_timeline.c - rows over time: what each was doing, as coloured spans. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { ROW = 16, LABEL = 14, AXIS = 44 };

static void draw_span(ww_svg *svg, const ww_timeline_chart *c, const ww_timeline_span *s,
                      const ww_scale *x, double y)
{
    char tip[200];
    const double left = ww_scale_px(x, s->from), right = ww_scale_px(x, s->until);
    snprintf(tip, sizeof tip, "%.60s, %.60s: %.0f to %.0f", c->row[s->row], c->kind[s->kind],
             s->from, s->until);
    ww_svg_rect(svg, left, y, fmax(right - left, 0.3), ROW - 4,
                ww_svg_series(c->kind[s->kind], s->kind), tip);
}

void ww_chart_timeline(const ww_timeline_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    double label = 0;
    for (size_t i = 0; i < c->rows; i++) {
        label = fmax(label, ww_svg_text_width(c->row[i], WW_CHART_TEXT) + 12);
    }
    const double top = ww_legend_height(c->kind, c->kinds, frame->width) + 10;
    const double pitch = ROW + (frame->narrow ? LABEL : 0);
    const double bottom = top + (double)c->rows * pitch;
    const double left = frame->narrow ? 8 : fmin(label, 0.3 * frame->width);
    const ww_scale x = ww_scale_nice(0, c->end, left, frame->width - 12, frame->narrow ? 4 : 8);
    ww_svg_open(&svg, out, frame->width, bottom + AXIS, &frame->head);
    ww_legend_draw(&svg, c->kind, c->kinds, 4, 2, frame->width - 8);
    ww_axis_below(&svg, &x, top, bottom, c->axis);
    for (size_t i = 0; i < c->rows; i++) {
        const double y = top + (double)i * pitch + (frame->narrow ? LABEL : 0);
        ww_svg_text(&svg, frame->narrow ? left : left - 8, frame->narrow ? y - 3 : y + 10,
                    frame->narrow ? WW_SVG_START : WW_SVG_END, "", c->row[i]);
        for (size_t k = 0; k < c->spans; k++) {
            if (c->span[k].row == i) {
                draw_span(&svg, c, &c->span[k], &x, y);
            }
        }
    }
    ww_svg_close(&svg);
}
