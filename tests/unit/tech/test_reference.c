/* test_reference.c - is a reference table read, solved and summed up as tech/reference.h says? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tech/reference.h"
#include "tests/unit/tech/nodes.h"

#define TABLE WW_SOURCE_DIR "/tests/validation/arrays.csv"

static void the_tools_are_reproduced(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_reference *ref = NULL;
    assert_ok(ww_reference_load(TABLE, &ref, &err), err);
    assert_int_equal(ww_reference_rows(ref), 388);
    assert_ok(ww_reference_solve(ref, TECH_DIR, WW_STYLE_CACTI7, &err), err);
    ww_ref_filter ram = {.kind = "ram"};
    ww_ref_stat s;
    for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
        assert_ok(ww_reference_stat(ref, (ww_ref_quantity)q, &ram, &s, &err), err);
        assert_true(s.count == 0 || s.median < 0.01);
        assert_true(s.median <= s.p90 && s.p90 <= s.largest);
    }
    ww_reference_destroy(ref);
}

static void faulty_tables_are_refused(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_reference *ref = NULL;
    assert_int_not_equal(ww_reference_load("/nonexistent.csv", &ref, &err), WW_OK);
    char path[] = "/tmp/ww_test_reference_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    const char *text = "id,tool\nA000,C7\n";
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memset(&err, 0, sizeof err);
    assert_int_equal(ww_reference_load(path, &ref, &err), WW_ENOTFOUND);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tools_are_reproduced),
        cmocka_unit_test(faulty_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
