/* test_warps.c - do sets of warps, as mechanisms know them, know their slots in every word? */
#include "perf/sm/warps.h"

#include "base/compiler.h"
#include "tests/support/test.h"

static const uint32_t sample[] = {0, 1, 63, 64, 95, 127, 128, 191, 192, 255};

static ww_warps of_sample(void)
{
    ww_warps s = WW_NO_WARPS;
    for (size_t i = 0; i < WW_ARRAY_LEN(sample); i++) {
        ww_warps_add(&s, sample[i]);
    }
    return s;
}

static bool in_sample(uint32_t w)
{
    bool in = false;
    for (size_t i = 0; i < WW_ARRAY_LEN(sample); i++) {
        in = in || sample[i] == w;
    }
    return in;
}

static void a_set_holds_what_was_put_in(void **state)
{
    (void)state;
    ww_warps s = of_sample();
    for (uint32_t w = 0; w < WW_WARPS; w++) {
        assert_int_equal(ww_warps_has(&s, w), in_sample(w));
    }
    assert_int_equal(ww_warps_count(s), WW_ARRAY_LEN(sample));
    assert_int_equal(ww_warps_first(s), 0);
    for (size_t i = 0; i < WW_ARRAY_LEN(sample); i++) {
        assert_true(ww_warps_any(s));
        assert_int_equal(ww_warps_first(s), sample[i]);
        ww_warps_remove(&s, sample[i]);
    }
    assert_false(ww_warps_any(s));
}

static void a_walk_comes_to_each_slot_once_in_order(void **state)
{
    (void)state;
    size_t n = 0;
    for (ww_warps_walk i = ww_warps_from(of_sample()); ww_warps_next(&i); n++) {
        assert_int_equal(i.warp, sample[n]);
    }
    assert_int_equal(n, WW_ARRAY_LEN(sample));
    ww_warps_walk none = ww_warps_from(WW_NO_WARPS);
    assert_false(ww_warps_next(&none));
}

/* A mechanism may change the set that it walks: the walk goes by what it was. */
static void a_walk_goes_by_the_set_as_it_was(void **state)
{
    (void)state;
    ww_warps s = of_sample();
    size_t n = 0;
    for (ww_warps_walk i = ww_warps_from(s); ww_warps_next(&i); n++) {
        s = WW_NO_WARPS;
    }
    assert_int_equal(n, WW_ARRAY_LEN(sample));
}

/* Each slot of two sets, one against the other, in every word. */
static void sets_are_put_together_slot_by_slot(void **state)
{
    (void)state;
    ww_warps a = of_sample(), b = WW_NO_WARPS;
    for (uint32_t w = 0; w < WW_WARPS; w += 3) {
        ww_warps_add(&b, w);
    }
    ww_warps both = ww_warps_both(a, b), either = ww_warps_either(a, b),
             without = ww_warps_without(a, b);
    for (uint32_t w = 0; w < WW_WARPS; w++) {
        bool in_a = ww_warps_has(&a, w), in_b = ww_warps_has(&b, w);
        ww_warps one = ww_warps_only(w), left = ww_warps_without(a, one);
        assert_int_equal(ww_warps_has(&both, w), in_a && in_b);
        assert_int_equal(ww_warps_has(&either, w), in_a || in_b);
        assert_int_equal(ww_warps_has(&without, w), in_a && !in_b);
        assert_int_equal(ww_warps_equal(a, left), !in_a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_holds_what_was_put_in),
        cmocka_unit_test(a_walk_comes_to_each_slot_once_in_order),
        cmocka_unit_test(a_walk_goes_by_the_set_as_it_was),
        cmocka_unit_test(sets_are_put_together_slot_by_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
