/* test_units.c - do unit texts become SI values and back? */
#include <string.h>

#include "base/units.h"
#include "tests/support/test.h"

static void texts_become_si(void **state)
{
    (void)state;
    static const struct {
        const char *text, *si;
        double value;
    } cases[] = {{"48 KiB", "B", 49152},     {"700MHz", "Hz", 700e6}, {"40 nm", "m", 40e-9},
                 {"1.05 V", "V", 1.05},      {" 331 K ", "K", 331},   {"520 mm2", "m^2", 520e-6},
                 {"35 cycles", "cycle", 35}, {"35", "cycle", 35},     {"244 mW", "W", 0.244},
                 {"2.94 pJ", "J", 2.94e-12}, {"3", "1", 3},           {"0.75 MiB", "B", 786432}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err = {0};
        double value = 0;
        assert_ok(ww_units_parse(cases[i].text, cases[i].si, &value, &err), err);
        assert_true(value == cases[i].value); /* exactly: a divisor keeps 40 nm equal to 40e-9 */
    }
}

static void wrong_units_are_named(void **state)
{
    (void)state;
    ww_error err = {0};
    double value = 5;
    assert_int_equal(ww_units_parse("48 KiB", "Hz", &value, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "MHz"));
    assert_int_equal(ww_units_parse("48 parsec", "m", &value, &err), WW_ERANGE);
    assert_int_equal(ww_units_parse("KiB", "B", &value, &err), WW_EPARSE);
    assert_int_equal(ww_units_parse("4 KiB 5", "B", &value, &err), WW_EPARSE);
    assert_int_equal(ww_units_parse("", "B", &value, &err), WW_EPARSE);
    assert_int_equal(ww_units_parse("4 averyveryverylongunit", "B", &value, &err), WW_EPARSE);
    assert_true(value == 5);
}

static void people_read_prefixes(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *si, *text;
    } cases[] = {{49152, "B", "48 KiB"},     {772e6, "Hz", "772 MHz"},  {1.05, "V", "1.05 V"},
                 {529e-6, "m^2", "529 mm2"}, {40e-9, "m", "40 nm"},     {3.39, "W", "3.39 W"},
                 {0.244, "W", "244 mW"},     {32, "cycle", "32 cycle"}, {16, "1", "16"},
                 {3.1e6, "", "3.1 M"},       {0, "J", "0 J"},           {999.99e6, "Hz", "1 GHz"},
                 {-2e-12, "J", "-2 pJ"},     {5e-7, "", "5e-07"},       {331, "K", "331 K"}};
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(ww_units_format(cases[i].value, cases[i].si, text, sizeof text),
                            cases[i].text);
    }
}

static void every_unit_parses_as_itself(void **state)
{
    (void)state;
    size_t count = 0;
    for (const ww_unit *unit; (unit = ww_unit_at(count)) != NULL; count++) {
        assert_ptr_equal(ww_unit_find(unit->symbol), unit);
        char text[32];
        double value;
        snprintf(text, sizeof text, "2 %s", unit->symbol);
        assert_int_equal(ww_units_parse(text, unit->si, &value, NULL), WW_OK);
        assert_true(value == 2 * unit->scale / unit->divisor);
        assert_non_null(ww_unit_find(unit->si));
    }
    assert_true(count > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_si),
        cmocka_unit_test(wrong_units_are_named),
        cmocka_unit_test(people_read_prefixes),
        cmocka_unit_test(every_unit_parses_as_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
