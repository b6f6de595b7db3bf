/* chart_axis.c - scales, grid lines, legends. */
#include "analysis/chart_axis.h"

#include <math.h>
#include <stdio.h>

#include "base/assert.h"

/* Smallest of 1, 2, 5 x 10^k that is not below rough; k by search, because log10 rounds differently
 * between machines. */
static double round_step(double rough, int *decimals)
{
    double power = 1;
    int exponent = 0;
    while (power > rough && exponent > -300) {
        power /= 10;
        exponent--;
    }
    while (power * 10 <= rough && exponent < 300) {
        power *= 10;
        exponent++;
    }
    double factor = rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10;
    exponent += factor == 10;
    *decimals = exponent < 0 ? -exponent : 0;
    return factor * power;
}

ww_scale ww_scale_nice(double lo, double hi, double px_lo, double px_hi, unsigned max_ticks)
{
    if (!(hi > lo)) {
        double pad = lo != 0 ? fabs(lo) / 2 : 1;
        lo -= pad;
        hi += pad;
    }
    ww_scale s = {.px_lo = px_lo, .px_hi = px_hi};
    WW_ASSERT(hi > lo && max_ticks > 0);
    s.step = round_step((hi - lo) / max_ticks, &s.decimals);
    s.lo = floor(lo / s.step + 1e-9) * s.step;
    s.hi = ceil(hi / s.step - 1e-9) * s.step;
    return s;
}

ww_scale ww_scale_of_ratios(double lo, double hi, double px_lo, double px_hi, unsigned max_ticks)
{
    const double near = 0.05;
    if (lo > 1 - near && hi < 1 + near) {
        lo = 1 - near;
        hi = 1 + near;
    }
    return ww_scale_nice(lo, hi, px_lo, px_hi, max_ticks);
}

double ww_scale_px(const ww_scale *s, double value)
{
    WW_ASSERT(s->hi > s->lo);
    return s->px_lo + (value - s->lo) / (s->hi - s->lo) * (s->px_hi - s->px_lo);
}

bool ww_scale_tick(const ww_scale *s, unsigned i, double *value)
{
    *value = s->lo + i * s->step;
    *value = fabs(*value) < s->step / 1e6 ? 0 : *value;
    return *value <= s->hi + s->step / 1e6;
}

double ww_axis_below(ww_svg *svg, const ww_scale *s, double top, double bottom, const char *text)
{
    double value;
    for (unsigned i = 0; ww_scale_tick(s, i, &value); i++) {
        char label[64];
        double x = ww_scale_px(s, value);
        snprintf(label, sizeof label, "%.*f", s->decimals, value);
        ww_svg_line(svg, x, top, x, bottom, value == 0 ? "ax" : "gd");
        ww_svg_text(svg, x, bottom + 15, WW_SVG_MIDDLE, "mu", label);
    }
    ww_svg_text(svg, (s->px_lo + s->px_hi) / 2, bottom + 32, WW_SVG_MIDDLE, "mu", text);
    return bottom + 40;
}

void ww_axis_left(ww_svg *svg, const ww_scale *s, double left, double right, const char *text)
{
    double value;
    for (unsigned i = 0; ww_scale_tick(s, i, &value); i++) {
        char label[64];
        double y = ww_scale_px(s, value);
        snprintf(label, sizeof label, "%.*f", s->decimals, value);
        ww_svg_line(svg, left, y, right, y, value == 0 ? "ax" : "gd");
        ww_svg_text(svg, left - 6, y + 4, WW_SVG_END, "mu", label);
    }
    ww_svg_text_up(svg, 12, (s->px_lo + s->px_hi) / 2, WW_SVG_MIDDLE, "mu", text);
}

/* ---- error bars ---- */

enum { CAP = 3 };

/* Pixels of the ends; false: nothing to draw. */
static bool error_ends(const ww_scale *s, double value, double sigma, double *from, double *until)
{
    *from = ww_scale_px(s, fmax(value - sigma, s->lo));
    *until = ww_scale_px(s, fmin(value + sigma, s->hi));
    return sigma > 0 && isfinite(value) && isfinite(sigma);
}

void ww_error_across(ww_svg *svg, const ww_scale *x, double y, double value, double sigma)
{
    double from, until;
    if (error_ends(x, value, sigma, &from, &until)) {
        ww_svg_line(svg, from, y, until, y, "eb");
        ww_svg_line(svg, from, y - CAP, from, y + CAP, "eb");
        ww_svg_line(svg, until, y - CAP, until, y + CAP, "eb");
    }
}

void ww_error_up(ww_svg *svg, const ww_scale *y, double x, double value, double sigma)
{
    double from, until;
    if (error_ends(y, value, sigma, &from, &until)) {
        ww_svg_line(svg, x, from, x, until, "eb");
        ww_svg_line(svg, x - CAP, from, x + CAP, from, "eb");
        ww_svg_line(svg, x - CAP, until, x + CAP, until, "eb");
    }
}

char *ww_error_text(double sigma, int decimals, char *buf, size_t size)
{
    buf[0] = '\0';
    if (sigma > 0 && isfinite(sigma)) {
        snprintf(buf, size, " \xC2\xB1 %.*f", decimals, sigma);
    }
    return buf;
}

/* ---- legends ---- */

enum { SWATCH = 11, SWATCH_GAP = 5, ENTRY_GAP = 14, LINE = 18 };

static double entry_width(const char *name)
{
    return SWATCH + SWATCH_GAP + ww_svg_text_width(name, WW_CHART_SMALL) + ENTRY_GAP;
}

/* Places each entry; draws when svg is given. Returns the height. */
static double lay_out(ww_svg *svg, const char *const *name, size_t count, double x0, double y,
                      double width)
{
    double x = x0, height = count > 0 ? LINE : 0;
    for (size_t i = 0; i < count; i++) {
        double w = entry_width(name[i]);
        if (x > x0 && x + w - ENTRY_GAP > x0 + width) {
            x = x0;
            height += LINE;
        }
        if (svg != NULL) {
            double line = y + height - LINE;
            ww_svg_rect(svg, x, line + 2, SWATCH, SWATCH, ww_svg_series(name[i], i), NULL);
            ww_svg_text(svg, x + SWATCH + SWATCH_GAP, line + 12, WW_SVG_START, "sm", name[i]);
        }
        x += w;
    }
    return height;
}

double ww_legend_height(const char *const *name, size_t count, double width)
{
    return lay_out(NULL, name, count, 0, 0, width);
}

void ww_legend_draw(ww_svg *svg, const char *const *name, size_t count, double x, double y,
                    double width)
{
    lay_out(svg, name, count, x, y, width);
}
