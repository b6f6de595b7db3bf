/* narrow.c - pairs of floats of at most 8 bits, and cvt.pack. The value of every code follows from
 * its format's definition (OCP 8-bit Floating Point Specification 1.0, Microscaling Formats 1.0); a
 * number is rounded by going through all codes for the nearest. */
#include <stdio.h>

#include "halves.h"
#include "lane.h"

typedef struct format {
    const char *name; /* of a pair */
    unsigned bits, fraction;
    int bias;
    unsigned finite; /* codes of finite numbers, from zero up */
    unsigned infinity, nan;
} format;

enum { NONE = 0x100 };
static const format formats[] = {
    {"e4m3x2", 8, 3, 7, 0x7f, NONE, 0x7f}, {"e5m2x2", 8, 2, 15, 0x7c, 0x7c, 0x7f},
    {"e3m2x2", 6, 2, 3, 0x20, NONE, NONE}, {"e2m3x2", 6, 3, 1, 0x20, NONE, NONE},
    {"e2m1x2", 4, 1, 1, 0x8, NONE, NONE},
};

/* The form that is checked: lane functions know only values. */
static struct {
    const format *f;
    bool relu, up, finite;
} now;

static double value(const format *f, unsigned magnitude)
{
    unsigned e = magnitude >> f->fraction, digits = magnitude & ((1u << f->fraction) - 1);
    return e == 0 ? ldexp(digits, 1 - f->bias - (int)f->fraction)
                  : ldexp((1u << f->fraction) + digits, (int)e - f->bias - (int)f->fraction);
}

static unsigned nearest(double v)
{
    const format *f = now.f;
    unsigned best = 0, sign = signbit(v) ? 1u << (f->bits - 1) : 0;
    if (isnan(v)) {
        return f->nan == NONE ? f->finite - 1 : f->nan;
    }
    if (sign != 0 && now.relu) {
        return 0;
    }
    double a = fmin(fabs(v), value(f, f->finite - 1));
    for (unsigned code = 1; code < f->finite; code++) {
        double old = fabs(a - value(f, best)), d = fabs(a - value(f, code));
        best = d < old || (d == old && code % 2 == 0) ? code : best;
    }
    return sign | best;
}

static uint64_t packed(unsigned upper, unsigned lower)
{
    return (uint64_t)upper << (now.f->bits == 4 ? 4 : 8) | lower;
}

LANE_FUNCTION(from_f32, packed(nearest((double)a.f32), nearest((double)b.f32)))
LANE_FUNCTION(from_f16, packed(nearest(f16_value(a.u32 >> 16)), nearest(f16_value(a.u32 & 0xffff))))

static uint64_t half(unsigned code)
{
    const format *f = now.f;
    unsigned sign = code >> (f->bits - 1) & 1, magnitude = code & ((1u << (f->bits - 1)) - 1);
    bool nan = magnitude >= f->finite && magnitude != f->infinity;
    if (sign != 0 && now.relu && !nan) {
        return 0;
    }
    return nan                        ? 0x7fff
           : magnitude == f->infinity ? sign << 15 | 0x7c00
                                      : sign << 15 | f16_from(value(f, magnitude));
}

static uint64_t want_halves(lane_value a, lane_value b, lane_value c)
{
    unsigned bits = now.f->bits, upper = a.u32 >> (bits == 4 ? 4 : 8);
    (void)b, (void)c;
    return half(upper & ((1u << bits) - 1)) << 16 | half(a.u32 & ((1u << bits) - 1));
}

/* ---- powers of two ---- */

static uint64_t scale(double v)
{
    double a = fabs(v);
    unsigned code = 0;
    if (isnan(v)) {
        return 0xff;
    }
    if (isinf(v)) {
        return now.finite ? 0xfe : 0xff;
    }
    while (code < 0xff &&
           (now.up ? ldexp(1.0, (int)code - 127) < a : ldexp(1.0, (int)code + 1 - 127) <= a)) {
        code++;
    }
    return code == 0xff && now.finite ? 0xfe : code;
}

static uint64_t bf16_of_scale(unsigned code)
{
    return code == 0xff ? 0x7fff : bits_of((float)ldexp(1.0, (int)code - 127)) >> 16;
}

LANE_FUNCTION(scale_f32, scale((double)a.f32) << 8 | scale((double)b.f32))
LANE_FUNCTION(scale_bf16, scale(bf16_value(a.u32 >> 16)) << 8 | scale(bf16_value(a.u32)))
LANE_FUNCTION(of_scale, bf16_of_scale(a.u32 >> 8 & 0xff) << 16 | bf16_of_scale(a.u32 & 0xff))

/* ---- cvt.pack ---- */

static struct {
    unsigned bits;
    bool is_signed;
} packing;

static uint64_t fitted(int64_t v)
{
    int64_t most = ((int64_t)1 << (packing.bits - packing.is_signed)) - 1;
    int64_t least = packing.is_signed ? -1 - most : 0;
    v = v < least ? least : v > most ? most : v;
    return (uint64_t)v & ((1u << packing.bits) - 1);
}

static uint64_t want_pack(lane_value a, lane_value b, lane_value c)
{
    uint64_t rest = packing.bits == 16 ? 0 : (uint64_t)c.u32 << 2 * packing.bits;
    return (uint32_t)(rest | fitted(a.s32) << packing.bits | fitted(b.s32));
}

static void check_pack(const char *form, bool lowered, form_log *log)
{
    static const struct {
        const char *word;
        unsigned bits;
    } types[] = {{"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}};
    for (size_t i = 0; i < WW_ARRAY_LEN(types); i++) {
        char s[8], u[8];
        snprintf(s, sizeof s, "s%s", types[i].word);
        snprintf(u, sizeof u, "u%s", types[i].word);
        packing.is_signed = form_has(form, s);
        packing.bits = types[i].bits;
        if (packing.is_signed || form_has(form, u)) {
            break;
        }
    }
    bool two = packing.bits == 16;
    lane_check(&(lane_row){form, two ? "w=ww" : "w=www", want_pack, NULL, NULL}, lowered, log);
}

/* ---- the family ---- */

static const format *format_of(const char *form)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(formats); i++) {
        if (form_has(form, formats[i].name)) {
            return &formats[i];
        }
    }
    return NULL;
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"cvt.", NULL};
    return form_starts(form, prefixes) &&
           (format_of(form) != NULL || form_has(form, "ue8m0x2") || form_has(form, "pack"));
}

/* Four bits each fill a register of 8, which no load or store has. */
static void check_byte(const char *form, bool lowered, form_log *log)
{
    char body[200];
    bool to = strcmp(form_last(form), "e2m1x2") != 0;
    snprintf(body, sizeof body,
             to ? "{ .reg .b8 %%b0; %s %%b0, $a, $b; cvt.u16.u8 $d, %%b0; }"
                : "{ .reg .b8 %%b0; cvt.u8.u32 %%b0, $a; %s $d, %%b0; }",
             form);
    lane_check(to ? &(lane_row){form, "h=ff", want_from_f32, NULL, body}
                  : &(lane_row){form, "x=w", want_halves, NULL, body},
               lowered, log);
}

static void check(const char *form, bool lowered, form_log *log)
{
    const char *from = form_last(form);
    now.f = format_of(form);
    now.relu = form_has(form, "relu");
    now.up = form_has(form, "rp");
    now.finite = form_has(form, "satfinite");
    if (form_has(form, "pack")) {
        check_pack(form, lowered, log);
    } else if (now.f != NULL && now.f->bits == 4) {
        check_byte(form, lowered, log);
    } else if (now.f == NULL) {
        lane_check(strcmp(from, "f32") == 0 ? &(lane_row){form, "h=ff", want_scale_f32, NULL, NULL}
                   : strcmp(from, "bf16x2") == 0
                       ? &(lane_row){form, "h=z", want_scale_bf16, NULL, NULL}
                       : &(lane_row){form, "z=h", want_of_scale, NULL, NULL},
                   lowered, log);
    } else {
        lane_check(strcmp(from, "f32") == 0 ? &(lane_row){form, "h=ff", want_from_f32, NULL, NULL}
                   : strcmp(from, "f16x2") == 0
                       ? &(lane_row){form, "h=x", want_from_f16, NULL, NULL}
                       : &(lane_row){form, "x=h", want_halves, NULL, NULL},
                   lowered, log);
    }
}

const form_family form_narrow = {"floats of 8 bits and less, cvt.pack", claims, check};
