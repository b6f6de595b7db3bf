/* scratch.h - what is on disk only while a process works on it. Its owner holds a lock on it, which
 * the system releases with the process: so the next one tells what a killed process left behind
 * from what is in use, on other hosts of a shared file system too. Where a file system has no
 * locks, nothing is taken for left behind. Depends on: POSIX, flock. */
#ifndef WW_BASE_SCRATCH_H
#define WW_BASE_SCRATCH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a folder for its owner alone and holds it.
 * @param path  ends in "XXXXXX", which becomes a name that was free; "" after a failure
 * @param lock  for ww_scratch_remove or ww_scratch_leave; false: errno says why there is none */
bool ww_scratch_make(char *path, int *lock);
/** Removes the folder and the files in it, and releases it. */
void ww_scratch_remove(const char *path, int lock);
/** Releases it and leaves it where it is. */
void ww_scratch_leave(int lock);
/** Removes a folder and the files in it, as far as that goes; it holds no folders. */
void ww_scratch_remove_folder(const char *path);

/** Holds an open file; false: somebody else does, or it has been removed. */
bool ww_scratch_hold_file(int fd);

/** Removes the folders `prefix` and six letters or digits in dir that are the user's own and that
 * nobody holds. */
void ww_scratch_clear_folders(const char *dir, const char *prefix);
/** The same of the files `prefix`, digits and dashes, `suffix`. */
void ww_scratch_clear_files(const char *dir, const char *prefix, const char *suffix);

#ifdef __cplusplus
}
#endif
#endif
