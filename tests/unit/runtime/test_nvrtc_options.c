/* test_nvrtc_options.c - is PTX asked for wherever NVRTC is asked for machine code, and nothing
 * else touched? */
#include "runtime/nvrtc/options.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

static void check(unsigned lowest, const char *option, const char *wanted)
{
    ww_arena arena = {0};
    ww_error err = {0};
    const char *const options[] = {"-I.", option, "--std=c++17"};
    const char **out;
    assert_ok(rt_nvrtc_options(options, 3, lowest, &arena, &out, &err), err);
    assert_string_equal(out[0], "-I.");
    assert_string_equal(out[1], wanted);
    assert_string_equal(out[2], "--std=c++17");
    ww_arena_fini(&arena);
}

static void real_architectures_become_virtual(void **state)
{
    (void)state;
    check(75, "--gpu-architecture=sm_80", "--gpu-architecture=compute_80");
    check(75, "-arch=sm_80", "-arch=compute_80");
    check(75, "-arch=sm_90a", "-arch=compute_90a");
    check(75, "-arch=sm_120f", "-arch=compute_120f");
    check(75, "-arch=compute_90a", "-arch=compute_90a");
    check(75, " \t-arch=sm_86", " \t-arch=compute_86"); /* NVRTC allows spaces in front */
}

static void old_architectures_are_raised(void **state)
{
    (void)state;
    check(75, "-arch=sm_61", "-arch=compute_75");
    check(75, "-arch=compute_61", "-arch=compute_75");
    check(75, "--gpu-architecture=sm_20", "--gpu-architecture=compute_75");
    check(0, "-arch=sm_61", "-arch=compute_61");
    check(100, "-arch=sm_90a", "-arch=compute_100");
}

static void the_rest_is_for_nvrtc_to_judge(void **state)
{
    (void)state;
    static const char *const options[] = {
        "-arch=native",        "-arch=lto_80", "-arch=sm_",    "-arch=sm_x",
        "-arch=sm_99999",      "-arch=",       "-arch= sm_80", "-arch sm_80",
        "-DX=\"-arch=sm_80\"", "-archx=sm_80", "sm_80",        "",
        "-arch=compute_",      "--gpu=sm_80"};
    for (size_t i = 0; i < WW_ARRAY_LEN(options); i++) {
        check(75, options[i], options[i]);
    }
}

static void values_may_be_options_of_their_own(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_error err = {0};
    const char *const options[] = {"-arch", "sm_61", "--gpu-architecture", "sm_90", "-arch"};
    const char **out;
    assert_ok(rt_nvrtc_options(options, 5, 75, &arena, &out, &err), err);
    assert_string_equal(out[1], "compute_75");
    assert_string_equal(out[3], "compute_90");
    assert_string_equal(out[4], "-arch");
    const char *const odd[] = {"-arch", "-arch", "sm_80", NULL};
    assert_ok(rt_nvrtc_options(odd, 4, 75, &arena, &out, &err), err);
    assert_string_equal(out[1], "-arch"); /* a value, however odd */
    assert_string_equal(out[2], "sm_80");
    assert_null(out[3]);
    ww_arena_fini(&arena);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static char option[8192];
    snprintf(option, sizeof option, "%7000s-arch=sm_80", "");
    const char *const options[] = {option};
    size_t failures = 0;
    for (size_t k = 1; k < 8; k++) {
        ww_arena arena = {0};
        const char **out;
        ww_mem_fail_after(k);
        ww_status status = rt_nvrtc_options(options, 1, 75, &arena, &out, NULL);
        ww_mem_fail_after(0);
        assert_true(status == WW_OK || status == WW_ENOMEM);
        failures += status != WW_OK;
        ww_arena_fini(&arena);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_architectures_become_virtual),
        cmocka_unit_test(old_architectures_are_raised),
        cmocka_unit_test(the_rest_is_for_nvrtc_to_judge),
        cmocka_unit_test(values_may_be_options_of_their_own),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
