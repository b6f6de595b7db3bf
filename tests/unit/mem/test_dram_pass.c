/* test_dram_pass.c - does a controller that is looked at only when it said so, and at arrivals, do
 * in every cycle what one does that is looked at in each? */
#include "tests/unit/mem/dram_bench.h"

enum { CYCLES = 60000 };

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % n;
}

/* Phases of few and of many requests, of reads, of writes and of both. */
static bool draw_request(uint64_t now, ww_dram_req *req)
{
    uint32_t phase = (uint32_t)(now / 700), gap = phase % 5 == 0 ? 60 : phase % 3 == 0 ? 9 : 3;
    if (draw(gap) != 0) {
        return false;
    }
    uint32_t bank = draw(phase % 2 != 0 ? 3 : 16), row = draw(phase % 4 + 1);
    uint32_t writes = (phase % 7) * 16;
    *req = (ww_dram_req){.local = dram_bench_address(bank, row, draw(32) * 32),
                         .bytes = 32,
                         .write = draw(100) < writes,
                         .tag = (uint32_t)now};
    return true;
}

/* What it gives back in a cycle: the tag, 0 for nothing. */
static uint32_t give_back(dram_bench *b, uint64_t now)
{
    ww_dram_req done;
    if (!ww__dram_pop(&b->dram, now, &done)) {
        return 0;
    }
    ww__dram_release(&b->dram);
    return done.tag;
}

static void compare(const ww_arch *arch)
{
    dram_bench each, some;
    dram_bench_open(&each, arch);
    dram_bench_open(&some, arch);
    uint64_t next = WW_NEVER, looks = 0;
    seed = 11;
    for (uint64_t now = 10; now < CYCLES; now++) {
        ww_dram_req req;
        bool comes = ww__dram_can_accept(&each.dram) && draw_request(now, &req);
        assert_int_equal(ww__dram_can_accept(&some.dram), ww__dram_can_accept(&each.dram));
        assert_int_equal(give_back(&some, now), give_back(&each, now));
        if (comes) {
            ww__dram_accept(&each.dram, &req, now);
            ww__dram_accept(&some.dram, &req, now);
        }
        ww__dram_tick(&each.dram, now);
        if (comes || next <= now) {
            next = ww__dram_tick(&some.dram, now);
            assert_true(next > now);
            looks++;
        }
        for (uint32_t c = 0; c < WW_COUNTER_COUNT && now % 64 == 0; c++) {
            assert_int_equal(some.counters.v[c], each.counters.v[c]);
        }
        assert_int_equal(some.counters.v[WW_C_DRAM_ACT], each.counters.v[WW_C_DRAM_ACT]);
        assert_int_equal(some.counters.v[WW_C_DRAM_PRE], each.counters.v[WW_C_DRAM_PRE]);
        assert_int_equal(some.counters.v[WW_C_DRAM_RD], each.counters.v[WW_C_DRAM_RD]);
        assert_int_equal(some.counters.v[WW_C_DRAM_WR], each.counters.v[WW_C_DRAM_WR]);
    }
    assert_true(looks < CYCLES * 3 / 4);
    dram_bench_close(&each);
    dram_bench_close(&some);
}

static void cycles_passed_over_change_nothing(void **state)
{
    (void)state;
    const ww_dram_scheduler schedulers[] = {WW_DRAM_FCFS, WW_DRAM_FRFCFS, WW_DRAM_BANK_FRFCFS};
    for (size_t s = 0; s < 3; s++) {
        for (uint32_t refreshes = 0; refreshes < 2; refreshes++) {
            ww_arch arch = dram_bench_arch();
            arch.mem.scheduler = schedulers[s];
            arch.mem.queue_entries = 16;
            arch.mem.trefi = refreshes ? 1300 : 0;
            compare(&arch);
            arch.mem.type = WW_DRAM_HBM2;
            compare(&arch);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_passed_over_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
