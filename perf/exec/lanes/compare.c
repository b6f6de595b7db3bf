/* compare.c - comparisons (setp, set), class tests, selection. A comparison gives a lane
 * mask; setp's combination with a predicate is mask arithmetic and done by the caller. */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/half.h"

/* Integer comparisons of one type. */
#define INT_COMPARE(type, T, READ)                                                                 \
    LANE_PRED_FN(eq_##type, p = (T)READ(0) == (T)READ(1);)                                         \
    LANE_PRED_FN(ne_##type, p = (T)READ(0) != (T)READ(1);)                                         \
    LANE_PRED_FN(lt_##type, p = (T)READ(0) < (T)READ(1);)                                          \
    LANE_PRED_FN(le_##type, p = (T)READ(0) <= (T)READ(1);)                                         \
    LANE_PRED_FN(gt_##type, p = (T)READ(0) > (T)READ(1);)                                          \
    LANE_PRED_FN(ge_##type, p = (T)READ(0) >= (T)READ(1);)                                         \
    static ww_lane_fn *const compare_##type[6] = {eq_##type, ne_##type, lt_##type,                 \
                                                  le_##type, gt_##type, ge_##type};
INT_COMPARE(u16, uint16_t, U16)
INT_COMPARE(s16, int16_t, S16)
INT_COMPARE(u32, uint32_t, U32)
INT_COMPARE(s32, int32_t, S32)
INT_COMPARE(u64, uint64_t, U64)
INT_COMPARE(s64, int64_t, S64)

/* Float comparisons: the ordered six, the unordered six, num, nan. The quiet builtins keep the
 * compiler from signalling. */
#define UNORDERED(a, b) ((a) != (a) || (b) != (b))
#define FLOAT_COMPARE(type, T, READ)                                                               \
    LANE_PRED_FN(eq_##type, p = READ(0) == READ(1);)                                               \
    LANE_PRED_FN(ne_##type, T a = READ(0); T b = READ(1); p = a < b || a > b;)                     \
    LANE_PRED_FN(lt_##type, p = READ(0) < READ(1);)                                                \
    LANE_PRED_FN(le_##type, p = READ(0) <= READ(1);)                                               \
    LANE_PRED_FN(gt_##type, p = READ(0) > READ(1);)                                                \
    LANE_PRED_FN(ge_##type, p = READ(0) >= READ(1);)                                               \
    LANE_PRED_FN(equ_##type, T a = READ(0); T b = READ(1); p = a == b || UNORDERED(a, b);)         \
    LANE_PRED_FN(neu_##type, p = READ(0) != READ(1);)                                              \
    LANE_PRED_FN(ltu_##type, p = !(READ(0) >= READ(1));)                                           \
    LANE_PRED_FN(leu_##type, p = !(READ(0) > READ(1));)                                            \
    LANE_PRED_FN(gtu_##type, p = !(READ(0) <= READ(1));)                                           \
    LANE_PRED_FN(geu_##type, p = !(READ(0) < READ(1));)                                            \
    LANE_PRED_FN(num_##type, T a = READ(0); T b = READ(1); p = !UNORDERED(a, b);)                  \
    LANE_PRED_FN(nan_##type, T a = READ(0); T b = READ(1); p = UNORDERED(a, b);)                   \
    static ww_lane_fn *const compare_##type[14] = {                                                \
        eq_##type,  ne_##type,  lt_##type,  le_##type,  gt_##type,  ge_##type,  equ_##type,        \
        neu_##type, ltu_##type, leu_##type, gtu_##type, geu_##type, num_##type, nan_##type};
#define FLUSHED(k) lanes_f32(lanes_flush_bits32(B32(k)))
#define HALF(k)    ww__f16_to_f32(U16(k))
#define HALF_HI(k) ww__f16_to_f32((uint16_t)(B32(k) >> 16))
#define BF(k)      ww__bf16_to_f32(U16(k))
#define BF_HI(k)   ww__bf16_to_f32((uint16_t)(B32(k) >> 16))
FLOAT_COMPARE(f32, float, F32)
FLOAT_COMPARE(f32_ftz, float, FLUSHED)
FLOAT_COMPARE(f64, double, F64)
FLOAT_COMPARE(f16, float, HALF)
FLOAT_COMPARE(f16_hi, float, HALF_HI)
FLOAT_COMPARE(bf16, float, BF)
FLOAT_COMPARE(bf16_hi, float, BF_HI)

LANE_PRED_FN(testp_finite_32, p = (B32(0) & 0x7f800000u) != 0x7f800000u;)
LANE_PRED_FN(testp_infinite_32, p = (B32(0) & 0x7fffffffu) == 0x7f800000u;)
LANE_PRED_FN(testp_number_32, p = (B32(0) & 0x7fffffffu) <= 0x7f800000u;)
LANE_PRED_FN(testp_nan_32, p = (B32(0) & 0x7fffffffu) > 0x7f800000u;)
/* PTX manual, "testp": both zeros count as normal. */
LANE_PRED_FN(testp_normal_32, uint32_t e = B32(0) >> 23 & 0xff; uint32_t a = B32(0) & 0x7fffffffu;
             p = (e != 0 && e != 0xff) || a == 0;)
LANE_PRED_FN(testp_subnormal_32, uint32_t a = B32(0) & 0x7fffffffu; p = a != 0 && a < 0x00800000u;)
#define MAG64 (B64(0) & ~(1ull << 63))
LANE_PRED_FN(testp_finite_64, p = MAG64 < 0x7ff0000000000000ull;)
LANE_PRED_FN(testp_infinite_64, p = MAG64 == 0x7ff0000000000000ull;)
LANE_PRED_FN(testp_number_64, p = MAG64 <= 0x7ff0000000000000ull;)
LANE_PRED_FN(testp_nan_64, p = MAG64 > 0x7ff0000000000000ull;)
LANE_PRED_FN(testp_normal_64, uint64_t a = MAG64;
             p = (a >= 1ull << 52 && a < 0x7ff0000000000000ull) || a == 0;)
LANE_PRED_FN(testp_subnormal_64, uint64_t a = MAG64; p = a != 0 && a < 1ull << 52;)

/* x: lanes that take the first source. */
LANE_FN(selp_32, uint32_t a = B32(0); uint32_t b = B32(1); OUT32(X_LANE ? a : b);)
LANE_FN(selp_64, uint64_t a = B64(0); uint64_t b = B64(1); OUT64(X_LANE ? a : b);)
LANE_FN(slct_32_s32, uint32_t a = B32(0); uint32_t b = B32(1); OUT32(S32(2) >= 0 ? a : b);)
LANE_FN(slct_32_f32, uint32_t a = B32(0); uint32_t b = B32(1); OUT32(F32(2) >= 0.0f ? a : b);)
LANE_FN(slct_32_f32_ftz, uint32_t a = B32(0); uint32_t b = B32(1);
        OUT32(FLUSHED(2) >= 0.0f ? a : b);)
LANE_FN(slct_64_s32, uint64_t a = B64(0); uint64_t b = B64(1); OUT64(S32(2) >= 0 ? a : b);)
LANE_FN(slct_64_f32, uint64_t a = B64(0); uint64_t b = B64(1); OUT64(F32(2) >= 0.0f ? a : b);)
LANE_FN(slct_64_f32_ftz, uint64_t a = B64(0); uint64_t b = B64(1);
        OUT64(FLUSHED(2) >= 0.0f ? a : b);)

static ww_lane_op find_float(ww_lane_fn *const fn[14], ww_cmp cmp)
{
    if (cmp <= WW_CMP_GE) {
        return lane_op(fn[cmp], 0);
    }
    return cmp >= WW_CMP_EQU && cmp < WW_CMP_COUNT ? lane_op(fn[6 + cmp - WW_CMP_EQU], 0)
                                                   : lane_none();
}

static ww_lane_op find_int(ww_lane_fn *const sgn[6], ww_lane_fn *const uns[6], ww_cmp cmp,
                           bool is_signed)
{
    static const ww_cmp unsigned_form[4] = {WW_CMP_LT, WW_CMP_LE, WW_CMP_GT, WW_CMP_GE};
    if (cmp >= WW_CMP_LO && cmp <= WW_CMP_HS) {
        return lane_op(uns[unsigned_form[cmp - WW_CMP_LO]], 0);
    }
    return cmp <= WW_CMP_GE ? lane_op((is_signed ? sgn : uns)[cmp], 0) : lane_none();
}

/* The mask of the comparison itself; x 1: that of the upper halves of a packed pair. */
static ww_lane_op find_compare(const ww_inst *inst, ww_type type)
{
    ww_cmp cmp = (ww_cmp)inst->cmp;
    bool sgn = ww_type_is_signed(type);
    switch (lane_int_type((uint8_t)type)) {
    case WW_T_U16:
    case WW_T_S16:
        return find_int(compare_s16, compare_u16, cmp, sgn);
    case WW_T_U32:
    case WW_T_S32:
        return find_int(compare_s32, compare_u32, cmp, sgn);
    case WW_T_U64:
    case WW_T_S64:
        return find_int(compare_s64, compare_u64, cmp, sgn);
    case WW_T_F32:
        return find_float((inst->mods & WW_MOD_FTZ) != 0 ? compare_f32_ftz : compare_f32, cmp);
    case WW_T_F64:
        return find_float(compare_f64, cmp);
    case WW_T_F16:
    case WW_T_F16X2:
        return find_float(compare_f16, cmp);
    case WW_T_BF16:
    case WW_T_BF16X2:
        return find_float(compare_bf16, cmp);
    default:
        return lane_none();
    }
}

static ww_lane_op find_testp(const ww_inst *inst)
{
    static ww_lane_fn *const fn[2][6] = {{testp_finite_32, testp_infinite_32, testp_number_32,
                                          testp_nan_32, testp_normal_32, testp_subnormal_32},
                                         {testp_finite_64, testp_infinite_64, testp_number_64,
                                          testp_nan_64, testp_normal_64, testp_subnormal_64}};
    if (inst->sub < WW_SUB_FINITE || inst->sub > WW_SUB_SUBNORMAL ||
        ww_type_bytes((ww_type)inst->type) < 4) {
        return lane_none();
    }
    return lane_op(fn[inst->type == WW_T_F64][inst->sub - WW_SUB_FINITE], 0);
}

static ww_lane_op find_slct(const ww_inst *inst, bool wide)
{
    if (inst->type2 == WW_T_F32) {
        bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
        return wide ? lane_op(ftz ? slct_64_f32_ftz : slct_64_f32, 2)
                    : lane_op(ftz ? slct_32_f32_ftz : slct_32_f32, 1);
    }
    return wide ? lane_op(slct_64_s32, 2) : lane_op(slct_32_s32, 1);
}

ww_lane_op LANES_NAME(ww__lanes_compare)(const ww_inst *inst)
{
    bool wide = ww_type_bytes((ww_type)inst->type) == 8;
    switch ((ww_op)inst->op) {
    case WW_OP_SETP:
        return find_compare(inst, (ww_type)inst->type);
    case WW_OP_SET:
        return find_compare(inst,
                            inst->type2 != WW_T_NONE ? (ww_type)inst->type2 : (ww_type)inst->type);
    case WW_OP_TESTP:
        return find_testp(inst);
    case WW_OP_SELP:
        if (inst->type == WW_T_PRED) {
            return lane_none();
        }
        return wide ? lane_op_pred(selp_64, 2) : lane_op_pred(selp_32, 1);
    case WW_OP_SLCT:
        return find_slct(inst, wide);
    default:
        return lane_none();
    }
}

ww_lane_fn *LANES_NAME(ww__lanes_compare_upper)(const ww_inst *inst, ww_type type)
{
    ww_cmp cmp = (ww_cmp)inst->cmp;
    return type == WW_T_F16X2    ? find_float(compare_f16_hi, cmp).fn
           : type == WW_T_BF16X2 ? find_float(compare_bf16_hi, cmp).fn
                                 : NULL;
}
