/* file_set.c - see file_set.h. */
#define _GNU_SOURCE
#include "base/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/scratch.h"

ww_status ww_file_set_begin(ww_file_set *set, const char *path, ww_error *err)
{
    ww_arena arena = {0};
    *set = (ww_file_set){.path = path, .lock = -1};
    char *dir = ww_path_dir(&arena, path);
    char *prefix = ww_arena_printf(&arena, ".%s.writing-", ww_path_base(path));
    char *aside =
        dir != NULL && prefix != NULL ? ww_arena_printf(&arena, "%s/%sXXXXXX", dir, prefix) : NULL;
    ww_status status = aside != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && strlen(aside) >= sizeof set->aside) {
        status = ww_fail_at(err, WW_EIO, path, 0, 0, "the name is too long");
    }
    if (status == WW_OK) {
        ww_scratch_clear_folders(dir, prefix);
        memcpy(set->aside, aside, strlen(aside) + 1);
        ww_signals_hold(&set->held);
        if (!ww_scratch_make(set->aside, &set->lock)) {
            status = ww_fail_at(err, WW_EIO, path, 0, 0, "cannot create: %s", strerror(errno));
            ww_signals_release(&set->held);
        }
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_file_set_put(ww_file_set *set, const char *path, const char *data, size_t length,
                          ww_error *err)
{
    for (size_t i = 0; i < set->input_count; i++) {
        if (ww_same_file(path, set->inputs[i])) {
            return ww_fail_at(err, WW_EIO, path, 0, 0,
                              "is read by the command, and would be overwritten");
        }
    }
    ww_arena arena = {0};
    const char *aside = ww_path_join(&arena, set->aside, ww_path_base(path));
    ww_status status = aside != NULL ? ww_write_file(aside, data, length, err) : ww_no_memory(err);
    if (status != WW_OK && err != NULL) { /* where it was to be */
        snprintf(err->file, sizeof err->file, "%s", path);
    }
    ww_arena_fini(&arena);
    return status;
}

/* A link stays and its target is replaced, a device is written to. */
static ww_status write_through(const char *from, const char *to, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(from, SIZE_MAX, &text, &length, err));
    ww_status status = ww_write_file(to, text, length, err);
    ww_free(text);
    return status;
}

static ww_status move_one(const ww_file_set *set, ww_arena *arena, const char *name, ww_error *err)
{
    struct stat st;
    const char *dir = ww_path_dir(arena, set->path);
    const char *from = ww_path_join(arena, set->aside, name);
    const char *to = dir != NULL ? ww_path_join(arena, dir, name) : NULL;
    if (from == NULL || to == NULL) {
        return ww_no_memory(err);
    }
    if (lstat(to, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        return write_through(from, to, err);
    }
    return rename(from, to) == 0
               ? WW_OK
               : ww_fail_at(err, WW_EIO, to, 0, 0, "cannot replace: %s", strerror(errno));
}

static ww_status move_all(const ww_file_set *set, ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = move_one(set, &arena, ww_path_base(set->path), err);
    DIR *folder = opendir(set->aside);
    for (struct dirent *e; status == WW_OK && folder != NULL && (e = readdir(folder)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            status = move_one(set, &arena, e->d_name, err);
        }
    }
    if (folder == NULL && status == WW_OK) {
        status = ww_fail_at(err, WW_EIO, set->path, 0, 0, "cannot read what was written: %s",
                            strerror(errno));
    } else if (folder != NULL) {
        closedir(folder);
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_file_set_end(ww_file_set *set, ww_status status, ww_error *err)
{
    status = status == WW_OK ? move_all(set, err) : status;
    ww_scratch_remove(set->aside, set->lock);
    ww_signals_release(&set->held);
    return status;
}
