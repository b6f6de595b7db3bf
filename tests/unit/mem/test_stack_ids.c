/* test_stack_ids.c - does a read wait for the data bus to be handed to dies of another stack ID,
 * and only a read? Timing as in test_dram.c (tCCD 2, tCCDL 3, data 114 cycles after the read), with
 * two stack IDs of eight banks, tCCDR 5; rows are open from the start. */
#include "tests/unit/mem/dram_bench.h"

static dram_bench b;
static uint32_t tag;

static void begin(ww_dram_scheduler scheduler)
{
    ww_arch arch = dram_bench_arch();
    arch.mem.scheduler = scheduler;
    arch.mem.stack_ids = 2;
    arch.mem.tccdr = 5;
    dram_bench_open(&b, &arch);
    const uint32_t banks[] = {0, 1, 8, 9};
    for (uint32_t i = 0; i < 4; i++) {
        dram_bench_send(&b, banks[i], 1, 0, 64, false, 0);
        dram_bench_read_done(&b, &tag);
    }
    b.now = 1000;
}

static void done(uint64_t cycle, uint32_t whose)
{
    assert_int_equal(dram_bench_read_done(&b, &tag), cycle + 114);
    assert_int_equal(tag, whose);
}

/* 1000 bank 0; 1002 bank 1, which overtakes; 1007 bank 9, 5 after the last read of the other. */
static void reads_of_another_wait_and_are_overtaken(void **state)
{
    (void)state;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 0, 1, 64, 64, false, 1);
    dram_bench_send(&b, 9, 1, 64, 64, false, 2);
    dram_bench_send(&b, 1, 1, 64, 64, false, 3);
    done(1000, 1);
    done(1002, 3);
    done(1007, 2);
    dram_bench_close(&b);
}

static void in_order_they_wait(void **state)
{
    (void)state;
    begin(WW_DRAM_FCFS);
    dram_bench_send(&b, 0, 1, 64, 64, false, 1);
    dram_bench_send(&b, 9, 1, 64, 64, false, 2);
    dram_bench_send(&b, 1, 1, 64, 64, false, 3);
    done(1000, 1);
    done(1005, 2);
    done(1010, 3);
    dram_bench_close(&b);
}

/* Banks 0 and 8 are of different groups, tCCD apart, banks 0 and 4 of one. */
static void writes_do_not_wait(void **state)
{
    (void)state;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 0, 1, 64, 64, true, 1);
    dram_bench_send(&b, 8, 1, 64, 64, true, 2);
    dram_bench_send(&b, 0, 1, 128, 64, true, 3);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 1), 1000);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 2), 1002);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 3), 1004);
    ww_dram_address at = ww__addrmap_dram(&b.map, 0, dram_bench_address(8, 1, 0));
    assert_int_equal(at.group, 4);
    at = ww__addrmap_dram(&b.map, 0, dram_bench_address(4, 1, 0));
    assert_int_equal(at.group, 0);
    dram_bench_close(&b);
}

/* Reads of banks 0 and 1, two cycles apart, without an end: 32 of them go before the one of bank 9
 * behind the first, 1002 to 1064; then the bus is left until 1069, and the oldest is next. */
static void a_stream_does_not_keep_the_bus(void **state)
{
    (void)state;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 0, 1, 0, 64, false, 1);
    dram_bench_send(&b, 9, 1, 64, 64, false, 99);
    ww_dram_req req = {0};
    for (uint32_t sent = 1; req.tag != 99;) {
        assert_true(b.now < 2000);
        while (b.dram.count < 8) {
            dram_bench_send(&b, sent % 2, 1, sent % 64 * 64, 64, false, 1);
            sent++;
        }
        ww__dram_tick(&b.dram, b.now++);
        if (ww__dram_pop(&b.dram, b.now, &req)) {
            ww__dram_release(&b.dram);
        }
    }
    assert_int_equal(b.now, 1069 + 114);
    dram_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_another_wait_and_are_overtaken),
        cmocka_unit_test(in_order_they_wait),
        cmocka_unit_test(writes_do_not_wait),
        cmocka_unit_test(a_stream_does_not_keep_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
