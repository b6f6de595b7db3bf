/* Do the counters and energies of whole runs obey the laws they must? Every workload at its
 * smallest size. */
#include <string.h>

#include "run/run.h"
#include "tests/support/test.h"

static uint64_t total(const ww_launch_record *launch, ww_counter c)
{
    return ww_counter_total(launch->counters, c);
}

static ww_run *simulate(const char *gpu, const char *workload, ww_isa_mode isa, uint64_t interval)
{
    ww_error err = {0};
    ww_run *run = NULL;
    const ww_run_item item = {ww_workload_find(workload), WW_SIZE_SMALL};
    const ww_run_request request = {
        .gpu = gpu, .items = &item, .item_count = 1, .isa = isa, .interval_cycles = interval};
    assert_non_null(item.workload);
    assert_ok(ww_run_execute(&request, &run, &err), err);
    assert_true(run->launch_count > 0);
    return run;
}

static void equal(const ww_launch_record *launch, const char *law, uint64_t left, uint64_t right)
{
    if (left != right) {
        fail_msg("%s, %s: %s: %llu is not %llu", launch->workload, launch->kernel, law,
                 (unsigned long long)left, (unsigned long long)right);
    }
}

static void at_most(const ww_launch_record *launch, const char *law, uint64_t left, uint64_t right)
{
    if (left > right) {
        fail_msg("%s, %s: %s: %llu exceeds %llu", launch->workload, launch->kernel, law,
                 (unsigned long long)left, (unsigned long long)right);
    }
}

static void check_counters(const ww_launch_record *l)
{
    equal(l, "instruction classes make up all active lanes", total(l, WW_C_INST_LANES),
          total(l, WW_C_THREAD_ARITH) + total(l, WW_C_THREAD_BRANCH) +
              total(l, WW_C_THREAD_MEMORY) + total(l, WW_C_THREAD_OTHER));
    equal(l, "without a mechanism the program is what is executed", total(l, WW_C_INST_PROGRAM),
          total(l, WW_C_INST_THREAD));
    at_most(l, "thread instructions are active lanes", total(l, WW_C_INST_THREAD),
            total(l, WW_C_INST_LANES));
    at_most(l, "active lanes <= 32 x warp instructions", total(l, WW_C_INST_LANES),
            32 * total(l, WW_C_INST_ISSUED));
    equal(l, "issue slots are issued or lost for one reason", total(l, WW_C_SLOTS),
          total(l, WW_C_SLOTS_ISSUED) + total(l, WW_C_STALL_RAW_LONG) +
              total(l, WW_C_STALL_RAW_SHORT) + total(l, WW_C_STALL_LSU) + total(l, WW_C_STALL_SP) +
              total(l, WW_C_STALL_SFU) + total(l, WW_C_STALL_IBUF) + total(l, WW_C_STALL_HELD) +
              total(l, WW_C_STALL_BARRIER) + total(l, WW_C_STALL_IDLE));
    at_most(l, "operand lanes <= 32 x operands", total(l, WW_C_RF_READ_LANES),
            32 * total(l, WW_C_RF_READ));
    at_most(l, "result lanes <= 32 x results", total(l, WW_C_RF_WRITE_LANES),
            32 * total(l, WW_C_RF_WRITE));
    equal(l, "every reconvergence entry pushed is popped", total(l, WW_C_STACK_PUSH),
          total(l, WW_C_STACK_POP));
    equal(l, "CTAs", total(l, WW_C_CTAS), (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]);
    uint64_t l2 = total(l, WW_C_L2_READ_HIT) + total(l, WW_C_L2_READ_MISS) +
                  total(l, WW_C_L2_WRITE_HIT) + total(l, WW_C_L2_WRITE_MISS);
    at_most(l, "every request looks up at least one sector", total(l, WW_C_ICNT_REQ_PACKETS), l2);
    at_most(l, "a request looks up at most four sectors", l2, 4 * total(l, WW_C_ICNT_REQ_PACKETS));
    at_most(l, "L2 fills are misses", total(l, WW_C_L2_FILL),
            total(l, WW_C_L2_READ_MISS) + total(l, WW_C_L2_WRITE_MISS));
    at_most(l, "merged misses are misses", total(l, WW_C_L1D_READ_MERGED),
            total(l, WW_C_L1D_READ_MISS));
    at_most(l, "a flit at least per packet", total(l, WW_C_ICNT_REQ_PACKETS),
            total(l, WW_C_ICNT_REQ_FLITS));
    at_most(l, "precharges follow activates", total(l, WW_C_DRAM_PRE),
            total(l, WW_C_DRAM_ACT) + 6 * 16 * 16);
    at_most(l, "an SM is active within the launch", total(l, WW_C_SM_ACTIVE),
            total(l, WW_C_CORE_CYCLES) * l->counters->count[WW_SCOPE_SM]);
    assert_true(total(l, WW_C_CORE_CYCLES) > 0);
}

static void check_power(const ww_run *run, const ww_launch_record *l)
{
    ww_error err = {0};
    ww_power_result r;
    assert_ok(ww_power_evaluate(run->model, l->counters, l, &r, &err), err);
    double sum = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        assert_true(isfinite(r.component[c].dynamic_w) && r.component[c].dynamic_w >= 0);
        assert_true(isfinite(r.component[c].leakage_j) && r.component[c].leakage_j >= 0);
        sum += r.component[c].dynamic_w;
    }
    assert_near(sum, r.dynamic_w, 1e-12, 0);
    assert_near(sum + r.static_w, r.total_w, 1e-12, 0);
    assert_near(r.total_w * r.time_s, r.total_j, 1e-12, 0);
    assert_true(
        r.component[WW_COMPONENT_RF].event_j > 0 && r.component[WW_COMPONENT_EU].event_j > 0 &&
        r.component[WW_COMPONENT_WCU].event_j > 0 && r.component[WW_COMPONENT_BP].background_j > 0);
}

static void check_intervals(const ww_run *run, const ww_launch_record *l)
{
    ww_error err = {0};
    ww_counter_set sum;
    double energy = 0;
    ww_power_result whole, part;
    assert_true(l->interval_count > 0);
    assert_ok(ww_counter_set_init(&sum, l->counters->count[WW_SCOPE_SM],
                                  l->counters->count[WW_SCOPE_SLICE],
                                  l->counters->count[WW_SCOPE_CHANNEL], &err),
              err);
    uint64_t at = 0;
    for (size_t i = 0; i < l->interval_count; i++) {
        assert_int_equal(l->intervals[i].first_cycle, at);
        at = l->intervals[i].last_cycle;
        assert_ok(ww_counter_set_add(&sum, &l->intervals[i].counters, &err), err);
        assert_ok(ww_power_evaluate(run->model, &l->intervals[i].counters, l, &part, &err), err);
        energy += part.total_j;
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        equal(l, ww_counter_describe((ww_counter)c)->name, ww_counter_total(&sum, (ww_counter)c),
              total(l, (ww_counter)c));
    }
    assert_ok(ww_power_evaluate(run->model, l->counters, l, &whole, &err), err);
    assert_near(energy, whole.total_j, 1e-9, 0);
    ww_counter_set_fini(&sum);
}

static void laws_hold_for_every_workload(void **state)
{
    (void)state;
    size_t count;
    const ww_workload *all = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        ww_run *run = simulate(all[i].capability > 20 ? "h100" : "gtx480", all[i].name,
                               i % 2 == 0 ? WW_ISA_LOWERED : WW_ISA_PTX, 777);
        for (size_t k = 0; k < run->launch_count; k++) {
            check_counters(&run->launches[k]);
            check_power(run, &run->launches[k]);
            check_intervals(run, &run->launches[k]);
        }
        ww_run_destroy(run);
    }
}

/* The same run twice gives the same counters, bit for bit. */
static void runs_repeat(void **state)
{
    (void)state;
    static const char *const names[] = {"bfs", "backprop", "matrixmul"};
    for (size_t i = 0; i < 3; i++) {
        ww_run *a = simulate("gtx580", names[i], WW_ISA_LOWERED, 0),
               *b = simulate("gtx580", names[i], WW_ISA_LOWERED, 0);
        assert_int_equal(a->launch_count, b->launch_count);
        for (size_t k = 0; k < a->launch_count; k++) {
            const ww_counter_set *x = a->launches[k].counters, *y = b->launches[k].counters;
            for (int s = 0; s < WW_SCOPE_COUNT; s++) {
                assert_memory_equal(x->block[s], y->block[s],
                                    x->count[s] * sizeof(ww_counter_block));
            }
        }
        ww_run_destroy(a);
        ww_run_destroy(b);
    }
}

/* Snapshots and the functional run see the same instructions as the timed one. */
static void modes_agree_on_instructions(void **state)
{
    (void)state;
    ww_error err = {0};
    const ww_run_item item = {ww_workload_find("hotspot"), WW_SIZE_SMALL};
    const ww_run_request request = {
        .gpu = "gtx480", .items = &item, .item_count = 1, .functional_only = true};
    ww_run *functional = NULL, *timed = simulate("gtx480", "hotspot", WW_ISA_LOWERED, 0);
    assert_ok(ww_run_execute(&request, &functional, &err), err);
    assert_int_equal(functional->launch_count, timed->launch_count);
    for (size_t k = 0; k < timed->launch_count; k++) {
        assert_int_equal(total(&functional->launches[k], WW_C_INST_ISSUED),
                         total(&timed->launches[k], WW_C_INST_ISSUED));
        assert_int_equal(total(&functional->launches[k], WW_C_INST_THREAD),
                         total(&timed->launches[k], WW_C_INST_THREAD));
    }
    ww_run_destroy(functional);
    ww_run_destroy(timed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_hold_for_every_workload),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(modes_agree_on_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
