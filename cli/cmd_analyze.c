/* cmd_analyze.c - `warpwatt analyze`: the tables of a study from result folders. */
#include <string.h>

#include "analysis/result_folders.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/breakdown.h"
#include "cli/command.h"
#include "cli/study.h"
#include "counters/counters.h"

typedef ww_status printer(const ww_result_set *sets, size_t count, bool json, ww_error *err);

/* The result folders that the arguments behind the table's name stand for. */
static ww_status folders_of(const ww_args *args, ww_arena *arena, const char ***out, size_t *count,
                            ww_error *err)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "analyze %s needs a result folder", args->positional[0]);
    }
    for (size_t k = 1; k < args->positional_count; k++) {
        const char **some;
        size_t more;
        WW_TRY(ww_result_folders(args->positional[k], arena, &some, &more, err));
        ww_note_incomplete(some, more);
        const char **all = WW_ARENA_NEW_ARRAY(arena, const char *, capacity + more);
        if (all == NULL) {
            return ww_no_memory(err);
        }
        for (size_t i = 0; i < capacity + more; i++) {
            all[i] = i < capacity ? (*out)[i] : some[i - capacity];
        }
        *out = all;
        *count = capacity += more;
    }
    return WW_OK;
}

/* One table of the counters of all folders. */
static ww_status print_activities(const char *const *dir, size_t count, ww_arena *arena,
                                  printer *print, bool json, ww_error *err)
{
    ww_activity **activity = WW_NEW_ARRAY(ww_activity *, count);
    ww_result_set *set = WW_NEW_ARRAY(ww_result_set, count);
    ww_status status = activity != NULL && set != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const char *path = ww_path_join(arena, dir[i], "activity.xml");
        status = path != NULL ? ww_activity_load(path, &activity[i], err) : ww_no_memory(err);
        if (status == WW_OK) {
            set[i].launches = activity[i]->launches;
            set[i].launch_count = activity[i]->launch_count;
        }
    }
    status = status == WW_OK ? print(set, count, json, err) : status;
    for (size_t i = 0; activity != NULL && i < count; i++) {
        ww_activity_destroy(activity[i]);
    }
    ww_free(activity);
    ww_free(set);
    return status;
}

static ww_status print_counters(const ww_args *args, printer *print, ww_error *err)
{
    ww_arena arena = {0};
    const char **dir;
    size_t count;
    ww_status status = folders_of(args, &arena, &dir, &count, err);
    if (status == WW_OK) {
        status = print_activities(dir, count, &arena, print, ww_args_has(args, "json"), err);
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status run_metrics(const ww_args *args, ww_error *err)
{
    return print_counters(args, ww_print_metrics, err);
}

/* Of the powers that the runs found: their machines may be any. */
static ww_status run_breakdown(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    const char **dir;
    size_t count;
    if (ww_args_has(args, "set") || ww_args_has(args, "mech") || ww_args_has(args, "gpu")) {
        return ww_fail(err, WW_EUSAGE,
                       "analyze breakdown prints what a run found; for another machine: warpwatt "
                       "power --activity DIR/activity.xml --set KEY=VALUE");
    }
    ww_status status = folders_of(args, &arena, &dir, &count, err);
    if (status == WW_OK) {
        status = ww_print_breakdown_of(dir, count, ww_args_has(args, "json"), err);
    }
    ww_arena_fini(&arena);
    return status;
}

enum { TOP_LINES = 20, MOST_LINES = 1000000 };

static ww_status print_lines(const ww_args *args, ww_error *err)
{
    unsigned long long top;
    ww_listing how = {.json = ww_args_has(args, "json"),
                      .speedscope = ww_args_value(args, "speedscope")};
    WW_TRY(ww_args_u64(args, "top", 0, MOST_LINES, TOP_LINES, &top, err));
    how.top = (size_t)top;
    if (ww_args_has(args, "by")) {
        WW_TRY(ww_line_fold_find(ww_args_value(args, "by"), &how.by, err));
    }
    if (ww_args_has(args, "sort")) {
        WW_TRY(ww_line_sort_find(ww_args_value(args, "sort"), &how.sort, err));
    }
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "analyze stalls needs a result folder");
    }
    if (how.speedscope != NULL && args->positional_count > 2) {
        return ww_fail(err, WW_EUSAGE, "--speedscope takes one result folder");
    }
    for (size_t k = 1; k < args->positional_count; k++) {
        WW_TRY(ww_print_stall_lines(args->positional[k], &how, err));
    }
    return WW_OK;
}

static ww_status run_stalls(const ww_args *args, ww_error *err)
{
    if (ww_args_has(args, "lines")) {
        return print_lines(args, err);
    }
    return print_counters(args, ww_print_stalls, err);
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
     "others that waited for the line's result; joules of the line's events, its share of static "
     "and "
     "standby power by slots, misses and bursts."},
    {"sort", "KEY",
     "stalls --lines: heaviest lines first, by heat (slots, in the order of the program; when "
     "omitted), energy, lost, misses or instructions."},
    {"by", "KEY",
     "stalls --lines: lines put together by source (line and inlined function; of code compiled "
     "with "
     "-lineinfo), function or kernel; ptx when omitted."},
    {"speedscope", "FILE",
     "stalls --lines: write the joules of all lines as a profile for speedscope instead, in nJ."},
    {"top", "N",
     "Lines shown of each kernel, hottest first chosen, in the order of the program; 20 when "
     "omitted, 0 for all."},
    {"set", "KEY=VALUE", "categories with --gpu: override a parameter of it; may be repeated."},
    {"mech", "NAME,…", "categories with --gpu: mechanisms that are switched on."},
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
    {"warpwatt analyze stalls result --lines --by source --sort energy",
     "The lines of the CUDA source that cost most joules."},
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
    .synopsis = "metrics|breakdown DIR…\nstalls DIR… [--lines [--top N] [--sort KEY] [--by "
                "KEY]]\ncorrelate|categories "
                "DIR… [options]\n"
                "correlate|categories --metrics FILE --power FILE [options]\ncompare BASE DIR…",
    .description = "Prints the tables of a workload study from the result folders of 'warpwatt run "
                   "--out', or from CSV tables.",
    .options = options,
    .examples = examples,
    .run = run,
};
