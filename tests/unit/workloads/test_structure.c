/* test_structure.c - do inputs have the locality that they are made for? Run in time, results
 * checked. */
#include "tests/support/test.h"

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "workloads/workload.h"

typedef struct traffic {
    uint64_t instructions, transactions;
} traffic;

static ww_status add_traffic(void *user, const ww_launch_record *r, ww_error *err)
{
    traffic *t = user;
    (void)err;
    t->instructions += ww_counter_total(r->counters, WW_C_GMEM_INST);
    t->transactions += ww_counter_total(r->counters, WW_C_GMEM_TRANSACTION);
    return WW_OK;
}

/* Transactions of a global access of a warp; the results are checked on the way. */
static double transactions_of(const char *workload)
{
    ww_error err = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    traffic t = {0};
    const ww_device_options options = {.on_launch = add_traffic, .user = &t};
    assert_ok(ww_arch_load("gtx480-dac", NULL, 0, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_workload_find(workload)->run(device, WW_SIZE_STD, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return (double)t.transactions / (double)t.instructions;
}

/* Of three loads for an entry two are of consecutive words. The rows of a warp are of one kind,
 * which are numbered together: columns of that kind lie as near as the rows (one line of 128 bytes,
 * or two where it begins within one), those of the other kinds at most four times as far apart (128
 * words: five lines); scattered columns take as many lines as lanes, or half of them. */
static void finite_elements_are_near_each_other(void **state)
{
    (void)state;
    const double elements = transactions_of("spmv-elements");
    assert_true(elements > (2 + 2) / 3.0 && elements < (2 + 5) / 3.0);
    assert_true(transactions_of("spmv") > 8);
}

/* A bin has 48 elements: 192 bytes, so that neighbours of a warp's elements within it lie on two or
 * three lines, those in the bins around on one or two of each. */
static void bins_keep_neighbours_together(void **state)
{
    (void)state;
    const double bins = transactions_of("cfd-bins"), at_random = transactions_of("cfd");
    assert_true(bins > 2 && bins < 4);
    assert_true(at_random > 2.5 * bins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_elements_are_near_each_other),
        cmocka_unit_test(bins_keep_neighbours_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
