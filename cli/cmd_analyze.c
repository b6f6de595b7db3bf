/* cmd_analyze.c - `warpwatt analyze`: the tables of a study from result folders. */
#include <string.h>

#include "base/file.h"
#include "cli/breakdown.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "counters/counters.h"

typedef ww_status printer(const ww_result_set *set, bool json, ww_error *err);

static ww_status print_activity(const ww_args *args, const ww_activity *activity, printer *print, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    WW_TRY(ww_settings_load_arch(args, activity->gpu, &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, &model, err);
    if (status == WW_OK) {
        ww_result_set set = {
            .arch = arch,
            .model = model,
            .launches = activity->launches,
            .launch_count = activity->launch_count,
            .version = WW_VERSION,
            .command = "warpwatt analyze",
        };
        status = print(&set, ww_args_has(args, "json"), err);
    }
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return status;
}

static ww_status print_folder(const ww_args *args, const char *dir, printer *print, ww_error *err)
{
    ww_arena arena = {0};
    ww_activity *activity = NULL;
    char *path = ww_path_join(&arena, dir, "activity.xml");
    ww_status status = path == NULL ? ww_fail(err, WW_ENOMEM, "out of memory") : ww_activity_load(path, &activity, err);
    if (status == WW_OK) {
        status = print_activity(args, activity, print, err);
    }
    ww_activity_destroy(activity);
    ww_arena_fini(&arena);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    static const struct {
        const char *what;
        printer *print;
    } tables[] = {{"metrics", ww_print_metrics}, {"breakdown", ww_print_breakdown}};
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "analyze needs metrics or breakdown, and a result folder");
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(tables); i++) {
        if (strcmp(tables[i].what, args->positional[0]) != 0) {
            continue;
        }
        for (size_t k = 1; k < args->positional_count; k++) {
            WW_TRY(print_folder(args, args->positional[k], tables[i].print, err));
        }
        return WW_OK;
    }
    return ww_fail(err, WW_EUSAGE, "analyze has no table '%s'; there are metrics and breakdown", args->positional[0]);
}

static const ww_option options[] = {
    {"set", "KEY=VALUE", "Override a GPU parameter before power is evaluated; may be repeated."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt analyze metrics result", "The nine workload metrics of every kernel (IPC, TI, AI, BI, MI, CE, SU, PS, AW)."},
    {"warpwatt analyze breakdown result", "Energy per kernel and per component."},
    {NULL, NULL},
};
const ww_command ww_cmd_analyze = {
    .name = "analyze",
    .summary = "workload metrics and breakdowns from result folders",
    .synopsis = "metrics DIR…\nbreakdown DIR…",
    .description = "Prints the tables of a workload study from the result folders of 'warpwatt run --out'.",
    .options = options,
    .examples = examples,
    .run = run,
};
