/* test_fu.c - are functional-unit energies the published ones at their node, and scaled sensibly
 * elsewhere? */
#include <string.h>

#include "tech/fu.h"
#include "tests/unit/tech/nodes.h"

static ww_fu_table *load(void)
{
    ww_error err = {0};
    ww_fu_table *t = NULL;
    assert_ok(ww_fu_load(TECH_DIR, &t, &err), err);
    return t;
}

static void anchors_are_met_at_their_node(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    ww_node n = node_at(45, WW_DEVICE_HP, 0.9, 350);
    assert_near(ww_fu_at(t, &n, WW_FU_INT_ADD, WW_FU_DATAPATH).energy_j, 0.1e-12, 1e-9, 0);
    assert_near(ww_fu_at(t, &n, WW_FU_FP32_MUL, WW_FU_DATAPATH).energy_j, 3.7e-12, 1e-9, 0);
    assert_non_null(strstr(ww_fu_at(t, &n, WW_FU_FP32_MUL, WW_FU_DATAPATH).source, "Horowitz"));
    ww_node gpu = node_at(40, WW_DEVICE_HP, 1.0, 350);
    assert_near(ww_fu_at(t, &gpu, WW_FU_INT_ADD, WW_FU_LANE).energy_j, 40e-12, 1e-9, 0);
    assert_near(ww_fu_at(t, &gpu, WW_FU_FP32_ADD, WW_FU_LANE).energy_j, 75e-12, 1e-9, 0);
    ww_fu_destroy(t);
}

static void energy_scales_with_the_square_of_voltage(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    ww_node high = node_at(40, WW_DEVICE_HP, 1.0, 350), low = node_at(40, WW_DEVICE_HP, 0.8, 350);
    double ratio = ww_fu_at(t, &low, WW_FU_FP32_FMA, WW_FU_LANE).energy_j /
                   ww_fu_at(t, &high, WW_FU_FP32_FMA, WW_FU_LANE).energy_j;
    assert_near(ratio, 0.64, 1e-9, 0);
    ww_fu_destroy(t);
}

static void every_unit_costs_something_at_every_node(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    size_t count;
    const double *features = ww_node_features(&count);
    for (size_t i = 0; i < count; i++) {
        ww_node n = node_at(features[i] * 1e9, WW_DEVICE_HP, 0, 350);
        for (int op = 0; op < WW_FU_OP_COUNT; op++) {
            ww_fu_cost data = ww_fu_at(t, &n, (ww_fu_op)op, WW_FU_DATAPATH);
            ww_fu_cost lane = ww_fu_at(t, &n, (ww_fu_op)op, WW_FU_LANE);
            assert_true(data.energy_j > 0 && data.leak_w > 0 && data.area_m2 > 0);
            assert_true(lane.energy_j > data.energy_j);
            assert_true(data.source[0] != '\0');
        }
    }
    ww_fu_destroy(t);
}

static void wider_units_are_larger(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    ww_node n = node_at(40, WW_DEVICE_HP, 0, 350);
    double a16 = ww_fu_at(t, &n, WW_FU_FP16_FMA, WW_FU_DATAPATH).area_m2;
    double a32 = ww_fu_at(t, &n, WW_FU_FP32_FMA, WW_FU_DATAPATH).area_m2;
    double a64 = ww_fu_at(t, &n, WW_FU_FP64_FMA, WW_FU_DATAPATH).area_m2;
    assert_true(a16 < a32 && a32 < a64);
    assert_true(a32 > 0.005e-6 &&
                a32 < 0.05e-6); /* square metres: a hundredth of a square millimetre */
    ww_fu_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_are_met_at_their_node),
        cmocka_unit_test(energy_scales_with_the_square_of_voltage),
        cmocka_unit_test(every_unit_costs_something_at_every_node),
        cmocka_unit_test(wider_units_are_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
