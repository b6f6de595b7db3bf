/* test_cluster_time.c - does what CTAs of a cluster do to each other take the time that the network
 * between SMs needs? Each timeline is worked out by hand from the description: a message leaves in
 * 1.5 cycles for each 32 B (four lanes for six SMs) and arrives async.remote_latency later; the
 * shared memory there takes a line a cycle. Two machines whose latency differs show what waits for
 * one message and what for two. */
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "perf/api/device_state.h"
#include "tests/support/test.h"

enum { WORDS = 64 };

typedef struct machine {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    uint64_t issued, requests, shared_words;
    ww_error err;
} machine;

static ww_status keep_counts(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    machine *m = user;
    m->issued = ww_counter_total(record->counters, WW_C_INST_ISSUED);
    m->requests = ww_counter_total(record->counters, WW_C_GMEM_TRANSACTION);
    m->shared_words = ww_counter_total(record->counters, WW_C_SHARED_WRITE_WORDS);
    return WW_OK;
}

/* Runs the kernel on clusters of that size, with a parameter, and reads what it wrote. */
static ww_status run(machine *m, const char *body, const char *latency, unsigned cluster,
                     unsigned threads, uint32_t parameter, uint32_t got[WORDS])
{
    static const char head[] =
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
        "{\n.shared .align 128 .b8 s[32768]; .shared .align 8 .b64 bar; .shared .align 8 .b64 go;\n"
        ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %q<12>;\n"
        "ld.param.u64 %q0, [out]; ld.param.u64 %q1, [in]; ld.param.u32 %r0, [n];\n"
        "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, s; mov.u32 %r3, bar; mov.u32 %r4, go;\n"
        "xor.b32 %r5, %r1, 1; mapa.shared::cluster.u32 %r6, %r2, %r5;\n"
        "mapa.shared::cluster.u32 %r7, %r3, %r5; mapa.shared::cluster.u32 %r8, %r4, %r5;\n"
        "setp.eq.u32 %p1, %r1, 0; mul.wide.u32 %q2, %r1, 16; add.u64 %q0, %q0, %q2;\n"
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [go], 1;\n"
        "st.shared.u32 [%r2], 4; fence.proxy.async; fence.mbarrier_init.release.cluster;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n";
    static const char tail[] = "\nbarrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";
    const ww_setting settings[] = {{"async.remote_latency", latency}};
    static uint32_t data[8192];
    ww_str ptx = {0};
    ww_devptr out, in;
    memset(m, 0, sizeof *m);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", settings, 1, &m->arch, &m->err),
              m->err);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = threads, .on_launch = keep_counts, .user = m};
    assert_ok(ww_device_create(m->arch, &options, &m->device, &m->err), m->err);
    ww_str_addf(&ptx, "%s%s%s", head, body, tail);
    assert_ok(ww_device_load_ptx(m->device, "c.ptx", ww_str_text(&ptx), strlen(ww_str_text(&ptx)),
                                 &m->module, &m->err),
              m->err);
    for (uint32_t i = 0; i < WW_ARRAY_LEN(data); i++) {
        data[i] = i + 77;
    }
    assert_ok(ww_device_malloc(m->device, WORDS * 4, &out, &m->err), m->err);
    assert_ok(ww_device_malloc(m->device, sizeof data, &in, &m->err), m->err);
    assert_ok(ww_device_write(m->device, in, data, sizeof data, &m->err), m->err);
    const void *args[] = {&out, &in, &parameter};
    const ww_launch_request q = {.module = m->module,
                                 .kernel = "k",
                                 .grid = {cluster, 1, 1},
                                 .block = {1, 1, 1},
                                 .cluster = {cluster, 1, 1},
                                 .args = args,
                                 .arg_count = 3};
    ww_status st = ww_device_launch_request(m->device, &q, &m->err);
    if (st == WW_OK) {
        assert_ok(ww_device_read(m->device, got, out, WORDS * 4, &m->err), m->err);
    }
    ww_device_destroy(m->device);
    ww_arch_destroy(m->arch);
    ww_str_fini(&ptx);
    return st;
}

static void run_well(machine *m, const char *body, const char *latency, unsigned cluster,
                     uint32_t parameter, uint32_t got[WORDS])
{
    assert_ok(run(m, body, latency, cluster, 1, parameter, got), m->err);
}

/* Rank 0 loads from rank 1, each load's address from the one before: s[0] there holds 4, which is
 * taken off again. [0]: cycles of n loads; [1]: of as many from its own memory. */
static const char loads[] =
    "@!%p1 bra END; mov.u32 %r10, 0; mov.u32 %r11, %clock;\n"
    "FAR: ld.shared::cluster.u32 %r12, [%r6]; add.u32 %r6, %r6, %r12; sub.u32 %r6, %r6, 4;\n"
    "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r0; @%p2 bra FAR;\n"
    "mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r11; mov.u32 %r10, 0; mov.u32 %r11, %clock;\n"
    "NEAR: ld.shared.u32 %r12, [%r2]; add.u32 %r2, %r2, %r12; sub.u32 %r2, %r2, 4;\n"
    "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r0; @%p2 bra NEAR;\n"
    "mov.u32 %r14, %clock; sub.u32 %r14, %r14, %r11; st.global.v2.u32 [%q0], {%r13, %r14};\nEND:";

/* A load waits for two messages, a flit each: twice 80 and twice 1.5 cycles more than one of the
 * CTA's own memory, in whole cycles. An H800 takes 180 to 213 cycles and 33 (HPMLL). */
static void a_load_goes_there_and_back(void **state)
{
    (void)state;
    enum { LOADS = 100 };
    uint32_t short_way[WORDS], long_way[WORDS];
    machine m;
    run_well(&m, loads, "80", 2, LOADS, short_way);
    run_well(&m, loads, "130", 2, LOADS, long_way);
    assert_int_equal(long_way[0] - short_way[0], LOADS * 2 * 50);
    assert_int_equal(long_way[1], short_way[1]);
    assert_in_range(short_way[0] - short_way[1], LOADS * (2 * 80 + 3), LOADS * (2 * 80 + 5));
}

/* Rank 0 copies n bytes to rank 1, which waits for them. [0]: the cycle in which rank 0 starts;
 * [4]: the one in which rank 1 has seen the end, [5]: a word that it got. */
static const char copy[] =
    "@!%p1 bra WAIT; mov.u32 %r11, %clock;\n"
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r2], %r0, "
    "[%r7];\nst.global.u32 [%q0], %r11; bra END;\n"
    "WAIT: mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r0;\n"
    "mov.u32 %r20, 7; st.shared.u32 [%r2+16384], %r20;\n"
    "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"
    "mov.u32 %r11, %clock; ld.shared.u32 %r12, [%r2]; st.global.v2.u32 [%q0], {%r11, %r12};\nEND:";

/* 16 KiB are 512 flits of 1.5 cycles, 768 in all, and then on their way for 190: 958, and before
 * that the engine's front of 48, two ports, and the test that sees it. */
static void a_copy_takes_its_lane(void **state)
{
    (void)state;
    uint32_t line[WORDS], tile[WORDS], near[WORDS];
    machine m, more;
    run_well(&m, copy, "190", 2, 128, line);
    run_well(&more, copy, "190", 2, 16384, tile);
    run_well(&m, copy, "80", 2, 16384, near);
    const uint32_t tile_took = tile[4] - tile[0];
    assert_int_equal(tile[5], 4);
    assert_int_equal(tile_took - (line[4] - line[0]), 768 - 6);
    assert_int_equal(tile_took - (near[4] - near[0]), 190 - 80);
    assert_in_range(tile_took, 958 + 48, 958 + 48 + 60);
    assert_int_equal(more.issued, m.issued); /* who waits sleeps, however long it takes */
}

/* Every CTA copies to the next one, rank n - 1 to itself: what another sends takes nothing of the
 * lane. */
static const char all_copy[] =
    "mov.u32 %r20, %cluster_nctarank; add.u32 %r21, %r1, 1; rem.u32 %r21, %r21, %r20;\n"
    "mapa.shared::cluster.u32 %r6, %r2, %r21; mapa.shared::cluster.u32 %r7, %r3, %r21;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r0;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r6, %r6, 16384; mov.u32 %r11, %clock;\n"
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r2], %r0, "
    "[%r7];\n"
    "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"
    "mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11; st.global.u32 [%q0], %r12;";

static void a_share_of_the_lanes_is_not_lent(void **state)
{
    (void)state;
    uint32_t pair[WORDS], six[WORDS], more[WORDS];
    machine m;
    run_well(&m, all_copy, "80", 2, 8192, pair);
    run_well(&m, all_copy, "80", 6, 8192, six);
    run_well(&m, all_copy, "80", 6, 16384, more);
    for (unsigned rank = 0; rank < 6; rank++) {
        /* the instructions around it come from the L2, at times of their own */
        assert_in_range(six[4 * rank] + 6, pair[0], pair[0] + 12);
        /* in whole cycles; reading and writing, two copies meet at a port now and then */
        assert_in_range(more[4 * rank] - six[4 * rank] + 2, 384, 388);
    }
}

/* Rank 0 arrives at rank 1's mbarrier, which arrives at rank 0's, n times. [0]: cycles. */
static const char there_and_back[] =
    "mov.u32 %r10, 0; mov.u32 %r11, %clock;\n"
    "TURN: and.b32 %r12, %r10, 1; @!%p1 bra WAIT;\n"
    "SEND: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7]; @!%p1 bra NEXT;\n"
    "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], %r12;\n"
    "@!%p2 bra WAIT; @!%p1 bra SEND;\n"
    "NEXT: add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, %r0; @%p3 bra TURN;\n"
    "mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11; st.global.u32 [%q0], %r12;";

/* Two messages a turn; an H200 takes 284 cycles for them and the tests that see them. */
static void arrivals_go_there_and_back(void **state)
{
    (void)state;
    enum { TURNS = 50 };
    uint32_t short_way[WORDS], long_way[WORDS];
    machine m;
    run_well(&m, there_and_back, "80", 2, TURNS, short_way);
    const uint64_t issued = m.issued;
    run_well(&m, there_and_back, "200", 2, TURNS, long_way);
    assert_int_equal(long_way[0] - short_way[0], TURNS * 2 * 120);
    assert_int_equal(m.issued, issued);
    assert_in_range(short_way[0] / TURNS, 284 * 9 / 10, 284 * 11 / 10);
}

/* Each CTA fetches n bytes for all, or for itself alone where there is no second one. [0]: cycles
 * from issue to the end of the wait; [1]: a word of the last of them; [2]: bytes that it expected.
 */
#define MULTICAST(fetch)                                                                           \
    "mov.u32 %r20, 3; cvt.u16.u32 %h0, %r20; mbarrier.arrive.expect_tx.shared.b64 _, [bar], "      \
    "%r0;\n"                                                                                       \
    "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r11, %clock;\n" fetch                  \
    "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"                 \
    "mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11; add.u32 %r21, %r2, %r0;\n"                    \
    "ld.shared.u32 %r13, [%r21+-4]; st.global.v2.u32 [%q0], {%r12, %r13};"

static const char one_for_all[] = ".reg .b16 %h<2>;\n" MULTICAST(
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
    "[%r2], [%q1], %r0, [%r3], %h0;\n");
static const char each_alone[] = ".reg .b16 %h<2>;\n" MULTICAST(
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1], %r0, "
    "[%r3];\n");

/* 8192 B are 64 lines, fetched once, written twice, and complete 8192 B at each of two mbarriers,
 * 100 cycles later than they would for one. */
static void a_multicast_fetches_once(void **state)
{
    (void)state;
    uint32_t alone[WORDS], all[WORDS], none[WORDS];
    machine nothing, one, two;
    static const char no_copy[] = ".reg .b16 %h<2>;\n" MULTICAST(
        "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [bar], %r0;\n");
    run_well(&nothing, no_copy, "80", 2, 8192, none);
    run_well(&two, each_alone, "80", 2, 8192, alone);
    run_well(&one, one_for_all, "80", 2, 8192, all);
    assert_int_equal(two.requests - nothing.requests, 2 * 64);
    assert_int_equal(one.requests - nothing.requests, 64);
    assert_int_equal(one.shared_words, two.shared_words);
    for (unsigned rank = 0; rank < 2; rank++) {
        assert_int_equal(all[4 * rank + 1], 2047 + 77);
        assert_int_equal(alone[4 * rank + 1], 2047 + 77);
    }
    /* alone, two fetch at once, and the L2 answers one of them first */
    assert_in_range(all[0], alone[0] + 100 - 25, alone[0] + 100 + 25);
    assert_in_range(all[4] + 4, all[0], all[0] + 8);
}

/* Rank 1 comes n cycles later than rank 0. [0]: the cycle in which rank 0 goes on; [4]: the one in
 * which rank 1 has arrived. */
static const char barrier[] =
    "mov.u32 %r10, %clock; @%p1 bra COME;\n"
    "LATE: mov.u32 %r11, %clock; sub.u32 %r12, %r11, %r10; setp.lt.u32 %p2, %r12, %r0;\n"
    "@%p2 bra LATE;\nCOME: mov.u32 %r13, %clock; barrier.cluster.arrive; barrier.cluster.wait;\n"
    "mov.u32 %r14, %clock; selp.u32 %r15, %r14, %r13, %p1; st.global.u32 [%q0], %r15;";

/* A multicast's lines follow each other at the width of an SM's port to the network, 64 B a cycle;
 * the last of them may come from the far part of the L2, 156 cycles more. */
static void a_multicast_arrives_as_wide_as_the_network(void **state)
{
    (void)state;
    machine m;
    uint32_t line[WORDS], tile[WORDS];
    run_well(&m, one_for_all, "80", 2, 128, line);
    run_well(&m, one_for_all, "80", 2, 16384, tile);
    assert_in_range(tile[0] - line[0], 127 * 2, 127 * 2 + 156 + 24);
}

/* 210 cycles behind the last arrival, and a few for the instructions around it. */
static void a_barrier_opens_some_time_behind_the_last(void **state)
{
    (void)state;
    machine m;
    for (uint32_t late = 1000; late < 1040; late += 13) {
        uint32_t got[WORDS];
        run_well(&m, barrier, "80", 2, late, got);
        assert_in_range(got[0] - got[4], 210, 210 + 16);
    }
}

/* What waits for a CTA that does not come is told. */
static void a_missing_arrival_is_told(void **state)
{
    (void)state;
    static const char stuck[] =
        "@%p1 bra END;\n"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\nEND:";
    uint32_t got[WORDS];
    machine m;
    assert_int_equal(run(&m, stuck, "80", 2, 1, 0, got), WW_EDEADLOCK);
    assert_non_null(strstr(m.err.what, "phase 0: 1 of 1 arrivals missing"));
    assert_null(strstr(m.err.what, " bytes ")); /* none was asked for */
    assert_non_null(strstr(m.err.what, "not there: rank 1 (1 warps)"));
}

/* Same bytes, same cycles. */
static void threads_change_nothing(void **state)
{
    (void)state;
    static const char *const bodies[] = {loads, copy, all_copy, there_and_back, one_for_all};
    for (unsigned k = 0; k < WW_ARRAY_LEN(bodies); k++) {
        uint32_t one[WORDS] = {0}, more[WORDS] = {0};
        machine m, other;
        run_well(&m, bodies[k], "80", 2, 64, one);
        for (unsigned threads = 2; threads <= 4; threads += 2) {
            assert_ok(run(&other, bodies[k], "80", 2, threads, 64, more), other.err);
            assert_memory_equal(one, more, sizeof one);
            assert_true(m.issued == other.issued && m.shared_words == other.shared_words);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_goes_there_and_back),
        cmocka_unit_test(a_copy_takes_its_lane),
        cmocka_unit_test(a_share_of_the_lanes_is_not_lent),
        cmocka_unit_test(arrivals_go_there_and_back),
        cmocka_unit_test(a_multicast_fetches_once),
        cmocka_unit_test(a_multicast_arrives_as_wide_as_the_network),
        cmocka_unit_test(a_barrier_opens_some_time_behind_the_last),
        cmocka_unit_test(a_missing_arrival_is_told),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
