/* json.h - a streaming JSON writer (RFC 8259). */
#ifndef WW_BASE_JSON_H
#define WW_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_JSON_DEPTH = 64 };

/* Appends to out. Keys are given inside objects and NULL inside arrays. Failures are remembered and
 * reported by ww_json_finish; after the first one nothing more is written. */
typedef struct ww_json {
    ww_str *out;
    int indent; /* spaces per level; 0: one line */
    int depth;
    bool is_array[WW_JSON_DEPTH];
    bool has_items[WW_JSON_DEPTH];
    bool done; /* the top-level value is complete */
    ww_error error;
} ww_json;

/** Starts a document at the end of out, which must outlive the writer. */
void ww_json_init(ww_json *j, ww_str *out, int indent);
/** Opens an object. */
void ww_json_object(ww_json *j, const char *key);
/** Opens an array. */
void ww_json_array(ww_json *j, const char *key);
/** Closes the innermost object or array. */
void ww_json_end(ww_json *j);
/** A string; bytes that are not UTF-8 become U+FFFD. NULL writes null. */
void ww_json_text(ww_json *j, const char *key, const char *text);
/** A number that reads back exactly; NaN and infinity are an error (ENUMERIC). */
void ww_json_double(ww_json *j, const char *key, double value);
/** A number, or null when it is NaN or infinite. */
void ww_json_double_or_null(ww_json *j, const char *key, double value);
/** An unsigned integer. */
void ww_json_u64(ww_json *j, const char *key, uint64_t value);
/** A signed integer. */
void ww_json_i64(ww_json *j, const char *key, int64_t value);
/** true or false. */
void ww_json_bool(ww_json *j, const char *key, bool value);
/** null. */
void ww_json_null(ww_json *j, const char *key);
/** Ends the document with a newline. ENOMEM, ENUMERIC (names the key), EINTERNAL (unbalanced,
 * missing key, too deep). */
WW_NODISCARD ww_status ww_json_finish(ww_json *j, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
