/* test_gt200.c - the gt200 stream: which loads of shared memory become operands and which may not,
 * what is left of 64-bit addresses, what offset registers, displacements and absent operations
 * take; and does all of it compute what the PTX computes, bit for bit, random programs included? */
#include <stdarg.h>
#include <stdio.h>

#include "perf/exec/exec.h"
#include "tests/support/machine_fixture.h"
#include "tests/unit/ptx/module.h"
#include "tests/unit/ptx/run_kernel.h"

enum { THREADS = 64, LONGEST = 1 << 16 };

/* Each thread has words of its own from %a on, which hold numbers; %b is 0. Results: %x0, %x1. */
#define BODY_HEAD                                                                                  \
    HEAD ".visible .entry k(.param .u64 out)\n{\n"                                                 \
         ".reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b32 %x<8>;\n.reg .f32 %f<8>;\n"              \
         ".reg .b32 %l<200>;\n.reg .f32 %g<40>;\n.reg .b64 %rd<12>;\n.reg .f64 %fd<4>;\n.reg "     \
         ".b32 %a;\n.reg .b32 %b;\n.reg .b32 %t;\n"                                                \
         ".shared .align 16 .b8 sh[24576];\n"                                                      \
         "mov.u32 %t, %tid.x;\nshl.b32 %a, %t, 8;\nmov.u32 %b, sh;\n"                              \
         "mov.u32 %x0, 77;\nmov.u32 %x1, 5;\nmov.u32 %x2, %t;\nadd.u32 %x3, %t, 3;\n"              \
         "mul.lo.u32 %r1, %t, 2654435761;\n"
#define BODY_TAIL                                                                                  \
    "mul.wide.u32 %rd1, %t, 8;\nld.param.u64 %rd2, [out];\nadd.u64 %rd3, %rd2, %rd1;\n"            \
    "st.global.u32 [%rd3], %x0;\nst.global.u32 [%rd3+4], %x1;\nret;\n}\n"

static char *text_of(const char *body)
{
    char *text = malloc(LONGEST);
    assert_non_null(text);
    int n = snprintf(text, LONGEST, "%s", BODY_HEAD);
    for (unsigned k = 0; k < 64; k++) { /* words of no two threads or places alike */
        n +=
            snprintf(text + n, (size_t)(LONGEST - n),
                     "add.u32 %%r2, %%r1, %u;\nst.shared.u32 [%%a+%u], %%r2;\n", k * 40503u, 4 * k);
    }
    n += snprintf(text + n, (size_t)(LONGEST - n), "bar.sync 0;\n%s\n%s", body, BODY_TAIL);
    assert_true(n < LONGEST);
    return text;
}

/* Instructions of the stream by what a test asks for. */
typedef struct tally {
    uint32_t folds, loads, carries, shifts, adds, displaced, selections, scaled, count;
} tally;

static tally tally_of(const char *text)
{
    ww_error err = {0};
    ww_arch arch = fixture_machine(20);
    ww_ptx_module *module = parse(text);
    ww_kernel *k = NULL;
    tally t = {0};
    assert_ok(ww_ptx_build_kernel(module, "k", WW_CODE_GT200, &arch, &k, &err), err);
    for (uint32_t i = 0; i < k->code_count; i++) {
        const ww_inst *inst = &k->code[i];
        t.folds += ww_inst_folded(inst) != NULL;
        t.loads += inst->op == WW_OP_LD && inst->space == WW_SPACE_SHARED;
        t.carries += inst->op == WW_OP_ADDC || inst->op == WW_OP_MADC;
        t.shifts += inst->op == WW_OP_SHL;
        t.adds += inst->op == WW_OP_ADD;
        t.displaced += inst->space == WW_SPACE_GLOBAL && inst->offset != 0;
        t.selections += inst->op == WW_OP_SELP;
        t.scaled += inst->op == WW_OP_SCADD;
    }
    t.count = k->code_count;
    assert_true(k->narrow && k->lowered);
    ww_ptx_destroy(module);
    return t;
}

static void assert_same_results(const char *text, const char *what)
{
    static uint32_t out[2][2 * THREADS];
    const ptx_run run = {text, 1, THREADS, 2};
    run_kernel(&run, WW_CODE_PTX, 20, out[0]);
    run_kernel(&run, WW_CODE_GT200, 20, out[1]);
    if (memcmp(out[0], out[1], sizeof out[0]) != 0) {
        fail_msg("other results than the PTX's: %s", what);
    }
}

typedef struct form {
    const char *body;
    uint32_t folds, loads;
} form;

static void check_forms(const form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = text_of(forms[i].body);
        const tally t = tally_of(text);
        if (t.folds != forms[i].folds || t.loads != forms[i].loads) {
            fail_msg("%s: %u folded and %u loads, expected %u and %u", forms[i].body, t.folds,
                     t.loads, forms[i].folds, forms[i].loads);
        }
        assert_same_results(text, forms[i].body);
        free(text);
    }
}

/* ---- which fold ---- */

#define LD  "ld.shared.u32 %r3, [%a+16]; "
#define LDF "ld.shared.f32 %f3, [%a+16]; mov.b32 %f1, %x2; mov.b32 %f2, %x3; "
#define OUT "mov.b32 %x0, %f0;"

static void each_operation_takes_its_word(void **state)
{
    (void)state;
    static const form forms[] = {
        {LD "add.u32 %x0, %r3, %x2;", 1, 0},
        {LD "add.u32 %x0, %x2, %r3;", 1, 0},
        {LD "sub.u32 %x0, %r3, %x2;", 1, 0},
        {LD "sub.u32 %x0, %x2, %r3;", 1, 0},
        {LD "add.u32 %x0, %r3, 12345;", 1, 0},
        {LD "and.b32 %x0, %x2, %r3;", 1, 0},
        {LD "or.b32 %x0, %r3, %x2;", 1, 0},
        {LD "xor.b32 %x0, %r3, %x2;", 1, 0},
        {LD "not.b32 %x0, %r3;", 1, 0},
        {LD "shl.b32 %x0, %r3, 3;", 1, 0},
        {LD "shr.u32 %x0, %r3, %x1;", 1, 0},
        {LD "min.s32 %x0, %x2, %r3;", 1, 0},
        {LD "max.u32 %x0, %r3, %x2;", 1, 0},
        {LD "mul24.lo.u32 %x0, %x2, %r3;", 1, 0},
        {LD "mad24.lo.u32 %x0, %r3, %x2, %x3;", 1, 0},
        {LD "sad.u32 %x0, %r3, %x2, %x3;", 1, 0},
        {LD "neg.s32 %x0, %r3;", 1, 0},
        {LD "cvt.rn.f32.u32 %f0, %r3; " OUT, 1, 0},
        {LD "setp.lt.u32 %p1, %r3, %x2; @%p1 mov.u32 %x0, 9;", 1, 0},
        {LD "setp.lt.u32 %p1, %x2, %r3; @%p1 mov.u32 %x0, 9;", 1, 0},
        {LDF "add.f32 %f0, %f3, %f1; " OUT, 1, 0},
        {LDF "sub.f32 %f0, %f1, %f3; " OUT, 1, 0},
        {LDF "mul.f32 %f0, %f1, %f3; " OUT, 1, 0},
        {LDF "fma.rn.f32 %f0, %f3, %f1, %f2; " OUT, 1, 0},
        {LDF "fma.rn.f32 %f0, %f1, %f3, %f2; " OUT, 1, 0},
        {LDF "max.f32 %f0, %f1, %f3; " OUT, 1, 0},
        {LDF "setp.gt.f32 %p1, %f3, %f1; @%p1 mov.u32 %x0, 9;", 1, 0},
        /* a product with a power of two is a shift */
        {LD "mul.lo.u32 %x0, %r3, 8;", 1, 0},
    };
    check_forms(forms, WW_ARRAY_LEN(forms));
}

static void what_has_no_form_stays_a_load(void **state)
{
    (void)state;
    static const form forms[] = {
        {LDF "fma.rn.f32 %f0, %f1, %f2, %f3; " OUT, 0, 1}, /* the addend */
        {LD "mad24.lo.u32 %x0, %x2, %x3, %r3;", 0, 1},
        {LD "shl.b32 %x0, %x2, %r3;", 0, 1}, /* the amount */
        {LD "mul.lo.u32 %x0, %r3, %x2;", 0, 1},
        {LDF "rcp.approx.f32 %f0, %f3; " OUT, 0, 1},
        {LDF "ex2.approx.f32 %f0, %f3; " OUT, 0, 1},
        {LD "st.shared.u32 [%a+64], %r3; ld.shared.u32 %x0, [%a+64];", 0, 2}, /* data of a store */
        {LD "ld.param.u32 %r4, [out]; sub.u32 %r4, %r4, %r4; add.u32 %x0, %r3, %r4;", 1, 0},
        /* a parameter takes the shared place */
        {LD "ld.param.u32 %r4, [out+4]; add.u32 %x0, %r3, %r4;", 0, 1},
        /* but a move makes room for two */
        {LD "ld.param.u32 %r4, [out+4]; ld.shared.u32 %r5, [%a+20]; add.u32 %x0, %r3, %r4; "
            "sub.u32 %x1, %r4, %r5;",
         2, 0},
        /* pairs, vectors, bytes, halves */
        {"ld.shared.f64 %fd1, [%a+16]; add.f64 %fd2, %fd1, %fd1; cvt.rn.f32.f64 %f0, %fd2; " OUT, 0,
         1},
        {"ld.shared.u64 %rd5, [%a+16]; add.u64 %rd6, %rd5, 7; cvt.u32.u64 %x0, %rd6;", 0, 1},
        {"ld.shared.v2.u32 {%r3,%r4}, [%a+16]; add.u32 %x0, %r3, %r4;", 0, 1},
        {"ld.shared.u8 %r3, [%a+16]; add.u32 %x0, %r3, %x2;", 0, 1},
        {"ld.shared.s16 %r3, [%a+16]; add.u32 %x0, %r3, %x2;", 0, 1},
        {"ld.volatile.shared.u32 %r3, [%a+16]; add.u32 %x0, %r3, %x2;", 0, 1},
        /* other memory */
        {"ld.param.u64 %rd4, [out]; ld.global.u32 %r3, [%rd4]; sub.u32 %r3, %r3, %r3; "
         "add.u32 %x0, %r3, %x2;",
         0, 0},
    };
    check_forms(forms, WW_ARRAY_LEN(forms));
}

/* ---- what may stand between ---- */

#define USE "add.u32 %x0, %r3, %x2;"

static void what_stands_between_decides(void **state)
{
    (void)state;
    static const form forms[] = {
        {LD "ld.shared.u32 %r4, [%a+20]; add.u32 %x1, %r4, 1; " USE, 2, 0},
        {LD "add.u32 %x2, %x2, 1; " USE, 1, 0},
        {LD "ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %t, 8; add.u64 %rd4, %rd4, %rd5; "
            "st.global.u32 [%rd4], %x3; " USE,
         1, 0}, /* a store to other memory */
        {LD "st.shared.u32 [%a+16], %x3; " USE, 0, 1},
        {LD "st.shared.u32 [%a+400], %x3; " USE, 0, 1}, /* wherever it goes */
        {LD "bar.sync 0; " USE, 0, 1},
        {LD "membar.cta; " USE, 0, 1},
        {LD "atom.shared.add.u32 %r5, [%a+16], 3; " USE, 0, 1},
        {LD "red.shared.add.u32 [%a+24], 3; " USE, 0, 1},
        {LD "add.u32 %a, %a, 4; " USE " sub.u32 %a, %a, 4;", 0, 1}, /* its base */
        {LD "bra.uni L1; L1: " USE, 0, 1},                          /* another block */
        {LD "vote.ballot.b32 %x1, 1; " USE, 0, 1},                  /* lanes meet */
        {LD USE " add.u32 %x1, %r3, %x3;", 0, 1},                   /* read twice */
        {LD "add.u32 %x0, %r3, %r3;", 0, 1},                        /* twice by one */
        {LD "mov.u32 %r3, %r3; mov.u32 %r4, %r3; add.u32 %x0, %r4, %x2;", 0, 1},
        {"ld.shared.u32 %r3, [%a+16]; ld.shared.u32 %r4, [%a+20]; add.u32 %x0, %r3, %r4;", 1, 1},
    };
    check_forms(forms, WW_ARRAY_LEN(forms));
}

#define WHEN "setp.lt.u32 %p1, %x2, 20; setp.gt.u32 %p2, %x2, 9; mov.u32 %r3, 4; "
#define TAKE "setp.lt.u32 %p1, %x2, 20; setp.gt.u32 %p2, %x2, 9; "

static void guards_must_agree(void **state)
{
    (void)state;
    static const form forms[] = {
        {TAKE LD "@%p1 add.u32 %x0, %r3, %x2;", 1, 0}, /* fewer lanes read */
        {WHEN "@%p1 ld.shared.u32 %r3, [%a+16]; add.u32 %x0, %r3, %x2;", 0, 1},
        {WHEN "@%p1 ld.shared.u32 %r3, [%a+16]; @%p2 add.u32 %x0, %r3, %x2;", 0, 1},
        {WHEN "@%p1 ld.shared.u32 %r3, [%a+16]; @!%p1 add.u32 %x0, %r3, %x2;", 0, 1},
        {TAKE "@%p1 ld.shared.u32 %r5, [%a+16]; @%p1 add.u32 %x0, %r5, %x2;", 1, 0},
        {TAKE "@%p1 ld.shared.u32 %r5, [%a+16]; setp.gt.u32 %p1, %x2, 3; "
              "@%p1 add.u32 %x1, %x1, 2;",
         0, 0}, /* nobody reads it */
    };
    check_forms(forms, WW_ARRAY_LEN(forms));
}

/* ---- windows ---- */

#define SUM(d) "ld.shared.u32 %l" d ", [%a+" d "*4]; add.u32 %x0, %x0, %l" d "; "

static void operands_reach_31_words(void **state)
{
    (void)state;
    static const form forms[] = {
        {SUM("0") SUM("31"), 2, 0},
        {SUM("0") SUM("32"), 1, 1},           /* one beyond, alone: not worth a register */
        {SUM("0") SUM("32") SUM("33"), 3, 0}, /* two share one */
        {SUM("32") SUM("63"), 2, 0},          /* as far as it reaches */
        {SUM("15") SUM("32") SUM("63"), 3, 0},
        {SUM("16") SUM("32") "add.u32 %x1, %a, 0;", 1, 1},
    };
    check_forms(forms, WW_ARRAY_LEN(forms));
}

/* A matrix product's step: the row's words are one window, the column's none. */
static void of_two_words_the_larger_window_folds(void **state)
{
    (void)state;
    char body[8192];
    int n = snprintf(body, sizeof body, "mov.f32 %%f0, 0f00000000; shl.b32 %%r9, %%t, 2; ");
    for (unsigned k = 0; k < 16; k++) {
        n += snprintf(body + n, sizeof body - (size_t)n,
                      "ld.shared.f32 %%g%u, [%%a+%u]; ld.shared.f32 %%g%u, [%%r9+%u]; "
                      "fma.rn.f32 %%f0, %%g%u, %%g%u, %%f0; ",
                      k, 4 * k, 16 + k, 256 + 64 * 4 * k, k, 16 + k);
    }
    snprintf(body + n, sizeof body - (size_t)n, "%s", OUT);
    const form f = {body, 16, 16};
    check_forms(&f, 1);
}

/* ---- offset registers ---- */

static void bases_take_an_instruction_where_they_are_made(void **state)
{
    (void)state;
    /* A shift for addresses alone is the offset register's own instruction. */
    char *own = text_of("shl.b32 %r8, %x3, 2; ld.shared.u32 %x0, [%r8];");
    char *more = text_of("shl.b32 %r8, %x3, 2; ld.shared.u32 %x0, [%r8]; add.u32 %x1, %r8, 1;");
    char *sum = text_of("add.u32 %r8, %x3, %x2; shl.b32 %r10, %r8, 2; shl.b32 %r12, %x1, 2; "
                        "add.u32 %r11, %r10, %r12; ld.shared.u32 %x0, [%r11]; "
                        "ld.shared.u32 %x1, [%r11+8];");
    const tally a = tally_of(own), b = tally_of(more), c = tally_of(sum);
    assert_int_equal(b.shifts, a.shifts + 1); /* R2A */
    assert_int_equal(c.shifts, a.shifts + 2); /* and that of %x1 */
    assert_same_results(own, "own");
    assert_same_results(more, "more");
    assert_same_results(sum, "sum");
    free(own);
    free(more);
    free(sum);
}

/* ---- addresses, displacements, absent operations ---- */

static void high_words_of_addresses_vanish(void **state)
{
    (void)state;
    /* A pointer that a loop steps: its high word would keep itself alive. */
    char *text = text_of("ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %t, 8; "
                         "add.u64 %rd4, %rd4, %rd5; mov.u32 %r7, 3;\n"
                         "L2: st.global.u32 [%rd4], %x2; ld.global.u32 %r8, [%rd4]; "
                         "add.u32 %x1, %x1, %r8; add.u64 %rd4, %rd4, 0; sub.u32 %r7, %r7, 1; "
                         "setp.ne.u32 %p1, %r7, 0; @%p1 bra L2;");
    assert_int_equal(tally_of(text).carries, 0);
    assert_same_results(text, "loop");
    free(text);
    /* One that is stored and compared keeps it. */
    text = text_of("ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %t, 8; add.u64 %rd6, %rd4, %rd5; "
                   "st.shared.u64 [%a], %rd6; ld.shared.u64 %rd7, [%a]; sub.u64 %rd7, %rd7, %rd4; "
                   "cvt.u32.u64 %x0, %rd7; shr.u64 %rd8, %rd7, 32; cvt.u32.u64 %x1, %rd8;");
    assert_true(tally_of(text).carries > 0);
    assert_same_results(text, "stored");
    free(text);
}

static void displacements_of_global_accesses_become_sums(void **state)
{
    (void)state;
    char *one = text_of(""),
         *two = text_of("ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %t, 8; "
                        "add.u64 %rd4, %rd4, %rd5; st.global.u32 [%rd4+4], %x2; "
                        "ld.global.u32 %x1, [%rd4+4];");
    const tally a = tally_of(one), b = tally_of(two);
    assert_int_equal(a.displaced, 0);
    assert_int_equal(b.displaced, 0);
    /* the base's own sum, and one sum for both accesses */
    assert_int_equal(b.adds, a.adds + 2);
    assert_same_results(two, "displacements");
    free(one);
    free(two);
}

static void absent_operations_are_taken_apart(void **state)
{
    (void)state;
    char *text = text_of("shl.b32 %r8, %x3, 2; add.u32 %x0, %r8, %x2; mul.lo.u32 %r9, %x3, 16; "
                         "mad.lo.u32 %x1, %x2, 8, %r9; setp.gt.u32 %p1, %x2, 7; "
                         "selp.b32 %r10, %x0, %x1, %p1; add.u32 %x0, %x0, %r10; "
                         "@%p1 selp.b32 %x1, %x0, %x2, %p1;");
    const tally t = tally_of(text);
    assert_int_equal(t.scaled, 0);
    assert_int_equal(t.selections, 1); /* under a guard: both predicates at once */
    assert_same_results(text, "absent");
    free(text);
}

/* What is added to the beginning of shared memory is the address. */
static void sums_with_nothing_are_none(void **state)
{
    (void)state;
    char *sum = text_of("mov.u32 %r8, 0; add.u32 %r9, %r8, %a; ld.shared.u32 %r3, [%r9]; "
                        "add.u32 %x0, %r3, %x2;");
    char *none = text_of("ld.shared.u32 %r3, [%a]; add.u32 %x0, %r3, %x2;");
    assert_int_equal(tally_of(sum).count, tally_of(none).count);
    assert_same_results(sum, "sums with 0");
    free(sum);
    free(none);
}

/* ---- random programs ---- */

static uint64_t drawn_state;

static uint32_t draw(uint32_t below)
{
    uint64_t z = drawn_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ (z >> 31)) >> 33) % below;
}

typedef struct drawing {
    char text[1 << 14];
    int length;
    uint32_t shift; /* words that the base is ahead */
    uint32_t loads; /* registers that were loaded */
    int label;
} drawing;

__attribute__((format(printf, 2, 3))) static void say(drawing *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    d->length += vsnprintf(d->text + d->length, sizeof d->text - (size_t)d->length, fmt, args);
    va_end(args);
    assert_true((size_t)d->length < sizeof d->text);
}

/* A word of the thread's own region. */
static uint32_t word(const drawing *d)
{
    return 4 * draw(40 - d->shift);
}

static void draw_guard(drawing *d)
{
    static const char *const guard[] = {"", "", "", "@%p1 ", "@!%p1 ", "@%p2 "};
    say(d, "%s", guard[draw(6)]);
}

/* A register that was loaded not long ago, or one of all. */
static const char *loaded(const drawing *d, char *name, size_t size)
{
    const bool fresh = d->loads > 0 && draw(4) > 0;
    snprintf(name, size, fresh ? "%%l%u" : "%%r%u", fresh ? d->loads - 1 : 3 + draw(4));
    return name;
}

/* Into a register of its own, or one that others use too. */
static void draw_load(drawing *d)
{
    if (draw(4) > 0) {
        say(d, "ld.shared.u32 %%l%u, [%%a+%u];\n", d->loads++, word(d));
    } else {
        draw_guard(d);
        say(d, "ld.shared.u32 %%r%u, [%%a+%u];\n", 3 + draw(4), word(d));
    }
}

static void draw_use(drawing *d)
{
    static const char *const op[] = {"add.u32", "sub.u32", "xor.b32", "and.b32",   "min.s32",
                                     "max.u32", "shl.b32", "shr.u32", "mul.lo.u32"};
    const uint32_t x = draw(6), y = draw(6);
    char name[16];
    loaded(d, name, sizeof name);
    draw_guard(d);
    if (draw(2)) {
        say(d, "%s %%x%u, %s, %%x%u;\n", op[draw(9)], x, name, y);
    } else {
        say(d, "%s %%x%u, %%x%u, %s;\n", op[draw(6)], x, y, name);
    }
}

static void draw_step(drawing *d)
{
    const uint32_t words = draw(4);
    if (d->shift + words < 24) {
        d->shift += words;
        say(d, "add.u32 %%a, %%a, %u;\n", 4 * words);
    } else {
        say(d, "sub.u32 %%a, %%a, %u;\n", 4 * d->shift);
        d->shift = 0;
    }
}

static void draw_branch(drawing *d)
{
    const int label = d->label++;
    say(d, "@%%p%u bra D%d;\n", 1 + draw(2), label);
    for (uint32_t n = 1 + draw(4); n > 0; n--) {
        say(d, "ld.shared.u32 %%l%u, [%%a+%u];\n", d->loads++, word(d));
        say(d, "add.u32 %%x%u, %%l%u, %%x%u;\n", draw(6), d->loads - 1, draw(6));
    }
    say(d, "D%d:\n", label);
}

static void draw_statement(drawing *d)
{
    char name[16];
    switch (draw(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        draw_load(d);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        draw_use(d);
        break;
    case 8:
        say(d, "ld.shared.u32 %%l%u, [%%a+%u];\n", d->loads++, word(d));
        say(d, "mad24.lo.u32 %%x%u, %%l%u, %%x%u, %%x%u;\n", draw(6), d->loads - 1, draw(6),
            draw(6));
        break;
    case 9:
        draw_guard(d);
        say(d, "st.shared.u32 [%%a+%u], %%x%u;\n", word(d), draw(6));
        break;
    case 10:
        say(d, "setp.%s.u32 %%p%u, %s, %%x%u;\n", draw(2) ? "lt" : "ge", 1 + draw(2),
            loaded(d, name, sizeof name), draw(6));
        break;
    case 11:
        say(d, "selp.b32 %%x%u, %%x%u, %s, %%p%u;\n", draw(6), draw(6),
            loaded(d, name, sizeof name), 1 + draw(2));
        break;
    case 12:
        say(d,
            draw(3) ? "ld.volatile.shared.u32 %%r%u, [%%a+%u];\n"
                    : "atom.shared.add.u32 %%r%u, [%%a+%u], 3;\n",
            3 + draw(4), word(d));
        break;
    case 13:
        draw_step(d);
        break;
    case 14:
        say(d, "bar.sync 0;\n");
        break;
    default:
        draw_branch(d);
        break;
    }
}

static void random_programs_compute_the_same(void **state)
{
    (void)state;
    uint32_t folds = 0;
    for (unsigned n = 0; n < 300; n++) {
        drawing d = {.length = 0};
        drawn_state = n;
        say(&d, "mov.u32 %%x4, 9; mov.u32 %%x5, %%t;\nmov.u32 %%r3, 1; mov.u32 %%r4, 2; "
                "mov.u32 %%r5, 3; mov.u32 %%r6, 4;\n"
                "setp.lt.u32 %%p1, %%t, 20; setp.gt.u32 %%p2, %%t, 50;\n");
        for (unsigned k = 0; k < 40; k++) {
            draw_statement(&d);
        }
        for (unsigned k = 2; k < 6; k++) {
            say(&d, "xor.b32 %%x0, %%x0, %%x%u; add.u32 %%x1, %%x1, %%r%u;\n", k, k + 1);
        }
        for (unsigned k = 0; k < 40; k++) { /* what memory holds */
            say(&d, "ld.shared.u32 %%r8, [%%a+%d]; mad.lo.u32 %%x0, %%x0, 3, %%r8;\n",
                (int)(4 * k) - (int)(4 * d.shift));
        }
        char *text = text_of(d.text);
        folds += tally_of(text).folds;
        assert_same_results(text, d.text);
        free(text);
    }
    assert_true(folds > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_takes_its_word),
        cmocka_unit_test(what_has_no_form_stays_a_load),
        cmocka_unit_test(what_stands_between_decides),
        cmocka_unit_test(guards_must_agree),
        cmocka_unit_test(operands_reach_31_words),
        cmocka_unit_test(of_two_words_the_larger_window_folds),
        cmocka_unit_test(bases_take_an_instruction_where_they_are_made),
        cmocka_unit_test(high_words_of_addresses_vanish),
        cmocka_unit_test(displacements_of_global_accesses_become_sums),
        cmocka_unit_test(absent_operations_are_taken_apart),
        cmocka_unit_test(sums_with_nothing_are_none),
        cmocka_unit_test(random_programs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
