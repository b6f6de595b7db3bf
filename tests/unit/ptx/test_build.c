/* Are kernels put together right: registers apart, calls wired, memory laid out, parameters placed?
 * Do all workloads build? */
#include <glob.h>
#include <stdio.h>

#include "base/file.h"
#include "module.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/growth.h"

static ww_arch machine(void)
{
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    arch.sm.registers = 32768;
    arch.sm.register_unit = 64;
    arch.sm.max_threads = 1536;
    return arch;
}

static const ww_kernel *kernel(ww_ptx_module *m, const char *name, bool lowered)
{
    ww_kernel *k = NULL;
    ww_error err = {0};
    ww_arch arch = machine();
    if (m->target_sm >= 90) { /* warp-specialized: Hopper's registers */
        arch.sm.max_thread_registers = 255;
        arch.sm.registers = 65536;
    }
    assert_ok(ww_ptx_build_kernel(m, name, lowered, &arch, &k, &err), err);
    return k;
}

static void slots_and_pairs(void **state)
{
    (void)state;
    ww_ptx_module *m =
        parse(KERNEL("mov.u32 %r1, 1; mov.u64 %rd1, 2; mov.u32 %r2, 3; setp.eq.u32 %p5, %r1, %r2; "
                     "add.u64 %rd2, %rd1, 1; @%p5 bra L; L: ret;"));
    const ww_kernel *k = kernel(m, "k", false);
    assert_listing(k->code, k->code_count,
                   "mov.u32 r0, 0x1\nmov.u64 r2:64, 0x2\nmov.u32 r4, 0x3\nsetp.eq.u32 p0, r0, r4\n"
                   "add.u64 r6:64, r2:64, 0x1\n@p0 bra @6\nexit\n");
    assert_int_equal(k->registers, 8);
    assert_int_equal(k->ptx_registers, 8);
    assert_int_equal(k->predicates, 1);
    assert_int_equal(k->code[5].reconv, 6);
    assert_false(k->lowered);
    ww_ptx_destroy(m);
}

/* The upper word of a masked offset is zero: no instruction computes it, no register holds it, and
 * it stands beside the parameter's in the addition, as ptxas has RZ there. */
static void zero_words_take_no_instructions(void **state)
{
    (void)state;
    ww_ptx_module *m =
        parse(KERNEL("ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; "
                     "and.b64 %rd3, %rd2, 65532; add.s64 %rd4, %rd1, %rd3; "
                     "st.global.u32 [%rd4], %r1; ret;"));
    ww_kernel *k = NULL;
    ww_error err = {0};
    ww_arch arch = machine();
    arch.chip.compute_capability = 70;
    assert_ok(ww_ptx_build_kernel(m, "k", true, &arch, &k, &err), err);
    assert_listing(k->code, k->code_count,
                   "mov.u32 r0, %tid.x\nand.b32 r1, r0, 0xfffc\nadd.u32 r2, p0, c[0x0], r1\n"
                   "addc.u32 r3, c[0x4], 0x0, p0\nst.global.u32 [r2:64], r0\nexit\n");
    assert_int_equal(k->registers, 4);
    ww_ptx_destroy(m);
}

static void parameters(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(
        HEAD
        ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 4 .b8 c[6], "
        ".param .f64 d, .param .u16 e) .maxntid 32, 4 { ret; }");
    const ww_kernel *k = kernel(m, "k", false);
    static const uint32_t offset[] = {0, 8, 16, 24, 32}, bytes[] = {1, 8, 6, 8, 2};
    assert_int_equal(k->param_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(k->params[i].offset, offset[i]);
        assert_int_equal(k->params[i].bytes, bytes[i]);
    }
    assert_int_equal(k->param_bytes, 34);
    assert_int_equal(k->max_threads, 128);
    assert_string_equal(k->params[1].name, "b");
    ww_ptx_destroy(m);
}

static const char *const shared_text =
    HEAD ".shared .align 4 .b8 unused[100];\n.shared .align 8 .b8 both[24];\n.extern .shared "
         ".align 16 .b8 dyn[];\n"
         ".func f { .reg .b32 r; .shared .b32 inner; ld.shared.b32 r, [inner]; ret; }\n"
         ".entry a() { .reg .b32 r; .shared .b8 odd[3]; mov.u32 r, odd; ld.shared.b32 r, [both]; "
         "call f; ret; }\n"
         ".entry b() { .reg .b32 r; ld.shared.b32 r, [both+4]; mov.u32 r, dyn; ret; }\n";

static void shared_memory_is_what_the_kernel_uses(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(shared_text);
    const ww_kernel *a = kernel(m, "a", false);
    assert_int_equal(a->shared_bytes, 24 + 4 + 3);
    assert_false(a->uses_dynamic_shared);
    const ww_kernel *b = kernel(m, "b", false);
    assert_int_equal(b->shared_bytes, 32);
    assert_true(b->uses_dynamic_shared);
    assert_int_equal(b->code[1].src[0].imm, 32);
    ww_ptx_destroy(m);
}

/* k calls f and g, f calls g: g's registers and locals lie above f's. */
static const char *const calls_text =
    HEAD ".func (.reg .u32 y) g(.reg .u32 x) { .local .b32 l[4]; st.local.u32 [l], x; add.u32 y, "
         "x, 1; ret; }\n"
         ".func (.param .b32 y) f(.param .b32 x) { .local .b32 l[2]; .reg .b32 a, b; ld.param.b32 "
         "a, [x]; st.local.b32 [l+4], a; call (b), g, (a);\n"
         "  st.param.b32 [y], b; ret; }\n"
         ".entry k() { .reg .b32 a, b; .reg .pred p; .local .b32 l; st.local.b32 [l], a; "
         "setp.eq.b32 p, a, 0;\n"
         "  { .param .b32 q; .param .b32 r; st.param.b32 [q], a; call (r), f, (q); ld.param.b32 a, "
         "[r]; }\n"
         "  @p call (b), g, (7); st.shared.b32 [0], b; ret; }\n";

static void calls_are_flat(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(calls_text);
    const ww_kernel *k = kernel(m, "k", false);
    assert_listing(
        k->code, k->code_count,
        "st.local.b32 [0], r0\nsetp.eq.b32 p0, r0, 0x0\nmov.b32 r1, r0\n"
        "mov.b32 r4, r1\ncall @12\nmov.b32 r2, r5\nmov.b32 r0, r2\n"
        "@p0 mov.b32 r8, 0x7\n@p0 call @19\n@p0 mov.b32 r3, r9\nst.shared.b32 [0], r3\nexit\n"
        "mov.b32 r6, r4\nst.local.b32 [20], r6\nmov.b32 r8, r6\ncall @19\nmov.b32 r7, r9\nmov.b32 "
        "r5, r7\nret\n"
        "st.local.u32 [32], r8\nadd.u32 r9, r8, 0x1\nret\n");
    assert_int_equal(k->registers, 10);
    assert_int_equal(k->local_bytes, 48);
    const ww_kernel *low = kernel(m, "k", true);
    assert_true(low->lowered && low->registers < k->registers + 1);
    assert_int_equal(low->ptx_registers, 10);
    ww_ptx_destroy(m);
}

static void refusals(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(calls_text);
    ww_kernel *k;
    ww_error err = {0};
    assert_int_equal(ww_ptx_build_kernel(m, "g", false, NULL, &k, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "'g' is a device function"));
    assert_int_equal(ww_ptx_build_kernel(m, "nothing", false, NULL, &k, &err), WW_ENOTFOUND);
    ww_ptx_destroy(m);
}

/* Whatever ends up in a kernel stays inside its own registers, predicates and code. */
static void assert_consistent(const ww_kernel *k)
{
    assert_true(k->code_count > 0);
    for (uint32_t i = 0; i < k->code_count; i++) {
        const ww_inst *inst = &k->code[i];
        for (uint32_t n = 0; n < (uint32_t)inst->dst_count + inst->src_count; n++) {
            const ww_operand *o =
                n < inst->dst_count ? &inst->dst[n] : &inst->src[n - inst->dst_count];
            assert_true(o->kind != WW_OPD_REG || o->reg + o->words <= k->registers);
            assert_true(o->kind != WW_OPD_PRED || o->reg < k->predicates);
        }
        assert_true(inst->guard.kind == WW_OPD_NONE || inst->guard.reg < k->predicates);
        assert_true((inst->op != WW_OP_BRA && inst->op != WW_OP_CALL) ||
                    inst->target < k->code_count);
        assert_true(inst->reconv == WW_NO_TARGET || inst->reconv < k->code_count);
        assert_true(inst->line > 0);
    }
}

/* A kernel of 48 loads, all of them live until the last: as many registers as its directives leave.
 */
static void assert_limited(const char *directives, uint32_t most, uint32_t least)
{
    enum { LIVE = 48, ROOM = 8192 };
    char text[ROOM];
    int n = snprintf(text, ROOM,
                     HEAD ".visible .entry k(.param .u64 out) %s\n{\n.reg .b32 %%r<%d>;\n"
                          ".reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [out];\n",
                     directives, LIVE + 1);
    for (int i = 0; i < LIVE; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n), "ld.volatile.global.u32 %%r%d, [%%rd1+%d];\n",
                      i, 4 * i);
    }
    for (int i = 0; i < LIVE; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n), "st.volatile.global.u32 [%%rd1+%d], %%r%d;\n",
                      4 * i, i);
    }
    snprintf(text + n, (size_t)(ROOM - n), "ret;\n}\n");
    ww_ptx_module *m = parse(text);
    const ww_kernel *k = kernel(m, "k", true);
    assert_in_range(k->registers, least, most);
    assert_int_equal(k->spill_bytes > 0, most < LIVE);
    ww_ptx_destroy(m);
}

/* 32768 registers and 1536 threads an SM. */
static void registers_leave_room_for_a_cta(void **state)
{
    (void)state;
    assert_limited("", 63, 49);
    assert_limited(".maxntid 128", 63, 49);
    assert_limited(".maxntid 1024, 1, 1", 32, 25);
    assert_limited(".maxntid 256\n.minnctapersm 4", 32, 25);
    assert_limited(".maxntid 1024\n.minnctapersm 4", 32, 25); /* no SM holds as many threads */
    assert_limited(".maxnreg 24", 24, 20);
}

static void workloads_build(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(WW_SOURCE_DIR "/workloads/*/*.ptx", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 12);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text;
        size_t length, count;
        ww_error err = {0};
        ww_ptx_module *m;
        ww_ptx_problem *problems;
        assert_ok(ww_read_file(files.gl_pathv[i], 1 << 24, &text, &length, &err), err);
        assert_ok(ww_ptx_parse(files.gl_pathv[i], text, length, &m, &err), err);
        assert_ok(ww_ptx_check(m, &problems, &count, &err), err);
        assert_int_equal(count, 0);
        for (uint32_t k = 0; k < m->kernel_count; k++) {
            assert_consistent(kernel(m, m->kernel_name[k], false));
            assert_consistent(kernel(m, m->kernel_name[k], true));
        }
        ww_ptx_destroy(m);
        ww_free(text);
    }
    globfree(&files);
}

static void check_kernels(int kernels, void *data)
{
    (void)data;
    size_t room = (size_t)kernels * 48 + sizeof HEAD;
    char *text = calloc(1, room);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, room, HEAD);
    for (int i = 0; i < kernels; i++) {
        n += (size_t)snprintf(text + n, room - n, ".visible .entry k%d() { ret; }\n", i);
    }
    ww_ptx_module *m = parse(text);
    ww_ptx_problem *problems = NULL;
    size_t count = 0;
    ww_error err = {0};
    assert_ok(ww_ptx_check(m, &problems, &count, &err), err);
    assert_int_equal(count, 0);
    ww_ptx_destroy(m);
    free(text);
}

/* Checking a module of many kernels does not look at all of them for each. */
static void many_kernels_are_checked(void **state)
{
    (void)state;
    assert_true(test_is_linear(check_kernels, 1500, NULL));
}

/* Sizes whose sums with what lies behind them do not fit where they are addressed. */
static void too_large_sizes_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
        int line;
    } rows[] = {
        {HEAD ".entry k() { .reg .b32 %r<2>; .local .b8 x[4294967290]; st.local.u32 [x], %r1; }",
         "local memory", 4},
        {HEAD ".entry k() { .reg .b32 %r<2>; .local .b8 x[68719476736]; .local .b8 y[68719476736];"
              " st.local.u32 [y], %r1; }",
         "local memory", 4},
        /* Calls itself: frames, whose sum with a stack would fit again. */
        {HEAD ".func f(.param .b32 a) { .local .b8 y[4294967200]; .reg .b32 %r<2>;"
              " ld.param.u32 %r1, [a]; st.local.u32 [y], %r1; call f, (%r1); ret; }\n"
              ".entry k() { .reg .b32 %r<2>; call f, (%r1); ret; }",
         "local memory", 5},
        {HEAD ".entry k() { .reg .b32 %r<2>; .shared .b8 x[4294967295]; .shared .b8 y[64];"
              " st.shared.u32 [x], %r1; st.shared.u32 [y], %r1; ret; }",
         "shared memory", 4},
        {HEAD ".entry k(.param .b8 p[65535], .param .b8 q[68719476736]) { ret; }", "parameters", 4},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_ptx_module *m = parse(rows[i].text);
        ww_kernel *k = NULL;
        ww_error err = {0};
        assert_int_equal(ww_ptx_build_kernel(m, "k", false, NULL, &k, &err), WW_EUNSUP);
        assert_non_null(strstr(err.what, rows[i].what));
        assert_int_equal(err.line, rows[i].line);
        ww_ptx_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_kernels_are_checked),
        cmocka_unit_test(slots_and_pairs),
        cmocka_unit_test(zero_words_take_no_instructions),
        cmocka_unit_test(parameters),
        cmocka_unit_test(shared_memory_is_what_the_kernel_uses),
        cmocka_unit_test(calls_are_flat),
        cmocka_unit_test(refusals),
        cmocka_unit_test(too_large_sizes_are_located),
        cmocka_unit_test(registers_leave_room_for_a_cta),
        cmocka_unit_test(workloads_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
