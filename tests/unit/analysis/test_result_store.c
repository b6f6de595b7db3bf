/* test_result_store.c - is a result put in place whole, over nothing that is not its own? */
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/result_folders.h"
#include "analysis/result_store.h"
#include "analysis/run_info.h"
#include "base/file.h"
#include "base/scratch.h"

static ww_error err;

static void put(const char *dir, const char *name, const char *text)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(ww_write_file(path, text, strlen(text), &err), err);
}

static void holds(const char *dir, const char *name, const char *expected)
{
    char path[2 * PATH_MAX], *text = NULL;
    size_t length;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(ww_read_file(path, 1000, &text, &length, &err), err);
    assert_string_equal(text, expected);
    ww_free(text);
}

static ww_result_store begin(const char *dir, bool replace)
{
    ww_result_store store;
    assert_ok(ww_result_begin(&store, dir, replace, &err), err);
    put(store.aside, "kernels.csv", replace ? "new\n" : "old\n");
    return store;
}

/* Two runs of one folder: who is first is kept, and the other one says so and leaves nothing. */
static void a_result_that_appeared_meanwhile_is_kept(void **state)
{
    const char *dir = *state;
    ww_result_store late = begin(dir, false), first = begin(dir, false);
    put(late.aside, "kernels.csv", "late\n");
    assert_ok(ww_result_publish(&first, 1, &err), err);
    assert_int_equal(ww_result_publish(&late, 2, &err), WW_EIO);
    assert_non_null(strstr(err.what, "holds a result already"));
    holds(dir, "kernels.csv", "old\n");
    assert_ok(ww_result_check(dir, &err), err);
    assert_true(ww_dir_exists(late.aside));
    ww_result_drop(&late);
    assert_string_equal(late.aside, "");
}

static void a_result_is_replaced_where_that_was_asked_for(void **state)
{
    const char *dir = *state;
    ww_result_store one = begin(dir, false);
    assert_ok(ww_result_publish(&one, 1, &err), err);
    ww_result_store two = begin(dir, true);
    assert_ok(ww_result_publish(&two, 2, &err), err);
    holds(dir, "kernels.csv", "new\n");
    assert_ok(ww_result_check(dir, &err), err);
}

/* The seal lists its files: one that is gone, changed or another's is noticed. */
static void a_sealed_result_that_lacks_a_file_is_refused(void **state)
{
    const char *dir = *state;
    char path[2 * PATH_MAX];
    ww_result_store store = begin(dir, false);
    put(store.aside, "dump.csv", "1\n");
    assert_ok(ww_result_publish(&store, 1, &err), err);
    assert_true(ww_result_holds(dir, "dump.csv"));
    assert_false(ww_result_holds(dir, "notes.md"));
    put(dir, "dump.csv", "2\n");
    assert_int_equal(ww_result_check(dir, &err), WW_ESCHEMA);
    snprintf(path, sizeof path, "%s/dump.csv", dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ww_result_check(dir, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.file, "dump.csv"));
    assert_non_null(strstr(err.what, "missing"));
}

/* The seal's last row closes it: one that was cut off before is no seal, one of nothing is. */
static void a_seal_is_whole_or_none(void **state)
{
    const char *dir = *state;
    assert_ok(ww_result_seal(dir, 1, &err), err);
    assert_ok(ww_result_check(dir, &err), err);
    put(dir, WW_RESULT_LIST, "file,size [B],lines,hash,run_id\n");
    assert_int_equal(ww_result_check(dir, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "cut off"));
    put(dir, WW_RESULT_LIST, "file,size [B],lines,hash,run_id\nkernels.csv,1,1,0,1\n");
    assert_int_equal(ww_result_check(dir, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "cut off"));
}

/* A path stands for itself where it holds a result, else for those that it holds: how many is said
 * whatever stood there. */
static void a_path_stands_for_its_results(void **state)
{
    const char *dir = *state;
    char one[PATH_MAX];
    const char **folder = NULL;
    size_t count = 7;
    ww_arena arena = {0};
    snprintf(one, sizeof one, "%s/one", dir);
    assert_ok(ww_make_dirs(one, &err), err);
    put(one, "kernels.csv", "kernel\n");
    assert_ok(ww_result_folders(dir, &arena, &folder, &count, &err), err);
    assert_int_equal(count, 1);
    assert_string_equal(folder[0], one);
    count = 7;
    assert_ok(ww_result_folders(one, &arena, &folder, &count, &err), err);
    assert_int_equal(count, 1);
    assert_string_equal(folder[0], one);
    ww_arena_fini(&arena);
}

/* What wrote a result and by which command, as its run.json says. */
static void a_result_says_what_wrote_it(void **state)
{
    const char *dir = *state;
    ww_run_info info = {0};
    put(dir, "run.json",
        "{\"warpwatt\": \"0.2.0\", \"command\": \"run --quiet\", \"gpu\": \"gtx480\", "
        "\"config_hash\": \"f00d\", \"parameters\": []}");
    assert_ok(ww_run_info_load(dir, &info, &err), err);
    assert_string_equal(info.version, "0.2.0");
    assert_string_equal(info.command, "run --quiet");
    assert_string_equal(info.config_hash, "f00d");
    ww_run_info_fini(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_result_that_appeared_meanwhile_is_kept),
        IN_FOLDER(a_result_is_replaced_where_that_was_asked_for),
        IN_FOLDER(a_seal_is_whole_or_none),
        IN_FOLDER(a_path_stands_for_its_results),
        IN_FOLDER(a_result_says_what_wrote_it),
        IN_FOLDER(a_sealed_result_that_lacks_a_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
