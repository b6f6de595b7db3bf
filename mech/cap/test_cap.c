/* test_cap.c - the prefetcher on a machine: which loads its pass takes, what it requests for whole
 * kernels, and that prefetches are paid for. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "mech/cap/eligible.h"
#include "mech/mechanisms.h"
#include "perf/api/device.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* A word of each thread, 512 bytes from warp to warp. `indirect`: of where that word points to. */
static const char ptx[] =
    HEAD ".visible .entry strided(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .b32 %r<9>;\n.reg .b64 %d<7>;\n"
         "ld.param.u64 %d1, [from];\nld.param.u64 %d2, [to];\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
         "mad.lo.s32 %r4, %r2, %r3, %r1;\nshr.u32 %r5, %r4, 5;\nand.b32 %r6, %r4, 31;\n"
         "mad.lo.s32 %r7, %r5, 128, %r6;\nmul.wide.u32 %d3, %r7, 4;\n"
         "add.s64 %d4, %d1, %d3;\nmul.wide.u32 %d5, %r4, 4;\nadd.s64 %d6, %d2, %d5;\n"
         "ld.global.u32 %r8, [%d4];\nst.global.u32 [%d6], %r8;\nret;\n}\n"
         ".visible .entry partly(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %d<7>;\n"
         "ld.param.u64 %d1, [from];\nld.param.u64 %d2, [to];\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
         "mad.lo.s32 %r4, %r2, %r3, %r1;\nand.b32 %r6, %r4, 31;\nmul.wide.u32 %d3, %r4, 4;\n"
         "add.s64 %d4, %d1, %d3;\nadd.s64 %d6, %d2, %d3;\nsetp.lt.u32 %p, %r6, 20;\n"
         "mov.u32 %r8, 0;\n@%p ld.global.u32 %r8, [%d4];\nst.global.u32 [%d6], %r8;\nret;\n}\n"
         ".visible .entry indirect(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 4 .b8 s[1024];\n"
         "ld.param.u64 %d1, [from];\nld.param.u64 %d2, [to];\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
         "mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %d3, %r1, 4;\nmov.u64 %d4, s;\n"
         "add.s64 %d5, %d4, %d3;\nst.shared.u32 [%d5], %r4;\nld.shared.u32 %r5, [%d5];\n"
         "mul.wide.u32 %d6, %r5, 4;\nadd.s64 %d7, %d1, %d6;\nadd.s64 %d8, %d2, %d6;\n"
         "ld.global.u32 %r8, [%d7];\nst.global.u32 [%d8], %r8;\nret;\n}\n"
         ".visible .entry own(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .b32 %r<3>;\n.reg .b64 %d<4>;\n.local .align 4 .b8 room[4];\n"
         "mov.u64 %d1, room;\ncvta.local.u64 %d2, %d1;\nmov.u32 %r1, %tid.x;\n"
         "st.u32 [%d2], %r1;\nld.u32 %r2, [%d2];\nld.param.u64 %d3, [to];\n"
         "st.global.u32 [%d3], %r2;\nret;\n}\n";

enum { WARPS = 8, CTAS = 24, THREADS = 32 * WARPS };

typedef struct outcome {
    uint64_t counter[WW_COUNTER_COUNT];
} outcome;

static ww_status collect(void *user, const ww_launch_record *record, ww_error *err)
{
    outcome *o = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        o->counter[c] += ww_counter_total(record->counters, (ww_counter)c);
    }
    return WW_OK;
}

static outcome run(const char *kernel, const char *mechs, const char *key, const char *value)
{
    ww_error err = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr from, to;
    outcome o = {0};
    const ww_setting settings[] = {
        {WW_MECH_KEY, mechs}, {"sm.count", "2"}, {"sm.clusters", "1"}, {key, value}};
    assert_ok(ww_arch_load("gtx480-caps", settings, key != NULL ? 4 : 3, &arch, &err), err);
    const ww_device_options options = {.on_launch = collect, .user = &o};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "test.ptx", ptx, sizeof ptx - 1, &module, &err), err);
    assert_ok(ww_device_malloc(device, CTAS * WARPS * 512, &from, &err), err);
    assert_ok(ww_device_malloc(device, CTAS * THREADS * 4, &to, &err), err);
    const void *args[] = {&from, &to};
    assert_ok(ww_device_launch(device, module, kernel, (ww_dim3){CTAS, 1, 1},
                               (ww_dim3){THREADS, 1, 1}, 0, args, 2, &err),
              err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return o;
}

/* Every address is base plus distance times stride: no misprediction, and each prefetch is demanded
 * by the warp that it is for. */
static void a_strided_kernel_is_predicted_without_error(void **state)
{
    (void)state;
    outcome o = run("strided", "caps", NULL, NULL);
    const uint64_t *v = o.counter;
    assert_int_equal(v[WW_C_CAP_LOOKUP], CTAS * WARPS);
    assert_int_equal(v[WW_C_CAP_BASE_WRITE], CTAS);
    assert_int_equal(v[WW_C_CAP_DIST_WRITE], 2); /* one stride on each SM */
    assert_int_equal(v[WW_C_CAP_MISPREDICT], 0);
    assert_true(v[WW_C_PF_ISSUED] > CTAS);
    assert_int_equal(v[WW_C_PF_USED] + v[WW_C_PF_LATE], v[WW_C_PF_ISSUED]);
    /* each line is fetched once, whoever asks first */
    assert_int_equal(v[WW_C_L1D_FILL], CTAS * WARPS);
    assert_int_equal(v[WW_C_MECH_MISMATCH], 0);
}

static void indirect_loads_are_left_alone(void **state)
{
    (void)state;
    outcome o = run("indirect", "caps", NULL, NULL);
    assert_int_equal(o.counter[WW_C_CAP_LOOKUP], 0);
    assert_int_equal(o.counter[WW_C_PF_REQUESTED], 0);
}

/* A generic load may be a target by its code, and find its threads' own memory, a line of a warp's:
 * no base, as CAP is for global memory. */
static void generic_loads_of_local_memory_are_left_alone(void **state)
{
    (void)state;
    outcome o = run("own", "caps", NULL, NULL);
    assert_true(o.counter[WW_C_L1D_READ_HIT] + o.counter[WW_C_L1D_READ_MISS] > 0);
    assert_int_equal(o.counter[WW_C_CAP_LOOKUP], 0);
}

/* Twenty threads of each warp load: no base of a warp, unless the literal reading is taken. */
static void partly_masked_warps_are_left_alone(void **state)
{
    (void)state;
    outcome whole = run("partly", "caps", NULL, NULL);
    outcome parts = run("partly", "caps", "cap.whole_warps", "false");
    assert_int_equal(whole.counter[WW_C_CAP_LOOKUP], 0);
    assert_int_equal(parts.counter[WW_C_CAP_LOOKUP], CTAS * WARPS);
}

static void one_cta_at_a_time_is_not_prefetched_for(void **state)
{
    (void)state;
    outcome o = run("strided", "cap", "sm.max_ctas", "1");
    outcome plain = run("strided", "none", "sm.max_ctas", "1");
    assert_int_equal(o.counter[WW_C_CAP_LOOKUP], CTAS * WARPS);
    assert_int_equal(o.counter[WW_C_PF_REQUESTED], 0);
    assert_int_equal(o.counter[WW_C_CORE_CYCLES], plain.counter[WW_C_CORE_CYCLES]);
}

/* Requests to memory are those of the run without it: what is prefetched is not demanded again. */
static void prefetches_go_the_way_of_demands(void **state)
{
    (void)state;
    outcome with = run("strided", "cap", NULL, NULL), without = run("strided", "none", NULL, NULL);
    assert_true(with.counter[WW_C_PF_ISSUED] > 0);
    assert_int_equal(with.counter[WW_C_ICNT_REQ_PACKETS], without.counter[WW_C_ICNT_REQ_PACKETS]);
    assert_int_equal(with.counter[WW_C_L2_READ_HIT] + with.counter[WW_C_L2_READ_MISS],
                     without.counter[WW_C_L2_READ_HIT] + without.counter[WW_C_L2_READ_MISS]);
    assert_int_equal(with.counter[WW_C_CAP_WAKE], 0); /* the scheduler's part */
}

/* Lines that come late find their warp waiting for them: they wake it, or those alone do that come
 * before their warp. */
static void late_lines_wake_or_do_not(void **state)
{
    (void)state;
    outcome all = run("strided", "caps", NULL, NULL);
    outcome ahead = run("strided", "caps", "pas.wake_demanded", "false");
    const uint64_t *v = ahead.counter;
    assert_true(v[WW_C_PF_LATE] > 0);
    assert_true(v[WW_C_CAP_WAKE] > 0 && v[WW_C_CAP_WAKE] <= v[WW_C_PF_ISSUED] - v[WW_C_PF_LATE]);
    assert_true(all.counter[WW_C_CAP_WAKE] >
                all.counter[WW_C_PF_ISSUED] - all.counter[WW_C_PF_LATE]);
}

/* What it requests is there at once: with its lines on their way, each is fetched once as ever;
 * without, those of the requests do not come. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    outcome o = run("strided", "caps", NULL, NULL);
    outcome ahead = run("strided", "caps", "cap.oracle", "ahead");
    outcome perfect = run("strided", "caps", "cap.oracle", "perfect");
    assert_true(ahead.counter[WW_C_CORE_CYCLES] < o.counter[WW_C_CORE_CYCLES]);
    assert_true(perfect.counter[WW_C_CORE_CYCLES] < ahead.counter[WW_C_CORE_CYCLES]);
    assert_int_equal(ahead.counter[WW_C_L1D_FILL], CTAS * WARPS);
    const uint64_t *v = perfect.counter;
    const uint64_t looked_up = v[WW_C_L1D_READ_HIT] + v[WW_C_L1D_READ_MISS];
    assert_int_equal(v[WW_C_PF_ISSUED], 0);
    assert_int_equal(v[WW_C_L1D_FILL], looked_up);
    assert_true(looked_up < CTAS * WARPS && looked_up >= CTAS); /* leading warps ask themselves */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strided_kernel_is_predicted_without_error),
        cmocka_unit_test(indirect_loads_are_left_alone),
        cmocka_unit_test(generic_loads_of_local_memory_are_left_alone),
        cmocka_unit_test(partly_masked_warps_are_left_alone),
        cmocka_unit_test(one_cta_at_a_time_is_not_prefetched_for),
        cmocka_unit_test(prefetches_go_the_way_of_demands),
        cmocka_unit_test(late_lines_wake_or_do_not),
        cmocka_unit_test(ceilings_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
