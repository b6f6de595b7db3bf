/* calibrate_report.c - what a calibration says: keys of the description, tables, uncertainties. */
#include "cli/calibrate_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/table.h"
#include "base/file.h"
#include "base/num.h"

/* ---- keys ---- */

double ww_calibration_described(const ww_calibration *c, const char *key)
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

/* Keys of parts of a component multiply its own. */
static ww_power_group parent_of(ww_power_group group)
{
    return group >= WW_GROUP_INT && group <= WW_GROUP_MATRIX      ? WW_GROUP_EU
           : group == WW_GROUP_BRANCH                             ? WW_GROUP_WCU
           : group >= WW_GROUP_SHARED && group <= WW_GROUP_ATOMIC ? WW_GROUP_LDST
                                                                  : WW_GROUP_COUNT;
}

size_t ww_calibration_parent(const ww_calibration *c, size_t k)
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

/* ---- the tables ---- */

/* What the description's key is to say, given what its parent's is to say. */
static double fitted(const ww_calibration *c, size_t k)
{
    double value = ww_calibration_described(c, c->factor[k].key) * c->fit.factor[k].value;
    size_t parent = ww_calibration_parent(c, k);
    return parent != SIZE_MAX ? value / c->fit.factor[parent].value : value;
}

/* Root mean square of what is left of a card's power, each microbenchmark left out in turn. */
static double scatter(const ww_calibration *c)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < c->rows; i++) {
        if (strcmp(c->row[i].component, WW_CALIBRATE_TOTAL) == 0) {
            double error = c->fit.left_out_w[i] / c->fit_row[i].measured_w - 1;
            sum += error * error;
            n++;
        }
    }
    return n > 0 ? sqrt(sum / n) : c->fit.left_out_rms;
}

static ww_status print_factors(const ww_calibration *c, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"factor",        "described",     "fitted",
                                       "sigma_percent", "prior_percent", "rows"};
    ww_table t;
    ww_table_init(&t, "factors");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t k = 0; k < c->factors; k++) {
        const ww_fit_factor *f = &c->fit.factor[k];
        double now = ww_calibration_described(c, c->factor[k].key);
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

static ww_status print_rows(const ww_calibration *c, ww_error *err)
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

ww_status ww_calibration_print(const ww_calibration *c, bool json, ww_error *err)
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

/* Of the logarithms of two factors: the fit's, and of what the fit took for granted. */
static double covariance(const ww_calibration *c, size_t k, size_t j)
{
    bool both = assumes_data(c) && goes_with_data(&c->factor[k]) && goes_with_data(&c->factor[j]);
    return c->fit.covariance[k * c->factors + j] + (both ? data_sigma * data_sigma : 0);
}

ww_status ww_calibration_write_uncertainty(const ww_calibration *c, const char *path, ww_error *err)
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
