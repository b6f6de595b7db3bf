/* port.c - the calendar of shared memory's data port. */
#include "perf/sm/async/port.h"

#include <stdbool.h>
#include <string.h>

void ww_smem_port_reset(ww_smem_port *port, uint64_t now)
{
    memset(port->taken, 0, sizeof port->taken);
    port->from = now / 64 * 64;
}

static uint64_t *word_of(ww_smem_port *port, uint64_t cycle)
{
    return &port->taken[cycle / 64 % WW_SMEM_WORDS];
}

static void forget(ww_smem_port *port, uint64_t now)
{
    if (now >= port->from + UINT64_C(64) * WW_SMEM_WORDS) {
        ww_smem_port_reset(port, now);
    }
    for (; port->from + 64 <= now; port->from += 64) {
        *word_of(port, port->from) = 0;
    }
}

/* The first free cycle from there on; false: none is kept track of. */
static bool find_free(ww_smem_port *port, uint64_t *cycle)
{
    const uint64_t end = port->from + UINT64_C(64) * (WW_SMEM_WORDS - 1);
    while (*cycle < end) {
        uint64_t open = ~*word_of(port, *cycle) & (~UINT64_C(0) << (*cycle % 64));
        if (open != 0) {
            *cycle = *cycle / 64 * 64 + (unsigned)__builtin_ctzll(open);
            return true;
        }
        *cycle = (*cycle / 64 + 1) * 64;
    }
    return false;
}

static uint64_t take_one(ww_smem_port *port, uint64_t cycle)
{
    if (find_free(port, &cycle)) {
        *word_of(port, cycle) |= UINT64_C(1) << (cycle % 64);
    }
    return cycle + 1;
}

uint64_t ww_smem_port_take(ww_smem_port *port, uint64_t now, uint64_t from, uint32_t n)
{
    forget(port, now);
    for (uint32_t i = 0; i < n; i++) {
        from = take_one(port, from);
    }
    return from;
}

uint64_t ww_smem_port_spread(ww_smem_port *port, uint64_t now, uint64_t from, uint32_t n,
                             uint32_t over)
{
    uint64_t end = from;
    forget(port, now);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t due = from + (uint64_t)i * over / n;
        end = take_one(port, due > end ? due : end);
    }
    return end;
}
