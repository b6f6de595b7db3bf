/* scratch.c - see scratch.h. */
#define _GNU_SOURCE
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM = 6 /* characters that mkdtemp chooses */, ATTEMPTS = 100 };

/* ---- holding ---- */

bool ww_scratch_hold_file(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return false;
    }
    return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/* Between making a folder and holding it, who clears may have taken it for left behind. */
bool ww_scratch_make(char *path, int *lock)
{
    size_t end = strlen(path);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        memset(path + end - RANDOM, 'X', RANDOM);
        if (mkdtemp(path) == NULL) {
            break;
        }
        *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (*lock < 0 && errno != ENOENT) {
            int why = errno;
            (void)rmdir(path);
            errno = why;
            break;
        }
        if (*lock >= 0 && ww_scratch_hold_file(*lock)) {
            return true;
        }
        if (*lock >= 0) {
            close(*lock);
        }
    }
    path[0] = '\0';
    *lock = -1;
    return false;
}

/* ---- removing ---- */

static void remove_in(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            (void)unlinkat(dirfd(folder), e->d_name, 0);
        }
    }
    closedir(folder);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void ww_scratch_remove_folder(const char *path)
{
    remove_in(AT_FDCWD, path);
}

void ww_scratch_remove(const char *path, int lock)
{
    ww_scratch_remove_folder(path);
    ww_scratch_leave(lock);
}

void ww_scratch_leave(int lock)
{
    if (lock >= 0) {
        close(lock);
    }
}

/* ---- what was left behind ---- */

static bool nobodys(int fd, mode_t kind)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
           flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void clear_one(int parent, const char *name, mode_t kind)
{
    int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && nobodys(fd, kind)) {
        if (kind == S_IFDIR) {
            remove_in(parent, name);
        } else {
            (void)unlinkat(parent, name, 0);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* What stands between the two, or NULL. */
static const char *between(const char *name, const char *prefix, const char *suffix, size_t *length)
{
    size_t n = strlen(name), head = strlen(prefix), tail = strlen(suffix);
    if (n <= head + tail || strncmp(name, prefix, head) != 0 ||
        strcmp(name + n - tail, suffix) != 0) {
        return NULL;
    }
    *length = n - head - tail;
    return name + head;
}

static void clear(const char *dir, const char *prefix, const char *suffix, mode_t kind)
{
    static const char made[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    int before = errno;
    DIR *folder = opendir(dir);
    for (struct dirent *e = NULL; folder != NULL && (e = readdir(folder)) != NULL;) {
        size_t length = 0;
        const char *middle = between(e->d_name, prefix, suffix, &length);
        bool ours =
            middle != NULL && (kind == S_IFDIR ? length == RANDOM && strspn(middle, made) >= length
                                               : strspn(middle, "0123456789-") >= length);
        if (ours) {
            clear_one(dirfd(folder), e->d_name, kind);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    errno = before;
}

void ww_scratch_clear_folders(const char *dir, const char *prefix)
{
    clear(dir, prefix, "", S_IFDIR);
}

void ww_scratch_clear_files(const char *dir, const char *prefix, const char *suffix)
{
    clear(dir, prefix, suffix, S_IFREG);
}
