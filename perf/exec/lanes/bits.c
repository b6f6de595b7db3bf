/* bits.c - bitwise logic, shifts, bit fields, bit counts, byte permutation. */
#include "perf/exec/lanes/lanes.h"

LANE_FN(and_32, OUT32(B32(0) & B32(1));)
LANE_FN(and_64, OUT64(B64(0) & B64(1));)
LANE_FN(or_32, OUT32(B32(0) | B32(1));)
LANE_FN(or_64, OUT64(B64(0) | B64(1));)
LANE_FN(xor_32, OUT32(B32(0) ^ B32(1));)
LANE_FN(xor_64, OUT64(B64(0) ^ B64(1));)
LANE_FN(not_16, OUT16(~B32(0));)
LANE_FN(not_32, OUT32(~B32(0));)
LANE_FN(not_64, OUT64(~B64(0));)
LANE_FN(cnot_16, OUT16(U16(0) == 0);)
LANE_FN(cnot_32, OUT32(B32(0) == 0);)
LANE_FN(cnot_64, OUT64(B64(0) == 0);)

/* x is the truth table: bit (a*4 + b*2 + c). */
LANE_FN(lop3_32, uint32_t a = B32(0); uint32_t b = B32(1); uint32_t c = B32(2);
        uint32_t r = ((0u - (x & 1)) & ~a & ~b & ~c) | ((0u - (x >> 1 & 1)) & ~a & ~b & c) |
                     ((0u - (x >> 2 & 1)) & ~a & b & ~c) | ((0u - (x >> 3 & 1)) & ~a & b & c) |
                     ((0u - (x >> 4 & 1)) & a & ~b & ~c) | ((0u - (x >> 5 & 1)) & a & ~b & c) |
                     ((0u - (x >> 6 & 1)) & a & b & ~c) | ((0u - (x >> 7 & 1)) & a & b & c);
        OUT32(r);)

/* Shift amounts are 32-bit and clamp at the width. */
LANE_FN(shl_16, uint32_t n = B32(1); OUT16(n > 15 ? 0 : B32(0) << (n & 15));)
LANE_FN(shl_32, uint32_t n = B32(1); uint32_t v = B32(0) << (n & 31); OUT32(n > 31 ? 0 : v);)
LANE_FN(shl_64, uint32_t n = B32(1); uint64_t v = B64(0) << (n & 63); OUT64(n > 63 ? 0 : v);)
LANE_FN(shr_u16, uint32_t n = B32(1); OUT16(n > 15 ? 0 : U16(0) >> (n & 15));)
LANE_FN(shr_s16, uint32_t n = B32(1); OUT16(S16(0) >> (n > 15 ? 15 : n));)
LANE_FN(shr_u32, uint32_t n = B32(1); uint32_t v = U32(0) >> (n & 31); OUT32(n > 31 ? 0 : v);)
LANE_FN(shr_s32, uint32_t n = B32(1); OUT32(S32(0) >> (n > 31 ? 31 : n));)
LANE_FN(shr_u64, uint32_t n = B32(1); uint64_t v = U64(0) >> (n & 63); OUT64(n > 63 ? 0 : v);)
LANE_FN(shr_s64, uint32_t n = B32(1); OUT64(S64(0) >> (n > 63 ? 63 : n));)

/* Funnel shifts of b:a (b high); x: 1 wraps the amount modulo 32, 0 clamps it at 32. */
#define SHF_AMOUNT (x != 0 ? B32(2) & 31 : B32(2) > 32 ? 32 : B32(2))
LANE_FN(shf_l, uint32_t n = SHF_AMOUNT; uint64_t v = (uint64_t)B32(1) << 32 | B32(0);
        OUT32((v << n) >> 32);)
LANE_FN(shf_r, uint32_t n = SHF_AMOUNT; uint64_t v = (uint64_t)B32(1) << 32 | B32(0);
        OUT32(v >> n);)

LANE_FN(popc_32, OUT32(__builtin_popcount(B32(0)));)
LANE_FN(popc_64, OUT32(__builtin_popcountll(B64(0)));)
LANE_FN(clz_32, uint32_t a = B32(0); OUT32(a == 0 ? 32 : __builtin_clz(a));)
LANE_FN(clz_64, uint64_t a = B64(0); OUT32(a == 0 ? 64 : __builtin_clzll(a));)

/* Most significant bit that differs from the sign; x: 1 gives the shift that would bring it to the
 * top. */
static WW_ALWAYS_INLINE uint32_t bfind(uint64_t a, unsigned width, bool shift_amount)
{
    if (a == 0) {
        return UINT32_MAX;
    }
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(a);
    return shift_amount ? width - 1 - bit : bit;
}
LANE_FN(bfind_u32, OUT32(bfind(U32(0), 32, x != 0));)
LANE_FN(bfind_s32, int32_t a = S32(0); OUT32(bfind((uint32_t)(a < 0 ? ~a : a), 32, x != 0));)
LANE_FN(bfind_u64, OUT32(bfind(U64(0), 64, x != 0));)
LANE_FN(bfind_s64, int64_t a = S64(0); OUT32(bfind((uint64_t)(a < 0 ? ~a : a), 64, x != 0));)

static WW_ALWAYS_INLINE uint32_t reverse32(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}
LANE_FN(brev_32, OUT32(reverse32(B32(0)));)
LANE_FN(brev_64, uint64_t a = B64(0);
        OUT64((uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)));)

/* The low n bits set, n up to 64. */
static WW_ALWAYS_INLINE uint64_t low_mask(uint32_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* Bit field extraction, PTX manual "bfe": bits beyond the top repeat the field's sign (or zero). */
static WW_ALWAYS_INLINE uint64_t bfe(uint64_t a, uint32_t pos, uint32_t len, unsigned width,
                                     bool sgn)
{
    pos &= 0xff;
    len &= 0xff;
    uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    bool fill = sgn && len != 0 && (a >> top & 1) != 0;
    uint32_t have = pos >= width        ? 0
                    : len < width - pos ? len
                                        : width - pos; /* bits taken from a */
    uint64_t field = pos >= width ? 0 : a >> pos & low_mask(have);
    return fill ? field | ~low_mask(have) : field;
}
LANE_FN(bfe_u32, OUT32(bfe(U32(0), B32(1), B32(2), 32, false));)
LANE_FN(bfe_s32, OUT32(bfe(U32(0), B32(1), B32(2), 32, true));)
LANE_FN(bfe_u64, OUT64(bfe(U64(0), B32(1), B32(2), 64, false));)
LANE_FN(bfe_s64, OUT64(bfe(U64(0), B32(1), B32(2), 64, true));)

static WW_ALWAYS_INLINE uint64_t bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
    pos &= 0xff;
    len &= 0xff;
    uint64_t mask = pos > 63 ? 0 : low_mask(len) << pos;
    return (b & ~mask) | (pos > 63 ? 0 : a << pos & mask);
}
LANE_FN(bfi_32, OUT32(bfi(B32(0), B32(1), B32(2), B32(3)));)
LANE_FN(bfi_64, OUT64(bfi(B64(0), B64(1), B32(2), B32(3)));)

/* x: 1 wraps amounts modulo 32, 0 clamps them. */
#define WRAP32(n) (x != 0 ? (n)&31 : (n) > 32 ? 32 : (n))
LANE_FN(szext_u32, uint32_t n = WRAP32(B32(1)); OUT32(B32(0) & low_mask(n));)
LANE_FN(szext_s32, uint32_t n = WRAP32(B32(1)); uint32_t sh = n == 0 ? 0 : 32 - n;
        int32_t v = (int32_t)(B32(0) << (sh & 31)) >> (sh & 31); OUT32(n == 0 ? 0 : v);)
LANE_FN(bmsk_32, uint32_t at = WRAP32(B32(0)); uint32_t n = WRAP32(B32(1));
        OUT32(low_mask(n) << at);)

/* n-th set bit from a base, PTX manual "fns". */
static WW_ALWAYS_INLINE uint32_t fns(uint32_t mask, uint32_t base, int32_t offset)
{
    int32_t pos = (int32_t)base;
    int32_t step = offset < 0 ? -1 : 1;
    int32_t left = offset == 0 ? 1 : offset < 0 ? -(int64_t)offset > 64 ? 64 : -offset : offset;
    for (; pos >= 0 && pos < 32; pos += step) {
        left -= (int32_t)(mask >> pos & 1);
        if (left == 0) {
            return (uint32_t)pos;
        }
        if (offset == 0) {
            break;
        }
    }
    return UINT32_MAX;
}
LANE_FN(fns_32, OUT32(fns(B32(0), B32(1), S32(2)));)

/* Byte `select` (3 bits) of b:a; bit 3 replicates its sign. */
static WW_ALWAYS_INLINE uint32_t pick(uint64_t ba, uint32_t select)
{
    uint32_t byte = (uint32_t)(ba >> (8 * (select & 7))) & 0xff;
    return (select & 8) != 0 ? ((byte & 0x80) != 0 ? 0xff : 0) : byte;
}
static WW_ALWAYS_INLINE uint32_t prmt(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t ba = (uint64_t)b << 32 | a;
    return pick(ba, selectors) | pick(ba, selectors >> 4) << 8 | pick(ba, selectors >> 8) << 16 |
           pick(ba, selectors >> 12) << 24;
}
/* Selector words of the special modes, by the low two bits of c; one row per mode (PTX manual
 * "prmt"). */
static const uint16_t prmt_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
    {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
    {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
    {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
    {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
    {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
};
LANE_FN(prmt_32, OUT32(prmt(B32(0), B32(1), B32(2)));)
LANE_FN(prmt_mode, OUT32(prmt(B32(0), B32(1), prmt_modes[x][B32(2) & 3]));)

LANE_FN(copysign_32, OUT32((B32(0) & 0x80000000u) | (B32(1) & 0x7fffffffu));)
LANE_FN(copysign_64, OUT64((B64(0) & 1ull << 63) | (B64(1) & ~(1ull << 63)));)

static ww_lane_op find_shr(ww_type type)
{
    return ww_type_is_signed(type) ? lane_by_width(type, shr_s16, shr_s32, shr_s64)
                                   : lane_by_width(type, shr_u16, shr_u32, shr_u64);
}

static ww_lane_op find_bfind(const ww_inst *inst, ww_type type)
{
    bool sgn = ww_type_is_signed(type);
    bool wide = ww_type_bytes(type) == 8;
    ww_lane_fn *fn = wide ? (sgn ? bfind_s64 : bfind_u64) : (sgn ? bfind_s32 : bfind_u32);
    return lane_op_x(fn, 1, (inst->mods & WW_MOD_SHIFTAMT) != 0);
}

static ww_lane_op find_prmt(const ww_inst *inst)
{
    if (inst->sub == WW_SUB_NONE) {
        return lane_op(prmt_32, 1);
    }
    if (inst->sub < WW_SUB_F4E || inst->sub > WW_SUB_RC16) {
        return lane_none();
    }
    return lane_op_x(prmt_mode, 1, (uint32_t)(inst->sub - WW_SUB_F4E));
}

static ww_lane_op find_shift_or_field(const ww_inst *inst, ww_type type)
{
    bool sgn = ww_type_is_signed(type);
    bool wrap = (inst->mods & WW_MOD_WRAP) != 0;
    switch ((ww_op)inst->op) {
    case WW_OP_SHL:
        return lane_by_width(type, shl_16, shl_32, shl_64);
    case WW_OP_SHR:
        return find_shr(type);
    case WW_OP_SHF:
        return lane_op_x(inst->sub == WW_SUB_LEFT ? shf_l : shf_r, 1, wrap);
    case WW_OP_BFE:
        return sgn ? lane_by_width(type, NULL, bfe_s32, bfe_s64)
                   : lane_by_width(type, NULL, bfe_u32, bfe_u64);
    case WW_OP_BFI:
        return lane_by_width(type, NULL, bfi_32, bfi_64);
    case WW_OP_SZEXT:
        return lane_op_x(sgn ? szext_s32 : szext_u32, 1, wrap);
    case WW_OP_BMSK:
        return lane_op_x(bmsk_32, 1, wrap);
    case WW_OP_PRMT:
        return find_prmt(inst);
    default:
        return lane_none();
    }
}

ww_lane_op LANES_NAME(ww__lanes_bits)(const ww_inst *inst)
{
    ww_type type = lane_int_type(inst->type);
    bool wide = ww_type_bytes(type) == 8;
    if (type == WW_T_PRED) {
        return lane_none();
    }
    switch ((ww_op)inst->op) {
    case WW_OP_AND:
        return lane_by_width(type, and_32, and_32, and_64);
    case WW_OP_OR:
        return lane_by_width(type, or_32, or_32, or_64);
    case WW_OP_XOR:
        return lane_by_width(type, xor_32, xor_32, xor_64);
    case WW_OP_NOT:
        return lane_by_width(type, not_16, not_32, not_64);
    case WW_OP_CNOT:
        return lane_by_width(type, cnot_16, cnot_32, cnot_64);
    case WW_OP_LOP3:
        return lane_op_x(lop3_32, 1, (uint32_t)inst->src[3].imm & 0xff);
    case WW_OP_POPC:
        return lane_op(wide ? popc_64 : popc_32, 1);
    case WW_OP_CLZ:
        return lane_op(wide ? clz_64 : clz_32, 1);
    case WW_OP_BFIND:
        return find_bfind(inst, type);
    case WW_OP_BREV:
        return lane_by_width(type, NULL, brev_32, brev_64);
    case WW_OP_FNS:
        return lane_op(fns_32, 1);
    case WW_OP_COPYSIGN:
        return lane_by_width(type, NULL, copysign_32, copysign_64);
    default:
        return find_shift_or_field(inst, type);
    }
}
