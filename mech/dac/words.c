/* words.c - sums, products, shifts and comparisons of tuples, and of the words of 64-bit ones. */
#include "mech/dac/words.h"

static const dac_word lost = {.form = DAC_LOST, .tuple = {.bits = 32}};

dac_word dac_settle(dac_word w)
{
    if ((w.form == DAC_HIGH || w.form == DAC_RAISED) && ww_tuple_is_scalar(&w.tuple)) {
        uint64_t v = w.tuple.base >> 32;
        return dac_scalar(w.form == DAC_RAISED ? v << w.shift : v, 32);
    }
    return w;
}

static dac_word word_of(bool ok, ww_tuple t)
{
    return ok ? (dac_word){.form = DAC_WORD, .tuple = t} : lost;
}

static dac_word high_of(bool ok, ww_tuple t)
{
    return ok ? dac_settle((dac_word){.form = DAC_HIGH, .tuple = t}) : lost;
}

/* Low word t with upper word `high`. */
static bool pair(const dac *s, const ww_tuple *t, const dac_word *high, ww_tuple *out)
{
    if (high->form == DAC_HIGH) {
        ww_tuple low = ww_tuple_narrow(&high->tuple);
        *out = high->tuple;
        return ww_tuple_equal(&low, t);
    }
    ww_tuple above = ww_tuple_scalar(high->tuple.base << 32, 64), wide;
    if (high->form != DAC_WORD || !ww_tuple_is_scalar(&high->tuple) ||
        !ww_tuple_widen(t, false, s->most, &wide)) {
        return false;
    }
    return ww_tuple_add(&wide, &above, out);
}

dac_word dac_pair(const dac *s, const dac_word *low, const dac_word *high)
{
    ww_tuple t;
    return low->form == DAC_WORD && pair(s, &low->tuple, high, &t) ? word_of(true, t) : lost;
}

/* ---- 64-bit results as upper words ---- */

static bool wide_product(const dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                         ww_tuple *out)
{
    bool is_signed = ww_type_is_signed((ww_type)inst->type);
    ww_tuple x, y;
    return a->form == DAC_WORD && b->form == DAC_WORD &&
           ww_tuple_widen(&a->tuple, is_signed, s->most, &x) &&
           ww_tuple_widen(&b->tuple, is_signed, s->most, &y) && ww_tuple_mul(&x, &y, out);
}

/* Upper word of a sum or difference whose low words the carry knows. */
static dac_word high_sum(const dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                         const dac_word *carry)
{
    ww_tuple x, y, sum;
    if (carry->form != DAC_CARRY || !pair(s, &carry->tuple, a, &x) ||
        !pair(s, &carry->other, b, &y)) {
        return lost;
    }
    bool ok = inst->op == WW_OP_SUBC ? ww_tuple_sub(&x, &y, &sum) : ww_tuple_add(&x, &y, &sum);
    return high_of(ok, sum);
}

static dac_word high_product_sum(const dac *s, const ww_inst *inst, const dac_word *a,
                                 const dac_word *b, const dac_word *c, const dac_word *carry)
{
    ww_tuple product, y, sum;
    if (carry->form != DAC_CARRY || !wide_product(s, inst, a, b, &product) ||
        !pair(s, &carry->other, c, &y)) {
        return lost;
    }
    bool ok = ww_tuple_add(&product, &y, &sum);
    return high_of(ok, sum);
}

static dac_word shift_right(const dac *s, const ww_inst *inst, const dac_word *a, unsigned n)
{
    ww_tuple wide = {0};
    if (a->form != DAC_WORD) {
        return lost;
    }
    if (ww_type_is_signed((ww_type)inst->type)) {
        bool ok = n == 31 && ww_tuple_widen(&a->tuple, true, s->most, &wide);
        return high_of(ok, wide);
    }
    return (dac_word){.form = DAC_SPILL, .shift = (uint8_t)n, .tuple = a->tuple};
}

/* (high << n) | (low >> (32 - n)): the upper word of a 64-bit shift. */
static dac_word unite(const dac *s, const dac_word *a, const dac_word *b)
{
    const dac_word *spill = a->form == DAC_SPILL ? a : b, *raised = spill == a ? b : a;
    if (spill->form != DAC_SPILL || spill->shift == 0 || spill->shift > 31) {
        return lost;
    }
    unsigned n = 32u - spill->shift;
    ww_tuple t = {0};
    if (raised->form == DAC_RAISED && raised->shift == n) {
        ww_tuple low = ww_tuple_narrow(&raised->tuple);
        bool ok = ww_tuple_equal(&low, &spill->tuple) && ww_tuple_shl(&raised->tuple, n, &t);
        return high_of(ok, t);
    }
    const uint64_t spilled = (UINT64_C(1) << n) - 1;
    if (raised->form != DAC_WORD || !ww_tuple_is_scalar(&raised->tuple) ||
        (raised->tuple.base & spilled) != 0) {
        return lost; /* bits in common: no sum */
    }
    ww_tuple above = ww_tuple_scalar(raised->tuple.base << 32, 64);
    bool ok = ww_tuple_widen(&spill->tuple, false, s->most, &t) && ww_tuple_shl(&t, n, &t) &&
              ww_tuple_add(&t, &above, &t);
    return high_of(ok, t);
}

/* ---- operations ---- */

static bool amount(const dac_word *n, unsigned *out)
{
    *out = n->tuple.base > 64 ? 64 : (unsigned)n->tuple.base;
    return n->form == DAC_WORD && ww_tuple_is_scalar(&n->tuple);
}

static bool same_bits(const dac_word *a, const dac_word *b)
{
    return a->form == DAC_WORD && b->form == DAC_WORD && a->tuple.bits == b->tuple.bits;
}

static dac_word add(const dac_word *a, const dac_word *b)
{
    ww_tuple t = {0};
    bool ok = same_bits(a, b) && ww_tuple_add(&a->tuple, &b->tuple, &t);
    return word_of(ok, t);
}

static dac_word subtract(const dac_word *a, const dac_word *b)
{
    ww_tuple t = {0};
    bool ok = same_bits(a, b) && ww_tuple_sub(&a->tuple, &b->tuple, &t);
    return word_of(ok, t);
}

static dac_word multiply(const dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b)
{
    ww_tuple t = {0};
    if (inst->sub == WW_SUB_WIDE || inst->sub == WW_SUB_HI) {
        bool ok = wide_product(s, inst, a, b, &t);
        return inst->sub == WW_SUB_WIDE ? word_of(ok, t) : high_of(ok, t);
    }
    bool ok = same_bits(a, b) && ww_tuple_mul(&a->tuple, &b->tuple, &t);
    return word_of(ok, t);
}

static dac_word shift_left(const dac_word *a, const dac_word *n)
{
    unsigned by;
    ww_tuple t = {0};
    if (!amount(n, &by)) {
        return lost;
    }
    if (a->form == DAC_HIGH) {
        return (dac_word){.form = DAC_RAISED, .shift = (uint8_t)by, .tuple = a->tuple};
    }
    bool ok = a->form == DAC_WORD && ww_tuple_shl(&a->tuple, by, &t);
    return word_of(ok, t);
}

static dac_word funnel(const dac *s, const ww_inst *inst, const dac_word *a)
{
    unsigned n;
    ww_tuple t = {0};
    bool ok = inst->sub == WW_SUB_LEFT && amount(&a[2], &n) && n < 32 && a[0].form == DAC_WORD &&
              pair(s, &a[0].tuple, &a[1], &t) && ww_tuple_shl(&t, n, &t);
    return high_of(ok, t);
}

static dac_word convert(const dac *s, const ww_inst *inst, const dac_word *a)
{
    unsigned to = ww_type_bytes((ww_type)inst->type), from = ww_type_bytes((ww_type)inst->type2);
    ww_tuple t = a->tuple;
    if (a->form != DAC_WORD) {
        return lost;
    }
    if (to == 8 && from == 4) {
        bool ok = ww_tuple_widen(&a->tuple, ww_type_is_signed((ww_type)inst->type2), s->most, &t);
        return word_of(ok, t);
    }
    return word_of(true, to == 4 ? ww_tuple_narrow(&t) : t);
}

static dac_word remainder_of(const dac *s, const ww_inst *inst, const dac_word *a,
                             const dac_word *b)
{
    ww_tuple t = {0};
    bool ok =
        same_bits(a, b) && ww_tuple_is_scalar(&b->tuple) &&
        ww_tuple_rem(&a->tuple, b->tuple.base, ww_type_is_signed((ww_type)inst->type), s->most, &t);
    return word_of(ok, t);
}

static dac_word result_of(const dac *s, const ww_inst *inst, const dac_word *a)
{
    dac_word t;
    switch ((ww_op)inst->op) {
    case WW_OP_MOV:
    case WW_OP_CVTA:
        return a[0];
    case WW_OP_ADD:
        return add(&a[0], &a[1]);
    case WW_OP_SUB:
        return subtract(&a[0], &a[1]);
    case WW_OP_NEG:
        t = dac_scalar(0, a[0].tuple.bits);
        return subtract(&t, &a[0]);
    case WW_OP_NOT:
        t = dac_scalar(UINT64_MAX, a[0].tuple.bits);
        return subtract(&t, &a[0]);
    case WW_OP_ADDC:
    case WW_OP_SUBC:
        return high_sum(s, inst, &a[0], &a[1], &a[2]);
    case WW_OP_MUL:
        return multiply(s, inst, &a[0], &a[1]);
    case WW_OP_MAD:
        t = multiply(s, inst, &a[0], &a[1]);
        return add(&t, &a[2]);
    case WW_OP_MADC:
        return high_product_sum(s, inst, &a[0], &a[1], &a[2], &a[3]);
    case WW_OP_SCADD:
        t = shift_left(&a[0], &a[2]);
        return add(&t, &a[1]);
    case WW_OP_SHL:
        return shift_left(&a[0], &a[1]);
    case WW_OP_SHR:
        return shift_right(s, inst, &a[0], inst->src[1].imm > 31 ? 32 : (unsigned)inst->src[1].imm);
    case WW_OP_SHF:
        return funnel(s, inst, a);
    case WW_OP_OR:
        return unite(s, &a[0], &a[1]);
    case WW_OP_REM:
        return remainder_of(s, inst, &a[0], &a[1]);
    case WW_OP_CVT:
        return convert(s, inst, &a[0]);
    default:
        return lost;
    }
}

void dac_arithmetic(const dac *s, const ww_inst *inst, const dac_word *a, dac_word *first,
                    dac_word *second)
{
    *first = result_of(s, inst, a);
    *second = lost;
    if (inst->dst_count < 2 || first->form != DAC_WORD) {
        return;
    }
    *second = (dac_word){.form = DAC_CARRY, .tuple = a[0].tuple, .other = a[1].tuple};
    if (inst->op == WW_OP_MAD) {
        dac_word product = multiply(s, inst, &a[0], &a[1]);
        second->tuple = product.tuple;
        second->other = a[2].tuple;
    }
}

/* ---- comparisons ---- */

bool dac_compare_numbers(const ww_inst *inst, uint64_t a, uint64_t b)
{
    ww_type type = (ww_type)inst->type;
    bool wide = ww_type_bytes(type) == 8;
    int64_t x = wide ? (int64_t)a : (int32_t)(uint32_t)a;
    int64_t y = wide ? (int64_t)b : (int32_t)(uint32_t)b;
    bool below = ww_type_is_signed(type) ? x < y : a < b;
    switch ((ww_cmp)inst->cmp) {
    case WW_CMP_EQ:
        return a == b;
    case WW_CMP_NE:
        return a != b;
    case WW_CMP_LT:
        return below;
    case WW_CMP_LE:
        return below || a == b;
    case WW_CMP_GT:
        return !below && a != b;
    case WW_CMP_GE:
        return !below;
    case WW_CMP_LO:
        return a < b;
    case WW_CMP_LS:
        return a <= b;
    case WW_CMP_HI:
        return a > b;
    case WW_CMP_HS:
        return a >= b;
    default:
        return false;
    }
}

static bool is_cta_scalar(const dac_word *w)
{
    return ww_tuple_is_cta_scalar(&w->tuple);
}

void dac_compare(const dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                 const dac_masks *where, dac_masks *ones, dac_masks *unknown)
{
    bool known =
        a->form != DAC_LOST && b->form != DAC_LOST && a->form != DAC_CARRY && b->form != DAC_CARRY;
    bool once = known && is_cta_scalar(a) && is_cta_scalar(b);
    for (ww_warps_walk m = ww_warps_from(s->pass); ww_warps_next(&m);) {
        uint32_t w = m.warp, lanes = where->of[w], set = 0;
        if (!known) {
            unknown->of[w] |= lanes;
            continue;
        }
        for (uint32_t rest = once ? lanes & (0u - lanes) : lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (dac_compare_numbers(inst, dac_word_at(s, a, w, lane), dac_word_at(s, b, w, lane))) {
                set |= once ? lanes : 1u << lane;
            }
        }
        ones->of[w] |= set;
    }
}
