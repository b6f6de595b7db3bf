/* test_dram.c - is each DRAM command the current above standby times supply and time? */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "tech/dram.h"
#include "tests/unit/tech/nodes.h"

/* The GDDR5 1 Gb x32 record: 1.5 V, 0.667 ns, four transfers per clock, burst of 8. */
static const ww_dram_device *gddr5(ww_dram_table **t)
{
    ww_error err = {0};
    const ww_dram_device *d = NULL;
    assert_ok(ww_dram_load(TECH_DIR, t, &err), err);
    assert_ok(ww_dram_find(*t, "gddr5-1gb-x32", &d, &err), err);
    return d;
}

static void activate_and_precharge(void **state)
{
    (void)state;
    ww_dram_table *t;
    const ww_dram_device *d = gddr5(&t);
    double ras = 42 * 0.667e-9, rp = 18 * 0.667e-9;
    double by_hand = (0.490 * (ras + rp) - 0.450 * ras - 0.250 * rp) * 1.5;
    assert_near(ww_dram_activate_precharge_j(d), by_hand, 1e-5, 0);
    ww_dram_destroy(t);
}

static void read_and_write_bursts(void **state)
{
    (void)state;
    ww_dram_table *t;
    const ww_dram_device *d = gddr5(&t);
    double burst = 8.0 / 4 * 0.667e-9;
    assert_near(ww_dram_burst_s(d), burst, 1e-5, 0);
    assert_near(ww_dram_burst_bits(d), 256, 0, 0);
    assert_near(ww_dram_read_j(d), (1.080 - 0.450) * 1.5 * burst, 1e-5, 0);
    assert_near(ww_dram_write_j(d), (1.160 - 0.450) * 1.5 * burst, 1e-5, 0);
    ww_dram_destroy(t);
}

static void refresh(void **state)
{
    (void)state;
    ww_dram_table *t;
    const ww_dram_device *d = gddr5(&t);
    double j = (0.450 - 0.250) * 1.5 * 98 * 0.667e-9;
    assert_near(ww_dram_refresh_j(d), j, 1e-5, 0);
    assert_near(ww_dram_refresh_w(d), j / (11699 * 0.667e-9), 1e-5, 0);
    ww_dram_destroy(t);
}

static void background_by_state(void **state)
{
    (void)state;
    ww_dram_table *t;
    const ww_dram_device *d = gddr5(&t);
    assert_near(ww_dram_background_w(d, WW_DRAM_PRECHARGED), 0.250 * 1.5, 1e-9, 0);
    assert_near(ww_dram_background_w(d, WW_DRAM_ACTIVE), 0.450 * 1.5, 1e-9, 0);
    assert_near(ww_dram_background_w(d, WW_DRAM_PRECHARGED_POWER_DOWN), 0.210 * 1.5, 1e-9, 0);
    assert_near(ww_dram_background_w(d, WW_DRAM_ACTIVE_POWER_DOWN), 0.310 * 1.5, 1e-9, 0);
    assert_near(ww_dram_background_w(d, WW_DRAM_SELF_REFRESH), 0.060 * 1.5, 1e-9, 0);
    ww_dram_destroy(t);
}

static void input_and_output(void **state)
{
    (void)state;
    ww_dram_table *t;
    const ww_dram_device *d = gddr5(&t);
    /* 40 ohm into 60 ohm at 1.5 V, half of the bits low for 0.16675 ns; 1.5 pF swings to 0.9 V a
     * quarter of the time. */
    double bit = 0.667e-9 / 4;
    double pj = 0.5 * 1.5 * 1.5 / 100 * bit + 0.25 * 1.5e-12 * 1.5 * 0.9;
    assert_near(ww_dram_link_j_per_bit(1.5, 40, 60, 1.5e-12, bit), pj, 1e-9, 0);
    assert_near(ww_dram_io_read_j(d), 256 * pj, 1e-4, 0);
    assert_near(ww_dram_io_write_j(d), 256 * pj, 1e-4, 0);
    assert_near(ww_dram_link_j_per_bit(1.2, 0, 0, 0.83e-12, 1e-9), 0.25 * 0.83e-12 * 1.44, 1e-9, 0);
    ww_dram_destroy(t);
}

static void a_current_below_standby_costs_nothing(void **state)
{
    (void)state;
    ww_dram_device d = {.vdd_v = 1,
                        .idd3n_a = 1,
                        .idd4r_a = 0.5,
                        .idd0_a = 0.1,
                        .idd2n_a = 1,
                        .burst_length = 8,
                        .data_rate_hz = 1e9,
                        .tras_s = 1e-8,
                        .trp_s = 1e-8};
    assert_near(ww_dram_read_j(&d), 0, 0, 0);
    assert_near(ww_dram_activate_precharge_j(&d), 0, 0, 0);
    d.vpp_v = 2;
    d.ipp0_a = 0.01;
    assert_near(ww_dram_activate_precharge_j(&d), 2 * 0.01 * 2e-8, 1e-12, 0);
}

static void all_records_are_plausible(void **state)
{
    (void)state;
    ww_dram_table *t;
    gddr5(&t);
    assert_true(ww_dram_count(t) >= 12);
    for (size_t i = 0; i < ww_dram_count(t); i++) {
        const ww_dram_device *d = ww_dram_at(t, i);
        double pj_per_bit =
            (ww_dram_read_j(d) + ww_dram_io_read_j(d)) / ww_dram_burst_bits(d) * 1e12;
        assert_true(pj_per_bit > 0.5 && pj_per_bit < 40);
        assert_true(ww_dram_activate_precharge_j(d) > 0.05e-9 &&
                    ww_dram_activate_precharge_j(d) < 20e-9);
        assert_true(strlen(d->source) > 20);
    }
    assert_null(ww_dram_at(t, ww_dram_count(t)));
    ww_error err = {0};
    const ww_dram_device *d;
    assert_int_equal(ww_dram_find(t, "gddr9", &d, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "gddr5-1gb-x32"));
    ww_dram_destroy(t);
}

/* The shipped file with a supply of the first record changed: what is no number, or below 0, is
 * refused where it stands. */
static void currents_are_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"much", "-490", ""};
    char dir[] = "/tmp/ww_test_dram_XXXXXX", path[64], *shipped = NULL;
    size_t length = 0;
    ww_error err = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/dram.xml", dir);
    assert_ok(ww_read_file(TECH_DIR "/dram.xml", 1 << 20, &shipped, &length, &err), err);
    char *value = strstr(shipped, "idd0_ma=\"490\"");
    assert_non_null(value);
    for (size_t i = 0; i < WW_ARRAY_LEN(bad); i++) {
        ww_str text = {0};
        ww_dram_table *t;
        ww_str_add_n(&text, shipped, (size_t)(value - shipped));
        ww_str_addf(&text, "idd0_ma=\"%s\"%s", bad[i], strchr(value, ' '));
        assert_ok(ww_write_file(path, ww_str_text(&text), text.len, &err), err);
        assert_int_equal(ww_dram_load(dir, &t, &err), WW_ESCHEMA);
        assert_non_null(strstr(err.what, "needs a number >= 0 in 'idd0_ma'"));
        ww_str_fini(&text);
    }
    unlink(path);
    rmdir(dir);
    ww_free(shipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activate_and_precharge),
        cmocka_unit_test(read_and_write_bursts),
        cmocka_unit_test(refresh),
        cmocka_unit_test(background_by_state),
        cmocka_unit_test(input_and_output),
        cmocka_unit_test(a_current_below_standby_costs_nothing),
        cmocka_unit_test(currents_are_numbers),
        cmocka_unit_test(all_records_are_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
