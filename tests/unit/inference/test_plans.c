/* test_plans.c - does an operator of a pass get the kernel that eager PyTorch would launch? */
#include "tests/support/test.h"

#include <string.h>

#include "inference/kernels.h"
#include "inference/models.h"

typedef struct offered {
    ww__plan plan[WW__MOST_CANDIDATES];
    size_t count;
} offered;

static offered offer_batch(const char *gpu, ww_number number, uint64_t batch, uint64_t m,
                           uint64_t n, uint64_t k)
{
    ww_error err = {0};
    ww__slice *slice = NULL;
    offered o = {.count = 0};
    ww_operator op = {.kind = WW_OPERATOR_GEMM,
                      .number = number,
                      .tensor = number != WW_NUMBER_FP32,
                      .batch = batch,
                      .m = m,
                      .n = n,
                      .k = k};
    const ww_graph graph = {.operators = &op, .count = 1};
    assert_ok(ww__slice_open(gpu, NULL, 0, 1, NULL, &slice, &err), err);
    assert_ok(ww__plan_candidates(&graph, &op, slice, o.plan, &o.count, &err), err);
    ww__slice_close(slice);
    return o;
}

static offered offer(const char *gpu, ww_number number, uint64_t m, uint64_t n, uint64_t k)
{
    return offer_batch(gpu, number, 1, m, n, k);
}

static unsigned most_splits(const char *gpu, ww_number number, uint64_t m, uint64_t n, uint64_t k)
{
    const offered o = offer(gpu, number, m, n, k);
    unsigned most = 0;
    for (size_t i = 0; i < o.count; i++) {
        most = o.plan[i].splits > most ? o.plan[i].splits : most;
    }
    return most;
}

/* 4 MiB on an A100 hold no two parts of 2048 x 512 floats, Hopper's 32 MiB eight of them; there
 * bfloat16 goes to warp groups, whose products are not split. */
static void parts_of_a_product_fit_the_workspace(void **state)
{
    (void)state;
    assert_int_equal(most_splits("a100-pcie", WW_NUMBER_BF16, 2048, 512, 8192), 1);
    assert_in_range(most_splits("a100-pcie", WW_NUMBER_BF16, 64, 64, 8192), 2, 16);
    assert_in_range(most_splits("h100", WW_NUMBER_FP16, 2048, 512, 8192), 2, 8);
}

/* 32 tiles of 128 x 128 leave most of 108 SMs idle: smaller ones are offered. K has parts where
 * tiles of 32 x 32 are fewer than 162; of many tiles there is the largest alone. */
static void products_on_fp32_lanes_fill_the_machine(void **state)
{
    (void)state;
    const offered few = offer("a100-pcie", WW_NUMBER_FP32, 1024, 512, 1024);
    for (size_t i = 0; i < few.count; i++) {
        assert_true(few.plan[i].tile->m * few.plan[i].tile->n < 128 * 128);
    }
    assert_int_equal(most_splits("a100-pcie", WW_NUMBER_FP32, 1024, 512, 1024), 1);
    assert_int_equal(most_splits("a100-pcie", WW_NUMBER_FP32, 512, 324, 4096), 1);
    assert_in_range(most_splits("a100-pcie", WW_NUMBER_FP32, 512, 320, 4096), 2, 16);
    const offered many = offer("a100-pcie", WW_NUMBER_FP32, 8192, 6912, 1024);
    assert_int_equal(many.plan[0].tile->m * many.plan[0].tile->n, 128 * 128);
    assert_int_equal(many.plan[0].splits, 1);
}

/* Probabilities times values of 16 heads of 64: half of each tile is beyond the result. */
static void products_of_a_batch_take_large_tiles(void **state)
{
    (void)state;
    const offered values = offer_batch("a100-pcie", WW_NUMBER_FP32, 16, 512, 64, 512);
    assert_int_equal(values.count, 1);
    assert_int_equal(values.plan[0].tile->m * values.plan[0].tile->n, 128 * 128);
    assert_true(offer_batch("a100-pcie", WW_NUMBER_BF16, 16, 512, 64, 512).plan[0].tile->n < 128);
}

static bool offers_warp_groups(const char *gpu, ww_number number)
{
    const offered o = offer(gpu, number, 1024, 8192, 1024);
    bool any = false;
    for (size_t i = 0; i < o.count; i++) {
        assert_int_equal(o.plan[i].engines, strncmp(o.plan[i].unit, "wgmma", 5) == 0);
        any = any || o.plan[i].engines;
    }
    return any;
}

/* Their PTX is for compute capability 9.0 and no other; of 16-bit numbers bfloat16 is there. */
static void warp_groups_multiply_bfloat16_on_hopper(void **state)
{
    (void)state;
    assert_true(offers_warp_groups("h100", WW_NUMBER_BF16));
    assert_true(offers_warp_groups("h200", WW_NUMBER_BF16));
    assert_false(offers_warp_groups("h100", WW_NUMBER_FP16));
    assert_false(offers_warp_groups("a100", WW_NUMBER_BF16));
    assert_false(offers_warp_groups("rtx4090", WW_NUMBER_BF16));
}

/* Three stages of 256 x 128 take 144 KiB, of which an SM of GA102 has 100. */
static void tiles_of_a_product_fit_the_shared_memory(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__slice *slice = NULL;
    ww__plan plans[WW__MOST_CANDIDATES];
    size_t count = 0;
    ww_operator op = {
        .kind = WW_OPERATOR_GEMM, .tensor = true, .batch = 1, .m = 8192, .n = 8192, .k = 1024};
    const ww_graph graph = {.operators = &op, .count = 1};
    assert_ok(ww__slice_open("a10", NULL, 0, 1, NULL, &slice, &err), err);
    assert_ok(ww__plan_candidates(&graph, &op, slice, plans, &count, &err), err);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(plans[i].shared <= slice->arch->sm.shared_bytes);
    }
    ww__slice_close(slice);
}

static void kernel_of(const ww_graph *graph, ww_pointwise kind, char *kernel, uint64_t *ctas)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->operators[i].kind == WW_OPERATOR_ELEMENTWISE &&
            graph->operators[i].pointwise == kind) {
            ww_error err = {0};
            ww__plan plan = {.op = &graph->operators[i]};
            assert_ok(ww__plan_pointwise(graph, &plan, &err), err);
            memcpy(kernel, plan.kernel, sizeof plan.kernel);
            *ctas = plan.ctas;
            return;
        }
    }
    fail_msg("the pass has no %s", ww_pointwise_name(kind));
}

static void strided_operands_take_strided_kernels(void **state)
{
    static const struct {
        ww_pointwise kind;
        const char *kernel;
        uint64_t elements;
    } cases[] = {
        {WW_POINTWISE_UNSPECIFIED_TENSOR, "where_strided_fp32", UINT64_C(2) * 12 * 128 * 128},
        {WW_POINTWISE_DIVIDE_TENSOR, "divide_strided_fp32", UINT64_C(2) * 12 * 128 * 128},
        {WW_POINTWISE_TRANSPOSE, "copy_strided_fp32", UINT64_C(2) * 128 * 768},
        {WW_POINTWISE_TRANSPOSE_KEYS, "copy_strided_fp32", UINT64_C(2) * 128 * 768},
    };
    (void)state;
    ww_error err = {0};
    const ww_model *model = NULL;
    ww_graph graph;
    const ww_model_request request = {
        .batch = 2, .sequence = 128, .number = WW_NUMBER_FP32, .extras = true};
    assert_ok(ww_model_find("gpt2", &model, &err), err);
    assert_ok(ww_model_generate(model, &request, &graph, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char kernel[48];
        uint64_t ctas = 0;
        kernel_of(&graph, cases[i].kind, kernel, &ctas);
        assert_string_equal(kernel, cases[i].kernel);
        assert_int_equal(ctas, cases[i].elements / 256); /* two of four bytes a thread */
    }
    ww_graph_fini(&graph);
}

/* At 256 tokens GPT-2's activations are as many as its scores, whose mask chooses. */
static void an_addition_beside_a_mask_that_chooses_is_none(void **state)
{
    (void)state;
    ww_error err = {0};
    const ww_model *model = NULL;
    ww_graph graph;
    const ww_model_request request = {.batch = 16, .sequence = 256, .number = WW_NUMBER_BF16};
    assert_ok(ww_model_find("gpt2", &model, &err), err);
    assert_ok(ww_model_generate(model, &request, &graph, &err), err);
    size_t additions = 0;
    for (size_t i = 0; i < graph.count; i++) {
        ww__plan plan = {.op = &graph.operators[i]};
        if (plan.op->kind == WW_OPERATOR_ELEMENTWISE && plan.op->pointwise == WW_POINTWISE_ADD) {
            assert_ok(ww__plan_pointwise(&graph, &plan, &err), err);
            assert_string_equal(plan.kernel, "add_bf16");
            additions += plan.op->m == UINT64_C(16) * 12 * 256 * 256;
        }
    }
    assert_int_equal(additions, 1);
    ww_graph_fini(&graph);
}

/* A slice of three of an A10's 72 SMs reads six times as much of a product's operands. */
static void slices_have_sms_that_share_operands(void **state)
{
    (void)state;
    const struct {
        const char *gpu;
        unsigned share, sms;
    } cases[] = {{"a10", 3, 24}, {"a100-pcie", 4, 27}, {"rtx3090", 2, 41}, {"qv100", 2, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err = {0};
        ww__slice *slice = NULL;
        assert_ok(ww__slice_open(cases[i].gpu, NULL, 0, 1, NULL, &slice, &err), err);
        assert_int_equal(slice->share, cases[i].share);
        assert_int_equal(slice->arch->sm.count, cases[i].sms);
        ww__slice_close(slice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_a_product_fit_the_shared_memory),
        cmocka_unit_test(parts_of_a_product_fit_the_workspace),
        cmocka_unit_test(products_on_fp32_lanes_fill_the_machine),
        cmocka_unit_test(products_of_a_batch_take_large_tiles),
        cmocka_unit_test(warp_groups_multiply_bfloat16_on_hopper),
        cmocka_unit_test(strided_operands_take_strided_kernels),
        cmocka_unit_test(slices_have_sms_that_share_operands),
        cmocka_unit_test(an_addition_beside_a_mask_that_chooses_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
