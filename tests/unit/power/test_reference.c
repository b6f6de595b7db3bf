/* test_reference.c - configured watts hold at a clock, a voltage and a number of channels, and go
 * with them; constant and gated power count once; uncertainties propagate as they should. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/power/fixture.h"

static ww_error err;

/* An hour's worth of nothing, or every SM and cluster active, on the machine at its own clocks. */
static ww_power_result evaluate(const ww_arch *arch, bool active)
{
    ww_power_model *model;
    ww_counter_set set;
    ww_power_result r;
    model = fixture_model(arch);
    assert_ok(
        ww_counter_set_init(&set, arch->sm.count, ww_arch_slices(arch), arch->mem.channels, &err),
        err);
    fixture_put(&set, WW_C_CORE_CYCLES, FIXTURE_CYCLES);
    if (active) {
        fixture_put(&set, WW_C_SM_ACTIVE, 16.0 * FIXTURE_CYCLES);
        fixture_put(&set, WW_C_CLUSTER_ACTIVE, 4.0 * FIXTURE_CYCLES);
    }
    ww_launch_record launch = fixture_launch(&set);
    launch.core_hz = arch->clock.core_hz;
    launch.dram_hz = arch->clock.dram_hz;
    assert_ok(ww_power_evaluate(model, &set, &launch, &r, &err), err);
    ww_counter_set_fini(&set);
    ww_power_model_destroy(model);
    return r;
}

static void activation_goes_with_clock_and_voltage(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_result at = evaluate(&arch, true);
    assert_near(at.component[WW_COMPONENT_BP].dynamic_w, 16 * 0.24, 1e-12, 0);
    assert_near(at.component[WW_COMPONENT_CP].dynamic_w, 4 * 3.4, 1e-12, 0);
    arch.clock.core_hz /= 2;
    ww_power_result slow = evaluate(&arch, true);
    assert_near(slow.component[WW_COMPONENT_BP].dynamic_w, 16 * 0.24 / 2, 1e-12, 0);
    assert_near(slow.component[WW_COMPONENT_CP].dynamic_w, 4 * 3.4 / 2, 1e-12, 0);
    arch.chip.vdd_v = 1.1;
    ww_power_result high = evaluate(&arch, true);
    assert_near(high.component[WW_COMPONENT_BP].dynamic_w, 16 * 0.24 / 2 * 1.21, 1e-12, 0);
    assert_near(high.component[WW_COMPONENT_MC].dynamic_w, 2.8 * 1.21, 1e-12, 0);
}

static void standby_goes_with_channels_and_dram_clock(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.mem.channels = 12;
    ww_power_result wide = evaluate(&arch, false);
    assert_near(wide.component[WW_COMPONENT_MC].dynamic_w, 2 * 2.8, 1e-12, 0);
    assert_near(wide.component[WW_COMPONENT_GM].dynamic_w, 2 * 5.8, 1e-12, 0);
    arch = fixture_arch();
    arch.clock.dram_hz /= 4;
    ww_power_result slow = evaluate(&arch, false);
    assert_near(slow.component[WW_COMPONENT_MC].dynamic_w, 2.8 / 4, 1e-12, 0);
    assert_near(slow.component[WW_COMPONENT_GM].dynamic_w, 5.8 / 4, 1e-12, 0);
}

/* A description's watts hold for its own values, whatever --set says; or for those it names. */
static void settings_do_not_move_the_reference(void **state)
{
    (void)state;
    static const ww_setting half[] = {{"clock.core_hz", "386 MHz"}};
    static const ww_setting named[] = {{"clock.core_hz", "386 MHz"},
                                       {"power.reference_core_hz", "193 MHz"}};
    ww_arch *arch;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx580.xml", NULL, 0, &arch, &err), err);
    double own_hz = arch->clock.core_hz, own_v = arch->chip.vdd_v;
    assert_near(arch->reference.core_hz, own_hz, 0, 0);
    ww_arch_destroy(arch);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx580.xml", half, 1, &arch, &err), err);
    assert_near(arch->clock.core_hz, 386e6, 1e-12, 0);
    assert_near(arch->reference.core_hz, own_hz, 0, 0);
    assert_near(arch->reference.vdd_v, own_v, 0, 0);
    ww_arch_destroy(arch);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx580.xml", named, 2, &arch, &err), err);
    assert_near(arch->reference.core_hz, 193e6, 1e-12, 0);
    ww_arch_destroy(arch);
}

/* With every SM gated the card draws its constant power and what is left of the SMs, no more. */
static void constant_and_idle_power_count_once(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.power.constant_w = 60;
    arch.power.sm_idle_w = 0.25;
    ww_power_result idle = evaluate(&arch, false);
    assert_near(idle.total_w, 60 + 16 * 0.25, 1e-9, 0);
    assert_near(idle.component[WW_COMPONENT_MC].dynamic_w, 2.8, 1e-12, 0);
    ww_power_result active = evaluate(&arch, true);
    assert_near(active.total_w - idle.total_w,
                active.component[WW_COMPONENT_BP].dynamic_w +
                    active.component[WW_COMPONENT_CP].dynamic_w +
                    active.component[WW_COMPONENT_WCU].dynamic_w,
                1e-9, 0);
    ww_power_model *model;
    arch.power.constant_w = 1;
    assert_int_equal(ww_power_model_create(&arch, FIXTURE_TECH, &model, &err), WW_ERANGE);
}

/* ---- uncertainty ---- */

/* Of an energy that nothing was fitted to (uncertainty.c). */
static const double carried_over = 0.5;

static void uncertainties_add_as_their_correlation_says(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_model *model;
    double group_j[WW_GROUP_COUNT] = {0};
    model = fixture_model(&arch);
    /* Nothing fitted: the same share of each energy, groups independent. */
    group_j[WW_GROUP_RF] = 3;
    assert_near(ww_power_sure(model, group_j).sigma_j, 3 * carried_over, 1e-12, 0);
    group_j[WW_GROUP_NOC] = 4;
    ww_power_sureness s = ww_power_sure(model, group_j);
    assert_near(s.sigma_j, 5 * carried_over, 1e-12, 0);
    assert_near(s.origin_j[WW_ORIGIN_SCALED], 7, 1e-12, 0);
    group_j[WW_GROUP_ACTIVE_SM] = 2;
    s = ww_power_sure(model, group_j);
    assert_near(s.origin_j[WW_ORIGIN_ASSUMED], 2, 1e-12, 0);
    assert_near(s.sigma_j, sqrt(25 + 4) * carried_over, 1e-12, 0);
    ww_power_model_destroy(model);
}

/* Standby is part of a known constant power: what is not sure of it is moved, and does not add. */
static void standby_is_within_the_constant_power(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_model *model;
    double group_j[WW_GROUP_COUNT] = {0};
    arch.power.mc_background_w = 3;
    arch.power.gm_background_w = 7;
    arch.power.constant_w = 60;
    model = fixture_model(&arch);
    group_j[WW_GROUP_STANDBY] = 10;
    assert_near(ww_power_sure(model, group_j).sigma_j, 10 * carried_over, 1e-12, 0);
    group_j[WW_GROUP_CONSTANT] = 50;
    assert_near(ww_power_sure(model, group_j).sigma_j, 60 * carried_over, 1e-12, 0);
    group_j[WW_GROUP_STANDBY] = 0;
    assert_near(ww_power_sure(model, group_j).sigma_j, hypot(60, 10) * carried_over, 1e-12, 0);
    ww_power_model_destroy(model);
}

static double variance_of(const ww_power_model *model, double rf_j, double wcu_j)
{
    double group_j[WW_GROUP_COUNT] = {0};
    group_j[WW_GROUP_RF] = rf_j;
    group_j[WW_GROUP_WCU] = wcu_j;
    double sigma_j = ww_power_sure(model, group_j).sigma_j;
    return sigma_j * sigma_j;
}

/* Standard uncertainties of registers and front end in the QV100's fit, and their correlation: the
 * first two rows of its file. */
static void read_fit(double *rf, double *wcu, double *correlation)
{
    FILE *file = fopen(WW_SOURCE_DIR "/configs/calibration/qv100-uncertainty.csv", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n] rf_factor,fitted,%lf,1,%lf%*[^\n]", rf, correlation), 2);
    assert_int_equal(fscanf(file, " wcu_factor,fitted,%lf", wcu), 1);
    fclose(file);
}

/* What was fitted together is correlated: registers and front end of the QV100 less sure apart than
 * together. The scatter of the microbenchmarks, relative to the whole, comes on top of either. */
static void correlations_of_a_fit_are_read(void **state)
{
    (void)state;
    double rf, wcu, r;
    ww_arch *arch;
    ww_power_model *model;
    read_fit(&rf, &wcu, &r);
    assert_true(r < -0.1);
    assert_ok(ww_arch_load("qv100", NULL, 0, &arch, &err), err);
    assert_ok(ww_power_model_create(arch, NULL, &model, &err), err);
    double scatter = variance_of(model, 1, 0) - rf * rf;
    assert_true(scatter >= 0);
    assert_near(variance_of(model, 0, 1), wcu * wcu + scatter, 1e-9, 0);
    assert_near(variance_of(model, 1, 1), rf * rf + wcu * wcu + 2 * r * rf * wcu + 4 * scatter,
                1e-9, 0);
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
}

/* Groups sum to the energy, by component and in all. */
static void groups_sum_to_the_energy(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_model *model;
    ww_counter_set busy;
    ww_power_result r;
    ww_power_groups groups = {0};
    model = fixture_model(&arch);
    assert_ok(ww_counter_set_init(&busy, 16, 12, 6, &err), err);
    fixture_activity(&busy, 25, 100e9);
    ww_launch_record launch = fixture_launch(&busy);
    assert_ok(ww_power_evaluate(model, &busy, &launch, &r, &err), err);
    ww_power_add_groups(model, &busy, &launch, &groups);
    double all_j = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        double sum_j = 0;
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            sum_j += groups.j[c][g];
        }
        assert_near(sum_j,
                    r.component[c].event_j + r.component[c].background_j + r.component[c].leakage_j,
                    1e-9, 1e-18);
        all_j += sum_j;
    }
    assert_near(all_j, r.total_j, 1e-9, 0);
    ww_counter_set_fini(&busy);
    ww_power_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activation_goes_with_clock_and_voltage),
        cmocka_unit_test(standby_goes_with_channels_and_dram_clock),
        cmocka_unit_test(settings_do_not_move_the_reference),
        cmocka_unit_test(constant_and_idle_power_count_once),
        cmocka_unit_test(uncertainties_add_as_their_correlation_says),
        cmocka_unit_test(standby_is_within_the_constant_power),
        cmocka_unit_test(correlations_of_a_fit_are_read),
        cmocka_unit_test(groups_sum_to_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
