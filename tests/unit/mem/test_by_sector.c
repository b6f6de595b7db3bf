/* test_by_sector.c - requests that L2 slices take apart (peer.sector_requests), and data that
 * copies from the host leave in the L2. */
#include "tests/unit/mem/memsys_bench.h"

static memsys_bench b;
static ww_mem_req reply;

static void begin(void)
{
    ww_arch arch = memsys_plain_arch();
    arch.icnt.flit_bytes = 40; /* a sector and its header */
    arch.peer.sector_requests = true;
    arch.mem.host_copies_fill_l2 = true;
    memsys_bench_open(&b, &arch);
}

/* Sends a request from an SM and waits for the last part of its answer. */
static void round_trip(uint32_t sm, uint64_t address, uint16_t bytes, ww_req_kind kind,
                       uint32_t token)
{
    memsys_send(&b, sm, address, bytes, kind, token);
    uint64_t limit = b.now + 100000;
    while (!(ww_memsys_has_reply(b.ms, sm) && ww_memsys_receive(b.ms, sm, &reply))) {
        assert_true(b.now < limit);
        ww_memsys_tick(b.ms, b.now++);
    }
}

/* One 128 B read: four look-ups, four bursts of DRAM, four replies of one flit, one answer. */
static void each_sector_goes_its_own_way(void **state)
{
    (void)state;
    begin();
    round_trip(0, 0x1000, 128, WW_REQ_READ, 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), 4);
    assert_true(ww_memsys_idle(b.ms));
    memsys_bench_close(&b);
}

/* Together the sectors of a line take two bursts of 64 B. */
static void sectors_share_bursts_otherwise(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 2);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 1);
    memsys_bench_close(&b);
}

/* The answer carries the whole request back, whatever came last. */
static void the_answer_is_the_request(void **state)
{
    (void)state;
    begin();
    round_trip(3, 0x2000, 64, WW_REQ_CONST, 99);
    assert_int_equal(reply.address, 0x2000);
    assert_int_equal(reply.bytes, 64);
    assert_int_equal(reply.token, 99);
    assert_true(ww_memsys_idle(b.ms));
    memsys_bench_close(&b);
}

/* Look-ups of one line follow each other by a cycle: four sectors of a hit leave in 130 to 133, and
 * the last reply, one flit, arrives 8 cycles after its grant. */
static void hits_pipeline_through_the_slice(void **state)
{
    (void)state;
    begin();
    ww_memsys_host_copy(b.ms, 0x1000, 128);
    memsys_send(&b, 0, 0x1000, 128, WW_REQ_READ, 1);
    unsigned arrived = 0;
    uint64_t first = 0;
    while (arrived < 4) {
        ww_memsys_tick(b.ms, b.now++);
        if (ww_memsys_has_reply(b.ms, 0)) {
            first = arrived == 0 ? b.now - 1 : first;
            arrived++;
            assert_int_equal(ww_memsys_receive(b.ms, 0, &reply), arrived == 4);
        }
    }
    assert_int_equal(first, 138);
    assert_int_equal(b.now - 1, 138 + 3);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 4);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 0);
    memsys_bench_close(&b);
}

/* A store of 128 B is four stores with an acknowledgement each; dirty lines from an L1 get none. */
static void stores_and_write_backs(void **state)
{
    (void)state;
    begin();
    round_trip(0, 0x3000, 128, WW_REQ_WRITE, 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 4);
    memsys_send(&b, 0, 0x3000, 128, WW_REQ_WRITEBACK, 0);
    for (unsigned i = 0; i < 1000; i++) {
        ww_memsys_tick(b.ms, b.now++);
    }
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_HIT), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 4);
    assert_true(ww_memsys_idle(b.ms));
    memsys_bench_close(&b);
}

/* What the host copied is there, and no more of it than the L2 holds: 768 KiB, least recent gone.
 */
static void host_copies_are_found(void **state)
{
    (void)state;
    begin();
    const uint64_t l2 = 12 * 65536;
    ww_memsys_host_copy(b.ms, 0, 2 * l2);
    memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 1);
    memsys_round_trip(&b, 2 * l2 - 32, 32, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_WR), 0);
    memsys_bench_close(&b);
}

/* A store of half a line fills both its sectors: of the upper half that is forgotten on request. */
static void upper_halves_lose_their_masks(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.peer.sector_requests = true;
    arch.peer.upper_masks_lost = true;
    arch.l2.write_allocate = WW_WRITE_LAZY;
    memsys_bench_open(&b, &arch);
    round_trip(0, 0x1000, 64, WW_REQ_WRITE, 1);
    round_trip(0, 0x1000, 64, WW_REQ_READ, 2);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 0);
    round_trip(0, 0x1040, 64, WW_REQ_WRITE, 3);
    round_trip(0, 0x1040, 64, WW_REQ_READ, 4);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 2);
    memsys_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sector_goes_its_own_way),
        cmocka_unit_test(sectors_share_bursts_otherwise),
        cmocka_unit_test(the_answer_is_the_request),
        cmocka_unit_test(hits_pipeline_through_the_slice),
        cmocka_unit_test(stores_and_write_backs),
        cmocka_unit_test(host_copies_are_found),
        cmocka_unit_test(upper_halves_lose_their_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
