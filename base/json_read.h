/* json_read.h - reading JSON documents (RFC 8259) into a tree.
 * Inputs are untrusted: bounded size, depth and keys per object; a key that comes twice is an
 * error. */
#ifndef WW_BASE_JSON_READ_H
#define WW_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_JSON_MAX_BYTES = 256 * 1024 * 1024, WW_JSON_MAX_DEPTH = 64, WW_JSON_MAX_KEYS = 4096 };

typedef enum ww_json_kind {
    WW_JSON_NULL,
    WW_JSON_BOOL,
    WW_JSON_NUMBER,
    WW_JSON_TEXT,
    WW_JSON_ARRAY,
    WW_JSON_OBJECT
} ww_json_kind;

typedef struct ww_json_value {
    ww_json_kind kind;
    bool boolean;
    double number;
    const char *text;                  /* of a text; without zero bytes */
    const char *key;                   /* inside an object, else NULL */
    const struct ww_json_value *first; /* of an array or object, NULL when empty */
    const struct ww_json_value *next;  /* sibling */
} ww_json_value;

/** Reads a document; name is used in messages; the tree lives in the arena. EPARSE with line and
 * column, ENOMEM. */
WW_NODISCARD ww_status ww_json_parse(const char *name, const char *text, size_t length,
                                     ww_arena *arena, const ww_json_value **out, ww_error *err);
/** Reads a document from a file of at most WW_JSON_MAX_BYTES. */
WW_NODISCARD ww_status ww_json_load(const char *path, ww_arena *arena, const ww_json_value **out,
                                    ww_error *err);

/** Member of an object, NULL when value is no object or has no such key; NULL allowed. */
const ww_json_value *ww_json_get(const ww_json_value *value, const char *key);
/** Text of a member, otherwise when it is absent or no text. */
const char *ww_json_get_text(const ww_json_value *value, const char *key, const char *otherwise);
/** Number of a member, otherwise when it is absent or no number. */
double ww_json_get_number(const ww_json_value *value, const char *key, double otherwise);

#ifdef __cplusplus
}
#endif
#endif
