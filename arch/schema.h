/* schema.h - the XSD of GPU descriptions, generated from the parameter table. */
#ifndef WW_ARCH_SCHEMA_H
#define WW_ARCH_SCHEMA_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Appends the text of configs/schema/gpu.xsd. */
void ww_arch_schema(ww_str *out);
/** Appends the text of configs/schema/mech.xsd. */
void ww_mech_schema(ww_str *out);

#ifdef __cplusplus
}
#endif
#endif
