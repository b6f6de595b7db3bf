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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_computed),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
