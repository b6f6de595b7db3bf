/* test_table.c - is a table as JSON the rows that it has, numbers bare and text quoted? */
#include <string.h>

#include "analysis/table.h"
#include "base/json.h"
#include "tests/support/test.h"

/* Two rows: an object for each, named as the array and the columns are. */
static void rows_are_objects(void **state)
{
    (void)state;
    static const char *const names[] = {"kernel", "power_w"};
    ww_table t;
    ww_json json;
    ww_str text = {0};
    ww_error err = {0};
    ww_table_init(&t, "kernels");
    ww_table_heads(&t, names, WW_ARRAY_LEN(names));
    ww_table_text(&t, "first");
    ww_table_number(&t, 1.5, 2);
    ww_table_text(&t, "second \"quoted\"");
    ww_table_text(&t, "none");
    ww_json_init(&json, &text, 0);
    ww_json_object(&json, NULL);
    ww_table_put_json(&t, &json);
    ww_json_end(&json);
    assert_ok(ww_json_finish(&json, &err), err);
    assert_string_equal(ww_str_text(&text),
                        "{\"kernels\": [{\"kernel\": \"first\", \"power_w\": 1.5}, "
                        "{\"kernel\": \"second \\\"quoted\\\"\", \"power_w\": \"none\"}]}\n");
    ww_str_fini(&text);
    ww_table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
