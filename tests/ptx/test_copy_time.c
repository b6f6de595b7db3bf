/* test_copy_time.c - does a kernel that waits at an mbarrier for a bulk copy see the time that the
 * copy engine takes for it, does it sleep meanwhile, and is a wait that never ends told? Worked out
 * by hand from async.copy_*: behind a load's way to the L2 and back a copy has its front and the
 * test that sees it; lines follow each other every two cycles, 64 B a cycle. An H800 shows a copy
 * from the L2 105 cycles later than a load (HPMLL, NVIDIA-Hopper-Benchmark: 369.1 and 264.5). */
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "isa/tensor_map.h"
#include "perf/api/device.h"
#include "perf/api/device_state.h"
#include "tests/support/test.h"

/* One thread. out[0]: cycles of a copy of `bytes` from its issue to the end of the wait for it, the
 * second time, from the L2; out[1]: a word of what it brought. */
static const char load_text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 bytes, .param .u32 passes)\n"
    "{\n.shared .align 128 .b8 s[32768]; .shared .align 8 .b64 bar;\n"
    ".reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %q<8>;\n"
    "ld.param.u64 %q0, [out]; ld.param.u64 %q1, [in]; ld.param.u32 %r0, [bytes];\n"
    "ld.param.u32 %r1, [passes]; mov.u32 %r2, s; mov.u32 %r3, 0;\n"
    "mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;\n"
    "PASS:\nand.b32 %r4, %r3, 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r0;\n"
    "bar.sync 0; mov.u32 %r5, %clock;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1], %r0, [bar];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], %r4; @!%p0 bra WAIT;\n"
    "mov.u32 %r6, %clock; sub.u32 %r7, %r6, %r5;\n"
    "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra PASS;\n"
    "ld.shared.u32 %r12, [%r2]; st.global.v2.u32 [%q0], {%r7, %r12}; ret;\n}\n";

typedef struct machine {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    uint64_t issued;
    uint64_t flits; /* of replies */
    uint64_t commands;
    ww_error err;
} machine;

static ww_status keep_counts(void *user, const struct ww_launch_record *record, ww_error *err)
{
    machine *m = user;
    (void)err;
    m->issued = ww_counter_total(record->counters, WW_C_INST_ISSUED);
    m->commands = ww_counter_total(record->counters, WW_C_COPY_COMMANDS);
    m->flits = ww_counter_total(record->counters, WW_C_ICNT_REP_FLITS);
    return WW_OK;
}

static void open_machine(machine *m, const char *ptx)
{
    memset(m, 0, sizeof *m);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", NULL, 0, &m->arch, &m->err),
              m->err);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .on_launch = keep_counts, .user = m};
    assert_ok(ww_device_create(m->arch, &options, &m->device, &m->err), m->err);
    assert_ok(ww_device_load_ptx(m->device, "c.ptx", ptx, strlen(ptx), &m->module, &m->err),
              m->err);
}

static void close_machine(machine *m)
{
    ww_device_destroy(m->device);
    ww_arch_destroy(m->arch);
}

static ww_status launch_threads(machine *m, const void *const *args, unsigned count,
                                uint32_t threads)
{
    const ww_launch_request q = {.module = m->module,
                                 .kernel = "k",
                                 .grid = {1, 1, 1},
                                 .block = {threads, 1, 1},
                                 .args = args,
                                 .arg_count = count};
    return ww_device_launch_request(m->device, &q, &m->err);
}

static ww_status launch(machine *m, const void *const *args, unsigned count)
{
    return launch_threads(m, args, count, 1);
}

static void run_load(uint32_t bytes, uint32_t got[2], uint64_t *issued)
{
    static uint32_t data[8192];
    const uint32_t passes = 2;
    machine m;
    ww_devptr out, in;
    open_machine(&m, load_text);
    for (uint32_t i = 0; i < WW_ARRAY_LEN(data); i++) {
        data[i] = i + 77;
    }
    assert_ok(ww_device_malloc(m.device, 256, &out, &m.err), m.err);
    assert_ok(ww_device_malloc(m.device, sizeof data, &in, &m.err), m.err);
    assert_ok(ww_device_write(m.device, in, data, sizeof data, &m.err), m.err);
    const void *args[] = {&out, &in, &bytes, &passes};
    assert_ok(launch(&m, args, 4), m.err);
    assert_ok(ww_device_read(m.device, got, out, 2 * sizeof *got, &m.err), m.err);
    *issued = m.issued;
    close_machine(&m);
}

/* A line from the L2 takes what it does on an H800, and a longer copy two cycles more for each of
 * its lines. */
static void copies_take_their_time(void **state)
{
    (void)state;
    uint32_t line[2], tile[2];
    uint64_t issued, more;
    run_load(128, line, &issued);
    run_load(16384, tile, &more);
    assert_int_equal(line[1], 77);
    assert_int_equal(tile[1], 77);
    assert_in_range(line[0], 333, 406); /* 369.1, a tenth less or more */
    assert_in_range(tile[0] - line[0], 127 * 2, 127 * 2 + 8);
    assert_int_equal(issued, more); /* the wait sleeps, it does not spin */
}

enum { COLD = 540 }; /* async.copy_cold */

/* Stores: 16 of 1 KiB, a group each. out[0]: until all but 8 groups have been read; out[1]: until
 * all have; out[2]: until all are done. */
static const char store_text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 to)\n"
    "{\n.shared .align 128 .b8 s[16384];\n"
    ".reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %q<8>;\n"
    "ld.param.u64 %q0, [out]; ld.param.u64 %q1, [to]; mov.u32 %r1, s; mov.u32 %r2, 0;\n"
    "mov.u32 %r3, 4242; st.shared.u32 [%r1], %r3; fence.proxy.async;\n"
    "mov.u32 %r4, %clock;\n"
    "NEXT: cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r1], 1024;\n"
    "cp.async.bulk.commit_group; add.u64 %q1, %q1, 1024; add.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p0, %r2, 16; @%p0 bra NEXT;\n"
    "cp.async.bulk.wait_group.read 8; mov.u32 %r5, %clock; sub.u32 %r5, %r5, %r4;\n"
    "cp.async.bulk.wait_group.read 0; mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r4;\n"
    "cp.async.bulk.wait_group 0; mov.u32 %r7, %clock; sub.u32 %r7, %r7, %r4;\n"
    "st.global.v4.u32 [%q0], {%r5, %r6, %r7, %r2}; ret;\n}\n";

static void store_groups(uint32_t threads)
{
    uint32_t got[4], first;
    machine m;
    ww_devptr out, to;
    open_machine(&m, store_text);
    assert_ok(ww_device_malloc(m.device, 256, &out, &m.err), m.err);
    assert_ok(ww_device_malloc(m.device, 16384, &to, &m.err), m.err);
    const void *args[] = {&out, &to};
    assert_ok(launch_threads(&m, args, 2, threads), m.err);
    assert_ok(ww_device_read(m.device, got, out, sizeof got, &m.err), m.err);
    assert_ok(ww_device_read(m.device, &first, to + 15 * 1024, 4, &m.err), m.err);
    assert_int_equal(first, 4242);
    assert_true(got[0] <= got[1]);
    /* the engine is cold; 128 lines at four cycles each, and the last one's acknowledgement */
    assert_in_range(got[1], COLD + 16 * 8 * 4, COLD + 16 * 8 * 4 + 250);
    assert_true(got[2] > got[1] + 100);
    close_machine(&m);
}

static void groups_of_stores_end_in_order(void **state)
{
    (void)state;
    store_groups(1);
}

/* A store that all lanes of a warp ask for in the same words is one (ptxas: one UBLKCP). */
static void a_warp_stores_once(void **state)
{
    (void)state;
    store_groups(32);
}

/* The map of a tensor of 64 lines, behind it, in boxes of so many. */
static void write_map(machine *m, ww_devptr *p, uint32_t lines)
{
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
    assert_ok(ww_device_malloc(m->device, 256 + 64 * 128, p, &m->err), m->err);
    const ww_tensor_map map = {.address = *p + 256,
                               .dim = {32, 64},
                               .stride = {4, 128},
                               .box = {32, lines},
                               .step = {1, 1},
                               .type = WW_TENSOR_U32,
                               .rank = 2};
    assert_null(ww_tensor_map_problem(&map));
    ww_tensor_map_encode(&map, bytes);
    assert_ok(ww_device_write(m->device, *p, bytes, sizeof bytes, &m->err), m->err);
}

/* A warp's stores from one place of shared memory or two, by lane, to one place. */
#define STORES(store)                                                                              \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                             \
    ".visible .entry k(.param .u64 map, .param .u32 step)\n"                                       \
    "{\n.shared .align 128 .b8 s[256];\n.reg .b64 %q<3>; .reg .b32 %r<6>;\n"                       \
    "ld.param.u64 %q0, [map]; add.u64 %q1, %q0, 256; ld.param.u32 %r1, [step];\n"                  \
    "mov.u32 %r0, %laneid; and.b32 %r0, %r0, 1; mov.u32 %r2, s; mul.lo.u32 %r3, %r0, %r1;\n"       \
    "add.u32 %r2, %r2, %r3; mov.u32 %r4, 0; st.shared.u32 [%r2], %r0; fence.proxy.async;\n" store  \
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n}\n"
static const char *const two_sources[] = {
    STORES("cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r2], 128;\n"),
    STORES("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%q0, {%r4, %r4}], "
           "[%r2];\n"),
};

static void two_sources_are_two_stores(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t step = 0; step <= 128; step += 128) {
            machine m;
            ww_devptr p;
            open_machine(&m, two_sources[k]);
            write_map(&m, &p, 1);
            const void *args[] = {&p, &step};
            assert_ok(launch_threads(&m, args, 2, 32), m.err);
            assert_int_equal(m.commands, step == 0 ? 1 : 2);
            close_machine(&m);
        }
    }
}

static const char prefetch_text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 map)\n"
    "{\n.reg .b64 %q<2>; .reg .b32 %r<2>; ld.param.u64 %q0, [map]; mov.u32 %r0, 0;\n"
    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%q0, {%r0, %r0}]; ret;\n}\n";

/* 64 lines come into the L2, a word for each to the SM, and behind them the map and the kernel's
 * parameter as data. */
static void what_is_prefetched_stays_in_the_l2(void **state)
{
    (void)state;
    machine m;
    ww_devptr p;
    open_machine(&m, prefetch_text);
    write_map(&m, &p, 64);
    const void *args[] = {&p};
    assert_ok(launch(&m, args, 1), m.err);
    assert_in_range(m.flits, 64, 64 + 16);
    close_machine(&m);
}

/* Bytes that never come. */
static const char stuck_text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n"
    "{\n.shared .align 8 .b64 bar;\n.reg .pred %p<3>;\n"
    "mbarrier.init.shared.b64 [bar], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96;\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;\nret;\n}\n";

static void a_wait_that_never_ends_is_told(void **state)
{
    (void)state;
    machine m;
    ww_devptr out;
    open_machine(&m, stuck_text);
    assert_ok(ww_device_malloc(m.device, 256, &out, &m.err), m.err);
    const void *args[] = {&out};
    assert_int_equal(launch(&m, args, 1), WW_EDEADLOCK);
    assert_non_null(strstr(m.err.what, "mbarrier 0x0, phase 0"));
    assert_non_null(strstr(m.err.what, "96 bytes to come"));
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_take_their_time),
        cmocka_unit_test(groups_of_stores_end_in_order),
        cmocka_unit_test(a_warp_stores_once),
        cmocka_unit_test(two_sources_are_two_stores),
        cmocka_unit_test(what_is_prefetched_stays_in_the_l2),
        cmocka_unit_test(a_wait_that_never_ends_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
