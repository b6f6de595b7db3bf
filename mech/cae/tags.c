/* tags.c - arithmetic of values of one base and stride. Words of 64-bit integers, which the code
 * holds in pairs, are followed through carries, upper words of products and shifts: what rises or
 * falls steadily from the first lane to the last is the same for all lanes when it is at both. */
#include "mech/cae/tags.h"

enum { LAST = 31 };

static const cae_tag vector = {.known = false};

cae_tag cae_uniform(uint32_t value)
{
    return (cae_tag){.known = true, .base = value};
}

bool cae_computes(const ww_inst *inst, bool floats)
{
    ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    bool computes = form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE;
    bool moves = inst->op == WW_OP_MOV || inst->op == WW_OP_SELP;
    bool integer =
        !ww_type_is_float((ww_type)inst->type) && !ww_type_is_float((ww_type)inst->type2);
    return computes && form.unit == WW_UNIT_SP && (integer || moves || floats);
}

/* ---- numbers of the first and the last lane ---- */

/* A value's numbers at both ends, and whether those between lie between. */
typedef struct ends {
    int64_t first, last;
    bool straight;
} ends;

static ends ends_of(const cae_tag *t, bool is_signed)
{
    int64_t first = is_signed ? (int32_t)t->base : (int64_t)t->base;
    int64_t last = first + LAST * (int64_t)(int32_t)t->stride;
    bool fits =
        is_signed ? last >= INT32_MIN && last <= INT32_MAX : last >= 0 && last <= UINT32_MAX;
    return (ends){first, last, fits};
}

static cae_tag same_at_both(bool straight, uint64_t first, uint64_t last)
{
    return straight && first == last ? cae_uniform((uint32_t)first) : vector;
}

/* Carry of a + b + in, or borrow of a - b - in. */
static cae_tag carry_of(const cae_tag *a, const cae_tag *b, uint32_t in, bool subtract)
{
    ends x = ends_of(a, false), y = ends_of(b, false);
    bool straight = x.straight && y.straight;
    if (subtract) {
        return same_at_both(straight, x.first - y.first - in < 0, x.last - y.last - in < 0);
    }
    return same_at_both(straight, x.first + y.first + in > UINT32_MAX,
                        x.last + y.last + in > UINT32_MAX);
}

/* ---- operations ---- */

static bool is_uniform(const cae_tag *t)
{
    return t->stride == 0;
}

static cae_tag sum(const cae_tag *a, const cae_tag *b, uint32_t in)
{
    return (cae_tag){true, a->base + b->base + in, a->stride + b->stride};
}

static cae_tag difference(const cae_tag *a, const cae_tag *b, uint32_t in)
{
    return (cae_tag){true, a->base - b->base - in, a->stride - b->stride};
}

static cae_tag product(const cae_tag *a, const cae_tag *b)
{
    if (!is_uniform(a) && !is_uniform(b)) {
        return vector;
    }
    return (cae_tag){true, a->base * b->base, a->stride * b->base + b->stride * a->base};
}

static cae_tag upper_product(const cae_tag *a, const cae_tag *b, bool is_signed)
{
    ends x = ends_of(a, is_signed), y = ends_of(b, is_signed);
    bool straight = (is_uniform(a) || is_uniform(b)) && x.straight && y.straight;
    return same_at_both(straight, (uint64_t)x.first * (uint64_t)y.first >> 32,
                        (uint64_t)x.last * (uint64_t)y.last >> 32);
}

static cae_tag times(const ww_inst *inst, const cae_tag *a, const cae_tag *b)
{
    return inst->sub == WW_SUB_LO   ? product(a, b)
           : inst->sub == WW_SUB_HI ? upper_product(a, b, ww_type_is_signed((ww_type)inst->type))
                                    : vector;
}

static cae_tag shift_left(const cae_tag *a, const cae_tag *n)
{
    bool fits = is_uniform(n) && n->base < 32;
    return fits ? (cae_tag){true, a->base << n->base, a->stride << n->base} : vector;
}

static cae_tag shift_right(const ww_inst *inst, const cae_tag *a, const cae_tag *n)
{
    ends x = ends_of(a, ww_type_is_signed((ww_type)inst->type));
    uint32_t by = n->base < 63 ? n->base : 63;
    if (!is_uniform(n)) {
        return vector;
    }
    return by == 0 ? *a
                   : same_at_both(x.straight, (uint64_t)(x.first >> by), (uint64_t)(x.last >> by));
}

static bool is_word(ww_type type)
{
    return ww_type_bytes(type) == 4 && !ww_type_is_float(type);
}

static cae_tag word_result(const ww_inst *inst, const cae_tag *a, cae_tag *carry)
{
    const uint32_t in = inst->op == WW_OP_MADC ? a[3].base : a[2].base;
    const cae_tag zero = cae_uniform(0);
    cae_tag t;
    switch ((ww_op)inst->op) {
    case WW_OP_MOV:
        return a[0];
    case WW_OP_CVT:
        return is_word((ww_type)inst->type2) ? a[0] : vector;
    case WW_OP_ADD:
        *carry = carry_of(&a[0], &a[1], 0, false);
        return sum(&a[0], &a[1], 0);
    case WW_OP_ADDC:
        *carry = carry_of(&a[0], &a[1], in, false);
        return sum(&a[0], &a[1], in);
    case WW_OP_SUB:
        *carry = carry_of(&a[0], &a[1], 0, true);
        return difference(&a[0], &a[1], 0);
    case WW_OP_SUBC:
        *carry = carry_of(&a[0], &a[1], in, true);
        return difference(&a[0], &a[1], in);
    case WW_OP_NEG:
        return difference(&zero, &a[0], 0);
    case WW_OP_MUL:
        return times(inst, &a[0], &a[1]);
    case WW_OP_MAD:
    case WW_OP_MADC:
        t = times(inst, &a[0], &a[1]);
        if (!t.known) {
            return vector;
        }
        *carry = carry_of(&t, &a[2], inst->op == WW_OP_MADC ? in : 0, false);
        return sum(&t, &a[2], inst->op == WW_OP_MADC ? in : 0);
    case WW_OP_SCADD:
        t = shift_left(&a[0], &a[2]);
        return t.known ? sum(&t, &a[1], 0) : vector;
    case WW_OP_SHL:
        return shift_left(&a[0], &a[1]);
    case WW_OP_SHR:
        return shift_right(inst, &a[0], &a[1]);
    default:
        return vector;
    }
}

bool cae_result(const ww_inst *inst, const cae_tag source[CAE_SOURCES], cae_tag *out,
                cae_tag *carry)
{
    *out = *carry = vector;
    bool moves = inst->op == WW_OP_MOV && inst->src_count == 1 && inst->dst_count == 1;
    bool word = is_word((ww_type)inst->type) && (inst->mods & WW_MOD_SAT) == 0;
    if (moves || word) {
        *out = word_result(inst, source, carry);
    }
    return out->known;
}
