/* Do drawings show the data at scale, stay well-formed whatever the names, and never print a number
 * that is none? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chart.h"
#include "analysis/chart_axis.h"
#include "base/xml.h"
#include "tests/support/test.h"

static const char *const hostile = "a<b>&\"'\xff\x01]]>";

static ww_frame frame(bool narrow)
{
    return (ww_frame){
        .head = {.id = "t",
                 .title = hostile,
                 .description = hostile,
                 .css_class = "",
                 .standalone = true},
        .width = narrow ? 350 : 800,
        .narrow = narrow,
    };
}

/* Parses the drawing, which must be well-formed and free of non-numbers; returns how often needle
 * is in it. */
static size_t check(ww_str *svg, const char *needle)
{
    ww_error err = {0};
    ww_xml *xml = NULL;
    size_t count = 0;
    assert_ok(ww_str_check(svg, &err), err);
    assert_ok(ww_xml_parse("plot.svg", ww_str_text(svg), svg->len, &xml, &err), err);
    assert_string_equal(ww_xml_tag(ww_xml_root(xml)), "svg");
    assert_null(strstr(ww_str_text(svg), "nan"));
    assert_null(strstr(ww_str_text(svg), "inf"));
    for (const char *p = strstr(ww_str_text(svg), needle); p != NULL; p = strstr(p + 1, needle)) {
        count++;
    }
    ww_xml_destroy(xml);
    ww_str_fini(svg);
    return count;
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},         {-0.001, "0"},       {1.5, "1.5"},
                 {-1.25, "-1.25"}, {0.05, "0.05"},      {99.999, "100"},
                 {-12.3, "-12.3"}, {1e300, "10000000"}, {(double)NAN, "0"}};
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_str s = {0};
        ww_svg_number(&s, cases[i].value);
        assert_string_equal(ww_str_text(&s), cases[i].text);
        ww_str_fini(&s);
    }
}

static void text_is_escaped(void **state)
{
    (void)state;
    ww_str s = {0};
    ww_markup_text(&s, "<\"&'>\xC3\xA9\xff\x02\xEF\xBF\xBF");
    assert_string_equal(ww_str_text(&s),
                        "&lt;&quot;&amp;&#39;&gt;\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    ww_str_fini(&s);
}

static void text_is_fitted(void **state)
{
    (void)state;
    char buf[64], tiny[8];
    assert_string_equal(ww_svg_fit_text("short", 10, 100, buf, sizeof buf), "short");
    assert_string_equal(ww_svg_fit_text("abcdefghij", 10, 40, buf, sizeof buf), "abcd\xE2\x80\xA6");
    assert_string_equal(ww_svg_fit_text("illillillill", 10, 40, buf, sizeof buf),
                        "illillil\xE2\x80\xA6"); /* narrow letters: more of them */
    assert_string_equal(ww_svg_fit_text("mmmmmmmmmm", 10, 40, buf, sizeof buf), "mmm\xE2\x80\xA6");
    assert_string_equal(
        ww_svg_fit_text("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 10, 1000, tiny, sizeof tiny),
        "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
}

static void scales_are_round(void **state)
{
    (void)state;
    ww_scale s = ww_scale_nice(0, 101.9, 0, 100, 8);
    assert_near(s.step, 20, 1e-12, 0);
    assert_near(s.hi, 120, 1e-12, 0);
    assert_int_equal(s.decimals, 0);
    s = ww_scale_nice(-0.3, 0.012, 0, 100, 5);
    assert_near(s.step, 0.1, 1e-12, 0);
    assert_near(s.lo, -0.3, 1e-12, 0);
    assert_near(s.hi, 0.1, 1e-12, 0);
    assert_int_equal(s.decimals, 1);
    s = ww_scale_nice(0, 0, 0, 100, 5); /* all data are 0 */
    assert_true(s.hi > 0 && s.lo < 0);
    assert_near(ww_scale_px(&s, 0), 50, 1e-9, 0);
    s = ww_scale_nice(0, 4e-9, 0, 100, 4);
    assert_near(s.step, 1e-9, 1e-9, 0);
    assert_int_equal(s.decimals, 9);
}

static void stacks(void **state)
{
    (void)state;
    const char *const rows[] = {"first", hostile}, *const names[] = {"RF", hostile, "GM"};
    const double value[] = {10, 20, 30, (double)NAN, -5, 40};
    for (int narrow = 0; narrow < 2; narrow++) {
        ww_stack_chart c = {.rows = 2,
                            .series = 3,
                            .row = rows,
                            .name = names,
                            .value = value,
                            .axis = "W",
                            .unit = "W",
                            .decimals = 1,
                            .totals = true};
        ww_frame f = frame(narrow != 0);
        ww_str svg = {0};
        ww_chart_stack(&c, &f, &svg);
        if (!narrow) {
            /* 10 W is a third of 30 W */
            double w10 = 0, w30 = 0;
            const char *text = ww_str_text(&svg);
            const char *a = strstr(text, "RF: 10.0 W (16.7 %)"),
                       *b = strstr(text, "GM: 30.0 W (50.0 %)");
            assert_non_null(a);
            assert_non_null(b);
            while (strncmp(a, "width=\"", 7) != 0) {
                a--;
            }
            while (strncmp(b, "width=\"", 7) != 0) {
                b--;
            }
            assert_int_equal(sscanf(a, "width=\"%lf", &w10) + sscanf(b, "width=\"%lf", &w30), 2);
            assert_near(w30, 3 * w10, 1e-3, 0);
        }
        /* three swatches, three parts of the first bar, one of the second */
        assert_int_equal(check(&svg, "sep\""), 7);
    }
}

static void heat_maps(void **state)
{
    (void)state;
    const char *const names[] = {"IPC", hostile};
    const double value[] = {0.94, -0.5, (double)NAN, 0.004};
    const bool weak[] = {false, false, true, true};
    const char *const tip[] = {"a", "b", hostile, "d"};
    ww_heat_chart c = {.rows = 2,
                       .columns = 2,
                       .row = names,
                       .column = names,
                       .value = value,
                       .weak = weak,
                       .tip = tip};
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_heat(&c, &f, &svg);
    assert_non_null(strstr(ww_str_text(&svg), ">0.94</text>"));
    assert_non_null(strstr(ww_str_text(&svg), ">\xE2\x88\x92"
                                              "0.50</text>"));
    /* The key: eleven values from -1 to 1, the middle one 0 and white. */
    size_t keys = 0;
    for (const char *p = ww_str_text(&svg); (p = strstr(p, "height=\"10\"")) != NULL; p++) {
        keys++;
        assert_true((keys == 6) == (strncmp(strstr(p, "opacity=") + 9, "0\"", 2) == 0));
    }
    assert_int_equal(keys, 11);
    assert_int_equal(check(&svg, "class=\"cell\""), 1);
}

static void scatters(void **state)
{
    (void)state;
    const double x[] = {1, 2, (double)NAN, 3}, y[] = {10, 20, 30, 40};
    const char *const names[] = {"a", hostile, "c", "d"};
    ww_scatter_chart c = {.count = 4,
                          .x = x,
                          .y = y,
                          .name = names,
                          .x_axis = "x",
                          .y_axis = "y",
                          .caption = hostile,
                          .has_fit = true,
                          .slope = 15,
                          .intercept = -5};
    ww_frame f = frame(true);
    ww_str svg = {0};
    ww_chart_scatter(&c, &f, &svg);
    assert_int_equal(check(&svg, "<circle"), 3);
}

/* Watts of parts over time, in spans with names. */
static ww_area_chart area_chart(size_t steps, const double *edge, const char *const *names,
                                size_t series, const double *value)
{
    return (ww_area_chart){
        .steps = steps, .series = series, .edge = edge, .value = value, .name = names, .axis = "W"};
}

static void areas_and_ratios(void **state)
{
    (void)state;
    const double edge[] = {0, 1e-6, 3e-6}, value[] = {1, 2, (double)NAN, 4},
                 band_edge[] = {0, 3e-6};
    const char *const names[] = {"RF", hostile};
    ww_area_chart c = area_chart(2, edge, names, 2, value);
    c.bands = 1;
    c.band_edge = band_edge;
    c.band = &hostile;
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_area(&c, &f, &svg);
    assert_non_null(strstr(ww_str_text(&svg), "time [\xC2\xB5s]"));
    assert_int_equal(check(&svg, "<path"), 2);
    ww_ratio_chart r = {
        .groups = 2, .series = 2, .group = names, .name = names, .value = value, .axis = "x"};
    ww_chart_ratio(&r, &f, &svg);
    assert_int_equal(check(&svg, "class=\"one\""), 2); /* beside each group's bars */
}

/* Degrees that hardly move: a line on an axis about them, not from nothing, and without a legend.
 */
static void a_course_is_a_line_about_its_values(void **state)
{
    (void)state;
    const double edge[] = {0, 1e-6, 3e-6}, value[] = {65, 66}, still[] = {65, 65};
    const char *const names[] = {"Temperature"};
    ww_area_chart c = area_chart(2, edge, names, 1, value);
    ww_frame f = frame(false);
    c.course = true;
    for (int k = 0; k < 2; k++) {
        ww_str svg = {0};
        c.value = k == 0 ? value : still;
        ww_chart_area(&c, &f, &svg);
        assert_null(strstr(ww_str_text(&svg), ">40<"));
        assert_non_null(strstr(ww_str_text(&svg), ">64<"));
        assert_null(strstr(ww_str_text(&svg), "s0 sep"));
        assert_int_equal(check(&svg, "class=\"ls0\""), 1);
    }
}

/* A step that is a thousandth of the sum has three digits; parts of one sum have two decimals more
 * than the ticks. */
static void small_steps_have_digits(void **state)
{
    (void)state;
    const double value[] = {0.00347, -0.25, 0};
    const char *const names[] = {"tables", "time", "none"};
    ww_waterfall_chart c = {.base_name = "base",
                            .other_name = "other",
                            .base = 2.5,
                            .steps = 3,
                            .name = names,
                            .value = value,
                            .axis = "mJ",
                            .unit = "mJ"};
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_waterfall(&c, &f, &svg);
    assert_non_null(strstr(ww_str_text(&svg), ">+0.00347<"));
    assert_non_null(strstr(ww_str_text(&svg), ">+0.00<"));
    assert_non_null(strstr(ww_str_text(&svg), ">2.50<"));
    assert_int_equal(check(&svg, ">-0.250<"), 1);
    c.base_name = NULL;
    c.base = 0;
    svg = (ww_str){0};
    ww_chart_waterfall(&c, &f, &svg);
    assert_int_equal(check(&svg, ">0.0035<"), 1);
}

/* Gains to the right of one, losses to the left: equal ones make equal bars, with their numbers at
 * the far ends. */
static void ratios_grow_from_one(void **state)
{
    (void)state;
    const double value[] = {1.5, 0.5};
    const char *const groups[] = {"more", "less"}, *const names[] = {"set"};
    ww_ratio_chart c = {
        .groups = 2, .series = 1, .group = groups, .name = names, .value = value, .axis = "x"};
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_ratio(&c, &f, &svg);
    double x[2] = {0}, width[2] = {0};
    const char *at = ww_str_text(&svg);
    for (int i = 0; i < 2; i++) {
        at = strstr(at, "height=\"13\"");
        assert_non_null(at);
        const char *rect = at;
        while (strncmp(rect, "<rect", 5) != 0) {
            rect--;
        }
        x[i] = strtod(strstr(rect, "x=\"") + 3, NULL);
        width[i] = strtod(strstr(rect, "width=\"") + 7, NULL);
        at++;
    }
    assert_near(width[0], width[1], 1e-3, 0);
    assert_near(x[0], x[1] + width[1], 1e-3, 0);
    assert_int_equal(check(&svg, ">0.50<"), 1);
    /* Numbers are finer than the ticks: a bar that is seen is not 1.00. */
    const double near_one[] = {1.013, 0.997};
    c.value = near_one;
    svg = (ww_str){0};
    ww_chart_ratio(&c, &f, &svg);
    assert_int_equal(check(&svg, ">0.997<"), 1);
}

/* A tenth of a percent does not fill a plot. */
static void small_differences_look_small(void **state)
{
    (void)state;
    const double value[] = {1.001, 0.999};
    const char *const groups[] = {"more", "less"}, *const names[] = {"set"};
    const ww_ratio_chart c = {
        .groups = 2, .series = 1, .group = groups, .name = names, .value = value, .axis = "x"};
    ww_frame f = frame(false);
    for (int end = 0; end < 2; end++) {
        ww_str svg = {0};
        ww_chart_ratio(&c, &f, &svg);
        assert_int_equal(check(&svg, end == 0 ? ">0.96<" : ">1.04<"), 1);
    }
}

/* Spans too narrow for their names have numbers, and a list has every name once. */
static void narrow_spans_are_listed(void **state)
{
    (void)state;
    const double edge[] = {0, 1}, value[] = {1}, band_edge[] = {0, 0.9, 0.93, 0.96, 1};
    const char *const names[] = {"RF"};
    const char *const bands[] = {"first", "second kernel", "first", "third kernel"};
    ww_area_chart c = area_chart(1, edge, names, 1, value);
    c.bands = 4;
    c.band_edge = band_edge;
    c.band = bands;
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_area(&c, &f, &svg);
    assert_non_null(strstr(ww_str_text(&svg), ">2 second kernel<"));
    assert_non_null(strstr(ww_str_text(&svg), ">3 third kernel<"));
    assert_int_equal(check(&svg, ">1 first<"), 2); /* in its span, and in the list */
}

/* A point per value, a tick at each, a line per series that ends at gaps. */
static void lines_over_a_number(void **state)
{
    (void)state;
    const double x[] = {1, 2, 16}, value[] = {1, 1, 2, (double)NAN, 3, 0.5};
    const char *const names[] = {hostile, "b"};
    ww_line_chart c = {.points = 3,
                       .series = 2,
                       .x = x,
                       .name = names,
                       .value = value,
                       .x_axis = hostile,
                       .y_axis = "y",
                       .against_one = true};
    ww_frame f = frame(true);
    ww_str svg = {0};
    ww_chart_lines(&c, &f, &svg);
    assert_non_null(strstr(ww_str_text(&svg), ">16<"));
    assert_non_null(strstr(ww_str_text(&svg), "class=\"ls0\""));
    assert_int_equal(check(&svg, "<circle"), 5);
}

/* A roof is one stroke over its samples: begun at the first, drawn to the others. */
static void a_roof_is_one_stroke(void **state)
{
    (void)state;
    const double x[] = {1, 50}, y[] = {2, 80}, roof_x[] = {1, 10, 100}, roof[] = {1, 10, 100};
    const char *const names[] = {hostile, "b"}, *const series[] = {hostile};
    const size_t of[] = {0, 0};
    const ww_roofline_chart c = {.points = 2,
                                 .series = 1,
                                 .x = x,
                                 .y = y,
                                 .name = names,
                                 .of = of,
                                 .series_name = series,
                                 .roofs = 1,
                                 .samples = 3,
                                 .roof_x = roof_x,
                                 .roof = roof,
                                 .x_axis = hostile,
                                 .y_axis = "y"};
    ww_frame f = frame(false);
    ww_str svg = {0};
    double at[6];
    ww_chart_roofline(&c, &f, &svg);
    const char *path = strstr(ww_str_text(&svg), " d=\"");
    assert_non_null(path);
    assert_int_equal(sscanf(path, " d=\"M%lf %lfL%lf %lfL%lf %lf\"", &at[0], &at[1], &at[2], &at[3],
                            &at[4], &at[5]),
                     6);
    assert_true(fabs(at[2] - at[0] - (at[4] - at[2])) < 0.2); /* a decade each */
    assert_true(fabs(at[1] - at[3] - (at[3] - at[5])) < 0.2);
    assert_int_equal(check(&svg, "class=\"fit\""), 1);
}

/* A ratio of one is a mark on its line: nothing to see would read as nothing measured. */
static void a_ratio_of_one_is_seen(void **state)
{
    (void)state;
    const double value[] = {1, 1};
    const char *const group[] = {"a", "b"}, *const bar[] = {"x"};
    ww_column_chart c = {.groups = 2,
                         .bars = 1,
                         .parts = 1,
                         .group = group,
                         .bar = bar,
                         .value = value,
                         .axis = "ratio",
                         .against_one = true};
    ww_frame f = frame(false);
    ww_str svg = {0};
    ww_chart_columns(&c, &f, &svg);
    const char *at = ww_str_text(&svg);
    for (unsigned i = 0; i < 4; i++) { /* background, swatch, two bars */
        at = strstr(at, "<rect");
        assert_non_null(at);
        assert_true(i < 2 || strtod(strstr(at, "height=\"") + 8, NULL) >= 2);
        at++;
    }
    ww_str_fini(&svg);
}

/* Ratios stand on the line of one: 1.1 goes up from it, 0.9 down, and as far. Shares stand on 0. */
static void columns_stand_on_one_or_zero(void **state)
{
    (void)state;
    const double value[] = {1.1, 0.9, (double)NAN};
    const char *const group[] = {"a", "b", "c"}, *const bar[] = {"x"};
    for (unsigned k = 0; k < 2; k++) {
        ww_column_chart c = {.groups = 3,
                             .bars = 1,
                             .parts = 1,
                             .group = group,
                             .bar = bar,
                             .value = value,
                             .axis = "a long name of an axis that does not fit beside the bars",
                             .against_one = k == 0};
        ww_frame f = frame(false);
        ww_str svg = {0};
        ww_chart_columns(&c, &f, &svg);
        double y[4], height[4];
        const char *at = ww_str_text(&svg);
        for (unsigned i = 0; i < 4; i++) { /* background, swatch, two bars */
            at = strstr(at, "<rect");
            assert_non_null(at);
            y[i] = strtod(strstr(at, "y=\"") + 3, NULL);
            height[i] = strtod(strstr(at, "height=\"") + 8, NULL);
            at++;
        }
        if (k == 0) {
            assert_true(fabs(y[2] + height[2] - y[3]) < 0.2);
            assert_true(fabs(height[2] - height[3]) < 0.2);
        } else {
            assert_true(fabs(y[2] + height[2] - y[3] - height[3]) < 0.2);
        }
        assert_null(strstr(ww_str_text(&svg), "beside the bars</text>"));
        assert_int_equal(check(&svg, "class=\"one\""), k == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(text_is_fitted),
        cmocka_unit_test(scales_are_round),
        cmocka_unit_test(stacks),
        cmocka_unit_test(heat_maps),
        cmocka_unit_test(scatters),
        cmocka_unit_test(areas_and_ratios),
        cmocka_unit_test(a_course_is_a_line_about_its_values),
        cmocka_unit_test(small_steps_have_digits),
        cmocka_unit_test(ratios_grow_from_one),
        cmocka_unit_test(small_differences_look_small),
        cmocka_unit_test(narrow_spans_are_listed),
        cmocka_unit_test(lines_over_a_number),
        cmocka_unit_test(a_roof_is_one_stroke),
        cmocka_unit_test(a_ratio_of_one_is_seen),
        cmocka_unit_test(columns_stand_on_one_or_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
