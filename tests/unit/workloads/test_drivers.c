/* test_drivers.c - do the drivers notice wrong results, pass errors on, and clean up behind
 * themselves? They run on the fake device, whose kernels do nothing. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/workloads/fake_device.h"
#include "workloads/workload.h"

static void assert_clean(const ww_workload *workload, const ww_device *device)
{
    if (device->buffer_count + device->texture_count != 0 || device->freed_out_of_order) {
        fail_msg("%s left %u buffers, %u textures%s", workload->name, device->buffer_count,
                 device->texture_count, device->freed_out_of_order ? ", freed out of order" : "");
    }
}

static void kernels_that_do_nothing_are_noticed(void **state)
{
    (void)state;
    size_t count = 0;
    const ww_workload *list = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        ww_device device = {0};
        ww_error err = {0};
        const ww_status status = list[i].run(&device, WW_SIZE_SMALL, &err);
        if (status != WW_EVERIFY) {
            fail_msg("%s: %s: %s", list[i].name, ww_status_text(status), err.what);
        }
        assert_int_equal(err.code, WW_EVERIFY);
        assert_memory_equal(err.what, list[i].name, strlen(list[i].name));
        assert_non_null(strstr(err.what, "expected"));
        assert_true(device.launches > 0);
        assert_clean(&list[i], &device);
    }
}

static void a_failing_device_call_ends_the_run(void **state)
{
    (void)state;
    size_t count = 0;
    const ww_workload *list = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        ww_device whole = {0};
        ww_error ignored = {0};
        assert_int_equal(list[i].run(&whole, WW_SIZE_SMALL, &ignored), WW_EVERIFY);
        for (unsigned k = 1; k <= whole.calls; k++) {
            ww_device device = {.fail_at = k};
            ww_error err = {0};
            assert_int_equal(list[i].run(&device, WW_SIZE_SMALL, &err), WW_EFAULT);
            assert_non_null(strstr(err.what, "fails by request"));
            assert_int_equal(device.calls, k); /* nothing was tried after the failure */
            assert_clean(&list[i], &device);
        }
    }
}

static void lack_of_host_memory_ends_the_run(void **state)
{
    (void)state;
    size_t count = 0;
    const ww_workload *list = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        ww_status status = WW_ENOMEM;
        for (size_t k = 1; status == WW_ENOMEM; k++) {
            ww_device device = {0};
            ww_error err = {0};
            ww_mem_fail_after(k);
            status = list[i].run(&device, WW_SIZE_SMALL, &err);
            ww_mem_fail_after(0);
            assert_clean(&list[i], &device);
        }
        assert_int_equal(status, WW_EVERIFY); /* memory sufficed at last */
    }
}

static void a_run_without_an_error_object_works(void **state)
{
    (void)state;
    ww_device device = {0};
    assert_int_equal(ww_workload_find("vectoradd")->run(&device, WW_SIZE_SMALL, NULL), WW_EVERIFY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_do_nothing_are_noticed),
        cmocka_unit_test(a_failing_device_call_ends_the_run),
        cmocka_unit_test(lack_of_host_memory_ends_the_run),
        cmocka_unit_test(a_run_without_an_error_object_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
