/* integer.c - integer arithmetic: wrapping, halves of products, carries, clamping. */
#include "lane.h"

static uint64_t high64(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static uint64_t low24(uint32_t a)
{
    return a & 0xffffff;
}

static uint64_t signed24(uint32_t a)
{
    return (low24(a) ^ 0x800000) - 0x800000;
}

static int64_t saturated(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}

static uint64_t difference(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static int32_t byte_of(uint32_t v, unsigned i)
{
    return (int8_t)(v >> 8 * i);
}

static uint32_t dot4(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        sum += byte_of(a, i) * byte_of(b, i);
    }
    return (uint32_t)sum;
}

/* A quotient truncates; by zero it is left open. */
static bool is_quotient(int64_t a, int64_t b, uint64_t got, uint64_t mask)
{
    return b == 0 || (got & mask) == ((b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b)) & mask);
}

static bool is_remainder(int64_t a, int64_t b, uint64_t got, uint64_t mask)
{
    return b == 0 || (got & mask) == ((b == -1 ? 0 : (uint64_t)(a % b)) & mask);
}

#define CARRY_OUT(first, form, rest)                                                               \
    first " " form " %r21, " rest "; addc.u32 %r22, 0, 0; mov.b64 $d, {%r21, %r22};"
#define SUM  "add.cc.u32 %r20, $a, $b;"
#define DIFF "sub.cc.u32 %r20, $a, $b;"
#define PAIR "mov.b64 $d, {%r20, %r21};"
/* a + b has a carry, a - b a borrow. */
#define CARRY   (((uint64_t)a.u32 + b.u32) >> 32)
#define BORROW  ((uint64_t)(a.u32 < b.u32))
#define PRODUCT ((uint64_t)a.u32 * b.u32)

#define SIMPLE(X)                                                                                  \
    X(abs_s32, "abs.s32", "w=w", a.s32 < 0 ? 0 - a.u32 : a.u32)                                    \
    X(add_s16, "add.s16", "h=hh", a.u32 + b.u32)                                                   \
    X(add_u16, "add.u16", "h=hh", a.u32 + b.u32)                                                   \
    X(add_s32, "add.s32", "w=ww", a.u32 + b.u32)                                                   \
    X(add_u32, "add.u32", "w=ww", a.u32 + b.u32)                                                   \
    X(add_s64, "add.s64", "l=ll", a.u64 + b.u64)                                                   \
    X(add_u64, "add.u64", "l=ll", a.u64 + b.u64)                                                   \
    X(add_sat, "add.sat.s32", "w=ww", saturated((int64_t)a.s32 + b.s32))                           \
    X(sub_s16, "sub.s16", "h=hh", a.u32 - b.u32)                                                   \
    X(sub_s32, "sub.s32", "w=ww", a.u32 - b.u32)                                                   \
    X(sub_u32, "sub.u32", "w=ww", a.u32 - b.u32)                                                   \
    X(sub_s64, "sub.s64", "l=ll", a.u64 - b.u64)                                                   \
    X(sub_u64, "sub.u64", "l=ll", a.u64 - b.u64)                                                   \
    X(neg_s32, "neg.s32", "w=w", 0 - a.u32)                                                        \
    X(neg_s64, "neg.s64", "l=l", 0 - a.u64)                                                        \
    X(sad_s64, "sad.s64", "l=lll", c.u64 + difference(a.s64, b.s64))                               \
    X(min_s32, "min.s32", "w=ww", a.s32 < b.s32 ? a.u32 : b.u32)                                   \
    X(min_u32, "min.u32", "w=ww", a.u32 < b.u32 ? a.u32 : b.u32)                                   \
    X(min_u16, "min.u16", "h=hh", a.u16 < b.u16 ? a.u16 : b.u16)                                   \
    X(min_s64, "min.s64", "l=ll", a.s64 < b.s64 ? a.u64 : b.u64)                                   \
    X(min_u64, "min.u64", "l=ll", a.u64 < b.u64 ? a.u64 : b.u64)                                   \
    X(max_s32, "max.s32", "w=ww", a.s32 > b.s32 ? a.u32 : b.u32)                                   \
    X(max_u32, "max.u32", "w=ww", a.u32 > b.u32 ? a.u32 : b.u32)                                   \
    X(max_u16, "max.u16", "h=hh", a.u16 > b.u16 ? a.u16 : b.u16)                                   \
    X(max_u64, "max.u64", "l=ll", a.u64 > b.u64 ? a.u64 : b.u64)                                   \
    X(mul_lo_s16, "mul.lo.s16", "h=hh", (uint32_t)a.u16 *b.u16)                                    \
    X(mul_lo_u16, "mul.lo.u16", "h=hh", (uint32_t)a.u16 *b.u16)                                    \
    X(mul_lo_s32, "mul.lo.s32", "w=ww", a.u32 *b.u32)                                              \
    X(mul_lo_u32, "mul.lo.u32", "w=ww", a.u32 *b.u32)                                              \
    X(mul_lo_s64, "mul.lo.s64", "l=ll", a.u64 *b.u64)                                              \
    X(mul_lo_u64, "mul.lo.u64", "l=ll", a.u64 *b.u64)                                              \
    X(mul_hi_s32, "mul.hi.s32", "w=ww", (uint64_t)((int64_t)a.s32 * b.s32) >> 32)                  \
    X(mul_hi_u32, "mul.hi.u32", "w=ww", PRODUCT >> 32)                                             \
    X(mul_hi_u64, "mul.hi.u64", "l=ll", high64(a.u64, b.u64))                                      \
    X(mul_wide_u16, "mul.wide.u16", "w=hh", (uint32_t)a.u16 *b.u16)                                \
    X(mul_wide_s16, "mul.wide.s16", "w=hh", a.s16 *b.s16)                                          \
    X(mul_wide_u32, "mul.wide.u32", "l=ww", PRODUCT)                                               \
    X(mul_wide_s32, "mul.wide.s32", "l=ww", (int64_t)a.s32 *b.s32)                                 \
    X(mul24_lo_u, "mul24.lo.u32", "w=ww", low24(a.u32) * low24(b.u32))                             \
    X(mul24_hi_u, "mul24.hi.u32", "w=ww", low24(a.u32) * low24(b.u32) >> 16)                       \
    X(mul24_lo_s, "mul24.lo.s32", "w=ww", signed24(a.u32) * signed24(b.u32))                       \
    X(mul24_hi_s, "mul24.hi.s32", "w=ww", signed24(a.u32) * signed24(b.u32) >> 16)                 \
    X(mad_lo_s32, "mad.lo.s32", "w=www", a.u32 *b.u32 + c.u32)                                     \
    X(mad_lo_u32, "mad.lo.u32", "w=www", a.u32 *b.u32 + c.u32)                                     \
    X(mad_lo_u64, "mad.lo.u64", "l=lll", a.u64 *b.u64 + c.u64)                                     \
    X(mad_wide_u32, "mad.wide.u32", "l=wwl", PRODUCT + c.u64)                                      \
    X(mad_wide_s32, "mad.wide.s32", "l=wwl", (uint64_t)((int64_t)a.s32 * b.s32) + c.u64)           \
    X(dp4a, "dp4a.s32.s32", "w=www", c.u32 + dot4(a.u32, b.u32))                                   \
    X(dp2a, "dp2a.hi.s32.s32", "w=www",                                                            \
      c.u32 + (uint32_t)(a.s16 * byte_of(b.u32, 2) + (a.s32 >> 16) * byte_of(b.u32, 3)))

/* Sequences that make and use the carry, its value in the upper half of the result. */
#define CARRIES(X)                                                                                 \
    X(add_cc, "add.cc.u32", "l=ww", (uint64_t)a.u32 + b.u32, SUM "addc.u32 %r21, 0, 0;" PAIR)      \
    X(addc, "addc.u32", "l=www", (b.u32 + c.u32 + CARRY) << 32 | (uint32_t)(a.u32 + b.u32),        \
      SUM "addc.u32 %r21, $b, $c;" PAIR)                                                           \
    X(addc_cc, "addc.cc.u32", "l=www", (uint64_t)b.u32 + c.u32 + CARRY,                            \
      CARRY_OUT(SUM, "addc.cc.u32", "$b, $c"))                                                     \
    X(addc_cc_s, "addc.cc.s32", "l=www", (uint64_t)b.u32 + c.u32 + CARRY,                          \
      CARRY_OUT(SUM, "addc.cc.s32", "$b, $c"))                                                     \
    X(sub_cc, "sub.cc.u32", "l=ww", (uint64_t)a.u32 - b.u32, DIFF "subc.u32 %r21, 0, 0;" PAIR)     \
    X(sub_cc_s, "sub.cc.s32", "l=ww", (uint64_t)a.u32 - b.u32,                                     \
      "sub.cc.s32 %r20, $a, $b; subc.u32 %r21, 0, 0;" PAIR)                                        \
    X(subc, "subc.u32", "l=www", (b.u32 - c.u32 - BORROW) << 32 | (uint32_t)(a.u32 - b.u32),       \
      DIFF "subc.u32 %r21, $b, $c;" PAIR)                                                          \
    X(subc_cc, "subc.cc.u32", "l=www", (uint64_t)b.u32 - c.u32 - BORROW,                           \
      DIFF "subc.cc.u32 %r20, $b, $c; subc.u32 %r21, 0, 0;" PAIR)                                  \
    /* The flag of one kind read by the other: the carry of the adder, as it is. */                \
    X(add_subc, "subc.u32", "l=www",                                                               \
      (b.u32 - c.u32 - (uint64_t)!CARRY) << 32 | (uint32_t)(a.u32 + b.u32),                        \
      SUM "subc.u32 %r21, $b, $c;" PAIR)                                                           \
    X(sub_addc, "addc.u32", "l=www",                                                               \
      (b.u32 + c.u32 + (uint64_t)!BORROW) << 32 | (uint32_t)(a.u32 - b.u32),                       \
      DIFF "addc.u32 %r21, $b, $c;" PAIR)                                                          \
    X(mad_lo_cc, "mad.lo.cc.u32", "l=www", (uint64_t)(uint32_t)PRODUCT + c.u32,                    \
      "mad.lo.cc.u32 %r20, $a, $b, $c; addc.u32 %r21, 0, 0;" PAIR)                                 \
    X(madc_hi, "madc.hi.u32", "l=www", PRODUCT + c.u32,                                            \
      "mad.lo.cc.u32 %r20, $a, $b, $c; madc.hi.u32 %r21, $a, $b, 0;" PAIR)                         \
    X(madc_lo, "madc.lo.u32", "w=www", (uint32_t)PRODUCT + c.u32 + CARRY,                          \
      SUM "madc.lo.u32 $d, $a, $b, $c;")                                                           \
    X(madc_hi_cc, "madc.hi.cc.u32", "l=www", (PRODUCT >> 32) + c.u32 + CARRY,                      \
      CARRY_OUT(SUM, "madc.hi.cc.u32", "$a, $b, $c"))                                              \
    X(madc_lo_cc, "madc.lo.cc.u32", "l=www", (uint64_t)(uint32_t)PRODUCT + c.u32 + CARRY,          \
      CARRY_OUT(SUM, "madc.lo.cc.u32", "$a, $b, $c"))

#define DIVISIONS(X)                                                                               \
    X(div_s32, "div.s32", "w=ww", is_quotient(a.s32, b.s32, got, UINT32_MAX))                      \
    X(div_u32, "div.u32", "w=ww", is_quotient(a.u32, b.u32, got, UINT32_MAX))                      \
    X(div_u16, "div.u16", "h=hh", is_quotient(a.u16, b.u16, got, UINT16_MAX))                      \
    X(div_u64, "div.u64", "l=ll", b.u64 == 0 || got == a.u64 / b.u64)                              \
    X(rem_s32, "rem.s32", "w=ww", is_remainder(a.s32, b.s32, got, UINT32_MAX))                     \
    X(rem_u32, "rem.u32", "w=ww", is_remainder(a.u32, b.u32, got, UINT32_MAX))

SIMPLE(LANE_WANTS)
CARRIES(LANE_WANTS_BODY)
DIVISIONS(LANE_ACCEPTS)

static const lane_row rows[] = {SIMPLE(LANE_ROW) CARRIES(LANE_ROW_BODY)
                                    DIVISIONS(LANE_ROW_ACCEPTS)};

LANE_FAMILY(form_integer, "integer arithmetic");
