/* test_run.c - does a run ask the device for what the request asks? */
#include "run/run.h"
#include "tests/support/test.h"

/* What a device refuses beside a budget tells that it was asked for it: each way of sampling. */
static void each_way_of_sampling_reaches_the_device(void **state)
{
    (void)state;
    const ww_run_item item = {ww_workload_find("vectoradd"), WW_SIZE_SMALL};
    const ww_run_request requests[] = {
        {.sample_ctas = true}, {.sample_time = true}, {.sample_kernels = true}};
    for (size_t i = 0; i < WW_ARRAY_LEN(requests); i++) {
        ww_run_request request = requests[i];
        ww_run *run = NULL;
        ww_error err = {0};
        request.gpu = "gtx480";
        request.items = &item;
        request.item_count = 1;
        request.max_instructions = 1;
        assert_int_equal(ww_run_execute(&request, &run, &err), WW_EUSAGE);
        ww_run_destroy(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_sampling_reaches_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
