/* convert.c - cvt: what to expect is read from the form's own words (rounding, .ftz, .sat, .relu,
 * the two types) and follows the manual's section "cvt". */
#include <stdio.h>

#include "halves.h"
#include "lane.h"

typedef enum number { INTEGER, REAL } number;

typedef struct type {
    const char *name;
    char letter; /* operand in lane.h; of types below 16 bits, the register that holds them */
    number kind;
    unsigned bits;
    bool is_signed;
} type;

static const type types[] = {
    {"u8", 'w', INTEGER, 8, false},   {"s8", 'w', INTEGER, 8, true},
    {"u16", 'h', INTEGER, 16, false}, {"s16", 'h', INTEGER, 16, true},
    {"u32", 'w', INTEGER, 32, false}, {"s32", 'w', INTEGER, 32, true},
    {"u64", 'l', INTEGER, 64, false}, {"s64", 'l', INTEGER, 64, true},
    {"f16", 'y', REAL, 16, true},     {"bf16", 'h', REAL, 16, true},
    {"tf32", 'w', REAL, 32, true},    {"f32", 'g', REAL, 32, true},
    {"f64", 'd', REAL, 64, true},     {"f16x2", 'x', REAL, 16, true},
    {"bf16x2", 'z', REAL, 16, true},
};

/* The form whose operands are being compared: lane functions know only values. */
static struct conversion {
    const type *to, *from;
    int direction; /* of the host */
    bool away, integral, saturates, flushes, relu, finite;
} now;

static const type *type_of(const char *name, size_t n)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(types); i++) {
        if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

static int direction_of(const char *form, bool *integral)
{
    static const struct {
        const char *word;
        int direction;
    } words[] = {{"rn", IEEE_RN},  {"rz", IEEE_RZ},  {"rm", IEEE_RM},  {"rp", IEEE_RP},
                 {"rni", IEEE_RN}, {"rzi", IEEE_RZ}, {"rmi", IEEE_RM}, {"rpi", IEEE_RP}};
    *integral = false;
    for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
        if (form_has(form, words[i].word)) {
            *integral = words[i].word[2] == 'i';
            return words[i].direction;
        }
    }
    return IEEE_RN;
}

static bool decode(const char *form)
{
    const char *last = strrchr(form, '.'), *before = last;
    while (before > form && *--before != '.') {
    }
    now.from = type_of(last + 1, strlen(last + 1));
    now.to = type_of(before + 1, (size_t)(last - before - 1));
    now.direction = direction_of(form, &now.integral);
    now.away = form_has(form, "rna");
    now.saturates = form_has(form, "sat");
    now.flushes = form_has(form, "ftz");
    now.relu = form_has(form, "relu");
    now.finite = form_has(form, "satfinite");
    return now.from != NULL && now.to != NULL;
}

/* ---- to integers ---- */

static uint64_t all_ones(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Bits of an integer as its register holds it: extended by its own sign. */
static uint64_t in_register(const type *t, uint64_t v)
{
    v &= all_ones(t->bits);
    bool negative = t->is_signed && (v >> (t->bits - 1) & 1) != 0;
    return negative ? v | ~all_ones(t->bits) : v;
}

static uint64_t between_integers(lane_value a)
{
    uint64_t v = in_register(now.from, a.u64);
    if (!now.saturates) {
        return in_register(now.to, v);
    }
    bool below = now.from->is_signed && (int64_t)v < 0;
    uint64_t largest = all_ones(now.to->bits - now.to->is_signed);
    if (below) {
        int64_t least = now.to->is_signed ? -1 - (int64_t)largest : 0;
        return (uint64_t)((int64_t)v < least ? least : (int64_t)v);
    }
    return v > largest ? largest : v;
}

/* NaN becomes zero between types of at most 32 bits, else only the highest bit is set. Beyond the
 * range: its end. */
static uint64_t to_integer(double v)
{
    const type *t = now.to;
    if (isnan(v)) {
        bool wide = t->bits == 64 || now.from->bits == 64;
        return in_register(t, wide ? UINT64_C(1) << (t->bits - 1) : 0);
    }
    double r = ieee_integral(v, 0, 0, now.direction);
    double end = ldexp(1.0, (int)(t->bits - t->is_signed));
    if (r >= end) {
        return all_ones(t->bits - t->is_signed);
    }
    if (r < 0) {
        return t->is_signed
                   ? in_register(t, r <= -end ? UINT64_C(1) << (t->bits - 1) : (uint64_t)(int64_t)r)
                   : 0;
    }
    return (uint64_t)r;
}

/* ---- to floats ---- */

static float narrowed(double v, int direction)
{
    volatile double x = v;
    fesetround(direction);
    volatile float r = (float)x;
    fesetround(FE_TONEAREST);
    return r;
}

/* An integer into f32 or f64, rounded once. */
static double from_integer(uint64_t v, bool is_signed, bool to_f32)
{
    volatile int64_t s = (int64_t)v;
    volatile uint64_t u = v;
    volatile float f;
    volatile double d;
    fesetround(now.direction);
    if (to_f32) {
        f = is_signed ? (float)s : (float)u;
        d = (double)f;
    } else {
        d = is_signed ? (double)s : (double)u;
    }
    fesetround(FE_TONEAREST);
    return d;
}

static double clipped(double v, double most)
{
    v = now.finite && fabs(v) > most ? copysign(most, v) : v;
    v = now.relu && v <= 0 ? 0.0 : v;
    return !now.saturates ? v : isnan(v) || v <= 0 ? 0.0 : v < 1 ? v : 1.0;
}

/* A real number in the destination's format, its bits. */
static uint64_t to_real(double v)
{
    const char *t = now.to->name;
    if (strcmp(t, "f16") == 0 || strcmp(t, "f16x2") == 0) {
        return f16_from(clipped(v, 65504));
    }
    if (strcmp(t, "bf16") == 0 || strcmp(t, "bf16x2") == 0) {
        return bf16_from(clipped(v, 0x1.fep127));
    }
    if (strcmp(t, "tf32") == 0) {
        v = clipped(v, 0x1.ffcp127);
        return isnan(v) ? 0x7fffffff : bits_of((float)rounded(v, 11, -126, now.away));
    }
    if (strcmp(t, "f32") == 0) {
        float f = narrowed(v, now.direction);
        return bits_of((float)clipped((double)(now.flushes ? ieee_flush(f) : f), 0));
    }
    return bits64_of(clipped(v, 0));
}

static double source_value(lane_value a)
{
    const char *t = now.from->name;
    if (strcmp(t, "f64") == 0) {
        return a.f64;
    }
    if (strcmp(t, "f16") == 0) {
        return f16_value(a.u16);
    }
    return (double)(now.flushes ? ieee_flush(a.f32) : a.f32);
}

static uint64_t want(lane_value a, lane_value b, lane_value c)
{
    (void)c;
    if (now.from->kind == INTEGER) {
        if (now.to->kind == INTEGER) {
            return between_integers(a);
        }
        uint64_t v = in_register(now.from, a.u64);
        return to_real(from_integer(v, now.from->is_signed, now.to->bits == 32));
    }
    double v = source_value(a);
    if (now.to->kind == INTEGER) {
        return to_integer(v);
    }
    v = now.integral ? ieee_integral(v, 0, 0, now.direction) : v;
    if (now.to->letter == 'x' || now.to->letter == 'z') { /* a is the upper half */
        return to_real(v) << 16 | to_real((double)b.f32);
    }
    return to_real(v);
}

static bool claims(const char *form)
{
    return strncmp(form, "cvt.", 4) == 0 && strncmp(form, "cvt.pack", 8) != 0 && decode(form);
}

static void check(const char *form, bool lowered, form_log *log)
{
    char kinds[8];
    decode(form);
    bool pair = now.to->letter == 'x' || now.to->letter == 'z';
    snprintf(kinds, sizeof kinds, "%c=%c%s", now.to->letter, now.from->letter, pair ? "f" : "");
    lane_check(&(lane_row){form, kinds, want, NULL, NULL}, lowered, log);
}

const form_family form_convert = {"conversions", claims, check};
