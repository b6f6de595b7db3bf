/* test_inter.c - does a load that moves on by a stride from warp to warp bring the lines of the
 * warps behind? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

/* One scheduler, so that warps come in order; a degree. */
static ww_arch inter_arch(uint32_t degree)
{
    ww_arch arch = prefetching_arch();
    arch.sm.schedulers = 1;
    arch.inter = (ww_inter_params){.entries = 8,
                                   .confidence = 2,
                                   .degree = degree,
                                   .distance = 1,
                                   .queue_entries = 32,
                                   .free_mshrs = 0};
    return arch;
}

/* Warps 0, 1, 2 lie 256 bytes apart: the third shows the second equal stride. With one warp ahead,
 * warps 2 to n - 1 ask for 3 to n, of which the last does not exist. */
static void the_third_warp_asks_for_the_fourth(void **state)
{
    (void)state;
    for (unsigned warps = 2; warps <= 6; warps++) {
        ww_arch arch = inter_arch(1);
        machine m;
        run_warps(&m, &arch, &ww_mech_inter, warps, 8);
        uint64_t asked = warps < 3 ? 0 : warps - 2;
        assert_int_equal(get(&m, WW_C_INTER_LOOKUP), warps);
        assert_int_equal(get(&m, WW_C_PF_REQUESTED), asked);
        assert_true(get(&m, WW_C_PF_ISSUED) >= (asked > 0)); /* at least the line behind the last */
        machine_close(&m);
    }
}

/* A degree of four asks for four warps. */
static void the_degree_counts_warps(void **state)
{
    (void)state;
    ww_arch arch = inter_arch(4);
    machine m;
    run_warps(&m, &arch, &ww_mech_inter, 3, 8);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 4);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 4);
    machine_close(&m);
}

/* Warp 2 of 48 slots asks for 3 to 47, though no CTA has them; 45 are more than the queue holds. */
static void future_warps_end_with_the_slots(void **state)
{
    (void)state;
    ww_arch arch = inter_arch(47);
    machine m;
    run_warps(&m, &arch, &ww_mech_inter, 3, 8);
    assert_int_equal(arch.sm.max_warps, 48);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 45);
    assert_int_equal(get(&m, WW_C_PF_DROPPED), 45 - 32);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_warp_asks_for_the_fourth),
        cmocka_unit_test(the_degree_counts_warps),
        cmocka_unit_test(future_warps_end_with_the_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
