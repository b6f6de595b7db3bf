/* test_dac_ideal.c - are instructions that are affine by value executed once for a block, and no
 * others? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

static void run(machine *m, code *c, uint32_t x, uint32_t y)
{
    finish(c);
    const ww_arch arch = small_arch();
    machine_open_block(m, &arch, as_kernel(c, 16), (ww_dim3){x, y, 1}, &ww_mech_dac_ideal);
    run_cta(m);
}

/* A loop of four rounds over an add of a constant: its instances after the first of each are
 * skipped once it is known to be affine, whatever the way the warps go. */
static void affine_instructions_execute_once(void **state)
{
    (void)state;
    const struct {
        uint32_t x, y;
        bool affine; /* tid.x over a warp */
    } shape[] = {{32, 2, true}, {64, 1, true}, {16, 4, false}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(shape); k++) {
        code c = {0};
        ww_operand dst = pred(0), src[2] = {reg(2), imm(4)};
        mov(&c, 1, sreg(WW_SREG_TID_X));
        mov(&c, 2, imm(0));
        add(&c, 1, 1, 1); /* as affine as tid.x */
        add(&c, 2, 2, 1); /* a scalar */
        put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT;
        ww_inst *back = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
        back->guard = pred(0);
        back->target = 2;
        back->reconv = 6;
        machine m;
        run(&m, &c, shape[k].x, shape[k].y);
        const uint64_t instances = 2 + 3 * 4, skipped = get(&m, WW_C_MECH_SKIPPED);
        const uint64_t candidates = shape[k].affine ? instances : instances - 5;
        assert_true(skipped <= candidates);
        assert_true(skipped >= candidates - 5); /* the first of each instruction may not be known */
        assert_int_equal(get(&m, WW_C_INST_ISSUED) + skipped, 2 * (instances + 4 + 1));
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_OTHERWISE), 0);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_FIRST), candidates);
        machine_close(&m);
    }
}

/* Products of an index with itself are no line, loads stay, and so do instructions of some lanes.
 */
static void others_execute(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    ww_operand dst = reg(2), src[2] = {reg(1), reg(1)};
    put(&c, WW_OP_MUL, WW_T_U32, 1, &dst, 2, src)->sub = WW_SUB_LO;
    mov(&c, 3, imm(16));
    load_shared(&c, 4, 3);
    machine m;
    run(&m, &c, 32, 3);
    assert_int_equal(get(&m, WW_C_DAC_IDEAL_FIRST), 2);
    assert_true(get(&m, WW_C_MECH_SKIPPED) <= 4);
    machine_close(&m);
    code some = {0};
    mov(&some, 1, imm(5));
    run(&m, &some, 16, 1);
    assert_int_equal(get(&m, WW_C_DAC_IDEAL_AFFINE), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_instructions_execute_once),
        cmocka_unit_test(others_execute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
