/* test_memsys.c - the whole path: latency added up by hand, conservation, bandwidth, determinism,
 * skipping. */
#include <string.h>

#include "tests/unit/mem/memsys_bench.h"

static memsys_bench b;
static ww_mem_req reply;

/* All domains tick once per core cycle; cycle n of a domain lies in core cycle n - 1.
 *   cycle 1      request granted (injected in core cycle 0); one flit, 8 cycles on the way
 *   9            at the slice; 10: taken into the arrival pipeline of 120
 *   130          lookup, miss; 131: in the controller, activate
 *   143, 146     two column commands: tRCD 12, tCCDL 3
 *   260          data: tCL 12 + burst 2 + 100; written into the cache
 *   261          reply granted; 136 B = 5 flits, 8 cycles
 *   273          tail at the SM = core cycle 272 */
static void read_miss_round_trip_by_hand(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    assert_int_equal(memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ), 272);
    /* A hit needs no DRAM: lookup in 130, reply granted in 131, 131 + 8 + 4 = 143. */
    assert_int_equal(memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ), 142);
    /* 32 B: two flits. */
    assert_int_equal(memsys_round_trip(&b, 0x1000, 32, WW_REQ_READ), 139);
    memsys_bench_close(&b);
}

/* 15 SMs and 6 channels: 21 tiles in five columns and rows; SM 0 lies at (1, 0) beside channel 0,
 * channel 4, of address 0x1000, in the middle of the last row, at (2, 4): 5 links away. Each way
 * takes 6 hops of 4 + 1 cycles where the crossbar takes 8: 22 more. */
static void read_over_a_mesh_by_hand(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.icnt.topology = WW_ICNT_MESH;
    memsys_bench_open(&b, &arch);
    assert_int_equal(memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ), 272 + 2 * 22);
    assert_int_equal(memsys_round_trip(&b, 0x1000, 128, WW_REQ_READ), 142 + 2 * 22);
    memsys_bench_close(&b);
}

static void slower_domains_stretch_the_path(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    arch.mem.rop_latency = 100;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    uint64_t fast = memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    memsys_bench_close(&b);
    arch.clock.l2_hz = 350e6;
    memsys_bench_open(&b, &arch);
    memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    uint64_t slow = memsys_round_trip(&b, 0, 32, WW_REQ_READ);
    assert_in_range(slow, fast + 100, fast + 105); /* 100 more core cycles of rop, edges aside */
    memsys_bench_close(&b);
}

static void replies_carry_the_request_back(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    ww_mem_req req = {
        .address = 0x3000, .bytes = 64, .kind = WW_REQ_TEX, .flags = 9, .token = 77, .sm = 6};
    b.now = 1000;
    ww_memsys_inject(b.ms, 6, &req, b.now);
    while (*ww_memsys_replies(b.ms) == 0) {
        ww_memsys_tick(b.ms, b.now++);
    }
    assert_int_equal(*ww_memsys_replies(b.ms), 1 << 6);
    memsys_wait(&b, 6, &reply);
    assert_int_equal(reply.address, 0x3000);
    assert_int_equal(reply.token, 77);
    assert_int_equal(reply.flags, 9);
    assert_int_equal(reply.sm, 6);
    assert_int_equal(reply.issued, 1000);
    assert_false(ww_memsys_receive(b.ms, 6, &reply));
    assert_true(ww_memsys_idle(b.ms));
    memsys_bench_close(&b);
}

static void injection_is_bounded_and_flits_are_counted(void **state)
{
    (void)state;
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    ww_mem_req req = {.address = 0, .bytes = 128, .kind = WW_REQ_WRITE};
    uint32_t sent = 0;
    while (ww_memsys_can_inject(b.ms, 2, &req)) {
        ww_memsys_inject(b.ms, 2, &req, 0);
        sent++;
    }
    assert_int_equal(sent, 32);
    assert_true(ww_memsys_can_inject(b.ms, 3, &req));
    memsys_drain(&b);
    const uint64_t *v = b.set.block[WW_SCOPE_SM][2].v;
    assert_int_equal(v[WW_C_ICNT_REQ_PACKETS], 32);
    assert_int_equal(v[WW_C_ICNT_REQ_FLITS], 32 * 5);
    /* the k-th packet waits for k predecessors of five flits each */
    assert_int_equal(v[WW_C_ICNT_STALL], 5 * 31 * 32 / 2);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), 32);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_FLITS), 32);
    memsys_bench_close(&b);
}

/* ---- random traffic ---- */

typedef struct traffic {
    uint64_t seed;
    uint64_t hash;     /* of all replies with their times */
    uint64_t received; /* replies */
    uint64_t last;     /* core cycle of the last reply */
} traffic;

static uint32_t draw(traffic *t)
{
    t->seed = t->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(t->seed >> 33);
}

static void receive_all(memsys_bench *bench, traffic *t)
{
    for (uint32_t sm = 0; sm < bench->arch.sm.count; sm++) {
        if (ww_memsys_receive(bench->ms, sm, &reply)) {
            const uint64_t fact[] = {bench->now, sm, reply.token, reply.address};
            for (int i = 0; i < 4; i++) {
                t->hash = (t->hash ^ fact[i]) * UINT64_C(0x100000001b3);
            }
            t->received++;
            t->last = bench->now;
        }
    }
}

static uint64_t inject_some(memsys_bench *bench, traffic *t, uint32_t burst, uint32_t *token)
{
    uint64_t replies = 0;
    for (uint32_t i = 0; i < burst; i++) {
        uint32_t r = draw(t);
        uint32_t k = draw(t) % 16;
        uint16_t bytes = (uint16_t)(32 << draw(t) % 3);
        ww_mem_req req = {
            .bytes = bytes,
            .kind = (uint8_t)(k < 9    ? WW_REQ_READ
                              : k < 12 ? WW_REQ_WRITE
                              : k < 13 ? WW_REQ_ATOMIC
                              : k < 14 ? WW_REQ_REDUCE
                              : k < 15 ? WW_REQ_WRITEBACK
                                       : WW_REQ_INST),
            .address = (uint64_t)(draw(t) % 40000) * 128 / bytes * bytes,
            .lanes = 1 + r % 32,
            .byte_mask = draw(t) | 1,
        };
        uint32_t sm = r % bench->arch.sm.count;
        if (ww_memsys_can_inject(bench->ms, sm, &req)) {
            req.token = (*token)++;
            ww_memsys_inject(bench->ms, sm, &req, bench->now);
            replies += req.kind != WW_REQ_WRITEBACK;
        }
    }
    return replies;
}

/* Bursts of requests with idle gaps of up to `gap` cycles; skip: jump over quiet cycles. Returns
 * the number of replies due. */
static uint64_t run_traffic(memsys_bench *bench, traffic *t, uint32_t bursts, uint32_t size,
                            uint32_t gap, bool skip)
{
    uint32_t token = 0;
    uint64_t due = 0;
    uint64_t next_burst = 0;
    while (bursts > 0 || !ww_memsys_idle(bench->ms)) {
        receive_all(bench, t);
        if (bursts > 0 && bench->now >= next_burst) {
            due += inject_some(bench, t, 1 + draw(t) % size, &token);
            next_burst = bench->now + 1 + draw(t) % gap;
            bursts--;
        }
        ww_memsys_tick(bench->ms, bench->now);
        uint64_t next = bench->now + 1;
        if (!skip && bench->now % 777 == 0) {
            ww_memsys_sync(bench->ms); /* reading counters in mid-flight changes nothing */
        }
        if (skip) {
            next = ww_memsys_next_event(bench->ms, bench->now);
            if (bursts > 0 && next > next_burst) {
                next = next_burst;
            }
            if (next == UINT64_MAX) {
                next = bench->now + 1;
            }
            assert_true(next > bench->now);
            if (next > bench->now + 1) {
                ww_memsys_skip(bench->ms, bench->now, next);
            }
        }
        bench->now = next;
        assert_true(bench->now < 100000000);
    }
    return due;
}

static void assert_same_counters(const ww_counter_set *a, const ww_counter_set *c)
{
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        assert_int_equal(a->count[scope], c->count[scope]);
        for (uint32_t i = 0; i < a->count[scope]; i++) {
            for (int k = 0; k < WW_COUNTER_COUNT; k++) {
                if (a->block[scope][i].v[k] != c->block[scope][i].v[k]) {
                    fail_msg("%s[%u]: %llu and %llu", ww_counter_describe((ww_counter)k)->name, i,
                             (unsigned long long)a->block[scope][i].v[k],
                             (unsigned long long)c->block[scope][i].v[k]);
                }
            }
        }
    }
}

static ww_arch variant(int i)
{
    ww_arch arch = fixture_arch();
    arch.mem.trefi = 900;
    switch (i) {
    case 1: /* odd ratios */
        arch.clock.icnt_hz = 613e6;
        arch.clock.l2_hz = 811e6;
        arch.clock.dram_hz = 1750e6;
        arch.mem.hash_channels = true;
        break;
    case 2: /* no L2, few resources, in order */
        arch.l2.bytes = 0;
        arch.icnt.input_packets = 2;
        arch.icnt.output_packets = 2;
        arch.mem.queue_entries = 2;
        arch.mem.return_entries = 1;
        arch.mem.scheduler = WW_DRAM_FCFS;
        break;
    case 3: /* small write-allocating on-fill L2 under pressure */
        arch.l2.bytes = 4096;
        arch.l2.allocate = WW_ALLOCATE_ON_FILL;
        arch.l2.write_allocate = WW_WRITE_ALLOCATE;
        arch.l2.mshr_entries = 4;
        arch.l2.mshr_merge = 2;
        arch.l2.miss_queue = 1;
        arch.mem.queue_entries = 3;
        arch.mem.return_entries = 1;
        arch.icnt.output_packets = 1;
        break;
    case 4: /* write-through line cache, HBM */
        arch.l2.sector_bytes = 128;
        arch.l2.write_policy = WW_WRITE_THROUGH;
        arch.l2.write_allocate = WW_NO_WRITE_ALLOCATE;
        arch.l2.miss_queue = 2;
        arch.l2.mshr_entries = 8;
        arch.mem.type = WW_DRAM_HBM2;
        arch.clock.icnt_hz = 350e6;
        arch.icnt.latency = 0;
        arch.mem.rop_latency = 0;
        break;
    case 5: /* a mesh whose buffers and outputs are small */
        arch.icnt.topology = WW_ICNT_MESH;
        arch.icnt.virtual_channels = 2;
        arch.icnt.vc_flits = 3;
        arch.icnt.output_packets = 2;
        arch.clock.icnt_hz = 613e6;
        break;
    default:
        break;
    }
    return arch;
}

static void skipping_equals_ticking(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        for (uint32_t gap = 3; gap <= 30000; gap *= 100) {
            ww_arch arch = variant(i);
            memsys_bench ticked, skipped;
            traffic t = {.seed = 5 + gap}, s = t;
            memsys_bench_open(&ticked, &arch);
            memsys_bench_open(&skipped, &arch);
            uint32_t bursts = gap > 1000 ? 20 : 400;
            uint64_t due = run_traffic(&ticked, &t, bursts, 40, gap, false);
            uint64_t due_skipped = run_traffic(&skipped, &s, bursts, 40, gap, true);
            assert_int_equal(due, due_skipped);
            assert_int_equal(t.received, due);
            assert_int_equal(s.received, due);
            assert_int_equal(t.last, s.last);
            assert_int_equal(t.hash, s.hash);
            /* to the same end, past some idle refreshes, one by ticks and one by a jump */
            uint64_t end = 5000 + (ticked.now > skipped.now ? ticked.now : skipped.now);
            while (ticked.now < end) {
                ww_memsys_tick(ticked.ms, ticked.now++);
                if (ticked.now % 777 == 0) {
                    ww_memsys_sync(ticked.ms); /* reading counters now and then changes nothing */
                }
            }
            ww_memsys_skip(skipped.ms, skipped.now - 1, end);
            ww_memsys_sync(ticked.ms);
            ww_memsys_sync(skipped.ms);
            assert_same_counters(&ticked.set, &skipped.set);
            memsys_bench_close(&ticked);
            memsys_bench_close(&skipped);
        }
    }
}

static void the_same_run_twice_is_the_same(void **state)
{
    (void)state;
    ww_arch arch = variant(1);
    memsys_bench one, two;
    traffic t = {.seed = 42}, s = t;
    memsys_bench_open(&one, &arch);
    memsys_bench_open(&two, &arch);
    run_traffic(&one, &t, 500, 30, 20, true);
    run_traffic(&two, &s, 500, 30, 20, true);
    ww_memsys_sync(one.ms);
    ww_memsys_sync(two.ms);
    assert_int_equal(t.hash, s.hash);
    assert_same_counters(&one.set, &two.set);
    memsys_bench_close(&one);
    memsys_bench_close(&two);
}

/* What goes in must come out, at every level, whatever the configuration. */
static void events_are_conserved(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        ww_arch arch = variant(i);
        memsys_bench_open(&b, &arch);
        traffic t = {.seed = 9};
        uint64_t due = run_traffic(&b, &t, 1000, 40, 30, true);
        memsys_drain(&b);
        assert_int_equal(t.received, due);
        assert_int_equal(memsys_count(&b, WW_C_ICNT_REP_PACKETS), due);
        assert_true(memsys_count(&b, WW_C_ICNT_REQ_PACKETS) > due);
        if (arch.l2.bytes > 0) {
            uint64_t misses = memsys_count(&b, WW_C_L2_READ_MISS);
            uint64_t fetched = misses - memsys_count(&b, WW_C_L2_READ_MERGED);
            if (arch.l2.write_allocate == WW_WRITE_ALLOCATE) {
                assert_true(memsys_count(&b, WW_C_L2_FILL) >= fetched);
            } else {
                assert_int_equal(memsys_count(&b, WW_C_L2_FILL), fetched);
            }
            assert_true(memsys_count(&b, WW_C_MC_READ) <= memsys_count(&b, WW_C_L2_FILL));
            assert_true(memsys_count(&b, WW_C_L2_READ_HIT) > 0);
        }
        assert_true(memsys_count(&b, WW_C_DRAM_RD) >= memsys_count(&b, WW_C_MC_READ));
        assert_true(memsys_count(&b, WW_C_DRAM_WR) >= memsys_count(&b, WW_C_MC_WRITE));
        assert_true(memsys_count(&b, WW_C_DRAM_PRE) <= memsys_count(&b, WW_C_DRAM_ACT));
        uint64_t cycles = memsys_count(&b, WW_C_DRAM_CYCLES);
        assert_int_equal(memsys_count(&b, WW_C_DRAM_BUS_BUSY),
                         2 * (memsys_count(&b, WW_C_DRAM_RD) + memsys_count(&b, WW_C_DRAM_WR)));
        for (uint32_t c = 0; c < arch.mem.channels; c++) {
            const uint64_t *v = b.set.block[WW_SCOPE_CHANNEL][c].v;
            assert_true(v[WW_C_DRAM_ACTIVE] <= cycles);
            assert_true(v[WW_C_DRAM_BUS_BUSY] <= cycles);
            assert_in_range(v[WW_C_DRAM_REF] * 900, cycles - 2 * 900, cycles);
        }
        memsys_bench_close(&b);
    }
}

static void cycle_counters_follow_the_clocks(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    memsys_bench_open(&b, &arch);
    ww_memsys_skip(b.ms, 0, 25000000);
    ww_memsys_sync(b.ms);
    assert_int_equal(memsys_count(&b, WW_C_ICNT_CYCLES), 25000000);
    assert_int_equal(memsys_count(&b, WW_C_L2_CYCLES), 25000000);
    assert_int_equal(memsys_count(&b, WW_C_DRAM_CYCLES), 33000000);
    assert_int_equal(b.set.block[WW_SCOPE_CHANNEL][0].v[WW_C_DRAM_REF], 33000000 / 7210);
    memsys_bench_close(&b);
}

/* ---- bandwidth and fairness ---- */

/* The SMs stream through one array, line by line in turn, and store into another, as fast as they
 * may; share of the DRAM peak that the data reaches. */
static double streaming_share(const ww_arch *arch, uint32_t stores_of_8, uint64_t lines)
{
    memsys_bench_open(&b, arch);
    uint64_t next[64] = {0};
    uint64_t got = 0, total = lines * arch->sm.count;
    while (got < total) {
        for (uint32_t sm = 0; sm < arch->sm.count; sm++) {
            got += ww_memsys_receive(b.ms, sm, &reply);
            bool store = next[sm] % 8 < stores_of_8;
            uint64_t line = store ? next[sm] / 8 * stores_of_8 + next[sm] % 8
                                  : next[sm] / 8 * (8 - stores_of_8) + next[sm] % 8 - stores_of_8;
            ww_mem_req req = {.address =
                                  (line * arch->sm.count + sm) * 128 + (store ? 1u << 30 : 0),
                              .bytes = 128,
                              .kind = store ? WW_REQ_WRITE : WW_REQ_READ};
            if (next[sm] < lines && ww_memsys_can_inject(b.ms, sm, &req)) {
                ww_memsys_inject(b.ms, sm, &req, b.now);
                next[sm]++;
            }
        }
        ww_memsys_tick(b.ms, b.now++);
        assert_true(b.now < 10000000);
    }
    ww_memsys_sync(b.ms);
    double busy = (double)memsys_count(&b, WW_C_DRAM_BUS_BUSY);
    double share = busy / (double)memsys_count(&b, WW_C_DRAM_CYCLES) / arch->mem.channels;
    memsys_bench_close(&b);
    return share;
}

static void streaming_reaches_the_dram_peak(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    double reads = streaming_share(&arch, 0, 4000);
    double mixed = streaming_share(&arch, 2, 4000);
    double half = streaming_share(&arch, 4, 8000);
    print_message("share of DRAM peak: reads %.3f, a quarter stores %.3f, half %.3f\n", reads,
                  mixed, half);
    assert_true(reads > 0.85);
    assert_true(mixed > 0.85);
    assert_true(half > 0.8);
    arch.icnt.flit_bytes = 136; /* a line in one flit: nothing but DRAM binds */
    assert_true(streaming_share(&arch, 0, 4000) > 0.95);
}

static void sms_share_the_bandwidth(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    memsys_bench_open(&b, &arch);
    uint64_t next[15] = {0}, got[15] = {0};
    for (; b.now < 40000; b.now++) {
        for (uint32_t sm = 0; sm < 15; sm++) {
            got[sm] += ww_memsys_receive(b.ms, sm, &reply);
            ww_mem_req req = {.address = ((uint64_t)sm << 24) + next[sm] * 128,
                              .bytes = 128,
                              .kind = WW_REQ_READ};
            if (ww_memsys_can_inject(b.ms, sm, &req)) {
                ww_memsys_inject(b.ms, sm, &req, b.now);
                next[sm]++;
            }
        }
        ww_memsys_tick(b.ms, b.now);
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t sm = 0; sm < 15; sm++) {
        least = got[sm] < least ? got[sm] : least;
        most = got[sm] > most ? got[sm] : most;
    }
    assert_true((double)least > 0.9 * (double)most);
    memsys_bench_close(&b);
}

/* ---- errors and reports ---- */

static void impossible_machines_are_refused(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_memsys *ms = NULL;
    ww_counter_set set;
    ww_arch arch = fixture_arch();
    assert_ok(ww_counter_set_init(&set, 15, 12, 6, &err), err);
    arch.mem.trfc = 8000;
    assert_int_equal(ww_memsys_create(&arch, &set, &ms, &err), WW_ERANGE);
    arch = fixture_arch();
    arch.mem.refresh = WW_REFRESH_PER_BANK; /* of a device whose banks have none of their own */
    assert_int_equal(ww_memsys_create(&arch, &set, &ms, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "mem.trfc_bank = 0"));
    arch = fixture_arch();
    arch.l2.line_bytes = 512;
    assert_int_equal(ww_memsys_create(&arch, &set, &ms, &err), WW_ERANGE);
    assert_null(ms);
    ww_counter_set_fini(&set);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    ww_counter_set set;
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    assert_ok(ww_counter_set_init(&set, 15, 12, 6, &err), err);
    for (size_t k = 1;; k++) {
        ww_memsys *ms = NULL;
        ww_mem_fail_after(k);
        ww_status status = ww_memsys_create(&arch, &set, &ms, &err);
        ww_mem_fail_after(0);
        if (status == WW_OK) {
            assert_true(k > 10);
            ww_memsys_destroy(ms);
            break;
        }
        assert_int_equal(status, WW_ENOMEM);
    }
    ww_counter_set_fini(&set);
}

static void explain_names_what_is_in_flight(void **state)
{
    (void)state;
    char text[512];
    ww_arch arch = memsys_plain_arch();
    memsys_bench_open(&b, &arch);
    memsys_send(&b, 3, 0, 32, WW_REQ_READ, 1);
    ww_memsys_explain(b.ms, text, sizeof(text));
    assert_non_null(strstr(text, "\nSM port (requests, replies, replies arrived) 3: 1, 0, 0\n"));
    while (b.now < 140) {
        ww_memsys_tick(b.ms, b.now++);
    }
    ww_memsys_explain(b.ms, text, sizeof(text));
    assert_non_null(strstr(text, "1 requests in flight"));
    assert_non_null(strstr(text, "memory controller"));
    assert_non_null(strstr(text, "L2 slice"));
    char tiny[8];
    ww_memsys_explain(b.ms, tiny, sizeof(tiny));
    assert_int_equal(strlen(tiny), 7);
    memsys_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_miss_round_trip_by_hand),
        cmocka_unit_test(read_over_a_mesh_by_hand),
        cmocka_unit_test(slower_domains_stretch_the_path),
        cmocka_unit_test(replies_carry_the_request_back),
        cmocka_unit_test(injection_is_bounded_and_flits_are_counted),
        cmocka_unit_test(skipping_equals_ticking),
        cmocka_unit_test(the_same_run_twice_is_the_same),
        cmocka_unit_test(events_are_conserved),
        cmocka_unit_test(cycle_counters_follow_the_clocks),
        cmocka_unit_test(streaming_reaches_the_dram_peak),
        cmocka_unit_test(sms_share_the_bandwidth),
        cmocka_unit_test(impossible_machines_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(explain_names_what_is_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
