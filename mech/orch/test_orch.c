/* test_orch.c - are neighbouring warps in different groups, and does the next group take charge
 * when all of one waits? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

/* One scheduler with 6 warp slots in groups of 2: {0, 3}, {1, 4}, {2, 5}. All warps load and wait:
 * each group takes its turn, and the first comes back when its data do. */
static void groups_take_turns(void **state)
{
    (void)state;
    code c = {0};
    uint64_t address = first_address();
    mov(&c, 2, imm(address & 0xffffffffu));
    mov(&c, 3, imm(address >> 32));
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    finish(&c);
    ww_arch arch = prefetching_arch();
    arch.sm.schedulers = 1;
    arch.sm.max_warps = 6;
    arch.sm.scheduler = WW_SCHED_TWO_LEVEL;
    arch.sm.two_level_active = 2;
    arch.orch.group = 2;
    machine m;
    machine_open_with(&m, &arch, as_kernel(&c, 8), 6 * 32, &ww_mech_orch);
    allocate(&m, address);
    start_cta(&m);
    assert_int_equal(ww_mech_favoured(m.sm).word[0], 1u << 0 | 1u << 3);
    until(&m, WW_C_ORCH_TURN, 1);
    assert_int_equal(ww_mech_favoured(m.sm).word[0], 1u << 1 | 1u << 4);
    until(&m, WW_C_ORCH_TURN, 2);
    assert_int_equal(ww_mech_favoured(m.sm).word[0], 1u << 2 | 1u << 5);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 0);
    for (unsigned i = 0; ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
        assert_true(i < 10000);
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_WARPS), 6);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_take_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
