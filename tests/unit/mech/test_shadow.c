/* test_shadow.c - does a warp run on in its shadow context in the cycles it should, and come back
 * as if it had not? An instruction behind an empty buffer is fetched in the next cycle (or, where
 * it is emptied before the fetch, in the same one), decoded in the one after and issued in the
 * third; a dependent one follows in 12 cycles. */
#include "tests/unit/mech/script.h"

static script at(uint32_t load, uint32_t stall, uint32_t drop, uint32_t halt)
{
    return (script){.at_pc = load,
                    .verdict.kind = WW_ISSUE_UNIT,
                    .skip_pc = NOTHING,
                    .wait_pc = NOTHING,
                    .hold_pc = NOTHING,
                    .shadow_pc = stall,
                    .drop_pc = drop,
                    .halt_pc = halt};
}

static void open_and_start(machine *m, code *c, uint64_t address, script *s)
{
    finish(c);
    const ww_arch arch = small_arch();
    machine_script(m, &arch, as_kernel(c, 16), 32, s);
    allocate(m, address);
    start_cta(m);
}

static void finish_cta(machine *m)
{
    run_out(m);
}

/* The load issues in T; its consumer is known to wait at T's end. Fetched again in T + 1, it is the
 * head in T + 2, dropped in T + 3; the add behind it issues in T + 4, the store, which needs the
 * sum, in T + 16, without effect, the last add in T + 17. Written in W, the load brings the warp
 * back: the consumer is fetched in W and issues in W + 2, and everything happens once more. */
static void it_runs_on_and_comes_back(void **state)
{
    (void)state;
    enum { LOAD = 2, USE, SUM, STORE, LAST, EXIT };
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    add(&c, 6, 6, 7);
    store_global(&c, 2, 6);
    add(&c, 8, 6, 1);
    machine m;
    script s = at(LOAD, USE, USE, EXIT);
    open_and_start(&m, &c, address, &s);
    uint64_t load = until(&m, WW_C_INST_ISSUED, LOAD + 1);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 1) - load, 4);
    assert_int_equal(s.entered_at, load);
    assert_int_equal(get(&m, WW_C_MECH_SHADOW_DROPPED), 1);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 2) - load, 16);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 3) - load, 17);
    assert_int_equal(value(&m, 0, 6), 7);
    assert_int_equal(value(&m, 0, 8), 8);
    uint64_t lost = get(&m, WW_C_STALL_RAW_LONG);
    uint64_t back = until(&m, WW_C_INST_ISSUED, LOAD + 1 + 3 + 1);
    assert_int_equal(back - s.written_at, 2);
    assert_int_equal(value(&m, 0, 6), 0);
    assert_true(get(&m, WW_C_STALL_RAW_LONG) - lost >= s.written_at - load - 18);
    finish_cta(&m);
    assert_int_equal(value(&m, 0, 6), 7);
    assert_int_equal(value(&m, 0, 8), 8);
    assert_int_equal(*(const uint32_t *)ww_devmem_at(m.mem, address, 4), 7);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), c.count + 3);
    assert_int_equal(get(&m, WW_C_MECH_SHADOWS), 1);
    assert_int_equal(get(&m, WW_C_MECH_SHADOW_LANES), 2 * 32); /* the store had no effect */
    assert_int_equal(get(&m, WW_C_STALL_HELD), 0);             /* held there, it waits for memory */
    machine_close(&m);
}

/* An add that issued in T + 1, behind the load, is still in flight in the shadow context: what
 * needs it there issues 12 cycles later. */
static void it_waits_for_what_was_in_flight(void **state)
{
    (void)state;
    enum { LOAD = 2, FLYING, USE, NEEDS, EXIT };
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    add(&c, 9, 9, 1);
    add(&c, 5, 4, 1);
    add(&c, 10, 9, 1);
    machine m;
    script s = at(LOAD, USE, USE, EXIT);
    open_and_start(&m, &c, address, &s);
    uint64_t add_issued = until(&m, WW_C_INST_ISSUED, FLYING + 1);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 1) - add_issued, 12);
    assert_int_equal(value(&m, 0, 10), 2);
    finish_cta(&m);
    machine_close(&m);
}

/* The first add issues in T, the second waits for it until T + 12; entered at T's end, the third
 * issues in the shadow context in T + 4 and would be written in T + 16. Called back in T + 5, the
 * warp issues the second in T + 12, the third again in T + 13, the fourth, which needs it, 12
 * cycles later and not when the shadow's is written. */
static void what_it_issued_there_counts_for_nothing_here(void **state)
{
    (void)state;
    enum { FIRST = 1, SECOND, THIRD, FOURTH, EXIT };
    code c = {0};
    mov(&c, 0, imm(3));
    add(&c, 1, 1, 1);
    add(&c, 2, 1, 1);
    add(&c, 3, 6, 5);
    add(&c, 4, 3, 1);
    machine m;
    script s = at(NOTHING, SECOND, SECOND, FOURTH);
    s.leave_at = UINT64_MAX;
    open_and_start(&m, &c, first_address(), &s);
    uint64_t first = until(&m, WW_C_INST_ISSUED, FIRST + 1);
    s.leave_at = first + 5;
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 1) - first, 4);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, SECOND + 1 + 1) - first, 12);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, THIRD + 1 + 1) - first, 13);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, FOURTH + 1 + 1) - first, 25);
    assert_int_equal(s.shadow_written_at - first, 16);
    finish_cta(&m);
    assert_int_equal(value(&m, 0, 4), 6);
    machine_close(&m);
}

/* What is loaded there brings its line and no result: the add behind it does not wait. */
static void a_load_there_may_be_a_preload(void **state)
{
    (void)state;
    enum { LOAD = 4, USE, AHEAD, BEHIND, EXIT };
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    address_in(&c, 6, address + 4096);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    load_global(&c, 8, 6);
    add(&c, 9, 8, 1);
    machine m;
    script s = at(AHEAD, USE, USE, EXIT);
    s.verdict.kind = WW_ISSUE_PRELOAD;
    s.leave_at = UINT64_MAX;
    open_and_start(&m, &c, address, &s);
    uint64_t load = until(&m, WW_C_INST_ISSUED, LOAD + 1);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 1) - load, 4);
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, 2) - load, 5);
    s.verdict.kind = WW_ISSUE_UNIT;
    s.leave_at = m.now + 2000;
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 2);
    assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1); /* the load itself, once back */
    machine_close(&m);
}

/* Its CTA's shared memory is there to be read, and is not written: the adds' sum is stored, loaded
 * and stored once, by the warp itself. */
static void shared_memory_is_read_there_and_not_written(void **state)
{
    (void)state;
    enum { SUM = 2, FIRST, BACK, LOAD, USE, MORE, SECOND, AGAIN, EXIT };
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    add(&c, 6, 10, 5);
    ww_operand src[2] = {reg(11), reg(6)};
    put(&c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src)->space = WW_SPACE_SHARED;
    load_shared(&c, 7, 11);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    add(&c, 6, 7, 1);
    put(&c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src)->space = WW_SPACE_SHARED;
    load_shared(&c, 8, 11);
    machine m;
    script s = at(LOAD, USE, USE, EXIT);
    open_and_start(&m, &c, address, &s);
    until(&m, WW_C_MECH_SHADOW_INST, 3);
    assert_int_equal(value(&m, 0, 6), 6);
    assert_int_equal(value(&m, 0, 8), 5); /* as the first store left it */
    finish_cta(&m);
    assert_int_equal(value(&m, 0, 8), 6);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_on_and_comes_back),
        cmocka_unit_test(it_waits_for_what_was_in_flight),
        cmocka_unit_test(what_it_issued_there_counts_for_nothing_here),
        cmocka_unit_test(a_load_there_may_be_a_preload),
        cmocka_unit_test(shared_memory_is_read_there_and_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
