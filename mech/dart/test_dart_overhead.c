/* test_dart_overhead.c - is a core of lanes charged for what it has: a front end at its rate, words
 * of narrow slices, an instruction's way to one lane? The shipped machines, beside the models of
 * single structures. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "power/power.h"
#include "tech/array.h"
#include "tech/logic.h"
#include "tests/unit/tech/nodes.h"

typedef struct chip {
    ww_arch *arch;
    ww_power_model *model;
} chip;

static chip open_chip(const char *gpu, const char *key, const char *value)
{
    chip c = {0};
    ww_error err = {0};
    const ww_setting settings[] = {{key, value}};
    assert_ok(ww_arch_load(gpu, settings, key != NULL, &c.arch, &err), err);
    assert_ok(ww_power_model_create(c.arch, TECH_DIR, &c.model, &err), err);
    return c;
}

static void close_chip(chip *c)
{
    ww_power_model_destroy(c->model);
    ww_arch_destroy(c->arch);
}

/* Joules that one count of a counter costs in a component, in events of a kind. */
static double cost_j(const chip *c, ww_component component, ww_counter counter, ww_power_kind kind)
{
    size_t n;
    double sum_j = 0;
    const ww_power_event *events = ww_power_events(c->model, &n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < events[i].terms && events[i].component == component; k++) {
            bool counts = events[i].counter[k] == counter && events[i].kind == kind;
            sum_j += counts ? events[i].value * events[i].weight[k] : 0;
        }
    }
    return sum_j;
}

static double event_j(const chip *c, ww_component component, ww_counter counter)
{
    return cost_j(c, component, counter, WW_POWER_EVENT);
}

static bool has_structure(const chip *c, const char *name)
{
    size_t n;
    const ww_power_structure *s = ww_power_structures(c->model, &n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(s[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static ww_node node_of(const chip *c)
{
    return node_at(c->arch->chip.feature_m * 1e9, WW_DEVICE_HP, c->arch->chip.vdd_v,
                   c->arch->chip.temperature_k);
}

/* A front end that issues once in four lane clocks pays a quarter of the clock per lane clock. */
static void front_end_at_its_rate(void **state)
{
    (void)state;
    chip dart = open_chip("gt200-dart", NULL, NULL);
    chip slow = open_chip("gt200-dart", "sm.issue_interval", "4");
    double fast_j = cost_j(&dart, WW_COMPONENT_WCU, WW_C_SM_ACTIVE, WW_POWER_BACKGROUND);
    double slow_j = cost_j(&slow, WW_COMPONENT_WCU, WW_C_SM_ACTIVE, WW_POWER_BACKGROUND);
    assert_true(fast_j > 0);
    assert_near(slow_j, fast_j / 4, 1e-12, 0);
    /* and the same per instruction, whatever the rate */
    assert_near(event_j(&slow, WW_COMPONENT_WCU, WW_C_INST_ISSUED),
                event_j(&dart, WW_COMPONENT_WCU, WW_C_INST_ISSUED), 1e-12, 0);
    close_chip(&dart);
    close_chip(&slow);
}

/* The SIMD core's broadcast is gone: the control word and the mask go to one lane, where they are
 * entered once and read by each thread. */
static void control_word_to_a_lane(void **state)
{
    (void)state;
    enum { CONTROL = 200, MASK = 32, REGISTER = CONTROL + MASK + 3 * 32 };
    chip dart = open_chip("gt200-dart", NULL, NULL), simd = open_chip("gt200-simd", NULL, NULL);
    assert_true(has_structure(&simd, "control distribution"));
    assert_false(has_structure(&dart, "control distribution"));
    assert_true(event_j(&dart, WW_COMPONENT_WCU, WW_C_INST_ISSUED) <
                event_j(&simd, WW_COMPONENT_WCU, WW_C_INST_ISSUED));
    ww_node node = node_of(&dart);
    ww_array_result entry;
    ww_error err = {0};
    const ww_array_spec spec = {.kind = WW_ARRAY_LATCH,
                                .bits = REGISTER,
                                .word_bits = REGISTER,
                                .read_ports = 1,
                                .write_ports = 1};
    assert_ok(ww_array_solve(&spec, &node, &entry, &err), err);
    double wire_j = event_j(&dart, WW_COMPONENT_MECH, WW_C_DART_CONTROL) - entry.write_j;
    /* half of 232 wires, a millimetre or less: 0.1 to 0.3 pJ per bit and millimetre at 40 nm */
    assert_true(wire_j > 232 * 0.5 * 0.02e-12 && wire_j < 232 * 0.5 * 0.5e-12);
    assert_near(event_j(&dart, WW_COMPONENT_MECH, WW_C_DART_THREAD),
                entry.read_j + ww_logic_arbiter(&node, 32).energy_j, 1e-9, 0);
    close_chip(&dart);
    close_chip(&simd);
}

/* A word of a slice, four banks of 512 words: what that narrow array costs and the way across the
 * slice; less than a thread's share of bank, crossbar, arbiter and collector in the SIMD core. */
static void words_of_narrow_slices(void **state)
{
    (void)state;
    chip dart = open_chip("gt200-dart", NULL, NULL), simd = open_chip("gt200-simd", NULL, NULL);
    ww_node node = node_of(&dart);
    ww_array_result bank;
    ww_error err = {0};
    const ww_array_spec spec = {
        .kind = WW_ARRAY_RAM, .bits = 16384 * 32 / 8 / 4, .word_bits = 32, .rw_ports = 1};
    assert_ok(ww_array_solve(&spec, &node, &bank, &err), err);
    double factor = dart.arch->power.rf_factor;
    double read_j = event_j(&dart, WW_COMPONENT_RF, WW_C_RF_READ_LANES) / factor;
    double write_j = event_j(&dart, WW_COMPONENT_RF, WW_C_RF_WRITE_LANES) / factor;
    double wire_j = read_j - bank.read_j;
    assert_true(wire_j > 0 && wire_j < read_j / 2);
    assert_near(write_j, bank.write_j + wire_j, 1e-9, 0);
    assert_true(read_j * factor < event_j(&simd, WW_COMPONENT_RF, WW_C_RF_READ_LANES) +
                                      event_j(&simd, WW_COMPONENT_RF, WW_C_RF_READ) / 32 +
                                      event_j(&simd, WW_COMPONENT_RF, WW_C_OC_WRITE) / 32);
    /* nothing per warp operand: no arbiter, no collector */
    assert_near(event_j(&dart, WW_COMPONENT_RF, WW_C_RF_READ), 0, 0, 0);
    assert_near(event_j(&dart, WW_COMPONENT_RF, WW_C_OC_WRITE), 0, 0, 0);
    assert_near(event_j(&dart, WW_COMPONENT_RF, WW_C_OC_READ), 0, 0, 0);
    assert_near(event_j(&dart, WW_COMPONENT_RF, WW_C_RF_ARBITRATION), 0, 0, 0);
    close_chip(&dart);
    close_chip(&simd);
}

/* Twice the lanes: slices of half the words, which cost less each; collectors and arbiters for
 * all of them. */
static void structures_follow_the_lanes(void **state)
{
    (void)state;
    chip eight = open_chip("gt200-dart", NULL, NULL);
    chip sixteen = open_chip("gt200-dart", "units.sp_lanes", "16");
    assert_true(event_j(&sixteen, WW_COMPONENT_RF, WW_C_RF_READ_LANES) <
                event_j(&eight, WW_COMPONENT_RF, WW_C_RF_READ_LANES));
    assert_true(ww_power_area(sixteen.model, WW_COMPONENT_MECH) >
                1.7 * ww_power_area(eight.model, WW_COMPONENT_MECH));
    ww_node node = node_of(&eight);
    assert_near(event_j(&eight, WW_COMPONENT_MECH, WW_C_DART_REQUEST),
                ww_logic_arbiter(&node, 8).energy_j, 1e-9, 0);
    assert_near(event_j(&sixteen, WW_COMPONENT_MECH, WW_C_DART_REQUEST),
                ww_logic_arbiter(&node, 16).energy_j, 1e-9, 0);
    ww_array_result collector;
    ww_error err = {0};
    const ww_array_spec spec = ww_array_table(32, 32, 1, 1);
    assert_ok(ww_array_solve(&spec, &node, &collector, &err), err);
    assert_near(event_j(&eight, WW_COMPONENT_MECH, WW_C_DART_ADDRESS),
                collector.read_j + collector.write_j, 1e-9, 0);
    close_chip(&eight);
    close_chip(&sixteen);
}

/* A finder that sees fewer threads at a time is smaller. */
static void finder_follows_its_width(void **state)
{
    (void)state;
    chip wide = open_chip("gt200-dart", NULL, NULL);
    chip narrow = open_chip("gt200-dart", "dart.skip_width", "4");
    ww_node node = node_of(&wide);
    assert_near(event_j(&wide, WW_COMPONENT_MECH, WW_C_DART_THREAD) -
                    event_j(&narrow, WW_COMPONENT_MECH, WW_C_DART_THREAD),
                ww_logic_arbiter(&node, 32).energy_j - ww_logic_arbiter(&node, 4).energy_j, 1e-9,
                0);
    close_chip(&wide);
    close_chip(&narrow);
}

/* What is not modelled of a die is the same around both cores; a lane leaks whether it works or
 * not, and draws nothing else. */
static void area_and_leakage_beside_the_simd_core(void **state)
{
    (void)state;
    chip dart = open_chip("gt200-dart", NULL, NULL), simd = open_chip("gt200-simd", NULL, NULL);
    assert_near(ww_power_area(dart.model, WW_COMPONENT_REST),
                ww_power_area(simd.model, WW_COMPONENT_REST), 1e-3, 0);
    /* slices have no collectors and no crossbar: under half of the SIMD core's register file */
    assert_true(ww_power_area(dart.model, WW_COMPONENT_RF) <
                ww_power_area(simd.model, WW_COMPONENT_RF) / 2);
    /* each lane has its own pipeline's control */
    assert_true(ww_power_area(dart.model, WW_COMPONENT_EU) >
                ww_power_area(simd.model, WW_COMPONENT_EU));
    assert_true(ww_power_static_w(dart.model) < ww_power_static_w(simd.model));
    size_t n;
    const ww_power_event *events = ww_power_events(dart.model, &n);
    for (size_t i = 0; i < n; i++) {
        bool idle = events[i].kind == WW_POWER_BACKGROUND;
        assert_false(idle && (events[i].component == WW_COMPONENT_EU ||
                              events[i].component == WW_COMPONENT_RF ||
                              events[i].component == WW_COMPONENT_MECH));
    }
    close_chip(&dart);
    close_chip(&simd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_end_at_its_rate),
        cmocka_unit_test(control_word_to_a_lane),
        cmocka_unit_test(words_of_narrow_slices),
        cmocka_unit_test(structures_follow_the_lanes),
        cmocka_unit_test(finder_follows_its_width),
        cmocka_unit_test(area_and_leakage_beside_the_simd_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
