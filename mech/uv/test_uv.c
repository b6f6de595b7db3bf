/* test_uv.c - are uniform instructions, and only they, taken from the reuse buffer, and when? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

static void open_uv(machine *m, code *c, uint32_t entries, uint32_t ways)
{
    ww_arch arch = small_arch();
    arch.uv = (ww_uv_params){.entries = entries, .ways = ways, .latency = 2};
    finish(c);
    machine_open_with(m, &arch, as_kernel(c, 8), 32, &ww_mech_uv);
    m->launch.grid.x = 4;
}

/* Runs the linear-th CTA to its end. */
static void run_linear(machine *m, uint32_t linear)
{
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m->sm, linear, m->now, &err), err);
    m->now++;
    run_out(m);
}

/* The first CTA executes a move and two adds on its result, the second takes all three from the
 * buffer: a consumer follows two cycles after its producer instead of latency + 1 (no operands) and
 * latency + 2. */
static void a_second_warp_takes_the_results(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(5));
    add(&c, 2, 1, 1);
    add(&c, 3, 2, 1);
    machine m;
    open_uv(&m, &c, 16, 4);
    ww_error err = {0};
    uint64_t took[2];
    for (uint32_t k = 0; k < 2; k++) {
        assert_ok(ww_sm_launch_cta(m.sm, k, m.now, &err), err);
        m.now++;
        uint64_t first = until(&m, WW_C_INST_ISSUED, 4 * k + 1);
        took[k] = until(&m, WW_C_INST_ISSUED, 4 * k + 3) - first;
        assert_int_equal(ww_mech_warp(m.sm, 0)->regs[3 * WW_WARP_SIZE + 9], 7);
        run_out(&m);
    }
    assert_int_equal(took[0], 11 + 12);
    assert_int_equal(took[1], 2 + 2);
    assert_int_equal(get(&m, WW_C_UV_LOOKUP), 6);
    assert_int_equal(get(&m, WW_C_UV_WRITE), 3);
    assert_int_equal(get(&m, WW_C_UV_REUSED), 3);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_OP_INT_ADD), 2 * 32); /* executed once */
    assert_int_equal(get(&m, WW_C_RF_WRITE), 6);        /* written twice */
    machine_close(&m);
}

/* What depends on the lane is never looked up; what depends on the block is found for that block
 * alone. */
static void lanes_and_blocks_are_told_apart(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    add(&c, 2, 1, 1);
    mov(&c, 3, sreg(WW_SREG_CTAID_X));
    machine m;
    open_uv(&m, &c, 16, 4);
    run_linear(&m, 0);
    run_linear(&m, 1);
    assert_int_equal(get(&m, WW_C_UV_LOOKUP), 2);
    assert_int_equal(get(&m, WW_C_UV_REUSED), 0);
    run_linear(&m, 0);
    assert_int_equal(get(&m, WW_C_UV_REUSED), 1);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* A guard that some lanes fail makes a register non-uniform, though its value was uniform before.
 */
static void partial_writes_end_uniformity(void **state)
{
    (void)state;
    code c = {0};
    ww_operand p = pred(0), tid[2] = {reg(1), imm(16)};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    ww_inst *compare = put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, tid);
    compare->cmp = WW_CMP_LT;
    mov(&c, 2, imm(1));
    mov(&c, 2, imm(2))->guard = pred(0);
    add(&c, 3, 2, 1);
    machine m;
    open_uv(&m, &c, 16, 4);
    run_linear(&m, 0);
    run_linear(&m, 1);
    assert_int_equal(get(&m, WW_C_UV_LOOKUP), 2); /* the unguarded move of each CTA */
    assert_int_equal(get(&m, WW_C_UV_REUSED), 1);
    machine_close(&m);
}

/* One entry: two instructions push each other out. */
static void a_full_set_replaces_the_oldest(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(5));
    mov(&c, 2, imm(6));
    machine m;
    open_uv(&m, &c, 1, 1);
    run_linear(&m, 0);
    run_linear(&m, 1);
    assert_int_equal(get(&m, WW_C_UV_LOOKUP), 4);
    assert_int_equal(get(&m, WW_C_UV_WRITE), 4);
    assert_int_equal(get(&m, WW_C_UV_REUSED), 0);
    machine_close(&m);
}

/* Two warps of a block issue a move a few cycles apart: the second one finds the entry of the
 * first, whose result has not been written yet, and executes. Those of a later block take it. */
static void a_result_is_taken_once_it_is_written(void **state)
{
    (void)state;
    for (uint32_t between = 0; between <= 1; between++) {
        ww_arch arch = small_arch();
        arch.uv = (ww_uv_params){.entries = 16, .ways = 4, .latency = 2};
        code c = {0};
        mov(&c, 1, imm(5));
        finish(&c);
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 8), 64, &ww_mech_uv);
        m.launch.grid.x = 4;
        run_linear(&m, 0);
        assert_int_equal(get(&m, WW_C_UV_LOOKUP), 2);
        assert_int_equal(get(&m, WW_C_UV_WRITE), 1);
        assert_int_equal(get(&m, WW_C_UV_REUSED), 0);
        assert_int_equal(get(&m, WW_C_RF_WRITE), 2);
        if (between > 0) {
            run_linear(&m, 1);
            assert_int_equal(get(&m, WW_C_UV_REUSED), 2);
        }
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* What a warp writes readies its own entry, not that of another warp for the same instruction: of
 * the two warps of a later block, the second finds the result of the first not written, even where
 * one of the earlier block is written between them. */
static void a_result_readies_the_entry_of_its_warp(void **state)
{
    (void)state;
    for (uint32_t apart = 1; apart <= 32; apart++) {
        ww_arch arch = small_arch();
        arch.uv = (ww_uv_params){.entries = 16, .ways = 4, .latency = 2};
        code c = {0};
        mov(&c, 1, sreg(WW_SREG_CTAID_X));
        finish(&c);
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 8), 64, &ww_mech_uv);
        m.launch.grid.x = 4;
        run_linear(&m, 0); /* brings the code */
        ww_error err = {0};
        assert_ok(ww_sm_launch_cta(m.sm, 1, m.now, &err), err);
        for (uint32_t k = 0; k < apart; k++) {
            cycle(&m);
        }
        run_linear(&m, 2);
        assert_int_equal(get(&m, WW_C_UV_LOOKUP), 6);
        assert_int_equal(get(&m, WW_C_UV_WRITE), 3);
        assert_int_equal(get(&m, WW_C_UV_REUSED), 0);
        machine_close(&m);
    }
}

static void multiply_add_wide(code *c, ww_operand a, ww_operand b)
{
    ww_operand dst = {.kind = WW_OPD_REG, .words = 2, .reg = 6};
    ww_operand src[3] = {a, b, {.kind = WW_OPD_REG, .words = 2, .reg = 2}};
    put(c, WW_OP_MAD, WW_T_U32, 1, &dst, 3, src)->sub = WW_SUB_WIDE;
}

/* An entry holds three words of operands: a product of two words added to two is not looked up, nor
 * one of a word and the block's index, which an entry holds as a word too; one of a word and a
 * constant is. */
static void operands_fit_an_entry(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        code c = {0};
        mov(&c, 1, imm(5));
        mov(&c, 2, imm(6));
        mov(&c, 3, imm(7));
        multiply_add_wide(&c, reg(1), k == 0 ? reg(1) : k == 1 ? sreg(WW_SREG_CTAID_X) : imm(9));
        machine m;
        open_uv(&m, &c, 16, 4);
        run_linear(&m, 0);
        assert_int_equal(get(&m, WW_C_UV_LOOKUP), 3 + (k == 2));
        machine_close(&m);
    }
}

/* What a volatile load at a uniform address brings may have changed for the next warp. */
static void volatile_loads_are_not_uniform(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 1, imm(0));
        load_shared(&c, 2, 1)->mods |= k > 0 ? WW_MOD_VOLATILE : 0;
        add(&c, 3, 2, 1);
        machine m;
        open_uv(&m, &c, 16, 4);
        run_linear(&m, 0);
        assert_int_equal(get(&m, WW_C_UV_LOOKUP), k == 0 ? 2 : 1);
        machine_close(&m);
    }
}

/* Bits of predicates lie behind those of all registers: r0 differs in every lane, p0 in none. */
static void predicates_are_uniform_by_themselves(void **state)
{
    (void)state;
    code c = {0};
    ww_operand p = pred(0), src[2] = {reg(1), imm(16)};
    mov(&c, 0, sreg(WW_SREG_TID_X));
    mov(&c, 1, imm(5));
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, src)->cmp = WW_CMP_LT;
    mov(&c, 2, imm(6))->guard = pred(0);
    machine m;
    open_uv(&m, &c, 16, 4);
    run_linear(&m, 0);
    assert_int_equal(get(&m, WW_C_UV_LOOKUP), 3); /* all but that of the index */
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_warp_takes_the_results),
        cmocka_unit_test(lanes_and_blocks_are_told_apart),
        cmocka_unit_test(partial_writes_end_uniformity),
        cmocka_unit_test(a_full_set_replaces_the_oldest),
        cmocka_unit_test(a_result_is_taken_once_it_is_written),
        cmocka_unit_test(a_result_readies_the_entry_of_its_warp),
        cmocka_unit_test(operands_fit_an_entry),
        cmocka_unit_test(volatile_loads_are_not_uniform),
        cmocka_unit_test(predicates_are_uniform_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
