/* test_hooks.c - do hooks at issue and what they may order act in the cycle they should? */
#include "tests/unit/mech/script.h"

/* ---- watching alone ---- */

static void watching_changes_nothing(void **state)
{
    (void)state;
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    for (uint32_t i = 0; i < 4; i++) {
        add(&c, 6 + i, 2, i);
    }
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    store_global(&c, 2, 5);
    bar(&c);
    finish(&c);
    ww_arch arch = small_arch();
    machine with, without;
    script s = script_plain();
    machine_script(&with, &arch, as_kernel(&c, 12), 128, &s);
    machine_open(&without, &arch, as_kernel(&c, 12), 128);
    allocate(&with, address);
    allocate(&without, address);
    run_cta(&with);
    run_cta(&without);
    for (int k = 0; k < WW_COUNTER_COUNT; k++) {
        assert_int_equal(get(&with, (ww_counter)k), get(&without, (ww_counter)k));
    }
    assert_int_equal(s.begun, 1);
    assert_int_equal(s.started, 1);
    assert_int_equal(s.ended, 1);
    assert_int_equal(s.exits, 4);
    assert_int_equal(s.seen, get(&with, WW_C_INST_ISSUED) < MOST_SEEN ? get(&with, WW_C_INST_ISSUED)
                                                                      : MOST_SEEN);
    assert_int_equal(s.heads, get(&with, WW_C_INST_ISSUED));
    assert_int_equal(s.segments, get(&with, WW_C_GMEM_TRANSACTION));
    assert_true(s.stalls >= 4 && s.filled > 0); /* each warp's add waited for its load */
    machine_close(&with);
    assert_int_equal(s.finished, 1);
    machine_close(&without);
}

/* ---- issue ---- */

/* From the issue of an add under a verdict to that of an add which needs its result. */
static uint64_t dependent_after(script *s, uint64_t *reads, uint64_t *writes, uint64_t *lanes)
{
    code c = {0};
    add(&c, 1, 0, 1);
    add(&c, 2, 1, 1);
    machine m;
    script_begin(&m, &c, 4, 32, s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    if (s->verdict.kind == WW_ISSUE_OWN) {
        s->complete_at = first + 7;
    }
    uint64_t took = until(&m, WW_C_INST_ISSUED, 2) - first;
    assert_int_equal(value(&m, 0, 2), 2);
    run_out(&m);
    *reads = get(&m, WW_C_RF_READ);
    *writes = get(&m, WW_C_RF_WRITE);
    *lanes = get(&m, WW_C_OP_INT_ADD);
    assert_int_equal(get(&m, WW_C_MECH_REUSED),
                     s->verdict.kind == WW_ISSUE_REUSE || s->verdict.kind == WW_ISSUE_RENAME);
    machine_close(&m);
    return took;
}

/* A unit: latency + 2. Reuse after 3 cycles: written and seen in that cycle. Rename: the same
 * without a write. An own unit that completes in the seventh cycle, after the cycle's register
 * writes: written in the eighth. */
static void verdicts_decide_when_results_appear(void **state)
{
    (void)state;
    uint64_t reads, writes, lanes;
    script s = script_plain();
    s.at_pc = 0;
    s.verdict = (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
    assert_int_equal(dependent_after(&s, &reads, &writes, &lanes), 12);
    assert_int_equal(reads, 2);
    assert_int_equal(writes, 2);
    assert_int_equal(lanes, 64);

    s.seen = 0;
    s.verdict = (ww_issue_verdict){.kind = WW_ISSUE_REUSE, .latency = 3};
    assert_int_equal(dependent_after(&s, &reads, &writes, &lanes), 3);
    assert_int_equal(reads, 1);
    assert_int_equal(writes, 2);
    assert_int_equal(lanes, 32);

    s.verdict = (ww_issue_verdict){.kind = WW_ISSUE_RENAME, .latency = 3};
    assert_int_equal(dependent_after(&s, &reads, &writes, &lanes), 3);
    assert_int_equal(reads, 1);
    assert_int_equal(writes, 1);
    assert_int_equal(lanes, 32);

    s.verdict = (ww_issue_verdict){.kind = WW_ISSUE_OWN};
    assert_int_equal(dependent_after(&s, &reads, &writes, &lanes), 8);
    assert_int_equal(reads, 1);
    assert_int_equal(writes, 2);
    assert_int_equal(lanes, 32);
    assert_true(s.written_at > 0);
}

/* r0 and r16 share a bank; told that the second lies elsewhere, both are read in one cycle. r0 and
 * r1 do not; told that the second lies in the first one's bank, they are read one after the other.
 */
static void operands_may_lie_elsewhere(void **state)
{
    (void)state;
    const struct {
        ww_core core;
        uint32_t second;
        uint64_t bank, took, conflicts;
    } row[] = {{WW_CORE_SHARED, 16, 0, 13, 1},      {WW_CORE_SHARED, 16, 1 << 3, 12, 0},
               {WW_CORE_SHARED, 1, 0, 12, 0},       {WW_CORE_SHARED, 1, 1 << 0, 13, 1},
               {WW_CORE_PARTITIONED, 16, 0, 12, 1}, {WW_CORE_PARTITIONED, 16, 1 << 3, 11, 0},
               {WW_CORE_PARTITIONED, 1, 0, 11, 0},  {WW_CORE_PARTITIONED, 1, 1 << 0, 12, 1}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(row); k++) {
        code c = {0};
        add3(&c, 2, 0, row[k].second);
        add(&c, 3, 2, 1);
        machine m;
        script s = script_plain();
        s.at_pc = 0;
        s.verdict.kind = WW_ISSUE_UNIT;
        s.bank = row[k].bank;
        s.moves = row[k].second;
        script_begin_on(&m, &c, row[k].core, &s);
        assert_int_equal(issues_take(&m, 2), row[k].took);
        assert_int_equal(get(&m, WW_C_RF_CONFLICT), row[k].conflicts);
        machine_close(&m);
    }
}

/* Two additions of which the script holds the second; returns the cycle in which the first issued,
 * and releases the other so long behind it. */
static uint64_t begin_held(machine *m, code *c, script *s, uint32_t read, uint64_t released)
{
    add(c, 1, 0, 1);
    add(c, 2, read, 1);
    s->hold_pc = 1;
    s->release_at = UINT64_MAX;
    script_begin(m, c, 4, 32, s);
    uint64_t first = until(m, WW_C_INST_ISSUED, 1);
    s->release_at = first + released;
    return first;
}

/* The second instruction could issue in the next cycle; held, it does in the cycle of its release,
 * and its scheduler loses the nineteen slots between. */
static void a_held_warp_issues_when_released(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    script s = script_plain();
    s.why = WW_C_MECH_LOCKED; /* in place of a counter of the script's own */
    uint64_t first = begin_held(&m, &c, &s, 0, 20);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, 20);
    assert_int_equal(get(&m, WW_C_STALL_HELD), 19);
    assert_int_equal(get(&m, WW_C_MECH_LOCKED), 19);
    machine_close(&m);
}

/* The second add waits for the first from the next cycle on, and for its release. It is told to
 * wait for a register in the cycle of the release. */
static void a_stall_behind_a_hold_is_told(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    script s = script_plain();
    uint64_t first = begin_held(&m, &c, &s, 1, 5);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, 12);
    assert_int_equal(s.stalls, 1);
    assert_false(s.memory);
    assert_int_equal(s.stalled_at - first, 5);
    machine_close(&m);
}

/* With one collector the second add waits until the first has read its operands (in the next cycle)
 * and been dispatched (in the one after). Lifted, it needs no collector. */
static void a_renamed_instruction_needs_no_collector(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        add(&c, 1, 0, 1);
        add(&c, 2, 0, 1);
        finish(&c);
        ww_arch arch = small_arch();
        arch.regfile.collectors = 1;
        machine m;
        script s = script_plain();
        s.at_pc = k;
        s.lift_pc = k;
        s.verdict =
            (ww_issue_verdict){.kind = k == 1 ? WW_ISSUE_RENAME : WW_ISSUE_UNIT, .latency = 1};
        machine_script(&m, &arch, as_kernel(&c, 4), 32, &s);
        start_cta(&m);
        assert_int_equal(issues_take(&m, 2), k == 1 ? 1 : 2);
        assert_int_equal(value(&m, 0, 2), 1);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(verdicts_decide_when_results_appear),
        cmocka_unit_test(operands_may_lie_elsewhere),
        cmocka_unit_test(a_held_warp_issues_when_released),
        cmocka_unit_test(a_stall_behind_a_hold_is_told),
        cmocka_unit_test(a_renamed_instruction_needs_no_collector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
