/* study_correlate.c - `warpwatt analyze correlate`. */
#include "analysis/correlate.h"
#include "analysis/table.h"
#include "base/json.h"
#include "cli/study.h"

static void put_cells(ww_json *j, const ww_correlation_matrix *m)
{
    ww_json_array(j, "cells");
    for (size_t i = 0; i < m->metrics * m->components; i++) {
        const ww_correlation *c = &m->cell[i];
        ww_json_object(j, NULL);
        ww_json_text(j, "metric", m->metric[i / m->components]);
        ww_json_text(j, "component", m->component[i % m->components]);
        ww_json_u64(j, "kernels", c->kernels);
        ww_json_double_or_null(j, "pearson", c->r);
        ww_json_double_or_null(j, "pearson_p", c->p);
        ww_json_double_or_null(j, "pearson_lo", c->lo);
        ww_json_double_or_null(j, "pearson_hi", c->hi);
        ww_json_double_or_null(j, "spearman", c->rho);
        ww_json_double_or_null(j, "spearman_p", c->rho_p);
        ww_json_end(j);
    }
    ww_json_end(j);
}

static ww_status print_json(const ww_study *study, const ww_correlate_options *options,
                            const ww_correlation_matrix *m, ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_u64(&j, "kernels", study->kernel_count);
    ww_json_u64(&j, "resamples", options->resamples);
    ww_json_u64(&j, "seed", options->seed);
    ww_json_double(&j, "confidence", 0.95);
    put_cells(&j, m);
    ww_json_end(&j);
    return ww_json_print(&j, &text, stdout, err);
}

/* Metrics by rows, components by columns. */
static ww_status print_matrix(const ww_correlation_matrix *m, bool ranks, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "matrix");
    ww_table_head(&t, ranks ? "Spearman" : "Pearson");
    for (size_t c = 0; c < m->components; c++) {
        ww_table_head(&t, m->component[c]);
    }
    for (size_t i = 0; i < m->metrics; i++) {
        ww_table_text(&t, m->metric[i]);
        for (size_t c = 0; c < m->components; c++) {
            const ww_correlation *cell = &m->cell[i * m->components + c];
            if (cell->defined) {
                ww_table_number(&t, ranks ? cell->rho : cell->r, 2);
            } else {
                ww_table_text(&t, "-");
            }
        }
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* A p-value that would print as zero is told to be small. */
static void p_cell(ww_table *t, double p)
{
    if (p < 0.0001) {
        ww_table_text(t, "<0.0001");
    } else {
        ww_table_number(t, p, 4);
    }
}

/* A row per pair, with everything known about it. */
static ww_status print_pairs(const ww_correlation_matrix *m, ww_error *err)
{
    static const char *const head[] = {"metric", "component", "kernels", "r",    "p",
                                       "r_lo",   "r_hi",      "rho",     "rho_p"};
    ww_table t;
    ww_table_init(&t, "pairs");
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < m->metrics * m->components; i++) {
        const ww_correlation *c = &m->cell[i];
        ww_table_text(&t, m->metric[i / m->components]);
        ww_table_text(&t, m->component[i % m->components]);
        ww_table_count(&t, c->kernels);
        ww_table_number(&t, c->r, 3);
        p_cell(&t, c->p);
        ww_table_number(&t, c->lo, 3);
        ww_table_number(&t, c->hi, 3);
        ww_table_number(&t, c->rho, 3);
        p_cell(&t, c->rho_p);
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_plain(const ww_study *study, const ww_correlate_options *options,
                             const ww_correlation_matrix *m, bool pairs, ww_error *err)
{
    printf("%zu kernels of %s: metric against dynamic power of each component, TP their sum\n\n",
           study->kernel_count, study->name);
    WW_TRY(print_matrix(m, false, err));
    printf("\n");
    WW_TRY(print_matrix(m, true, err));
    if (pairs) {
        printf("\np: two-sided, Student's t. r_lo, r_hi: 95 %% percentile bootstrap, %zu "
               "resamples, seed %llu\n\n",
               options->resamples, (unsigned long long)options->seed);
        WW_TRY(print_pairs(m, err));
    } else {
        printf(
            "\n--long adds p-values, 95 %% confidence intervals and the number of kernels of every "
            "pair\n");
    }
    return WW_OK;
}

ww_status ww_study_correlate(const ww_args *args, ww_error *err)
{
    unsigned long long resamples = 0, seed = 0;
    WW_TRY(ww_args_u64(args, "bootstrap", 0, WW_CORRELATE_MAX_RESAMPLES, 1000, &resamples, err));
    WW_TRY(ww_args_u64(args, "seed", 0, UINT64_MAX, 1, &seed, err));
    ww_correlate_options options = {
        .resamples = (size_t)resamples,
        .seed = seed,
        .allow_constant = ww_args_has(args, "skip-constant"),
    };
    ww_study *study = NULL;
    ww_correlation_matrix m = {0};
    WW_TRY(ww_study_from_args(args, 1, &study, err));
    ww_status status = ww_correlate(study, &options, &m, err);
    if (status == WW_OK) {
        status = ww_args_has(args, "json")
                     ? print_json(study, &options, &m, err)
                     : print_plain(study, &options, &m, ww_args_has(args, "long"), err);
    }
    ww_correlation_matrix_fini(&m);
    ww_study_destroy(study);
    return status;
}
