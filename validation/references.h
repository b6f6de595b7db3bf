/* references.h - a table of references, every cell checked as it is read, so that comparisons ask
 * for cells without failing. */
#ifndef WW_VALIDATION_REFERENCES_H
#define WW_VALIDATION_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef enum ww_ref_kind {
    WW_REF_TEXT,     /* anything */
    WW_REF_NAME,     /* not empty */
    WW_REF_NUMBER,   /* a finite number */
    WW_REF_POSITIVE, /* one above 0 */
    WW_REF_OPTIONAL, /* a finite number or nothing */
    WW_REF_WORD,     /* one of `words` */
} ww_ref_kind;

typedef struct ww_ref_column {
    const char *name;
    ww_ref_kind kind;
    const char *const *words; /* of WW_REF_WORD; ends with NULL */
    bool may_lack;            /* tables without this column have its cells empty */
} ww_ref_column;

typedef struct ww_refs ww_refs;

/**
 * Reads a table; other columns than those named are not looked at.
 * @param columns  must outlive the table
 * @error ENOTFOUND (the file, a column), EPARSE, ERANGE, ESCHEMA (file, line and column of a cell)
 */
WW_NODISCARD ww_status ww_refs_load(const char *path, const ww_ref_column *columns, size_t count,
                                    ww_refs **out, ww_error *err);
/** Releases a table; NULL allowed. Texts of its cells go with it. */
void ww_refs_destroy(ww_refs *refs);
const char *ww_refs_path(const ww_refs *refs);
size_t ww_refs_rows(const ww_refs *refs);
/** A cell; columns by their index in `columns`. "" of one that is lacking. */
const char *ww_refs_text(const ww_refs *refs, size_t row, size_t column);
/** A cell of a column of numbers; NaN: empty. */
double ww_refs_number(const ww_refs *refs, size_t row, size_t column);
/** Index in `words` of a cell of such a column. */
size_t ww_refs_word(const ww_refs *refs, size_t row, size_t column);
/** Fails with a message located at a cell. */
WW_NODISCARD ww_status ww_refs_fail(const ww_refs *refs, size_t row, size_t column, ww_error *err,
                                    ww_status code, const char *fmt, ...) WW_PRINTF(6, 7);

#endif
