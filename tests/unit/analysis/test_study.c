/* Are tables joined and launches averaged as documented, and does every faulty table get an error
 * with its line? */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/study.h"
#include "base/file.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

/* A folder of its own for each test. */
typedef struct place {
    char dir[FOLDER_PATH], metrics[96], power[96], kernels[96];
} place;

static int open_place(void **state)
{
    static place p;
    assert_int_equal(folder_create(p.dir), 0);
    snprintf(p.metrics, sizeof p.metrics, "%s/metrics.csv", p.dir);
    snprintf(p.power, sizeof p.power, "%s/power.csv", p.dir);
    snprintf(p.kernels, sizeof p.kernels, "%s/kernels.csv", p.dir);
    *state = &p;
    return 0;
}

static int close_place(void **state)
{
    return folder_remove(((place *)*state)->dir);
}

static void put(const char *path, const char *text)
{
    ww_error err = {0};
    assert_ok(ww_write_file(path, text, strlen(text), &err), err);
}

static void tables_are_joined_by_name(void **state)
{
    place *p = *state;
    ww_error err = {0};
    ww_study *s = NULL;
    put(p->metrics,
        "kernel,IPC [1/cycle],CE,TI_million,ET_us,my_own\na,10,,3,5,1\n\"b, c\",20,0.5,4,6,2\n");
    put(p->power, "kernel,EU [W],RF\n\"b, c\",3,4\na,1,2\n");
    assert_ok(ww_study_load_tables(p->metrics, p->power, &s, &err), err);
    assert_int_equal(s->metric_count, 4);
    assert_string_equal(s->metric[3].name, "my_own"); /* only known names lose a suffix */
    assert_string_equal(ww_study_metric(s, "IPC")->unit, "1/cycle");
    assert_true(isnan(ww_study_metric(s, "CE")->value[0]));
    assert_near(s->time_s[1], 6e-6, 1e-12, 0);
    assert_near(ww_study_component(s, "RF")->value[0], 2, 0, 0);
    assert_near(ww_study_component(s, "EU")->value[1], 3, 0, 0);
    assert_near(s->dynamic_w[1], 7, 0, 0); /* without a TP column: the sum */
    assert_true(isnan(s->static_w[0]));
    assert_null(ww_study_component(s, "TP"));
    ww_study_destroy(s);
}

static void check_table_error(place *p, const char *metrics, const char *power, ww_status code,
                              int line, const char *what)
{
    ww_error err = {0};
    ww_study *s = NULL;
    put(p->metrics, metrics);
    put(p->power, power);
    assert_int_equal(ww_study_load_tables(p->metrics, p->power, &s, &err), code);
    if (err.line != line || strstr(err.what, what) == NULL) {
        fail_msg("line %d: %s; expected line %d: %s", err.line, err.what, line, what);
    }
}

static void faulty_tables_are_located(void **state)
{
    place *p = *state;
    const char *good = "kernel,RF\na,1\nb,2\n";
    check_table_error(p, "kernel,IPC\na,1\nb,2\na,3\n", good, WW_ESCHEMA, 4,
                      "'a' has a row already");
    check_table_error(p, "kernel,IPC\na,1\nb,2\nc,3\n", good, WW_ENOTFOUND, 4, "'c' has no row in");
    check_table_error(p, "kernel,IPC\na,1\n", good, WW_ENOTFOUND, 3, "'b' has no row in");
    check_table_error(p, "kernel,IPC\na,1\nb,fast\n", good, WW_EPARSE, 3, "fast");
    check_table_error(p, "kernel,IPC\na,1\n,2\n", good, WW_ESCHEMA, 3, "no kernel name");
    check_table_error(p, "name,IPC\na,1\n", good, WW_ENOTFOUND, 1, "no column 'kernel'");
    check_table_error(p, "kernel,ET_days\na,1\nb,2\n", good, WW_ESCHEMA, 1, "execution time");
    check_table_error(p, "kernel,IPC\n", good, WW_ESCHEMA, 1, "no rows");
    check_table_error(p, "kernel,IPC\na,1\nb,2\n", "kernel,RF\na,1\nb,\n", WW_EPARSE, 3, "");
}

/* ---- result folders ---- */

#define KERNELS_HEAD "workload,kernel,launch,cycles [cycle],time [s],IPC,TI,AI,BI,MI,CE,SU,PS,AW\n"
#define POWER_HEAD                                                                                 \
    "workload,kernel,launch,component,event_energy [J],background_energy [J],leakage_energy [J]\n"

static void launches_are_averaged_by_cycles(void **state)
{
    place *p = *state;
    ww_error err = {0};
    ww_study *s = NULL;
    put(p->kernels, KERNELS_HEAD
        "w,k,0,100,1e-6,10,1,.5,.1,.2,,32,.5,8\nw,k,1,300,3e-6,50,2,.5,.1,.2,.25,16,.5,8\n"
        "x,x,0,100,1e-6,7,1,.5,.1,.2,1,32,.5,8\n");
    put(p->power, POWER_HEAD "w,k,0,RF,2e-6,0,1\nw,k,0,TOTAL,2e-6,0,1e-6\nw,k,1,RF,4e-6,2e-6,1\nw,"
                             "k,1,TOTAL,6e-6,0,3e-6\n"
                             "x,x,0,RF,5e-6,1e-6,1\nx,x,0,TOTAL,6e-6,0,2e-6\n");
    assert_ok(ww_study_load_results(p->dir, &s, &err), err);
    assert_int_equal(s->kernel_count, 2);
    assert_string_equal(s->kernel[0], "w/k");
    assert_string_equal(s->kernel[1], "x");
    assert_near(ww_study_metric(s, "IPC")->value[0], 40, 1e-12, 0); /* (100*10 + 300*50) / 400 */
    assert_near(ww_study_metric(s, "CE")->value[0], 0.25, 1e-12,
                0); /* only the launch that has it */
    assert_near(s->time_s[0], 4e-6, 1e-12, 0);
    assert_near(s->launches[0], 2, 0, 0);
    assert_near(ww_study_component(s, "RF")->value[0], 2, 1e-12, 0); /* 8 uJ in 4 us */
    assert_near(s->dynamic_w[0], 2, 1e-12, 0);
    assert_near(s->static_w[0], 1, 1e-12, 0);
    assert_near(s->dynamic_w[1], 6, 1e-12, 0);
    ww_study *same = NULL;
    assert_ok(ww_study_load_results(p->dir, &same, &err), err);
    assert_int_equal(ww_study_append(s, same, &err), WW_ESCHEMA);
    same->kernel[0] = "other";
    same->kernel[1] = "another";
    assert_ok(ww_study_append(s, same, &err), err);
    assert_int_equal(s->kernel_count, 4);
    assert_near(s->metric[0].value[2], 40, 1e-12, 0);
    ww_study_destroy(same);
    ww_study_destroy(s);
}

static void check_folder_error(place *p, const char *kernels, const char *power, ww_status code,
                               const char *what)
{
    ww_error err = {0};
    ww_study *s = NULL;
    put(p->kernels, kernels);
    put(p->power, power);
    assert_int_equal(ww_study_load_results(p->dir, &s, &err), code);
    if (strstr(err.what, what) == NULL) {
        fail_msg("%s; expected %s", err.what, what);
    }
}

static void faulty_folders(void **state)
{
    place *p = *state;
    const char *one = KERNELS_HEAD "w,k,0,100,1e-6,10,1,.5,.1,.2,1,32,.5,8\n";
    check_folder_error(p, one, POWER_HEAD "w,k,0,RF,1,0,0\n", WW_ENOTFOUND, "need 2");
    check_folder_error(p, one, POWER_HEAD "w,k,1,RF,1,0,0\n", WW_ENOTFOUND,
                       "has no row in kernels.csv");
    check_folder_error(p, one, POWER_HEAD "w,k,0,RF,1,0,0\nw,k,0,RF,1,0,0\n", WW_ESCHEMA,
                       "already");
    check_folder_error(p, one, POWER_HEAD, WW_ESCHEMA, "launches of kernels.csv");
    check_folder_error(p, KERNELS_HEAD "w,k,0,,,10,1,.5,.1,.2,1,32,.5,8\n",
                       POWER_HEAD "w,k,0,RF,1,0,0\n", WW_EPARSE, "");
    check_folder_error(p, KERNELS_HEAD "w,k,0,0,0,10,1,.5,.1,.2,1,32,.5,8\n",
                       POWER_HEAD "w,k,0,RF,1,0,0\n", WW_ERANGE, "positive");
    check_folder_error(p, KERNELS_HEAD, POWER_HEAD, WW_ESCHEMA, "launched no kernel");
}

/* ---- how sure energies are ---- */

/* Of a file of one factor, whose correlations with all others, and itself, are these. */
static void put_errors(const char *path, const char *key, double sigma, double per_voltage,
                       double correlation)
{
    ww_str text = {0};
    ww_str_add(&text, "key,kind,sigma [1],per_voltage [1]");
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        ww_str_addf(&text, ",%s [1]", ww_power_group_key((ww_power_group)g));
    }
    ww_str_addf(&text, ",voltage [1]\n%s,,%.17g,%.17g", key, sigma, per_voltage);
    for (int e = 0; e < WW_ERROR_COUNT; e++) {
        ww_str_addf(&text, ",%.17g", correlation);
    }
    ww_str_add(&text, "\nmodel,,0.25,");
    for (int e = 0; e < WW_ERROR_COUNT; e++) {
        ww_str_add(&text, ",");
    }
    ww_str_add(&text, "\n");
    put(path, ww_str_text(&text));
    ww_str_fini(&text);
}

/* A run of a chip whose description names this file of uncertainties. */
static void put_run(const char *path, const char *chip, const char *file)
{
    ww_str text = {0};
    const char *const parameter[][2] = {
        {"chip.name", chip}, {"power.calibration", "c"}, {"power.uncertainty", file}};
    ww_str_add(&text, "{\"schema_version\": 1, \"warpwatt\": \"t\", \"command\": \"c\", "
                      "\"gpu\": \"g\", \"config_hash\": \"h\", \"parameters\": [");
    for (int i = 0; i < 3; i++) {
        ww_str_addf(&text,
                    "%s{\"key\": \"%s\", \"value\": \"%s\", \"unit\": \"\", "
                    "\"source\": \"s\", \"file\": \"f.xml\", \"line\": 1}",
                    i > 0 ? "," : "", parameter[i][0], parameter[i][1]);
    }
    ww_str_add(&text, "]}");
    put(path, ww_str_text(&text));
    ww_str_fini(&text);
}

#define GROUPS_HEAD "workload,kernel,launch,component,group,energy [J]\n"

static void sureness_is_read(void **state)
{
    place *p = *state;
    ww_error err = {0};
    ww_study *s = NULL;
    char errors[96], groups[96], run[96];
    snprintf(run, sizeof run, "%s/run.json", p->dir);
    put_run(run, "chip", "none");
    snprintf(errors, sizeof errors, "%s/uncertainty.csv", p->dir);
    snprintf(groups, sizeof groups, "%s/groups.csv", p->dir);
    put(p->kernels, KERNELS_HEAD
        "w,k,0,100,1e-6,10,1,.5,.1,.2,,32,.5,8\nx,x,0,100,1e-6,7,1,.5,.1,.2,1,32,.5,8\n");
    put(p->power, POWER_HEAD "w,k,0,RF,2e-6,0,1\nw,k,0,TOTAL,2e-6,0,1e-6\n"
                             "x,x,0,RF,5e-6,1e-6,1\nx,x,0,TOTAL,6e-6,0,2e-6\n");
    /* One file alone says nothing. */
    put(groups, GROUPS_HEAD "x,x,0,RF,rf_factor,3\nx,x,1,RF,rf_factor,4\nx,x,0,GM,l2_factor,5\n"
                            "w,k,0,GM,rf_factor,6\n");
    assert_ok(ww_study_load_results(p->dir, &s, &err), err);
    assert_null(s->errors);
    ww_study_destroy(s);
    put_errors(errors, "l2_factor", 0.5, -2, 0.125);
    assert_ok(ww_study_load_results(p->dir, &s, &err), err);
    assert_near(s->errors->sigma[WW_GROUP_L2], 0.5, 0, 0);
    assert_near(s->errors->per_voltage[WW_GROUP_L2], -2, 0, 0);
    assert_near(s->errors->correlation[WW_GROUP_L2][WW_GROUP_RF], 0.125, 0, 0);
    assert_near(s->errors->correlation[WW_GROUP_L2][WW_ERROR_VOLTAGE], 0.125, 0, 0);
    assert_near(s->errors->correlation[WW_GROUP_RF][WW_GROUP_L2], 0, 0, 0); /* no row of it */
    assert_near(s->errors->scatter, 0.25, 0, 0);
    assert_near(s->group_j[WW_GROUP_RF], 6, 0, 0); /* "w/k" is first in kernels.csv */
    assert_near(s->group_j[WW_GROUP_COUNT + WW_GROUP_RF], 7, 0, 0); /* both launches */
    assert_near(s->group_j[WW_GROUP_COUNT + WW_GROUP_L2], 5, 0, 0);
    assert_near(s->group_j[WW_GROUP_L2], 0, 0, 0);
    ww_study_destroy(s);
}

/* Errors come from one file of uncertainties, of whichever chip; assumed ones, from the chip. */
static void errors_have_a_source(void **state)
{
    static const struct {
        const char *chip, *file;
        bool same; /* as of chip "a" with its file */
    } cases[] = {{"a", "f", true},  {"b", "f", true},     {"a", "g", false},
                 {"b", "g", false}, {"b", "none", false}, {"a", "none", false}};
    place *p = *state;
    char errors[96], groups[96], run[96];
    snprintf(run, sizeof run, "%s/run.json", p->dir);
    snprintf(errors, sizeof errors, "%s/uncertainty.csv", p->dir);
    snprintf(groups, sizeof groups, "%s/groups.csv", p->dir);
    put(p->kernels, KERNELS_HEAD "x,x,0,100,1e-6,7,1,.5,.1,.2,1,32,.5,8\n");
    put(p->power, POWER_HEAD "x,x,0,RF,5e-6,1e-6,1\nx,x,0,TOTAL,6e-6,0,2e-6\n");
    put(groups, GROUPS_HEAD);
    put_errors(errors, "rf_factor", 1, 1, 1);
    ww_study *s[WW_ARRAY_LEN(cases)];
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_error err = {0};
        put_run(run, cases[i].chip, cases[i].file);
        assert_ok(ww_study_load_results(p->dir, &s[i], &err), err);
        assert_string_equal(s[i]->calibration, "c");
        assert_int_equal(strcmp(s[i]->error_source, s[0]->error_source) == 0, cases[i].same);
    }
    /* Assumed ones of two chips. */
    assert_string_not_equal(s[4]->error_source, s[5]->error_source);
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_study_destroy(s[i]);
    }
}

/* Relative uncertainties up to 1000, correlations up to 1: what is beyond is in line 2. */
static void faulty_sureness_is_located(void **state)
{
    static const struct {
        const char *key;
        double sigma, per_voltage, correlation;
        const char *group;
        ww_status code;
    } cases[] = {
        {"voltage", 1000, 1001, -1, "x,x,0,RF,rf_factor,1", WW_OK},
        {"rf_factor", 1000, -1000, 1, "x,x,0,RF,rf_factor,1", WW_OK},
        {"rf_factor", 1001, 1, 1, "x,x,0,RF,rf_factor,1", WW_ERANGE},
        {"rf_factor", 1, -1001, 1, "x,x,0,RF,rf_factor,1", WW_ERANGE},
        {"rf_factor", 1, 1, -1.01, "x,x,0,RF,rf_factor,1", WW_ERANGE},
        {"no_factor", 1, 1, 1, "x,x,0,RF,rf_factor,1", WW_ENOTFOUND},
        {"rf_factor", 1, 1, 1, "x,y,0,RF,rf_factor,1", WW_ENOTFOUND},
        {"rf_factor", 1, 1, 1, "x,x,0,RF,voltage,1", WW_ENOTFOUND},
        {"rf_factor", 1, 1, 1, "x,x,0,RF,rf_factor,much", WW_EPARSE},
    };
    place *p = *state;
    char errors[96], groups[96], run[96], text[128];
    snprintf(run, sizeof run, "%s/run.json", p->dir);
    put_run(run, "chip", "none");
    snprintf(errors, sizeof errors, "%s/uncertainty.csv", p->dir);
    snprintf(groups, sizeof groups, "%s/groups.csv", p->dir);
    put(p->kernels, KERNELS_HEAD "x,x,0,100,1e-6,7,1,.5,.1,.2,1,32,.5,8\n");
    put(p->power, POWER_HEAD "x,x,0,RF,5e-6,1e-6,1\nx,x,0,TOTAL,6e-6,0,2e-6\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ww_error err = {0};
        ww_study *s = NULL;
        put_errors(errors, cases[i].key, cases[i].sigma, cases[i].per_voltage,
                   cases[i].correlation);
        snprintf(text, sizeof text, GROUPS_HEAD "%s\n", cases[i].group);
        put(groups, text);
        assert_int_equal(ww_study_load_results(p->dir, &s, &err), cases[i].code);
        assert_int_equal(err.line, cases[i].code == WW_OK ? 0 : 2);
        ww_study_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_are_joined_by_name, open_place, close_place),
        cmocka_unit_test_setup_teardown(faulty_tables_are_located, open_place, close_place),
        cmocka_unit_test_setup_teardown(launches_are_averaged_by_cycles, open_place, close_place),
        cmocka_unit_test_setup_teardown(faulty_folders, open_place, close_place),
        cmocka_unit_test_setup_teardown(sureness_is_read, open_place, close_place),
        cmocka_unit_test_setup_teardown(errors_have_a_source, open_place, close_place),
        cmocka_unit_test_setup_teardown(faulty_sureness_is_located, open_place, close_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
