/* test_waits.c - is a report of waiting warps bounded, and complete within its bounds? */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "perf/exec/waits.h"

static ww_waits of_kinds(uint32_t kinds, uint32_t warps_each)
{
    ww_waits all = {.kinds = kinds, .warps = kinds * warps_each, .ctas = kinds};
    for (uint32_t i = 0; i < kinds; i++) {
        ww_wait *k = &all.kind[i];
        snprintf(k->text, sizeof k->text, "line %u, bar.sync 0: barrier 0", 10 + i);
        k->warps = warps_each;
        k->ctas = 1;
        k->cta[0] = (ww_wait_cta){.sm = i, .id = {i, 0, 0}, .warps = (1ull << warps_each) - 1};
    }
    return all;
}

static void warps_are_given_as_ranges(void **state)
{
    (void)state;
    char text[512];
    ww_waits all = of_kinds(1, 1);
    all.kind[0].cta[0].warps = 0x8000000000000001ull | 0x7ull << 4 | 1ull << 9;
    assert_string_equal(ww_waits_format(&all, text, sizeof text),
                        "\n  line 10, bar.sync 0: barrier 0\n"
                        "    1 warp: CTA 0,0,0 on SM 0: 0 4-6 9 63");
    all.kind[0].cta[0].warps = ~0ull;
    assert_non_null(strstr(ww_waits_format(&all, text, sizeof text), "SM 0: 0-63"));
}

static void further_ctas_are_counted(void **state)
{
    (void)state;
    char text[512];
    ww_waits all = of_kinds(1, 2);
    all.kind[0].ctas = 90;
    all.kind[0].cta[1] = all.kind[0].cta[2] = all.kind[0].cta[0];
    assert_non_null(strstr(ww_waits_format(&all, text, sizeof text), "; more CTAs: 87"));
}

/* Whatever the room, kinds are whole and what is left out is counted. */
static void every_size_tells_of_every_warp(void **state)
{
    (void)state;
    char text[2048];
    const ww_waits all = of_kinds(12, 3);
    for (size_t size = 128; size <= sizeof text; size += 7) {
        memset(text, 'x', sizeof text);
        ww_waits_format(&all, text, size);
        assert_true(strlen(text) < size);
        unsigned told = 0, rest = 0;
        for (const char *p = text; (p = strstr(p, "\n    3 warps: CTA ")) != NULL; p++) {
            told += 3;
            assert_non_null(strstr(p, ": 0-2"));
        }
        const char *tail = strstr(text, "\n  and ");
        if (tail != NULL) {
            assert_int_equal(sscanf(tail, " and %u warps that wait elsewhere", &rest), 1);
        }
        assert_int_equal(told + rest, 36);
    }
    assert_null(strstr(text, "elsewhere")); /* all fits in the largest */
}

/* More kinds than are told apart: the report says how many warps they hold. */
static void kinds_beyond_the_table_are_counted(void **state)
{
    (void)state;
    char text[4096];
    ww_waits all = of_kinds(WW_WAIT_KINDS, 2);
    all.warps += 5;
    ww_waits_format(&all, text, sizeof text);
    assert_non_null(strstr(text, "\n  and 5 warps that wait elsewhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_are_given_as_ranges),
        cmocka_unit_test(further_ctas_are_counted),
        cmocka_unit_test(every_size_tells_of_every_warp),
        cmocka_unit_test(kinds_beyond_the_table_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
