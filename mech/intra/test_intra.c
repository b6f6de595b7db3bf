/* test_intra.c - does a load that a loop moves on by a stride bring its next line, and when? Also
 * the table of strides that the stride prefetchers share. */
#include "tests/support/test.h"

#include "mech/lib/strides.h"
#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

/* Positions 0, 2, 3: 100, 104 and 106 lie 2 apart; 107 does not. */
static void strides_are_by_position(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_strides t;
    assert_ok(ww_strides_init(&t, 2, &err), err);
    assert_int_equal(ww_strides_observe(&t, 7, 0, 100)->confidence, 0);
    assert_int_equal(ww_strides_observe(&t, 7, 2, 104)->confidence, 1);
    const ww_stride *e = ww_strides_observe(&t, 7, 3, 106);
    assert_int_equal(e->confidence, 2);
    assert_int_equal(e->stride, 2);
    assert_int_equal(ww_strides_observe(&t, 7, 4, 108)->confidence, WW_STRIDE_SURE);
    assert_int_equal(ww_strides_observe(&t, 7, 5, 110)->confidence, WW_STRIDE_SURE);
    assert_int_equal(ww_strides_observe(&t, 7, 6, 111)->confidence, 1);
    assert_int_equal(ww_strides_observe(&t, 7, 8, 114)->confidence, 0); /* 3 over 2 positions */
    assert_int_equal(ww_strides_observe(&t, 7, 7, 112)->stride, 2);     /* downwards */
    (void)ww_strides_observe(&t, 8, 0, 0);
    (void)ww_strides_observe(&t, 9, 0, 0); /* 7 has not been used for longest */
    assert_null(ww_strides_find(&t, 7));
    assert_non_null(ww_strides_find(&t, 8));
    ww_strides_drop(&t, UINT32_MAX, 8);
    assert_null(ww_strides_find(&t, 8));
    ww_strides_fini(&t);
}

/* Iterations at 0, 256, 512: the third shows the second equal stride and asks for 768. */
static void the_third_iteration_asks_for_the_fourth(void **state)
{
    (void)state;
    ww_arch arch = prefetching_arch();
    arch.intra = (ww_intra_params){
        .entries = 64, .confidence = 2, .distance = 1, .queue_entries = 32, .free_mshrs = 0};
    for (unsigned iterations = 2; iterations <= 5; iterations++) {
        machine m;
        run_loop(&m, &arch, &ww_mech_intra, iterations, 256, 32);
        uint64_t asked = iterations < 3 ? 0 : iterations - 2;
        assert_int_equal(get(&m, WW_C_INTRA_LOOKUP), iterations);
        assert_int_equal(get(&m, WW_C_INTRA_FIRST), 1); /* one load, one warp */
        assert_int_equal(get(&m, WW_C_INTRA_SECOND), 1);
        assert_int_equal(get(&m, WW_C_PF_ISSUED), asked);
        assert_int_equal(get(&m, WW_C_PF_USED) + get(&m, WW_C_PF_LATE), asked > 0 ? asked - 1 : 0);
        machine_close(&m);
    }
}

/* What is in no loop is executed once by each warp. */
static void a_load_outside_loops_has_one_iteration(void **state)
{
    (void)state;
    ww_arch arch = prefetching_arch();
    arch.intra = (ww_intra_params){
        .entries = 64, .confidence = 2, .distance = 1, .queue_entries = 32, .free_mshrs = 0};
    machine m;
    run_warps(&m, &arch, &ww_mech_intra, 4, 8);
    assert_int_equal(get(&m, WW_C_INTRA_LOOKUP), 4);
    assert_int_equal(get(&m, WW_C_INTRA_FIRST), 4);
    assert_int_equal(get(&m, WW_C_INTRA_SECOND), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_by_position),
        cmocka_unit_test(the_third_iteration_asks_for_the_fourth),
        cmocka_unit_test(a_load_outside_loops_has_one_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
