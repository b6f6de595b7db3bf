/* test_dart.c - does a core of lanes gain under divergence what its report derives (LPGPU D5.5.3,
 * section 4.2.1), from the front end and no more? On the shipped machines, one SM of them with 32
 * warps. Timelines of single instructions: test_lanes.c. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "perf/api/device.h"

enum { CTAS = 4, THREADS = 256, STEPS = 16, CHAINS = 4, MOST_FLOWS = 32 };

/* Thread t of a warp goes through body t % flows, `repetitions` times 64 additions in four
 * chains. */
static void add_body(ww_str *s, unsigned flow)
{
    ww_str_addf(s, "B%u:\n", flow);
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned c = 0; c < CHAINS; c++) {
            ww_str_addf(s, " add.f32 %%x%u, %%x%u, 0f3E800000;\n", c, c);
        }
    }
    ww_str_addf(s, " add.u32 %%i, %%i, 1;\n setp.lt.u32 %%p, %%i, %%n;\n @%%p bra B%u;\n bra J;\n",
                flow);
}

static void write_kernel(ww_str *s)
{
    ww_str_addf(s, "%s",
                ".version 7.0\n.target sm_20\n.address_size 64\n"
                ".visible .entry flows(.param .u64 out, .param .u32 flows, .param .u32 n)\n{\n"
                " .reg .pred %p;\n .reg .u32 %t, %f, %n, %i;\n .reg .u64 %a, %o;\n"
                " .reg .f32 %x<4>;\n"
                " ld.param.u64 %a, [out];\n ld.param.u32 %f, [flows];\n ld.param.u32 %n, [n];\n"
                " mov.u32 %t, %tid.x;\n mul.wide.u32 %o, %t, 4;\n add.u64 %a, %a, %o;\n"
                " and.b32 %t, %t, 31;\n rem.u32 %t, %t, %f;\n mov.u32 %i, 0;\n"
                " mov.f32 %x0, 0f3F800000;\n mov.f32 %x1, %x0;\n mov.f32 %x2, %x0;\n"
                " mov.f32 %x3, %x0;\n");
    for (unsigned f = 0; f + 1 < MOST_FLOWS; f++) {
        ww_str_addf(s, " setp.eq.u32 %%p, %%t, %u;\n @%%p bra B%u;\n", f, f);
    }
    for (unsigned f = MOST_FLOWS; f-- > 0;) {
        add_body(s, f);
    }
    ww_str_addf(s, "%s",
                "J:\n add.f32 %x0, %x0, %x1;\n add.f32 %x2, %x2, %x3;\n add.f32 %x0, %x0, %x2;\n"
                " st.global.f32 [%a], %x0;\n ret;\n}\n");
}

typedef struct bench {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr out;
    uint64_t counter[WW_COUNTER_COUNT]; /* of the newest launch */
} bench;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    bench *b = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        b->counter[c] = ww_counter_total(r->counters, (ww_counter)c);
    }
    return WW_OK;
}

/* rate: instructions per lane clock of DART's front end, in quarters. */
static void open_bench(bench *b, const char *gpu, unsigned rate)
{
    char count[12], interval[12];
    ww_error err = {0};
    ww_str text = {0};
    bool dart = strcmp(gpu, "gt200-simd") != 0;
    snprintf(count, sizeof count, "%u", rate > 4 ? rate / 4 : 1);
    snprintf(interval, sizeof interval, "%u", rate < 4 ? 4 / rate : 1);
    const ww_setting settings[] = {{"sm.count", "1"},
                                   {"sm.clusters", "1"},
                                   {"sm.schedulers", count},
                                   {"sm.fetch_warps", count},
                                   {"sm.issue_interval", interval}};
    *b = (bench){0};
    assert_ok(ww_arch_load(gpu, settings, dart ? 5 : 2, &b->arch, &err), err);
    const ww_device_options options = {.on_launch = note, .user = b};
    assert_ok(ww_device_create(b->arch, &options, &b->device, &err), err);
    write_kernel(&text);
    assert_ok(ww_device_load_ptx(b->device, "flows.ptx", ww_str_text(&text),
                                 strlen(ww_str_text(&text)), &b->module, &err),
              err);
    assert_ok(ww_device_malloc(b->device, THREADS * sizeof(float), &b->out, &err), err);
    ww_str_fini(&text);
}

static void close_bench(bench *b)
{
    ww_device_destroy(b->device);
    ww_arch_destroy(b->arch);
}

static uint64_t cycles_of(bench *b, uint32_t flows, uint32_t repetitions)
{
    ww_error err = {0};
    const void *args[] = {&b->out, &flows, &repetitions};
    assert_ok(ww_device_launch(b->device, b->module, "flows", (ww_dim3){CTAS, 1, 1},
                               (ww_dim3){THREADS, 1, 1}, 0, args, 3, &err),
              err);
    return b->counter[WW_C_CORE_CYCLES];
}

/* Threads that execute an addition of a body per lane clock: what sixteen repetitions more take. */
static double rate_of(bench *b, uint32_t flows)
{
    enum { FEW = 8, MORE = 24 };
    uint64_t few = cycles_of(b, flows, FEW), more = cycles_of(b, flows, MORE);
    return (double)CTAS * THREADS * (MORE - FEW) * STEPS * CHAINS / (double)(more - few);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static const uint32_t flows[] = {1, 2, 3, 4, 8, 16, 32};

/* SIMD: an instruction of one flow after the other, 8 / F threads per lane clock. DART: what eight
 * lanes take and the front end can send, rate instructions of 32 / F threads. */
static void closed_form_in_the_bodies(void **state)
{
    (void)state;
    static const unsigned rates[] = {1, 4, 8, 16}; /* 0.25, 1, 2 and 4 */
    double simd[WW_ARRAY_LEN(flows)];
    bench b;
    open_bench(&b, "gt200-simd", 4);
    for (size_t i = 0; i < WW_ARRAY_LEN(flows); i++) {
        simd[i] = rate_of(&b, flows[i]);
        assert_near(simd[i], 8.0 / flows[i], 0.15, 0);
    }
    close_bench(&b);
    for (size_t r = 0; r < WW_ARRAY_LEN(rates); r++) {
        open_bench(&b, "gt200-dart", rates[r]);
        for (size_t i = 0; i < WW_ARRAY_LEN(flows); i++) {
            double ours = rate_of(&b, flows[i]);
            print_message("front end %.2f, %2u flows: %.2f, closed form %.2f, SIMD %.2f\n",
                          rates[r] / 4.0, (unsigned)flows[i], ours,
                          smaller(8, rates[r] * 8.0 / flows[i]), simd[i]);
            assert_near(ours, smaller(8, rates[r] * 8.0 / flows[i]), 0.15, 0);
            if (rates[r] == 1) { /* the whole gain is the front end's */
                assert_near(ours / simd[i], 1.0, 0.05, 0);
            }
            if (rates[r] == 4 && flows[i] >= 8) {
                assert_true(ours / simd[i] >= 3.5 && ours / simd[i] <= 4.5);
            }
            if (rates[r] == 4 && flows[i] == 1) {
                assert_true(ours / simd[i] >= 0.95 && ours / simd[i] <= 1.1);
            }
        }
        close_bench(&b);
    }
}

/* An instruction goes to a lane once, and each thread through it once; branches go to none. */
static void counts_what_it_sends(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "gt200-dart", 4);
    (void)cycles_of(&b, 8, 2);
    uint64_t control = b.counter[WW_C_DART_CONTROL], threads = b.counter[WW_C_DART_THREAD];
    (void)cycles_of(&b, 8, 6);
    uint64_t bodies = (uint64_t)CTAS * THREADS / 32 * 8 * 4; /* warps x flows x repetitions */
    assert_int_equal(b.counter[WW_C_DART_CONTROL] - control, bodies * (STEPS * CHAINS + 2));
    assert_int_equal(b.counter[WW_C_DART_THREAD] - threads, bodies * 4 * (STEPS * CHAINS + 2));
    assert_int_equal(b.counter[WW_C_DART_ADDRESS], CTAS * THREADS); /* the stores */
    assert_int_equal(b.counter[WW_C_DART_REQUEST], 0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_form_in_the_bodies),
        cmocka_unit_test(counts_what_it_sends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
