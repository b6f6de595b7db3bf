/* test_async_events.c - do the asynchronous engines count what they are charged for? Kernels whose
 * products, rows of operands, commands, requests, operations on mbarriers, flits between SMs,
 * copies of multicasts and barriers of clusters are worked out by hand. */
#include <string.h>

#include "base/str.h"
#include "tests/support/hopper_fixture.h"

typedef struct counted {
    uint64_t products, rows, commands, requests, atomics, objects, flits, copies, arrivals;
    uint64_t f16, f16_sum16, bf16, shared_words, written_words, port_cycles, registers, issued;
} counted;

static ww_status take(void *user, const struct ww_launch_record *record, ww_error *err)
{
    counted *c = user;
    const ww_counter_set *set = record->counters;
    (void)err;
    *c = (counted){.products = ww_counter_total(set, WW_C_WG_PRODUCTS),
                   .rows = ww_counter_total(set, WW_C_OPERAND_ROWS),
                   .commands = ww_counter_total(set, WW_C_COPY_COMMANDS),
                   .requests = ww_counter_total(set, WW_C_COPY_REQUESTS),
                   .atomics = ww_counter_total(set, WW_C_L2_ATOMIC),
                   .objects = ww_counter_total(set, WW_C_OBJECT_OPS),
                   .flits = ww_counter_total(set, WW_C_REMOTE_FLITS),
                   .copies = ww_counter_total(set, WW_C_MULTICAST_BLOCKS),
                   .arrivals = ww_counter_total(set, WW_C_CLUSTER_ARRIVALS),
                   .f16 = ww_counter_total(set, WW_C_MMA_F16),
                   .f16_sum16 = ww_counter_total(set, WW_C_MMA_F16_SUM16),
                   .bf16 = ww_counter_total(set, WW_C_MMA_BF16),
                   .shared_words = ww_counter_total(set, WW_C_SHARED_READ_WORDS),
                   .written_words = ww_counter_total(set, WW_C_SHARED_WRITE_WORDS),
                   .port_cycles = ww_counter_total(set, WW_C_SHARED_CYCLES),
                   .registers = ww_counter_total(set, WW_C_RF_READ),
                   .issued = ww_counter_total(set, WW_C_INST_ISSUED)};
    return WW_OK;
}

static counted run(const char *text, unsigned ctas, unsigned threads, unsigned cluster)
{
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr memory;
    counted c;
    ww_error err = {0};
    assert_ok(ww_arch_load("h100", NULL, 0, &arch, &err), err);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .on_launch = take, .user = &c};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "e.ptx", text, strlen(text), &module, &err), err);
    assert_ok(ww_device_malloc(device, 1 << 20, &memory, &err), err);
    const void *args[] = {&memory};
    const ww_launch_request q = {.module = module,
                                 .kernel = "k",
                                 .grid = {ctas, 1, 1},
                                 .block = {threads, 1, 1},
                                 .cluster = {cluster, 1, 1},
                                 .args = args,
                                 .arg_count = 1};
    assert_ok(ww_device_launch_request(device, &q, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return c;
}

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                             \
    ".visible .entry k(.param .u64 m)\n{\n"                                                        \
    ".shared .align 1024 .b8 s[32768]; .shared .align 8 .b64 bar;\n"                               \
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %q<8>; .reg .f32 %f<64>; .reg .b32 %d<64>;\n"   \
    "ld.param.u64 %q0, [m]; mov.u32 %r0, s; mov.u32 %r1, bar;\n"

/* Three products of m64nNk16 in a format, A from shared memory or registers. */
static counted products(const char *types, unsigned n, unsigned sums, bool registers)
{
    ww_str s = {0};
    ww_str_addf(&s,
                "%smov.u64 %%q4, 0x4000004000010000; setp.ne.u32 %%p0, %%r0, 99999;\n"
                "st.shared.u32 [%%r0], 0; mov.u32 %%r4, 1; "
                "mov.u32 %%r5, 2; mov.u32 %%r6, 3; mov.u32 %%r7, 4;\nwgmma.fence.sync.aligned;\n",
                HEAD);
    for (unsigned k = 0; k < 3; k++) {
        ww_str_addf(&s, "wgmma.mma_async.sync.aligned.m64n%uk16.%s {", n, types);
        for (unsigned i = 0; i < sums; i++) {
            ww_str_addf(&s, "%s%%%s%u", i > 0 ? ", " : "", sums == n / 2 ? "f" : "d", i);
        }
        ww_str_addf(&s, "}, %s, %%q4, %%p0, 1, 1, 0%s;\n",
                    registers ? "{%r4, %r5, %r6, %r7}" : "%q4", registers ? "" : ", 0");
    }
    ww_str_add(&s, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;\n}\n");
    const counted c = run(ww_str_text(&s), 1, 128, 0);
    ww_str_fini(&s);
    return c;
}

/* A is 16 rows of 128 B, B N x 16 x 2 B / 128 B. */
static void products_count_their_operands(void **state)
{
    (void)state;
    const counted shared = products("f32.f16.f16", 64, 32, false);
    assert_int_equal(shared.products, 3);
    assert_int_equal(shared.rows, 3 * (16 + 16));
    assert_int_equal(shared.f16, 3 * 64 * 64 * 16);
    assert_int_equal(shared.f16_sum16, 0);
    assert_int_equal(shared.shared_words, 0); /* past the crossbar of loads */
    const counted registers = products("f32.f16.f16", 64, 32, true);
    assert_int_equal(registers.rows, 3 * 16);
    /* four registers of A more of each of four warps */
    assert_int_equal(registers.registers, shared.registers + 3 * 4 * 4);
    const counted narrow = products("f16.f16.f16", 64, 16, false);
    assert_int_equal(narrow.f16, 0);
    assert_int_equal(narrow.f16_sum16, 3 * 64 * 64 * 16);
    const counted wide = products("f32.bf16.bf16", 128, 64, false);
    assert_int_equal(wide.bf16, 3 * 64 * 128 * 16);
    assert_int_equal(wide.rows, 3 * (16 + 32));
}

/* Warp instructions of a product whose 32 sums are set to zero before, and then kept or not;
 * between them the first is read, or is not. */
static uint64_t issued_with_sums(unsigned kept, bool read)
{
    ww_str s = {0};
    ww_str_addf(&s,
                "%smov.u64 %%q4, 0x4000004000010000; mov.u32 %%r5, %u; "
                "setp.ne.b32 %%p0, %%r5, 0;\n",
                HEAD, kept);
    for (unsigned i = 0; i < 32; i++) {
        ww_str_addf(&s, "mov.f32 %%f%u, 0f00000000;\n", i);
    }
    ww_str_addf(&s,
                "%s wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n64k16"
                ".f32.f16.f16 {",
                read ? "st.global.f32 [%q0+4], %f0;" : "");
    for (unsigned i = 0; i < 32; i++) {
        ww_str_addf(&s, "%s%%f%u", i > 0 ? ", " : "", i);
    }
    ww_str_addf(&s, "}, %%q4, %%q4, %%p0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
                    "wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%%q0], %%f0; ret;\n}\n");
    const counted c = run(s.data, 1, 128, 0);
    ww_str_fini(&s);
    return c.issued;
}

/* What a product does not read is not set for it, as in machine code, but for what others read. */
static void a_sum_that_begins_is_not_set(void **state)
{
    (void)state;
    assert_int_equal(issued_with_sums(1, false) - issued_with_sums(0, false), 4 * 32);
    assert_int_equal(issued_with_sums(1, true) - issued_with_sums(0, true), 4 * 31);
}

/* So many threads ask whether a phase has ended that has. */
static counted testers(unsigned threads)
{
    return run(HEAD "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra MADE;\n"
                    "mbarrier.init.shared.b64 [bar], 1;\nMADE: bar.sync 0;\n"
                    "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 1;\n"
                    "selp.u32 %r3, 1, 0, %p0; st.global.u32 [%q0], %r3; ret;\n}\n",
               1, threads, 0);
}

/* A test changes nothing, so that lanes with one mbarrier need one cycle of the port together, and
 * nothing is written but by its initialization. */
static void lanes_test_one_mbarrier_together(void **state)
{
    (void)state;
    const counted one = testers(1), all = testers(32);
    assert_int_equal(all.port_cycles, one.port_cycles);
    assert_int_equal(all.shared_words, one.shared_words);
    assert_int_equal(all.written_words, one.written_words);
}

/* So many threads arrive at one mbarrier. */
static counted arrivers(unsigned threads)
{
    return run(HEAD "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra MADE;\n"
                    "mbarrier.init.shared.b64 [bar], 64;\nMADE: bar.sync 0;\n"
                    "mbarrier.arrive.shared.b64 %q1, [bar]; st.global.u64 [%q0], %q1; ret;\n}\n",
               1, threads, 0);
}

/* The machine counts a warp's arrivals: 32 lanes are one read and one write of the object, and need
 * the port no longer than one lane. */
static void lanes_arrive_at_one_mbarrier_together(void **state)
{
    (void)state;
    const counted one = arrivers(1), all = arrivers(32);
    assert_int_equal(all.port_cycles, one.port_cycles);
    assert_int_equal(all.objects, one.objects);
    assert_int_equal(all.written_words, one.written_words);
}

/* Two loads of 1024 and 256 bytes, 10 lines; the barrier is made, arrived at once, completed twice
 * and waited for. */
static const char load_text[] =
    HEAD "mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1280;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%q0], 1024, "
         "[%r1];\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%q0], 256, "
         "[%r1];\n"
         "W: mbarrier.try_wait.parity.shared.b64 %p0, [%r1], 0; @!%p0 bra W; ret;\n}\n";

static void copies_count_commands_and_requests(void **state)
{
    (void)state;
    const counted c = run(load_text, 3, 1, 0);
    assert_int_equal(c.commands, 3 * 2);
    assert_int_equal(c.requests, 3 * 10);
    /* made, arrived and expected, two completions; the wait tries once, or again when it wakes */
    assert_in_range(c.objects, 3 * 5, 3 * 7);
    assert_int_equal(c.flits, 0);
    assert_int_equal(c.copies, 0);
}

/* 64 and 192 bytes that the engine adds to global memory, from the start of a line: words of one
 * line, and of two. */
static void reductions_add_words_at_the_slices(void **state)
{
    (void)state;
    const counted c = run(HEAD "st.shared.u32 [%r0], 1; fence.proxy.async;\n"
                               "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%q0], "
                               "[%r0], 64;\n"
                               "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%q0], "
                               "[%r0], 192;\n"
                               "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n}\n",
                          1, 1, 0);
    assert_int_equal(c.commands, 2);
    assert_int_equal(c.requests, 1 + 2);
    assert_int_equal(c.atomics, 64 / 4 + 192 / 4);
}

/* 48 bytes lie in two sectors of 32, of which they are twelve words, from a sector's start or from
 * its middle. */
static void parts_of_sectors_are_the_words_they_have(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool reduces = i % 2 == 0;
        char text[2048];
        snprintf(text, sizeof text,
                 "%sst.shared.u32 [%%r0], 1; fence.proxy.async;\n"
                 "cp.%sasync.bulk.global.shared::cta.bulk_group%s [%%q0+%u], [%%r0], 48;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n}\n",
                 HEAD, reduces ? "reduce." : "", reduces ? ".add.u32" : "", i < 2 ? 0 : 16);
        const counted c = run(text, 1, 1, 0);
        assert_int_equal(c.requests, 1);
        assert_int_equal(c.atomics, reduces ? 12 : 0);
        assert_int_equal(c.shared_words, 12);
    }
}

/* Rank 0 of two multicasts 1024 B: 8 requests for 16 that two loads would take, 32 blocks of 32 B
 * to the other SM. Both meet at two barriers. */
static const char multicast_text[] =
    HEAD ".reg .b16 %h<2>; mov.u16 %h0, 3; mov.u32 %r2, %cluster_ctarank;\n"
         "setp.ne.u32 %p1, %r2, 0; mbarrier.init.shared.b64 [bar], 1;\n"
         "fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n"
         "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
         ".multicast::cluster [%r0], [%q0], 1024, [%r1], %h0;\n"
         "W: mbarrier.try_wait.parity.shared.b64 %p0, [%r1], 0; @!%p0 bra W;\n"
         "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static void a_multicast_fetches_once(void **state)
{
    (void)state;
    const counted c = run(multicast_text, 2, 1, 2);
    assert_int_equal(c.commands, 1);
    assert_int_equal(c.requests, 8);
    assert_int_equal(c.copies, 1024 / 32);
    assert_int_equal(c.arrivals, 2 * 2);
}

/* Rank 0 copies 2048 B to rank 1: 64 flits. */
static const char remote_text[] =
    HEAD "mov.u32 %r2, %cluster_ctarank; setp.ne.u32 %p1, %r2, 0;\n"
         "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
         "fence.proxy.async; mapa.shared::cluster.u32 %r3, %r0, 1; "
         "mapa.shared::cluster.u32 %r4, %r1, 1;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n"
         "@%p1 bra W;\n"
         "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%r0], "
         "2048, [%r4];\nbra END;\n"
         "W: mbarrier.try_wait.parity.shared.b64 %p0, [%r1], 0; @!%p0 bra W;\n"
         "END: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static void what_goes_to_another_sm_counts_its_flits(void **state)
{
    (void)state;
    const counted c = run(remote_text, 2, 1, 2);
    assert_int_equal(c.commands, 1);
    assert_int_equal(c.flits, 2048 / 32);
    assert_int_equal(c.copies, 0);
    assert_int_equal(c.requests, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_count_their_operands),
        cmocka_unit_test(a_sum_that_begins_is_not_set),
        cmocka_unit_test(lanes_test_one_mbarrier_together),
        cmocka_unit_test(lanes_arrive_at_one_mbarrier_together),
        cmocka_unit_test(copies_count_commands_and_requests),
        cmocka_unit_test(reductions_add_words_at_the_slices),
        cmocka_unit_test(parts_of_sectors_are_the_words_they_have),
        cmocka_unit_test(a_multicast_fetches_once),
        cmocka_unit_test(what_goes_to_another_sm_counts_its_flits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
