/* run_info.c - reading run.json. */
#include "analysis/run_info.h"

#include <string.h>

#include "analysis/categories.h"
#include "analysis/result_folders.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/num.h"

static ww_status read_parameters(const ww_json_value *root, ww_run_info *info, ww_error *err)
{
    const ww_json_value *list = ww_json_get(root, "parameters");
    size_t count = 0;
    for (const ww_json_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next) {
        count++;
    }
    info->parameter = WW_ARENA_NEW_ARRAY(&info->arena, ww_run_parameter, count + 1);
    if (info->parameter == NULL) {
        return ww_no_memory(err);
    }
    for (const ww_json_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next) {
        double line = ww_json_get_number(v, "line", 0);
        info->parameter[info->parameter_count++] = (ww_run_parameter){
            .key = ww_json_get_text(v, "key", ""),
            .value = ww_json_get_text(v, "value", ""),
            .unit = ww_json_get_text(v, "unit", ""),
            .source = ww_json_get_text(v, "source", ""),
            .file = ww_json_get_text(v, "file", ""),
            .line = line > 0 && line < 1e9 ? (int)line : 0,
        };
    }
    return WW_OK;
}

static ww_status read_run(const char *dir, ww_run_info *info, ww_error *err)
{
    const ww_json_value *root = NULL;
    char *path = ww_path_join(&info->arena, dir, "run.json");
    if (path != NULL && !ww_file_exists(path)) {
        const char **folders = NULL;
        size_t count = 0;
        WW_TRY(ww_result_folders(dir, &info->arena, &folders, &count, err));
        path = ww_path_join(&info->arena, folders[0], "run.json");
    }
    if (path == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_json_load(path, &info->arena, &root, err));
    info->gpu = ww_json_get_text(root, "gpu", NULL);
    info->version = ww_json_get_text(root, "warpwatt", "");
    info->command = ww_json_get_text(root, "command", "");
    info->config_hash = ww_json_get_text(root, "config_hash", "");
    if (info->gpu == NULL) {
        return ww_fail_at(err, WW_ESCHEMA, path, 0, 0,
                          "not the run.json of a result folder: it names no GPU");
    }
    return read_parameters(root, info, err);
}

ww_status ww_run_info_load(const char *dir, ww_run_info *out, ww_error *err)
{
    ww_run_info info = {0};
    ww_status status = read_run(dir, &info, err);
    if (status != WW_OK) {
        ww_run_info_fini(&info);
        return status;
    }
    *out = info;
    return WW_OK;
}

void ww_run_info_fini(ww_run_info *info)
{
    if (info != NULL) {
        ww_arena_fini(&info->arena);
        *info = (ww_run_info){0};
    }
}

const char *ww_run_info_value(const ww_run_info *info, const char *key)
{
    for (size_t i = 0; i < info->parameter_count; i++) {
        if (strcmp(info->parameter[i].key, key) == 0) {
            return info->parameter[i].value;
        }
    }
    return NULL;
}

ww_status ww_run_info_peak_ipc(const ww_run_info *info, double *out, ww_error *err)
{
    const char *sms = ww_run_info_value(info, "sm.count");
    const char *schedulers = ww_run_info_value(info, "sm.schedulers");
    uint64_t n = 0, m = 0;
    if (sms == NULL || schedulers == NULL || ww_num_parse_u64(sms, &n, NULL) != WW_OK ||
        ww_num_parse_u64(schedulers, &m, NULL) != WW_OK || n > 65536 || m > 64) {
        return ww_fail(
            err, WW_ENOTFOUND,
            "run.json does not tell sm.count and sm.schedulers, which make the peak IPC");
    }
    *out = ww_peak_ipc((unsigned)n, (unsigned)m);
    return WW_OK;
}
