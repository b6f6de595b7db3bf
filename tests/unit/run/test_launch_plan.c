/* Does a launch file mean what docs/launch-file.md says, and is every mistake located? */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/file.h"
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

static void random_numbers_do_not_depend_on_their_type(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    ww_error err = {0};
    ww_launch_plan *plan = NULL;
    assert_ok(parse("<launches><buffer name='a' type='f64' count='64'><random min='-3' max='5' "
                    "seed='7'/></buffer><buffer name='b' type='f32' count='64'><random min='-3' "
                    "max='5' seed='7'/></buffer>"
                    "<launch kernel='k'><grid x='1'/><block x='32'/></launch></launches>",
                    &plan, &err),
              err);
    for (size_t i = 0; i < COUNT; i++) {
        double wide;
        float narrow;
        memcpy(&wide, plan->buffers[0].data + i * sizeof wide, sizeof wide);
        memcpy(&narrow, plan->buffers[1].data + i * sizeof narrow, sizeof narrow);
        assert_true(wide >= -3 && wide < 5 && narrow == (float)wide);
    }
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
        {"<launches><buffer name='a' type='u8' count='16'/>\n"
         "<dump buffer='a' file='a.csv' first='4' count='13'/><launch/></launches>",
         WW_ERANGE, 2, "count"},
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

/* Sizes and places that would wrap, or take memory that nobody has. */
static void too_large_numbers_are_located(void **state)
{
    (void)state;
#define BUFFER(type, count, fill)                                                                  \
    "<launches>\n<buffer name='a' type='" type "' count='" count "'>" fill "</buffer><launch/>"    \
    "</launches>"
#define STEP(attributes, children)                                                                 \
    "<launches>\n<launch kernel='k' " attributes ">" children "</launch></launches>"
#define DUMP(place)                                                                                \
    "<launches><buffer name='a' type='u64' count='4'/>\n<dump buffer='a' file='f' " place "/>"     \
    "<launch/></launches>"
    static const struct {
        const char *text, *word;
    } cases[] = {
        {BUFFER("u8", "4294967297", ""), "4294967296"},
        {BUFFER("f64", "536870913", ""), "536870912"},
        {BUFFER("f64", "18446744073709551615", ""), "536870912"},
        {BUFFER("f64", "18446744073709551616", ""), "536870912"},
        {BUFFER("u8", "-1", ""), "whole number"},
        {BUFFER("u64", "2", "<ramp start='8e18' step='8e18'/>"), "1.6e+19"},
        {BUFFER("s8", "3", "<ramp start='0' step='-8e18'/>"), "-1.6e+19"},
        {BUFFER("u64", "2", "<random max='1e300'/>"), "too large"},
        {BUFFER("u64", "2", "<random seed='18446744073709551616'/>"), "seed"},
        {STEP("", "<grid x='2147483648'/><block x='1'/>"), "2147483647"},
        {STEP("", "<grid x='1' y='65536'/><block x='1'/>"), "65535"},
        {STEP("", "<grid x='1'/><block x='1' z='4294967296'/>"), "65535"},
        {STEP("shared='4294967296'", "<grid x='1'/><block x='1'/>"), "1048576"},
        {STEP("registers='4294967297'", "<grid x='1'/><block x='1'/>"), "255"},
        {STEP("repeat='4294967297'", "<grid x='1'/><block x='1'/>"), "1000000"},
        {STEP("stream='4294967296'", "<grid x='1'/><block x='1'/>"), "4294967295"},
        {DUMP("first='18446744073709551615'"), "from 0 to 3"},
        {DUMP("first='3' count='18446744073709551614'"), "from 1 to 1"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_error err = {0};
        ww_launch_plan *plan = NULL;
        assert_int_equal(parse(cases[i].text, &plan, &err), WW_ERANGE);
        assert_int_equal(err.line, 2);
        assert_non_null(strstr(err.what, cases[i].word));
    }
}

/* ---- launches ---- */

/* late: waits, then writes 5. copy: out = in + 1. */
static const char KERNELS[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry late(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .u32 %i, %n, %v; .reg .u64 %out;\n"
    "  ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %i, 0;\n"
    "AGAIN:\n  add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra AGAIN;\n"
    "  mov.u32 %v, 5; st.global.u32 [%out], %v; ret;\n}\n"
    ".visible .entry copy(.param .u64 in, .param .u64 out, .param .f32 scale)\n{\n"
    "  .reg .u32 %v; .reg .u64 %in, %out;\n"
    "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
    "  ld.global.u32 %v, [%in]; add.u32 %v, %v, 1; st.global.u32 [%out], %v; ret;\n}\n";

#define GEOMETRY "<grid x='1'/><block x='1'/>"
#define BUFFERS                                                                                    \
    "<launches>\n<buffer name='a' type='u32' count='1'/>\n"                                        \
    "<buffer name='b' type='u32' count='1'/>\n<buffer name='c' type='u32' count='1'/>\n"

/* Runs a launch file on the kernels above; what it wrote into that file goes to *data, to be
 * freed. */
static ww_status run_and_read(const char *text, const char *file, char **data, size_t *length,
                              ww_error *err)
{
    ww_launch_plan *plan = NULL;
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    char dir[] = "/tmp/warpwatt-test-plan-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    assert_ok(ww_arch_load("gtx480", NULL, 0, &arch, err), *err);
    assert_ok(ww_device_create(arch, &(ww_device_options){.isa = WW_ISA_LOWERED}, &device, err),
              *err);
    assert_ok(ww_device_load_ptx(device, "k.ptx", KERNELS, sizeof KERNELS - 1, &module, err), *err);
    assert_ok(parse(text, &plan, err), *err);
    ww_status status = ww_launch_plan_run(plan, device, module, dir, err);
    snprintf(path, sizeof path, "%s/%s", dir, file);
    if (status == WW_OK) {
        assert_ok(ww_read_file(path, 1000, data, length, err), *err);
    }
    (void)unlink(path);
    (void)rmdir(dir);
    ww_launch_plan_destroy(plan);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return status;
}

/* The same; the first value of b goes to *out. */
static ww_status run_file(const char *text, uint32_t *out, ww_error *err)
{
    char *data = NULL;
    size_t length = 0;
    ww_status status = run_and_read(text, "b.bin", &data, &length, err);
    if (status == WW_OK) {
        assert_int_equal(length, sizeof *out);
        memcpy(out, data, sizeof *out);
        ww_free(data);
    }
    return status;
}

/* Numbers of a dump are those of the buffer's type, from the first that was asked for on. */
static void dumps_are_tables_of_their_type(void **state)
{
    (void)state;
    static const struct {
        const char *buffer, *text;
    } cases[] = {
        {"type='s16' count='4'><values>7 -32768 5 -1", "1,-32768\n2,5\n3,-1\n"},
        {"type='u16' count='4'><values>7 65535 5 0", "1,65535\n2,5\n3,0\n"},
        {"type='f32' count='4'><values>7 -0.5 5 0.25", "1,-0.5\n2,5\n3,0.25\n"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        char text[512], *data = NULL;
        size_t length = 0;
        ww_error err = {0};
        snprintf(text, sizeof text,
                 BUFFERS "<buffer name='d' %s</values></buffer><launch kernel='copy'>" GEOMETRY
                         "<arg buffer='a'/><arg buffer='b'/><arg type='f32' value='1'/></launch>"
                         "<dump buffer='d' file='d.csv' first='1'/></launches>",
                 cases[i].buffer);
        assert_ok(run_and_read(text, "d.csv", &data, &length, &err), err);
        assert_non_null(strstr(data, cases[i].text));
        ww_free(data);
    }
}

/* Of two streams, each keeps its order: the copy waits for the late write before it. */
static void launches_of_a_stream_keep_their_order(void **state)
{
    (void)state;
    ww_error err = {0};
    uint32_t b = 0;
    assert_ok(run_file(BUFFERS "<launch kernel='late' stream='1'>" GEOMETRY
                               "<arg buffer='a'/><arg type='u32' value='300'/></launch>"
                               "<launch kernel='late' stream='2'>" GEOMETRY
                               "<arg buffer='c'/><arg type='u32' value='1'/></launch>"
                               "<launch kernel='copy' stream='1'>" GEOMETRY
                               "<arg buffer='a'/><arg buffer='b'/><arg type='f32' value='1'/>"
                               "</launch><dump buffer='b' file='b.bin' format='bin'/></launches>",
                       &b, &err),
              err);
    assert_int_equal(b, 6);
}

/* Arguments that are not what the kernel declares, with the line of the argument. */
static void arguments_fit_their_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int line;
        const char *what;
    } cases[] = {
        {"<arg buffer='a'/>\n<arg buffer='b'/>\n<arg type='f64' value='1'/>", 8,
         "parameter 3 of copy has 4 bytes, f64 8"},
        {"<arg buffer='a'/>\n<arg type='u32' value='1'/>\n<arg type='f32' value='1'/>", 7,
         "parameter 2 of copy has 8 bytes, u32 4"},
        {"<arg buffer='a'/>\n<arg buffer='b'/>\n<arg buffer='c'/>", 8,
         "parameter 3 of copy has 4 bytes, the address of a buffer 8"},
        {"<arg buffer='a'/>\n<arg buffer='b'/>\n<arg type='u32' value='1'/>", 8,
         "parameter 3 of copy is an f32, not u32"},
        {"<arg buffer='a'/>\n<arg buffer='b'/>", 5, "copy takes 3 parameters, and 2 <arg>"},
        {"<arg buffer='a'/>\n<arg buffer='b'/>\n<arg type='f32' value='1'/>\n"
         "<arg type='f32' value='1'/>",
         5, "copy takes 3 parameters, and 4 <arg>"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        char text[1024];
        ww_error err = {0};
        uint32_t b;
        snprintf(text, sizeof text,
                 BUFFERS "<launch kernel='copy'>" GEOMETRY "\n%s</launch></launches>",
                 cases[i].arguments);
        assert_int_equal(run_file(text, &b, &err), WW_ESCHEMA);
        assert_string_equal(err.file, "test.xml");
        assert_int_equal(err.line, cases[i].line);
        if (strstr(err.what, cases[i].what) == NULL) {
            fail_msg("'%s', not '%s'", err.what, cases[i].what);
        }
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
        cmocka_unit_test(random_numbers_do_not_depend_on_their_type),
        cmocka_unit_test(mistakes_are_located),
        cmocka_unit_test(too_large_numbers_are_located),
        cmocka_unit_test(dumps_are_tables_of_their_type),
        cmocka_unit_test(launches_of_a_stream_keep_their_order),
        cmocka_unit_test(arguments_fit_their_parameters),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
