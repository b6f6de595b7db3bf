/* cmd_calibrate.c - `warpwatt calibrate`: factors of a power model from measured powers of
 * microbenchmarks, and from what is known of them before. The table's rows say what is fitted and
 * to what (docs/calibration.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/factor_fit.h"
#include "analysis/rates.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/num.h"
#include "cli/calibrate_activity.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "cli/table.h"
#include "counters/counters.h"
#include "power/power.h"

#define RATES "rates" /* activity of rows whose kernel is a text of rates */
#define PRIOR "prior" /* activity of rows that say what is fitted, and how well it is known */
#define TOTAL "TOTAL" /* component of rows of a card's power */

/* What one factor scales. */
typedef struct factor {
    const char *key; /* "rf_factor" */
    bool group[WW_GROUP_COUNT];
} factor;

/* A row of the file. */
typedef struct measurement_row {
    const char *kernel, *component, *source;
} measurement_row;

typedef struct calibration_run {
    ww_arena arena;
    const char *folder; /* of the file: activities are named from here */
    ww_arch *arch;
    ww_power_model *model; /* as described: factors are relative to it */
    ww_counter_set rates;
    ww_csv *csv;
    size_t column[6];
    factor factor[WW_GROUP_COUNT];
    ww_fit_prior prior[WW_GROUP_COUNT];
    size_t factors;
    measurement_row *row;
    ww_fit_row *fit_row;
    size_t rows;
    ww_fit fit;
    ww_run_request request; /* of rows that name a program */
    ww_calibrate_activity activity;
} calibration_run;

enum { ACTIVITY, KERNEL, COMPONENT, MEASURED, SIGMA, SOURCE };

static const char *cell(const calibration_run *c, size_t row, int column)
{
    return ww_csv_text(c->csv, row, c->column[column]);
}

static bool find_component(const char *name, ww_component *out)
{
    for (int i = 0; i < WW_COMPONENT_COUNT; i++) {
        if (strcmp(ww_component_name((ww_component)i), name) == 0) {
            *out = (ww_component)i;
            return true;
        }
    }
    return false;
}

/* ---- what is fitted ---- */

/* What the description says of a key, a factor or watts. */
static double described(const calibration_run *c, const char *key)
{
    char path[64];
    double value = 0;
    snprintf(path, sizeof path, "power.%s", key);
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(c->arch, i);
        if (strcmp(v.key, path) == 0 && ww_num_parse_double(v.value, &value, NULL) == WW_OK) {
            return value;
        }
    }
    return 0;
}

/* The groups of a component, together. Its own comes first and has the key of its factor. */
static bool groups_of(const calibration_run *c, const char *name, factor *out)
{
    ww_component component;
    size_t count;
    const ww_power_event *events = ww_power_events(c->model, &count);
    if (!find_component(name, &component)) {
        return false;
    }
    *out = (factor){0};
    for (size_t i = 0; i < count; i++) {
        if (events[i].component == component && events[i].group != WW_GROUP_STANDBY) {
            out->group[events[i].group] = true;
        }
    }
    for (int g = WW_GROUP_COUNT - 1; g >= 0; g--) {
        out->key = out->group[g] ? ww_power_group_key((ww_power_group)g) : out->key;
    }
    return out->key != NULL;
}

static bool group_of(const char *key, factor *out)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        if (strcmp(ww_power_group_key((ww_power_group)g), key) == 0) {
            *out = (factor){.key = ww_power_group_key((ww_power_group)g)};
            out->group[g] = true;
            return true;
        }
    }
    return false;
}

/* Nothing is scaled by two factors. */
static ww_status add_factor(calibration_run *c, const factor *f, ww_fit_prior prior, ww_error *err)
{
    for (size_t i = 0; i < c->factors; i++) {
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            if (f->group[g] && c->factor[i].group[g]) {
                return ww_fail(err, WW_ESCHEMA, "%s would be fitted twice, as %s and as %s",
                               ww_power_group_key((ww_power_group)g), c->factor[i].key, f->key);
            }
        }
    }
    c->factor[c->factors] = *f;
    c->prior[c->factors++] = prior;
    return WW_OK;
}

/* Keys of parts of a component multiply its own. */
static ww_power_group parent_of(ww_power_group group)
{
    return group >= WW_GROUP_INT && group <= WW_GROUP_MATRIX      ? WW_GROUP_EU
           : group == WW_GROUP_BRANCH                             ? WW_GROUP_WCU
           : group >= WW_GROUP_SHARED && group <= WW_GROUP_ATOMIC ? WW_GROUP_LDST
                                                                  : WW_GROUP_COUNT;
}

/* The factor that the key of another one multiplies; SIZE_MAX: none that is fitted. */
static size_t parent_factor(const calibration_run *c, size_t k)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        ww_power_group parent = parent_of((ww_power_group)g);
        bool own = strcmp(c->factor[k].key, ww_power_group_key((ww_power_group)g)) == 0;
        for (size_t j = 0; own && parent != WW_GROUP_COUNT && j < c->factors; j++) {
            if (j != k && c->factor[j].group[parent]) {
                return j;
            }
        }
    }
    return SIZE_MAX;
}

static ww_status take_prior(calibration_run *c, size_t row, ww_error *err)
{
    factor f;
    ww_fit_prior prior;
    double value;
    const char *name = cell(c, row, COMPONENT);
    if (!group_of(name, &f) && !groups_of(c, name, &f)) {
        return ww_csv_fail(c->csv, row, c->column[COMPONENT], err, WW_ENOTFOUND,
                           "'%s' is neither a component nor a factor", name);
    }
    WW_TRY(ww_csv_double(c->csv, row, c->column[MEASURED], &value, err));
    WW_TRY(ww_csv_double(c->csv, row, c->column[SIGMA], &prior.log_sigma, err));
    double now = described(c, f.key);
    if (!(prior.log_sigma > 0 && value > 0 && now > 0) || !isfinite(prior.log_sigma / value)) {
        return ww_csv_fail(c->csv, row, c->column[SIGMA], err, WW_ERANGE,
                           "a value, its width and what the description says are above 0");
    }
    prior.log_value = log(value / now);
    return add_factor(c, &f, prior, err);
}

/* A file without priors: a factor for each component that its rows name, hardly known before. */
static ww_status add_components(calibration_run *c, ww_error *err)
{
    static const ww_fit_prior wide = {.log_sigma = 2}; /* within a factor of seven */
    for (int i = 0; i < WW_COMPONENT_COUNT; i++) {
        factor f;
        const char *name = ww_component_name((ww_component)i);
        bool named = false;
        for (size_t row = 0; row < ww_csv_rows(c->csv); row++) {
            named = named || strcmp(cell(c, row, COMPONENT), name) == 0;
        }
        if (named && i != WW_COMPONENT_BP && i != WW_COMPONENT_CP && groups_of(c, name, &f)) {
            WW_TRY(add_factor(c, &f, wide, err));
        }
    }
    return WW_OK;
}

static ww_status take_priors(calibration_run *c, ww_error *err)
{
    double through[WW_GROUP_COUNT];
    for (size_t row = 0; row < ww_csv_rows(c->csv); row++) {
        if (strcmp(cell(c, row, ACTIVITY), PRIOR) == 0) {
            WW_TRY(take_prior(c, row, err));
        }
    }
    for (size_t k = 0; k < c->factors; k++) {
        size_t parent = parent_factor(c, k);
        through[k] = c->prior[k].log_value;
        through[k] += parent != SIZE_MAX ? c->prior[parent].log_value : 0;
    }
    for (size_t k = 0; k < c->factors; k++) {
        c->prior[k].log_value = through[k];
    }
    return c->factors > 0 ? WW_OK : add_components(c, err);
}

/* ---- one row ---- */

static ww_status find_launch(calibration_run *c, size_t row, const ww_launch_record **out,
                             ww_error *err)
{
    const char *name = cell(c, row, ACTIVITY), *kernel = cell(c, row, KERNEL);
    WW_TRY(ww_calibrate_activity_open(&c->activity, name, c->folder, &c->request, &c->arena, err));
    *out = ww_calibrate_activity_find(&c->activity, kernel);
    return *out != NULL ? WW_OK
                        : ww_csv_fail(c->csv, row, c->column[KERNEL], err, WW_ENOTFOUND,
                                      "%s has no launch '%s'", name, kernel);
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
    const char *text = cell(c, row, MEASURED);
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

/* The time of a launch in which it works. Cards are measured while a kernel is launched again and
 * again: the next launch is prepared while one runs, so that the overhead at the beginning of a
 * simulated one takes no time there. */
static double working_s(const calibration_run *c, const ww_launch_record *l, double time_s)
{
    double overhead_s = c->arch->sm.kernel_launch_cycles / l->core_hz;
    return l->kernel != NULL && time_s > overhead_s ? time_s - overhead_s : time_s;
}

/* Watts of each group: of one component's work and background, or of the whole card with what
 * leaks. */
static ww_status group_watts(const calibration_run *c, const ww_launch_record *l, const char *name,
                             double watts[WW_GROUP_COUNT], double *time_s, ww_error *err)
{
    ww_power_result total;
    ww_component component = WW_COMPONENT_COUNT;
    size_t count;
    WW_TRY(ww_power_evaluate(c->model, l->counters, l, &total, err));
    if (strcmp(name, TOTAL) != 0 && !find_component(name, &component)) {
        return ww_fail(err, WW_ENOTFOUND, "there is no component '%s'", name);
    }
    *time_s = component == WW_COMPONENT_COUNT ? working_s(c, l, total.time_s) : total.time_s;
    memset(watts, 0, WW_GROUP_COUNT * sizeof *watts);
    const ww_power_event *events = ww_power_events(c->model, &count);
    for (size_t i = 0; i < count; i++) {
        if (component == WW_COMPONENT_COUNT || events[i].component == component) {
            bool always = events[i].group == WW_GROUP_STANDBY;
            watts[events[i].group] +=
                ww_power_event_j(&events[i], l->counters, l) / (always ? total.time_s : *time_s);
        }
    }
    const ww_power_structure *structures = ww_power_structures(c->model, &count);
    for (size_t i = 0; component == WW_COMPONENT_COUNT && i < count; i++) {
        watts[structures[i].group] += structures[i].leakage_w;
    }
    return WW_OK;
}

/* What a card draws without work holds its standby: power.constant_w is of both. */
static void join_standby(const calibration_run *c, const char *name, double watts[WW_GROUP_COUNT])
{
    for (size_t k = 0; k < c->factors; k++) {
        if (c->factor[k].group[WW_GROUP_CONSTANT] && strcmp(name, TOTAL) == 0) {
            watts[WW_GROUP_CONSTANT] += watts[WW_GROUP_STANDBY];
            watts[WW_GROUP_STANDBY] = 0;
        }
    }
}

/* A second of the rates, as a launch. */
static ww_status make_launch(calibration_run *c, size_t row, ww_launch_record *out, ww_error *err)
{
    ww_rates rates;
    ww_error why = {0};
    ww_status status = ww_rates_parse(c->arch, cell(c, row, KERNEL), &rates, &why);
    if (status != WW_OK) {
        return ww_csv_fail(c->csv, row, c->column[KERNEL], err, status, "%s", why.what);
    }
    ww_rates_fill(c->arch, &rates, &c->rates);
    *out = (ww_launch_record){
        .core_hz = rates.core_hz, .dram_hz = rates.dram_hz, .counters = &c->rates};
    return WW_OK;
}

/* Microbenchmarks differ by more than their clocks. */
static const char *label_of(calibration_run *c, const char *kernel)
{
    const char *clock = strstr(kernel, " core_mhz");
    size_t length = clock != NULL ? (size_t)(clock - kernel) : strlen(kernel);
    return ww_arena_strndup(&c->arena, kernel, length);
}

static ww_status take_row(calibration_run *c, size_t row, ww_error *err)
{
    measurement_row *r = &c->row[c->rows];
    ww_fit_row *f = &c->fit_row[c->rows];
    ww_launch_record second = {0};
    const ww_launch_record *launch = &second;
    double watts[WW_GROUP_COUNT], time_s = 0, share;
    double *part_w = WW_ARENA_NEW_ARRAY(&c->arena, double, c->factors + 1);
    *r = (measurement_row){.kernel = cell(c, row, KERNEL),
                           .component = cell(c, row, COMPONENT),
                           .source = cell(c, row, SOURCE)};
    WW_TRY(strcmp(cell(c, row, ACTIVITY), RATES) == 0 ? make_launch(c, row, &second, err)
                                                      : find_launch(c, row, &launch, err));
    WW_TRY(group_watts(c, launch, r->component, watts, &time_s, err));
    join_standby(c, r->component, watts);
    WW_TRY(measured_w(c, row, launch, time_s, &f->measured_w, err));
    WW_TRY(ww_csv_double(c->csv, row, c->column[SIGMA], &share, err));
    f->label = label_of(c, r->kernel);
    if (part_w == NULL || f->label == NULL) {
        return ww_no_memory(err);
    }
    f->sigma_w = share * f->measured_w;
    f->part_w = part_w;
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        size_t k = 0;
        while (k < c->factors && !c->factor[k].group[g]) {
            k++;
        }
        *(k < c->factors ? &part_w[k] : &f->fixed_w) += watts[g];
    }
    c->rows++;
    return WW_OK;
}

/* ---- the tables ---- */

/* What the description's key is to say, given what its parent's is to say. */
static double fitted(const calibration_run *c, size_t k)
{
    double value = described(c, c->factor[k].key) * c->fit.factor[k].value;
    size_t parent = parent_factor(c, k);
    return parent != SIZE_MAX ? value / c->fit.factor[parent].value : value;
}

/* Root mean square of what is left of a card's power, each microbenchmark left out in turn. */
static double scatter(const calibration_run *c)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < c->rows; i++) {
        if (strcmp(c->row[i].component, TOTAL) == 0) {
            double error = c->fit.left_out_w[i] / c->fit_row[i].measured_w - 1;
            sum += error * error;
            n++;
        }
    }
    return n > 0 ? sqrt(sum / n) : c->fit.left_out_rms;
}

static ww_status print_factors(const calibration_run *c, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"factor",        "described",     "fitted",
                                       "sigma_percent", "prior_percent", "rows"};
    ww_table t;
    ww_table_init(&t, "factors");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t k = 0; k < c->factors; k++) {
        const ww_fit_factor *f = &c->fit.factor[k];
        double now = described(c, c->factor[k].key);
        char key[64];
        snprintf(key, sizeof key, "power.%s", c->factor[k].key);
        ww_table_text(&t, key);
        ww_table_number(&t, now, 3);
        ww_table_number(&t, fitted(c, k), 3);
        ww_table_number(&t, 100 * f->log_sigma, 1);
        ww_table_number(&t, 100 * c->prior[k].log_sigma, 1);
        ww_table_count(&t, f->rows);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_rows(const calibration_run *c, ww_error *err)
{
    static const char *const HEAD[] = {"kernel",  "component",     "measured_w",      "sigma_w",
                                       "model_w", "error_percent", "left_out_percent"};
    ww_table t;
    ww_table_init(&t, "measurements");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < c->rows; i++) {
        const ww_fit_row *f = &c->fit_row[i];
        ww_table_text(&t, c->row[i].kernel);
        ww_table_text(&t, c->row[i].component);
        ww_table_number(&t, f->measured_w, 3);
        ww_table_number(&t, f->sigma_w, 3);
        ww_table_number(&t, c->fit.model_w[i], 3);
        ww_table_number(&t, 100 * (c->fit.model_w[i] / f->measured_w - 1), 1);
        ww_table_number(&t, 100 * (c->fit.left_out_w[i] / f->measured_w - 1), 1);
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print(const calibration_run *c, bool json, ww_error *err)
{
    WW_TRY(print_factors(c, json, err));
    if (json) {
        return WW_OK;
    }
    puts("");
    WW_TRY(print_rows(c, err));
    printf("\n%zu measurements, %zu factors: chi2 per measurement %.2f, mean error %.1f %%; each "
           "microbenchmark left out in turn: mean %.1f %%, root mean square %.1f %% (of cards' "
           "powers %.1f %%)\n",
           c->rows, c->factors, c->fit.chi2, 100 * c->fit.error, 100 * c->fit.left_out_error,
           100 * c->fit.left_out_rms, 100 * scatter(c));
    return WW_OK;
}

/* How well the share is known that operands which hardly change cost of such that do (data= in a
 * text of rates): of the logarithm. It scales lanes and registers together. */
static const double data_sigma = 0.25;

static bool goes_with_data(const factor *f)
{
    return f->group[WW_GROUP_RF] || f->group[WW_GROUP_INT] || f->group[WW_GROUP_FP32] ||
           f->group[WW_GROUP_FP64] || f->group[WW_GROUP_SFU] || f->group[WW_GROUP_CVT];
}

static bool assumes_data(const calibration_run *c)
{
    for (size_t i = 0; i < c->rows; i++) {
        if (strstr(c->row[i].kernel, " data=") != NULL) {
            return true;
        }
    }
    return false;
}

/* Of the logarithms of two factors: the fit's, and of what the fit took for granted. */
static double covariance(const calibration_run *c, size_t k, size_t j)
{
    bool both = assumes_data(c) && goes_with_data(&c->factor[k]) && goes_with_data(&c->factor[j]);
    return c->fit.covariance[k * c->factors + j] + (both ? data_sigma * data_sigma : 0);
}

/* Key, kind, standard uncertainty and correlations, as power.uncertainty names it. */
static ww_status write_uncertainty(const calibration_run *c, const char *path, ww_error *err)
{
    ww_str text = {0};
    ww_str_add(&text, "key,kind,sigma");
    for (size_t k = 0; k < c->factors; k++) {
        ww_str_addf(&text, ",%s", c->factor[k].key);
    }
    ww_str_add(&text, "\n");
    for (size_t k = 0; k < c->factors; k++) {
        double variance = covariance(c, k, k);
        ww_str_addf(&text, "%s,fitted,%.4g", c->factor[k].key, sqrt(variance));
        for (size_t j = 0; j < c->factors; j++) {
            ww_str_addf(&text, ",%.4g", covariance(c, k, j) / sqrt(variance * covariance(c, j, j)));
        }
        ww_str_add(&text, "\n");
    }
    ww_str_addf(&text, "model,fitted,%.4g", scatter(c));
    for (size_t j = 0; j < c->factors; j++) {
        ww_str_add(&text, ",0");
    }
    ww_str_add(&text, "\n");
    ww_status status = ww_str_check(&text, err);
    status = status == WW_OK ? ww_write_file(path, ww_str_text(&text), text.len, err) : status;
    ww_str_fini(&text);
    return status;
}

/* ---- all ---- */

static ww_status load(calibration_run *c, const ww_args *args, ww_error *err)
{
    static const char *const COLUMN[] = {"activity", "kernel", "component",
                                         "measured", "sigma",  "source"};
    const char *path = args->positional[0], *gpu = ww_args_value(args, "gpu");
    ww_setting *settings;
    WW_TRY(ww_settings_load_arch(args, gpu, &c->arch, err));
    WW_TRY(ww_settings_collect(args, &c->arena, &settings, &c->request.setting_count, err));
    c->request.settings = settings;
    c->request.gpu = gpu;
    c->request.isa = WW_ISA_DESCRIBED;
    WW_TRY(ww_power_model_create(c->arch, NULL, &c->model, err));
    WW_TRY(ww_counter_set_init(&c->rates, c->arch->sm.count, ww_arch_slices(c->arch),
                               c->arch->mem.channels, err));
    WW_TRY(ww_csv_load(path, &c->csv, err));
    WW_TRY(ww_csv_find_all(c->csv, COLUMN, WW_ARRAY_LEN(COLUMN), c->column, err));
    const char *activities = ww_args_value(args, "results");
    c->folder = activities != NULL ? activities : ww_path_dir(&c->arena, path);
    c->row = WW_ARENA_NEW_ARRAY(&c->arena, measurement_row, ww_csv_rows(c->csv) + 1);
    c->fit_row = WW_ARENA_NEW_ARRAY(&c->arena, ww_fit_row, ww_csv_rows(c->csv) + 1);
    if (c->row == NULL || c->fit_row == NULL || c->folder == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(take_priors(c, err));
    for (size_t i = 0; i < ww_csv_rows(c->csv); i++) {
        if (strcmp(cell(c, i, ACTIVITY), PRIOR) != 0) {
            WW_TRY(take_row(c, i, err));
        }
    }
    return WW_OK;
}

static ww_status calibrate(calibration_run *c, const ww_args *args, ww_error *err)
{
    const char *uncertainty = ww_args_value(args, "uncertainty");
    WW_TRY(load(c, args, err));
    WW_TRY(ww_fit_factors(c->fit_row, c->rows, c->prior, c->factors, &c->arena, &c->fit, err));
    WW_TRY(print(c, ww_args_has(args, "json"), err));
    return uncertainty != NULL ? write_uncertainty(c, uncertainty, err) : WW_OK;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    calibration_run c = {0};
    if (args->positional_count != 1 || ww_args_value(args, "gpu") == NULL) {
        return ww_fail(err, WW_EUSAGE, "calibrate needs --gpu NAME and one file of measurements");
    }
    ww_status status = calibrate(&c, args, err);
    ww_calibrate_activity_fini(&c.activity);
    ww_counter_set_fini(&c.rates);
    ww_power_model_destroy(c.model);
    ww_arch_destroy(c.arch);
    ww_csv_destroy(c.csv);
    ww_arena_fini(&c.arena);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE", "GPU description whose factors are fitted."},
    {"results", "DIR",
     "Folder that the activities are named from; that of the measurements when omitted."},
    {"set", "KEY=VALUE", "Override a parameter, of a sibling that was measured; may be repeated."},
    {"uncertainty", "FILE", "Write uncertainties and correlations, for power.uncertainty."},
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
    .synopsis = "MEASUREMENTS.csv --gpu GPU [--results DIR] [--uncertainty FILE]",
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
