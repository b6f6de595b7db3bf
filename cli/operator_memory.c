/* operator_memory.c - see operator_memory.h. */
#include "cli/operator_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"

const char *ww_operator_memory(const char *given, ww_arena *arena)
{
    const char *base = getenv("XDG_CACHE_HOME");
    given = given != NULL ? given : getenv(WW_ENV_CACHE);
    if (given != NULL) {
        return strcmp(given, "off") == 0 || given[0] == '\0' ? NULL : given;
    }
    if (base != NULL && base[0] == '/') {
        return ww_arena_printf(arena, "%s/warpwatt/operators", base);
    }
    base = getenv("HOME");
    return base != NULL && base[0] == '/'
               ? ww_arena_printf(arena, "%s/.cache/warpwatt/operators", base)
               : NULL;
}

void ww_operator_memory_warn(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "warning: %s\n", text);
}
