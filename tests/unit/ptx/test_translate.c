/* Do PTX instructions become the right executable ones: registers, operands, addresses, scopes,
 * calls, labels? */
#include "module.h"

static void arithmetic(void **state)
{
    (void)state;
    assert_kernel_listing(KERNEL("mad.lo.s32 %r1, %r2, -3, %r3;\n"
                                 "mul.wide.u32 %rd1, %r1, 4;\n"
                                 "add.f32 %f1, %f2, 0f3F800000;\n"
                                 "add.f64 %fd1, %fd2, 0d3FF0000000000000;\n"
                                 "mul.f64 %fd1, %fd1, 0f40000000;\n"
                                 "fma.rn.ftz.f32 %f1, %f1, 1.5, %f2;\n"
                                 "shl.b64 %rd2, %rd1, %r1;\n"
                                 "bfi.b32 %r1, %r2, %r3, 4, 8;\n"
                                 "mov.u32 %r1, WARP_SZ;\n"
                                 "exit;"),
                          "mad.lo.s32 r0, r1, 0xfffffffffffffffd, r2\n"
                          "mul.wide.u32 r3:64, r0, 0x4\n"
                          "add.f32 r4, r5, 0x3f800000\n"
                          "add.f64 r6:64, r7:64, 0x3ff0000000000000\n"
                          "mul.f64 r6:64, r6:64, 0x4000000000000000\n"
                          "fma.rn.ftz.f32 r4, r4, 0x3fc00000, r5\n"
                          "shl.b64 r8:64, r3:64, r0\n"
                          "bfi.b32 r0, r1, r2, 0x4, 0x8\n"
                          "mov.u32 r0, 0x20\n"
                          "exit\n");
}

static void predicates(void **state)
{
    (void)state;
    assert_kernel_listing(KERNEL("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;\n"
                                 "setp.eq.u32 _|%p2, %r1, 0;\n"
                                 "@!%p1 selp.b32 %r2, 1, %r1, %p2;\n"
                                 "mov.pred %p4, -1;\n"
                                 "xor.pred %p4, %p4, !%p1;\n"
                                 "vote.sync.ballot.b32 %r1, !%p1, 0xffffffff;\n"
                                 "vote.ballot.sync.b32 %r1, %p1, %r2;\n"
                                 "vote.all.pred %p1, %p2;\n"
                                 "shfl.sync.up.b32 %r3|%p4, %r1, 1, 0, -1;\n"
                                 "bar.red.popc.u32 %r1, 0, %p1;\n"
                                 "barrier.sync 1, 64;\n"
                                 "ret;"),
                          "setp.lt.and.s32 p0, p1, r2, 0x5, !p3\n"
                          "setp.eq.u32 _, p1, r2, 0x0\n"
                          "@!p0 selp.b32 r4, 0x1, r2, p1\n"
                          "mov.pred p5, 0x1\n"
                          "xor.pred p5, p5, !p0\n"
                          "vote.ballot.b32 r2, !p0, 0xffffffff\n"
                          "vote.ballot.b32 r2, p0, r4\n"
                          "vote.all.pred p0, p1, 0xffffffff\n"
                          "shfl.up.b32 r6, p5, r2, 0x1, 0x0, 0xffffffffffffffff\n"
                          "bar.red.popc.u32 r2, 0x0, p0\n"
                          "bar.sync 0x1, 0x40\n"
                          "exit\n");
}

static void carries(void **state)
{
    (void)state;
    assert_kernel_listing(
        KERNEL("add.cc.u32 %r1, %r2, %r3;\naddc.cc.u32 %r4, %r5, 0;\naddc.u32 %r6, 0, 0;\n"
               "mad.lo.cc.u32 %r1, %r2, %r3, %r4;\nmadc.hi.u32 %r1, %r2, %r3, %r4;\nret;"),
        "add.u32 r0, p3, r1, r2\naddc.u32 r4, p3, r5, 0x0, p3\naddc.u32 r6, 0x0, 0x0, p3\n"
        "mad.lo.u32 r0, p3, r1, r2, r4\nmadc.hi.u32 r0, r1, r2, r4, p3\nexit\n");
}

static void memory(void **state)
{
    (void)state;
    assert_kernel_listing(
        KERNEL(".shared .align 4 .b8 a[6];\n.shared .align 16 .b8 tile[64];\n.local .align 8 .b8 "
               "depot[40];\n"
               "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"
               "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];\n"
               "st.global.v2.u32 [%rd1+-8], {%r1, 7};\n"
               "ld.shared.u32 %r2, [tile+12];\nmov.u32 %r3, tile;\nst.shared.u8 [a], %rs1;\n"
               "mov.u64 %rd2, depot;\nld.local.u32 %r4, [depot+4];\n"
               "ld.shared.f32 %f1, [%r3];\n"
               "atom.global.cas.b32 %r5, [%rd1], %r1, %r2;\nred.shared.add.u32 [%r3+4], 1;\n"
               "prefetch.global.L2 [%rd1];\nret;"),
        "ld.param.u64 r0:64, [0]\nld.param.u32 r1, [8]\n"
        "ld.global.v4.f32 r2, r3, r4, r5, [r0:64+16]\n"
        "st.global.v2.u32 [r0:64-8], r1, 0x7\n"
        "ld.shared.u32 r6, [28]\nmov.u32 r7, 0x10\nst.shared.u8 [0], r8\n"
        "mov.u64 r9:64, 0x0\nld.local.u32 r10, [4]\n"
        "ld.shared.f32 r2, [r7]\n"
        "atom.global.cas.b32 r11, [r0:64], r1, r6\nred.shared.add.u32 [r7+4], 0x1\n"
        "prefetch.global [r0:64]\nexit\n");
}

static void packing(void **state)
{
    (void)state;
    assert_kernel_listing(
        KERNEL("mov.b64 %rd1, {%r1, %r2};\nmov.b64 {%r3, _}, %rd1;\nmov.b32 {%rs1, %rs2}, %r1;\n"
               "mov.b64 %rd2, {%rs1, %rs2, %rs1, 0};\nret;"),
        "mov.b64 r0:64, r1, r2\nmov.b64 r3, _, r0:64\nmov.b32 r4, r5, r1\n"
        "mov.b64 r6:64, r4, r5, r4, 0x0\nexit\n");
}

/* Registers wider than the operation: the low word is read; results are extended. */
static void wide_registers(void **state)
{
    (void)state;
    assert_kernel_listing(
        KERNEL("ld.global.s32 %rd1, [%rd2];\nst.global.u32 [%rd2], %rd1;\ncvt.u16.u64 %rs1, "
               "%rd1;\nret;"),
        "ld.global.s32 r1, [r2:64]\ncvt.s64.s32 r0:64, r1\nst.global.u32 [r2:64], r0.lo\n"
        "cvt.u16.u64 r3, r0:64\nexit\n");
}

static void symbols_are_addresses(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(
        HEAD ".global .u32 g[4]; .const .f32 c[4];\n.extern .shared .align 16 .b8 dyn[];\n"
             ".entry k() { .reg .b64 a; .reg .b32 r; .reg .f32 f; .shared .u32 s[3];\n"
             "mov.u64 a, g+4; ld.global.u32 r, [g+8]; ld.const.f32 f, [c+12]; mov.u32 r, dyn;\n"
             "st.shared.u32 [s+4], r; ld.u32 r, [g]; cvta.global.u64 a, g; ret; }");
    m->symbol[0].address = 0x1000;
    m->symbol[1].address = 0x2000;
    const ww_function *f = translate(m, "k");
    assert_listing(
        f->inst, f->inst_count,
        "mov.u64 r0:64, 0x1004\nld.global.u32 r1, [4104]\nld.const.f32 r2, [8204]\nmov.u32 r1, "
        "0x10\n"
        "st.shared.u32 [4], r1\nld.global.u32 r1, [4096]\ncvta.global.u64 r0:64, 0x1000\nexit\n");
    ww_ptx_destroy(m);
}

/* An inner block may use a name again; its labels are its own. */
static void nested_scopes(void **state)
{
    (void)state;
    assert_kernel_listing(KERNEL("mov.u32 %r1, 1;\n"
                                 "{ .reg .b32 %r<2>; .reg .pred p; mov.u32 %r1, 2; setp.eq.u32 p, "
                                 "%r1, 0; @p bra DONE; mov.u32 %r2, 9; DONE: }\n"
                                 "{ .reg .b64 %r1; mov.u64 %r1, 3; bra DONE; DONE: }\n"
                                 "{ .reg .u32 temp; mov.u32 temp, 4; add.u32 %r1, temp, 1; }\n"
                                 "mov.u32 %r1, 5;\nret;"),
                          "mov.u32 r0, 0x1\n"
                          "mov.u32 r1, 0x2\nsetp.eq.u32 p2, r1, 0x0\n@p2 bra @5\nmov.u32 r3, 0x9\n"
                          "mov.u64 r4:64, 0x3\nbra @7\n"
                          "mov.u32 r5, 0x4\nadd.u32 r0, r5, 0x1\n"
                          "mov.u32 r0, 0x5\nexit\n");
}

static void control(void **state)
{
    (void)state;
    assert_kernel_listing(KERNEL("ts: .branchtargets L1, L2, L1;\nbrx.idx %r1, ts;\nL1: bra.uni "
                                 "L2;\nL2: @%p1 ret;\ntrap;\nbra END;\nEND:"),
                          "brx r0\nbra @2\n@p1 exit\ntrap\nbra @5\nexit\n");
    ww_ptx_module *m = parse(
        KERNEL("ts: .branchtargets L1, L2, L1;\nbrx.idx %r1, ts;\nL1: bra.uni L2;\nL2: ret;"));
    const ww_inst *brx = &translate(m, "k")->inst[0];
    assert_int_equal(brx->table_count, 3);
    assert_true(brx->table[0] == 1 && brx->table[1] == 2 && brx->table[2] == 1);
    ww_ptx_destroy(m);
}

static const char *const call_text =
    HEAD ".func (.param .b64 r) f(.param .b32 a, .param .align 8 .b8 s[16])\n"
         "{ .reg .f32 x; .reg .f64 d; .reg .b16 c; ld.param.f32 x, [a]; ld.param.f64 d, [s+8]; "
         "ld.param.u8 c, [s+5];\n"
         "  st.param.f64 [r+0], d; ret; }\n"
         ".entry k(.param .u64 o)\n"
         "{ .reg .f32 x; .reg .f64 d; .reg .b32 i; .reg .b16 c;\n"
         "{ .param .b32 p0; st.param.f32 [p0+0], x; .param .align 8 .b8 p1[16]; st.param.f64 "
         "[p1+8], d; st.param.u32 [p1], i;\n"
         "  st.param.b8 [p1+5], c; .param .b64 v;\n"
         "  call.uni (v),\n f,\n (\n p0,\n p1\n );\n ld.param.f64 d, [v+0]; }\nret; }\n";

static void calls(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(call_text);
    const ww_function *k = translate(m, "k");
    assert_listing(k->inst, k->inst_count,
                   "mov.b32 r0, r1\n"
                   "mov.b64 r4, r5, r6:64\n"
                   "mov.b32 r2, r7\n"
                   "bfi.b32 r3, r8, r3, 0x8, 0x8\n"
                   "call r9:64, r0, r2, r3, r4, r5, @0\n"
                   "mov.f64 r6:64, r9:64\n"
                   "exit\n");
    assert_int_equal(k->callee_count, 1);
    const ww_function *f = k->callee[0];
    assert_string_equal(f->name, "f");
    assert_int_equal(f->formal_in_count, 5);
    assert_int_equal(f->formal_out_count, 1);
    assert_listing(f->inst, f->inst_count,
                   "mov.f32 r6, r0\nmov.f64 r7:64, r3, r4\nbfe.u32 r8, r2, 0x8, 0x8\nmov.b64 "
                   "r5:64, r7:64\nret\n");
    ww_ptx_destroy(m);
}

static void errors_are_located(void **state)
{
    (void)state;
    assert_translate_error(
        KERNEL(" tld4.r.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f1}];\nret;"), WW_EUNSUP, 11,
        2, "k: 'tld4.r.3d.v4.f32.f32' is not supported");
    assert_translate_error(KERNEL("mov.u32 %r1, %envreg3; ret;"), WW_EUNSUP, 11, 14,
                           "special register '%envreg3'");
    assert_translate_error(KERNEL("add.s32 %r1, %rs1, 1; ret;"), WW_EPARSE, 11, 14,
                           "a 16-bit register cannot be");
    assert_translate_error(KERNEL("add.s32 %r1, %p1, 1; ret;"), WW_EPARSE, 11, 14,
                           "a predicate cannot be");
    assert_translate_error(KERNEL("add.s32 %r1, %r2; ret;"), WW_EPARSE, 11, 1,
                           "has 2 operands instead of 3");
    assert_translate_error(KERNEL("add.s32 5, %r2, 1; ret;"), WW_EPARSE, 11, 9,
                           "must be a register");
    assert_translate_error(KERNEL("vmad.u32.u32.u32 %r1, -%r2, %r2, -%r1; ret;"), WW_EPARSE, 11, 34,
                           "cannot both be negated");
    assert_translate_error(KERNEL("vmad.u32.u32.u32.po %r1, %r2, %r2, -%r1; ret;"), WW_EPARSE, 11,
                           26, "no operand of 'vmad.u32.u32.u32.po'");
    assert_translate_error(KERNEL("vmad.u32.u32.u32 -%r1, %r2, %r2, %r1; ret;"), WW_EPARSE, 11, 18,
                           "result cannot be negated");
    assert_translate_error(KERNEL("vadd.u32.u32.u32.half %r1, %r2, %r2; ret;"), WW_EUNSUP, 11, 1,
                           "'vadd.u32.u32.u32.half' is not supported: modifier '.half'");
    assert_translate_error(KERNEL("vmad.u32.u32.u32.shr8 %r1, -%r2, %r2, %r1; ret;"), WW_EUNSUP, 11,
                           1, "'vmad.u32.u32.u32.shr8' is not supported: modifier '.shr8'");
    assert_translate_error(KERNEL("ld.global.v2.f32 %f1, [%rd1]; ret;"), WW_EPARSE, 11, 18,
                           "needs 2 elements");
    assert_translate_error(KERNEL("st.param.u32 [n], %r1; ret;"), WW_EPARSE, 11, 14,
                           "cannot be written");
    assert_translate_error(KERNEL("ld.param.u64 %rd1, [n]; ret;"), WW_EPARSE, 11, 20,
                           "8 bytes at offset 0");
    assert_translate_error(KERNEL("ld.shared.u32 %r1, [n]; ret;"), WW_EPARSE, 11, 21,
                           ".param memory");
    assert_translate_error(KERNEL("call %r1, ();\nret;"), WW_EPARSE, 11, 6, "needs a function");
    assert_translate_error(KERNEL("call %rd1, (%r1);\nret;"), WW_EUNSUP, 11, 13,
                           "not a .param variable");
    assert_translate_error(KERNEL("bra %r1;"), WW_EPARSE, 11, 5, "needs a label");
    assert_translate_error(HEAD ".extern .func g;\n.entry k() { call g; ret; }", WW_EUNSUP, 5, 19,
                           "no body");
    ww_ptx_module *m = parse(KERNEL("ret;"));
    ww_function *f;
    ww_error err = {0};
    assert_int_equal(ww_ptx_translate(m, "kk", &f, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "did you mean 'k'"));
    ww_ptx_destroy(m);
}

/* Neighbours of the forms of DPX, which the manual does not have, are refused by name. */
static void illegal_minima(void **state)
{
    (void)state;
    static const char *const forms[] = {"min.relu.u16x2",    "max.relu.u32",     "add.sat.s16x2",
                                        "add.relu.s16x2",    "max.u16x2.s32",    "sub.s16x2",
                                        "max.relu.relu.s32", "max.relu.s32.s32", "max.relu"};
    for (size_t i = 0; i < WW_ARRAY_LEN(forms); i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD ".entry k() { .reg .b32 %%r<4>;\n%s %%r1, %%r2, %%r3; }",
                 forms[i]);
        ww_ptx_module *m = parse(text);
        ww_ptx_problem *p;
        size_t n;
        ww_error err = {0};
        assert_ok(ww_ptx_check(m, &p, &n, &err), err);
        assert_int_equal(n, 1);
        assert_non_null(strstr(p[0].what, forms[i]));
        ww_ptx_destroy(m);
    }
}

static void check_lists_everything(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(HEAD ".func r { call r; ret; }\n.entry a() { "
                                  "foo.x; .reg .b32 %r<2>;\nmov.u32 %r1, %envreg3;\nret; }\n"
                                  ".entry b() { call r; ret; }\n.entry c() { ret; }\n");
    ww_ptx_problem *p;
    size_t n;
    ww_error err = {0};
    assert_ok(ww_ptx_check(m, &p, &n, &err), err);
    assert_int_equal(n, 2);
    assert_string_equal(p[0].kernel, "a");
    assert_string_equal(p[0].what, "'foo.x' is not supported");
    assert_int_equal(p[1].line, 6);
    assert_string_equal(p[1].what, "special register '%envreg3' is not supported");
    ww_ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(predicates),
        cmocka_unit_test(carries),
        cmocka_unit_test(memory),
        cmocka_unit_test(packing),
        cmocka_unit_test(wide_registers),
        cmocka_unit_test(symbols_are_addresses),
        cmocka_unit_test(nested_scopes),
        cmocka_unit_test(control),
        cmocka_unit_test(calls),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(illegal_minima),
        cmocka_unit_test(check_lists_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
