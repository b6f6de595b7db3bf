/* configs.c - the search for the configuration directory. */
#include "base/configs.h"

#include <stdlib.h>

#include "base/environment.h"
#include "base/file.h"

/* Builds dir/folder, when nothing was found so far; *out stays NULL when it is not a directory. */
static ww_status try_dir(ww_arena *arena, const char *dir, const char *folder, const char **out,
                         ww_error *err)
{
    if (*out != NULL || dir[0] == '\0') {
        return WW_OK;
    }
    char *path = ww_path_join(arena, dir, folder);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    if (ww_dir_exists(path)) {
        *out = path;
    }
    return WW_OK;
}

/* The same in the installation that a folder belongs to; place tells which folder, NULL: unknown.
 */
static ww_status try_beside(ww_arena *arena, char *(*place)(ww_arena *arena), const char *up,
                            const char *folder, const char **out, ww_error *err)
{
    char *from = *out == NULL ? place(arena) : NULL;
    if (from == NULL) {
        return WW_OK;
    }
    char *dir = ww_arena_printf(arena, "%s/%s/share/warpwatt/configs", from, up);
    return dir != NULL ? try_dir(arena, dir, folder, out, err) : ww_no_memory(err);
}

/* The user's choice of a configuration directory; NULL: none. */
static const char *chosen_dir(void)
{
    const char *chosen = getenv(WW_ENV_CONFIGS);
    return chosen != NULL && *chosen != '\0' ? chosen : NULL;
}

/* A folder of the directories that need no choice. */
static ww_status search(ww_arena *arena, const char *folder, const char **out, ww_error *err)
{
    const char *found = NULL;
    WW_TRY(try_dir(arena, WW_CONFIGS_SOURCE, folder, &found, err));
    WW_TRY(try_beside(arena, ww_path_exe_dir, "..", folder, &found, err));
    WW_TRY(try_beside(arena, ww_path_library_dir, "..", folder, &found, err));
    WW_TRY(try_beside(arena, ww_path_library_dir, "../..", folder, &found, err)); /* lib/TRIPLET */
    if (found == NULL) {
        WW_TRY(try_dir(arena, WW_CONFIGS_INSTALL, folder, &found, err));
    }
    if (found == NULL) {
        return ww_fail(
            err, WW_ENOTFOUND,
            "no configuration directory: set WARPWATT_CONFIGS, or install to " WW_CONFIGS_INSTALL);
    }
    *out = found;
    return WW_OK;
}

ww_status ww_configs_dir(ww_arena *arena, const char *folder, const char **out, ww_error *err)
{
    const char *chosen = chosen_dir(), *found = NULL;
    if (chosen == NULL) {
        return search(arena, folder, out, err);
    }
    WW_TRY(try_dir(arena, chosen, folder, &found, err));
    if (found == NULL) { /* a wrong choice is an error, not a reason to look on */
        return ww_fail_at(err, WW_ENOTFOUND, chosen, 0, 0,
                          "the directory named by WARPWATT_CONFIGS has no folder '%s'", folder);
    }
    *out = found;
    return WW_OK;
}

ww_status ww_configs_rooms(ww_arena *arena, const char **out, ww_error *err)
{
    const char *chosen = chosen_dir(), *found = NULL;
    if (chosen != NULL) {
        WW_TRY(try_dir(arena, chosen, "../mech", &found, err));
    }
    if (found == NULL) {
        return search(arena, "../mech", out, err);
    }
    *out = found;
    return WW_OK;
}
