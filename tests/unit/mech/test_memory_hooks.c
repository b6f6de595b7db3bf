/* test_memory_hooks.c - do hooks and services of the memory path act in the cycle they should? */
#include "tests/unit/mech/script.h"

#include <string.h>

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
    script s = script_plain();
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
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    for (unsigned i = 0; i < 60; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    ww_arch arch = small_arch();
    machine m;
    script s = script_plain();
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
        script s = script_plain();
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

/* Two loads of 32 lines each, at t and t + 1. The second is told of when it issues; the first takes
 * the load/store unit from t + 3 on for 32 look-ups at least, so that the second comes to its head
 * at t + 35 at the earliest. */
static void a_load_is_told_of_when_it_issues(void **state)
{
    (void)state;
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    mov(&c, 1, sreg(WW_SREG_TID_X));
    for (unsigned i = 0; i < 7; i++) {
        add3(&c, 1, 1, 1);
    }
    add3(&c, 2, 2, 1);
    const uint32_t first = c.count;
    load_global(&c, 4, 2);
    load_global(&c, 5, 2);
    script s = script_plain();
    machine m;
    script_begin(&m, &c, 8, 32, &s);
    allocate(&m, address);
    const uint64_t second = until(&m, WW_C_INST_ISSUED, first + 2);
    assert_int_equal(s.addressed.pc, first + 1);
    assert_int_equal(s.addressed.kind, WW_ACCESS_LOAD);
    assert_true(s.addressed.cached && !s.addressed.local);
    assert_int_equal(s.addressed_segments, 32);
    const uint64_t issued = s.addressed_at;
    assert_int_equal(second, issued);
    run_out(&m);
    assert_int_equal(s.access.pc, first + 1);
    assert_int_equal(s.segments, 64);
    assert_true(s.coalesced_at >= issued - 1 + 35);
    machine_close(&m);
}

/* Stores and loads from elsewhere are not. */
static void what_is_no_global_load_is_not_told_of(void **state)
{
    (void)state;
    code c = {0};
    uint64_t address = first_address_in(&c, 2);
    store_global(&c, 2, 4);
    script s = script_plain();
    machine m;
    script_begin(&m, &c, 8, 32, &s);
    allocate(&m, address);
    run_out(&m);
    assert_int_equal(s.segments, 1);
    assert_int_equal(s.addressed_segments, 0);
    machine_close(&m);
}

/* A buffer of the mechanism's own answers in 5 cycles; the L1D is not looked up. */
static void a_buffer_beside_the_cache_answers(void **state)
{
    (void)state;
    uint64_t address = first_address();
    script s = script_plain();
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
    script s = script_plain();
    machine_script(&m, &arch, as_kernel(&c, 8), 32, &s);
    allocate(&m, address);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 5);
    assert_int_equal(s.evicted, address);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_requested_ahead_is_a_hit),
        cmocka_unit_test(a_look_up_takes_the_port),
        cmocka_unit_test(accesses_say_what_they_are),
        cmocka_unit_test(a_load_is_told_of_when_it_issues),
        cmocka_unit_test(what_is_no_global_load_is_not_told_of),
        cmocka_unit_test(a_buffer_beside_the_cache_answers),
        cmocka_unit_test(the_line_that_leaves_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
