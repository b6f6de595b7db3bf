/* test_array_random.c - is every answer finite, positive and consistent, and every refusal
 * explained, for requests nobody would write? */
#include <string.h>

#include "tech/array.h"
#include "tests/unit/tech/nodes.h"

enum { REQUESTS = 1500 };

static uint64_t seed = 88172645463325252ull;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % n);
}

static ww_array_spec random_spec(void)
{
    ww_array_spec s = {.kind = (ww_array_kind)below(WW_ARRAY_KINDS + 1),
                       .bits = (UINT64_C(1) << below(24)) * (below(8) + 1) + below(3),
                       .word_bits = below(4) > 0 ? 1u << below(11) : below(1500),
                       .line_bits = below(3) > 0 ? 8u << below(9) : below(2000),
                       .ways = below(3) > 0 ? 1u << below(5) : below(30),
                       .tag_bits = below(2) * below(60),
                       .banks = below(3) > 0 ? 0 : below(40),
                       .rw_ports = below(3),
                       .read_ports = below(4),
                       .write_ports = below(3),
                       .search_ports = below(3),
                       .access = (ww_array_access)below(3),
                       .style = (ww_array_style)below(3),
                       .wire = (ww_array_wire)below(5),
                       .outside_layer = (ww_wire_layer)below(3),
                       .ecc = below(2) > 0};
    if (s.kind == WW_ARRAY_CACHE && below(4) > 0) {
        s.bits = (uint64_t)s.line_bits * (s.ways > 0 ? s.ways : 1) * (UINT64_C(1) << below(10)) *
                 (s.banks > 0 ? s.banks : 1);
        s.word_bits = 0;
    }
    s.objective.goal = below(40) > 0 ? (ww_array_goal)below(2) : WW_GOAL_WEIGHTED;
    s.objective.delay = s.objective.energy = 1;
    return s;
}

static void check_answer(const ww_array_result *r)
{
    double positive[] = {r->read_j,  r->write_j, r->leak_w,   r->leak_sub_w, r->leak_gate_w,
                         r->area_m2, r->cycle_s, r->access_s, r->height_m,   r->width_m};
    for (size_t i = 0; i < WW_ARRAY_LEN(positive); i++) {
        assert_true(isfinite(positive[i]) && positive[i] > 0);
    }
    size_t n;
    const ww_array_term *terms = ww_array_term_list(&n);
    const ww_array_terms *groups[] = {&r->read, &r->write, &r->search, &r->leak};
    for (size_t g = 0; g < WW_ARRAY_LEN(groups); g++) {
        for (size_t i = 0; i < n; i++) {
            double v = *(const double *)(const void *)((const char *)groups[g] + terms[i].offset);
            assert_true(isfinite(v) && v >= 0);
        }
    }
    assert_near(ww_array_terms_sum(&r->read), r->read_j, 1e-12, 0);
    assert_near(ww_array_terms_sum(&r->leak), r->leak_w, 1e-12, 0);
}

static void random_requests(void **state)
{
    (void)state;
    static const double NM[] = {90, 45, 28, 16, 5};
    ww_node nodes[WW_ARRAY_LEN(NM)];
    for (size_t i = 0; i < WW_ARRAY_LEN(NM); i++) {
        nodes[i] = node_at(NM[i], (ww_device_flavour)(i % 3), 0, 300 + 20 * (double)i);
    }
    int answered = 0;
    for (int k = 0; k < REQUESTS; k++) {
        ww_array_spec s = random_spec();
        ww_error err = {0};
        ww_array_result r;
        if (ww_array_solve(&s, &nodes[k % (int)WW_ARRAY_LEN(NM)], &r, &err) == WW_OK) {
            answered++;
            check_answer(&r);
        } else {
            assert_int_equal(err.code, WW_ERANGE);
            assert_true(strlen(err.what) > 20);
        }
    }
    assert_true(answered > REQUESTS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
