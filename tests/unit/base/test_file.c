/* test_file.c - are reads bounded, writes atomic, and paths right? */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

typedef struct scratch {
    ww_arena arena;
    char dir[FOLDER_PATH];
} scratch;

static int make_scratch(void **state)
{
    scratch *s = WW_NEW(scratch);
    *state = s;
    return folder_create(s->dir);
}

static int remove_scratch(void **state)
{
    scratch *s = *state;
    int rc = folder_remove(s->dir);
    ww_arena_fini(&s->arena);
    ww_free(s);
    return rc;
}

static void what_is_written_is_read(void **state)
{
    scratch *s = *state;
    ww_error err = {0};
    char *path = ww_path_join(&s->arena, s->dir, "f"), *text;
    size_t length;
    char data[10000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * 31);
    }
    for (size_t n = 0; n <= sizeof data; n += 2500) {
        assert_ok(ww_write_file(path, data, n, &err), err);
        assert_ok(ww_read_file(path, sizeof data, &text, &length, &err), err);
        assert_int_equal(length, n);
        assert_memory_equal(text, data, n);
        assert_int_equal(text[n], 0);
        ww_free(text);
    }
    const char **names;
    size_t count;
    assert_ok(ww_list_dir(s->dir, "", &s->arena, &names, &count, &err), err);
    assert_int_equal(count, 1); /* no temporary file stays behind */
}

static void reading_is_bounded(void **state)
{
    scratch *s = *state;
    ww_error err = {0};
    char *path = ww_path_join(&s->arena, s->dir, "big"), *text = NULL;
    size_t length = 0;
    assert_ok(ww_write_file(path, "0123456789", 10, &err), err);
    assert_ok(ww_read_file(path, 10, &text, &length, &err), err);
    ww_free(text);
    text = NULL;
    assert_int_equal(ww_read_file(path, 9, &text, &length, &err), WW_ERANGE);
    assert_string_equal(err.file, path);
    assert_int_equal(ww_read_file("/dev/zero", 1 << 20, &text, &length, &err), WW_ERANGE);
    assert_int_equal(ww_read_file(s->dir, 100, &text, &length, &err), WW_EIO);
    assert_int_equal(ww_read_file("/nonexistent/x", 100, &text, &length, &err), WW_ENOTFOUND);
    assert_null(text);
    for (size_t k = 1; k <= 2; k++) {
        ww_mem_fail_after(k);
        ww_status status = ww_read_file("/dev/zero", 1 << 20, &text, &length, &err);
        ww_mem_fail_after(0);
        assert_int_equal(status, WW_ENOMEM);
    }
}

static void writing_keeps_links_and_devices(void **state)
{
    scratch *s = *state;
    ww_error err = {0};
    char *target = ww_path_join(&s->arena, s->dir, "t"),
         *link = ww_path_join(&s->arena, s->dir, "l");
    assert_ok(ww_write_file(target, "a", 1, &err), err);
    assert_int_equal(symlink(target, link), 0);
    assert_ok(ww_write_file(link, "bc", 2, &err), err);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_size, 2);
    assert_ok(ww_write_file("/dev/null", "x", 1, &err), err);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(ww_write_file("/nonexistent/x", "x", 1, &err), WW_EIO);
}

static void directories(void **state)
{
    scratch *s = *state;
    ww_error err = {0};
    char *deep = ww_path_join(&s->arena, s->dir, "a/b/c");
    assert_false(ww_dir_exists(deep));
    assert_ok(ww_make_dirs(deep, &err), err);
    assert_ok(ww_make_dirs(deep, &err), err);
    assert_true(ww_dir_exists(deep));
    assert_false(ww_file_exists(deep));
    assert_int_equal(ww_make_dirs("/dev/null/x", &err), WW_EIO);
    static const char *const files[] = {"z.xml", "b.xml", ".hidden.xml", "a.txt", "a.xml", ".xml"};
    for (size_t i = 0; i < 6; i++) {
        assert_ok(ww_write_file(ww_path_join(&s->arena, deep, files[i]), "", 0, &err), err);
    }
    const char **names;
    size_t count;
    assert_ok(ww_list_dir(deep, ".xml", &s->arena, &names, &count, &err), err);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[2], "z");
    assert_int_equal(ww_list_dir("/nonexistent", "", &s->arena, &names, &count, &err),
                     WW_ENOTFOUND);
}

static void paths(void **state)
{
    scratch *s = *state;
    ww_arena *a = &s->arena;
    assert_string_equal(ww_path_join(a, "x", "y"), "x/y");
    assert_string_equal(ww_path_join(a, "x/", "y"), "x/y");
    assert_string_equal(ww_path_join(a, "", "y"), "y");
    assert_string_equal(ww_path_join(a, "x", "/y"), "/y");
    assert_string_equal(ww_path_dir(a, "a/b/c.xml"), "a/b");
    assert_string_equal(ww_path_dir(a, "c.xml"), ".");
    assert_string_equal(ww_path_dir(a, "/c.xml"), "/");
    assert_string_equal(ww_path_base("a/b/c.xml"), "c.xml");
    assert_string_equal(ww_path_base("c.xml"), "c.xml");
    assert_null(ww_path_real(a, "/nonexistent/x"));
    assert_true(ww_dir_exists(ww_path_exe_dir(a)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(reading_is_bounded),
        cmocka_unit_test(writing_keeps_links_and_devices),
        cmocka_unit_test(directories),
        cmocka_unit_test(paths),
    };
    /* what_is_written_is_read lists the directory, so it comes first */
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
