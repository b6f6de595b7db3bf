/* cvt_int.c - conversions from integers: to integers (truncating or saturating) and to floats
 * (rounded once). */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/softfp.h"

/* x of the general functions: destination bits, and flags above. */
enum { TO_SIGNED = 0x100, TO_SAT = 0x200 };

/* v, of a signed or unsigned 64-bit type, as a destination of x bits: cut or clamped, then extended
 * to 64 bits. */
static WW_ALWAYS_INLINE uint64_t fit(uint64_t v, bool v_signed, uint32_t x)
{
    unsigned bits = x & 0xff;
    bool to_signed = (x & TO_SIGNED) != 0;
    uint64_t max = to_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    uint64_t min = to_signed ? ~max : 0;
    bool negative = v_signed && (int64_t)v < 0;
    if ((x & TO_SAT) != 0) {
        bool below = negative && (!to_signed || (int64_t)v < (int64_t)min);
        bool above = !negative && v > max;
        return below ? min : above ? max : v;
    }
    unsigned shift = 64 - bits;
    return to_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* Per source type: plain 32- and 64-bit results, and the general ones. */
#define FROM_INT(type, T, READ, SGN)                                                               \
    LANE_FN(type##_to_32, OUT32((T)READ(0));)                                                      \
    LANE_FN(type##_to_64, OUT64((T)READ(0));)                                                      \
    LANE_FN(type##_fit_32, OUT32(fit((uint64_t)(T)READ(0), SGN, x));)                              \
    LANE_FN(type##_fit_64, OUT64(fit((uint64_t)(T)READ(0), SGN, x));)                              \
    LANE_FN(type##_to_f32, OUT32(lanes_bits32((float)READ(0)));)                                   \
    LANE_FN(type##_to_f64, OUT64(lanes_bits64((double)READ(0)));)                                  \
    LANE_FN(type##_soft, uint64_t v = (uint64_t)(T)READ(0); bool n = SGN && (int64_t)v < 0;        \
            OUT64(soft_float(n, n ? 0 - v : v, x));)                                               \
    static ww_lane_fn *const from_##type[7] = {type##_to_32,  type##_to_64,  type##_fit_32,        \
                                               type##_fit_64, type##_to_f32, type##_to_f64,        \
                                               type##_soft};
enum { TO_32, TO_64, FIT_32, FIT_64, TO_F32, TO_F64, SOFT };

/* x: rounding mode; 0x100 clamps to [0,1]; destination type above. Halves and single precision use
 * the low word. */
enum { SOFT_SAT = 0x100, SOFT_TYPE_SHIFT = 16 };
static uint64_t soft_float(bool negative, uint64_t magnitude, uint32_t x)
{
    ww_type type = (ww_type)(x >> SOFT_TYPE_SHIFT);
    const ww_soft_format *f = type == WW_T_F64    ? &ww__soft_f64
                              : type == WW_T_F32  ? &ww__soft_f32
                              : type == WW_T_BF16 ? &ww__soft_bf16
                                                  : &ww__soft_f16;
    if ((x & SOFT_SAT) != 0) {
        magnitude = negative ? 0 : magnitude > 1 ? 1 : magnitude;
        negative = false;
    }
    return ww__soft_from_int(f, negative, magnitude, (ww_round)(x & 0xff));
}

FROM_INT(u8, uint64_t, U8, false)
FROM_INT(s8, int64_t, S8, true)
FROM_INT(u16, uint64_t, U16, false)
FROM_INT(s16, int64_t, S16, true)
FROM_INT(u32, uint64_t, U32, false)
FROM_INT(s32, int64_t, S32, true)
FROM_INT(u64, uint64_t, U64, false)
FROM_INT(s64, int64_t, S64, true)

/* A soft result of 64 bits in two planes; narrower types only own one, so the high word must not be
 * written. */
#define SOFT_32(type)                                                                              \
    static uint32_t type##_soft_32(uint32_t *d, const uint32_t *const *s, uint32_t x)              \
    {                                                                                              \
        uint32_t pair[2 * WW_LANES];                                                               \
        type##_soft(pair, s, x);                                                                   \
        memcpy(d, pair, WW_LANES * sizeof *d);                                                     \
        return 0;                                                                                  \
    }
SOFT_32(u8)
SOFT_32(s8)
SOFT_32(u16)
SOFT_32(s16)
SOFT_32(u32)
SOFT_32(s32)
SOFT_32(u64)
SOFT_32(s64)

static ww_lane_op to_int(const ww_inst *inst, ww_lane_fn *const fn[7], ww_type to)
{
    bool sat = (inst->mods & WW_MOD_SAT) != 0;
    bool pair = inst->dst[0].words == 2;
    unsigned bytes = ww_type_bytes(to);
    if (!sat && bytes == 4 && !pair) {
        return lane_op(fn[TO_32], 1);
    }
    if (!sat && bytes == 8) {
        return lane_op(fn[TO_64], 2);
    }
    uint32_t x = bytes * 8 | (ww_type_is_signed(to) ? TO_SIGNED : 0u) | (sat ? TO_SAT : 0u);
    return pair ? lane_op_x(fn[FIT_64], 2, x) : lane_op_x(fn[FIT_32], 1, x);
}

static ww_lane_op to_float(const ww_inst *inst, ww_lane_fn *const fn[7], ww_lane_fn *soft_32,
                           ww_type to)
{
    bool sat = (inst->mods & WW_MOD_SAT) != 0;
    bool nearest = inst->round == WW_ROUND_DEFAULT || inst->round == WW_ROUND_RN;
    if (inst->round > WW_ROUND_RP ||
        (to != WW_T_F16 && to != WW_T_BF16 && to != WW_T_F32 && to != WW_T_F64)) {
        return lane_none();
    }
    if (nearest && !sat && to == WW_T_F32) {
        return lane_op(fn[TO_F32], 1);
    }
    if (nearest && !sat && to == WW_T_F64) {
        return lane_op(fn[TO_F64], 2);
    }
    uint32_t x = (nearest ? (uint32_t)WW_ROUND_RN : inst->round) | (sat ? SOFT_SAT : 0u) |
                 (uint32_t)to << SOFT_TYPE_SHIFT;
    return to == WW_T_F64 ? lane_op_x(fn[SOFT], 2, x) : lane_op_x(soft_32, 1, x);
}

ww_lane_op LANES_NAME(ww__lanes_cvt_int)(const ww_inst *inst)
{
    static ww_lane_fn *const *const from[8] = {from_u8,  from_s8,  from_u16, from_s16,
                                               from_u32, from_s32, from_u64, from_s64};
    static ww_lane_fn *const soft_32[8] = {u8_soft_32,  s8_soft_32,  u16_soft_32, s16_soft_32,
                                           u32_soft_32, s32_soft_32, u64_soft_32, s64_soft_32};
    ww_type source = lane_int_type(inst->type2);
    ww_type to = lane_int_type(inst->type);
    unsigned bytes = ww_type_bytes(source);
    if (inst->op != WW_OP_CVT || ww_type_is_float(source) || bytes == 0 || bytes > 8) {
        return lane_none();
    }
    unsigned row = (unsigned)__builtin_ctz(bytes) * 2 + (ww_type_is_signed(source) ? 1 : 0);
    if (ww_type_is_float(to)) {
        return to_float(inst, from[row], soft_32[row], to);
    }
    return ww_type_bytes(to) != 0 && ww_type_bytes(to) <= 8 ? to_int(inst, from[row], to)
                                                            : lane_none();
}
