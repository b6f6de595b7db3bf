/* memsys_bench.h - a whole memory system with its counters, driven cycle by cycle. */
#ifndef WW_TESTS_UNIT_MEM_MEMSYS_BENCH_H
#define WW_TESTS_UNIT_MEM_MEMSYS_BENCH_H

#include "perf/mem/mem.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

typedef struct memsys_bench {
    ww_arch arch;
    ww_counter_set set;
    ww_memsys *ms;
    uint64_t now; /* next core cycle to tick */
} memsys_bench;

/* All clocks equal, so that timelines can be added up by hand; no refresh. */
static inline ww_arch memsys_plain_arch(void)
{
    ww_arch arch = fixture_arch();
    arch.clock.dram_hz = arch.clock.core_hz;
    arch.mem.trefi = 0;
    return arch;
}

static inline void memsys_bench_open(memsys_bench *b, const ww_arch *arch)
{
    ww_error err = {0};
    b->arch = *arch;
    b->now = 0;
    assert_ok(ww_counter_set_init(&b->set, arch->sm.count, ww_arch_slices(arch), arch->mem.channels,
                                  &err),
              err);
    assert_ok(ww_memsys_create(&b->arch, &b->set, &b->ms, &err), err);
}

static inline void memsys_bench_close(memsys_bench *b)
{
    ww_memsys_destroy(b->ms);
    ww_counter_set_fini(&b->set);
}

static inline uint64_t memsys_count(const memsys_bench *b, ww_counter counter)
{
    ww_memsys_sync(b->ms);
    return ww_counter_total(&b->set, counter);
}

static inline void memsys_send(memsys_bench *b, uint32_t sm, uint64_t address, uint16_t bytes,
                               ww_req_kind kind, uint32_t token)
{
    ww_mem_req req = {.address = address,
                      .bytes = bytes,
                      .kind = (uint8_t)kind,
                      .token = token,
                      .lanes = kind == WW_REQ_ATOMIC || kind == WW_REQ_REDUCE ? 32 : 0};
    assert_true(ww_memsys_can_inject(b->ms, sm, &req));
    ww_memsys_inject(b->ms, sm, &req, b->now);
}

/* Ticks until a reply for the SM is there; returns the core cycle whose tick brought it. */
static inline uint64_t memsys_wait(memsys_bench *b, uint32_t sm, ww_mem_req *reply)
{
    uint64_t limit = b->now + 100000;
    while (!ww_memsys_has_reply(b->ms, sm)) {
        assert_true(b->now < limit);
        ww_memsys_tick(b->ms, b->now++);
    }
    assert_true(ww_memsys_receive(b->ms, sm, reply));
    return b->now - 1;
}

/* Sends a request from SM 0 and waits for its answer; returns the cycles from injection to the
 * reply. */
static inline uint64_t memsys_round_trip(memsys_bench *b, uint64_t address, uint16_t bytes,
                                         ww_req_kind kind)
{
    ww_mem_req reply;
    uint64_t start = b->now;
    memsys_send(b, 0, address, bytes, kind, 1);
    return memsys_wait(b, 0, &reply) - start;
}

/* Runs until nothing is in flight, throwing replies away. */
static inline void memsys_drain(memsys_bench *b)
{
    ww_mem_req reply;
    uint64_t limit = b->now + 1000000;
    while (!ww_memsys_idle(b->ms)) {
        assert_true(b->now < limit);
        for (uint32_t sm = 0; sm < b->arch.sm.count; sm++) {
            (void)ww_memsys_receive(b->ms, sm, &reply);
        }
        ww_memsys_tick(b->ms, b->now++);
    }
    ww_memsys_sync(b->ms);
}

#endif
