/* Does a pass from outside become the operators it says, and every fault an error at its line and
 * column? */
#include "inference/graph.h"

#include <string.h>

#include "tests/support/test.h"

#define HEAD WW_GRAPH_COLUMNS "\n"
#define GEMM "gemm,,tc/bf16_bf16,1,128,64,32,,2\n"

static ww_status parse(const char *text, ww_graph *out, ww_error *err)
{
    *err = (ww_error){0};
    return ww_graph_parse("pass", text, strlen(text), out, err);
}

static void a_table_and_json_say_the_same(void **state)
{
    (void)state;
    ww_error err;
    ww_graph a, b;
    assert_ok(parse(HEAD GEMM "elementwise,gelu,,,8192,,,\"{\"\"prec\"\": \"\"bf16\"\"}\",3\n" GEMM,
                    &a, &err),
              err);
    assert_ok(
        parse("[{\"operator\": \"gemm\", \"precisions\": \"tc/bf16_bf16\",\n"
              "  \"batch_or_rows\": 1, \"m_or_dim\": 128, \"n\": 64, \"k\": 32, \"count\": 4},\n"
              " {\"operator\": \"elementwise\", \"kind\": \"gelu\", \"m_or_dim\": 8192,\n"
              "  \"other\": {\"prec\": \"bf16\"}, \"count\": 3}]",
              &b, &err),
        err);
    assert_int_equal(a.count, 2); /* equal rows are one */
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) {
        assert_true(ww_operator_same(&a.operators[i], &b.operators[i]));
        assert_int_equal(a.operators[i].count, b.operators[i].count);
    }
    assert_near(ww_graph_flops(&a), 4 * 2.0 * 128 * 64 * 32 + 3 * 8192.0, 0, 0);
    assert_near(ww_graph_bytes(&a), 4 * 2.0 * (128 * 32 + 32 * 64 + 128 * 64) + 3 * 4 * 8192.0, 0,
                0);
    assert_int_equal(ww_graph_launches(&a), 7);
    ww_graph_fini(&a);
    ww_graph_fini(&b);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    ww_error err;
    ww_graph a, b;
    ww_str text = {0};
    assert_ok(parse(HEAD GEMM
                    "attention,,tc/bf16_bf16,2,64,128,64,\"{\"\"heads\"\": 8, \"\"kv_heads\"\": 2, "
                    "\"\"causal\"\": true}\",1\nlayernorm,,fp32,64,96,,,,5\n",
                    &a, &err),
              err);
    ww_graph_write(&a, &text);
    assert_ok(parse(ww_str_text(&text), &b, &err), err);
    assert_int_equal(b.count, 3);
    for (size_t i = 0; i < a.count; i++) {
        assert_true(ww_operator_same(&a.operators[i], &b.operators[i]));
    }
    /* Queries 64 of context 128, causal: the first sees 65, the last 128. */
    assert_near(ww_operator_flops(&a.operators[1]), 4.0 * 2 * 8 * 64 * 96.5 * 64, 1e-12, 0);
    ww_str_fini(&text);
    ww_graph_fini(&a);
    ww_graph_fini(&b);
}

static void faults_are_found_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 1, 0, ""},
        {HEAD, 1, 0, "without operators"},
        {HEAD "gem,,tc/bf16_bf16,1,128,64,32,,2\n", 2, 1, "did you mean 'gemm'"},
        {HEAD GEMM "gemm,,tc/bf16_bf16,1,-128,64,32,,2\n", 3, 22, "m_or_dim"},
        {HEAD "gemm,,tc/bf16_bf16,1,0,64,32,,2\n", 2, 1, "m_or_dim"},
        {HEAD "gemm,,tc/bf16_bf16,1,,64,32,,2\n", 2, 1, "missing or 0"},
        {HEAD "gemm,,tc/bf16_bf16,1,128,64,99999999999999999999,,2\n", 2, 29, "k"},
        {HEAD "gemm,,tc/bf16_bf16,1,1099511627777,64,32,,2\n", 2, 1, "2^40"},
        {HEAD "gemm,,tc/bf16_bf16,1,1073741824,1073741824,1073741824,,2\n", 2, 1, "2^56"},
        {HEAD "gemm,,tc/bf16_bf16,1,128,64,32,,0\n", 2, 1, "count"},
        {HEAD "gemm,,tc/bf17_bf17,1,128,64,32,,1\n", 2, 7, "bf16"},
        {HEAD "gemm,,tc/bf16_fp32,1,128,64,32,,1\n", 2, 7, "two precisions"},
        {HEAD "gemm,relu,tc/bf16_bf16,1,128,64,32,,1\n", 2, 6, "kind"},
        {HEAD "softmax,,bf16,8,64,3,,,1\n", 2, 1, "n is given"},
        {HEAD "elementwise,gelu,,,64,,,,1\n", 2, 25, "prec"},
        {HEAD "elementwise,glue,,,64,,,\"{\"\"prec\"\": \"\"bf16\"\"}\",1\n", 2, 13, "gelu"},
        {HEAD "elementwise,gelu,,,64,,,\"{\"\"prec\"\": 7\",1\n", 2, 25, "JSON"},
        {HEAD "elementwise,gelu,,,64,,,\"[1]\",1\n", 2, 25, "object"},
        {HEAD "conv2d,,tc/bf16_bf16,1,100,16,27,\"{\"\"b\"\": 1, \"\"c\"\": 3, \"\"hw\"\": 8, "
              "\"\"m\"\": 16, \"\"padding\"\": 1, \"\"rs\"\": 3, \"\"stride\"\": 1}\",1\n",
         2, 1, "64"},
        {HEAD "conv2d,,tc/bf16_bf16,1,64,16,27,\"{\"\"b\"\": 1, \"\"c\"\": 3, \"\"hw\"\": 8, "
              "\"\"m\"\": 16, \"\"padding\"\": 1, \"\"rs\"\": 3, \"\"stride\"\": 0}\",1\n",
         2, 1, "stride"},
        {"model," WW_GRAPH_COLUMNS "\na," GEMM "b," GEMM, 3, 1, "another pass"},
        {"operator,kind\ngemm,\n", 1, 0, "precisions"},
        {"{}", 1, 1, "list"},
        {"[\n {\"operator\": \"gemm\", \"precisions\": \"bf16\",\n \"count\": 1}]", 2, 2,
         "batch_or_rows"},
        {"[{\"operator\": \"gemm\", \"cnt\": 1}]", 1, 2, "cnt"},
        {"[{\"operator\": \"gemm\",]", 1, 22, "JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err;
        ww_graph graph;
        if (parse(cases[i].text, &graph, &err) == WW_OK) {
            fail_msg("case %zu is accepted: %s", i, cases[i].text);
        }
        if (strstr(err.what, cases[i].says) == NULL || err.line != cases[i].line ||
            (cases[i].column > 0 && err.column != cases[i].column)) {
            fail_msg("case %zu: %d:%d: %s", i, err.line, err.column, err.what);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_and_json_say_the_same),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(faults_are_found_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
