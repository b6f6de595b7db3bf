/* assert.c - the end of a program that contradicts itself. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void ww_assert_failed(const char *file, int line, const char *condition, const char *note)
{
    fprintf(stderr, "%s:%d: does not hold: %s%s\n", file, line, condition, note);
    abort();
}

void ww_assert_verified(const char *file, int line, const char *broken)
{
    if (broken != NULL) {
        ww_assert_failed(file, line, broken, " (invariant)");
    }
}
