/* tech_schema.h - checks a technology file against its XSD (configs/schema). */
#ifndef WW_TECH_SCHEMA_H
#define WW_TECH_SCHEMA_H

#include "base/xml.h"

/**
 * Readers of this folder check what they read with better messages; the schema has the last word,
 * on attributes and elements that nothing reads.
 * @param dir   of the technology file; the schema is in ../schema, or else where the shipped
 * configurations are
 * @param name  "node.xsd"
 * @error ESCHEMA (file, line), ENOTFOUND, EIO
 */
ww_status ww__tech_schema_check(const ww_xml *xml, const char *dir, const char *name,
                                ww_error *err);

#endif
