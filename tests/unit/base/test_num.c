/* test_num.c - do numbers read and print exactly, in any locale? */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "tests/support/test.h"

static void doubles_round_trip_with_few_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1e6, "1000000"},
                 {-2.5e-9, "-2.5e-09"},
                 {0, "0"},
                 {1e22, "1e+22"},
                 {-0.0, "-0"},
                 {999999999999999, "999999999999999"},
                 {1e15, "1e+15"},
                 {1e14, "100000000000000"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {NAN, "nan"},
                 {-INFINITY, "-inf"}};
    char text[WW_NUM_CHARS];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(ww_num_format(cases[i].value, text), cases[i].text);
    }
    uint64_t bits = 1;
    for (int i = 0; i < 100000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            assert_int_equal(ww_num_parse_double(ww_num_format(value, text), &back, NULL), WW_OK);
            assert_memory_equal(&back, &value, sizeof value);
        }
    }
}

/* Whole numbers have a way of their own: it says what the C library says. */
static void whole_numbers_are_as_the_library_has_them(void **state)
{
    (void)state;
    uint64_t bits = 7;
    char text[WW_NUM_CHARS], expected[64];
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        const char *end;
        double value = (double)(bits >> (14 + bits % 50)), back;
        snprintf(expected, sizeof expected, "%.17g", value);
        if (value < 1e15) {
            assert_string_equal(ww_num_format(value, text), expected);
        }
        assert_true(ww_num_scan(expected, &end, &back));
        assert_true(back == strtod(expected, NULL) && *end == '\0');
    }
}

/* What the C library prints: the fewest of 15 to 17 digits that read back. */
static void expect_as_the_library(double value)
{
    char text[WW_NUM_CHARS], expected[WW_NUM_CHARS];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        if (strtod(expected, NULL) == value) {
            break;
        }
    }
    assert_string_equal(ww_num_format(value, text), expected);
}

/* Doubles of everyday size have a way of their own: it says what the C library says. */
static void digits_are_as_the_library_has_them(void **state)
{
    (void)state;
    uint64_t bits = 3;
    for (int i = 0; i < 200000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        const uint64_t random = bits >> 11;
        /* of any mantissa, magnitudes from 10^-36 to 10^18 */
        expect_as_the_library(ldexp((double)(random | 1), (int)(bits >> 4 & 127) - 120 - 53) *
                              ((bits & 1) != 0 ? 1 : -1));
        /* of few digits, and those beside them */
        const double few = (double)(random % 100000) * pow(10, (int)(bits >> 5 & 31) - 26);
        expect_as_the_library(few);
        expect_as_the_library(nextafter(few, 1));
        /* whose digits end in a five: ties */
        expect_as_the_library(ldexp((double)(random >> (bits & 15)), -(int)(bits >> 6 & 63)));
    }
    static const double edges[] = {9.9999999999999995e16,
                                   9.99999999999999e-5,
                                   99999999999999.99,
                                   0.00099999999999999987,
                                   1e-34,
                                   1e17,
                                   123456789012345680.0,
                                   1234567890123456.5,
                                   0.0001,
                                   0.00001};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        expect_as_the_library(edges[i]);
        expect_as_the_library(nextafter(edges[i], 0));
        expect_as_the_library(nextafter(edges[i], 1e300));
    }
}

static void only_whole_numbers_are_accepted(void **state)
{
    (void)state;
    static const char *const bad[] = {"",  " 1", "1 ",    "0x10", "inf", "nan", "1e", "1e+",
                                      ".", "-",  "1.2.3", "1,5",  "--1", "e5",  "1f", "+.e1"};
    double value = -7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ww_num_parse_double(bad[i], &value, NULL), WW_EPARSE);
    }
    assert_int_equal(ww_num_parse_double("1e999", &value, NULL), WW_ERANGE);
    assert_true(value == -7);
    assert_int_equal(ww_num_parse_double("-.5e1", &value, NULL), WW_OK);
    assert_true(value == -5);
    assert_int_equal(ww_num_parse_double("1.", &value, NULL), WW_EPARSE);
}

static void scan_stops_behind_the_number(void **state)
{
    (void)state;
    const char *end;
    double value;
    const char *text = "0x1f";
    assert_true(ww_num_scan(text, &end, &value));
    assert_true(value == 0 && end == text + 1);
    text = "12eV";
    assert_true(ww_num_scan(text, &end, &value));
    assert_true(value == 12 && end == text + 2);
}

static void integers_are_checked(void **state)
{
    (void)state;
    uint64_t u;
    int64_t i;
    assert_int_equal(ww_num_parse_u64("18446744073709551615", &u, NULL), WW_OK);
    assert_true(u == UINT64_MAX);
    assert_int_equal(ww_num_parse_u64("18446744073709551616", &u, NULL), WW_ERANGE);
    assert_int_equal(ww_num_parse_u64("0xFf", &u, NULL), WW_OK);
    assert_true(u == 255);
    static const char *const bad[] = {"", "-1", "+1", "1.0", "0x", "0xg", " 1", "1 "};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(ww_num_parse_u64(bad[k], &u, NULL), WW_EPARSE);
    }
    assert_int_equal(ww_num_parse_i64("-9223372036854775808", &i, NULL), WW_OK);
    assert_true(i == INT64_MIN);
    assert_int_equal(ww_num_parse_i64("9223372036854775808", &i, NULL), WW_ERANGE);
    assert_int_equal(ww_num_parse_i64("-", &i, NULL), WW_EPARSE);
}

static void another_locale_changes_nothing(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
        skip(); /* locale not installed */
    }
    double value;
    char text[WW_NUM_CHARS];
    assert_int_equal(ww_num_parse_double("1.5", &value, NULL), WW_OK);
    assert_true(value == 1.5);
    assert_string_equal(ww_num_format(2.25, text), "2.25");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_round_trip_with_few_digits),
        cmocka_unit_test(whole_numbers_are_as_the_library_has_them),
        cmocka_unit_test(digits_are_as_the_library_has_them),
        cmocka_unit_test(only_whole_numbers_are_accepted),
        cmocka_unit_test(scan_stops_behind_the_number),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(another_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
