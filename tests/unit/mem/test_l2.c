/* test_l2.c - what an L2 slice does with hits, misses, stores, atomics and evictions, seen from an
 * SM's port. */
#include "tests/unit/mem/memsys_bench.h"

static memsys_bench b;
static ww_mem_req reply;

static void begin(void)
{
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
}

static void a_line_is_looked_up_by_sectors_and_fetched_at_once(void **state)
{
    (void)state;
    begin();
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_L2_FILL), 4);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 2); /* 64-byte bursts */
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_INST);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 4);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    memsys_round_trip(&b, 0x1100, 32, WW_REQ_CONST);
    memsys_round_trip(&b, 0x1120, 32, WW_REQ_TEX); /* its neighbour was not fetched */
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 6);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 3);
    memsys_bench_close(&b);
}

/* Brought into the L2: the line is fetched, and a word comes back; of one that is there, no byte
 * passes the data port. */
static void a_line_is_brought(void **state)
{
    (void)state;
    begin();
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_BRING);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_L2_FILL), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), 1);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_BRING);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 4);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_BLOCKS), 0);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), 2);
    const uint64_t brought = memsys_round_trip(&b, 0x1020, 32, WW_REQ_BRING);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_BLOCKS), 0);
    assert_true(brought < memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ));
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_BLOCKS), 4);
    assert_true(memsys_count(&b, WW_C_ICNT_REP_FLITS) > 4);
    memsys_bench_close(&b);
}

/* Core cycles of requests of SM 0, one behind the other, for a line that is there. */
static uint64_t cycles_of(ww_req_kind kind, uint32_t requests, uint32_t store_bytes)
{
    ww_arch arch = memsys_plain_arch();
    arch.mem.l2_write_bytes = store_bytes;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
    const uint64_t start = b.now;
    for (uint32_t i = 0; i < requests; i++) {
        const ww_mem_req req = {.address = 0x1000, .bytes = 128, .kind = (uint8_t)kind, .token = i};
        while (!ww_memsys_can_inject(b.ms, 0, &req)) {
            (void)ww_memsys_receive(b.ms, 0, &reply);
            ww_memsys_tick(b.ms, b.now++);
        }
        ww_memsys_inject(b.ms, 0, &req, b.now);
    }
    memsys_drain(&b);
    const uint64_t cycles = b.now - start;
    memsys_bench_close(&b);
    return cycles;
}

static void stores_pass_a_port_of_their_own_width(void **state)
{
    (void)state;
    enum { STORES = 64, WIDTH = 4 };
    const ww_arch arch = memsys_plain_arch();
    const double cycle = arch.clock.core_hz / arch.clock.l2_hz; /* of the L2, in core cycles */
    const double slow = (double)cycles_of(WW_REQ_WRITE, STORES, WIDTH);
    assert_near(slow, STORES * 128.0 / WIDTH * cycle, 0.02, 200);
    assert_int_equal(cycles_of(WW_REQ_WRITE, STORES, arch.l2.data_port_bytes),
                     cycles_of(WW_REQ_WRITE, STORES, 0));
    assert_true(slow > 2 * (double)cycles_of(WW_REQ_WRITE, STORES, 0));
    assert_int_equal(cycles_of(WW_REQ_READ, STORES, WIDTH), cycles_of(WW_REQ_READ, STORES, 0));
}

static void only_missing_sectors_are_fetched(void **state)
{
    (void)state;
    begin();
    memsys_round_trip(&b, 0x1020, 32, WW_REQ_READ);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ),
                     3); /* before and behind the one that is there */
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 3);
    memsys_bench_close(&b);
}

static void misses_to_one_sector_merge(void **state)
{
    (void)state;
    begin();
    for (uint32_t sm = 0; sm < 4; sm++) {
        memsys_send(&b, sm, 0x1000, 32, WW_REQ_READ, sm);
    }
    for (uint32_t sm = 0; sm < 4; sm++) {
        memsys_wait(&b, sm, &reply);
        assert_int_equal(reply.token, sm);
    }
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MERGED), 3);
    assert_int_equal(memsys_count(&b, WW_C_L2_FILL), 1);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    memsys_bench_close(&b);
}

/* A fifth request finds the four merge slots taken, stalls the slice and then hits. */
static void a_full_merge_list_stalls(void **state)
{
    (void)state;
    begin();
    for (uint32_t sm = 0; sm < 5; sm++) {
        memsys_send(&b, sm, 0x1000, 32, WW_REQ_READ, sm);
    }
    for (uint32_t sm = 0; sm < 5; sm++) {
        memsys_wait(&b, sm, &reply);
    }
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MERGED), 3);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    assert_true(memsys_count(&b, WW_C_L2_STALL) > 100);
    memsys_bench_close(&b);
}

static void stores_stay_until_eviction(void **state)
{
    (void)state;
    begin(); /* a slice: 64 sets of 8 ways */
    memsys_round_trip(&b, 0, 128, WW_REQ_WRITE);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_MISS), 4);
    memsys_round_trip(&b, 0, 128, WW_REQ_WRITE);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_HIT), 4);
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_MC_WRITE), 0);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 0); /* no fetch on a store */
    for (uint64_t way = 1; way <= 8;
         way++) { /* same slice, same set: 64 sets x 128 B local, 12 slices */
        memsys_round_trip(&b, way * 64 * 128 * 12, 32, WW_REQ_READ);
    }
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITEBACK), 4);
    assert_int_equal(memsys_count(&b, WW_C_MC_WRITE), 1);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_WR), 2);
    memsys_bench_close(&b);
}

static void partial_stores_touch_their_sectors_only(void **state)
{
    (void)state;
    begin();
    ww_mem_req req = {
        .address = 0x1000, .bytes = 128, .kind = WW_REQ_WRITE, .byte_mask = 0x80000001};
    ww_memsys_inject(b.ms, 0, &req, b.now);
    memsys_wait(&b, 0, &reply);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_MISS), 2);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REQ_FLITS), 5); /* header and the whole segment */
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), 1); /* acknowledgement */
    memsys_round_trip(&b, 0x1000, 32, WW_REQ_READ); /* seven words are missing: fetched now */
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 1);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    memsys_bench_close(&b);
}

static void store_policies(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.l2.write_policy = WW_WRITE_THROUGH;
    arch.l2.write_allocate = WW_NO_WRITE_ALLOCATE;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0, 128, WW_REQ_WRITE);
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_MC_WRITE), 1);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_WR), 2);
    memsys_bench_close(&b);

    arch = memsys_plain_arch();
    arch.l2.write_allocate = WW_WRITE_ALLOCATE;
    memsys_bench_open(&b, &arch);
    ww_mem_req req = {.address = 0x1000, .bytes = 128, .kind = WW_REQ_WRITE, .byte_mask = 1};
    ww_memsys_inject(b.ms, 0, &req, b.now);
    memsys_wait(&b, 0, &reply);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1); /* the rest of the sector */
    memsys_round_trip(&b, 0x1000, 32, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    memsys_round_trip(&b, 0x2000, 128, WW_REQ_WRITE); /* whole sectors need none */
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    memsys_bench_close(&b);
}

static void forwarded_stores_fetch_a_clean_line(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.l2.write_allocate = WW_WRITE_FORWARD;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_WRITE);
    memsys_drain(&b);
    uint64_t written = memsys_count(&b, WW_C_DRAM_WR);
    assert_int_equal(written, 2); /* the store itself, though it covers its sectors */
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_BLOCKS), 0); /* the fetch brings it */
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_WRITE);            /* now it hits, and stays */
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_BLOCKS), 4);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_WR), written);
    memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITEBACK), 0);
    memsys_bench_close(&b);
}

static void atomics_read_modify_and_dirty(void **state)
{
    (void)state;
    begin();
    memsys_round_trip(&b, 0, 32, WW_REQ_ATOMIC);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 1);
    assert_int_equal(memsys_count(&b, WW_C_L2_ATOMIC), 32);
    uint64_t flits = memsys_count(&b, WW_C_ICNT_REP_FLITS);
    assert_int_equal(flits, 2); /* 8 + 32 bytes back */
    memsys_round_trip(&b, 0, 32, WW_REQ_REDUCE);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), flits + 1); /* no data back */
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    for (uint64_t way = 1; way <= 8; way++) {
        memsys_round_trip(&b, way * 64 * 128 * 12, 32, WW_REQ_READ);
    }
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITEBACK), 1);
    memsys_bench_close(&b);
}

/* 32 lane operations of 4 B hold the 32-byte port for four cycles. */
static void atomics_occupy_the_port(void **state)
{
    (void)state;
    begin();
    memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    uint64_t alone = memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    memsys_send(&b, 0, 0, 32, WW_REQ_REDUCE, 1); /* two flits */
    ww_memsys_tick(b.ms, b.now++);
    ww_memsys_tick(b.ms, b.now++);
    uint64_t start = b.now;
    memsys_send(&b, 1, 0, 32, WW_REQ_READ,
                2); /* at the slice one cycle behind: three left to wait */
    assert_int_equal(memsys_wait(&b, 1, &reply) - start, alone + 3);
    memsys_bench_close(&b);
}

static void dirty_lines_from_an_l1_get_no_answer(void **state)
{
    (void)state;
    begin();
    memsys_send(&b, 0, 0x1000, 128, WW_REQ_WRITEBACK, 1);
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_MISS), 4);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 0);
    memsys_bench_close(&b);
}

static void without_an_l2_everything_goes_to_dram(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.l2.bytes = 0;
    arch.l2.line_bytes = 256;
    memsys_bench_open(&b, &arch);
    for (int i = 0; i < 3; i++) {
        memsys_round_trip(&b, 0x1000, 64, WW_REQ_READ);
    }
    memsys_round_trip(&b, 0x1000, 64, WW_REQ_WRITE);
    memsys_round_trip(&b, 0x2000, 32, WW_REQ_ATOMIC);
    memsys_drain(&b);
    assert_int_equal(memsys_count(&b, WW_C_MC_READ), 4);
    assert_int_equal(memsys_count(&b, WW_C_MC_WRITE), 2);
    assert_int_equal(memsys_count(&b, WW_C_L2_ATOMIC), 32);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT) + memsys_count(&b, WW_C_L2_READ_MISS), 0);
    memsys_bench_close(&b);
}

static void line_cache_reads_whole_lines(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.l2.sector_bytes = 128;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0x1020, 32, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_MISS), 1);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_RD), 2);
    memsys_round_trip(&b, 0x1040, 32, WW_REQ_READ);
    assert_int_equal(memsys_count(&b, WW_C_L2_READ_HIT), 1);
    memsys_bench_close(&b);
}

/* Whatever the sector, data move by what a request asks for. */
static void blocks_are_counted_by_the_bytes_asked_for(void **state)
{
    (void)state;
    static const uint32_t SECTOR[] = {32, 128};
    for (size_t i = 0; i < WW_ARRAY_LEN(SECTOR); i++) {
        ww_arch arch = memsys_plain_arch();
        arch.l2.sector_bytes = SECTOR[i];
        memsys_bench_open(&b, &arch);
        memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ); /* misses: the fill is what moves */
        assert_int_equal(memsys_count(&b, WW_C_L2_READ_BLOCKS), 0);
        memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ);
        memsys_round_trip(&b, 0x1020, 64, WW_REQ_READ);
        assert_int_equal(memsys_count(&b, WW_C_L2_READ_BLOCKS), 4 + 2);
        memsys_round_trip(&b, 0x1060, 32, WW_REQ_WRITE);
        assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_BLOCKS), 1);
        memsys_round_trip(&b, 0x8000, 64, WW_REQ_WRITE); /* misses, and is kept all the same */
        assert_int_equal(memsys_count(&b, WW_C_L2_WRITE_BLOCKS), 1 + 2);
        memsys_bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_looked_up_by_sectors_and_fetched_at_once),
        cmocka_unit_test(a_line_is_brought),
        cmocka_unit_test(stores_pass_a_port_of_their_own_width),
        cmocka_unit_test(only_missing_sectors_are_fetched),
        cmocka_unit_test(misses_to_one_sector_merge),
        cmocka_unit_test(a_full_merge_list_stalls),
        cmocka_unit_test(stores_stay_until_eviction),
        cmocka_unit_test(partial_stores_touch_their_sectors_only),
        cmocka_unit_test(store_policies),
        cmocka_unit_test(forwarded_stores_fetch_a_clean_line),
        cmocka_unit_test(atomics_read_modify_and_dirty),
        cmocka_unit_test(atomics_occupy_the_port),
        cmocka_unit_test(dirty_lines_from_an_l1_get_no_answer),
        cmocka_unit_test(without_an_l2_everything_goes_to_dram),
        cmocka_unit_test(line_cache_reads_whole_lines),
        cmocka_unit_test(blocks_are_counted_by_the_bytes_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
