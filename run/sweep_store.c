/* sweep_store.c - the folder of a sweep: who works on which run, and results that appear whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "run/sweep.h"

#define SPEC_FILE "sweep-run.txt"
enum { MOST_SPEC_BYTES = 1 << 16, MOST_SWEEP_BYTES = 16 << 20 };

static ww_status no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

static ww_status io_error(const char *what, const char *path, ww_error *err)
{
    return ww_fail(err, WW_EIO, "%s could not be %s: %s", path, what, strerror(errno));
}

const char *ww_sweep_state_name(ww_sweep_state state)
{
    static const char *const name[WW_SWEEP_STATES] = {"to do", "running", "failed", "done"};
    return name[state];
}

/* dir/folder/ID+suffix with the ID's slash replaced: all runs' files side by side. */
static char *side_path(ww_arena *arena, const char *dir, const char *folder,
                       const ww_sweep_run *run, const char *suffix)
{
    char *path = ww_arena_printf(arena, "%s/%s/%s%s", dir, folder, run->id, suffix);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        *slash = '@';
    }
    return path;
}

char *ww_sweep_log(ww_arena *arena, const char *dir, const ww_sweep_run *run)
{
    return side_path(arena, dir, "logs", run, ".log");
}

/* A file of the sweep's definition, as it is, into its folder. */
static ww_status copy_file(const char *from, const char *to, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    ww_status status = ww_read_file(from, MOST_SWEEP_BYTES, &text, &length, err);
    status = status == WW_OK ? ww_write_file(to, text, length, err) : status;
    ww_free(text);
    return status;
}

static ww_status copy_passes(const ww_sweep *sweep, const char *dir, ww_arena *arena, ww_error *err)
{
    for (size_t i = 0; i < sweep->item_count; i++) {
        const ww_sweep_pass *pass = sweep->item[i].pass;
        if (pass != NULL && pass->file != NULL) {
            char *to = ww_path_join(arena, dir, ww_path_base(pass->file));
            WW_TRY(to != NULL ? copy_file(pass->file, to, err) : no_memory(err));
        }
    }
    return WW_OK;
}

ww_status ww_sweep_prepare(const ww_sweep *sweep, const char *dir, ww_error *err)
{
    ww_arena arena = {0};
    char *work = ww_path_join(&arena, dir, ".work"), *logs = ww_path_join(&arena, dir, "logs");
    char *copy = ww_path_join(&arena, dir, "sweep.xml");
    ww_status status = work != NULL && logs != NULL && copy != NULL ? WW_OK : no_memory(err);
    status = status == WW_OK ? ww_make_dirs(work, err) : status;
    status = status == WW_OK ? ww_make_dirs(logs, err) : status;
    for (size_t i = 0; status == WW_OK && i < sweep->set_count; i++) {
        char *set = ww_path_join(&arena, dir, sweep->set[i].name);
        status = set != NULL ? ww_make_dirs(set, err) : no_memory(err);
    }
    status = status == WW_OK ? copy_file(sweep->file, copy, err) : status;
    status = status == WW_OK ? copy_passes(sweep, dir, &arena, err) : status;
    ww_arena_fini(&arena);
    return status;
}

/* ---- state ---- */

/* A published folder is there whole or not at all; its definition must be the run's. */
static ww_status check_done(ww_arena *arena, const char *dir, const ww_sweep_run *run, bool *done,
                            ww_error *err)
{
    char *folder = ww_path_join(arena, dir, run->id), *text = NULL;
    char *path = folder != NULL ? ww_path_join(arena, folder, SPEC_FILE) : NULL;
    size_t length = 0;
    *done = false;
    if (path == NULL) {
        return no_memory(err);
    }
    if (!ww_dir_exists(folder)) {
        return WW_OK;
    }
    ww_status status = ww_read_file(path, MOST_SPEC_BYTES, &text, &length, NULL);
    bool same = status == WW_OK && strcmp(text, run->spec) == 0;
    ww_free(text);
    if (!same) {
        return ww_fail(err, WW_ESCHEMA,
                       "%s holds results of another configuration or version than the sweep now "
                       "asks for; delete it to run it again, or give another --out",
                       folder);
    }
    *done = true;
    return WW_OK;
}

static int open_lock(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

static bool is_locked(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return locked;
}

ww_status ww_sweep_run_state(const char *dir, const ww_sweep_run *run, ww_sweep_state *out,
                             ww_error *err)
{
    ww_arena arena = {0};
    bool done = false;
    if (run->spec == NULL) { /* waits for a choice, or is left out */
        *out = WW_SWEEP_TODO;
        return WW_OK;
    }
    ww_status status = check_done(&arena, dir, run, &done, err);
    char *lock = side_path(&arena, dir, ".work", run, ".lock");
    char *failed = side_path(&arena, dir, ".work", run, ".failed");
    if (status == WW_OK && (lock == NULL || failed == NULL)) {
        status = no_memory(err);
    }
    if (status == WW_OK) {
        *out = done                     ? WW_SWEEP_DONE
               : is_locked(lock)        ? WW_SWEEP_RUNNING
               : ww_file_exists(failed) ? WW_SWEEP_FAILED
                                        : WW_SWEEP_TODO;
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- claims ---- */

static ww_status begin(ww_arena *arena, const char *dir, const ww_sweep_run *run,
                       ww_sweep_claim *claim, ww_error *err)
{
    bool done = false;
    char *lock = side_path(arena, dir, ".work", run, ".lock");
    char *partial = side_path(arena, dir, ".work", run, ".partial");
    char *failed = side_path(arena, dir, ".work", run, ".failed");
    if (lock == NULL || partial == NULL || failed == NULL) {
        return no_memory(err);
    }
    claim->lock = open_lock(lock);
    if (claim->lock < 0) {
        return io_error("opened", lock, err);
    }
    if (flock(claim->lock, LOCK_EX | LOCK_NB) != 0) {
        int reason = errno;
        close(claim->lock);
        claim->lock = -1;
        errno = reason;
        return reason == EWOULDBLOCK ? WW_OK : io_error("locked", lock, err);
    }
    WW_TRY(check_done(arena, dir, run, &done, err)); /* perhaps since we looked last */
    if (done) {
        close(claim->lock);
        claim->lock = -1;
        return WW_OK;
    }
    ww_scratch_remove_folder(partial); /* of an attempt that died */
    unlink(failed);
    claim->partial = ww_strdup(partial);
    return claim->partial != NULL ? ww_make_dirs(partial, err) : no_memory(err);
}

ww_status ww_sweep_claim_run(const char *dir, const ww_sweep_run *run, ww_sweep_claim *claim,
                             ww_error *err)
{
    ww_arena arena = {0};
    *claim = (ww_sweep_claim){.lock = -1};
    ww_status status = begin(&arena, dir, run, claim, err);
    if (status != WW_OK && claim->lock >= 0) {
        ww_sweep_release(claim);
    }
    ww_arena_fini(&arena);
    return status;
}

/* Data first, then the name: after a power cut a named folder is a whole one. */
static ww_status sync_folder(const char *path, ww_error *err)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return io_error("opened", path, err);
    }
    int why = 0; /* of the first that fails */
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        int fd = openat(dirfd(folder), e->d_name, O_RDONLY | O_CLOEXEC);
        bool ok = fd >= 0 && fsync(fd) == 0;
        why = ok || why != 0 ? why : errno;
        if (fd >= 0) {
            close(fd);
        }
    }
    closedir(folder);
    errno = why;
    return why == 0 ? WW_OK : io_error("written to disk", path, err);
}

ww_status ww_sweep_publish(const char *dir, const ww_sweep_run *run, const ww_sweep_claim *claim,
                           ww_error *err)
{
    ww_arena arena = {0};
    char *spec = ww_path_join(&arena, claim->partial, SPEC_FILE);
    char *folder = ww_path_join(&arena, dir, run->id);
    ww_status status = spec != NULL && folder != NULL ? WW_OK : no_memory(err);
    status = status == WW_OK ? ww_write_file(spec, run->spec, strlen(run->spec), err) : status;
    status = status == WW_OK ? sync_folder(claim->partial, err) : status;
    if (status == WW_OK && rename(claim->partial, folder) != 0) {
        status = io_error("made", folder, err);
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_sweep_note_failure(const char *dir, const ww_sweep_run *run, const char *text,
                                ww_error *err)
{
    ww_arena arena = {0};
    char *failed = side_path(&arena, dir, ".work", run, ".failed");
    ww_status status =
        failed != NULL ? ww_write_file(failed, text, strlen(text), err) : no_memory(err);
    ww_arena_fini(&arena);
    return status;
}

void ww_sweep_release(ww_sweep_claim *claim)
{
    if (claim->partial != NULL) {
        ww_scratch_remove_folder(claim->partial); /* gone already when it was published */
        ww_free(claim->partial);
    }
    if (claim->lock >= 0) {
        close(claim->lock);
    }
    *claim = (ww_sweep_claim){.lock = -1};
}
