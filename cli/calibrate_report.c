/* calibrate_report.c - what a calibration says: tables and uncertainties. */
#include "cli/calibrate_report.h"

#include <stdio.h>
#include <string.h>

#include "analysis/table.h"
#include "base/file.h"

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
        ww_table_number(&t, ww_calibration_fitted(c, k), 3);
        ww_table_number(&t, 100 * f->log_sigma, 1);
        ww_table_number(&t, 100 * c->prior[k].log_sigma, 1);
        ww_table_count(&t, f->rows);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* Nothing is left out in turn of rows that another card predicts. */
ww_status ww_calibration_print_rows(const ww_calibration *c, ww_error *err)
{
    static const char *const HEAD[] = {"kernel",  "component",     "measured_w",      "sigma_w",
                                       "model_w", "error_percent", "left_out_percent"};
    const bool left_out = c->fit.left_out_w != NULL;
    ww_table t;
    ww_table_init(&t, "measurements");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD) - !left_out);
    for (size_t i = 0; i < c->rows; i++) {
        const ww_fit_row *f = &c->fit_row[i];
        ww_table_text(&t, c->row[i].kernel);
        ww_table_text(&t, c->row[i].component);
        ww_table_number(&t, f->measured_w, 3);
        ww_table_number(&t, f->sigma_w, 3);
        ww_table_number(&t, c->fit.model_w[i], 3);
        ww_table_number(&t, 100 * ww_calibration_error(c, i), 1);
        if (left_out) {
            ww_table_number(&t, 100 * ww_calibration_left_out_error(c, i), 1);
        }
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
    WW_TRY(ww_calibration_print_rows(c, err));
    printf("\n%zu measurements, %zu factors: chi2 per measurement %.2f, mean error %.1f %%; each "
           "microbenchmark left out in turn: mean %.1f %%, root mean square %.1f %% (of cards' "
           "powers %.1f %%)\n",
           c->rows, c->factors, c->fit.chi2, 100 * c->fit.error, 100 * c->fit.left_out_error,
           100 * c->fit.left_out_rms, 100 * ww_calibration_scatter(c));
    return WW_OK;
}

static ww_status print_carried(const ww_calibration *c, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"factor", "described", "carried_over"};
    ww_table t;
    ww_table_init(&t, "factors");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t k = 0; k < c->factors; k++) {
        char key[64];
        snprintf(key, sizeof key, "power.%s", c->factor[k].key);
        ww_table_text(&t, key);
        ww_table_number(&t, ww_calibration_described(c, c->factor[k].key), 3);
        ww_table_number(&t, ww_calibration_fitted(c, k), 3);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

ww_status ww_calibration_print_carried(const ww_calibration *c, bool json, ww_error *err)
{
    WW_TRY(print_carried(c, json, err));
    if (json) {
        return WW_OK;
    }
    const ww_carried s = ww_calibration_carried(c);
    puts("");
    WW_TRY(ww_calibration_print_rows(c, err));
    printf(
        "\n%zu powers of a card that is left out: mean error %.1f %%, signed %+.1f %%, root mean "
        "square %.1f %%",
        s.rows, 100 * s.mean, 100 * s.signed_mean, 100 * s.rms);
    if (s.above_rows > 0) {
        printf("; above idle, static and constant power (%zu rows) mean error %.0f %%, root mean "
               "square of the logarithm %.2f",
               s.above_rows, 100 * s.above_mean, s.above_log_rms);
    }
    puts("");
    return WW_OK;
}

/* What no row of a card tells is carried over from the others where they share it. */
static const char *kind_of(const ww_calibration *c, size_t k)
{
    bool shared = c->whole_card_left_out && c->prior[k].about > 0;
    return c->fit.factor[k].rows > 0 || !c->whole_card_left_out ? "fitted"
           : shared                                             ? "scaled"
                                                                : "published";
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
        ww_str_addf(&text, "%s,%s,%.4g", c->factor[k].key, kind_of(c, k),
                    ww_calibration_sigma(c, k));
        for (size_t j = 0; j < c->factors; j++) {
            ww_str_addf(&text, ",%.4g", ww_calibration_correlation(c, k, j));
        }
        ww_str_add(&text, "\n");
    }
    ww_str_addf(&text, "model,fitted,%.4g", ww_calibration_scatter(c));
    for (size_t j = 0; j < c->factors; j++) {
        ww_str_add(&text, ",0");
    }
    ww_str_add(&text, "\n");
    ww_status status = ww_write_text(path, &text, err);
    ww_str_fini(&text);
    return status;
}
