/* Are operands taken that NVIDIA's assembler takes: vector registers passed to functions and back,
 * addresses of variables stored and added? */
#include "tests/ptx/run.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

static void check(const char *text, const uint32_t *expected, size_t count)
{
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, text);
        uint64_t out = run_alloc(&r, count * 4, NULL);
        assert_ok(run_kernel(&r, "k", code, 1, 1, &out), r.err);
        assert_memory_equal(run_at(&r, out, count * 4), expected, count * 4);
        run_close(&r);
    }
}

static void vector_registers_are_arguments(void **state)
{
    (void)state;
    static const uint32_t expected[] = {20, 31, 5};
    check(HEAD
          ".func (.reg .v2 .u32 r, .reg .u32 s) f(.reg .v4 .u32 a, .reg .u32 b)\n{\n"
          "add.u32 r.x, a.x, a.w; add.u32 r.y, a.z, b; mov.u32 s, a.y; ret;\n}\n"
          ".visible .entry k(.param .u64 out)\n{\n.reg .u64 p; .reg .v4 .u32 v; .reg .v2 .u32 w; "
          ".reg .u32 s;\nld.param.u64 p, [out]; mov.u32 v.x, 4; mov.u32 v.y, 5; mov.u32 v.z, 6; "
          "mov.u32 v.w, 16;\ncall (w, s), f, (v, 25);\n"
          "st.global.u32 [p], w.x; st.global.u32 [p+4], w.y; st.global.u32 [p+8], s; ret;\n}\n",
          expected, 3);
}

static void counts_must_agree(void **state)
{
    (void)state;
    ptx_run r;
    run_open(&r, HEAD ".func f(.reg .v2 .u32 a)\n{ ret; }\n.visible .entry k(.param .u64 out)\n{\n"
                      ".reg .v4 .u32 v; mov.u32 v.x, 4; call f, (v); ret;\n}\n");
    uint64_t out = 0;
    assert_int_not_equal(run_kernel(&r, "k", true, 1, 1, &out), WW_OK);
    assert_non_null(strstr(r.err.what, "gives 4 arguments where the function has 2"));
    run_close(&r);
}

/* Displacements from the address itself: 9 of a store, 1 of an addition. */
static void addresses_are_values(void **state)
{
    (void)state;
    static const uint32_t expected[] = {9, 0, 1, 0};
    check(HEAD
          ".global .align 8 .u64 sym[4];\n.visible .entry k(.param .u64 out)\n{\n"
          ".reg .u64 p, a, x;\nld.param.u64 p, [out]; mov.u64 a, sym;\n"
          "st.global.u64 [p], sym + 9; ld.global.u64 x, [p]; sub.u64 x, x, a; st.global.u64 [p], "
          "x;\nadd.u64 x, sym + 1, 0; sub.u64 x, x, a; st.global.u64 [p+8], x; ret;\n}\n",
          expected, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_registers_are_arguments),
        cmocka_unit_test(counts_must_agree),
        cmocka_unit_test(addresses_are_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
