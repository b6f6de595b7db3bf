/* study_args.c - from command-line arguments to studies. */
#include "analysis/categories.h"
#include "base/visible.h"
#include "analysis/result_folders.h"
#include "analysis/run_info.h"
#include "cli/settings.h"
#include "cli/study.h"

static ww_status from_folders(const ww_args *args, size_t first, ww_study **out, ww_error *err)
{
    ww_study *all = NULL;
    WW_TRY(ww_study_load_results(args->positional[first], &all, err));
    ww_status status = WW_OK;
    for (size_t i = first + 1; status == WW_OK && i < args->positional_count; i++) {
        ww_study *more = NULL;
        status = ww_study_load_results(args->positional[i], &more, err);
        status = status == WW_OK ? ww_study_append(all, more, err) : status;
        ww_study_destroy(more);
    }
    if (status != WW_OK) {
        ww_study_destroy(all);
        return status;
    }
    *out = all;
    return WW_OK;
}

ww_status ww_study_from_args(const ww_args *args, size_t first, ww_study **out, ww_error *err)
{
    bool folders = args->positional_count > first;
    size_t metrics = ww_args_count(args, "metrics"), power = ww_args_count(args, "power");
    if (metrics > 1 || power > 1) {
        return ww_fail(err, WW_EUSAGE, "this table takes one --metrics and one --power");
    }
    if (folders == (metrics == 1) || (power == 1 && metrics == 0)) {
        return ww_fail(err, WW_EUSAGE, "name result folders, or --metrics FILE with --power FILE");
    }
    return folders ? from_folders(args, first, out, err)
                   : ww_study_load_tables(ww_args_value(args, "metrics"),
                                          ww_args_value(args, "power"), out, err);
}

static ww_status peak_of_gpu(const ww_args *args, double *out, ww_error *err)
{
    ww_arch *arch = NULL;
    WW_TRY(ww_settings_load_arch(args, ww_args_value(args, "gpu"), &arch, err));
    *out = ww_peak_ipc(arch->sm.count, arch->sm.schedulers);
    ww_arch_destroy(arch);
    return WW_OK;
}

ww_status ww_study_peak_ipc(const ww_args *args, size_t first, double *out, ww_error *err)
{
    unsigned long long peak = 0;
    WW_TRY(ww_args_u64(args, "peak-ipc", 1, 1000000000, 0, &peak, err));
    if (peak != 0) {
        *out = (double)peak;
        return WW_OK;
    }
    if (ww_args_has(args, "gpu")) {
        return peak_of_gpu(args, out, err);
    }
    if (args->positional_count <= first) {
        return ww_fail(err, WW_EUSAGE,
                       "tables do not tell the peak IPC; give --peak-ipc N or --gpu NAME");
    }
    ww_run_info info;
    WW_TRY(ww_run_info_load(args->positional[first], &info, err));
    ww_status status = ww_run_info_peak_ipc(&info, out, err);
    ww_run_info_fini(&info);
    return status;
}

void ww_note_incomplete(const char *const *dirs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ww_result_is_incomplete(dirs[i])) {
            fprintf(stderr, "note: %s is incomplete: its run was interrupted\n",
                    WW_VISIBLE(dirs[i]));
        }
    }
}
