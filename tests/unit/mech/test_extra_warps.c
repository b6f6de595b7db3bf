/* test_extra_warps.c - do extra warps run their own program beside the kernel's? */
#include "tests/unit/mech/script.h"

/* A kernel that lives as long as a chain of adds takes; where the second program begins. */
static uint32_t begin_chain(code *c, unsigned adds_in_turn)
{
    for (unsigned i = 0; i < adds_in_turn; i++) {
        add(c, 1, 1, 1);
    }
    finish(c);
    return c->count;
}

/* Kernel: a chain that lives long. Second program: adds, loads ahead, tries to store, ends. */
static void run_second_program(const ww_arch *arch)
{
    uint64_t address = first_address();
    code c = {0};
    const uint32_t entry = begin_chain(&c, 60);
    address_in(&c, 2, address);
    add(&c, 6, 0, 5);
    store_global(&c, 2, 6);
    uint32_t load = c.count;
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1); /* does not wait: the pre-load has no result */
    finish(&c);
    uint32_t length = c.count - entry;
    machine m;
    script s = script_plain();
    s.entry = entry;
    s.at_pc = load;
    s.verdict.kind = WW_ISSUE_PRELOAD;
    machine_script(&m, arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    start_cta(&m);
    assert_int_equal(s.extra, arch->sm.max_warps); /* the first slot behind the kernel's own */
    uint64_t issued = until(&m, WW_C_MECH_EXTRA_INST, length - 2);
    assert_int_equal(until(&m, WW_C_MECH_EXTRA_INST, length - 1) - issued, 1);
    assert_int_equal(value(&m, s.extra, 6), 5);
    run_out(&m);
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 0); /* nothing stored */
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
    assert_int_equal(get(&m, WW_C_CTAS), 1);
    assert_int_equal(s.exits, 2);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 61 + length);
    machine_close(&m);
}

static void an_extra_warp_runs_its_own_program(void **state)
{
    (void)state;
    ww_arch arch = small_arch();
    run_second_program(&arch);
    arch.sm.max_warps = 64; /* the slot behind these is in another word */
    arch.extra_warps = 1;
    run_second_program(&arch);
}

static ww_inst *bulk(code *c, ww_op op, uint32_t address)
{
    ww_operand src[3] = {{.kind = WW_OPD_REG, .words = 2, .reg = address}, imm(0), imm(16)};
    ww_inst *i = put(c, op, WW_T_U32, 0, NULL, 3, src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

/* Kernel: a chain that lives long. Second program: a word of its shared memory, which the engine is
 * to copy, or to add, to global memory. */
static void move_from_second_program(ww_op op, ww_sub sub)
{
    uint64_t address = first_address();
    ww_arch arch = small_arch();
    code c = {0};
    const uint32_t entry = begin_chain(&c, 60);
    address_in(&c, 2, address);
    add(&c, 6, 0, 5);
    ww_operand store[2] = {imm(0), reg(6)};
    put(&c, WW_OP_ST, WW_T_U32, 0, NULL, 2, store)->space = WW_SPACE_SHARED;
    bulk(&c, op, 2)->sub = (uint8_t)sub;
    finish(&c);
    machine m;
    script s = script_plain();
    s.entry = entry;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    start_cta(&m);
    run_out(&m);
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 0);
    machine_close(&m);
}

/* Second program: a word in shared memory, and the operation with an address in global memory.
 * Written in place: instructions point to operands of their code. */
static void second_program(code *c, ww_op op, uint64_t address, uint32_t *entry)
{
    const ww_effects e = ww_op_effects(op, WW_SPACE_GLOBAL, WW_SUB_NONE, 0);
    *entry = begin_chain(c, 60);
    address_in(c, 2, address);
    add(c, 6, 0, 5);
    ww_operand dst = reg(7), src[3] = {{.kind = WW_OPD_REG, .words = 2, .reg = 2}, reg(6), imm(16)};
    bool results = (e.writes & WW_AT_VALUES) != 0;
    ww_inst *i = put(c, op, WW_T_U32, results ? 1 : 0, &dst, 3, src);
    i->space = WW_SPACE_GLOBAL;
    i->sub = op == WW_OP_ATOM || op == WW_OP_RED || op == WW_OP_CP_REDUCE ? WW_SUB_ADD : WW_SUB_TO;
    finish(c);
}

/* Every operation of the table that can be executed with those operands. */
static void no_operation_of_an_extra_warp_changes_global_memory(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    const ww_arch arch = small_arch();
    unsigned executed = 0;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_error err = {0};
        script s = script_plain();
        code c = {0};
        second_program(&c, (ww_op)op, address, &s.entry);
        ww_launch trial = {.kernel = as_kernel(&c, 8), .grid = {1, 1, 1}, .block = {32, 1, 1}};
        if (ww_op_effects((ww_op)op, WW_SPACE_GLOBAL, WW_SUB_NONE, 0).goes != WW_GOES_ON ||
            ww_devmem_create(&trial.mem, &err) != WW_OK) {
            continue;
        }
        bool decodes = ww_exec_prepare(&trial, &err) == WW_OK;
        ww_exec_release(&trial);
        ww_devmem_destroy(trial.mem);
        if (!decodes) {
            continue;
        }
        machine m;
        machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
        allocate(&m, address);
        start_cta(&m);
        run_out(&m);
        if (*(const uint32_t *)ww_devmem_at(m.mem, address, 4) != 0) {
            fail_msg("%s changes global memory", ww_op_name((ww_op)op));
        }
        executed++;
        machine_close(&m);
    }
    assert_true(executed > WW_OP_COUNT / 2);
}

/* What leaves no trace is all that an extra warp does, also where an engine does it. */
static void an_extra_warp_moves_nothing_to_global_memory(void **state)
{
    (void)state;
    move_from_second_program(WW_OP_CP_BULK, WW_SUB_TO);
    move_from_second_program(WW_OP_CP_REDUCE, WW_SUB_ADD);
}

/* An extra warp behind the first 64 slots is named in sets and held: no instruction of it while the
 * kernel's warp goes on, the rest afterwards. */
static void an_extra_warp_beyond_64_slots_is_held(void **state)
{
    (void)state;
    code c = {0};
    const uint32_t entry = begin_chain(&c, 60);
    for (unsigned i = 0; i < 8; i++) {
        add(&c, 2, 2, 1);
    }
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    arch.sm.max_warps = 64;
    arch.extra_warps = 1;
    script s = script_plain();
    s.entry = entry;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    start_cta(&m);
    until(&m, WW_C_MECH_EXTRA_INST, 2);
    assert_true(ww_mech_is_extra(m.sm, 64));
    assert_false(ww_mech_is_extra(m.sm, 0));
    assert_true(ww_warps_equal(ww_mech_extra(m.sm), ww_warps_only(64)));
    ww_mech_hold_issue(m.sm, 64, WW_COUNTER_COUNT);
    until(&m, WW_C_INST_ISSUED, 2 + 20);
    assert_int_equal(get(&m, WW_C_MECH_EXTRA_INST), 2);
    ww_mech_release_issue(m.sm, 64);
    until(&m, WW_C_MECH_EXTRA_INST, 9);
    assert_true(get(&m, WW_C_INST_ISSUED) < 61 + 9);
    machine_close(&m);
}

/* A second program without an end stops with the SM's last CTA. */
static void an_extra_warp_ends_with_the_last_cta(void **state)
{
    (void)state;
    code c = {0};
    const uint32_t entry = begin_chain(&c, 20);
    add(&c, 2, 2, 1);
    ww_inst *jump = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    jump->target = entry;
    machine m;
    ww_arch arch = small_arch();
    script s = script_plain();
    s.entry = entry;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    run_cta(&m);
    assert_true(get(&m, WW_C_MECH_EXTRA_INST) > 10);
    for (unsigned i = 0; i < 50; i++) {
        cycle(&m);
    }
    assert_false(ww_warps_any(ww_mech_extra(m.sm)));
    assert_false(ww_warps_any(ww_mech_live(m.sm)));
    run_cta(&m); /* and starts anew with the next */
    assert_int_equal(get(&m, WW_C_MECH_EXTRA_WARPS), 2);
    machine_close(&m);
}

/* A copy of warp 0 runs ahead of it: where the warp is held, the copy goes on. */
static void a_copy_runs_on_past_a_held_warp(void **state)
{
    (void)state;
    uint64_t address = first_address();
    code c = {0};
    add(&c, 1, 0, 41);
    address_in(&c, 2, address);
    add(&c, 1, 1, 1); /* held here */
    store_global(&c, 2, 1);
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    script s = script_plain();
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    start_cta(&m);
    uint64_t third = until(&m, WW_C_INST_ISSUED, 3);
    ww_mech_hold_issue(m.sm, 0, WW_COUNTER_COUNT);
    s.holds = 1;
    s.release_at = third + 2000;
    s.fork_at = third + 1;
    until(&m, WW_C_MECH_EXTRA_INST, 3);
    assert_int_equal(value(&m, s.fork, 1), 42);
    assert_int_equal(value(&m, 0, 1), 41);
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 0);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 6 + 3);
    machine_close(&m);
}

/* The kernel's own warps execute whatever a mechanism says. */
static void own_warps_cannot_be_suppressed(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    machine m;
    script s = script_plain();
    s.at_pc = 0;
    s.verdict.kind = WW_ISSUE_SUPPRESS;
    script_begin(&m, &c, 4, 32, &s);
    ww_error err = {0};
    ww_status st = WW_OK;
    for (unsigned i = 0; st == WW_OK && i < 10000; i++) {
        uint64_t stopped;
        st = ww_sm_run(m.sm, m.now, m.now + 1, true, NULL, 0, &stopped, &err);
        m.now++;
        ww_ports_collect(m.ports);
        ww_ports_run(m.ports, m.now, true);
        ww_ports_grant_credits(m.ports);
        ww_ports_deliver(m.ports);
    }
    assert_int_equal(st, WW_EINTERNAL);
    machine_close(&m);
}

/* A machine whose every warp slot is the kernel's has none for an extra warp, unless a mechanism
 * brings slots of its own (WW_MECH_SLOTS). */
static void no_slot_no_extra_warp(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    arch.sm.max_warps = 64;
    script s = script_plain();
    machine_script(&m, &arch, as_kernel(&c, 4), 32, &s);
    start_cta(&m);
    ww_error err = {0};
    uint32_t warp;
    assert_int_equal(ww_mech_start_warp(m.sm, 0, 0, m.now, &warp, &err), WW_EUNSUP);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_extra_warp_runs_its_own_program),
        cmocka_unit_test(no_operation_of_an_extra_warp_changes_global_memory),
        cmocka_unit_test(an_extra_warp_moves_nothing_to_global_memory),
        cmocka_unit_test(an_extra_warp_beyond_64_slots_is_held),
        cmocka_unit_test(an_extra_warp_ends_with_the_last_cta),
        cmocka_unit_test(a_copy_runs_on_past_a_held_warp),
        cmocka_unit_test(own_warps_cannot_be_suppressed),
        cmocka_unit_test(no_slot_no_extra_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
