/* test_touch.c - accesses that take no time: what they leave in the L2, and what they leave alone.
 */
#include <string.h>

#include "tests/unit/mem/memsys_bench.h"

static memsys_bench b;

/* Hit and miss as test_memsys.c adds them up: 142 and 272 cycles. */
enum { HIT = 142, MISS = 272, LINE = 128 };

static void what_was_touched_is_hit(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    ww_memsys_touch(b.ms, 0x1000, LINE, false);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS) + memsys_count(&b, WW_C_L2_FILL), 0);
    assert_int_equal(memsys_round_trip(&b, 0x1000, LINE, WW_REQ_READ), HIT);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 0);
    memsys_bench_close(&b);
}

/* Twice the L2 goes through; what came first has left. */
static void touching_replaces(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    (void)memsys_round_trip(&b, 0x1000, LINE, WW_REQ_READ);
    assert_int_equal(memsys_round_trip(&b, 0x1000, LINE, WW_REQ_READ), HIT);
    uint64_t l2 = (uint64_t)arch.l2.bytes * ww_arch_slices(&arch);
    for (uint64_t a = 0; a < 2 * l2; a += LINE) {
        ww_memsys_touch(b.ms, 0x1000 + l2 + a, LINE, false);
    }
    uint64_t before = memsys_count(&b, WW_C_L2_READ_MISS);
    (void)memsys_round_trip(&b, 0x1000, LINE, WW_REQ_READ);
    assert_true(memsys_count(&b, WW_C_L2_READ_MISS) > before);
    memsys_bench_close(&b);
}

/* A store that took no time is written back by those that replace it, in time. */
static void touched_stores_are_dirty(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    uint64_t l2 = (uint64_t)arch.l2.bytes * ww_arch_slices(&arch);
    for (uint64_t a = 0; a < l2; a += LINE) {
        ww_memsys_touch(b.ms, a, LINE, true);
    }
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITEBACK), 0);
    for (uint64_t a = 0; a < l2 / 4; a += LINE) {
        (void)memsys_round_trip(&b, 2 * l2 + a, LINE, WW_REQ_READ);
    }
    memsys_drain(&b);
    assert_true(memsys_count(&b, WW_C_L2_WRITEBACK) > 0);
    memsys_bench_close(&b);
}

/* A sector on its way comes when it would have, to who waits for it. */
static void what_is_being_fetched_stays_so(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    ww_mem_req reply;
    memsys_send(&b, 0, 0x1000, LINE, WW_REQ_READ, 7);
    while (b.now < 150) { /* looked up in 130 */
        ww_memsys_tick(b.ms, b.now++);
    }
    ww_memsys_touch(b.ms, 0x1000, LINE, false);
    ww_memsys_touch(b.ms, 0x1000, LINE, true);
    assert_int_equal(memsys_wait(&b, 0, &reply), MISS);
    assert_int_equal(reply.token, 7);
    assert_int_equal(memsys_round_trip(&b, 0x1000, LINE, WW_REQ_READ), HIT);
    memsys_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_touched_is_hit),
        cmocka_unit_test(touching_replaces),
        cmocka_unit_test(touched_stores_are_dirty),
        cmocka_unit_test(what_is_being_fetched_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
