/* test_mesh.c - hop latencies, contention, credits, virtual channels and saturation of the mesh;
 * where its tiles lie. */
#include "arch/mesh.h"
#include "tests/unit/mem/net_bench.h"

/* Four columns, three rows; input i and output i lie at tile i. */
enum { COLUMNS = 4, ROWS = 3, TILES = COLUMNS * ROWS, HOP = 4 + 1 };

static void on_certain(void *user, uint32_t id)
{
    (void)id;
    ((bench *)user)->certain++;
}

static void open_bench(bench *b, const ww_icnt_params *params)
{
    uint32_t tile[TILES];
    for (uint32_t i = 0; i < TILES; i++) {
        tile[i] = i;
    }
    *b = (bench){0};
    ww_arena_init(&b->arena);
    assert_true(ww__pool_init(&b->pool, 4096, &b->arena));
    assert_true(ww__net_init(&b->net, params, TILES, 1, TILES, &b->pool, &b->arena));
    assert_true(ww__mesh_attach(&b->net, params, COLUMNS, ROWS, tile, tile, &b->arena));
    b->net.on_certain = on_certain;
    b->net.user = b;
}

static ww_icnt_params plain(void)
{
    return fixture_arch().icnt; /* router 4, link 1, one channel of 8 flits */
}

static void tick_until(bench *b, uint64_t from, uint64_t until)
{
    for (uint64_t now = from; now < until; now++) {
        ww__net_tick(&b->net, now);
    }
}

/* Pushed in cycle 0, granted at its router in cycle 1; each of the h links and the way out take a
 * hop of 5; the tail is flits - 1 behind. */
static void latency_grows_by_a_hop_per_link(void **state)
{
    (void)state;
    static const struct {
        uint32_t from, to, links;
    } ways[] = {{5, 5, 0},  {5, 6, 1},  {5, 4, 1}, {5, 1, 1}, {5, 9, 1},
                {0, 11, 5}, {11, 0, 5}, {3, 8, 5}, {0, 3, 3}};
    for (size_t i = 0; i < WW_ARRAY_LEN(ways); i++) {
        for (uint16_t flits = 1; flits <= 5; flits += 4) {
            bench b;
            const ww_icnt_params params = plain();
            open_bench(&b, &params);
            push(&b, ways[i].from, ways[i].to, flits, 7, 0);
            assert_int_equal(arrival(&b, ways[i].to, 0),
                             1 + (ways[i].links + 1) * HOP + flits - 1u);
            assert_int_equal(b.certain, 1);
            assert_int_equal(take(&b, ways[i].to, 100, NULL), 7);
            assert_int_equal(b.net.next, WW_NEVER);
            ww_arena_fini(&b.arena);
        }
    }
}

/* Five flits from 0 to 3, along the first row, and five from 1 to 3, pushed in cycle 3; buffers of
 * `room` flits.
 *   1        0's packet leaves router 0; head at router 1 in 6
 *   4        1's packet takes the link 1-2 for the cycles 4 .. 8; out at 4 + 3 hops, tail 4 behind
 *   9        0's packet takes it where router 2 has room for both: three cycles late
 *  14        with 8 flits it has not: 1's packet leaves router 2 in 9 .. 13, the credit is at
 *            router 1 a cycle behind its last flit
 * A packet from 1 to 5 at the same time leaves through another port, but by the same input: in 9.
 */
static void packets_share_a_link_in_turn(void **state)
{
    (void)state;
    for (uint32_t room = 8; room <= 16; room += 8) {
        bench b;
        ww_icnt_params params = plain();
        params.vc_flits = room;
        open_bench(&b, &params);
        push(&b, 0, 3, 5, 1, 0);
        tick_until(&b, 1, 4);
        push(&b, 1, 3, 5, 2, 3);
        push(&b, 1, 5, 1, 3, 3);
        assert_int_equal(arrival(&b, 5, 3), 9 + 2 * HOP);
        assert_int_equal(arrival(&b, 3, 19), 4 + 3 * HOP + 4);
        assert_int_equal(take(&b, 3, 23, NULL), 2);
        assert_int_equal(arrival(&b, 3, 23), (room == 8 ? 14 : 9) + 3 * HOP + 4);
        assert_int_equal(take(&b, 3, 40, NULL), 1);
        ww_arena_fini(&b.arena);
    }
}

/* Nobody takes what arrives at 1. Packets of 4 flits from 0: the output holds 2 and the 5 of its
 * pipeline, router 1's buffer of 8 flits holds 2, the input 3 more. One is taken in cycle 200:
 *   201      the output grants the buffer's first, whose flits leave in 201 .. 204
 *   205      the credit for its room is at router 0, link latency 1 behind the last flit, which
 *            sends its next packet: the input has room */
static void credits_bound_what_is_under_way(void **state)
{
    (void)state;
    enum { HELD = 2 + HOP, BUFFERED = 2, WAITING = 3 };
    bench b;
    ww_icnt_params params = plain();
    params.output_packets = 2;
    params.input_packets = WAITING;
    open_bench(&b, &params);
    uint32_t sent = 0;
    for (uint64_t now = 1; now < 200; now++) {
        if (ww__net_can_push(&b.net, 0)) {
            push(&b, 0, 1, 4, sent++, now - 1);
        }
        ww__net_tick(&b.net, now);
    }
    assert_int_equal(sent, HELD + BUFFERED + WAITING);
    assert_int_equal(b.certain, HELD);
    assert_int_equal(b.net.next, WW_NEVER); /* blocked: nothing to do until one is taken */
    assert_int_equal(take(&b, 1, 200, NULL), 0);
    assert_int_equal(b.net.next, 201);
    for (uint64_t now = 201; now < 205; now++) {
        if (now >= b.net.next) {
            ww__net_tick(&b.net, now);
        }
        assert_int_equal(b.certain, HELD + 1);
        assert_false(ww__net_can_push(&b.net, 0));
    }
    assert_int_equal(b.net.next, 205);
    ww__net_tick(&b.net, 205);
    assert_true(ww__net_can_push(&b.net, 0));
    ww_arena_fini(&b.arena);
}

/* Output 2 is full and its packets fill the way from 0. One for 1, which is free, is stuck behind
 * them with one channel; with two channels (2 is of channel 0, 1 of channel 1) it passes. */
static void channels_end_head_of_line_blocking(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        bench b;
        ww_icnt_params params = plain();
        params.virtual_channels = channels;
        params.output_packets = 1;
        open_bench(&b, &params);
        uint64_t now = 1;
        for (; now < 200; now++) {
            if (b.net.in[0].count < 4) {
                push(&b, 0, 2, 4, 0, now - 1);
            }
            ww__net_tick(&b.net, now);
        }
        push(&b, 0, 1, 1, 9, now - 1);
        tick_until(&b, now, now + 100);
        assert_int_equal(ww__net_arrived(&b.net, 1), channels == 2);
        ww_arena_fini(&b.arena);
    }
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

/* Every input sends to outputs at random as fast as it may, consumers pause at random: everything
 * arrives, once, at its output, each flow in order; and the network is empty at the end. `lazy`
 * ticks only when the net asks for it. Returns a digest of all arrivals. */
static uint64_t saturate(const ww_icnt_params *params, bool lazy, uint32_t pause)
{
    enum { PACKETS = 4000, CYCLES = 400000 };
    bench b;
    uint64_t seed = 1, digest = 0;
    uint32_t sent = 0, got = 0, next_sent[TILES][TILES] = {{0}}, next_got[TILES][TILES] = {{0}};
    open_bench(&b, params);
    for (uint64_t now = 1; got < PACKETS; now++) {
        assert_true(now < CYCLES);
        for (uint32_t i = 0; i < TILES && sent < PACKETS; i++) {
            uint32_t o = draw(&seed, TILES);
            uint16_t flits = (uint16_t)(1 + draw(&seed, 2) * 4);
            if (ww__net_can_push(&b.net, i)) {
                push(&b, i, o, flits, next_sent[i][o]++, now - 1);
                sent++;
            }
        }
        if (!lazy || now >= b.net.next) {
            ww__net_tick(&b.net, now);
        }
        for (uint32_t o = 0; o < TILES; o++) {
            bool willing = draw(&seed, pause) == 0;
            if (willing && ww__net_arrived(&b.net, o)) {
                uint32_t input = 0, token = take(&b, o, now, &input);
                assert_int_equal(token, next_got[input][o]);
                next_got[input][o]++;
                got++;
                digest = (digest ^ (now * 4099 + input * 64 + o)) * 1099511628211u;
            }
        }
    }
    assert_int_equal(b.pool.used, 0);
    assert_int_equal(b.certain, PACKETS);
    ww_arena_fini(&b.arena);
    return digest;
}

static void saturation_neither_loses_nor_locks(void **state)
{
    (void)state;
    static const struct {
        uint32_t channels, vc_flits, packets, link;
    } nets[] = {{1, 1, 1, 0}, {1, 8, 4, 1}, {2, 2, 2, 3}, {4, 8, 8, 1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(nets); i++) {
        ww_icnt_params params = plain();
        params.virtual_channels = nets[i].channels;
        params.vc_flits = nets[i].vc_flits; /* less than a packet: it takes the whole buffer */
        params.input_packets = params.output_packets = nets[i].packets;
        params.link_latency = nets[i].link;
        for (uint32_t pause = 1; pause <= 5; pause += 4) {
            uint64_t all = saturate(&params, false, pause);
            assert_true(all == saturate(&params, true, pause));
        }
    }
}

/* All inputs of the first row send to 3: its one way in from the west carries a flit a cycle, and
 * round robin at the routers on the way halves the share of those further away, as it does in any
 * mesh without a count of ages. */
static void a_hot_output_is_served_every_cycle(void **state)
{
    (void)state;
    bench b;
    unsigned served[COLUMNS] = {0};
    const ww_icnt_params params = plain();
    open_bench(&b, &params);
    for (uint64_t now = 1; now <= 4100; now++) {
        for (uint32_t i = 0; i < 3; i++) {
            if (ww__net_can_push(&b.net, i)) {
                push(&b, i, 3, 1, 0, now - 1);
            }
        }
        ww__net_tick(&b.net, now);
        if (ww__net_arrived(&b.net, 3)) {
            uint32_t input;
            take(&b, 3, now, &input);
            served[input]++;
        }
    }
    assert_in_range(served[0] + served[1] + served[2], 4080, 4095);
    assert_in_range(served[2], 2030, 2050);
    assert_in_range(served[1], 1010, 1030);
    assert_in_range(served[0], 1010, 1030);
    ww_arena_fini(&b.arena);
}

/* Seven SMs, two to a port, and six channels: ten tiles in four columns and three rows.
 *     M0 S0 M1 M2
 *     S2 S4 S6 --
 *     M3 -- M4 M5 */
static void partitions_lie_along_two_edges(void **state)
{
    (void)state;
    static const uint32_t channel[] = {0, 2, 3, 8, 10, 11}, sm[] = {1, 1, 4, 4, 5, 5, 6};
    ww_error err = {0};
    ww_arena arena;
    ww_mesh_plan plan;
    ww_arch arch = fixture_arch();
    arch.sm.count = 7;
    arch.icnt.port_sms = 2;
    ww_arena_init(&arena);
    assert_ok(ww_mesh_plan_make(&arch, &arena, &plan, &err), err);
    assert_int_equal(plan.columns, 4);
    assert_int_equal(plan.rows, 3);
    for (uint32_t s = 0; s < ww_arch_slices(&arch); s++) {
        assert_int_equal(plan.slice[s], channel[s / arch.mem.slices]);
    }
    for (uint32_t i = 0; i < arch.sm.count; i++) {
        assert_int_equal(plan.sm[i], sm[i]);
    }
    assert_int_equal(ww_mesh_distance(&plan, 0, 11), 5);
    assert_int_equal(ww_mesh_distance(&plan, 7, 4), 3);
    /* Two SMs, two channels: above, M0 at 1 (the middle of its row) and S0; below, M1 and S1.
     * Distances: S0 to M0 1, to M1 2; S1 to M0 2, to M1 1. */
    arch.sm.count = 2;
    arch.icnt.port_sms = 1;
    arch.mem.channels = 2;
    assert_ok(ww_mesh_plan_make(&arch, &arena, &plan, &err), err);
    assert_int_equal(plan.columns, 2);
    assert_near(ww_mesh_mean_distance(&plan, &arch), 1.5, 1e-12, 0);
    ww_arena_fini(&arena);
}

/* Whatever the numbers, no two tiles are in one place. */
static void plans_fit_any_machine(void **state)
{
    (void)state;
    for (uint32_t sms = 1; sms <= 24; sms++) {
        for (uint32_t channels = 1; channels <= 40; channels += 3) {
            for (uint32_t columns = 0; columns <= 9; columns += 3) {
                ww_error err = {0};
                ww_arena arena;
                ww_mesh_plan plan;
                bool used[1024] = {false};
                ww_arch arch = fixture_arch();
                arch.sm.count = sms;
                arch.mem.channels = channels;
                arch.icnt.mesh_columns = columns;
                ww_arena_init(&arena);
                assert_ok(ww_mesh_plan_make(&arch, &arena, &plan, &err), err);
                for (uint32_t k = 0; k < sms + channels; k++) {
                    uint32_t at = k < sms ? plan.sm[k] : plan.slice[(k - sms) * arch.mem.slices];
                    assert_true(at < plan.columns * plan.rows && !used[at]);
                    used[at] = true;
                }
                ww_arena_fini(&arena);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_grows_by_a_hop_per_link),
        cmocka_unit_test(packets_share_a_link_in_turn),
        cmocka_unit_test(credits_bound_what_is_under_way),
        cmocka_unit_test(channels_end_head_of_line_blocking),
        cmocka_unit_test(saturation_neither_loses_nor_locks),
        cmocka_unit_test(a_hot_output_is_served_every_cycle),
        cmocka_unit_test(partitions_lie_along_two_edges),
        cmocka_unit_test(plans_fit_any_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
