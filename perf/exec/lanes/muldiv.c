/* muldiv.c - integer products, quotients and dot products.
 * Division by zero: the quotient is all ones, the remainder the dividend (the lowered sequences
 * give the same). */
#include "perf/exec/lanes/lanes.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

#define SAT32(v) ((v) > INT32_MAX ? INT32_MAX : (v) < INT32_MIN ? INT32_MIN : (v))

/* Product parts of lane i. */
#define LO16     (B32(0) * B32(1))
#define LO32     (B32(0) * B32(1))
#define LO64     (B64(0) * B64(1))
#define HI_U16   ((uint32_t)U16(0) * U16(1) >> 16)
#define HI_S16   (((uint32_t)((int32_t)S16(0) * S16(1)) >> 16))
#define HI_U32   ((uint32_t)((uint64_t)U32(0) * U32(1) >> 32))
#define HI_S32   ((uint32_t)((uint64_t)((int64_t)S32(0) * S32(1)) >> 32))
#define HI_U64   ((uint64_t)((u128)U64(0) * U64(1) >> 64))
#define HI_S64   ((uint64_t)((u128)((s128)S64(0) * S64(1)) >> 64))
#define WIDE_U16 ((uint32_t)U16(0) * U16(1))
#define WIDE_S16 ((uint32_t)((int32_t)S16(0) * S16(1)))
#define WIDE_U32 ((uint64_t)U32(0) * U32(1))
#define WIDE_S32 ((uint64_t)((int64_t)S32(0) * S32(1)))
#define U24(k)   ((uint64_t)(B32(k) & 0xffffff))
#define S24(k)   ((int64_t)((int32_t)(B32(k) << 8) >> 8))
#define P24_U    (U24(0) * U24(1))
#define P24_S    ((uint64_t)(S24(0) * S24(1)))

/* mul and mad in one line each: PRODUCT, OUT macro, reader of the addend. */
#define MUL_MAD(name, PRODUCT, OUT, ADDEND)                                                        \
    LANE_FN(mul_##name, OUT(PRODUCT);)                                                             \
    LANE_FN(mad_##name, OUT((PRODUCT) + ADDEND(2));)
MUL_MAD(lo_16, LO16, OUT16, B32)
MUL_MAD(lo_32, LO32, OUT32, B32)
MUL_MAD(lo_64, LO64, OUT64, B64)
MUL_MAD(hi_u16, HI_U16, OUT16, B32)
MUL_MAD(hi_s16, HI_S16, OUT16, B32)
MUL_MAD(hi_u32, HI_U32, OUT32, B32)
MUL_MAD(hi_s32, HI_S32, OUT32, B32)
MUL_MAD(hi_u64, HI_U64, OUT64, B64)
MUL_MAD(hi_s64, HI_S64, OUT64, B64)
MUL_MAD(wide_u16, WIDE_U16, OUT32, B32)
MUL_MAD(wide_s16, WIDE_S16, OUT32, B32)
MUL_MAD(wide_u32, WIDE_U32, OUT64, B64)
MUL_MAD(wide_s32, WIDE_S32, OUT64, B64)
MUL_MAD(24_lo_u32, P24_U, OUT32, B32)
MUL_MAD(24_lo_s32, P24_S, OUT32, B32)
MUL_MAD(24_hi_u32, P24_U >> 16, OUT32, B32)
MUL_MAD(24_hi_s32, P24_S >> 16, OUT32, B32)
LANE_FN(mad_hi_sat_s32, int64_t v = (int64_t)(int32_t)HI_S32 + S32(2); OUT32((int32_t)SAT32(v));)
LANE_FN(mad_24_hi_sat_s32, int64_t v = (int64_t)(int32_t)(uint32_t)(P24_S >> 16) + S32(2);
        OUT32((int32_t)SAT32(v));)

/* mad with carry: x is the carry in. The sum in two steps, as in int.c. */
#define MADC_32(name, PRODUCT)                                                                     \
    LANE_PRED_FN(madc_##name, uint32_t a = PRODUCT; uint32_t t = a + B32(2);                       \
                 uint32_t v = t + X_LANE; p = (t < a) | (v < t); OUT32(v);)
#define MADC_64(name, PRODUCT)                                                                     \
    LANE_PRED_FN(madc_##name, uint64_t a = PRODUCT; uint64_t t = a + B64(2);                       \
                 uint64_t v = t + X_LANE; p = (t < a) | (v < t); OUT64(v);)
MADC_32(lo_32, LO32)
MADC_32(hi_u32, HI_U32)
MADC_32(hi_s32, HI_S32)
MADC_64(lo_64, LO64)
MADC_64(hi_u64, HI_U64)
MADC_64(hi_s64, HI_S64)

#define UDIV(a, b) ((b) == 0 ? (uint64_t)-1 : (uint64_t)(a) / (b))
#define UREM(a, b) ((b) == 0 ? (uint64_t)(a) : (uint64_t)(a) % (b))
#define SDIV(a, b) ((b) == 0 ? -1 : (b) == -1 ? (int64_t)(0 - (uint64_t)(a)) : (int64_t)(a) / (b))
#define SREM(a, b) ((b) == 0 ? (int64_t)(a) : (b) == -1 ? 0 : (int64_t)(a) % (b))
#define DIV_REM(name, T, READ, OUT, DIV, REM)                                                      \
    LANE_FN(div_##name, T a = READ(0); T b = READ(1); OUT(DIV(a, b));)                             \
    LANE_FN(rem_##name, T a = READ(0); T b = READ(1); OUT(REM(a, b));)
DIV_REM(u16, uint16_t, U16, OUT16, UDIV, UREM)
DIV_REM(s16, int16_t, S16, OUT16, SDIV, SREM)
LANE_FN(div_u32, uint32_t a = U32(0); uint32_t b = U32(1); OUT32(b == 0 ? UINT32_MAX : a / b);)
LANE_FN(rem_u32, uint32_t a = U32(0); uint32_t b = U32(1); OUT32(b == 0 ? a : a % b);)
DIV_REM(s32, int32_t, S32, OUT32, SDIV, SREM)
DIV_REM(u64, uint64_t, U64, OUT64, UDIV, UREM)
DIV_REM(s64, int64_t, S64, OUT64, SDIV, SREM)

/* Byte j of a word, sign- or zero-extended; x bit 0: a signed, bit 1: b signed, bit 2: upper half
 * of b (dp2a.hi). */
static WW_ALWAYS_INLINE int32_t byte_of(uint32_t v, unsigned j, bool is_signed)
{
    uint32_t b = v >> (8 * j) & 0xff;
    return is_signed ? (int8_t)b : (int32_t)b;
}
static WW_ALWAYS_INLINE int32_t half_of(uint32_t v, unsigned j, bool is_signed)
{
    uint32_t h = v >> (16 * j) & 0xffff;
    return is_signed ? (int16_t)h : (int32_t)h;
}
LANE_FN(
    dp4a, uint32_t sum = B32(2); for (unsigned j = 0; j < 4; j++) {
        sum += (uint32_t)(byte_of(B32(0), j, (x & 1) != 0) * byte_of(B32(1), j, (x & 2) != 0));
    } OUT32(sum);)
LANE_FN(
    dp2a, uint32_t sum = B32(2); for (unsigned j = 0; j < 2; j++) {
        unsigned upper = (x & 4) != 0 ? 2 : 0;
        sum += (uint32_t)half_of(B32(0), j, (x & 1) != 0) *
               (uint32_t)byte_of(B32(1), upper + j, (x & 2) != 0);
    } OUT32(sum);)

/* One row per type: u16, s16, u32, s32, u64, s64. */
static unsigned row_of(ww_type type)
{
    unsigned width = ww_type_bytes(type);
    return (width == 2 ? 0u : width == 4 ? 2u : 4u) + (ww_type_is_signed(type) ? 1u : 0u);
}

static ww_lane_op find_mul(const ww_inst *inst, ww_type type, bool mad)
{
    static ww_lane_fn *const lo[2][6] = {
        {mul_lo_16, mul_lo_16, mul_lo_32, mul_lo_32, mul_lo_64, mul_lo_64},
        {mad_lo_16, mad_lo_16, mad_lo_32, mad_lo_32, mad_lo_64, mad_lo_64}};
    static ww_lane_fn *const hi[2][6] = {
        {mul_hi_u16, mul_hi_s16, mul_hi_u32, mul_hi_s32, mul_hi_u64, mul_hi_s64},
        {mad_hi_u16, mad_hi_s16, mad_hi_u32, mad_hi_s32, mad_hi_u64, mad_hi_s64}};
    static ww_lane_fn *const wide[2][4] = {
        {mul_wide_u16, mul_wide_s16, mul_wide_u32, mul_wide_s32},
        {mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32}};
    unsigned row = row_of(type);
    unsigned words = row >= 4 ? 2 : 1;
    if (inst->sub == WW_SUB_WIDE) {
        return row < 4 ? lane_op(wide[mad][row], row >= 2 ? 2 : 1) : lane_none();
    }
    if (inst->sub == WW_SUB_HI) {
        bool sat = mad && (inst->mods & WW_MOD_SAT) != 0 && type == WW_T_S32;
        return lane_op(sat ? mad_hi_sat_s32 : hi[mad][row], words);
    }
    return lane_op(lo[mad][row], words);
}

static ww_lane_op find_madc(const ww_inst *inst, ww_type type)
{
    bool hi = inst->sub == WW_SUB_HI;
    bool sgn = ww_type_is_signed(type);
    bool wide = ww_type_bytes(type) == 8;
    ww_lane_fn *fn = wide ? (hi ? (sgn ? madc_hi_s64 : madc_hi_u64) : madc_lo_64)
                          : (hi ? (sgn ? madc_hi_s32 : madc_hi_u32) : madc_lo_32);
    if (ww_type_bytes(type) < 4 || inst->sub == WW_SUB_WIDE) {
        return lane_none();
    }
    ww_lane_op op = lane_op(fn, wide ? 2 : 1);
    op.pred_source = inst->op == WW_OP_MADC;
    return op;
}

static ww_lane_op find_24(const ww_inst *inst, ww_type type, bool mad)
{
    bool sgn = type == WW_T_S32;
    if (ww_type_bytes(type) != 4) {
        return lane_none();
    }
    if (inst->sub != WW_SUB_HI) {
        return lane_op(
            mad ? (sgn ? mad_24_lo_s32 : mad_24_lo_u32) : (sgn ? mul_24_lo_s32 : mul_24_lo_u32), 1);
    }
    if (mad && sgn && (inst->mods & WW_MOD_SAT) != 0) {
        return lane_op(mad_24_hi_sat_s32, 1);
    }
    return lane_op(
        mad ? (sgn ? mad_24_hi_s32 : mad_24_hi_u32) : (sgn ? mul_24_hi_s32 : mul_24_hi_u32), 1);
}

ww_lane_op LANES_NAME(ww__lanes_muldiv)(const ww_inst *inst)
{
    static ww_lane_fn *const div[6] = {div_u16, div_s16, div_u32, div_s32, div_u64, div_s64};
    static ww_lane_fn *const rem[6] = {rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64};
    ww_type type = lane_int_type(inst->type);
    if (ww_type_is_float(type) || ww_type_bytes(type) < 2 || ww_type_bytes(type) > 8) {
        return lane_none();
    }
    unsigned words = ww_type_bytes(type) == 8 ? 2 : 1;
    switch ((ww_op)inst->op) {
    case WW_OP_MUL:
        return find_mul(inst, type, false);
    case WW_OP_MAD:
        return inst->dst_count > 1 ? find_madc(inst, type) : find_mul(inst, type, true);
    case WW_OP_MADC:
        return find_madc(inst, type);
    case WW_OP_MUL24:
        return find_24(inst, type, false);
    case WW_OP_MAD24:
        return find_24(inst, type, true);
    case WW_OP_DIV:
        return lane_op(div[row_of(type)], words);
    case WW_OP_REM:
        return lane_op(rem[row_of(type)], words);
    case WW_OP_DP4A:
    case WW_OP_DP2A: {
        /* type is that of a, type2 that of b where it differs. */
        bool b_signed = ww_type_is_signed(inst->type2 != WW_T_NONE ? (ww_type)inst->type2 : type);
        uint32_t x = (ww_type_is_signed(type) ? 1u : 0u) | (b_signed ? 2u : 0u) |
                     (inst->sub == WW_SUB_HI ? 4u : 0u);
        return lane_op_x(inst->op == WW_OP_DP4A ? dp4a : dp2a, 1, x);
    }
    default:
        return lane_none();
    }
}
