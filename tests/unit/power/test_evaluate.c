/* test_evaluate.c - does evaluation conserve and add energy, and refuse what it cannot judge? */
#include "tests/support/test.h"

#include "base/mem.h"
#include "tests/unit/power/fixture.h"

static ww_power_model *model;
static ww_counter_set busy;
static ww_error err;

static int set_up(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    if (ww_power_model_create(&arch, FIXTURE_TECH, &model, &err) != WW_OK ||
        ww_counter_set_init(&busy, 16, 12, 6, &err) != WW_OK) {
        fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    fixture_activity(&busy, 25, 100e9);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ww_power_model_destroy(model);
    ww_counter_set_fini(&busy);
    return 0;
}

static ww_power_result evaluate(const ww_counter_set *set)
{
    ww_launch_record launch = fixture_launch(set);
    ww_power_result r;
    assert_ok(ww_power_evaluate(model, set, &launch, &r, &err), err);
    return r;
}

static void test_components_and_static_sum_to_total(void **state)
{
    (void)state;
    ww_power_result r = evaluate(&busy);
    double dynamic_w = 0, total_w = 0, share = 0, leakage_j = 0, event_j = 0, background_j = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        dynamic_w += r.component[c].dynamic_w;
        total_w += r.component[c].total_w;
        share += r.component[c].share;
        leakage_j += r.component[c].leakage_j;
        event_j += r.component[c].event_j;
        background_j += r.component[c].background_j;
        bool has = ww_power_has(model, (ww_component)c); /* MECH: only with a mechanism */
        assert_true((r.component[c].dynamic_w > 0) == has && isfinite(r.component[c].dynamic_w));
    }
    assert_near(dynamic_w, r.dynamic_w, 1e-14, 0);
    assert_near(dynamic_w + r.static_w, r.total_w, 1e-14, 0);
    assert_near(total_w, r.total_w, 1e-14, 0);
    assert_near(share, 1, 1e-14, 0);
    assert_near(leakage_j, r.static_w * r.time_s, 1e-12, 0);
    assert_near(event_j + background_j + leakage_j, r.total_j, 1e-14, 0);
    assert_near(r.total_j, r.total_w * r.time_s, 1e-12, 0);
    assert_near(r.time_s, FIXTURE_CYCLES / 822e6, 1e-15, 0);
    assert_near(ww_power_static_w(model), r.static_w, 1e-15, 0);
}

static void test_events_sum_to_their_components(void **state)
{
    (void)state;
    ww_power_result r = evaluate(&busy);
    ww_launch_record launch = fixture_launch(&busy);
    double event_j[WW_COMPONENT_COUNT] = {0}, background_j[WW_COMPONENT_COUNT] = {0};
    size_t n;
    const ww_power_event *events = ww_power_events(model, &n);
    for (size_t i = 0; i < n; i++) {
        double *sum = events[i].kind == WW_POWER_EVENT ? event_j : background_j;
        sum[events[i].component] += ww_power_event_j(&events[i], &busy, &launch);
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        assert_near(event_j[c], r.component[c].event_j, 1e-14, 0);
        assert_near(background_j[c], r.component[c].background_j, 1e-14, 0);
    }
}

static void test_energy_is_additive(void **state)
{
    (void)state;
    ww_counter_set a, sum;
    assert_ok(ww_counter_set_init(&a, 16, 12, 6, &err), err);
    assert_ok(ww_counter_set_init(&sum, 16, 12, 6, &err), err);
    fixture_activity(&a, 3, 150e9);
    assert_ok(ww_counter_set_copy(&sum, &a, &err), err);
    assert_ok(ww_counter_set_add(&sum, &busy, &err), err);
    ww_power_result ra = evaluate(&a), rb = evaluate(&busy), rs = evaluate(&sum);
    assert_near(ra.time_s + rb.time_s, rs.time_s, 1e-14, 0);
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        assert_near(ra.component[c].event_j + rb.component[c].event_j, rs.component[c].event_j,
                    1e-12, 0);
        assert_near(ra.component[c].background_j + rb.component[c].background_j,
                    rs.component[c].background_j, 1e-12, 0);
        assert_near(ra.component[c].leakage_j + rb.component[c].leakage_j,
                    rs.component[c].leakage_j, 1e-12, 0);
    }
    assert_near(ra.total_j + rb.total_j, rs.total_j, 1e-12, 0);
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&sum);
}

/* Where the work happens must not matter. */
static void test_instances_are_interchangeable(void **state)
{
    (void)state;
    ww_counter_set a, b;
    assert_ok(ww_counter_set_init(&a, 16, 12, 6, &err), err);
    assert_ok(ww_counter_set_init(&b, 16, 12, 6, &err), err);
    a.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 1000;
    b.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 1000;
    a.block[WW_SCOPE_SM][0].v[WW_C_RF_READ_LANES] = 12345;
    b.block[WW_SCOPE_SM][15].v[WW_C_RF_READ_LANES] = 12345;
    ww_power_result ra = evaluate(&a), rb = evaluate(&b);
    assert_true(ra.component[WW_COMPONENT_RF].event_j == rb.component[WW_COMPONENT_RF].event_j);
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&b);
}

static void test_an_idle_gpu_draws_background_and_static_power_only(void **state)
{
    (void)state;
    ww_counter_set idle, active;
    assert_ok(ww_counter_set_init(&idle, 16, 12, 6, &err), err);
    assert_ok(ww_counter_set_init(&active, 16, 12, 6, &err), err);
    fixture_put(&idle, WW_C_CORE_CYCLES, FIXTURE_CYCLES);
    ww_power_result r = evaluate(&idle);
    assert_near(r.event_j, 0, 0, 0);
    assert_near(r.component[WW_COMPONENT_BP].dynamic_w, 0, 0, 0);
    assert_near(r.component[WW_COMPONENT_CP].dynamic_w, 0, 0, 0);
    assert_near(r.component[WW_COMPONENT_MC].dynamic_w, 2.8, 1e-12, 0);
    assert_near(r.component[WW_COMPONENT_GM].dynamic_w, 5.8, 1e-12, 0);
    assert_near(r.dynamic_w, 8.6, 1e-12, 0);
    assert_true(r.static_w > 0);
    /* An SM that holds a CTA and does nothing costs more than an empty one, never less. */
    fixture_activity(&active, 0, 0);
    ww_power_result all = evaluate(&active);
    assert_near(all.component[WW_COMPONENT_BP].dynamic_w, 16 * 0.24, 1e-12, 0);
    assert_near(all.component[WW_COMPONENT_CP].dynamic_w, 4 * 3.4, 1e-12, 0);
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        assert_true(all.component[c].dynamic_w >= r.component[c].dynamic_w);
    }
    ww_counter_set_fini(&idle);
    ww_counter_set_fini(&active);
}

/* At another clock, energy per event stays, activation energy per cycle stays, background power
 * stays. */
static void test_clocks(void **state)
{
    (void)state;
    ww_launch_record launch = fixture_launch(&busy);
    ww_power_result fast, slow;
    assert_ok(ww_power_evaluate(model, &busy, &launch, &fast, &err), err);
    launch.core_hz /= 2;
    assert_ok(ww_power_evaluate(model, &busy, &launch, &slow, &err), err);
    assert_near(slow.time_s, 2 * fast.time_s, 1e-14, 0);
    assert_near(slow.event_j, fast.event_j, 1e-14, 0);
    assert_near(slow.component[WW_COMPONENT_BP].dynamic_w,
                fast.component[WW_COMPONENT_BP].dynamic_w / 2, 1e-14, 0);
    assert_near(slow.component[WW_COMPONENT_MC].background_j,
                2 * fast.component[WW_COMPONENT_MC].background_j, 1e-14, 0);
    assert_near(slow.static_w, fast.static_w, 1e-14, 0);
}

static void test_the_same_counters_give_the_same_bits(void **state)
{
    (void)state;
    ww_power_result a = evaluate(&busy), b = evaluate(&busy);
    assert_memory_equal(&a, &b, sizeof a);
    ww_arch arch = fixture_arch();
    ww_power_model *again;
    again = fixture_model(&arch);
    ww_launch_record launch = fixture_launch(&busy);
    assert_ok(ww_power_evaluate(again, &busy, &launch, &b, &err), err);
    assert_memory_equal(&a, &b, sizeof a);
    ww_power_model_destroy(again);
}

static void test_what_cannot_be_judged_is_an_error(void **state)
{
    (void)state;
    ww_counter_set none, other;
    ww_power_result r = {.time_s = 42};
    assert_ok(ww_counter_set_init(&none, 16, 12, 6, &err), err);
    assert_ok(ww_counter_set_init(&other, 15, 12, 6, &err), err);
    ww_launch_record launch = fixture_launch(&none);
    assert_int_equal(ww_power_evaluate(model, &none, &launch, &r, &err), WW_ENUMERIC);
    assert_int_equal(ww_power_evaluate(model, &other, &launch, &r, &err), WW_ERANGE);
    launch.core_hz = 0;
    assert_int_equal(ww_power_evaluate(model, &busy, &launch, &r, &err), WW_ENUMERIC);
    launch.core_hz = NAN;
    assert_int_equal(ww_power_evaluate(model, &busy, &launch, &r, &err), WW_ENUMERIC);
    assert_near(r.time_s, 42, 0, 0);
    ww_counter_set_fini(&none);
    ww_counter_set_fini(&other);
}

static void test_unknown_technology_is_an_error(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_model *out = NULL;
    ww_error why = {0};
    arch.mem.device = "no-such-device";
    assert_int_equal(ww_power_model_create(&arch, FIXTURE_TECH, &out, &why), WW_ENOTFOUND);
    arch = fixture_arch();
    arch.chip.feature_m = 41e-9;
    assert_int_equal(ww_power_model_create(&arch, FIXTURE_TECH, &out, &why), WW_ENOTFOUND);
    assert_null(out);
}

/* Each allocation may fail without leak or crash (leaks show under the address sanitizer). */
static void test_memory_runs_out_cleanly(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    for (size_t k = 1; k < 4000; k = k < 40 ? k + 1 : k + k / 8) {
        ww_error why = {0};
        ww_power_model *out = NULL;
        ww_mem_fail_after(k);
        ww_status status = ww_power_model_create(&arch, FIXTURE_TECH, &out, &why);
        ww_mem_fail_after(0);
        ww_power_model_destroy(out);
        if (status == WW_OK) {
            assert_true(k > 10);
            return;
        }
        assert_int_equal(status, WW_ENOMEM);
    }
    fail();
}

static void test_the_tree_prints_factor_and_source(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.power.rf_factor = 1.5;
    arch.power.static_w = 80;
    ww_power_model *scaled;
    scaled = fixture_model(&arch);
    ww_str text = {0};
    ww_power_describe(scaled, &text);
    assert_ok(ww_str_check(&text, &err), err);
    assert_non_null(strstr(ww_str_text(&text), "x 1.5)"));
    assert_non_null(strstr(ww_str_text(&text), "static power 80 W"));
    assert_non_null(strstr(ww_str_text(&text), "array model: "));
    assert_non_null(strstr(ww_str_text(&text), " per sm.rf.read.lanes"));
    assert_near(ww_power_static_w(scaled), 80, 1e-12, 0);
    ww_str_fini(&text);
    ww_power_model_destroy(scaled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_and_static_sum_to_total),
        cmocka_unit_test(test_events_sum_to_their_components),
        cmocka_unit_test(test_energy_is_additive),
        cmocka_unit_test(test_instances_are_interchangeable),
        cmocka_unit_test(test_an_idle_gpu_draws_background_and_static_power_only),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_the_same_counters_give_the_same_bits),
        cmocka_unit_test(test_what_cannot_be_judged_is_an_error),
        cmocka_unit_test(test_unknown_technology_is_an_error),
        cmocka_unit_test(test_memory_runs_out_cleanly),
        cmocka_unit_test(test_the_tree_prints_factor_and_source),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
