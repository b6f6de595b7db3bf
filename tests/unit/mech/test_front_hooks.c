/* test_front_hooks.c - do hooks of the front end and of the schedulers act in the cycle they
 * should?
 */
#include "tests/unit/mech/script.h"

/* Starts a program that ends, on a machine whose instruction buffers have that many entries. */
static void start_code(machine *m, ww_arch arch, uint32_t entries, code *c, uint32_t threads,
                       script *s)
{
    finish(c);
    arch.sm.ibuffer_entries = entries;
    machine_script(m, &arch, as_kernel(c, 12), threads, s);
    start_cta(m);
}

/* A buffer of two entries: the third instruction's fetch begins when the second issues, in F; it is
 * decoded in F + 1 and issues in F + 2. Supplied, it is in the buffer in F and issues in F + 1. */
static void a_supplied_instruction_is_not_fetched(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        machine m;
        script s = script_plain();
        s.supply_pc = k == 1 ? 2 : 0;
        adds(&c, 1, 3);
        start_code(&m, small_arch(), 2, &c, 32, &s);
        uint64_t second = until(&m, WW_C_INST_ISSUED, 2);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - second, k == 1 ? 1 : 2);
        run_out(&m);
        assert_int_equal(value(&m, 0, 3), 1);
        assert_int_equal(get(&m, WW_C_MECH_SUPPLIED), k);
        assert_int_equal(get(&m, WW_C_INST_DECODED), 4 - k);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), 4);
        machine_close(&m);
    }
}

/* Two warps, one fetched in a cycle: when one is supplied, the other is fetched in the same cycle.
 */
static void a_supplied_instruction_takes_no_turn(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    script s = script_plain();
    s.supply_pc = 4;
    adds(&c, 1, 8);
    ww_arch arch = small_arch();
    arch.sm.fetch_warps = 1;
    start_code(&m, arch, 2, &c, 64, &s);
    bool both = false;
    for (unsigned i = 0; i < 5000 && ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
        const uint64_t supplied = get(&m, WW_C_MECH_SUPPLIED), fetched = get(&m, WW_C_L1I_READ_HIT);
        cycle(&m);
        assert_true(get(&m, WW_C_L1I_READ_HIT) - fetched <= 1);
        both = both ||
               (get(&m, WW_C_MECH_SUPPLIED) > supplied && get(&m, WW_C_L1I_READ_HIT) > fetched);
    }
    assert_int_equal(get(&m, WW_C_MECH_SUPPLIED), 2);
    assert_true(both);
    machine_close(&m);
}

/* Without the skip the third add issues 24 cycles after the first; with it, 12: the second takes no
 * time, and its result is there. */
static void a_skipped_instruction_takes_no_time(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    add(&c, 1, 1, 10);
    add(&c, 1, 1, 100);
    machine m;
    script s = script_plain();
    s.skip_pc = 1;
    script_begin(&m, &c, 4, 32, &s);
    assert_int_equal(issues_take(&m, 2), 12);
    assert_int_equal(value(&m, 0, 1), 111);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 3);
    assert_int_equal(get(&m, WW_C_INST_DECODED), 3);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 1);
    assert_int_equal(s.skipped, 1);
    machine_close(&m);
}

/* A taken branch drops what was to be skipped behind it, which has no effect, and the two
 * instructions behind that, which are on their way. */
static void a_skip_on_the_wrong_path_has_no_effect(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 2, 2, 1);
    ww_inst *jump = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    add(&c, 1, 1, 10);
    add(&c, 1, 1, 100);
    jump->target = 3;
    machine m;
    script s = script_plain();
    s.skip_pc = 2;
    script_begin(&m, &c, 4, 32, &s);
    until(&m, WW_C_INST_ISSUED, 3);
    assert_int_equal(value(&m, 0, 1), 100);
    assert_int_equal(s.skipped, 0);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 0);
    assert_int_equal(s.flushed_first, 2);
    assert_int_equal(s.flushed, 3);
    machine_close(&m);
}

/* Four adds, the third of which begins the second fetch and is held back; the cycle in which the
 * second issues. */
static uint64_t until_fetch_is_held(machine *m, code *c, script *s)
{
    for (uint32_t i = 0; i < 4; i++) {
        add(c, 1 + i, 0, 1);
    }
    s->wait_pc = 2;
    s->release_at = UINT64_MAX;
    script_begin(m, c, 8, 32, s);
    return until(m, WW_C_INST_ISSUED, 2);
}

/* Released in cycle T the third is fetched in T, decoded in T + 1, issued in T + 2. */
static void a_fetch_held_back_goes_on_when_released(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    script s = script_plain();
    uint64_t second = until_fetch_is_held(&m, &c, &s);
    s.release_at = second + 30;
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - second, 32);
    assert_int_equal(get(&m, WW_C_STALL_HELD), 0);
    machine_close(&m);
}

/* The same, with a reason: the slots of cycles 1 to 31 after the second issue are lost to the hold
 * until its end, and the last two to an empty buffer. */
static void slots_lost_to_a_held_fetch_have_its_reason(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    script s = script_plain();
    s.why = WW_C_MECH_LOCKED; /* in place of a counter of the script's own */
    uint64_t second = until_fetch_is_held(&m, &c, &s), before = get(&m, WW_C_STALL_IBUF);
    s.release_at = second + 30;
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - second, 32);
    assert_int_equal(get(&m, WW_C_STALL_HELD), 29);
    assert_int_equal(get(&m, WW_C_MECH_LOCKED), 29);
    assert_int_equal(get(&m, WW_C_STALL_IBUF) - before, 2);
    machine_close(&m);
}

/* Warps 0 and 2 share a scheduler. In turn, warp 0 is first to finish; favoured, warp 2 is. */
static void favoured_warps_go_first(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        machine m;
        script s = script_plain();
        s.favour = k == 1 ? 1u << 2 : 0;
        adds(&c, 1, 7);
        ww_arch arch = small_arch();
        arch.sm.fetch_instructions = 8;
        start_code(&m, arch, 8, &c, 96, &s);
        until(&m, WW_C_INST_ISSUED, 24);
        uint32_t last[3] = {0};
        for (uint32_t i = 0; i < s.seen; i++) {
            last[s.warps[i]] = i;
        }
        assert_int_equal(last[2] < last[0], k == 1);
        machine_close(&m);
    }
}

/* Greedy-then-oldest stays with warp 0 while it can issue. In the background the three warps of the
 * scheduler take turns; with warp 4 not among them, it goes first. */
static void background_warps_go_last_and_in_turn(void **state)
{
    (void)state;
    const uint64_t background[3] = {0, 0x15, 0x5};
    const uint32_t order[3][6] = {{0, 0, 0, 0, 0, 0}, {0, 2, 4, 0, 2, 4}, {4, 4, 4, 4, 4, 4}};
    for (unsigned k = 0; k < 3; k++) {
        code c = {0};
        adds(&c, 1, 7);
        bar(&c); /* until all warps' buffers are full */
        adds(&c, 1, 7);
        machine m;
        script s = script_plain();
        s.background = background[k];
        ww_arch arch = small_arch();
        arch.sm.scheduler = WW_SCHED_GTO;
        arch.sm.fetch_instructions = 16;
        arch.sm.schedulers = 2;
        start_code(&m, arch, 16, &c, 160, &s);
        until(&m, WW_C_INST_ISSUED, 5 * 8);
        s.seen = 0;
        until(&m, WW_C_INST_ISSUED, 5 * 8 + 24);
        uint32_t even = 0;
        for (uint32_t i = 0; i < s.seen && even < 6; i++) {
            if (s.warps[i] % 2 == 0) {
                assert_int_equal(s.warps[i], order[k][even++]);
            }
        }
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_supplied_instruction_is_not_fetched),
        cmocka_unit_test(a_supplied_instruction_takes_no_turn),
        cmocka_unit_test(background_warps_go_last_and_in_turn),
        cmocka_unit_test(a_skipped_instruction_takes_no_time),
        cmocka_unit_test(a_skip_on_the_wrong_path_has_no_effect),
        cmocka_unit_test(a_fetch_held_back_goes_on_when_released),
        cmocka_unit_test(slots_lost_to_a_held_fetch_have_its_reason),
        cmocka_unit_test(favoured_warps_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
