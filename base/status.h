/* status.h - status codes and located errors.
 * Every fallible function returns a ww_status and fills the caller's ww_error, its last argument.
 * Libraries never print, exit or abort on anything a user can cause.
 *
 * base/ knows no word of GPUs: errors, memory (mem.h), text (str.h), files that are written whole
 * or not at all (file.h), XML, CSV and JSON from untrusted hands, units, maps, threads. It depends
 * on the C library, libxml2 and jansson; everything else may depend on it. */
#ifndef WW_BASE_STATUS_H
#define WW_BASE_STATUS_H

#include <stdarg.h>

#include "base/assert.h"
#include "base/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, code, text): stable codes, so that scripts may rely on them. */
#define WW_STATUS_MAP(X)                                                                           \
    X(OK, 0, "success")                                                                            \
    X(ENOMEM, 1, "out of memory")                                                                  \
    X(EIO, 2, "file could not be read or written")                                                 \
    X(EPARSE, 3, "input is not well formed")                                                       \
    X(ESCHEMA, 4, "input does not satisfy its schema")                                             \
    X(ERANGE, 5, "value outside its documented range")                                             \
    X(ENOTFOUND, 6, "named item does not exist")                                                   \
    X(EUNSUP, 7, "feature or instruction unsupported")                                             \
    X(ENUMERIC, 8, "numeric failure")                                                              \
    X(EFAULT, 9, "kernel made an invalid memory access")                                           \
    X(EDEADLOCK, 10, "simulated machine makes no progress")                                        \
    X(EKERNEL, 11, "kernel stopped with an error")                                                 \
    X(EVERIFY, 12, "result differs from the reference")                                            \
    X(EUSAGE, 13, "command line is wrong")                                                         \
    X(EINTERNAL, 14, "internal error")                                                             \
    X(EASSERT, 15, "assertion in a kernel failed")                                                 \
    X(EBUDGET, 16, "instruction budget is used up")                                                \
    X(EINTERRUPTED, 17, "interrupted")                                                             \
    X(EALIGN, 18, "kernel made a misaligned memory access")

typedef enum WW_NODISCARD_TYPE ww_status {
#define X(id, code, text) WW_##id = code,
    WW_STATUS_MAP(X)
#undef X
} ww_status;

/* Where and why something failed. Zero-initialise before use; untouched on success. */
typedef struct ww_error {
    ww_status code;
    int line;        /* 1-based; 0: no line known */
    int column;      /* 1-based; 0: no column known */
    char file[256];  /* input file; empty: none */
    char what[3072]; /* complete sentence, fit to print as it is */
} ww_error;

/** Text of a status code, never NULL. */
const char *ww_status_text(ww_status code);

/** Fills err (NULL allowed) with a message without location; returns code. */
WW_NODISCARD ww_status ww_fail(ww_error *err, ww_status code, const char *fmt, ...) WW_PRINTF(3, 4);

/** Fills err (NULL allowed) with a located message; file may be NULL; returns code. */
WW_NODISCARD ww_status ww_fail_at(ww_error *err, ww_status code, const char *file, int line,
                                  int column, const char *fmt, ...) WW_PRINTF(6, 7);

/** An allocation has failed: fills err (NULL allowed) with "out of memory"; returns ENOMEM. */
WW_NODISCARD ww_status ww_no_memory(ww_error *err);
/** The same with what it was for: "out of memory for " and the text. */
WW_NODISCARD ww_status ww_no_memory_for(ww_error *err, const char *fmt, ...) WW_PRINTF(2, 3);
/** The same while an input is read. */
WW_NODISCARD ww_status ww_no_memory_in(ww_error *err, const char *file);

/** Puts context in front of an error's text ("loading gtx580: "). Keeps its location. */
void ww_error_prefix(ww_error *err, const char *fmt, ...) WW_PRINTF(2, 3);

/** Formats "file:line:col: error: text [ESCHEMA]" into buf, fit for a terminal (base/visible.h);
 * always terminated. Returns buf. */
char *ww_error_format(const ww_error *err, char *buf, unsigned long size);

/* Returns from the calling function when expr fails; use where nothing is owned yet. */
#define WW_TRY(expr)                                                                               \
    do {                                                                                           \
        ww_status ww_try_status_ = (expr);                                                         \
        if (WW_UNLIKELY(ww_try_status_ != WW_OK)) {                                                \
            return ww_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

/* For what cannot fail here; the reason stands beside it. */
#define WW_CERTAIN(expr)                                                                           \
    do {                                                                                           \
        ww_status ww_certain_ = (expr);                                                            \
        WW_ASSERT(ww_certain_ == WW_OK);                                                           \
    } while (0)

/* Drops a status on purpose; the reason stands beside it. A cast to void is no answer for GCC. */
#define WW_DROP(expr)                                                                              \
    do {                                                                                           \
        ww_status ww_dropped_ = (expr);                                                            \
        (void)ww_dropped_;                                                                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
