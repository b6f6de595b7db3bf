/* chart_axis.h - what the charts share: scales with round ticks, grid lines, legends. Private to
 * analysis/. */
#ifndef WW_ANALYSIS_CHART_AXIS_H
#define WW_ANALYSIS_CHART_AXIS_H

#include "analysis/chart.h"

enum { WW_CHART_TEXT = 12, WW_CHART_SMALL = 11 }; /* font sizes of the style sheet */

/* Linear map from data to pixels, whose ends are round numbers. */
typedef struct ww_scale {
    double lo, hi, step;
    double px_lo, px_hi;
    int decimals; /* of tick labels */
} ww_scale;

/** A scale that covers lo..hi with at most max_ticks steps of 1, 2 or 5 times a power of ten. */
ww_scale ww_scale_nice(double lo, double hi, double px_lo, double px_hi, unsigned max_ticks);
/** The same for ratios to a base of 1, never closer than 0.95..1.05: a difference of a tenth of a
 * percent, which fills no plot, is seen to be none. */
ww_scale ww_scale_of_ratios(double lo, double hi, double px_lo, double px_hi, unsigned max_ticks);
double ww_scale_px(const ww_scale *s, double value);
/** Value of the i-th tick; false behind the last. */
bool ww_scale_tick(const ww_scale *s, unsigned i, double *value);

/** Vertical grid lines with labels below bottom, and the axis text under them. Returns the y below
 * it all. */
double ww_axis_below(ww_svg *svg, const ww_scale *s, double top, double bottom, const char *text);
/** Horizontal grid lines with labels left of `left`, and the axis text upwards at its left. */
void ww_axis_left(ww_svg *svg, const ww_scale *s, double left, double right, const char *text);

/** A bar of +- sigma about value, across at a y or upright at an x; none where sigma is 0 or not a
 * number. What lies beyond the scale is cut. */
void ww_error_across(ww_svg *svg, const ww_scale *x, double y, double value, double sigma);
void ww_error_up(ww_svg *svg, const ww_scale *y, double x, double value, double sigma);
/** " ± 1.2", or nothing where sigma is 0 or not a number. Returns buf. */
char *ww_error_text(double sigma, int decimals, char *buf, size_t size);

/** Height of a legend that wraps within width. */
double ww_legend_height(const char *const *name, size_t count, double width);
/** Draws it with its top left corner at (x, y). */
void ww_legend_draw(ww_svg *svg, const char *const *name, size_t count, double x, double y,
                    double width);

#endif
