/* test_arch_clock.c - does a machine take a clock of its card, with the voltage that goes with it,
 * and refuse what is none? */
#include <math.h>
#include <stdio.h>

#include "tests/unit/arch/scratch.h"

static ww_error err;

static ww_arch *load(const char *gpu, const char *clock)
{
    ww_arch *arch = NULL;
    const ww_setting setting = {"clock.set_hz", clock};
    assert_ok(ww_arch_load(gpu, &setting, clock != NULL, &arch, &err), err);
    return arch;
}

static double voltage_at(const ww_arch *arch, double mhz)
{
    return ww_arch_voltage(arch, mhz * 1e6);
}

static void voltages_are_those_that_were_read(void **state)
{
    (void)state;
    /* reference: a driver's readings, mV; 1095 and 1275 MHz lie between the curve's points */
    static const double read[][2] = {{210, 693.75},  {600, 693.75},  {1020, 693.75}, {1035, 700},
                                     {1095, 718.75}, {1140, 731.25}, {1275, 800},    {1305, 812.5},
                                     {1380, 875},    {1410, 893.75}};
    ww_arch *arch = load("a100-pcie", NULL);
    for (size_t i = 0; i < WW_ARRAY_LEN(read); i++) {
        assert_near(voltage_at(arch, read[i][0]), read[i][1] * 1e-3, 1e-12, 1e-12);
    }
    assert_true(ww_arch_core_v(arch) == arch->chip.vdd_v);
    ww_arch_destroy(arch);
}

/* a100 has a voltage of its own: the curve of its sibling counts by ratios. */
static void curves_count_by_ratio(void **state)
{
    (void)state;
    ww_arch *arch = load("a100", NULL);
    assert_near(voltage_at(arch, 600), arch->chip.vdd_v * 0.69375 / 0.89375, 1e-12, 0);
    ww_arch_destroy(arch);
}

static void an_unknown_curve_is_assumed(void **state)
{
    (void)state;
    ww_arch *arch = load("gtx480", NULL); /* 700 MHz, 1 V */
    assert_near(voltage_at(arch, 630), 0.915, 1e-12, 0);
    assert_near(voltage_at(arch, 350), 0.815, 1e-12, 0);
    assert_near(voltage_at(arch, 280), 0.8075, 1e-12, 0); /* 0.4 of the clock, midway */
    assert_string_equal(ww_arch_source(arch, "clock.voltage"),
                        "assumed: see docs/models/power.md, Clock and voltage");
    /* uncertain in full a quarter of the clock away, half of it an eighth away, not at all there */
    assert_near(ww_arch_voltage_sigma(arch, 350e6), 0.07, 1e-12, 0);
    assert_near(ww_arch_voltage_sigma(arch, 612.5e6), 0.035, 1e-12, 0);
    assert_true(ww_arch_voltage_sigma(arch, 700e6) == 0);
    ww_arch_destroy(arch);
}

static void a_clock_goes_down_to_a_step_and_takes_the_die_along(void **state)
{
    (void)state;
    ww_arch *own = load("a100-pcie", NULL), *arch = load("a100-pcie", "1004 MHz");
    assert_near(arch->clock.core_hz, 990e6, 0, 0);
    assert_near(arch->clock.l2_hz, own->clock.l2_hz * 990 / 1410, 1e-12, 0);
    assert_near(arch->clock.icnt_hz, own->clock.icnt_hz * 990 / 1410, 1e-12, 0);
    assert_near(arch->clock.dram_hz, own->clock.dram_hz, 0, 0);
    assert_near(ww_arch_core_v(arch), 0.69375, 1e-12, 0);
    assert_near(arch->chip.vdd_v, own->chip.vdd_v, 0, 0);
    ww_arch_value core = {0}, v = {0};
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value at = ww_arch_value_at(arch, i);
        core = strcmp(at.key, "clock.core_hz") == 0 ? at : core;
        v = strcmp(at.key, "clock.core_v") == 0 ? at : v;
    }
    assert_string_equal(core.file, "--clock");
    assert_non_null(strstr(v.source, "clock.voltage at 990 MHz"));
    ww_arch_destroy(arch);
    ww_arch_destroy(own);
}

static void the_own_clock_changes_nothing(void **state)
{
    (void)state;
    static const char *const gpu[][2] = {{"a100", "1410 MHz"}, {"qv100", "1447 MHz"}};
    for (size_t i = 0; i < WW_ARRAY_LEN(gpu); i++) {
        ww_arch *own = load(gpu[i][0], NULL), *arch = load(gpu[i][0], gpu[i][1]);
        assert_true(arch->clock.core_hz == own->clock.core_hz);
        assert_true(arch->clock.l2_hz == own->clock.l2_hz);
        assert_true(arch->clock.core_v == 0);
        ww_arch_destroy(arch);
        ww_arch_destroy(own);
    }
}

/* Every description that ships: the voltage never falls, its own clock is one of the card, and
 * steps lead down from the highest clock to the lowest. */
static void every_card_has_a_curve(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_arch_entry *entry;
    size_t count;
    assert_ok(ww_arch_list(&arena, &entry, &count, &err), err);
    for (size_t i = 0; i < count; i++) {
        ww_arch *arch = load(entry[i].name, NULL);
        ww_clock_range r = ww_arch_clocks(arch);
        assert_true(r.lowest_hz < r.highest_hz && r.lowest_hz <= arch->clock.core_hz &&
                    arch->clock.core_hz <= r.highest_hz);
        assert_true(ww_arch_clock_below(arch, arch->clock.core_hz) == arch->clock.core_hz);
        assert_near(voltage_at(arch, arch->clock.core_hz / 1e6), arch->chip.vdd_v, 1e-12, 0);
        double last_v = 0;
        for (double hz = r.lowest_hz; hz <= r.highest_hz; hz += 1e6) {
            double below = ww_arch_clock_below(arch, hz), v = ww_arch_voltage(arch, hz);
            assert_true(below <= hz * (1 + 1e-9) && below >= r.lowest_hz);
            assert_true(v >= last_v);
            last_v = v;
        }
        ww_arch_destroy(arch);
    }
    ww_arena_fini(&arena);
}

static void clocks_outside_name_the_range(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        ww_setting setting[2];
        const char *says;
    } cases[] = {
        {"a100", {{"clock.set_hz", "1411 MHz"}}, "clocks of this card, 210 MHz to 1.41 GHz"},
        {"a100", {{"clock.set_hz", "209 MHz"}}, "clocks of this card, 210 MHz to 1.41 GHz"},
        {"gtx480", {{"clock.set_hz", "200 MHz"}}, "210 MHz to 805 MHz (assumed)"},
        {"a100", {{"clock.set_hz", "1 GHz"}, {"clock.core_hz", "1 GHz"}}, "one of the two"},
        {"a100", {{"clock.voltage", "600:0.7"}}, "two or more points"},
        {"a100", {{"clock.voltage", "600:0.7 1410"}}, "two or more points"},
        {"a100", {{"clock.voltage", "600:0.7 1410:0.9x"}}, "two or more points"},
        {"a100", {{"clock.voltage", "600:0.7,1410:0.9"}}, "two or more points"},
        {"a100", {{"clock.voltage", "nan:0.7 1410:0.9"}}, "two or more points"},
        {"a100", {{"clock.voltage", "600:1e400 1410:0.9"}}, "clock.voltage"},
        {"a100", {{"clock.voltage", "600:0.7 1410:9"}}, "outside 1 to 5000 MHz"},
        {"a100", {{"clock.voltage", "600:0.7 600:0.8 1410:0.9"}}, "clocks must rise"},
        {"a100", {{"clock.voltage", "600:0.9 1410:0.8"}}, "voltages must not fall"},
        {"a100", {{"clock.voltage", "600:0.7 1000:0.9"}}, "own clock.core_hz lies outside"},
        {"a100", {{"clock.voltage", "unknown"}}, "two or more points"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_arch *arch = NULL;
        ww_error e = {0};
        size_t count = cases[i].setting[1].key != NULL ? 2 : 1;
        ww_status status = ww_arch_load(cases[i].gpu, cases[i].setting, count, &arch, &e);
        if (status != WW_ERANGE || strstr(e.what, cases[i].says) == NULL) {
            fail_msg("%s=%s gave %d '%s', expected '%s'", cases[i].setting[0].key,
                     cases[i].setting[0].value, (int)status, e.what, cases[i].says);
        }
        assert_null(arch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voltages_are_those_that_were_read),
        cmocka_unit_test(curves_count_by_ratio),
        cmocka_unit_test(an_unknown_curve_is_assumed),
        cmocka_unit_test(a_clock_goes_down_to_a_step_and_takes_the_die_along),
        cmocka_unit_test(the_own_clock_changes_nothing),
        cmocka_unit_test(every_card_has_a_curve),
        cmocka_unit_test(clocks_outside_name_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
