/* Do affine tuples give the values that the paper prints and the ones worked out by hand? */
#include "perf/ptx/analysis/tuple.h"
#include "tests/support/test.h"

static ww_tuple tuple(uint64_t base, uint64_t tx, uint64_t ty, uint64_t bx)
{
    return (ww_tuple){.base = base, .offset = {tx, ty, 0, bx, 0, 0}, .bits = 32};
}

static uint64_t at(const ww_tuple *t, uint32_t tx, uint32_t ty, uint32_t bx)
{
    const uint32_t index[WW_INDEX_COUNT] = {tx, ty, 0, bx, 0, 0};
    return ww_tuple_at(t, index);
}

static const uint32_t most[WW_INDEX_COUNT] = {127, 0, 0, 1023, 0, 0};

/* Figure 1: A = (0x100, 4), B = (0x200, 0): A + B = (0x300, 4); lane 31 as printed. */
static void figure_1(void **state)
{
    (void)state;
    ww_tuple a = tuple(0x100, 4, 0, 0), b = tuple(0x200, 0, 0, 0), c;
    assert_true(ww_tuple_add(&a, &b, &c));
    ww_tuple expected = tuple(0x300, 4, 0, 0);
    assert_true(ww_tuple_equal(&c, &expected));
    assert_int_equal(at(&a, 31, 0, 0), 0x17c);
    assert_int_equal(at(&b, 31, 0, 0), 0x200);
    assert_int_equal(at(&c, 31, 0, 0), 0x37c);
}

/* Equations 2 and 3: sums by component; a scalar times a tuple; never a tuple times a tuple. */
static void equations_2_and_3(void **state)
{
    (void)state;
    ww_tuple a = tuple(5, 3, 0, 2), b = tuple(7, 11, 1, 0), s = tuple(6, 0, 0, 0), c;
    ww_tuple sum = tuple(12, 14, 1, 2), product = tuple(30, 18, 0, 12), rest = tuple(2, 8, 1, 0);
    assert_true(ww_tuple_add(&a, &b, &c) && ww_tuple_equal(&c, &sum));
    assert_true(ww_tuple_mul(&a, &s, &c) && ww_tuple_equal(&c, &product));
    assert_true(ww_tuple_mul(&s, &a, &c) && ww_tuple_equal(&c, &product));
    assert_true(ww_tuple_sub(&b, &a, &c));
    rest.offset[WW_INDEX_BX] = 0xfffffffe;
    assert_true(ww_tuple_equal(&c, &rest));
    assert_false(ww_tuple_mul(&a, &b, &c));
}

/* Figure 5: r1 = tid x 4, addrA = A[] + r1, then addrA + r3 with num = 1024. */
static void figure_5(void **state)
{
    (void)state;
    ww_tuple tid = ww_tuple_index(WW_INDEX_TX, 32), four = ww_tuple_scalar(4, 32);
    ww_tuple array = ww_tuple_scalar(0x80000, 32), r3 = ww_tuple_scalar(1024 * 4, 32), r1, address;
    assert_true(ww_tuple_mul(&tid, &four, &r1));
    assert_int_equal(at(&r1, 2, 0, 0), 8);
    assert_true(ww_tuple_add(&array, &r1, &address));
    assert_int_equal(at(&address, 0, 0, 0), 0x80000);
    assert_int_equal(at(&address, 2, 0, 0), 0x80008);
    assert_true(ww_tuple_add(&address, &r3, &address));
    assert_int_equal(at(&address, 0, 0, 0), 0x81000);
    assert_int_equal(at(&address, 2, 0, 0), 0x81008);
    assert_int_equal(ww_tuple_lanes(&address), 2);
}

/* addrA of blocks of 128 threads: {0x80000, tx 4, bx 512}; CTA 3 starts at 0x80600. */
static void block_offsets(void **state)
{
    (void)state;
    ww_tuple a = tuple(0x80000, 4, 0, 512);
    assert_int_equal(at(&a, 0, 0, 3), 0x80600);
    assert_int_equal(at(&a, 96, 0, 3), 0x80780);
    assert_int_equal(ww_tuple_lanes(&a), 3);
    assert_false(ww_tuple_is_cta_scalar(&a));
    ww_tuple b = tuple(1, 0, 0, 512);
    assert_true(ww_tuple_is_cta_scalar(&b));
    assert_false(ww_tuple_is_scalar(&b));
}

/* Section 4.4: (0, 1) rem 8 = (0, 1, 0, 8); times 4 (0, 4, 0, 32); plus 0x100: thread 9 has 0x104.
 */
static void remainder_type(void **state)
{
    (void)state;
    ww_tuple t = ww_tuple_index(WW_INDEX_TX, 32), four = ww_tuple_scalar(4, 32);
    ww_tuple base = ww_tuple_scalar(0x100, 32), tid = t;
    assert_true(ww_tuple_rem(&t, 8, false, most, &t));
    assert_int_equal(t.base, 0);
    assert_int_equal(t.mod_base, 0);
    assert_int_equal(t.divisor, 8);
    assert_int_equal(at(&t, 9, 0, 0), 1);
    assert_true(ww_tuple_mul(&t, &four, &t));
    assert_int_equal(t.offset[WW_INDEX_TX], 4);
    assert_int_equal(t.divisor, 32);
    assert_true(ww_tuple_add(&base, &t, &t));
    assert_int_equal(at(&t, 9, 0, 0), 0x104);
    assert_int_equal(at(&t, 7, 0, 0), 0x11c);
    ww_tuple c;
    assert_false(ww_tuple_add(&t, &tid, &c)); /* only scalars go on */
    assert_false(ww_tuple_sub(&tid, &t, &c));
    assert_false(ww_tuple_rem(&t, 4, false, most, &c));
    assert_false(ww_tuple_rem(&tid, 0, false, most, &c));
}

/* 13 + 5 tid, rem 7: thread 100 has (13 + 500) mod 7 = 2; a negative value has no such tuple. */
static void remainder_of_a_sum(void **state)
{
    (void)state;
    ww_tuple t = tuple(13, 5, 0, 0), minus = tuple(0xffffffff, 1, 0, 0), c;
    assert_true(ww_tuple_rem(&t, 7, true, most, &c));
    assert_int_equal(at(&c, 100, 0, 0), 2);
    assert_int_equal(c.mod_base, 6);
    assert_false(ww_tuple_rem(&minus, 7, true, most, &c));
}

/* tid - 1: -1 with its sign for thread 0; as an unsigned number the sum wraps. */
static void widening(void **state)
{
    (void)state;
    ww_tuple t = tuple(0xffffffff, 1, 0, 128), w;
    assert_true(ww_tuple_widen(&t, true, most, &w));
    assert_int_equal(w.bits, 64);
    assert_int_equal(at(&w, 0, 0, 0), UINT64_MAX);
    assert_int_equal(at(&w, 5, 0, 2), 260);
    assert_false(ww_tuple_widen(&t, false, most, &w));
    ww_tuple wide = tuple(0, 0x02000000, 0, 0); /* 127 x 2^25 is beyond 2^31 */
    assert_false(ww_tuple_widen(&wide, true, most, &w));
    assert_true(ww_tuple_widen(&wide, false, most, &w));
    ww_tuple low = ww_tuple_narrow(&w);
    assert_true(ww_tuple_equal(&low, &wide));
}

static void shifts(void **state)
{
    (void)state;
    ww_tuple t = tuple(3, 1, 0, 0), c;
    assert_true(ww_tuple_shl(&t, 4, &c));
    assert_int_equal(at(&c, 2, 0, 0), 80);
    assert_true(ww_tuple_shl(&t, 40, &c));
    assert_int_equal(at(&c, 2, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1),       cmocka_unit_test(equations_2_and_3),
        cmocka_unit_test(figure_5),       cmocka_unit_test(block_offsets),
        cmocka_unit_test(remainder_type), cmocka_unit_test(remainder_of_a_sum),
        cmocka_unit_test(widening),       cmocka_unit_test(shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
