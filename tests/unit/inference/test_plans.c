/* test_plans.c - does an operator of a pass get the kernel that eager PyTorch would launch? */
#include "tests/support/test.h"

#include <string.h>

#include "inference/kernels.h"
#include "inference/models.h"

static unsigned most_splits(const char *gpu, uint64_t m, uint64_t n, uint64_t k)
{
    ww_error err = {0};
    ww__slice *slice = NULL;
    ww__plan plans[WW__MOST_CANDIDATES];
    size_t count = 0;
    unsigned most = 0;
    ww_operator op = {.kind = WW_OPERATOR_GEMM, .tensor = true, .batch = 1, .m = m, .n = n, .k = k};
    const ww_graph graph = {.operators = &op, .count = 1};
    assert_ok(ww__slice_open(gpu, NULL, 0, 1, NULL, &slice, &err), err);
    assert_ok(ww__plan_candidates(&graph, &op, slice, plans, &count, &err), err);
    for (size_t i = 0; i < count; i++) {
        most = plans[i].splits > most ? plans[i].splits : most;
    }
    ww__slice_close(slice);
    return most;
}

/* 4 MiB on an A100 hold no two parts of 2048 x 512 floats, Hopper's 32 MiB eight of them. */
static void parts_of_a_product_fit_the_workspace(void **state)
{
    (void)state;
    assert_int_equal(most_splits("a100-pcie", 2048, 512, 8192), 1);
    assert_in_range(most_splits("a100-pcie", 64, 64, 8192), 2, 16);
    assert_in_range(most_splits("h100", 2048, 512, 8192), 2, 8);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_a_product_fit_the_shared_memory),
        cmocka_unit_test(parts_of_a_product_fit_the_workspace),
        cmocka_unit_test(strided_operands_take_strided_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
