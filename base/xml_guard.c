/* xml_guard.c - counts attributes by a scan for tags that knows comments, CDATA sections,
 * processing instructions and quotes. */
#include "base/xml_guard.h"

#include <stdbool.h>
#include <string.h>

enum { TEXT, OPENED, TAG, COMMENT, CDATA, INSTRUCTION };

static const char *const ends[] = {[COMMENT] = "-->", [CDATA] = "]]>", [INSTRUCTION] = "?>"};

/* Behind "<": which of the forms it begins; a tag, as long as nothing else is certain. */
static void open_form(ww__xml_guard *g, char c)
{
    static const char comment[] = "!--", cdata[] = "![CDATA[";
    if (g->seen == 0 && c == '?') {
        g->state = INSTRUCTION;
        return;
    }
    if (g->seen < 3 && c == comment[g->seen]) {
        g->state = ++g->seen == 3 ? COMMENT : OPENED;
    } else if (g->seen < 8 && c == cdata[g->seen]) {
        g->state = ++g->seen == 8 ? CDATA : OPENED;
    } else {
        g->state = c == '>' ? TEXT : TAG;
    }
    if (g->state != OPENED) {
        g->seen = 0;
    }
}

/* Counts how much of the form's end has been seen. */
static void look_for_end(ww__xml_guard *g, char c)
{
    const char *end = ends[g->state];
    size_t n = strlen(end);
    if (c == end[g->seen]) {
        g->seen++;
    } else if (!(g->seen == n - 1 && n == 3 && c == end[0])) { /* "--->" ends a comment too */
        g->seen = c == end[0];
    }
    if (g->seen == n) {
        g->state = TEXT;
        g->seen = 0;
    }
}

static void in_tag(ww__xml_guard *g, char c)
{
    if (g->quote != 0) {
        g->quote = c == g->quote ? 0 : g->quote;
    } else if (c == '"' || c == '\'') {
        g->quote = c;
    } else if (c == '=') {
        g->attributes++;
    } else if (c == '>') {
        g->state = TEXT;
    }
}

/* Only encodings in which a byte "<" is a "<", if perhaps with zeros beside it. */
static bool is_readable(const char *text, size_t length)
{
    return length < 4 || memcmp(text, "\x4c\x6f\xa7\x94", 4) != 0;
}

ww_status ww__xml_guard_feed(ww__xml_guard *g, const char *name, const char *text, size_t length,
                             ww_error *err)
{
    if (g->bytes == 0 && !is_readable(text, length)) {
        return ww_fail_at(err, WW_EPARSE, name, 0, 0, "EBCDIC is not read");
    }
    g->bytes += length;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        g->line += c == '\n';
        switch (g->state) {
        case TEXT:
            if (c == '<') {
                g->state = OPENED;
                g->seen = g->attributes = 0;
                g->quote = 0;
            }
            break;
        case OPENED:
            open_form(g, c);
            break;
        case TAG:
            in_tag(g, c);
            break;
        default:
            look_for_end(g, c);
        }
        if (g->attributes > WW__XML_MOST_ATTRIBUTES) {
            return ww_fail_at(err, WW_ERANGE, name, g->line + 1, 0,
                              "an element has more than %d attributes", WW__XML_MOST_ATTRIBUTES);
        }
    }
    return WW_OK;
}
