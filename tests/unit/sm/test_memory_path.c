/* test_memory_path.c - timelines of the load/store unit, by hand: the texture cache, sectors that
 * travel together, lines and ports of the L1D, segments past it, and code that is read ahead. An
 * instruction that issues at t has its operands at t + 1, is dispatched at t + 2 and makes its
 * first access at t + 3. */
#include "tests/support/test.h"

#include "tests/unit/sm/trace.h"

enum { ROUND_TRIP = 273 }; /* a miss's access to the use of its line: two_misses_merge */

/* r2, r3 = address + tid << shift */
static void lane_addresses(code *c, uint64_t address, unsigned shift)
{
    address_in(c, 2, address);
    mov(c, 1, sreg(WW_SREG_TID_X));
    for (unsigned i = 0; i < shift; i++) {
        add3(c, 1, 1, 1);
    }
    add3(c, 2, 2, 1);
}

static ww_inst *load_read_only(code *c, uint32_t d, uint32_t a)
{
    ww_inst *i = load_global(c, d, a);
    i->mods |= WW_MOD_NC;
    return i;
}

/* Read-only loads of one line: two that miss, one that hits.
 *     0, 1     the address, written at 11 and 12
 *    12, 13    loads A and B: accesses at 15, a miss, and at 16, merged with it
 *   288        15 + 273: the line is there; A's add, at 289 B's
 *   290        load C; access at 293, a hit: the result 20 later
 *   313        C's add; 314 the exit */
static void read_only_loads_go_through_the_texture_cache(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0},   {1, 1},   {12, 2},  {13, 3}, {288, 4},
                                     {289, 5}, {290, 6}, {313, 7}, {314, 8}};
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address_in(&c, 2);
    load_read_only(&c, 4, 2);
    load_read_only(&c, 5, 2);
    add(&c, 6, 4, 1);
    add(&c, 7, 5, 1);
    load_read_only(&c, 8, 2);
    add(&c, 9, 8, 1);
    ww_arch arch = plain_arch(1);
    arch.l1t.hit_latency = 20;
    trace_code(&m, &arch, &c, 12, 32, address, &t);
    CHECK_TRACE(&t, expected);
    assert_int_equal(get(&m, WW_C_L1T_READ_MISS), 2);
    assert_int_equal(get(&m, WW_C_L1T_READ_HIT), 1);
    assert_int_equal(get(&m, WW_C_L1T_FILL), 1);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS) + get(&m, WW_C_L1D_READ_HIT), 0);
    machine_close(&m);
}

/* What a load takes from its issue to that of its consumer, the second time; the first time it
 * fills the lines. */
static uint64_t second_load(const ww_arch *arch, unsigned shift, uint64_t *requests,
                            uint64_t *accesses)
{
    code c = {0};
    machine m;
    uint64_t address = first_address();
    lane_addresses(&c, address, shift);
    uint32_t before = c.count;
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    load_global(&c, 6, 2);
    add(&c, 7, 6, 1);
    finish(&c);
    machine_open(&m, arch, as_kernel(&c, 8), 32);
    allocate(&m, address);
    start_cta(&m);
    until(&m, WW_C_INST_ISSUED, before + 1);
    uint64_t of_code = get(&m, WW_C_ICNT_REQ_PACKETS);
    uint64_t issued = until(&m, WW_C_INST_ISSUED, before + 3);
    *requests = get(&m, WW_C_ICNT_REQ_PACKETS) - of_code;
    uint64_t took = until(&m, WW_C_INST_ISSUED, before + 4) - issued;
    *accesses = get(&m, WW_C_L1D_READ_HIT);
    machine_close(&m);
    return took;
}

/* 32 words in a line of four sectors. Sector by sector: four look-ups in a row, each miss a request
 * of its own, and the last hit is looked up at t + 6. Four at once: one access, one request. */
static void sectors_of_a_line_travel_together(void **state)
{
    (void)state;
    const uint32_t together[] = {1, 2, 4}, expected_requests[] = {4, 2, 1};
    for (unsigned k = 0; k < 3; k++) {
        ww_arch arch = plain_arch(1);
        arch.l1d.sector_bytes = 32;
        arch.l1d.write_policy = WW_WRITE_THROUGH;
        arch.ldst.l1_sectors = together[k];
        uint64_t requests, hits;
        uint64_t took = second_load(&arch, 2, &requests, &hits);
        assert_int_equal(requests, expected_requests[k]);
        assert_int_equal(took, 3 + 4 / together[k] - 1 + arch.l1d.hit_latency);
        assert_int_equal(hits, 4);
    }
}

/* One line per lane: 32 look-ups, one in a cycle, the last at t + 3 + 31. Two lanes per line: 16.
 */
static void every_line_takes_a_look_up(void **state)
{
    (void)state;
    for (unsigned shift = 6; shift <= 7; shift++) {
        ww_arch arch = plain_arch(1);
        unsigned lines = 32u << shift >> 7;
        uint64_t requests, hits;
        uint64_t took = second_load(&arch, shift, &requests, &hits);
        assert_int_equal(requests, lines);
        assert_int_equal(hits, lines);
        assert_int_equal(took, 3 + lines - 1 + arch.l1d.hit_latency);
    }
}

/* A hit holds a port of p bytes for 128 / p cycles, so that the second of two lines is looked up
 * that much later. */
static void hits_hold_the_data_port(void **state)
{
    (void)state;
    for (uint32_t port = 32; port <= 128; port *= 2) {
        ww_arch arch = plain_arch(1);
        arch.l1d.data_port_bytes = port;
        uint64_t requests, hits;
        uint64_t took = second_load(&arch, 3, &requests, &hits);
        assert_int_equal(hits, 2);
        assert_int_equal(took, 3 + 128 / port + arch.l1d.hit_latency);
    }
}

/* Requests of one load of 16-bit words, two to a word of 4 B, that passes the L1D: 128 B in one
 * segment, or in two of 64 B where narrow types have segments of 32 of their elements. */
static void narrow_types_have_narrow_segments(void **state)
{
    (void)state;
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        code c = {0};
        machine m;
        uint64_t address = first_address();
        lane_addresses(&c, address, 2);
        uint32_t before = c.count;
        ww_inst *load = load_global(&c, 4, 2);
        load->type = WW_T_U16;
        add(&c, 5, 4, 1);
        ww_arch arch = plain_arch(1);
        arch.ldst.l1_caches_global = false;
        arch.ldst.narrow_segments = narrow == 1;
        open_on(&m, &arch, &c, 8, 32);
        allocate(&m, address);
        start_cta(&m);
        until(&m, WW_C_INST_ISSUED, before + 2);
        assert_int_equal(get(&m, WW_C_GMEM_TRANSACTION), narrow == 1 ? 2 : 1);
        assert_int_equal(get(&m, WW_C_L1D_BYPASS), narrow == 1 ? 2 : 1);
        machine_close(&m);
    }
}

/* Additions that nothing waits for, and the end: three lines of code. */
static void three_lines(code *c)
{
    for (unsigned i = 0; i < 47; i++) {
        add(c, 1 + i, 0, i);
    }
}

/* 48 instructions in three lines of code, two to a fetch, a buffer of four. While instructions
 * issue one a cycle, a pair is fetched whenever two have gone: that of 16 and 17, which begins a
 * line, in the cycle in which 13 issues; 16 issues when the line is there, two cycles less than a
 * round trip after 15. The second line lies in the DRAM row that the first one opened, which saves
 * it tRCD; the third, 256 B behind the first, on another channel. Lines read ahead of the first
 * come right behind it, long before their turn; where that is one, the third is asked for when the
 * second is read, 16 cycles before its turn. */
static void code_is_read_ahead(void **state)
{
    (void)state;
    for (uint32_t lines = 0; lines <= 2; lines++) {
        code c = {0};
        trace t;
        machine m;
        three_lines(&c);
        ww_arch arch = plain_arch(1);
        arch.sm.prefetch_lines = lines;
        trace_code(&m, &arch, &c, 48, 32, 0, &t);
        assert_int_equal(t.count, 48);
        for (unsigned line = 1; line <= 2; line++) {
            unsigned gap = t.issue[16 * line].at - t.issue[16 * line - 1].at;
            unsigned trip = ROUND_TRIP - (line == 1 ? arch.mem.trcd : 0);
            assert_int_equal(gap, lines >= line ? 1 : lines == 0 ? trip - 2 : trip - 2 - 16);
        }
        assert_int_equal(get(&m, WW_C_L1I_FILL), 3);
        machine_close(&m);
    }
}

/* The same lines, of which the launch brings one and a half, that is two: nobody waits for them.
 * The third comes when it is fetched. */
static void a_launch_brings_code(void **state)
{
    (void)state;
    uint64_t end[2];
    const uint32_t trcd = plain_arch(1).mem.trcd;
    for (uint32_t k = 0; k < 2; k++) {
        code c = {0};
        trace t;
        machine m;
        three_lines(&c);
        ww_arch arch = plain_arch(1);
        arch.sm.launch_prefetch_bytes = k * 192;
        trace_code(&m, &arch, &c, 48, 32, 0, &t);
        end[k] = m.now;
        assert_int_equal(t.issue[16].at - t.issue[15].at, k == 1 ? 1 : ROUND_TRIP - trcd - 2);
        assert_int_equal(t.issue[32].at - t.issue[31].at, ROUND_TRIP - 2);
        assert_int_equal(get(&m, WW_C_L1I_FILL), 3);
        assert_int_equal(get(&m, WW_C_L1I_READ_MISS), k == 1 ? 1 : 3);
        machine_close(&m);
    }
    /* the first line: a hit takes two cycles; the second: the gap is one */
    assert_int_equal(end[0] - end[1], ROUND_TRIP - 2 + ROUND_TRIP - trcd - 2 - 1);
}

/* Loads may hold so many collectors: with one, the next issues when the first is dispatched, two
 * cycles later, and so on; with two, two follow each other and the third waits. */
static void loads_share_their_collectors(void **state)
{
    (void)state;
    static const unsigned expected[2][4] = {{0, 2, 4, 6}, {0, 1, 2, 3}};
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        trace t;
        machine m;
        for (unsigned i = 0; i < 4; i++) {
            load_shared(&c, 4 + i, 0);
        }
        ww_arch arch = plain_arch(1);
        arch.regfile.ldst_collectors = k + 1;
        trace_code(&m, &arch, &c, 8, 32, 0, &t);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(t.issue[i].at, expected[k][i]);
        }
        machine_close(&m);
    }
}

/* Two warps, room for one in the active set. A shared load is no reason to leave it: warp 0 keeps
 * its place while it waits, and both lose 26 slots to a short wait. 0        warp 0 loads; access
 * at 3, data 24 later 27, 28    its add and exit 29        warp 1 loads; 56, 57 its add and exit */
static void a_shared_load_keeps_its_warp_active(void **state)
{
    (void)state;
    static const issue expected[] = {{0, 0}, {27, 1}, {28, 2}, {29, 0}, {56, 1}, {57, 2}};
    code c = {0};
    trace t;
    machine m;
    load_shared(&c, 2, 1);
    add(&c, 3, 2, 1);
    ww_arch arch = plain_arch(1);
    arch.sm.scheduler = WW_SCHED_TWO_LEVEL;
    arch.sm.two_level_active = 1;
    trace_code(&m, &arch, &c, 8, 64, 0, &t);
    CHECK_TRACE(&t, expected);
    assert_int_equal(get(&m, WW_C_STALL_RAW_SHORT), 2 * 26);
    assert_int_equal(get(&m, WW_C_STALL_RAW_LONG), 0);
    machine_close(&m);
}

/* The same with a global load: warp 1 takes the place of warp 0 in the cycle after its load, once
 * its add is seen to wait. */
static void a_global_load_gives_its_place_up(void **state)
{
    (void)state;
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address_in(&c, 2);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    ww_arch arch = plain_arch(1);
    arch.sm.scheduler = WW_SCHED_TWO_LEVEL;
    arch.sm.two_level_active = 1;
    trace_code(&m, &arch, &c, 8, 64, address, &t);
    assert_int_equal(t.issue[2].pc, 2);
    assert_int_equal(t.issue[3].pc, 0); /* warp 1 begins before warp 0 has its data */
    assert_int_equal(t.issue[3].at, t.issue[2].at + 1);
    assert_int_equal(get(&m, WW_C_STALL_RAW_LONG) > 200, true);
    machine_close(&m);
}

/* Without latency or bandwidth a load is there in the cycle after its first access, whether it
 * covers one line or 32, and nothing leaves the SM; each line counts as a hit. */
static void perfect_memory_answers_in_a_cycle(void **state)
{
    (void)state;
    for (unsigned shift = 2; shift <= 7; shift += 5) {
        uint64_t requests, accesses;
        ww_arch arch = plain_arch(1);
        arch.ldst.l1_perfect = true;
        assert_int_equal(second_load(&arch, shift, &requests, &accesses), 3 + 1);
        assert_int_equal(requests, 0);
        assert_int_equal(accesses, shift == 2 ? 2 : 64);
    }
}

/* Two lines in one set: of four lines that are stored to, the first two leave dirty, each once and
 * whole; the others stay. */
static void dirty_lines_are_written_back_once(void **state)
{
    (void)state;
    enum { LINES = 4 };
    code c = {0};
    machine m;
    uint64_t address = first_address();
    ww_arch arch = plain_arch(1);
    arch.l1d.bytes = 2 * arch.l1d.line_bytes;
    arch.l1d.ways = 2;
    arch.l1d.write_policy = WW_WRITE_BACK;
    arch.l1d.write_allocate = WW_WRITE_ALLOCATE;
    lane_addresses(&c, address, 2);
    for (unsigned i = 0; i < LINES; i++) {
        store_global(&c, 2, 1);
        add(&c, 2, 2, 128);
    }
    finish(&c);
    machine_open(&m, &arch, as_kernel(&c, 8), 32);
    allocate(&m, address);
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_L1D_WRITEBACK), LINES - 2);
    machine_close(&m);
}

/* Three loads of 32 lines each wait behind each other in the queue: lines are looked up one a
 * cycle, the last 95 cycles after the first, and each load once. */
static void loads_leave_the_queue_as_they_came(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    uint64_t address = first_address();
    ww_arch arch = plain_arch(1);
    arch.l1d.mshr_entries = 128;
    lane_addresses(&c, address, 7);
    for (uint32_t i = 0; i < 3; i++) {
        load_global(&c, 4 + i, 2);
        c.inst[c.count - 1].offset = 32 * 128 * i;
    }
    open_on(&m, &arch, &c, 12, 32);
    allocate(&m, address);
    start_cta(&m);
    const uint64_t first = until(&m, WW_C_L1D_READ_MISS, 1);
    assert_int_equal(until(&m, WW_C_L1D_READ_MISS, 96) - first, 95);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 96);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 96);
    machine_close(&m);
}

/* One miss at a time: of a load's two lines the second waits for the first. A CTA that begins
 * meanwhile counts no cycle of that again. */
static void a_cta_that_begins_counts_no_stall_twice(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    ww_error err = {0};
    uint64_t address = first_address();
    ww_arch arch = plain_arch(1);
    arch.l1d.mshr_entries = 1;
    lane_addresses(&c, address, 3);
    load_global(&c, 4, 2);
    open_on(&m, &arch, &c, 8, 32);
    allocate(&m, address);
    start_cta(&m);
    const uint64_t since = until(&m, WW_C_L1D_STALL, 1);
    for (unsigned i = 0; i < 20; i++) {
        cycle(&m);
    }
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now - 1, &err), err);
    cycle(&m);
    assert_int_equal(get(&m, WW_C_L1D_STALL), m.now - since);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_only_loads_go_through_the_texture_cache),
        cmocka_unit_test(sectors_of_a_line_travel_together),
        cmocka_unit_test(every_line_takes_a_look_up),
        cmocka_unit_test(hits_hold_the_data_port),
        cmocka_unit_test(narrow_types_have_narrow_segments),
        cmocka_unit_test(code_is_read_ahead),
        cmocka_unit_test(a_launch_brings_code),
        cmocka_unit_test(loads_share_their_collectors),
        cmocka_unit_test(a_shared_load_keeps_its_warp_active),
        cmocka_unit_test(a_global_load_gives_its_place_up),
        cmocka_unit_test(perfect_memory_answers_in_a_cycle),
        cmocka_unit_test(dirty_lines_are_written_back_once),
        cmocka_unit_test(loads_leave_the_queue_as_they_came),
        cmocka_unit_test(a_cta_that_begins_counts_no_stall_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
