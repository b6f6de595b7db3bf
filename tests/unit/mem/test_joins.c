/* test_joins.c - do reads of one line by SMs of a cluster cross the network once, and nothing else
 * that way? SMs 0 to 3 of 15 are the first of four clusters. */
#include "tests/unit/mem/memsys_bench.h"

enum { LINE = 0x1000, OTHER = 0x2000, SECTORS = 4 };

static memsys_bench b;
static ww_mem_req reply;

static void begin(uint32_t joined_reads)
{
    ww_arch arch = memsys_plain_arch();
    arch.icnt.joined_reads = joined_reads;
    memsys_bench_open(&b, &arch);
    for (uint32_t i = 0; i < 2; i++) { /* the lines are in the L2 */
        memsys_send(&b, 14, i == 0 ? LINE : OTHER, 128, WW_REQ_READ, 0);
        (void)memsys_wait(&b, 14, &reply);
    }
}

/* Sectors that the L2 has looked up since `before`. */
static uint64_t looked_up(uint64_t before)
{
    return memsys_count(&b, WW_C_L2_READ_HIT) + memsys_count(&b, WW_C_L2_READ_MISS) - before;
}

/* The same, of two reads that are sent in one cycle. */
static uint64_t both(uint32_t sm, uint64_t address, uint16_t bytes, uint32_t sm2, uint64_t address2,
                     uint16_t bytes2)
{
    const uint64_t before = looked_up(0);
    memsys_send(&b, sm, address, bytes, WW_REQ_READ, 1);
    memsys_send(&b, sm2, address2, bytes2, WW_REQ_READ, 2);
    (void)memsys_wait(&b, sm, &reply);
    assert_int_equal(reply.token, 1);
    (void)memsys_wait(&b, sm2, &reply);
    assert_int_equal(reply.token, 2);
    return looked_up(before);
}

static void one_answer_is_for_both(void **state)
{
    (void)state;
    begin(16);
    assert_int_equal(both(0, LINE, 128, 3, LINE, 128), SECTORS);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 2 + 1);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_JOINED), SECTORS);
    memsys_bench_close(&b);
}

/* The answer starts on the first SM's link in some cycle, and on the other's, which is known of
 * then, in the next. */
static void the_second_comes_a_cycle_later(void **state)
{
    (void)state;
    begin(16);
    memsys_send(&b, 0, LINE, 128, WW_REQ_READ, 1);
    memsys_send(&b, 3, LINE, 128, WW_REQ_READ, 2);
    const uint64_t first = memsys_wait(&b, 0, &reply);
    assert_int_equal(memsys_wait(&b, 3, &reply), first + 1);
    memsys_bench_close(&b);
}

static void one_that_comes_late_joins(void **state)
{
    (void)state;
    begin(16);
    const uint64_t before = looked_up(0);
    memsys_send(&b, 0, LINE, 128, WW_REQ_READ, 1);
    for (uint32_t i = 0; i < 20; i++) { /* the request is at the slice */
        ww_memsys_tick(b.ms, b.now++);
    }
    memsys_send(&b, 1, LINE, 128, WW_REQ_READ, 2);
    (void)memsys_wait(&b, 0, &reply);
    (void)memsys_wait(&b, 1, &reply);
    assert_int_equal(looked_up(before), SECTORS);
    memsys_bench_close(&b);
}

static void another_read_is_for_itself(void **state)
{
    (void)state;
    begin(16);
    assert_int_equal(both(0, LINE, 128, 4, LINE, 128), 2 * SECTORS);  /* of another cluster */
    assert_int_equal(both(0, LINE, 128, 1, OTHER, 128), 2 * SECTORS); /* of another line */
    assert_int_equal(both(0, LINE, 128, 1, LINE, 64), SECTORS + 2);   /* of fewer bytes */
    const uint64_t before = looked_up(0);
    (void)memsys_round_trip(&b, LINE, 128, WW_REQ_READ); /* one after the other */
    (void)memsys_round_trip(&b, LINE, 128, WW_REQ_READ);
    assert_int_equal(looked_up(before), 2 * SECTORS);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_JOINED), 0);
    memsys_bench_close(&b);
}

static void stores_and_atomics_go_as_they_come(void **state)
{
    (void)state;
    static const ww_req_kind kinds[] = {WW_REQ_WRITE, WW_REQ_ATOMIC, WW_REQ_REDUCE};
    begin(16);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        memsys_send(&b, 0, LINE, 128, kinds[i], 1);
        memsys_send(&b, 1, LINE, 128, kinds[i], 2);
        (void)memsys_wait(&b, 0, &reply);
        (void)memsys_wait(&b, 1, &reply);
    }
    assert_int_equal(memsys_count(&b, WW_C_ICNT_JOINED), 0);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 2 + 6);
    memsys_bench_close(&b);
}

static void no_more_are_kept_track_of_than_there_is_room_for(void **state)
{
    (void)state;
    begin(1);
    const uint64_t before = looked_up(0);
    memsys_send(&b, 0, LINE, 128, WW_REQ_READ, 1);
    memsys_send(&b, 1, OTHER, 128, WW_REQ_READ, 2); /* cannot be joined */
    memsys_send(&b, 2, OTHER, 128, WW_REQ_READ, 3);
    memsys_send(&b, 3, LINE, 128, WW_REQ_READ, 4); /* joins the first */
    for (uint32_t sm = 0; sm < 4; sm++) {
        (void)memsys_wait(&b, sm, &reply);
    }
    assert_int_equal(looked_up(before), 3 * SECTORS);
    memsys_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_answer_is_for_both),
        cmocka_unit_test(the_second_comes_a_cycle_later),
        cmocka_unit_test(one_that_comes_late_joins),
        cmocka_unit_test(another_read_is_for_itself),
        cmocka_unit_test(stores_and_atomics_go_as_they_come),
        cmocka_unit_test(no_more_are_kept_track_of_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
