/* dram_bench.h - one memory controller on its own, for tests of its timing: requests by bank, row
 * and column. */
#ifndef WW_TESTS_UNIT_MEM_DRAM_BENCH_H
#define WW_TESTS_UNIT_MEM_DRAM_BENCH_H

#include <string.h>

#include "perf/mem/dram.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

typedef struct dram_bench {
    ww_arena arena;
    ww_arch arch;
    ww_addrmap map;
    ww_counter_block counters;
    ww_dram dram;
    uint64_t now;
} dram_bench;

static inline ww_arch dram_bench_arch(void)
{
    ww_arch arch = fixture_arch();
    arch.mem.channels = 1;
    arch.mem.slices = 1;
    arch.mem.trefi = 0;
    return arch;
}

static inline void dram_bench_open(dram_bench *b, const ww_arch *arch)
{
    ww_error err = {0};
    b->arch = *arch;
    memset(&b->counters, 0, sizeof(b->counters));
    ww_arena_init(&b->arena);
    assert_ok(ww__addrmap_init(&b->map, &b->arch, &err), err);
    assert_true(ww__dram_init(&b->dram, &b->arch, 0, &b->map, &b->counters, &b->arena));
    b->now = 10;
}

static inline void dram_bench_close(dram_bench *b)
{
    ww_arena_fini(&b->arena);
}

/* Slice-local address of (bank, row, column): the inverse of ww__addrmap_dram for one slice and 16
 * banks in 4 groups. */
static inline uint64_t dram_bench_address(uint32_t bank, uint32_t row, uint32_t column)
{
    uint32_t plain = bank ^ (row & 15);
    uint64_t chunk = (((uint64_t)row * 4 + plain / 4) * 16 + column / 256) * 4 + plain % 4;
    return chunk * 256 + column % 256;
}

static inline void dram_bench_send(dram_bench *b, uint32_t bank, uint32_t row, uint32_t column,
                                   uint32_t bytes, bool write, uint32_t tag)
{
    assert_true(ww__dram_can_accept(&b->dram));
    ww_dram_req req = {.local = dram_bench_address(bank, row, column),
                       .bytes = (uint16_t)bytes,
                       .write = write,
                       .tag = tag};
    ww_dram_address at = ww__addrmap_dram(&b->map, 0, req.local);
    assert_int_equal(at.bank, bank);
    assert_int_equal(at.row, row);
    assert_int_equal(at.column, column);
    ww__dram_accept(&b->dram, &req, b->now);
}

/* Ticks until the counter reaches the value; returns the cycle of the command that did it. b->now
 * is then the cycle after. */
static inline uint64_t dram_bench_until(dram_bench *b, ww_counter counter, uint64_t value)
{
    while (b->counters.v[counter] < value) {
        assert_true(b->now < 1000000);
        ww__dram_tick(&b->dram, b->now++);
    }
    return b->now - 1;
}

/* Ticks until a read is done; returns its cycle and tag. */
static inline uint64_t dram_bench_read_done(dram_bench *b, uint32_t *tag)
{
    ww_dram_req req;
    while (!ww__dram_pop(&b->dram, b->now, &req)) {
        assert_true(b->now < 1000000);
        ww__dram_tick(&b->dram, b->now++);
    }
    ww__dram_release(&b->dram);
    *tag = req.tag;
    return b->now;
}

#endif
