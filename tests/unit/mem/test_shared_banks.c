/* test_shared_banks.c - how many bank cycles does a shared-memory access take? */
#include "perf/mem/mem.h"
#include "tests/support/test.h"

static uint32_t offset[32];
static uint32_t words;

static unsigned strided(uint32_t step_words, uint32_t lanes, uint32_t banks)
{
    for (uint32_t i = 0; i < 32; i++) {
        offset[i] = i * step_words * 4;
    }
    return ww_shared_conflicts(offset, lanes, 4, banks, &words);
}

static void degree_is_the_gcd_of_stride_and_banks(void **state)
{
    (void)state;
    const uint32_t steps[] = {1, 2, 3, 4, 5, 8, 16, 32, 33, 64};
    const unsigned degree[] = {1, 2, 1, 4, 1, 8, 16, 32, 1, 32};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        assert_int_equal(strided(steps[i], UINT32_MAX, 32), degree[i]);
        assert_int_equal(words, 32);
    }
}

static void same_word_is_broadcast(void **state)
{
    (void)state;
    assert_int_equal(strided(0, UINT32_MAX, 32), 1);
    assert_int_equal(words, 1);
    for (uint32_t i = 0; i < 32; i++) { /* two words of one bank, many lanes each */
        offset[i] = i % 2 * 128;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 4, 32, &words), 2);
    assert_int_equal(words, 2);
    for (uint32_t i = 0; i < 32; i++) { /* bytes of the same words */
        offset[i] = i;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 1, 32, &words), 1);
    assert_int_equal(words, 8);
}

static void sixteen_banks_take_two_cycles_for_a_warp(void **state)
{
    (void)state;
    assert_int_equal(strided(1, UINT32_MAX, 16), 2);
    assert_int_equal(strided(1, 0xffff, 16), 1);
    assert_int_equal(strided(2, 0xffff, 16), 2);
}

static void wide_accesses_go_by_half_and_quarter_warps(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 32; i++) {
        offset[i] = i * 8;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 8, 32, &words), 2);
    assert_int_equal(words, 64);
    for (uint32_t i = 0; i < 32; i++) {
        offset[i] = i * 16;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 16, 32, &words), 4);
    assert_int_equal(words, 128);
    assert_int_equal(ww_shared_conflicts(offset, 0xff, 16, 32, &words), 1);
    for (uint32_t i = 0; i < 32; i++) { /* stride of 32 words: all lanes of a half on two banks */
        offset[i] = i * 128;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 8, 32, &words), 32);
    assert_int_equal(ww_shared_conflicts(offset, 0, 8, 32, &words), 0);
}

static void paired_lanes_halve_the_cycles_of_wide_loads(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 32; i++) { /* one address for all: 2 of 4, 1 of 2 cycles */
        offset[i] = 64;
    }
    assert_int_equal(ww_shared_conflicts(offset, UINT32_MAX, 16, 32, &words), 4);
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX, 16, 32, &words), 2);
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX, 8, 32, &words), 1);
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX, 4, 32, &words), 1);
    for (uint32_t i = 0; i < 32; i++) { /* lanes i and i ^ 2 alike: eight blocks of 16 B a half */
        offset[i] = (i & 1) * 16 + (i / 4) * 32;
    }
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX, 16, 32, &words), 2);
    assert_int_equal(words, 64);
    offset[31] = 0; /* one pair differs, on other banks */
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX, 16, 32, &words), 4);
    assert_int_equal(ww_shared_load_conflicts(offset, UINT32_MAX >> 1, 16, 32, &words), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degree_is_the_gcd_of_stride_and_banks),
        cmocka_unit_test(same_word_is_broadcast),
        cmocka_unit_test(sixteen_banks_take_two_cycles_for_a_warp),
        cmocka_unit_test(wide_accesses_go_by_half_and_quarter_warps),
        cmocka_unit_test(paired_lanes_halve_the_cycles_of_wide_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
