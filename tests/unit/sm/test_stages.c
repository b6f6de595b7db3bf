/* test_stages.c - stages that some machines have and others not: before the collectors, behind the
 * pipelines, before the L1D's tags; fetch past branches and across lines. */
#include "tests/support/test.h"

#include "tests/unit/sm/kernels.h"

/* latency + 2 (test_timeline.c), and every further stage. */
static void stages_add_to_the_latency(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    add(&c, 2, 1, 1);
    ww_arch arch = small_arch();
    arch.sm.writeback_cycles = 3;
    const uint32_t before[] = {0, 1, 2, 63, 64, 200};
    for (size_t i = 0; i < WW_ARRAY_LEN(before); i++) {
        arch.sm.collect_cycles = before[i];
        machine m;
        open_on(&m, &arch, &c, 4, 32);
        start_cta(&m);
        assert_int_equal(issues_take(&m, 2), arch.units.int_latency + 2 + before[i] + 3);
        machine_close(&m);
    }
}

/* While one waits for its pipeline, more pass it than there are places for collectors. */
static void others_pass_a_collector_that_waits(void **state)
{
    (void)state;
    enum { OTHERS = 150, INTERVAL = 3000 };
    code c = {0};
    ww_operand d[2] = {reg(1), reg(2)}, a = reg(0);
    put(&c, WW_OP_EX2, WW_T_F32, 1, &d[0], 1, &a)->sub = WW_SUB_APPROX;
    put(&c, WW_OP_EX2, WW_T_F32, 1, &d[1], 1, &a)->sub = WW_SUB_APPROX;
    adds(&c, 3, OTHERS);
    add(&c, 3 + OTHERS, 2, 1); /* waits for the second one */
    uint64_t passed[2];
    for (unsigned i = 0; i < 2; i++) {
        ww_arch arch = small_arch();
        arch.sm.collect_cycles = 3;
        arch.units.sfu_interval = i == 0 ? 1 : INTERVAL;
        machine m;
        open_on(&m, &arch, &c, 4 + OTHERS, 32);
        start_cta(&m);
        const uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
        passed[i] = until(&m, WW_C_INST_ISSUED, 2 + OTHERS) - first;
        const uint64_t last = until(&m, WW_C_INST_ISSUED, 3 + OTHERS) - first;
        assert_true(i == 0 || last == INTERVAL + arch.units.sfu_latency + 2 + 3);
        machine_close(&m);
    }
    assert_int_equal(passed[1], passed[0]);
}

/* Classes that a machine times differently from their parents. */
static void classes_have_their_own_latency(void **state)
{
    (void)state;
    const struct {
        ww_op op;
        ww_type type;
    } cases[] = {{WW_OP_XOR, WW_T_B32},
                 {WW_OP_MIN, WW_T_S32},
                 {WW_OP_ADD, WW_T_S32},
                 {WW_OP_MIN, WW_T_F32},
                 {WW_OP_MUL, WW_T_F32}};
    const uint32_t expected[] = {3, 13, 4, 13, 6};
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        code c = {0};
        ww_operand d = reg(1), s[2] = {reg(0), reg(0)};
        put(&c, cases[i].op, cases[i].type, 1, &d, 2, s);
        add(&c, 2, 1, 1);
        ww_arch arch = small_arch();
        arch.units.logic_latency = 3;
        arch.units.minmax_latency = 13;
        arch.units.int_latency = 4;
        arch.units.fp32_latency = 6;
        machine m;
        open_on(&m, &arch, &c, 4, 32);
        start_cta(&m);
        assert_int_equal(issues_take(&m, 2), expected[i] + 2);
        machine_close(&m);
    }
}

/* A store and a miss leave the SM hit_latency - 1 cycles later; a hit takes as long as before. */
static void tags_behind_the_l1d_pipeline(void **state)
{
    (void)state;
    uint64_t left[2], hit[2];
    for (unsigned last = 0; last < 2; last++) {
        code c = {0};
        address_in(&c, 2, WW_GLOBAL_BASE);
        load_global(&c, 4, 2);
        add(&c, 5, 4, 1);
        load_global(&c, 6, 2);
        add(&c, 7, 6, 1);
        ww_arch arch = small_arch();
        arch.peer.l1_looks_up_last = last == 1;
        machine m;
        open_on(&m, &arch, &c, 8, 32);
        allocate(&m, WW_GLOBAL_BASE);
        start_cta(&m);
        uint64_t load = until(&m, WW_C_INST_ISSUED, 3);
        uint64_t code_lines = get(&m, WW_C_ICNT_REQ_PACKETS);
        left[last] = until(&m, WW_C_ICNT_REQ_PACKETS, code_lines + 1) - load;
        uint64_t again = until(&m, WW_C_INST_ISSUED, 5);
        hit[last] = until(&m, WW_C_INST_ISSUED, 6) - again;
        assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1);
        assert_int_equal(left[last], last == 0 ? 3 : 3 + arch.l1d.hit_latency - 1);
        machine_close(&m);
    }
    assert_int_equal(hit[1], hit[0]);
}

/* Values that cross to the lanes: two words for each of the twenty threads that load 64 bits. */
static void words_of_a_wide_load(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    address_in(&c, 2, WW_GLOBAL_BASE);
    ww_inst *load = load_global(&c, 4, 2);
    load->type = WW_T_U64;
    load->dst[0].words = 2;
    const ww_arch arch = small_arch();
    open_on(&m, &arch, &c, 8, 20);
    allocate(&m, WW_GLOBAL_BASE);
    start_cta(&m);
    until(&m, WW_C_GMEM_TRANSACTION, 1);
    assert_int_equal(get(&m, WW_C_GMEM_WORDS), 2 * 20);
    assert_int_equal(get(&m, WW_C_AGU_LANES), 20);
    machine_close(&m);
}

/* A jump as second of a fetched pair: the next pair is fetched and dropped before the target's. */
static void fetch_past_a_taken_branch(void **state)
{
    (void)state;
    uint64_t decoded[2], cycles[2];
    for (unsigned past = 0; past < 2; past++) {
        code c = {0};
        add(&c, 1, 0, 1);
        put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 4;
        add(&c, 1, 0, 1);
        add(&c, 2, 0, 1);
        add(&c, 3, 0, 1);
        ww_arch arch = small_arch();
        arch.sm.ibuffer_entries = 2;
        arch.peer.fetch_past_branches = past == 1;
        machine m;
        open_on(&m, &arch, &c, 4, 32);
        cycles[past] = run_cta(&m);
        decoded[past] = get(&m, WW_C_INST_DECODED);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), 4);
        assert_int_equal(decoded[past], 4 + get(&m, WW_C_IBUF_FLUSHED));
        machine_close(&m);
    }
    assert_int_equal(decoded[0], 4);
    assert_int_equal(decoded[1], 6);
    assert_true(cycles[1] > cycles[0]);
}

/* 16 instructions fill a line. From an odd one on, pairs straddle the end of the line. */
static void fetch_across_a_line(void **state)
{
    (void)state;
    uint64_t fetches[2];
    for (unsigned across = 0; across < 2; across++) {
        code c = {0};
        put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 13;
        for (unsigned i = 1; i < 18; i++) {
            add(&c, 1 + i % 4, 0, i);
        }
        ww_arch arch = small_arch();
        arch.peer.fetch_across_lines = across == 1;
        machine m;
        open_on(&m, &arch, &c, 8, 32);
        run_cta(&m);
        fetches[across] = get(&m, WW_C_L1I_READ_HIT) + get(&m, WW_C_L1I_READ_MISS);
        machine_close(&m);
    }
    assert_int_equal(fetches[0], fetches[1] + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_add_to_the_latency),
        cmocka_unit_test(others_pass_a_collector_that_waits),
        cmocka_unit_test(classes_have_their_own_latency),
        cmocka_unit_test(tags_behind_the_l1d_pipeline),
        cmocka_unit_test(words_of_a_wide_load),
        cmocka_unit_test(fetch_past_a_taken_branch),
        cmocka_unit_test(fetch_across_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
