/* test_cycles.c - timelines of several instructions and warps, instruction by instruction and to
 * the cycle: two misses that merge, a barrier, divergence and reconvergence. Each test carries its
 * timeline, added up by hand; times count from the first issue, when the code is in the L1I. */
#include "tests/support/test.h"

#include "tests/unit/sm/trace.h"

/* Two loads of one line, one warp.
 *     0        r2 = low address word: no operands to read, dispatch at 1, written at 1 + 10 = 11
 *     1        r3 = high word, written at 12
 *    12        load A issues, operands 13, dispatch 14
 *    13        load B issues
 *    15        A's access: miss; the request leaves at the end of the cycle
 *    16        B's access: miss, merged with A's; no request
 *    15 + 272  the reply's last flit is at the SM: read_miss_round_trip_by_hand in test_memsys.c
 *   288        the SM takes it: line filled, r4 and r5 written (other banks); A's add issues
 *   289        B's add, with the scheduler's next slot; 290 the exit */
static void two_misses_merge(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},   {1, 1},   {12, 2}, {13, 3},
                                     {288, 4}, {289, 5}, {290, 6}};
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    load_global(&c, 5, 2);
    add(&c, 6, 4, 1);
    add(&c, 7, 5, 1);
    const ww_arch arch = plain_arch(1);
    trace_code(&m, &arch, &c, 8, 32, address, &t);
    CHECK_TRACE(&t, expected);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 2);
    assert_int_equal(get(&m, WW_C_L1D_READ_MERGED), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
    assert_int_equal(get(&m, WW_C_GMEM_WORDS), 2 * 32);
    machine_close(&m);
}

/* The same line, missed by two warps in turn: loads at 13 and 14, accesses at 16 and 17, and one
 * fill, at 16 + 272 + 1, wakes both: the adds issue at 289 and 290. */
static void misses_of_two_warps_merge(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},  {1, 0},   {2, 1},   {3, 1},   {13, 2},
                                     {14, 2}, {289, 3}, {290, 3}, {291, 4}, {292, 4}};
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    const ww_arch arch = plain_arch(1);
    trace_code(&m, &arch, &c, 8, 64, address, &t);
    CHECK_TRACE(&t, expected);
    assert_int_equal(get(&m, WW_C_L1D_READ_MERGED), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
    machine_close(&m);
}

/* Three warps that add twice, meet, and add; lost: slots to the barrier. */
static void check_barrier(uint32_t schedulers, const issue *expected, unsigned count, uint64_t lost)
{
    code c = {0};
    machine m;
    trace t;
    add(&c, 1, 0, 1);
    add(&c, 1, 1, 1);
    bar(&c);
    add(&c, 2, 0, 1);
    const ww_arch arch = plain_arch(schedulers);
    trace_code(&m, &arch, &c, 4, 3 * 32, 0, &t);
    check_trace(&t, expected, count);
    assert_int_equal(get(&m, WW_C_STALL_BARRIER), lost);
    machine_close(&m);
}

/* Three warps of one round-robin scheduler.
 *    0 .. 2    first adds
 *   12 .. 14   dependent adds, 12 later
 *   15, 16     warps 0 and 1 arrive
 *   17         warp 2 arrives; the barrier opens in this cycle, whose slot is spent
 *   18 .. 20   all go on, in turn; no slot is lost to the barrier */
static void a_barrier_opens_with_the_last_arrival(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},  {1, 0},  {2, 0},  {12, 1}, {13, 1},
                                     {14, 1}, {15, 2}, {16, 2}, {17, 2}, {18, 3},
                                     {19, 3}, {20, 3}, {21, 4}, {22, 4}, {23, 4}};
    check_barrier(1, expected, WW_ARRAY_LEN(expected), 0);
}

/* Three warps on two schedulers: 0 and 2 on the first, 1 on the second.
 *   12         dependent adds of warps 0 and 1; 13: of warp 2, and warp 1 arrives
 *   14         warp 0 arrives; the second scheduler's only warp waits: a slot lost
 *   15         warp 2 arrives and opens the barrier. The second scheduler comes later in the cycle
 *              and issues warp 1 at once: schedulers take their turns within a cycle
 *   16, 17     warps 0 and 2 go on; warp 1 exits at 16 */
static void a_barrier_across_schedulers(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},  {0, 0},  {1, 0},  {12, 1}, {12, 1},
                                     {13, 1}, {13, 2}, {14, 2}, {15, 2}, {15, 3},
                                     {16, 3}, {16, 4}, {17, 3}, {18, 4}, {19, 4}};
    check_barrier(2, expected, WW_ARRAY_LEN(expected), 1);
}

/* if (tid < 8) r2 += 1; else { r1 += 2; } r3 += 3: no result is used by the next instruction, so
 * that only control takes time. */
static void check_branch(bool taken_path_first, const issue expected[8])
{
    static const uint64_t in_lanes[] = {32, 32, 8, 24, 24, 8, 32, 32}; /* 2: its guard selects 8 */
    code c = {0};
    machine m;
    trace t;
    diverge(&c, 2);
    add(&c, 3, 3, 3);
    finish(&c);
    const ww_arch arch = plain_arch(1);
    open_traced(&m, &arch, as_kernel(&c, 8), 32);
    m.launch.taken_path_first = taken_path_first;
    run_traced(&m, &t);
    check_trace(&t, expected, 8);
    for (unsigned pc = 0; pc < 8; pc++) {
        assert_int_equal(ww_sm_profile(m.sm)[pc].v[WW_LINE_THREAD_INST], in_lanes[pc]);
    }
    machine_close(&m);
}

/* The path that falls through goes first, 24 lanes.
 *    0   mov, no operands: written at 11
 *   11   setp, written at 11 + 12
 *   23   the branch splits the warp; what follows it is in the buffer
 *   24   r1 += 2, 24 lanes
 *   25   its jump to the join pops the stack: the 8 other lanes go on at 5, the next instruction in
 *        the buffer, so that nothing is lost
 *   26   r2 += 1, 8 lanes; they reach the join, the last entry pops, all 32 are back
 *   27   r3 += 3, 32 lanes; 28 the exit */
static void diverged_paths_run_one_after_the_other(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},  {11, 1}, {23, 2}, {24, 3},
                                     {25, 4}, {26, 5}, {27, 6}, {28, 7}};
    check_branch(false, expected);
}

/* The taken path goes first: now control leaves the straight line three times, and each time the
 * buffer is dropped in the cycle of the issue, t; fetch takes the new address in the same cycle,
 * the L1I hits in one cycle, decode puts it into the buffer at t + 1, it issues at t + 2. 23   the
 * branch, to 5; 25: r2 += 1, 8 lanes, and back to 3 27   r1 += 2, 24 lanes; 28 its jump, fetched
 * with it, to the join 30   r3 += 3, 32 lanes; 31 the exit, fetched with it */
static void leaving_the_straight_line_costs_a_fetch(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},  {11, 1}, {23, 2}, {25, 5},
                                     {27, 3}, {28, 4}, {30, 6}, {31, 7}};
    check_branch(true, expected);
}

/* Two pipelines, of 10 cycles for an add and as many as given for a move.
 *    0        add, dispatched at 2: its result comes at 12
 *    1        mov, no operands: dispatched at 2 as well, where nothing forbids it
 *   when      mov's result is there: an add of it issues */
static void check_results(uint32_t slots, uint32_t pipes, uint32_t mov_latency, unsigned when)
{
    const issue expected[] = {{0, 0}, {1, 1}, {when, 2}, {when + 1, 3}};
    code c = {0};
    trace t;
    machine m;
    add(&c, 1, 0, 1);
    mov(&c, 2, imm(1));
    add(&c, 3, 2, 1);
    ww_arch arch = plain_arch(1);
    arch.units.sp_count = pipes;
    arch.units.int_interval = arch.units.logic_interval = 1;
    arch.units.logic_latency = mov_latency;
    arch.peer.result_slots = slots;
    trace_code(&m, &arch, &c, 4, 32, 0, &t);
    CHECK_TRACE(&t, expected);
    machine_close(&m);
}

/* Of two pipelines, where one result may come in a cycle, or two; of one, which takes the move at
 * 3: one cycle shorter, its result would come with that of the add. */
static void results_need_slots(void **state)
{
    (void)state;
    check_results(0, 2, 10, 12);
    check_results(2, 2, 10, 12);
    check_results(1, 2, 10, 13);
    check_results(0, 1, 9, 12);
    check_results(2, 1, 9, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_misses_merge),
        cmocka_unit_test(misses_of_two_warps_merge),
        cmocka_unit_test(a_barrier_opens_with_the_last_arrival),
        cmocka_unit_test(a_barrier_across_schedulers),
        cmocka_unit_test(diverged_paths_run_one_after_the_other),
        cmocka_unit_test(leaving_the_straight_line_costs_a_fetch),
        cmocka_unit_test(results_need_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
