/* xml_guard.h - what an XML document must keep to before libxml2 sees it: its parser compares every
 * attribute of an element with all others. */
#ifndef WW_BASE_XML_GUARD_H
#define WW_BASE_XML_GUARD_H

#include <stddef.h>

#include "base/status.h"

enum { WW__XML_MOST_ATTRIBUTES = 512 };

/* Reads along, piece by piece; starts as {0}. */
typedef struct ww__xml_guard {
    int state;
    char quote;
    unsigned attributes; /* of the present tag */
    unsigned seen;       /* characters of a marker such as <!-- */
    int line;            /* of the present place, less one */
    size_t bytes;
} ww__xml_guard;

/** @error ERANGE: an element has more attributes; EPARSE: an encoding that cannot be looked into.
 * Located at file `name`. */
WW_NODISCARD ww_status ww__xml_guard_feed(ww__xml_guard *g, const char *name, const char *text,
                                          size_t length, ww_error *err);

#endif
