/* The border between SMs and memory system: is the foretold cycle of a reply the cycle in which it
 * arrives, whatever the window, the clocks and the traffic, and do credits count places? */
#include "perf/mem/port.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/mem/memsys_bench.h"

enum { SMS = 4, REQUESTS = 600, CYCLES = 200000 };

/* When each request's reply is taken, by SM and token. */
typedef struct timeline {
    uint64_t sent[SMS][REQUESTS], taken[SMS][REQUESTS];
    uint32_t replies;
} timeline;

/* What SM `sm` asks for as its i-th request, and the cycle before which it does not. */
static ww_mem_req request_of(uint32_t sm, uint32_t i, uint64_t *due)
{
    uint32_t x = (sm * 7919u + i) * 2654435761u;
    static const uint8_t kinds[] = {WW_REQ_READ, WW_REQ_READ, WW_REQ_WRITE, WW_REQ_REDUCE};
    *due = (uint64_t)i * 3 + x % 7 + (i / 100) * 900; /* bursts with pauses */
    return (ww_mem_req){.address = (uint64_t)(x % 4096) * 128,
                        .bytes = 128,
                        .kind = kinds[(x >> 16) % 4],
                        .sm = sm,
                        .lanes = 32,
                        .token = i};
}

/* The reference: SMs and memory system cycle by cycle, without ports. */
static void cycle_by_cycle(const ww_arch *arch, timeline *t)
{
    memsys_bench b;
    uint32_t next[SMS] = {0};
    memset(t, 0, sizeof *t);
    memsys_bench_open(&b, arch);
    for (; t->replies < SMS * REQUESTS && b.now < CYCLES; b.now++) {
        for (uint32_t sm = 0; sm < SMS; sm++) {
            ww_mem_req reply;
            if (ww_memsys_receive(b.ms, sm, &reply)) {
                t->taken[sm][reply.token] = b.now;
                t->replies++;
            }
            uint64_t due;
            ww_mem_req req = request_of(sm, next[sm], &due);
            if (next[sm] < REQUESTS && due <= b.now && ww_memsys_can_inject(b.ms, sm, &req)) {
                t->sent[sm][next[sm]++] = b.now;
                ww_memsys_inject(b.ms, sm, &req, b.now);
            }
        }
        ww_memsys_tick(b.ms, b.now);
    }
    assert_int_equal(t->replies, SMS * REQUESTS);
    memsys_bench_close(&b);
}

/* One SM through a window, sending in the cycles of the reference. */
static void run_sm(ww_port *port, uint32_t sm, uint32_t *next, uint64_t from, uint64_t until,
                   const timeline *reference, timeline *t)
{
    for (uint64_t now = from; now < until; now++) {
        ww_mem_req reply;
        if (ww_port_receive(port, now, &reply)) {
            t->taken[sm][reply.token] = now;
            t->replies++;
        }
        if (*next < REQUESTS && reference->sent[sm][*next] == now) {
            uint64_t due;
            ww_mem_req req = request_of(sm, *next, &due);
            assert_true(ww_port_can_send(port));
            ww_port_send(port, &req, now);
            t->sent[sm][(*next)++] = now;
        }
    }
}

/* The same traffic in windows; SMs in the opposite order, for it must not matter. */
static void in_windows(const ww_arch *arch, uint32_t window, bool behind, const timeline *reference,
                       timeline *t)
{
    memsys_bench b;
    ww_error err = {0};
    ww_ports *ports;
    uint32_t next[SMS] = {0};
    memset(t, 0, sizeof *t);
    memsys_bench_open(&b, arch);
    assert_ok(ww_ports_create(arch, b.ms, behind, &ports, &err), err);
    ww_ports_restart(ports, 0);
    for (uint64_t now = 0; t->replies < SMS * REQUESTS && now < CYCLES; now += window) {
        for (uint32_t k = SMS; k-- > 0;) {
            run_sm(ww_ports_of(ports, k), k, &next[k], now, now + window, reference, t);
        }
        if (behind) {
            ww_ports_run(ports, now, true);
            ww_ports_collect(ports);
            ww_ports_grant_credits(ports);
        } else {
            ww_ports_collect(ports);
            ww_ports_run(ports, now + window, true);
            ww_ports_grant_credits(ports);
        }
        ww_ports_deliver(ports);
    }
    assert_int_equal(t->replies, SMS * REQUESTS);
    ww_ports_destroy(ports);
    memsys_bench_close(&b);
}

static void compare(const ww_arch *arch)
{
    static timeline reference, windows;
    memsys_bench b;
    bool behind;
    memsys_bench_open(&b, arch);
    uint32_t longest = ww_ports_window(b.ms, &behind);
    memsys_bench_close(&b);
    cycle_by_cycle(arch, &reference);
    for (uint32_t window = 1; window <= longest; window++) {
        in_windows(arch, window, behind, &reference, &windows);
        assert_memory_equal(&reference, &windows, sizeof reference);
        in_windows(arch, window, false, &reference, &windows);
        assert_memory_equal(&reference, &windows, sizeof reference);
    }
}

static ww_arch roomy(void)
{
    ww_arch arch = memsys_plain_arch();
    arch.sm.count = SMS;
    arch.icnt.input_packets = 4096; /* so that credits never bind: the traffic is the reference's */
    return arch;
}

static void replies_come_as_foretold(void **state)
{
    (void)state;
    static const uint32_t latency[] = {0, 1, 3, 8, 20};
    for (unsigned i = 0; i < WW_ARRAY_LEN(latency); i++) {
        ww_arch arch = roomy();
        arch.icnt.latency = latency[i];
        compare(&arch);
    }
}

static void with_clocks_of_odd_ratios(void **state)
{
    (void)state;
    static const double icnt_hz[] = {335e6, 550e6, 924e6, 1400e6, 2101e6};
    for (unsigned i = 0; i < WW_ARRAY_LEN(icnt_hz); i++) {
        ww_arch arch = roomy();
        arch.clock.core_hz = 700e6;
        arch.clock.icnt_hz = icnt_hz[i];
        compare(&arch);
    }
}

static void with_replies_in_parts(void **state)
{
    (void)state;
    ww_arch arch = roomy();
    arch.peer.sector_requests = true;
    compare(&arch);
}

static void with_full_outputs(void **state)
{
    (void)state;
    ww_arch arch = roomy();
    arch.icnt.output_packets = 1;
    compare(&arch);
}

/* A reply over a mesh is certain when the last router has granted it. */
static void over_a_mesh(void **state)
{
    (void)state;
    static const struct {
        uint32_t router, link, channels, vc_flits, output;
        double icnt_hz;
        bool parts;
    } rows[] = {{4, 1, 1, 8, 32, 700e6, false},
                {1, 0, 1, 1, 1, 700e6, false},
                {3, 2, 4, 4, 2, 924e6, true},
                {2, 1, 2, 8, 32, 1400e6, false}};
    for (unsigned i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_arch arch = roomy();
        arch.icnt.topology = WW_ICNT_MESH;
        arch.icnt.router_latency = rows[i].router;
        arch.icnt.link_latency = rows[i].link;
        arch.icnt.virtual_channels = rows[i].channels;
        arch.icnt.vc_flits = rows[i].vc_flits;
        arch.icnt.output_packets = rows[i].output;
        arch.clock.icnt_hz = rows[i].icnt_hz;
        arch.peer.sector_requests = rows[i].parts;
        compare(&arch);
    }
}

static void the_lookahead_is_in_core_cycles(void **state)
{
    (void)state;
    static const struct {
        double core_hz, icnt_hz;
        uint32_t latency, lookahead;
    } rows[] = {
        {700e6, 700e6, 8, 9}, {700e6, 1400e6, 8, 5}, {1400e6, 700e6, 8, 17},
        {335e6, 550e6, 8, 5}, {700e6, 700e6, 0, 1},
    };
    for (unsigned i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_arch arch = roomy();
        arch.clock.core_hz = rows[i].core_hz;
        arch.clock.icnt_hz = rows[i].icnt_hz;
        arch.icnt.latency = rows[i].latency;
        memsys_bench b;
        bool behind;
        memsys_bench_open(&b, &arch);
        assert_int_equal(ww_memsys_lookahead(b.ms), rows[i].lookahead);
        uint32_t window = ww_ports_window(b.ms, &behind);
        assert_int_equal(behind, rows[i].lookahead >= 2);
        assert_int_equal(window, behind ? rows[i].lookahead / 2 : 1);
        memsys_bench_close(&b);
    }
}

/* Two places: two requests may be sent; their places are known to be free again at the edge after
 * the memory system has taken them. */
static void credits_count_places(void **state)
{
    (void)state;
    ww_arch arch = roomy();
    ww_error err = {0};
    memsys_bench b;
    ww_ports *ports;
    arch.icnt.input_packets = 2;
    memsys_bench_open(&b, &arch);
    assert_ok(ww_ports_create(&arch, b.ms, true, &ports, &err), err);
    ww_ports_restart(ports, 0);
    ww_port *port = ww_ports_of(ports, 0);
    uint64_t due;
    ww_mem_req req = request_of(0, 0, &due);
    ww_port_send(port, &req, 0);
    assert_true(ww_port_can_send(port));
    ww_port_send(port, &req, 1);
    assert_false(ww_port_can_send(port));
    ww_ports_run(ports, 0, true); /* the memory system has seen none of it */
    ww_ports_collect(ports);
    ww_ports_grant_credits(ports);
    assert_false(ww_port_can_send(port));
    ww_ports_run(ports, 4, true); /* the first is granted in cycle 1, the second follows */
    ww_ports_grant_credits(ports);
    assert_true(ww_port_can_send(port));
    uint64_t since;
    assert_false(ww_ports_idle(ports, &since));
    ww_ports_destroy(ports);
    memsys_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_come_as_foretold),
        cmocka_unit_test(with_clocks_of_odd_ratios),
        cmocka_unit_test(with_replies_in_parts),
        cmocka_unit_test(with_full_outputs),
        cmocka_unit_test(over_a_mesh),
        cmocka_unit_test(the_lookahead_is_in_core_cycles),
        cmocka_unit_test(credits_count_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
