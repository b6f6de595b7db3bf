/* half.c - arithmetic of f16, bf16 and their packed pairs: computed in double without loss
 * (products are exact, sums round to odd), rounded once to the type. */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/half.h"

enum { HALF_FTZ = 1, HALF_SAT = 2, HALF_RELU = 4, HALF_NAN = 8 }; /* bits of x */

typedef enum half_op {
    HALF_ADD,
    HALF_SUB,
    HALF_MUL,
    HALF_FMA,
    HALF_MIN,
    HALF_MAX,
    HALF_ABS,
    HALF_NEG
} half_op;

static WW_ALWAYS_INLINE uint16_t half_flush(uint16_t h, bool bf)
{
    uint16_t exponent = bf ? 0x7f80 : 0x7c00;
    return (h & exponent) == 0 ? h & 0x8000 : h;
}

static WW_ALWAYS_INLINE double half_in(uint16_t h, bool bf, uint32_t x)
{
    h = (x & HALF_FTZ) != 0 ? half_flush(h, bf) : h;
    return (double)(bf ? ww__bf16_to_f32(h) : ww__f16_to_f32(h));
}

static WW_ALWAYS_INLINE uint16_t half_out(double r, bool bf, uint32_t x)
{
    double kept = (x & HALF_SAT) != 0 ? lanes_sat64(r) : r;
    kept = (x & HALF_RELU) != 0 && kept <= 0.0 ? 0.0 : kept;
    float f = ww__narrow_to_odd(kept);
    uint16_t h = bf ? ww__bf16_from_f32(f) : ww__f16_from_f32(f);
    return (x & HALF_FTZ) != 0 ? half_flush(h, bf) : h;
}

/* The number when one operand is NaN unless x says that NaN wins; -0 < +0. */
static WW_ALWAYS_INLINE uint16_t half_pick(uint16_t a, uint16_t b, bool bf, bool want_max,
                                           uint32_t x)
{
    double fa = half_in(a, bf, x);
    double fb = half_in(b, bf, x);
    bool a_less = (fa < fb) | ((fa == fb) & ((a >> 15) > (b >> 15)));
    uint16_t r = a_less != want_max ? a : b;
    r = fa != fa ? b : r;
    r = fb != fb ? a : r;
    bool nan = (x & HALF_NAN) != 0 ? (fa != fa) | (fb != fb) : (fa != fa) & (fb != fb);
    r = (x & HALF_FTZ) != 0 ? half_flush(r, bf) : r;
    return nan ? 0x7fff : r;
}

static WW_ALWAYS_INLINE uint16_t half_compute(half_op op, uint16_t a, uint16_t b, uint16_t c,
                                              bool bf, uint32_t x)
{
    switch (op) {
    case HALF_ADD:
        return half_out(ww__add_to_odd(half_in(a, bf, x), half_in(b, bf, x)), bf, x);
    case HALF_SUB:
        return half_out(ww__add_to_odd(half_in(a, bf, x), -half_in(b, bf, x)), bf, x);
    case HALF_MUL:
        return half_out(half_in(a, bf, x) * half_in(b, bf, x), bf, x);
    case HALF_FMA:
        return half_out(ww__add_to_odd(half_in(a, bf, x) * half_in(b, bf, x), half_in(c, bf, x)),
                        bf, x);
    case HALF_MIN:
        return half_pick(a, b, bf, false, x);
    case HALF_MAX:
        return half_pick(a, b, bf, true, x);
    case HALF_ABS:
        return (x & HALF_FTZ) != 0 ? half_flush(a, bf) & 0x7fff : a & 0x7fff;
    default:
        return (x & HALF_FTZ) != 0 ? half_flush(a, bf) ^ 0x8000 : a ^ 0x8000;
    }
}

/* One lane function per (operation, type); N operands. */
#define H(k)  ((uint16_t)s[k][i])
#define HH(k) ((uint16_t)(s[k][i] >> 16))
#define HALF_FNS(name, OP, K1, K2)                                                                 \
    LANE_FN(name##_f16, OUT32(half_compute(OP, H(0), H(K1), H(K2), false, x));)                    \
    LANE_FN(name##_bf16, OUT32(half_compute(OP, H(0), H(K1), H(K2), true, x));)                    \
    LANE_FN(name##_f16x2, uint32_t lo = half_compute(OP, H(0), H(K1), H(K2), false, x);            \
            uint32_t hi = half_compute(OP, HH(0), HH(K1), HH(K2), false, x);                       \
            OUT32(lo | hi << 16);)                                                                 \
    LANE_FN(name##_bf16x2, uint32_t lo = half_compute(OP, H(0), H(K1), H(K2), true, x);            \
            uint32_t hi = half_compute(OP, HH(0), HH(K1), HH(K2), true, x); OUT32(lo | hi << 16);) \
    static ww_lane_fn *const name[4] = {name##_f16, name##_f16x2, name##_bf16, name##_bf16x2};
HALF_FNS(add, HALF_ADD, 1, 1)
HALF_FNS(sub, HALF_SUB, 1, 1)
HALF_FNS(mul, HALF_MUL, 1, 1)
HALF_FNS(madd, HALF_FMA, 1, 2)
HALF_FNS(min, HALF_MIN, 1, 1)
HALF_FNS(max, HALF_MAX, 1, 1)
HALF_FNS(mag, HALF_ABS, 0, 0)
HALF_FNS(neg, HALF_NEG, 0, 0)

ww_lane_op LANES_NAME(ww__lanes_half)(const ww_inst *inst)
{
    if (inst->type < WW_T_F16 || inst->type > WW_T_BF16X2 || inst->round > WW_ROUND_RN) {
        return lane_none();
    }
    unsigned type = inst->type - WW_T_F16;
    uint32_t x = ((inst->mods & WW_MOD_FTZ) != 0 ? HALF_FTZ : 0u) |
                 ((inst->mods & WW_MOD_SAT) != 0 ? HALF_SAT : 0u) |
                 ((inst->mods & WW_MOD_RELU) != 0 ? HALF_RELU : 0u) |
                 ((inst->mods & WW_MOD_NAN) != 0 ? HALF_NAN : 0u);
    switch ((ww_op)inst->op) {
    case WW_OP_ADD:
        return lane_op_x(add[type], 1, x);
    case WW_OP_SUB:
        return lane_op_x(sub[type], 1, x);
    case WW_OP_MUL:
        return lane_op_x(mul[type], 1, x);
    case WW_OP_MAD:
    case WW_OP_FMA:
        return lane_op_x(madd[type], 1, x);
    case WW_OP_MIN:
        return lane_op_x(min[type], 1, x);
    case WW_OP_MAX:
        return lane_op_x(max[type], 1, x);
    case WW_OP_ABS:
        return lane_op_x(mag[type], 1, x);
    case WW_OP_NEG:
        return lane_op_x(neg[type], 1, x);
    default:
        return lane_none();
    }
}
