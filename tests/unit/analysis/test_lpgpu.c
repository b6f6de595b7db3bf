/* Does the analysis give the published characterization of the GTX580 (LPGPU D5.5.3 §3.2) from its
 * own published rows? */
#include <string.h>

#include "analysis/categories.h"
#include "analysis/correlate.h"
#include "tests/support/test.h"

#define DATA WW_SOURCE_DIR "/tests/validation/lpgpu/"

static int load(void **state)
{
    ww_error err = {0};
    ww_study *study = NULL;
    assert_ok(ww_study_load_tables(DATA "table1_metrics_gtx580.csv",
                                   DATA "table7_component_power_gtx580_W.csv", &study, &err),
              err);
    *state = study;
    return 0;
}

static int unload(void **state)
{
    ww_study_destroy(*state);
    return 0;
}

static void tables_are_read(void **state)
{
    const ww_study *s = *state;
    assert_int_equal(s->kernel_count, 37);
    assert_int_equal(s->metric_count, 9);
    assert_int_equal(s->component_count, 9);
    assert_string_equal(s->kernel[36], "H264 MC Luma");
    assert_string_equal(s->metric[1].name, "TI");
    assert_string_equal(s->metric[1].unit, "million");
    assert_near(s->time_s[0], 19.91e-3, 1e-12, 0);
    /* TP is the sum of the components within the rounding of ten printed numbers. */
    for (size_t k = 0; k < s->kernel_count; k++) {
        double sum = 0;
        for (size_t c = 0; c < s->component_count; c++) {
            sum += s->component[c].value[k];
        }
        assert_near(s->dynamic_w[k], sum, 0, 0.3 + 1e-9);
    }
}

static void correlations_match(void **state)
{
    static const struct {
        const char *metric, *component;
        double r;
    } expected[] = {
        {"IPC", "RF", 0.94}, {"IPC", "EU", 0.90}, {"IPC", "WCU", 0.84}, {"IPC", "TP", 0.70},
        {"PS", "RF", -0.96}, {"PS", "EU", -0.86}, {"PS", "WCU", -0.88}, {"AW", "TP", 0.79},
        {"BI", "BP", -0.52}, {"CE", "GM", 0.22},
    };
    ww_error err = {0};
    ww_correlation_matrix m;
    assert_ok(ww_correlate(*state, &(ww_correlate_options){.resamples = 200, .seed = 1}, &m, &err),
              err);
    for (size_t i = 0; i < WW_ARRAY_LEN(expected); i++) {
        const ww_correlation *c =
            ww_correlation_find(&m, expected[i].metric, expected[i].component);
        assert_non_null(c);
        assert_near(c->r, expected[i].r, 0, 0.005);
        assert_int_equal(c->kernels, 37);
        assert_true(c->lo < c->r && c->r < c->hi);
    }
    ww_correlation_matrix_fini(&m);
}

/* The paper's table is over 83 kernels, of which 37 are printed: near, not equal. */
static void near_the_table_of_83_kernels(void **state)
{
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_csv *csv = NULL;
    double sum = 0, published;
    size_t cells = 0;
    assert_ok(ww_correlate(*state, &(ww_correlate_options){0}, &m, &err), err);
    assert_ok(ww_csv_load(DATA "table8_pearson_gtx580.csv", &csv, &err), err);
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        for (size_t col = 1; col < ww_csv_columns(csv); col++) {
            const ww_correlation *c =
                ww_correlation_find(&m, ww_csv_text(csv, row, 0), ww_csv_name(csv, col));
            assert_non_null(c);
            assert_ok(ww_csv_double(csv, row, col, &published, &err), err);
            sum += fabs(c->r - published);
            cells++;
        }
    }
    assert_int_equal(cells, 90);
    assert_near(sum / (double)cells, 0.085, 0, 0.0005);
    ww_csv_destroy(csv);
    ww_correlation_matrix_fini(&m);
}

static void categories_match(void **state)
{
    static const struct {
        size_t kernels;
        double mean_ipc, percent[9]; /* RF EU WCU BP LDSTU CP NOC MC GM */
    } expected[WW_IPC_CATEGORY_COUNT] = {
        {7, 791.6, {16.2, 26.3, 19.3, 4.3, 1.5, 14.8, 3.6, 4.7, 9.3}},
        {10, 495.1, {11.1, 18.2, 15.9, 4.9, 2.2, 17.0, 6.0, 8.7, 16.1}},
        {20, 182.8, {7.0, 10.7, 12.2, 5.6, 2.3, 19.5, 7.6, 12.2, 23.0}},
    };
    ww_error err = {0};
    ww_categories c;
    assert_near(ww_peak_ipc(16, 2), 1024, 0, 0);
    assert_ok(ww_categorize(*state, ww_peak_ipc(16, 2), &c, &err), err);
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        double sum = 0;
        assert_int_equal(c.category[i].kernels, expected[i].kernels);
        assert_near(c.category[i].mean_ipc, expected[i].mean_ipc, 0, 0.05 + 1e-9);
        for (size_t k = 0; k < 9; k++) {
            assert_near(100 * c.category[i].share[k], expected[i].percent[k], 0, 0.05 + 1e-9);
            sum += c.category[i].share[k];
        }
        assert_near(sum, 1, 1e-12, 0);
    }
    ww_categories_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(correlations_match),
        cmocka_unit_test(near_the_table_of_83_kernels),
        cmocka_unit_test(categories_match),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
