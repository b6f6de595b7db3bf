/* test_hooks.c - does every hook and service of the seam act in the cycle it should? */
#include "tests/unit/mech/script.h"

#include <string.h>

static script plain(void)
{
    return (script){.at_pc = NOTHING,
                    .skip_pc = NOTHING,
                    .wait_pc = NOTHING,
                    .hold_pc = NOTHING,
                    .why = WW_COUNTER_COUNT};
}

static void address_in(code *c, uint32_t r, uint64_t address)
{
    mov(c, r, imm(address & 0xffffffffu));
    mov(c, r + 1, imm(address >> 32));
}

static uint32_t value(machine *m, uint32_t warp, uint32_t r)
{
    return ww_mech_warp(m->sm, warp)->regs[(size_t)r * WW_WARP_SIZE + 7];
}

/* The code on a machine that follows the script, with one CTA. */
static void begin(machine *m, code *c, uint32_t registers, uint32_t threads, script *s)
{
    finish(c);
    const ww_arch arch = small_arch();
    machine_script(m, &arch, as_kernel(c, registers), threads, s);
    start_cta(m);
}

static void begin_on(machine *m, code *c, ww_core core, script *s)
{
    finish(c);
    ww_arch arch = small_arch();
    arch.sm.core = core;
    arch.sm.dependence = WW_DEPEND_SCOREBOARD;
    arch.regfile.bank_reads = 1;
    machine_script(m, &arch, as_kernel(c, 20), 32, s);
    start_cta(m);
}

/* ---- watching alone ---- */

static void watching_changes_nothing(void **state)
{
    (void)state;
    uint64_t address = first_address();
    code c = {0};
    address_in(&c, 2, address);
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
    script s = plain();
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
    begin(&m, &c, 4, 32, s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    if (s->verdict.kind == WW_ISSUE_OWN) {
        s->complete_at = first + 7;
    }
    uint64_t took = until(&m, WW_C_INST_ISSUED, 2) - first;
    assert_int_equal(value(&m, 0, 2), 2);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
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
    script s = plain();
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
        script s = plain();
        s.at_pc = 0;
        s.verdict.kind = WW_ISSUE_UNIT;
        s.bank = row[k].bank;
        s.moves = row[k].second;
        begin_on(&m, &c, row[k].core, &s);
        uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, row[k].took);
        assert_int_equal(get(&m, WW_C_RF_CONFLICT), row[k].conflicts);
        machine_close(&m);
    }
}

/* The second instruction could issue in the next cycle; held, it does in the cycle of its release,
 * and its scheduler loses the nineteen slots between. */
static void a_held_warp_issues_when_released(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    add(&c, 2, 0, 1);
    machine m;
    script s = plain();
    s.hold_pc = 1;
    s.release_at = UINT64_MAX;
    s.why = WW_C_MECH_LOCKED; /* in place of a counter of the script's own */
    begin(&m, &c, 4, 32, &s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    s.release_at = first + 20;
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
    add(&c, 1, 0, 1);
    add(&c, 2, 1, 1);
    machine m;
    script s = plain();
    s.hold_pc = 1;
    s.release_at = UINT64_MAX;
    begin(&m, &c, 4, 32, &s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    s.release_at = first + 5;
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
        script s = plain();
        s.at_pc = k;
        s.lift_pc = k;
        s.verdict =
            (ww_issue_verdict){.kind = k == 1 ? WW_ISSUE_RENAME : WW_ISSUE_UNIT, .latency = 1};
        machine_script(&m, &arch, as_kernel(&c, 4), 32, &s);
        start_cta(&m);
        uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, k == 1 ? 1 : 2);
        assert_int_equal(value(&m, 0, 2), 1);
        machine_close(&m);
    }
}

/* ---- front end ---- */

/* A buffer of two entries: the third instruction's fetch begins when the second issues, in F; it is
 * decoded in F + 1 and issues in F + 2. Supplied, it is in the buffer in F and issues in F + 1. */
static void a_supplied_instruction_is_not_fetched(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        for (uint32_t i = 0; i < 3; i++) {
            add(&c, 1 + i, 0, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.ibuffer_entries = 2;
        machine m;
        script s = plain();
        s.supply_pc = k == 1 ? 2 : 0;
        machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
        start_cta(&m);
        uint64_t second = until(&m, WW_C_INST_ISSUED, 2);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - second, k == 1 ? 1 : 2);
        while (ww_sm_pulse_of(m.sm)->ctas > 0) {
            cycle(&m);
        }
        assert_int_equal(value(&m, 0, 3), 1);
        assert_int_equal(get(&m, WW_C_MECH_SUPPLIED), k);
        assert_int_equal(get(&m, WW_C_INST_DECODED), 4 - k);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), 4);
        machine_close(&m);
    }
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
    script s = plain();
    s.skip_pc = 1;
    begin(&m, &c, 4, 32, &s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, 12);
    assert_int_equal(value(&m, 0, 1), 111);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
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
    script s = plain();
    s.skip_pc = 2;
    begin(&m, &c, 4, 32, &s);
    until(&m, WW_C_INST_ISSUED, 3);
    assert_int_equal(value(&m, 0, 1), 100);
    assert_int_equal(s.skipped, 0);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 0);
    assert_int_equal(s.flushed_first, 2);
    assert_int_equal(s.flushed, 3);
    machine_close(&m);
}

/* The third instruction begins the second fetch. Released in cycle T it is fetched in T, decoded in
 * T + 1, issued in T + 2. */
static void a_fetch_held_back_goes_on_when_released(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 4; i++) {
        add(&c, 1 + i, 0, 1);
    }
    machine m;
    script s = plain();
    s.wait_pc = 2;
    s.release_at = UINT64_MAX;
    begin(&m, &c, 8, 32, &s);
    uint64_t second = until(&m, WW_C_INST_ISSUED, 2);
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
    for (uint32_t i = 0; i < 4; i++) {
        add(&c, 1 + i, 0, 1);
    }
    machine m;
    script s = plain();
    s.wait_pc = 2;
    s.release_at = UINT64_MAX;
    s.why = WW_C_MECH_LOCKED; /* in place of a counter of the script's own */
    begin(&m, &c, 8, 32, &s);
    uint64_t second = until(&m, WW_C_INST_ISSUED, 2), before = get(&m, WW_C_STALL_IBUF);
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
        for (uint32_t i = 0; i < 7; i++) {
            add(&c, 1 + i, 0, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.ibuffer_entries = 8;
        arch.sm.fetch_instructions = 8;
        machine m;
        script s = plain();
        s.favour = k == 1 ? 1u << 2 : 0;
        machine_script(&m, &arch, as_kernel(&c, 12), 96, &s);
        start_cta(&m);
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
        for (uint32_t i = 0; i < 7; i++) {
            add(&c, 1 + i, 0, 1);
        }
        bar(&c); /* until all warps' buffers are full */
        for (uint32_t i = 0; i < 7; i++) {
            add(&c, 1 + i, 0, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.sm.scheduler = WW_SCHED_GTO;
        arch.sm.ibuffer_entries = arch.sm.fetch_instructions = 16;
        arch.sm.schedulers = 2;
        machine m;
        script s = plain();
        s.background = background[k];
        machine_script(&m, &arch, as_kernel(&c, 12), 160, &s);
        start_cta(&m);
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

/* ---- memory ---- */

/* Time from a load to its consumer, after a wait in which a mechanism may have prepared it. */
static uint64_t load_time(script *s, machine *m, uint64_t address)
{
    static code c; /* the program refers to it */
    memset(&c, 0, sizeof c);
    address_in(&c, 2, address);
    for (unsigned i = 0; i < 60; i++) {
        add(&c, 1, 1, 1);
    }
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    finish(&c);
    ww_arch arch = small_arch();
    machine_script(m, &arch, as_kernel(&c, 8), 32, s);
    allocate(m, address);
    start_cta(m);
    uint64_t load = until(m, WW_C_INST_ISSUED, 63);
    return until(m, WW_C_INST_ISSUED, 64) - load;
}

/* As a hit: operands in the next cycle, dispatch, look-up, then the L1D's latency. */
static void a_line_requested_ahead_is_a_hit(void **state)
{
    (void)state;
    uint64_t address = first_address();
    script s = plain();
    machine m;
    s.inject_at = 20;
    s.inject = address;
    uint64_t took = load_time(&s, &m, address);
    assert_int_equal(took, 3 + m.arch.l1d.hit_latency);
    assert_int_equal(s.injected, WW_INJECT_SENT);
    assert_int_equal(s.injected_again, WW_INJECT_BUSY);
    assert_true(s.filled > 20);
    assert_int_equal(s.looked_up, WW_CACHE_HIT);
    assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 0);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
    machine_close(&m);
}

/* Of a line that is there already, too: one look-up a cycle. */
static void a_look_up_takes_the_port(void **state)
{
    (void)state;
    uint64_t address = first_address();
    code c = {0};
    address_in(&c, 2, address);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    for (unsigned i = 0; i < 60; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    ww_arch arch = small_arch();
    machine m;
    script s = plain();
    s.inject_at = 600;
    s.inject = address;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    run_cta(&m);
    assert_int_equal(s.injected, WW_INJECT_PRESENT);
    assert_int_equal(s.injected_again, WW_INJECT_BUSY);
    machine_close(&m);
}

/* What kind of access each is, and where its lanes' addresses begin: 32 words from byte 20 on. */
static void accesses_say_what_they_are(void **state)
{
    (void)state;
    static const struct {
        ww_op op;
        uint32_t mods;
        ww_access_kind kind;
        bool cached;
    } cases[] = {{WW_OP_LD, 0, WW_ACCESS_LOAD, true},
                 {WW_OP_LD, WW_MOD_CACHE_CG, WW_ACCESS_LOAD, false},
                 {WW_OP_LD, WW_MOD_NC, WW_ACCESS_TEXTURE, false},
                 {WW_OP_ST, 0, WW_ACCESS_STORE, true},
                 {WW_OP_RED, 0, WW_ACCESS_ATOMIC, false}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(cases); k++) {
        uint64_t address = first_address();
        code c = {0};
        address_in(&c, 2, address + 20);
        mov(&c, 1, sreg(WW_SREG_TID_X));
        add3(&c, 1, 1, 1);
        add3(&c, 1, 1, 1);
        add3(&c, 2, 2, 1);
        ww_inst *i = cases[k].op == WW_OP_LD ? load_global(&c, 4, 2) : store_global(&c, 2, 4);
        i->op = (uint16_t)cases[k].op;
        i->mods |= cases[k].mods;
        i->sub = cases[k].op == WW_OP_RED ? WW_SUB_ADD : i->sub;
        finish(&c);
        ww_arch arch = small_arch();
        machine m;
        script s = plain();
        machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
        allocate(&m, address);
        run_cta(&m);
        assert_int_equal(s.access.kind, cases[k].kind);
        assert_int_equal(s.access.cached, cases[k].cached);
        assert_false(s.access.local);
        assert_int_equal(s.segments, 2);
        assert_int_equal(s.runs, 1);
        assert_int_equal(s.run.address, address + 20);
        assert_int_equal(s.run.bytes, 128);
        machine_close(&m);
    }
}

/* A buffer of the mechanism's own answers in 5 cycles; the L1D is not looked up. */
static void a_buffer_beside_the_cache_answers(void **state)
{
    (void)state;
    uint64_t address = first_address();
    script s = plain();
    machine m;
    s.beside_latency = 5;
    s.beside_at = 20;
    s.beside = address;
    assert_int_equal(load_time(&s, &m, address), 3 + 5);
    assert_true(s.arrived > 20);
    assert_int_equal(s.token, 77);
    assert_int_equal(get(&m, WW_C_L1D_READ_HIT) + get(&m, WW_C_L1D_READ_MISS), 0);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 0);
    machine_close(&m);
}

/* Five lines of one set of four ways: the first leaves. */
static void the_line_that_leaves_is_named(void **state)
{
    (void)state;
    uint64_t address = first_address();
    ww_arch arch = small_arch();
    arch.l1d = fixture_l1d();
    uint32_t stride = arch.l1d.bytes / arch.l1d.ways;
    code c = {0};
    for (uint32_t i = 0; i < 5; i++) {
        address_in(&c, 2, address + i * stride);
        load_global(&c, 4, 2);
        add(&c, 5, 4, 1);
    }
    finish(&c);
    machine m;
    script s = plain();
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 5);
    assert_int_equal(s.evicted, address);
    machine_close(&m);
}

/* ---- extra warps ---- */

/* Kernel: a chain that lives long. Second program: adds, loads ahead, tries to store, ends. */
static void run_second_program(const ww_arch *arch)
{
    uint64_t address = first_address();
    code c = {0};
    for (unsigned i = 0; i < 60; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    uint32_t entry = c.count;
    address_in(&c, 2, address);
    add(&c, 6, 0, 5);
    store_global(&c, 2, 6);
    uint32_t load = c.count;
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1); /* does not wait: the pre-load has no result */
    finish(&c);
    uint32_t length = c.count - entry;
    machine m;
    script s = plain();
    s.entry = entry;
    s.at_pc = load;
    s.verdict.kind = WW_ISSUE_PRELOAD;
    machine_script(&m, arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    start_cta(&m);
    assert_int_equal(s.extra, arch->sm.max_warps); /* the first slot behind the kernel's own */
    uint64_t issued = until(&m, WW_C_MECH_EXTRA_INST, length - 2);
    assert_int_equal(until(&m, WW_C_MECH_EXTRA_INST, length - 1) - issued, 1);
    assert_int_equal(value(&m, s.extra, 6), 5);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 0); /* nothing stored */
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
    assert_int_equal(get(&m, WW_C_CTAS), 1);
    assert_int_equal(s.exits, 2);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 61 + length);
    machine_close(&m);
}

static void an_extra_warp_runs_its_own_program(void **state)
{
    (void)state;
    ww_arch arch = small_arch();
    run_second_program(&arch);
    arch.sm.max_warps = 64; /* the slot behind these is in another word */
    arch.extra_warps = 1;
    run_second_program(&arch);
}

/* An extra warp behind the slots that masks name is held by its number: no instruction of it while
 * the kernel's warp goes on, the rest afterwards. */
static void an_extra_warp_beyond_the_masks_is_held(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 60; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    uint32_t entry = c.count;
    for (unsigned i = 0; i < 8; i++) {
        add(&c, 2, 2, 1);
    }
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    arch.sm.max_warps = 64;
    arch.extra_warps = 1;
    script s = plain();
    s.entry = entry;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    start_cta(&m);
    until(&m, WW_C_MECH_EXTRA_INST, 2);
    assert_true(ww_mech_is_extra(m.sm, 64));
    assert_false(ww_mech_is_extra(m.sm, 0));
    assert_int_equal(ww_mech_extra(m.sm), 0); /* masks do not name it */
    ww_mech_hold_warp(m.sm, 64, WW_COUNTER_COUNT);
    until(&m, WW_C_INST_ISSUED, 2 + 20);
    assert_int_equal(get(&m, WW_C_MECH_EXTRA_INST), 2);
    ww_mech_release_warp(m.sm, 64);
    until(&m, WW_C_MECH_EXTRA_INST, 9);
    assert_true(get(&m, WW_C_INST_ISSUED) < 61 + 9);
    machine_close(&m);
}

/* A second program without an end stops with the SM's last CTA. */
static void an_extra_warp_ends_with_the_last_cta(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 20; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    uint32_t entry = c.count;
    add(&c, 2, 2, 1);
    ww_inst *jump = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    jump->target = entry;
    machine m;
    ww_arch arch = small_arch();
    script s = plain();
    s.entry = entry;
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    run_cta(&m);
    assert_true(get(&m, WW_C_MECH_EXTRA_INST) > 10);
    for (unsigned i = 0; i < 50; i++) {
        cycle(&m);
    }
    assert_int_equal(ww_mech_extra(m.sm), 0);
    assert_int_equal(ww_mech_live(m.sm), 0);
    run_cta(&m); /* and starts anew with the next */
    assert_int_equal(get(&m, WW_C_MECH_EXTRA_WARPS), 2);
    machine_close(&m);
}

/* A copy of warp 0 runs ahead of it: where the warp is held, the copy goes on. */
static void a_copy_runs_on_past_a_held_warp(void **state)
{
    (void)state;
    uint64_t address = first_address();
    code c = {0};
    add(&c, 1, 0, 41);
    address_in(&c, 2, address);
    add(&c, 1, 1, 1); /* held here */
    store_global(&c, 2, 1);
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    script s = plain();
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    start_cta(&m);
    uint64_t third = until(&m, WW_C_INST_ISSUED, 3);
    ww_mech_hold_issue(m.sm, 1, WW_COUNTER_COUNT);
    s.holds = 1;
    s.release_at = third + 2000;
    s.fork_at = third + 1;
    until(&m, WW_C_MECH_EXTRA_INST, 3);
    assert_int_equal(value(&m, s.fork, 1), 42);
    assert_int_equal(value(&m, 0, 1), 41);
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 0);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 6 + 3);
    machine_close(&m);
}

/* The kernel's own warps execute whatever a mechanism says. */
static void own_warps_cannot_be_suppressed(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    machine m;
    script s = plain();
    s.at_pc = 0;
    s.verdict.kind = WW_ISSUE_SUPPRESS;
    begin(&m, &c, 4, 32, &s);
    ww_error err = {0};
    ww_status st = WW_OK;
    for (unsigned i = 0; st == WW_OK && i < 10000; i++) {
        uint64_t stopped;
        st = ww_sm_run(m.sm, m.now, m.now + 1, true, NULL, 0, &stopped, &err);
        m.now++;
        ww_ports_collect(m.ports);
        ww_ports_run(m.ports, m.now, true);
        ww_ports_grant_credits(m.ports);
        ww_ports_deliver(m.ports);
    }
    assert_int_equal(st, WW_EINTERNAL);
    machine_close(&m);
}

/* A machine whose every warp slot is the kernel's has none for an extra warp, unless a mechanism
 * brings slots of its own (WW_MECH_SLOTS). */
static void no_slot_no_extra_warp(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 1, 0, 1);
    finish(&c);
    machine m;
    ww_arch arch = small_arch();
    arch.sm.max_warps = 64;
    script s = plain();
    machine_script(&m, &arch, as_kernel(&c, 4), 32, &s);
    start_cta(&m);
    ww_error err = {0};
    uint32_t warp;
    assert_int_equal(ww_mech_start_warp(m.sm, 0, 0, m.now, &warp, &err), WW_EUNSUP);
    machine_close(&m);
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
        cmocka_unit_test(a_supplied_instruction_is_not_fetched),
        cmocka_unit_test(background_warps_go_last_and_in_turn),
        cmocka_unit_test(a_skipped_instruction_takes_no_time),
        cmocka_unit_test(a_skip_on_the_wrong_path_has_no_effect),
        cmocka_unit_test(a_fetch_held_back_goes_on_when_released),
        cmocka_unit_test(slots_lost_to_a_held_fetch_have_its_reason),
        cmocka_unit_test(favoured_warps_go_first),
        cmocka_unit_test(a_line_requested_ahead_is_a_hit),
        cmocka_unit_test(a_look_up_takes_the_port),
        cmocka_unit_test(accesses_say_what_they_are),
        cmocka_unit_test(a_buffer_beside_the_cache_answers),
        cmocka_unit_test(the_line_that_leaves_is_named),
        cmocka_unit_test(an_extra_warp_runs_its_own_program),
        cmocka_unit_test(an_extra_warp_beyond_the_masks_is_held),
        cmocka_unit_test(an_extra_warp_ends_with_the_last_cta),
        cmocka_unit_test(a_copy_runs_on_past_a_held_warp),
        cmocka_unit_test(own_warps_cannot_be_suppressed),
        cmocka_unit_test(no_slot_no_extra_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
