/* test_dram_sched.c - does each scheduler serve requests in the order it promises? */
#include "tests/unit/mem/dram_bench.h"

static dram_bench b;

static void begin(ww_dram_scheduler scheduler)
{
    ww_arch arch = dram_bench_arch();
    arch.mem.scheduler = scheduler;
    dram_bench_open(&b, &arch);
}

/* Requests for rows 1, 2 and 1 of a bank, all there at 10.
 *    10   activate row 1;  22 (tRCD) read 1, data at 22 + tCL 12 + burst 2 + 100 = 136
 *    25   read 3, the row hit, tCCDL 3 behind: 139; it has overtaken request 2
 *    38   precharge (tRAS 28; tRTP 2 after 25 has passed); 50 (tRP, tRC) activate row 2
 *    62   read 2: 62 + 114 = 176 */
static void frfcfs_serves_row_hits_before_older_conflicts(void **state)
{
    (void)state;
    uint32_t tag;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 0, 1, 0, 64, false, 1);
    dram_bench_send(&b, 0, 2, 0, 64, false, 2);
    dram_bench_send(&b, 0, 1, 64, 64, false, 3);
    assert_int_equal(dram_bench_read_done(&b, &tag), 136);
    assert_int_equal(tag, 1);
    assert_int_equal(dram_bench_read_done(&b, &tag), 139); /* tCCDL later */
    assert_int_equal(tag, 3);
    assert_int_equal(dram_bench_read_done(&b, &tag), 136 + 40);
    assert_int_equal(tag, 2);
    assert_int_equal(b.counters.v[WW_C_DRAM_ROW_HIT], 1);
    dram_bench_close(&b);
}

/* In order: row 1, row 2, row 1 again: an activate, tRCD and a precharge each, tRC 40 apart. */
static void fcfs_keeps_the_order(void **state)
{
    (void)state;
    uint32_t tag;
    begin(WW_DRAM_FCFS);
    dram_bench_send(&b, 0, 1, 0, 64, false, 1);
    dram_bench_send(&b, 0, 2, 0, 64, false, 2);
    dram_bench_send(&b, 0, 1, 64, 64, false, 3);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(dram_bench_read_done(&b, &tag), 136 + 40 * (i - 1));
        assert_int_equal(tag, i);
    }
    assert_int_equal(b.counters.v[WW_C_DRAM_ACT], 3);
    dram_bench_close(&b);
}

static void oldest_of_two_hits_goes_first(void **state)
{
    (void)state;
    uint32_t tag;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 7, 1, 0, 64, false, 0);
    dram_bench_send(&b, 2, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_RD, 2);
    dram_bench_read_done(&b, &tag);
    dram_bench_read_done(&b, &tag);
    b.now = 500;
    dram_bench_send(&b, 7, 1, 64, 64, false, 4);
    dram_bench_send(&b, 2, 1, 64, 64, false, 5);
    dram_bench_read_done(&b, &tag);
    assert_int_equal(tag, 4);
    dram_bench_read_done(&b, &tag);
    assert_int_equal(tag, 5);
    dram_bench_close(&b);
}

/* A stream of row hits that never ends cannot keep a conflicting request waiting for ever. */
static void starvation_is_bounded(void **state)
{
    (void)state;
    begin(WW_DRAM_FRFCFS);
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_RD, 1);
    dram_bench_send(&b, 0, 2, 0, 64, false, 99);
    uint64_t start = b.now;
    uint32_t sent = 0;
    ww_dram_req req = {0};
    while (req.tag != 99) {
        assert_true(b.now < start + 1000);
        if (b.dram.count < 8) {
            dram_bench_send(&b, 0, 1, sent++ % 64 * 64, 64, false, 1);
        }
        ww__dram_tick(&b.dram, b.now++);
        if (ww__dram_pop(&b.dram, b.now, &req)) {
            ww__dram_release(&b.dram);
        }
    }
    /* 32 hits at tCCDL, then a row change and the way back */
    assert_in_range(b.now - start, 32 * 3, 32 * 3 + 12 + 12 + 12 + 2 + 100 + 20);
    dram_bench_close(&b);
}

static void writes_wait_for_reads_and_drain_in_batches(void **state)
{
    (void)state;
    uint32_t tag;
    begin(WW_DRAM_FRFCFS); /* 64 entries: drain from 32 writes down to 8 */
    dram_bench_send(&b, 0, 1, 0, 64, false, 1);
    dram_bench_until(&b, WW_C_DRAM_ACT, 1);
    for (uint32_t i = 0; i < 31; i++) {
        dram_bench_send(&b, 1, 1, i * 64, 64, true, 0);
    }
    dram_bench_send(&b, 0, 1, 64, 64, false, 2);
    dram_bench_until(&b, WW_C_DRAM_RD, 2);
    assert_int_equal(b.counters.v[WW_C_DRAM_WR], 0); /* older, but reads go first */
    dram_bench_close(&b);

    begin(WW_DRAM_FRFCFS);
    for (uint32_t i = 0; i < 32; i++) {
        dram_bench_send(&b, 1, 1, i * 64, 64, true, 0);
    }
    dram_bench_send(&b, 0, 1, 64, 64, false, 3);
    dram_bench_until(&b, WW_C_DRAM_RD, 1);
    assert_int_equal(b.counters.v[WW_C_DRAM_WR], 24); /* batch down to an eighth of the queue */
    dram_bench_read_done(&b, &tag);
    dram_bench_until(&b, WW_C_DRAM_WR, 32);
    dram_bench_close(&b);
}

static void every_request_is_served_once_under_random_load(void **state)
{
    (void)state;
    const ww_dram_scheduler kinds[] = {WW_DRAM_FCFS, WW_DRAM_FRFCFS};
    for (int k = 0; k < 2; k++) {
        ww_arch arch = dram_bench_arch();
        arch.mem.scheduler = kinds[k];
        arch.mem.trefi = 700;
        arch.mem.queue_entries = 24;
        dram_bench_open(&b, &arch);
        static unsigned char seen[3000];
        memset(seen, 0, sizeof(seen));
        uint64_t seed = 11;
        uint32_t reads = 0, writes = 0, done = 0;
        while (done < 1500) {
            assert_true(b.now < 400000);
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t r = (uint32_t)(seed >> 33);
            if (ww__dram_can_accept(&b.dram) && r % 3 == 0 && reads < 1500) {
                bool write = r / 3 % 4 == 0;
                dram_bench_send(&b, r >> 4 & 15, r >> 8 & 3, (r >> 10 & 31) * 128, 128, write,
                                reads);
                reads += !write;
                writes += write;
            }
            ww__dram_tick(&b.dram, b.now++);
            ww_dram_req req;
            if (ww__dram_pop(&b.dram, b.now, &req)) {
                ww__dram_release(&b.dram);
                assert_int_equal(seen[req.tag]++, 0);
                done++;
            }
        }
        dram_bench_until(&b, WW_C_DRAM_WR, writes * 2);
        ww__dram_sync(&b.dram, b.now);
        assert_int_equal(b.counters.v[WW_C_DRAM_RD], 3000);
        assert_int_equal(b.counters.v[WW_C_MC_WRITE], writes);
        uint64_t act = b.counters.v[WW_C_DRAM_ACT], pre = b.counters.v[WW_C_DRAM_PRE];
        assert_int_equal(act - pre, b.dram.open_count);
        assert_true(b.counters.v[WW_C_DRAM_ROW_HIT] <= 3000 + writes * 2 - act);
        assert_int_equal(b.dram.count, 0);
        dram_bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frfcfs_serves_row_hits_before_older_conflicts),
        cmocka_unit_test(fcfs_keeps_the_order),
        cmocka_unit_test(oldest_of_two_hits_goes_first),
        cmocka_unit_test(starvation_is_bounded),
        cmocka_unit_test(writes_wait_for_reads_and_drain_in_batches),
        cmocka_unit_test(every_request_is_served_once_under_random_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
