/* Are ratios, energies and geometric means those of a hand calculation? */
#include <string.h>

#include "analysis/compare.h"
#include "tests/support/test.h"

static ww_study *make(const char *name, const char *const *kernel, size_t n, const double *ipc,
                      const double *power, const double *time)
{
    ww_error err = {0};
    ww_study *s = NULL;
    assert_ok(ww_study_create(name, n, 1, 0, &s, &err), err);
    s->metric[0].name = "IPC";
    for (size_t i = 0; i < n; i++) {
        s->kernel[i] = kernel[i];
        s->metric[0].value[i] = ipc[i];
        s->dynamic_w[i] = power[i];
        s->static_w[i] = 10;
        s->time_s[i] = time[i];
    }
    return s;
}

static void hand_computed(void **state)
{
    (void)state;
    static const char *const base_kernels[] = {"a", "b", "only base"};
    static const char *const other_kernels[] = {"b", "a"};
    const double ipc[] = {100, 200, 1}, power[] = {30, 40, 1}, time[] = {2, 4, 1};
    const double ipc2[] = {400, 400}, power2[] = {70, 50}, time2[] = {2, 1};
    ww_error err = {0};
    ww_comparison c;
    ww_study *a = make("base", base_kernels, 3, ipc, power, time);
    ww_study *b = make("new", other_kernels, 2, ipc2, power2, time2);
    const ww_study *const set[] = {a, b};
    assert_ok(ww_compare(set, NULL, 2, &c, &err), err);
    assert_int_equal(c.kernels, 2);
    assert_int_equal(c.left_out, 1);
    assert_true(c.with_static);
    assert_string_equal(c.kernel[0], "a");
    /* a: IPC 100 -> 400, power 40 -> 60, time 2 -> 1; b: IPC 200 -> 400, power 50 -> 80, time 4 ->
     * 2 */
    assert_near(ww_comparison_ratio(&c, 1, 0, WW_QUANTITY_IPC), 4, 1e-12, 0);
    assert_near(ww_comparison_ratio(&c, 1, 0, WW_QUANTITY_POWER), 1.5, 1e-12, 0);
    assert_near(ww_comparison_ratio(&c, 1, 0, WW_QUANTITY_ENERGY), 0.75, 1e-12, 0);
    assert_near(ww_comparison_ratio(&c, 1, 1, WW_QUANTITY_EDP), 0.4, 1e-12, 0);
    assert_near(ww_comparison_geomean(&c, 1, WW_QUANTITY_IPC), sqrt(8), 1e-12, 0);
    assert_near(ww_comparison_geomean(&c, 1, WW_QUANTITY_TIME), 0.5, 1e-12, 0);
    assert_near(ww_comparison_geomean(&c, 0, WW_QUANTITY_EDP), 1, 0, 0);
    ww_comparison_fini(&c);
    /* Power without static power is compared without it everywhere. */
    b->static_w[0] = NAN;
    assert_ok(ww_compare(set, NULL, 2, &c, &err), err);
    assert_false(c.with_static);
    assert_near(ww_comparison_ratio(&c, 1, 0, WW_QUANTITY_POWER), 50.0 / 30, 1e-12, 0);
    ww_comparison_fini(&c);
    ww_study_destroy(a);
    ww_study_destroy(b);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const one[] = {"a"}, *const two[] = {"b"};
    const double v[] = {1}, zero[] = {0};
    ww_error err = {0};
    ww_comparison c;
    ww_study *a = make("x", one, 1, v, v, v), *b = make("y", two, 1, v, v, v);
    ww_study *z = make("z", one, 1, zero, v, v);
    const ww_study *const apart[] = {a, b};
    const ww_study *const dead[] = {z, a};
    assert_int_equal(ww_compare(apart, NULL, 1, &c, &err), WW_ERANGE);
    assert_int_equal(ww_compare(apart, NULL, 2, &c, &err), WW_ENOTFOUND);
    assert_int_equal(ww_compare(dead, NULL, 2, &c, &err), WW_ENUMERIC);
    assert_non_null(strstr(err.what, "IPC of kernel 'a' in 'z'"));
    ww_study_destroy(a);
    ww_study_destroy(b);
    ww_study_destroy(z);
}

/* ---- uncertainties ---- */

/* Of kernels "a" and "b", whose joules the register file takes whole, or the L2 half; the second's
 * power is by a tenth uncertain. */
static ww_study *make_sure(const char *name, const ww_power_errors *errors, const double *power)
{
    static const char *const kernels[] = {"a", "b"};
    const double ipc[] = {1, 1}, time[] = {1, 1};
    ww_study *s = make(name, kernels, 2, ipc, power, time);
    s->group_j = WW_ARENA_NEW_ARRAY(&s->arena, double, (size_t)2 * WW_GROUP_COUNT);
    assert_non_null(s->group_j);
    s->group_j[WW_GROUP_RF] = 10;
    s->group_j[WW_GROUP_COUNT + WW_GROUP_RF] = s->group_j[WW_GROUP_COUNT + WW_GROUP_L2] = 5;
    s->sampled_j[0] = s->sampled_j[1] = 0;
    s->sigma_w[0] = 3;
    s->sigma_w[1] = 0.1 * (power[1] + s->static_w[1]);
    s->errors = errors;
    s->error_source = "one table";
    return s;
}

/* Factors of the register file 30 % wrong, of the L2 40 %, each on its own. */
static ww_power_errors independent(void)
{
    ww_power_errors e = {0};
    e.sigma[WW_GROUP_RF] = 0.3;
    e.sigma[WW_GROUP_L2] = 0.4;
    for (int i = 0; i < WW_ERROR_COUNT; i++) {
        e.correlation[i][i] = 1;
    }
    return e;
}

/* Two cards: of "a" 0.3 and 0.3; of "b" half of 0.3 and half of 0.4 each. The mean's shares are
 * three quarters and a quarter. One card: all of it cancels. */
static void ratios_are_as_uncertain_as_both_sets(void **state)
{
    (void)state;
    const double watts[] = {30, 40}, twice[] = {70, 90};
    const ww_power_errors errors = independent();
    ww_error err = {0};
    ww_comparison c;
    ww_study *a = make_sure("base", &errors, watts), *b = make_sure("new", &errors, twice);
    const ww_study *const set[] = {a, b};
    b->error_source = "another table";
    assert_ok(ww_compare(set, NULL, 2, &c, &err), err);
    const double one[] = {sqrt(2) * 0.3, sqrt(2) * hypot(0.15, 0.2)},
                 mean = sqrt(2) * hypot(0.75 * 0.3, 0.25 * 0.4);
    for (size_t k = 0; k < 2; k++) {
        assert_near(ww_comparison_ratio_uncertainty(&c, 1, k, WW_QUANTITY_ENERGY), 2 * one[k],
                    1e-12, 0);
        assert_true(isnan(ww_comparison_ratio_uncertainty(&c, 0, k, WW_QUANTITY_ENERGY)));
        assert_true(isnan(ww_comparison_ratio_uncertainty(&c, 1, k, WW_QUANTITY_TIME)));
        assert_int_equal(ww_comparison_difference(&c, 1, k, WW_QUANTITY_POWER),
                         WW_DIFFERENCE_WITHIN); /* log 2 = 0.69 */
    }
    assert_near(ww_comparison_ratio_uncertainty(&c, 1, 2, WW_QUANTITY_ENERGY), 2 * mean, 1e-12, 0);
    assert_near(ww_comparison_uncertainty(&c, 0, 0, WW_QUANTITY_POWER), 3, 1e-12, 0);
    assert_near(ww_comparison_uncertainty(&c, 1, 1, WW_QUANTITY_ENERGY), 10, 1e-12, 0);
    ww_comparison_fini(&c);
    b->error_source = "one table";
    assert_ok(ww_compare(set, NULL, 2, &c, &err), err);
    for (size_t k = 0; k <= 2; k++) {
        assert_near(ww_comparison_ratio_uncertainty(&c, 1, k, WW_QUANTITY_ENERGY), 0, 0, 1e-12);
        assert_int_equal(ww_comparison_difference(&c, 1, k, WW_QUANTITY_ENERGY),
                         WW_DIFFERENCE_EXCEEDS);
    }
    ww_comparison_fini(&c);
    ww_study_destroy(a);
    ww_study_destroy(b);
}

/* Whichever allocation fails, of what sets rest on too, it is told, and what was had is released.
 */
static void memory_runs_out_cleanly(void **state)
{
    (void)state;
    const double watts[] = {30, 40};
    const ww_power_errors errors = independent();
    ww_study *a = make_sure("base", &errors, watts), *b = make_sure("new", &errors, watts);
    const ww_study *const set[] = {a, b};
    ww_status status = WW_ENOMEM;
    size_t k = 0;
    while (status != WW_OK) {
        ww_error err = {0};
        ww_comparison c;
        ww_mem_fail_after(++k);
        status = ww_compare(set, NULL, 2, &c, &err);
        ww_mem_fail_after(0);
        assert_true(status == WW_OK || status == WW_ENOMEM);
        ww_comparison_fini(&c);
    }
    assert_true(k > 2); /* the exposures of either set, and the arena */
    ww_study_destroy(a);
    ww_study_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_computed),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ratios_are_as_uncertain_as_both_sets),
        cmocka_unit_test(memory_runs_out_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
