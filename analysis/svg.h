/* svg.h - a small SVG writer: shapes with a class, an optional tooltip, and all text escaped.
 * Colours come from one style sheet (ww_svg_style), written into a file of its own or into the page
 * around the drawing. Depends on: base. Equal calls give equal bytes. */
#ifndef WW_ANALYSIS_SVG_H
#define WW_ANALYSIS_SVG_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_svg_anchor { WW_SVG_START, WW_SVG_MIDDLE, WW_SVG_END } ww_svg_anchor;

typedef struct ww_svg {
    ww_str *out;
    double width, height;
} ww_svg;

/* How a drawing is announced and embedded. */
typedef struct ww_svg_head {
    const char *id;          /* unique in the page; letters, digits, '-' */
    const char *title;       /* what it shows, for screen readers */
    const char *description; /* what one sees, for screen readers */
    const char *css_class;   /* of the svg element; "" for none */
    bool standalone;         /* a file of its own: namespace, background and style sheet included */
} ww_svg_head;

/** Text escaped for HTML and SVG, in elements and attributes; what is no UTF-8 or no XML character
 * becomes U+FFFD. */
void ww_markup_text(ww_str *out, const char *text);
/** A coordinate: at most two decimals, no trailing zeros, no exponent. */
void ww_svg_number(ww_str *out, double value);

/** Starts a drawing of that size in user units. */
void ww_svg_open(ww_svg *svg, ww_str *out, double width, double height, const ww_svg_head *head);
void ww_svg_close(ww_svg *svg);

/* tip: text of the tooltip, NULL: none. css_class: one of the style sheet's. */
void ww_svg_rect(ww_svg *svg, double x, double y, double width, double height,
                 const char *css_class, const char *tip);
/** The same with an opacity from 0 to 1. */
void ww_svg_rect_opacity(ww_svg *svg, double x, double y, double width, double height,
                         const char *css_class, double opacity, const char *tip);
void ww_svg_circle(ww_svg *svg, double x, double y, double radius, const char *css_class,
                   const char *tip);
void ww_svg_line(ww_svg *svg, double x1, double y1, double x2, double y2, const char *css_class);
/** path: commands as in the d attribute, already made of numbers. */
void ww_svg_path(ww_svg *svg, const char *path, const char *css_class, const char *tip);
void ww_svg_text(ww_svg *svg, double x, double y, ww_svg_anchor anchor, const char *css_class,
                 const char *text);
/** Text that reads upwards. */
void ww_svg_text_up(ww_svg *svg, double x, double y, ww_svg_anchor anchor, const char *css_class,
                    const char *text);

/** Class of a series: a component has the same colour in every drawing, static power and what is
 * not modelled are grey; any other name has the i-th of these colours, which people with any colour
 * vision tell apart. */
const char *ww_svg_series(const char *name, size_t i);

typedef enum ww_svg_theme { WW_SVG_LIGHT, WW_SVG_DARK } ww_svg_theme;
/** The rules of a theme; prefix goes before every selector ("svg.plot ", "" in a file of its own).
 */
void ww_svg_style(ww_str *out, ww_svg_theme theme, const char *prefix);

/** Width that text takes at the given size, by the average of common sans-serif fonts. */
double ww_svg_text_width(const char *text, double size);
/** Copies text, cut to width with an ellipsis when it is longer. Returns buf. */
char *ww_svg_fit_text(const char *text, double size, double width, char *buf, size_t buf_size);

#ifdef __cplusplus
}
#endif
#endif
