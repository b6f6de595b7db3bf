/* Does the parser take what compilers write, keep variables as declared, and place every error? */
#include "module.h"

#include "base/mem.h"

/* ---- what must parse ---- */

static void module_directives(void **state)
{
    (void)state;
    ww_ptx_module *m =
        parse("// comment\n.version 7.8\n.target sm_90a, debug\n.address_size 64\n"
              ".file 1 \"/a/b.cu\", 1234, 99\n.section .debug_info\n{\n.b8 1, 2\n.b32 "
              ".debug_abbrev+4\n}\n"
              ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
              ".weak .func (.param .b32 r) w() .noreturn { ret; }\n"
              ".visible .entry a(){ ret; }\n.weak .entry b .maxntid 16, 4 .minnctapersm 2 .maxnreg "
              "32\n{ exit; }\n"
              ".entry declared_only();\n");
    assert_int_equal(m->version_major, 7);
    assert_int_equal(m->version_minor, 8);
    assert_int_equal(m->target_sm, 90);
    assert_int_equal(m->kernel_count, 2);
    assert_string_equal(m->kernel_name[0], "a");
    assert_string_equal(m->kernel_name[1], "b");
    ww_ptx_destroy(m);
}

static void debug_lines(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(
        KERNEL(".loc 1 20 5\n mov.u32 %r1, 1;\n"
               ".loc 1 7 3, function_name $L__info_string0, inlined_at 1 20 5\n mov.u32 %r2, 2;\n"
               ".loc 1 7 3, function_name $L__info_string0 + 12, inlined_at 1 20 5\n"
               ".pragma \"nounroll\";\n mov.u32 %r3, 3; ret;"));
    assert_int_equal(translate(m, "k")->inst_count, 4);
    assert_int_equal(translate(m, "k")->inst[0].line, 12);
    ww_ptx_destroy(m);
}

static void initialisers(void **state)
{
    (void)state;
    ww_ptx_module *m = parse(HEAD ".visible .global .align 4 .u32 one = 7;\n"
                                  ".const .align 4 .f32 f[3] = {0f3F800000, 0.5, -2.0};\n"
                                  ".global .align 2 .b16 m[2][3] = {{1, 2}, {3}};\n"
                                  ".global .align 1 .b8 text[] = {104, 0x69, 0};\n"
                                  ".global .align 8 .u64 p[3] = {generic(text), text+2, 0};\n"
                                  ".global .u32 expr = (1 << 4) | 3 & ~1 + 2*3 - 10/5 % 3;\n"
                                  ".global .s32 choice = 2 > 1 ? -5 : 5;\n"
                                  ".global .v2 .f32 pair[2] = {{1.0, 2.0}, {3.0, 4.0}};\n"
                                  ".extern .global .u32 elsewhere;\n");
    assert_int_equal(m->symbol_count, 9);
    assert_string_equal(m->symbol[0].name, "one");
    assert_int_equal(m->symbol[0].init_bytes, 4);
    assert_memory_equal(m->symbol[0].init, "\7\0\0\0", 4);
    const float f[] = {1.0f, 0.5f, -2.0f};
    assert_memory_equal(m->symbol[1].init, f, sizeof f);
    assert_int_equal(m->symbol[1].space, WW_SPACE_CONST);
    const uint16_t rows[] = {1, 2, 0, 3};
    assert_int_equal(m->symbol[2].bytes, 12);
    assert_int_equal(m->symbol[2].init_bytes, sizeof rows);
    assert_memory_equal(m->symbol[2].init, rows, sizeof rows);
    assert_int_equal(m->symbol[3].bytes, 3);
    assert_memory_equal(m->symbol[3].init, "hi", 3);
    assert_int_equal(m->symbol[4].reloc_count, 2);
    assert_ptr_equal(m->symbol[4].reloc[0].target, &m->symbol[3]);
    assert_int_equal(m->symbol[4].reloc[0].offset, 0);
    assert_int_equal(m->symbol[4].reloc[1].offset, 8);
    assert_int_equal(m->symbol[4].reloc[1].addend, 2);
    const int32_t expr = (1 << 4) | (3 & (~1 + 2 * 3 - 10 / 5 % 3)), choice = -5;
    assert_memory_equal(m->symbol[5].init, &expr, 4);
    assert_memory_equal(m->symbol[6].init, &choice, 4);
    const float pairs[] = {1, 2, 3, 4};
    assert_memory_equal(m->symbol[7].init, pairs, sizeof pairs);
    assert_int_equal(m->symbol[7].align, 8);
    assert_true(m->symbol[8].is_extern);
    ww_ptx_destroy(m);
}

/* ---- errors ---- */

static void errors_are_located(void **state)
{
    (void)state;
    assert_parse_error("hello", WW_EPARSE, 1, 1, "expected '.version', found 'hello'");
    assert_parse_error("", WW_EPARSE, 1, 1, "end of the file");
    assert_parse_error(".version 7\n", WW_EPARSE, 1, 10,
                       "expected a version such as 8.0, found '7'");
    assert_parse_error(".version 7.0\n.target sm_50\n.address_size 32\n", WW_EUNSUP, 3, 15,
                       "32-bit");
    assert_parse_error(HEAD ".blob\n", WW_EPARSE, 4, 1, "found '.blob'");
    assert_parse_error(KERNEL(" add.s32 %r1, %r2, %r20;"), WW_EPARSE, 11, 20,
                       "'%r20' is not declared");
    assert_parse_error(KERNEL(" add.s32 %r1, %r2 %r3;"), WW_EPARSE, 11, 19,
                       "expected ';', found '%r3'");
    assert_parse_error(KERNEL(" bra $nowhere;"), WW_EPARSE, 11, 6, "'$nowhere' is not declared");
    assert_parse_error(KERNEL("x: ret;\nx: ret;"), WW_EPARSE, 12, 1,
                       "label 'x' is already declared");
    assert_parse_error(KERNEL(".reg .b32 %r<3>;"), WW_EPARSE, 11, 11, "'%r' is already declared");
    assert_parse_error(KERNEL(" @%r1 bra x; x: ret;"), WW_EPARSE, 11, 3,
                       "a predicate register is needed");
    assert_parse_error(KERNEL(" mov.u32 %r1, 0x;"), WW_EPARSE, 11, 15, "bad number");
    assert_parse_error(KERNEL(" ld.global.u32 %r1, [%rd1;"), WW_EPARSE, 11, 26,
                       "expected ']', found ';'");
    assert_parse_error(KERNEL(" mov.u32 %r1, 5/0;"), WW_EPARSE, 11, 16, "division by zero");
    assert_parse_error(HEAD ".entry k() { ret;", WW_EPARSE, 4, 12, "the body of 'k' has no end");
    assert_parse_error(HEAD ".entry k() { ret; }\n.entry k() { ret; }", WW_EPARSE, 5, 8,
                       "'k' is already declared");
    assert_parse_error(HEAD ".global .align 3 .u32 x;", WW_EPARSE, 4, 16, "power of two");
    assert_parse_error(HEAD ".global .u32 x[2] = {1, 2, 3};", WW_EPARSE, 4, 28,
                       "too many values for 'x'");
    assert_parse_error(HEAD ".global .u32 x[];", WW_EPARSE, 4, 14, "neither size nor initialiser");
    assert_parse_error(HEAD ".shared .u32 x = 1;", WW_EPARSE, 4, 18, "only .global and .const");
    assert_parse_error(HEAD ".global .u32 x = y;", WW_EPARSE, 4, 18, "found 'y'");
    assert_parse_error(HEAD ".global .b8 x[0x7fffffffffffffff];", WW_EPARSE, 4, 15, "larger than");
    assert_parse_error(HEAD ".global .pred x;", WW_EPARSE, 4, 15, "cannot have type .pred");
    assert_parse_error(HEAD ".alias a, b;", WW_EUNSUP, 4, 1, "'.alias'");
}

/* Counts, alignments and products beyond their bounds, each as a small file can write it. */
static void too_large_numbers_are_located(void **state)
{
    (void)state;
    assert_parse_error(HEAD ".global .b8 x[4294967296][4294967296][16];", WW_EPARSE, 4, 27,
                       "larger than 64 GiB");
    assert_parse_error(HEAD ".global .v4 .f64 x[4294967295];", WW_EPARSE, 4, 20, "larger than");
    assert_parse_error(HEAD ".global .align 9223372036854775808 .b8 x;", WW_EPARSE, 4, 16,
                       "more than 65536");
    assert_parse_error(HEAD ".entry k() { .reg .b32 %r<4294967297>; }", WW_EPARSE, 4, 27,
                       "more than 1048576");
    assert_parse_error(HEAD ".entry k() { .reg .v4 .b32 %r<1048576>; }", WW_EUNSUP, 4, 28,
                       "more than 1048576 registers");
    assert_parse_error(HEAD ".entry k() .maxntid 4294967295, 4294967295 { ret; }", WW_EPARSE, 4, 21,
                       "more than 65536");
    assert_parse_error(HEAD ".entry k() .reqnctapercluster 4294967295 { ret; }", WW_EPARSE, 4, 31,
                       "more than 65536");
    assert_parse_error(KERNEL(" mov.u32 %r1, 99999999999999999999;"), WW_EPARSE, 11, 15,
                       "does not fit into 64 bits");
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { N = 100000 };
    static char text[N + 600];
    struct {
        const char *head;
        char fill;
    } rows[] = {{HEAD ".entry k() { ", '{'},         {HEAD ".global .u32 x = ", '('},
                {HEAD ".global .u32 x = ", '-'},     {HEAD ".global .u32 x[2] = ", '{'},
                {HEAD ".entry k() { mov.b32 ", '{'}, {HEAD ".entry k() { mov.b32 ", '['},
                {HEAD ".entry k() { call ", '('},    {HEAD ".entry k() { @", '!'}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_ptx_module *m;
        ww_error err = {0};
        strcpy(text, rows[i].head);
        memset(text + strlen(rows[i].head), rows[i].fill, N);
        assert_int_equal(ww_ptx_parse("t", text, strlen(rows[i].head) + N, &m, &err), WW_EPARSE);
    }
}

/* Every allocation may fail; each failure is reported and leaks nothing. */
static void allocation_failures(void **state)
{
    (void)state;
    const char *text = HEAD
        ".global .u64 g = 5; .const .b8 t[2][2] = {{1},{2}}; .global .u64 p = t;\n"
        ".func (.param .b32 r) f(.param .b32 a, .reg .u32 b) { .reg .b32 x; ld.param.b32 x, [a]; "
        "st.param.b32 [r], x; ret; }\n"
        ".entry k(.param .u64 o) { .reg .b32 %r<5>; .reg .pred p; .shared .b32 s[4]; .local .b32 "
        "l; {.param .b32 q; "
        "st.param.b32 [q], %r1; .param .b32 v; call (v), f, (q, %r2); ld.param.b32 %r3, [v]; }\n"
        "setp.eq.s32 p, %r1, %r3; @p bra L; mov.b32 %r1, s; L: vote.sync.any.pred p, 1, -1; "
        "foo.bar; ret; }\n";
    for (size_t k = 1;; k++) {
        ww_ptx_module *m = NULL;
        ww_ptx_problem *problems;
        size_t count;
        ww_error err = {0};
        ww_mem_fail_after(k);
        ww_status status = ww_ptx_parse("t", text, strlen(text), &m, &err);
        status = status == WW_OK ? ww_ptx_check(m, &problems, &count, &err) : status;
        ww_mem_fail_after(0);
        if (m != NULL) {
            ww_ptx_destroy(m);
        }
        if (status == WW_OK) {
            assert_true(k > 30);
            assert_int_equal(count, 1);
            return;
        }
        assert_int_equal(status, WW_ENOMEM);
        assert_int_equal(err.code, WW_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_directives),
        cmocka_unit_test(debug_lines),
        cmocka_unit_test(initialisers),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(too_large_numbers_are_located),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
