/* test_node.c - are technology nodes loaded, evaluated and refused as tech/node.h says? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tech/nodes.h"

static void every_node_loads_and_is_plausible(void **state)
{
    (void)state;
    size_t n;
    const double *features = ww_node_features(&n);
    assert_int_equal(n, 11);
    double cell = 1, fo4 = 1;
    for (size_t i = 0; i < n; i++) {
        ww_node at = node_at(features[i] * 1e9, WW_DEVICE_HP, 0, 350);
        double area = at.sram.height_m * at.sram.width_m;
        assert_true(area <=
                    1.1 *
                        cell); /* the 22 nm projection was denser than the first FinFET processes */
        assert_true(at.vdd_v >= 0.5 && at.vdd_v <= 1.3);
        assert_true(at.fo4_s > 1e-12 && at.fo4_s < 30e-12);
        cell = area;
        fo4 = at.fo4_s;
    }
    assert_true(fo4 < 10e-12);
}

static void derived_values_match_the_published_table(void **state)
{
    (void)state;
    /* CACTI 7.0 prints these for 45 nm hp, conservative wires, 350 K. */
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    assert_near(n.peri.i_off_a_per_m, 5.69e-7 * 1e6, 1e-6, 0);
    assert_near(n.peri.r_n_ohm_m, 737.809e-6, 1e-5, 0);
    assert_near(n.sram.height_m, 0.657e-6, 1e-3, 0);
    assert_near(n.sram.width_m, 0.45e-6, 1e-3, 0);
    assert_near(n.wire[WW_WIRE_LOCAL].r_ohm_per_m, 4.20238e6, 1e-5, 0);
    assert_near(n.wire[WW_WIRE_SEMIGLOBAL].c_f_per_m, 2.65417e-10, 1e-5, 0);
    assert_near(n.gm_sense_s, 0.001408, 1e-3, 0);
    assert_near(n.fo4_s, 9.06329e-12, 1e-5, 0);
    assert_near(n.v_sense_v, 0.08, 1e-9, 0);
}

static void leakage_grows_with_temperature_everywhere(void **state)
{
    (void)state;
    size_t n;
    const double *features = ww_node_features(&n);
    for (size_t i = 0; i < n; i++) {
        for (int f = 0; f < WW_DEVICE_FLAVOURS; f++) {
            double last = 0;
            for (double t = 300; t <= 400; t += 2.5) {
                ww_node at = node_at(features[i] * 1e9, (ww_device_flavour)f, 0, t);
                assert_true(at.peri.i_off_a_per_m > last);
                last = at.peri.i_off_a_per_m;
            }
        }
    }
}

static void published_misprints_can_be_kept(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_node_table *table = NULL;
    assert_ok(ww_node_load(TECH_DIR, 90e-9, &table, &err), err);
    ww_node_point point = {.cell = WW_DEVICE_LOP, .peri = WW_DEVICE_LOP, .temp_k = 350};
    ww_node corrected, published;
    assert_ok(ww_node_at_point(table, &point, &corrected, &err), err);
    point.as_published = true;
    assert_ok(ww_node_at_point(table, &point, &published, &err), err);
    assert_near(published.peri.i_off_a_per_m, 8.27e-8 * 1e6, 1e-6, 0);
    assert_true(corrected.peri.i_off_a_per_m < published.peri.i_off_a_per_m / 5);
    ww_node_destroy(table);
}

static void voltage_follows_the_alpha_power_law(void **state)
{
    (void)state;
    ww_node nominal = node_at(45, WW_DEVICE_HP, 0, 350), low = node_at(45, WW_DEVICE_HP, 0.8, 350);
    double drive = pow((0.8 - 0.18035) / (1.0 - 0.18035), 1.3);
    assert_near(low.peri.i_on_a_per_m, nominal.peri.i_on_a_per_m * drive, 1e-9, 0);
    assert_near(low.peri.r_n_ohm_m, nominal.peri.r_n_ohm_m * 0.8 / drive, 1e-9, 0);
    assert_near(low.peri.i_gate_a_per_m, nominal.peri.i_gate_a_per_m * 0.64, 1e-9, 0);
    /* exp(0.1 * -0.2 / (1.2 * 8.617333e-5 * 350)) */
    assert_near(low.peri.i_off_a_per_m / nominal.peri.i_off_a_per_m, 0.57543, 1e-4, 0);
    assert_true(low.fo4_s > nominal.fo4_s);
}

static void impossible_points_are_refused(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_node_table *table = NULL;
    ww_node n;
    assert_int_equal(ww_node_load(TECH_DIR, 10e-9, &table, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "12"));
    assert_ok(ww_node_load(TECH_DIR, 45e-9, &table, &err), err);
    assert_int_equal(ww_node_at(table, WW_DEVICE_HP, 0, 299, &n, &err), WW_ERANGE);
    assert_int_equal(ww_node_at(table, WW_DEVICE_HP, 0, NAN, &n, &err), WW_ERANGE);
    assert_int_equal(ww_node_at(table, WW_DEVICE_HP, 0.2, 350, &n, &err), WW_ERANGE);
    assert_int_equal(ww_node_at(table, WW_DEVICE_HP, 1.6, 350, &n, &err), WW_ERANGE);
    ww_node_destroy(table);
    assert_int_not_equal(ww_node_load("/nonexistent", 45e-9, &table, &err), WW_OK);
}

static void a_faulty_file_is_located(void **state)
{
    (void)state;
    char dir[] = "/tmp/ww_test_node_XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/45nm.xml", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("<technology feature_nm=\"45\" basis=\"table\" source=\"test\">\n"
          "  <device flavour=\"hp\" vdd_v=\"abc\"/>\n</technology>\n",
          f);
    fclose(f);
    ww_error err = {0};
    ww_node_table *table = NULL;
    assert_int_equal(ww_node_load(dir, 45e-9, &table, &err), WW_ESCHEMA);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.what, "vdd_v"));
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_loads_and_is_plausible),
        cmocka_unit_test(derived_values_match_the_published_table),
        cmocka_unit_test(leakage_grows_with_temperature_everywhere),
        cmocka_unit_test(published_misprints_can_be_kept),
        cmocka_unit_test(voltage_follows_the_alpha_power_law),
        cmocka_unit_test(impossible_points_are_refused),
        cmocka_unit_test(a_faulty_file_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
