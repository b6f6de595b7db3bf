/* test_pas.c - which warps lead? What schedulers do with them: tests/unit/sm/test_scheduler.c. */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

/* Two schedulers, CTAs of two warps: warp 0 of each would lead on the same one. */
static void leads_are_spread_over_schedulers(void **state)
{
    (void)state;
    static const uint64_t expected[2][2] = {{0x1 | 0x8, 2}, {0x1 | 0x4, 2}};
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        for (unsigned i = 0; i < 8; i++) {
            add(&c, 1, 1, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.scheduler = WW_SCHED_TWO_LEVEL;
        arch.pas.lead = k == 0 ? WW_PAS_SPREAD : WW_PAS_FIRST;
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 4), 64, &ww_mech_pas);
        start_cta(&m);
        start_cta(&m);
        uint64_t leads = ww_mech_favoured(m.sm).word[0];
        assert_int_equal(leads, expected[k][0]);
        assert_int_equal(get(&m, WW_C_PAS_LEAD), expected[k][1]);
        for (unsigned i = 0; ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
            assert_true(i < 10000);
            cycle(&m);
        }
        assert_int_equal(ww_mech_favoured(m.sm).word[0], 0);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leads_are_spread_over_schedulers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
