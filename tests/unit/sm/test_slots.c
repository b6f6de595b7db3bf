/* test_slots.c - do sets of several words know their slots as sets of one word do? This file is
 * compiled for several words; one word is C's own arithmetic. */
#define WW_SM_WIDE
#include "perf/sm/slots.h"

#include "base/compiler.h"
#include "tests/support/test.h"

static const uint32_t sample[] = {0, 1, 63, 64, 95, 127, 128, 191, 192, 255};

static ww_slots of(const uint32_t *slot, size_t count)
{
    ww_slots m = WW_NO_SLOTS;
    for (size_t i = 0; i < count; i++) {
        m |= ww_slot(slot[i]);
    }
    return m;
}

static void a_set_holds_what_was_put_in(void **state)
{
    (void)state;
    ww_slots m = of(sample, WW_ARRAY_LEN(sample));
    size_t next = 0;
    for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
        bool in = next < WW_ARRAY_LEN(sample) && sample[next] == w;
        assert_int_equal(ww_in(m, w), in);
        assert_int_equal(ww_any(m & ww_slot(w)), in);
        next += in;
    }
    assert_int_equal(ww_number(m), WW_ARRAY_LEN(sample));
    assert_int_equal(ww_number(~m), WW_SM_WARPS - WW_ARRAY_LEN(sample));
    assert_false(ww_any(WW_NO_SLOTS));
}

static void slots_come_in_order(void **state)
{
    (void)state;
    size_t i = 0;
    for (ww_slots m = of(sample, WW_ARRAY_LEN(sample)); ww_any(m); m = ww_rest(m)) {
        assert_int_equal(ww_first(m), sample[i++]);
    }
    assert_int_equal(i, WW_ARRAY_LEN(sample));
}

static void from_leaves_out_what_is_below(void **state)
{
    (void)state;
    for (uint32_t w = 0; w <= WW_SM_WARPS; w++) {
        ww_slots m = ww_from(w);
        assert_int_equal(ww_number(m), WW_SM_WARPS - w);
        assert_true(w == WW_SM_WARPS || ww_first(m) == w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_holds_what_was_put_in),
        cmocka_unit_test(slots_come_in_order),
        cmocka_unit_test(from_leaves_out_what_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
