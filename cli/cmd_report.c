/* cmd_report.c - `warpwatt report`: a page about results, and its plots as files. */
#include <string.h>
#include <strings.h>

#include "analysis/correlate.h"
#include "analysis/report.h"
#include "analysis/table.h"
#include "base/file.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/study.h"
#include "validation/paper_page.h"

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
    ww_note_incomplete(args->positional, args->positional_count);
    for (size_t i = 0; i < args->positional_count; i++) {
        WW_TRY(ww_report_add_results(report, args->positional[i], err));
    }
    return ww_args_has(args, "metrics") ? add_tables(args, report, err) : WW_OK;
}

static ww_status say_written(const ww_args *args, const char *page, const char *what, ww_error *err)
{
    if (!ww_args_has(args, "json")) {
        printf("wrote %s, its %s (SVG) and their data (CSV) into the folder beside it\n",
               WW_VISIBLE(page), what);
        return WW_OK;
    }
    ww_str text = {0};
    ww_json json;
    ww_json_init(&json, &text, 2);
    ww_json_object(&json, NULL);
    ww_json_text(&json, "page", page);
    ww_json_end(&json);
    return ww_json_print(&json, &text, stdout, err);
}

/* More sets than this have no colours that can be told apart, and too many bars to a kernel. */
enum { MOST_SETS = 8 };

/* A sweep without figures of its own whose configurations can stand side by side: each is one
 * machine for all workloads. Passes of models stand by time and energy. */
static bool is_comparison(const ww_paper *paper)
{
    const ww_sweep *sweep = ww_paper_sweep(paper);
    for (size_t i = 0; i < sweep->item_count; i++) {
        if (sweep->item[i].setting_count > 0 || sweep->item[i].pass != NULL) {
            return false;
        }
    }
    return !ww_paper_defines_results(paper) && sweep->set_count <= MOST_SETS;
}

/* The machines that have results, in the order of the sweep's file. */
static ww_status add_machines(const ww_sweep *sweep, const char *dir, ww_report *report,
                              ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = WW_OK;
    size_t found = 0;
    for (size_t i = 0; status == WW_OK && i < sweep->set_count; i++) {
        const char *folder = ww_path_join(&arena, dir, sweep->set[i].name);
        if (folder == NULL) {
            status = ww_no_memory(err);
        } else if (ww_dir_exists(folder)) {
            ww_note_incomplete(&folder, 1);
            status = ww_report_add_results(report, folder, err);
            found++;
        }
    }
    ww_arena_fini(&arena);
    if (status == WW_OK && found == 0) {
        return ww_fail(err, WW_ENOTFOUND, "%s: no run of this sweep is complete", dir);
    }
    return status;
}

static ww_status report_sweep(const ww_sweep *sweep, const char *dir, const char *out,
                              const ww_report_options *options, ww_error *err)
{
    ww_report *report = NULL;
    WW_TRY(ww_report_create(&report, err));
    ww_status status = add_machines(sweep, dir, report, err);
    status = status == WW_OK ? ww_report_write(report, out, options, err) : status;
    ww_report_destroy(report);
    return status;
}

/* A sweep's folder, of the definition that --study names or that the sweep left there. */
static ww_status report_study(const ww_args *args, const char *out,
                              const ww_report_options *options, ww_error *err)
{
    ww_arena arena = {0};
    ww_paper *paper = NULL;
    const char *name = ww_args_value(args, "study"), *dir = args->positional[0], *folder = dir;
    ww_status status = name != NULL ? ww_paper_folder(name, &arena, &folder, err) : WW_OK;
    status = status == WW_OK ? ww_paper_open(folder, dir, WW_VERSION, &paper, err) : status;
    if (status == WW_OK && name == NULL && is_comparison(paper)) {
        status = report_sweep(ww_paper_sweep(paper), dir, out, options, err);
    } else if (status == WW_OK) {
        status = ww_paper_page_write(paper, out, WW_VERSION, err);
    }
    ww_paper_close(paper);
    ww_arena_fini(&arena);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        return say_written(args, out, "figures", err);
    }
    return status;
}

static bool is_sweep(const char *dir)
{
    ww_arena arena = {0};
    char *file = ww_path_join(&arena, dir, "sweep.xml");
    bool is = file != NULL && ww_file_exists(file);
    ww_arena_fini(&arena);
    return is;
}

/* What the page is by its name: a file that is called otherwise would not open. */
static ww_status check_ending(const char *out, ww_error *err)
{
    const char *dot = strrchr(ww_path_base(out), '.');
    if (dot == NULL || strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0) {
        return WW_OK;
    }
    return ww_fail(
        err, WW_EUSAGE,
        "--out %s: the page is HTML, a name that ends in .html; for a PDF print it, with "
        "a browser or by 'chromium --headless --print-to-pdf=FILE.pdf FILE.html'",
        out);
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
    WW_TRY(ww_outputs_folder(out, err));
    WW_TRY(check_ending(out, err));
    const char *const tables[] = {ww_args_value(args, "metrics"), ww_args_value(args, "power")};
    ww_report_options options = {.version = WW_VERSION,
                                 .resamples = (size_t)resamples,
                                 .seed = seed,
                                 .inputs = tables,
                                 .input_count =
                                     ww_args_has(args, "metrics") ? WW_ARRAY_LEN(tables) : 0,
                                 .spreadsheet = ww_args_has(args, "spreadsheet")};
    if (args->positional_count == 1 &&
        (ww_args_has(args, "study") || is_sweep(args->positional[0]))) {
        return report_study(args, out, &options, err);
    }
    if (ww_args_has(args, "study")) {
        return ww_fail(err, WW_EUSAGE, "--study takes one folder, of a sweep");
    }
    ww_report *report = NULL;
    WW_TRY(ww_report_create(&report, err));
    ww_status status = fill(args, report, err);
    status = status == WW_OK ? ww_report_write(report, out, &options, err) : status;
    ww_report_destroy(report);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        return say_written(args, out, "plots", err);
    }
    return status;
}

static const ww_option options[] = {
    {"out", "FILE.html",
     "Where the page goes; an SVG and a CSV file of every plot go into the folder FILE-files "
     "beside it. To have a PDF, print the page."},
    {"study", "NAME|DIR",
     "DIR… is the folder of the sweep paper-NAME: figures and numbers as its paper has them."},
    {"metrics", "FILE", "A set made of CSV tables: metrics, a row per kernel."},
    {"power", "FILE", "Its component powers [W], joined with --metrics by kernel."},
    {"peak-ipc", "N", "Peak IPC of the tables' GPU, for the categories."},
    {"gpu", "NAME|FILE", "The tables' GPU, instead of --peak-ipc."},
    {"bootstrap", "N", "Resamples behind each confidence interval; 1000 when omitted."},
    {"seed", "N", "Seed of the resampling; 1 when omitted."},
    {"spreadsheet", NULL,
     "Texts of the CSV files that a spreadsheet would take for formulas begin with an apostrophe."},
    {"set", "KEY=VALUE", "Override a parameter of --gpu; may be repeated."},
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs)."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt report result --out report.html",
     "Breakdown, categories, correlations, power over time, metrics, configuration."},
    {"warpwatt report base config1 config2 --out study.html",
     "The same for each folder, and all compared with the first."},
    {"warpwatt sweep paper-caps --out caps && warpwatt report caps --study caps --out caps.html",
     "Speed, energy, coverage, stalls per benchmark, and the paper's numbers beside ours."},
    {"warpwatt report --metrics table1.csv --power table7.csv --gpu gtx580-d553 --out "
     "published.html",
     "A page about published tables."},
    {NULL, NULL},
};
const ww_command ww_cmd_report = {
    .name = "report",
    .summary = "a self-contained page about results, with plots and data",
    .synopsis = "DIR… --out FILE.html [options]\nSWEEP-DIR [--study NAME] --out "
                "FILE.html\n--metrics FILE --power FILE --out FILE.html [options]",
    .description = "Writes one HTML page that needs no network and no other file, and SVG plots "
                   "fit for a paper in the folder beside it.\n"
                   "Folders of one configuration with different kernels form one set; every other "
                   "folder is compared with the first. Of a sweep without figures of its own, the "
                   "configurations are such folders.",
    .options = options,
    .examples = examples,
    .run = run,
};
