/* calibrate_joint.c - what a fit of several cards says. */
#include <stdio.h>

#include "analysis/table.h"
#include "cli/calibrate_report.h"

/* A factor through its parent, of each card: how far the structural model is off there. */
static ww_status print_shared(const ww_joint *j, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"factor", "prior", "prior_percent", "shared",
                                       "sigma_percent"};
    ww_table t;
    ww_table_init(&t, "shared");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < j->cards; i++) {
        ww_table_head(&t, j->card[i].gpu);
    }
    for (size_t k = 0; k < j->factors; k++) {
        const ww_joint_factor *f = &j->factor[k];
        ww_table_text(&t, f->key);
        ww_table_number(&t, f->prior_value, 2);
        ww_table_number(&t, 100 * f->prior_sigma, 0);
        ww_table_number(&t, f->value, 3);
        ww_table_number(&t, 100 * f->log_sigma, 1);
        for (size_t i = 0; i < j->cards; i++) {
            ww_table_number(&t, ww_calibration_through_fitted(&j->card[i].calibration, k), 3);
        }
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_keys(const ww_joint *j, ww_error *err)
{
    static const char *const HEAD[] = {"card",   "key",           "described",
                                       "fitted", "sigma_percent", "rows"};
    ww_table t;
    ww_table_init(&t, "keys");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < j->cards; i++) {
        const ww_calibration *c = &j->card[i].calibration;
        for (size_t k = 0; k < c->factors; k++) {
            const ww_fit_factor *f = &c->fit.factor[k];
            ww_table_text(&t, j->card[i].gpu);
            ww_table_text(&t, c->factor[k].key);
            ww_table_number(&t, ww_calibration_described(c, c->factor[k].key), 3);
            ww_table_number(&t, ww_calibration_fitted(c, k), 3);
            ww_table_number(&t, 100 * f->log_sigma, 1);
            ww_table_count(&t, f->rows);
        }
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_left_out(const ww_joint *j, bool json, ww_error *err)
{
    static const char *const HEAD[] = {
        "card",           "rows",        "error_percent", "left_out_percent",
        "signed_percent", "rms_percent", "above_percent", "above_log_rms"};
    ww_table t;
    ww_table_init(&t, "left_out");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < j->cards; i++) {
        const ww_calibration *c = &j->card[i].calibration;
        const ww_carried s = ww_calibration_carried(c);
        if (s.rows == 0) {
            continue;
        }
        ww_table_text(&t, j->card[i].gpu);
        ww_table_count(&t, s.rows);
        ww_table_number(&t, 100 * s.fitted_mean, 1);
        ww_table_number(&t, 100 * s.mean, 1);
        ww_table_number(&t, 100 * s.signed_mean, 1);
        ww_table_number(&t, 100 * s.rms, 1);
        ww_table_number(&t, 100 * s.above_mean, 0);
        ww_table_number(&t, s.above_log_rms, 2);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

ww_status ww_joint_print(const ww_joint *j, bool json, ww_error *err)
{
    WW_TRY(print_shared(j, json, err));
    if (json) {
        return WW_OK;
    }
    puts("");
    WW_TRY(print_keys(j, err));
    for (size_t i = 0; i < j->cards; i++) {
        if (j->card[i].calibration.rows > 0) {
            printf("\n%s\n", j->card[i].gpu);
            WW_TRY(ww_calibration_print_rows(&j->card[i].calibration, err));
        }
    }
    puts("");
    WW_TRY(print_left_out(j, false, err));
    printf("\n%zu measurements of %zu cards: chi2 per measurement %.2f; a card's factor lies about "
           "the shared one to %.2f, of the logarithm\n",
           j->fit.rows, j->cards, j->fit.chi2, j->between);
    return WW_OK;
}
