/* test_overheads.c - what a launch, a CTA and a matrix instruction take, as differences between two
 * runs that differ in nothing else. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "perf/api/device.h"

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    (void)err;
    *(uint64_t *)user = ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    return WW_OK;
}

/* Cycles of a kernel of one warp per CTA on a QV100 with these settings. */
static uint64_t cycles_of(const char *ptx, uint32_t ctas, const ww_setting *settings, size_t count)
{
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    uint64_t cycles = 0;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/qv100.xml", settings, count, &arch, &err),
              err);
    const ww_device_options options = {.on_launch = note, .user = &cycles};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "test.ptx", ptx, strlen(ptx), &module, &err), err);
    for (unsigned i = 0; i < 2; i++) { /* the second time the code is in the cache */
        assert_ok(ww_device_launch(device, module, "k", (ww_dim3){ctas, 1, 1}, (ww_dim3){32, 1, 1},
                                   0, NULL, 0, &err),
                  err);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return cycles;
}

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"

static void a_launch_begins_after_its_overhead(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        const ww_setting s[] = {{.key = "sm.kernel_launch_cycles", .value = i == 0 ? "0" : "777"},
                                {.key = "clock.core_hz", .value = "1000 MHz"}, /* in step */
                                {.key = "clock.icnt_hz", .value = "1000 MHz"},
                                {.key = "clock.l2_hz", .value = "1000 MHz"},
                                {.key = "clock.dram_hz", .value = "1000 MHz"}};
        cycles[i] = cycles_of(HEAD "ret;\n}\n", 1, s, WW_ARRAY_LEN(s));
    }
    assert_int_equal(cycles[1] - cycles[0], 777);
}

/* Four CTAs for one SM, which takes one in so many cycles: the last begins three gaps behind the
 * first. */
static void an_sm_takes_a_cta_at_a_time(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        const ww_setting s[] = {{.key = "sm.cta_launch_cycles", .value = i == 0 ? "1000" : "1500"},
                                {.key = "sm.count", .value = "1"},
                                {.key = "sm.clusters", .value = "1"}};
        cycles[i] = cycles_of(HEAD "ret;\n}\n", 4, s, 3);
    }
    assert_int_equal(cycles[1] - cycles[0], 3 * 500);
}

/* n matrix instructions of a warp, to an accumulator each in turn or all to one. */
static uint64_t cycles_of_mma(unsigned n, bool dependent, const char *latency, const char *interval,
                              const char *passes)
{
    enum { ACCUMULATORS = 8 };
    const ww_setting s[] = {{.key = "units.tensor_latency", .value = latency},
                            {.key = "units.tensor_interval", .value = interval},
                            {.key = "units.tensor_f32_passes", .value = passes}};
    ww_str ptx = {0};
    ww_str_add(&ptx, HEAD
               ".reg .b32 %a<5>;\n.reg .f32 %f<40>;\n.shared .b32 out[32];\nmov.u32 %a4, out;\n");
    for (unsigned r = 0; r < 4; r++) {
        ww_str_addf(&ptx, "mov.u32 %%a%u, %%tid.x;\n", r);
    }
    for (unsigned r = 0; r < 4 * ACCUMULATORS; r++) {
        ww_str_addf(&ptx, "mov.f32 %%f%u, 0f00000000;\n", r);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned f = dependent ? 0 : i % ACCUMULATORS * 4;
        ww_str_addf(&ptx,
                    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%f%u,%%f%u,%%f%u,%%f%u}, "
                    "{%%a0,%%a1}, {%%a2}, {%%f%u,%%f%u,%%f%u,%%f%u};\n",
                    f, f + 1, f + 2, f + 3, f, f + 1, f + 2, f + 3);
    }
    for (unsigned r = 0; r < 4 * ACCUMULATORS; r++) { /* what nobody reads is not computed */
        ww_str_addf(&ptx, "st.shared.f32 [%%a4+%u], %%f%u;\n", 4 * r, r);
    }
    ww_str_add(&ptx, "ret;\n}\n");
    uint64_t cycles = cycles_of(ww_str_text(&ptx), 1, s, WW_ARRAY_LEN(s));
    ww_str_fini(&ptx);
    return cycles;
}

/* 16 further instructions: as long as the pipeline takes for each, or as the result of each. They
 * are a quarter of 16 x 16 x 16, which interval and latency are given for. */
static void matrix_units_keep_interval_and_latency(void **state)
{
    (void)state;
    uint64_t chain =
        cycles_of_mma(32, true, "400", "64", "1") - cycles_of_mma(16, true, "400", "64", "1");
    uint64_t longer =
        cycles_of_mma(32, true, "410", "64", "1") - cycles_of_mma(16, true, "410", "64", "1");
    assert_int_equal(longer - chain, 16 * 10);
    assert_in_range(chain, 16 * (400 - 48), 16 * (402 - 48));
    static const char *const passes[] = {"1", "2"}; /* the sums are in FP32 */
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(cycles_of_mma(32, false, "160", "64", passes[k]) -
                             cycles_of_mma(16, false, "160", "64", passes[k]),
                         16 * 64 / 4 * (k + 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_begins_after_its_overhead),
        cmocka_unit_test(an_sm_takes_a_cta_at_a_time),
        cmocka_unit_test(matrix_units_keep_interval_and_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
