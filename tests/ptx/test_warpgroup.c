/* Does a wait for products of a warp group also wait for the other warps to have read their
 * operands, and is a wait that can never end told, with the barrier, its phase and what is
 * missing? */
#include "tests/support/hopper_fixture.h"

enum { THREADS = 128 };

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"         \
    ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar[2];\n"                             \
    ".reg .b32 %r<20>; .reg .b64 %q<9>; .reg .f32 %f<5>; .reg .pred %p<6>;\n"                      \
    "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; mov.u32 %r1, s; ld.param.u64 %q0, [p];\n"

/* A, 64 x 16, and B, 8 x 16, are ones; each warp overwrites B as soon as its product is done. */
static const char overwriting[] = HEAD
    "mov.u32 %r2, 0x3c003c00; mad.lo.u32 %r3, %r0, 16, %r1; shr.u32 %r4, %r0, 5;\n"
    "st.shared.v4.u32 [%r3], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [%r3+2048], {%r2, %r2, %r2, "
    "%r2};\n"
    "fence.proxy.async; bar.sync 0;\n"
    "cvt.u64.u32 %q1, %r1; shr.u64 %q1, %q1, 4; or.b64 %q1, %q1, 0x1000080000;\n"
    "add.u64 %q2, %q1, 128;\n"
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q1, %q2, 1, 1, 1, 0, "
    "0;\n"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
    "mov.u32 %r5, 0x40004000; st.shared.v4.u32 [%r3+2048], {%r5, %r5, %r5, %r5};\n"
    "mad.lo.u32 %r6, %r0, 16, 0; cvt.u64.u32 %q3, %r6; add.u64 %q3, %q3, %q0;\n"
    "st.global.v4.f32 [%q3], {%f0, %f1, %f2, %f3}; ret;\n}\n";

static void products_end_together(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 4; v++) {
        hopper m;
        ww_devptr out;
        float got[THREADS * 4];
        hopper_open(&m, overwriting, v & 1, v & 2, 1);
        assert_ok(ww_device_malloc(m.device, sizeof got, &out, &m.err), m.err);
        assert_ok(hopper_launch(&m, "k", 1, THREADS, 0, out), m.err);
        assert_ok(ww_device_read(m.device, got, out, sizeof got, &m.err), m.err);
        for (unsigned i = 0; i < THREADS * 4; i++) {
            assert_true(got[i] == 16.0F);
        }
        hopper_close(&m);
    }
}

/* Ones times ones, 16 of them, on accumulators of 5 that the product takes or, told by its first
 * flag, does not. */
static const char on_sums[] = HEAD
    "mov.u32 %r2, 0x3c003c00; mad.lo.u32 %r3, %r0, 16, %r1;\n"
    "st.shared.v4.u32 [%r3], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [%r3+2048], {%r2, %r2, %r2, "
    "%r2};\n"
    "fence.proxy.async; bar.sync 0;\n"
    "cvt.u64.u32 %q1, %r1; shr.u64 %q1, %q1, 4; or.b64 %q1, %q1, 0x1000080000;\n"
    "add.u64 %q2, %q1, 128; mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, %r4, 0;\n"
    "mov.f32 %f0, 0f40a00000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q1, %q2, %p1, 1, 1, "
    "0, 0;\n"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
    "mad.lo.u32 %r6, %r4, 128, %r0; mul.wide.u32 %q3, %r6, 16; add.u64 %q3, %q3, %q0;\n"
    "st.global.v4.f32 [%q3], {%f0, %f1, %f2, %f3}; ret;\n}\n";

static void sums_are_taken_where_that_is_told(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 4; v++) {
        hopper m;
        ww_devptr out;
        float got[2][THREADS * 4];
        hopper_open(&m, on_sums, v & 1, v & 2, 1);
        assert_ok(ww_device_malloc(m.device, sizeof got, &out, &m.err), m.err);
        assert_ok(hopper_launch(&m, "k", 2, THREADS, 0, out), m.err);
        assert_ok(ww_device_read(m.device, got, out, sizeof got, &m.err), m.err);
        for (unsigned i = 0; i < THREADS * 4; i++) {
            assert_true(got[0][i] == 16.0F && got[1][i] == 16.0F + 5.0F);
        }
        hopper_close(&m);
    }
}

/* Two such sums in turn, of 32 columns, of 5 and of 7: both do not fit into 32 registers. */
#define SUMS(r)                                                                                    \
    "{%" r "0, %" r "1, %" r "2, %" r "3, %" r "4, %" r "5, %" r "6, %" r "7, %" r "8, %" r        \
    "9, %" r "10, %" r "11, %" r "12, %" r "13, %" r "14, %" r "15}"
#define PRODUCT(r, scale)                                                                          \
    "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " SUMS(r) ", %q1, %q2, " scale             \
                                                                  ", 1, 1, 0, 0;\n"
#define SET4(a, b, c, d, value)                                                                    \
    "mov.f32 %" a ", " value "; mov.f32 %" b ", " value "; mov.f32 %" c ", " value "; mov.f32 %" d \
    ", " value ";\n"
#define SET(r, value)                                                                              \
    SET4(r "0", r "1", r "2", r "3", value)                                                        \
    SET4(r "4", r "5", r "6", r "7", value)                                                        \
    SET4(r "8", r "9", r "10", r "11", value)                                                      \
    SET4(r "12", r "13", r "14", r "15", value)
#define STORE(r, at)                                                                               \
    "st.global.v4.f32 [%q3+" at "], {%" r "0, %" r "1, %" r "2, %" r "3};\n"                       \
    "st.global.v4.f32 [%q3+" at "+16], {%" r "4, %" r "5, %" r "6, %" r "7};\n"                    \
    "st.global.v4.f32 [%q3+" at "+32], {%" r "8, %" r "9, %" r "10, %" r "11};\n"                  \
    "st.global.v4.f32 [%q3+" at "+48], {%" r "12, %" r "13, %" r "14, %" r "15};\n"

static const char spilled_sums[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) .maxnreg 32 {\n.shared .align 1024 .b8 s[4096];\n"
    ".reg .b32 %r<9>; .reg .b64 %q<5>; .reg .f32 %a<16>, %b<16>; .reg .pred %p;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, s; ld.param.u64 %q0, [p];\n"
    "mov.u32 %r2, 0x3c003c00; mad.lo.u32 %r3, %r0, 16, %r1;\n"
    "st.shared.v4.u32 [%r3], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [%r3+2048], {%r2, %r2, %r2, "
    "%r2};\nfence.proxy.async; bar.sync 0;\n"
    "cvt.u64.u32 %q1, %r1; shr.u64 %q1, %q1, 4; or.b64 %q1, %q1, 0x1000080000;\n"
    "add.u64 %q2, %q1, 128; mov.u32 %r4, %ctaid.x; setp.ne.u32 %p, %r4, 0;\n" SET("a", "0f40a00000")
        SET("b", "0f40e00000") "wgmma.fence.sync.aligned;\n" PRODUCT("a", "%p") PRODUCT("b", "%p")
            PRODUCT("a", "1") PRODUCT(
                "b", "1") "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                          "mad.lo.u32 %r6, %r4, 128, %r0; mul.wide.u32 %q3, %r6, 128; add.u64 %q3, "
                          "%q3, %q0;\n" STORE("a", "0") STORE("b", "64") "ret;\n}\n";

static void sums_that_do_not_fit_are_added_to(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 4; v++) {
        hopper m;
        ww_devptr out;
        static float got[2][THREADS][2][16];
        hopper_open(&m, spilled_sums, v & 1, v & 2, 1);
        assert_ok(ww_device_malloc(m.device, sizeof got, &out, &m.err), m.err);
        assert_ok(hopper_launch(&m, "k", 2, THREADS, 0, out), m.err);
        assert_ok(ww_device_read(m.device, got, out, sizeof got, &m.err), m.err);
        for (unsigned i = 0; i < THREADS * 16; i++) {
            const unsigned t = i / 16, c = i % 16;
            assert_true(got[0][t][0][c] == 32.0F && got[1][t][0][c] == 32.0F + 5.0F);
            assert_true(got[0][t][1][c] == 32.0F && got[1][t][1][c] == 32.0F + 7.0F);
        }
        hopper_close(&m);
    }
}

/* Warp 3 never closes its group. */
static const char one_warp_short[] =
    HEAD "shr.u32 %r4, %r0, 5; setp.eq.u32 %p1, %r4, 3; @%p1 bra LATE;\n"
         "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;\n"
         "LATE: bar.sync 1, 64; ret;\n}\n";

/* Of two arrivals one comes, and 64 of 256 bytes; the waiters' loops are short, long or count. */
#define UNENDING(loop)                                                                             \
    HEAD "@%p0 bra READY; mbarrier.init.shared.b64 [bar+8], 2;\n"                                  \
         "mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 256;\n"                                 \
         "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar+8], 64;\n"                         \
         "READY: bar.sync 0;\n" loop "ret;\n}\n"

static const char try_loop[] =
    UNENDING("L: mbarrier.try_wait.parity.shared.b64 %p1, [bar+8], 0;\n@!%p1 bra L;\n");
static const char long_loop[] =
    UNENDING("L: mbarrier.test_wait.parity.shared.b64 %p1, [bar+8], 0;\nmov.u32 %r9, 0;\n"
             "M: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 77; @%p2 bra M;\n@!%p1 bra L;\n");
static const char counting_loop[] =
    UNENDING("mov.u32 %r9, 0;\nL: add.u32 %r9, %r9, 1; setp.gt.u32 %p2, %r9, 20000; @%p2 bra E;\n"
             "mbarrier.try_wait.parity.shared.b64 %p1, [bar+8], 0;\n@!%p1 bra L;\nE:\n");

static void expect_deadlock(const char *ptx, const char *const words[3])
{
    hopper m;
    hopper_open(&m, ptx, true, true, 1);
    assert_int_equal(hopper_launch(&m, "k", 2, THREADS, 0, 0), WW_EDEADLOCK);
    for (unsigned i = 0; i < 3; i++) {
        if (strstr(m.err.what, words[i]) == NULL) {
            fail_msg("'%s' lacks '%s'", m.err.what, words[i]);
        }
    }
    hopper_close(&m);
}

static void missing_warps_are_named(void **state)
{
    (void)state;
    static const char *const words[] = {"products of its warp group; not there: warp 3",
                                        "3 warps: CTA 0,0,0: 0-2", "bar.sync"};
    expect_deadlock(one_warp_short, words);
}

static void waits_without_end_are_told(void **state)
{
    (void)state;
    static const char *const words[] = {
        "mbarrier 0x1008, phase 0: 1 of 2 arrivals missing, 192 bytes to come",
        "8 warps: CTA 0,0,0: 0-3; CTA 1,0,0: 0-3", "nothing can happen any more"};
    expect_deadlock(try_loop, words);
    expect_deadlock(long_loop, words);
}

static void loops_that_give_up_end(void **state)
{
    (void)state;
    hopper m;
    hopper_open(&m, counting_loop, true, true, 1);
    assert_ok(hopper_launch(&m, "k", 2, THREADS, 0, 0), m.err);
    hopper_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_end_together),
        cmocka_unit_test(sums_are_taken_where_that_is_told),
        cmocka_unit_test(sums_that_do_not_fit_are_added_to),
        cmocka_unit_test(missing_warps_are_named),
        cmocka_unit_test(waits_without_end_are_told),
        cmocka_unit_test(loops_that_give_up_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
