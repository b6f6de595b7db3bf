/* test_registers.c - register counts from a table and from what assemblers print. */
#include "tests/support/test.h"

#include <string.h>

#include "cli/registers.h"

static ww_error err;

static ww_status parse(const char *text, ww_arena *arena, const ww_kernel_registers **out,
                       size_t *count)
{
    return ww_registers_parse("f", text, strlen(text), arena, out, count, &err);
}

static void tables_name_kernels_and_counts(void **state)
{
    (void)state;
    ww_arena arena = {0};
    const ww_kernel_registers *r;
    size_t n;
    assert_ok(parse("registers,kernel\n16,add\n40,\"f(int, int)\"\n", &arena, &r, &n), err);
    assert_int_equal(n, 2);
    assert_string_equal(r[0].kernel, "add");
    assert_int_equal(r[0].registers, 16);
    assert_string_equal(r[1].kernel, "f(int, int)");
    assert_int_equal(r[1].registers, 40);
    ww_arena_fini(&arena);
}

/* As ptxas 13.0 prints it for two kernels and a device function, which has no launch. */
static void reports_of_ptxas_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z3addPi' for 'sm_75'\n"
        "ptxas info    : Function properties for _Z3addPi\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 12 registers, used 0 barriers, 360 bytes cmem[0]\n"
        "ptxas info    : Function properties for helper\n"
        "ptxas info    : Compiling entry function 'sum' for 'sm_75'\n"
        "ptxas info    : Used 31 registers, used 1 barriers, 1024 bytes smem, 368 bytes cmem[0]\n";
    ww_arena arena = {0};
    const ww_kernel_registers *r;
    size_t n;
    assert_ok(parse(text, &arena, &r, &n), err);
    assert_int_equal(n, 2);
    assert_string_equal(r[0].kernel, "_Z3addPi");
    assert_int_equal(r[0].registers, 12);
    assert_string_equal(r[1].kernel, "sum");
    assert_int_equal(r[1].registers, 31);
    ww_arena_fini(&arena);
}

static void reports_of_cuobjdump_are_read(void **state)
{
    (void)state;
    static const char text[] = "Resource usage:\n Common:\n  GLOBAL:0\n Function _Z3addPi:\n"
                               "  REG:14 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:360\n";
    ww_arena arena = {0};
    const ww_kernel_registers *r;
    size_t n;
    assert_ok(parse(text, &arena, &r, &n), err);
    assert_int_equal(n, 1);
    assert_string_equal(r[0].kernel, "_Z3addPi");
    assert_int_equal(r[0].registers, 14);
    ww_arena_fini(&arena);
}

/* A program built for several machines has several reports: the last holds. */
static void the_last_count_of_a_kernel_holds(void **state)
{
    (void)state;
    ww_arena arena = {0};
    const ww_kernel_registers *r;
    size_t n;
    assert_ok(parse("kernel,registers\na,8\nb,9\na,10\n", &arena, &r, &n), err);
    assert_int_equal(n, 2);
    assert_int_equal(r[0].registers, 10);
    ww_arena_fini(&arena);
}

static void what_is_no_count_is_an_error(void **state)
{
    (void)state;
    ww_arena arena = {0};
    const ww_kernel_registers *r = NULL;
    size_t n = 0;
    assert_int_equal(parse("kernel,registers\na,256\n", &arena, &r, &n), WW_ERANGE);
    assert_non_null(strstr(err.what, "f:2: 256 registers of 'a'"));
    assert_int_equal(parse("kernel,registers\n", &arena, &r, &n), WW_ENOTFOUND);
    assert_true(parse("kernel,count\na,1\n", &arena, &r, &n) != WW_OK);
    assert_true(parse("", &arena, &r, &n) != WW_OK);
    assert_null(r);
    ww_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_name_kernels_and_counts),
        cmocka_unit_test(reports_of_ptxas_are_read),
        cmocka_unit_test(reports_of_cuobjdump_are_read),
        cmocka_unit_test(the_last_count_of_a_kernel_holds),
        cmocka_unit_test(what_is_no_count_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
