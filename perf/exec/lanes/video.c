/* video.c - video instructions on whole words, two halves or four bytes (PTX ISA 8.x, "Scalar
 * Video Instructions", "SIMD Video Instructions"), and those that CUDA's DPX functions are made
 * of. */
#include "perf/exec/lanes/lanes.h"

/* x: what the form says. */
enum {
    V_OPERATION = 0xf, /* from WW_SUB_VADD */
    V_COMPARE = 0xf0,  /* ww_cmp */
    V_SAT = 0x100,
    V_SIGNED = 0x200, /* the result, */
    V_SIGNED_A = 0x400,
    V_SIGNED_B = 0x800, /* and the operands */
    V_WRAP = 0x1000,
    V_RELU = 0x2000,      /* zero instead of what is below it */
    V_COMBINE_SHIFT = 16, /* ww_bool_op */
    V_PARTS_SHIFT = 20,   /* 1, 2 or 4 */
};

static WW_ALWAYS_INLINE int64_t part(uint32_t v, unsigned index, unsigned bits, bool is_signed)
{
    uint64_t p = v >> index * bits & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
    uint64_t top = 1ull << (bits - 1);
    return is_signed ? (int64_t)((p ^ top) - top) : (int64_t)p;
}

static WW_ALWAYS_INLINE bool holds(ww_cmp cmp, int64_t a, int64_t b)
{
    switch (cmp) {
    case WW_CMP_EQ:
        return a == b;
    case WW_CMP_NE:
        return a != b;
    case WW_CMP_LT:
        return a < b;
    case WW_CMP_LE:
        return a <= b;
    case WW_CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* Shifts of a sign-extended word by at most 32 bits; to the left cut to 63 bits and the sign, which
 * saturation does not tell from more. */
static WW_ALWAYS_INLINE int64_t shifted(int64_t a, uint32_t amount, uint32_t x)
{
    bool left = (x & V_OPERATION) == WW_SUB_VSHL - WW_SUB_VADD;
    amount = (x & V_WRAP) != 0 ? amount & 31 : amount > 32 ? 32 : amount;
    if (!left) {
        return a >> amount;
    }
    if (a >= 0 && amount == 32 && (a >> 31) != 0) {
        return 0x7fffffff00000000; /* beyond any range, and zero in its low word */
    }
    return (int64_t)((uint64_t)a << amount);
}

static WW_ALWAYS_INLINE int64_t operate(int64_t a, int64_t b, uint32_t amount, uint32_t x)
{
    switch ((x & V_OPERATION) + WW_SUB_VADD) {
    case WW_SUB_VADD:
        return a + b;
    case WW_SUB_VSUB:
        return a - b;
    case WW_SUB_VABSDIFF:
        return a > b ? a - b : b - a;
    case WW_SUB_VMIN:
        return a < b ? a : b;
    case WW_SUB_VMAX:
        return a > b ? a : b;
    case WW_SUB_VAVRG: { /* rounded away from zero: ties up where the sum is positive */
        int64_t sum = a + b;
        return (sum + (sum >= 0 ? 1 : 0)) >> 1;
    }
    case WW_SUB_VSET:
        return holds((ww_cmp)(x >> 4 & 0xf), a, b);
    default:
        return shifted(a, amount, x);
    }
}

static WW_ALWAYS_INLINE int64_t clamped(int64_t v, unsigned bits, bool is_signed)
{
    int64_t most = (int64_t)((1ull << (bits - (is_signed ? 1 : 0))) - 1);
    int64_t least = is_signed ? -most - 1 : 0;
    return v < least ? least : v > most ? most : v;
}

/* One word or, added up, the parts of one. */
static WW_ALWAYS_INLINE uint32_t combined(uint32_t r, uint32_t c, uint32_t x)
{
    bool sgn = (x & V_SIGNED) != 0;
    bool less = sgn ? (int32_t)r < (int32_t)c : r < c;
    switch (x >> V_COMBINE_SHIFT & 0xf) {
    case WW_BOOL_SUM:
        return r + c;
    case WW_BOOL_LEAST:
        return less ? r : c;
    case WW_BOOL_MOST:
        return less ? c : r;
    default:
        return r;
    }
}

static WW_ALWAYS_INLINE uint32_t video(uint32_t a, uint32_t b, uint32_t c, uint32_t x)
{
    unsigned parts = x >> V_PARTS_SHIFT;
    unsigned bits = 32 / parts;
    uint32_t packed = 0;
    uint32_t sum = 0;
    for (unsigned i = 0; i < parts; i++) {
        int64_t r = operate(part(a, i, bits, (x & V_SIGNED_A) != 0),
                            part(b, i, bits, (x & V_SIGNED_B) != 0), b, x);
        r = (x & V_SAT) != 0 ? clamped(r, bits, (x & V_SIGNED) != 0) : r;
        r = (x & V_RELU) != 0 && r < 0 ? 0 : r;
        packed |= (uint32_t)((uint64_t)r & (0xffffffffu >> (32 - bits))) << i * bits;
        sum += (uint32_t)(uint64_t)r;
    }
    bool adds_parts = parts > 1 && (x >> V_COMBINE_SHIFT & 0xf) == WW_BOOL_SUM;
    return combined(adds_parts ? sum : packed, c, x);
}
LANE_FN(video_32, OUT32(video(B32(0), B32(1), B32(2), x));)

/* What is frequent in programs, for which the compiler makes straight code. */
#define V_ALL_SIGNED (V_SIGNED | V_SIGNED_A | V_SIGNED_B)
#define FREQUENT(X)                                                                                \
    X(add_halves, VADD, 2, 0)                                                                      \
    X(min_u16x2, VMIN, 2, 0)                                                                       \
    X(max_u16x2, VMAX, 2, 0)                                                                       \
    X(min_s16x2, VMIN, 2, V_ALL_SIGNED)                                                            \
    X(max_s16x2, VMAX, 2, V_ALL_SIGNED)                                                            \
    X(min_relu_s16x2, VMIN, 2, V_ALL_SIGNED | V_RELU)                                              \
    X(max_relu_s16x2, VMAX, 2, V_ALL_SIGNED | V_RELU)                                              \
    X(min_relu_s32, VMIN, 1, V_ALL_SIGNED | V_RELU)                                                \
    X(max_relu_s32, VMAX, 1, V_ALL_SIGNED | V_RELU)
#define SAYS(operation, parts, more)                                                               \
    ((uint32_t)(WW_SUB_##operation - WW_SUB_VADD) | (uint32_t)(parts) << V_PARTS_SHIFT |           \
     (uint32_t)(more))
#define FREQUENT_FN(name, operation, parts, more)                                                  \
    LANE_FN(name, OUT32(video(B32(0), B32(1), 0, SAYS(operation, parts, more)));)
FREQUENT(FREQUENT_FN)

static ww_lane_fn *video_function(uint32_t x)
{
    static const struct {
        uint32_t x;
        ww_lane_fn *fn;
    } rows[] = {
#define FREQUENT_ROW(name, operation, parts, more) {SAYS(operation, parts, more), name},
        FREQUENT(FREQUENT_ROW)
#undef FREQUENT_ROW
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].x == x) {
            return rows[i].fn;
        }
    }
    return video_32;
}

/* vmad. x: its shift, and VMAD_*. Product, addend and one fit 64 bits: at most (2^32 - 1) 2^32 + 1
 * unsigned, at least -2^31 2^32 signed. */
enum {
    VMAD_SHIFT = 0x1f,
    VMAD_ONE = 0x20,
    VMAD_SAT = 0x40,
    VMAD_MINUS_PRODUCT = 0x80,
    VMAD_MINUS_ADDEND = 0x100,
};

static WW_ALWAYS_INLINE uint32_t vmad_unsigned(uint32_t a, uint32_t b, uint32_t c, uint32_t x)
{
    uint64_t sum = (uint64_t)a * b + c + ((x & VMAD_ONE) != 0);
    uint64_t r = sum >> (x & VMAD_SHIFT);
    return (x & VMAD_SAT) != 0 && r > UINT32_MAX ? UINT32_MAX : (uint32_t)r;
}

static WW_ALWAYS_INLINE uint32_t vmad_signed(uint64_t product, int32_t c, uint32_t x)
{
    uint64_t addend = (uint64_t)(int64_t)c;
    product = (x & VMAD_MINUS_PRODUCT) != 0 ? 0 - product : product;
    addend = (x & VMAD_MINUS_ADDEND) != 0 ? 0 - addend : addend;
    int64_t r = (int64_t)(product + addend + ((x & VMAD_ONE) != 0)) >> (x & VMAD_SHIFT);
    return (uint32_t)(uint64_t)((x & VMAD_SAT) != 0 ? clamped(r, 32, true) : r);
}

/* An unsigned product becomes signed with a negation. It needs a 65th bit only to be clamped, and
 * is beyond the clamp with less than that, shifted or not. */
static WW_ALWAYS_INLINE uint64_t vmad_product(uint32_t a, uint32_t b, uint32_t x)
{
    const uint64_t product = (uint64_t)a * b, beyond = UINT64_C(1) << 62;
    return (x & VMAD_SAT) != 0 && product > beyond ? beyond : product;
}
LANE_FN(vmad_uu, OUT32(vmad_unsigned(U32(0), U32(1), U32(2), x));)
LANE_FN(vmad_uu_minus, OUT32(vmad_signed(vmad_product(U32(0), U32(1), x), S32(2), x));)
LANE_FN(vmad_us, OUT32(vmad_signed((uint64_t)((int64_t)U32(0) * S32(1)), S32(2), x));)
LANE_FN(vmad_su, OUT32(vmad_signed((uint64_t)(S32(0) * (int64_t)U32(1)), S32(2), x));)
LANE_FN(vmad_ss, OUT32(vmad_signed((uint64_t)((int64_t)S32(0) * S32(1)), S32(2), x));)

static ww_lane_op find_vmad(const ww_inst *inst)
{
    static ww_lane_fn *const fn[2][2] = {{vmad_uu, vmad_us}, {vmad_su, vmad_ss}};
    bool one =
        inst->sub == WW_SUB_PO || inst->sub == WW_SUB_PO_SHR7 || inst->sub == WW_SUB_PO_SHR15;
    bool shr7 = inst->sub == WW_SUB_SHR7 || inst->sub == WW_SUB_PO_SHR7;
    bool shr15 = inst->sub == WW_SUB_SHR15 || inst->sub == WW_SUB_PO_SHR15;
    uint32_t x = (shr7    ? 7u
                  : shr15 ? 15u
                          : 0u) |
                 (one ? VMAD_ONE : 0u) | ((inst->mods & WW_MOD_SAT) != 0 ? VMAD_SAT : 0u) |
                 ((inst->mods & WW_MOD_MINUS_PRODUCT) != 0 ? VMAD_MINUS_PRODUCT : 0u) |
                 ((inst->mods & WW_MOD_MINUS_ADDEND) != 0 ? VMAD_MINUS_ADDEND : 0u);
    bool a = ww_type_is_signed((ww_type)inst->type2), b = ww_type_is_signed((ww_type)inst->type_b);
    bool minus = (x & (VMAD_MINUS_PRODUCT | VMAD_MINUS_ADDEND)) != 0;
    return lane_op_x(minus && !a && !b ? vmad_uu_minus : fn[a][b], 1, x);
}

ww_lane_op LANES_NAME(ww__lanes_video)(const ww_inst *inst)
{
    unsigned parts = inst->vec;
    if (inst->op == WW_OP_VMAD) {
        return find_vmad(inst);
    }
    if (inst->op != WW_OP_VIDEO || inst->sub < WW_SUB_VADD || inst->sub > WW_SUB_VSET ||
        (parts != 1 && parts != 2 && parts != 4)) {
        return lane_none();
    }
    uint32_t x = (uint32_t)(inst->sub - WW_SUB_VADD) | (uint32_t)(inst->cmp & 0xf) << 4 |
                 ((inst->mods & WW_MOD_SAT) != 0 ? V_SAT : 0u) |
                 ((inst->mods & WW_MOD_WRAP) != 0 ? V_WRAP : 0u) |
                 ((inst->mods & WW_MOD_RELU) != 0 ? V_RELU : 0u) |
                 (ww_type_is_signed((ww_type)inst->type) ? V_SIGNED : 0u) |
                 (ww_type_is_signed((ww_type)inst->type2) ? V_SIGNED_A : 0u) |
                 (ww_type_is_signed((ww_type)inst->type_b) ? V_SIGNED_B : 0u) |
                 (uint32_t)inst->bool_op << V_COMBINE_SHIFT | (uint32_t)parts << V_PARTS_SHIFT;
    return lane_op_x(video_function(x), 1, x);
}
