/* test_mshr.c - do MSHRs find, merge, bound and release what they hold? */
#include "perf/mem/mshr.h"
#include "tests/support/test.h"

static void waiters_come_back_in_order(void **state)
{
    (void)state;
    ww_arena arena;
    ww_arena_init(&arena);
    ww_mshr_file file;
    assert_true(ww__mshr_init(&file, 4, 3, &arena));
    assert_int_equal(ww__mshr_find(&file, 64), WW_NO_MSHR);
    uint32_t id = ww__mshr_take(&file, 64);
    assert_int_equal(ww__mshr_find(&file, 64), id);
    for (uint32_t tag = 10; tag < 13; tag++) {
        assert_true(ww__mshr_wait(&file, id, tag));
    }
    assert_false(ww__mshr_wait(&file, id, 13));
    size_t count;
    const uint32_t *tag = ww__mshr_release(&file, id, &count);
    assert_int_equal(count, 3);
    assert_int_equal(tag[0], 10);
    assert_int_equal(tag[2], 12);
    assert_int_equal(ww__mshr_find(&file, 64), WW_NO_MSHR);
    assert_int_equal(file.used, 0);
    ww_arena_fini(&arena);
}

static void entries_are_bounded_and_reusable(void **state)
{
    (void)state;
    ww_arena arena;
    ww_arena_init(&arena);
    ww_mshr_file file;
    assert_true(ww__mshr_init(&file, 8, 2, &arena));
    for (int round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < 8; i++) {
            assert_true(ww__mshr_available(&file));
            uint32_t id = ww__mshr_take(&file, (i * 977 + (uint64_t)round) * 32);
            assert_true(ww__mshr_wait(&file, id, (uint32_t)i));
        }
        assert_false(ww__mshr_available(&file));
        for (uint64_t i = 8; i-- > 0;) {
            size_t count;
            uint32_t id = ww__mshr_find(&file, (i * 977 + (uint64_t)round) * 32);
            assert_int_not_equal(id, WW_NO_MSHR);
            assert_int_equal(*ww__mshr_release(&file, id, &count), i);
            assert_int_equal(count, 1);
        }
    }
    ww_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_come_back_in_order),
        cmocka_unit_test(entries_are_bounded_and_reusable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
