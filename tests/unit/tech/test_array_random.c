/* test_array_random.c - is every answer finite, positive and consistent, and every refusal
 * explained, for requests nobody would write? */
#include <string.h>

#include "tests/unit/tech/nodes.h"
#include "tests/unit/tech/random_array.h"

enum { REQUESTS = 1500 };

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
    uint64_t seed = 88172645463325252ull;
    int answered = 0;
    for (int k = 0; k < REQUESTS; k++) {
        ww_array_spec s = random_spec(&seed);
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
