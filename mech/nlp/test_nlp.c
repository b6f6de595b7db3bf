/* test_nlp.c - does next-line prefetching request the right line in the right cycle, and is the
 * fate of each prefetch counted? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

enum { LINE = 128 };

static void wait(code *c, unsigned adds)
{
    for (unsigned i = 0; i < adds; i++) {
        add(c, 1, 1, 1); /* 12 cycles each */
    }
}

/* Loads and waits for the value. */
static void read(code *c, uint64_t address)
{
    mov(c, 2, imm(address & 0xffffffffu));
    mov(c, 3, imm(address >> 32));
    load_global(c, 4, 2);
    add(c, 5, 4, 1);
}

static void open_nlp(machine *m, code *c, uint32_t degree, uint32_t queue, uint32_t free_mshrs)
{
    ww_arch arch = small_arch();
    ww_error err = {0};
    uint64_t address;
    arch.l1d = fixture_l1d();
    arch.nlp = (ww_nlp_params){.degree = degree, .queue_entries = queue, .free_mshrs = free_mshrs};
    finish(c);
    machine_open_with(m, &arch, as_kernel(c, 8), 32, &ww_mech_nlp);
    assert_ok(ww_devmem_alloc(m->mem, 65536, 256, &address, &err), err);
}

/* The demand miss holds the L1D's port; the prefetch is sent in the next cycle. Its line is there
 * when the second load comes. */
static void the_next_line_is_requested_a_cycle_later(void **state)
{
    (void)state;
    uint64_t a = first_address();
    code c = {0};
    read(&c, a);
    wait(&c, 50);
    read(&c, a + LINE + 4);
    machine m;
    open_nlp(&m, &c, 1, 4, 0);
    start_cta(&m);
    uint64_t miss = until(&m, WW_C_L1D_READ_MISS, 1);
    uint64_t sent = until(&m, WW_C_PF_ISSUED, 1);
    assert_int_equal(sent - miss, 1);
    uint64_t hit = until(&m, WW_C_L1D_READ_HIT, 1);
    assert_int_equal(get(&m, WW_C_PF_USED), 1);
    assert_int_equal(get(&m, WW_C_PF_DISTANCE), hit - sent);
    assert_int_equal(get(&m, WW_C_PF_LATE) + get(&m, WW_C_PF_EARLY), 0);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 2);
    machine_close(&m);
}

/* Demanded at once, the prefetch is on its way: the load waits for the rest of it. */
static void a_late_prefetch_shortens_the_wait(void **state)
{
    (void)state;
    uint64_t a = first_address(), took[2];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 2, imm(a & 0xffffffffu));
        mov(&c, 3, imm(a >> 32));
        mov(&c, 6, imm((a + LINE) & 0xffffffffu));
        mov(&c, 7, imm((a + LINE) >> 32));
        load_global(&c, 4, 2);
        wait(&c, 4);
        load_global(&c, 5, 6);
        add(&c, 5, 5, 1);
        machine m;
        open_nlp(&m, &c, 1, 4, k == 0 ? 64 : 0); /* 64 MSHRs left to demand: none for prefetches */
        start_cta(&m);
        uint64_t load = until(&m, WW_C_INST_ISSUED, 10);
        took[k] = until(&m, WW_C_INST_ISSUED, 11) - load;
        assert_int_equal(get(&m, WW_C_PF_LATE), k);
        assert_int_equal(get(&m, WW_C_PF_ISSUED), k);
        assert_int_equal(get(&m, WW_C_L1D_READ_MERGED), k);
        machine_close(&m);
    }
    assert_true(took[1] + 20 < took[0]); /* asked for four adds earlier, behind the first miss */
}

/* Four lines of its set push the prefetched line out before it is read. */
static void an_early_prefetch_is_counted(void **state)
{
    (void)state;
    uint64_t a = first_address();
    const ww_cache_params l1 = fixture_l1d();
    uint32_t stride = l1.bytes / l1.ways;
    code c = {0};
    read(&c, a);
    wait(&c, 50);
    for (uint32_t i = 1; i <= 4; i++) {
        read(&c, a + LINE + i * stride);
    }
    wait(&c, 50);
    machine m;
    open_nlp(&m, &c, 1, 4, 0);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 5);
    assert_int_equal(get(&m, WW_C_PF_EARLY), 1);
    assert_int_equal(get(&m, WW_C_PF_USED) + get(&m, WW_C_PF_LATE), 0);
    machine_close(&m);
}

/* Two lines ahead of two misses next to each other: of the four requests, the two that overlap. */
static void nothing_is_requested_twice(void **state)
{
    (void)state;
    uint64_t a = first_address();
    code c = {0};
    read(&c, a);
    read(&c, a + 4 * LINE);
    wait(&c, 60);
    read(&c, a + 3 * LINE); /* missed: its lines, a + 4 and a + 5, are there */
    machine m;
    open_nlp(&m, &c, 2, 4, 0);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 6);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 4);
    assert_int_equal(get(&m, WW_C_PF_REDUNDANT), 2);
    assert_int_equal(get(&m, WW_C_PF_DROPPED), 0);
    machine_close(&m);
}

/* A queue of one entry keeps the first of eight. */
static void a_full_queue_drops(void **state)
{
    (void)state;
    code c = {0};
    read(&c, first_address());
    machine m;
    open_nlp(&m, &c, 8, 1, 0);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 8);
    assert_int_equal(get(&m, WW_C_PF_DROPPED), 7);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 1);
    machine_close(&m);
}

/* What waits when a launch ends is forgotten: the next one's request finds a queue of one entry
 * empty. No MSHR is left to prefetches, so that none is sent. */
static void a_launch_begins_with_an_empty_queue(void **state)
{
    (void)state;
    code c = {0};
    ww_error err = {0};
    machine m;
    read(&c, first_address());
    open_nlp(&m, &c, 1, 1, 64);
    run_cta(&m);
    ww_sm_end(m.sm);
    assert_ok(ww_sm_begin(m.sm, &m.program, &m.launch, 8, &err), err);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 2);
    assert_int_equal(get(&m, WW_C_PF_DROPPED), 0);
    machine_close(&m);
}

/* Every other line misses, and has the one behind it there. The mechanism itself has no MSHRs to
 * send anything. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    ww_arch arch = prefetching_arch();
    arch.nlp = (ww_nlp_params){.degree = 1, .queue_entries = 4, .free_mshrs = 64};
    check_ceilings(&arch, &arch.nlp.oracle, &ww_mech_nlp, 8, LINE, 4);
}

/* What is there at a ceiling leaves with a store to it, as it would leave the L1D. */
static void a_store_drops_what_is_there(void **state)
{
    (void)state;
    const uint64_t a = first_address();
    for (unsigned stored = 0; stored < 2; stored++) {
        code c = {0};
        read(&c, a);
        address_in(&c, 6, a + (stored != 0 ? LINE : 8 * LINE));
        store_global(&c, 6, 5);
        read(&c, a + LINE);
        ww_arch arch = prefetching_arch();
        arch.nlp =
            (ww_nlp_params){.degree = 1, .queue_entries = 4, .oracle = WW_PREFETCH_ORACLE_PERFECT};
        finish(&c);
        machine m;
        machine_open_with(&m, &arch, as_kernel(&c, 8), 32, &ww_mech_nlp);
        allocate(&m, a);
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 1 + stored);
        assert_int_equal(get(&m, WW_C_PF_USED), 1 - stored);
        assert_int_equal(get(&m, WW_C_PF_EARLY), stored);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_line_is_requested_a_cycle_later),
        cmocka_unit_test(a_late_prefetch_shortens_the_wait),
        cmocka_unit_test(an_early_prefetch_is_counted),
        cmocka_unit_test(nothing_is_requested_twice),
        cmocka_unit_test(a_full_queue_drops),
        cmocka_unit_test(a_launch_begins_with_an_empty_queue),
        cmocka_unit_test(ceilings_are_in_order),
        cmocka_unit_test(a_store_drops_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
