/* units.c - the unit table, text to SI, SI to text for people. */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/num.h"

/* Symbols of one quantity stand together, the one to show first in messages at the front. */
static const ww_unit units[] = {
    {"1", "1", 1, 1},
    {"B", "B", 1, 1},
    {"KiB", "B", 1024, 1},
    {"MiB", "B", 1048576, 1},
    {"GiB", "B", 1073741824, 1},
    {"bit", "bit", 1, 1},
    {"cycle", "cycle", 1, 1},
    {"cycles", "cycle", 1, 1},
    {"warp", "warp", 1, 1},
    {"warps", "warp", 1, 1},
    {"thread", "thread", 1, 1},
    {"threads", "thread", 1, 1},
    {"CTA", "CTA", 1, 1},
    {"CTAs", "CTA", 1, 1},
    {"Hz", "Hz", 1, 1},
    {"kHz", "Hz", 1e3, 1},
    {"MHz", "Hz", 1e6, 1},
    {"GHz", "Hz", 1e9, 1},
    {"m", "m", 1, 1},
    {"mm", "m", 1, 1e3},
    {"um", "m", 1, 1e6},
    {"nm", "m", 1, 1e9},
    {"m2", "m^2", 1, 1},
    {"m^2", "m^2", 1, 1},
    {"mm2", "m^2", 1, 1e6},
    {"mm^2", "m^2", 1, 1e6},
    {"um2", "m^2", 1, 1e12},
    {"um^2", "m^2", 1, 1e12},
    {"s", "s", 1, 1},
    {"ms", "s", 1, 1e3},
    {"us", "s", 1, 1e6},
    {"ns", "s", 1, 1e9},
    {"ps", "s", 1, 1e12},
    {"V", "V", 1, 1},
    {"mV", "V", 1, 1e3},
    {"A", "A", 1, 1},
    {"mA", "A", 1, 1e3},
    {"uA", "A", 1, 1e6},
    {"nA", "A", 1, 1e9},
    {"K", "K", 1, 1},
    {"K/W", "K/W", 1, 1},
    {"J/K", "J/K", 1, 1},
    {"W", "W", 1, 1},
    {"mW", "W", 1, 1e3},
    {"uW", "W", 1, 1e6},
    {"nW", "W", 1, 1e9},
    {"J", "J", 1, 1},
    {"mJ", "J", 1, 1e3},
    {"uJ", "J", 1, 1e6},
    {"nJ", "J", 1, 1e9},
    {"pJ", "J", 1, 1e12},
    {"fJ", "J", 1, 1e15},
    {"F", "F", 1, 1},
    {"pF", "F", 1, 1e12},
    {"fF", "F", 1, 1e15},
    {"aF", "F", 1, 1e18},
    {"ohm", "ohm", 1, 1},
    {"kohm", "ohm", 1e3, 1},
};

const ww_unit *ww_unit_find(const char *symbol)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(units); i++) {
        if (strcmp(units[i].symbol, symbol) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

const ww_unit *ww_unit_at(size_t i)
{
    return i < WW_ARRAY_LEN(units) ? &units[i] : NULL;
}

double ww_unit_to_si(const ww_unit *unit, double number)
{
    WW_ASSERT(unit->scale > 0 && unit->divisor > 0);
    return number * unit->scale / unit->divisor;
}

/* "KiB or MiB": what a value of this quantity may be given in. */
static void list_units(const char *si, char *buf, size_t size)
{
    buf[0] = '\0';
    for (size_t i = 0, used = 0; i < WW_ARRAY_LEN(units) && used < size; i++) {
        if (strcmp(units[i].si, si) == 0) {
            int n =
                snprintf(buf + used, size - used, "%s%s", used > 0 ? ", " : "", units[i].symbol);
            used += n > 0 ? (size_t)n : 0;
        }
    }
}

ww_status ww_units_parse(const char *text, const char *si, double *out, ww_error *err)
{
    const char *p = text + strspn(text, " \t");
    const char *end;
    double number;
    if (!ww_num_scan(p, &end, &number)) {
        return ww_fail(err, WW_EPARSE, "'%.60s' is not a number", text);
    }
    end += strspn(end, " \t");
    char symbol[16] = "";
    size_t n = strcspn(end, " \t");
    const char *rest = end + n + strspn(end + n, " \t");
    if (*rest != '\0' || n >= sizeof symbol) {
        return ww_fail(err, WW_EPARSE, "'%.60s' is not a number with a unit", text);
    }
    memcpy(symbol, end, n);
    const ww_unit *unit = n > 0 ? ww_unit_find(symbol) : NULL;
    if (n > 0 && (unit == NULL || strcmp(unit->si, si) != 0)) {
        char allowed[128];
        list_units(si, allowed, sizeof allowed);
        return ww_fail(err, WW_ERANGE, "'%.60s': unit '%s' %s; allowed: %s", text, symbol,
                       unit == NULL ? "is not known" : "is one of another quantity", allowed);
    }
    *out = unit != NULL ? ww_unit_to_si(unit, number) : number;
    return WW_OK;
}

/* Quantities that people write without prefix. */
static int is_plain(const char *si)
{
    static const char *const plain[] = {"1",   "K",     "K/W",  "J/K",    "V",  "ohm",
                                        "bit", "cycle", "warp", "thread", "CTA"};
    for (size_t i = 0; i < WW_ARRAY_LEN(plain); i++) {
        if (strcmp(si, plain[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static char *format_scaled(double value, double base, const char *const *prefixes, int lowest,
                           int highest, const char *si, char *buf, size_t size)
{
    int level = 0;
    double scaled = value;
    while (level < highest && fabs(scaled) >= base * (1 - 5e-5)) {
        scaled = value / pow(base, ++level);
    }
    while (level > lowest && scaled != 0 && fabs(scaled) < 1 - 5e-5) {
        scaled = value * pow(base, -(--level));
    }
    WW_ASSERT(level >= lowest && level <= highest);
    const char *prefix = prefixes[level - lowest];
    snprintf(buf, size, "%.4g%s%s%s", scaled, *prefix != '\0' || *si != '\0' ? " " : "", prefix,
             si);
    return buf;
}

char *ww_units_format(double value, const char *si, char *buf, size_t size)
{
    static const char *const metric[] = {"a", "f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti"};
    static const char *const counts[] = {"", "k", "M", "G", "T", "P"};
    if (is_plain(si)) {
        snprintf(buf, size, "%.6g%s%s", value, strcmp(si, "1") != 0 ? " " : "",
                 strcmp(si, "1") != 0 ? si : "");
        return buf;
    }
    if (strcmp(si, "m^2") == 0) {
        snprintf(buf, size, "%.4g mm2", value * 1e6);
        return buf;
    }
    if (strcmp(si, "B") == 0) {
        return format_scaled(value, 1024, binary, 0, 4, si, buf, size);
    }
    if (*si == '\0') {
        return format_scaled(value, 1000, counts, 0, 5, si, buf, size);
    }
    return format_scaled(value, 1000, metric, -6, 5, si, buf, size);
}
