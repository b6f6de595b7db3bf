/* test_l2_parts.c - does an L2 in two parts take its time to the far one and no more, keep copies
 * where it says so, and count what goes over? SMs 0 to 7 of 15 belong to the first part, and slices
 * 0 to 5 of 12: of addresses, chunks of 256 B go round six channels, so that 0 is near to SM 0 and
 * 0x300, in the fourth channel, far. */
#include "tests/unit/mem/memsys_bench.h"

enum { NEAR = 0, FAR = 0x300, WAY = 150 };

static memsys_bench b;
static ww_mem_req reply;

static void begin(bool copies, uint32_t bytes)
{
    ww_arch arch = memsys_plain_arch();
    arch.mem.l2_parts = 2;
    arch.mem.l2_far_latency = WAY;
    arch.mem.l2_far_bytes = bytes;
    arch.mem.l2_near_copies = copies;
    memsys_bench_open(&b, &arch);
}

static uint64_t trip(uint32_t sm, uint64_t address, ww_req_kind kind)
{
    uint64_t start = b.now;
    memsys_send(&b, sm, address, 128, kind, 1);
    return memsys_wait(&b, sm, &reply) - start;
}

static void a_far_hit_takes_the_way_longer(void **state)
{
    (void)state;
    begin(false, 32);
    trip(0, NEAR, WW_REQ_READ);
    trip(0, FAR, WW_REQ_READ);
    uint64_t near = trip(0, NEAR, WW_REQ_READ);
    assert_int_equal(trip(0, FAR, WW_REQ_READ), near + WAY);
    assert_int_equal(trip(0, FAR, WW_REQ_READ), near + WAY); /* no copy was kept */
    assert_int_equal(trip(8, FAR, WW_REQ_READ), near);       /* where it is near */
    assert_int_equal(trip(8, NEAR, WW_REQ_READ), near + WAY);
    assert_int_equal(memsys_count(&b, WW_C_L2_CROSSED), 4 * 4); /* 128 B each */
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 2 * 4);
    memsys_bench_close(&b);
}

static void copies_are_near(void **state)
{
    (void)state;
    begin(true, 32);
    trip(0, NEAR, WW_REQ_READ);
    trip(0, FAR, WW_REQ_READ);
    uint64_t near = trip(0, NEAR, WW_REQ_READ);
    assert_int_equal(trip(0, FAR, WW_REQ_READ), near);
    assert_int_equal(trip(7, FAR, WW_REQ_READ), near); /* of the same part */
    assert_int_equal(memsys_count(&b, WW_C_L2_CROSSED), 4);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 3 * 4);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 2 * 2);
    memsys_bench_close(&b);
}

static void what_changes_memory_goes_over(void **state)
{
    (void)state;
    begin(true, 32);
    trip(0, FAR, WW_REQ_READ);
    uint64_t near = trip(8, FAR, WW_REQ_WRITE);
    assert_int_equal(trip(0, FAR, WW_REQ_WRITE), near + WAY);
    uint64_t atomic = trip(8, FAR, WW_REQ_ATOMIC);
    assert_int_equal(trip(0, FAR, WW_REQ_ATOMIC), atomic + WAY);
    assert_int_equal(memsys_count(&b, WW_C_L2_CROSSED), 3 * 4);
    memsys_bench_close(&b);
}

/* Two lines over 8 B a cycle: the second's way is free 16 cycles later. */
static void the_way_has_a_width(void **state)
{
    (void)state;
    begin(false, 8);
    trip(0, FAR, WW_REQ_READ);
    trip(0, FAR + 128, WW_REQ_READ);
    uint64_t start = b.now;
    memsys_send(&b, 0, FAR, 128, WW_REQ_READ, 1);
    memsys_send(&b, 1, FAR + 128, 128, WW_REQ_READ, 2);
    uint64_t first = memsys_wait(&b, 1, &reply) - start; /* SM 0 had its turn before */
    uint64_t second = memsys_wait(&b, 0, &reply) - start;
    assert_int_equal(second - first, 16);
    memsys_bench_close(&b);
}

/* 200 near lines and 200 far ones of the slice across: of every other set, and 256 such lines has
 * a slice. With copies the near slice is to hold 400. */
static void copies_take_room(void **state)
{
    (void)state;
    enum { LINES = 200, STEP = 12 * 256 };
    uint64_t misses[2];
    for (int copies = 0; copies < 2; copies++) {
        begin(copies != 0, 32);
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint64_t i = 0; i < LINES; i++) {
                trip(0, FAR + i * STEP, WW_REQ_READ);
                trip(0, NEAR + i * STEP, WW_REQ_READ);
            }
        }
        misses[copies] = memsys_count(&b, WW_C_L2_READ_MISS);
        memsys_bench_close(&b);
    }
    assert_int_equal(misses[0], 2 * LINES * 4); /* all fits */
    assert_true(misses[1] > misses[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_hit_takes_the_way_longer),
        cmocka_unit_test(copies_are_near),
        cmocka_unit_test(what_changes_memory_goes_over),
        cmocka_unit_test(the_way_has_a_width),
        cmocka_unit_test(copies_take_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
