/* affine_rules.c - the lattice of the affine analysis, operation by operation (Wang and Lin, ISCA
 * 2017, sections 3, 4.4 and 4.6; paper's operations: add, sub, mul, mad, shl, mov, rem, min, max,
 * abs). */
#include "perf/ptx/analysis/affine_rules.h"

typedef ww_affine_value value;

value ww__affine_of_kind(ww_affine_class kind)
{
    return (value){.kind = (uint16_t)kind};
}

static value non(void)
{
    return ww__affine_of_kind(WW_AFFINE_NON);
}

/* ---- joins ---- */

value ww__affine_add_condition(value v, uint32_t condition)
{
    unsigned k = 0;
    while (k < v.count && v.condition[k] < condition) {
        k++;
    }
    if (k < v.count && v.condition[k] == condition) {
        return v;
    }
    if (v.count == WW_AFFINE_CONDITIONS || !ww_affine_known(v)) {
        return non();
    }
    for (unsigned i = v.count; i > k; i--) {
        v.condition[i] = v.condition[i - 1];
    }
    v.condition[k] = condition;
    v.count++;
    return v;
}

static value with_conditions(value v, value of)
{
    for (unsigned k = 0; k < of.count && v.kind != WW_AFFINE_NON; k++) {
        v = ww__affine_add_condition(v, of.condition[k]);
    }
    return v;
}

/* A sign word is an upper word to all but AND. */
static value as_upper(value v)
{
    v.kind = v.kind == WW_AFFINE_SIGN ? WW_AFFINE_HIGH : v.kind;
    return v;
}

/* A scalar may stand where anything else may but the part of a shifted word; values of the plain
 * kinds become the more general one. */
static ww_affine_class join_kinds(ww_affine_class a, ww_affine_class b)
{
    if (a != b) {
        a = a == WW_AFFINE_SIGN && b != WW_AFFINE_NOTHING ? WW_AFFINE_HIGH : a;
        b = b == WW_AFFINE_SIGN && a != WW_AFFINE_NOTHING ? WW_AFFINE_HIGH : b;
    }
    ww_affine_class low = a < b ? a : b, high = a < b ? b : a;
    if (low == high || low == WW_AFFINE_NOTHING) {
        return high;
    }
    if (high <= WW_AFFINE_MOD || (low == WW_AFFINE_SCALAR && high != WW_AFFINE_SPILL)) {
        return high;
    }
    return WW_AFFINE_NON;
}

value ww__affine_join(value a, value b)
{
    if (a.kind == WW_AFFINE_NON || b.kind == WW_AFFINE_NON) {
        return non();
    }
    value v = a;
    v.kind = (uint16_t)join_kinds((ww_affine_class)a.kind, (ww_affine_class)b.kind);
    return v.kind == WW_AFFINE_NON ? non() : with_conditions(v, b);
}

value ww__affine_pair(value low, value high)
{
    high = as_upper(high);
    bool words = low.kind >= WW_AFFINE_SCALAR && low.kind <= WW_AFFINE_MOD &&
                 (high.kind == WW_AFFINE_SCALAR || high.kind == WW_AFFINE_HIGH);
    if (!words || (low.kind == WW_AFFINE_MOD && high.kind != WW_AFFINE_SCALAR)) {
        return non();
    }
    value v = low;
    if (low.kind == WW_AFFINE_SCALAR && high.kind == WW_AFFINE_HIGH) {
        v.kind = WW_AFFINE_THREAD;
    }
    return with_conditions(v, high);
}

value ww__affine_upper(value whole)
{
    if (whole.kind == WW_AFFINE_CTA || whole.kind == WW_AFFINE_THREAD) {
        whole.kind = WW_AFFINE_HIGH;
    } else if (whole.kind == WW_AFFINE_MOD) {
        whole.kind = WW_AFFINE_SCALAR; /* widened with zeros */
    }
    return whole;
}

/* ---- operands ---- */

static value special(ww_sreg sreg)
{
    switch (ww_sreg_kind_of(sreg)) {
    case WW_SREG_KIND_THREAD:
        return ww__affine_of_kind(WW_AFFINE_THREAD);
    case WW_SREG_KIND_CTA:
        return ww__affine_of_kind(WW_AFFINE_CTA);
    case WW_SREG_KIND_DIMENSION:
    case WW_SREG_KIND_SHARED:
        return ww__affine_of_kind(WW_AFFINE_SCALAR);
    default: /* differs by lane, warp, SM or time; or not in the paper */
        return non();
    }
}

value ww__affine_constant(const ww_operand *o)
{
    switch (o->kind) {
    case WW_OPD_IMM:
    case WW_OPD_CONST:
    case WW_OPD_NONE:
        return ww__affine_of_kind(WW_AFFINE_SCALAR);
    case WW_OPD_SREG:
        return o->flags == 0 ? special((ww_sreg)o->reg) : non();
    default:
        return non();
    }
}

/* ---- operations ---- */

static bool is_scalar(value v)
{
    return v.kind == WW_AFFINE_SCALAR;
}

static bool is_plain(value v)
{
    return v.kind >= WW_AFFINE_SCALAR && v.kind <= WW_AFFINE_THREAD;
}

static value sum(value a, value b)
{
    if (a.kind == WW_AFFINE_MOD || b.kind == WW_AFFINE_MOD) {
        return is_scalar(a) || is_scalar(b) ? ww__affine_join(a, b) : non();
    }
    return is_plain(a) && is_plain(b) ? ww__affine_join(a, b) : non();
}

static value difference(value a, value b)
{
    return b.kind == WW_AFFINE_MOD ? non() : sum(a, b);
}

static value product(value a, value b)
{
    value other = is_scalar(a) ? b : a;
    bool fits = is_scalar(a) || is_scalar(b);
    return fits && ww_affine_expands(other) ? ww__affine_join(a, b) : non();
}

/* Upper words: HIGH of a sum or product that is affine as a whole. */
static value high_of(value v)
{
    return v.kind == WW_AFFINE_MOD ? non() : ww__affine_upper(v);
}

static bool is_upper(value v)
{
    return is_scalar(v) || v.kind == WW_AFFINE_HIGH || v.kind == WW_AFFINE_SIGN;
}

static value high_sum(value a, value b, value carry)
{
    bool carries = is_scalar(carry) || carry.kind == WW_AFFINE_CARRY;
    if (!is_upper(a) || !is_upper(b) || !carries) {
        return non();
    }
    value v = with_conditions(ww__affine_join(as_upper(a), as_upper(b)), carry);
    if (v.kind != WW_AFFINE_NON) {
        v.kind = WW_AFFINE_HIGH;
    }
    return v;
}

static value shift_left(value a, value n, const ww_operand *amount)
{
    a = as_upper(a);
    if (a.kind == WW_AFFINE_HIGH && amount->kind == WW_OPD_IMM && amount->imm < 32) {
        a.kind = WW_AFFINE_RAISED;
        return a;
    }
    return is_scalar(n) && ww_affine_expands(a) ? ww__affine_join(a, n) : non();
}

/* Only the sign word and the part of a funnel shift. */
static value shift_right(const ww_inst *inst, value a)
{
    if (inst->src[1].kind != WW_OPD_IMM || !is_plain(a)) {
        return non();
    }
    if (ww_type_is_signed((ww_type)inst->type)) {
        a = inst->src[1].imm == 31 ? high_of(a) : non();
        a.kind = a.kind == WW_AFFINE_HIGH ? WW_AFFINE_SIGN : a.kind;
        return a;
    }
    a.kind = inst->src[1].imm < 32 && inst->src[1].imm > 0 ? WW_AFFINE_SPILL : WW_AFFINE_NON;
    return a;
}

static value unite(value a, value b)
{
    if (a.kind == WW_AFFINE_SPILL) {
        value t = a;
        a = b;
        b = t;
    }
    if (b.kind != WW_AFFINE_SPILL || (!is_scalar(a) && a.kind != WW_AFFINE_RAISED)) {
        return non();
    }
    value v = with_conditions(b, a);
    v.kind = v.kind == WW_AFFINE_NON ? WW_AFFINE_NON : WW_AFFINE_HIGH;
    return v;
}

/* A funnel shift to the left by a constant: the upper word of a 64-bit shift. */
static value funnel(const ww_inst *inst, const value *src)
{
    bool left = inst->sub == WW_SUB_LEFT && inst->src[2].kind == WW_OPD_IMM;
    if (!left || !is_plain(src[0]) || !is_upper(src[1])) {
        return non();
    }
    return ww__affine_upper(ww__affine_pair(src[0], src[1]));
}

/* Choosing between two values by the threads' own: one more divergent condition. */
static value choice(value a, value b, uint32_t at)
{
    bool alike = (is_plain(a) && is_plain(b)) || a.kind == b.kind ||
                 ((is_scalar(a) || is_scalar(b)) && (is_upper(a) && is_upper(b)));
    return alike ? ww__affine_add_condition(ww__affine_join(a, b), at) : non();
}

/* One word masked by the sign of another: how compilers write max(x, 0) and min(x, 0). */
static value by_sign(value a, value b, uint32_t at)
{
    value sign = a.kind == WW_AFFINE_SIGN ? a : b, other = a.kind == WW_AFFINE_SIGN ? b : a;
    value v = sign.kind == WW_AFFINE_SIGN && is_plain(other)
                  ? choice(other, ww__affine_of_kind(WW_AFFINE_SCALAR), at)
                  : non();
    return with_conditions(v, sign);
}

/* How compilers write the comparisons of `x == 0 && y == 0`, `x >= 0 && y >= 0` and their
 * opposites: one, of x | y. */
static value either(value a, value b, uint32_t at)
{
    bool fits =
        (is_plain(a) || a.kind == WW_AFFINE_EITHER) && (is_plain(b) || b.kind == WW_AFFINE_EITHER);
    a.kind = fits ? WW_AFFINE_EITHER : WW_AFFINE_NON;
    return fits ? ww__affine_add_condition(with_conditions(a, b), at) : non();
}

/* Whether a comparison asks nothing of its first operand but to be zero, or not to be, */
static bool asks_for_zero(const ww_inst *inst)
{
    return (inst->cmp == WW_CMP_EQ || inst->cmp == WW_CMP_NE) && inst->src[1].kind == WW_OPD_IMM &&
           inst->src[1].imm == 0;
}

/* or for its sign: x < 0, x >= 0, x <= -1, x > -1. */
static bool asks_for_sign(const ww_inst *inst)
{
    if (!ww_type_is_signed((ww_type)inst->type) || inst->src[1].kind != WW_OPD_IMM) {
        return false;
    }
    const int64_t with = ww_type_bytes((ww_type)inst->type) == 8 ? (int64_t)inst->src[1].imm
                                                                 : (int32_t)inst->src[1].imm;
    return ((inst->cmp == WW_CMP_LT || inst->cmp == WW_CMP_GE) && with == 0) ||
           ((inst->cmp == WW_CMP_LE || inst->cmp == WW_CMP_GT) && with == -1);
}

static bool is_logic(const ww_inst *inst)
{
    return inst->type == WW_T_PRED &&
           (inst->op == WW_OP_AND || inst->op == WW_OP_OR || inst->op == WW_OP_XOR ||
            inst->op == WW_OP_NOT || inst->op == WW_OP_MOV);
}

static bool known_predicate(value v)
{
    return is_scalar(v) || v.kind == WW_AFFINE_THREAD;
}

/* Comparison of an affine value with one that a CTA agrees on (section 4.3); predicate logic on
 * such comparisons. */
static value compare(const ww_inst *inst, const value *src)
{
    value a = as_upper(src[0]), b = as_upper(src[1]);
    bool whole = ww_affine_expands(a) || a.kind == WW_AFFINE_HIGH ||
                 (a.kind == WW_AFFINE_EITHER && (asks_for_zero(inst) || asks_for_sign(inst)));
    bool expands = whole && (ww_affine_expands(b) || b.kind == WW_AFFINE_HIGH);
    bool one_agrees = a.kind <= WW_AFFINE_CTA || b.kind <= WW_AFFINE_CTA;
    bool combined =
        inst->src_count < 3 || inst->src[2].kind != WW_OPD_PRED || known_predicate(src[2]);
    if (ww_type_is_float((ww_type)inst->type) || !expands || !one_agrees || !combined) {
        return non();
    }
    return ww__affine_of_kind(WW_AFFINE_THREAD);
}

/* Integer operations on words or whole 64-bit values. */
static value integer(const ww_inst *inst, uint32_t at, const value *src)
{
    switch ((ww_op)inst->op) {
    case WW_OP_MOV:
        return inst->src_count == 1 && inst->dst_count == 1 ? src[0] : non();
    case WW_OP_CVTA:
        return ww_affine_expands(src[0]) ? src[0] : non();
    case WW_OP_ADD:
        return sum(src[0], src[1]);
    case WW_OP_SUB:
        return difference(src[0], src[1]);
    case WW_OP_NEG:
        return is_plain(src[0]) ? src[0] : non();
    case WW_OP_ADDC:
    case WW_OP_SUBC:
        return high_sum(src[0], src[1], src[2]);
    case WW_OP_MUL:
        if (inst->sub == WW_SUB_HI) {
            return high_of(product(src[0], src[1]));
        }
        return product(src[0], src[1]);
    case WW_OP_MAD:
        return inst->sub == WW_SUB_HI ? non() : sum(product(src[0], src[1]), src[2]);
    case WW_OP_MADC:
        return inst->sub == WW_SUB_HI ? high_sum(high_of(product(src[0], src[1])), src[2], src[3])
                                      : non();
    case WW_OP_SCADD:
        return inst->src[2].kind == WW_OPD_IMM && ww_affine_expands(src[0]) ? sum(src[0], src[1])
                                                                            : non();
    case WW_OP_SHL:
        return shift_left(src[0], src[1], &inst->src[1]);
    case WW_OP_SHR:
        return inst->dst[0].words == 1 ? shift_right(inst, src[0]) : non();
    case WW_OP_SHF:
        return funnel(inst, src);
    case WW_OP_OR: {
        value v = unite(src[0], src[1]);
        return v.kind == WW_AFFINE_NON ? either(src[0], src[1], at) : v;
    }
    case WW_OP_AND:
        return by_sign(src[0], src[1], at);
    case WW_OP_NOT:
        return is_plain(src[0]) ? src[0] : non();
    case WW_OP_MIN:
    case WW_OP_MAX:
        return is_plain(src[0]) && is_plain(src[1]) ? choice(src[0], src[1], at) : non();
    case WW_OP_ABS:
        return is_plain(src[0]) ? choice(src[0], src[0], at) : non();
    case WW_OP_SELP:
        return known_predicate(src[2]) ? choice(src[0], src[1], at) : non();
    case WW_OP_REM: {
        value v = src[0];
        v.kind = is_plain(v) && is_scalar(src[1]) ? WW_AFFINE_MOD : WW_AFFINE_NON;
        return v.kind == WW_AFFINE_NON ? non() : with_conditions(v, src[1]);
    }
    case WW_OP_CVT: {
        unsigned to = ww_type_bytes((ww_type)inst->type),
                 from = ww_type_bytes((ww_type)inst->type2);
        bool words = to >= 4 && from >= 4 && (inst->mods & WW_MOD_SAT) == 0;
        return words && ww_affine_expands(src[0]) ? src[0] : non();
    }
    default:
        return non();
    }
}

static bool is_integer(const ww_inst *inst)
{
    ww_type t = (ww_type)inst->type, u = (ww_type)inst->type2;
    bool from_float = inst->op == WW_OP_CVT && ww_type_is_float(u);
    bool moves = inst->op == WW_OP_MOV || inst->op == WW_OP_SELP;
    unsigned bytes = ww_type_bytes(t);
    return (moves || !ww_type_is_float(t)) && !from_float && (bytes == 4 || bytes == 8);
}

/* An operation whose results depend on its operands alone: equal for all threads when those are. */
static bool computes(const ww_inst *inst)
{
    ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    if (inst->op == WW_OP_LD) { /* constants are read-only; kernel parameters are operands */
        return (inst->space == WW_SPACE_CONST || inst->space == WW_SPACE_PARAM) &&
               (inst->mods & WW_MOD_VOLATILE) == 0;
    }
    return (form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE) &&
           form.unit != WW_UNIT_TENSOR && form.unit != WW_UNIT_LDST;
}

static value all_scalar(const ww_inst *inst, const value *src)
{
    value v = ww__affine_of_kind(WW_AFFINE_SCALAR);
    for (unsigned k = 0; k < inst->src_count; k++) {
        v = is_scalar(src[k]) ? ww__affine_join(v, src[k]) : non();
        if (v.kind == WW_AFFINE_NON) {
            return v;
        }
    }
    return v;
}

void ww__affine_transfer(const ww_inst *inst, uint32_t at, const value *src, value *first,
                         value *second)
{
    *first = *second = non();
    if (inst->src_count > WW_AFFINE_SOURCES || !computes(inst)) {
        return;
    }
    bool predicate = inst->dst_count > 0 && inst->dst[0].kind == WW_OPD_PRED;
    value scalar = all_scalar(inst, src);
    if (scalar.kind != WW_AFFINE_NON) {
        if (predicate && scalar.count > 0) { /* a predicate is a bit for each thread: no tuples */
            scalar = ww__affine_of_kind(WW_AFFINE_THREAD);
        }
        *first = *second = scalar;
        return;
    }
    if (predicate && inst->op == WW_OP_SETP) {
        *first = *second = compare(inst, src);
    } else if (predicate && is_logic(inst)) {
        bool known = true;
        for (unsigned k = 0; k < inst->src_count; k++) {
            known = known && known_predicate(src[k]);
        }
        *first = ww__affine_of_kind(known ? WW_AFFINE_THREAD : WW_AFFINE_NON);
    } else if (!predicate && is_integer(inst)) {
        *first = integer(inst, at, src);
        if (inst->dst_count > 1) { /* a carry, of the lower words */
            *second = *first;
            second->kind = is_plain(*first) ? WW_AFFINE_CARRY : WW_AFFINE_NON;
        }
    }
}

const char *ww_affine_class_name(ww_affine_class kind)
{
    switch (kind) {
    case WW_AFFINE_NOTHING:
        return "-";
    case WW_AFFINE_SCALAR:
        return "scalar";
    case WW_AFFINE_NON:
        return "non-affine";
    default:
        return "affine";
    }
}
