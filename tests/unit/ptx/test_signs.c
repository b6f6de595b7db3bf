/* test_signs.c - are spilled signs of 32-bit numbers taken anew where they are read, only where the
 * number is still there, and with the results of the text as it stands? */
#include "tests/unit/ptx/run_kernel.h"

enum { NUMBERS = 24, ROOM = 16384, THREADS = 8 };

/* NUMBERS words, some negative, extended to 64 bits before a loop of THREADS rounds that adds all
 * of them to a sum; `change` stands at its end, and may name %r0 and %rd0 among them. */
static void write_loop(char *text, unsigned registers, const char *change)
{
    int n = snprintf(text, ROOM,
                     HEAD ".visible .entry k(.param .u64 out) .maxnreg %u\n{\n.reg .pred %%p<4>;\n"
                          ".reg .b32 %%r<64>;\n.reg .b64 %%rd<64>;\nld.param.u64 %%rd60, [out];\n"
                          "mov.u32 %%r60, %%tid.x;\nmov.u32 %%r61, %%ntid.x;\n"
                          "mul.wide.u32 %%rd61, %%r60, 8;\nadd.s64 %%rd60, %%rd60, %%rd61;\n"
                          "mov.u64 %%rd62, 0;\n",
                     registers);
    for (int i = 0; i < NUMBERS; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "mad.lo.s32 %%r%d, %%r60, %d, %d;\ncvt.s64.s32 %%rd%d, %%r%d;\n", i,
                      2 * i + 3, 17 - 11 * i, i, i);
    }
    n += snprintf(text + n, (size_t)(ROOM - n), "LOOP:\n");
    for (int i = 0; i < NUMBERS; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "add.s64 %%rd62, %%rd62, %%rd%d;\nxor.b64 %%rd62, %%rd62, %d;\n", i, i + 1);
    }
    snprintf(text + n, (size_t)(ROOM - n),
             "%s\nadd.s32 %%r61, %%r61, -1;\nsetp.ne.s32 %%p1, %%r61, 0;\n@%%p1 bra LOOP;\n"
             "st.global.u64 [%%rd60], %%rd62;\nret;\n}\n",
             change);
}

static void assert_same_results(const char *text)
{
    uint32_t plain[THREADS * 2], lowered[THREADS * 2];
    const ptx_run run = {text, 1, THREADS, 2};
    run_kernel(&run, WW_CODE_PTX, 75, plain);
    run_kernel(&run, WW_CODE_LOWERED, 75, lowered);
    assert_memory_equal(plain, lowered, sizeof plain);
}

static uint32_t spilled_bytes(const char *text)
{
    ww_error err = {0};
    ww_arch arch = fixture_machine(75);
    ww_ptx_module *module = parse(text);
    ww_kernel *k = NULL;
    assert_ok(ww_ptx_build_kernel(module, "k", WW_CODE_LOWERED, &arch, &k, &err), err);
    uint32_t bytes = k->spill_bytes;
    ww_ptx_destroy(module);
    return bytes;
}

/* 24 words and their signs do not fit into 44 registers, the words do; into 24 they do not either.
 */
static void signs_take_no_memory(void **state)
{
    (void)state;
    char text[ROOM];
    const uint32_t registers[] = {60, 44, 24};
    for (uint32_t i = 0; i < 3; i++) {
        write_loop(text, registers[i], "");
        assert_int_equal(spilled_bytes(text) > 0, registers[i] == 24);
        assert_same_results(text);
    }
}

static void numbers_that_change_have_their_signs_kept(void **state)
{
    (void)state;
    char text[ROOM], change[ROOM];
    int n = 0;
    for (int i = 0; i < NUMBERS; i++) {
        n += snprintf(change + n, (size_t)(ROOM - n), "add.s32 %%r%d, %%r%d, -40;\n", i, i);
    }
    write_loop(text, 44, change);
    assert_true(spilled_bytes(text) > 0);
    assert_same_results(text);
}

/* A number is made anew in the loop, before a read of the last one's sign. */
static void signs_of_the_last_round_are_kept(void **state)
{
    (void)state;
    char text[ROOM];
    write_loop(text, 30,
               "mad.lo.s32 %r40, %r61, -5, 16;\nsetp.lt.s32 %p2, %r40, -20;\n@%p2 bra FIRST;\n"
               "cvt.u64.u32 %rd41, %r41;\nadd.s64 %rd62, %rd62, %rd41;\nFIRST:\n"
               "shr.s32 %r41, %r40, 31;\ncvt.u64.u32 %rd42, %r40;\nxor.b64 %rd62, %rd62, %rd42;");
    assert_same_results(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_take_no_memory),
        cmocka_unit_test(numbers_that_change_have_their_signs_kept),
        cmocka_unit_test(signs_of_the_last_round_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
