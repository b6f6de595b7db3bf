/* test_calibration.c - does a table of measurements become the factors that explain it, and is what
 * is wrong with a row said with its place? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/calibration.h"
#include "tests/support/test.h"

#define HEAD "activity,kernel,component,measured,sigma,source\n"

/* Nothing has launches here. */
static ww_status no_launch(void *user, const char *activity, const char *kernel,
                           const ww_launch_record **out, ww_error *err)
{
    (void)activity;
    (void)kernel;
    (void)err;
    ++*(int *)user;
    *out = NULL;
    return WW_OK;
}

static ww_status fit_counted(const char *rows, bool toggles, const ww_arch *arch,
                             ww_calibration *out, int *asked, ww_error *err)
{
    char path[] = "/tmp/ww_test_calibration_XXXXXX";
    int fd = mkstemp(path);
    *err = (ww_error){0};
    *asked = 0;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, HEAD, strlen(HEAD)), (ssize_t)strlen(HEAD));
    assert_int_equal(write(fd, rows, strlen(rows)), (ssize_t)strlen(rows));
    close(fd);
    ww_status status = ww_calibration_fit(
        path, arch, (ww_calibration_source){no_launch, asked, toggles}, out, err);
    unlink(path);
    return status;
}

static ww_status fit(const char *rows, const ww_arch *arch, ww_calibration *out, int *asked,
                     ww_error *err)
{
    return fit_counted(rows, false, arch, out, asked, err);
}

static void twice_the_power_is_twice_the_factor(void **state)
{
    const ww_arch *arch = *state;
    ww_calibration c;
    ww_error err;
    int asked;
    char rows[256];
    assert_ok(fit("rates,integer=1,RF,1 W,0.01,x\n", arch, &c, &asked, &err), err);
    assert_true(c.factors == 1 && c.rows == 1 && asked == 0);
    assert_string_equal(c.factor[0].key, "rf_factor");
    double model_w = c.fit_row[0].part_w[0], rest_w = c.fit_row[0].fixed_w;
    assert_true(model_w > 0.1);
    ww_calibration_fini(&c);
    snprintf(rows, sizeof rows, "rates,integer=1,RF,%.17g W,0.01,x\n", 2 * model_w + rest_w);
    assert_ok(fit(rows, arch, &c, &asked, &err), err);
    assert_near(c.fit.factor[0].value, 2, 0.01, 0);
    assert_near(ww_calibration_fitted(&c, 0), 2 * ww_calibration_described(&c, "rf_factor"), 0.01,
                0);
    assert_true(ww_calibration_covariance(&c, 0, 0) > 0 &&
                ww_calibration_covariance(&c, 0, 0) < 0.01);
    ww_calibration_fini(&c);
}

static void what_is_known_before_holds_against_little(void **state)
{
    const ww_arch *arch = *state;
    ww_calibration c;
    ww_error err;
    int asked;
    char rows[512];
    assert_ok(fit("rates,integer=1,RF,1 W,0.01,x\n", arch, &c, &asked, &err), err);
    double model_w = c.fit_row[0].part_w[0], now = ww_calibration_described(&c, "rf_factor");
    ww_calibration_fini(&c);
    snprintf(rows, sizeof rows, "prior,,rf_factor,%.17g,0.01,x\nrates,integer=1,RF,%.17g W,1,x\n",
             now, 2 * model_w);
    assert_ok(fit(rows, arch, &c, &asked, &err), err);
    assert_near(c.fit.factor[0].value, 1, 0.02, 0);
    ww_calibration_fini(&c);
}

/* A factor that is known is a row more, which what comes next in the arena leaves alone. */
static void what_is_known_is_a_row_of_its_own(void **state)
{
    const ww_arch *arch = *state;
    ww_calibration c;
    ww_error err;
    int asked;
    assert_ok(fit("rates,integer=1,RF,1 W,0.01,x\n", arch, &c, &asked, &err), err);
    assert_ok(ww_calibration_know(&c, 0, 3, 0.5, &err), err);
    char *next = WW_ARENA_NEW_ARRAY(&c.arena, char, 64);
    assert_non_null(next);
    memset(next, 0xff, 64);
    assert_int_equal(c.rows, 2);
    assert_near(c.fit_row[0].measured_w, 1, 1e-12, 0);
    assert_near(c.fit_row[1].measured_w, 3, 1e-12, 0);
    assert_near(c.fit_row[1].sigma_w, 1.5, 1e-12, 0);
    assert_near(c.fit_row[1].part_w[0], ww_calibration_through(arch, &c.factor[0]), 1e-12, 0);
    ww_calibration_fini(&c);
}

static void a_wrong_row_is_located(void **state)
{
    static const char *const wrong[] = {
        "rates,integer=1,RF,1 V,0.01,x\n",
        "rates,integer=1,RF,,0.01,x\n",
        "rates,integer=1,RF,1 nJ/sm.nothing,0.1,x\n",
        "rates,nothing=1,RF,1 W,0.01,x\n",
        "rates,integer=1,RF,1 W,wide,x\n",
        "prior,,rf_factor,0,0.1,x\n",
        "prior,,rf_factor,1,-1,x\n",
        "prior,,nothing_factor,1,1,x\n",
        "some.xml,kernel,RF,1 W,0.1,x\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ww_calibration c;
        ww_error err;
        int asked;
        assert_int_not_equal(fit(wrong[i], *state, &c, &asked, &err), WW_OK);
        assert_int_equal(err.line, 2);
        assert_true(err.column >= 1);
        ww_calibration_fini(&c);
    }
}

static void nothing_is_fitted_twice(void **state)
{
    ww_calibration c;
    ww_error err;
    int asked;
    assert_int_equal(
        fit("prior,,rf_factor,1,0.1,x\nprior,,rf_factor,1,0.2,x\n", *state, &c, &asked, &err),
        WW_ESCHEMA);
    assert_non_null(strstr(err.what, "fitted twice"));
    ww_calibration_fini(&c);
}

/* A card whose integers cost twice as much predicts twice their power, and nothing else of it;
 * watts stay the card's own. */
static void a_card_left_out_is_predicted_by_another(void **state)
{
    const ww_arch *arch = *state;
    static const ww_setting twice[] = {{"power.int_factor", "2.104"}, {"power.constant_w", "500"}};
    char path[] = "/tmp/ww_test_calibration_XXXXXX";
    const char *rows = HEAD "prior,,int_factor,1,0.5,x\nprior,,constant_w,32,0.1,x\n"
                            "rates,integer=1 core_mhz=1402,TOTAL,400 W,0.05,x\n";
    int fd = mkstemp(path), asked = 0;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, rows, strlen(rows)), (ssize_t)strlen(rows));
    close(fd);
    ww_error err = {0};
    ww_arch *from = NULL;
    ww_calibration c;
    const ww_calibration_source source = {no_launch, &asked, false};
    assert_ok(ww_arch_load("qv100", twice, WW_ARRAY_LEN(twice), &from, &err), err);
    assert_ok(ww_calibration_carry(path, arch, from, source, &c, &err), err);
    double ratio = 2.104 / ww_calibration_described(&c, "int_factor");
    assert_near(c.fit.factor[0].value, ratio, 1e-9, 0);
    assert_near(c.fit.factor[1].value, 1, 0, 0);
    const ww_fit_row *row = &c.fit_row[0];
    double expected = row->fixed_w + ratio * row->part_w[0] + row->part_w[1];
    assert_near(c.fit.model_w[0], expected, 1e-9, 0);
    const ww_carried s = ww_calibration_carried(&c);
    assert_int_equal(s.rows, 1);
    assert_near(s.signed_mean, expected / 400 - 1, 1e-9, 0);
    assert_near(s.rms, fabs(s.signed_mean), 1e-9, 0);
    double rest = row->fixed_w + row->part_w[1];
    assert_near(s.above_log_rms, fabs(log((expected - rest) / (400 - rest))), 1e-9, 0);
    ww_calibration_fini(&c);
    ww_arch_destroy(from);
    unlink(path);
}

static void only_powers_of_a_card_are_predicted(void **state)
{
    const ww_arch *arch = *state;
    char path[] = "/tmp/ww_test_calibration_XXXXXX";
    const char *rows = HEAD "prior,,rf_factor,1,0.5,x\nrates,integer=1,RF,1 W,0.01,x\n";
    int fd = mkstemp(path), asked = 0;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, rows, strlen(rows)), (ssize_t)strlen(rows));
    close(fd);
    ww_error err = {0};
    ww_calibration c;
    assert_int_equal(ww_calibration_carry(path, arch, arch,
                                          (ww_calibration_source){no_launch, &asked, false}, &c,
                                          &err),
                     WW_ERANGE);
    assert_non_null(strstr(err.what, "TOTAL"));
    ww_calibration_fini(&c);
    unlink(path);
}

static int open_card(void **state)
{
    ww_error err = {0};
    ww_arch *arch = NULL;
    if (ww_arch_load("qv100", NULL, 0, &arch, &err) != WW_OK) {
        return -1;
    }
    *state = arch;
    return 0;
}

static int close_card(void **state)
{
    ww_arch_destroy(*state);
    return 0;
}

/* What a factor is charged for in the first of two rows over what it is in the second. */
static double first_over_second(const char *rows, bool toggles, const ww_arch *arch)
{
    ww_calibration c;
    ww_error err;
    int asked;
    assert_ok(fit_counted(rows, toggles, arch, &c, &asked, &err), err);
    double share = c.fit_row[0].part_w[0] / c.fit_row[1].part_w[0];
    ww_calibration_fini(&c);
    return share;
}

/* Zeros switch none of the crossbar's wires but those of addresses, half as many bits as random
 * ones half of them; `data` stands for lanes' bits where these do not count. */
static void rows_are_charged_for_the_bits_that_they_say(void **state)
{
    static const char zeros[] = "rates,shared=0.5 memory=0,LDSTU,5 W,0.05,x\n"
                                "rates,shared=0.5,LDSTU,5 W,0.05,x\n"
                                "prior,,crossbar_factor,1,0.5,x\n";
    static const char quarter[] = "rates,shared=0.5 memory=0.25,LDSTU,5 W,0.05,x\n"
                                  "rates,shared=0.5,LDSTU,5 W,0.05,x\n"
                                  "prior,,crossbar_factor,1,0.5,x\n";
    static const char random[] = "rates,fp32_add=0.5 data=0.4 switched=0.5,EU,5 W,0.05,x\n"
                                 "rates,fp32_add=0.5,EU,5 W,0.05,x\n"
                                 "prior,,fp32_factor,1,0.5,x\n";
    assert_near(first_over_second(zeros, false, *state), 1, 1e-9, 0);
    double none = first_over_second(zeros, true, *state);
    assert_true(none > 0 && none < 0.1);
    assert_near(first_over_second(quarter, true, *state), (1 + none) / 2, 1e-9, 0);
    assert_near(first_over_second(random, false, *state), 0.4, 1e-9, 0);
    assert_near(first_over_second(random, true, *state), 1, 1e-9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_charged_for_the_bits_that_they_say),
        cmocka_unit_test(twice_the_power_is_twice_the_factor),
        cmocka_unit_test(what_is_known_before_holds_against_little),
        cmocka_unit_test(what_is_known_is_a_row_of_its_own),
        cmocka_unit_test(a_wrong_row_is_located),
        cmocka_unit_test(nothing_is_fitted_twice),
        cmocka_unit_test(a_card_left_out_is_predicted_by_another),
        cmocka_unit_test(only_powers_of_a_card_are_predicted),
    };
    return cmocka_run_group_tests(tests, open_card, close_card);
}
