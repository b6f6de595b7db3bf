/* xml.c - libxml2 behind a narrow, safe interface. */
#include "base/xml.h"

#include <stdint.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/xml_doc.h"
#include "base/xml_guard.h"
#include "base/xml_memory.h"

/* What the parser's callbacks know. */
typedef struct parse_state {
    ww_error first; /* first error, which the later ones often only follow from */
} parse_state;

static void on_error(void *user, xmlErrorPtr error)
{
    xmlParserCtxtPtr ctxt = user;
    parse_state *state = ctxt->_private;
    if (state->first.code == WW_OK && error->level >= XML_ERR_ERROR) {
        ww__xml_fill_error(&state->first, WW_EPARSE, error);
    }
}

/* Document types serve only to define entities here; refusing them rules out every expansion
 * attack. */
static void on_doctype(void *user, const xmlChar *name, const xmlChar *external_id,
                       const xmlChar *system_id)
{
    (void)name, (void)external_id, (void)system_id;
    xmlParserCtxtPtr ctxt = user;
    parse_state *state = ctxt->_private;
    if (state->first.code == WW_OK) {
        WW_DROP(ww_fail_at(&state->first, WW_EPARSE, NULL, xmlSAX2GetLineNumber(ctxt), 0,
                           "a document type (<!DOCTYPE) is not allowed")); /* kept in state */
    }
    xmlStopParser(ctxt);
}

static const xmlNode *element_at_or_after(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

static ww_status check_depth(const ww_xml *xml, const ww_xml_node *node, int depth, ww_error *err)
{
    if (depth > WW_XML_MAX_DEPTH) {
        return ww_xml_fail(xml, node, err, WW_EPARSE, "elements are nested more than %d deep",
                           WW_XML_MAX_DEPTH);
    }
    for (const ww_xml_node *child = ww_xml_child(node); child != NULL; child = ww_xml_next(child)) {
        WW_TRY(check_depth(xml, child, depth + 1, err));
    }
    return WW_OK;
}

static xmlDocPtr read_document(const char *text, size_t length, parse_state *state)
{
    xmlParserCtxtPtr ctxt = xmlNewParserCtxt();
    if (ctxt == NULL) {
        WW_DROP(ww_no_memory(&state->first)); /* kept in state */
        return NULL;
    }
    ctxt->_private = state;
    ctxt->sax->serror = on_error;
    ctxt->sax->internalSubset = on_doctype;
    xmlDocPtr doc = xmlCtxtReadMemory(ctxt, text, (int)length, NULL, NULL,
                                      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                          XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    xmlFreeParserCtxt(ctxt);
    if (state->first.code == WW_OK && (doc == NULL || xmlDocGetRootElement(doc) == NULL)) {
        WW_DROP(ww_fail(&state->first, WW_EPARSE, "not an XML document")); /* kept in state */
    }
    return doc;
}

ww_status ww_xml_parse(const char *name, const char *text, size_t length, ww_xml **out,
                       ww_error *err)
{
    if (length > WW_XML_MAX_BYTES) {
        return ww_fail_at(err, WW_ERANGE, name, 0, 0,
                          "document is larger than the limit of %d bytes", WW_XML_MAX_BYTES);
    }
    ww__xml_guard guard = {0};
    WW_TRY(ww__xml_memory_reserve(err));
    bool shipped = ww_is_shipped(text, length);
    if (!shipped) {
        WW_TRY(ww__xml_guard_feed(&guard, name, text, length, err));
    }
    ww_xml *xml = WW_NEW(ww_xml);
    char *copy = ww_strdup(name);
    if (xml == NULL || copy == NULL) {
        ww_free(xml);
        ww_free(copy);
        return ww_no_memory_in(err, name);
    }
    xml->name = copy;
    xml->shipped = shipped;
    parse_state state = {0};
    xml->doc = read_document(text, length, &state);
    ww_status status = state.first.code;
    if (status != WW_OK) {
        status = ww_fail_at(err, status, name, state.first.line, state.first.column, "%s",
                            state.first.what);
    } else {
        status = check_depth(xml, ww_xml_root(xml), 1, err);
    }
    if (status != WW_OK) {
        ww_xml_destroy(xml);
        return status;
    }
    *out = xml;
    return WW_OK;
}

ww_status ww_xml_load(const char *path, ww_xml **out, ww_error *err)
{
    char *text;
    size_t length;
    WW_TRY(ww_read_file(path, WW_XML_MAX_BYTES, &text, &length, err));
    ww_status status = ww_xml_parse(path, text, length, out, err);
    ww_free(text);
    return status;
}

void ww_xml_destroy(ww_xml *xml)
{
    if (xml != NULL) {
        xmlFreeDoc(xml->doc);
        ww_free(xml->name);
        ww_free(xml);
    }
}

bool ww_xml_is_shipped(const ww_xml *xml)
{
    return xml->shipped;
}

const char *ww_xml_name(const ww_xml *xml)
{
    return xml->name;
}

/* A ww_xml_node is an xmlNode whose type users cannot see into. */
static const ww_xml_node *wrap(const xmlNode *node)
{
    return (const ww_xml_node *)(const void *)node;
}

static const xmlNode *unwrap(const ww_xml_node *node)
{
    return (const xmlNode *)(const void *)node;
}

const ww_xml_node *ww_xml_root(const ww_xml *xml)
{
    return wrap(xmlDocGetRootElement(xml->doc));
}

const ww_xml_node *ww_xml_child(const ww_xml_node *node)
{
    return wrap(element_at_or_after(unwrap(node)->children));
}

const ww_xml_node *ww_xml_next(const ww_xml_node *node)
{
    return wrap(element_at_or_after(unwrap(node)->next));
}

const ww_xml_node *ww_xml_find(const ww_xml_node *node, const char *name)
{
    const ww_xml_node *child = ww_xml_child(node);
    while (child != NULL && strcmp(ww_xml_tag(child), name) != 0) {
        child = ww_xml_next(child);
    }
    return child;
}

const ww_xml_node *ww_xml_parent(const ww_xml_node *node)
{
    const xmlNode *parent = unwrap(node)->parent;
    return parent != NULL && parent->type == XML_ELEMENT_NODE ? wrap(parent) : NULL;
}

const char *ww_xml_tag(const ww_xml_node *node)
{
    return (const char *)unwrap(node)->name;
}

int ww_xml_line(const ww_xml_node *node)
{
    long line = xmlGetLineNo(unwrap(node));
    return line > 0 && line < INT32_MAX ? (int)line : 0;
}

const char *ww_xml_attr(const ww_xml_node *node, const char *name)
{
    for (const xmlAttr *attr = unwrap(node)->properties; attr != NULL; attr = attr->next) {
        if (strcmp((const char *)attr->name, name) == 0) {
            /* Without entities a value is one text node; an empty value has none. */
            return attr->children != NULL ? (const char *)attr->children->content : "";
        }
    }
    return NULL;
}

const char *ww_xml_text(const ww_xml_node *node, ww_arena *arena)
{
    static const char space[] = " \t\r\n";
    ww_str all = {0};
    for (const xmlNode *child = unwrap(node)->children; child != NULL; child = child->next) {
        if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
            ww_str_add(&all, (const char *)child->content);
        }
    }
    const char *text = ww_str_text(&all) + strspn(ww_str_text(&all), space);
    size_t n = strlen(text);
    while (n > 0 && strchr(space, text[n - 1]) != NULL) {
        n--;
    }
    char *copy = all.failed ? NULL : ww_arena_strndup(arena, text, n);
    ww_str_fini(&all);
    return copy;
}

ww_status ww_xml_fail(const ww_xml *xml, const ww_xml_node *node, ww_error *err, ww_status code,
                      const char *fmt, ...)
{
    ww_error what = {0};
    va_list args;
    va_start(args, fmt);
    ww_str text = {0};
    ww_str_addv(&text, fmt, args);
    va_end(args);
    ww_status status =
        ww_fail_at(&what, code, xml->name, ww_xml_line(node), 0, "%s", ww_str_text(&text));
    ww_str_fini(&text);
    if (err != NULL) {
        *err = what;
    }
    return status;
}

void ww_xml_escape(ww_str *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        switch (*p) {
        case '&':
            ww_str_add(out, "&amp;");
            break;
        case '<':
            ww_str_add(out, "&lt;");
            break;
        case '>':
            ww_str_add(out, "&gt;");
            break;
        case '"':
            ww_str_add(out, "&quot;");
            break;
        case '\n':
            ww_str_add(out, "&#10;");
            break;
        default:
            ww_str_add_char(out, *p);
        }
    }
}

void ww_xml_put_text(ww_str *out, const char *attribute, const char *text)
{
    ww_str_addf(out, " %s=\"", attribute);
    ww_xml_escape(out, text);
    ww_str_add_char(out, '"');
}

void ww_xml_put_real(ww_str *out, const char *attribute, double value)
{
    ww_str_addf(out, " %s=\"", attribute);
    ww_str_add_double(out, value);
    ww_str_add_char(out, '"');
}
