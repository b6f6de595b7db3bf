/* test_parts.c - do the parts of an operator that are simulated come to what all of it takes? */
#include "tests/support/test.h"

#include "inference/simulate.h"

static ww_error err;

/* Core cycles of a product on the FP32 lanes of an A100's slice, all of it and by parts. */
typedef struct cycles {
    double whole, parts;
    double whole_written, parts_written; /* blocks of results that come to the L2 */
    double simulated;                    /* share of the latter's warp instructions */
    uint32_t slices;                     /* of the kernel that is chosen */
} cycles;

static double written(const ww__scaled *sum)
{
    double blocks = 0;
    for (size_t s = 0; s < sum->count[WW_SCOPE_SLICE]; s++) {
        blocks += sum->v[WW_SCOPE_SLICE][s * WW_COUNTER_COUNT + WW_C_L2_WRITE_BLOCKS];
    }
    return blocks;
}

static cycles product(uint64_t m, uint64_t n, uint64_t k)
{
    ww_operator op = {.kind = WW_OPERATOR_GEMM,
                      .number = WW_NUMBER_FP32,
                      .batch = 1,
                      .m = m,
                      .n = n,
                      .k = k,
                      .count = 1};
    const ww_graph graph = {.operators = &op, .count = 1};
    ww__slice *slice = NULL;
    ww__outcome outcome = {.facts = {0}};
    cycles c = {0};
    assert_ok(ww__slice_open("a100-pcie", NULL, 0, 1, NULL, &slice, &err), err);
    const ww__simulator simulator = {.graph = &graph, .slice = slice};
    assert_ok(ww__simulate(&simulator, &op, 0, &outcome, &err), err);
    c.parts = ww__scaled_cycles(&outcome.sum);
    c.parts_written = written(&outcome.sum);
    c.simulated = outcome.simulated;
    c.slices = outcome.plan.tile->slices;
    ww__scaled_fini(&outcome.sum);
    ww__plan *plan = &outcome.plan;
    assert_ok(ww__slice_renew(slice, &err), err);
    /* Code, then data, lie where parts have them: other banks of the DRAM are 3 % of time. */
    assert_ok(ww__slice_places(slice, plan->unit, plan->kernel, plan->threads, plan->shared,
                               &plan->places, &err),
              err);
    assert_ok(ww__fetch_instructions(plan, slice, &err), err);
    assert_ok(ww__plan_run(plan, slice, plan->ctas / slice->share, k, &err), err);
    c.whole = (double)ww_counter_total(&slice->counters, WW_C_CORE_CYCLES);
    c.whole_written = (double)ww_counter_total(&slice->counters, WW_C_L2_WRITE_BLOCKS);
    ww__slice_close(slice);
    return c;
}

/* 108 tiles, one on each SM, to a depth that is followed from 96 and 192. */
static void a_deep_product_is_followed_from_shallow_ones(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)4 * 128, 512);
    assert_true(c.simulated < 0.6);
    assert_near(c.parts, c.whole, 0.01, 0);
}

/* 216 tiles, two on each SM, of which some write their results while others are half way: what lies
 * beyond has one such end, not many. */
static void results_are_written_once(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)8 * 128, 384);
    assert_true(c.simulated < 0.8);
    assert_near(c.parts_written, c.whole_written, 0.05, 0);
    assert_near(c.parts, c.whole, 0.03, 0);
}

/* 288 tiles: of two or three on an SM the last ones go on by themselves when others have ended. */
static void tiles_that_are_left_alone_take_longer(void **state)
{
    (void)state;
    const cycles c = product(2304, 1024, 384);
    assert_true(c.simulated < 0.8);
    assert_near(c.parts, c.whole, 0.02, 0);
}

/* 324 tiles on 216 places: a wave that goes on as it does where it is steady, and a last one, of a
 * tile on each SM, by itself. */
static void a_last_wave_is_followed_by_itself(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)12 * 128, 256);
    assert_near(c.parts, c.whole, 0.03, 0);
}

/* 128 tiles, which slices of K fill SMs with, are run to their whole depth: two rounds of CTAs that
 * do not overlap go on otherwise than the first one does. */
static void slices_are_run_to_their_depth(void **state)
{
    (void)state;
    const cycles c = product(1024, 512, 960);
    assert_int_equal(c.slices, 4);
    assert_true(c.simulated > 0.99);
}

/* 10,528 tiles of 64 x 64 on the places of 756: fourteen waves, of which five are run. */
static void waves_in_the_midst_stand_for_others(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)94 * 128, (uint64_t)28 * 128, 64);
    assert_true(c.simulated < 0.4);
    assert_near(c.parts, c.whole, 0.02, 0);
}

/* Seven waves: when the last CTAs end depends on how far they are out of step. */
static void few_waves_are_all_run(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)94 * 128, (uint64_t)14 * 128, 64);
    assert_true(c.simulated > 0.99);
    assert_near(c.parts, c.whole, 0.001, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_product_is_followed_from_shallow_ones),
        cmocka_unit_test(results_are_written_once),
        cmocka_unit_test(tiles_that_are_left_alone_take_longer),
        cmocka_unit_test(a_last_wave_is_followed_by_itself),
        cmocka_unit_test(slices_are_run_to_their_depth),
        cmocka_unit_test(waves_in_the_midst_stand_for_others),
        cmocka_unit_test(few_waves_are_all_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
