/* product_parts.h - a product on the FP32 lanes, in full and by the parts that are simulated of it.
 */
#ifndef WW_TESTS_SUPPORT_PRODUCT_PARTS_H
#define WW_TESTS_SUPPORT_PRODUCT_PARTS_H

#include "inference/simulate.h"
#include "tests/support/test.h"

static ww_error err;

/* Core cycles of a product on the FP32 lanes of an A100's slice, all of it and by parts. */
typedef struct cycles {
    double whole, parts;
    double whole_written, parts_written; /* blocks of results that come to the L2 */
    double simulated;                    /* share of the latter's warp instructions */
    uint32_t slices;                     /* of the kernel that is chosen */
} cycles;

static inline double written(const ww__scaled *sum)
{
    double blocks = 0;
    for (size_t s = 0; s < sum->count[WW_SCOPE_SLICE]; s++) {
        blocks += sum->v[WW_SCOPE_SLICE][s * WW_COUNTER_COUNT + WW_C_L2_WRITE_BLOCKS];
    }
    return blocks;
}

static inline cycles product(uint64_t m, uint64_t n, uint64_t k)
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

#endif
