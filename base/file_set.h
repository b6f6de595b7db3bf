/* file_set.h - files that belong together, of which readers see all or none: written aside, in a
 * folder beside the first one, and moved into place when the last one is whole. The others lie
 * beside it, or in one folder of theirs. */
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
    char folder[PATH_MAX]; /* of those that do not lie beside the first one; "" without any */
    int lock;              /* base/scratch.h */
    ww_held held;
} ww_file_set;

/**
 * Begins a set beside the file `path`, which makes sense without the others and is put in place
 * first. What killed processes left there of the same set goes; requests to end wait until
 * ww_file_set_end, which the same thread calls.
 * @error EIO: nothing is open then
 */
WW_NODISCARD ww_status ww_file_set_begin(ww_file_set *set, const char *path, ww_error *err);
/** Adds a file by its path: beside the first one, or in a folder, which is made when the set is put
 * in place and is the same for all that lie in one. EIO (one of the inputs, too), ENOMEM. */
WW_NODISCARD ww_status ww_file_set_put(ww_file_set *set, const char *path, const char *data,
                                       size_t length, ww_error *err);
/** Puts the files in place when `status` is WW_OK, else drops them. Returns the first failure. */
WW_NODISCARD ww_status ww_file_set_end(ww_file_set *set, ww_status status, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
