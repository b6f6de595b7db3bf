/* test_mem.c - do overflow, the failure hook and arenas behave? */
#include <string.h>

#include "base/mem.h"
#include "base/room.h"
#include "tests/support/test.h"

static void overflow_is_refused(void **state)
{
    (void)state;
    assert_null(ww_alloc_array(SIZE_MAX / 2, 4));
    assert_null(ww_realloc_array(NULL, SIZE_MAX / 2, 4));
    ww_arena arena = {0};
    assert_null(ww_arena_alloc(&arena, SIZE_MAX / 2, 4));
    ww_arena_fini(&arena);
}

static void the_kth_allocation_fails_once(void **state)
{
    (void)state;
    ww_mem_fail_after(2);
    void *a = ww_alloc_array(1, 8), *b = ww_alloc_array(1, 8), *c = ww_alloc_array(1, 8);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    ww_free(a);
    ww_free(c);
}

static void arena_memory_is_zeroed_aligned_and_disjoint(void **state)
{
    (void)state;
    ww_arena arena = {0};
    unsigned char *last = NULL;
    for (size_t i = 1; i < 400; i++) {
        unsigned char *p = ww_arena_alloc(&arena, i * 7, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 32, 0);
        for (size_t j = 0; j < i * 7; j++) {
            assert_int_equal(p[j], 0);
        }
        memset(p, 0xAB, i * 7);
        last = p;
    }
    assert_int_equal(last[0], 0xAB);
    unsigned char *big = ww_arena_alloc(&arena, 1 << 20, 1); /* larger than a chunk */
    assert_non_null(big);
    big[(1 << 20) - 1] = 1;
    assert_string_equal(ww_arena_printf(&arena, "%s-%d", "a", 5), "a-5");
    assert_string_equal(ww_arena_strndup(&arena, "abcdef", 3), "abc");
    ww_arena_fini(&arena);
    ww_arena_fini(&arena);
    ww_arena_fini(NULL);
}

/* However large it grows, what it gives is zero and nobody else's. */
static void an_arena_that_grows_gives_disjoint_zeros(void **state)
{
    (void)state;
    enum { PIECES = 1500, BYTES = 9000 }; /* 13 MB: several chunks of the largest size */
    ww_arena arena = {0};
    static unsigned char *piece[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        piece[i] = ww_arena_alloc(&arena, BYTES, 1);
        assert_non_null(piece[i]);
        assert_int_equal(piece[i][0] | piece[i][BYTES - 1], 0);
        memset(piece[i], (int)(i % 251), BYTES);
    }
    for (size_t i = 0; i < PIECES; i++) {
        assert_int_equal(piece[i][0], i % 251);
        assert_int_equal(piece[i][BYTES - 1], i % 251);
    }
    assert_true(arena.bytes >= (size_t)PIECES * BYTES);
    ww_arena_fini(&arena);
}

static void an_array_keeps_what_it_held(void **state)
{
    (void)state;
    ww_arena arena = {0};
    uint32_t *array = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < 100; i++) {
        array = ww_arena_room(&arena, array, i, &room, sizeof *array);
        assert_non_null(array);
        assert_true(room > i);
        array[i] = 7 * i;
    }
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(array[i], 7 * i);
    }
    size_t before = room;
    ww_mem_fail_after(1);
    assert_null(ww_arena_room(&arena, array, room, &room, sizeof *array));
    assert_int_equal(room, before);
    ww_arena_fini(&arena);
}

/* An array on the heap has room for all that is asked for, keeps what it held where there is no
 * more memory, and is never asked for more elements than can be counted. */
static void an_array_on_the_heap_keeps_what_it_held(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < 100; i++) {
        array = ww_heap_room(array, i, 1, &room, sizeof *array);
        assert_non_null(array);
        assert_true(room > i);
        array[i] = 7 * i;
    }
    array = ww_heap_room(array, 100, 1000, &room, sizeof *array);
    assert_non_null(array);
    assert_true(room >= 1100);
    const size_t before = room;
    ww_mem_fail_after(1);
    assert_null(ww_heap_room(array, room, 1, &room, sizeof *array));
    assert_null(ww_heap_room(array, 100, SIZE_MAX, &room, sizeof *array));
    assert_null(ww_heap_room(array, 100, SIZE_MAX / 2, &room, sizeof *array));
    assert_int_equal(room, before);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(array[i], 7 * i);
    }
    ww_free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(the_kth_allocation_fails_once),
        cmocka_unit_test(an_array_keeps_what_it_held),
        cmocka_unit_test(an_array_on_the_heap_keeps_what_it_held),
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_disjoint),
        cmocka_unit_test(an_arena_that_grows_gives_disjoint_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
