/* Do the generators make the passes that a profiler listed, every row of all seventy tables, and
 * the sizes that other models are known to have? */
#include "inference/models.h"

#include <string.h>

#include "base/csv.h"
#include "base/hash.h"
#include "tests/support/test.h"

#define REFERENCE WW_SOURCE_DIR "/tests/validation/inference/"

static ww_graph generate(const char *name, uint64_t batch, uint64_t sequence, ww_number number,
                         ww_phase phase)
{
    ww_error err = {0};
    ww_graph graph;
    const ww_model *model = NULL;
    assert_ok(ww_model_find(name, &model, &err), err);
    const ww_model_request request = {batch, sequence, number, phase, true, false};
    assert_ok(ww_model_generate(model, &request, &graph, &err), err);
    return graph;
}

static void every_listed_table_is_reproduced(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_csv *csv = NULL;
    assert_ok(ww_csv_load(REFERENCE "operators_digest.csv", &csv, &err), err);
    assert_int_equal(ww_csv_rows(csv), 70);
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        uint64_t batch, sequence = 0, rows, digest;
        assert_ok(ww_csv_u64(csv, i, 2, &batch, &err), err);
        if (ww_csv_text(csv, i, 3)[0] != '\0') {
            assert_ok(ww_csv_u64(csv, i, 3, &sequence, &err), err);
        }
        assert_ok(ww_csv_u64(csv, i, 4, &rows, &err), err);
        assert_ok(ww_csv_u64(csv, i, 5, &digest, &err), err);
        ww_graph graph =
            generate(ww_csv_text(csv, i, 0), batch, sequence, WW_NUMBER_BF16, WW_PHASE_PREFILL);
        assert_int_equal(graph.count, rows);
        ww_str text = {0};
        ww_graph_write(&graph, &text);
        const char *body = strchr(ww_str_text(&text), '\n') + 1;
        if (ww_hash_bytes(WW_HASH_INIT, body, strlen(body)) != digest) {
            fail_msg("%s %s x %s is not the listed table:\n%s", ww_csv_text(csv, i, 0),
                     ww_csv_text(csv, i, 2), ww_csv_text(csv, i, 3), body);
        }
        ww_str_fini(&text);
        ww_graph_fini(&graph);
    }
    ww_csv_destroy(csv);
}

/* The digests above tell that something differs; these tables tell what. */
static void listed_rows_read_back_as_they_are_made(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t sequence;
    } tables[] = {{"bertmodel_large", 512}, {"gpt2model_gpt2", 512}, {"optmodel_opt-1p3b", 512},
                  {"vitmodel_large", 0},    {"resnet101", 0},        {"mobilevitmodel_small", 0}};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        char path[512];
        ww_error err = {0};
        ww_graph listed;
        snprintf(path, sizeof path, REFERENCE "%s.csv", tables[t].name);
        assert_ok(ww_graph_load(path, &listed, &err), err);
        ww_graph made =
            generate(tables[t].name, 8, tables[t].sequence, WW_NUMBER_BF16, WW_PHASE_PREFILL);
        assert_int_equal(listed.count, made.count);
        assert_string_equal(listed.model, made.model);
        assert_int_equal(listed.weight_bytes, made.weight_bytes);
        for (size_t i = 0; i < made.count; i++) {
            ww_str a = {0}, b = {0};
            ww_graph_write_row(&listed.operators[i], &a);
            ww_graph_write_row(&made.operators[i], &b);
            assert_string_equal(ww_str_text(&a), ww_str_text(&b));
            assert_true(ww_operator_same(&listed.operators[i], &made.operators[i]));
            ww_str_fini(&a);
            ww_str_fini(&b);
        }
        ww_graph_fini(&listed);
        ww_graph_fini(&made);
    }
}

static double product_flops(const ww_graph *graph)
{
    double sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        if (op->kind == WW_OPERATOR_GEMM || op->kind == WW_OPERATOR_CONV2D) {
            sum += (double)op->count * 2 * (double)op->batch * (double)op->m * (double)op->n *
                   (double)op->k;
        }
    }
    return sum * 1e-9;
}

/* GFLOP of products, counted from the listed tables by a script of its own. */
static void products_have_the_work_of_the_listed_passes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t sequence;
        double gflop;
    } passes[] = {{"bert-large", 512, 2680.08}, {"gpt2", 512, 773.09},
                  {"opt-1.3b", 512, 10307.9},   {"vit-l-16", 0, 984.87},
                  {"resnet101", 0, 124.82},     {"mobilevit-s", 0, 145.57}};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        ww_graph g =
            generate(passes[i].name, 8, passes[i].sequence, WW_NUMBER_BF16, WW_PHASE_PREFILL);
        assert_near(product_flops(&g), passes[i].gflop, 1e-4, 0);
        ww_graph_fini(&g);
    }
}

static void fp32_passes_cast_nothing_and_convolve_in_tf32(void **state)
{
    (void)state;
    ww_graph g = generate("vit-l-16", 8, 0, WW_NUMBER_FP32, WW_PHASE_PREFILL);
    for (size_t i = 0; i < g.count; i++) {
        const ww_operator *op = &g.operators[i];
        assert_int_equal(op->number,
                         op->kind == WW_OPERATOR_CONV2D ? WW_NUMBER_TF32 : WW_NUMBER_FP32);
        assert_true(op->tensor == (op->kind == WW_OPERATOR_CONV2D));
        assert_true(op->kind != WW_OPERATOR_ELEMENTWISE || (op->pointwise != WW_POINTWISE_TO_FP32 &&
                                                            op->pointwise != WW_POINTWISE_TO_BF16));
    }
    ww_graph_fini(&g);
}

static void seven_of_mobilevits_convolutions_are_depthwise(void **state)
{
    (void)state;
    ww_graph g = generate("mobilevit-s", 1, 0, WW_NUMBER_BF16, WW_PHASE_PREFILL);
    uint64_t depthwise = 0;
    for (size_t i = 0; i < g.count; i++) {
        depthwise += g.operators[i].conv.groups > 1 ? g.operators[i].count : 0;
    }
    assert_int_equal(depthwise, 7);
    ww_graph_fini(&g);
}

/* Four copies a layer, and the division of the scores. */
static void extras_are_what_tables_omit(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_graph plain = generate("gpt2", 8, 512, WW_NUMBER_BF16, WW_PHASE_PREFILL), eager;
    const ww_model *model = NULL;
    assert_ok(ww_model_find("gpt2", &model, &err), err);
    const ww_model_request request = {.batch = 8, .sequence = 512, .extras = true};
    assert_ok(ww_model_generate(model, &request, &eager, &err), err);
    assert_int_equal(ww_graph_launches(&eager), ww_graph_launches(&plain) + 12 * 5);
    assert_int_equal(ww_graph_intervals(&eager), ww_graph_launches(&plain));
    assert_near(ww_graph_bytes(&eager) - ww_graph_bytes(&plain),
                12 * 4.0 * (4 * 4096 * 768 + 8.0 * 12 * 512 * 512), 0, 0);
    ww_graph_fini(&plain);
    ww_graph_fini(&eager);
    /* Norms and additions of images' models are calls of their own. */
    const ww_model_request images = {.batch = 8, .extras = true};
    assert_ok(ww_model_find("resnet101", &model, &err), err);
    assert_ok(ww_model_generate(model, &images, &eager, &err), err);
    assert_int_equal(ww_graph_intervals(&eager), ww_graph_launches(&eager));
    ww_graph_fini(&eager);
}

/* A decoded token reads every weight but the embedding's once, and the cache: models.csv of
 * Llama-2-7B. */
static void decoding_reads_weights_and_cache(void **state)
{
    (void)state;
    ww_graph g = generate("llama-2-7b", 1, 1023, WW_NUMBER_BF16, WW_PHASE_DECODE);
    double embedding = 32000.0 * 4096 * 2;
    double expected = (double)g.weight_bytes - embedding + 524288.0 * 1024;
    assert_near(ww_graph_bytes(&g), expected, 0.05, 0);
    assert_int_equal(g.cache_bytes, UINT64_C(524288) * 1023);
    /* Two operations a weight and token, attention besides. */
    assert_near(ww_graph_flops(&g), 2 * (6738415616.0 - 32000.0 * 4096), 0.06, 0);
    ww_graph_fini(&g);
}

/* 25.5 GB at one token: the chosen experts, attention and the head. */
static void a_mixture_reads_the_chosen_experts(void **state)
{
    (void)state;
    ww_graph g = generate("mixtral-8x7b", 1, 1, WW_NUMBER_BF16, WW_PHASE_DECODE);
    assert_near(ww_graph_bytes(&g), 25.5e9, 0.05, 0);
    ww_graph_fini(&g);
    g = generate("mixtral-8x7b", 64, 1, WW_NUMBER_BF16, WW_PHASE_DECODE);
    assert_near(ww_graph_bytes(&g), 93.4e9, 0.05, 0);
    ww_graph_fini(&g);
}

static void impossible_requests_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ww_model_request request;
        const char *says;
    } cases[] = {
        {"gpt2", {0, 512, WW_NUMBER_BF16, WW_PHASE_PREFILL, false, false}, "batch"},
        {"gpt2", {8, 0, WW_NUMBER_BF16, WW_PHASE_PREFILL, false, false}, "sequence"},
        {"gpt2", {8, 2048, WW_NUMBER_BF16, WW_PHASE_PREFILL, false, false}, "1024 positions"},
        {"gpt2", {8, 1024, WW_NUMBER_BF16, WW_PHASE_DECODE, false, false}, "1024 positions"},
        {"resnet101", {8, 128, WW_NUMBER_BF16, WW_PHASE_PREFILL, false, false}, "images"},
        {"bert-large", {8, 128, WW_NUMBER_BF16, WW_PHASE_DECODE, false, false}, "does not decode"},
        {"gpt2", {8, 128, WW_NUMBER_INT8, WW_PHASE_PREFILL, false, false}, "bf16"},
        {"gpt2", {1 << 20, 1 << 24, WW_NUMBER_BF16, WW_PHASE_PREFILL, true, false}, "2^"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err = {0};
        ww_graph graph;
        const ww_model *model = NULL;
        assert_ok(ww_model_find(cases[i].name, &model, &err), err);
        assert_int_not_equal(ww_model_generate(model, &cases[i].request, &graph, &err), WW_OK);
        assert_non_null(strstr(err.what, cases[i].says));
    }
}

static void a_misspelt_model_is_told_by_its_family(void **state)
{
    (void)state;
    static const struct {
        const char *word, *says;
    } cases[] = {{"gpt-2", "'gpt2'"},           {"vit-large", "'vit-l-16'"},
                 {"VIT", "'vit-b-16'"},         {"llama-7b", "'llama-2-7b'"},
                 {"mixtral", "'mixtral-8x7b'"}, {"brt-base", "'bert-base'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err = {0};
        const ww_model *model;
        assert_int_equal(ww_model_find(cases[i].word, &model, &err), WW_ENOTFOUND);
        assert_non_null(strstr(err.what, cases[i].says));
    }
    ww_error err = {0};
    const ww_model *model;
    assert_int_equal(ww_model_find("zebra", &model, &err), WW_ENOTFOUND);
    assert_null(strstr(err.what, "did you mean"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_table_is_reproduced),
        cmocka_unit_test(listed_rows_read_back_as_they_are_made),
        cmocka_unit_test(products_have_the_work_of_the_listed_passes),
        cmocka_unit_test(fp32_passes_cast_nothing_and_convolve_in_tf32),
        cmocka_unit_test(seven_of_mobilevits_convolutions_are_depthwise),
        cmocka_unit_test(extras_are_what_tables_omit),
        cmocka_unit_test(decoding_reads_weights_and_cache),
        cmocka_unit_test(a_mixture_reads_the_chosen_experts),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(a_misspelt_model_is_told_by_its_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
