/* folders.c - the memory's folder as users name it; a result's as every run leaves it. */
#include "inference/folders.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/hash.h"
#include "base/version.h"

const char *ww_infer_memory(const char *given, ww_arena *arena)
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

ww_status ww_infer_publish(const ww_infer *infer, const ww_infer_request *request,
                           const char *command, ww_result_store *store, ww_error *err)
{
    const ww_run *run = infer->run;
    const ww_run_request machine = {.gpu = request->gpu,
                                    .settings = request->settings,
                                    .setting_count = request->setting_count};
    ww_result_set set = ww_run_results(run, WW_VERSION, command);
    WW_TRY(ww_run_id(&machine, run->arch, WW_VERSION, NULL, NULL, 0, &set.run_id, err));
    set.run_id = ww_hash_bytes(set.run_id, command, strlen(command));
    WW_TRY(ww_export_all(&set, store->aside, true, err));
    return ww_result_publish(store, set.run_id, err);
}
