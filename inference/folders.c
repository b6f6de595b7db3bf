/* folders.c - a result's folder as every run leaves it. */
#include "inference/folders.h"

#include <string.h>

#include "base/hash.h"
#include "base/version.h"

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
