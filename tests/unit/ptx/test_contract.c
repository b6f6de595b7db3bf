/* Products and sums that become one: which do, of what ptxas was seen to fuse and to leave, and
 * that code of every kind computes the same. Registers are numbered as the text names them. */
#include "tests/unit/ptx/run_kernel.h"

/* A kernel's products and sums as they are translated. */
static void expect_sums(const char *text, const char *expected)
{
    char got[2048] = "";
    ww_ptx_module *module = parse(text);
    const ww_function *f = translate(module, "k");
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_op op = (ww_op)f->inst[i].op;
        char line[256];
        if (op == WW_OP_MUL || op == WW_OP_ADD || op == WW_OP_SUB || op == WW_OP_FMA) {
            ww_inst_format(&f->inst[i], line, sizeof line);
            const size_t at = strlen(got);
            snprintf(got + at, sizeof got - at, "%s\n", line);
        }
    }
    if (strcmp(got, expected) != 0) {
        fail_msg("%s\nbecame\n%s\nand not\n%s", text, got, expected);
    }
    ww_ptx_destroy(module);
}
#define EXPECT(body, listing) expect_sums(KERNEL(body "\nret;"), listing)

#define PRODUCT    "mul.f32 %f3, %f1, %f2;"
#define PRODUCT_IS "mul.f32 r0, r1, r2\n"
#define FUSED(sum) PRODUCT_IS "fma.rn.f32 " sum "\n"

static void a_sum_takes_its_product_in(void **state)
{
    (void)state;
    EXPECT(PRODUCT "add.f32 %f5, %f3, %f4;", FUSED("r3, r1, r2, r4"));
    EXPECT(PRODUCT "add.f32 %f5, %f4, %f3;", FUSED("r3, r1, r2, r4"));
    EXPECT(PRODUCT "sub.f32 %f5, %f3, %f4;", FUSED("r3, r1, r2, -r4"));
    EXPECT(PRODUCT "sub.f32 %f5, %f4, %f3;", FUSED("r3, -r1, r2, r4"));
    EXPECT(PRODUCT "sub.f32 %f5, %f3, 0f3f800000;", FUSED("r3, r1, r2, 0xbf800000"));
    EXPECT("mul.f32 %f3, 0f40000000, %f2; sub.f32 %f5, %f4, %f3;",
           "mul.f32 r0, 0x40000000, r1\nfma.rn.f32 r2, 0xc0000000, r1, r3\n");
}

static void every_type_of_fraction_does(void **state)
{
    (void)state;
    EXPECT("mul.f64 %fd3, %fd1, %fd2; sub.f64 %fd5, %fd3, 0d3ff0000000000000;",
           "mul.f64 r0:64, r1:64, r2:64\nfma.rn.f64 r3:64, r1:64, r2:64, 0xbff0000000000000\n");
    EXPECT("mul.f16x2 %r3, %r1, %r2; sub.f16x2 %r5, %r3, 0x3c003c00;",
           "mul.f16x2 r0, r1, r2\nfma.rn.f16x2 r3, r1, r2, 0xbc00bc00\n");
    EXPECT("mul.bf16 %rs3, %rs1, %rs2; add.bf16 %rs5, %rs3, %rs4;",
           "mul.bf16 r0, r1, r2\nfma.rn.bf16 r3, r1, r2, r4\n");
    EXPECT("mul.lo.s32 %r3, %r1, %r2; add.s32 %r5, %r3, %r4;",
           "mul.lo.s32 r0, r1, r2\nadd.s32 r3, r0, r4\n");
}

static void what_says_how_it_rounds_stays(void **state)
{
    (void)state;
    EXPECT("mul.rn.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f4;",
           "mul.rn.f32 r0, r1, r2\nadd.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "add.rn.f32 %f5, %f3, %f4;", PRODUCT_IS "add.rn.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "add.rz.f32 %f5, %f3, %f4;", PRODUCT_IS "add.rz.f32 r3, r0, r4\n");
}

static void modifiers_agree_or_belong_to_the_sum(void **state)
{
    (void)state;
    EXPECT("mul.ftz.f32 %f3, %f1, %f2; add.ftz.f32 %f5, %f3, %f4;",
           "mul.ftz.f32 r0, r1, r2\nfma.rn.ftz.f32 r3, r1, r2, r4\n");
    EXPECT("mul.ftz.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f4;",
           "mul.ftz.f32 r0, r1, r2\nadd.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "add.ftz.f32 %f5, %f3, %f4;", PRODUCT_IS "add.ftz.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "add.sat.f32 %f5, %f3, %f4;", PRODUCT_IS "fma.rn.sat.f32 r3, r1, r2, r4\n");
    EXPECT("mul.sat.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f4;",
           "mul.sat.f32 r0, r1, r2\nadd.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "@%p1 add.f32 %f5, %f3, %f4;", PRODUCT_IS "@p3 fma.rn.f32 r4, r1, r2, r5\n");
    EXPECT("@%p1 mul.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f4;",
           "@p0 mul.f32 r1, r2, r3\nadd.f32 r4, r1, r5\n");
}

/* All that read a product take it in, or none: else it is computed besides. */
static void a_product_goes_into_all_or_none(void **state)
{
    (void)state;
    EXPECT(PRODUCT "add.f32 %f5, %f3, %f4; sub.f32 %f6, %f3, %f4;",
           FUSED("r3, r1, r2, r4") "fma.rn.f32 r5, r1, r2, -r4\n");
    EXPECT(PRODUCT "add.f32 %f5, %f3, %f4; setp.gt.f32 %p1, %f3, %f4;",
           PRODUCT_IS "add.f32 r3, r0, r4\n");
    EXPECT(PRODUCT "add.f32 %f5, %f3, %f4; mul.f32 %f6, %f3, %f4;",
           PRODUCT_IS "add.f32 r3, r0, r4\nmul.f32 r5, r0, r4\n");
    EXPECT(PRODUCT "add.f32 %f5, %f3, %f3;", PRODUCT_IS "add.f32 r3, r0, r0\n");
}

#define TWO    "mul.f32 %f3, %f1, %f2; mul.f32 %f6, %f4, %f5;"
#define TWO_IS "mul.f32 r0, r1, r2\nmul.f32 r3, r4, r5\n"

/* Of two that a sum could take in: the one that fewer sums read, or the first operand. */
static void a_sum_of_two_products_takes_one(void **state)
{
    (void)state;
    EXPECT(TWO "add.f32 %f7, %f3, %f6;", TWO_IS "fma.rn.f32 r6, r1, r2, r3\n");
    EXPECT(TWO "sub.f32 %f7, %f6, %f3;", TWO_IS "fma.rn.f32 r6, r4, r5, -r0\n");
    EXPECT(TWO "add.f32 %f7, %f3, %f6; sub.f32 %f8, %f3, %f6;",
           TWO_IS "fma.rn.f32 r6, r1, r2, r3\nfma.rn.f32 r7, r1, r2, -r3\n");
    EXPECT(TWO "add.f32 %f7, %f3, %f6; add.f32 %f8, %f3, %f1;",
           TWO_IS "fma.rn.f32 r6, r4, r5, r0\nadd.f32 r7, r0, r1\n");
    EXPECT(TWO "add.f32 %f7, %f3, %f6; add.f32 %f8, %f6, %f1;",
           TWO_IS "fma.rn.f32 r6, r1, r2, r3\nadd.f32 r7, r3, r1\n");
    /* %f3 is read by three sums, %f6 by two, %f9 by one: %f6 loses a sum to %f9, %f3 none. */
    EXPECT(TWO "mul.f32 %f9, %f1, %f4; add.f32 %f7, %f3, %f6; add.f32 %f8, %f6, %f9;"
               "add.f32 %f7, %f3, %f1; add.f32 %f8, %f3, %f2;",
           TWO_IS "mul.f32 r6, r1, r4\nfma.rn.f32 r7, r1, r2, r3\nfma.rn.f32 r8, r1, r4, r3\n"
                  "fma.rn.f32 r7, r1, r2, r1\nfma.rn.f32 r8, r1, r2, r2\n");
}

static void its_factors_must_still_be_there(void **state)
{
    (void)state;
    EXPECT(PRODUCT "mov.f32 %f1, %f4; add.f32 %f5, %f3, %f4;", PRODUCT_IS "add.f32 r4, r0, r3\n");
    EXPECT(PRODUCT "add.f32 %f1, %f3, %f4;", PRODUCT_IS "fma.rn.f32 r1, r1, r2, r3\n");
    EXPECT(PRODUCT "bra L; L: add.f32 %f5, %f3, %f4;", PRODUCT_IS "add.f32 r3, r0, r4\n");
    EXPECT("L: add.f32 %f5, %f3, %f4;" PRODUCT "@%p1 bra L;",
           "add.f32 r0, r1, r2\nmul.f32 r1, r3, r4\n");
    EXPECT(PRODUCT "mul.f32 %f3, %f1, %f1; add.f32 %f5, %f3, %f4;",
           PRODUCT_IS "mul.f32 r0, r1, r1\nadd.f32 r3, r0, r4\n");
}

/* (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, and nothing if the product is rounded. */
static void all_codes_compute_the_same(void **state)
{
    (void)state;
    const ptx_run run = {
        KERNEL("ld.param.u64 %rd1, [out];\nmov.f32 %f1, 0f3f800800;\nmov.f32 %f2, 0f3f801000;\n"
               "mul.f32 %f3, %f1, %f1;\nsub.f32 %f4, %f3, %f2;\nst.global.f32 [%rd1], %f4;\n"
               "mul.rn.f32 %f5, %f1, %f1;\nsub.f32 %f6, %f2, %f5;\n"
               "st.global.f32 [%rd1+4], %f6;\nsub.f32 %f7, %f2, %f3;\n"
               "st.global.f32 [%rd1+8], %f7;\nret;"),
        1, 1, 3};
    static const ww_code codes[] = {WW_CODE_PTX, WW_CODE_LOWERED, WW_CODE_GT200};
    for (unsigned k = 0; k < WW_ARRAY_LEN(codes); k++) {
        uint32_t out[3];
        run_kernel(&run, codes[k], 75, out);
        assert_int_equal(out[0], 0x33800000);
        assert_int_equal(out[1], 0);
        assert_int_equal(out[2], 0xb3800000);
    }
}

static uint32_t products_of(ww_code code)
{
    ww_error err = {0};
    ww_arch arch = fixture_machine(75);
    ww_ptx_module *module =
        parse(KERNEL("ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1];" PRODUCT
                     "add.f32 %f5, %f3, %f1; st.global.f32 [%rd1], %f5; ret;"));
    ww_kernel *kernel = NULL;
    assert_ok(ww_ptx_build_kernel(module, "k", code, &arch, &kernel, &err), err);
    uint32_t products = 0;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        products += kernel->code[i].op == WW_OP_MUL;
    }
    ww_ptx_destroy(module);
    return products;
}

static void code_as_written_keeps_its_products(void **state)
{
    (void)state;
    assert_int_equal(products_of(WW_CODE_PTX), 1);
    assert_int_equal(products_of(WW_CODE_LOWERED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_takes_its_product_in),
        cmocka_unit_test(every_type_of_fraction_does),
        cmocka_unit_test(what_says_how_it_rounds_stays),
        cmocka_unit_test(modifiers_agree_or_belong_to_the_sum),
        cmocka_unit_test(a_product_goes_into_all_or_none),
        cmocka_unit_test(a_sum_of_two_products_takes_one),
        cmocka_unit_test(its_factors_must_still_be_there),
        cmocka_unit_test(all_codes_compute_the_same),
        cmocka_unit_test(code_as_written_keeps_its_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
