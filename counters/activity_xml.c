/* activity_xml.c - walks an activity document, never held as a whole, and reads attributes. */
#include "counters/activity_xml.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/xml_memory.h"

static const uint64_t max_text = UINT64_C(64) << 30; /* against input without an end */

static int read_some(void *user, char *buffer, int size)
{
    ww__activity_source *s = user;
    size_t want = size > 0 ? (size_t)size : 0, got;
    if (s->file != NULL) {
        got = fread(buffer, 1, want, s->file);
        s->failed = s->failed || ferror(s->file) != 0;
    } else {
        got = want < s->left ? want : s->left;
        memcpy(buffer, s->text, got);
        s->text += got;
        s->left -= got;
    }
    s->taken += got;
    s->too_large = s->taken > max_text;
    if (s->refused.code == WW_OK) {
        WW_DROP(ww__xml_guard_feed(&s->guard, s->name, buffer, got, &s->refused)); /* kept in s */
    }
    return s->failed || s->too_large || s->refused.code != WW_OK ? -1 : (int)got;
}

static void on_error(void *user, xmlErrorPtr error)
{
    ww__activity_xml *xml = user;
    if (xml->first.code == WW_OK && error->level >= XML_ERR_ERROR) {
        ww_str text = {0};
        ww_str_add(&text, error->message != NULL ? error->message : "not well formed");
        while (text.len > 0 && text.data[text.len - 1] == '\n') {
            text.data[--text.len] = '\0';
        }
        WW_DROP(ww_fail_at(&xml->first, WW_EPARSE, xml->name, error->line, 0, "%s",
                           ww_str_text(&text))); /* kept in xml */
        ww_str_fini(&text);
    }
}

/* Line of the present element. The parser runs ahead of it by up to 512 bytes; libxml2 notes 16
 * bits of line per element. */
static int line_of(const ww__activity_xml *xml)
{
    const xmlNode *node = xmlTextReaderCurrentNode(xml->reader);
    if (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->parent;
    }
    long line = node != NULL && node->type == XML_ELEMENT_NODE ? node->line : 0;
    return line > 0 && line < UINT16_MAX ? (int)line
                                         : xmlTextReaderGetParserLineNumber(xml->reader);
}

ww_status ww__activity_fail(const ww__activity_xml *xml, ww_error *err, ww_status code,
                            const char *fmt, ...)
{
    ww_str text = {0};
    va_list args;
    va_start(args, fmt);
    ww_str_addv(&text, fmt, args);
    va_end(args);
    ww_status status = ww_fail_at(err, code, xml->name, line_of(xml), 0, "%s", ww_str_text(&text));
    ww_str_fini(&text);
    return status;
}

ww_status ww__activity_xml_open(ww__activity_xml *xml, ww_error *err)
{
    WW_TRY(ww__xml_memory_reserve(err));
    xml->source.name = xml->name;
    xml->reader = xmlReaderForIO(read_some, NULL, &xml->source, NULL, NULL, XML_PARSE_NONET);
    if (xml->reader == NULL) {
        return ww_no_memory_in(err, xml->name);
    }
    xmlTextReaderSetStructuredErrorHandler(xml->reader, on_error, xml);
    return WW_OK;
}

void ww__activity_xml_close(ww__activity_xml *xml)
{
    xmlFreeTextReader(xml->reader);
}

/* ---- walking ---- */

ww_status ww__activity_next(ww__activity_xml *xml, int depth, bool *found, ww_error *err)
{
    for (;;) {
        int more = xmlTextReaderRead(xml->reader);
        if (more != 1) {
            if (xml->source.too_large) {
                return ww_fail_at(err, WW_ERANGE, xml->name, 0, 0,
                                  "activity file is larger than the limit of %" PRIu64 " bytes",
                                  max_text);
            }
            if (xml->source.refused.code != WW_OK) {
                if (err != NULL) {
                    *err = xml->source.refused;
                }
                return xml->source.refused.code;
            }
            if (xml->source.failed) {
                return ww_fail_at(err, WW_EIO, xml->name, 0, 0, "file cannot be read");
            }
            if (xml->first.code != WW_OK) {
                if (err != NULL) {
                    *err = xml->first;
                }
                return xml->first.code;
            }
            *found = false;
            return more == 0 && depth < 0
                       ? WW_OK
                       : ww__activity_fail(xml, err, WW_EPARSE, "document ends early");
        }
        switch (xmlTextReaderNodeType(xml->reader)) {
        case XML_READER_TYPE_ELEMENT:
            *found = true;
            return WW_OK;
        case XML_READER_TYPE_END_ELEMENT:
            if (xmlTextReaderDepth(xml->reader) <= depth) {
                *found = false;
                return WW_OK;
            }
            break; /* end of a child already handled */
        case XML_READER_TYPE_WHITESPACE:
        case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        case XML_READER_TYPE_COMMENT:
        case XML_READER_TYPE_XML_DECLARATION:
            break;
        case XML_READER_TYPE_DOCUMENT_TYPE:
            return ww__activity_fail(xml, err, WW_EPARSE,
                                     "a document type (<!DOCTYPE) is not allowed");
        default:
            return ww__activity_fail(xml, err, WW_ESCHEMA,
                                     "text, entities and processing instructions are not allowed");
        }
    }
}

ww_status ww__activity_first(ww__activity_xml *xml, int *depth, bool *found, ww_error *err)
{
    *depth = xmlTextReaderDepth(xml->reader);
    if (xmlTextReaderIsEmptyElement(xml->reader) == 1) {
        *found = false;
        return WW_OK;
    }
    return ww__activity_next(xml, *depth, found, err);
}

const char *ww__activity_element(const ww__activity_xml *xml)
{
    return (const char *)xmlTextReaderConstName(xml->reader);
}

ww_status ww__activity_expect(const ww__activity_xml *xml, const char *name, ww_error *err)
{
    const char *have = ww__activity_element(xml);
    return strcmp(have, name) == 0
               ? WW_OK
               : ww__activity_fail(xml, err, WW_ESCHEMA, "element <%.64s> where <%s> belongs", have,
                                   name);
}

/* ---- attributes ---- */

ww_status ww__activity_get(const ww__activity_xml *xml, const char *name,
                           char buf[WW__ACTIVITY_MAX_ATTRIBUTE], ww_error *err)
{
    const char *element = ww__activity_element(xml);
    xmlChar *value = xmlTextReaderGetAttribute(xml->reader, (const xmlChar *)name);
    if (value == NULL) {
        return ww__activity_fail(xml, err, WW_ESCHEMA, "<%s> lacks the attribute '%s'", element,
                                 name);
    }
    size_t n = strlen((const char *)value);
    if (n < WW__ACTIVITY_MAX_ATTRIBUTE) {
        memcpy(buf, value, n + 1);
    }
    xmlFree(value);
    return n < WW__ACTIVITY_MAX_ATTRIBUTE
               ? WW_OK
               : ww__activity_fail(xml, err, WW_ERANGE, "attribute '%s' is longer than %d bytes",
                                   name, WW__ACTIVITY_MAX_ATTRIBUTE - 1);
}

ww_status ww__activity_get_u64(const ww__activity_xml *xml, const char *name, uint64_t highest,
                               uint64_t *out, ww_error *err)
{
    char text[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(xml, name, text, err));
    ww_error why = {0};
    ww_status status = ww_num_parse_u64(text, out, &why);
    if (status != WW_OK) {
        return ww__activity_fail(xml, err, status, "attribute '%s': %s", name, why.what);
    }
    if (*out > highest) {
        return ww__activity_fail(xml, err, WW_ERANGE,
                                 "attribute '%s' is %" PRIu64 ", above %" PRIu64, name, *out,
                                 highest);
    }
    return WW_OK;
}

ww_status ww__activity_get_u32(const ww__activity_xml *xml, const char *name, uint32_t highest,
                               uint32_t *out, ww_error *err)
{
    uint64_t value;
    WW_TRY(ww__activity_get_u64(xml, name, highest, &value, err));
    *out = (uint32_t)value;
    return WW_OK;
}

ww_status ww__activity_get_positive(const ww__activity_xml *xml, const char *name, double *out,
                                    ww_error *err)
{
    char text[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(xml, name, text, err));
    ww_error why = {0};
    ww_status status = ww_num_parse_double(text, out, &why);
    if (status != WW_OK) {
        return ww__activity_fail(xml, err, status, "attribute '%s': %s", name, why.what);
    }
    if (!(*out > 0)) {
        return ww__activity_fail(xml, err, WW_ERANGE, "attribute '%s' is %s, not positive", name,
                                 text);
    }
    return WW_OK;
}

ww_status ww__activity_get_text(const ww__activity_xml *xml, const char *name, ww_arena *arena,
                                const char **out, ww_error *err)
{
    char text[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(xml, name, text, err));
    *out = ww_arena_strndup(arena, text, strlen(text));
    return *out != NULL ? WW_OK : ww__activity_fail(xml, err, WW_ENOMEM, "out of memory");
}

bool ww__activity_has(const ww__activity_xml *xml, const char *name)
{
    bool has = xmlTextReaderMoveToAttribute(xml->reader, (const xmlChar *)name) == 1;
    xmlTextReaderMoveToElement(xml->reader);
    return has;
}

ww_status ww__activity_get_extent(const ww__activity_xml *xml, const char *name, uint32_t out[3],
                                  ww_error *err)
{
    char text[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(xml, name, text, err));
    char *p = text;
    for (int i = 0; i < 3; i++) {
        size_t n = strcspn(p, " ");
        bool last = p[n] == '\0';
        p[n] = '\0';
        uint64_t value;
        if (last != (i == 2) || ww_num_parse_u64(p, &value, NULL) != WW_OK || value > UINT32_MAX) {
            return ww__activity_fail(xml, err, WW_EPARSE,
                                     "attribute '%s' is not three numbers between 0 and %" PRIu32,
                                     name, UINT32_MAX);
        }
        out[i] = (uint32_t)value;
        p += n + !last;
    }
    return WW_OK;
}

ww_status ww__activity_attributes(const ww__activity_xml *xml, const char *const *known,
                                  ww_error *err)
{
    const char *element = ww__activity_element(xml);
    for (int more = xmlTextReaderMoveToFirstAttribute(xml->reader); more == 1;
         more = xmlTextReaderMoveToNextAttribute(xml->reader)) {
        const char *name = (const char *)xmlTextReaderConstName(xml->reader);
        size_t i = 0;
        while (known[i] != NULL && strcmp(known[i], name) != 0) {
            i++;
        }
        if (known[i] == NULL) {
            char hint[128];
            ww_suggest suggest;
            ww_suggest_init(&suggest, name);
            for (i = 0; known[i] != NULL; i++) {
                ww_suggest_offer(&suggest, known[i]);
            }
            return ww__activity_fail(xml, err, WW_ESCHEMA,
                                     "<%s> has an unknown attribute '%.64s'%s", element, name,
                                     ww_suggest_text(&suggest, hint, sizeof hint));
        }
    }
    xmlTextReaderMoveToElement(xml->reader);
    return WW_OK;
}
