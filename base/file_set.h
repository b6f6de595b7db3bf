/* file_set.h - files that belong together, of which readers see all or none: written aside, in a
 * folder beside them, and moved into place when the last one is whole. */
#ifndef WW_BASE_FILE_SET_H
#define WW_BASE_FILE_SET_H

#include <limits.h>
#include <stddef.h>

#include "base/signals.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_file_set {
    const char *path;          /* of the first file, borrowed */
    const char *const *inputs; /* files that none of the set may be; borrowed, by the caller */
    size_t input_count;
    char aside[PATH_MAX];
    int lock; /* base/scratch.h */
    ww_held held;
} ww_file_set;

/**
 * Begins a set beside the file `path`, which makes sense without the others and is put in place
 * first. What killed processes left there of the same set goes; requests to end wait until
 * ww_file_set_end, which the same thread calls.
 * @error EIO: nothing is open then
 */
WW_NODISCARD ww_status ww_file_set_begin(ww_file_set *set, const char *path, ww_error *err);
/** Adds a file of the folder of the first one, by its path. EIO (one of the inputs, too), ENOMEM.
 */
WW_NODISCARD ww_status ww_file_set_put(ww_file_set *set, const char *path, const char *data,
                                       size_t length, ww_error *err);
/** Puts the files in place when `status` is WW_OK, else drops them. Returns the first failure. */
WW_NODISCARD ww_status ww_file_set_end(ww_file_set *set, ww_status status, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
