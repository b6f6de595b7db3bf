/* test_mechanisms.c - are the measures of mechanisms the ratios that their papers define? */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "analysis/export.h"

static void put(ww_counter_set *set, ww_counter counter, uint64_t value)
{
    set->block[ww_counter_describe(counter)->scope][0].v[counter] = value;
}

/* 400 reads, 100 prefetches of which 30 were used in time after 100 cycles each, 20 late after 50,
 * 10 too early; 250 fills. */
static void ratios_by_hand(void **state)
{
    (void)state;
    ww_arch arch = {.mechs = UINT64_C(1) << WW_MECH_NLP};
    ww_counter_set set;
    ww_error err = {0};
    assert_ok(ww_counter_set_init(&set, 1, 1, 1, &err), err);
    put(&set, WW_C_L1D_READ_HIT, 150);
    put(&set, WW_C_L1D_READ_MISS, 250);
    put(&set, WW_C_L1D_FILL, 250);
    put(&set, WW_C_PF_ISSUED, 100);
    put(&set, WW_C_PF_USED, 30);
    put(&set, WW_C_PF_LATE, 20);
    put(&set, WW_C_PF_EARLY, 10);
    put(&set, WW_C_PF_DISTANCE, 30 * 100 + 20 * 50);
    const ww_launch_record launch = {.workload = "w", .kernel = "k", .counters = &set};
    const ww_result_set results = {.arch = &arch, .launches = &launch, .launch_count = 1};
    ww_str out = {0};
    assert_ok(ww_export_mechanisms(&results, &out, &err), err);
    static const char *const rows[] = {
        "w,k,0,nlp,coverage,0.25,1,",   "w,k,0,nlp,accuracy,0.5,1,",
        "w,k,0,nlp,early,0.1,1,",       "w,k,0,nlp,late,0.2,1,",
        "w,k,0,nlp,distance,80,cycle,", "w,k,0,nlp,wasted_traffic,0.2,1,",
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (strstr(ww_str_text(&out), rows[i]) == NULL) {
            fail_msg("no row '%s' in\n%s", rows[i], ww_str_text(&out));
        }
    }
    assert_null(strstr(ww_str_text(&out), ",uv,")); /* is not active */
    ww_str_fini(&out);

    put(&set, WW_C_PF_ISSUED, 0); /* a ratio over nothing is empty, not a number */
    assert_ok(ww_export_mechanisms(&results, &out, &err), err);
    assert_non_null(strstr(ww_str_text(&out), "nlp,accuracy,,1,"));
    ww_str_fini(&out);
    ww_counter_set_fini(&set);
}

/* 10 of 100 prefetches and 270 of 300 are 70 % of all, by counts and not by launches, of which the
 * third has none. */
static void launches_are_pooled(void **state)
{
    (void)state;
    static const uint64_t sent[] = {100, 300, 0}, used[] = {10, 270, 0};
    ww_arch arch = {.mechs = UINT64_C(1) << WW_MECH_NLP};
    ww_counter_set set[3];
    ww_launch_record launch[3];
    ww_error err = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(ww_counter_set_init(&set[i], 1, 1, 1, &err), err);
        put(&set[i], WW_C_PF_ISSUED, sent[i]);
        put(&set[i], WW_C_PF_USED, used[i]);
        launch[i] = (ww_launch_record){.workload = "w", .kernel = "k", .counters = &set[i]};
    }
    const ww_result_set results = {.arch = &arch, .launches = launch, .launch_count = 3};
    ww_arena arena = {0};
    ww_mechanism_sum *sum;
    size_t count;
    assert_ok(ww_mechanism_sums(&results, &arena, &sum, &count, &err), err);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(sum[i].mechanism, "nlp");
        if (strcmp(sum[i].measure, "accuracy") == 0) {
            assert_near(sum[i].value, 0.7, 1e-12, 0);
            found++;
        } else if (strcmp(sum[i].measure, "coverage") == 0) {
            assert_true(isnan(sum[i].value)); /* no read at all */
            found++;
        }
    }
    assert_int_equal(found, 2);
    ww_arena_fini(&arena);
    for (size_t i = 0; i < 3; i++) {
        ww_counter_set_fini(&set[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_by_hand),
        cmocka_unit_test(launches_are_pooled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
