/* Are the nine metrics those of D5.5.3 §3.2.1? Counters by hand, metrics by hand. */
#include "analysis/metrics.h"
#include "tests/support/test.h"

static void set(ww_counter_set *s, ww_counter c, uint64_t sm0, uint64_t sm1)
{
    s->block[WW_SCOPE_SM][0].v[c] = sm0;
    s->block[WW_SCOPE_SM][1].v[c] = sm1;
}

static void hand_computed(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set s;
    assert_ok(ww_counter_set_init(&s, 2, 1, 1, &err), err);
    s.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 1000;
    set(&s, WW_C_SM_ACTIVE, 1000, 600);
    set(&s, WW_C_INST_ISSUED, 900, 300);
    set(&s, WW_C_INST_THREAD, 27000, 4200);
    set(&s, WW_C_INST_LANES, 28800, 4800);
    set(&s, WW_C_THREAD_ARITH, 20000, 1840);
    set(&s, WW_C_THREAD_BRANCH, 3000, 360);
    set(&s, WW_C_THREAD_MEMORY, 4000, 1040);
    set(&s, WW_C_THREAD_OTHER, 1800, 1560);
    set(&s, WW_C_SLOTS, 2000, 1200);
    set(&s, WW_C_SLOTS_ISSUED, 900, 300);
    set(&s, WW_C_WARP_RESIDENT, 24000, 4800);
    set(&s, WW_C_GMEM_INST, 100, 20);
    set(&s, WW_C_GMEM_TRANSACTION, 200, 40);
    ww_metrics m;
    assert_ok(ww_metrics_compute(&s, &m, &err), err);
    assert_near(m.ipc, 31.2, 1e-12, 0);
    assert_near(m.ti_m, 0.0312, 1e-12, 0);
    assert_near(m.ai, 0.65, 1e-12, 0);
    assert_near(m.bi, 0.1, 1e-12, 0);
    assert_near(m.mi, 0.15, 1e-12, 0);
    assert_near(m.ai + m.bi + m.mi + m.other, 1, 1e-12, 0);
    assert_near(m.ce, 0.5, 1e-12, 0);
    assert_near(m.su, 28, 1e-12, 0);
    assert_near(m.ps, 1 - 1200.0 / 3200, 1e-12, 0);
    assert_near(m.aw, 18, 1e-12, 0);
    ww_counter_set_fini(&s);
}

/* What cannot be computed is absent or an error, never 0 or NaN. */
static void undefined_metrics_are_absent(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set s;
    ww_metrics m;
    double value;
    char text[40];
    assert_ok(ww_counter_set_init(&s, 2, 1, 1, &err), err);
    assert_int_equal(ww_metrics_compute(&s, &m, &err), WW_ENUMERIC);
    set(&s, WW_C_INST_ISSUED, 10, 0);
    set(&s, WW_C_INST_THREAD, 320, 0);
    set(&s, WW_C_THREAD_ARITH, 320, 0);
    assert_ok(ww_metrics_compute(&s, &m, &err), err);
    assert_false(ww_metric_value(&m, WW_METRIC_ipc, &value));
    assert_false(ww_metric_value(&m, WW_METRIC_ce, &value));
    assert_string_equal(ww_metric_text(&m, WW_METRIC_aw, text), "");
    assert_true(ww_metric_value(&m, WW_METRIC_su, &value));
    assert_near(value, 32, 0, 0);
    ww_counter_set_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_computed),
        cmocka_unit_test(undefined_metrics_are_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
