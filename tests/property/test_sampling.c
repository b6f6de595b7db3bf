/* Does a sampled run give the right results, the exact instruction counts, and cycles and energy
 * within what it states? On machines of two SMs, so that small inputs make many waves. */
#include <math.h>
#include <string.h>

#include "analysis/export.h"
#include "run/run.h"
#include "tests/support/test.h"

static uint64_t total(const ww_launch_record *launch, ww_counter c)
{
    return ww_counter_total(launch->counters, c);
}

enum { FULL = 0, CTAS = 1, KERNELS = 2, TIME = 4 };

/* error: aimed at; 0: as it comes. threads: 0 or 1: one. */
static ww_run *simulate_on(unsigned threads, const char *workload, ww_workload_size size,
                           unsigned sampling, double error)
{
    static const ww_setting small[] = {{"sm.count", "2"}, {"sm.clusters", "2"}};
    ww_error err = {0};
    ww_run *run = NULL;
    const ww_run_item item = {ww_workload_find(workload), size};
    const ww_run_request request = {.gpu = "gtx480",
                                    .settings = small,
                                    .setting_count = 2,
                                    .items = &item,
                                    .item_count = 1,
                                    .threads = threads,
                                    .sample_error = error,
                                    .sample_ctas = (sampling & CTAS) != 0,
                                    .sample_time = (sampling & TIME) != 0,
                                    .sample_kernels = (sampling & KERNELS) != 0};
    assert_non_null(item.workload);
    assert_ok(ww_run_execute(&request, &run, &err), err);
    return run;
}

static ww_run *simulate(const char *workload, ww_workload_size size, unsigned sampling)
{
    return simulate_on(1, workload, size, sampling, 0);
}

/* What instructions alone decide is exact; what must add up still does. */
static void check_counts(const ww_launch_record *full, const ww_launch_record *sampled)
{
    for (int c = WW_C_OP_INT_ADD; c <= WW_C_PIPE_TENSOR; c++) {
        assert_int_equal(total(full, (ww_counter)c), total(sampled, (ww_counter)c));
    }
    static const ww_counter exact[] = {WW_C_INST_ISSUED,  WW_C_INST_THREAD,   WW_C_INST_LANES,
                                       WW_C_THREAD_ARITH, WW_C_THREAD_BRANCH, WW_C_THREAD_MEMORY,
                                       WW_C_THREAD_OTHER, WW_C_CTAS,          WW_C_WARPS,
                                       WW_C_STACK_PUSH,   WW_C_STACK_POP,     WW_C_BRANCHES,
                                       WW_C_LAUNCHES};
    for (size_t i = 0; i < WW_ARRAY_LEN(exact); i++) {
        assert_int_equal(total(full, exact[i]), total(sampled, exact[i]));
    }
    assert_int_equal(total(sampled, WW_C_SLOTS),
                     total(sampled, WW_C_SLOTS_ISSUED) + total(sampled, WW_C_STALL_RAW_LONG) +
                         total(sampled, WW_C_STALL_RAW_SHORT) + total(sampled, WW_C_STALL_LSU) +
                         total(sampled, WW_C_STALL_SP) + total(sampled, WW_C_STALL_SFU) +
                         total(sampled, WW_C_STALL_IBUF) + total(sampled, WW_C_STALL_HELD) +
                         total(sampled, WW_C_STALL_BARRIER) + total(sampled, WW_C_STALL_IDLE));
}

typedef struct tally {
    unsigned launches, within; /* the stated error */
    double error;              /* sum of absolute relative errors of the cycles */
    double energy_error;
} tally;

static double energy_of(const ww_run *run, const ww_launch_record *launch)
{
    ww_error err = {0};
    ww_power_result r;
    assert_ok(ww_power_evaluate(run->model, launch->counters, launch, &r, &err), err);
    return r.total_j;
}

static void compare(const ww_run *full, const ww_run *sampled, tally *t)
{
    ww_error err = {0};
    assert_int_equal(full->launch_count, sampled->launch_count);
    const ww_result_set set = ww_run_results(sampled, "test", "test");
    for (size_t i = 0; i < full->launch_count; i++) {
        const ww_launch_record *a = &full->launches[i], *b = &sampled->launches[i];
        double cycles, energy;
        assert_ok(ww_sampling_errors(&set, b, &cycles, &energy, &err), err);
        if (b->sampling.share <= 0) { /* of the state that launches before it have left */
            assert_true(cycles < 0.5 && energy < 0.5);
            continue;
        }
        check_counts(a, b);
        assert_true(b->sampling.share < 1 || full->launch_count > 1);
        assert_true(cycles > 0 && energy > 0);
        double error =
            fabs((double)total(b, WW_C_CORE_CYCLES) / (double)total(a, WW_C_CORE_CYCLES) - 1);
        t->launches++;
        t->within += error <= cycles;
        t->error += error;
        t->energy_error += fabs(energy_of(sampled, b) / energy_of(full, a) - 1);
    }
}

static void run_both(const char *workload, unsigned sampling, double error, tally *t)
{
    ww_run *full = simulate(workload, WW_SIZE_STD, FULL);
    ww_run *sampled = simulate_on(1, workload, WW_SIZE_STD, sampling, error);
    compare(full, sampled, t);
    ww_run_destroy(sampled);
    ww_run_destroy(full);
}

/* At least so many launches were sampled, their mean errors are below the limit, and nine in ten
 * lie within what is stated. */
static void judge(const tally *t, unsigned launches, double limit)
{
    assert_true(t->launches >= launches);
    print_message("%u launches: mean error of cycles %.2f %%, of energy %.2f %%; %u within the "
                  "stated error\n",
                  t->launches, 100 * t->error / t->launches, 100 * t->energy_error / t->launches,
                  t->within);
    assert_true(t->error / t->launches < limit);
    assert_true(t->energy_error / t->launches < limit);
    assert_true(10 * t->within >= 9 * t->launches);
}

static void judge_all(const char *const *workloads, size_t count, unsigned how, double share,
                      uint32_t least, double limit)
{
    tally t = {0};
    for (size_t i = 0; i < count; i++) {
        run_both(workloads[i], how, share, &t);
    }
    judge(&t, least, limit);
}

static void sampled_ctas_predict_the_launch(void **state)
{
    (void)state;
    static const char *const workloads[] = {"matrixmul", "vectoradd", "hotspot",   "blackscholes",
                                            "backprop",  "h264-idct", "scalarprod"};
    judge_all(workloads, WW_ARRAY_LEN(workloads), CTAS, 0, 5, 0.01);
}

/* Launches of few CTAs. Each workload compares what its kernels leave with a computation of its
 * own: warps that went ahead without time have done the same. */
static void warps_that_go_ahead_predict_the_launch(void **state)
{
    (void)state;
    static const char *const workloads[] = {"kmeans", "lavamd", "mri-q", "spmv", "tpacf"};
    judge_all(workloads, WW_ARRAY_LEN(workloads), TIME, 0.3, 4, 0.023);
}

static void threads_sample_alike(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 3};
    ww_run *run[2];
    for (size_t i = 0; i < 2; i++) {
        run[i] = simulate_on(threads[i], "backprop", WW_SIZE_STD, CTAS | TIME | KERNELS, 0.2);
    }
    assert_int_equal(run[0]->launch_count, run[1]->launch_count);
    double share = 0;
    for (size_t l = 0; l < run[0]->launch_count; l++) {
        const ww_launch_record *a = &run[0]->launches[l], *b = &run[1]->launches[l];
        share += a->sampling.share;
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            assert_int_equal(total(a, (ww_counter)c), total(b, (ww_counter)c));
        }
    }
    assert_true(share > 0);
    ww_run_destroy(run[0]);
    ww_run_destroy(run[1]);
}

/* Both have simulated all; destroys them. */
static void assert_nothing_sampled(ww_run *full, ww_run *sampled)
{
    assert_int_equal(full->launch_count, sampled->launch_count);
    assert_int_equal(full->warp_instructions, sampled->warp_instructions);
    for (size_t i = 0; i < full->launch_count; i++) {
        assert_true(sampled->launches[i].sampling.share <= 0);
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            assert_int_equal(total(&full->launches[i], (ww_counter)c),
                             total(&sampled->launches[i], (ww_counter)c));
        }
    }
    ww_run_destroy(sampled);
    ww_run_destroy(full);
}

/* What sampling cannot know as well as was asked for runs again, as if nothing had been asked. */
static void missed_aims_are_simulated_in_full(void **state)
{
    (void)state;
    ww_run *full = simulate("tpacf", WW_SIZE_STD, FULL);
    ww_run *sampled = simulate_on(1, "tpacf", WW_SIZE_STD, TIME, 0.15);
    assert_nothing_sampled(full, sampled);
}

static void repeated_launches_are_predicted(void **state)
{
    (void)state;
    tally regular = {0}, irregular = {0};
    run_both("lud", KERNELS, 0.5, &regular);
    run_both("bfs", KERNELS, 0.5, &irregular); /* another frontier every time */
    assert_true(regular.launches > 0 && regular.error / regular.launches < 0.05);
    assert_true(10 * regular.within >= 9 * regular.launches);
    assert_true(10 * irregular.within >= 9 * irregular.launches);
}

static void few_waves_are_simulated_in_full(void **state)
{
    (void)state;
    ww_run *full = simulate("vectoradd", WW_SIZE_SMALL, FULL);
    ww_run *sampled = simulate("vectoradd", WW_SIZE_SMALL, CTAS);
    assert_nothing_sampled(full, sampled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_ctas_predict_the_launch),
        cmocka_unit_test(warps_that_go_ahead_predict_the_launch),
        cmocka_unit_test(threads_sample_alike),
        cmocka_unit_test(missed_aims_are_simulated_in_full),
        cmocka_unit_test(repeated_launches_are_predicted),
        cmocka_unit_test(few_waves_are_simulated_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
