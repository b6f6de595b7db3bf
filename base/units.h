/* units.h - physical units of configuration values: text to SI and back. */
#ifndef WW_BASE_UNITS_H
#define WW_BASE_UNITS_H

#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A unit such as KiB: 1 KiB = 1024 B. */
typedef struct ww_unit {
    const char *symbol; /* "KiB" */
    const char *si;     /* what values are stored in: "B" */
    double scale;   /* SI value of one unit; a power of ten below 1 is kept exact as a divisor */
    double divisor; /* SI value = number * scale / divisor */
} ww_unit;

/** The unit of that symbol ("MHz", "KiB", "mm2", "mm^2", "cycle", "1"), or NULL. */
const ww_unit *ww_unit_find(const char *symbol);
/** The i-th known unit, NULL behind the last. */
const ww_unit *ww_unit_at(size_t i);
/** A number in a unit as SI value. */
double ww_unit_to_si(const ww_unit *unit, double number);
/**
 * Reads "48 KiB", "700MHz", "1.05 V", "35" (taken as SI) into SI.
 * @param si  the unit expected, as in ww_unit.si; "1" for plain numbers
 * @error EPARSE (no number), ERANGE (unit unknown or of another quantity; names what is allowed)
 */
WW_NODISCARD ww_status ww_units_parse(const char *text, const char *si, double *out, ww_error *err);
/** For people: an SI value with a fitting prefix, four digits ("772 MHz", "48 KiB", "529 mm2").
 * Returns buf. */
char *ww_units_format(double value, const char *si, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
