/* xml.h - reading XML documents safely, and checking them against a schema.
 * Inputs are untrusted: no network, no external entities, no document types, bounded size and
 * depth. */
#ifndef WW_BASE_XML_H
#define WW_BASE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_XML_MAX_BYTES = 16 * 1024 * 1024,
    WW_XML_MAX_DEPTH = 32,
};

typedef struct ww_xml ww_xml;           /* a document */
typedef struct ww_xml_node ww_xml_node; /* an element of it */
typedef struct ww_schema
    ww_schema; /* a compiled XSD; read-only, may serve many documents in turn */

/** Reads a document from a file. ENOTFOUND, EIO, ERANGE (too large), EPARSE with file and line. */
WW_NODISCARD ww_status ww_xml_load(const char *path, ww_xml **out, ww_error *err);
/** Reads a document from memory; name is used in messages. */
WW_NODISCARD ww_status ww_xml_parse(const char *name, const char *text, size_t length, ww_xml **out,
                                    ww_error *err);
/** Releases a document and its nodes; NULL allowed. */
void ww_xml_destroy(ww_xml *xml);
/** The name given when it was read. */
const char *ww_xml_name(const ww_xml *xml);
/** True where it is, byte for byte, a file that came with this build (base/shipped.h): it satisfies
 * its schema. */
bool ww_xml_is_shipped(const ww_xml *xml);
/** The root element. */
const ww_xml_node *ww_xml_root(const ww_xml *xml);

/** First child element, NULL when there is none. */
const ww_xml_node *ww_xml_child(const ww_xml_node *node);
/** Next sibling element, NULL when there is none. */
const ww_xml_node *ww_xml_next(const ww_xml_node *node);
/** First child element of that name, NULL when there is none. */
const ww_xml_node *ww_xml_find(const ww_xml_node *node, const char *name);
/** Parent element, NULL for the root. */
const ww_xml_node *ww_xml_parent(const ww_xml_node *node);
/** Element name. */
const char *ww_xml_tag(const ww_xml_node *node);
/** 1-based line of the element's start tag. */
int ww_xml_line(const ww_xml_node *node);
/** Attribute value as written, NULL when absent; borrowed from the document. */
const char *ww_xml_attr(const ww_xml_node *node, const char *name);
/** Text directly inside the element, outer white space removed; "" when there is none; NULL when
 * out of memory. */
const char *ww_xml_text(const ww_xml_node *node, ww_arena *arena);
/** Fails with a message located at a node. */
WW_NODISCARD ww_status ww_xml_fail(const ww_xml *xml, const ww_xml_node *node, ww_error *err,
                                   ww_status code, const char *fmt, ...) WW_PRINTF(5, 6);

/** Compiles an XSD. ESCHEMA when it is faulty. */
WW_NODISCARD ww_status ww_schema_parse(const char *name, const char *text, size_t length,
                                       ww_schema **out, ww_error *err);
/** Releases a schema; NULL allowed. */
void ww_schema_destroy(ww_schema *schema);
/** Checks a document; ESCHEMA with file and line of the first violation. */
WW_NODISCARD ww_status ww_schema_check(const ww_schema *schema, const ww_xml *xml, ww_error *err);

/** Appends text with the characters that XML reserves written as entities, fit for text and
 * attributes. */
void ww_xml_escape(ww_str *out, const char *text);
/** Appends ` attribute="text"`, escaped. */
void ww_xml_put_text(ww_str *out, const char *attribute, const char *text);
/** Appends ` attribute="value"`, with as many digits as give the same number back. */
void ww_xml_put_real(ww_str *out, const char *attribute, double value);

#ifdef __cplusplus
}
#endif
#endif
