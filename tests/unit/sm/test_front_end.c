/* test_front_end.c - instruction fetch, buffers, and the constant cache in front of issue. */
#include "tests/support/test.h"

#include "tests/unit/sm/kernels.h"

/* 40 instructions of 8 B lie in three 128-byte lines: three misses for the first warp; the others
 * hit or merge. */
static void cold_code_misses_once_per_line(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 39; i++) {
        add(&c, 1 + i % 8, 0, i);
    }
    machine m;
    open_small(&m, &c, 12, 32);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_L1I_READ_MISS), 3);
    assert_int_equal(get(&m, WW_C_L1I_FILL), 3);
    assert_int_equal(get(&m, WW_C_L1I_READ_HIT) + get(&m, WW_C_L1I_READ_MISS),
                     20); /* two at a time */
    assert_int_equal(get(&m, WW_C_INST_DECODED), 40);
    assert_true(get(&m, WW_C_STALL_IBUF) > 3 * 100);
    machine_close(&m);
}

/* A taken branch drops what was fetched behind it. */
static void taken_branch_flushes_the_buffer(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    add(&c, 2, 0, 1);
    put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 6;
    add(&c, 1, 0, 1);
    add(&c, 2, 0, 1);
    add(&c, 3, 0, 1);
    machine m;
    open_small(&m, &c, 4, 32);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 4);
    assert_int_equal(get(&m, WW_C_BRANCHES), 2); /* the exit is a control transfer too */
    assert_int_equal(get(&m, WW_C_BRANCHES_DIVERGENT), 0);
    assert_true(get(&m, WW_C_IBUF_FLUSHED) > 0);
    assert_int_equal(get(&m, WW_C_INST_DECODED),
                     get(&m, WW_C_INST_ISSUED) + get(&m, WW_C_IBUF_FLUSHED));
    machine_close(&m);
}

/* Two branches of one kind: the first is not taken (predicates start false), the second is. Fetch
 * that waits for their direction brings nothing that is dropped, and what stands behind the first
 * comes later. */
static void fetch_may_wait_for_a_branch(void **state)
{
    (void)state;
    uint64_t behind[2];
    for (unsigned waits = 0; waits < 2; waits++) {
        code c = {0};
        ww_inst *not_taken = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
        not_taken->guard = pred(1);
        not_taken->target = 6;
        add(&c, 1, 0, 1);
        add(&c, 2, 0, 1);
        ww_inst *taken = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
        taken->guard = pred(1);
        taken->guard.flags |= WW_OPD_NOT;
        taken->target = 6;
        add(&c, 3, 0, 1);
        add(&c, 4, 0, 1);
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.fetch_awaits_branches = waits == 1;
        machine m;
        machine_open(&m, &arch, as_kernel(&c, 8), 32);
        start_cta(&m);
        const uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
        behind[waits] = until(&m, WW_C_INST_ISSUED, 2) - first;
        run_out(&m);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), 5);
        assert_int_equal(get(&m, WW_C_IBUF_FLUSHED) == 0, waits == 1);
        assert_int_equal(get(&m, WW_C_INST_DECODED),
                         get(&m, WW_C_INST_ISSUED) + get(&m, WW_C_IBUF_FLUSHED));
        machine_close(&m);
    }
    assert_int_equal(behind[0], 1);
    assert_int_equal(behind[1], 2); /* fetched in the branch's cycle, decoded in the next */
}

/* Slots 0 and 2 are the first scheduler's. Of three warps with room, two are served in a cycle; of
 * each scheduler's one, the two of the first take turns, and need as many cycles more as one of
 * them has instructions beyond its part. */
static void fetch_may_serve_each_scheduler(void **state)
{
    (void)state;
    enum { INSTRUCTIONS = 12, WARPS = 3, A_CYCLE = 2 };
    uint64_t took[2];
    for (unsigned grouped = 0; grouped < 2; grouped++) {
        code c = {0};
        for (unsigned i = 0; i + 1 < INSTRUCTIONS; i++) {
            mov(&c, 1 + i, imm(i));
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.fetch_warps = A_CYCLE;
        arch.sm.fetch_instructions = 1;
        arch.sm.ibuffer_entries = 16;
        arch.sm.fetch_by_group = grouped == 1;
        machine m;
        machine_open(&m, &arch, as_kernel(&c, 16), 32 * WARPS);
        start_cta(&m);
        const uint64_t first = until(&m, WW_C_INST_DECODED, 1);
        took[grouped] = until(&m, WW_C_INST_DECODED, WARPS * INSTRUCTIONS) - first;
        run_out(&m);
        machine_close(&m);
    }
    assert_in_range(took[1] - took[0], 2 * INSTRUCTIONS - WARPS * INSTRUCTIONS / A_CYCLE - 2,
                    2 * INSTRUCTIONS - WARPS * INSTRUCTIONS / A_CYCLE + 2);
}

static void run_with_params(machine *m, const ww_arch *arch, code *c, uint32_t threads,
                            const unsigned char *params, uint32_t bytes)
{
    finish(c);
    const ww_kernel *kernel = as_kernel(c, 4);
    c->kernel.param_bytes = bytes;
    machine_open(m, arch, kernel, threads);
    m->launch.params = params;
    run_cta(m);
}

/* The parameter's line is fetched once; warps that need it meanwhile wait, later reads hit. */
static void constant_operand_waits_for_its_line(void **state)
{
    (void)state;
    code c = {0};
    ww_operand k = {.kind = WW_OPD_CONST, .words = 1, .imm = 8};
    mov(&c, 1, k);
    mov(&c, 2, k);
    const unsigned char params[16] = {0};
    ww_arch arch = small_arch();
    machine m;
    run_with_params(&m, &arch, &c, 64, params, sizeof params);
    assert_int_equal(get(&m, WW_C_L1C_READ_HIT) + get(&m, WW_C_L1C_READ_MISS), 4);
    assert_int_equal(get(&m, WW_C_L1C_READ_MISS), 2); /* both warps ask before the line is there */
    assert_int_equal(get(&m, WW_C_L1C_FILL), 1);
    assert_true(get(&m, WW_C_STALL_RAW_LONG) > 100);
    machine_close(&m);
}

/* Operands in the first and the third sector of a line of four: one miss brings all of it. */
static void a_constant_line_comes_as_a_whole(void **state)
{
    (void)state;
    code c = {0};
    ww_operand first = {.kind = WW_OPD_CONST, .words = 1, .imm = 0};
    ww_operand third = {.kind = WW_OPD_CONST, .words = 1, .imm = 128};
    mov(&c, 1, first);
    for (uint32_t i = 0; i < 200; i++) {
        add(&c, 1, 1, 1); /* until the line is there */
    }
    mov(&c, 2, third);
    const unsigned char params[256] = {0};
    ww_arch arch = small_arch();
    arch.l1c.line_bytes = 256;
    arch.l1c.mshr_entries = 8;
    machine m;
    run_with_params(&m, &arch, &c, 32, params, sizeof params);
    assert_int_equal(get(&m, WW_C_L1C_FILL), 4);
    assert_int_equal(get(&m, WW_C_L1C_READ_HIT), 1);
    machine_close(&m);
}

/* An instruction whose guard fails in every lane takes a slot and nothing else. */
static void nullified_instructions_use_no_unit(void **state)
{
    (void)state;
    code c = {0};
    ww_operand no = pred(1);
    add(&c, 1, 0, 1)->guard = no; /* predicates start false */
    load_shared(&c, 2, 1)->guard = no;
    machine m;
    open_small(&m, &c, 4, 32);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 3);
    assert_int_equal(get(&m, WW_C_INST_THREAD), 32);
    assert_int_equal(get(&m, WW_C_RF_READ) + get(&m, WW_C_RF_WRITE), 0);
    assert_int_equal(get(&m, WW_C_PIPE_SP) + get(&m, WW_C_PIPE_LDST) + get(&m, WW_C_SHARED_INST),
                     0);
    machine_close(&m);
}

/* Two instructions of one warp per cycle when the scheduler is two wide. */
static void dual_issue_halves_the_time(void **state)
{
    (void)state;
    uint64_t took[2];
    for (unsigned width = 1; width <= 2; width++) {
        code c = {0};
        for (unsigned i = 0; i < 8; i++) {
            mov(&c, 1 + i, imm(i));
        }
        ww_arch arch = small_arch();
        arch.sm.issue_width = width;
        arch.sm.ibuffer_entries = 16;
        arch.sm.fetch_instructions = 8;
        arch.regfile.collector_ports = 4;
        arch.units.sp_count = 4;
        machine m;
        open_on(&m, &arch, &c, 12, 32);
        start_cta(&m);
        took[width - 1] = issues_take(&m, 8);
        assert_int_equal(get(&m, WW_C_SLOTS_ISSUED), width == 1 ? 8 : 4);
        machine_close(&m);
    }
    assert_int_equal(took[0], 7);
    assert_int_equal(took[1], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_code_misses_once_per_line),
        cmocka_unit_test(taken_branch_flushes_the_buffer),
        cmocka_unit_test(fetch_may_wait_for_a_branch),
        cmocka_unit_test(fetch_may_serve_each_scheduler),
        cmocka_unit_test(constant_operand_waits_for_its_line),
        cmocka_unit_test(a_constant_line_comes_as_a_whole),
        cmocka_unit_test(nullified_instructions_use_no_unit),
        cmocka_unit_test(dual_issue_halves_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
