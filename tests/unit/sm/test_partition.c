/* test_partition.c - timelines of an SM of partitions, computed by hand: initiation intervals,
 * integer beside FP32 pipelines, dependence by control bits and by scoreboard, register banks, and
 * the division of a unified store. */
#include "perf/sm/seam.h"
#include "perf/sm/unified.h"
#include "tests/support/test.h"
#include "tests/unit/sm/kernels.h"

/* Two partitions of 16 lanes each for integers and FP32, latency 4. */
static ww_arch partitioned(void)
{
    ww_arch a = small_arch();
    a.sm.core = WW_CORE_PARTITIONED;
    a.sm.dependence = WW_DEPEND_CONTROL_BITS;
    a.sm.ibuffer_entries = 8;
    a.regfile.banks = 4;
    a.regfile.bank_reads = 1;
    a.units.int_count = 2;
    a.units.ldst_interval = 4;
    a.units.const_interval = 1;
    a.units.int_latency = a.units.logic_latency = 4;
    a.units.fp32_latency = a.units.fma_latency = 4;
    a.units.int_interval = a.units.logic_interval = 2;
    a.units.fp32_interval = a.units.fma_interval = 2;
    return a;
}

static void fadd(code *c, uint32_t d, uint32_t a, uint32_t b)
{
    ww_operand dst = reg(d), src[2] = {reg(a), reg(b)};
    put(c, WW_OP_ADD, WW_T_F32, 1, &dst, 2, src);
}

/* Cycles from the issue of instruction `from` to that of instruction `to`, both counted from 1; the
 * code is in the buffer by then. */
static uint64_t span(code *c, const ww_arch *arch, uint64_t from, uint64_t to)
{
    machine m;
    finish(c);
    machine_open(&m, arch, as_kernel(c, 32), 32);
    start_cta(&m);
    uint64_t first = until(&m, WW_C_INST_ISSUED, from);
    uint64_t took = until(&m, WW_C_INST_ISSUED, to) - first;
    machine_close(&m);
    return took;
}

static void a_pipeline_takes_every_second_cycle(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 8; i++) {
        fadd(&c, 8 + i, 0, 1);
    }
    ww_arch arch = partitioned();
    assert_int_equal(span(&c, &arch, 3, 7), 4 * 2);
}

static void integers_fill_the_gaps_of_fp32(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 4; i++) {
        fadd(&c, 8 + 2 * i, 0, 1);
        add3(&c, 9 + 2 * i, 0, 1);
    }
    ww_arch arch = partitioned();
    assert_int_equal(span(&c, &arch, 3, 7), 4);
    arch.units.int_count = 0; /* both kinds share a pipeline */
    code d = {0};
    for (uint32_t i = 0; i < 4; i++) {
        fadd(&d, 8 + 2 * i, 0, 1);
        add3(&d, 9 + 2 * i, 0, 1);
    }
    assert_int_equal(span(&d, &arch, 3, 7), 4 * 2);
}

/* Control bits: issue to issue the latency. A scoreboard: operand reads (1 cycle) and the stages in
 * front and behind as well. */
/* GA10x, GH100: FP32 in 32 lanes, integer products in 16 of them. A product every other cycle
 * leaves the cycle between to FP32; products alone take two each. */
static void half_of_the_lanes_multiply_integers(void **state)
{
    (void)state;
    for (unsigned mixed = 0; mixed < 2; mixed++) {
        code c = {0};
        for (uint32_t i = 0; i < 8; i++) {
            ww_operand dst = reg(8 + 2 * i), src[3] = {reg(0), reg(1), reg(1)};
            put(&c, WW_OP_MAD, WW_T_U32, 1, &dst, 3, src)->sub = WW_SUB_LO;
            if (mixed != 0) {
                fadd(&c, 9 + 2 * i, 0, 1);
            }
        }
        ww_arch arch = partitioned();
        arch.units.fp32_interval = arch.units.fma_interval = 1;
        arch.units.imad_interval = arch.units.imul_interval = 2;
        assert_int_equal(mixed != 0 ? span(&c, &arch, 3, 9) : span(&c, &arch, 3, 6), 6);
    }
}

/* Two dispatch ports and pipelines of 32 lanes: an addition and an integer one leave in the same
 * cycle; two additions need the same pipeline. */
static void two_ports_feed_two_pipelines(void **state)
{
    (void)state;
    uint64_t took[2][2];
    for (uint32_t width = 1; width <= 2; width++) {
        for (uint32_t mixed = 0; mixed < 2; mixed++) {
            code c = {0};
            for (uint32_t i = 0; i < 5; i++) {
                fadd(&c, 8 + 2 * i, 0, 1);
                if (mixed != 0) {
                    add3(&c, 9 + 2 * i, 0, 1);
                } else {
                    fadd(&c, 9 + 2 * i, 0, 1);
                }
            }
            ww_arch arch = partitioned();
            arch.sm.issue_width = width;
            arch.sm.fetch_instructions = 8;
            arch.sm.ibuffer_entries = 16;
            arch.units.int_interval = arch.units.fp32_interval = 1;
            took[width - 1][mixed] = span(&c, &arch, 3, 9);
        }
    }
    assert_int_equal(took[0][0], 6); /* an addition per cycle, whatever the ports */
    assert_int_equal(took[1][0], 6);
    assert_int_equal(took[0][1], 6); /* one instruction per cycle */
    assert_int_equal(took[1][1], 3); /* three pairs */
}

static void dependents_follow_after_the_latency(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        for (uint32_t i = 0; i < 8; i++) {
            fadd(&c, 8, 8, 1);
        }
        ww_arch arch = partitioned();
        uint64_t each = 4;
        if (k == 1) {
            arch.sm.dependence = WW_DEPEND_SCOREBOARD;
            arch.sm.collect_cycles = 2;
            arch.sm.writeback_cycles = 3;
            each = 4 + 1 + 2 + 3;
        }
        assert_int_equal(span(&c, &arch, 3, 7), 4 * each);
    }
}

/* Two banks per partition: registers 0 and 2 lie in one of them, 0 and 1 in both. One read per bank
 * and cycle holds the port for two cycles, which costs nothing behind one pipeline of two, but does
 * where kinds alternate; two reads never conflict. */
static void operands_of_one_bank_hold_the_port(void **state)
{
    (void)state;
    const uint32_t second[] = {1, 2, 2}, reads[] = {1, 1, 2};
    for (unsigned k = 0; k < 3; k++) {
        code c = {0};
        for (uint32_t i = 0; i < 4; i++) {
            fadd(&c, 8 + 2 * i, 0, second[k]);
            add3(&c, 9 + 2 * i, 0, second[k]);
        }
        ww_arch arch = partitioned();
        arch.regfile.bank_reads = reads[k];
        assert_int_equal(span(&c, &arch, 3, 7), k == 1 ? 8 : 4);
    }
}

/* One partition's pipeline takes a special function every 8 cycles. Without a queue the fourth
 * follows the first after 3 x 8; two that wait let it go as soon as no more than 2 x 8 cycles of
 * work lie before it: with the pipeline taken until cycles 8, 16, 24 after issues at 0, 1, 2, that
 * is cycle 8. */
static void special_functions_wait_in_a_queue(void **state)
{
    (void)state;
    for (uint32_t queue = 0; queue <= 2; queue += 2) {
        code c = {0};
        for (uint32_t i = 0; i < 4; i++) {
            ww_operand dst = reg(8 + i), src = reg(0);
            put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
        }
        ww_arch arch = partitioned();
        arch.units.sfu_interval = 8;
        arch.units.sfu_queue = queue;
        assert_int_equal(span(&c, &arch, 1, 4), queue == 0 ? 3 * 8 : 8);
    }
}

/* Warps 0 and 1 belong to different partitions: both streams run as one would alone. */
static void partitions_do_not_share_pipelines(void **state)
{
    (void)state;
    uint64_t took[2];
    for (uint32_t warps = 1; warps <= 2; warps++) {
        code c = {0};
        for (uint32_t i = 0; i < 12; i++) {
            fadd(&c, 8 + i, 0, 1);
        }
        ww_arch arch = partitioned();
        arch.sm.fetch_warps = 2;
        machine m;
        open_on(&m, &arch, &c, 32, 32 * warps);
        start_cta(&m);
        uint64_t first = until(&m, WW_C_INST_ISSUED, 4ull * warps);
        took[warps - 1] = until(&m, WW_C_INST_ISSUED, 10ull * warps) - first;
        machine_close(&m);
    }
    assert_int_equal(took[0], 6 * 2);
    assert_int_equal(took[1], took[0]);
}

/* Four CTAs of two warps on two partitions: in order, both partitions' warps are all of one kind;
 * turned, each partition has as many first warps as second ones. */
static void turned_ctas_even_out_their_warps(void **state)
{
    (void)state;
    static const ww_core cores[] = {WW_CORE_PARTITIONED, WW_CORE_TURNED};
    static const uint32_t firsts[] = {4, 2};
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        fadd(&c, 8, 0, 1);
        ww_arch arch = partitioned();
        arch.sm.core = cores[k];
        machine m;
        open_on(&m, &arch, &c, 32, 64);
        for (unsigned cta = 0; cta < 4; cta++) {
            start_cta(&m);
        }
        uint32_t on[2] = {0};
        for (uint32_t w = 0; w < 8; w++) {
            on[w % 2] += ww_mech_warp(m.sm, w)->index == 0;
        }
        assert_int_equal(on[0], firsts[k]);
        assert_int_equal(on[0] + on[1], 4);
        machine_close(&m);
    }
}

/* One warp of two schedulers issues four instructions, one every `gap` cycles; the other scheduler
 * is not asked meanwhile. What the slots went to. */
static void charged(code *c, uint64_t gap, ww_counter lost, uint64_t selected)
{
    ww_arch arch = partitioned();
    machine m;
    open_on(&m, &arch, c, 32, 32);
    start_cta(&m);
    (void)until(&m, WW_C_INST_ISSUED, 3);
    ww_sm_account(m.sm, m.now);
    const uint64_t *v = m.counters.block[WW_SCOPE_SM][0].v;
    uint64_t before[WW_COUNTER_COUNT];
    memcpy(before, v, sizeof before);
    (void)until(&m, WW_C_INST_ISSUED, 7);
    ww_sm_account(m.sm, m.now);
    assert_int_equal(v[WW_C_SLOTS] - before[WW_C_SLOTS], 2 * 4 * gap);
    assert_int_equal(v[WW_C_SLOTS_ISSUED] - before[WW_C_SLOTS_ISSUED], 4);
    assert_int_equal(v[lost] - before[lost], 4 * (gap - 1));
    assert_int_equal(v[WW_C_STALL_IDLE] - before[WW_C_STALL_IDLE], 4 * gap);
    assert_int_equal(v[WW_C_SCHED_SELECT] - before[WW_C_SCHED_SELECT], selected);
    machine_close(&m);
}

static void a_scheduler_that_waits_is_charged_for_what(void **state)
{
    (void)state;
    code chain = {0}, apart = {0};
    for (uint32_t i = 0; i < 8; i++) {
        fadd(&chain, 2, 2, 1);
        fadd(&apart, 8 + i, 0, 1);
    }
    charged(&chain, 4, WW_C_STALL_RAW_SHORT, 4); /* the latency */
    charged(&apart, 2, WW_C_STALL_SP, 4 * 2);    /* the pipeline's interval; it is ready always */
}

/* Ticking every cycle and sleeping give the same counters. */
static void sleeping_changes_nothing(void **state)
{
    (void)state;
    uint64_t counts[2][WW_COUNTER_COUNT];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        ww_operand dst = reg(3), src = reg(0);
        for (uint32_t i = 0; i < 6; i++) {
            put(&c, WW_OP_EX2, WW_T_F32, 1, &dst, 1, &src)->sub = WW_SUB_APPROX;
            fadd(&c, 4, 3, 1);
            mov(&c, 5, imm(0));
            load_shared(&c, 6, 5);
            add3(&c, 0, 6, 4);
        }
        ww_arch arch = partitioned();
        machine m;
        open_on(&m, &arch, &c, 32, 96);
        ww_sm_allow_sleep(m.sm, k == 1);
        start_cta(&m);
        for (uint64_t i = 0; i < 3000; i++) {
            cycle(&m);
        }
        ww_sm_account(m.sm, m.now);
        memcpy(counts[k], m.counters.block[WW_SCOPE_SM][0].v, sizeof counts[k]);
        assert_int_equal(counts[k][WW_C_INST_ISSUED], 3 * 31);
        machine_close(&m);
    }
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
}

static void a_kernel_divides_the_store(void **state)
{
    (void)state;
    ww_arch arch = partitioned();
    arch.ldst.unified_bytes = 128 * 1024;
    arch.ldst.carveouts = "0 8 16 32 64 96";
    arch.l1d.bytes = 32 * 1024; /* four sets of 64 ways of 128 B */
    arch.l1d.line_bytes = 128;
    arch.l1d.ways = 64;
    assert_int_equal(ww_carveout(&arch.ldst, 0), 0);
    assert_int_equal(ww_carveout(&arch.ldst, 1), 8 * 1024);
    assert_int_equal(ww_carveout(&arch.ldst, 8 * 1024), 8 * 1024);
    assert_int_equal(ww_carveout(&arch.ldst, 33 * 1024), 64 * 1024);
    assert_int_equal(ww_carveout(&arch.ldst, 200 * 1024), 96 * 1024);
    assert_int_equal(ww_unified_l1d(&arch).ways, 256);
    assert_int_equal(ww_unified_l1d(&arch).bytes, 128 * 1024);
    assert_int_equal(ww_unified_ways(&arch, 0), 256);
    assert_int_equal(ww_unified_ways(&arch, 96 * 1024), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipeline_takes_every_second_cycle),
        cmocka_unit_test(integers_fill_the_gaps_of_fp32),
        cmocka_unit_test(half_of_the_lanes_multiply_integers),
        cmocka_unit_test(two_ports_feed_two_pipelines),
        cmocka_unit_test(dependents_follow_after_the_latency),
        cmocka_unit_test(operands_of_one_bank_hold_the_port),
        cmocka_unit_test(partitions_do_not_share_pipelines),
        cmocka_unit_test(turned_ctas_even_out_their_warps),
        cmocka_unit_test(a_scheduler_that_waits_is_charged_for_what),
        cmocka_unit_test(sleeping_changes_nothing),
        cmocka_unit_test(a_kernel_divides_the_store),
        cmocka_unit_test(special_functions_wait_in_a_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
