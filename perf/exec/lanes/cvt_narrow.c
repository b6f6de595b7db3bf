/* cvt_narrow.c - pairs of floats of at most 8 bits, to and from f32 and packed halves, and
 * cvt.pack (PTX ISA 8.x, "cvt", "cvt.pack"; formats: OCP 8-bit Floating Point Specification 1.0 and
 * Microscaling Formats 1.0). */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/half.h"

/* A signed format: 1 sign bit above exponent and fraction. */
typedef struct narrow {
    uint8_t fraction, bits; /* bits behind the point; all of them */
    uint8_t bias;
    uint8_t most;      /* code of the largest finite number */
    uint8_t nan;       /* what NaN becomes: formats without one take the largest number */
    uint8_t first_nan; /* codes from here on are NaN; beyond the format: there is none */
    uint8_t infinity;  /* its code; beyond the format: there is none */
} narrow;

enum { BEYOND = 0xff };

static const narrow formats[] = {
    {3, 8, 7, 0x7e, 0x7f, 0x7f, BEYOND},   /* e4m3 */
    {2, 8, 15, 0x7b, 0x7f, 0x7d, 0x7c},    /* e5m2 */
    {2, 6, 3, 0x1f, 0x1f, BEYOND, BEYOND}, /* e3m2 */
    {3, 6, 1, 0x1f, 0x1f, BEYOND, BEYOND}, /* e2m3 */
    {1, 4, 1, 0x7, 0x7, BEYOND, BEYOND},   /* e2m1 */
};

/* x of these functions: the format, and what else the form says. */
enum { X_FORMAT = 0xf, X_RELU = 0x10, X_UP = 0x20, X_FINITE = 0x40 };

/* v rounded to nearest even; beyond the range its end. */
static WW_ALWAYS_INLINE uint32_t encode(double v, const narrow *f, bool relu)
{
    uint64_t bits = lanes_bits64(v);
    double a = lanes_f64(bits & ~(1ull << 63));
    uint32_t sign = (uint32_t)(bits >> 63) << (f->bits - 1);
    if (a != a) {
        return f->nan;
    }
    if (sign != 0 && relu) {
        return 0;
    }
    int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1023;
    int32_t least = 1 - f->bias;
    e = e < least ? least : e > 64 ? 64 : e;
    /* In units of the last place, below 2^7 unless out of range. */
    double units = a * lanes_f64((uint64_t)(1023 + f->fraction - e) << 52);
    units = units < 0x1p20 ? (units + 0x1p52) - 0x1p52 : 0x1p20;
    uint32_t code = (uint32_t)units + ((uint32_t)(e - least) << f->fraction);
    return sign | (code > f->most ? f->most : code);
}

static WW_ALWAYS_INLINE uint32_t decode_to_f16(uint32_t code, const narrow *f)
{
    uint32_t sign = code >> (f->bits - 1) & 1;
    uint32_t magnitude = code & ((1u << (f->bits - 1)) - 1);
    uint32_t e = magnitude >> f->fraction;
    uint32_t fraction = magnitude & ((1u << f->fraction) - 1);
    if (magnitude >= f->first_nan) {
        return 0x7fff;
    }
    if (magnitude == f->infinity) {
        return sign << 15 | 0x7c00;
    }
    double digits = (double)(fraction + (e != 0 ? 1u << f->fraction : 0));
    int32_t scale = (int32_t)(e != 0 ? e : 1) - f->bias - f->fraction;
    double v = digits * lanes_f64((uint64_t)(1023 + scale) << 52);
    return sign << 15 | ww__f16_from_f32((float)v);
}

/* Powers of two from 2^-127 to 2^127, 0xff is NaN; the sign counts for nothing. */
static WW_ALWAYS_INLINE uint32_t encode_scale(double v, uint32_t x)
{
    uint64_t bits = lanes_bits64(v) & ~(1ull << 63);
    int32_t e = (int32_t)(bits >> 52) - 1023 + 127;
    bool cut = (bits & ((1ull << 52) - 1)) != 0;
    if (bits > 0x7ffull << 52) {
        return 0xff;
    }
    e += (x & X_UP) != 0 && cut ? 1 : 0;
    uint32_t most = (x & X_FINITE) != 0 ? 0xfe : 0xff;
    return e < 0 ? 0 : (uint32_t)e > 0xfe ? most : (uint32_t)e;
}

static WW_ALWAYS_INLINE uint32_t decode_scale(uint32_t code)
{
    return code == 0xff ? 0x7fff : code == 0 ? 0x0040 : code << 7;
}

/* The two halves of a packed operand, as doubles. */
#define UPPER_F16(k)  ((double)ww__f16_to_f32((uint16_t)(B32(k) >> 16)))
#define LOWER_F16(k)  ((double)ww__f16_to_f32((uint16_t)B32(k)))
#define UPPER_BF16(k) ((double)ww__bf16_to_f32((uint16_t)(B32(k) >> 16)))
#define LOWER_BF16(k) ((double)ww__bf16_to_f32((uint16_t)B32(k)))

/* A code of 6 bits fills a byte, one of 4 bits half of it. */
#define NARROW       const narrow *f = &formats[x & X_FORMAT];
#define PAIR(hi, lo) ((hi) << (f->bits == 4 ? 4 : 8) | (lo))
LANE_FN(from_f32, NARROW OUT32(PAIR(encode((double)F32(0), f, (x & X_RELU) != 0),
                                    encode((double)F32(1), f, (x & X_RELU) != 0)));)
LANE_FN(from_f16x2, NARROW OUT32(PAIR(encode(UPPER_F16(0), f, (x & X_RELU) != 0),
                                      encode(LOWER_F16(0), f, (x & X_RELU) != 0)));)
LANE_FN(scale_from_f32,
        OUT32(encode_scale((double)F32(0), x) << 8 | encode_scale((double)F32(1), x));)
LANE_FN(scale_from_bf16x2,
        OUT32(encode_scale(UPPER_BF16(0), x) << 8 | encode_scale(LOWER_BF16(0), x));)
LANE_FN(scale_to_bf16x2,
        OUT32(decode_scale(B32(0) >> 8 & 0xff) << 16 | decode_scale(B32(0) & 0xff));)

static WW_ALWAYS_INLINE uint32_t relu_f16(uint32_t h, uint32_t x)
{
    return (x & X_RELU) != 0 && (h & 0x8000) != 0 ? 0 : h;
}
LANE_FN(to_f16x2, NARROW uint32_t hi = B32(0) >> (f->bits == 4 ? 4 : 8) & ((1u << f->bits) - 1);
        uint32_t lo = B32(0) & ((1u << f->bits) - 1);
        OUT32(relu_f16(decode_to_f16(hi, f), x) << 16 | relu_f16(decode_to_f16(lo, f), x));)

/* cvt.pack; x: bits of the type, 0x100: signed. */
enum { PACK_BITS = 0xff, PACK_SIGNED = 0x100 };
static WW_ALWAYS_INLINE uint32_t saturated(int32_t v, uint32_t x)
{
    uint32_t bits = x & PACK_BITS;
    bool sgn = (x & PACK_SIGNED) != 0;
    int32_t most = (int32_t)((1u << (bits - (sgn ? 1 : 0))) - 1);
    int32_t least = sgn ? -most - 1 : 0;
    return (uint32_t)(v < least ? least : v > most ? most : v) & ((1u << bits) - 1);
}
LANE_FN(pack, uint32_t n = x & PACK_BITS; uint64_t rest = (uint64_t)B32(2) << 2 * n;
        OUT32((uint32_t)rest | saturated(S32(0), x) << n | saturated(S32(1), x));)

static ww_lane_op find_pack(const ww_inst *inst)
{
    ww_type type = (ww_type)inst->type;
    uint32_t bits = type == WW_T_U2 || type == WW_T_S2   ? 2
                    : type == WW_T_U4 || type == WW_T_S4 ? 4
                                                         : 8 * ww_type_bytes(type);
    if (inst->src_count != 3 || bits == 0 || bits > 16) {
        return lane_none();
    }
    return lane_op_x(pack, 1, bits | (ww_type_is_signed(type) ? PACK_SIGNED : 0u));
}

ww_lane_op LANES_NAME(ww__lanes_cvt_narrow)(const ww_inst *inst)
{
    ww_type to = (ww_type)inst->type;
    ww_type from = (ww_type)inst->type2;
    if (inst->op == WW_OP_CVT_PACK) {
        return find_pack(inst);
    }
    if (inst->op != WW_OP_CVT || (!ww_type_is_narrow_pair(to) && !ww_type_is_narrow_pair(from))) {
        return lane_none();
    }
    uint32_t x = ((inst->mods & WW_MOD_RELU) != 0 ? X_RELU : 0u) |
                 ((inst->mods & WW_MOD_SATFINITE) != 0 ? X_FINITE : 0u) |
                 (inst->round == WW_ROUND_RP ? X_UP : 0u);
    bool two = inst->src_count == 2;
    if (to == WW_T_UE8M0X2) {
        return from == WW_T_BF16X2       ? lane_op_x(scale_from_bf16x2, 1, x)
               : from == WW_T_F32 && two ? lane_op_x(scale_from_f32, 1, x)
                                         : lane_none();
    }
    if (from == WW_T_UE8M0X2) {
        return to == WW_T_BF16X2 ? lane_op(scale_to_bf16x2, 1) : lane_none();
    }
    if (ww_type_is_narrow_pair(to)) {
        x |= (uint32_t)(to - WW_T_E4M3X2);
        return from == WW_T_F16X2        ? lane_op_x(from_f16x2, 1, x)
               : from == WW_T_F32 && two ? lane_op_x(from_f32, 1, x)
                                         : lane_none();
    }
    return to == WW_T_F16X2 ? lane_op_x(to_f16x2, 1, x | (uint32_t)(from - WW_T_E4M3X2))
                            : lane_none();
}
