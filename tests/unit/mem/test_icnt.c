/* test_icnt.c - latency, serialisation, back-pressure and fairness of the crossbar. */
#include "tests/unit/mem/net_bench.h"

enum { INPUTS = 70, OUTPUTS = 66 }; /* more than one word of each bit set */

static void on_grant(void *user, uint32_t input, uint32_t id, uint64_t waited)
{
    (void)input;
    (void)id;
    ((bench *)user)->waited += waited;
}

static void open_shared(bench *b, uint32_t latency, uint32_t buffer, uint32_t channels,
                        uint32_t sharing)
{
    ww_icnt_params params = fixture_arch().icnt;
    params.virtual_channels = channels;
    params.latency = latency;
    params.input_packets = buffer;
    params.output_packets = buffer;
    ww_arena_init(&b->arena);
    assert_true(ww__pool_init(&b->pool, 1024, &b->arena));
    assert_true(ww__net_init(&b->net, &params, INPUTS, sharing, OUTPUTS, &b->pool, &b->arena));
    b->net.on_grant = on_grant;
    b->net.user = b;
    b->waited = 0;
}

static void open_channels(bench *b, uint32_t latency, uint32_t buffer, uint32_t channels)
{
    open_shared(b, latency, buffer, channels, 1);
}

static void open_bench(bench *b, uint32_t latency, uint32_t buffer)
{
    open_channels(b, latency, buffer, 1);
}

static void one_flit_takes_the_latency(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 8, 4);
    push(&b, 69, 65, 1, 5, 0);
    assert_int_equal(arrival(&b, 65, 0), 1 + 8); /* granted in cycle 1 */
    assert_int_equal(take(&b, 65, 9, NULL), 5);
    assert_int_equal(b.net.next, WW_NEVER);
    ww_arena_fini(&b.arena);
}

static void data_packets_serialise_on_port_and_link(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 8, 4);
    push(&b, 0, 3, 5, 0, 0); /* 136 bytes in flits of 32 */
    push(&b, 0, 3, 5, 1, 0);
    push(&b, 0, 4, 1, 2, 0); /* another output, but behind on the same port */
    push(&b, 1, 4, 1, 3, 0);
    assert_int_equal(arrival(&b, 4, 0), 9);
    assert_int_equal(take(&b, 4, 9, NULL), 3);
    assert_int_equal(arrival(&b, 3, 9), 1 + 8 + 4);
    assert_int_equal(take(&b, 3, 13, NULL), 0);
    assert_int_equal(arrival(&b, 3, 13), 6 + 8 + 4); /* port and link free in cycle 6 */
    assert_int_equal(take(&b, 3, 18, NULL), 1);
    assert_int_equal(arrival(&b, 4, 18), 11 + 8);
    assert_int_equal(b.waited, 5 + 10);
    ww_arena_fini(&b.arena);
}

/* An output as wide as two links streams packets of two inputs at once: the second, of its own
 * port, ends two cycles behind the first, and the third, granted with half of that one still to
 * come, as early. A port is no wider for it. */
static void a_wide_output_takes_two_inputs_at_once(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 8, 4);
    ww__net_widen(&b.net, 2);
    push(&b, 0, 3, 4, 0, 0);
    push(&b, 1, 3, 4, 1, 0);
    push(&b, 2, 3, 4, 2, 0);
    push(&b, 0, 4, 4, 3, 0); /* behind the first on its port */
    static const uint64_t ends[] = {1 + 8 + 3, 3 + 8 + 3, 5 + 8 + 3};
    uint64_t now = 0;
    for (uint32_t i = 0; i < 3; i++) {
        now = arrival(&b, 3, now);
        assert_int_equal(now, ends[i]);
        assert_int_equal(take(&b, 3, now, NULL), i);
    }
    assert_int_equal(arrival(&b, 4, now), 5 + 8 + 3);
    ww_arena_fini(&b.arena);
}

/* Three outputs that share two flits a cycle: packets of two flits from three inputs of their own
 * start one a cycle, and the output that waited first begins the next round. */
static void outputs_share_the_flits_of_a_cycle(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 8, 4);
    ww__net_limit(&b.net, 2);
    for (uint32_t i = 0; i < 3; i++) {
        push(&b, i, i, 2, i, 0);
        push(&b, i, i, 2, 3 + i, 0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        const uint64_t now = arrival(&b, i % 3, 0);
        assert_int_equal(now, 1 + i + 8 + 1);
        assert_int_equal(take(&b, i % 3, now, NULL), i);
    }
    ww_arena_fini(&b.arena);
}

static void full_outputs_hold_packets_back(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 0, 2);
    for (uint32_t i = 0; i < 6; i++) {
        push(&b, i, 0, 1, i, 0);
    }
    for (uint64_t now = 1; now < 50; now++) {
        ww__net_tick(&b.net, now);
    }
    assert_int_equal(b.net.out[0].queue.count, 2);
    assert_int_equal(b.net.in[1].count, 0);
    assert_int_equal(b.net.in[2].count, 1);
    assert_int_equal(take(&b, 0, 50, NULL), 0);
    ww__net_tick(&b.net, 51);
    assert_int_equal(b.net.in[2].count, 0);
    assert_int_equal(b.net.in[3].count, 1);
    push(&b, 3, 0, 1, 9, 51);
    assert_false(ww__net_can_push(&b.net, 3)); /* two packets: the input is full */
    assert_true(ww__net_can_push(&b.net, 2));
    ww_arena_fini(&b.arena);
}

static void competing_inputs_get_equal_shares(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 4, 4);
    unsigned served[INPUTS] = {0};
    for (uint64_t now = 1; now <= INPUTS * 20 + 10; now++) {
        for (uint32_t i = 0; i < INPUTS; i++) {
            if (ww__net_can_push(&b.net, i)) {
                push(&b, i, 7, 1, 0, now - 1);
            }
        }
        ww__net_tick(&b.net, now);
        if (ww__net_arrived(&b.net, 7)) {
            uint32_t input;
            take(&b, 7, now, &input);
            served[input]++;
        }
    }
    for (uint32_t i = 0; i < INPUTS; i++) {
        assert_in_range(served[i], 20, 21); /* one packet per cycle, in turn */
    }
    ww_arena_fini(&b.arena);
}

static void packets_of_one_flow_stay_in_order(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 3, 8);
    uint32_t sent = 0, got = 0;
    for (uint64_t now = 1; now < 500; now++) {
        if (sent < 60 && ww__net_can_push(&b.net, 2)) {
            push(&b, 2, 1, (uint16_t)(1 + sent % 4), sent, now - 1);
            sent++;
        }
        if (now >= b.net.next) {
            ww__net_tick(&b.net, now);
        }
        if (ww__net_arrived(&b.net, 1) && now % 3 == 0) {
            assert_int_equal(take(&b, 1, now, NULL), got);
            got++;
        }
    }
    assert_int_equal(got, 60);
    ww_arena_fini(&b.arena);
}

/* Input 0 sends ten flits to output 2, so that input 1's packet for 2 waits until cycle 11. With
 * one queue, its second packet, for the idle output 3, waits behind it; with two channels it goes
 * at once, and the port then sends the other. */
static void channels_end_head_of_line_blocking(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        bench b;
        open_channels(&b, 8, 4, channels);
        push(&b, 0, 2, 10, 0, 0);
        push(&b, 1, 2, 1, 1, 1);
        push(&b, 1, 3, 1, 2, 1);
        assert_int_equal(arrival(&b, 3, 0), channels == 1 ? 12 + 8 : 2 + 8);
        assert_int_equal(take(&b, 3, 20, NULL), 2);
        assert_int_equal(arrival(&b, 2, channels == 1 ? 20 : 10), channels == 1 ? 20 : 1 + 8 + 9);
        ww_arena_fini(&b.arena);
    }
}

/* Inputs 0 and 1 leave through one port, input 2 through the next: packets of four flits to three
 * outputs, none of them contended. */
static void inputs_that_share_a_port_take_turns(void **state)
{
    (void)state;
    bench b;
    open_shared(&b, 8, 4, 1, 2);
    push(&b, 0, 10, 4, 1, 0);
    push(&b, 1, 11, 4, 2, 0);
    push(&b, 2, 12, 4, 3, 0);
    assert_int_equal(arrival(&b, 10, 0), 1 + 8 + 3);
    assert_int_equal(arrival(&b, 12, 12), 1 + 8 + 3);
    assert_int_equal(arrival(&b, 11, 12), 5 + 8 + 3); /* granted when the port is free again */
    assert_int_equal(b.waited, 4);
    ww_arena_fini(&b.arena);
}

/* Two inputs for two outputs, that share a flit a cycle, and an input of each output's own, which
 * are of it: 4 flits for either output pass one after the other, what is the outputs' own when they
 * are free. */
static void what_is_an_outputs_own_has_no_part_in_the_limit(void **state)
{
    (void)state;
    bench b;
    const ww_arch arch = fixture_arch();
    open_bench(&b, 8, 4);
    assert_true(ww__net_init(&b.net, &arch.icnt, 4, 1, 2, &b.pool, &b.arena));
    ww__net_limit(&b.net, 1);
    ww__net_beside(&b.net);
    push(&b, 0, 0, 4, 0, 0);
    push(&b, 1, 1, 4, 1, 0);
    push(&b, 2 + 1, 1, 4, 2, 0);
    push(&b, 2 + 0, 0, 4, 3, 0);
    static const struct {
        uint32_t output, token, start;
    } order[] = {{0, 0, 1}, {1, 2, 1}, {0, 3, 5}, {1, 1, 5}};
    uint64_t now = 0;
    for (uint32_t i = 0; i < 4; i++) {
        now = arrival(&b, order[i].output, now);
        assert_int_equal(now, order[i].start + 8 + 3);
        assert_int_equal(take(&b, order[i].output, now, NULL), order[i].token);
    }
    ww_arena_fini(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_end_head_of_line_blocking),
        cmocka_unit_test(one_flit_takes_the_latency),
        cmocka_unit_test(data_packets_serialise_on_port_and_link),
        cmocka_unit_test(a_wide_output_takes_two_inputs_at_once),
        cmocka_unit_test(outputs_share_the_flits_of_a_cycle),
        cmocka_unit_test(what_is_an_outputs_own_has_no_part_in_the_limit),
        cmocka_unit_test(full_outputs_hold_packets_back),
        cmocka_unit_test(competing_inputs_get_equal_shares),
        cmocka_unit_test(packets_of_one_flow_stay_in_order),
        cmocka_unit_test(inputs_that_share_a_port_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
