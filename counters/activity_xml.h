/* activity_xml.h - walks an activity document element by element and reads attributes; private to
 * counters/. */
#ifndef WW_COUNTERS_ACTIVITY_XML_H
#define WW_COUNTERS_ACTIVITY_XML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <libxml/xmlreader.h>

#include "base/mem.h"
#include "base/compiler.h"
#include "base/status.h"
#include "base/xml_guard.h"

enum { WW__ACTIVITY_MAX_ATTRIBUTE = 4096 };

/* The text, from a file or from memory. */
typedef struct ww__activity_source {
    FILE *file; /* NULL: text */
    const char *text;
    size_t left;
    uint64_t taken;
    bool too_large, failed;
    const char *name;
    ww__xml_guard guard;
    ww_error refused; /* by it */
} ww__activity_source;

/* The document at the element that is being read. */
typedef struct ww__activity_xml {
    const char *name; /* of the file */
    xmlTextReaderPtr reader;
    ww__activity_source source;
    ww_error first; /* what libxml2 reported */
} ww__activity_xml;

/* Begins to read xml->source; xml must stay where it is until the end. */
WW_NODISCARD ww_status ww__activity_xml_open(ww__activity_xml *xml, ww_error *err);
void ww__activity_xml_close(ww__activity_xml *xml);

/* ww_fail_at with file and line of the present element. */
WW_NODISCARD ww_status ww__activity_fail(const ww__activity_xml *xml, ww_error *err, ww_status code,
                                         const char *fmt, ...) WW_PRINTF(4, 5);

/* Moves to the next element inside the present one, which lies at `depth` (-1: the document);
 * *found false at its end. */
WW_NODISCARD ww_status ww__activity_next(ww__activity_xml *xml, int depth, bool *found,
                                         ww_error *err);
/* Moves to the first element inside the present one. */
WW_NODISCARD ww_status ww__activity_first(ww__activity_xml *xml, int *depth, bool *found,
                                          ww_error *err);
/* Name of the present element. */
const char *ww__activity_element(const ww__activity_xml *xml);
WW_NODISCARD ww_status ww__activity_expect(const ww__activity_xml *xml, const char *element,
                                           ww_error *err);

/* Every attribute of the present element must be in the list, which ends with NULL. */
WW_NODISCARD ww_status ww__activity_attributes(const ww__activity_xml *xml,
                                               const char *const *known, ww_error *err);
/* Value of an attribute of the present element, in buf. */
WW_NODISCARD ww_status ww__activity_get(const ww__activity_xml *xml, const char *name,
                                        char buf[WW__ACTIVITY_MAX_ATTRIBUTE], ww_error *err);
WW_NODISCARD ww_status ww__activity_get_u64(const ww__activity_xml *xml, const char *name,
                                            uint64_t highest, uint64_t *out, ww_error *err);
WW_NODISCARD ww_status ww__activity_get_u32(const ww__activity_xml *xml, const char *name,
                                            uint32_t highest, uint32_t *out, ww_error *err);
WW_NODISCARD ww_status ww__activity_get_positive(const ww__activity_xml *xml, const char *name,
                                                 double *out, ww_error *err);
/* A copy in the arena. */
WW_NODISCARD ww_status ww__activity_get_text(const ww__activity_xml *xml, const char *name,
                                             ww_arena *arena, const char **out, ww_error *err);
/* Whether the element has the attribute. */
bool ww__activity_has(const ww__activity_xml *xml, const char *name);
/* "4 1 1" */
WW_NODISCARD ww_status ww__activity_get_extent(const ww__activity_xml *xml, const char *name,
                                               uint32_t out[3], ww_error *err);

#endif
