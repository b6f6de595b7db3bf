/* result_folders.c - finding the result folders that a path stands for. */
#include "analysis/result_folders.h"

#include "analysis/result_store.h"
#include "base/file.h"

/* Of a run, even where its kernels.csv is missing: a folder that is passed over in silence drops a
 * workload from every mean. */
static bool is_of_run(ww_arena *arena, const char *dir)
{
    const char *spec = ww_path_join(arena, dir, "sweep-run.txt");
    return ww_result_exists(dir) || (spec != NULL && ww_file_exists(spec));
}

static bool holds_results(ww_arena *arena, const char *dir)
{
    const char *path = ww_path_join(arena, dir, "kernels.csv");
    return path != NULL && ww_file_exists(path);
}

bool ww_result_is_incomplete(const char *dir)
{
    ww_arena arena = {0};
    const char *path = ww_path_join(&arena, dir, WW_RESULT_INCOMPLETE);
    bool incomplete = path != NULL && ww_file_exists(path);
    ww_arena_fini(&arena);
    return incomplete;
}

ww_status ww_result_folders(const char *dir, ww_arena *arena, const char ***out, size_t *count,
                            ww_error *err)
{
    const char **name = NULL;
    size_t names = 0;
    *count = 0;
    *out = WW_ARENA_NEW_ARRAY(arena, const char *, 1);
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    if (holds_results(arena, dir)) {
        (*out)[(*count)++] = dir;
        return ww_result_check(dir, err);
    }
    WW_TRY(ww_list_dir(dir, "", arena, &name, &names, err));
    *out = WW_ARENA_NEW_ARRAY(arena, const char *, names + 1);
    for (size_t i = 0; *out != NULL && i < names; i++) {
        const char *path = ww_path_join(arena, dir, name[i]);
        if (path != NULL && holds_results(arena, path)) {
            WW_TRY(ww_result_check(path, err));
            (*out)[(*count)++] = path;
        } else if (path != NULL && is_of_run(arena, path)) {
            WW_TRY(ww_result_check(path, err)); /* fine where nothing was launched */
        }
    }
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    return *count > 0 ? WW_OK
                      : ww_fail(err, WW_ENOTFOUND,
                                "%s holds no kernels.csv, nor does a folder in it: it is no result "
                                "folder",
                                dir);
}
