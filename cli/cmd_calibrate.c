/* cmd_calibrate.c - `warpwatt calibrate`: factors of a power model from measured powers of
 * microbenchmarks, and from what is known of them before (analysis/calibration.h). */
#include "base/file.h"
#include "cli/calibrate_activity.h"
#include "cli/calibrate_report.h"
#include "cli/command.h"
#include "cli/settings.h"

/* What rows name, from files of a folder and from programs. */
typedef struct activities {
    ww_arena arena;
    const char *folder;
    ww_run_request request; /* of rows that name a program */
    ww_calibrate_activity open;
} activities;

static ww_status find_launch(void *user, const char *activity, const char *kernel,
                             const ww_launch_record **out, ww_error *err)
{
    activities *a = user;
    WW_TRY(ww_calibrate_activity_open(&a->open, activity, a->folder, &a->request, &a->arena, err));
    *out = ww_calibrate_activity_find(&a->open, kernel);
    return WW_OK;
}

static ww_status name_activities(activities *a, const ww_args *args, ww_error *err)
{
    const char *folder = ww_args_value(args, "results");
    ww_setting *settings;
    WW_TRY(ww_settings_collect(args, &a->arena, &settings, &a->request.setting_count, err));
    a->request.settings = settings;
    a->request.gpu = ww_args_value(args, "gpu");
    a->request.isa = WW_ISA_DESCRIBED;
    a->open.allow_programs = ww_args_has(args, "allow-programs");
    a->folder = folder != NULL ? folder : ww_path_dir(&a->arena, args->positional[0]);
    return a->folder != NULL ? WW_OK : ww_no_memory(err);
}

/* The card's rows as another card's energies predict them. */
static ww_status carry_over(ww_calibration *c, activities *a, const ww_arch *arch,
                            const ww_args *args, ww_error *err)
{
    const ww_calibration_source source = {find_launch, a, ww_args_has(args, "toggles")};
    ww_arch *from = NULL;
    WW_TRY(ww_arch_load(ww_args_value(args, "from"), NULL, 0, &from, err));
    ww_status status = ww_calibration_carry(args->positional[0], arch, from, source, c, err);
    ww_arch_destroy(from);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_calibration_print_carried(c, ww_args_has(args, "json"), err);
    }
    return status;
}

static ww_status calibrate(ww_calibration *c, activities *a, const ww_arch *arch,
                           const ww_args *args, ww_error *err)
{
    const char *uncertainty = ww_args_value(args, "uncertainty");
    const ww_calibration_source source = {find_launch, a, ww_args_has(args, "toggles")};
    WW_TRY(name_activities(a, args, err));
    if (ww_args_value(args, "from") != NULL) {
        return carry_over(c, a, arch, args, err);
    }
    WW_TRY(ww_calibration_fit(args->positional[0], arch, source, c, err));
    if (!ww_args_has(args, "quiet")) {
        WW_TRY(ww_calibration_print(c, ww_args_has(args, "json"), err));
    }
    return uncertainty != NULL ? ww_calibration_write_uncertainty(c, uncertainty, err) : WW_OK;
}

static ww_status write_uncertainties(const ww_joint *j, const char *folder, ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = WW_OK;
    for (size_t i = 0; i < j->cards && status == WW_OK; i++) {
        char *name = ww_arena_printf(&arena, "%s-uncertainty.csv", j->card[i].gpu);
        char *path = name != NULL ? ww_path_join(&arena, folder, name) : NULL;
        status = path != NULL ? ww_calibration_write_uncertainty(&j->card[i].calibration, path, err)
                              : ww_no_memory(err);
    }
    ww_arena_fini(&arena);
    return status;
}

/* Several cards at once; the file says which. */
static ww_status calibrate_cards(const ww_args *args, ww_error *err)
{
    const char *uncertainty = ww_args_value(args, "uncertainty");
    ww_joint j = {.cards = 0};
    if (args->positional_count != 1 || ww_args_value(args, "from") != NULL) {
        return ww_fail(err, WW_EUSAGE,
                       "calibrate needs --gpu NAME and one file of measurements, or one file of "
                       "cards without --gpu");
    }
    ww_status status = ww_joint_fit(args->positional[0], ww_args_has(args, "toggles"), &j, err);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_joint_print(&j, ww_args_has(args, "json"), err);
    }
    if (status == WW_OK && uncertainty != NULL) {
        status = write_uncertainties(&j, uncertainty, err);
    }
    ww_joint_fini(&j);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    ww_calibration c = {.factors = 0};
    activities a = {.folder = NULL};
    ww_arch *arch = NULL;
    if (args->positional_count != 1 || ww_args_value(args, "gpu") == NULL) {
        return calibrate_cards(args, err);
    }
    if (ww_args_value(args, "from") != NULL && ww_args_value(args, "uncertainty") != NULL) {
        return ww_fail(err, WW_EUSAGE, "--from fits nothing: there is no --uncertainty of it");
    }
    WW_TRY(ww_settings_load_arch(args, ww_args_value(args, "gpu"), &arch, err));
    ww_arch_forget_described(arch); /* the card that was measured is the machine as it is given */
    ww_status status = calibrate(&c, &a, arch, args, err);
    ww_calibrate_activity_fini(&a.open);
    ww_calibration_fini(&c);
    ww_arch_destroy(arch);
    ww_arena_fini(&a.arena);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE", "GPU description whose factors are fitted."},
    {"results", "DIR",
     "Folder that the activities are named from; that of the measurements when omitted."},
    {"set", "KEY=VALUE", "Override a parameter, of a sibling that was measured; may be repeated."},
    WW_OPTION_CLOCK,
    {"allow-programs", NULL,
     "Run the programs that rows name as their activity ('-- PROGRAM ARGUMENTS'); refused "
     "without."},
    {"toggles", NULL,
     "Charge rows in rates for the bits that they say switch, as a run with --toggles is, instead "
     "of for half of all bits."},
    {"from", "NAME|FILE",
     "Fit nothing: predict the rows with the energies of this other card, as a card that has no "
     "measurements borrows them, and print how far off they are."},
    {"uncertainty", "FILE",
     "Write uncertainties and correlations, for power.uncertainty; of several cards, the folder "
     "that takes a file GPU-uncertainty.csv of each."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt calibrate measurements.csv --gpu gtx580",
     "Factors of the GTX 580 with their uncertainty, and what they leave unexplained."},
    {"warpwatt calibrate measurements.csv --gpu gtx580 --json", "The factors for a script."},
    {"warpwatt calibrate measurements.csv --gpu gtx1080ti --from qv100",
     "What a card without measurements would have been off by."},
    {NULL, NULL},
};
const ww_command ww_cmd_calibrate = {
    .name = "calibrate",
    .summary = "fit the calibration factors of a GPU to measured powers",
    .synopsis = "MEASUREMENTS.csv --gpu GPU [--results DIR] [--allow-programs] [--from GPU | "
                "--uncertainty FILE]",
    .description =
        "Each row of the file names an activity, of a simulated launch (in a file, or of a program "
        "that is run) or in rates of units, a "
        "component or the whole card, and the power that was measured or published for it; or a "
        "factor, and how well it is known before (docs/calibration.md). Factors are fitted as "
        "logarithms and cross-validated, each microbenchmark left out in turn.",
    .options = options,
    .examples = examples,
    .run = run,
};
