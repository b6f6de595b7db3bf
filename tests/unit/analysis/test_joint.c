/* test_joint.c - do cards that were measured tell what another's factors are, how well, and how far
 * off that would have been for each of them? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/joint.h"
#include "tests/support/allocated.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#define CARDS "what,name,table,settings,value,sigma,source\n"
#define ROWS  "activity,kernel,component,measured,sigma,source\n"

static char folder[FOLDER_PATH];

static const char *write_file(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static ww_status fit(const char *cards, ww_joint *out, ww_error *err)
{
    *err = (ww_error){0};
    return ww_joint_fit(write_file("cards.csv", cards), false, out, err);
}

/* A card's row of the register file, measured as so many times its structural model. */
static void write_measured(const char *name, const ww_joint *one, size_t card, double times)
{
    const ww_calibration *c = &one->card[card].calibration;
    double model_w = c->fit_row[0].part_w[0] / ww_calibration_through(c->arch, &c->factor[0]);
    char rows[256];
    snprintf(rows, sizeof rows, ROWS "rates,integer=1,RF,%.17g W,0.02,x\n",
             times * model_w + c->fit_row[0].fixed_w);
    write_file(name, rows);
}

static void measured_cards_tell_of_another(void **state)
{
    static const char cards[] = CARDS "factor,rf_factor,,,1,1,x\n"
                                      "card,qv100,qv100.csv,,,,x\n"
                                      "card,titanx-pascal,titanx.csv,sm.count=30,,,x\n"
                                      "card,a100,a100.csv,,,,x\n";
    (void)state;
    ww_joint one, j;
    ww_error err;
    write_file("qv100.csv", ROWS "rates,integer=1,RF,1 W,0.02,x\n");
    write_file("titanx.csv", ROWS "rates,integer=1,RF,1 W,0.02,x\n");
    write_file("a100.csv", ROWS);
    assert_ok(fit(cards, &one, &err), err);
    write_measured("qv100.csv", &one, 0, 2);
    write_measured("titanx.csv", &one, 1, 3);
    ww_joint_fini(&one);
    assert_ok(fit(cards, &j, &err), err);
    double own[3];
    for (size_t i = 0; i < 3; i++) {
        const ww_calibration *c = &j.card[i].calibration;
        own[i] = ww_calibration_through(c->arch, &c->factor[0]) * c->fit.factor[0].value;
    }
    assert_near(own[0], 2, 0.02, 0);
    assert_near(own[1], 3, 0.02, 0);
    /* Between the two, as near as they are to each other. */
    assert_true(own[2] > 2 && own[2] < 3);
    assert_near(own[2], j.factor[0].value, 1e-6, 0);
    assert_true(j.between > 0.05 && j.between < 0.5);
    assert_true(j.card[2].calibration.fit.factor[0].log_sigma >= j.between);
    /* Without its row each is predicted by the other. */
    const ww_calibration *c = &j.card[0].calibration;
    assert_true(c->fit.left_out_w[0] > 1.2 * c->fit_row[0].measured_w);
    assert_near(1 + ww_calibration_left_out_error(c, 0),
                c->fit.left_out_w[0] / c->fit_row[0].measured_w, 1e-12, 0);
    ww_joint_fini(&j);
}

static void what_is_known_of_a_card_counts_for_it(void **state)
{
    (void)state;
    ww_joint j;
    ww_error err;
    write_file("empty.csv", ROWS);
    assert_ok(fit(CARDS "factor,l2_factor,,,1,1,x\ncard,qv100,empty.csv,,,,x\n"
                        "known,l2_factor,qv100,,4,0.01,x\n",
                  &j, &err),
              err);
    const ww_calibration *c = &j.card[0].calibration;
    assert_near(ww_calibration_through(c->arch, &c->factor[0]) * c->fit.factor[0].value, 4, 0.02,
                0);
    ww_joint_fini(&j);
}

/* A fit releases all that it took, of each card. */
static void fits_leave_nothing_behind(void **state)
{
    enum { FITS = 8, NOISE = 4096 };
    (void)state;
    size_t before = 0;
    write_file("one.csv", ROWS "rates,integer=1,RF,1 W,0.02,x\n");
    for (unsigned k = 0; k <= FITS; k++) {
        ww_joint j;
        ww_error err;
        before = k == 1 ? test_allocated() : before; /* the first takes what stays */
        assert_ok(fit(CARDS "factor,rf_factor,,,1,1,x\ncard,qv100,one.csv,,,,x\n", &j, &err), err);
        ww_joint_fini(&j);
    }
    assert_true(test_allocated() < before + (size_t)FITS * NOISE);
}

/* Of two cards that are alike one says that its rows' bits count: what zeros move costs less there,
 * of the same rates. */
static void bits_count_for_the_cards_that_say_so(void **state)
{
    (void)state;
    ww_joint j;
    ww_error err;
    write_file("zeros.csv", ROWS "rates,l2=0.5 memory=0,NOC,9 W,0.02,x\n");
    assert_ok(fit(CARDS "factor,noc_factor,,,1,1,x\ncard,a100,zeros.csv,,,,x\n"
                        "card,a100-pcie,zeros.csv,clock.core_hz=1.2e9 toggles=true,,,x\n"
                        "card,a100-pcie,zeros.csv,clock.core_hz=1.2e9,,,x\n",
                  &j, &err),
              err);
    const double counted = j.card[1].calibration.fit_row[0].part_w[0],
                 assumed = j.card[2].calibration.fit_row[0].part_w[0];
    assert_true(counted > 0 && counted < 0.5 * assumed);
    assert_true(j.card[0].calibration.fit_row[0].part_w[0] > assumed); /* at another clock */
    ww_joint_fini(&j);
}

static void what_is_wrong_is_located(void **state)
{
    static const char *const wrong[] = {
        CARDS "factor,rf_factor,,,0,1,x\n",
        CARDS "nothing,rf_factor,,,1,1,x\n",
        CARDS "known,rf_factor,qv100,,1,1,x\n",
        CARDS "factor,rf_factor,,,wide,1,x\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ww_joint j;
        ww_error err;
        assert_int_not_equal(fit(wrong[i], &j, &err), WW_OK);
        assert_int_equal(err.line, 2);
        ww_joint_fini(&j);
    }
}

static void a_card_without_a_factor_is_refused(void **state)
{
    (void)state;
    ww_joint j;
    ww_error err;
    write_file("empty.csv", ROWS);
    assert_int_equal(fit(CARDS "card,qv100,empty.csv,,,,x\n", &j, &err), WW_ERANGE);
    ww_joint_fini(&j);
    assert_int_equal(
        fit(CARDS "factor,nothing_factor,,,1,1,x\ncard,qv100,empty.csv,,,,x\n", &j, &err),
        WW_ENOTFOUND);
    ww_joint_fini(&j);
    assert_int_equal(
        fit(CARDS "factor,rf_factor,,,1,1,x\ncard,qv100,empty.csv,nothing,,,x\n", &j, &err),
        WW_EPARSE);
    ww_joint_fini(&j);
}

static int make_folder(void **state)
{
    (void)state;
    return folder_create(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_cards_tell_of_another),
        cmocka_unit_test(what_is_known_of_a_card_counts_for_it),
        cmocka_unit_test(fits_leave_nothing_behind),
        cmocka_unit_test(bits_count_for_the_cards_that_say_so),
        cmocka_unit_test(what_is_wrong_is_located),
        cmocka_unit_test(a_card_without_a_factor_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
