/* Do functions that call themselves, each other or whatever a pointer says compute what C computes,
 * as written and lowered, with all lanes going their own ways? */
#include "tests/ptx/run.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define ENTRY                                                                                      \
    ".visible .entry k(.param .u64 p0) {\n.reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p<4>;\n"   \
    "ld.param.u64 %q1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %q2, %r1, 4; add.s64 %q1, %q1, "    \
    "%q2;\n"

enum { THREADS = 64 };

static void run(const char *text, ww_code code, uint32_t out[THREADS])
{
    ptx_run r;
    run_open(&r, text);
    for (uint32_t i = 0; i < r.module->symbol_count; i++) {
        ww_symbol *s = &r.module->symbol[i];
        s->address = run_alloc(&r, s->bytes, s->init);
    }
    uint64_t p = run_alloc(&r, THREADS * 4, NULL);
    assert_ok(run_kernel(&r, "k", code, 1, THREADS, &p), r.err);
    memcpy(out, run_at(&r, p, THREADS * 4), THREADS * 4);
    run_close(&r);
}

static void expect(const char *text, uint32_t (*c)(uint32_t))
{
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        uint32_t out[THREADS];
        run(text, code, out);
        for (uint32_t i = 0; i < THREADS; i++) {
            if (out[i] != c(i)) {
                fail_msg("%s, thread %u: %u instead of %u",
                         code == WW_CODE_LOWERED ? "lowered" : "as written", i, out[i], c(i));
            }
        }
    }
}

/* ---- itself ---- */

#define CALL1(f, result, argument)                                                                 \
    "{ .param .b32 param0; st.param.b32 [param0+0], " argument "; .param .b32 retval0;\ncall.uni " \
    "(retval0), " f ", (param0);\nld.param.b32 " result ", [retval0+0]; }\n"

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static uint32_t fib_of_thread(uint32_t i)
{
    return fib(i % 11) + i;
}

static void fibonacci(void **state)
{
    (void)state;
    expect(HEAD
           ".func (.param .b32 r) fib(.param .b32 n);\n"
           ".func (.param .b32 r) fib(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"
           "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r5, %r1; @%p1 bra D;\n"
           "add.s32 %r2, %r1, -1;\n" CALL1("fib", "%r3", "%r2") "add.s32 %r2, %r1, -2;\n" CALL1(
               "fib", "%r4", "%r2") "add.s32 %r5, %r3, %r4;\nD: st.param.b32 [r+0], %r5; "
                                    "ret;\n}\n" ENTRY "rem.u32 %r2, %r1, 11;\n" CALL1(
                                        "fib", "%r3",
                                        "%r2") "add.u32 %r3, %r3, %r1; st.global.u32 [%q1], "
                                               "%r3; ret;\n}\n",
           fib_of_thread);
}

/* The call itself is guarded, by name and through a pointer; its result keeps its value where the
 * guard is false. */
static uint32_t triangle(uint32_t i)
{
    return i % 9 * (i % 9 + 1) / 2 + (i % 2 == 0 ? i % 9 : 0);
}

static void guarded_calls(void **state)
{
    (void)state;
    expect(
        HEAD
        ".func (.param .b32 r) sum(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"
        "ld.param.u32 %r1, [n]; setp.ne.u32 %p1, %r1, 0; add.s32 %r2, %r1, -1;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; mov.u32 %r3, 0; st.param.b32 "
        "[b], %r3;\n@%p1 call.uni (b), sum, (a);\nld.param.b32 %r3, [b]; }\n"
        "add.s32 %r3, %r3, %r1; st.param.b32 [r], %r3; ret;\n}\n" ENTRY
        "rem.u32 %r2, %r1, 9;\n" CALL1(
            "sum", "%r3",
            "%r2") "and.b32 %r4, %r1, 1; setp.ne.u32 %p1, %r4, 0; mov.u64 %q3, sum;\n"
                   "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                   "{ .param .b32 a; .param .b32 b; st.param.b32 [a], 0; st.param.b32 [b], %r2;\n"
                   "@%p1 call (b), %q3, (a), P;\nld.param.b32 %r5, [b]; }\n"
                   "add.u32 %r3, %r3, %r5; st.global.u32 [%q1], %r3;\nret;\n}\n",
        triangle);
}

/* ---- each other, with arrays whose address goes down ---- */

static uint32_t odd(uint32_t n, uint32_t *above);
static uint32_t even(uint32_t n, uint32_t *above)
{
    uint32_t own[3] = {n, *above * 3, 7};
    if (n == 0) {
        return own[1];
    }
    uint32_t r = odd(n - 1, &own[1]);
    *above += own[0] + own[1];
    return r + own[2];
}
static uint32_t odd(uint32_t n, uint32_t *above)
{
    uint32_t own = n * 5 + *above;
    if (n == 0) {
        return own;
    }
    uint32_t r = even(n - 1, &own);
    *above ^= own;
    return r * 3;
}
static uint32_t mutual_of_thread(uint32_t i)
{
    uint32_t top = i;
    uint32_t r = even(i % 9, &top);
    return r * 1000 + top;
}

#define CALL2(f, result, a, b)                                                                     \
    "{ .param .b32 param0; st.param.b32 [param0+0], " a "; .param .b64 param1; st.param.b64 "      \
    "[param1+0], " b "; .param .b32 retval0;\ncall.uni (retval0), " f ", (param0, "                \
    "param1);\nld.param.b32 " result ", [retval0+0]; }\n"

static void mutual(void **state)
{
    (void)state;
    expect(
        HEAD
        ".func (.param .b32 r) odd(.param .b32 n, .param .b64 above);\n"
        ".func (.param .b32 r) even(.param .b32 n, .param .b64 above) {\n"
        ".local .align 4 .b8 depot[12]; .reg .b64 %SP, %SPL, %q<9>; .reg .b32 %r<9>; .reg .pred "
        "%p<2>;\n"
        "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; ld.param.u32 %r1, [n]; ld.param.u64 "
        "%q1, [above];\n"
        "st.local.u32 [%SPL], %r1; ld.u32 %r2, [%q1]; mul.lo.u32 %r2, %r2, 3; st.local.u32 "
        "[depot+4], %r2; mov.u32 %r3, 7; st.u32 [%SP+8], %r3; mov.u32 %r7, %r2;\n"
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra D; add.s32 %r4, %r1, -1; add.s64 %q2, %SP, 4;\n" CALL2(
            "odd", "%r5", "%r4",
            "%q2") "ld.u32 %r6, [%q1]; add.u32 %r6, %r6, %r1; ld.local.u32 %r7, "
                   "[%SPL+4]; add.u32 %r6, %r6, %r7; st.u32 [%q1], %r6;\n"
                   "ld.local.u32 %r8, [depot+8]; add.u32 %r7, %r5, %r8;\n"
                   "D: st.param.b32 [r+0], %r7; ret;\n}\n"
                   ".func (.param .b32 r) odd(.param .b32 n, .param .b64 above) {\n"
                   ".local .align 4 .b8 depot[4]; .reg .b64 %SP, %SPL, %q<9>; .reg .b32 "
                   "%r<9>; .reg .pred %p<2>;\n"
                   "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; ld.param.u32 %r1, "
                   "[n]; ld.param.u64 %q1, [above];\n"
                   "ld.u32 %r2, [%q1]; mad.lo.u32 %r2, %r1, 5, %r2; st.u32 [%SP], %r2; "
                   "mov.u32 %r7, %r2; setp.eq.u32 %p1, %r1, 0; @%p1 bra D;\n"
                   "add.s32 %r4, %r1, -1;\n" CALL2(
                       "even", "%r5", "%r4",
                       "%SP") "ld.u32 %r6, [%q1]; "
                              "ld.local.u32 %r2, [%SPL]; "
                              "xor.b32 %r6, %r6, %r2; "
                              "st.u32 [%q1], %r6; "
                              "mul.lo.u32 %r7, %r5, 3;\n"
                              "D: st.param.b32 [r+0], %r7; "
                              "ret;\n}\n" ENTRY ".local .align 4 .b8 top[4]; .reg .b64 %SP, %SPL;\n"
                              "mov.u64 %SPL, top; cvta.local.u64 %SP, %SPL; st.local.u32 [%SPL], "
                              "%r1; rem.u32 %r2, "
                              "%r1, 9;\n" CALL2("even", "%r3", "%r2",
                                                "%SP") "ld.local.u32 %r4, [top]; mad.lo.u32 "
                                                       "%r3, %r3, 1000, %r4; st.global.u32 "
                                                       "[%q1], %r3; ret;\n}\n",
        mutual_of_thread);
}

/* ---- predicates live across a recursive call ---- */

static uint32_t count(uint32_t n)
{
    bool third = n % 3 == 0, fifth = n % 5 == 0;
    uint32_t r = n == 0 ? 0 : count(n - 1);
    return r + (third ? 1 : 0) + (fifth ? 10 : 0);
}
static uint32_t count_of_thread(uint32_t i)
{
    return count(i);
}

static void predicates(void **state)
{
    (void)state;
    expect(HEAD
           ".func (.param .b32 r) count(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p<4>;\n"
           "ld.param.u32 %r1, [n]; rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; rem.u32 %r2, "
           "%r1, 5; setp.eq.u32 %p2, %r2, 0; mov.u32 %r3, 0; setp.eq.u32 %p3, %r1, 0; @%p3 bra "
           "D; add.s32 %r4, %r1, -1;\n" CALL1(
               "count", "%r3", "%r4") "D: @%p1 add.u32 %r3, %r3, 1; @%p2 add.u32 %r3, %r3, 10; "
                                      "st.param.b32 [r+0], %r3; ret;\n}\n" ENTRY CALL1(
                                          "count", "%r3", "%r1") "st.global.u32 [%q1], %r3; "
                                                                 "ret;\n}\n",
           count_of_thread);
}

/* ---- through pointers ---- */

#define FUNC(name, body)                                                                           \
    ".func (.param .b64 r) " name "(.param .b32 a, .param .b64 b) {\n.reg .b32 %r<9>; .reg .b64 "  \
    "%q<9>; ld.param.u32 %r1, [a]; ld.param.u64 %q1, [b]; cvt.u64.u32 %q2, %r1;\n" body            \
    "st.param.b64 [r+0], %q3; ret;\n}\n"
#define INDIRECT                                                                                   \
    "{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b64 param1; st.param.b64 "        \
    "[param1+0], %q7; .param .b64 retval0;\nprototype_0 : .callprototype (.param .b64 _) _ "       \
    "(.param .b32 _, .param .b64 _);\ncall (retval0), %q5, (param0, param1), prototype_0;\n"       \
    "ld.param.b64 %q6, [retval0+0]; }\n"

static uint32_t table_of_thread(uint32_t i)
{
    uint64_t a = i, b = 1000000007ull * i;
    uint64_t r = i % 4 == 0 ? a + b : i % 4 == 1 ? a - b : i % 4 == 2 ? a * b : (b ^ a) + 5;
    return (uint32_t)(r >> 8);
}

/* A table in memory whose initialiser names functions, one of them twice, and one by mov. */
static void tables(void **state)
{
    (void)state;
    expect(HEAD FUNC("plus", "add.u64 %q3, %q2, %q1;\n") FUNC("minus", "sub.u64 %q3, %q2, %q1;\n")
               FUNC("times", "mul.lo.u64 %q3, %q2, %q1;\n")
                   FUNC("other",
                        "xor.b64 %q3, %q1, %q2; "
                        "add.u64 %q3, %q3, 5;\n") ".global .align 8 .u64 table[4] = {plus, minus, "
                                                  "times, plus};\n" ENTRY
                                                  "and.b32 %r2, %r1, 3; mul.wide.u32 %q3, %r2, 8; "
                                                  "mov.u64 %q4, table; add.u64 %q4, %q4, "
                                                  "%q3; ld.global.u64 %q5, [%q4]; setp.eq.u32 %p1, "
                                                  "%r2, 3; @%p1 mov.u64 %q5, other;\n"
                                                  "mul.wide.u32 %q7, %r1, 1000000007;\n" INDIRECT
                                                  "shr.u64 %q6, %q6, 8; st.global.u32 [%q1], %q6; "
                                                  "ret;\n}\n",
           table_of_thread);
}

static uint64_t climb(uint32_t a, uint64_t b)
{
    return a == 0 ? b : 3 * climb(a - 1, b + a) + a;
}
static uint32_t climb_of_thread(uint32_t i)
{
    return (uint32_t)climb(i % 8, i);
}

/* A function that calls itself through a pointer. */
static void recursion_through_pointers(void **state)
{
    (void)state;
    expect(HEAD
           ".func (.param .b64 r) climb(.param .b32 a, .param .b64 b);\n"
           ".global .align 8 .u64 self = climb;\n"
           ".func (.param .b64 r) climb(.param .b32 a, .param .b64 b) {\n.reg .b32 %r<9>; .reg "
           ".b64 %q<9>; .reg .pred %p1;\nld.param.u32 %r2, [a]; ld.param.u64 %q1, [b]; cvt.u64.u32 "
           "%q2, %r2; mov.u64 %q3, %q1; setp.eq.u32 %p1, %r2, 0; @%p1 bra D;\n"
           "add.u64 %q7, %q1, %q2; sub.u32 %r1, %r2, 1; mov.u64 %q4, self; ld.global.u64 %q5, "
           "[%q4];\n" INDIRECT "mad.lo.u64 %q3, %q6, 3, %q2;\nD: st.param.b64 [r+0], %q3; "
           "ret;\n}\n" ENTRY "mov.u32 %r5, %r1; cvt.u64.u32 %q7, %r1; "
           "and.b32 %r1, %r1, 7; mov.u64 %q5, "
           "climb;\n" INDIRECT "st.global.u32 [%q1], %q6; ret;\n}\n",
           climb_of_thread);
}

/* ---- errors ---- */

static void errors(void **state)
{
    (void)state;
    ptx_run r;
    uint64_t p;
    run_open(&r,
             HEAD FUNC("f", "mov.u64 %q3, %q2;\n") ENTRY "mov.u64 %q5, f; add.u64 %q5, %q5, 4; "
                                                         "mov.u64 %q7, 0;\n" INDIRECT "ret;\n}\n");
    p = run_alloc(&r, THREADS * 4, NULL);
    assert_int_equal(run_kernel(&r, "k", false, 1, 32, &p), WW_EFAULT);
    assert_non_null(strstr(r.err.what, "which is no function"));
    run_close(&r);
    /* Without an end: the stack overflows. */
    run_open(&r, HEAD ".func (.param .b32 r) f(.param .b32 n) {\n.reg .b32 %r<9>;\nld.param.u32 "
                      "%r1, [n];\n" CALL1("f", "%r2", "%r1") "add.u32 %r2, %r2, %r1; st.param.b32 "
                                                             "[r+0], %r2; ret;\n}\n" ENTRY CALL1(
                                                                 "f", "%r2", "%r1") "st.global.u32 "
                                                                                    "[%q1], %r2; "
                                                                                    "ret;\n}\n");
    p = run_alloc(&r, THREADS * 4, NULL);
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        assert_int_equal(run_kernel(&r, "k", code, 1, 32, &p), WW_EFAULT);
        assert_non_null(strstr(r.err.what, "local memory"));
    }
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibonacci), cmocka_unit_test(guarded_calls),
        cmocka_unit_test(mutual),    cmocka_unit_test(predicates),
        cmocka_unit_test(tables),    cmocka_unit_test(recursion_through_pointers),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
