/* test_fu.c - are functional-unit energies the published ones at their node, and scaled sensibly
 * elsewhere? */
#include <string.h>

#include "tech/fu.h"
#include "tech/logic.h"
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

/* An adder of floating point by hand, from its blocks; a fused multiply-add is a multiplier of its
 * mantissas and such an adder of thrice their width. */
static double float_adder_m2(const ww_node *n, uint32_t mantissa)
{
    return 2 * ww_logic_adder(n, 11).area_m2 + ww_logic_adder(n, mantissa + 4).area_m2 +
           2 * ww_logic_shifter(n, mantissa + 4).area_m2 +
           ww_logic_gates(n, 8.0 * mantissa, 0.25).area_m2;
}

static void units_are_as_wide_as_their_mantissas(void **state)
{
    (void)state;
    static const struct {
        ww_fu_op op;
        uint32_t mantissa;
    } units[] = {{WW_FU_FP16_FMA, 11}, {WW_FU_TENSOR_BF16, 8}, {WW_FU_TENSOR_FP8, 4}};
    ww_fu_table *t = load();
    ww_node n = node_at(45, WW_DEVICE_HP, 0.9, 350);
    for (size_t i = 0; i < WW_ARRAY_LEN(units); i++) {
        const uint32_t m = units[i].mantissa;
        const double m2 = ww_logic_multiplier(&n, m, m).area_m2 + float_adder_m2(&n, 3 * m);
        assert_near(ww_fu_at(t, &n, units[i].op, WW_FU_DATAPATH).area_m2, m2, 1e-9, 0);
    }
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

/* Of fu.h: energy is the anchor's, scaled by the node alone, so that two operations of one anchor
 * node scale alike; area and leakage are those of what the unit is made of, whatever the scope. */
static void anchors_give_energy_and_structure_the_rest(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    ww_node n = node_at(45, WW_DEVICE_HP, 0.9, 350), small = node_at(22, WW_DEVICE_HP, 0, 350);
    ww_fu_cost add = ww_fu_at(t, &n, WW_FU_INT_ADD, WW_FU_DATAPATH);
    ww_fu_cost fp = ww_fu_at(t, &n, WW_FU_FP32_MUL, WW_FU_DATAPATH);
    ww_fu_cost small_add = ww_fu_at(t, &small, WW_FU_INT_ADD, WW_FU_DATAPATH);
    ww_fu_cost small_fp = ww_fu_at(t, &small, WW_FU_FP32_MUL, WW_FU_DATAPATH);
    assert_string_equal(add.source, small_add.source);
    assert_near(small_add.energy_j / add.energy_j, small_fp.energy_j / fp.energy_j, 1e-9, 0);
    ww_cost multiplier = ww_logic_multiplier(&n, 24, 24);
    ww_fu_cost lane = ww_fu_at(t, &n, WW_FU_FP32_MUL, WW_FU_LANE);
    assert_near(fp.area_m2, multiplier.area_m2, 1e-9, 0);
    assert_near(fp.leak_w, multiplier.leak_w, 1e-9, 0);
    assert_near(lane.area_m2, multiplier.area_m2, 1e-9, 0);
    assert_near(lane.leak_w, multiplier.leak_w, 1e-9, 0);
    ww_fu_destroy(t);
}

/* Oberman & Siu, ARITH 2005: a squarer of 17 b, multipliers of 17 x 14 b and 14 x 14 b (half of an
 * array, symmetric), a sum of three words of 45 b; six functions of 64 segments of 52 b, a quarter
 * of a gate each. */
static void special_functions_are_interpolated_from_tables(void **state)
{
    (void)state;
    ww_fu_table *t = load();
    ww_node n = node_at(45, WW_DEVICE_HP, 0.9, 350);
    double m2 = ww_logic_multiplier(&n, 17, 17).area_m2 + ww_logic_multiplier(&n, 17, 14).area_m2 +
                ww_logic_multiplier(&n, 14, 14).area_m2 / 2 + 2 * ww_logic_adder(&n, 45).area_m2 +
                ww_logic_gates(&n, 4992, 0.01).area_m2;
    assert_near(ww_fu_at(t, &n, WW_FU_SFU, WW_FU_DATAPATH).area_m2, m2, 1e-9, 0);
    ww_fu_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_are_met_at_their_node),
        cmocka_unit_test(units_are_as_wide_as_their_mantissas),
        cmocka_unit_test(energy_scales_with_the_square_of_voltage),
        cmocka_unit_test(every_unit_costs_something_at_every_node),
        cmocka_unit_test(wider_units_are_larger),
        cmocka_unit_test(anchors_give_energy_and_structure_the_rest),
        cmocka_unit_test(special_functions_are_interpolated_from_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
