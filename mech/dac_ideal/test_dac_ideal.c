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

static void multiply(code *c, uint32_t d, ww_operand a, ww_operand b)
{
    ww_operand dst = reg(d), src[2] = {a, b};
    put(c, WW_OP_MUL, WW_T_U32, 1, &dst, 2, src)->sub = WW_SUB_LO;
}

/* p = a compared with v */
static void compare(code *c, uint32_t p, ww_operand a, ww_cmp cmp, uint64_t v)
{
    ww_operand dst = pred(p), src[2] = {a, imm(v)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = (uint8_t)cmp;
}

/* tid.x but for one lane, or with a step before one, is no line: all 32 lanes count. */
static void every_lane_counts(void **state)
{
    (void)state;
    for (uint32_t k = 1; k < 2 * WW_WARP_SIZE; k++) {
        code c = {0};
        mov(&c, 1, sreg(WW_SREG_TID_X)); /* affine */
        compare(&c, 0, reg(1), k < WW_WARP_SIZE ? WW_CMP_LT : WW_CMP_EQ,
                k % WW_WARP_SIZE);         /* too */
        add(&c, 1, 1, 7)->guard = pred(0); /* a guard of one lane: not */
        add(&c, 2, 1, 1);                  /* not */
        add(&c, 3, 2, 1);                  /* not */
        machine m;
        run(&m, &c, 32, 3);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_FIRST), 2);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_OTHERWISE), 0);
        machine_close(&m);
    }
}

/* Of operands: a lane's number is a line, tid.y in blocks of one column and 16 rows is none over
 * the 32 threads of a warp, a predicate that no lane has is one, and of a pair of words each must
 * be. */
static void operands_are_lines(void **state)
{
    (void)state;
    const ww_operand pair = {.kind = WW_OPD_REG, .words = 2, .reg = 2};
    const ww_operand copy = {.kind = WW_OPD_REG, .words = 2, .reg = 4};
    for (unsigned k = 0; k < 4; k++) {
        code c = {0};
        if (k == 0) {
            mov(&c, 1, sreg(WW_SREG_LANEID)); /* affine */
        } else if (k == 1) {
            compare(&c, 0, sreg(WW_SREG_TID_Y), WW_CMP_LT, 99); /* not */
        } else if (k == 2) {
            const ww_operand dst = reg(1), src[3] = {imm(5), imm(6), pred(0)};
            put(&c, WW_OP_SELP, WW_T_U32, 1, &dst, 3, src); /* affine */
        } else {
            multiply(&c, 2, sreg(WW_SREG_TID_X), sreg(WW_SREG_TID_X)); /* not */
            mov(&c, 3, imm(7));                                        /* affine */
            put(&c, WW_OP_MOV, WW_T_B64, 1, &copy, 1, &pair);          /* not */
        }
        machine m;
        finish(&c);
        const ww_arch arch = small_arch();
        const ww_dim3 block = k == 1 ? (ww_dim3){1, 16, 4} : (ww_dim3){32, 2, 1};
        machine_open_block(&m, &arch, as_kernel(&c, 16), block, &ww_mech_dac_ideal);
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_FIRST), k != 1);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_OTHERWISE), 0);
        machine_close(&m);
    }
}

/* The product of squares and 0 is 0 in all lanes: its result is a line, its operands are not. An
 * affine warp, which computes lines of lines, could not execute it. */
static void operands_count_beside_the_result(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    multiply(&c, 2, reg(1), reg(1));
    multiply(&c, 3, reg(2), imm(0));
    machine m;
    run(&m, &c, 32, 3);
    assert_int_equal(get(&m, WW_C_DAC_IDEAL_FIRST), 1);
    machine_close(&m);
}

/* Rounds of a sum of r2 and itself, where r2 is 0 in the first and the sixth round and a square
 * between. `late` dependent products hold warp 1 back in front of the loop. */
static void rounds_of_squares(machine *m, uint32_t late, uint32_t rounds)
{
    code c = {0};
    mov(&c, 4, sreg(WW_SREG_TID_X));
    multiply(&c, 5, reg(4), reg(4));
    mov(&c, 1, imm(0));
    mov(&c, 6, imm(0)); /* the round */
    compare(&c, 2, sreg(WW_SREG_TID_Y), WW_CMP_EQ, 0);
    ww_inst *over = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    over->guard = pred(2);
    over->target = over->reconv = c.count + late;
    for (uint32_t i = 0; i < late; i++) {
        multiply(&c, 7, reg(7), reg(5));
    }
    const uint32_t again = c.count;
    mov(&c, 2, imm(0));
    add(&c, 8, 6, UINT32_MAX);
    compare(&c, 1, reg(8), WW_CMP_LT, 4);
    mov(&c, 2, reg(5))->guard = pred(1);
    add3(&c, 9, 2, 2); /* affine where r2 is 0 */
    add(&c, 6, 6, 1);
    compare(&c, 0, reg(6), WW_CMP_LT, rounds);
    ww_inst *back = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    back->guard = pred(0);
    back->target = again;
    back->reconv = c.count;
    run(m, &c, 32, 2);
}

/* Warp 0 has been through all rounds, the last of them affine, when warp 1 comes: it skips the
 * first round's sum rightly, the second's wrongly, and learns by that. */
static void a_wrong_skip_is_learnt_from(void **state)
{
    (void)state;
    machine m;
    rounds_of_squares(&m, 120, 6);
    assert_int_equal(get(&m, WW_C_DAC_IDEAL_OTHERWISE), 1);
    machine_close(&m);
}

/* Warp 1 comes when warp 0 has been through its rounds. One round, whose sum is affine: it skips
 * it. Two, the second one's a square: it knows, executes the first round's sum itself, and has
 * learnt from that when it comes to the second. The round more has five other instructions to skip.
 */
static void what_is_executed_is_learnt_from(void **state)
{
    (void)state;
    uint64_t skipped[2];
    for (uint32_t rounds = 1; rounds <= 2; rounds++) {
        machine m;
        rounds_of_squares(&m, 120, rounds);
        skipped[rounds - 1] = get(&m, WW_C_MECH_SKIPPED);
        assert_int_equal(get(&m, WW_C_DAC_IDEAL_OTHERWISE), rounds - 1);
        machine_close(&m);
    }
    assert_int_equal(skipped[1] - skipped[0], 5 - 1 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_instructions_execute_once),
        cmocka_unit_test(others_execute),
        cmocka_unit_test(every_lane_counts),
        cmocka_unit_test(operands_are_lines),
        cmocka_unit_test(operands_count_beside_the_result),
        cmocka_unit_test(a_wrong_skip_is_learnt_from),
        cmocka_unit_test(what_is_executed_is_learnt_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
