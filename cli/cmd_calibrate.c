/* cmd_calibrate.c - `warpwatt calibrate`: factors of a power model from measured powers of
 * simulated kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calibrate.h"
#include "base/csv.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/table.h"
#include "counters/counters.h"
#include "power/power.h"

/* Components with a factor. */
static const struct {
    ww_component component;
    const char *key;
} FACTORS[] = {
    {WW_COMPONENT_RF, "power.rf_factor"},   {WW_COMPONENT_EU, "power.eu_factor"},
    {WW_COMPONENT_WCU, "power.wcu_factor"}, {WW_COMPONENT_LDSTU, "power.ldst_factor"},
    {WW_COMPONENT_NOC, "power.noc_factor"}, {WW_COMPONENT_MC, "power.mc_factor"},
    {WW_COMPONENT_GM, "power.gm_factor"},
};

/* A row of the file with what the model says. */
typedef struct measurement_row {
    const char *kernel, *component, *source;
    int factor; /* of FACTORS; -1: the component has none, the row is only compared */
    ww_measurement m;
} measurement_row;

typedef struct calibration_run {
    ww_arena arena;
    const char *folder;           /* of the file: activities are named from here */
    ww_power_model *once, *twice; /* with all factors 1 and 2 */
    ww_csv *csv;
    size_t column[6];
    measurement_row *row;
    size_t rows;
    const char *loaded; /* activity file now open */
    ww_activity *activity;
} calibration_run;

enum { ACTIVITY, KERNEL, COMPONENT, MEASURED, SIGMA, SOURCE };

/* ---- the model with all factors alike ---- */

static ww_status build(const char *gpu, const char *value, ww_power_model **out, ww_error *err)
{
    ww_setting settings[WW_ARRAY_LEN(FACTORS)];
    ww_arch *arch = NULL;
    for (size_t i = 0; i < WW_ARRAY_LEN(FACTORS); i++) {
        settings[i] = (ww_setting){FACTORS[i].key, value};
    }
    WW_TRY(ww_arch_load(gpu, settings, WW_ARRAY_LEN(settings), &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, out, err);
    ww_arch_destroy(arch);
    return status;
}

/* ---- one row ---- */

static ww_status find_launch(calibration_run *c, size_t row, const ww_launch_record **out,
                             ww_error *err)
{
    const char *name = ww_csv_text(c->csv, row, c->column[ACTIVITY]);
    const char *kernel = ww_csv_text(c->csv, row, c->column[KERNEL]);
    const char *path = ww_path_join(&c->arena, c->folder, name);
    if (path == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    if (c->loaded == NULL || strcmp(c->loaded, path) != 0) {
        ww_activity_destroy(c->activity);
        c->activity = NULL;
        WW_TRY(ww_activity_load(path, &c->activity, err));
        c->loaded = path;
    }
    /* "kernel" is the first launch of it, "kernel#2" the third. */
    const char *mark = strchr(kernel, '#');
    size_t length = mark != NULL ? (size_t)(mark - kernel) : strlen(kernel);
    unsigned long skip = mark != NULL ? strtoul(mark + 1, NULL, 10) : 0;
    for (size_t i = 0; i < c->activity->launch_count; i++) {
        const ww_launch_record *l = &c->activity->launches[i];
        if (strlen(l->kernel) == length && strncmp(l->kernel, kernel, length) == 0 && skip-- == 0) {
            *out = l;
            return WW_OK;
        }
    }
    return ww_csv_fail(c->csv, row, c->column[KERNEL], err, WW_ENOTFOUND, "%s has no launch '%s'",
                       path, kernel);
}

static bool find_counter(const char *name, size_t length, ww_counter *out)
{
    for (int i = 0; i < WW_COUNTER_COUNT; i++) {
        const char *known = ww_counter_describe((ww_counter)i)->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            *out = (ww_counter)i;
            return true;
        }
    }
    return false;
}

/* One term of "12.7 W" or "0.18 nJ/sm.cycles.active + 0.57 nJ/sm.inst.warp", in watts. */
static const char *term_w(const char *text, const ww_launch_record *l, double time_s, double *out)
{
    char *end;
    double value = strtod(text, &end);
    ww_counter counter;
    if (end == text) {
        return NULL;
    }
    text = end + strspn(end, " ");
    if (*text == 'W') {
        *out = value;
        return text + 1;
    }
    double unit = strncmp(text, "nJ/", 3) == 0 ? 1e-9 : strncmp(text, "pJ/", 3) == 0 ? 1e-12 : 0;
    size_t length = unit > 0 ? strcspn(text + 3, " +") : 0;
    if (unit <= 0 || !find_counter(text + 3, length, &counter)) {
        return NULL;
    }
    *out = value * unit * (double)ww_counter_total(l->counters, counter) / time_s;
    return text + 3 + length;
}

static ww_status measured_w(calibration_run *c, size_t row, const ww_launch_record *l,
                            double time_s, double *out, ww_error *err)
{
    const char *text = ww_csv_text(c->csv, row, c->column[MEASURED]);
    *out = 0;
    for (const char *p = text; p != NULL;) {
        double w = 0;
        p = term_w(p, l, time_s, &w);
        *out += w;
        if (p != NULL) {
            p += strspn(p, " ");
            if (*p == '\0') {
                return WW_OK;
            }
            p = *p == '+' ? p + 1 : NULL;
        }
    }
    return ww_csv_fail(
        c->csv, row, c->column[MEASURED], err, WW_EPARSE,
        "'%s' is no power: 'VALUE W', or a sum of 'VALUE nJ/COUNTER' and 'VALUE pJ/COUNTER'", text);
}

static ww_status take_row(calibration_run *c, size_t row, ww_error *err)
{
    measurement_row *r = &c->row[c->rows];
    const ww_launch_record *launch = NULL;
    ww_power_result once, twice;
    double share;
    int component = 0;
    r->kernel = ww_csv_text(c->csv, row, c->column[KERNEL]);
    r->component = ww_csv_text(c->csv, row, c->column[COMPONENT]);
    r->source = ww_csv_text(c->csv, row, c->column[SOURCE]);
    while (component < WW_COMPONENT_COUNT &&
           strcmp(ww_component_name((ww_component)component), r->component) != 0) {
        component++;
    }
    if (component == WW_COMPONENT_COUNT) {
        return ww_csv_fail(c->csv, row, c->column[COMPONENT], err, WW_ENOTFOUND,
                           "there is no component '%s'", r->component);
    }
    r->factor = -1;
    for (size_t i = 0; i < WW_ARRAY_LEN(FACTORS); i++) {
        r->factor = (int)FACTORS[i].component == component ? (int)i : r->factor;
    }
    WW_TRY(find_launch(c, row, &launch, err));
    WW_TRY(ww_power_evaluate(c->once, launch->counters, launch, &once, err));
    WW_TRY(ww_power_evaluate(c->twice, launch->counters, launch, &twice, err));
    WW_TRY(measured_w(c, row, launch, once.time_s, &r->m.measured_w, err));
    WW_TRY(ww_csv_double(c->csv, row, c->column[SIGMA], &share, err));
    r->m.sigma_w = share * r->m.measured_w;
    r->m.scaled_w = twice.component[component].dynamic_w - once.component[component].dynamic_w;
    r->m.fixed_w = once.component[component].dynamic_w - r->m.scaled_w;
    c->rows++;
    return WW_OK;
}

/* ---- all ---- */

static ww_status fit_factor(const calibration_run *c, int factor, ww_measurement *room,
                            ww_calibration *out, size_t *count, ww_error *err)
{
    *count = 0;
    for (size_t i = 0; i < c->rows; i++) {
        if (c->row[i].factor == factor) {
            room[(*count)++] = c->row[i].m;
        }
    }
    return *count > 0 ? ww_calibrate(room, *count, out, err) : WW_OK;
}

static ww_status print(const calibration_run *c, const ww_calibration *fitted, const size_t *count,
                       bool json, ww_error *err)
{
    ww_table factors, rows;
    ww_table_init(&factors, "factors");
    static const char *const HEAD[] = {"factor", "value", "sigma", "measurements",
                                       "chi2_per_freedom"};
    static const char *const ROW_HEAD[] = {"kernel",  "component",     "measured_w", "sigma_w",
                                           "model_w", "error_percent", "source"};
    for (size_t i = 0; i < WW_ARRAY_LEN(HEAD); i++) {
        ww_table_head(&factors, HEAD[i]);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(FACTORS); i++) {
        if (count[i] > 0) {
            ww_table_text(&factors, FACTORS[i].key);
            ww_table_number(&factors, fitted[i].factor, 3);
            ww_table_number(&factors, fitted[i].sigma, 3);
            ww_table_count(&factors, count[i]);
            ww_table_number(&factors, fitted[i].chi2, 2);
        }
    }
    ww_table_init(&rows, "measurements");
    for (size_t i = 0; i < WW_ARRAY_LEN(ROW_HEAD); i++) {
        ww_table_head(&rows, ROW_HEAD[i]);
    }
    for (size_t i = 0; i < c->rows; i++) {
        const measurement_row *r = &c->row[i];
        double factor = r->factor >= 0 ? fitted[r->factor].factor : 1;
        double model_w = r->m.fixed_w + factor * r->m.scaled_w;
        ww_table_text(&rows, r->kernel);
        ww_table_text(&rows, r->component);
        ww_table_number(&rows, r->m.measured_w, 3);
        ww_table_number(&rows, r->m.sigma_w, 3);
        ww_table_number(&rows, model_w, 3);
        ww_table_number(&rows, 100 * (model_w / r->m.measured_w - 1), 1);
        ww_table_text(&rows, r->source);
    }
    ww_status status = ww_table_print(&factors, json, stdout, err);
    if (status == WW_OK && !json) {
        puts("");
        status = ww_table_print(&rows, false, stdout, err);
    }
    ww_table_fini(&factors);
    ww_table_fini(&rows);
    return status;
}

static ww_status load(calibration_run *c, const ww_args *args, ww_error *err)
{
    static const char *const COLUMN[] = {"activity", "kernel", "component",
                                         "measured", "sigma",  "source"};
    const char *path = args->positional[0], *gpu = ww_args_value(args, "gpu");
    WW_TRY(ww_csv_load(path, &c->csv, err));
    for (size_t i = 0; i < WW_ARRAY_LEN(COLUMN); i++) {
        WW_TRY(ww_csv_find(c->csv, COLUMN[i], &c->column[i], err));
    }
    const char *activities = ww_args_value(args, "results");
    c->folder = activities != NULL ? activities : ww_path_dir(&c->arena, path);
    c->row = WW_ARENA_NEW_ARRAY(&c->arena, measurement_row, ww_csv_rows(c->csv) + 1);
    if (c->row == NULL || c->folder == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    WW_TRY(build(gpu, "1", &c->once, err));
    WW_TRY(build(gpu, "2", &c->twice, err));
    for (size_t i = 0; i < ww_csv_rows(c->csv); i++) {
        WW_TRY(take_row(c, i, err));
    }
    return WW_OK;
}

static ww_status calibrate(calibration_run *c, const ww_args *args, ww_error *err)
{
    ww_calibration fitted[WW_ARRAY_LEN(FACTORS)] = {0};
    size_t count[WW_ARRAY_LEN(FACTORS)];
    WW_TRY(load(c, args, err));
    ww_measurement *room = WW_ARENA_NEW_ARRAY(&c->arena, ww_measurement, c->rows + 1);
    if (room == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(FACTORS); i++) {
        ww_status status = fit_factor(c, (int)i, room, &fitted[i], &count[i], err);
        if (status != WW_OK) {
            ww_error_prefix(err, "%s: ", FACTORS[i].key);
            return status;
        }
    }
    return print(c, fitted, count, ww_args_has(args, "json"), err);
}

static ww_status run(const ww_args *args, ww_error *err)
{
    calibration_run c = {0};
    if (args->positional_count != 1 || ww_args_value(args, "gpu") == NULL) {
        return ww_fail(err, WW_EUSAGE, "calibrate needs --gpu NAME and one file of measurements");
    }
    ww_status status = calibrate(&c, args, err);
    ww_activity_destroy(c.activity);
    ww_power_model_destroy(c.once);
    ww_power_model_destroy(c.twice);
    ww_csv_destroy(c.csv);
    ww_arena_fini(&c.arena);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE", "GPU description whose factors are fitted."},
    {"results", "DIR",
     "Folder that the activities are named from; that of the measurements when omitted."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt calibrate measurements.csv --gpu gtx580",
     "Factors of the GTX 580 with their uncertainty, and what they leave unexplained."},
    {"warpwatt calibrate measurements.csv --gpu gtx580 --json", "The factors for a script."},
    {NULL, NULL},
};
const ww_command ww_cmd_calibrate = {
    .name = "calibrate",
    .summary = "fit the calibration factors of a GPU to measured powers",
    .synopsis = "MEASUREMENTS.csv --gpu GPU [--results DIR]",
    .description = "Each row of the file names the activity of a simulated launch, a component, "
                   "and the power that was measured or published for "
                   "it: 'W', or energies per event (docs/calibration.md). Factors follow by "
                   "weighted least squares.",
    .options = options,
    .examples = examples,
    .run = run,
};
