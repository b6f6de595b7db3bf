/* config_schema.h - checks a configuration file against its XSD (configs/schema). */
#ifndef WW_BASE_CONFIG_SCHEMA_H
#define WW_BASE_CONFIG_SCHEMA_H

#include "base/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Readers check what they read with better messages; the schema has the last word, on attributes
 * and elements that nothing reads. Shipped files were checked when this was built.
 * @param dir   of the file; the schema is in ../schema, or else where the shipped configurations
 * are
 * @param name  "node.xsd"
 * @error ESCHEMA (file, line), ENOTFOUND, EIO
 */
WW_NODISCARD ww_status ww_config_schema_check(const ww_xml *xml, const char *dir, const char *name,
                                              ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
