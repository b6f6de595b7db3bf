/* Do device functions with struct arguments, results, locals and divergent call sites compute the
 * same as the C they were made of, as written and lowered? */
#include "tests/ptx/run.h"

enum { COUNT = 256, BLOCK = 64 };

/* struct s { int32_t a; int8_t c; uint16_t h; int64_t d; }
 *
 * struct s mix(struct s x, int k) { x.a += k; x.c -= 3; x.h ^= k; x.d = x.d * k + x.c; return x; }
 * int64_t sum(struct s x, int n) { int64_t l[4]; for (i < 4) l[i] = mix(x, n + i).d; return l[n &
 * 3] + l[0]; } kernel: x = in[i]; if (i & 1) { x = mix(x, i); out = x.d + x.a + x.c + x.h; } else
 * out = sum(x, i) */
static const char *const program =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".func (.param .align 8 .b8 func_retval0[16]) mix(.param .align 8 .b8 mix_param_0[16], .param "
    ".b32 mix_param_1)\n{\n"
    ".reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [mix_param_0+8]; ld.param.u32 %r1, [mix_param_0]; ld.param.s8 %r2, "
    "[mix_param_0+4];\n"
    "ld.param.u16 %rs1, [mix_param_0+6]; ld.param.u32 %r3, [mix_param_1];\n"
    "add.s32 %r1, %r1, %r3; add.s32 %r2, %r2, -3; cvt.s32.s8 %r2, %r2; cvt.u16.u32 %rs2, %r3; "
    "xor.b16 %rs1, %rs1, %rs2;\n"
    "cvt.s64.s32 %rd2, %r3; cvt.s64.s32 %rd3, %r2; mad.lo.s64 %rd1, %rd1, %rd2, %rd3;\n"
    "st.param.b32 [func_retval0+0], %r1; cvt.u16.u32 %rs3, %r2; st.param.b8 [func_retval0+4], "
    "%rs3;\n"
    "st.param.b16 [func_retval0+6], %rs1; st.param.b64 [func_retval0+8], %rd1;\nret;\n}\n"
    ".func (.param .b64 func_retval0) sum(.param .align 8 .b8 sum_param_0[16], .param .b32 "
    "sum_param_1)\n{\n"
    ".local .align 8 .b8 depot[32]; .reg .b64 %SP, %SPL; .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg "
    ".pred %p<2>;\n"
    "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
    "ld.param.u64 %rd1, [sum_param_0]; ld.param.u64 %rd2, [sum_param_0+8]; ld.param.u32 %r1, "
    "[sum_param_1];\n"
    "mov.u32 %r2, 0;\n$L1:\nadd.s32 %r3, %r1, %r2;\n"
    "{ .reg .b32 temp_param_reg;\n.param .align 8 .b8 param0[16]; st.param.b64 [param0+0], %rd1; "
    "st.param.b64 [param0+8], %rd2;\n"
    ".param .b32 param1; st.param.b32 [param1+0], %r3;\n.param .align 8 .b8 retval0[16];\n"
    "call.uni (retval0),\nmix,\n(\nparam0,\nparam1\n);\nld.param.b64 %rd3, [retval0+8]; }\n"
    "mul.wide.s32 %rd4, %r2, 8; add.s64 %rd5, %SP, %rd4; st.u64 [%rd5], %rd3;\n"
    "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 4; @%p1 bra $L1;\n"
    "and.b32 %r4, %r1, 3; mul.wide.s32 %rd6, %r4, 8; add.s64 %rd7, %SPL, %rd6; ld.local.u64 %rd8, "
    "[%rd7];\n"
    "ld.local.u64 %rd9, [depot]; add.s64 %rd8, %rd8, %rd9; st.param.b64 [func_retval0+0], "
    "%rd8;\nret;\n}\n"
    ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n"
    ".reg .b16 %rs<8>; .reg .b32 %r<12>; .reg .b64 %rd<20>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, "
    "%r3;\n"
    "mul.wide.s32 %rd3, %r4, 16; add.s64 %rd4, %rd1, %rd3; ld.global.u64 %rd5, [%rd4]; "
    "ld.global.u64 %rd6, [%rd4+8];\n"
    "and.b32 %r5, %r4, 1; setp.eq.s32 %p1, %r5, 0; @%p1 bra $even;\n"
    "{ .param .align 8 .b8 param0[16]; st.param.v2.b64 [param0+0], {%rd5, %rd6}; .param .b32 "
    "param1; st.param.b32 [param1], %r4;\n"
    ".param .align 8 .b8 retval0[16]; call (retval0), mix, (param0, param1);\n"
    "ld.param.s32 %rd7, [retval0]; ld.param.s8 %r6, [retval0+4]; ld.param.u16 %rs1, [retval0+6]; "
    "ld.param.u64 %rd8, [retval0+8]; }\n"
    "add.s64 %rd9, %rd7, %rd8; cvt.s64.s32 %rd10, %r6; add.s64 %rd9, %rd9, %rd10; cvt.u64.u16 "
    "%rd11, %rs1; add.s64 %rd9, %rd9, %rd11;\n"
    "bra.uni $done;\n$even:\n"
    "{ .param .align 8 .b8 param0[16]; st.param.b64 [param0+0], %rd5; st.param.b64 [param0+8], "
    "%rd6; .param .b32 param1; st.param.b32 [param1], %r4;\n"
    ".param .b64 retval0; call (retval0), sum, (param0, param1); ld.param.b64 %rd9, [retval0]; }\n"
    "$done:\nmul.wide.s32 %rd12, %r4, 8; add.s64 %rd13, %rd2, %rd12; st.global.u64 [%rd13], %rd9; "
    "ret;\n}\n";

typedef struct record {
    int32_t a;
    int8_t c;
    uint16_t h;
    int64_t d;
} record;

static record mix(record x, int32_t k)
{
    x.a = (int32_t)((uint32_t)x.a + (uint32_t)k);
    x.c = (int8_t)(x.c - 3);
    x.h = (uint16_t)(x.h ^ k);
    x.d = (int64_t)((uint64_t)x.d * (uint64_t)(int64_t)k + (uint64_t)(int64_t)x.c);
    return x;
}

static int64_t expected(record x, int32_t i)
{
    if ((i & 1) != 0) {
        x = mix(x, i);
        return x.d + x.a + x.c + x.h;
    }
    int64_t l[4];
    for (int32_t k = 0; k < 4; k++) {
        l[k] = mix(x, i + k).d;
    }
    return l[i & 3] + l[0];
}

static void execute(ww_code code, const record *in, int64_t *out)
{
    ptx_run r;
    run_open(&r, program);
    r.arch.sm.max_thread_registers = 63;
    const uint64_t param[2] = {run_alloc(&r, COUNT * sizeof *in, in),
                               run_alloc(&r, COUNT * sizeof *out, NULL)};
    assert_ok(run_kernel(&r, "k", code, COUNT / BLOCK, BLOCK, param), r.err);
    memcpy(out, run_at(&r, param[1], COUNT * sizeof *out), COUNT * sizeof *out);
    run_close(&r);
}

static void calls_compute_what_c_computes(void **state)
{
    (void)state;
    static record in[COUNT];
    static int64_t out[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        memset(&in[i], 0xa5, sizeof in[i]);
        in[i].a = i * 1000003;
        in[i].c = (int8_t)(i * 7);
        in[i].h = (uint16_t)(i * 257);
        in[i].d = (int64_t)i * 0x100000001ll - 77;
    }
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        memset(out, 0, sizeof out);
        execute(code, in, out);
        for (int32_t i = 0; i < COUNT; i++) {
            if (out[i] != expected(in[i], i)) {
                fail_msg("%s, thread %d: %lld instead of %lld",
                         code == WW_CODE_LOWERED ? "lowered" : "as written", i, (long long)out[i],
                         (long long)expected(in[i], i));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_compute_what_c_computes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
