/* test_width.c - is a machine of more warps than a word holds the same machine? An SM with room for
 * 96 warps of which no more than 48 are used does in each cycle what one of 48 does, although it
 * was compiled for sets of several words; one that uses them gives the same results in less time.
 */
#include "tests/support/test.h"

#include "perf/gpu/gpu.h"
#include "tests/support/totals.h"
#include "workloads/workload.h"

/* The workload checks its results itself. */
static totals run(const char *name, const char *gpu, const ww_setting *settings, size_t count)
{
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_error err = {0};
    totals o = {0};
    const ww_device_options options = {.on_launch = totals_collect, .user = &o};
    assert_ok(ww_arch_load(gpu, settings, count, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_workload_find(name)->run(device, WW_SIZE_SMALL, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return o;
}

static void unused_slots_change_nothing(void **state)
{
    (void)state;
    static const char *const name[] = {"hotspot", "bfs", "scan", "sgemm", "histo"};
    static const char *const policy[] = {"gto", "lrr", "two-level"};
    for (size_t i = 0; i < WW_ARRAY_LEN(name); i++) {
        for (size_t p = 0; p < WW_ARRAY_LEN(policy); p++) {
            const ww_setting narrow[] = {{"sm.scheduler", policy[p]}, {"sm.max_ctas", "3"}};
            const ww_setting wide[] = {
                {"sm.scheduler", policy[p]},
                {"sm.max_ctas", "3"},
                {"sm.max_warps", "96"},
                {"sm.registers", "65536"}}; /* a warp's share, by which code is scheduled, stays */
            totals a = run(name[i], "gtx480", narrow, WW_ARRAY_LEN(narrow));
            totals b = run(name[i], "gtx480", wide, WW_ARRAY_LEN(wide));
            for (int c = 0; c < WW_COUNTER_COUNT; c++) {
                if (a.counter[c] != b.counter[c]) {
                    fail_msg("%s, %s: %s is %llu with 96 slots, %llu with 48", name[i], policy[p],
                             ww_counter_describe((ww_counter)c)->name,
                             (unsigned long long)b.counter[c], (unsigned long long)a.counter[c]);
                }
            }
        }
    }
}

/* Eight CTAs of 256 threads are 64 warps; sixteen 128. */
static void more_warps_are_resident(void **state)
{
    (void)state;
    const ww_setting few[] = {{"sm.max_ctas", "4"}};
    const ww_setting many[] = {{"sm.max_ctas", "16"},         {"sm.max_warps", "128"},
                               {"sm.max_threads", "4096"},    {"sm.registers", "262144"},
                               {"sm.shared_bytes", "196608"}, {"sm.count", "1"},
                               {"sm.clusters", "1"}};
    totals a = run("hotspot", "gtx480", few, WW_ARRAY_LEN(few));
    totals b = run("hotspot", "gtx480", many, WW_ARRAY_LEN(many));
    assert_int_equal(a.counter[WW_C_INST_THREAD], b.counter[WW_C_INST_THREAD]);
    assert_true(b.counter[WW_C_WARP_RESIDENT] > 64 * b.counter[WW_C_SM_ACTIVE] / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_slots_change_nothing),
        cmocka_unit_test(more_warps_are_resident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
