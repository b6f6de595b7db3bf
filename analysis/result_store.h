/* result_store.h - a result folder as one thing: written aside and put in place whole, and checked
 * when it is read. Depends on: base.
 *
 * files.csv lists what belongs to a result: a row per file with its size, lines and hash, and a
 * last row "." that closes the list. Every row names the run: a hash of configuration, program and
 * inputs, options and version, and of nothing else. */
#ifndef WW_ANALYSIS_RESULT_STORE_H
#define WW_ANALYSIS_RESULT_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WW_RESULT_LIST       "files.csv"
#define WW_RESULT_OPERATORS  "operators.csv"  /* of a model's pass */
#define WW_RESULT_INCOMPLETE "incomplete.txt" /* why, in a result that lacks some of its run */

/* A result on its way into its folder. */
typedef struct ww_result_store {
    char target[PATH_MAX]; /* the folder */
    char aside[PATH_MAX];  /* where its files are written; "": nothing is open */
    int lock;              /* held on it (base/scratch.h) */
    bool replace;          /* a result in the folder goes */
} ww_result_store;

/** True for the names of files that every result may have. */
bool ww_result_is_reserved(const char *name);
/** True for the name of a file that belongs to the result in the folder. */
bool ww_result_holds(const char *dir, const char *name);
/** True when the folder holds a result, or part of one. */
bool ww_result_exists(const char *dir);

/**
 * Makes a folder aside for a result of `dir`, beside it where possible; those that killed processes
 * left there for the same result go.
 * @param replace  a result that `dir` holds is replaced by ww_result_publish
 * @error EIO: it holds one and `replace` is not set, or nothing can be written
 */
WW_NODISCARD ww_status ww_result_begin(ww_result_store *store, const char *dir, bool replace,
                                       ww_error *err);
/** Lists the files written aside and puts them in place; a folder that was there keeps its files
 * that are no result's, and has none of the names that the new result needs for its own. EIO,
 * ENOMEM; the folder is as it was then. */
WW_NODISCARD ww_status ww_result_publish(ww_result_store *store, uint64_t run_id, ww_error *err);
/** Drops what was written and not published. */
void ww_result_drop(ww_result_store *store);

/** Writes the list of a folder's files into it. */
WW_NODISCARD ww_status ww_result_seal(const char *dir, uint64_t run_id, ww_error *err);
/** Checks that the files of a result belong together and are whole: against its list, or, of a
 * result without one, that tables end with a line and power.csv has the launches of kernels.csv.
 * @error ESCHEMA, located at the file */
WW_NODISCARD ww_status ww_result_check(const char *dir, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
