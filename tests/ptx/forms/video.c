/* video.c - video instructions: what to expect is read from the form's words and follows the
 * manual's pseudocode in "Scalar Video Instructions" and "SIMD Video Instructions". */
#include <stdio.h>

#include "lane.h"

static struct {
    char operation[16]; /* without its number of parts */
    unsigned parts;
    bool to_signed, a_signed, b_signed, sat;
    const char *combine; /* "add", "min", "max" or NULL */
    const char *compare;
    bool wrap;
    bool one; /* vmad: plus one */
    unsigned shift;
    bool selects;      /* the test takes .b1 of a and .h1 of b */
    const char *minus; /* vmad: which of a, b and c have a minus */
} now;

static const char *const combines[] = {"add", "min", "max"};
static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};

__extension__ typedef __int128 wide; /* holds every intermediate result */

static wide extended(uint64_t v, unsigned bits, bool is_signed)
{
    v &= (UINT64_C(1) << bits) - 1;
    return is_signed && (v >> (bits - 1) & 1) != 0 ? (wide)v - ((wide)1 << bits) : (wide)v;
}

static bool compared(wide a, wide b)
{
    const char *c = now.compare;
    return c == compares[0]   ? a == b
           : c == compares[1] ? a != b
           : c == compares[2] ? a < b
           : c == compares[3] ? a <= b
           : c == compares[4] ? a > b
                              : a >= b;
}

static wide one(wide a, wide b)
{
    const char *o = now.operation;
    if (strcmp(o, "vadd") == 0) {
        return a + b;
    }
    if (strcmp(o, "vsub") == 0) {
        return a - b;
    }
    if (strcmp(o, "vabsdiff") == 0) {
        return a < b ? b - a : a - b;
    }
    if (strcmp(o, "vmin") == 0) {
        return a < b ? a : b;
    }
    if (strcmp(o, "vmax") == 0) {
        return a > b ? a : b;
    }
    if (strcmp(o, "vavrg") == 0) { /* half of the sum, ties toward positive infinity or, below
                                      zero, by the shift toward negative */
        wide sum = a + b + (a + b >= 0);
        return sum >= 0 ? sum / 2 : -((1 - sum) / 2);
    }
    if (strcmp(o, "vset") == 0) {
        return compared(a, b);
    }
    unsigned n = now.wrap ? (unsigned)b % 32 : b > 32 ? 32 : (unsigned)b;
    wide power = (wide)1 << n;
    return strcmp(o, "vshl") == 0 ? a * power : a >= 0 ? a / power : -((-a + power - 1) / power);
}

static uint64_t want(lane_value a, lane_value b, lane_value c)
{
    unsigned bits = 32 / now.parts;
    uint32_t d = 0, sum = 0, x = now.selects ? a.u32 >> 8 & 255 : a.u32,
             y = now.selects ? b.u32 >> 16 : b.u32;
    for (unsigned i = 0; i < now.parts; i++) {
        wide v = one(extended(x >> i * bits, now.selects ? 8 : bits, now.a_signed),
                     extended(y >> i * bits, now.selects ? 16 : bits, now.b_signed));
        wide most = ((wide)1 << (bits - now.to_signed)) - 1;
        wide least = now.to_signed ? -1 - most : 0;
        v = !now.sat ? v : v < least ? least : v > most ? most : v;
        d |= (uint32_t)((uint64_t)v & ((UINT64_C(1) << bits) - 1)) << i * bits;
        sum += (uint32_t)(uint64_t)v;
    }
    if (now.combine == NULL) {
        return d;
    }
    bool less = now.to_signed ? (int32_t)d < c.s32 : d < c.u32;
    return now.combine == combines[0]   ? (now.parts > 1 ? sum : d) + c.u32
           : now.combine == combines[1] ? (less ? d : c.u32)
                                        : (less ? c.u32 : d);
}

static bool has_minus(char operand)
{
    return now.minus != NULL && strchr(now.minus, operand) != NULL;
}

/* vmad: the whole sum, shifted, and clamped as its sign says, which what is negated always has. */
static uint64_t want_mad(lane_value a, lane_value b, lane_value c)
{
    uint32_t x = now.selects ? a.u32 >> 8 & 255 : a.u32, y = now.selects ? b.u32 >> 16 : b.u32;
    bool minus_product = has_minus('a') != has_minus('b'), minus_addend = has_minus('c');
    bool final_signed = now.a_signed || now.b_signed || minus_product || minus_addend;
    wide product = extended(x, now.selects ? 8 : 32, now.a_signed) *
                   extended(y, now.selects ? 16 : 32, now.b_signed);
    wide addend = extended(c.u32, 32, final_signed);
    wide v = (minus_product ? -product : product) + (minus_addend ? -addend : addend) + now.one;
    wide power = (wide)1 << now.shift;
    v = v >= 0 ? v / power : -((-v + power - 1) / power);
    wide most = ((wide)1 << (32 - final_signed)) - 1;
    wide least = final_signed ? -1 - most : 0;
    v = !now.sat ? v : v < least ? least : v > most ? most : v;
    return (uint64_t)v & UINT32_MAX;
}

/* The words of a form: operation, two or three types, the rest. */
static void decode(const char *form)
{
    size_t n = strcspn(form, ".");
    bool types[3] = {false}; /* signed */
    unsigned count = 0;
    memset(&now, 0, sizeof now);
    now.parts = form[n - 1] == '2' ? 2 : form[n - 1] == '4' ? 4 : 1;
    memcpy(now.operation, form, n - (now.parts > 1));
    for (const char *p = form + n; *p == '.'; p += 1 + strcspn(p + 1, ".")) {
        if (strncmp(p, ".u32", 4) == 0 || strncmp(p, ".s32", 4) == 0) {
            types[count++] = p[1] == 's';
        }
    }
    bool sets = count == 2;
    now.to_signed = !sets && types[0];
    now.a_signed = types[sets ? 0 : 1];
    now.b_signed = types[sets ? 1 : 2];
    now.sat = form_has(form, "sat");
    now.wrap = form_has(form, "wrap");
    now.one = form_has(form, "po");
    now.shift = form_has(form, "shr7") ? 7 : form_has(form, "shr15") ? 15 : 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(combines); i++) {
        now.combine = form_has(form, combines[i]) ? combines[i] : now.combine;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(compares); i++) {
        now.compare = form_has(form, compares[i]) ? compares[i] : now.compare;
    }
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"vadd", "vsub", "vmin",  "vmax", "vset", "vabsdiff",
                                           "vshl", "vshr", "vavrg", "vmad", NULL};
    return form_starts(form, prefixes);
}

static void check(const char *form, bool lowered, form_log *log)
{
    decode(form);
    bool mad = strcmp(now.operation, "vmad") == 0;
    bool third = mad || now.combine != NULL || now.parts > 1,
         shifts = now.operation[1] == 's' && now.operation[2] == 'h';
    char kinds[8];
    snprintf(kinds, sizeof kinds, "w=w%c%s", shifts ? 'n' : 'w', third ? "w" : "");
    lane_check(&(lane_row){form, kinds, mad ? want_mad : want, NULL, NULL}, lowered, log);
    if (now.parts == 1) {
        char body[200];
        now.selects = true;
        snprintf(body, sizeof body, "%s $d, $a.b1, $b.h1%s;", form, third ? ", $c" : "");
        lane_check(&(lane_row){form, kinds, mad ? want_mad : want, NULL, body}, lowered, log);
    }
    now.selects = false;
    static const char *const minus[] = {"a", "b", "c", "ab", "abc"};
    for (size_t i = 0; mad && !now.one && i < WW_ARRAY_LEN(minus); i++) {
        char body[200];
        now.minus = minus[i];
        snprintf(body, sizeof body, "%s $d, %s$a, %s$b, %s$c;", form, has_minus('a') ? "-" : "",
                 has_minus('b') ? "-" : "", has_minus('c') ? "-" : "");
        lane_check(&(lane_row){form, kinds, want_mad, NULL, body}, lowered, log);
    }
}

const form_family form_video = {"video instructions", claims, check};
