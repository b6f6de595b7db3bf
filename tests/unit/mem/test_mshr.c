/* test_mshr.c - do MSHRs find, merge, bound and release what they hold? */
#include "perf/mem/mshr.h"
#include "tests/support/test.h"

static void waiters_come_back_in_order(void **state)
{
    (void)state;
    ww_arena arena;
    ww_arena_init(&arena);
    ww_mshr_file file;
    uint32_t woken[3];
    assert_true(ww__mshr_init(&file, 4, 3, 1, &arena));
    assert_int_equal(ww__mshr_find(&file, 64), WW_NO_MSHR);
    uint32_t id = ww__mshr_take(&file, WW_NO_MSHR, 64, 0);
    assert_int_equal(ww__mshr_find(&file, 64), id);
    for (uint32_t tag = 10; tag < 13; tag++) {
        assert_true(ww__mshr_wait(&file, id, 0, tag));
    }
    assert_false(ww__mshr_wait(&file, id, 0, 13));
    assert_int_equal(ww__mshr_release(&file, id, 0, woken), 3);
    assert_int_equal(woken[0], 10);
    assert_int_equal(woken[2], 12);
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
    uint32_t woken[2];
    assert_true(ww__mshr_init(&file, 8, 2, 1, &arena));
    for (int round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < 8; i++) {
            assert_true(ww__mshr_available(&file));
            uint32_t id = ww__mshr_take(&file, WW_NO_MSHR, i * 977 + (uint64_t)round, 0);
            assert_true(ww__mshr_wait(&file, id, 0, (uint32_t)i));
        }
        assert_false(ww__mshr_available(&file));
        for (uint64_t i = 8; i-- > 0;) {
            uint32_t id = ww__mshr_find(&file, i * 977 + (uint64_t)round);
            assert_int_not_equal(id, WW_NO_MSHR);
            assert_int_equal(ww__mshr_release(&file, id, 0, woken), 1);
            assert_int_equal(woken[0], i);
        }
    }
    ww_arena_fini(&arena);
}

/* A register each, in one record, which lives as long as one of them does. */
static void sectors_of_a_line_stand_together(void **state)
{
    (void)state;
    ww_arena arena;
    ww_arena_init(&arena);
    ww_mshr_file file;
    uint32_t woken[4];
    assert_true(ww__mshr_init(&file, 3, 4, 4, &arena));
    uint32_t id = ww__mshr_take(&file, WW_NO_MSHR, 5, 1);
    assert_true(ww__mshr_wait(&file, id, 1, 100));
    assert_int_equal(ww__mshr_pending(&file, id), 0x2);
    assert_int_equal(ww__mshr_take(&file, id, 5, 3), id);
    assert_true(ww__mshr_wait(&file, id, 3, 300));
    assert_true(ww__mshr_wait(&file, id, 1, 101));
    assert_int_equal(ww__mshr_take(&file, WW_NO_MSHR, 6, 0), id + 1);
    assert_true(ww__mshr_wait(&file, id + 1, 0, 600));
    assert_false(ww__mshr_available(&file)); /* registers count, not records */
    assert_int_equal(ww__mshr_release(&file, id, 1, woken), 2);
    assert_int_equal(woken[0], 100);
    assert_int_equal(woken[1], 101);
    assert_int_equal(ww__mshr_find(&file, 5), id);
    assert_int_equal(ww__mshr_pending(&file, id), 0x8);
    assert_int_equal(ww__mshr_release(&file, id, 3, woken), 1);
    assert_int_equal(woken[0], 300);
    assert_int_equal(ww__mshr_find(&file, 5), WW_NO_MSHR);
    assert_int_equal(ww__mshr_pending(&file, WW_NO_MSHR), 0);
    ww__mshr_clear(&file);
    assert_int_equal(ww__mshr_find(&file, 6), WW_NO_MSHR);
    ww_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_come_back_in_order),
        cmocka_unit_test(entries_are_bounded_and_reusable),
        cmocka_unit_test(sectors_of_a_line_stand_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
