/* test_occupancy.c - CTAs per SM against the CUDA occupancy calculator's values for compute
 * capability 2.0. */
#include "tests/support/test.h"

#include <string.h>

#include "perf/sm/sm.h"

static ww_arch load(const char *gpu)
{
    ww_arch *arch = NULL;
    ww_error err = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/configs/gpu/%s.xml", WW_SOURCE_DIR, gpu);
    assert_ok(ww_arch_load(path, NULL, 0, &arch, &err), err);
    ww_arch copy = *arch; /* numbers only */
    ww_arch_destroy(arch);
    return copy;
}

static void compute_capability_2_0(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads, registers, shared, ctas;
        const char *limit;
    } rows[] = {
        {256, 20, 0, 6, "threads"}, /* 1536 / 256 */
        {192, 16, 0, 8, "ctas"},       {64, 16, 0, 8, "ctas"},
        {256, 21, 0, 5, "registers"}, /* 21 x 32 = 672 -> 704 per warp, x 8 = 5632; 32768 / 5632
                                         = 5.8 */
        {256, 32, 0, 4, "registers"}, /* 1024 x 8 = 8192 */
        {512, 20, 0, 3, "threads"},    {1024, 20, 0, 1, "threads"},
        {128, 63, 0, 4, "registers"},  /* 2016 -> 2048 per warp: 16 warps */
        {256, 16, 12288, 4, "shared"}, /* 48 KiB / 12 KiB */
        {128, 16, 8193, 5, "shared"},  /* 8193 -> 8320 */
        {33, 16, 0, 8, "ctas"},        /* two warps */
        {256, 16, 49152, 1, "shared"},
    };
    static const char *const gpus[] = {"gtx480", "gtx580"};
    for (unsigned g = 0; g < 2; g++) {
        ww_arch arch = load(gpus[g]);
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            ww_occupancy o =
                ww_occupancy_of(&arch, rows[i].threads, rows[i].registers, rows[i].shared);
            if (o.ctas != rows[i].ctas || strcmp(o.limit, rows[i].limit) != 0) {
                fail_msg("%s, row %u: %u by %s, expected %u by %s", gpus[g], i, o.ctas, o.limit,
                         rows[i].ctas, rows[i].limit);
            }
        }
    }
}

static void too_large_is_zero(void **state)
{
    (void)state;
    ww_arch arch = load("gtx480");
    assert_int_equal(ww_occupancy_of(&arch, 1024, 63, 0).ctas, 0);
    assert_string_equal(ww_occupancy_of(&arch, 1024, 63, 0).limit, "registers");
    assert_int_equal(ww_occupancy_of(&arch, 64, 10, 50000).ctas, 0);
}

/* 12 vector and 8 scalar registers: 392 words a warp instead of 640, so that 41 warps (the limit is
 * 32) fit where 25 did. */
static void scalars_take_a_word_each(void **state)
{
    (void)state;
    ww_arch arch = load("gt200-dart");
    arch.sm.register_unit = 1;
    arch.sm.max_warps = arch.sm.max_ctas = 64;
    arch.sm.max_threads = 2048;
    assert_int_equal(ww_occupancy_of(&arch, 32, 20, 0).ctas, 25);
    assert_int_equal(ww_occupancy_of_words(&arch, 32, 12 * 32 + 8, 0).ctas, 41);
    arch.sm.max_warps = 32;
    assert_int_equal(ww_occupancy_of_words(&arch, 32, 12 * 32 + 8, 0).ctas, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_capability_2_0),
        cmocka_unit_test(too_large_is_zero),
        cmocka_unit_test(scalars_take_a_word_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
