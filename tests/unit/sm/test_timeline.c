/* test_timeline.c - do instructions take the cycles that the parameters say, stage by stage? */
#include "tests/support/test.h"

#include "tests/unit/sm/kernels.h"

/* Cycles from the first issue of a warp to the second; all code is in the L1I then. */
static uint64_t second_follows(machine *m, code *c, uint32_t registers)
{
    open_small(m, c, registers, 32);
    start_cta(m);
    uint64_t first = until(m, WW_C_INST_ISSUED, 1);
    return until(m, WW_C_INST_ISSUED, 2) - first;
}

/* Issue at t; operands at t+1; dispatch at t+2; result written at t+2+latency; the dependent
 * instruction issues in that cycle. */
static void dependent_chain_takes_latency_plus_two(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 8; i++) {
        add(&c, 1, 1, 1);
    }
    machine m;
    open_small(&m, &c, 4, 32);
    start_cta(&m);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    for (unsigned i = 2; i <= 8; i++) {
        uint64_t at = until(&m, WW_C_INST_ISSUED, i);
        assert_int_equal(at - first, (i - 1) * (m.arch.units.int_latency + 2));
    }
    machine_close(&m);
}

/* Without sources there is nothing to collect: dispatch follows issue at once. */
static void no_operands_save_a_cycle(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(3));
    add(&c, 2, 1, 1);
    machine m;
    assert_int_equal(second_follows(&m, &c, 4), m.arch.units.int_latency + 1);
    machine_close(&m);
}

/* One warp issues one independent instruction per cycle as long as its buffer holds: four entries,
 * two fetched at a time. */
static void independent_instructions_flow(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 15; i++) { /* with the exit, one line of the instruction cache */
        add(&c, 1 + i, 0, i);
    }
    machine m;
    open_small(&m, &c, 20, 32);
    start_cta(&m);
    assert_int_equal(issues_take(&m, 16), 15);
    machine_close(&m);
}

/* A second writer of a register waits for the first (WAW), whatever the latencies. */
static void second_writer_waits(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = reg(1), src = reg(0);
    ww_inst *slow = put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src);
    slow->sub = WW_SUB_APPROX;
    add(&c, 1, 0, 1);
    machine m;
    assert_int_equal(second_follows(&m, &c, 4), m.arch.units.sfu_latency + 2);
    assert_int_equal(get(&m, WW_C_STALL_RAW_LONG), 0);
    machine_close(&m);
}

/* r0 and r16 share a bank of 16: the second operand is read a cycle later. */
static void bank_conflict_delays_by_one(void **state)
{
    (void)state;
    uint64_t took[2], conflicts[2];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        add3(&c, 1, 0, k == 0 ? 5 : 16);
        add(&c, 2, 1, 1);
        machine m;
        took[k] = second_follows(&m, &c, 20);
        conflicts[k] = get(&m, WW_C_RF_CONFLICT);
        assert_int_equal(get(&m, WW_C_RF_READ), 2);
        machine_close(&m);
    }
    assert_int_equal(took[0], 12);
    assert_int_equal(took[1], 13);
    assert_int_equal(conflicts[0], 0);
    assert_int_equal(conflicts[1], 1);
}

/* The single SFU takes an instruction every 8 cycles. */
static void sfu_interval_bounds_throughput(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 8; i++) {
        ww_operand dst = reg(1 + i), src = reg(0);
        put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    }
    machine m;
    open_small(&m, &c, 12, 32);
    start_cta(&m);
    uint64_t first = until(&m, WW_C_PIPE_SFU, 1);
    assert_int_equal(until(&m, WW_C_PIPE_SFU, 8) - first, 7 * 8);
    assert_true(get(&m, WW_C_STALL_SFU) > 0);
    machine_close(&m);
}

/* Shared memory: lane i reads word i * stride; with stride 1 no conflict, with 32 all lanes in one
 * bank. */
static uint64_t shared_time(unsigned shift, uint64_t *cycles, uint64_t *conflict)
{
    code c = {0};
    ww_operand dst = reg(1), src[2] = {reg(0), imm(shift)};
    mov(&c, 0, sreg(WW_SREG_TID_X));
    put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
    load_shared(&c, 2, 1);
    add(&c, 3, 2, 1);
    machine m;
    open_small(&m, &c, 8, 32);
    start_cta(&m);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 3);
    uint64_t took = until(&m, WW_C_INST_ISSUED, 4) - first;
    *cycles = get(&m, WW_C_SHARED_CYCLES);
    *conflict = get(&m, WW_C_SHARED_CONFLICT);
    machine_close(&m);
    return took;
}

static void shared_memory_latency_and_conflicts(void **state)
{
    (void)state;
    uint64_t cycles, conflict;
    /* issue t, operands t+1, dispatch t+2, access t+3, data 24 later. */
    assert_int_equal(shared_time(2, &cycles, &conflict), 3 + 24);
    assert_int_equal(cycles, 1);
    assert_int_equal(conflict, 0);
    assert_int_equal(shared_time(7, &cycles, &conflict), 3 + 24 + 31);
    assert_int_equal(cycles, 32);
    assert_int_equal(conflict, 31);
}

/* A second load of the same line hits: issue t, operands t+1, dispatch t+2, access t+3, data after
 * the hit latency. */
static void l1_hit_latency(void **state)
{
    (void)state;
    code c = {0};
    ww_error err = {0};
    mov(&c, 2, imm(0)); /* low address word, patched below */
    mov(&c, 3, imm(0));
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    load_global(&c, 6, 2);
    add(&c, 7, 6, 1);
    finish(&c);
    ww_arch arch = small_arch();
    ww_devmem *probe;
    uint64_t address;
    assert_ok(ww_devmem_create(&probe, &err), err);
    assert_ok(ww_devmem_alloc(probe, 4096, 256, &address, &err), err);
    c.inst[0].src[0].imm = address & 0xffffffffu;
    c.inst[1].src[0].imm = address >> 32;
    machine m;
    machine_open(&m, &arch, as_kernel(&c, 8), 32);
    uint64_t same;
    assert_ok(ww_devmem_alloc(m.mem, 4096, 256, &same, &err), err);
    assert_int_equal(same, address); /* allocation is deterministic */
    start_cta(&m);
    uint64_t load = until(&m, WW_C_INST_ISSUED, 5);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 1);
    assert_true(get(&m, WW_C_STALL_RAW_LONG) > 100);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 6) - load, 3 + arch.l1d.hit_latency);
    assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1);
    assert_int_equal(get(&m, WW_C_GMEM_TRANSACTION), 2);
    machine_close(&m);
    ww_devmem_destroy(probe);
}

/* No warp passes the barrier before the last has arrived; then all do. */
static void barrier_releases_together(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    bar(&c);
    machine m;
    open_small(&m, &c, 4, 4 * 32);
    start_cta(&m);
    uint64_t all = until(&m, WW_C_INST_ISSUED, 8); /* four adds, four barriers: nobody has exited */
    assert_int_equal(get(&m, WW_C_BRANCHES), 0);
    /* Two schedulers have two exits each: the two cycles behind the last arrival. */
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 12) - all, 2);
    assert_int_equal(get(&m, WW_C_THREAD_OTHER), 4 * 32);
    machine_close(&m);
}

/* Two warps on two schedulers behind one SFU of interval 8: the second gets its result, and reaches
 * the barrier, 8 cycles after the first, whose scheduler loses exactly those 8 slots to the
 * barrier. */
static void barrier_wait_is_attributed(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = reg(1), src = reg(0);
    put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    add(&c, 2, 1, 1);
    bar(&c);
    machine m;
    open_small(&m, &c, 4, 2 * 32);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_STALL_BARRIER), 8);
    machine_close(&m);
}

/* if (tid < 8) r1 += 1; else r1 += 2, then r1 += 3: both sides run, lanes add up, control meets
 * again. */
static void divergence_and_reconvergence(void **state)
{
    (void)state;
    code c = {0};
    diverge(&c, 1);
    add(&c, 1, 1, 3);
    machine m;
    open_small(&m, &c, 4, 32);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 8);
    assert_int_equal(get(&m, WW_C_BRANCHES_DIVERGENT), 1);
    /* mov, setp, join, exit: 32 lanes; add 2 and its jump: 24; the branch (its guard selects) and
     * add 1: 8 */
    assert_int_equal(get(&m, WW_C_INST_THREAD), 4 * 32 + 2 * 24 + 2 * 8);
    assert_int_equal(get(&m, WW_C_OP_INT_ADD), 32 + 24 + 8 + 32);
    assert_int_equal(get(&m, WW_C_STACK_PUSH), get(&m, WW_C_STACK_POP));
    machine_close(&m);
}

/* Every slot of every active cycle has exactly one owner. */
static uint64_t all_most(const machine *m)
{
    uint64_t sum = 0;
    for (int r = 0; r < 9; r++) {
        static const ww_counter most[] = {WW_C_MOST_RAW_LONG, WW_C_MOST_RAW_SHORT, WW_C_MOST_LSU,
                                          WW_C_MOST_SP,       WW_C_MOST_SFU,       WW_C_MOST_IBUF,
                                          WW_C_MOST_HELD,     WW_C_MOST_BARRIER,   WW_C_MOST_IDLE};
        sum += get(m, most[r]);
    }
    return sum;
}

/* Of three warps one adds in a chain, two wait for a load. The eleven slots between two adds are
 * lost to the arithmetic result, which is nearest, while most warps wait for memory. */
static void slots_count_by_most_warps_too(void **state)
{
    (void)state;
    enum { CHAIN = 7 };
    uint64_t address = first_address();
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    ww_operand first = pred(0), bound[2] = {reg(1), imm(32)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &first, 2, bound)->cmp = WW_CMP_LT;
    address_in(&c, 2, address);
    ww_inst *jump = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    jump->guard = first;
    jump->target = CHAIN;
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    for (unsigned i = 0; i < 20; i++) {
        add(&c, 6, 6, 1);
    }
    ww_arch arch = small_arch();
    arch.sm.schedulers = 1;
    arch.sm.count_most = true;
    machine m;
    open_on(&m, &arch, &c, 8, 96);
    allocate(&m, address);
    start_cta(&m);
    until(&m, WW_C_INST_ISSUED, 3 * 5 + 2 + 5);
    uint64_t near = get(&m, WW_C_STALL_RAW_SHORT), most = get(&m, WW_C_MOST_RAW_LONG);
    until(&m, WW_C_INST_ISSUED, 3 * 5 + 2 + 6);
    assert_int_equal(get(&m, WW_C_STALL_RAW_SHORT) - near, 11);
    assert_int_equal(get(&m, WW_C_MOST_RAW_LONG) - most, 11);
    run_out(&m);
    assert_int_equal(all_most(&m), get(&m, WW_C_SLOTS) - get(&m, WW_C_SLOTS_ISSUED));
    machine_close(&m);
}

static void slots_add_up(void **state)
{
    (void)state;
    code c = {0};
    mix(&c);
    machine m;
    open_small(&m, &c, 8, 5 * 32 + 3);
    uint64_t active = run_cta(&m);
    assert_int_equal(get(&m, WW_C_SLOTS), active * m.arch.sm.schedulers);
    uint64_t sum = 0;
    for (int k = WW_C_SLOTS_ISSUED; k <= WW_C_STALL_IDLE; k++) {
        sum += get(&m, (ww_counter)k);
    }
    assert_int_equal(sum, get(&m, WW_C_SLOTS));
    assert_int_equal(get(&m, WW_C_SLOTS_ISSUED), get(&m, WW_C_INST_ISSUED)); /* issue width 1 */
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 6 * c.count);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_chain_takes_latency_plus_two),
        cmocka_unit_test(no_operands_save_a_cycle),
        cmocka_unit_test(independent_instructions_flow),
        cmocka_unit_test(second_writer_waits),
        cmocka_unit_test(bank_conflict_delays_by_one),
        cmocka_unit_test(sfu_interval_bounds_throughput),
        cmocka_unit_test(shared_memory_latency_and_conflicts),
        cmocka_unit_test(l1_hit_latency),
        cmocka_unit_test(barrier_releases_together),
        cmocka_unit_test(barrier_wait_is_attributed),
        cmocka_unit_test(divergence_and_reconvergence),
        cmocka_unit_test(slots_count_by_most_warps_too),
        cmocka_unit_test(slots_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
