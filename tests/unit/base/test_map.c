/* test_map.c - does the map find what was added, in the order it was added? */
#include <stdio.h>

#include "base/map.h"
#include "tests/support/test.h"

enum { MANY = 5000 };

static void finds_all_of_many_keys_in_order(void **state)
{
    (void)state;
    ww_map map = {0};
    ww_error err = {0};
    char key[32];
    assert_null(ww_map_find(&map, "k0"));
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%d", i * 7919 % MANY);
        assert_ok(ww_map_set_num(&map, key, i, &err), err);
    }
    assert_int_equal(map.count, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%d", i * 7919 % MANY);
        assert_int_equal(ww_map_num(&map, key, -1), i);
        assert_string_equal(map.entries[i].key, key);
    }
    assert_int_equal(ww_map_num(&map, "k5000", -1), -1);
    ww_map_fini(&map);
    ww_map_fini(&map);
}

static void keys_are_whole_strings(void **state)
{
    (void)state;
    ww_map map = {0};
    ww_error err = {0};
    int a, b;
    bool added;
    assert_ok(ww_map_set_ptr(&map, "ab", &a, &err), err);
    assert_null(ww_map_ptr(&map, "a"));
    assert_null(ww_map_ptr(&map, "abc"));
    assert_ptr_equal(ww_map_find_n(&map, "abc", 2)->ptr, &a);
    assert_non_null(ww_map_add_n(&map, "abc", 1, &added));
    assert_true(added);
    assert_non_null(ww_map_add(&map, "", &added));
    assert_true(added);
    assert_non_null(ww_map_add(&map, "ab", &added));
    assert_false(added);
    assert_ok(ww_map_set_ptr(&map, "ab", &b, &err), err);
    assert_ptr_equal(ww_map_ptr(&map, "ab"), &b);
    assert_int_equal(map.count, 3);
    ww_map_fini(&map);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t k = 1; k < 12; k++) {
        ww_map map = {0};
        char key[8];
        int failed = 0;
        ww_mem_fail_after(k);
        for (int i = 0; i < 40; i++) {
            snprintf(key, sizeof key, "%d", i);
            failed += ww_map_set_num(&map, key, i, NULL) == WW_ENOMEM;
        }
        ww_mem_fail_after(0);
        assert_int_equal(map.count, 40 - failed);
        assert_int_equal(failed, 1);
        for (size_t i = 0; i < map.count; i++) {
            assert_ptr_equal(ww_map_find(&map, map.entries[i].key), &map.entries[i]);
        }
        ww_map_fini(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_of_many_keys_in_order),
        cmocka_unit_test(keys_are_whole_strings),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
