/* net_bench.h - a network on its own, with packets of a pool that a test pushes in and takes out;
 * the test makes it (ww__net_init), as crossbar or mesh, and says what it listens to. */
#ifndef WW_TESTS_UNIT_MEM_NET_BENCH_H
#define WW_TESTS_UNIT_MEM_NET_BENCH_H

#include "perf/mem/icnt.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

typedef struct bench {
    ww_arena arena;
    ww_pool pool;
    ww_net net;
    uint64_t waited;  /* cycles that packets have waited, where the net tells (on_grant) */
    unsigned certain; /* packets that it has told of (on_certain) */
} bench;

static inline void push(bench *b, uint32_t input, uint32_t output, uint16_t flits, uint32_t token,
                        uint64_t now)
{
    uint32_t id = ww__pool_take(&b->pool);
    b->pool.packet[id].flits = flits;
    b->pool.packet[id].req.token = token;
    b->pool.packet[id].req.sm = input;
    ww__net_push(&b->net, input, output, id, now);
}

/* The token of the packet that has arrived there. input: where it was pushed in; may be NULL. */
static inline uint32_t take(bench *b, uint32_t output, uint64_t now, uint32_t *input)
{
    uint32_t id = ww__net_pop(&b->net, output, now);
    uint32_t token = b->pool.packet[id].req.token;
    if (input != NULL) {
        *input = b->pool.packet[id].req.sm;
    }
    ww__pool_give(&b->pool, id);
    return token;
}

/* Ticks whenever the net says so; returns the first cycle from `now` on in which the output has a
 * packet. */
static inline uint64_t arrival(bench *b, uint32_t output, uint64_t now)
{
    while (!ww__net_arrived(&b->net, output)) {
        now++;
        assert_true(now < 10000);
        if (now >= b->net.next) {
            ww__net_tick(&b->net, now);
        }
    }
    return now;
}

#endif
