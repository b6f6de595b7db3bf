/* Do the functions that kernels expect of the runtime - printf, malloc, free, assert - do what C
 * says of them? Texts are compared with those of the host's own printf. */
#include <stdio.h>

#include "base/str.h"
#include "tests/ptx/run.h"
#include "tests/support/bits.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define EXTERNS                                                                                    \
    ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 "  \
    "vprintf_param_1);\n"                                                                          \
    ".extern .func (.param .b64 func_retval0) malloc (.param .b64 malloc_param_0);\n"              \
    ".extern .func free (.param .b64 free_param_0);\n"                                             \
    ".extern .func __assertfail (.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b64 a3, " \
    ".param .b64 a4);\n"

static void collect(void *user, const char *text, size_t n)
{
    ww_str_add_n(user, text, n);
}

/* ---- printf ---- */

/* All formats of a test, each with one or two arguments of 8 bytes in a row. */
typedef struct call {
    const char *format;
    uint64_t arg[3];
    char want[400];
} call;

static const char *const print_kernel = HEAD EXTERNS
    ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {\n"
    ".local .align 8 .b8 depot[24]; .reg .b64 %SP, %SPL, %q<9>; .reg .b32 %r<4>;\n"
    "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
    "ld.param.u64 %q1, [p0]; ld.param.u64 %q2, [p1]; ld.param.u64 %q6, [p2];\n"
    "ld.global.u64 %q3, [%q2]; ld.global.u64 %q4, [%q2+8]; ld.global.u64 %q5, [%q2+16];\n"
    "st.local.u64 [%SPL], %q3; st.local.u64 [%SPL+8], %q4; st.u64 [%SP+16], %q5;\n"
    "{ .param .b64 param0; st.param.b64 [param0+0], %q1; .param .b64 param1; st.param.b64 "
    "[param1+0], %SP; .param .b32 retval0;\n"
    "call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r1, [retval0+0]; }\n"
    "st.global.u32 [%q6], %r1;\nret;\n}\n";

static void check(const call *calls, size_t n, const uint32_t *counts)
{
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, print_kernel);
        assert_ok(ww_output_create(&r.launch.output, &r.err), r.err);
        for (size_t i = 0; i < n; i++) {
            ww_str text = {0};
            uint64_t params[3] = {run_alloc(&r, strlen(calls[i].format) + 1, calls[i].format),
                                  run_alloc(&r, sizeof calls[i].arg, calls[i].arg),
                                  run_alloc(&r, 4, NULL)};
            assert_ok(run_kernel(&r, "k", code, 1, 1, params), r.err);
            ww_output_flush(r.launch.output, collect, &text);
            if (strcmp(ww_str_text(&text), calls[i].want) != 0) {
                fail_msg("'%s': '%s' instead of '%s'", calls[i].format, ww_str_text(&text),
                         calls[i].want);
            }
            assert_int_equal(*(const uint32_t *)run_at(&r, params[2], 4), counts[i]);
            ww_str_fini(&text);
        }
        ww_output_destroy(r.launch.output);
        run_close(&r);
    }
}

#define BEGIN                                                                                      \
    call calls[64];                                                                                \
    uint32_t counts[64];                                                                           \
    size_t n = 0;
#define CASE(fmt, as_c, bits)                                                                      \
    calls[n] = (call){.format = fmt, .arg = {bits}};                                               \
    counts[n] = 1;                                                                                 \
    snprintf(calls[n].want, sizeof calls[n].want, fmt, as_c);                                      \
    n++
#define INT(fmt, v)  CASE(fmt, v, (uint64_t)(uint32_t)(v))
#define LONG(fmt, v) CASE(fmt, v, (uint64_t)(v))
#define REAL(fmt, v) CASE(fmt, v, bits64_of(v))

static void integers(void **state)
{
    (void)state;
    BEGIN;
    INT("[%d]\n", -5);
    INT("[%+d]", 7);
    INT("[% d]", 7);
    INT("[%8d]", -42);
    INT("[%-8d]", -42);
    INT("[%08d]", -42);
    INT("[%.0d]", 0);
    INT("[%d]", INT32_MIN);
    INT("[%u]", 4000000000u);
    INT("[%x]", 0xdeadbeefu);
    INT("[%#X]", 0xbeefu);
    INT("[%#10x]", 0xbeefu);
    INT("[%#010x]", 0xbeefu);
    INT("[%o]", 511u);
    INT("[%#o]", 511u);
    INT("[%c]", 'q');
    INT("[%5c]", 'q');
    LONG("[%ld]", -5000000000l);
    LONG("[%lld]", (long long)INT64_MIN);
    LONG("[%llu]", (unsigned long long)UINT64_MAX);
    LONG("[%zu]", (size_t)1 << 40);
    LONG("[%llx]", 0x123456789abcdefull);
    LONG("[%-20.15ld]", -5000000000l);
    check(calls, n, counts);
}

static void short_integers(void **state)
{
    (void)state;
    const call calls[] = {{"[%hd]", {70000}, "[4464]"},
                          {"[%hhu]", {0x1ff}, "[255]"},
                          {"[%hhd]", {0x80}, "[-128]"},
                          {"100%% %d", {3}, "100% 3"},
                          {"%d %d", {1, 99}, "1 0"}, /* two ints share eight bytes */
                          {"%f %d", {0x3ff0000000000000, 5}, "1.000000 5"},
                          {"%d %f", {9, 0x4000000000000000}, "9 2.000000"},
                          {"%*d|", {(uint64_t)42 << 32 | 5}, "   42|"},
                          {"%-*d|", {(uint64_t)42 << 32 | 5}, "42   |"},
                          {"[%08.3d]", {(uint32_t)-42}, "[    -042]"},
                          {"%p", {0x7f001000}, "0x7f001000"},
                          {"%s", {0}, "(null)"},
                          {"plain", {0}, "plain"},
                          {"%y", {0}, "%y"},
                          {"%", {0}, "%"}};
    const uint32_t counts[] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0};
    check(calls, WW_ARRAY_LEN(calls), counts);
}

static void reals(void **state)
{
    (void)state;
    BEGIN;
    REAL("[%f]", 3.14159);
    REAL("[%.3f]", -2.0005);
    REAL("[%10.2f]", 1e6);
    REAL("[%-10.2f]", 1.5);
    REAL("[%+010.2f]", 1.5);
    REAL("[%.0f]", 2.5);
    REAL("[%#.0f]", 2.5);
    REAL("[%e]", 12345.678);
    REAL("[%.2E]", 1e-300);
    REAL("[%g]", 1e-5);
    REAL("[%g]", 123456789.0);
    REAL("[%G]", 1e100);
    REAL("[%a]", 1.0);
    REAL("[%f]", -0.0);
    REAL("[%8.1f]", 1.0 / 0.0);
    REAL("[%08.1f]", -1.0 / 0.0);
    REAL("[%lf]", 1e308);
    check(calls, n, counts);
}

static void text_arguments(void **state)
{
    (void)state;
    static const char *const text = HEAD EXTERNS
        ".global .align 1 .b8 f[16] = {91, 37, 115, 124, 37, 46, 50, 115, 124, 37, 53, 115, 93};\n"
        ".visible .entry k() {\n"
        ".local .align 8 .b8 depot[32]; .reg .b64 %SP, %SPL, %q<9>; .reg .b32 %r<4>;\n"
        "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
        "mov.u32 %r1, 0x636261; st.local.u32 [%SPL+24], %r1; add.u64 %q1, %SP, 24;\n"
        "st.local.u64 [%SPL], %q1; st.local.u64 [%SPL+8], %q1; st.local.u64 [%SPL+16], %q1; "
        "mov.u64 %q2, f; cvta.global.u64 %q2, %q2;\n"
        "{ .param .b64 param0; st.param.b64 [param0+0], %q2; .param .b64 param1; st.param.b64 "
        "[param1+0], %SP; .param .b32 retval0;\n"
        "call.uni (retval0), vprintf, (param0, param1); }\nret;\n}\n";
    ptx_run r;
    ww_str out = {0};
    run_open(&r, text);
    r.module->symbol[0].address = run_alloc(&r, 16, r.module->symbol[0].init);
    assert_ok(ww_output_create(&r.launch.output, &r.err), r.err);
    assert_ok(run_kernel(&r, "k", true, 1, 1, NULL), r.err);
    ww_output_flush(r.launch.output, collect, &out);
    assert_string_equal(ww_str_text(&out), "[abc|ab|  abc]");
    ww_str_fini(&out);
    ww_output_destroy(r.launch.output);
    run_close(&r);
}

/* Warp 1 prints before warp 0 and CTAs print in turn; the text is in order all the same. */
static void order(void **state)
{
    (void)state;
    static const char *const text = HEAD EXTERNS
        ".global .align 1 .b8 f[16] = {37, 100, 32};\n"
        ".visible .entry k() {\n"
        ".local .align 8 .b8 depot[8]; .reg .b64 %SP, %SPL, %q<9>; .reg .b32 %r<8>; .reg .pred "
        "%p;\n"
        "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; mov.u32 %r1, %tid.x; mov.u32 %r2, "
        "%ctaid.x;\n"
        "setp.lt.u32 %p, %r1, 32; @!%p bra P; bar.sync 0;\nP: mad.lo.u32 %r3, %r2, 100, %r1;\n"
        "and.b32 %r5, %r1, 15; setp.ne.u32 %p, %r5, 3; @%p bra E;\n"
        "st.local.u32 [%SPL], %r3; mov.u64 %q2, f; cvta.global.u64 %q2, %q2;\n"
        "{ .param .b64 param0; st.param.b64 [param0+0], %q2; .param .b64 param1; st.param.b64 "
        "[param1+0], %SP; .param .b32 retval0;\n"
        "call (retval0), vprintf, (param0, param1); }\n"
        "E: setp.lt.u32 %p, %r1, 32; @%p bra X; bar.sync 0;\nX: ret;\n}\n";
    ptx_run r;
    ww_str out = {0};
    run_open(&r, text);
    r.module->symbol[0].address = run_alloc(&r, 16, r.module->symbol[0].init);
    assert_ok(ww_output_create(&r.launch.output, &r.err), r.err);
    assert_ok(run_kernel(&r, "k", false, 2, 64, NULL), r.err);
    ww_output_flush(r.launch.output, collect, &out);
    assert_string_equal(ww_str_text(&out), "3 19 35 51 103 119 135 151 ");
    ww_str_fini(&out);
    ww_output_destroy(r.launch.output);
    run_close(&r);
}

/* ---- malloc, free ---- */

static const char *const malloc_kernel = HEAD EXTERNS
    ".visible .entry k(.param .u64 p0, .param .u64 p1) {\n.reg .b64 %q<9>; .reg .b32 %r<4>; .reg "
    ".pred %p;\n"
    "ld.param.u64 %q1, [p0]; ld.param.u64 %q2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %q3, %r1, "
    "8; add.s64 %q1, %q1, %q3;\n"
    "{ .param .b64 param0; st.param.b64 [param0+0], %q2; .param .b64 retval0;\n"
    "call.uni (retval0), malloc, (param0);\nld.param.b64 %q4, [retval0+0]; }\n"
    "st.global.u64 [%q1], %q4; setp.eq.u64 %p, %q4, 0; @%p bra X; st.u32 [%q4], %r1; ld.u32 %r2, "
    "[%q4]; setp.ne.u32 %p, %r1, %r2; @%p trap;\n"
    "{ .param .b64 param0; st.param.b64 [param0+0], %q4; call.uni free, (param0); }\n"
    "X: ret;\n}\n";

static void heap_blocks(void **state)
{
    (void)state;
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, malloc_kernel);
        assert_ok(ww_heap_create(r.mem, 1024, &r.launch.heap, &r.err), r.err);
        uint64_t params[2] = {run_alloc(&r, 32 * 8, NULL), 40};
        assert_ok(run_kernel(&r, "k", code, 1, 32, params), r.err);
        const uint64_t *p = run_at(&r, params[0], 32 * 8);
        unsigned valid = 0;
        for (unsigned i = 0; i < 32; i++) {
            valid += p[i] != 0;
            assert_true(p[i] % 16 == 0);
            for (unsigned k = 0; k < i; k++) {
                assert_true(p[i] == 0 || p[k] == 0 || p[i] >= p[k] + 40 || p[k] >= p[i] + 40);
            }
        }
        assert_int_equal(valid, 1024 / 64); /* blocks of 64 bytes, a heap of 1024 */
        uint64_t first = p[0];
        assert_ok(run_kernel(&r, "k", code, 1, 1, params), r.err); /* freed blocks serve again */
        assert_int_not_equal(p[0], 0);
        assert_true(p[0] >= first);
        ww_heap_destroy(r.launch.heap);
        r.launch.heap = NULL;
        assert_ok(run_kernel(&r, "k", code, 1, 1, params), r.err); /* no heap: NULL */
        assert_int_equal(p[0], 0);
        run_close(&r);
    }
}

static void heap_alone(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_devmem *mem;
    ww_heap *heap;
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_ok(ww_heap_create(mem, 1 << 20, &heap, &err), err);
    assert_int_equal(ww_heap_alloc(heap, 0), 0);
    assert_int_equal(ww_heap_alloc(heap, UINT64_MAX), 0);
    uint64_t a = ww_heap_alloc(heap, 100), b = ww_heap_alloc(heap, 100);
    assert_true(a != 0 && b != 0 && a != b);
    assert_false(ww_heap_free(heap, a + 16));
    assert_true(ww_heap_free(heap, a));
    assert_false(ww_heap_free(heap, a)); /* twice */
    assert_true(ww_heap_free(heap, b));
    assert_int_equal(ww_heap_alloc(heap, 128), b); /* last freed first */
    assert_int_equal(ww_heap_alloc(heap, 65), a);
    assert_int_equal(ww_heap_alloc(heap, (1 << 20) - 255), 0); /* no room left for that */
    ww_heap_destroy(heap);
    ww_devmem_destroy(mem);
}

static void bad_free(void **state)
{
    (void)state;
    static const char *const text = HEAD EXTERNS
        ".visible .entry k(.param .u64 p0) {\n.reg .b64 %q<9>;\nld.param.u64 %q4, [p0];\n"
        "{ .param .b64 param0; st.param.b64 [param0+0], %q4; call.uni free, (param0); }\nret;\n}\n";
    ptx_run r;
    run_open(&r, text);
    assert_ok(ww_heap_create(r.mem, 1024, &r.launch.heap, &r.err), r.err);
    uint64_t p = run_alloc(&r, 64, NULL), null = 0;
    assert_int_equal(run_kernel(&r, "k", false, 1, 1, &p), WW_EFAULT);
    assert_ok(run_kernel(&r, "k", false, 1, 1, &null), r.err);
    ww_heap_destroy(r.launch.heap);
    run_close(&r);
}

/* ---- assert ---- */

static void failed_assertion(void **state)
{
    (void)state;
    static const char *const text = HEAD EXTERNS
        ".global .align 1 .b8 m[4] = {120, 60, 51};\n.global .align 1 .b8 f[4] = {97, 46, 99};\n"
        ".global .align 1 .b8 n[2] = {103};\n"
        ".visible .entry k() {\n.reg .b64 %q<9>; .reg .b32 %r<4>; .reg .pred %p;\n"
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 37; @%p bra X;\n"
        "mov.u64 %q1, m; cvta.global.u64 %q1, %q1; mov.u64 %q2, f; cvta.global.u64 %q2, %q2; "
        "mov.u64 %q3, n; cvta.global.u64 %q3, %q3;\n"
        "{ .param .b64 p0; st.param.b64 [p0+0], %q1; .param .b64 p1; st.param.b64 [p1+0], %q2; "
        ".param .b32 p2; st.param.b32 [p2+0], 77;\n"
        ".param .b64 p3; st.param.b64 [p3+0], %q3; .param .b64 p4; st.param.b64 [p4+0], 1;\n"
        "call.uni __assertfail, (p0, p1, p2, p3, p4); }\nX: ret;\n}\n";
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, text);
        for (uint32_t i = 0; i < r.module->symbol_count; i++) {
            ww_symbol *s = &r.module->symbol[i];
            s->address = run_alloc(&r, s->bytes, s->init);
        }
        assert_int_equal(run_kernel(&r, "k", code, 1, 64, NULL), WW_EASSERT);
        assert_non_null(
            strstr(r.err.what, "a.c:77: g: CTA (0,0,0), thread (37,0,0): assertion `x<3` failed."));
        run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(short_integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(text_arguments),
        cmocka_unit_test(order),
        cmocka_unit_test(heap_blocks),
        cmocka_unit_test(heap_alone),
        cmocka_unit_test(bad_free),
        cmocka_unit_test(failed_assertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
