/* test_elements.c - is what a kernel takes the memory behind a pointer for told as its code has it?
 */
#include "module.h"
#include "perf/ptx/analysis/elements.h"

/* Of the parameter at that offset of kernel k: out at 0, n at 8. */
static ww_elements elements(const char *text, uint32_t offset)
{
    ww_ptx_module *module = parse(text);
    ww_error err = {0};
    ww_elements e = {0};
    assert_ok(ww_ptx_param_elements(module, "k", offset, &e, &err), err);
    ww_ptx_destroy(module);
    return e;
}

static void assert_elements(const char *text, unsigned bits, bool floats)
{
    ww_elements e = elements(text, 0);
    assert_int_equal(e.bits, bits);
    assert_int_equal(e.floats, floats);
}

#define POINTER "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\n"
#define INDEXED "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"

static void through_arithmetic(void **state)
{
    (void)state;
    assert_elements(KERNEL(POINTER "ld.global.f32 %f1, [%rd2];\nret;"), 32, true);
    assert_elements(KERNEL(POINTER INDEXED "ld.global.f32 %f1, [%rd4+8];\nret;"), 32, true);
    assert_elements(KERNEL(POINTER "mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd5, %r1, 8, %rd2;\n"
                                   "st.global.f64 [%rd5], %fd1;\nret;"),
                    64, true);
    assert_elements(KERNEL(POINTER INDEXED "ld.global.v2.f32 {%f1, %f2}, [%rd4];\nret;"), 32, true);
    assert_elements(KERNEL(POINTER INDEXED "red.global.add.f32 [%rd4], %f1;\nret;"), 32, true);
    assert_elements(KERNEL(POINTER INDEXED "ld.global.u32 %r2, [%rd4];\nret;"), 32, false);
}

/* A loop's next address is made below the load that it serves. */
static void around_a_loop(void **state)
{
    (void)state;
    assert_elements(KERNEL(POINTER "mov.u64 %rd3, 0;\nL:\n@%p1 ld.global.f32 %f1, [%rd3];\n"
                                   "add.s64 %rd3, %rd2, 4;\n@%p2 bra L;\nret;"),
                    32, true);
}

static void nothing_is_claimed(void **state)
{
    (void)state;
    /* elements of two lengths; another memory; the pointer's value stored, which says nothing of
     * what it points to; memory behind a pointer that was loaded */
    assert_elements(KERNEL(POINTER "ld.global.f32 %f1, [%rd2];\nld.global.f64 %fd1, [%rd2];\nret;"),
                    0, false);
    assert_elements(KERNEL(POINTER "ld.global.f32 %f1, [%rd9];\nret;"), 0, false);
    assert_elements(KERNEL(POINTER "st.global.u64 [%rd9], %rd1;\nret;"), 0, false);
    assert_elements(KERNEL(POINTER "ld.global.u64 %rd3, [%rd2];\nld.global.f32 %f1, [%rd3];\nret;"),
                    64, false);
    assert_int_equal(elements(KERNEL(POINTER "ld.global.f32 %f1, [%rd2];\nret;"), 8).bits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_arithmetic),
        cmocka_unit_test(around_a_loop),
        cmocka_unit_test(nothing_is_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
