/* fail_malloc.c - a library for LD_PRELOAD: allocation FAIL_AT of the process fails, counted from
 * 1; with FAIL_COUNT in the environment, their number goes to stderr at the end. */
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);

static long fail_at = -1, count;

static int fails(void)
{
    if (fail_at < 0) {
        const char *text = getenv("FAIL_AT");
        fail_at = text != NULL ? strtol(text, NULL, 10) : 0;
    }
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == fail_at;
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
    if (getenv("FAIL_COUNT") != NULL) {
        fprintf(stderr, "allocations: %ld\n", count);
    }
}
