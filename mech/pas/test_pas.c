/* test_pas.c - do leading warps enter the active set and issue first, and does a warp that is woken
 * push another one out? Figure 8: three CTAs of three warps, one scheduler, room for four. */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "perf/sm/scheduler.h"
#include "tests/unit/sm/kernels.h"

enum { A0, A1, A2, B0, B1, B2, C0, C1, C2, WARPS };

static uint64_t set(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return 1ull << a | 1ull << b | 1ull << c | 1ull << d;
}

static ww_sched figure8(void)
{
    ww_sched s;
    ww_sched_init(&s, (1u << WARPS) - 1, 4, WW_PROMOTE_OLDEST);
    for (uint32_t w = 0; w < WARPS; w++) {
        ww_sched_add(&s, w);
    }
    s.base = ww_sched_policy_of(WW_SCHED_TWO_LEVEL);
    return s;
}

static void leading_warps_enter_and_issue_first(void **state)
{
    (void)state;
    const uint64_t live = (1u << WARPS) - 1;
    const ww_sched_policy *p = ww_sched_favouring(WW_SCHED_TWO_LEVEL);
    ww_sched s = figure8();
    assert_int_equal(s.base->eligible(&s, live, 0), set(A0, A1, A2, B0));
    s = figure8();
    s.favoured = 1u << A0 | 1u << B0 | 1u << C0;
    assert_int_equal(p->eligible(&s, live, 0), set(A0, B0, C0, A1));
    static const uint32_t order[] = {A0, B0, C0, A1};
    uint64_t ready = set(A0, B0, C0, A1);
    for (unsigned i = 0; i < 4; i++) { /* each issues once */
        uint32_t w = p->pick(&s, ready);
        assert_int_equal(w, order[i]);
        s.last = w;
        ready &= ~(1ull << w);
    }
    ww_sched_wake(&s, B1); /* its line is there */
    assert_int_equal(p->eligible(&s, live, 0), set(A0, B0, C0, B1));
}

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
        uint64_t leads = ww_mech_favoured(m.sm);
        assert_int_equal(leads, expected[k][0]);
        assert_int_equal(get(&m, WW_C_PAS_LEAD), expected[k][1]);
        for (unsigned i = 0; ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
            assert_true(i < 10000);
            cycle(&m);
        }
        assert_int_equal(ww_mech_favoured(m.sm), 0);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leading_warps_enter_and_issue_first),
        cmocka_unit_test(leads_are_spread_over_schedulers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
