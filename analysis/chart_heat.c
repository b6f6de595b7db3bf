/* chart_heat.c - a matrix of numbers from -1 to 1 on coloured cells. */
#include <math.h>
#include <stdio.h>

#include "analysis/chart_axis.h"

enum { ROW = 28, HEAD = 24, KEY = 40 };

/* Colour says sign and size; the number is printed as well, so that nothing hangs on colour alone.
 */
static void draw_cell(ww_svg *svg, const ww_heat_chart *c, size_t i, double x, double y, double w)
{
    char digits[32], text[40];
    double value = c->value[i];
    if (isnan(value)) {
        ww_svg_rect(svg, x, y, w, ROW, "cell", c->tip[i]);
        ww_svg_text(svg, x + w / 2, y + ROW / 2.0 + 4, WW_SVG_MIDDLE, "weak", "\xE2\x80\x93");
        return;
    }
    double size = fmin(1, fabs(value));
    ww_svg_rect_opacity(svg, x, y, w, ROW, value < 0 ? "neg" : "pos",
                        size * size * 0.4 + size * 0.6, c->tip[i]);
    snprintf(digits, sizeof digits, "%.2f", fabs(value));
    bool tight = w < 40 && digits[0] == '0'; /* ".94" for phones */
    snprintf(text, sizeof text, "%s%s", value < -0.005 ? "\xE2\x88\x92" : "", digits + tight);
    ww_svg_text(svg, x + w / 2, y + ROW / 2.0 + 4, WW_SVG_MIDDLE,
                size > 0.85  ? (c->weak[i] ? "weak deep" : "inv")
                : c->weak[i] ? (size > 0.5 ? "weak on" : "weak")
                             : "nu",
                text);
}

/* What the colours mean. */
static void draw_key(ww_svg *svg, double x, double y, double width)
{
    enum { CELLS = 11 };
    double w = fmin(24, width / CELLS);
    for (int i = 0; i < CELLS; i++) {
        double value = (double)(i - CELLS / 2) / (CELLS / 2), size = fabs(value);
        ww_svg_rect_opacity(svg, x + i * w, y, w, 10, value < 0 ? "neg" : "pos",
                            size * size * 0.4 + size * 0.6, NULL);
    }
    ww_svg_text(svg, x, y + 24, WW_SVG_START, "mu",
                "\xE2\x88\x92"
                "1");
    ww_svg_text(svg, x + CELLS * w / 2, y + 24, WW_SVG_MIDDLE, "mu", "0");
    ww_svg_text(svg, x + CELLS * w, y + 24, WW_SVG_END, "mu", "1");
}

void ww_chart_heat(const ww_heat_chart *c, const ww_frame *frame, ww_str *out)
{
    ww_svg svg;
    double label = 0;
    for (size_t r = 0; r < c->rows; r++) {
        label = fmax(label, ww_svg_text_width(c->row[r], WW_CHART_TEXT) + 10);
    }
    label = fmin(label, 0.3 * frame->width);
    double w = fmin(72, (frame->width - label - 4) / (double)c->columns);
    double height = HEAD + (double)c->rows * ROW + KEY;
    double width = frame->head.standalone ? label + w * (double)c->columns + 4 : frame->width;
    ww_svg_open(&svg, out, width, height, &frame->head);
    for (size_t k = 0; k < c->columns; k++) {
        char text[64];
        ww_svg_fit_text(c->column[k], WW_CHART_SMALL, w + 6, text, sizeof text);
        ww_svg_text(&svg, label + ((double)k + 0.5) * w, HEAD - 8, WW_SVG_MIDDLE, "sm", text);
    }
    for (size_t r = 0; r < c->rows; r++) {
        char text[128];
        double y = HEAD + (double)r * ROW;
        ww_svg_fit_text(c->row[r], WW_CHART_TEXT, label - 8, text, sizeof text);
        ww_svg_text(&svg, label - 8, y + ROW / 2.0 + 4, WW_SVG_END, "", text);
        for (size_t k = 0; k < c->columns; k++) {
            draw_cell(&svg, c, r * c->columns + k, label + (double)k * w, y, w);
        }
    }
    draw_key(&svg, label, height - KEY + 12, w * (double)c->columns);
    ww_svg_close(&svg);
}
