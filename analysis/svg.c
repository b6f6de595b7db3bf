/* svg.c - shapes and text of an SVG drawing. */
#include "analysis/svg.h"

#include <math.h>
#include <string.h>

#include "base/visible.h"

static const char *const replacement = "\xEF\xBF\xBD"; /* U+FFFD */

/* XML 1.0, section 2.2: control characters other than tab and line ends are not characters, nor are
 * U+FFFE and U+FFFF. What would act on a page's text instead of showing is none here either. */
static bool is_xml_character(const char *p, size_t n)
{
    bool control = *p != '\r' && ww_is_hidden(p, n);
    bool noncharacter = n == 3 && memcmp(p, "\xEF\xBF", 2) == 0 && (unsigned char)p[2] >= 0xBE;
    return n > 0 && !control && !noncharacter;
}

void ww_markup_text(ww_str *out, const char *text)
{
    static const struct {
        char c;
        const char *entity;
    } reserved[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (const char *p = text; *p != '\0';) {
        size_t n = ww_utf8_length(p);
        const char *entity = is_xml_character(p, n) ? NULL : replacement;
        for (size_t i = 0; i < WW_ARRAY_LEN(reserved); i++) {
            entity = *p == reserved[i].c ? reserved[i].entity : entity;
        }
        if (entity != NULL) {
            ww_str_add(out, entity);
        } else {
            ww_str_add_n(out, p, n);
        }
        p += n > 0 ? n : 1;
    }
}

void ww_svg_number(ww_str *out, double value)
{
    double limited = isfinite(value) ? fmax(-1e7, fmin(1e7, value)) : 0;
    long long hundredths = llround(limited * 100); /* whole numbers print alike in every locale */
    long long size = hundredths < 0 ? -hundredths : hundredths;
    ww_str_addf(out, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 != 0) {
        ww_str_addf(out, size % 10 == 0 ? ".%lld" : ".%02lld",
                    size % 10 == 0 ? size / 10 % 10 : size % 100);
    }
}

static void attribute(ww_str *out, const char *name, double value)
{
    ww_str_addf(out, " %s=\"", name);
    ww_svg_number(out, value);
    ww_str_add_char(out, '"');
}

static void css_class_attribute(ww_str *out, const char *css_class)
{
    if (css_class[0] != '\0') {
        ww_str_addf(out, " class=\"%s\"", css_class);
    }
}

/* Ends an element, with the tooltip inside when there is one. */
static void finish(ww_svg *svg, const char *element, const char *tip)
{
    if (tip == NULL) {
        ww_str_add(svg->out, "/>\n");
        return;
    }
    ww_str_add(svg->out, "><title>");
    ww_markup_text(svg->out, tip);
    ww_str_addf(svg->out, "</title></%s>\n", element);
}

void ww_svg_open(ww_svg *svg, ww_str *out, double width, double height, const ww_svg_head *head)
{
    *svg = (ww_svg){out, width, height};
    if (head->standalone) {
        ww_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    }
    ww_str_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    css_class_attribute(out, head->css_class);
    if (head->standalone) {
        attribute(out, "width", width);
        attribute(out, "height", height);
    }
    ww_str_add(out, " viewBox=\"0 0 ");
    ww_svg_number(out, width);
    ww_str_add_char(out, ' ');
    ww_svg_number(out, height);
    ww_str_addf(out, "\" role=\"img\" aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
                head->id, head->id, head->id);
    ww_markup_text(out, head->title);
    ww_str_addf(out, "</title>\n<desc id=\"%s-d\">", head->id);
    ww_markup_text(out, head->description);
    ww_str_add(out, "</desc>\n");
    if (head->standalone) {
        ww_str_add(out, "<style>\n");
        ww_svg_style(out, WW_SVG_LIGHT, "");
        ww_str_add(out, "</style>\n");
        ww_svg_rect(svg, 0, 0, width, height, "bg", NULL);
    }
}

void ww_svg_close(ww_svg *svg)
{
    ww_str_add(svg->out, "</svg>\n");
}

static void begin_rect(ww_svg *svg, double x, double y, double width, double height,
                       const char *css_class)
{
    ww_str_add(svg->out, "<rect");
    attribute(svg->out, "x", x);
    attribute(svg->out, "y", y);
    attribute(svg->out, "width", fmax(0, width));
    attribute(svg->out, "height", fmax(0, height));
    css_class_attribute(svg->out, css_class);
}

void ww_svg_rect(ww_svg *svg, double x, double y, double width, double height,
                 const char *css_class, const char *tip)
{
    begin_rect(svg, x, y, width, height, css_class);
    finish(svg, "rect", tip);
}

void ww_svg_rect_opacity(ww_svg *svg, double x, double y, double width, double height,
                         const char *css_class, double opacity, const char *tip)
{
    begin_rect(svg, x, y, width, height, css_class);
    attribute(svg->out, "fill-opacity", fmax(0, fmin(1, opacity)));
    finish(svg, "rect", tip);
}

void ww_svg_circle(ww_svg *svg, double x, double y, double radius, const char *css_class,
                   const char *tip)
{
    ww_str_add(svg->out, "<circle");
    attribute(svg->out, "cx", x);
    attribute(svg->out, "cy", y);
    attribute(svg->out, "r", radius);
    css_class_attribute(svg->out, css_class);
    finish(svg, "circle", tip);
}

void ww_svg_line(ww_svg *svg, double x1, double y1, double x2, double y2, const char *css_class)
{
    ww_str_add(svg->out, "<line");
    attribute(svg->out, "x1", x1);
    attribute(svg->out, "y1", y1);
    attribute(svg->out, "x2", x2);
    attribute(svg->out, "y2", y2);
    css_class_attribute(svg->out, css_class);
    finish(svg, "line", NULL);
}

void ww_svg_path(ww_svg *svg, const char *path, const char *css_class, const char *tip)
{
    ww_str_addf(svg->out, "<path d=\"%s\"", path);
    css_class_attribute(svg->out, css_class);
    finish(svg, "path", tip);
}

static void put_text(ww_svg *svg, double x, double y, bool up, ww_svg_anchor anchor,
                     const char *css_class, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    ww_str_add(svg->out, "<text");
    attribute(svg->out, "x", x);
    attribute(svg->out, "y", y);
    ww_str_add(svg->out, anchors[anchor]);
    if (up) {
        ww_str_add(svg->out, " transform=\"rotate(-90 ");
        ww_svg_number(svg->out, x);
        ww_str_add_char(svg->out, ' ');
        ww_svg_number(svg->out, y);
        ww_str_add(svg->out, ")\"");
    }
    css_class_attribute(svg->out, css_class);
    ww_str_add_char(svg->out, '>');
    ww_markup_text(svg->out, text);
    ww_str_add(svg->out, "</text>\n");
}

void ww_svg_text(ww_svg *svg, double x, double y, ww_svg_anchor anchor, const char *css_class,
                 const char *text)
{
    put_text(svg, x, y, false, anchor, css_class, text);
}

void ww_svg_text_up(ww_svg *svg, double x, double y, ww_svg_anchor anchor, const char *css_class,
                    const char *text)
{
    put_text(svg, x, y, true, anchor, css_class, text);
}

/* In ems, of a wide sans serif: drawings must fit whatever font a reader has. */
static double advance(char c)
{
    if (strchr("ijl.,:;'|! ", c) != NULL) {
        return 0.34;
    }
    if (strchr("frtI-/()[]", c) != NULL) {
        return 0.41;
    }
    if (strchr("mwMW%@", c) != NULL) {
        return 0.96;
    }
    return c >= 'A' && c <= 'Z' ? 0.70 : 0.62;
}

double ww_svg_text_width(const char *text, double size)
{
    double ems = 0;
    for (const char *p = text; *p != '\0'; p++) {
        ems += ((unsigned char)*p & 0xC0) != 0x80 ? advance(*p) : 0;
    }
    return size * ems;
}

char *ww_svg_fit_text(const char *text, double size, double width, char *buf, size_t buf_size)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    bool whole = ww_svg_text_width(text, size) <= width;
    double room = width / size - 1; /* ems before the ellipsis; one character at least */
    size_t used = 0;
    for (const char *p = text; *p != '\0';) {
        size_t n = ww_utf8_length(p);
        n = n > 0 ? n : 1;
        room -= advance(*p);
        if (used + n + sizeof ellipsis > buf_size || (!whole && used > 0 && room < 0)) {
            whole = false;
            break;
        }
        memcpy(buf + used, p, n);
        used += n;
        p += n;
    }
    memcpy(buf + used, whole ? "" : ellipsis, whole ? 1 : sizeof ellipsis);
    return buf;
}
