/* test_dram_banks.c - does bank-fr-fcfs serve a request per bank, rows first, reads and writes
 * alike? And where do chunks go when two banks take turns? */
#include "tests/unit/mem/dram_bench.h"

static dram_bench b;
static uint32_t tag;

static void begin(void)
{
    ww_arch arch = dram_bench_arch();
    arch.mem.scheduler = WW_DRAM_BANK_FRFCFS;
    dram_bench_open(&b, &arch);
}

/* Cycle 10: bank 0 gets its request and activates row 1; 22: read (tRCD 12); data at 22 + tCL 12 +
 * burst 2 + 100 = 136. The second hit follows by tCCDL 3. The conflict closes the row at 10 + tRAS
 * 28 and reads at 38 + tRP 12 + tRCD 12 = 62. */
static void rows_first_within_a_bank(void **state)
{
    (void)state;
    begin();
    dram_bench_send(&b, 0, 1, 0, 32, false, 1);
    dram_bench_send(&b, 0, 2, 0, 32, false, 2);
    dram_bench_send(&b, 0, 1, 64, 32, false, 3);
    assert_int_equal(dram_bench_read_done(&b, &tag), 136);
    assert_int_equal(tag, 1);
    assert_int_equal(dram_bench_read_done(&b, &tag), 139);
    assert_int_equal(tag, 3);
    assert_int_equal(dram_bench_read_done(&b, &tag), 136 + 40);
    assert_int_equal(tag, 2);
    dram_bench_close(&b);
}

/* A write of another bank waits until no read has been issued for tRTW = 12 + 2 + 2 - 4 = 12. */
static void a_direction_lasts_until_a_gap(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 6; i++) {
        dram_bench_send(&b, 0, 1, 64 * i, 32, false, i);
    }
    dram_bench_send(&b, 1, 1, 0, 32, true, 99);
    uint64_t last_read = dram_bench_until(&b, WW_C_DRAM_RD, 6);
    assert_int_equal(b.counters.v[WW_C_DRAM_WR], 0);
    assert_int_equal(dram_bench_until(&b, WW_C_DRAM_WR, 1), last_read + 12);
    dram_bench_close(&b);
}

/* A request in service has left the queue: 64 entries and one bank's take 65. */
static void requests_in_service_leave_the_queue(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 64; i++) {
        dram_bench_send(&b, 0, i, 0, 32, true, i);
    }
    assert_false(ww__dram_can_accept(&b.dram));
    ww__dram_tick(&b.dram, b.now++);
    assert_true(ww__dram_can_accept(&b.dram));
    dram_bench_close(&b);
}

/* GPGPU-Sim's mapping BBBCCCCB.CCSSSSSS of a channel's addresses: bit 8 is the lowest bank bit, 9
 * to 12 and 6 to 7 the column, 13 to 15 the other bank bits, the row above. */
static void two_banks_take_turns(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    arch.mem.channels = 1;
    arch.mem.slices = 2;
    arch.mem.bank_interleave = 2;
    arch.mem.hash_banks = false;
    ww_addrmap map;
    assert_ok(ww__addrmap_init(&map, &arch, &err), err);
    for (uint64_t a = 0; a < 1 << 20; a += 4096 + 224) {
        ww_slice_address s = ww__addrmap_slice(&map, a);
        ww_dram_address at = ww__addrmap_dram(&map, s.slice, s.local);
        assert_int_equal(at.bank, (a >> 13 & 7) * 2 + (a >> 8 & 1));
        assert_int_equal(at.row, a >> 16);
        assert_int_equal(at.column, (a >> 9 & 15) * 256 + (a & 255));
        assert_int_equal(at.group, at.bank % 4);
        assert_int_equal(s.slice, a >> 8 & 1);
    }
    arch.mem.bank_interleave = 3;
    assert_int_equal(ww__addrmap_init(&map, &arch, &err), WW_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_first_within_a_bank),
        cmocka_unit_test(a_direction_lasts_until_a_gap),
        cmocka_unit_test(requests_in_service_leave_the_queue),
        cmocka_unit_test(two_banks_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
