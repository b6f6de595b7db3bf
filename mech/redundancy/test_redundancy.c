/* test_redundancy.c - are instructions told apart that are redundant in a warp, in a block, in the
 * grid, by operands alone or by what they make as well? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

/* Blocks of x by y threads run the code, to which an exit is added, to their end. */
static void run(machine *m, code *c, uint32_t x, uint32_t y, uint32_t blocks)
{
    const ww_arch arch = small_arch();
    ww_error err = {0};
    finish(c);
    machine_open_block(m, &arch, as_kernel(c, 16), (ww_dim3){x, y, 1}, &ww_mech_redundancy);
    ww_sm_end(m->sm);
    ww_exec_release(&m->launch);
    m->launch.grid.x = blocks;
    assert_ok(ww_exec_prepare(&m->launch, &err), err);
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, blocks, &err), err);
    for (uint32_t i = 0; i < blocks; i++) {
        assert_ok(ww_sm_launch_cta(m->sm, i, m->now++, &err), err);
    }
    for (unsigned i = 0; i < 100000 && ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        cycle(m);
    }
    ww_sm_end(m->sm);
}

static void store_shared(code *c, uint32_t address, uint32_t v)
{
    ww_operand src[2] = {reg(address), reg(v)};
    put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src)->space = WW_SPACE_SHARED;
}

static void multiply(code *c, uint32_t d, uint32_t a)
{
    ww_operand dst = reg(d), src[2] = {reg(a), reg(a)};
    put(c, WW_OP_MUL, WW_T_U32, 1, &dst, 2, src)->sub = WW_SUB_LO;
}

/* Two blocks of two rows of 32: four warps. */
static void scopes(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(8));                /* warp, block (uniform), grid */
    mov(&c, 2, sreg(WW_SREG_TID_X));   /* block (affine), grid */
    mov(&c, 3, sreg(WW_SREG_TID_Y));   /* warp */
    mov(&c, 4, sreg(WW_SREG_CTAID_X)); /* warp, block (uniform) */
    add3(&c, 5, 2, 4);                 /* block (affine) */
    multiply(&c, 6, 2);                /* block (affine), grid */
    add(&c, 7, 6, 1);                  /* block (neither), grid */
    add3(&c, 8, 3, 1);                 /* warp */
    store_shared(&c, 1, 4);
    load_shared(&c, 9, 1);            /* warp, block (uniform); in the grid its operand alone */
    mov(&c, 10, sreg(WW_SREG_CLOCK)); /* nowhere */
    machine m;
    run(&m, &c, 32, 2, 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_INST), 4 * 12);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_WARP), 4 * (4 + 1) + 4);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK), 4 * 7);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_OPERANDS), 4 * 7);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_UNIFORM), 4 * 3);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_AFFINE), 4 * 3);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_GRID), 4 * 4);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_GRID_OPERANDS), 4 * 5);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_UNTRACKED), 0);
    machine_close(&m);
}

/* Two blocks of two rows of 32: a lane's number is a line, no number; a predicate that no lane has
 * is one value; of a block's indices only that counts which is read. */
static void operands_by_kind(void **state)
{
    (void)state;
    code c = {0};
    const ww_operand dst = reg(2), src[3] = {imm(5), imm(6), pred(0)};
    mov(&c, 1, sreg(WW_SREG_LANEID));               /* block (affine), grid */
    put(&c, WW_OP_SELP, WW_T_U32, 1, &dst, 3, src); /* warp, block (uniform), grid */
    mov(&c, 3, sreg(WW_SREG_CTAID_Y));              /* warp, block (uniform), grid */
    machine m;
    run(&m, &c, 32, 2, 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_WARP), 4 * 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_UNIFORM), 4 * 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_AFFINE), 4 * 1);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_GRID), 4 * 3);
    machine_close(&m);
}

/* In a row of 64 no index is redundant; a block of one warp has nothing to share; half a warp does
 * not count. */
static void shapes(void **state)
{
    (void)state;
    const struct {
        uint32_t x, y, warps, block, warp;
    } shape[] = {{64, 1, 2, 2, 2}, {32, 1, 1, 0, 1}, {16, 4, 2, 4, 2}, {16, 3, 2, 0, 1}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(shape); k++) {
        code c = {0};
        mov(&c, 1, sreg(WW_SREG_TID_X));
        mov(&c, 2, imm(7));
        machine m;
        run(&m, &c, shape[k].x, shape[k].y, 1);
        assert_int_equal(get(&m, WW_C_REDUNDANCY_INST), 3 * shape[k].warps);
        assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK), shape[k].block);
        assert_int_equal(get(&m, WW_C_REDUNDANCY_WARP), shape[k].warp);
        machine_close(&m);
    }
}

/* A loop of tid.y + 2 rounds: warp 0 makes two, warp 1 three. Rounds that both make agree in what
 * is counted up, and the third is warp 1's alone; where lanes go apart nothing counts. */
static void instances_are_counted_by_round(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = pred(0), src[2] = {reg(1), reg(2)};
    ww_operand rounds = reg(2), from[2] = {sreg(WW_SREG_TID_Y), imm(2)};
    machine m;
    mov(&c, 1, imm(0));                                              /* both */
    put(&c, WW_OP_ADD, WW_T_U32, 1, &rounds, 2, from);               /* differs */
    add(&c, 1, 1, 1);                                                /* 2 rounds of both */
    put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT; /* differs: r2 */
    ww_inst *back = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    back->guard = pred(0);
    back->target = 2;
    back->reconv = 5;
    run(&m, &c, 32, 2, 1);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_INST), 2 * 2 + 2 * 3 + 3 * 3 + 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK), 2 + 2 * 2);
    machine_close(&m);
}

/* What a guard leaves out keeps its value: the guard is an operand, and so is what was there. Each
 * warp's guard is another one in the first case, its old value in the second. */
static void guards_and_old_values_are_operands(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        ww_operand dst = pred(0),
                   src[2] = {sreg(k == 0 ? WW_SREG_TID_Y : WW_SREG_TID_X), imm(k == 0 ? 1 : 99)};
        machine m;
        put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT; /* k = 1: a block's */
        mov(&c, 1, k == 0 ? imm(5) : sreg(WW_SREG_TID_Y));               /* k = 0: a block's */
        mov(&c, 1, imm(7))->guard = pred(0);                             /* none's */
        run(&m, &c, 32, 2, 1);
        assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_OPERANDS), 2);
        assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK), 2);
        machine_close(&m);
    }
}

/* An atomic whose results nobody can tell from its operands is never redundant, though the warps
 * name one address and one value, and read the same where they add 0. */
static void atomics_are_never_redundant(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = reg(2), src[2] = {reg(1), imm(0)};
    machine m;
    mov(&c, 1, imm(64));
    ww_inst *i = put(&c, WW_OP_ATOM, WW_T_U32, 1, &dst, 2, src);
    i->sub = WW_SUB_ADD;
    i->space = WW_SPACE_SHARED;
    run(&m, &c, 32, 2, 1);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_INST), 2 * 3);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_OPERANDS), 2); /* the move */
    assert_int_equal(get(&m, WW_C_REDUNDANCY_WARP), 2);
    machine_close(&m);
}

/* Half of the lanes of each warp: they do the same, and are no instance. */
static void parts_of_warps_are_no_instances(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_TID_X), imm(16)};
    machine m;
    put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT; /* a block's */
    ww_inst *over = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    over->guard = pred(0);
    over->target = over->reconv = 3;
    mov(&c, 1, imm(7)); /* half of the lanes */
    mov(&c, 2, imm(7)); /* warp, block */
    run(&m, &c, 32, 2, 1);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK), 2 + 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_BLOCK_OPERANDS), 2 + 2);
    assert_int_equal(get(&m, WW_C_REDUNDANCY_WARP), 2);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes),
        cmocka_unit_test(operands_by_kind),
        cmocka_unit_test(shapes),
        cmocka_unit_test(instances_are_counted_by_round),
        cmocka_unit_test(guards_and_old_values_are_operands),
        cmocka_unit_test(atomics_are_never_redundant),
        cmocka_unit_test(parts_of_warps_are_no_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
