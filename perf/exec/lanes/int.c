/* int.c - integer addition and its relatives: add, sub (with carry), sad, abs, neg, min, max,
 * shifted add. */
#include "perf/exec/lanes/lanes.h"

#define SAT32(v) ((v) > INT32_MAX ? INT32_MAX : (v) < INT32_MIN ? INT32_MIN : (v))

LANE_FN(add_16, OUT16(B32(0) + B32(1));)
LANE_FN(add_32, OUT32(B32(0) + B32(1));)
LANE_FN(add_64, OUT64(B64(0) + B64(1));)
LANE_FN(add_sat_s32, int64_t v = (int64_t)S32(0) + S32(1); OUT32((int32_t)SAT32(v));)
LANE_FN(sub_16, OUT16(B32(0) - B32(1));)
LANE_FN(sub_32, OUT32(B32(0) - B32(1));)
LANE_FN(sub_64, OUT64(B64(0) - B64(1));)
LANE_FN(sub_sat_s32, int64_t v = (int64_t)S32(0) - S32(1); OUT32((int32_t)SAT32(v));)

/* With carry out; x is the carry in. Two steps of the operands' own width, because compilers turn
 * these, without branches, into vector code. */
#define ADD_CARRY(T, READ, OUT)                                                                    \
    T a = READ(0);                                                                                 \
    T t = a + READ(1);                                                                             \
    T v = t + X_LANE;                                                                              \
    p = (t < a) | (v < t);                                                                         \
    OUT(v);
#define SUB_BORROW(T, READ, OUT)                                                                   \
    T a = READ(0);                                                                                 \
    T t = a - READ(1);                                                                             \
    T v = t - X_LANE;                                                                              \
    p = (t > a) | (v > t);                                                                         \
    OUT(v);
LANE_PRED_FN(addc_32, ADD_CARRY(uint32_t, B32, OUT32))
LANE_PRED_FN(addc_64, ADD_CARRY(uint64_t, B64, OUT64))
LANE_PRED_FN(subc_32, SUB_BORROW(uint32_t, B32, OUT32))
LANE_PRED_FN(subc_64, SUB_BORROW(uint64_t, B64, OUT64))

#define DISTANCE(a, b) ((a) > (b) ? (a) - (b) : (b) - (a))
LANE_FN(sad_u16, uint32_t a = U16(0); uint32_t b = U16(1); OUT16(B32(2) + DISTANCE(a, b));)
LANE_FN(sad_s16, int32_t a = S16(0); int32_t b = S16(1); OUT16(B32(2) + (uint32_t)DISTANCE(a, b));)
LANE_FN(sad_u32, uint32_t a = U32(0); uint32_t b = U32(1); OUT32(B32(2) + DISTANCE(a, b));)
LANE_FN(sad_s32, uint32_t a = U32(0); uint32_t b = U32(1);
        OUT32(B32(2) + ((int32_t)a > (int32_t)b ? a - b : b - a));)
LANE_FN(sad_u64, uint64_t a = U64(0); uint64_t b = U64(1); OUT64(B64(2) + DISTANCE(a, b));)
LANE_FN(sad_s64, uint64_t a = U64(0); uint64_t b = U64(1);
        OUT64(B64(2) + ((int64_t)a > (int64_t)b ? a - b : b - a));)

LANE_FN(abs_16, int32_t a = S16(0); OUT16(a < 0 ? -a : a);)
LANE_FN(abs_32, uint32_t a = B32(0); OUT32((int32_t)a < 0 ? 0 - a : a);)
LANE_FN(abs_64, uint64_t a = B64(0); OUT64((int64_t)a < 0 ? 0 - a : a);)
LANE_FN(neg_16, OUT16(0 - B32(0));)
LANE_FN(neg_32, OUT32(0 - B32(0));)
LANE_FN(neg_64, OUT64(0 - B64(0));)

#define MIN_MAX(T, type, OUT)                                                                      \
    LANE_FN(min_##type, T a = LANES_CAT(R_, type)(0); T b = LANES_CAT(R_, type)(1);                \
            OUT(a < b ? a : b);)                                                                   \
    LANE_FN(max_##type, T a = LANES_CAT(R_, type)(0); T b = LANES_CAT(R_, type)(1);                \
            OUT(a > b ? a : b);)
#define R_u16 U16
#define R_s16 S16
#define R_u32 U32
#define R_s32 S32
#define R_u64 U64
#define R_s64 S64
MIN_MAX(uint16_t, u16, OUT16)
MIN_MAX(int16_t, s16, OUT16)
MIN_MAX(uint32_t, u32, OUT32)
MIN_MAX(int32_t, s32, OUT32)
MIN_MAX(uint64_t, u64, OUT64)
MIN_MAX(int64_t, s64, OUT64)

/* x is the shift: a machine's address arithmetic. */
LANE_FN(scadd_32, OUT32((B32(0) << x) + B32(1));)
LANE_FN(scadd_64, OUT64((B64(0) << x) + B64(1));)

/* fn: u16, s16, u32, s32, u64, s64 */
static ww_lane_op by_type(ww_type type, ww_lane_fn *const fn[6])
{
    unsigned index = ww_type_is_signed(type) ? 1 : 0;
    return lane_by_width(type, fn[index], fn[2 + index], fn[4 + index]);
}

static ww_lane_op with_carry(const ww_inst *inst, ww_type type, ww_lane_fn *f32, ww_lane_fn *f64)
{
    ww_lane_op op = lane_by_width(type, NULL, f32, f64);
    op.pred_source = inst->op == WW_OP_ADDC || inst->op == WW_OP_SUBC;
    return op;
}

ww_lane_op LANES_NAME(ww__lanes_int)(const ww_inst *inst)
{
    static ww_lane_fn *const sad[6] = {sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64};
    static ww_lane_fn *const min[6] = {min_u16, min_s16, min_u32, min_s32, min_u64, min_s64};
    static ww_lane_fn *const max[6] = {max_u16, max_s16, max_u32, max_s32, max_u64, max_s64};
    ww_type type = lane_int_type(inst->type);
    if (ww_type_is_float(type) || type == WW_T_PRED) {
        return lane_none();
    }
    bool sat = (inst->mods & WW_MOD_SAT) != 0 && type == WW_T_S32;
    bool carry_out = inst->dst_count > 1;
    switch ((ww_op)inst->op) {
    case WW_OP_ADD:
        if (carry_out) {
            return with_carry(inst, type, addc_32, addc_64);
        }
        return sat ? lane_op(add_sat_s32, 1) : lane_by_width(type, add_16, add_32, add_64);
    case WW_OP_SUB:
        if (carry_out) {
            return with_carry(inst, type, subc_32, subc_64);
        }
        return sat ? lane_op(sub_sat_s32, 1) : lane_by_width(type, sub_16, sub_32, sub_64);
    case WW_OP_ADDC:
        return with_carry(inst, type, addc_32, addc_64);
    case WW_OP_SUBC:
        return with_carry(inst, type, subc_32, subc_64);
    case WW_OP_SAD:
        return by_type(type, sad);
    case WW_OP_ABS:
        return lane_by_width(type, abs_16, abs_32, abs_64);
    case WW_OP_NEG:
        return lane_by_width(type, neg_16, neg_32, neg_64);
    case WW_OP_MIN:
        return by_type(type, min);
    case WW_OP_MAX:
        return by_type(type, max);
    case WW_OP_SCADD: {
        ww_lane_op op = lane_by_width(type, NULL, scadd_32, scadd_64);
        op.x = (uint32_t)inst->src[2].imm & 63;
        return op;
    }
    default:
        return lane_none();
    }
}
