/* test_spans.c - does the table find the range that holds an address, whatever came and went? */
#include "base/spans.h"
#include "tests/support/test.h"

static void finds_what_holds_an_address(void **state)
{
    (void)state;
    ww_spans spans = {0};
    ww_error err = {0};
    assert_null(ww_spans_at(&spans, 0));
    for (uint64_t i = 0; i < 200; i++) {
        assert_ok(ww_spans_reserve(&spans, &err), err);
        ww_spans_insert(&spans, 1000 + 10 * (i * 77 % 200), 5);
    }
    for (uint64_t i = 0; i < 200; i++) {
        const ww_span *span = ww_spans_at(&spans, 1000 + 10 * i + 4);
        assert_non_null(span);
        assert_int_equal(span->address, 1000 + 10 * i);
        assert_null(ww_spans_at(&spans, 1000 + 10 * i + 5));
    }
    assert_null(ww_spans_at(&spans, 999));
    assert_int_equal(ww_spans_above(&spans, 999), 0);
    assert_int_equal(ww_spans_above(&spans, 1000), 1);
    assert_int_equal(ww_spans_above(&spans, UINT64_MAX), 200);
    ww_spans_fini(&spans);
    ww_spans_fini(&spans);
}

static void removes_by_first_address_only(void **state)
{
    (void)state;
    ww_spans spans = {0};
    ww_error err = {0};
    for (uint64_t i = 0; i < 3; i++) {
        assert_ok(ww_spans_reserve(&spans, &err), err);
        ww_spans_insert(&spans, 100 * i, 50 + i);
    }
    ww_span removed = {0};
    assert_false(ww_spans_remove(&spans, 101, &removed));
    assert_true(ww_spans_remove(&spans, 100, &removed));
    assert_int_equal(removed.bytes, 51);
    assert_false(ww_spans_remove(&spans, 100, NULL));
    assert_null(ww_spans_at(&spans, 120));
    assert_int_equal(ww_spans_at(&spans, 251)->address, 200);
    assert_null(ww_spans_at(&spans, 252));
    ww_spans_fini(&spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_holds_an_address),
        cmocka_unit_test(removes_by_first_address_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
