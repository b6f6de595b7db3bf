/* test_pmode_limits.c - how far a stay in P-mode goes: until which load is written, over which
 * distance, with which registers. */
#include "mech/pmode/test_room.h"

/* A load, and its use, at which the warp stalls. */
static void stall(code *c)
{
    address_in(c, 8, first_address());
    mov(c, 2, imm(1));
    load_global(c, 0, 8);
    add(c, 3, 0, 1);
}

/* The pool's one register is taken by the sum: a pre-load, which needs none, waits all the same, as
 * no P-mode warp is chosen then (section 5.1), unless only those that need one wait. */
static void without_a_register_no_warp_is_chosen(void **state)
{
    (void)state;
    for (unsigned strict = 0; strict <= 1; strict++) {
        ww_pmode_params params = defaults;
        code c = {0};
        machine m;
        params.pool_registers = 1;
        params.strict_pool = strict > 0;
        stall(&c);
        add(&c, 4, 2, 1);
        load_global(&c, 10, 8)->offset = 4096;
        open_pmode(&m, &c, &params);
        finish_cta(&m);
        assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 1);
        assert_int_equal(get(&m, WW_C_PMODE_PRELOAD), 1 - strict);
        assert_int_equal(get(&m, WW_C_PMODE_NO_REGISTER), strict);
        machine_close(&m);
    }
}

/* A sum of what two loads bring waits for both: one stay, until the younger one's value is written.
 */
static void the_youngest_load_ends_it(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    load_global(&c, 0, 8);
    load_global(&c, 1, 8)->offset = 4096;
    add3(&c, 2, 0, 1);
    open_pmode(&m, &c, &defaults);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_SWITCH), 1);
    machine_close(&m);
}

/* "At most 512 bytes offset from the stalled long latency operation" (5.1): an instruction that far
 * away is executed, the next one skipped. */
static void what_is_too_far_is_skipped(void **state)
{
    (void)state;
    ww_pmode_params params = defaults;
    code c = {0};
    machine m;
    params.reach_bytes = 16;
    stall(&c);
    for (uint32_t i = 0; i < 3; i++) {
        add(&c, 4 + i, 2, 1);
    }
    open_pmode(&m, &c, &params);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 2);
    assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), 2);
    machine_close(&m);
}

/* The SIMT stack is copied: where lanes have gone apart, two entries more, P-mode begins two cycles
 * later. */
static void deeper_stacks_take_longer(void **state)
{
    (void)state;
    uint64_t took[2];
    uint32_t depth[2];
    for (unsigned apart = 0; apart <= 1; apart++) {
        code c = {0};
        machine m;
        mov(&c, 1, sreg(WW_SREG_TID_X));
        less(&c, 0, 1, apart > 0 ? 16 : 0);
        branch_if(&c, 0, c.count + 7); /* behind what follows, where lanes meet again */
        c.inst[c.count - 1].reconv = c.count + 6;
        stall(&c);
        add(&c, 4, 2, 1);
        open_pmode(&m, &c, &defaults);
        const uint64_t entered = until(&m, WW_C_PMODE_SWITCH, 1);
        depth[apart] = ww_mech_warp(m.sm, 0)->depth;
        took[apart] = until(&m, WW_C_MECH_SHADOW_INST, 1) - entered;
        finish_cta(&m);
        machine_close(&m);
    }
    assert_true(depth[1] > depth[0]);
    assert_int_equal(took[1] - took[0], depth[1] - depth[0]);
}

/* Registers of a warp begin a bank behind those of the one before it, and so do those that stand
 * for them: with a register in each bank, two warps find one in the bank of theirs, for the same
 * sum. */
static void each_warp_has_banks_of_its_own(void **state)
{
    (void)state;
    ww_pmode_params params = defaults;
    code c = {0};
    machine m;
    params.pool_registers = small_arch().regfile.banks;
    stall(&c);
    add(&c, 4, 2, 1);
    open_warps(&m, &c, &params, 2);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 2);
    assert_int_equal(get(&m, WW_C_PMODE_OTHER_BANK), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_register_no_warp_is_chosen),
        cmocka_unit_test(the_youngest_load_ends_it),
        cmocka_unit_test(what_is_too_far_is_skipped),
        cmocka_unit_test(deeper_stacks_take_longer),
        cmocka_unit_test(each_warp_has_banks_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
