/* check.h - how a program under test says what went wrong; its exit code is for the caller to
 * judge. The CUDA runtime is declared before. */
#ifndef WW_TESTS_RUNTIME_CHECK_H
#define WW_TESTS_RUNTIME_CHECK_H

#include <stdio.h>

static int failures;

static void expect(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "wrong: %s\n", what);
        failures++;
    }
}

static void ok(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
        failures++;
    }
}

#define OK(call) ok((call), #call)

#endif
