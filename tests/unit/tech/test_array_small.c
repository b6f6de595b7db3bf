/* test_array_small.c - flip-flop and latch tables, CAMs and fully associative arrays. */
#include "tech/array.h"
#include "tech/logic.h"
#include "tests/unit/tech/nodes.h"

static ww_array_result solve(const ww_array_spec *spec, const ww_node *n)
{
    ww_error err = {0};
    ww_array_result r;
    assert_ok(ww_array_solve(spec, n, &r, &err), err);
    return r;
}

static ww_array_spec table(ww_array_kind kind, uint32_t entries, uint32_t bits)
{
    ww_array_spec s = ww_array_table(entries, bits, 1, 1);
    s.kind = kind;
    return s;
}

static void eight_bytes_of_flipflops(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_array_spec s = table(WW_ARRAY_FLIPFLOP, 8, 8);
    ww_array_result r = solve(&s, &n);
    ww_cost word = ww_logic_register(&n, 8, 0.5);
    assert_near(r.write.cells, word.energy_j, 1e-12, 0);
    assert_near(r.leak.cells, 8 * word.leak_w, 1e-12, 0);
    assert_true(r.area_m2 > 8 * word.area_m2);
    /* A few hundred square micrometres, tens of femtojoules. */
    assert_true(r.area_m2 > 2e-10 && r.area_m2 < 2e-9);
    assert_true(r.read_j > 1e-15 && r.read_j < 1e-12);
    assert_true(r.idle_j > 0 && r.idle_j < r.write_j);
    ww_array_spec l = table(WW_ARRAY_LATCH, 8, 8);
    ww_array_result latch = solve(&l, &n);
    assert_true(latch.area_m2 < r.area_m2 && latch.leak_w < r.leak_w);
}

static void tables_grow_with_entries_and_width(void **state)
{
    (void)state;
    ww_node n = node_at(28, WW_DEVICE_HP, 0, 350);
    ww_array_result last = {0};
    for (uint32_t entries = 4; entries <= 256; entries *= 2) {
        ww_array_spec s = table(WW_ARRAY_FLIPFLOP, entries, 37);
        ww_array_result r = solve(&s, &n);
        assert_true(r.read_j > last.read_j && r.leak_w > last.leak_w && r.area_m2 > last.area_m2);
        assert_near(ww_array_terms_sum(&r.read), r.read_j, 1e-12, 0);
        last = r;
    }
}

static void auto_takes_the_cheaper(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    for (uint32_t entries = 2; entries <= 64; entries *= 2) {
        ww_array_spec any = ww_array_table(entries, 32, 1, 1);
        ww_array_spec ram = any, ff = any;
        ram.kind = WW_ARRAY_RAM;
        ff.kind = WW_ARRAY_FLIPFLOP;
        ww_array_result a = solve(&any, &n), r = solve(&ram, &n), f = solve(&ff, &n);
        ww_array_result *chosen = a.kind == WW_ARRAY_RAM ? &r : &f;
        assert_near(a.read_j, chosen->read_j, 1e-12, 0);
        double pr = (r.read_j + r.write_j) * r.leak_w * r.area_m2;
        double pf = (f.read_j + f.write_j) * f.leak_w * f.area_m2;
        assert_true((a.kind == WW_ARRAY_RAM) == (entries >= 16 && pr <= pf));
    }
    ww_array_spec big = ww_array_table(1024, 32, 1, 1);
    assert_int_equal(solve(&big, &n).kind, WW_ARRAY_RAM);
}

static void a_search_costs_more_with_every_entry_and_key_bit(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    double last = 0;
    for (uint32_t entries = 16; entries <= 256; entries *= 2) {
        ww_array_spec s = {
            .kind = WW_ARRAY_CAM, .bits = (uint64_t)entries * 32, .word_bits = 32, .rw_ports = 1};
        ww_array_result r = solve(&s, &n);
        assert_true(r.search_j > last);
        assert_near(ww_array_terms_sum(&r.search), r.search_j, 1e-12, 0);
        assert_near(ww_array_terms_sum(&r.leak), r.leak_w, 1e-12, 0);
        last = r.search_j;
    }
    ww_array_spec narrow = {.kind = WW_ARRAY_CAM, .bits = 64 * 24, .word_bits = 24, .rw_ports = 1};
    ww_array_spec wide = {.kind = WW_ARRAY_CAM, .bits = 64 * 48, .word_bits = 48, .rw_ports = 1};
    assert_true(solve(&wide, &n).search_j > solve(&narrow, &n).search_j);
}

/* Custom circuits search at about a femtojoule per bit (Pagiamtzis & Sheikholeslami, JSSC 41(3)
 * 2006); here it is within a decade of that. */
static void a_search_costs_femtojoules_per_bit(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_array_spec s = {.kind = WW_ARRAY_CAM, .bits = 64 * 32, .word_bits = 32, .rw_ports = 1};
    ww_array_result r = solve(&s, &n);
    double fj_per_bit = r.search.compare / (64 * 32) * 1e15;
    assert_true(fj_per_bit > 0.2 && fj_per_bit < 10);
    assert_true(r.search_s > 0.05e-9 && r.search_s < 2e-9);
}

static void a_fully_associative_array_reads_data_on_a_hit(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_array_spec s = {.kind = WW_ARRAY_ASSOC, .bits = 32 * 512, .line_bits = 512, .rw_ports = 1};
    ww_array_result r = solve(&s, &n);
    assert_true(r.search.bitline > 0 && r.search.compare > 0 && r.search.sense_amp > 0);
    ww_array_spec longer = s;
    longer.line_bits = 1024;
    longer.bits = 32 * 1024;
    assert_true(solve(&longer, &n).search_j > r.search_j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_bytes_of_flipflops),
        cmocka_unit_test(tables_grow_with_entries_and_width),
        cmocka_unit_test(auto_takes_the_cheaper),
        cmocka_unit_test(a_search_costs_more_with_every_entry_and_key_bit),
        cmocka_unit_test(a_search_costs_femtojoules_per_bit),
        cmocka_unit_test(a_fully_associative_array_reads_data_on_a_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
