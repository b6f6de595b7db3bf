/* test_mat.c - do the multiplexers of one mat cost what selects them, and fit where they stand? */
#include "tech/array_kinds.h"
#include "tech/mat.h"
#include "tests/unit/tech/nodes.h"

static ww_mat_site site_of(const ww_node *n, uint32_t read_ports)
{
    ww_array_spec spec = ww_array_ram(8192, 64);
    ww_mat_site site;
    spec.rw_ports = 0;
    spec.read_ports = read_ports;
    spec.write_ports = 1;
    ww__mat_site(&spec, n, &site);
    return site;
}

/* Two by two sub-arrays whose columns are multiplexed behind the sense amplifiers alone. */
static ww_mat mat_of(const ww_mat_site *site, uint32_t nsam1, uint32_t free, uint32_t ways,
                     uint32_t nsam2)
{
    const ww_mat_cut cut = {.rows = 64,
                            .cols = 256,
                            .per_mat = 4,
                            .per_row = 2,
                            .ndcm = 1,
                            .nsam1 = nsam1,
                            .nsam1_free = free,
                            .nsam2 = nsam2,
                            .way_select = ways,
                            .bits_in = 64,
                            .bits_out = 64,
                            .address_bits = 10};
    ww_mat m;
    ww__mat(site, &cut, &m);
    return m;
}

/* A line of a decoder of 16 joins its two predecoders; where the tag comparison selects too, that
 * is one more transistor in series. */
static void a_tag_comparison_is_one_more_input(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    const ww_mat_site site = site_of(&n, 1);
    const ww_mat address = mat_of(&site, 16, 16, 0, 1), both = mat_of(&site, 16, 16, 16, 1);
    assert_true(both.t.mux1 > address.t.mux1);
    assert_near(both.t.mux1_predecode, address.t.mux1_predecode, 1e-12, 0);
    assert_true(both.read.mux > address.read.mux);
    assert_true(both.leak_sub.mux != address.leak_sub.mux);
}

/* The comparison of tags that select alone, or beside the three bits of 8 lines, which one
 * predecoder selects, meets one wire: as many inputs in either. */
static void tags_meet_one_wire_of_few(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    const ww_mat_site site = site_of(&n, 1);
    const ww_mat none = mat_of(&site, 8, 1, 8, 1), tags = mat_of(&site, 8, 8, 8, 1),
                 plain = mat_of(&site, 8, 8, 0, 1);
    const double line = none.leak_sub.mux;
    assert_true(line > 0);
    assert_near(tags.leak_sub.mux, plain.leak_sub.mux + line, 1e-9, 0);
}

/* A second level of multiplexers stands on pairs of columns where the first level does, on single
 * ones else: of 9 F, it folds once a column's reading ports leave less than that. k folds are 4 k +
 * 3 F high; the four inverters of minimum width between the levels, 7 F each. Two rows of
 * sub-arrays. */
static void the_second_level_folds_among_ports(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    for (uint32_t ports = 1; ports <= 16; ports++) {
        const ww_mat_site site = site_of(&n, ports);
        const ww_mat first = mat_of(&site, 2, 2, 0, 1), second = mat_of(&site, 1, 1, 0, 2);
        const bool folds = site.cell_w / ports < 9 * site.l.f;
        assert_near((second.height - first.height) / site.l.f, 2 * (4 * 7 + (folds ? 4 : 0)), 1e-6,
                    0);
        assert_int_equal(folds, ports > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_comparison_is_one_more_input),
        cmocka_unit_test(tags_meet_one_wire_of_few),
        cmocka_unit_test(the_second_level_folds_among_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
