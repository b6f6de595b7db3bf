/* test_api.c - do the functions of warpwatt.h agree with each other, and refuse what they must? */
#include <math.h>
#include <string.h>

#include "api/warpwatt.h"
#include "tests/support/test.h"

static const char saxpy_file[] = WW_SOURCE_DIR "/docs/examples/saxpy.ptx";

static warpwatt_device *open_gpu(const warpwatt_options *options)
{
    warpwatt_device *gpu = NULL;
    warpwatt_error err;
    if (warpwatt_open("gtx480", options, &gpu, &err) != WARPWATT_OK) {
        fail_msg("%s", err.message);
    }
    return gpu;
}

static void run_twice(warpwatt_device *gpu)
{
    warpwatt_error err;
    for (int i = 0; i < 2; i++) {
        if (warpwatt_run_workload(gpu, i == 0 ? "vectoradd:small" : "scan:small", &err) !=
            WARPWATT_OK) {
            fail_msg("%s", err.message);
        }
    }
}

static void all_is_the_sum_of_each(void **state)
{
    (void)state;
    warpwatt_device *gpu = open_gpu(NULL);
    run_twice(gpu);
    const size_t count = warpwatt_result_count(gpu);
    assert_true(count >= 2);
    double energy_j = 0, time_s = 0, component_j = 0;
    uint64_t cycles = 0, issued = 0, total = 0, one;
    warpwatt_result r = {.size = sizeof r};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(warpwatt_result_at(gpu, i, &r, NULL), WARPWATT_OK);
        assert_string_equal(r.workload, i == 0 ? "vectoradd" : "scan");
        energy_j += r.energy_j;
        time_s += r.time_s;
        cycles += r.cycles;
        assert_int_equal(warpwatt_counter_at(gpu, i, "sm.inst.warp", &one, NULL), WARPWATT_OK);
        assert_int_equal(one, r.warp_instructions);
        issued += one;
    }
    assert_int_equal(warpwatt_result_at(gpu, WARPWATT_ALL, &r, NULL), WARPWATT_OK);
    assert_near(r.energy_j, energy_j, 1e-12, 0);
    assert_near(r.time_s, time_s, 1e-12, 0);
    assert_near(r.total_w, energy_j / time_s, 1e-12, 0);
    assert_near(r.dynamic_w + r.static_w, r.total_w, 1e-12, 0);
    assert_int_equal(r.cycles, cycles);
    assert_true(r.uncertainty_j > 0);
    assert_int_equal(warpwatt_counter_at(gpu, WARPWATT_ALL, "sm.inst.warp", &total, NULL),
                     WARPWATT_OK);
    assert_int_equal(total, issued);
    double share = 0;
    for (size_t c = 0; c < warpwatt_component_count(); c++) {
        warpwatt_power p;
        assert_int_equal(warpwatt_power_at(gpu, WARPWATT_ALL, c, &p, NULL), WARPWATT_OK);
        component_j += p.event_j + p.background_j + p.leakage_j;
        share += p.share;
    }
    assert_near(component_j, energy_j, 1e-12, 0);
    assert_near(share, 1, 1e-12, 0);
    double ipc;
    assert_int_equal(warpwatt_metric_at(gpu, WARPWATT_ALL, 0, &ipc, NULL), WARPWATT_OK);
    assert_string_equal(warpwatt_metric_name(0), "IPC");
    assert_true(ipc > 0);
    warpwatt_result_clear(gpu);
    assert_int_equal(warpwatt_result_count(gpu), 0);
    assert_int_equal(warpwatt_result_at(gpu, WARPWATT_ALL, &r, NULL), WARPWATT_OK);
    assert_near(r.energy_j, 0, 0, 0);
    assert_int_equal(warpwatt_metric_at(gpu, WARPWATT_ALL, 0, &ipc, NULL), WARPWATT_OK);
    assert_true(isnan(ipc));
    warpwatt_close(gpu);
}

static void options_of_every_age(void **state)
{
    (void)state;
    const char *settings[] = {"sm.max_ctas=3"};
    warpwatt_options options = {.size = sizeof options, .settings = settings, .setting_count = 1};
    warpwatt_device *gpu = open_gpu(&options);
    assert_string_equal(warpwatt_parameter(gpu, "sm.max_ctas"), "3");
    assert_null(warpwatt_parameter(gpu, "sm.max_cta"));
    warpwatt_close(gpu);
    options.size = offsetof(warpwatt_options, threads); /* a program built with fewer fields */
    options.threads = 77;
    gpu = open_gpu(&options);
    assert_string_equal(warpwatt_parameter(gpu, "sm.max_ctas"), "3");
    warpwatt_close(gpu);
    options.size = sizeof options + 8;
    warpwatt_error err = {0};
    assert_int_equal(warpwatt_open("gtx480", &options, &gpu, &err), WARPWATT_EUSAGE);
    assert_non_null(strstr(err.message, "options.size"));
}

static void errors_say_what_and_where(void **state)
{
    (void)state;
    warpwatt_device *gpu = NULL;
    warpwatt_module *module;
    warpwatt_error err = {0};
    assert_int_equal(warpwatt_open("gtx481", NULL, &gpu, &err), WARPWATT_ENOTFOUND);
    assert_non_null(strstr(err.message, "gtx480"));
    const char *settings[] = {"sm.max_ctas"};
    warpwatt_options options = {.size = sizeof options, .settings = settings, .setting_count = 1};
    assert_int_equal(warpwatt_open("gtx480", &options, &gpu, &err), WARPWATT_EUSAGE);
    gpu = open_gpu(NULL);
    assert_int_equal(warpwatt_load(gpu, "mine.ptx", "rubbish", 7, &module, &err), WARPWATT_EPARSE);
    assert_non_null(strstr(err.message, "mine.ptx:1"));
    assert_int_equal(err.status, WARPWATT_EPARSE);
    assert_int_equal(warpwatt_run_workload(gpu, "bfs:tiny", &err), WARPWATT_ENOTFOUND);
    assert_int_equal(warpwatt_run_workload(gpu, "bsf", &err), WARPWATT_ENOTFOUND);
    assert_int_equal(warpwatt_export(gpu, "nowhere", 0, &err), WARPWATT_EUSAGE);
    warpwatt_power p;
    assert_int_equal(warpwatt_power_at(gpu, 0, 0, &p, &err), WARPWATT_ERANGE);
    assert_int_equal(warpwatt_power_at(gpu, WARPWATT_ALL, 1000, &p, &err), WARPWATT_ERANGE);
    assert_int_equal(warpwatt_load_file(gpu, saxpy_file, &module, &err), WARPWATT_OK);
    warpwatt_kernel kernel;
    assert_int_equal(warpwatt_kernel_info(gpu, module, "saxpy", &kernel, &err), WARPWATT_OK);
    assert_int_equal(kernel.param_count, 4);
    size_t bytes;
    assert_int_equal(warpwatt_kernel_param(gpu, module, "saxpy", 2, &bytes, &err), WARPWATT_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(warpwatt_kernel_param(gpu, module, "saxpy", 4, &bytes, &err), WARPWATT_ERANGE);
    for (uint32_t i = 0; i < 4; i++) {
        int floats = -1;
        assert_int_equal(warpwatt_kernel_param_floats(gpu, module, "saxpy", i, &floats, &err),
                         WARPWATT_OK);
        assert_int_equal(floats, i == 2); /* y, x, a, n */
        uint32_t bits = 1;
        assert_int_equal(
            warpwatt_kernel_param_elements(gpu, module, "saxpy", i, &bits, &floats, &err),
            WARPWATT_OK);
        assert_int_equal(bits, i < 2 ? 32 : 0);
        assert_int_equal(floats, i < 2);
    }
    assert_int_equal(warpwatt_kernel_info(gpu, module, "saxpz", &kernel, NULL), WARPWATT_ENOTFOUND);
    warpwatt_close(gpu);
    warpwatt_close(NULL);
}

static void a_functional_device_has_no_power(void **state)
{
    (void)state;
    warpwatt_options options = {.size = sizeof options, .functional = 1};
    warpwatt_device *gpu = open_gpu(&options);
    run_twice(gpu);
    warpwatt_result r = {.size = sizeof r};
    warpwatt_power p;
    double w;
    assert_int_equal(warpwatt_result_at(gpu, 0, &r, NULL), WARPWATT_OK);
    assert_int_equal(r.cycles, 0);
    assert_true(r.warp_instructions > 0);
    assert_int_equal(warpwatt_power_at(gpu, 0, 0, &p, NULL), WARPWATT_EUSAGE);
    assert_int_equal(warpwatt_chip(gpu, NULL, &w, NULL), WARPWATT_EUSAGE);
    warpwatt_close(gpu);
}

/* What a governor was told, and what it answers. */
typedef struct governing {
    double answer_hz; /* 0: the clock that ran, down by a twentieth */
    double joules, seconds, last_hz;
    unsigned asked;
} governing;

static double govern(void *user, const warpwatt_interval *told)
{
    governing *g = user;
    double component_j = 0;
    for (size_t c = 0; c < warpwatt_component_count(); c++) {
        component_j += told->component_j[c];
    }
    assert_near(component_j, told->energy_j, 1e-12, 0);
    assert_near(told->start_s, g->seconds, 1e-12, 0);
    g->joules += told->energy_j;
    g->seconds += told->seconds;
    g->last_hz = told->clock_hz;
    g->asked++;
    return g->answer_hz != 0 ? g->answer_hz : fmax(0.95 * told->clock_hz, told->lowest_hz);
}

static warpwatt_status run_governed(governing *g, warpwatt_result *r, warpwatt_error *err)
{
    warpwatt_device *gpu = open_gpu(&(warpwatt_options){
        .size = sizeof(warpwatt_options), .interval_cycles = 200, .governor = govern, .user = g});
    warpwatt_status status = warpwatt_run_workload(gpu, "vectoradd:small", err);
    *r = (warpwatt_result){.size = sizeof *r};
    if (status == WARPWATT_OK) {
        status = warpwatt_result_at(gpu, WARPWATT_ALL, r, err);
    }
    warpwatt_close(gpu);
    return status;
}

static void a_governor_is_told_what_the_result_sums(void **state)
{
    (void)state;
    governing g = {0};
    warpwatt_result r;
    warpwatt_error err;
    assert_int_equal(run_governed(&g, &r, &err), WARPWATT_OK);
    assert_true(g.asked > 3 && g.last_hz < 690e6);
    assert_near(r.energy_j, g.joules, 1e-12, 0);
    assert_near(r.time_s, g.seconds, 1e-12, 0);
}

static void a_clock_that_is_none_ends_the_launch(void **state)
{
    (void)state;
    const double bad[] = {-1, NAN, INFINITY, 9e9, 1};
    warpwatt_result r;
    warpwatt_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        governing g = {.answer_hz = bad[i]};
        assert_int_equal(run_governed(&g, &r, &err), WARPWATT_ERANGE);
        assert_non_null(strstr(err.message, "MHz"));
    }
    assert_int_equal(
        warpwatt_open("gtx480",
                      &(warpwatt_options){.size = sizeof(warpwatt_options), .governor = govern},
                      &(warpwatt_device *){NULL}, &err),
        WARPWATT_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_the_sum_of_each),
        cmocka_unit_test(options_of_every_age),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(a_functional_device_has_no_power),
        cmocka_unit_test(a_governor_is_told_what_the_result_sums),
        cmocka_unit_test(a_clock_that_is_none_ends_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
