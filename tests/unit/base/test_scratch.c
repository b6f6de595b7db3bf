/* test_scratch.c - is what a process left behind told from what one works on, and are files of a
 * set there all or not at all? */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_set.h"
#include "base/scratch.h"

static ww_error err;
static char dir[] = "/tmp/warpwatt-test-scratch-XXXXXX";

static const char *in(const char *name)
{
    static char path[16][256];
    static int turn;
    turn = (turn + 1) % 16;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static void put(const char *name, const char *text)
{
    assert_ok(ww_write_file(in(name), text, strlen(text), &err), err);
}

static void folders_go_when_nobody_holds_them(void **state)
{
    (void)state;
    char held[256], left[256];
    int lock, other;
    snprintf(held, sizeof held, "%s", in(".out.writing-XXXXXX"));
    snprintf(left, sizeof left, "%s", in(".out.writing-XXXXXX"));
    assert_true(ww_scratch_make(held, &lock));
    assert_true(ww_scratch_make(left, &other));
    char inside[300];
    snprintf(inside, sizeof inside, "%s/file", left);
    assert_ok(ww_write_file(inside, "x", 1, &err), err);
    assert_int_equal(mkdir(in(".out.writing-mine"), 0777),
                     0); /* five characters: a name of the user's */
    assert_int_equal(mkdir(in(".other.writing-abcdef"), 0777), 0);
    put(".out.writing-abcdef", "a file");
    ww_scratch_leave(other); /* as the system does for who is killed */
    ww_scratch_clear_folders(dir, ".out.writing-");
    assert_true(ww_dir_exists(held));
    assert_false(ww_dir_exists(left));
    assert_true(ww_dir_exists(in(".out.writing-mine")));
    assert_true(ww_dir_exists(in(".other.writing-abcdef")));
    assert_true(ww_file_exists(in(".out.writing-abcdef")));
    ww_scratch_remove(held, lock);
    assert_false(ww_dir_exists(held));
}

static void temporaries_of_a_killed_writer_go_with_the_next_write(void **state)
{
    (void)state;
    put("page.html.12-345.tmp", "half");
    put("page.html.mine.tmp", "the user's");
    put("other.html.12-345.tmp", "of another file");
    put("page.html", "whole");
    assert_false(ww_file_exists(in("page.html.12-345.tmp")));
    assert_true(ww_file_exists(in("page.html.mine.tmp")));
    assert_true(ww_file_exists(in("other.html.12-345.tmp")));
}

static void a_set_is_there_whole_or_not_at_all(void **state)
{
    (void)state;
    ww_file_set set;
    assert_ok(ww_file_set_begin(&set, in("set.html"), &err), err);
    assert_ok(ww_file_set_put(&set, in("set-a.csv"), "a", 1, &err), err);
    assert_ok(ww_file_set_put(&set, in("set-files/b.csv"), "b", 1, &err), err);
    assert_ok(ww_file_set_put(&set, in("set.html"), "page", 4, &err), err);
    assert_false(ww_dir_exists(in("set-files")));
    assert_false(ww_file_exists(in("set.html")));
    assert_false(ww_file_exists(in("set-a.csv")));
    assert_ok(ww_file_set_end(&set, WW_OK, &err), err);
    assert_true(ww_file_exists(in("set.html")));
    assert_true(ww_file_exists(in("set-a.csv")));
    assert_true(ww_file_exists(in("set-files/b.csv")));
    assert_false(ww_file_exists(in("b.csv")));

    assert_ok(ww_file_set_begin(&set, in("no.html"), &err), err);
    assert_ok(ww_file_set_put(&set, in("no-a.csv"), "a", 1, &err), err);
    assert_int_equal(ww_file_set_end(&set, WW_EIO, &err), WW_EIO);
    assert_false(ww_file_exists(in("no.html")));
    assert_false(ww_file_exists(in("no-a.csv")));
    assert_false(ww_dir_exists(set.aside));
}

static void names_that_begin_with_a_dot_and_links(void **state)
{
    (void)state;
    ww_file_set set;
    put("target", "old");
    assert_int_equal(symlink("target", in(".page.html")), 0);
    assert_ok(ww_file_set_begin(&set, in(".page.html"), &err), err);
    assert_ok(ww_file_set_put(&set, in(".page-a.csv"), "a", 1, &err), err);
    assert_ok(ww_file_set_put(&set, in(".page.html"), "new", 3, &err), err);
    assert_ok(ww_file_set_end(&set, WW_OK, &err), err);
    assert_true(ww_file_exists(in(".page-a.csv")));
    char *text = NULL;
    size_t length;
    assert_ok(ww_read_file(in("target"), 100, &text, &length, &err), err);
    assert_string_equal(text, "new");
    ww_free(text);
    struct stat st;
    assert_int_equal(lstat(in(".page.html"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static int make(void **state)
{
    (void)state;
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    (void)rmdir(in(".out.writing-mine"));
    (void)rmdir(in(".other.writing-abcdef"));
    ww_scratch_remove_folder(dir);
    return ww_dir_exists(dir) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_go_when_nobody_holds_them),
        cmocka_unit_test(temporaries_of_a_killed_writer_go_with_the_next_write),
        cmocka_unit_test(a_set_is_there_whole_or_not_at_all),
        cmocka_unit_test(names_that_begin_with_a_dot_and_links),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
