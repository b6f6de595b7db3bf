/* file.h - files and paths: bounded reading, atomic writing, directories. */
#ifndef WW_BASE_FILE_H
#define WW_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/signals.h"
#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads a whole file.
 * @param max_bytes  a larger file is an error, so that no input exhausts memory
 * @param out        terminated by a zero byte beyond *length; release with ww_free
 * @error ENOTFOUND (no such file), EIO, ERANGE (too large), ENOMEM
 */
WW_NODISCARD ww_status ww_read_file(const char *path, size_t max_bytes, char **out, size_t *length,
                                    ww_error *err);
/** Writes a file by way of a temporary one beside it, so that readers see the old or the new
 * content. EIO. */
WW_NODISCARD ww_status ww_write_file(const char *path, const char *data, size_t length,
                                     ww_error *err);
/** The same of a text that was put together. ENOMEM: it lacks some. */
WW_NODISCARD ww_status ww_write_text(const char *path, const ww_str *text, ww_error *err);
/* A file written piece by piece; as ww_write_file, readers see the old or the whole new content.
 * Between ww_file_begin and ww_file_end requests to end wait (base/signals.h), so that none leaves
 * the temporary file; one that a killed process left goes when its path is written again. */
typedef struct ww_file_writer {
    int fd;
    ww_held held;
    const char *path;                           /* borrowed, or target */
    char target[PATH_MAX], temporary[PATH_MAX]; /* "": written in place */
} ww_file_writer;

/** Ended by the same thread. EIO: nothing is open then. */
WW_NODISCARD ww_status ww_file_begin(ww_file_writer *w, const char *path, ww_error *err);
/** The same, but written in place: readers see each piece when it has been put. EIO. */
WW_NODISCARD ww_status ww_file_begin_in_place(ww_file_writer *w, const char *path, ww_error *err);
WW_NODISCARD ww_status ww_file_put(ww_file_writer *w, const char *data, size_t length,
                                   ww_error *err);
/** Closes the file; puts it in place when `status` is WW_OK, else drops it. Returns the first
 * failure. */
WW_NODISCARD ww_status ww_file_end(ww_file_writer *w, ww_status status, ww_error *err);
/** True when path names something other than a directory. */
bool ww_file_exists(const char *path);
/** True when both name the same file or directory, by whatever links. */
bool ww_same_file(const char *a, const char *b);
/** True when path names a directory. */
bool ww_dir_exists(const char *path);
/** Creates a directory and its missing parents; fine when it exists. EIO. */
WW_NODISCARD ww_status ww_make_dirs(const char *path, ww_error *err);
/** Names in a directory that end in suffix, without it, sorted by byte; added to arena. ENOTFOUND,
 * EIO. */
WW_NODISCARD ww_status ww_list_dir(const char *path, const char *suffix, ww_arena *arena,
                                   const char ***names, size_t *count, ww_error *err);

/** dir/name, or name alone when it is absolute or dir is ""; NULL when out of memory. */
char *ww_path_join(ww_arena *arena, const char *dir, const char *name);
/** The part before the last slash; "." when there is none; NULL when out of memory. */
char *ww_path_dir(ww_arena *arena, const char *path);
/** The part behind the last slash; points into path. */
const char *ww_path_base(const char *path);
/** Absolute path without links and dots; NULL when the file does not exist or memory is out. */
char *ww_path_real(ww_arena *arena, const char *path);
/** Directory of the running program; NULL when the system does not tell. */
char *ww_path_exe_dir(ww_arena *arena);
/** Directory of the shared library, or program, that this function is linked into; NULL likewise.
 */
char *ww_path_library_dir(ww_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
