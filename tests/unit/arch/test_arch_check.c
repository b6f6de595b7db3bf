/* test_arch_check.c - is every rule between parameters enforced? */
#include "tests/unit/arch/scratch.h"

typedef struct rule {
    ww_setting settings[3];
    const char *says;
} rule;

static void impossible_machines_are_refused(void **state)
{
    (void)state;
    static const rule rules[] = {
        {{{"sm.clusters", "16"}}, "sm.clusters = 16: more clusters than SMs"},
        {{{"sm.max_threads", "1568"}}, "sm.max_threads = 1568: more threads"},
        {{{"sm.max_threads", "1530"}}, "multiple of the warp size"},
        {{{"sm.max_cta_threads", "2048"}}, "never fits an SM"},
        {{{"sm.max_warps", "49"}}, "does not divide the warps evenly"},
        {{{"sm.fetch_by_group", "true"}, {"sm.fetch_warps", "1"}}, "sm.fetch_warps = 1"},
        {{{"sm.two_level_active", "25"}}, "more than the warps of one scheduler (24)"},
        {{{"sm.shared_unit_bytes", "1000"}}, "does not divide sm.shared_bytes"},
        {{{"sm.registers", "32769"}}, "warp register in each of the 16 banks"},
        {{{"sm.registers", "1024"}, {"regfile.banks", "1"}}, "one warp would need more"},
        {{{"regfile.collector_operands", "2"}}, "3 source operands"},
        {{{"units.dp_count", "1"}}, "pipelines without lanes"},
        {{{"l1d.ways", "5"}}, "not a multiple of line_bytes * ways = 640"},
        {{{"l1d.bytes", "48 KiB"}}, "96 sets, which is not a power of two"},
        {{{"l2.line_bytes", "96"}}, "l2.line_bytes = 96: not a power of two"},
        {{{"l2.sector_bytes", "256"}}, "larger than the line"},
        {{{"l1c.data_port_bytes", "128"}}, "wider than the line (64 B)"},
        {{{"ldst.shared_banks", "24"}}, "not a power of two"},
        {{{"ldst.min_segment_bytes", "256"}}, "larger than ldst.segment_bytes"},
        {{{"ldst.segment_bytes", "96"}}, "not a power of two"},
        {{{"ldst.segment_bytes", "256"}}, "larger than an L2 line"},
        {{{"l1d.bytes", "0"}}, "no L1 data cache"},
        {{{"mem.bus_bits", "36"}}, "not whole bytes"},
        {{{"mem.devices", "3"}}, "not whole bytes shared evenly"},
        {{{"mem.interleave_bytes", "64"}}, "smaller than an L2 line"},
        {{{"mem.interleave_bytes", "384"}}, "not a power of two"},
        {{{"mem.row_bytes", "4000"}}, "not a multiple of a burst of 64 B"},
        {{{"mem.row_bytes", "6 KiB"}}, "not a power of two"},
        {{{"mem.bank_groups", "5"}}, "does not divide mem.banks"},
        {{{"mem.tccdl", "1"}}, "shorter than between bank groups"},
        {{{"mem.tccdr", "1"}}, "shorter than within a stack ID"},
        {{{"mem.stack_ids", "3"}}, "banks and their groups"},
        {{{"mem.stack_ids", "2"}, {"mem.scheduler", "bank-fr-fcfs"}}, "knows one alone"},
        {{{"mem.trc", "20"}}, "shorter than mem.tras"},
        {{{"mem.trcd", "30"}}, "shorter than mem.trcd"},
        {{{"mem.trefi", "60"}}, "longer than the interval"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        size_t count = 0;
        while (count < 3 && rules[i].settings[count].key != NULL) {
            count++;
        }
        ww_arch *arch = NULL;
        ww_error err = {0};
        ww_status status = ww_arch_load("gtx480", rules[i].settings, count, &arch, &err);
        if (status != WW_ERANGE || strstr(err.what, rules[i].says) == NULL) {
            fail_msg("%s = %s gave %d '%s', expected '%s'", rules[i].settings[0].key,
                     rules[i].settings[0].value, (int)status, err.what, rules[i].says);
        }
        assert_null(arch);
        assert_string_not_equal(err.file, "");
    }
}

static void a_missing_cache_needs_no_geometry(void **state)
{
    (void)state;
    const ww_setting settings[] = {{"l2.bytes", "0"}, {"l2.ways", "7"}, {"mem.trefi", "0"}};
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_ok(ww_arch_load("gtx480", settings, 3, &arch, &err), err);
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_machines_are_refused),
        cmocka_unit_test(a_missing_cache_needs_no_geometry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
