/* num.c - numbers as text, whatever locale the process runs in. */
#include "base/num.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p)) {
        p++;
    }
    return p;
}

/* End of the longest decimal number at text, NULL when there is none. */
static const char *number_end(const char *text)
{
    const char *p = text + (*text == '+' || *text == '-');
    const char *whole = p;
    p = skip_digits(p);
    size_t digits = (size_t)(p - whole);
    if (*p == '.') {
        const char *fraction = p + 1;
        const char *end = skip_digits(fraction);
        digits += (size_t)(end - fraction);
        p = end > fraction ? end : p;
    }
    if (digits == 0) {
        return NULL;
    }
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '+' || p[1] == '-');
        p = is_digit(*exponent) ? skip_digits(exponent) : p;
    }
    return p;
}

/* The C locale for this thread, for the time of one conversion: a program that loads WarpWatt as a
 * library may have set another one, with another decimal point. */
typedef struct c_locale {
    locale_t c, before;
} c_locale;

static c_locale enter_c_locale(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (c_locale){c, c != (locale_t)0 ? uselocale(c) : (locale_t)0};
}

static void leave_c_locale(c_locale l)
{
    if (l.c != (locale_t)0) {
        uselocale(l.before);
        freelocale(l.c);
    }
}

/* Whole numbers of so many digits are doubles, each of its own: they need no locale, whose change
 * costs more than the conversion. */
enum { PLAIN_DIGITS = 15 };
#define PLAIN_END 1e15

/* A number that is nothing but a few digits; false: it is not. */
static bool scan_plain(const char *text, const char *stop, double *out)
{
    int64_t value = 0;
    if (stop - text > PLAIN_DIGITS || skip_digits(text) != stop) {
        return false;
    }
    for (const char *p = text; p < stop; p++) {
        value = 10 * value + (*p - '0');
    }
    *out = (double)value;
    return true;
}

bool ww_num_scan(const char *text, const char **end, double *out)
{
    const char *stop = number_end(text);
    if (stop == NULL) {
        return false;
    }
    if (scan_plain(text, stop, out)) {
        *end = stop;
        return true;
    }
    c_locale locale = enter_c_locale();
    char *read_to;
    double value = strtod(text, &read_to);
    leave_c_locale(locale);
    if (read_to != stop) { /* "0x1f": here the number is the leading zero */
        value = 0;
    }
    if (!isfinite(value)) {
        return false;
    }
    *end = stop;
    *out = value;
    return true;
}

ww_status ww_num_parse_double(const char *text, double *out, ww_error *err)
{
    const char *end = number_end(text);
    if (end == NULL || *end != '\0') {
        return ww_fail(err, WW_EPARSE, "'%.60s' is not a number", text);
    }
    if (!ww_num_scan(text, &end, out)) {
        return ww_fail(err, WW_ERANGE, "'%.60s' is too large", text);
    }
    return WW_OK;
}

ww_status ww_num_parse_u64(const char *text, uint64_t *out, ww_error *err)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hex ? 2 : 0);
    size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (n == 0 || digits[n] != '\0') {
        return ww_fail(err, WW_EPARSE, "'%.60s' is not an unsigned integer", text);
    }
    errno = 0;
    unsigned long long value = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE) {
        return ww_fail(err, WW_ERANGE, "'%.60s' does not fit 64 bits", text);
    }
    *out = value;
    return WW_OK;
}

ww_status ww_num_parse_i64(const char *text, int64_t *out, ww_error *err)
{
    const char *digits = text + (*text == '+' || *text == '-');
    const char *end = skip_digits(digits);
    if (end == digits || *end != '\0') {
        return ww_fail(err, WW_EPARSE, "'%.60s' is not an integer", text);
    }
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno == ERANGE) {
        return ww_fail(err, WW_ERANGE, "'%.60s' does not fit 64 bits", text);
    }
    *out = value;
    return WW_OK;
}

/* Such a number's digits. */
static char *format_plain(uint64_t value, char buf[WW_NUM_CHARS])
{
    char digits[PLAIN_DIGITS];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < n; i++) {
        buf[i] = digits[n - 1 - i];
    }
    buf[n] = '\0';
    return buf;
}

char *ww_num_format(double value, char buf[WW_NUM_CHARS])
{
    if (value >= 0 && value < PLAIN_END && !signbit(value) && value == floor(value)) {
        return format_plain((uint64_t)value, buf);
    }
    if (isnan(value)) {
        return memcpy(buf, "nan", sizeof "nan");
    }
    if (isinf(value)) {
        return value > 0 ? memcpy(buf, "inf", sizeof "inf") : memcpy(buf, "-inf", sizeof "-inf");
    }
    if (ww_decimal_format(value, buf)) {
        return buf;
    }
    c_locale locale = enter_c_locale();
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, WW_NUM_CHARS, "%.*g", digits, value);
        if (strtod(buf, NULL) == value) {
            break;
        }
    }
    leave_c_locale(locale);
    return buf;
}
