/* calibration.c - see calibration.h. The table's rows say what is fitted and to what. */
#include "analysis/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rates.h"
#include "base/num.h"

#define RATES "rates" /* activity of rows whose kernel is a text of rates */
#define PRIOR "prior" /* activity of rows that say what is fitted, and how well it is known */

enum { ACTIVITY, KERNEL, COMPONENT, MEASURED, SIGMA, SOURCE };

static const char *cell(const ww_calibration *c, size_t row, int column)
{
    return ww_csv_text(c->csv, row, c->column[column]);
}

static bool find_component(const char *name, size_t length, ww_component *out)
{
    for (int i = 0; i < WW_COMPONENT_COUNT; i++) {
        const char *known = ww_component_name((ww_component)i);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            *out = (ww_component)i;
            return true;
        }
    }
    return false;
}

/* "LDSTU NOC": components whose powers were measured together. */
static bool find_components(const char *names, bool out[WW_COMPONENT_COUNT])
{
    bool any = false;
    memset(out, 0, WW_COMPONENT_COUNT * sizeof *out);
    for (const char *at = names + strspn(names, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        ww_component component;
        if (!find_component(at, length, &component)) {
            return false;
        }
        out[component] = any = true;
        at += length;
    }
    return any;
}

/* ---- keys ---- */

static double described(const ww_arch *arch, const char *key)
{
    char path[64];
    double value = 0;
    snprintf(path, sizeof path, "power.%s", key);
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(arch, i);
        if (strcmp(v.key, path) == 0 && ww_num_parse_double(v.value, &value, NULL) == WW_OK) {
            return value;
        }
    }
    return 0;
}

double ww_calibration_described(const ww_calibration *c, const char *key)
{
    return described(c->arch, key);
}

/* Keys of parts of a component multiply its own. */
static ww_power_group parent_of(ww_power_group group)
{
    return group >= WW_GROUP_INT && group <= WW_GROUP_MATRIX      ? WW_GROUP_EU
           : group == WW_GROUP_BRANCH                             ? WW_GROUP_WCU
           : group >= WW_GROUP_SHARED && group <= WW_GROUP_ATOMIC ? WW_GROUP_LDST
                                                                  : WW_GROUP_COUNT;
}

static size_t parent_key(const ww_calibration *c, size_t k)
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

double ww_calibration_through(const ww_arch *arch, const ww_calibration_factor *f)
{
    double value = described(arch, f->key);
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        ww_power_group parent = parent_of((ww_power_group)g);
        bool own = strcmp(f->key, ww_power_group_key((ww_power_group)g)) == 0;
        if (own && parent != WW_GROUP_COUNT && !f->group[parent]) {
            value *= described(arch, ww_power_group_key(parent));
        }
    }
    return value;
}

/* ---- what is fitted ---- */

/* The groups of a component, together. Its own comes first and has the key of its factor. */
static bool groups_of(const ww_calibration *c, const char *name, ww_calibration_factor *out)
{
    ww_component component;
    size_t count;
    const ww_power_event *events = ww_power_events(c->model, &count);
    if (!find_component(name, strlen(name), &component)) {
        return false;
    }
    *out = (ww_calibration_factor){0};
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

static bool group_of(const char *key, ww_calibration_factor *out)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        if (strcmp(ww_power_group_key((ww_power_group)g), key) == 0) {
            *out = (ww_calibration_factor){.key = ww_power_group_key((ww_power_group)g)};
            out->group[g] = true;
            return true;
        }
    }
    return false;
}

/* Nothing is scaled by two factors. */
static ww_status add_factor(ww_calibration *c, const ww_calibration_factor *f, ww_fit_prior prior,
                            ww_error *err)
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

static ww_status take_prior(ww_calibration *c, size_t row, ww_error *err)
{
    ww_calibration_factor f;
    ww_fit_prior prior = {.about = 0};
    double value;
    const char *name = cell(c, row, COMPONENT);
    if (!group_of(name, &f) && !groups_of(c, name, &f)) {
        return ww_csv_fail(c->csv, row, c->column[COMPONENT], err, WW_ENOTFOUND,
                           "'%s' is neither a component nor a factor", name);
    }
    WW_TRY(ww_csv_double(c->csv, row, c->column[MEASURED], &value, err));
    WW_TRY(ww_csv_double(c->csv, row, c->column[SIGMA], &prior.log_sigma, err));
    double now = ww_calibration_described(c, f.key);
    if (!(prior.log_sigma > 0 && value > 0 && now > 0) || !isfinite(prior.log_sigma / value)) {
        return ww_csv_fail(c->csv, row, c->column[SIGMA], err, WW_ERANGE,
                           "a value, its width and what the description says are above 0");
    }
    prior.log_value = log(value / now);
    return add_factor(c, &f, prior, err);
}

/* A file without priors: a factor for each component that its rows name, hardly known before. */
static ww_status add_components(ww_calibration *c, ww_error *err)
{
    static const ww_fit_prior wide = {.log_sigma = 2}; /* within a factor of seven */
    for (int i = 0; i < WW_COMPONENT_COUNT; i++) {
        ww_calibration_factor f;
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

/* Keys that cards share come first, in their order. What is known of them is not the table's. */
static ww_status take_shared(ww_calibration *c, const char *const *shared, size_t count,
                             ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        ww_calibration_factor f;
        if (!group_of(shared[i], &f)) {
            return ww_fail(err, WW_ENOTFOUND, "'%s' is no factor", shared[i]);
        }
        if (!(ww_calibration_described(c, f.key) > 0)) {
            return ww_fail(err, WW_ERANGE, "power.%s is not above 0", f.key);
        }
        WW_TRY(add_factor(c, &f, (ww_fit_prior){.log_sigma = 1}, err));
    }
    return WW_OK;
}

static bool is_shared(const char *key, const char *const *shared, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key, shared[i]) == 0) {
            return true;
        }
    }
    return false;
}

static ww_status take_priors(ww_calibration *c, const char *const *shared, size_t count,
                             ww_error *err)
{
    double through[WW_GROUP_COUNT];
    WW_TRY(take_shared(c, shared, count, err));
    for (size_t row = 0; row < ww_csv_rows(c->csv); row++) {
        bool own = !is_shared(cell(c, row, COMPONENT), shared, count);
        if (strcmp(cell(c, row, ACTIVITY), PRIOR) == 0 && own) {
            WW_TRY(take_prior(c, row, err));
        }
    }
    for (size_t k = 0; k < c->factors; k++) {
        size_t parent = parent_key(c, k);
        through[k] = c->prior[k].log_value;
        through[k] += parent != SIZE_MAX ? c->prior[parent].log_value : 0;
    }
    for (size_t k = 0; k < c->factors; k++) {
        c->prior[k].log_value = through[k];
    }
    return c->factors > 0 ? WW_OK : add_components(c, err);
}

/* ---- one row ---- */

static ww_status find_launch(ww_calibration *c, size_t row, const ww_launch_record **out,
                             ww_error *err)
{
    const char *name = cell(c, row, ACTIVITY), *kernel = cell(c, row, KERNEL);
    WW_TRY(c->source.launch(c->source.user, name, kernel, out, err));
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

static ww_status measured_w(ww_calibration *c, size_t row, const ww_launch_record *l, double time_s,
                            double *out, ww_error *err)
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
static double working_s(const ww_calibration *c, const ww_launch_record *l, double time_s)
{
    double overhead_s = c->arch->sm.kernel_launch_cycles / l->core_hz;
    return l->kernel != NULL && time_s > overhead_s ? time_s - overhead_s : time_s;
}

/* Watts of each group: of components' work and background, or of the whole card with what leaks. */
static ww_status group_watts(const ww_calibration *c, const ww_launch_record *l, const char *name,
                             double watts[WW_GROUP_COUNT], double *time_s, ww_error *err)
{
    ww_power_result total;
    bool wanted[WW_COMPONENT_COUNT], all = strcmp(name, WW_CALIBRATE_TOTAL) == 0;
    size_t count;
    WW_TRY(ww_power_evaluate(c->model, l->counters, l, &total, err));
    if (!all && !find_components(name, wanted)) {
        return ww_fail(err, WW_ENOTFOUND, "there is no component '%s'", name);
    }
    *time_s = all ? working_s(c, l, total.time_s) : total.time_s;
    memset(watts, 0, WW_GROUP_COUNT * sizeof *watts);
    const ww_power_event *events = ww_power_events(c->model, &count);
    for (size_t i = 0; i < count; i++) {
        if (all || wanted[events[i].component]) {
            bool always = events[i].group == WW_GROUP_STANDBY;
            watts[events[i].group] +=
                ww_power_event_j(&events[i], l->counters, l) / (always ? total.time_s : *time_s);
        }
    }
    const ww_power_structure *structures = ww_power_structures(c->model, &count);
    for (size_t i = 0; all && i < count; i++) {
        watts[structures[i].group] += structures[i].leakage_w;
    }
    return WW_OK;
}

/* What a card draws without work holds its standby: power.constant_w is of both. */
static void join_standby(const ww_calibration *c, const char *name, double watts[WW_GROUP_COUNT])
{
    for (size_t k = 0; k < c->factors; k++) {
        if (c->factor[k].group[WW_GROUP_CONSTANT] && strcmp(name, WW_CALIBRATE_TOTAL) == 0) {
            watts[WW_GROUP_CONSTANT] += watts[WW_GROUP_STANDBY];
            watts[WW_GROUP_STANDBY] = 0;
        }
    }
}

/* A second of the rates, as a launch. */
static ww_status make_launch(ww_calibration *c, size_t row, ww_launch_record *out, double *channels,
                             ww_error *err)
{
    ww_rates rates;
    ww_error why = {0};
    ww_status status = ww_rates_parse(c->arch, cell(c, row, KERNEL), &rates, &why);
    if (status != WW_OK) {
        return ww_csv_fail(c->csv, row, c->column[KERNEL], err, status, "%s", why.what);
    }
    ww_rates_count_bits(&rates, c->source.toggles);
    ww_rates_fill(c->arch, &rates, &c->rates);
    *channels = rates.channels;
    *out = (ww_launch_record){
        .core_hz = rates.core_hz, .dram_hz = rates.dram_hz, .counters = &c->rates};
    return WW_OK;
}

/* Microbenchmarks differ by more than their clocks. */
static const char *label_of(ww_calibration *c, const char *kernel)
{
    const char *clock = strstr(kernel, " core_mhz");
    size_t length = clock != NULL ? (size_t)(clock - kernel) : strlen(kernel);
    return ww_arena_strndup(&c->arena, kernel, length);
}

static ww_status take_row(ww_calibration *c, size_t row, ww_error *err)
{
    ww_calibration_row *r = &c->row[c->rows];
    ww_fit_row *f = &c->fit_row[c->rows];
    ww_launch_record second = {0};
    const ww_launch_record *launch = &second;
    double watts[WW_GROUP_COUNT], time_s = 0, share, channels = 1;
    double *part_w = WW_ARENA_NEW_ARRAY(&c->arena, double, c->factors + 1);
    *r = (ww_calibration_row){.kernel = cell(c, row, KERNEL),
                              .component = cell(c, row, COMPONENT),
                              .source = cell(c, row, SOURCE)};
    WW_TRY(strcmp(cell(c, row, ACTIVITY), RATES) == 0 ? make_launch(c, row, &second, &channels, err)
                                                      : find_launch(c, row, &launch, err));
    WW_TRY(group_watts(c, launch, r->component, watts, &time_s, err));
    watts[WW_GROUP_STANDBY] *= channels;
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

/* ---- all ---- */

ww_status ww_calibration_open(const char *path, const ww_arch *arch, ww_calibration_source source,
                              const char *const *shared, size_t shared_count, ww_calibration *c,
                              ww_error *err)
{
    static const char *const columns[] = {"activity", "kernel", "component",
                                          "measured", "sigma",  "source"};
    *c = (ww_calibration){.arch = arch, .source = source};
    WW_TRY(ww_power_model_create(c->arch, NULL, &c->model, err));
    WW_TRY(ww_counter_set_init(&c->rates, c->arch->sm.count, ww_arch_slices(c->arch),
                               c->arch->mem.channels, err));
    WW_TRY(ww_csv_load(path, &c->csv, err));
    WW_TRY(ww_csv_find_all(c->csv, columns, WW_ARRAY_LEN(columns), c->column, err));
    c->row = WW_ARENA_NEW_ARRAY(&c->arena, ww_calibration_row, ww_csv_rows(c->csv) + 1);
    c->fit_row = WW_ARENA_NEW_ARRAY(&c->arena, ww_fit_row, ww_csv_rows(c->csv) + 1);
    if (c->row == NULL || c->fit_row == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(take_priors(c, shared, shared_count, err));
    for (size_t i = 0; i < ww_csv_rows(c->csv); i++) {
        if (strcmp(cell(c, i, ACTIVITY), PRIOR) != 0) {
            WW_TRY(take_row(c, i, err));
        }
    }
    return WW_OK;
}

ww_status ww_calibration_know(ww_calibration *c, size_t k, double value, double sigma,
                              ww_error *err)
{
    ww_calibration_row *row = WW_ARENA_NEW_ARRAY(&c->arena, ww_calibration_row, c->rows + 1);
    ww_fit_row *fit_row = WW_ARENA_NEW_ARRAY(&c->arena, ww_fit_row, c->rows + 1);
    double *part = WW_ARENA_NEW_ARRAY(&c->arena, double, c->factors + 1);
    if (row == NULL || fit_row == NULL || part == NULL) {
        return ww_no_memory(err);
    }
    memcpy(row, c->row, c->rows * sizeof *row);
    memcpy(fit_row, c->fit_row, c->rows * sizeof *fit_row);
    part[k] = ww_calibration_through(c->arch, &c->factor[k]);
    row[c->rows] = (ww_calibration_row){c->factor[k].key, "known", ""};
    fit_row[c->rows] = (ww_fit_row){
        .label = c->factor[k].key, .measured_w = value, .sigma_w = sigma * value, .part_w = part};
    c->row = row;
    c->fit_row = fit_row;
    c->rows++;
    return WW_OK;
}

ww_status ww_calibration_fit(const char *path, const ww_arch *arch, ww_calibration_source source,
                             ww_calibration *out, ww_error *err)
{
    WW_TRY(ww_calibration_open(path, arch, source, NULL, 0, out, err));
    return ww_fit_factors(out->fit_row, out->rows, out->prior, out->factors, &out->arena, &out->fit,
                          err);
}

void ww_calibration_fini(ww_calibration *c)
{
    ww_counter_set_fini(&c->rates);
    ww_power_model_destroy(c->model);
    ww_csv_destroy(c->csv);
    ww_arena_fini(&c->arena);
}

/* ---- what it says ---- */

double ww_calibration_fitted(const ww_calibration *c, size_t k)
{
    double value = ww_calibration_described(c, c->factor[k].key) * c->fit.factor[k].value;
    size_t parent = parent_key(c, k);
    return parent != SIZE_MAX ? value / c->fit.factor[parent].value : value;
}

double ww_calibration_scatter(const ww_calibration *c)
{
    const double *within = c->whole_card_left_out ? c->fit.model_w : c->fit.left_out_w;
    double sum = 0, n = 0, every = 0;
    for (size_t i = 0; i < c->rows; i++) {
        double error = within[i] / c->fit_row[i].measured_w - 1;
        every += error * error;
        if (strcmp(c->row[i].component, WW_CALIBRATE_TOTAL) == 0) {
            sum += error * error;
            n++;
        }
    }
    return n > 0 ? sqrt(sum / n) : c->rows > 0 ? sqrt(every / (double)c->rows) : 0;
}

/* How well the share is known that operands which hardly change cost of such that do (data= in a
 * text of rates): of the logarithm. It scales lanes and registers together. */
static const double data_sigma = 0.25;

static bool goes_with_data(const ww_calibration_factor *f)
{
    return f->group[WW_GROUP_RF] || f->group[WW_GROUP_INT] || f->group[WW_GROUP_FP32] ||
           f->group[WW_GROUP_FP64] || f->group[WW_GROUP_SFU] || f->group[WW_GROUP_CVT];
}

static bool assumes_data(const ww_calibration *c)
{
    for (size_t i = 0; i < c->rows; i++) {
        if (strstr(c->row[i].kernel, " data=") != NULL) {
            return true;
        }
    }
    return false;
}

double ww_calibration_covariance(const ww_calibration *c, size_t k, size_t j)
{
    bool both = assumes_data(c) && goes_with_data(&c->factor[k]) && goes_with_data(&c->factor[j]);
    return c->fit.covariance[k * c->factors + j] + (both ? data_sigma * data_sigma : 0);
}

double ww_calibration_sigma(const ww_calibration *c, size_t k)
{
    return sqrt(ww_calibration_covariance(c, k, k));
}

double ww_calibration_correlation(const ww_calibration *c, size_t k, size_t j)
{
    return ww_calibration_covariance(c, k, j) /
           sqrt(ww_calibration_covariance(c, k, k) * ww_calibration_covariance(c, j, j));
}

double ww_calibration_through_fitted(const ww_calibration *c, size_t k)
{
    return ww_calibration_through(c->arch, &c->factor[k]) * c->fit.factor[k].value;
}

double ww_calibration_error(const ww_calibration *c, size_t i)
{
    return c->fit.model_w[i] / c->fit_row[i].measured_w - 1;
}

double ww_calibration_left_out_error(const ww_calibration *c, size_t i)
{
    return c->fit.left_out_w[i] / c->fit_row[i].measured_w - 1;
}
