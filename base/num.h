/* num.h - numbers as text: the same in every locale, and printed so that they read back exactly. */
#ifndef WW_BASE_NUM_H
#define WW_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_NUM_CHARS = 32 }; /* room for any number the functions below print */

/** Reads the longest number at text (no leading space, no hex, no inf or nan); false when there is
 * none or it overflows; *end points behind it. */
bool ww_num_scan(const char *text, const char **end, double *out);
/** Reads a text that is one finite number and nothing else; EPARSE otherwise, ERANGE when it
 * overflows. */
WW_NODISCARD ww_status ww_num_parse_double(const char *text, double *out, ww_error *err);
/** Reads a text that is one unsigned integer: decimal, or hexadecimal after 0x. EPARSE, ERANGE. */
WW_NODISCARD ww_status ww_num_parse_u64(const char *text, uint64_t *out, ww_error *err);
/** Reads a text that is one signed decimal integer. EPARSE, ERANGE. */
WW_NODISCARD ww_status ww_num_parse_i64(const char *text, int64_t *out, ww_error *err);
/** Shortest of %.15g, %.16g, %.17g that reads back as value ("nan", "inf", "-inf" otherwise).
 * Returns buf. */
char *ww_num_format(double value, char buf[WW_NUM_CHARS]);

#ifdef __cplusplus
}
#endif
#endif
