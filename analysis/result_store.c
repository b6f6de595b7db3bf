/* result_store.c - results written aside and put in place whole. */
#define _GNU_SOURCE
#include "analysis/result_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/result_files.h"
#include "base/file.h"
#include "base/scratch.h"
#include "base/signals.h"

static ww_status io_error(const char *path, const char *what, ww_error *err)
{
    return ww_fail_at(err, WW_EIO, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

bool ww_result_exists(const char *dir)
{
    ww_arena arena = {0};
    bool found = false;
    for (size_t i = 0; ww__result_names[i] != NULL && !found; i++) {
        const char *path = ww_path_join(&arena, dir, ww__result_names[i]);
        found = path != NULL && ww_file_exists(path);
    }
    ww_arena_fini(&arena);
    return found;
}

/* ---- the folder aside ---- */

/* The folder's path without links, so that it can be renamed whatever it was called. */
static ww_status resolve(ww_result_store *store, const char *dir, ww_error *err)
{
    char trimmed[PATH_MAX];
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/') {
        n--;
    }
    if (n == 0 || n >= sizeof trimmed) {
        return ww_fail_at(err, WW_EIO, dir, 0, 0, "not a usable directory name");
    }
    memcpy(trimmed, dir, n);
    trimmed[n] = '\0';
    if (ww_dir_exists(trimmed)) {
        return realpath(trimmed, store->target) != NULL ? WW_OK
                                                        : io_error(dir, "find the folder", err);
    }
    ww_arena arena = {0};
    char parent[PATH_MAX];
    const char *above = ww_path_dir(&arena, trimmed);
    ww_status status =
        above != NULL ? ww_make_dirs(*above != '\0' ? above : "/", err) : ww_no_memory(err);
    if (status == WW_OK && realpath(*above != '\0' ? above : "/", parent) == NULL) {
        status = io_error(above, "find the folder", err);
    }
    if (status == WW_OK) {
        int length = snprintf(store->target, sizeof store->target, "%s/%s",
                              strcmp(parent, "/") == 0 ? "" : parent, ww_path_base(trimmed));
        if (length < 0 || (size_t)length >= sizeof store->target) {
            status = ww_fail_at(err, WW_EIO, dir, 0, 0, "the name of the folder is too long");
        }
    }
    ww_arena_fini(&arena);
    return status;
}

static bool make_aside(ww_result_store *store, const char *where, const char *name)
{
    int n = snprintf(store->aside, sizeof store->aside, ".%s.writing-", name);
    if (n >= 0 && (size_t)n < sizeof store->aside) {
        ww_scratch_clear_folders(where, store->aside);
    }
    n = snprintf(store->aside, sizeof store->aside, "%s/.%s.writing-XXXXXX", where, name);
    if (n < 0 || (size_t)n >= sizeof store->aside) {
        store->aside[0] = '\0';
        errno = ENAMETOOLONG;
        return false;
    }
    if (!ww_scratch_make(store->aside, &store->lock)) {
        return false;
    }
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)chmod(store->aside, 0777 & ~mask); /* mkdtemp's is for the owner alone */
    return true;
}

ww_status ww_result_begin(ww_result_store *store, const char *dir, bool replace, ww_error *err)
{
    *store = (ww_result_store){.replace = replace};
    if (!replace && ww_result_exists(dir)) {
        return ww_fail(err, WW_EIO,
                       "%s holds a result already; --force replaces it, or give another folder",
                       dir);
    }
    if (ww_file_exists(dir)) {
        return ww_fail_at(err, WW_EIO, dir, 0, 0, "a file, where a folder for results is needed");
    }
    WW_TRY(resolve(store, dir, err));
    ww_arena arena = {0};
    const char *parent = ww_path_dir(&arena, store->target);
    bool made = parent != NULL && make_aside(store, parent, ww_path_base(store->target));
    int why = errno;
    if (!made && ww_dir_exists(store->target)) { /* a folder in one that we may not write */
        made = make_aside(store, store->target, "result");
        why = errno;
    }
    bool memory = parent != NULL;
    ww_arena_fini(&arena);
    errno = why;
    return made ? WW_OK : memory ? io_error(dir, "create the folder", err) : ww_no_memory(err);
}

void ww_result_drop(ww_result_store *store)
{
    if (store->aside[0] != '\0') {
        ww_scratch_remove(store->aside, store->lock);
        store->aside[0] = '\0';
    }
}

/* The folder aside is in place, or gone: there is nothing to drop. */
static void forget_aside(ww_result_store *store)
{
    ww_scratch_leave(store->lock);
    store->aside[0] = '\0';
}

/* ---- in place ---- */

/* Working directories and mount points must stay the folders that they are. */
static bool may_be_swapped(const ww_result_store *store)
{
    char here[PATH_MAX];
    struct stat folder, parent;
    ww_arena arena = {0};
    const char *above = ww_path_dir(&arena, store->target);
    size_t n = strlen(store->target);
    bool inside = getcwd(here, sizeof here) == NULL ||
                  (strncmp(here, store->target, n) == 0 && (here[n] == '/' || here[n] == '\0'));
    bool same = above != NULL && stat(store->target, &folder) == 0 && stat(above, &parent) == 0 &&
                folder.st_dev == parent.st_dev;
    bool beside = strncmp(store->aside, store->target, n) != 0 || store->aside[n] != '/';
    ww_arena_fini(&arena);
    return same && beside && !inside;
}

/* Takes the place of a folder that is empty or missing. */
static bool move_whole(const ww_result_store *store)
{
    bool free = !ww_dir_exists(store->target) || may_be_swapped(store);
    return free && rename(store->aside, store->target) == 0;
}

/* The new folder takes the old one's name in one step; that goes. */
static bool swap_folders(ww_result_store *store)
{
#ifdef RENAME_EXCHANGE
    if (!may_be_swapped(store) || ww__result_has_strangers(store->target) ||
        renameat2(AT_FDCWD, store->aside, AT_FDCWD, store->target, RENAME_EXCHANGE) != 0) {
        return false;
    }
    ww_scratch_remove_folder(store->aside); /* the old result */
    forget_aside(store);
    return true;
#else
    (void)store;
    return false;
#endif
}

/* A file of the user's that has a name of the new result's. */
static ww_status check_stranger(const ww_result_store *store, ww_arena *arena, const char *name,
                                ww_error *err)
{
    const char *path = ww_path_join(arena, store->target, name);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(path) && !ww_result_holds(store->target, name)
               ? ww_fail_at(
                     err, WW_EIO, path, 0, 0,
                     "is no file of the result that it would be replaced by; move it away, or "
                     "give another name or folder")
               : WW_OK;
}

/* File by file, under a mark that readers refuse. */
static ww_status move_files(ww_result_store *store, ww_error *err)
{
    ww_arena arena = {0};
    const char **name = NULL, *mark = ww_path_join(&arena, store->target, WW__RESULT_MARK);
    size_t count = 0;
    ww_status status = mark != NULL ? WW_OK : ww_no_memory(err);
    status = status == WW_OK ? ww_list_dir(store->aside, "", &arena, &name, &count, err) : status;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        status = check_stranger(store, &arena, name[i], err);
    }
    status = status == WW_OK ? ww_write_file(mark, "", 0, err) : status;
    status = status == WW_OK ? ww__result_remove_files(store->target, err) : status;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const char *from = ww_path_join(&arena, store->aside, name[i]);
        const char *to = ww_path_join(&arena, store->target, name[i]);
        if (from == NULL || to == NULL) {
            status = ww_no_memory(err);
        } else if (rename(from, to) != 0) {
            status = io_error(to, "create", err);
        }
    }
    if (status == WW_OK) {
        (void)rmdir(store->aside);
        forget_aside(store);
        status = unlink(mark) == 0 ? WW_OK : io_error(mark, "remove", err);
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status publish(ww_result_store *store, uint64_t run_id, ww_error *err)
{
    WW_TRY(ww_result_seal(store->aside, run_id, err));
    if (!store->replace && ww_result_exists(store->target)) { /* made since we began */
        return ww_fail(err, WW_EIO, "%s holds a result already; --force replaces it",
                       store->target);
    }
    if (move_whole(store)) {
        forget_aside(store);
        return WW_OK;
    }
    return swap_folders(store) ? WW_OK : move_files(store, err);
}

ww_status ww_result_publish(ww_result_store *store, uint64_t run_id, ww_error *err)
{
    ww_held held;
    ww_signals_hold(&held);
    ww_status status = publish(store, run_id, err);
    ww_signals_release(&held);
    return status;
}
