/* test_lap.c - does the second line of a macro block that misses bring the other two, once? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

static ww_arch lap_arch(void)
{
    ww_arch arch = prefetching_arch();
    arch.lap = (ww_lap_params){
        .lines = 4, .misses = 2, .entries = 64, .queue_entries = 32, .free_mshrs = 0};
    return arch;
}

/* Lines 0 and 1 of a block miss; 2 and 3 are asked for and then hit or are waited for. The next
 * block does the same. */
static void the_rest_of_a_block_comes_with_its_second_miss(void **state)
{
    (void)state;
    ww_arch arch = lap_arch();
    for (unsigned lines = 1; lines <= 8; lines++) {
        machine m;
        run_loop(&m, &arch, &ww_mech_lap, lines, 128, 32);
        uint64_t asked = 2u * (lines >= 2) + 2u * (lines >= 6);
        assert_int_equal(get(&m, WW_C_PF_ISSUED), asked);
        assert_int_equal(get(&m, WW_C_LAP_LOOKUP),
                         get(&m, WW_C_L1D_READ_MISS) - get(&m, WW_C_PF_LATE));
        machine_close(&m);
    }
}

/* A line of each block is no reason to ask. */
static void one_miss_is_not_enough(void **state)
{
    (void)state;
    ww_arch arch = lap_arch();
    machine m;
    run_loop(&m, &arch, &ww_mech_lap, 8, 512, 32);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 0);
    machine_close(&m);
}

/* Of each block of four lines two miss before the others are asked for. The mechanism itself has no
 * MSHRs to send anything. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    ww_arch arch = lap_arch();
    arch.lap.free_mshrs = arch.l1d.mshr_entries;
    check_ceilings(&arch, &arch.lap.oracle, &ww_mech_lap, 8, 128, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_of_a_block_comes_with_its_second_miss),
        cmocka_unit_test(one_miss_is_not_enough),
        cmocka_unit_test(ceilings_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
