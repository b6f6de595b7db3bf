/* test_workloads.c - is the table of workloads complete and consistent with the embedded PTX? */
#include "tests/support/test.h"

#include <string.h>

#include "workloads/support.h"

static void table_is_sorted_and_filled(void **state)
{
    (void)state;
    size_t count = 0;
    const ww_workload *list = ww_workload_list(&count);
    assert_true(count >= 30);
    for (size_t i = 0; i < count; i++) {
        assert_true(list[i].name[0] != '\0' && list[i].suite[0] != '\0');
        assert_true(list[i].description[0] != '\0');
        assert_non_null(list[i].run);
        for (size_t size = 0; size < 3; size++) {
            assert_true(list[i].inputs[size][0] != '\0');
        }
        if (i > 0) { /* strictly: no name twice */
            assert_true(strcmp(list[i - 1].name, list[i].name) < 0);
        }
    }
}

static void every_workload_is_found_by_its_name(void **state)
{
    (void)state;
    size_t count = 0;
    const ww_workload *list = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(ww_workload_find(list[i].name), &list[i]);
    }
    assert_null(ww_workload_find("vectorad"));
    assert_null(ww_workload_find(""));
}

static void sizes_round_trip(void **state)
{
    (void)state;
    for (int i = WW_SIZE_SMALL; i <= WW_SIZE_DEFAULT; i++) {
        ww_error err = {0};
        ww_workload_size parsed = WW_SIZE_SMALL;
        assert_ok(ww_workload_size_parse(ww_workload_size_name((ww_workload_size)i), &parsed, &err),
                  err);
        assert_int_equal(parsed, i);
    }
    ww_error err = {0};
    ww_workload_size parsed = WW_SIZE_STD;
    assert_int_equal(ww_workload_size_parse("Small", &parsed, &err), WW_ENOTFOUND);
    assert_int_equal(parsed, WW_SIZE_STD);
    assert_non_null(strstr(err.what, "'Small'"));
}

static size_t occurrences(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
        n++;
    }
    return n;
}

/* The PTX has the kernels that the table lists, and no others. */
static void check_kernels(const ww__ptx *ptx, const char *kernels)
{
    char list[1024];
    size_t count = 0;
    assert_true(strlen(kernels) < sizeof list);
    strcpy(list, kernels);
    for (char *name = strtok(list, " "); name; name = strtok(NULL, " ")) {
        char entry[300];
        snprintf(entry, sizeof entry, ".entry %s(", name);
        assert_int_equal(occurrences(ptx->text, entry), 1);
        count++;
    }
    assert_int_equal(occurrences(ptx->text, ".entry "), count);
    assert_int_equal(strlen(ptx->text), ptx->length);
}

static void embedded_ptx_has_the_listed_kernels(void **state)
{
    (void)state;
#define WW_WORKLOAD(id, name, suite, description, small, std, study, def, independent, capability, \
                    kernels)                                                                       \
    check_kernels(&ww__ptx_##id, kernels);
#define WW_WORKLOAD_VARIANT(...) /* has the PTX of another row */
#include "workloads/workloads.def"
#undef WW_WORKLOAD
}

/* The build must embed what lies in the source tree, byte for byte. */
static void check_embedded(const ww__ptx *ptx)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", WW_SOURCE_DIR, ptx->name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t i = 0; i < ptx->length; i++) {
        assert_int_equal(fgetc(file), ptx->text[i]);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static void embedded_ptx_equals_the_file(void **state)
{
    (void)state;
#define WW_WORKLOAD(id, ...) check_embedded(&ww__ptx_##id);
#define WW_WORKLOAD_VARIANT(...)
#include "workloads/workloads.def"
#undef WW_WORKLOAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_sorted_and_filled),
        cmocka_unit_test(every_workload_is_found_by_its_name),
        cmocka_unit_test(sizes_round_trip),
        cmocka_unit_test(embedded_ptx_has_the_listed_kernels),
        cmocka_unit_test(embedded_ptx_equals_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
