/* test_warpgroup_time.c - does a kernel that waits for products of its warp group see the time that
 * the matrix unit takes for them? Worked out by hand from async.matrix_*: a fence holds the warp 21
 * cycles, a product of N columns takes N / 2, its sums are there 43 cycles later; what an H200
 * takes, measured by FlashGPU-Sim's authors (arXiv 2609.15311, docs/cluster_noc/calibration.md):
 * 97.8 cycles for fence, product of N = 64, commit and wait, 129.8 for N = 128, 72.23 for each of
 * eight in a group. */
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

enum { REPEATS = 8 };

/* m64nNk16 in bf16, of shared memory full of zeros, into N / 2 registers. */
static void add_product(ww_str *s, unsigned n)
{
    ww_str_addf(s, "wgmma.mma_async.sync.aligned.m64n%uk16.f32.bf16.bf16 {", n);
    for (unsigned i = 0; i < n / 2; i++) {
        ww_str_addf(s, "%s%%f%u", i > 0 ? ", " : "", i);
    }
    ww_str_addf(s, "}, %%q4, %%q4, %%p0, 1, 1, 0, 0;\n");
}

/* Clocks of two passes over REPEATS groups of `products`; the second finds its code in the caches.
 */
static void add_kernel(ww_str *s, unsigned n, unsigned products, bool fenced)
{
    ww_str_addf(s, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .u64 out, .param .u32 passes)\n"
                   "{\n.shared .align 1024 .b8 s[40960];\n"
                   ".reg .pred %%p<3>; .reg .b32 %%r<12>; .reg .b64 %%q<8>; .reg .f32 %%f<128>;\n"
                   "ld.param.u64 %%q0, [out]; ld.param.u32 %%r2, [passes]; mov.u32 %%r0, s; "
                   "st.shared.u32 [%%r0], 0; mov.u32 %%r1, 0;\n"
                   "mov.u64 %%q4, 0x4000004000010000; setp.eq.u32 %%p0, %%r1, 0;\n");
    for (unsigned i = 0; i < n / 2; i++) {
        ww_str_addf(s, "mov.f32 %%f%u, 0f00000000;\n", i);
    }
    ww_str_addf(s, "wgmma.fence.sync.aligned;\nPASS:\nmov.u32 %%r4, %%clock;\n");
    for (unsigned k = 0; k < REPEATS; k++) {
        ww_str_addf(s, fenced ? "wgmma.fence.sync.aligned;\n" : "");
        for (unsigned i = 0; i < products; i++) {
            add_product(s, n);
        }
        ww_str_addf(s, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    }
    ww_str_addf(s, "mov.u32 %%r5, %%clock; sub.u32 %%r6, %%r5, %%r4;\n"
                   "add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %%r2; @%%p1 bra PASS;\n"
                   "st.global.u32 [%%q0], %%r6; st.global.f32 [%%q0+4], %%f0; ret;\n}\n");
}

/* Two words of what a kernel with (out, number) writes, one CTA of `threads` on an H200. */
static void run(const char *ptx, size_t len, uint32_t threads, uint32_t number, uint32_t got[2])
{
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr out;
    ww_error err = {0};
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", NULL, 0, &arch, &err), err);
    const ww_device_options options = {.isa = WW_ISA_LOWERED, .threads = 1};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "w.ptx", ptx, len, &module, &err), err);
    assert_ok(ww_device_malloc(device, 256, &out, &err), err);
    const void *args[] = {&out, &number};
    const ww_launch_request q = {.module = module,
                                 .kernel = "k",
                                 .grid = {1, 1, 1},
                                 .block = {threads, 1, 1},
                                 .args = args,
                                 .arg_count = 2};
    assert_ok(ww_device_launch_request(device, &q, &err), err);
    assert_ok(ww_device_read(device, got, out, 2 * sizeof *got, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

/* Cycles of the second pass. */
static unsigned cycles_of(unsigned n, unsigned products, bool fenced)
{
    ww_str s = {0};
    uint32_t got[2];
    add_kernel(&s, n, products, fenced);
    run(s.data, s.len, 128, 2, got);
    ww_str_fini(&s);
    return got[0];
}

/* A pass is its groups and a few cycles between its clocks. */
static void check(unsigned n, unsigned products, bool fenced, unsigned expected)
{
    const unsigned cycles = cycles_of(n, products, fenced);
    assert_in_range(cycles, REPEATS * expected, REPEATS * expected + 12);
}

static void one_product_and_its_wait(void **state)
{
    (void)state;
    check(64, 1, false, 32 + 43);
    check(128, 1, false, 64 + 43);
}

static void a_fence_comes_before(void **state)
{
    (void)state;
    check(64, 1, true, 22 + 32 + 43);
    check(128, 1, true, 22 + 64 + 43);
}

static void eight_products_of_a_group(void **state)
{
    (void)state;
    check(128, 8, true, 22 + 8 * 64 + 43);
    check(8, 8, true, 22 + 8 * 18 + 43);
}

/* Two warp groups with more products each than the queue holds: the first warp of one is early, the
 * other three are `late` turns behind it, and the other way round with the other group. Partition 0
 * meets one group first, the others meet the other. */
static void add_crossing(ww_str *s)
{
    ww_str_addf(s, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .u64 out, .param .u32 late)\n"
                   "{\n.shared .align 1024 .b8 s[40960];\n"
                   ".reg .pred %%p<3>; .reg .b32 %%r<12>; .reg .b64 %%q<8>; .reg .f32 %%f<128>;\n"
                   "ld.param.u64 %%q0, [out]; ld.param.u32 %%r2, [late]; mov.u32 %%r0, s; "
                   "st.shared.u32 [%%r0], 0; mov.u32 %%r1, %%tid.x; shr.u32 %%r1, %%r1, 5;\n"
                   "mov.u64 %%q4, 0x4000004000010000; setp.ne.u32 %%p0, %%r1, 99;\n");
    for (unsigned i = 0; i < 32; i++) {
        ww_str_addf(s, "mov.f32 %%f%u, 0f00000000;\n", i);
    }
    ww_str_addf(s, "bar.sync 0;\nmov.u32 %%r4, %%clock;\nsub.u32 %%r3, %%r1, 1; "
                   "setp.lt.u32 %%p1, %%r3, 4;\n" /* warps 1 to 4 are late */
                   "@!%%p1 bra GO;\nmov.u32 %%r5, 0;\n"
                   "LATE: add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, %%r2; @%%p1 bra LATE;\n"
                   "GO: wgmma.fence.sync.aligned;\n");
    for (unsigned i = 0; i < 32; i++) {
        add_product(s, 64);
    }
    ww_str_addf(s, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                   "bar.sync 0;\nmov.u32 %%r5, %%clock; sub.u32 %%r6, %%r5, %%r4;\n"
                   "st.global.u32 [%%q0], %%r6; st.global.f32 [%%q0+4], %%f0; ret;\n}\n");
}

/* Neither waits for the other's last warp for ever: 64 products of 32 cycles, behind the late. */
static void groups_that_cross_at_the_queues(void **state)
{
    (void)state;
    enum { LATE = 400, PRODUCTS = 64 * 32 };
    ww_str s = {0};
    uint32_t at_once[2], late[2];
    add_crossing(&s);
    run(s.data, s.len, 256, 0, at_once);
    run(s.data, s.len, 256, LATE, late);
    ww_str_fini(&s);
    assert_in_range(at_once[0], PRODUCTS, PRODUCTS + 300);
    assert_in_range(late[0], at_once[0] + LATE, at_once[0] + 40 * LATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_product_and_its_wait),
        cmocka_unit_test(a_fence_comes_before),
        cmocka_unit_test(eight_products_of_a_group),
        cmocka_unit_test(groups_that_cross_at_the_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
