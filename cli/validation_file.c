/* validation_file.c - the search for a shipped reference table. */
#include "base/file.h"
#include "cli/validate.h"

ww_status ww_validation_file(ww_arena *arena, const char *name, const char **out, ww_error *err)
{
    const char *exe = ww_path_exe_dir(arena);
    const char *beside =
        exe != NULL ? ww_path_join(arena, exe, "../share/warpwatt/validation") : NULL;
    const char *const dirs[] = {WW_VALIDATION_SOURCE, beside, WW_VALIDATION_INSTALL};
    for (size_t i = 0; i < WW_ARRAY_LEN(dirs); i++) {
        const char *path =
            dirs[i] != NULL && dirs[i][0] != '\0' ? ww_path_join(arena, dirs[i], name) : NULL;
        if (path != NULL && ww_file_exists(path)) {
            *out = path;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND,
                   "no reference table %s in " WW_VALIDATION_INSTALL "; name one with --reference",
                   name);
}
