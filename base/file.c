/* file.c - bounded reading, atomic writing, directories and paths (POSIX). */
#define _GNU_SOURCE /* dladdr */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scratch.h"

static ww_status fail_errno(ww_error *err, const char *path, const char *what)
{
    int number = errno;
    ww_status code = number == ENOENT || number == ENOTDIR ? WW_ENOTFOUND : WW_EIO;
    return ww_fail_at(err, code, path, 0, 0, "cannot %s: %s", what, strerror(number));
}

/* What cannot be created is EIO, whichever part of its path is not there. */
static ww_status fail_create(ww_error *err, const char *path, const char *what)
{
    return ww_fail_at(err, WW_EIO, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

/* Reads until the end of the file or one byte more than max_bytes, so that the caller sees excess.
 */
static ww_status read_all(int fd, const char *path, size_t max_bytes, size_t guess, char **out,
                          size_t *length, ww_error *err)
{
    size_t cap = guess < max_bytes ? guess : max_bytes, used = 0;
    char *data = ww_alloc_array(cap + 2, 1);
    while (data != NULL) {
        ssize_t n = read(fd, data + used, cap + 1 - used);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            ww_free(data);
            return fail_errno(err, path, "read");
        }
        used += (size_t)n;
        if (n == 0 || used > max_bytes) {
            data[used] = '\0';
            *out = data;
            *length = used;
            return WW_OK;
        }
        if (used > cap) {
            cap = cap < max_bytes / 2 ? cap * 2 + 4096 : max_bytes;
            char *more = ww_realloc_array(data, cap + 2, 1);
            if (more == NULL) {
                ww_free(data);
            }
            data = more;
        }
    }
    return ww_no_memory_in(err, path);
}

ww_status ww_read_file(const char *path, size_t max_bytes, char **out, size_t *length,
                       ww_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno(err, path, "open");
    }
    struct stat st;
    size_t guess = fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 4096;
    char *data = NULL;
    size_t used = 0;
    max_bytes = max_bytes < PTRDIFF_MAX / 4 ? max_bytes : PTRDIFF_MAX / 4;
    ww_status status = read_all(fd, path, max_bytes, guess, &data, &used, err);
    close(fd);
    if (status == WW_OK && used > max_bytes) {
        ww_free(data);
        return ww_fail_at(err, WW_ERANGE, path, 0, 0, "file is larger than the limit of %zu bytes",
                          max_bytes);
    }
    if (status == WW_OK) {
        *out = data;
        *length = used;
    }
    return status;
}

/* Of a process that was killed while it wrote this path. */
static void clear_temporaries(const char *path)
{
    char dir[PATH_MAX], prefix[PATH_MAX];
    const char *base = ww_path_base(path);
    snprintf(dir, sizeof dir, "%.*s", base > path ? (int)(base - path) : 1,
             base > path ? path : ".");
    int n = snprintf(prefix, sizeof prefix, "%s.", base);
    if (n > 0 && (size_t)n < sizeof prefix) {
        ww_scratch_clear_files(dir, prefix, ".tmp");
    }
}

/* Opens a new file beside path; its name goes to temporary. */
static int open_temporary(const char *path, char *temporary, size_t size)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int n = snprintf(temporary, size, "%s.%ld-%ld%d.tmp", path, (long)getpid(), now.tv_nsec,
                         attempt);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            return fd;
        }
        if (fd >= 0 && ww_scratch_hold_file(fd)) {
            return fd;
        }
        if (fd >= 0) { /* taken for one that was left behind */
            close(fd);
        }
    }
    errno = EEXIST;
    return -1;
}

ww_status ww_file_begin(ww_file_writer *w, const char *path, ww_error *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    *w = (ww_file_writer){.fd = -1, .path = path};
    if (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        /* /dev/stdout, a pipe: not ours to replace */
        w->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else {
        if (!exists || realpath(path, w->target) == NULL) {
            /* a link stays, its target is replaced */
            snprintf(w->target, sizeof w->target, "%s", path);
        }
        clear_temporaries(w->target);
        ww_signals_hold(&w->held);
        w->fd = open_temporary(w->target, w->temporary, sizeof w->temporary);
        if (w->fd < 0) {
            w->temporary[0] = '\0';
            int why = errno;
            ww_signals_release(&w->held);
            errno = why;
        }
    }
    if (w->fd < 0) {
        return fail_create(err, path, "create");
    }
    return WW_OK;
}

ww_status ww_file_begin_in_place(ww_file_writer *w, const char *path, ww_error *err)
{
    *w = (ww_file_writer){.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    snprintf(w->target, sizeof w->target, "%s", path);
    w->path = w->target;
    if (w->fd < 0) {
        return fail_create(err, path, "create");
    }
    return WW_OK;
}

ww_status ww_file_put(ww_file_writer *w, const char *data, size_t length, ww_error *err)
{
    while (length > 0) {
        ssize_t n = write(w->fd, data, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_errno(err, w->path, "write");
        }
        data += n;
        length -= (size_t)n;
    }
    return WW_OK;
}

ww_status ww_file_end(ww_file_writer *w, ww_status status, ww_error *err)
{
    if (close(w->fd) != 0 && status == WW_OK) {
        status = fail_errno(err, w->path, "write");
    }
    if (w->temporary[0] == '\0') {
        return status;
    }
    if (status == WW_OK && rename(w->temporary, w->target) != 0) {
        status = fail_errno(err, w->path, "replace");
    }
    if (status != WW_OK) {
        unlink(w->temporary);
    }
    ww_signals_release(&w->held);
    return status;
}

ww_status ww_write_file(const char *path, const char *data, size_t length, ww_error *err)
{
    ww_file_writer writer;
    WW_TRY(ww_file_begin(&writer, path, err));
    return ww_file_end(&writer, ww_file_put(&writer, data, length, err), err);
}

ww_status ww_write_text(const char *path, const ww_str *text, ww_error *err)
{
    WW_TRY(ww_str_check(text, err));
    return ww_write_file(path, ww_str_text(text), text->len, err);
}

bool ww_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

bool ww_same_file(const char *a, const char *b)
{
    struct stat s, t;
    return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool ww_dir_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

ww_status ww_make_dirs(const char *path, ww_error *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) {
        return ww_fail_at(err, WW_EIO, path, 0, 0, "not a usable directory name");
    }
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        part[i] = '\0';
        bool made = mkdir(part, 0777) == 0;
        int why = errno;
        if (!made && !ww_dir_exists(part)) {
            errno = why; /* not what the look at it says */
            return fail_create(err, part, "create the directory");
        }
        part[i] = path[i];
    }
    return WW_OK;
}

static int compare_names(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

ww_status ww_list_dir(const char *path, const char *suffix, ww_arena *arena, const char ***names,
                      size_t *count, ww_error *err)
{
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return fail_errno(err, path, "open the directory");
    }
    size_t used = 0, cap = 16, tail = strlen(suffix);
    const char **list = WW_ARENA_NEW_ARRAY(arena, const char *, cap);
    for (struct dirent *entry; list != NULL && (entry = readdir(dir)) != NULL;) {
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || n <= tail || strcmp(entry->d_name + n - tail, suffix) != 0) {
            continue;
        }
        if (used == cap) {
            const char **more = WW_ARENA_NEW_ARRAY(arena, const char *, cap * 2);
            if (more != NULL) {
                memcpy(more, list, used * sizeof *list);
            }
            list = more;
            cap *= 2;
        }
        char *name = list != NULL ? ww_arena_strndup(arena, entry->d_name, n - tail) : NULL;
        if (name == NULL) {
            list = NULL;
            break;
        }
        list[used++] = name;
    }
    closedir(dir);
    if (list == NULL) {
        return ww_no_memory_in(err, path);
    }
    if (used > 0) {
        qsort(list, used, sizeof *list, compare_names);
    }
    *names = list;
    *count = used;
    return WW_OK;
}

char *ww_path_join(ww_arena *arena, const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == '\0') {
        return ww_arena_printf(arena, "%s", name);
    }
    bool slash = dir[strlen(dir) - 1] == '/';
    return ww_arena_printf(arena, "%s%s%s", dir, slash ? "" : "/", name);
}

char *ww_path_dir(ww_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return ww_arena_printf(arena, ".");
    }
    return ww_arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *ww_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *ww_path_real(ww_arena *arena, const char *path)
{
    char real[PATH_MAX];
    return realpath(path, real) != NULL ? ww_arena_printf(arena, "%s", real) : NULL;
}

char *ww_path_exe_dir(ww_arena *arena)
{
    char *exe = ww_path_real(arena, "/proc/self/exe");
    return exe != NULL ? ww_path_dir(arena, exe) : NULL;
}

char *ww_path_library_dir(ww_arena *arena)
{
    static const char here = 0; /* an address of this library */
    Dl_info info;
    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL) {
        return NULL;
    }
    char *path = ww_path_real(arena, info.dli_fname);
    return path != NULL ? ww_path_dir(arena, path) : NULL;
}
