/* test_refresh.c - refresh of one bank at a time: when is which bank closed, and are all refreshes
 * there however long the controller slept? Timing as in test_dram.c, with tREFI 1600 (a bank every
 * 100 cycles, the first at 1600) and tRFCpb 40. */
#include "tests/unit/mem/dram_bench.h"

static dram_bench b;

static void begin(uint32_t trefi)
{
    ww_arch arch = dram_bench_arch();
    arch.mem.trefi = trefi;
    arch.mem.refresh = WW_REFRESH_PER_BANK;
    arch.mem.trfc_bank = 40;
    dram_bench_open(&b, &arch);
}

static void one_bank_waits_while_another_is_read(void **state)
{
    (void)state;
    begin(1600);
    b.now = 1595;
    dram_bench_send(&b, 0, 1, 0, 64, false, 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 1595);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_REF_BANK, 1), 1600);
    assert_int_equal(b.counters.v[WW_C_DRAM_PRE], 1);
    dram_bench_send(&b, 5, 1, 0, 64, false, 1);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 1601); /* tRRD after 1595 */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 1), 1613);  /* of bank 5 */
    /* bank 0: precharge at 1595 + tRAS = 1623, refresh at 1635 (tRP, tRC), over at 1675 */
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 3), 1675);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 2), 1687);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF], 0);
    /* Bank 0's second row closes with the round's end; open: all the time since 1595. */
    ww__dram_sync(&b.dram, 1690);
    assert_int_equal(b.counters.v[WW_C_DRAM_ACTIVE], 1690 - 1595);
    dram_bench_close(&b);
}

static void rows_are_open_until_the_last_is_closed(void **state)
{
    (void)state;
    begin(1600);
    b.now = 1690;
    dram_bench_send(&b, 1, 1, 0, 64, false, 0);
    dram_bench_until(&b, WW_C_DRAM_ACT, 1);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_REF_BANK, 2), 1700);
    assert_int_equal(b.counters.v[WW_C_DRAM_PRE], 1);
    ww__dram_sync(&b.dram, 1730); /* closed at 1690 + tRAS, known since 1700 */
    assert_int_equal(b.counters.v[WW_C_DRAM_ACTIVE], 28);
    dram_bench_close(&b);
}

static void sleeping_controllers_catch_up(void **state)
{
    (void)state;
    begin(1600);
    ww__dram_sync(&b.dram, 1599);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF_BANK], 0);
    ww__dram_sync(&b.dram, 1700);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF_BANK], 2);
    /* round 30 begins at 48000: bank 3 from 48300 to 48340 */
    b.now = 48305;
    dram_bench_send(&b, 3, 1, 0, 64, false, 0);
    dram_bench_send(&b, 4, 1, 0, 64, false, 1);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF_BANK], 29 * 16 + 4);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 1), 48305);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_RD, 1), 48317);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_ACT, 2), 48340);
    dram_bench_close(&b);
}

/* Refreshes due by cycle t when the first round begins at trefi. */
static uint64_t refreshes_by(uint64_t t, uint32_t trefi)
{
    uint64_t n = 0;
    while (trefi + n / 16 * trefi + n % 16 * trefi / 16 <= t) {
        n++;
    }
    return n;
}

/* Property, under random reads and writes with pauses: by any time t, each bank has been refreshed
 * once per tREFI, and had no row open while it was. */
static void every_bank_is_refreshed_in_every_interval(void **state)
{
    (void)state;
    const uint32_t trefi = 1607; /* not a multiple of the banks */
    uint64_t x = 88172645463325252u, sent = 0;
    begin(trefi);
    for (b.now = 0; b.now < 60000; b.now++) {
        bool pause = b.now / 5000 % 2 == 1;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (!pause && x % 4 == 0 && ww__dram_can_accept(&b.dram)) {
            dram_bench_send(&b, x >> 8 & 15, x >> 16 & 7, 0, 64, x >> 32 & 1, 0);
            sent++;
        }
        ww_dram_req req;
        ww__dram_tick(&b.dram, b.now);
        while (ww__dram_pop(&b.dram, b.now, &req)) {
            ww__dram_release(&b.dram);
        }
        if (b.dram.count == 0) {
            continue; /* asleep: caught up when next looked at */
        }
        assert_int_equal(b.counters.v[WW_C_DRAM_REF_BANK], refreshes_by(b.now, trefi));
        for (uint32_t bank = 0; bank < 16; bank++) {
            uint64_t phase = (b.now + trefi - bank * trefi / 16) % trefi;
            assert_true(b.now < trefi || phase >= 40 || b.dram.bank[bank].row == WW_NO_ROW);
        }
    }
    ww__dram_sync(&b.dram, b.now);
    assert_int_equal(b.counters.v[WW_C_DRAM_REF_BANK], refreshes_by(b.now, trefi));
    assert_int_equal(b.counters.v[WW_C_DRAM_RD] + b.counters.v[WW_C_DRAM_WR], sent);
    assert_true(sent > 1000);
    dram_bench_close(&b);
}

/* An H200 was measured to read at 0.9236 of its peak (configs/calibration/h200.csv): refreshes must
 * leave that much of the time to its banks. */
static void refreshes_leave_what_was_measured(void **state)
{
    (void)state;
    ww_error err;
    ww_arch *arch;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", NULL, 0, &arch, &err), err);
    const ww_mem_params *m = &arch->mem;
    const bool all = m->refresh == WW_REFRESH_ALL_BANK;
    const uint32_t busy = all ? m->trfc : m->trfc_bank; /* of a bank, in each interval */
    assert_true(busy > 0 && m->trefi > 0);
    assert_true((m->trefi - busy) / (double)m->trefi >= 0.9236);
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bank_waits_while_another_is_read),
        cmocka_unit_test(rows_are_open_until_the_last_is_closed),
        cmocka_unit_test(sleeping_controllers_catch_up),
        cmocka_unit_test(every_bank_is_refreshed_in_every_interval),
        cmocka_unit_test(refreshes_leave_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
