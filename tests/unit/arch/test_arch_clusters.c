/* test_arch_clusters.c - do SMs belong to the clusters (GPCs) that a description lists, and to one
 * part of the L2 each, and are lists that do not fit errors at their place? */
#include "tests/unit/arch/scratch.h"

static ww_arch *load(const char *name, const char *sizes)
{
    ww_arch *arch = NULL;
    ww_error err = {0};
    const ww_setting set = {"sm.cluster_sms", sizes};
    assert_ok(ww_arch_load(name, &set, sizes != NULL, &arch, &err), err);
    return arch;
}

static void sms_belong_to_listed_clusters(void **state)
{
    (void)state;
    static const uint32_t of[] = {14, 16, 16, 16, 16, 18, 18};
    ww_arch *arch = load("h800-pcie", NULL);
    uint32_t sm = 0;
    for (uint32_t c = 0; c < WW_ARRAY_LEN(of); c++) {
        for (uint32_t i = 0; i < of[c]; i++, sm++) {
            assert_int_equal(ww_arch_cluster_of(arch, sm), c);
        }
    }
    assert_int_equal(sm, arch->sm.count);
    assert_int_equal(ww_arch_sm_part(arch, 0), 0);
    assert_int_equal(ww_arch_sm_part(arch, 113), 1);
    assert_int_equal(ww_arch_slice_part(arch, 79), 0);
    assert_int_equal(ww_arch_slice_part(arch, 80), 1);
    ww_arch_destroy(arch);
}

/* 132 SMs over eight, two by two: 66 pairs. */
static void even_clusters_keep_pairs(void **state)
{
    (void)state;
    ww_arch *arch = load("h100", "even");
    uint32_t sms[8] = {0};
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        sms[ww_arch_cluster_of(arch, i)]++;
        assert_int_equal(ww_arch_cluster_of(arch, i), ww_arch_cluster_of(arch, i & ~1u));
    }
    for (uint32_t c = 0; c < 8; c++) {
        assert_int_equal(sms[c], c % 4 == 0 ? 18 : 16);
    }
    ww_arch_destroy(arch);
}

static void lists_that_do_not_fit_are_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "18 16 16 16 18 16 16",         "18 16 16 16 18 16 16 14",
        "18 16 16 16 18 16 16 18",      "18 16 16 16 18 16 16 16 16",
        "18 16 16 16 18 16 16 x",       "18 16 16 16 18 16 16 0",
        "99999999999999999999 1 1 1 1", "unequal",
        "18 -16 16 16 18 16 16 16"};
    for (size_t i = 0; i < WW_ARRAY_LEN(wrong); i++) {
        const ww_setting set = {"sm.cluster_sms", wrong[i]};
        ww_arch *arch = NULL;
        ww_error err = {0};
        assert_int_equal(ww_arch_load("h100", &set, 1, &arch, &err), WW_ERANGE);
        assert_non_null(strstr(err.what, "sm.cluster_sms"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sms_belong_to_listed_clusters),
        cmocka_unit_test(even_clusters_keep_pairs),
        cmocka_unit_test(lists_that_do_not_fit_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
