/* test_kernel_sums.c - does a list of kernels give back what it counts, and no more? */
#include "analysis/kernel_sums.h"
#include "tests/support/test.h"

/* Behind the last kernel lies room whose counters are not the list's. */
static void a_list_gives_back_what_it_counts(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_kernel_sums list = {.item = ww_alloc_array(2, sizeof *list.item), .count = 1};
    assert_non_null(list.item);
    for (size_t i = 0; i < 2; i++) {
        list.item[i] = (ww_kernel_sum){0};
        assert_ok(ww_counter_set_init(&list.item[i].counters, 1, 1, 1, &err), err);
    }
    ww_counter_set behind = list.item[1].counters;
    ww_kernel_sums_fini(&list);
    ww_counter_set_fini(&behind); /* a second time would end the test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_list_gives_back_what_it_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
