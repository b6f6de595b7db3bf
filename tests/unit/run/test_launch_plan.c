/* Does a launch file mean what docs/launch-file.md says, and is every mistake located? */
#include <string.h>

#include "run/launch_file.h"
#include "tests/support/test.h"

static ww_status parse(const char *text, ww_launch_plan **plan, ww_error *err)
{
    return ww_launch_plan_parse("test.xml", text, strlen(text), plan, err);
}

static void example_is_read(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_launch_plan *plan = NULL;
    assert_ok(ww_launch_plan_load(WW_SOURCE_DIR "/docs/examples/saxpy.xml", &plan, &err), err);
    assert_int_equal(plan->buffer_count, 2);
    assert_int_equal(plan->step_count, 1);
    assert_string_equal(plan->steps[0].kernel, "saxpy");
    assert_int_equal(plan->steps[0].grid.x, 391);
    assert_int_equal(plan->steps[0].argument_count, 4);
    assert_int_equal(plan->steps[0].arguments[0].buffer, 1);
    float a;
    memcpy(&a, plan->steps[0].arguments[2].value, sizeof a);
    assert_near(a, 2.0, 0, 0);
    const float *x = (const float *)(const void *)plan->buffers[0].data;
    assert_near((double)x[3], 1.5, 0, 0);
    const float *y = (const float *)(const void *)plan->buffers[1].data;
    for (int i = 0; i < 1000; i++) {
        assert_true(y[i] >= -1 && y[i] <= 1);
    }
    assert_int_equal(plan->dumps[0].count, 16);
    ww_launch_plan_destroy(plan);
}

static void values_keep_their_type(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_launch_plan *plan = NULL;
    assert_ok(
        parse(
            "<launches><buffer name='b' type='s8' count='3'><values>-128, 127\n 0</values></buffer>"
            "<launch kernel='k'><grid x='1'/><block x='32'/></launch></launches>",
            &plan, &err),
        err);
    assert_int_equal((signed char)plan->buffers[0].data[0], -128);
    assert_int_equal((signed char)plan->buffers[0].data[1], 127);
    ww_launch_plan_destroy(plan);
}

/* Every faulty file: status, line, and a word of the message. */
static void mistakes_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ww_status status;
        int line;
        const char *word;
    } cases[] = {
        {"<launches>\n</launches>", WW_ESCHEMA, 1, "at least one"},
        {"<launch/>", WW_ESCHEMA, 1, "<launches>"},
        {"<launches>\n<bufer/></launches>", WW_ESCHEMA, 2, "bufer"},
        {"<launches>\n<buffer name='a' type='f33' count='1'/><launch/></launches>", WW_ESCHEMA, 2,
         "f32"},
        {"<launches>\n<buffer name='a' type='f32' count='0'/><launch/></launches>", WW_ERANGE, 2,
         "count"},
        {"<launches>\n<buffer name='a' type='f32' count='99999999999'/><launch/></launches>",
         WW_ERANGE, 2, "count"},
        {"<launches><buffer name='a' type='u8' "
         "count='2'>\n<values>1</values></buffer><launch/></launches>",
         WW_ERANGE, 2, "1 values"},
        {"<launches><buffer name='a' type='u8' "
         "count='1'>\n<values>256</values></buffer><launch/></launches>",
         WW_ERANGE, 2, "256"},
        {"<launches>\n<launch kernel='k'><grid x='1'/></launch></launches>", WW_ESCHEMA, 2,
         "block"},
        {"<launches><launch kernel='k'><grid x='1'/><block x='1'/>\n<arg "
         "buffer='nope'/></launch></launches>",
         WW_ENOTFOUND, 2, "nope"},
        {"<launches><launch kernel='k'>\n<grid x='0'/><block x='1'/></launch></launches>",
         WW_ERANGE, 2, "grid"},
        {"<launches>", WW_EPARSE, 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ww_error err = {0};
        ww_launch_plan *plan = NULL;
        assert_int_equal(parse(cases[i].text, &plan, &err), cases[i].status);
        assert_int_equal(err.line, cases[i].line);
        assert_non_null(strstr(err.what, cases[i].word));
    }
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    const char *text =
        "<launches><buffer name='b' type='f32' count='4'><ramp/></buffer>"
        "<launch kernel='k'><grid x='1'/><block x='32'/><arg buffer='b'/></launch></launches>";
    for (size_t k = 1;; k++) {
        ww_launch_plan *plan = NULL;
        ww_mem_fail_after(k);
        ww_status status = parse(text, &plan, NULL);
        ww_mem_fail_after(0);
        if (status == WW_OK) {
            ww_launch_plan_destroy(plan);
            assert_true(k > 3);
            return;
        }
        assert_int_equal(status, WW_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_is_read),
        cmocka_unit_test(values_keep_their_type),
        cmocka_unit_test(mistakes_are_located),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
