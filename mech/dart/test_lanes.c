/* Does a core of lanes take the time that DART's rules give (LPGPU D5.5.3, section 3.3)? Eight
 * lanes, 24 cycles from an instruction to its dependent one, timelines worked out by hand. */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/lanes_arch.h"

static void open_lanes(machine *m, code *c, uint32_t threads, const ww_arch *arch)
{
    finish(c);
    machine_open_with(m, arch, as_kernel(c, 20), threads, &ww_mech_dart);
    start_cta(m);
}

/* Cycles from the first to the second issue. */
static uint64_t second_after_first(code *c, uint32_t threads)
{
    ww_arch arch = lanes_arch();
    machine m;
    finish(c);
    machine_open_with(&m, &arch, as_kernel(c, 20), threads, &ww_mech_dart);
    start_cta(&m);
    uint64_t took = issues_take(&m, 2);
    machine_close(&m);
    return took;
}

/* A full warp's next instruction starts when the lane is free, 32 cycles on: the results of the
 * first threads have been there for 8. With four threads it waits for the latency. */
static void dependent_instructions_overlap(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads;
        uint64_t dependent, independent;
    } table[] = {{32, 32, 32}, {24, 24, 24}, {4, LATENCY, 4}, {1, LATENCY, 1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        code c = {0}, d = {0};
        add(&c, 1, 0, 1);
        add(&c, 2, 1, 1);
        assert_int_equal(second_after_first(&c, table[i].threads), table[i].dependent);
        add(&d, 1, 0, 1);
        add(&d, 2, 0, 1);
        assert_int_equal(second_after_first(&d, table[i].threads), table[i].independent);
    }
}

/* Another set of threads waits for the last result: 32 - 1 + 24. */
static void other_threads_wait_for_the_last_result(void **state)
{
    (void)state;
    ww_arch arch = lanes_arch();
    for (unsigned depends = 0; depends < 2; depends++) {
        code c = {0};
        ww_operand p = pred(0), compare[2] = {reg(0), imm(4)};
        mov(&c, 0, sreg(WW_SREG_TID_X));
        put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_LT;
        add(&c, 1, 0, 1);
        add(&c, 2, depends ? 1 : 0, 1)->guard = p;
        machine m;
        open_lanes(&m, &c, 32, &arch);
        uint64_t third = until(&m, WW_C_INST_ISSUED, 3), lanes = get(&m, WW_C_INST_THREAD);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 4) - third, depends ? 31 + LATENCY : 32);
        assert_int_equal(get(&m, WW_C_INST_THREAD) - lanes, 4);
        machine_close(&m);
    }
}

/* A predicate serves the front end when the last thread has made its bit. */
static void branch_waits_for_the_whole_predicate(void **state)
{
    (void)state;
    code c = {0};
    ww_operand p = pred(0), compare[2] = {reg(0), imm(40)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_GT;
    ww_inst *branch = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    branch->guard = p;
    branch->target = branch->reconv = 2;
    assert_int_equal(second_after_first(&c, 32), 31 + LATENCY);
}

/* Warps in different lanes: one issue every cycle until all lanes are busy, then one in four. */
static void eight_warps_keep_eight_lanes_busy(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 15; i++) {
        add(&c, 1 + i, 0, i);
    }
    ww_arch arch = lanes_arch();
    machine m;
    open_lanes(&m, &c, 256, &arch);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 16);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 16 + 8 * 10) - first, 10 * 32);
    machine_close(&m);
}

/* Two units for eight lanes: four cycles a thread. */
static void special_functions_are_shared(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 2; i++) {
        ww_operand dst = reg(1 + i), src = reg(0);
        put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    }
    assert_int_equal(second_after_first(&c, 32), 128);
    code d = {0};
    ww_operand dst = reg(1), src = reg(0);
    put(&d, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    add(&d, 2, 1, 1);
    /* An addition sends a thread per cycle and must not overtake: 31 x 3 + 20 + 2, but the lane is
     * taken until 128. */
    assert_int_equal(second_after_first(&d, 32), 128);
    ww_arch arch = lanes_arch();
    arch.units.sfu_latency = 60;
    machine m;
    machine_open_with(&m, &arch, as_kernel(&d, 20), 32, &ww_mech_dart);
    start_cta(&m);
    assert_int_equal(issues_take(&m, 2), 31 * 3 + 60 + 2);
    machine_close(&m);
}

/* One FP64 unit for eight lanes, 32 threads in 32 cycles: eight cycles a thread. */
static void one_fp64_unit_serves_all_lanes(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 2; i++) {
        ww_operand dst = reg(4 + 2 * i), src[2] = {reg(0), reg(2)};
        dst.words = src[0].words = src[1].words = 2;
        put(&c, WW_OP_ADD, WW_T_F64, 1, &dst, 2, src);
    }
    finish(&c);
    static const uint32_t threads[] = {32, 3};
    for (size_t i = 0; i < WW_ARRAY_LEN(threads); i++) {
        ww_arch arch = lanes_arch();
        arch.units.dp_count = arch.units.dp_lanes = 1;
        arch.units.fp64_latency = 46;
        arch.units.fp64_interval = 32;
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 20), threads[i], &ww_mech_dart);
        start_cta(&m);
        assert_int_equal(issues_take(&m, 2), 8 * threads[i]);
        machine_close(&m);
    }
}

/* The load/store unit gets an instruction when its last address is there, and the lane is free. */
static void addresses_come_one_per_cycle(void **state)
{
    (void)state;
    static const uint32_t threads[] = {32, 4};
    for (size_t i = 0; i < WW_ARRAY_LEN(threads); i++) {
        uint64_t address = first_address();
        code c = {0};
        mov(&c, 0, imm(address & UINT32_MAX));
        mov(&c, 1, imm(address >> 32));
        load_global(&c, 2, 0);
        ww_arch arch = lanes_arch();
        machine m;
        open_lanes(&m, &c, threads[i], &arch);
        allocate(&m, address);
        uint64_t issued = until(&m, WW_C_INST_ISSUED, 3);
        assert_int_equal(until(&m, WW_C_AGU_LANES, threads[i]) - issued, threads[i]);
        machine_close(&m);
    }
}

/* When each of two segments of a load goes to memory, behind the cycle of its issue: thread t reads
 * word 2 t. */
static void segments_go(ww_dart_coalesce when, uint64_t at[2])
{
    const uint64_t address = first_address();
    code c = {0};
    ww_operand shifted = reg(2), shift[2] = {reg(3), imm(3)};
    mov(&c, 3, sreg(WW_SREG_TID_X));
    mov(&c, 1, imm(address >> 32));
    put(&c, WW_OP_SHL, WW_T_B32, 1, &shifted, 2, shift);
    add(&c, 0, 2, address & UINT32_MAX);
    load_global(&c, 4, 0);
    ww_arch arch = lanes_arch();
    arch.dart.coalesce = when;
    arch.ldst.l1_caches_global = false;
    machine m;
    open_lanes(&m, &c, 32, &arch);
    allocate(&m, address);
    const uint64_t issued = until(&m, WW_C_INST_ISSUED, 5);
    for (unsigned k = 0; k < 2; k++) {
        at[k] = until(&m, WW_C_L1D_BYPASS, k + 1) - issued;
    }
    assert_int_equal(get(&m, WW_C_GMEM_TRANSACTION), 2);
    assert_int_equal(get(&m, WW_C_GMEM_INST), 1);
    run_out(&m);
    machine_close(&m);
}

/* All addresses of the first segment are there when the 17th comes, which is for the second: 15
 * cycles before the 32nd. The second is complete with the last. */
static void closed_segments_do_not_wait(void **state)
{
    (void)state;
    uint64_t together[2], streamed[2];
    segments_go(WW_DART_COALESCE_WARP, together);
    segments_go(WW_DART_COALESCE_STREAM, streamed);
    assert_int_equal(together[1], together[0] + 1);
    assert_int_equal(streamed[0], together[0] - 15);
    assert_int_equal(streamed[1], together[0]);
}

/* Cycles between two instructions of the threads 0, 8, 16, 24 with two sources and a result. */
static uint64_t spread_threads(uint32_t row)
{
    code c = {0};
    ww_operand low = reg(1), mask[2] = {reg(0), imm(7)}, p = pred(0), compare[2] = {reg(1), imm(0)};
    mov(&c, 0, sreg(WW_SREG_TID_X));
    put(&c, WW_OP_AND, WW_T_B32, 1, &low, 2, mask);
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_EQ;
    add3(&c, 2, 0, 1)->guard = p;
    add3(&c, 3, 0, 1)->guard = p;
    ww_arch arch = lanes_arch();
    arch.dart.row = row;
    machine m;
    open_lanes(&m, &c, 32, &arch);
    const uint64_t first = until(&m, WW_C_INST_ISSUED, 4);
    const uint64_t took = until(&m, WW_C_INST_ISSUED, 5) - first;
    machine_close(&m);
    return took;
}

/* Rows of four threads: four rows, each read twice and written once, where the threads alone take
 * four cycles; one row for all, three. A whole warp reads and writes 8 rows: 24 of its 32 cycles.
 */
static void threads_share_rows_of_the_slice(void **state)
{
    (void)state;
    static const struct {
        uint32_t row;
        uint64_t cycles;
    } table[] = {{0, 4}, {1, 12}, {4, 12}, {16, 6}, {32, 4}};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        assert_int_equal(spread_threads(table[i].row), table[i].cycles);
    }
    for (uint32_t row = 1; row <= 4; row += 3) {
        code c = {0};
        add3(&c, 1, 0, 5);
        add3(&c, 2, 0, 5);
        ww_arch arch = lanes_arch();
        arch.dart.row = row;
        machine m;
        open_lanes(&m, &c, 32, &arch);
        assert_int_equal(issues_take(&m, 2), row == 1 ? 96 : 32);
        machine_close(&m);
    }
}

/* The loads of `warps` warps of `threads` threads: thread t of lane l reads word t << thread_shift
 * + l << lane_shift. Cycles of the banks. */
static uint64_t bank_cycles(uint32_t warps, uint32_t last_warp, unsigned shift, uint64_t *took)
{
    code c = {0};
    ww_operand dst = reg(1), src[2] = {reg(0), imm(shift)};
    mov(&c, 0, sreg(WW_SREG_TID_X));
    put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
    load_shared(&c, 2, 1);
    ww_arch arch = lanes_arch();
    machine m;
    open_lanes(&m, &c, (warps - 1) * 32 + last_warp, &arch);
    uint64_t issued = until(&m, WW_C_INST_ISSUED, 3 * warps);
    while (get(&m, WW_C_SHARED_READ_WORDS) < (warps - 1) * 32 + last_warp) {
        cycle(&m);
    }
    *took = m.now - 1 - issued;
    uint64_t cycles = get(&m, WW_C_SHARED_CYCLES);
    machine_close(&m);
    return cycles;
}

/* 32 words of one bank, by one lane: no conflict, one a cycle. */
static void one_lane_meets_no_conflict(void **state)
{
    (void)state;
    uint64_t took;
    assert_int_equal(bank_cycles(1, 32, 6, &took), 32);
    assert_int_equal(took, 32);
    assert_int_equal(bank_cycles(1, 32, 2, &took), 32);
}

/* One thread in each of eight lanes, at the same time: a barrier brings the warps together. Words
 * of one bank are served one after the other, one word to all at once. */
static void lanes_meet_in_a_bank(void **state)
{
    (void)state;
    static const struct {
        unsigned shift; /* of the warp's number */
        uint64_t cycles, words;
    } table[] = {{6, 8, 8}, {2, 1, 8}, {32, 1, 1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        code c = {0};
        ww_operand p = pred(0), lane = sreg(WW_SREG_LANEID), compare[2] = {reg(3), imm(0)};
        ww_operand word = reg(0), warp[2] = {reg(0), imm(5)};
        ww_operand dst = reg(1), shift[2] = {reg(0), imm(table[i].shift)};
        mov(&c, 0, sreg(WW_SREG_TID_X));
        mov(&c, 3, lane);
        put(&c, WW_OP_SHR, WW_T_U32, 1, &word, 2, warp);
        put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, shift);
        put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_EQ;
        bar(&c);
        load_shared(&c, 2, 1)->guard = p;
        ww_arch arch = lanes_arch();
        arch.sm.schedulers = LANES; /* all warps issue in one cycle */
        arch.sm.fetch_warps = LANES;
        machine m;
        open_lanes(&m, &c, 256, &arch);
        until(&m, WW_C_SHARED_INST, 8);
        while (get(&m, WW_C_SHARED_READ_WORDS) < table[i].words) {
            cycle(&m);
        }
        assert_int_equal(get(&m, WW_C_SHARED_CYCLES), table[i].cycles);
        assert_int_equal(get(&m, WW_C_SHARED_READ_WORDS), table[i].words);
        machine_close(&m);
    }
}

/* One warp's threads write a word while another one's read it: whichever comes first in a cycle, a
 * write lets nobody else at its bank. 32 of each take 64 cycles. */
static void a_write_shares_its_bank_with_nobody(void **state)
{
    (void)state;
    code c = {0};
    ww_operand p = pred(0), others = pred(0), compare[2] = {sreg(WW_SREG_TID_X), imm(32)};
    ww_operand word[2] = {reg(1), reg(2)};
    others.flags = WW_OPD_NOT;
    mov(&c, 1, imm(0));
    mov(&c, 2, imm(7));
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_LT;
    bar(&c);
    ww_inst *store = put(&c, WW_OP_ST, WW_T_U32, 0, NULL, 2, word);
    store->space = WW_SPACE_SHARED;
    store->guard = p;
    load_shared(&c, 3, 1)->guard = others;
    ww_arch arch = lanes_arch();
    arch.sm.schedulers = LANES;
    arch.sm.fetch_warps = LANES;
    machine m;
    open_lanes(&m, &c, 64, &arch);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_DART_REQUEST) - get(&m, WW_C_DART_RETRY), 64);
    assert_int_equal(get(&m, WW_C_SHARED_CYCLES), 64);
    machine_close(&m);
}

/* Thread t adds word t << shift of shared memory to a number, as an operand; the last addition
 * reads the sum. */
static void open_folded(machine *m, code *c, ww_folded reading, uint32_t threads, unsigned shift,
                        uint32_t row)
{
    *c = (code){0};
    ww_operand dst = reg(1), src[2] = {reg(0), imm(shift)};
    ww_arch arch = lanes_arch();
    arch.ldst.folded = reading;
    arch.dart.row = row;
    mov(c, 0, sreg(WW_SREG_TID_X));
    put(c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
    add_word(c, 2, 0, 1);
    add(c, 3, 2, 1);
    open_lanes(m, c, threads, &arch);
}

/* A word takes the latency of shared memory before its thread computes. The first address is
 * presented in the cycle behind the issue, and one more in each: the dependent addition follows
 * thread by thread. Each thread reads its own word. */
static void operands_of_threads_come_one_per_cycle(void **state)
{
    (void)state;
    static const struct {
        ww_folded reading;
        uint32_t threads;
        uint64_t dependent, cycles;
    } table[] = {{WW_FOLDED_FREE, 32, 32, 0},
                 {WW_FOLDED_FREE, 1, LATENCY, 0},
                 {WW_FOLDED_OPERAND, 32, 24 + LATENCY, 32},
                 {WW_FOLDED_OPERAND, 1, 24 + LATENCY, 1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        machine m;
        code c;
        open_folded(&m, &c, table[i].reading, table[i].threads, 6, 0);
        const uint64_t reader = until(&m, WW_C_INST_ISSUED, 3);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 4) - reader, table[i].dependent);
        assert_int_equal(get(&m, WW_C_SHARED_CYCLES), table[i].cycles);
        assert_int_equal(get(&m, WW_C_SHARED_READ_WORDS), table[i].threads);
        assert_int_equal(get(&m, WW_C_SHARED_LANES), table[i].threads);
        assert_int_equal(get(&m, WW_C_SHARED_INST), 0);
        machine_close(&m);
    }
}

/* Four threads with a word of shared memory each: where the slice reads and writes rows of one
 * thread, its lane is taken for 4 rows of two sources and a result, and free for what follows
 * then. What one thread computes of three rows is there two cycles later than without. */
static void operands_wait_for_rows_of_the_slice(void **state)
{
    (void)state;
    for (uint32_t row = 0; row < 2; row++) {
        code c = {0};
        ww_operand dst = reg(1), src[2] = {reg(0), imm(6)};
        ww_arch arch = lanes_arch();
        arch.ldst.folded = WW_FOLDED_OPERAND;
        arch.dart.row = row;
        mov(&c, 0, sreg(WW_SREG_TID_X));
        put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
        add_word(&c, 2, 0, 1);
        add(&c, 3, 0, 1);
        machine m;
        open_lanes(&m, &c, 4, &arch);
        const uint64_t reader = until(&m, WW_C_INST_ISSUED, 3);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 4) - reader, row == 0 ? 4 : 12);
        machine_close(&m);
        open_folded(&m, &c, WW_FOLDED_OPERAND, 1, 6, row);
        const uint64_t alone = until(&m, WW_C_INST_ISSUED, 3);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 4) - alone, 24 + LATENCY + 2 * row);
        machine_close(&m);
    }
}

/* Two lanes: of words in one bank one is served a cycle, 64 in all; a word that both ask for goes
 * to both, but for the cycles by which one comes before the other. */
static void operands_of_lanes_meet_in_a_bank(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        machine m;
        code c;
        open_folded(&m, &c, WW_FOLDED_OPERAND, 64, shared ? 32 : 6, 0);
        const uint64_t first = until(&m, WW_C_INST_ISSUED, 5);
        const uint64_t apart = until(&m, WW_C_INST_ISSUED, 6) - first;
        const uint64_t expected = shared ? 32 + apart : 64;
        until(&m, WW_C_INST_ISSUED, 9); /* both warps' last additions, an exit */
        assert_in_range(apart, 1, 8);
        assert_int_equal(get(&m, WW_C_SHARED_READ_WORDS), expected);
        assert_int_equal(get(&m, WW_C_SHARED_CYCLES), expected);
        machine_close(&m);
    }
}

/* A front end that issues in one cycle of four leaves nothing of divergence's gain. */
static void slow_front_end_limits_few_threads(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 12; i++) {
        add(&c, 1 + i, 0, i);
    }
    ww_arch arch = lanes_arch();
    arch.sm.issue_interval = 4;
    machine m;
    open_lanes(&m, &c, 1, &arch);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 2);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 10) - first, 8 * 4);
    machine_close(&m);
}

/* The same cycles with and without skipping those in which nothing happens. */
static void sleeping_changes_nothing(void **state)
{
    (void)state;
    uint64_t cycles[2], slots[2];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        ww_operand dst = reg(1), src[2] = {reg(0), imm(3)}, ex = reg(4);
        mov(&c, 0, sreg(WW_SREG_TID_X));
        put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
        load_shared(&c, 2, 1);
        add(&c, 3, 2, 1);
        put(&c, WW_OP_EX2, WW_T_F32, 1, &ex, 1, &dst)->sub = WW_SUB_APPROX;
        bar(&c);
        add(&c, 5, 4, 1);
        finish(&c);
        ww_arch arch = lanes_arch();
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 20), 200, &ww_mech_dart);
        ww_sm_allow_sleep(m.sm, k == 0);
        cycles[k] = run_cta(&m);
        slots[k] = get(&m, WW_C_SLOTS_ISSUED);
        assert_int_equal(get(&m, WW_C_SLOTS), cycles[k]);
        machine_close(&m);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(slots[0], slots[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_instructions_overlap),
        cmocka_unit_test(other_threads_wait_for_the_last_result),
        cmocka_unit_test(branch_waits_for_the_whole_predicate),
        cmocka_unit_test(eight_warps_keep_eight_lanes_busy),
        cmocka_unit_test(special_functions_are_shared),
        cmocka_unit_test(one_fp64_unit_serves_all_lanes),
        cmocka_unit_test(addresses_come_one_per_cycle),
        cmocka_unit_test(closed_segments_do_not_wait),
        cmocka_unit_test(threads_share_rows_of_the_slice),
        cmocka_unit_test(one_lane_meets_no_conflict),
        cmocka_unit_test(lanes_meet_in_a_bank),
        cmocka_unit_test(a_write_shares_its_bank_with_nobody),
        cmocka_unit_test(operands_of_threads_come_one_per_cycle),
        cmocka_unit_test(operands_wait_for_rows_of_the_slice),
        cmocka_unit_test(operands_of_lanes_meet_in_a_bank),
        cmocka_unit_test(slow_front_end_limits_few_threads),
        cmocka_unit_test(sleeping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
