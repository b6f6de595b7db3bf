/* test_sweep_choice.c - does a choice of a sweep find the best of its candidates, by results that
 * the tests leave? */
#include <string.h>

#include "analysis/result_store.h"
#include "base/file.h"
#include "run/sweep.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#define HEAD "<?xml version=\"1.0\"?>\n<sweep name=\"t\">\n"
#define TWO  "<workload name=\"vectoradd\" size=\"small\"/><workload name=\"matrixmul\"/>\n"

/* Leaves the result of a run: one launch of so many instructions and cycles. */
static void leave_result(const char *dir, const ww_sweep_run *run, const char *launch)
{
    ww_sweep_claim claim;
    ww_error err = {0};
    char path[300], text[100];
    assert_ok(ww_sweep_claim_run(dir, run, &claim, &err), err);
    snprintf(path, sizeof path, "%s/kernels.csv", claim.partial);
    snprintf(text, sizeof text, "program_instructions,cycles\n%s\n", launch);
    assert_ok(ww_write_file(path, text, strlen(text), &err), err);
    assert_ok(ww_result_seal(claim.partial, 1, &err), err);
    assert_ok(ww_sweep_publish(dir, run, &claim, &err), err);
    ww_sweep_release(&claim);
}

static const ww_sweep_run *run_of(const ww_sweep *s, const char *id)
{
    for (size_t i = 0; i < s->run_count; i++) {
        if (strcmp(s->run[i].id, id) == 0) {
            return &s->run[i];
        }
    }
    fail_msg("no run %s", id);
    return NULL;
}

/* The candidates of a choice are the runs of its configuration on the workload, and no others: not
 * those of another workload, which may be missing, nor faster ones of another configuration. */
static void a_choice_is_among_the_runs_of_its_workload(void **state)
{
    static const char text[] =
        HEAD "<choice name=\"best\" of=\"v\"/><configuration name=\"a\" gpu=\"gtx480\"/>"
             "<configuration name=\"v\" gpu=\"gtx480\"><vary key=\"sm.max_ctas\" values=\"2,4,8\"/>"
             "</configuration>" TWO "</sweep>";
    const char *dir = *state;
    const ww_sweep_set *best = NULL;
    ww_error err = {0};
    ww_sweep *s = NULL;
    char path[256];
    snprintf(path, sizeof path, "%s/in.xml", dir);
    assert_ok(ww_write_file(path, text, sizeof text - 1, &err), err);
    assert_ok(ww_sweep_load(path, "1", &s, &err), err);
    assert_ok(ww_sweep_prepare(s, dir, &err), err);
    const ww_sweep_item *item = run_of(s, "a/vectoradd-small")->item;
    leave_result(dir, run_of(s, "a/vectoradd-small"), "900,100"); /* 9, no candidate */
    leave_result(dir, run_of(s, "v,sm.max_ctas=2/vectoradd-small"), "300,100"); /* 3 a cycle */
    leave_result(dir, run_of(s, "v,sm.max_ctas=4/vectoradd-small"), "200,50");  /* 4 */
    assert_ok(ww_sweep_choose(s, dir, &s->choice[0], item, &best, &err), err);
    assert_null(best); /* a candidate is missing */
    leave_result(dir, run_of(s, "v,sm.max_ctas=8/vectoradd-small"), "350,100"); /* 3.5 */
    assert_ok(ww_sweep_choose(s, dir, &s->choice[0], item, &best, &err), err);
    assert_non_null(best);
    assert_string_equal(best->name, "v,sm.max_ctas=4");
    assert_ok(
        ww_sweep_choose(s, dir, &s->choice[0], run_of(s, "a/matrixmul-std")->item, &best, &err),
        err);
    assert_null(best);
    ww_sweep_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_choice_is_among_the_runs_of_its_workload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
