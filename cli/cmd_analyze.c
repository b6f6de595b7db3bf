/* cmd_analyze.c - `warpwatt analyze`: the tables of a study from result folders. */
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "cli/breakdown.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "cli/study.h"
#include "cli/version.h"
#include "counters/counters.h"

typedef ww_status printer(const ww_result_set *set, bool json, ww_error *err);

static ww_status print_activity(const ww_args *args, const ww_activity *activity, printer *print,
                                ww_error *err)
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
    ww_status status = path == NULL ? ww_fail(err, WW_ENOMEM, "out of memory")
                                    : ww_activity_load(path, &activity, err);
    if (status == WW_OK) {
        status = print_activity(args, activity, print, err);
    }
    ww_activity_destroy(activity);
    ww_arena_fini(&arena);
    return status;
}

/* Tables that are made of the activity of one folder at a time. */
static ww_status print_folders(const ww_args *args, printer *print, ww_error *err)
{
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "analyze %s needs a result folder", args->positional[0]);
    }
    for (size_t k = 1; k < args->positional_count; k++) {
        WW_TRY(print_folder(args, args->positional[k], print, err));
    }
    return WW_OK;
}

static ww_status run_metrics(const ww_args *args, ww_error *err)
{
    return print_folders(args, ww_print_metrics, err);
}

static ww_status run_breakdown(const ww_args *args, ww_error *err)
{
    return print_folders(args, ww_print_breakdown, err);
}

enum { TOP_LINES = 20, MOST_LINES = 1000000 };

static ww_status print_lines(const ww_args *args, ww_error *err)
{
    unsigned long long top;
    WW_TRY(ww_args_u64(args, "top", 0, MOST_LINES, TOP_LINES, &top, err));
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "analyze stalls needs a result folder");
    }
    for (size_t k = 1; k < args->positional_count; k++) {
        WW_TRY(
            ww_print_stall_lines(args->positional[k], (size_t)top, ww_args_has(args, "json"), err));
    }
    return WW_OK;
}

static ww_status run_stalls(const ww_args *args, ww_error *err)
{
    if (ww_args_has(args, "lines")) {
        return print_lines(args, err);
    }
    return print_folders(args, ww_print_stalls, err);
}

static ww_status run(const ww_args *args, ww_error *err)
{
    static const struct {
        const char *what;
        ww_status (*run)(const ww_args *args, ww_error *err);
    } tables[] = {
        {"metrics", run_metrics},
        {"breakdown", run_breakdown},
        {"stalls", run_stalls},
        {"correlate", ww_study_correlate},
        {"categories", ww_study_categories},
        {"compare", ww_study_compare},
    };
    if (args->positional_count == 0) {
        return ww_fail(
            err, WW_EUSAGE,
            "analyze needs metrics, breakdown, stalls, correlate, categories or compare");
    }
    ww_suggest near;
    char hint[96];
    ww_suggest_init(&near, args->positional[0]);
    for (size_t i = 0; i < WW_ARRAY_LEN(tables); i++) {
        if (strcmp(tables[i].what, args->positional[0]) == 0) {
            return tables[i].run(args, err);
        }
        ww_suggest_offer(&near, tables[i].what);
    }
    return ww_fail(err, WW_EUSAGE, "analyze has no table '%s'%s", args->positional[0],
                   ww_suggest_text(&near, hint, sizeof hint));
}

static const ww_option options[] = {
    {"metrics", "FILE",
     "Metrics from a CSV table instead of a result folder: a row per kernel; compare takes "
     "several."},
    {"power", "FILE", "Component powers [W] from a CSV table, joined with --metrics by kernel."},
    {"peak-ipc", "N", "Peak IPC for the categories; from --gpu or the result folder when omitted."},
    {"gpu", "NAME|FILE",
     "GPU whose peak IPC (SMs x schedulers x 32) the categories are fractions of."},
    {"bootstrap", "N",
     "Resamples behind each confidence interval of correlate; 1000 when omitted, 0 for none."},
    {"seed", "N", "Seed of the resampling; 1 when omitted."},
    {"skip-constant", NULL, "Leave the cells of a constant series empty instead of failing."},
    {"long", NULL, "correlate: p-values and intervals of every pair; categories: every kernel."},
    {"lines", NULL,
     "stalls: by PTX line, of runs with --profile: slots issued, lost there and to what, and lost "
     "by "
     "others that waited for the line's result."},
    {"top", "N",
     "Lines shown of each kernel, hottest first chosen, in the order of the program; 20 when "
     "omitted, 0 for all."},
    {"set", "KEY=VALUE", "Override a GPU parameter before power is evaluated; may be repeated."},
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs)."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt analyze metrics result",
     "The nine workload metrics of every kernel (IPC, TI, AI, BI, MI, CE, SU, PS, AW)."},
    {"warpwatt analyze breakdown result", "Energy per kernel and per component."},
    {"warpwatt analyze stalls result",
     "Where every kernel's issue slots went: issued, or lost for which reason."},
    {"warpwatt analyze stalls result --lines --top 10",
     "The ten hottest lines of every kernel, with their PTX, of a run with --profile."},
    {"warpwatt analyze correlate result",
     "Pearson and Spearman correlation, metric x component, over the kernels of a run."},
    {"warpwatt analyze correlate --metrics table1.csv --power table7.csv --long",
     "The same from published tables, with p-values and bootstrap intervals."},
    {"warpwatt analyze categories --metrics table1.csv --power table7.csv --gpu gtx580-d553",
     "High, medium and low IPC kernels, and where each category spends its power."},
    {"warpwatt analyze compare base config1 config2",
     "IPC, power, time, energy and EDP of every kernel, normalized to the first folder."},
    {NULL, NULL},
};
const ww_command ww_cmd_analyze = {
    .name = "analyze",
    .summary = "metrics, breakdowns, stalls, correlations, categories, comparisons",
    .synopsis = "metrics|breakdown DIR…\nstalls DIR… [--lines [--top N]]\ncorrelate|categories "
                "DIR… [options]\n"
                "correlate|categories --metrics FILE --power FILE [options]\ncompare BASE DIR…",
    .description = "Prints the tables of a workload study from the result folders of 'warpwatt run "
                   "--out', or from CSV tables.",
    .options = options,
    .examples = examples,
    .run = run,
};
