/* result_folders.h - what a path given as results stands for: one run, or the runs of one
 * configuration side by side. Depends on: base. */
#ifndef WW_ANALYSIS_RESULT_FOLDERS_H
#define WW_ANALYSIS_RESULT_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The result folders that a path stands for: itself when it holds a kernels.csv, else those folders
 * in it that do, by name. Each is checked (ww_result_check).
 * @param out  paths in arena
 * @error ENOTFOUND when there is none, ESCHEMA, EIO, ENOMEM
 */
WW_NODISCARD ww_status ww_result_folders(const char *dir, ww_arena *arena, const char ***out,
                                         size_t *count, ww_error *err);

/** True when the result says that it lacks some of its run. */
bool ww_result_is_incomplete(const char *dir);

#ifdef __cplusplus
}
#endif
#endif
