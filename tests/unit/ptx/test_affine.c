/* Are values classed, and kernels divided into streams, as the paper's examples say? */
#include "module.h"
#include "perf/ptx/analysis/decouple.h"
#include "tests/support/arch_fixture.h"

typedef struct code {
    ww_ptx_module *module;
    ww_kernel *kernel;
    ww_view view;
    ww_chains chains;
    ww_affine affine;
    ww_decoupled streams;
    ww_arena arena;
} code;

static const ww_decouple_options paper = {
    .divergence = true, .conditions = 8, .stack_depth = 8, .follow_data = true, .shared = true};

static code analyse_built(const char *text, ww_decouple_options options, bool lowered)
{
    code c = {.module = parse(text)};
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    arch.sm.registers = 32768;
    arch.sm.register_unit = 64;
    arch.sm.max_threads = 1536;
    assert_ok(ww_ptx_build_kernel(c.module, "k", lowered, lowered ? &arch : NULL, &c.kernel, &err),
              err);
    assert_ok(ww_view_of_kernel(c.kernel, &c.arena, &c.view, &err), err);
    assert_ok(ww_chains_build(&c.view, &c.arena, &c.chains, &err), err);
    assert_ok(ww_affine_build(&c.view, &c.chains, &c.arena, &c.affine, &err), err);
    assert_ok(ww_decouple(&c.affine, &c.chains, &options, &c.arena, &c.streams, &err), err);
    return c;
}

static code analyse_as(const char *text, ww_decouple_options options)
{
    return analyse_built(text, options, false);
}

static code analyse_lowered(const char *text)
{
    return analyse_built(text, paper, true);
}

static code analyse(const char *text)
{
    return analyse_as(text, paper);
}

static void drop(code *c)
{
    ww_arena_fini(&c->arena);
    ww_ptx_destroy(c->module);
}

/* One letter for each instruction: s scalar, a affine, n non-affine, - no result. */
static void assert_classes(const code *c, const char *expected)
{
    char text[256] = "";
    for (uint32_t i = 0; i < c->kernel->code_count; i++) {
        ww_affine_class kind = ww_affine_result(&c->affine, i);
        text[i] = kind == WW_AFFINE_NOTHING  ? '-'
                  : kind == WW_AFFINE_SCALAR ? 's'
                  : kind == WW_AFFINE_NON    ? 'n'
                                             : 'a';
    }
    assert_string_equal(text, expected);
}

/* Numbers of the instructions that have one of the marks, or have none of `without`. */
static void assert_stream(const code *c, uint16_t marks, uint16_t without, const char *expected)
{
    char text[512] = "";
    for (uint32_t i = 0; i < c->kernel->code_count; i++) {
        uint16_t s = c->streams.stream[i];
        if ((marks == 0 || (s & marks) != 0) && (s & without) == 0) {
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, "%s%u", at > 0 ? " " : "", i);
        }
    }
    assert_string_equal(text, expected);
}

static uint32_t conditions_of_address(const code *c, uint32_t inst)
{
    ww_affine_value v = ww_affine_source(&c->affine, inst, 0);
    return ww_affine_expands(v) ? v.count : 99;
}

/* The kernel of Figure 4. */
#define FIGURE_4                                                                                   \
    HEAD ".visible .entry k(.param .u32 A, .param .u32 B, .param .u32 dim, .param .u32 num)\n"     \
         "{\n.reg .pred %p<2>;\n.reg .b32 %r<12>;\n"                                               \
         "ld.param.u32 %r1, [A];\n"                                                                \
         "ld.param.u32 %r2, [B];\n"                                                                \
         "mov.u32 %r5, %ctaid.x;\n"                                                                \
         "mov.u32 %r6, %ntid.x;\n"                                                                 \
         "mul.lo.u32 %r5, %r5, %r6;\n" /* 4 */                                                     \
         "mov.u32 %r7, %tid.x;\n"                                                                  \
         "add.u32 %r7, %r7, %r5;\n"                                                                \
         "mul.lo.u32 %r8, %r7, 4;\n"                                                               \
         "add.u32 %r1, %r1, %r8;\n" /* 8: addrA */                                                 \
         "add.u32 %r2, %r2, %r8;\n"                                                                \
         "mov.u32 %r9, 0;\n"                                                                       \
         "LOOP:\n"                                                                                 \
         "ld.global.u32 %r10, [%r1];\n" /* 11 */                                                   \
         "add.u32 %r11, %r10, 1;\n"                                                                \
         "st.global.u32 [%r2], %r11;\n"                                                            \
         "add.u32 %r9, %r9, 1;\n" /* 14 */                                                         \
         "ld.param.u32 %r3, [num];\n"                                                              \
         "mul.lo.u32 %r3, %r3, 4;\n"                                                               \
         "add.u32 %r1, %r3, %r1;\n" /* 17 */                                                       \
         "add.u32 %r2, %r3, %r2;\n"                                                                \
         "ld.param.u32 %r4, [dim];\n"                                                              \
         "setp.ne.u32 %p0, %r4, %r9;\n" /* 20 */                                                   \
         "@%p0 bra LOOP;\n"                                                                        \
         "ret;\n}\n"

/* Figure 7: four instructions for each round of the loop in the non-affine stream. */
static void figure_7(void **state)
{
    (void)state;
    code c = analyse(FIGURE_4);
    assert_classes(&c, "ssasaaaaaasnn-sssaass--");
    assert_stream(&c, WW_STREAM_DATA, 0, "11");
    assert_stream(&c, WW_STREAM_ADDRESS, 0, "13");
    assert_stream(&c, WW_STREAM_PREDICATE, 0, "20");
    assert_stream(&c, WW_STREAM_DEQUEUES, 0, "21");
    assert_stream(&c, WW_STREAM_RETURNS, 0, "");
    assert_stream(&c, 0, WW_STREAM_ABSENT, "11 12 13 21 22");
    assert_stream(&c, WW_STREAM_AFFINE, 0, "0 1 2 3 4 5 6 7 8 9 10 11 13 14 15 16 17 18 19 20 21");
    drop(&c);
}

/* Two ifs choose between offsets: four tuples; a third makes the address non-affine. */
#define CHOOSE(n, to)                                                                              \
    "setp.lt.u32 %p" #n ", %r1, " #n "0;\n"                                                        \
    "@%p" #n " bra E" #n ";\n"                                                                     \
    "mov.u32 %r" #to ", " #n ";\n"                                                                 \
    "bra J" #n ";\n"                                                                               \
    "E" #n ":\n"                                                                                   \
    "mul.lo.u32 %r" #to ", %r1, 4;\n"                                                              \
    "J" #n ":\n"                                                                                   \
    "add.u32 %r9, %r9, %r" #to ";\n"

static void four_tuples_fit(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r9, 64;\n" CHOOSE(1, 2) CHOOSE(
        2, 3) "ld.global.u32 %r5, [%r9];\nst.global.u32 [%r9], %r5;\nret;"));
    assert_int_equal(conditions_of_address(&c, 14), 2);
    assert_stream(&c, WW_STREAM_DATA, 0, "14");
    assert_int_equal(c.streams.condition_count, 2);
    assert_int_equal(c.streams.condition[0], 7); /* where control comes together */
    assert_int_equal(c.streams.condition[1], 13);
    drop(&c);
    c = analyse_as(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r9, 64;\n" CHOOSE(1, 2) CHOOSE(
                       2, 3) "ld.global.u32 %r5, [%r9];\nst.global.u32 [%r9], %r5;\nret;"),
                   (ww_decouple_options){true, 1, 8, true, true});
    assert_stream(&c, WW_STREAM_DATA, 0, ""); /* no room for the second condition's mask */
    assert_int_equal(c.streams.rejected_conditions, 2);
    drop(&c);
    c = analyse_as(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r9, 64;\n" CHOOSE(
                       1, 2) "ld.global.u32 %r5, [%r9];\nst.global.u32 [%r9], %r5;\nret;"),
                   (ww_decouple_options){false, 8, 8, true, true});
    assert_stream(&c, WW_STREAM_DATA | WW_STREAM_ADDRESS, 0, ""); /* dac.divergence = 0 */
    drop(&c);
}

static void eight_tuples_do_not(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r9, 64;\n" CHOOSE(1, 2) CHOOSE(2, 3)
                                CHOOSE(3, 4) "ld.global.u32 %r5, [%r9];\n"
                                             "st.global.u32 [%r9], %r5;\nret;"));
    assert_int_equal(conditions_of_address(&c, 20), 99);
    assert_stream(&c, WW_STREAM_DATA | WW_STREAM_ADDRESS, 0, "");
    drop(&c);
}

/* A value that takes another step in some rounds of a loop has ever more tuples. */
static void carried_by_a_loop(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                            "L:\n"
                            "add.u32 %r2, %r2, 1;\n"
                            "add.u32 %r4, %r2, %r1;\n"
                            "setp.lt.u32 %p1, %r1, %r2;\n"
                            "@%p1 add.u32 %r3, %r3, 4;\n"
                            "ld.global.u32 %r5, [%r3];\n" /* 7 */
                            "ld.global.u32 %r6, [%r4];\n"
                            "st.global.u32 [%r4], %r5;\nst.global.u32 [%r4+4], %r6;\n"
                            "setp.lt.u32 %p2, %r2, 10;\n"
                            "@%p2 bra L;\nret;"));
    assert_stream(&c, WW_STREAM_DATA, 0, "8");
    drop(&c);
}

/* Threads leave a loop one by one: inside, all are in the same round; behind it, they are not. */
static void threads_leave_one_by_one(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n"
                            "L:\n"
                            "ld.global.u32 %r5, [%r2];\n" /* 2 */
                            "st.global.u32 [%r1], %r5;\n"
                            "add.u32 %r2, %r2, 4;\n"
                            "setp.lt.u32 %p2, %r2, %r1;\n"
                            "@%p2 bra L;\n"
                            "ld.global.u32 %r6, [%r2];\n" /* 7 */
                            "st.global.u32 [%r1], %r6;\nret;"));
    assert_stream(&c, WW_STREAM_DATA, 0, "2");
    drop(&c);
}

/* Conditions from guards: a guarded write has the former value beside the new one, but not to
 * readers under the same guard. */
static void guarded_writes(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 64;\n"
                            "setp.lt.u32 %p1, %r1, 70;\n"
                            "@%p1 add.u32 %r2, %r1, 4;\n" /* 3 */
                            "@%p1 ld.global.u32 %r5, [%r2];\n"
                            "ld.global.u32 %r6, [%r2];\n"
                            "st.global.u32 [%r1], %r5;\nst.global.u32 [%r1+4], %r6;\nret;"));
    assert_int_equal(conditions_of_address(&c, 4), 0);
    assert_int_equal(conditions_of_address(&c, 5), 1);
    drop(&c);
}

static void choices(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                            "min.s32 %r3, %r1, %r2;\n" /* 2 */
                            "abs.s32 %r4, %r1;\n"
                            "setp.lt.u32 %p1, %r1, %r2;\n"
                            "selp.b32 %r5, %r1, %r2, %p1;\n"
                            "rem.u32 %r6, %r1, %r2;\n"
                            "add.u32 %r7, %r6, %r2;\n"
                            "add.u32 %r8, %r6, %r1;\n" /* 8: to a mod type only scalars */
                            "mul.lo.u32 %r9, %r1, %r1;\n"
                            "and.b32 %r10, %r1, 7;\n"
                            "and.b32 %r11, %r2, 7;\n"
                            "cvt.rn.f32.u32 %f1, %r1;\n"
                            "cvt.rn.f32.u32 %f2, %r2;\nret;"));
    assert_classes(&c, "asaaaaaannnsns-");
    assert_int_equal(c.affine.access[c.view.writes[2]].count, 1);
    assert_int_equal(c.affine.access[c.view.writes[3]].count, 1);
    assert_int_equal(c.affine.access[c.view.writes[5]].count, 1);
    drop(&c);
}

/* Both operands differ within a CTA: not a comparison for the expansion unit (section 4.3). A block
 * offset is the same for a CTA. */
static void comparisons(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.x;\n"
                            "setp.lt.u32 %p1, %r1, %r2;\n"
                            "setp.lt.u32 %p2, %r1, %r3;\n"
                            "setp.lt.and.u32 %p3, %r1, %r3, %p2;\n"
                            "setp.lt.and.u32 %p4, %r1, %r3, %p1;\n"
                            "and.pred %p5, %p2, %p3;\nret;"));
    assert_classes(&c, "aaanaana-");
    drop(&c);
}

/* How compilers write max(-x, 0), and -x - 1; a scalar that is no sign decides nothing. */
static void words_masked_by_a_sign(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                            "shr.s32 %r3, %r1, 31;\n" /* 2 */
                            "neg.s32 %r4, %r1;\n"
                            "and.b32 %r5, %r3, %r4;\n" /* 4 */
                            "and.b32 %r6, %r4, %r3;\n"
                            "and.b32 %r7, %r2, %r4;\n"
                            "not.b32 %r8, %r1;\n"
                            "shr.s32 %r9, %r1, 30;\n"
                            "and.b32 %r10, %r9, %r4;\nret;"));
    assert_classes(&c, "asaaaanann-");
    assert_int_equal(c.affine.access[c.view.writes[4]].count, 1);
    assert_int_equal(c.affine.access[c.view.writes[4]].condition[0], 4);
    drop(&c);
}

/* Lowering divides by a sequence of instructions; its end is one remainder again, by a scalar. */
static void lowered_remainders(void **state)
{
    (void)state;
#define REMAINDER(divisor)                                                                         \
    KERNEL("mov.u32 %r1, %tid.x;\n" divisor ";\nrem.s32 %r3, %r1, %r2;\n"                          \
           "st.global.u32 [%r1], %r3;\nret;")
    for (unsigned k = 0; k < 2; k++) {
        code c = analyse_lowered(k == 0 ? REMAINDER("ld.param.u32 %r2, [n]")
                                        : REMAINDER("mov.u32 %r2, %tid.y"));
        uint32_t ends = 0;
        for (uint32_t i = 0; i < c.kernel->code_count; i++) {
            uint32_t test = ww_affine_divisor(&c.view, &c.chains, i);
            ends += test != WW_NO_TARGET;
            if (test != WW_NO_TARGET) {
                assert_int_equal(c.kernel->code[test].op, WW_OP_SETP);
                assert_int_equal(ww_affine_result(&c.affine, i),
                                 k == 0 ? WW_AFFINE_MOD : WW_AFFINE_NON);
            }
        }
        assert_int_equal(ends, 1);
        drop(&c);
    }
}

/* The words of 64-bit sums and products make one affine value. */
static void pairs_of_words(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [out];\n"
                            "ld.param.u32 %r3, [out+4];\n"
                            "mul.lo.s32 %r4, %r1, 12;\n"
                            "mul.hi.s32 %r5, %r1, 12;\n" /* 4 */
                            "add.cc.u32 %r4, %r4, %r2;\n"
                            "addc.u32 %r5, %r5, %r3;\n"
                            "mov.b64 %rd1, {%r4, %r5};\n" /* 7: words are not put together here */
                            "shr.s32 %r6, %r1, 31;\n"
                            "shr.s32 %r7, %r1, 3;\n"
                            "addc.u32 %r8, %r1, %r3;\nret;"));
    assert_int_equal(c.affine.access[c.view.writes[4]].kind, WW_AFFINE_HIGH);
    assert_int_equal(c.affine.access[c.view.writes[6]].kind, WW_AFFINE_HIGH);
    assert_int_equal(c.affine.access[c.view.writes[8]].kind, WW_AFFINE_SIGN);
    assert_int_equal(c.affine.access[c.view.writes[9]].kind, WW_AFFINE_NON);
    assert_int_equal(c.affine.access[c.view.writes[10]].kind, WW_AFFINE_NON);
    drop(&c);
}

/* Of x | y it may be asked whether it is 0, as of x and y at once, for its sign, and nothing else.
 */
static void an_or_is_compared_with_zero(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\n"
                            "mov.u32 %r2, %tid.y;\n"
                            "or.b32 %r3, %r1, %r2;\n"
                            "setp.eq.u32 %p1, %r3, 0;\n" /* 3 */
                            "setp.ne.u32 %p2, %r3, 1;\n"
                            "setp.lt.u32 %p3, %r3, 0;\n"
                            "add.u32 %r4, %r3, 1;\n" /* 6 */
                            "mov.u32 %r5, %ctaid.x;\n"
                            "or.b32 %r6, %r3, %r5;\n"
                            "setp.ne.u32 %p1, %r6, 0;\n" /* 9 */
                            "ld.global.u32 %r7, [%r3];\n"
                            "or.b32 %r8, %r7, %r1;\n"
                            "setp.gt.s32 %p1, %r3, -1;\n" /* 12 */
                            "setp.lt.s32 %p1, %r3, 0;\n"
                            "setp.gt.s32 %p1, %r3, 0;\n" /* 14: of both at once */
                            "setp.gt.u32 %p1, %r3, -1;\nret;"));
    static const struct {
        uint32_t inst;
        ww_affine_class kind;
    } expected[] = {{2, WW_AFFINE_EITHER},  {3, WW_AFFINE_THREAD}, {4, WW_AFFINE_NON},
                    {5, WW_AFFINE_NON},     {6, WW_AFFINE_NON},    {8, WW_AFFINE_EITHER},
                    {9, WW_AFFINE_THREAD},  {11, WW_AFFINE_NON},   {12, WW_AFFINE_THREAD},
                    {13, WW_AFFINE_THREAD}, {14, WW_AFFINE_NON},   {15, WW_AFFINE_NON}};
    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(c.affine.access[c.view.writes[expected[i].inst]].kind, expected[i].kind);
    }
    drop(&c);
}

/* A branch on data: its lanes come from the kernel's warps; barriers and exits are in both streams
 * where requests follow them. */
static void data_dependent_control(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x;\n"
                            "ld.global.u32 %r2, [%r1];\n" /* 1 */
                            "setp.eq.u32 %p1, %r2, 0;\n"
                            "@%p1 exit;\n" /* 3 */
                            "bar.sync 0;\n"
                            "setp.eq.u32 %p2, %r2, 5;\n"
                            "@%p2 bra E;\n" /* 6 */
                            "ld.global.u32 %r3, [%r1+128];\n"
                            "st.global.u32 [%r2], %r3;\n" /* 8: its address is data */
                            "E:\n"
                            "bar.sync 0;\nret;"));
    assert_stream(&c, WW_STREAM_DATA, 0, "1 7");
    assert_stream(&c, WW_STREAM_ADDRESS, 0, "");
    assert_stream(&c, WW_STREAM_RETURNS, 0, "3 6");
    assert_stream(&c, WW_STREAM_AFFINE, 0, "0 1 3 4 6 7");
    drop(&c);
}

/* Or what runs as data decides is left to the kernel's warps, with what reads a value from there
 * and what stands behind a barrier there; the affine warp then waits for nobody. */
static void data_dependent_control_avoided(void **state)
{
    (void)state;
    ww_decouple_options options = paper;
    options.follow_data = false;
    code c = analyse_as(KERNEL("mov.u32 %r1, %tid.x;\n"
                               "ld.global.u32 %r2, [%r1];\n" /* 1 */
                               "mov.u32 %r4, 8;\n"
                               "setp.eq.u32 %p2, %r2, 5;\n"
                               "@%p2 bra E;\n"
                               "ld.global.u32 %r3, [%r1+128];\n" /* 5: as data decides */
                               "st.global.u32 [%r2], %r3;\n"
                               "mov.u32 %r4, 16;\n"
                               "E:\n"
                               "add.u32 %r5, %r1, %r4;\n"
                               "ld.global.u32 %r6, [%r5];\n" /* 9: at an address as data decides */
                               "ld.global.u32 %r7, [%r1+64];\n" /* 10 */
                               "st.global.u32 [%r1], %r6;\n"
                               "st.global.u32 [%r1+4], %r7;\nret;"),
                        options);
    assert_stream(&c, WW_STREAM_DATA, 0, "1 10");
    assert_stream(&c, WW_STREAM_ADDRESS, 0, "11 12");
    assert_stream(&c, WW_STREAM_RETURNS, 0, "");
    drop(&c);
    c = analyse_as(KERNEL("mov.u32 %r1, %tid.x;\n"
                          "L:\n"
                          "ld.global.u32 %r2, [%r1];\n" /* 1: in a loop that data end */
                          "bar.sync 0;\n"
                          "setp.ne.u32 %p1, %r2, 5;\n"
                          "@%p1 bra L;\n"
                          "ld.global.u32 %r3, [%r1+64];\n" /* 5: behind such a barrier */
                          "st.global.u32 [%r2], %r3;\nret;"),
                   options);
    assert_stream(&c, WW_STREAM_AFFINE, 0, "");
    drop(&c);
}

/* Accesses to shared memory may keep their own addresses. */
static void shared_memory_left_out(void **state)
{
    (void)state;
    static const char *const streams[] = {"1", "1 3"};
    for (unsigned k = 0; k < 2; k++) {
        ww_decouple_options options = paper;
        options.shared = k == 1;
        code c = analyse_as(KERNEL("mov.u32 %r1, %tid.x;\n"
                                   "st.global.u32 [%r1], %r1;\n" /* 1 */
                                   "bar.sync 0;\n"
                                   "st.shared.u32 [%r1], %r1;\nret;"),
                            options);
        assert_stream(&c, WW_STREAM_ADDRESS, 0, streams[k]);
        drop(&c);
    }
}

/* Code that nothing reaches may run into a loop: it is no way into its body. */
static void unreached_code_before_a_loop_s_block(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 0;\n"
                            "L:\n"
                            "add.u32 %r1, %r1, 1;\n"
                            "bra M;\n"
                            "mov.u32 %r2, 5;\n" /* 3: unreached */
                            "M:\n"
                            "setp.lt.u32 %p1, %r1, 10;\n"
                            "@%p1 bra L;\nret;"));
    assert_int_equal(ww_affine_result(&c.affine, 1), WW_AFFINE_SCALAR);
    drop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_7),
        cmocka_unit_test(four_tuples_fit),
        cmocka_unit_test(eight_tuples_do_not),
        cmocka_unit_test(carried_by_a_loop),
        cmocka_unit_test(threads_leave_one_by_one),
        cmocka_unit_test(guarded_writes),
        cmocka_unit_test(choices),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(words_masked_by_a_sign),
        cmocka_unit_test(lowered_remainders),
        cmocka_unit_test(pairs_of_words),
        cmocka_unit_test(an_or_is_compared_with_zero),
        cmocka_unit_test(data_dependent_control),
        cmocka_unit_test(data_dependent_control_avoided),
        cmocka_unit_test(shared_memory_left_out),
        cmocka_unit_test(unreached_code_before_a_loop_s_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
