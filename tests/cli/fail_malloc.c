/* fail_malloc.c - a library for LD_PRELOAD in which allocations fail. FAIL_AT=N: allocation N of
 * the process, counted from 1. FAIL_ALL=1: each of them, one in each of as many children: before
 * every allocation the process forks a copy in which it fails, and waits for its end; what they die
 * of goes to stderr. That is for commands that write no files, which their copies would write too.
 * With FAIL_COUNT in the environment the number of allocations goes to stderr at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);

enum {
    LONGEST_S = 120, /* a copy that takes longer hangs */
    MOST_FILES = 64
};

static long fail_at = -1, count;
static int forks, is_copy;

/* A copy reads on where its files are open: they are ours, too, and go back to where they were. */
static void keep_places(off_t place[MOST_FILES])
{
    for (int fd = 0; fd < MOST_FILES; fd++) {
        place[fd] = lseek(fd, 0, SEEK_CUR);
    }
}

static void restore_places(const off_t place[MOST_FILES])
{
    for (int fd = 0; fd < MOST_FILES; fd++) {
        if (place[fd] >= 0 && lseek(fd, place[fd], SEEK_SET) < 0) {
            abort();
        }
    }
}

/* Whether this is the copy in which it fails. */
static int fails_in_copy(long n)
{
    off_t place[MOST_FILES];
    keep_places(place);
    const pid_t pid = fork();
    if (pid == 0) {
        is_copy = 1;
        alarm(LONGEST_S);
        return 1;
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || WIFSIGNALED(status) ||
        WEXITSTATUS(status) >= 128) {
        char text[64];
        const int length =
            snprintf(text, sizeof text, "allocation %ld: status %x\n", n, (unsigned)status);
        if (write(2, text, (size_t)length) != length) {
            abort();
        }
    }
    restore_places(place);
    return 0;
}

static int fails(void)
{
    if (fail_at < 0) {
        const char *text = getenv("FAIL_AT");
        fail_at = text != NULL ? strtol(text, NULL, 10) : 0;
        forks = getenv("FAIL_ALL") != NULL;
    }
    const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (!forks || is_copy) {
        return n == fail_at;
    }
    const int kept = errno;
    const int fails_here = fails_in_copy(n);
    errno = kept;
    return fails_here;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(p, bytes);
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("FAIL_COUNT") != NULL && !is_copy) {
        fprintf(stderr, "allocations: %ld\n", count);
    }
}
