/* test_overlap.c - are shares of time at work, and of what is hidden, those of the counters they
 * are named after? */
#include "analysis/overlap.h"
#include "tests/support/test.h"

/* A thousand cycles of two SMs; who works in how many of them, each combination a number of its
 * own. */
static void shares_of_hand_made_cycles(void **state)
{
    (void)state;
    static const struct {
        ww_counter counter;
        uint64_t cycles;
    } busy[] = {{WW_C_BUSY_COPY, 1},        {WW_C_BUSY_MATRIX, 2},    {WW_C_BUSY_SFU, 4},
                {WW_C_BUSY_COPY_MATRIX, 8}, {WW_C_BUSY_COPY_SFU, 16}, {WW_C_BUSY_MATRIX_SFU, 32},
                {WW_C_BUSY_ALL, 64}};
    ww_error err = {0};
    ww_counter_set c;
    assert_ok(ww_counter_set_init(&c, 2, 1, 4, &err), err);
    c.block[WW_SCOPE_SM][0].v[WW_C_SM_ACTIVE] = 600;
    c.block[WW_SCOPE_SM][1].v[WW_C_SM_ACTIVE] = 400;
    for (size_t i = 0; i < WW_ARRAY_LEN(busy); i++) {
        c.block[WW_SCOPE_SM][i % 2].v[busy[i].counter] = busy[i].cycles;
    }
    c.block[WW_SCOPE_CHIP][0].v[WW_C_DRAM_CYCLES] = 500;
    c.block[WW_SCOPE_CHANNEL][1].v[WW_C_DRAM_BUS_BUSY] = 300;
    c.block[WW_SCOPE_CHANNEL][3].v[WW_C_DRAM_BUS_BUSY] = 200;
    const ww_overlap_shares s = ww_overlap_of(&c);
    const double copy = 1 + 8 + 16 + 64, matrix = 2 + 8 + 32 + 64, sfu = 4 + 16 + 32 + 64;
    assert_true(s.has);
    assert_near(s.copy, copy / 1000, 1e-12, 0);
    assert_near(s.matrix, matrix / 1000, 1e-12, 0);
    assert_near(s.sfu, sfu / 1000, 1e-12, 0);
    assert_near(s.copy_hidden, (8 + 16 + 64) / copy, 1e-12, 0);
    assert_near(s.matrix_hidden, (32 + 64) / matrix, 1e-12, 0);
    assert_near(s.sfu_hidden, (32 + 64) / sfu, 1e-12, 0);
    assert_near(s.dram, 500.0 / (4 * 500), 1e-12, 0);
    ww_counter_set_clear(&c);
    c.block[WW_SCOPE_SM][0].v[WW_C_SM_ACTIVE] = 600;
    c.block[WW_SCOPE_SM][0].v[WW_C_BUSY_SFU] = 6;
    assert_false(ww_overlap_of(&c).has); /* special functions are no engine */
    ww_counter_set_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_of_hand_made_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
