/* extra_integer.c - integer and logic forms that compilers seldom make but the manual has. */
#include "lane.h"

static uint64_t apart(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static uint64_t high64(int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    uint64_t middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (uint32_t)middle;
    uint64_t high = x1 * y1 + (middle >> 32) + (other >> 32);
    return high - (a < 0 ? y : 0) - (b < 0 ? x : 0);
}

static int64_t saturated(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}

static uint64_t low24(uint32_t a)
{
    return a & 0xffffff;
}

static uint64_t signed24(uint32_t a)
{
    return (low24(a) ^ 0x800000) - 0x800000;
}

static uint32_t dot4(uint32_t a, bool sa, uint32_t b, bool sb)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        uint32_t x = a >> i & 255, y = b >> i & 255;
        x = sa ? (x ^ 128) - 128 : x;
        y = sb ? (y ^ 128) - 128 : y;
        sum += x * y;
    }
    return sum;
}

static uint64_t field(uint64_t a, uint32_t position, uint32_t length, unsigned bits, bool is_signed)
{
    uint32_t pos = position & 255, len = length & 255;
    uint32_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    uint64_t sign = is_signed && len > 0 ? a >> top & 1 : 0, d = 0;
    for (uint32_t i = 0; i < bits; i++) {
        uint64_t bit = i < len && pos + i < bits ? a >> (pos + i) & 1 : sign;
        d |= bit << i;
    }
    return d;
}

static uint32_t found(uint64_t a, unsigned bits, bool is_signed, bool shift)
{
    if (is_signed && (a >> (bits - 1) & 1) != 0) {
        a = ~a;
    }
    for (unsigned i = bits; i-- > 0;) {
        if ((a >> i & 1) != 0) {
            return shift ? bits - 1 - i : i;
        }
    }
    return UINT32_MAX;
}

static uint64_t reversed(uint64_t v)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 64; i++) {
        r |= (v >> i & 1) << (63 - i);
    }
    return r;
}

static uint32_t nth(uint32_t mask, uint32_t base, int32_t offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0) {
        return (mask >> base & 1) != 0 ? base : UINT32_MAX;
    }
    for (int at = (int)base; at >= 0 && at < 32; at += step) {
        if ((mask >> at & 1) != 0 && --left == 0) {
            return (uint32_t)at;
        }
    }
    return UINT32_MAX;
}

static uint32_t extended(uint32_t a, uint32_t b, bool is_signed, bool clamps)
{
    uint32_t n = b & 31;
    bool large = b >= 32 && clamps;
    uint32_t mask = large ? 0 : UINT32_MAX << n;
    bool sign = n != 0 && !large && is_signed && (a >> (n - 1) & 1) != 0;
    return (a & ~mask) | (sign ? mask : 0);
}

static uint32_t table(uint32_t a, uint32_t b, uint32_t c, uint32_t lut)
{
    uint32_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        d |= (lut >> index & 1) << i;
    }
    return d;
}

/* prmt with a mode: byte i of the result is byte index[selector][i] of b:a. */
static uint32_t picked(uint32_t a, uint32_t b, const char *index)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (unsigned i = 0; i < 4; i++) { /* the manual lists b3 first */
        d |= (uint32_t)(bytes >> 8 * (unsigned)(index[3 - i] - '0') & 255) << 8 * i;
    }
    return d;
}

/* Modes of prmt: the bytes that it picks, by the low bits of the selector. */
#define PICKS(name, ...)                                                                           \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c)                                       \
    {                                                                                              \
        static const char *const rows[] = {__VA_ARGS__};                                           \
        return picked(a, b, rows[c & 3]);                                                          \
    }
PICKS(f4e, "3210", "4321", "5432", "6543")
PICKS(b4e, "5670", "6701", "7012", "0123")
PICKS(rc8, "0000", "1111", "2222", "3333")
PICKS(ecl, "3210", "3211", "3222", "3333")
PICKS(ecr, "0000", "1110", "2210", "3210")
PICKS(rc16, "1010", "3232", "1010", "3232")

static uint32_t mask_wrapped(uint32_t position, uint32_t length)
{
    uint32_t v = 0;
    for (uint32_t i = position & 31, end = i + (length & 31); i < end && i < 32; i++) {
        v |= 1u << i;
    }
    return v;
}

/* One of two halves, or a word, as a number. */
static int64_t number(uint32_t v, unsigned half, unsigned bits, bool is_signed)
{
    int64_t n = (int64_t)(bits == 32 ? v : v >> 16 * half & 0xffff), range = (int64_t)1 << bits;
    return is_signed && n >= range / 2 ? n - range : n;
}

static int64_t sum(int64_t a, int64_t b)
{
    return a + b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a < b ? b : a;
}

static int64_t least_relu(int64_t a, int64_t b)
{
    return least(a, b) < 0 ? 0 : least(a, b);
}

static int64_t most_relu(int64_t a, int64_t b)
{
    return most(a, b) < 0 ? 0 : most(a, b);
}

/* Half by half. */
static uint64_t halves(lane_value a, lane_value b, bool is_signed, int64_t (*of)(int64_t, int64_t))
{
    uint64_t d = 0;
    for (unsigned half = 0; half < 2; half++) {
        int64_t v = of(number(a.u32, half, 16, is_signed), number(b.u32, half, 16, is_signed));
        d |= ((uint64_t)v & 0xffff) << 16 * half;
    }
    return d;
}

static uint64_t word(lane_value a, lane_value b, int64_t (*of)(int64_t, int64_t))
{
    return (uint64_t)of(a.s32, b.s32) & UINT32_MAX;
}

#define PRODUCT ((uint64_t)a.u32 * b.u32)

#define SIMPLE(X)                                                                                  \
    X(abs_s16, "abs.s16", "h=h", a.s16 < 0 ? -a.s16 : a.s16)                                       \
    X(abs_s64, "abs.s64", "l=l", a.s64 < 0 ? 0 - a.u64 : a.u64)                                    \
    X(neg_s16, "neg.s16", "h=h", -a.s16)                                                           \
    X(sub_sat, "sub.sat.s32", "w=ww", saturated((int64_t)a.s32 - b.s32))                           \
    X(min_s16, "min.s16", "h=hh", a.s16 < b.s16 ? a.s16 : b.s16)                                   \
    X(max_s16, "max.s16", "h=hh", a.s16 > b.s16 ? a.s16 : b.s16)                                   \
    X(max_s64, "max.s64", "l=ll", a.s64 > b.s64 ? a.s64 : b.s64)                                   \
    X(mul_hi_u16, "mul.hi.u16", "h=hh", (uint32_t)a.u16 *b.u16 >> 16)                              \
    X(mul_hi_s16, "mul.hi.s16", "h=hh", (uint32_t)(a.s16 * b.s16) >> 16)                           \
    X(mul_hi_s64, "mul.hi.s64", "l=ll", high64(a.s64, b.s64))                                      \
    X(mad_hi_u32, "mad.hi.u32", "w=www", (PRODUCT >> 32) + c.u32)                                  \
    X(mad_hi_s32, "mad.hi.s32", "w=www", ((uint64_t)((int64_t)a.s32 * b.s32) >> 32) + c.u32)       \
    X(mad_hi_sat, "mad.hi.sat.s32", "w=www",                                                       \
      saturated((int32_t)((uint64_t)((int64_t)a.s32 * b.s32) >> 32) + (int64_t)c.s32))             \
    X(mad_lo_s16, "mad.lo.s16", "h=hhh", (uint32_t)a.u16 *b.u16 + c.u16)                           \
    X(mad_lo_s64, "mad.lo.s64", "l=lll", a.u64 *b.u64 + c.u64)                                     \
    X(mad_hi_s64, "mad.hi.s64", "l=lll", high64(a.s64, b.s64) + c.u64)                             \
    X(mad_wide_u16, "mad.wide.u16", "w=hhw", (uint32_t)a.u16 *b.u16 + c.u32)                       \
    X(mad_wide_s16, "mad.wide.s16", "w=hhw", (uint32_t)(a.s16 * b.s16) + c.u32)                    \
    X(mad24_lo_u, "mad24.lo.u32", "w=www", low24(a.u32) * low24(b.u32) + c.u32)                    \
    X(mad24_hi_u, "mad24.hi.u32", "w=www", (low24(a.u32) * low24(b.u32) >> 16) + c.u32)            \
    X(mad24_lo_s, "mad24.lo.s32", "w=www", signed24(a.u32) * signed24(b.u32) + c.u32)              \
    X(mad24_hi_s, "mad24.hi.s32", "w=www", (signed24(a.u32) * signed24(b.u32) >> 16) + c.u32)      \
    X(sad_s16, "sad.s16", "h=hhh", c.u16 + apart(a.s16, b.s16))                                    \
    X(sad_u32, "sad.u32", "w=www", c.u32 + apart(a.u32, b.u32))                                    \
    X(sad_s32, "sad.s32", "w=www", c.u32 + apart(a.s32, b.s32))                                    \
    X(sad_u64, "sad.u64", "l=lll", c.u64 + (a.u64 > b.u64 ? a.u64 - b.u64 : b.u64 - a.u64))        \
    X(dp4a_uu, "dp4a.u32.u32", "w=www", c.u32 + dot4(a.u32, false, b.u32, false))                  \
    X(dp4a_us, "dp4a.u32.s32", "w=www", c.u32 + dot4(a.u32, false, b.u32, true))                   \
    X(dp4a_su, "dp4a.s32.u32", "w=www", c.u32 + dot4(a.u32, true, b.u32, false))                   \
    X(dp2a_lo, "dp2a.lo.u32.u32", "w=www",                                                         \
      c.u32 + a.u16 * (b.u32 & 255) + (a.u32 >> 16) * (b.u32 >> 8 & 255))                          \
    X(bfe_s32, "bfe.s32", "w=wnn", field(a.u32, b.u32, c.u32, 32, true))                           \
    X(bfe_u64, "bfe.u64", "l=lnn", field(a.u64, b.u32, c.u32, 64, false))                          \
    X(bfe_s64, "bfe.s64", "l=lnn", field(a.u64, b.u32, c.u32, 64, true))                           \
    X(bfind_s32, "bfind.s32", "w=w", found(a.u32, 32, true, false))                                \
    X(bfind_sh, "bfind.shiftamt.s32", "w=w", found(a.u32, 32, true, true))                         \
    X(bfind_u64, "bfind.u64", "w=l", found(a.u64, 64, false, false))                               \
    X(bfind_s64, "bfind.shiftamt.s64", "w=l", found(a.u64, 64, true, true))                        \
    X(brev_b64, "brev.b64", "l=l", reversed(a.u64))                                                \
    X(szext_cs, "szext.clamp.s32", "w=wn", extended(a.u32, b.u32, true, true))                     \
    X(szext_ws, "szext.wrap.s32", "w=wn", extended(a.u32, b.u32, true, false))                     \
    X(szext_cu, "szext.clamp.u32", "w=wn", extended(a.u32, b.u32, false, true))                    \
    X(szext_wu, "szext.wrap.u32", "w=wn", extended(a.u32, b.u32, false, false))                    \
    X(bmsk_wrap, "bmsk.wrap.b32", "w=nn", mask_wrapped(a.u32, b.u32))                              \
    X(cnot_b16, "cnot.b16", "h=h", a.u16 == 0)                                                     \
    X(cnot_b32, "cnot.b32", "w=w", a.u32 == 0)                                                     \
    X(cnot_b64, "cnot.b64", "l=l", a.u64 == 0)                                                     \
    X(prmt_f4e, "prmt.b32.f4e", "w=www", f4e(a.u32, b.u32, c.u32))                                 \
    X(prmt_b4e, "prmt.b32.b4e", "w=www", b4e(a.u32, b.u32, c.u32))                                 \
    X(prmt_rc8, "prmt.b32.rc8", "w=www", rc8(a.u32, b.u32, c.u32))                                 \
    X(prmt_ecl, "prmt.b32.ecl", "w=www", ecl(a.u32, b.u32, c.u32))                                 \
    X(prmt_ecr, "prmt.b32.ecr", "w=www", ecr(a.u32, b.u32, c.u32))                                 \
    X(prmt_rc16, "prmt.b32.rc16", "w=www", rc16(a.u32, b.u32, c.u32))                              \
    X(slct_s32, "slct.b64.s32", "l=llw", c.s32 >= 0 ? a.u64 : b.u64)                               \
    X(slct_f32, "slct.u32.f32", "w=wwf", c.f32 >= 0 ? a.u32 : b.u32)

/* What nvcc makes of CUDA's DPX functions. */
#define DPX(X)                                                                                     \
    X(add_u16x2, "add.u16x2", "w=ww", halves(a, b, false, sum))                                    \
    X(add_s16x2, "add.s16x2", "w=ww", halves(a, b, true, sum))                                     \
    X(min_u16x2, "min.u16x2", "w=ww", halves(a, b, false, least))                                  \
    X(max_u16x2, "max.u16x2", "w=ww", halves(a, b, false, most))                                   \
    X(min_s16x2, "min.s16x2", "w=ww", halves(a, b, true, least))                                   \
    X(max_s16x2, "max.s16x2", "w=ww", halves(a, b, true, most))                                    \
    X(min_s16x2_relu, "min.s16x2.relu", "w=ww", halves(a, b, true, least_relu))                    \
    X(max_s16x2_relu, "max.s16x2.relu", "w=ww", halves(a, b, true, most_relu))                     \
    X(min_s32_relu, "min.s32.relu", "w=ww", word(a, b, least_relu))                                \
    X(max_s32_relu, "max.s32.relu", "w=ww", word(a, b, most_relu))                                 \
    X(min_relu_s32, "min.relu.s32", "w=ww", word(a, b, least_relu))                                \
    X(max_relu_s16x2, "max.relu.s16x2", "w=ww", halves(a, b, true, most_relu))

#define BODIES(X)                                                                                  \
    X(fns, "fns.b32", "w=www", nth(a.u32, b.u32 & 31, c.s32 % 8),                                  \
      "and.b32 %r20, $b, 31; rem.s32 %r21, $c, 8; fns.b32 $d, $a, %r20, %r21;")                    \
    X(lop3, "lop3.b32", "w=www", table(a.u32, b.u32, c.u32, 0xca) ^ table(a.u32, b.u32, c.u32, 7), \
      "lop3.b32 %r20, $a, $b, $c, 0xca; lop3.b32 %r21, $a, $b, $c, 7; xor.b32 $d, %r20, %r21;")

#define DIVISIONS(X)                                                                               \
    X(div_s16, "div.s16", "h=hh", b.s16 == 0 || (uint16_t)got == (uint16_t)(a.s16 / b.s16))        \
    X(div_s64, "div.s64", "l=ll",                                                                  \
      b.s64 == 0 || got == (b.s64 == -1 ? 0 - a.u64 : (uint64_t)(a.s64 / b.s64)))                  \
    X(rem_u16, "rem.u16", "h=hh", b.u16 == 0 || (uint16_t)got == a.u16 % b.u16)                    \
    X(rem_u64, "rem.u64", "l=ll", b.u64 == 0 || got == a.u64 % b.u64)                              \
    X(rem_s64, "rem.s64", "l=ll",                                                                  \
      b.s64 == 0 || got == (b.s64 == -1 ? 0 : (uint64_t)(a.s64 % b.s64)))

SIMPLE(LANE_WANTS)
DPX(LANE_WANTS)
BODIES(LANE_WANTS_BODY)
DIVISIONS(LANE_ACCEPTS)

static const lane_row rows[] = {SIMPLE(LANE_ROW) DPX(LANE_ROW) BODIES(LANE_ROW_BODY)
                                    DIVISIONS(LANE_ROW_ACCEPTS)};

LANE_FAMILY(form_extra_integer, "integers, seldom met");
