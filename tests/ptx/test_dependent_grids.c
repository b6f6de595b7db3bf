/* test_dependent_grids.c - does a grid that may begin early (griddepcontrol) do so when every CTA
 * before it lets it, use what is free, and wait for the end of the one before where it says so? The
 * first grid has one CTA on one SM, which lets dependents begin at once and then takes `loops`
 * trips; the second notes when it begins, and when it goes on. */
#include <string.h>

#include "tests/support/hopper_fixture.h"

#define HEAD                                                                                       \
    "{\n.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %q<4>;\n"                                     \
    "ld.param.u64 %q0, [out]; ld.param.u32 %r0, [n]; mov.u32 %r1, %clock;\n"

static const char text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry first(.param .u64 out, .param .u32 n)\n" HEAD
    "griddepcontrol.launch_dependents;\n"
    "L: sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;\n"
    "mov.u32 %r2, 77; st.global.u32 [%q0], %r2; mov.u32 %r3, %clock; st.global.u32 [%q0+4], %r3;\n"
    "ret;\n}\n"
    ".visible .entry silent(.param .u64 out, .param .u32 n)\n" HEAD
    "L: sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;\n"
    "mov.u32 %r2, 77; st.global.u32 [%q0], %r2; mov.u32 %r3, %clock; st.global.u32 [%q0+4], %r3;\n"
    "ret;\n}\n"
    ".visible .entry second(.param .u64 out, .param .u32 n)\n" HEAD
    "griddepcontrol.wait; mov.u32 %r2, %clock; ld.global.u32 %r3, [%q0];\n"
    "st.global.u32 [%q0+8], %r1; st.global.u32 [%q0+12], %r2; st.global.u32 [%q0+16], %r3; "
    "ret;\n}\n";

enum { VALUE, FIRST_END, BEGUN, WENT_ON, READ, WORDS };

static void run(const char *first, bool early, unsigned threads, uint32_t got[WORDS])
{
    static const uint32_t before = 0, loops = 20000;
    hopper m;
    ww_devptr out;
    hopper_open(&m, text, true, false, threads);
    assert_ok(ww_device_malloc(m.device, 256, &out, &m.err), m.err);
    const void *args[] = {&out, &loops};
    const ww_launch_request one = {.module = m.module,
                                   .kernel = first,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .args = args,
                                   .arg_count = 2};
    ww_launch_request list[] = {one, one};
    list[1].kernel = "second";
    list[1].after = &before;
    list[1].after_count = 1;
    list[1].early = early;
    assert_ok(ww_device_launch_concurrent(m.device, list, 2, &m.err), m.err);
    assert_ok(ww_device_read(m.device, got, out, WORDS * 4, &m.err), m.err);
    hopper_close(&m);
}

/* It has begun long before the other's end, and read what that has left. */
static void a_grid_begins_early_and_waits(void **state)
{
    (void)state;
    uint32_t got[WORDS], again[WORDS];
    run("first", true, 1, got);
    assert_true(got[BEGUN] + 100000 < got[FIRST_END]);
    assert_in_range(got[WENT_ON], got[FIRST_END], got[FIRST_END] + 2000);
    assert_int_equal(got[READ], 77);
    run("first", true, 3, again);
    assert_memory_equal(got, again, sizeof got);
}

static void nothing_begins_early_that_is_not_let(void **state)
{
    (void)state;
    uint32_t got[WORDS];
    run("silent", true, 1, got);
    assert_true(got[BEGUN] > got[FIRST_END]);
    run("first", false, 1, got);
    assert_true(got[BEGUN] > got[FIRST_END]);
    assert_true(got[WENT_ON] - got[BEGUN] < 100); /* nothing is left to wait for */
    assert_int_equal(got[READ], 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_begins_early_and_waits),
        cmocka_unit_test(nothing_begins_early_that_is_not_let),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
