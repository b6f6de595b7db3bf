/* test_lowered.c - does lowering leave the instructions that its rules say: constants where machine
 * code has places for them, each half of a wide value by itself, nothing for what only moves?
 * (docs/models/lowering.md) */
#include "tests/support/arch_fixture.h"
#include "tests/unit/ptx/run_kernel.h"

static void assert_lowered(const char *text, const char *expected)
{
    ww_ptx_module *m = parse(text);
    ww_kernel *k = NULL;
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    arch.chip.compute_capability = 70;
    arch.sm.max_thread_registers = 63;
    arch.sm.registers = 32768;
    arch.sm.register_unit = 64;
    arch.sm.max_threads = 1536;
    assert_ok(ww_ptx_build_kernel(m, "k", WW_CODE_LOWERED, &arch, &k, &err), err);
    assert_listing(k->code, k->code_count, expected);
    ww_ptx_destroy(m);
}

#define ADDRESS "mov.b32 r0, c[0x0]\nmov.b32 r1, c[0x4]\nmov.u32 r2, %tid.x\n"

/* Of a parameter each half is a constant of its own; of a pair that is put together and taken
 * apart, what it was made of. */
static void halves_of_wide_values(void **state)
{
    (void)state;
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; cvt.u32.u64 %r1, %rd1; mov.u32 %r2, %tid.x; "
                          "add.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3; ret;"),
                   ADDRESS "add.u32 r2, r2, c[0x0]\nst.global.u32 [r0:64], r2\nexit\n");
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; mov.b64 {%r4, %r5}, %rd1; "
                          "mov.u32 %r2, %tid.x; add.u32 %r3, %r2, %r5; "
                          "st.global.u32 [%rd1], %r3; ret;"),
                   ADDRESS "add.u32 r2, r2, c[0x4]\nst.global.u32 [r0:64], r2\nexit\n");
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; mov.b64 %rd3, {%r2, 9}; "
                          "mov.b64 {%r4, %r5}, %rd3; add.u32 %r3, %r4, %r5; "
                          "st.global.u32 [%rd1], %r3; ret;"),
                   ADDRESS "add.u32 r2, r2, 0x9\nst.global.u32 [r0:64], r2\nexit\n");
}

/* An index's product and its sum with an address are one instruction, what is added behind stands
 * in the access. */
static void addresses_are_one_instruction(void **state)
{
    (void)state;
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; "
                          "mul.wide.u32 %rd2, %r2, 12; add.s64 %rd3, %rd1, %rd2; "
                          "st.global.u32 [%rd3+8], %r2; ret;"),
                   "mov.u32 r0, %tid.x\nmov.b32 r1, 0xc\n"
                   "mad.wide.u32 r2:64, r0, r1, c[0x0]:64\nst.global.u32 [r2:64+8], r0\nexit\n");
}

/* Parameters are operands in the constant bank, if their address is made of sums; one whose address
 * is not known is loaded. */
static void parameters_are_constants(void **state)
{
    (void)state;
    assert_lowered(KERNEL("mov.b64 %rd2, out; add.s64 %rd3, %rd2, 4; add.s64 %rd4, %rd3, 4; "
                          "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [%rd4]; "
                          "ld.param.u32 %r2, [%rd4+-4]; add.u32 %r3, %r1, %r2; "
                          "st.global.u32 [%rd1], %r3; ret;"),
                   "mov.b32 r0, c[0x0]\nmov.b32 r1, c[0x4]\nmov.b32 r2, c[0x4]\n"
                   "add.u32 r2, c[0x8], r2\n"
                   "st.global.u32 [r0:64], r2\nexit\n");
}

#define CLEAR "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; "
#define STORE "ld.param.u64 %rd1, [out]; st.global.v2.f32 [%rd1], {%f1, %f2}; ret;"

/* What is cleared before a branch is not cleared again where all ways to a place leave it so; once
 * it was something else on one of them, it is. */
static void numbers_are_set_once(void **state)
{
    (void)state;
    assert_lowered(KERNEL("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; " CLEAR "@%p1 bra L;"
                          "W: bar.sync 0; setp.ne.u32 %p3, %r1, 7; @%p3 bra W;" CLEAR
                          "M: add.f32 %f1, %f1, %f2; add.f32 %f2, %f2, %f1;"
                          "setp.lt.f32 %p2, %f1, 0f3f800000; @%p2 bra M; bar.sync 0; L:" STORE),
                   "mov.u32 r0, %tid.x\nsetp.eq.u32 p0, r0, 0x0\nmov.f32 r1, 0x0\nmov.f32 r2, 0x0\n"
                   "@p0 bra @13\nbar.sync 0x0\nsetp.ne.u32 p0, r0, 0x7\n@p0 bra @5\n"
                   "add.f32 r1, r1, r2\nadd.f32 r2, r2, r1\nsetp.lt.f32 p0, r1, 0x3f800000\n"
                   "@p0 bra @8\nbar.sync 0x0\nmov.b32 r4, c[0x0]\nmov.b32 r5, c[0x4]\n"
                   "st.global.v2.f32 [r4:64], r1, r2\nexit\n");
    assert_lowered(KERNEL("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; " CLEAR
                          "@%p1 mov.f32 %f1, 0f3f800000; @%p1 mov.f32 %f2, 0f00000000;"
                          "mov.f32 %f1, 0f00000000;" STORE),
                   "mov.u32 r0, %tid.x\nsetp.eq.u32 p0, r0, 0x0\nmov.f32 r0, 0x0\nmov.f32 r1, 0x0\n"
                   "@p0 mov.f32 r0, 0x3f800000\nmov.f32 r0, 0x0\nmov.b32 r2, c[0x0]\n"
                   "mov.b32 r3, c[0x4]\nst.global.v2.f32 [r2:64], r0, r1\nexit\n");
}

#define PAIRS                                                                                      \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; "                  \
    "add.s64 %rd1, %rd1, %rd2; mad.lo.u32 %r2, %r1, 0x2003, 0x3c12b8f4; "                          \
    "mad.lo.u32 %r3, %r1, 0x3001, 0x40013801; mov.b32 {%rs1, %rs2}, %r2; "                         \
    "mov.b32 %r4, {%rs1, %rs1}; mov.b32 %r5, {%rs2, %rs2}; "

/* Pairs of one half are operands of what reads them, and nothing moves; unless the word that they
 * are of is written before. */
static void pairs_of_one_half_are_operands(void **state)
{
    (void)state;
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; ld.global.v2.b32 {%r1, %r2}, [%rd1]; "
                          "mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r4, {%rs1, %rs1}; "
                          "mov.b32 %r5, {%rs2, %rs2}; fma.rn.f16x2 %r6, %r4, %r2, %r5; "
                          "add.bf16x2 %r7, %r6, %r5; st.global.b32 [%rd1], %r7; ret;"),
                   "mov.b32 r0, c[0x0]\nmov.b32 r1, c[0x4]\nld.global.v2.b32 r2, r3, [r0:64]\n"
                   "fma.rn.f16x2 r3, r2.h0_h0, r3, r2.h1_h1\n"
                   "add.bf16x2 r2, r3, r2.h1_h1\nst.global.b32 [r0:64], r2\nexit\n");
    assert_lowered(KERNEL("ld.param.u64 %rd1, [out]; ld.global.v2.b32 {%r1, %r2}, [%rd1]; "
                          "mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r4, {%rs2, %rs2}; "
                          "ld.global.b32 %r1, [%rd1+8]; mul.f16x2 %r6, %r4, %r2; "
                          "add.f16x2 %r7, %r6, %r1; st.global.b32 [%rd1], %r7; ret;"),
                   "mov.b32 r0, c[0x0]\nmov.b32 r1, c[0x4]\nld.global.v2.b32 r2, r3, [r0:64]\n"
                   "mov.b32 r2, r4, r2\nmov.b32 r4, r4, r4\nld.global.b32 r2, [r0:64+8]\n"
                   "fma.rn.f16x2 r2, r4, r3, r2\nst.global.b32 [r0:64], r2\nexit\n");
}

/* Whatever the halves are, with and without moves. */
static void pairs_of_one_half_compute_the_same(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL(PAIRS "fma.rn.f16x2 %r6, %r4, %r3, %r5; fma.rn.bf16x2 %r7, %r3, %r5, %r4; "
                     "mul.f16x2 %r8, %r5, %r4; neg.f16x2 %r9, %r4; add.f16x2 %r9, %r9, %r3; "
                     "mov.b32 {%rs3, %rs4}, %r3; mov.u16 %rs5, %rs4; mov.b32 %r10, {%rs5, %rs5}; "
                     "sub.f16x2 %r9, %r9, %r10; mov.u32 %r2, %r3; add.f16x2 %r8, %r8, %r5; "
                     "st.global.v4.b32 [%rd1], {%r6, %r7, %r8, %r9}; ret;");
    const ptx_run run = {text, 1, 64, 4};
    uint32_t machine[64 * 4], written[64 * 4];
    run_kernel(&run, WW_CODE_LOWERED, 80, machine);
    run_kernel(&run, WW_CODE_PTX, 80, written);
    assert_memory_equal(machine, written, sizeof machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_wide_values),
        cmocka_unit_test(addresses_are_one_instruction),
        cmocka_unit_test(parameters_are_constants),
        cmocka_unit_test(numbers_are_set_once),
        cmocka_unit_test(pairs_of_one_half_are_operands),
        cmocka_unit_test(pairs_of_one_half_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
