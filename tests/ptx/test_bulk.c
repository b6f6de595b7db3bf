/* Do bulk copies give the same results in time, with the effects of SMs on each other kept back to
 * the window's edge, and does the memory system see their bytes? */
#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

enum { CTAS = 6, WORDS = 700, BYTES = 4 * WORDS, THREADS = 96 };

/* Each CTA fetches its words, adds 1 to each, stores them and adds them to the sums; the first
 * words of the sums count the CTAs. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sums) {\n"
    ".shared .align 16 .b8 s[2800]; .shared .align 8 .b64 bar;\n"
    ".reg .b64 %q<9>; .reg .b32 %r<19>; .reg .pred %p<4>;\n"
    "ld.param.u64 %q1, [in]; ld.param.u64 %q2, [out]; ld.param.u64 %q3, [sums];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.wide.u32 %q4, %r2, 2800; add.u64 %q1, %q1, "
    "%q4; add.u64 %q2, %q2, %q4; mov.u32 %r3, s; mov.u32 %r4, bar;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT; mbarrier.init.shared::cta.b64 [%r4], 1; "
    "fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], "
    "2800; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%q1], 2800, "
    "[%r4];\n"
    "WAIT: bar.sync 0;\nTRY: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0; @!%p2 bra "
    "TRY;\n"
    "mov.u32 %r5, %r1;\nNEXT: setp.ge.u32 %p3, %r5, 700; @%p3 bra DONE; mad.lo.u32 %r6, %r5, 4, "
    "%r3; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 1; st.shared.u32 [%r6], %r7; add.u32 %r5, "
    "%r5, 96; bra NEXT;\n"
    "DONE: fence.proxy.async.shared::cta; bar.sync 0; @%p1 bra END;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%q2], [%r3], 2800; "
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%q3], [%r3], 2800; "
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: ret;\n}\n";

static ww_status keep_transactions(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    *(uint64_t *)user = ww_counter_total(record->counters, WW_C_GMEM_TRANSACTION);
    return WW_OK;
}

static void run(const char *config, ww_device_options options)
{
    static uint32_t in[CTAS * WORDS], out[CTAS * WORDS], sums[WORDS];
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr p[3];
    uint64_t transactions = 0;
    memset(sums, 0, sizeof sums);
    for (uint32_t i = 0; i < CTAS * WORDS; i++) {
        in[i] = i * 2654435761u;
    }
    options.on_launch = keep_transactions;
    options.user = &transactions;
    assert_ok(ww_arch_load(config, NULL, 0, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "bulk.ptx", text, sizeof text - 1, &module, &err), err);
    assert_ok(ww_device_malloc(device, sizeof in, &p[0], &err), err);
    assert_ok(ww_device_malloc(device, sizeof out, &p[1], &err), err);
    assert_ok(ww_device_malloc(device, sizeof sums, &p[2], &err), err);
    assert_ok(ww_device_write(device, p[0], in, sizeof in, &err), err);
    assert_ok(ww_device_write(device, p[2], sums, sizeof sums, &err), err);
    const void *args[] = {&p[0], &p[1], &p[2]};
    assert_ok(ww_device_launch(device, module, "k", (ww_dim3){CTAS, 1, 1}, (ww_dim3){THREADS, 1, 1},
                               0, args, 3, &err),
              err);
    assert_ok(ww_device_read(device, out, p[1], sizeof out, &err), err);
    assert_ok(ww_device_read(device, sums, p[2], sizeof sums, &err), err);
    for (uint32_t i = 0; i < CTAS * WORDS; i++) {
        assert_int_equal(out[i], in[i] + 1);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t want = CTAS;
        for (uint32_t c = 0; c < CTAS; c++) {
            want += in[c * WORDS + i];
        }
        assert_int_equal(sums[i], want);
    }
    if (!options.functional_only) { /* in, out, and the sums: at most 128 bytes each */
        assert_true(transactions >= 3 * CTAS * BYTES / 128);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

static void in_every_way(void **state)
{
    (void)state;
    for (int v = 0; v < 4; v++) {
        ww_device_options options = {
            .isa = v & 1 ? WW_ISA_LOWERED : WW_ISA_PTX, .functional_only = v & 2, .threads = 2};
        run(WW_SOURCE_DIR "/configs/gpu/qv100.xml", options);
        run(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_every_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
