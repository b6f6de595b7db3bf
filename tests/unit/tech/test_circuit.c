/* test_circuit.c - do the gate-level primitives give what their equations give by hand? */
#include "tech/circuit.h"
#include "tech/decode.h"
#include "tests/unit/tech/nodes.h"

static void gate_and_drain_capacitance(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_layout l = ww__layout(&n);
    /* 45 nm hp: 6.78e-16 F/um gate, a fifth of it overlap, 5e-17 fringe on three sides. */
    double per_um = 6.78e-16 * 1.2 + 3 * 5e-17;
    assert_near(ww__gate_f(&n.peri, 1e-6), per_um, 1e-9, 0);
    /* One unfolded transistor of 0.1 um: diffusion 3 F wide, junction 1e-15 F/um2, sidewall 2.5e-16
     * F/um. */
    double w = 0.1, d = 3 * 0.045;
    double by_hand = 1e-15 * d * w + 2.5e-16 * (w + 2 * d) + 2 * (5e-17 + 0.2 * 6.78e-16) * w;
    assert_near(ww__drain_f(&n, &l, &n.peri, 0.1e-6, 1, 1e-6), by_hand, 1e-9, 0);
    /* Folded in two, the shared drain loses its sidewall towards the gate and gains a metal strap.
     */
    double folded = 1e-15 * d * 0.05 + 2.5e-16 * (2 * d) + 2 * (5e-17 + 0.2 * 6.78e-16) * 0.1 +
                    n.wire[WW_WIRE_LOCAL].c_f_per_m * d * 1e-6;
    assert_near(ww__drain_f(&n, &l, &n.peri, 0.1e-6, 1, 0.05e-6), folded, 1e-6, 0);
}

/* A transistor as wide as its room is one strip, a hair wider two; a cell of 50 F leaves two rails
 * of 2 F and 5 F between the diffusions, of which the PMOS has two thirds. */
static void transistors_fold_where_their_room_ends(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_layout l = ww__layout(&n);
    const double f = l.f;
    assert_near(ww__folded_extent(&l, 10 * f, 20 * f), 7 * f, 1e-12, 0);
    assert_near(ww__folded_extent(&l, 10 * f, 10 * f), 7 * f, 1e-12, 0);
    assert_near(ww__folded_extent(&l, 10.01 * f, 10 * f), 11 * f, 1e-12, 0);
    assert_near(ww__fold_w(&l, WW_NMOS, 50 * f), 41 * f / 3, 1e-12, 0);
    assert_near(ww__fold_w(&l, WW_PMOS, 50 * f), 82 * f / 3, 1e-12, 0);
    assert_near(ww__r_on(&n.peri, 2e-6, WW_NMOS, 3), 1.5 * ww__r_on(&n.peri, 1e-6, WW_NMOS, 1),
                1e-12, 0);
}

/* Rounded down, as a tool does, between powers of two alone. */
static void addresses_have_bits(void **state)
{
    static const struct {
        uint32_t outputs, up, down;
    } cases[] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 1},     {3, 2, 1},     {4, 2, 2},
                 {5, 3, 2}, {8, 3, 3}, {1023, 10, 9}, {1025, 11, 10}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ww__address_bits(cases[i].outputs, false), cases[i].up);
        assert_int_equal(ww__address_bits(cases[i].outputs, true), cases[i].down);
    }
}

static void leakage_of_gates(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    double i = 5.69e-7, g = 3.59e-8; /* A/um at 1 V */
    ww_leak inv = ww__gate_leak(&n.peri, WW_GATE_INV, 1, 1e-6, 2e-6);
    assert_near(inv.sub_w, i * 1.5, 1e-6, 0);
    assert_near(inv.gate_w, g * 1.5, 1e-6, 0);
    /* NAND2 over its four inputs: PMOS pair leaks in one state (two of them), NMOS stack n, n, 0.43
     * n. */
    ww_leak nand = ww__gate_leak(&n.peri, WW_GATE_NAND, 2, 1e-6, 1e-6);
    assert_near(nand.sub_w, i * (2 + 2 + 0.43) / 4, 1e-6, 0);
    ww_leak nor = ww__gate_leak(&n.peri, WW_GATE_NOR, 2, 1e-6, 1e-6);
    assert_near(nor.sub_w, nand.sub_w, 1e-12, 0);
}

static void horowitz_limits(void **state)
{
    (void)state;
    double tf = 1e-11;
    assert_near(ww__horowitz_s(0, tf), tf * log(2), 1e-12, 0);
    assert_near(ww__horowitz_at_s(4e-11, tf, 0.5, 0.5, 1), ww__horowitz_s(4e-11, tf), 1e-12, 0);
    assert_true(ww__horowitz_s(8e-11, tf) > ww__horowitz_s(4e-11, tf));
}

static void chains_have_even_stages_of_bounded_width(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_layout l = ww__layout(&n);
    double last_delay = 0;
    for (double load = 1e-16; load < 1e-11; load *= 3) {
        ww_chain c = ww__chain_size(&n, &l, 2, load);
        assert_true(c.stages >= 2 && c.stages % 2 == 0);
        for (int i = 1; i < c.stages; i++) {
            assert_true(c.w_n[i] <= l.max_w * (1 + 1e-12) && c.w_n[i] >= n.min_w_m * (1 - 1e-12));
        }
        ww_chain_cost cost = ww__chain_cost(&n, &l, &c, load, 0, 0, l.cell_height);
        assert_true(cost.delay_s > 0.9 * last_delay);
        last_delay = cost.delay_s;
    }
}

static void repeated_wires_match_both_tools(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_layout l = ww__layout(&n);
    /* Global layer, 45 nm hp: ns/mm, pJ/mm as CACTI-P and CACTI 7 print them. */
    ww_repeated fast = ww__repeated_wire(&n, &l, WW_WIRE_GLOBAL, 0, 1);
    assert_near(fast.delay_s, 0.040177e-6, 1e-4, 0);
    assert_near(fast.energy_j, 0.476008e-9, 1e-4, 0);
    ww_repeated slow = ww__repeated_wire(&n, &l, WW_WIRE_GLOBAL, 0.3, 1);
    assert_near(slow.delay_s, 0.0522071e-6, 1e-4, 0);
    assert_near(slow.energy_j, 0.268604e-9, 1e-4, 0);
    assert_near(slow.leak.sub_w, 0.00512093, 1e-4, 0);
    ww_repeated narrow = ww__repeated_wire(&n, &l, WW_WIRE_GLOBAL, 0.3, 0.5);
    assert_near(narrow.delay_s, 0.102162e-6, 1e-4, 0);
    assert_near(narrow.spacing_m, 0.414072e-3, 1e-4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gate_and_drain_capacitance),
        cmocka_unit_test(transistors_fold_where_their_room_ends),
        cmocka_unit_test(addresses_have_bits),
        cmocka_unit_test(leakage_of_gates),
        cmocka_unit_test(horowitz_limits),
        cmocka_unit_test(chains_have_even_stages_of_bounded_width),
        cmocka_unit_test(repeated_wires_match_both_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
