/* test_line_fold.c - do folded lines hold together what comes from one place, and nothing else, and
 * are lines weighed by what is asked for? */
#include <string.h>

#include "analysis/line_fold.h"
#include "tests/support/test.h"

/* A line of kernel.ptx with so many slots that were issued, and as many joules. */
static ww_line line_of(const char *kernel, uint32_t line, uint32_t source_line,
                       const char *function, uint64_t slots)
{
    ww_line l = {.workload = "w",
                 .kernel = kernel,
                 .file = "kernel.ptx",
                 .line = line,
                 .source = source_line > 0 ? "kernel.cu" : "",
                 .source_line = source_line,
                 .text = "add",
                 .function = function};
    l.count[WW_LINE_ISSUED] = slots;
    l.joules[WW_PART_EU] = (double)slots;
    return l;
}

static void add(ww_lines *lines, const ww_line *line)
{
    ww_error err = {0};
    assert_ok(ww_lines_add(lines, line, &err), err);
}

/* Two lines of source line 7, of which one was inlined there; one of line 8, one of no line, one of
 * another kernel, and joules that no line has caused. */
static void fill(ww_lines *lines)
{
    const ww_line l[] = {line_of("k", 1, 7, "", 1), line_of("k", 2, 7, "f", 2),
                         line_of("k", 3, 8, "f", 4), line_of("k", 4, 0, NULL, 8),
                         line_of("other", 5, 7, "", 16)};
    ww_line rest = line_of("", 0, 0, NULL, 0);
    rest.text = "(static)";
    rest.joules[WW_PART_EU] = 32;
    for (size_t i = 0; i < WW_ARRAY_LEN(l); i++) {
        add(lines, &l[i]);
    }
    add(lines, &rest);
}

/* Slots of the line with that text or source line; each place is there once. */
static double joules_at(const ww_lines *lines, const char *kernel, uint32_t line, const char *text)
{
    const ww_line *found = NULL;
    for (size_t i = 0; i < lines->count; i++) {
        const ww_line *l = &lines->line[i];
        if (strcmp(l->kernel, kernel) == 0 && l->line == line &&
            (line > 0 || strcmp(l->text, text) == 0)) {
            assert_null(found);
            found = l;
        }
    }
    assert_non_null(found);
    return ww_line_j(found);
}

static void lines_of_one_place_are_one(void **state)
{
    static const struct {
        ww_line_fold by;
        struct {
            const char *kernel, *text;
            uint32_t line;
            double joules;
        } place[6];
        size_t places;
    } cases[] = {
        {WW_FOLD_SOURCE,
         {{"k", "", 7, 3},
          {"k", "", 8, 4},
          {"k", "(no line of the source)", 0, 8},
          {"other", "", 7, 16},
          {"", "(static)", 0, 32}},
         5},
        {WW_FOLD_FUNCTION,
         {{"k", "k", 0, 9}, {"k", "f", 0, 6}, {"other", "other", 0, 16}, {"", "(static)", 0, 32}},
         4},
        {WW_FOLD_KERNEL,
         {{"k", "k", 0, 15}, {"other", "other", 0, 16}, {"", "(static)", 0, 32}},
         3},
        {WW_FOLD_PTX,
         {{"k", "", 1, 1},
          {"k", "", 2, 2},
          {"k", "", 3, 4},
          {"k", "", 4, 8},
          {"other", "", 5, 16},
          {"", "(static)", 0, 32}},
         6},
    };
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_error err = {0};
        ww_lines lines = {.has_joules = true}, out = {0};
        fill(&lines);
        assert_ok(ww_lines_fold(&lines, cases[i].by, &out, &err), err);
        assert_true(out.has_joules);
        assert_int_equal(out.count, cases[i].places);
        for (size_t k = 0; k < cases[i].places; k++) {
            assert_near(joules_at(&out, cases[i].place[k].kernel, cases[i].place[k].line,
                                  cases[i].place[k].text),
                        cases[i].place[k].joules, 0, 0);
        }
        ww_lines_fini(&lines);
        ww_lines_fini(&out);
    }
}

static void without_a_source_there_is_nothing_to_fold_by(void **state)
{
    (void)state;
    for (int by = 0; by < WW_FOLD_COUNT; by++) {
        ww_error err = {0};
        ww_lines lines = {0}, out = {0};
        const ww_line l = line_of("k", 1, 0, NULL, 1);
        add(&lines, &l);
        assert_int_equal(ww_lines_fold(&lines, (ww_line_fold)by, &out, &err),
                         by == WW_FOLD_SOURCE || by == WW_FOLD_FUNCTION ? WW_ENOTFOUND : WW_OK);
        ww_lines_fini(&lines);
        ww_lines_fini(&out);
    }
}

/* 3 slots issued, 4 lost, 5 lost by others; without any, its instructions are its heat. */
static void lines_weigh_what_they_are_asked_for(void **state)
{
    (void)state;
    ww_line l = line_of("k", 1, 7, "", 3);
    l.count[WW_LINE_RAW_LONG] = 4;
    l.count[WW_LINE_AWAITED] = 5;
    l.count[WW_LINE_WARP_INST] = 6;
    l.event[WW_LINE_L1_MISS] = 10;
    l.event[WW_LINE_L2_MISS] = 20;
    l.event[WW_LINE_DRAM_BURST] = 40;
    l.event[WW_LINE_DRAM_ROW] = 80;
    l.joules[WW_PART_EU] = 0.5;
    assert_near(ww_line_weight(&l, WW_SORT_HEAT), 12, 0, 0);
    assert_near(ww_line_weight(&l, WW_SORT_LOST), 4, 0, 0);
    assert_near(ww_line_weight(&l, WW_SORT_MISSES), 70, 0, 0);
    assert_near(ww_line_weight(&l, WW_SORT_INSTRUCTIONS), 6, 0, 0);
    assert_near(ww_line_weight(&l, WW_SORT_ENERGY), 0.5, 0, 0);
    l.count[WW_LINE_ISSUED] = l.count[WW_LINE_RAW_LONG] = l.count[WW_LINE_AWAITED] = 0;
    assert_near(ww_line_weight(&l, WW_SORT_HEAT), 6, 0, 0);
}

/* Of one workload alone; a line of code is not idle, whatever its text is. */
static void a_workload_is_summed_up(void **state)
{
    (void)state;
    ww_lines lines = {0};
    fill(&lines);
    ww_line named = line_of("k", 9, 0, NULL, 64), other = line_of("k", 1, 0, NULL, 128);
    named.text = "(static)";
    other.workload = "another";
    add(&lines, &named);
    add(&lines, &other);
    const ww_lines_sum sum = ww_lines_sum_up(&lines, "w");
    assert_int_equal(sum.slots, 1 + 2 + 4 + 8 + 16 + 64);
    assert_near(sum.all_j, 31 + 32 + 64, 0, 0);
    assert_near(sum.idle_j, 32, 0, 0);
    ww_lines_fini(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_one_place_are_one),
        cmocka_unit_test(without_a_source_there_is_nothing_to_fold_by),
        cmocka_unit_test(lines_weigh_what_they_are_asked_for),
        cmocka_unit_test(a_workload_is_summed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
