/* xml_doc.h - what the XML files of base/ share; not for other folders. */
#ifndef WW_BASE_XML_DOC_H
#define WW_BASE_XML_DOC_H

#include <stdbool.h>

#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include "base/xml.h"

struct ww_xml {
    char *name;
    xmlDocPtr doc;
    bool shipped; /* its bytes are those of a file that was validated when this was built */
};

/** Copies libxml2's message, on one line, and its place into err. */
void ww__xml_fill_error(ww_error *err, ww_status code, const xmlError *error);

#endif
