/* test_profile.c - do issue slots count for the instruction that waited, and for the one waited
 * for?
 */
#include "tests/support/test.h"

#include <string.h>

#include "tests/unit/sm/kernels.h"

/* Opens a machine whose SM counts by instruction. */
static void open_profiled(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                          uint32_t threads)
{
    ww_error err = {0};
    machine_open(m, arch, kernel, threads);
    assert_ok(ww_sm_set_profiling(m->sm, true, &err), err);
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, 8, &err), err);
}

static uint64_t at(const machine *m, uint32_t pc, ww_line_count c)
{
    return ww_sm_profile(m->sm)[pc].v[c];
}

static uint64_t sum_of(const machine *m, ww_line_count c)
{
    uint64_t sum = 0;
    for (uint32_t pc = 0; pc <= m->program.count; pc++) {
        sum += at(m, pc, c);
    }
    return sum;
}

static uint64_t charged_of(const machine *m, ww_counter counter)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < ww_profile_rows(&m->program); row++) {
        sum += ww_sm_profile(m->sm)[row].charged[counter - WW_CHARGE_FIRST];
    }
    return sum;
}

/* Every slot, instruction and event of the SM belongs to exactly one instruction, but for cycles of
 * waiting, which cost nothing. */
static void assert_conserved(const machine *m)
{
    for (int c = WW_CHARGE_FIRST; c < WW_CHARGE_MEMORY; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        const bool costs = strncmp(info->consumers, "INFO", 4) != 0;
        if (costs && strcmp(info->consumers, "METRIC") != 0 &&
            charged_of(m, (ww_counter)c) != get(m, (ww_counter)c)) {
            fail_msg("%s: %llu by row, %llu in all", info->name,
                     (unsigned long long)charged_of(m, (ww_counter)c),
                     (unsigned long long)get(m, (ww_counter)c));
        }
    }
    for (int c = 0; c < WW_LINE_AWAITED; c++) {
        ww_counter counter = ww_line_count_counter((ww_line_count)c);
        if (sum_of(m, (ww_line_count)c) != get(m, counter)) {
            fail_msg("%s: %llu by instruction, %llu in all", ww_line_count_name((ww_line_count)c),
                     (unsigned long long)sum_of(m, (ww_line_count)c),
                     (unsigned long long)get(m, counter));
        }
    }
}

/* The second load hits: issue t, operands t+1, dispatch t+2, access t+3, data, and the add, at
 * t+3+hit. The scheduler loses the cycles t+1 .. t+2+hit: 2 + hit slots, at the add, awaiting the
 * load. The first load misses: its add, and no other instruction, loses what the counter has
 * beyond. */
static void a_load_is_waited_for_at_its_consumer(void **state)
{
    (void)state;
    enum { LOAD_1 = 2, ADD_1, LOAD_2, ADD_2, CODE = ADD_2 + 2 };
    code c = {0};
    ww_error err = {0};
    uint64_t address = first_address(), same;
    address_in(&c, 2, address);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    load_global(&c, 6, 2);
    add(&c, 7, 6, 1);
    finish(&c);
    assert_int_equal(c.count, CODE);
    ww_arch arch = small_arch();
    machine m;
    open_profiled(&m, &arch, as_kernel(&c, 8), 32);
    assert_ok(ww_devmem_alloc(m.mem, 4096, 256, &same, &err), err);
    assert_int_equal(same, address);
    run_cta(&m);
    uint64_t hit = 2 + arch.l1d.hit_latency;
    assert_int_equal(at(&m, ADD_2, WW_LINE_RAW_LONG), hit);
    assert_int_equal(at(&m, LOAD_2, WW_LINE_AWAITED), hit);
    assert_int_equal(at(&m, ADD_1, WW_LINE_RAW_LONG), get(&m, WW_C_STALL_RAW_LONG) - hit);
    assert_int_equal(at(&m, LOAD_1, WW_LINE_AWAITED), at(&m, ADD_1, WW_LINE_RAW_LONG));
    assert_true(at(&m, ADD_1, WW_LINE_RAW_LONG) > 100);
    for (uint32_t pc = 0; pc < CODE; pc++) {
        assert_int_equal(at(&m, pc, WW_LINE_WARP_INST), 1);
        assert_int_equal(at(&m, pc, WW_LINE_THREAD_INST), 32);
        assert_int_equal(at(&m, pc, WW_LINE_ISSUED), 1);
    }
    assert_conserved(&m);
    machine_close(&m);
}

/* r1 is written by an SFU instruction and r2 by an integer one; the add that needs both counts for
 * the first of them in the program as long as that is out: r2 comes after int_latency, r1 last.
 * Issue t and t+1; results at t+2+latency: the add goes at t+2+sfu and loses t+2 .. t+1+sfu. */
static void two_results_count_for_their_earlier_writer(void **state)
{
    (void)state;
    enum { EX2, ADD, BOTH };
    code c = {0};
    ww_operand dst = reg(1), src = reg(0);
    put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    add(&c, 2, 0, 1);
    add3(&c, 3, 1, 2);
    finish(&c);
    ww_arch arch = small_arch();
    machine m;
    open_profiled(&m, &arch, as_kernel(&c, 4), 32);
    run_cta(&m);
    assert_int_equal(at(&m, BOTH, WW_LINE_RAW_SHORT), arch.units.sfu_latency);
    assert_int_equal(at(&m, EX2, WW_LINE_AWAITED), arch.units.sfu_latency);
    assert_int_equal(at(&m, ADD, WW_LINE_AWAITED), 0);
    assert_conserved(&m);
    machine_close(&m);
}

/* Two warps behind one SFU of interval 8: the first waits 8 cycles at the barrier, not behind it.
 */
static void a_barrier_wait_counts_at_the_barrier(void **state)
{
    (void)state;
    enum { EX2, ADD, BAR };
    code c = {0};
    ww_operand dst = reg(1), src = reg(0);
    put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    add(&c, 2, 1, 1);
    bar(&c);
    finish(&c);
    ww_arch arch = small_arch();
    machine m;
    open_profiled(&m, &arch, as_kernel(&c, 4), 2 * 32);
    run_cta(&m);
    assert_int_equal(at(&m, BAR, WW_LINE_BARRIER), 8);
    assert_int_equal(at(&m, BAR, WW_LINE_AWAITED), 0);
    assert_conserved(&m);
    machine_close(&m);
}

/* Eight independent SFU instructions of one warp: from the second on, each loses 7 slots to the
 * pipeline that takes one every 8 cycles, itself. */
static void a_full_unit_counts_at_what_it_keeps_waiting(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 8; i++) {
        ww_operand dst = reg(1 + i), src = reg(0);
        put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
    }
    finish(&c);
    ww_arch arch = small_arch();
    arch.regfile.sfu_collectors = 1; /* nothing waits between issue and pipeline */
    arch.regfile.collectors = 1;
    machine m;
    open_profiled(&m, &arch, as_kernel(&c, 12), 32);
    run_cta(&m);
    for (uint32_t pc = 3; pc < 8; pc++) {
        assert_int_equal(at(&m, pc, WW_LINE_SFU), 7);
    }
    assert_conserved(&m);
    machine_close(&m);
}

static void run_mix(bool sleep, unsigned width, ww_scheduler scheduler, ww_profile_count *out)
{
    code c = {0};
    mix(&c);
    finish(&c);
    ww_arch arch = small_arch();
    arch.sm.issue_width = width;
    arch.sm.scheduler = scheduler;
    machine m;
    open_profiled(&m, &arch, as_kernel(&c, 8), 13 * 32 + 3);
    ww_sm_allow_sleep(m.sm, sleep);
    run_cta(&m);
    assert_conserved(&m);
    memcpy(out, ww_sm_profile(m.sm), (c.count + 1) * sizeof *out);
    machine_close(&m);
}

/* Cycles that are skipped count for the same instructions as ticked ones. */
static void sleeping_changes_nothing(void **state)
{
    (void)state;
    static const ww_scheduler policies[] = {
        WW_SCHED_LRR, WW_SCHED_GTO, WW_SCHED_TWO_LEVEL, WW_SCHED_OLDEST, WW_SCHED_TWO_LEVEL_OLDEST,
        WW_SCHED_GTY};
    for (unsigned width = 1; width <= 2; width++) {
        for (size_t i = 0; i < WW_ARRAY_LEN(policies); i++) {
            ww_profile_count a[MOST_CODE] = {{{0}, {0}}}, b[MOST_CODE] = {{{0}, {0}}};
            run_mix(true, width, policies[i], a);
            run_mix(false, width, policies[i], b);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_waited_for_at_its_consumer),
        cmocka_unit_test(two_results_count_for_their_earlier_writer),
        cmocka_unit_test(a_barrier_wait_counts_at_the_barrier),
        cmocka_unit_test(a_full_unit_counts_at_what_it_keeps_waiting),
        cmocka_unit_test(sleeping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
