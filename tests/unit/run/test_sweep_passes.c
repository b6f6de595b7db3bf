/* test_sweep_passes.c - does a sweep file's pass mean what it says? */
#include <string.h>

#include "run/sweep.h"
#include "tests/support/test.h"

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<sweep name=\"t\">\n<configuration name=\"a\" gpu=\"a100-pcie\"/>\n"

static ww_status parse(const char *text, ww_sweep **out, ww_error *err)
{
    return ww_sweep_parse("t.xml", text, strlen(text), "1", out, err);
}

/* A pass is repeated for each batch and sequence of it, and what changes its result is in its
 * definition. */
static void passes_are_batches_times_sequences(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    const char *text =
        HEAD "<configuration name=\"b\" "
             "gpu=\"a10\" only=\"hosted\"/>"
             "<pass model=\"gpt2\" batch=\"1, 8\" sequence=\"128,256\" precision=\"fp32\"/>"
             "<pass model=\"gpt2\" label=\"hosted\" launch_interval=\"32us\" sequence=\"128\"/>"
             "<pass model=\"gpt2\" label=\"plain\" sequence=\"128\"/>"
             "<pass model=\"gpt2\" sequence=\"128\" phase=\"decode\"/></sweep>";
    assert_ok(parse(text, &s, &err), err);
    assert_int_equal(s->run_count, 8);
    assert_string_equal(s->run[0].id, "a/gpt2-fp32-1x128");
    assert_string_equal(s->run[3].id, "a/gpt2-fp32-8x256");
    assert_string_equal(s->run[6].id, "a/gpt2-bf16-1x128-decode");
    assert_string_equal(s->run[7].id, "b/hosted-bf16-1x128");
    assert_int_equal(s->run[3].item->pass->batch, 8);
    assert_int_equal(s->run[3].item->pass->sequence, 256);
    assert_near(s->run[4].item->pass->launch_interval_s, 32e-6, 1e-12, 0);
    for (size_t i = 0; i < s->run_count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(s->run[i].spec, s->run[k].spec);
        }
    }
    ww_sweep_destroy(s);
}

static void faults_are_located(void **state)
{
    static const struct {
        const char *text, *says;
    } faulty[] = {
        {HEAD "<pass batch=\"2\"/></sweep>", "of a model or of a file"},
        {HEAD "<pass model=\"gpt2\" "
              "batch=\"0\"/></sweep>",
         "batch"},
        {HEAD "<pass model=\"gpt2\" "
              "batch=\"2,2\"/></sweep>",
         "gpt2-bf16-2 is there twice"},
        {HEAD "<pass file=\"none.csv\"/></sweep>", "cannot be read"},
        {HEAD "<pass file=\"p.csv\" "
              "batch=\"2\"/></sweep>",
         "batch goes with model"},
        {HEAD "<pass file=\"../p.csv\"/></sweep>", "without a folder"},
        {HEAD "<pass model=\"gpt2\" "
              "launch_interval=\"2\"/></sweep>",
         "a time such as 32us"},
        {HEAD "<pass model=\"gpt2\" "
              "launch_interval=\"2us\" graphs=\"true\"/></sweep>",
         "exclude each other"},
    };
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(faulty); i++) {
        ww_error err = {0};
        ww_sweep *s = NULL;
        ww_status status = parse(faulty[i].text, &s, &err);
        if (status == WW_OK || strstr(err.what, faulty[i].says) == NULL || err.line != 4) {
            fail_msg("case %zu: status %d, line %d: %s", i, (int)status, err.line, err.what);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_batches_times_sequences),
        cmocka_unit_test(faults_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
