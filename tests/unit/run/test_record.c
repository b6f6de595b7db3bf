/* test_record.c - do collected launches keep all of their counts, and their intervals within the
 * memory that they may take? */
#include "base/mem.h"
#include "run/run.h"
#include "tests/support/test.h"

enum { LAUNCHES = 70, INTERVALS = 9 };

/* Launch `number`, whose interval k counts k cycles more than the one before. */
static ww_launch_record make(ww_interval intervals[INTERVALS], ww_counter_set *total,
                             uint32_t count, ww_error *err)
{
    assert_ok(ww_counter_set_init(total, 3, 2, 2, err), *err);
    for (uint32_t k = 0; k < count; k++) {
        intervals[k] = (ww_interval){.first_cycle = 100 * k, .last_cycle = 100 * k + 100};
        assert_ok(ww_counter_set_init(&intervals[k].counters, 3, 2, 2, err), *err);
        intervals[k].counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 100;
        intervals[k].counters.block[WW_SCOPE_SM][k % 3].v[WW_C_RF_READ] = k;
        assert_ok(ww_counter_set_add(total, &intervals[k].counters, err), *err);
    }
    return (ww_launch_record){.kernel = "k",
                              .workload = "",
                              .occupancy_limit = "threads",
                              .counters = total,
                              .intervals = intervals,
                              .interval_count = count};
}

static void check(const ww_launch_record *launch, ww_error *err)
{
    ww_counter_set sum;
    uint64_t at = 0;
    assert_ok(ww_counter_set_init(&sum, 3, 2, 2, err), *err);
    for (size_t k = 0; k < launch->interval_count; k++) {
        assert_int_equal(launch->intervals[k].first_cycle, at);
        at = launch->intervals[k].last_cycle;
        assert_ok(ww_counter_set_add(&sum, &launch->intervals[k].counters, err), *err);
    }
    assert_int_equal(at, ww_counter_total(launch->counters, WW_C_CORE_CYCLES));
    assert_memory_equal(sum.block[0], launch->counters->block[0], ww_counter_set_bytes(&sum));
    ww_counter_set_fini(&sum);
}

static void intervals_of_all_launches_fit(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_launch_record *records = NULL;
    size_t count = 0;
    uint64_t bytes = 0, set_bytes = 0;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        ww_interval intervals[INTERVALS];
        ww_counter_set total;
        ww_launch_record one = make(intervals, &total, i % (INTERVALS + 1), &err);
        assert_ok(ww_launch_records_append(&records, &count, &bytes, &one, "w", i, &err), err);
        set_bytes = ww_counter_set_bytes(&total);
        for (size_t k = 0; k < one.interval_count; k++) {
            ww_counter_set_fini(&intervals[k].counters);
        }
        ww_counter_set_fini(&total);
    }
    assert_int_equal(count, LAUNCHES);
    /* Seven times each of 0 to 9 intervals, of which the first is free. */
    assert_int_equal(bytes, 7 * 36 * set_bytes);
    assert_int_equal(ww_launch_records_longest(records, count), 100);
    assert_int_equal(ww_launch_records_fit(records, count, bytes), bytes);
    for (uint64_t most = 200 * set_bytes; most > 0; most /= 2) {
        bytes = ww_launch_records_fit(records, count, most);
        assert_true(bytes <= most);
        for (size_t i = 0; i < count; i++) {
            assert_true((records[i].interval_count == 0) == (i % (INTERVALS + 1) == 0));
            if (records[i].interval_count > 0) {
                check(&records[i], &err);
            }
        }
    }
    /* In the end each is one interval, and nothing is left to merge. */
    assert_int_equal(bytes, 0);
    assert_int_equal(ww_launch_records_longest(records, count), 100 * INTERVALS);
    ww_launch_records_destroy(records, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_all_launches_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
