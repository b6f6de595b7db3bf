/* logic.c - logic, shifts and bit fields: every shift amount and field, also beyond the width. */
#include "lane.h"

static uint64_t shifted_left(uint64_t v, uint32_t by, unsigned bits)
{
    return by >= bits ? 0 : v << by;
}

static uint64_t shifted_right(uint64_t v, uint32_t by, unsigned bits)
{
    return by >= bits ? 0 : v >> by;
}

static int64_t shifted_signed(int64_t v, uint32_t by)
{
    return by >= 63 ? (v < 0 ? -1 : 0) : v < 0 ? ~(int64_t)(~(uint64_t)v >> by) : v >> by;
}

static uint32_t leading_zeros(uint64_t v, uint32_t bits)
{
    uint32_t n = 0;
    while (n < bits && (v >> (bits - 1 - n) & 1) == 0) {
        n++;
    }
    return n;
}

static uint32_t ones(uint64_t v)
{
    uint32_t n = 0;
    for (; v != 0; v &= v - 1) {
        n++;
    }
    return n;
}

static uint32_t reversed(uint32_t v)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++) {
        r |= (v >> i & 1) << (31 - i);
    }
    return r;
}

/* Position of the highest one; all ones when there is none. */
static uint32_t highest(uint32_t v)
{
    return v == 0 ? UINT32_MAX : 31 - leading_zeros(v, 32);
}

/* Field of length bits at position of `into` replaced by the low bits of `from`. */
static uint64_t inserted(uint64_t from, uint64_t into, uint32_t position, uint32_t length,
                         uint32_t bits)
{
    position &= 255;
    length &= 255;
    for (uint32_t i = 0; i < length && position + i < bits; i++) {
        uint64_t bit = UINT64_C(1) << (position + i);
        into = (from >> i & 1) != 0 ? into | bit : into & ~bit;
    }
    return into;
}

static uint32_t extracted(uint32_t from, uint32_t position, uint32_t length)
{
    uint32_t v = 0;
    position &= 255;
    length &= 255;
    for (uint32_t i = 0; i < length && i < 32; i++) {
        v |= position + i < 32 ? (from >> (position + i) & 1) << i : 0;
    }
    return v;
}

static uint32_t mask_at(uint32_t position, uint32_t length)
{
    uint32_t v = 0;
    for (uint64_t i = position; i < (uint64_t)position + length && i < 32; i++) {
        v |= 1u << i;
    }
    return v;
}

/* Bytes of b:a as four selectors pick them; bit 3 of a selector: its sign instead. */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t s = selectors >> 4 * i & 15, byte = (uint32_t)(bytes >> 8 * (s & 7)) & 255;
        v |= ((s & 8) == 0 ? byte : (byte & 128) != 0 ? 255u : 0u) << 8 * i;
    }
    return v;
}

/* The upper (left) or lower (right) word of b:a shifted by n of 0 to 32. */
static uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n)
{
    return n == 32 ? a : (uint32_t)(((uint64_t)b << 32 | a) << n >> 32);
}
static uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}
static uint32_t clamped(uint32_t n)
{
    return n < 32 ? n : 32;
}

#define SIMPLE(X)                                                                                  \
    X(and_b16, "and.b16", "h=hh", a.u16 &b.u16)                                                    \
    X(and_b32, "and.b32", "w=ww", a.u32 &b.u32)                                                    \
    X(and_b64, "and.b64", "l=ll", a.u64 &b.u64)                                                    \
    X(and_pred, "and.pred", "p=pp", a.u32 &b.u32)                                                  \
    X(or_b16, "or.b16", "h=hh", a.u16 | b.u16)                                                     \
    X(or_b32, "or.b32", "w=ww", a.u32 | b.u32)                                                     \
    X(or_b64, "or.b64", "l=ll", a.u64 | b.u64)                                                     \
    X(or_pred, "or.pred", "p=pp", a.u32 | b.u32)                                                   \
    X(xor_b16, "xor.b16", "h=hh", a.u16 ^ b.u16)                                                   \
    X(xor_b32, "xor.b32", "w=ww", a.u32 ^ b.u32)                                                   \
    X(xor_b64, "xor.b64", "l=ll", a.u64 ^ b.u64)                                                   \
    X(xor_pred, "xor.pred", "p=pp", a.u32 ^ b.u32)                                                 \
    X(not_b16, "not.b16", "h=h", ~a.u64)                                                           \
    X(not_b32, "not.b32", "w=w", ~a.u64)                                                           \
    X(not_b64, "not.b64", "l=l", ~a.u64)                                                           \
    X(not_pred, "not.pred", "p=p", 1 - a.u32)                                                      \
    X(shl_b16, "shl.b16", "h=hn", shifted_left(a.u16, b.u32, 16))                                  \
    X(shl_b32, "shl.b32", "w=wn", shifted_left(a.u32, b.u32, 32))                                  \
    X(shl_b64, "shl.b64", "l=ln", shifted_left(a.u64, b.u32, 64))                                  \
    X(shr_u16, "shr.u16", "h=hn", shifted_right(a.u16, b.u32, 16))                                 \
    X(shr_u32, "shr.u32", "w=wn", shifted_right(a.u32, b.u32, 32))                                 \
    X(shr_b32, "shr.b32", "w=wn", shifted_right(a.u32, b.u32, 32))                                 \
    X(shr_u64, "shr.u64", "l=ln", shifted_right(a.u64, b.u32, 64))                                 \
    X(shr_s16, "shr.s16", "h=hn", shifted_signed(a.s16, b.u32))                                    \
    X(shr_s32, "shr.s32", "w=wn", shifted_signed(a.s32, b.u32))                                    \
    X(shr_s64, "shr.s64", "l=ln", shifted_signed(a.s64, b.u32))                                    \
    X(shf_l_wrap, "shf.l.wrap.b32", "w=wwn", funnel_left(a.u32, b.u32, c.u32 & 31))                \
    X(shf_r_wrap, "shf.r.wrap.b32", "w=wwn", funnel_right(a.u32, b.u32, c.u32 & 31))               \
    X(shf_l_clamp, "shf.l.clamp.b32", "w=wwn", funnel_left(a.u32, b.u32, clamped(c.u32)))          \
    X(shf_r_clamp, "shf.r.clamp.b32", "w=wwn", funnel_right(a.u32, b.u32, clamped(c.u32)))         \
    X(clz_b32, "clz.b32", "w=w", leading_zeros(a.u32, 32))                                         \
    X(clz_b64, "clz.b64", "w=l", leading_zeros(a.u64, 64))                                         \
    X(popc_b32, "popc.b32", "w=w", ones(a.u32))                                                    \
    X(popc_b64, "popc.b64", "w=l", ones(a.u64))                                                    \
    X(brev_b32, "brev.b32", "w=w", reversed(a.u32))                                                \
    X(bfind_u32, "bfind.u32", "w=w", highest(a.u32))                                               \
    X(bfind_shift, "bfind.shiftamt.u32", "w=w", a.u32 == 0 ? UINT32_MAX : 31 - highest(a.u32))     \
    X(bfe_u32, "bfe.u32", "w=wnn", extracted(a.u32, b.u32, c.u32))                                 \
    X(bmsk, "bmsk.clamp.b32", "w=nn", mask_at(a.u32, b.u32))                                       \
    X(prmt, "prmt.b32", "w=www", permuted(a.u32, b.u32, c.u32))

/* bfi has four sources: the complement of b goes into b, at a, c bits long. */
#define FIELDS(X)                                                                                  \
    X(bfi_b32, "bfi.b32", "w=nwn", inserted(~b.u32, b.u32, a.u32, c.u32, 32),                      \
      "not.b32 %r20, $b; bfi.b32 $d, %r20, $b, $a, $c;")                                           \
    X(bfi_b64, "bfi.b64", "l=nln", inserted(~b.u64, b.u64, a.u32, c.u32, 64),                      \
      "not.b64 %q20, $b; bfi.b64 $d, %q20, $b, $a, $c;")

SIMPLE(LANE_WANTS)
FIELDS(LANE_WANTS_BODY)

static const lane_row rows[] = {SIMPLE(LANE_ROW) FIELDS(LANE_ROW_BODY)};

LANE_FAMILY(form_logic, "logic, shifts, bit fields");
