/* uncertainty.c - how sure an energy is. What a description calibrates is uncertain by groups, with
 * correlations where they were fitted together (configs/calibration); an energy is a sum over
 * groups, and its variance the quadratic form of its parts and their relative covariance. What no
 * group explains, the scatter of measured microbenchmarks about the fit, is relative to the whole
 * and independent of the groups. */
#include "base/assert.h"
#include "power/component.h"

#include <math.h>
#include <string.h>

#include "base/configs.h"
#include "base/csv.h"

static const char *const origins[WW_ORIGIN_COUNT] = {
#define X(id, name, meaning) name,
    WW_POWER_ORIGINS(X)
#undef X
};

const char *ww_power_origin_name(ww_power_origin origin)
{
    return origins[origin];
}

const char *ww_calibration_state(const char *calibration)
{
    return strstr(calibration, "borrowed") != NULL ? "borrowed"
           : strncmp(calibration, "none", 4) == 0  ? "structural"
                                                   : "calibrated";
}

/* Where nothing was fitted: energies of structures, by the error of predicting a measured card from
 * the others. Above idle, static and constant power a GV100 is off by 0.48 of the logarithm, a
 * TITAN Xp by 0.48, an A100 by 0.55 and an H200 by 0.49 (`calibrate
 * configs/calibration/cards.csv`); together a factor of 1.6. Configured watts likewise, which are
 * estimates then. */
static const double carried_over = 0.5;

static void assume(ww_power_model *model)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        bool watts = g >= WW_GROUP_ACTIVE_SM && g <= WW_GROUP_CONSTANT;
        model->origin[g] = watts ? WW_ORIGIN_ASSUMED : WW_ORIGIN_SCALED;
        model->covariance[g][g] = carried_over * carried_over;
    }
}

typedef struct table {
    const ww_csv *csv;
    size_t key, kind, sigma;
} table;

static bool find_group(const char *key, ww_power_group *out)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        if (strcmp(ww_power_group_key((ww_power_group)g), key) == 0) {
            *out = (ww_power_group)g;
            return true;
        }
    }
    return false;
}

static ww_status take_origin(const table *t, size_t row, ww_power_origin *out, ww_error *err)
{
    const char *kind = ww_csv_text(t->csv, row, t->kind);
    for (int i = 0; i < WW_ORIGIN_COUNT; i++) {
        if (strcmp(origins[i], kind) == 0) {
            *out = (ww_power_origin)i;
            return WW_OK;
        }
    }
    return ww_csv_fail(t->csv, row, t->kind, err, WW_ESCHEMA,
                       "'%s' is none of measured, fitted, published, scaled and assumed", kind);
}

static ww_status take_sigma(const table *t, size_t row, double *out, ww_error *err)
{
    WW_TRY(ww_csv_double(t->csv, row, t->sigma, out, err));
    return *out >= 0 && *out < 10 ? WW_OK
                                  : ww_csv_fail(t->csv, row, t->sigma, err, WW_ERANGE,
                                                "a relative uncertainty is 0 to 10");
}

/* Correlations of a row with those above it: a column for each key, where the file has one. */
static ww_status take_correlations(const table *t, size_t row, const ww_power_group *group,
                                   const double *sigma, ww_power_model *model, ww_error *err)
{
    for (size_t other = 0; other < row; other++) {
        size_t column;
        double r;
        if (group[other] == WW_GROUP_COUNT || group[row] == WW_GROUP_COUNT ||
            !ww_csv_has(t->csv, ww_csv_text(t->csv, other, t->key), &column)) {
            continue;
        }
        WW_TRY(ww_csv_double(t->csv, row, column, &r, err));
        if (!(fabs(r) <= 1)) {
            return ww_csv_fail(t->csv, row, column, err, WW_ERANGE, "a correlation is -1 to 1");
        }
        WW_ASSERT(group[row] < WW_GROUP_COUNT && group[other] < WW_GROUP_COUNT);
        double c = r * sigma[other] * sigma[row];
        model->covariance[group[row]][group[other]] = c;
        model->covariance[group[other]][group[row]] = c;
    }
    return WW_OK;
}

static ww_status take_rows(const table *t, ww_power_model *model, ww_error *err)
{
    ww_power_group group[WW_GROUP_COUNT + 1];
    double sigma[WW_GROUP_COUNT + 1];
    if (ww_csv_rows(t->csv) > WW_ARRAY_LEN(group)) {
        return ww_csv_fail(t->csv, WW_GROUP_COUNT, t->key, err, WW_ERANGE, "too many rows");
    }
    for (size_t row = 0; row < ww_csv_rows(t->csv); row++) {
        const char *key = ww_csv_text(t->csv, row, t->key);
        WW_TRY(take_sigma(t, row, &sigma[row], err));
        group[row] = WW_GROUP_COUNT;
        if (strcmp(key, "model") == 0) {
            model->scatter = sigma[row];
            continue;
        }
        if (!find_group(key, &group[row])) {
            return ww_csv_fail(t->csv, row, t->key, err, WW_ENOTFOUND, "no factor '%s'", key);
        }
        WW_TRY(take_origin(t, row, &model->origin[group[row]], err));
        model->covariance[group[row]][group[row]] = sigma[row] * sigma[row];
        WW_TRY(take_correlations(t, row, group, sigma, model, err));
    }
    return WW_OK;
}

static ww_status read_table(const char *path, ww_power_model *model, ww_error *err)
{
    static const char *const names[] = {"key", "kind", "sigma"};
    size_t column[WW_ARRAY_LEN(names)];
    ww_csv *csv;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = ww_csv_find_all(csv, names, WW_ARRAY_LEN(names), column, err);
    if (status == WW_OK) {
        const table t = {csv, column[0], column[1], column[2]};
        status = take_rows(&t, model, err);
    }
    ww_csv_destroy(csv);
    return status;
}

/* A known constant power holds the standby of controllers and DRAM, and charges what that leaves of
 * it: how much is standby moves watts from one to the other, and of both together is known what is
 * known of the constant power. */
static void standby_within(ww_power_model *model, const ww_power_params *power)
{
    enum { S = WW_GROUP_STANDBY, C = WW_GROUP_CONSTANT };
    double standby_w = power->mc_background_w + power->gm_background_w;
    double rest_w = power->constant_w - standby_w;
    if (!(power->constant_w > 0 && rest_w > 0)) {
        return;
    }
    double all = power->constant_w / rest_w, moved = standby_w / rest_w;
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        model->covariance[C][g] = model->covariance[g][C] = all * model->covariance[C][g];
    }
    double standby = model->covariance[S][S];
    model->covariance[C][C] = all * model->covariance[C][C] + moved * moved * standby;
    model->covariance[C][S] = model->covariance[S][C] = -moved * standby;
}

ww_status ww__load_uncertainty(ww_power_model *model, const ww_arch *arch, ww_error *err)
{
    const char *name = arch->power.uncertainty, *folder, *path;
    ww_arena arena = {0};
    assume(model);
    if (name == NULL || strcmp(name, "none") == 0) {
        standby_within(model, &arch->power);
        return WW_OK;
    }
    ww_status status = ww_configs_dir(&arena, "calibration", &folder, err);
    if (status == WW_OK) {
        path = ww_arena_printf(&arena, "%s/%s", folder, name);
        status = path != NULL ? read_table(path, model, err) : ww_no_memory(err);
    }
    ww_arena_fini(&arena);
    standby_within(model, &arch->power);
    return status;
}

/* ---- propagation ---- */

void ww_power_add_groups(const ww_power_model *model, const ww_counter_set *counters,
                         const ww_launch_record *launch, ww_power_groups *sum)
{
    const ww__leakage leaking_s = ww__leaking_s(model, counters, launch);
    for (size_t i = 0; i < model->event_count; i++) {
        const ww_power_event *e = &model->events[i];
        WW_ASSERT(e->component < WW_COMPONENT_COUNT && e->group < WW_GROUP_COUNT);
        sum->j[e->component][e->group] += ww_power_event_j(e, counters, launch);
    }
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        WW_ASSERT(s->component < WW_COMPONENT_COUNT && s->group < WW_GROUP_COUNT);
        sum->j[s->component][s->group] +=
            s->leakage_w * (i == model->constant ? leaking_s.constant : leaking_s.die);
    }
}

ww_power_sureness ww_power_sure(const ww_power_model *model, const double group_j[WW_GROUP_COUNT])
{
    ww_power_sureness s = {0};
    double variance = 0, total_j = 0, by_voltage_j = 0;
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        WW_ASSERT(model->origin[g] < WW_ORIGIN_COUNT && model->covariance[g][g] >= 0);
        by_voltage_j += group_j[g] * model->per_voltage[g];
        s.origin_j[model->origin[g]] += group_j[g];
        total_j += group_j[g];
        for (int h = 0; h < WW_GROUP_COUNT; h++) {
            WW_ASSERT(model->covariance[g][h] == model->covariance[h][g]);
            variance += group_j[g] * group_j[h] * model->covariance[g][h];
        }
    }
    variance += total_j * total_j * model->scatter * model->scatter;
    variance += by_voltage_j * by_voltage_j * model->voltage_sigma * model->voltage_sigma;
    s.sigma_j = sqrt(fmax(variance, 0));
    return s;
}

ww_power_sureness ww_power_sure_of(const ww_power_model *model, const ww_power_groups *sum,
                                   ww_component component)
{
    double group_j[WW_GROUP_COUNT] = {0};
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            bool counts = component == WW_COMPONENT_COUNT || c == (int)component;
            group_j[g] += counts ? sum->j[c][g] : 0;
        }
    }
    return ww_power_sure(model, group_j);
}

double ww_power_group_sigma(const ww_power_model *model, ww_power_group group,
                            ww_power_origin *origin)
{
    WW_ASSERT(group < WW_GROUP_COUNT);
    *origin = model->origin[group];
    return sqrt(model->covariance[group][group] + model->scatter * model->scatter);
}

void ww_power_errors_of(const ww_power_model *model, ww_power_errors *out)
{
    *out = (ww_power_errors){.scatter = model->scatter};
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        out->sigma[g] = sqrt(model->covariance[g][g]);
        out->per_voltage[g] = model->per_voltage[g];
    }
    out->sigma[WW_ERROR_VOLTAGE] = model->voltage_sigma;
    for (int g = 0; g < WW_ERROR_COUNT; g++) {
        for (int h = 0; h < WW_ERROR_COUNT; h++) {
            double both = out->sigma[g] * out->sigma[h];
            bool related = g != h && g < WW_GROUP_COUNT && h < WW_GROUP_COUNT && both > 0;
            out->correlation[g][h] = g == h ? 1 : related ? model->covariance[g][h] / both : 0;
        }
    }
}
