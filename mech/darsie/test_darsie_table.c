/* test_darsie_table.c - what a block's PC skip table holds, for how long, and what its registers
 * and ports allow. */
#include "mech/darsie/darsie.h"
#include "mech/darsie/test_room.h"

/* Each load waits for its leader, whose store drops it from the table: the second warp leads for
 * the third, whose load is its own. Where stores are ignored the others skip it. */
static void a_store_ends_the_sharing_of_a_load(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 2, imm(address & UINT32_MAX));
        mov(&c, 3, imm(address >> 32));
        load_global(&c, 4, 2);
        store_global(&c, 2, 3);
        ww_arch arch = darsie_arch();
        arch.darsie.variant = k == 0 ? WW_DARSIE_PLAIN : WW_DARSIE_IGNORE_STORE;
        machine m;
        begin(&m, &arch, &c, 32, 3);
        allocate(&m, address);
        memset(ww_devmem_at(m.mem, address, 4), 0, 4);
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_DARSIE_LOADS), k == 0 ? 0 : 2);
        assert_int_equal(get(&m, WW_C_DARSIE_FLUSHED), k == 0 ? 2 : 0);
        assert_int_equal(get(&m, WW_C_DARSIE_LEADER), k == 0 ? 4 : 3);
        machine_close(&m);
    }
}

/* An address in registers 2 and 3, and whether the block is the first in predicate 0. */
static void address_and_block(code *c, uint64_t address)
{
    ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_CTAID_X), imm(0)};
    mov(c, 2, imm(address & UINT32_MAX));
    mov(c, 3, imm(address >> 32));
    put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_EQ;
}

/* The first of two blocks of two warps runs, beside a word of zero. */
static void begin_two_blocks(machine *m, const ww_arch *arch, code *c, uint64_t address)
{
    begin(m, arch, c, 32, 2);
    m->launch.grid.x = 2;
    allocate(m, address);
    memset(ww_devmem_at(m->mem, address, 4), 0, 4);
    start_cta(m);
}

static void start_second_block(machine *m)
{
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m->sm, 1, m->now++, &err), err);
}

/* Section 4.4: "any store can update memory referenced by any load": one to global memory, and an
 * atomic there, end the block's sharing of a load of shared memory. */
static void stores_end_the_sharing_of_shared_memory(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    for (unsigned atomic = 0; atomic <= 1; atomic++) {
        code c = {0};
        mov(&c, 2, imm(address & UINT32_MAX));
        mov(&c, 3, imm(address >> 32));
        mov(&c, 5, imm(0));
        load_shared(&c, 4, 5);
        if (atomic > 0) {
            red_global(&c, 2);
        } else {
            store_global(&c, 2, 3);
        }
        const ww_arch arch = darsie_arch();
        machine m;
        begin(&m, &arch, &c, 32, 3);
        allocate(&m, address);
        memset(ww_devmem_at(m.mem, address, 4), 0, 4);
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_DARSIE_LOADS), 0);
        assert_int_equal(get(&m, WW_C_DARSIE_FLUSHED), 2);
        machine_close(&m);
    }
}

/* With one entry, what the second warp comes to has been pushed out, but for the instruction that
 * it waits for; with as many as there are instructions, all are skipped. */
static void a_table_has_all_its_entries(void **state)
{
    (void)state;
    enum { MOVES = 4 };
    for (uint32_t entries = 1; entries <= MOVES; entries++) {
        code c = {0};
        for (uint32_t i = 0; i < MOVES; i++) {
            mov(&c, 1 + i, imm(i));
        }
        ww_arch arch = darsie_arch();
        arch.darsie.entries = entries;
        machine m;
        run(&m, &arch, &c, 32, 2);
        assert_true(get(&m, WW_C_MECH_SKIPPED) >= 1);
        assert_true(entries < MOVES || get(&m, WW_C_MECH_SKIPPED) == MOVES);
        machine_close(&m);
    }
}

/* Three blocks ask a table of two read ports: in no cycle more than two questions are answered, in
 * some as many. */
static void blocks_share_the_ports_of_the_table(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 8; i++) {
        mov(&c, i, imm(i));
    }
    const ww_arch arch = darsie_arch();
    ww_error err = {0};
    machine m;
    uint64_t before = 0, most = 0;
    begin(&m, &arch, &c, 32, 2);
    m.launch.grid.x = 3;
    start_cta(&m);
    for (uint32_t block = 1; block < 3; block++) {
        assert_ok(ww_sm_launch_cta(m.sm, block, m.now, &err), err);
    }
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
        const uint64_t asked = get(&m, WW_C_DARSIE_LOOKUP) - before;
        most = asked > most ? asked : most;
        before += asked;
    }
    assert_int_equal(most, 2);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 3 * 8);
    machine_close(&m);
}

/* What a leader has written others skip from the next cycle on. */
static void followers_skip_behind_the_write(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(5));
    const ww_arch arch = darsie_arch();
    machine m;
    begin(&m, &arch, &c, 32, 2);
    start_cta(&m);
    const uint64_t written = until(&m, WW_C_RF_WRITE, 1);
    assert_int_equal(until(&m, WW_C_DARSIE_ADD, 1) - written, 1);
    machine_close(&m);
}

/* No register is free: what all warps compute alike they compute, each for itself, but for a
 * predicate, which needs none. */
static void predicates_need_no_register(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    less(&c, 0, 1, 5);
    ww_arch arch = darsie_arch();
    arch.sm.registers = CTAS * 2 * 16 * WW_WARP_SIZE; /* all of them are the blocks' */
    machine m;
    run(&m, &arch, &c, 32, 2);
    assert_int_equal(get(&m, WW_C_DARSIE_NO_REGISTER), 2);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 1);
    machine_close(&m);
}

/* A freelist of one: r1 has it, r2 is computed by all; the second r1 ends the first, for which the
 * warps gather. */
static void a_full_freelist_gathers_or_gives_up(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    add(&c, 2, 1, 1);
    add(&c, 1, 1, 5);
    ww_arch arch = darsie_arch();
    arch.darsie.registers = 1;
    machine m;
    run(&m, &arch, &c, 32, 2);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2);
    assert_int_equal(get(&m, WW_C_DARSIE_NO_REGISTER), 2);
    assert_int_equal(get(&m, WW_C_DARSIE_SYNC_REGISTER), 1);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 1 + 2 + 1 + 2);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* Block 0's second warp waits for the load of its first; block 1 executes an atomic meanwhile,
 * after which the load may give something else: it leaves block 0's table too. */
static void an_atomic_reaches_all_blocks(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    for (unsigned atomic = 0; atomic <= 1; atomic++) {
        code c = {0};
        address_and_block(&c, address);
        ww_inst *over = branch(&c, c.count + 1 + atomic, c.count + 1 + atomic);
        over->guard = pred(0);
        if (atomic > 0) {
            red_global(&c, 2);
        }
        load_global(&c, 4, 2);
        const ww_arch arch = darsie_arch();
        machine m;
        begin_two_blocks(&m, &arch, &c, address);
        until(&m, WW_C_DARSIE_LEADER, 4); /* three results of constants, and the load */
        start_second_block(&m);
        until(&m, WW_C_DARSIE_LEADER,
              4 + 3 + 1 - atomic); /* block 1's; its load behind the atomic */
        run_out(&m);
        assert_int_equal(get(&m, WW_C_DARSIE_FLUSHED), 2 * atomic); /* one of each warp */
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* The room's state on the last SM that it was attached to. */
static darsie *seen;

WW_NODISCARD static ww_status create_seen(ww_sm *sm, const ww_arch *arch, void **state,
                                          ww_error *err)
{
    ww_status st = ww_mech_darsie.create(sm, arch, state, err);
    seen = *state;
    return st;
}

/* A table of two is full, and nobody waits: what was entered first gives way to a third, unless a
 * warp has skipped it since, when the second is the one used longest ago. */
static void the_entry_used_longest_ago_gives_way(void **state)
{
    (void)state;
    for (unsigned used = 0; used <= 1; used++) {
        code c = {0};
        machine m;
        ww_arch arch = darsie_arch();
        ww_mech mech = ww_mech_darsie;
        mech.create = create_seen;
        arch.darsie.entries = 2;
        for (uint32_t i = 0; i < 3; i++) {
            mov(&c, 1 + i, imm(i));
        }
        finish(&c);
        machine_open_block(&m, &arch, as_kernel(&c, 16), (ww_dim3){32, 3, 1}, &mech);
        start_cta(&m);
        ds_cta *t = &seen->cta[0];
        ds_entry *first = ds_enter(seen, t, 0, 0, 1), *second = ds_enter(seen, t, 0, 1, 2);
        first->written = true;
        ds_skip(seen, used > 0 ? ww_warps_only(1) : WW_NO_WARPS, 3);
        assert_ptr_equal(ds_enter(seen, t, 0, 2, 4), used > 0 ? second : first);
        assert_int_equal(get(&m, WW_C_DARSIE_REPLACED), 1);
        machine_close(&m);
    }
}

/* Seven constants behind a barrier, fetched and led by the first warp while it waits there. The
 * third warp, which has gone another way, comes last and is one of the path again: it skips all of
 * what is led, as the second does. */
static void who_comes_back_follows_what_is_led(void **state)
{
    (void)state;
    enum { LINE = 16 }; /* instructions of the cache: the barrier begins one */
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_Y));
    less(&c, 0, 1, 2);
    branch(&c, LINE, LINE)->guard = pred(0);
    while (c.count + 1 < LINE) {
        add(&c, 1, 1, 1);
    }
    branch(&c, LINE, LINE);
    bar(&c);
    for (uint32_t i = 0; i < 7; i++) {
        mov(&c, 2 + i, imm(i));
    }
    ww_arch arch = darsie_arch();
    arch.sm.fetch_instructions = 1;
    arch.sm.ibuffer_entries = 8;
    machine m;
    run(&m, &arch, &c, 32, 3);
    assert_int_equal(get(&m, WW_C_DARSIE_REJOINED), 1);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DARSIE_LEADER), 7);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2 * 7);
    machine_close(&m);
}

/* Block 0's leader of a load of shared memory waits, its register being another load's, while block
 * 1 executes an atomic on global memory: what that changes the load does not read. */
static void an_atomic_elsewhere_leaves_shared_memory_alone(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    code c = {0};
    address_and_block(&c, address);
    mov(&c, 5, imm(0));
    branch(&c, 7, 7)->guard = pred(0);
    red_global(&c, 2);
    branch(&c, 9, 9);
    mov(&c, 6, sreg(WW_SREG_TID_Y));
    ww_operand zero = reg(6), of[2] = {reg(6), imm(0)};
    put(&c, WW_OP_AND, WW_T_B32, 1, &zero, 2, of);
    add3(&c, 2, 2, 6); /* a vector by its mark: a load for each warp */
    load_global(&c, 4, 2);
    load_shared(&c, 4, 5);
    const ww_arch arch = darsie_arch();
    machine m;
    begin_two_blocks(&m, &arch, &c, address);
    until(&m, WW_C_DARSIE_LEADER, 5); /* four results of constants, and the load */
    start_second_block(&m);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_DARSIE_FLUSHED), 0);
    assert_int_equal(get(&m, WW_C_DARSIE_LOADS), 2);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_ends_the_sharing_of_a_load),
        cmocka_unit_test(stores_end_the_sharing_of_shared_memory),
        cmocka_unit_test(a_table_has_all_its_entries),
        cmocka_unit_test(blocks_share_the_ports_of_the_table),
        cmocka_unit_test(followers_skip_behind_the_write),
        cmocka_unit_test(predicates_need_no_register),
        cmocka_unit_test(a_full_freelist_gathers_or_gives_up),
        cmocka_unit_test(an_atomic_reaches_all_blocks),
        cmocka_unit_test(the_entry_used_longest_ago_gives_way),
        cmocka_unit_test(who_comes_back_follows_what_is_led),
        cmocka_unit_test(an_atomic_elsewhere_leaves_shared_memory_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
