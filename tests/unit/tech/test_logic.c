/* test_logic.c - does each logic block cost what its structure costs by hand, and do costs grow
 * with size? */
#include "tech/logic.h"
#include "tech/std_cell.h"
#include "tests/unit/tech/nodes.h"

static ww_node at45(void)
{
    return node_at(45, WW_DEVICE_HP, 0, 350);
}

static void a_typical_net_by_hand(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    /* N of 4 x 1.5 F = 0.27 um, P 2.41 times that; 0.9636 fF per um of gate. */
    double input = (6.78e-16 * 1.2 + 3 * 5e-17) * 0.27 * 3.41;
    assert_near(c.input_f, input, 1e-6, 0);
    assert_near(c.gate_area, 394 * 0.045e-6 * 0.045e-6, 1e-9, 0);
    double wire = 6 * sqrt(c.gate_area) * n.wire[WW_WIRE_LOCAL].c_f_per_m;
    assert_near(c.transition_j, 0.5 * (2 * input + 1.5 * c.drain_f + wire), 1e-9, 0);
}

static void gates_scale_with_count_and_activity(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    ww_cost g = ww_logic_gates(&n, 1000, 0.25);
    assert_near(g.energy_j, 250 * c.transition_j, 1e-12, 0);
    assert_near(g.leak_w, 1000 * c.leak_w, 1e-12, 0);
    assert_near(g.area_m2, 1000 * c.gate_area / 0.7, 1e-12, 0);
}

static void comparator_by_hand(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    /* 16 XORs of three gates and an AND tree of 15, a quarter switching. */
    assert_near(ww_logic_comparator(&n, 16).energy_j, (16 * 3 + 15) * 0.25 * c.transition_j, 1e-12,
                0);
}

static void adder_and_multiplier_near_published_energies(void **state)
{
    (void)state;
    /* Horowitz, ISSCC 2014: 32-bit add 0.1 pJ, 32-bit multiply 3.1 pJ at 45 nm and 0.9 V. */
    ww_node n = node_at(45, WW_DEVICE_HP, 0.9, 350);
    assert_near(ww_logic_adder(&n, 32).energy_j, 0.1e-12, 0.6, 0);
    assert_near(ww_logic_multiplier(&n, 32, 32).energy_j, 3.1e-12, 0.6, 0);
    ww_std_cell c = ww__std_cell(&n);
    double gates = 32 * 5 + (64 - 2 - 5) * 2.5 + 32 * 3;
    assert_near(ww_logic_adder(&n, 32).energy_j, gates * 0.2 * c.transition_j, 1e-12, 0);
}

static void register_by_hand(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    ww_cost r = ww_logic_register(&n, 32, 0.5);
    /* Six clocked inverters of half a gate's width, six data nodes. */
    assert_near(r.idle_j, 32 * 6 * 0.5 * c.input_f, 1e-12, 0);
    double drains = ww__drain_f(&n, &c.l, &n.peri, 0.135e-6, 1, 1) +
                    ww__drain_f(&n, &c.l, &n.peri, 0.135e-6 * 2.41, 1, 1);
    assert_near(r.energy_j - r.idle_j, 32 * 0.5 * 0.5 * 6 * (0.5 * c.input_f + drains), 1e-9, 0);
    assert_near(r.area_m2, 32 * 2233 * 0.045e-6 * 0.045e-6, 1e-9, 0);
}

static void wire_by_hand(void **state)
{
    (void)state;
    ww_node n = at45();
    /* 1 mm of 64 global wires: one transition is half of the 0.268604 pJ pair. */
    ww_cost w = ww_logic_wire(&n, WW_WIRE_GLOBAL, 1e-3, 64);
    assert_near(w.energy_j, 64 * 0.5 * 0.268604e-12, 1e-4, 0);
    assert_near(w.delay_s, 0.0522071e-9, 1e-4, 0);
    /* Keckler et al., IEEE Micro 2011: 0.24 pJ per bit, mm and transition at 40 nm: same order. */
    assert_true(w.energy_j / 64 > 0.24e-12 / 3 && w.energy_j / 64 < 0.24e-12 * 3);
}

static void crossbar_by_hand(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    ww_cost x = ww_logic_crossbar(&n, 16, 16, 128);
    double length = 16 * 128 * 2 * 0.18e-6; /* twice the semi-global pitch */
    double line = length * n.wire[WW_WIRE_SEMIGLOBAL].c_f_per_m;
    double least = 128 * (2 * line + 16 * c.input_f + 16 * c.drain_f);
    assert_true(x.energy_j > least && x.energy_j < 2.5 * least);
    assert_true(x.area_m2 >= length * length);
}

static void clock_tree_counts_wires_and_pins(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_std_cell c = ww__std_cell(&n);
    ww_cost few = ww_logic_clock_tree(&n, 1e-6, 1000), many = ww_logic_clock_tree(&n, 1e-6, 100000);
    assert_true(few.energy_j > 1000 * c.input_f);
    assert_true(many.energy_j > few.energy_j && many.energy_j > 100000 * c.input_f);
    assert_true(ww_logic_clock_tree(&n, 4e-6, 1000).energy_j > few.energy_j);
}

static void selection_and_arbitration_grow(void **state)
{
    (void)state;
    ww_node n = node_at(40, WW_DEVICE_HP, 0, 350);
    double select = 0, arbiter = 0, decoder = 0;
    for (uint32_t k = 4; k <= 64; k *= 2) {
        double s = ww_logic_select(&n, k, 1).energy_j, a = ww_logic_arbiter(&n, k).energy_j;
        double d = ww_logic_decoder(&n, k / 4 + 1, 1e-14).energy_j;
        assert_true(s > select && a > arbiter && d > decoder);
        select = s;
        arbiter = a;
        decoder = d;
    }
    assert_near(ww_logic_select(&n, 24, 2).energy_j, 2 * ww_logic_select(&n, 24, 1).energy_j, 1e-9,
                0);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    ww_node n = at45();
    ww_cost none[] = {ww_logic_decoder(&n, 0, 1e-15), ww_logic_arbiter(&n, 0),
                      ww_logic_select(&n, 0, 1),      ww_logic_crossbar(&n, 0, 4, 8),
                      ww_logic_comparator(&n, 0),     ww_logic_mux(&n, 1, 8),
                      ww_logic_adder(&n, 0),          ww_logic_multiplier(&n, 0, 8),
                      ww_logic_register(&n, 0, 1),    ww_logic_wire(&n, WW_WIRE_GLOBAL, 0, 8),
                      ww_logic_gates(&n, 0, 1),       ww_logic_clock_tree(&n, 0, 10),
                      ww_logic_shifter(&n, 0)};
    for (size_t i = 0; i < WW_ARRAY_LEN(none); i++) {
        assert_near(none[i].energy_j + none[i].leak_w + none[i].area_m2, 0, 0, 1e-30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_typical_net_by_hand),
        cmocka_unit_test(gates_scale_with_count_and_activity),
        cmocka_unit_test(comparator_by_hand),
        cmocka_unit_test(adder_and_multiplier_near_published_energies),
        cmocka_unit_test(register_by_hand),
        cmocka_unit_test(wire_by_hand),
        cmocka_unit_test(crossbar_by_hand),
        cmocka_unit_test(clock_tree_counts_wires_and_pins),
        cmocka_unit_test(selection_and_arbitration_grow),
        cmocka_unit_test(nothing_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
