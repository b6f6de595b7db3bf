/* test_dram.c - is every DRAM timing constraint kept, to the cycle? Fixture: tRCD 12, tRAS 28, tRP
 * 12, tRC 40, tRRD 6, tCCD 2, tCCDL 3, tCL 12, tWL 4, tCDLR 5, tWR 12, tRTP 2; a burst of 8 at 4
 * per cycle is 2 cycles and 64 bytes; 100 extra. */
#include "tests/unit/mem/dram_bench.h"

static dram_bench b;

static void begin(void)
{
    ww_arch arch = dram_bench_arch();
    dram_bench_open(&b, &arch);
}

static void closed_row_then_row_hit(void **state)
{
    (void)state;
    uint32_t tag;
    begin();
    dram_bench_send(&b, 3, 5, 0, 64, false, 1);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 10);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 1), 22);
    assert_int_equal(dram_bench_read_done(&b, &tag), 22 + 12 + 2 + 100);
    dram_bench_send(&b, 3, 5, 64, 64, false, 2);
    uint64_t start = b.now;
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), start);
    assert_int_equal(b.counters.v[WW_C_DRAM_ROW_HIT], 1);
    assert_int_equal(b.counters.v[WW_C_DRAM_ACT], 1);
    assert_int_equal(b.counters.v[WW_C_DRAM_BUS_BUSY], 4);
    assert_int_equal(b.counters.v[WW_C_MC_READ], 2);
    dram_bench_close(&b);
}

static void row_conflict(void **state)
{
    (void)state;
    begin();
    dram_bench_send(&b, 3, 5, 0, 64, false, 1);
    dram_bench_until(&b, WW_C_DRAM_RD, 1);
    dram_bench_send(&b, 3, 6, 0, 64, false, 2);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_PRE, 1), 10 + 28); /* tRAS */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 10 + 40); /* tRC = tRAS + tRP */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), 50 + 12);
    assert_int_equal(b.counters.v[WW_C_DRAM_ROW_HIT], 0);
    dram_bench_close(&b);
}

static void activates_keep_trrd(void **state)
{
    (void)state;
    begin();
    for (uint32_t bank = 0; bank < 3; bank++) {
        dram_bench_send(&b, bank, 1, 0, 64, false, bank);
    }
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 10);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 16);
    /* In cycle 22 the first column command (10 + tRCD) takes the command bus before the third
     * activate. */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 3), 23);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), 16 + 12);
    dram_bench_close(&b);
}

static void trc_binds_when_it_exceeds_tras_plus_trp(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.trc = 55;
    dram_bench_open(&b, &arch);
    dram_bench_send(&b, 3, 5, 0, 64, false, 1);
    dram_bench_until(&b, WW_C_DRAM_RD, 1);
    dram_bench_send(&b, 3, 6, 0, 64, false, 2);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 10 + 55);
    dram_bench_close(&b);
}

/* Opens two banks and lets all timers run out. */
static void open_two_banks(uint32_t first, uint32_t second)
{
    begin();
    dram_bench_send(&b, first, 1, 0, 64, false, 0);
    dram_bench_send(&b, second, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_RD, 2);
    b.now = 200;
}

static void column_commands_keep_tccd_by_bank_group(void **state)
{
    (void)state;
    open_two_banks(0, 4); /* both in group 0 */
    dram_bench_send(&b, 0, 1, 64, 64, false, 0);
    dram_bench_send(&b, 4, 1, 64, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 3), 200);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 4), 203);
    dram_bench_close(&b);
    open_two_banks(0, 5); /* groups 0 and 1 */
    dram_bench_send(&b, 0, 1, 64, 64, false, 0);
    dram_bench_send(&b, 5, 1, 64, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 3), 200);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 4), 202);
    dram_bench_close(&b);
}

static void data_bus_occupancy_binds_long_bursts(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.data_rate = 1; /* eight cycles of data for a burst */
    dram_bench_open(&b, &arch);
    dram_bench_send(&b, 0, 1, 0, 192, false, 0);
    uint64_t first = dram_bench_until(&b, WW_C_DRAM_RD, 1);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), first + 8);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 3), first + 16);
    assert_int_equal(b.counters.v[WW_C_DRAM_BUS_BUSY], 24);
    dram_bench_close(&b);
}

static void bursts_cover_the_bytes(void **state)
{
    (void)state;
    begin();
    dram_bench_send(&b, 0, 1, 32, 32, false, 0); /* half of a burst still takes one */
    uint32_t tag;
    dram_bench_read_done(&b, &tag);
    assert_int_equal(b.counters.v[WW_C_DRAM_RD], 1);
    dram_bench_send(&b, 0, 1, 32, 64, false, 0); /* straddles two */
    dram_bench_read_done(&b, &tag);
    assert_int_equal(b.counters.v[WW_C_DRAM_RD], 3);
    dram_bench_close(&b);
}

static void bus_turnarounds(void **state)
{
    (void)state;
    begin();
    dram_bench_send(&b, 0, 1, 0, 64, true, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 1), 22);
    dram_bench_send(&b, 0, 1, 64, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 1),
                     22 + 4 + 2 + 5); /* tWL + burst + tCDLR */
    dram_bench_send(&b, 0, 1, 0, 64, true, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 2),
                     33 + 12 + 2 + 2 - 4); /* tCL + burst + 2 - tWL */
    dram_bench_close(&b);
}

static void write_recovery_and_read_to_precharge(void **state)
{
    (void)state;
    begin();
    dram_bench_send(&b, 0, 1, 0, 64, true, 0);
    dram_bench_until(&b, WW_C_DRAM_WR, 1);
    dram_bench_send(&b, 0, 2, 0, 64, true, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_PRE, 1), 22 + 4 + 2 + 12); /* later than tRAS */
    dram_bench_close(&b);

    begin();
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_RD, 1);
    b.now = 100;
    dram_bench_send(&b, 0, 1, 64, 64, false, 0);
    dram_bench_send(&b, 0, 2, 0, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), 100);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_PRE, 1), 102); /* tRTP */
    dram_bench_close(&b);
}

static void banks_work_in_parallel(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 8; i++) { /* eight banks: activates overlap */
        dram_bench_send(&b, i, 1, 0, 64, false, i);
    }
    uint64_t parallel = dram_bench_until(&b, WW_C_DRAM_RD, 8) - 10;
    dram_bench_close(&b);
    begin();
    for (uint32_t i = 0; i < 8; i++) { /* eight rows of one bank */
        dram_bench_send(&b, 0, i, 0, 64, false, i);
    }
    uint64_t serial = dram_bench_until(&b, WW_C_DRAM_RD, 8) - 10;
    dram_bench_close(&b);
    assert_int_equal(serial, 7 * 40 + 12); /* tRC each */
    assert_in_range(parallel, 7 * 6 + 12,
                    7 * 6 + 12 + 8); /* tRRD each, and command-bus collisions */
}

static void hbm_issues_row_and_column_commands_together(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.type = WW_DRAM_HBM2;
    dram_bench_open(&b, &arch);
    for (uint32_t bank = 0; bank < 3; bank++) {
        dram_bench_send(&b, bank, 1, 0, 64, false, bank);
    }
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 3), 22);
    assert_int_equal(b.counters.v[WW_C_DRAM_RD], 1);
    dram_bench_close(&b);
}

static void idle_refreshes_are_counted_in_arrears(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.trefi = 1000;
    dram_bench_open(&b, &arch);
    ww__dram_sync(&b.dram, 999);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF], 0);
    ww__dram_sync(&b.dram, 1000);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF], 1);
    ww__dram_sync(&b.dram, 50999);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF], 50);
    assert_int_equal(b.counters.v[WW_C_DRAM_PRE], 0);
    b.now = 51005; /* five cycles into a refresh of 60 */
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 51060);
    dram_bench_close(&b);
}

static void refresh_closes_rows_and_blocks_the_banks(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.trefi = 1000;
    dram_bench_open(&b, &arch);
    b.now = 995;
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 995);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_REF, 1),
                     1000); /* due before the column command */
    assert_int_equal(b.counters.v[WW_C_DRAM_PRE], 1);
    /* precharge at 995 + tRAS = 1023, refresh at 1035, over at 1095 */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 1095);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 1), 1107);
    assert_int_equal(b.counters.v[WW_C_DRAM_ACTIVE], 28);
    dram_bench_close(&b);
}

static void background_counters_integrate_over_time(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.trefi = 1000;
    dram_bench_open(&b, &arch);
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_RD, 1); /* 22 */
    ww__dram_sync(&b.dram, 500);
    assert_int_equal(b.counters.v[WW_C_DRAM_QUEUE], 12);
    assert_int_equal(b.counters.v[WW_C_DRAM_ACTIVE], 490);
    ww__dram_sync(&b.dram, 100000); /* the refresh at 1000 closes the row */
    assert_int_equal(b.counters.v[WW_C_DRAM_ACTIVE], 990);
    assert_int_equal(b.counters.v[WW_C_DRAM_PRE], 1);
    dram_bench_close(&b);
}

static void full_return_path_stops_reads(void **state)
{
    (void)state;
    ww_arch arch = dram_bench_arch();
    arch.mem.return_entries = 2;
    dram_bench_open(&b, &arch);
    /* 114 cycles of return pipeline hold 57 bursts; one may be on the way; two entries */
    assert_int_equal(b.dram.ret_capacity, 2 + 57 + 1);
    uint32_t sent = 0;
    ww_dram_req req;
    for (; b.now < 2000; b.now++) {
        if (ww__dram_can_accept(&b.dram)) {
            dram_bench_send(&b, sent % 4, 1, sent / 4 % 64 * 64, 64, false, sent);
            sent++;
        }
        ww__dram_tick(&b.dram, b.now);
        (void)ww__dram_pop(&b.dram, b.now, &req); /* never released */
    }
    assert_int_equal(b.counters.v[WW_C_DRAM_RD], 60);
    ww__dram_release(&b.dram);
    dram_bench_until(&b, WW_C_DRAM_RD, 61);
    dram_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_row_then_row_hit),
        cmocka_unit_test(row_conflict),
        cmocka_unit_test(activates_keep_trrd),
        cmocka_unit_test(trc_binds_when_it_exceeds_tras_plus_trp),
        cmocka_unit_test(column_commands_keep_tccd_by_bank_group),
        cmocka_unit_test(data_bus_occupancy_binds_long_bursts),
        cmocka_unit_test(bursts_cover_the_bytes),
        cmocka_unit_test(bus_turnarounds),
        cmocka_unit_test(write_recovery_and_read_to_precharge),
        cmocka_unit_test(banks_work_in_parallel),
        cmocka_unit_test(hbm_issues_row_and_column_commands_together),
        cmocka_unit_test(idle_refreshes_are_counted_in_arrears),
        cmocka_unit_test(refresh_closes_rows_and_blocks_the_banks),
        cmocka_unit_test(background_counters_integrate_over_time),
        cmocka_unit_test(full_return_path_stops_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
