/* cvt_float.c - conversions from floats: to integers (clamped), to integral values and to
 * other floats. */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/softfp.h"

/* x of the general functions. */
enum {
    X_ROUND = 0xf,      /* ww_round to a narrower float or to an integral value */
    X_FTZ = 0x10,       /* flush an f32 source or result */
    X_SAT = 0x20,       /* clamp a float result to [0,1] */
    X_RELU = 0x40,      /* negative float results become zero */
    X_NAN_HIGH = 0x80,  /* NaN becomes the integer with only its top bit set, else 0 */
    X_INTEGRAL = 0x100, /* round to an integral value first */
    X_FINITE = 0x200,   /* the largest finite number instead of infinity */
    X_TYPE_SHIFT = 16,  /* destination type */
};

/* v as an integral value; exact for every double. */
static WW_ALWAYS_INLINE double integral(double v, ww_round mode)
{
    uint64_t sign = lanes_bits64(v) & 1ull << 63;
    double a = lanes_f64(lanes_bits64(v) ^ sign);
    double n = a < 0x1p52 ? (a + 0x1p52) - 0x1p52 : a;
    n = lanes_f64(lanes_bits64(n) | sign); /* nearest even, with v's sign */
    bool down = mode == WW_ROUND_RMI || (mode == WW_ROUND_RZI && sign == 0);
    bool up = mode == WW_ROUND_RPI || (mode == WW_ROUND_RZI && sign != 0);
    double r = down && n > v ? n - 1.0 : up && n < v ? n + 1.0 : n;
    return lanes_f64(lanes_bits64(r) | (r == 0.0 ? sign : 0));
}

/* Range of each integer type as doubles; the 64-bit maxima are the first value beyond. */
static WW_ALWAYS_INLINE uint64_t to_integer(double v, uint32_t x)
{
    ww_type type = (ww_type)(x >> X_TYPE_SHIFT);
    unsigned bits = type == WW_T_U8 || type == WW_T_S8     ? 8
                    : type == WW_T_U16 || type == WW_T_S16 ? 16
                    : type == WW_T_U32 || type == WW_T_S32 ? 32
                                                           : 64;
    bool sgn = type == WW_T_S8 || type == WW_T_S16 || type == WW_T_S32 || type == WW_T_S64;
    uint64_t max = ~0ull >> (64 - bits + (sgn ? 1 : 0));
    uint64_t min = sgn ? ~max : 0;
    double beyond = lanes_f64((uint64_t)(1023 + bits - (sgn ? 1 : 0)) << 52); /* max + 1 */
    double r = integral(v, (ww_round)(x & X_ROUND));
    if (v != v) {
        return (x & X_NAN_HIGH) == 0 ? 0 : sgn ? min : 1ull << (bits - 1);
    }
    if (r >= beyond) {
        return max;
    }
    if (sgn) {
        return r < -beyond ? min : (uint64_t)(int64_t)r;
    }
    return r <= 0.0 ? 0 : (uint64_t)r;
}

/* The commonest: f32 or f64 to 32 bits. */
static WW_ALWAYS_INLINE int32_t to_s32(double v, ww_round mode, int32_t nan)
{
    double r = integral(v, mode);
    r = r > 2147483647.0 ? 2147483647.0 : r;
    r = r < -2147483648.0 ? -2147483648.0 : r;
    r = r != r ? 0.0 : r;
    int32_t q = (int32_t)r;
    return v != v ? nan : q;
}

static WW_ALWAYS_INLINE double source_f32(uint32_t bits, uint32_t x)
{
    return (double)lanes_f32((x & X_FTZ) != 0 ? lanes_flush_bits32(bits) : bits);
}

/* v, at most the largest finite number of a type in size; NaN stays. */
static WW_ALWAYS_INLINE double within_finite(double v, ww_type type)
{
    double most = type == WW_T_F16    ? 0x1.ffcp15
                  : type == WW_T_BF16 ? 0x1.fep127
                  : type == WW_T_TF32 ? 0x1.ffcp127
                                      : 0x1.fffffep127;
    return v > most ? most : v < -most ? -most : v;
}

/* A float result of any type from a double that holds the value exactly. */
static WW_ALWAYS_INLINE uint64_t to_float_bits(double v, uint32_t x)
{
    ww_type type = (ww_type)(x >> X_TYPE_SHIFT);
    ww_round round = (ww_round)(x & X_ROUND);
    if ((x & X_INTEGRAL) != 0) {
        v = integral(v, round);
        round = WW_ROUND_RN;
    }
    v = (x & X_SAT) != 0 ? lanes_sat64(v) : v;
    v = (x & X_RELU) != 0 && v <= 0.0 ? 0.0 : v;
    v = (x & X_FINITE) != 0 ? within_finite(v, type) : v;
    uint64_t bits = lanes_bits64(v);
    switch (type) {
    case WW_T_F64:
        return lanes_canonical64(v);
    case WW_T_F32: {
        uint64_t r = ww__soft_convert(&ww__soft_f64, &ww__soft_f32, bits, round);
        return (x & X_FTZ) != 0 ? lanes_flush_bits32((uint32_t)r) : r;
    }
    case WW_T_TF32: {                        /* 10 fraction bits in the upper part of a word */
        uint32_t b = lanes_bits32((float)v); /* exact: the source is f32 */
        uint32_t half = round == WW_ROUND_RNA ? 0x1000u : 0xfffu + (b >> 13 & 1);
        b = round == WW_ROUND_RZ ? b : (b & 0x7f800000u) == 0x7f800000u ? b : b + half;
        return v != v ? WW_NAN32 : b & ~0x1fffu;
    }
    case WW_T_BF16:
        return ww__soft_convert(&ww__soft_f64, &ww__soft_bf16, bits, round);
    default:
        return ww__soft_convert(&ww__soft_f64, &ww__soft_f16, bits, round);
    }
}

#define FROM_FLOAT(type, SOURCE)                                                                   \
    LANE_FN(type##_to_int32, OUT32(to_integer(SOURCE, x));)                                        \
    LANE_FN(type##_to_int64, OUT64(to_integer(SOURCE, x));)                                        \
    LANE_FN(type##_to_float32, OUT32(to_float_bits(SOURCE, x));)                                   \
    LANE_FN(type##_to_float64, OUT64(to_float_bits(SOURCE, x));)                                   \
    static ww_lane_fn *const from_##type[4] = {type##_to_int32, type##_to_int64,                   \
                                               type##_to_float32, type##_to_float64};
FROM_FLOAT(f16, (double)ww__f16_to_f32(U16(0)))
FROM_FLOAT(bf16, (double)ww__bf16_to_f32(U16(0)))
FROM_FLOAT(f32, source_f32(B32(0), x))
FROM_FLOAT(f64, F64(0))
enum { INT32_RESULT, INT64_RESULT, FLOAT32_RESULT, FLOAT64_RESULT };

/* Common forms without a detour. */
LANE_FN(f32_s32, OUT32(to_s32(source_f32(B32(0), x), (ww_round)(x &X_ROUND), 0));)
LANE_FN(f64_s32, OUT32(to_s32(F64(0), (ww_round)(x &X_ROUND), INT32_MIN));)
LANE_FN(f32_f64, OUTF64(source_f32(B32(0), x));)
LANE_FN(f64_f32, OUTF32((float)F64(0));)
LANE_FN(f64_f32_ftz, OUTF32(lanes_flush32((float)F64(0)));)
LANE_FN(f32_f16, OUT32(ww__f16_from_f32(F32(0)));)
LANE_FN(f16_f32, OUT32(lanes_bits32(ww__f16_to_f32(U16(0))));)
LANE_FN(f32_bf16, OUT32(ww__bf16_from_f32(F32(0)));)
LANE_FN(bf16_f32, OUT32(lanes_bits32(ww__bf16_to_f32(U16(0))));)
LANE_FN(f32_integral, OUTF32((float)integral(source_f32(B32(0), x), (ww_round)(x &X_ROUND)));)
LANE_FN(f64_integral, OUTF64(integral(F64(0), (ww_round)(x &X_ROUND)));)

/* tf32 of f32, ties away from zero; the carry of the largest fraction reaches infinity. */
static WW_ALWAYS_INLINE uint32_t tf32_away(uint32_t bits)
{
    uint32_t rest = bits & 0x7fffffffu;
    uint32_t near = (bits + (rest < 0x7f800000u ? 0x1000u : 0)) & ~0x1fffu;
    return rest > 0x7f800000u ? WW_NAN32 : near;
}
LANE_FN(f32_tf32_away, OUT32(tf32_away(B32(0)));)

/* Two floats into a packed pair, the first above. */
LANE_FN(f32_pair, uint64_t hi = to_float_bits(source_f32(B32(0), x), x);
        uint64_t lo = to_float_bits(source_f32(B32(1), x), x); OUT32((lo & 0xffff) | hi << 16);)

static bool is_integral(const ww_inst *inst)
{
    return inst->round >= WW_ROUND_RNI && inst->round <= WW_ROUND_RPI;
}

static uint32_t flags_of(const ww_inst *inst, ww_type to, bool f64_source)
{
    bool high_nan = f64_source || ww_type_bytes(to) == 8;
    return (uint32_t)inst->round | ((inst->mods & WW_MOD_FTZ) != 0 ? X_FTZ : 0u) |
           ((inst->mods & WW_MOD_SAT) != 0 ? X_SAT : 0u) |
           ((inst->mods & WW_MOD_RELU) != 0 ? X_RELU : 0u) |
           ((inst->mods & WW_MOD_SATFINITE) != 0 ? X_FINITE : 0u) | (high_nan ? X_NAN_HIGH : 0u) |
           (is_integral(inst) ? X_INTEGRAL : 0u) | (uint32_t)to << X_TYPE_SHIFT;
}

static ww_lane_op to_int(const ww_inst *inst, ww_type source, ww_lane_fn *const fn[4], ww_type to)
{
    uint32_t x = flags_of(inst, to, source == WW_T_F64);
    if (!is_integral(inst)) {
        x = (x & ~(uint32_t)X_ROUND) |
            WW_ROUND_RZI; /* PTX demands a mode; truncation where it is missing */
    }
    if (to == WW_T_S32 && (source == WW_T_F32 || source == WW_T_F64) && inst->dst[0].words == 1) {
        return lane_op_x(source == WW_T_F32 ? f32_s32 : f64_s32, 1, x);
    }
    bool pair = inst->dst[0].words == 2;
    return lane_op_x(fn[pair ? INT64_RESULT : INT32_RESULT], pair ? 2 : 1, x);
}

/* The direct form, where there is one; general otherwise. */
static ww_lane_fn *direct(const ww_inst *inst, ww_type source, ww_type to)
{
    bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
    bool nearest = inst->round == WW_ROUND_DEFAULT || inst->round == WW_ROUND_RN;
    if ((inst->mods & (WW_MOD_SAT | WW_MOD_RELU | WW_MOD_SATFINITE)) != 0) {
        return NULL;
    }
    if (is_integral(inst)) {
        return source != to                 ? NULL
               : source == WW_T_F32 && !ftz ? f32_integral
               : source == WW_T_F64         ? f64_integral
                                            : NULL;
    }
    if (to == WW_T_TF32 && inst->round == WW_ROUND_RNA && !ftz) {
        return f32_tf32_away;
    }
    if (!nearest) {
        return NULL;
    }
    if (source == WW_T_F32) {
        return to == WW_T_F64            ? f32_f64
               : to == WW_T_F16 && !ftz  ? f32_f16
               : to == WW_T_BF16 && !ftz ? f32_bf16
                                         : NULL;
    }
    if (source == WW_T_F64 && to == WW_T_F32) {
        return ftz ? f64_f32_ftz : f64_f32;
    }
    if (to == WW_T_F32) {
        return source == WW_T_F16 ? f16_f32 : source == WW_T_BF16 ? bf16_f32 : NULL;
    }
    return NULL;
}

static ww_lane_op to_float(const ww_inst *inst, ww_type source, ww_lane_fn *const fn[4], ww_type to)
{
    uint32_t x = flags_of(inst, to, source == WW_T_F64);
    ww_lane_fn *fast = direct(inst, source, to);
    unsigned words = to == WW_T_F64 ? 2 : 1;
    if (fast != NULL) {
        return lane_op_x(fast, words, x);
    }
    return lane_op_x(fn[words == 2 ? FLOAT64_RESULT : FLOAT32_RESULT], words, x);
}

ww_lane_op LANES_NAME(ww__lanes_cvt_float)(const ww_inst *inst)
{
    ww_type source = (ww_type)inst->type2;
    ww_type to = lane_int_type(inst->type);
    if (inst->op != WW_OP_CVT || !ww_type_is_float(source) || ww_type_is_narrow_pair(source) ||
        ww_type_is_narrow_pair(to)) {
        return lane_none();
    }
    if (to == WW_T_F16X2 || to == WW_T_BF16X2) {
        ww_type half = to == WW_T_F16X2 ? WW_T_F16 : WW_T_BF16;
        bool ok = source == WW_T_F32 && inst->src_count == 2;
        return ok ? lane_op_x(f32_pair, 1, flags_of(inst, half, false)) : lane_none();
    }
    if (source == WW_T_F16X2 || source == WW_T_BF16X2 || (to == WW_T_TF32 && source != WW_T_F32)) {
        return lane_none();
    }
    ww_lane_fn *const *fn = source == WW_T_F16    ? from_f16
                            : source == WW_T_BF16 ? from_bf16
                            : source == WW_T_F64  ? from_f64
                                                  : from_f32;
    if (ww_type_is_float(to)) {
        return to_float(inst, source, fn, to);
    }
    return ww_type_bytes(to) != 0 && ww_type_bytes(to) <= 8 ? to_int(inst, source, fn, to)
                                                            : lane_none();
}
