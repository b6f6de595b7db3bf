/* cmd_report.c - `warpwatt report`: a page about results, and its plots as files. */
#include "analysis/correlate.h"
#include "analysis/report.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/study.h"
#include "cli/version.h"

static ww_status add_tables(const ww_args *args, ww_report *report, ww_error *err)
{
    double peak = 0;
    if (ww_args_has(args, "peak-ipc") || ww_args_has(args, "gpu")) {
        WW_TRY(ww_study_peak_ipc(args, args->positional_count, &peak, err));
    }
    return ww_report_add_tables(report, ww_args_value(args, "metrics"),
                                ww_args_value(args, "power"), peak, err);
}

static ww_status fill(const ww_args *args, ww_report *report, ww_error *err)
{
    for (size_t i = 0; i < args->positional_count; i++) {
        WW_TRY(ww_report_add_results(report, args->positional[i], err));
    }
    return ww_args_has(args, "metrics") ? add_tables(args, report, err) : WW_OK;
}

static ww_status make_folder(const char *file, ww_error *err)
{
    ww_arena arena = {0};
    const char *dir = ww_path_dir(&arena, file);
    ww_status status =
        dir != NULL ? ww_make_dirs(dir, err) : ww_fail(err, WW_ENOMEM, "out of memory");
    ww_arena_fini(&arena);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    const char *out = ww_args_value(args, "out");
    unsigned long long resamples = 0, seed = 0;
    WW_TRY(ww_args_u64(args, "bootstrap", 0, WW_CORRELATE_MAX_RESAMPLES, 1000, &resamples, err));
    WW_TRY(ww_args_u64(args, "seed", 0, UINT64_MAX, 1, &seed, err));
    if (args->positional_count == 0 && !ww_args_has(args, "metrics")) {
        return ww_fail(err, WW_EUSAGE,
                       "report needs a result folder, or --metrics FILE with --power FILE");
    }
    if (ww_args_has(args, "metrics") != ww_args_has(args, "power")) {
        return ww_fail(err, WW_EUSAGE, "--metrics and --power go together");
    }
    if (out == NULL) {
        return ww_fail(err, WW_EUSAGE, "report needs --out FILE.html");
    }
    ww_report_options options = {
        .version = WW_VERSION, .resamples = (size_t)resamples, .seed = seed};
    ww_report *report = NULL;
    WW_TRY(make_folder(out, err));
    WW_TRY(ww_report_create(&report, err));
    ww_status status = fill(args, report, err);
    status = status == WW_OK ? ww_report_write(report, out, &options, err) : status;
    ww_report_destroy(report);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        printf("wrote %s, its plots (SVG) and their data (CSV) beside it\n", out);
    }
    return status;
}

static const ww_option options[] = {
    {"out", "FILE.html",
     "Where the page goes; an SVG and a CSV file of every plot go beside it, named after it."},
    {"metrics", "FILE", "A set made of CSV tables: metrics, a row per kernel."},
    {"power", "FILE", "Its component powers [W], joined with --metrics by kernel."},
    {"peak-ipc", "N", "Peak IPC of the tables' GPU, for the categories."},
    {"gpu", "NAME|FILE", "The tables' GPU, instead of --peak-ipc."},
    {"bootstrap", "N", "Resamples behind each confidence interval; 1000 when omitted."},
    {"seed", "N", "Seed of the resampling; 1 when omitted."},
    {"set", "KEY=VALUE", "Override a parameter of --gpu; may be repeated."},
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs)."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt report result --out report.html",
     "Breakdown, categories, correlations, power over time, metrics, configuration."},
    {"warpwatt report base config1 config2 --out study.html",
     "The same for each folder, and all compared with the first."},
    {"warpwatt report --metrics table1.csv --power table7.csv --gpu gtx580-d553 --out "
     "published.html",
     "A page about published tables."},
    {NULL, NULL},
};
const ww_command ww_cmd_report = {
    .name = "report",
    .summary = "a self-contained page about results, with plots and data",
    .synopsis =
        "DIR… --out FILE.html [options]\n--metrics FILE --power FILE --out FILE.html [options]",
    .description = "Writes one HTML page that needs no network and no other file, and SVG plots "
                   "fit for a paper beside it.\n"
                   "Folders of one configuration with different kernels form one set; every other "
                   "folder is compared with the first.",
    .options = options,
    .examples = examples,
    .run = run,
};
