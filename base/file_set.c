/* file_set.c - see file_set.h. */
#define _GNU_SOURCE
#include "base/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
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

/* What the names of the folder's files begin with as long as they wait. */
static const char of_folder[] = "in-folder:";

/* The folder is known with the first file that is to lie in it, and can be made. */
static ww_status take_folder(ww_file_set *set, const char *dir, ww_error *err)
{
    struct stat st;
    if (set->folder[0] != '\0') {
        WW_ASSERT(strcmp(set->folder, dir) == 0);
        return WW_OK;
    }
    if (strlen(dir) >= sizeof set->folder) {
        return ww_fail_at(err, WW_EIO, dir, 0, 0, "the name is too long");
    }
    if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
        return ww_fail_at(err, WW_EIO, dir, 0, 0, "is a file, where plots and data go");
    }
    memcpy(set->folder, dir, strlen(dir) + 1);
    return WW_OK;
}

/* Where a file waits until the set is whole. */
static ww_status place_aside(ww_file_set *set, const char *path, ww_arena *arena, const char **out,
                             ww_error *err)
{
    const char *dir = ww_path_dir(arena, path), *first = ww_path_dir(arena, set->path);
    if (dir == NULL || first == NULL) {
        return ww_no_memory(err);
    }
    const bool beside = strcmp(dir, first) == 0;
    WW_TRY(beside ? WW_OK : take_folder(set, dir, err));
    *out =
        ww_arena_printf(arena, "%s/%s%s", set->aside, beside ? "" : of_folder, ww_path_base(path));
    return *out != NULL ? WW_OK : ww_no_memory(err);
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
    const char *aside = NULL;
    ww_status status = place_aside(set, path, &arena, &aside, err);
    status = status == WW_OK ? ww_write_file(aside, data, length, err) : status;
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

static ww_status move_one(const ww_file_set *set, const char *dir, const char *name, ww_error *err)
{
    ww_arena arena = {0};
    struct stat st;
    const size_t mark = sizeof of_folder - 1;
    const bool in_folder = set->folder[0] != '\0' && strncmp(name, of_folder, mark) == 0;
    const char *from = ww_path_join(&arena, set->aside, name);
    const char *to = in_folder ? ww_path_join(&arena, set->folder, name + mark)
                               : ww_path_join(&arena, dir, name);
    ww_status status = from != NULL && to != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && lstat(to, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        status = write_through(from, to, err);
    } else if (status == WW_OK && rename(from, to) != 0) {
        status = ww_fail_at(err, WW_EIO, to, 0, 0, "cannot replace: %s", strerror(errno));
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status move_others(const ww_file_set *set, const char *dir, ww_error *err)
{
    WW_TRY(set->folder[0] != '\0' ? ww_make_dirs(set->folder, err) : WW_OK);
    DIR *folder = opendir(set->aside);
    if (folder == NULL) {
        return ww_fail_at(err, WW_EIO, set->path, 0, 0, "cannot read what was written: %s",
                          strerror(errno));
    }
    ww_status status = WW_OK;
    for (struct dirent *e; status == WW_OK && (e = readdir(folder)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            status = move_one(set, dir, e->d_name, err);
        }
    }
    closedir(folder);
    return status;
}

static ww_status move_all(const ww_file_set *set, ww_error *err)
{
    ww_arena arena = {0};
    const char *dir = ww_path_dir(&arena, set->path);
    ww_status status =
        dir != NULL ? move_one(set, dir, ww_path_base(set->path), err) : ww_no_memory(err);
    status = status == WW_OK ? move_others(set, dir, err) : status;
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
