/* Loops laid out, shared loads joined: what becomes of them by hand-made examples, and random loops
 * that compute the same as they stand. */
#include <stdarg.h>

#include "perf/exec/exec.h"
#include "tests/support/machine_fixture.h"
#include "tests/unit/ptx/module.h"
#include "tests/unit/ptx/run_kernel.h"

static const ww_kernel *build(ww_ptx_module *module, uint32_t capability)
{
    ww_error err = {0};
    ww_arch arch = fixture_machine(capability);
    ww_kernel *kernel = NULL;
    assert_ok(ww_ptx_build_kernel(module, "k", true, &arch, &kernel, &err), err);
    return kernel;
}

static uint32_t count(const ww_kernel *k, ww_op op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->code_count; i++) {
        n += k->code[i].op == op;
    }
    return n;
}

static void expect(const char *text, uint32_t capability, ww_op op, uint32_t want)
{
    ww_ptx_module *module = parse(text);
    uint32_t got = count(build(module, capability), op);
    if (got != want) {
        fail_msg("capability %u: %u times %s, expected %u:\n%s", capability, got, ww_op_name(op),
                 want, text);
    }
    ww_ptx_destroy(module);
}

/* ---- loops ---- */

#define LOOP(start, update, test)                                                                  \
    KERNEL("ld.param.u64 %rd1, [out];\nmov.f32 %f2, 0f00000000;\n" start                           \
           "\nLOOP:\nld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\n"                 \
           "add.s64 %rd1, %rd1, 4;\n" update "\n" test "\n@%p1 bra LOOP;\n"                        \
           "st.global.f32 [%rd1], %f2;\nret;")

static void a_counted_loop_is_laid_out(void **state)
{
    (void)state;
    const char *text = LOOP("mov.u32 %r1, 8;", "add.s32 %r1, %r1, -2;", "setp.ne.s32 %p1, %r1, 0;");
    expect(text, 75, WW_OP_FMA, 4);
    expect(text, 75, WW_OP_BRA, 0);
    expect(text, 75, WW_OP_SETP, 0);
    expect(text, 61, WW_OP_FMA, 1); /* not seen with older ones */
}

static void a_long_loop_is_laid_out_in_part(void **state)
{
    (void)state;
    const char *text =
        LOOP("mov.u32 %r1, 0;", "add.s32 %r1, %r1, 1;", "setp.lt.u32 %p1, %r1, 1000;");
    expect(text, 75, WW_OP_FMA, 40); /* the largest divisor of 1000 with 5 times 40 <= 240 */
    expect(text, 75, WW_OP_BRA, 1);
}

static void other_loops_stay(void **state)
{
    (void)state;
    expect(LOOP("ld.param.u32 %r1, [n];", "add.s32 %r1, %r1, 1;", "setp.ne.s32 %p1, %r1, 9;"), 75,
           WW_OP_FMA, 1); /* unknown start */
    expect(LOOP("mov.u32 %r1, 0;", "shl.b32 %r1, %r1, 1;", "setp.ne.s32 %p1, %r1, 9;"), 75,
           WW_OP_FMA, 1); /* no constant step */
    expect(LOOP("mov.u32 %r1, 0;", "@%p2 add.s32 %r1, %r1, 1;", "setp.ne.s32 %p1, %r1, 9;"), 75,
           WW_OP_FMA, 1); /* a step that not all lanes take */
    expect(LOOP("mov.u32 %r1, 0;", "add.s32 %r1, %r1, 2;", "setp.ne.s32 %p1, %r1, 9;"), 75,
           WW_OP_FMA, 1); /* never ends */
}

/* ---- shared loads ---- */

#define TABLE             ".shared .align 16 .b8 table[1024];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, table;\n"
#define LOAD(reg, offset) "ld.shared.f32 %f" #reg ", [%r3+" #offset "];\n"
#define USE                                                                                        \
    "add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\nadd.f32 %f7, %f5, %f6;\n"                     \
    "ld.param.u64 %rd1, [out];\nst.global.f32 [%rd1], %f7;\nret;"

static void neighbours_are_loaded_together(void **state)
{
    (void)state;
    expect(KERNEL(TABLE "shl.b32 %r4, %r1, 4;\nadd.s32 %r3, %r2, %r4;\n" LOAD(1, 16) LOAD(3, 24)
                      LOAD(2, 20) LOAD(4, 28) USE),
           75, WW_OP_LD, 1);
    expect(KERNEL(TABLE "shl.b32 %r4, %r1, 3;\nadd.s32 %r3, %r2, %r4;\n" LOAD(1, 0) LOAD(2, 4)
                      LOAD(3, 8) LOAD(4, 12) USE),
           75, WW_OP_LD, 2); /* known to eight bytes */
    expect(KERNEL(TABLE "shl.b32 %r4, %r1, 2;\nadd.s32 %r3, %r2, %r4;\n" LOAD(1, 0) LOAD(2, 4)
                      LOAD(3, 8) LOAD(4, 12) USE),
           75, WW_OP_LD, 4); /* known to four bytes */
    expect(KERNEL(TABLE "shl.b32 %r4, %r1, 4;\nadd.s32 %r3, %r2, %r4;\n" LOAD(1, 4) LOAD(2, 8)
                      LOAD(3, 12) LOAD(4, 16) USE),
           75, WW_OP_LD, 3); /* 8 and 12 lie in one pair */
}

static void stores_keep_loads_apart(void **state)
{
    (void)state;
    expect(KERNEL(TABLE "shl.b32 %r4, %r1, 4;\nadd.s32 %r3, %r2, %r4;\n" LOAD(1, 0)
                      LOAD(2, 4) "st.shared.f32 [%r3+8], %f1;\n" LOAD(3, 8) LOAD(4, 12) USE),
           75, WW_OP_LD, 2);
}

/* ---- random loops ---- */

enum { THREADS = 64, WORDS = 64 };

typedef struct writer {
    char text[1 << 15];
    size_t at;
} writer;

static uint64_t seed = 11;

static uint32_t pick(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

WW_PRINTF(2, 3)
static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->at, sizeof w->text - w->at, format, args);
    va_end(args);
    assert_true(n >= 0 && w->at + (size_t)n < sizeof w->text);
    w->at += (size_t)n;
}

static void put_operation(writer *w)
{
    uint32_t d = pick(8), a = pick(8), b = pick(8);
    if (pick(6) == 0) {
        put(w, "@%sp%u ", pick(2) ? "%" : "!%", pick(3));
    }
    switch (pick(8)) {
    case 0:
        put(w, "add.s32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
        break;
    case 1:
        put(w, "xor.b32 %%r%u, %%r%u, %%r11;\n", d, a);
        break;
    case 2:
        put(w, "add.s32 %%r%u, %%r%u, %u;\n", d, d, 1 + pick(9));
        break;
    case 3:
        put(w, "st.shared.u32 [%%r10+%u], %%r%u;\n", 4 * pick(16), a);
        break;
    case 4:
        put(w, "sub.s64 %%rd1, %%rd1, %u;\n", pick(3));
        break;
    case 5:
        put(w, "mad.lo.s32 %%r%u, %%r%u, %%r11, %%r%u;\n", d, a, b);
        break;
    default:
        put(w, "ld.shared.u32 %%r%u, [%%r10+%u];\n", d, 4 * pick(16));
        break;
    }
}

static void put_program(writer *w)
{
    static const char *const down[] = {"ne", "gt", "ge"}, *const up[] = {"ne", "lt", "le"};
    w->at = 0;
    put(w,
        HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<8>;\n.reg .b32 %%r<20>;\n"
             ".reg .b64 %%rd<8>;\n.shared .align 16 .b8 table[8192];\nld.param.u64 %%rd0, [out];\n"
             "mov.u32 %%r8, %%tid.x;\nmov.u32 %%r9, table;\nshl.b32 %%r10, %%r8, %u;\n"
             "add.s32 %%r10, %%r10, %%r9;\nmul.wide.u32 %%rd2, %%r8, %d;\n"
             "add.s64 %%rd0, %%rd0, %%rd2;\nmov.u64 %%rd1, 77;\n",
        6 + pick(2), 4 * WORDS);
    for (uint32_t i = 0; i < 8; i++) {
        put(w, "mad.lo.s32 %%r%u, %%r8, %u, %u;\n", i, 1 + pick(999), pick(999));
    }
    for (uint32_t i = 0; i < 16; i++) {
        put(w, "st.shared.u32 [%%r10+%u], %%r%u;\n", 4 * i, i % 8);
    }
    for (uint32_t i = 0; i < 3; i++) {
        put(w, "setp.gt.u32 %%p%u, %%r8, %u;\n", i, pick(THREADS));
    }
    uint32_t step = 1 + pick(3), rounds = 1 + pick(20);
    bool falls = pick(2) != 0;
    int first = (int)pick(9) - 4,
        last = falls ? first - (int)(step * rounds) : first + (int)(step * rounds);
    put(w, "mov.u32 %%r11, %d;\nLOOP:\n", first);
    for (uint32_t n = 3 + pick(20); n > 0; n--) {
        put_operation(w);
    }
    put(w, "add.s32 %%r11, %%r11, %d;\n", falls ? -(int)step : (int)step);
    for (uint32_t n = pick(5); n > 0; n--) {
        put_operation(w);
    }
    put(w, "setp.%s.s32 %%p7, %%r11, %d;\n@%%p7 bra LOOP;\n", (falls ? down : up)[pick(3)], last);
    for (uint32_t i = 0; i < 8; i++) {
        put(w, "st.global.u32 [%%rd0+%u], %%r%u;\n", 4 * i, i);
    }
    put(w, "st.global.u64 [%%rd0+64], %%rd1;\nst.global.u32 [%%rd0+72], %%r11;\n");
    for (uint32_t i = 0; i < 16; i++) {
        put(w, "ld.shared.u32 %%r12, [%%r10+%u];\nst.global.u32 [%%rd0+%u], %%r12;\n", 4 * i,
            128 + 4 * i);
    }
    put(w, "ret;\n}\n");
}

static void random_loops_compute_the_same(void **state)
{
    (void)state;
    static uint32_t want[THREADS * WORDS], got[THREADS * WORDS];
    static writer w;
    for (int round = 0; round < 300; round++) {
        put_program(&w);
        const ptx_run one = {w.text, 1, THREADS, WORDS};
        run_kernel(&one, WW_CODE_PTX, 75, want);
        run_kernel(&one, WW_CODE_LOWERED, 75, got);
        if (memcmp(want, got, sizeof want) != 0) {
            fail_msg("round %d:\n%s", round, w.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counted_loop_is_laid_out),
        cmocka_unit_test(a_long_loop_is_laid_out_in_part),
        cmocka_unit_test(other_loops_stay),
        cmocka_unit_test(neighbours_are_loaded_together),
        cmocka_unit_test(stores_keep_loads_apart),
        cmocka_unit_test(random_loops_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
