/* values_matrix.c - bits that switch in matrix units. A factor is compared with the one in the same
 * position of the scheduler's last product: its bits switch latches, the wires that bring an
 * element to a row of multipliers, and what recodes it there, whatever the other factor is. A warp
 * group's product holds A and lets columns of B pass, each behind the one before.
 * Products are shifted to one exponent and summed, several at once. Every element of A meets a
 * row's worth of B and the reverse, so that how many products change follows from both factors, as
 * if these were independent; one that changes switches half of the bits of its sum that it reaches:
 * all of them by another exponent or sign or where a zero comes or goes, by another significand
 * those up to its highest bit that differs. */
#include <math.h>

#include "isa/fragment.h"
#include "perf/sm/significand.h"
#include "perf/sm/values.h"

enum {
    /* FP16 multiplication 1.1 pJ, FP32 addition 0.9 (Horowitz, ISSCC 2014, fig. 1.1.9): sums have
     * the width of single precision within (Fasi et al., PeerJ CS 2021). Of the addition's parts
     * one is the sum's that comes and goes (estimate). */
    FACTOR_PARTS = 11,
    TREE_PARTS = 8,
    SUM_PARTS = 1,
    ALL_PARTS = 20,
};

/* Bits of a factor that switch. Elements that are not zero: now, before, both; of these such whose
 * sign differs, whose exponent does, whose significand does, and the bits of a product that it
 * reaches. */
typedef struct factor_bits {
    uint64_t switched, elements;
    uint64_t now, before, both;
    uint64_t signs, moved, changed, reached;
} factor_bits;

/* How elements lie in words: `per` of them in one, `bits` each from `low` on; the sign is no part
 * of a zero. */
typedef struct element_form {
    unsigned bits, per, low;
    uint64_t sign;
    ww_number_form number;
} element_form;

/* bits: of an element in registers. */
static element_form form_of(ww_type type, unsigned bits)
{
    const bool real = ww_type_is_float(type);
    const ww_number_form number = ww_number_form_of(type);
    const uint64_t sign = real ? UINT64_C(1) << (bits - 1) : 0;
    if (type == WW_T_TF32) { /* the 19 upper bits are looked at */
        return (element_form){19, 1, 13, UINT64_C(1) << 18, number};
    }
    if (type == WW_T_B1) {
        return (element_form){1, 32, 0, 0, number};
    }
    return (element_form){bits, bits < 32 ? 32 / bits : 1, 0, sign, number};
}

/* Bits of a factor that are multiplied. */
static unsigned factor_width(const element_form *f)
{
    return f->number.exponent > 0 ? f->number.mantissa + 1u : f->bits;
}

static uint64_t ones_of(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* An element that is not zero follows another in its place. */
static void compare_elements(uint64_t last, uint64_t value, const element_form *f, factor_bits *sum)
{
    const uint64_t differ = last ^ value, fraction = ones_of(f->number.mantissa);
    const uint64_t bits = ww_significand(value, f->number) ^ ww_significand(last, f->number);
    sum->both++;
    sum->signs += (differ & f->sign) != 0;
    sum->moved += f->number.exponent > 0 && (differ & ~f->sign & ~fraction) != 0;
    sum->changed += bits != 0;
    sum->reached += bits != 0 ? factor_width(f) + 64u - (unsigned)__builtin_clzll(bits) : 0;
}

/* Whether its products are anything: zeros have either sign, single bits are compared. */
static bool is_live(uint64_t value, const element_form *f)
{
    return f->bits == 1 || (value & ~f->sign) != 0;
}

/* A word's elements, or one of two words, take the place of those before. */
static void pass_elements(uint64_t last, uint64_t word, const element_form *f, factor_bits *sum)
{
    for (unsigned e = 0; e < f->per; e++) {
        const unsigned at = f->low + e * f->bits;
        const uint64_t value = word >> at & ones_of(f->bits),
                       before = last >> at & ones_of(f->bits);
        const bool is = is_live(value, f), was = is_live(before, f);
        sum->elements++;
        sum->switched += (uint64_t)__builtin_popcountll(value ^ before);
        sum->now += is;
        sum->before += was;
        if (is && was) {
            compare_elements(before, value, f, sum);
        }
    }
}

static factor_bits pass_fragment(ww_plane *last, const uint32_t *const *word, unsigned words,
                                 const element_form *f)
{
    const unsigned step = f->bits == 64 ? 2 : 1;
    factor_bits sum = {0};
    for (unsigned k = 0; k + step <= words && k < WW_VALUE_FRAGMENT; k += step) {
        for (unsigned lane = 0; lane < WW_WARP_SIZE; lane++) {
            const uint64_t old = last[k].lane[lane], new = word[k][lane];
            const uint64_t before = step == 2 ? (uint64_t)last[k + 1].lane[lane] << 32 | old : old;
            const uint64_t now = step == 2 ? (uint64_t)word[k + 1][lane] << 32 | new : new;
            pass_elements(before, now, f, &sum);
            last[k].lane[lane] = word[k][lane];
            last[k + step - 1].lane[lane] = word[k + step - 1][lane];
        }
    }
    return sum;
}

/* A of a warp group's product, one word an element: it stays in the unit for `cycles`, while
 * columns of B pass. */
static factor_bits hold_rows(uint32_t *last, const uint32_t *element, uint32_t count,
                             uint64_t cycles, const element_form *f)
{
    factor_bits sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        pass_elements(last[i], element[i], f, &sum);
        last[i] = element[i];
    }
    sum.before += (cycles - 1) * sum.now;
    sum.both += (cycles - 1) * sum.now;
    sum.now *= cycles;
    sum.elements *= cycles;
    return sum;
}

/* B likewise: each of its `depth` rows brings its columns one group behind the other. */
static factor_bits pass_columns(uint32_t *last, const uint32_t *element, uint32_t columns,
                                uint32_t depth, const element_form *f)
{
    factor_bits sum = {0};
    for (uint32_t k = 0; k < depth; k++) {
        const uint32_t *row = element + (size_t)k * columns;
        uint32_t *end = last + (size_t)k * WW_VALUE_COLUMNS;
        for (uint32_t i = 0; i < columns; i++) {
            pass_elements(i < WW_VALUE_COLUMNS ? end[i] : row[i - WW_VALUE_COLUMNS], row[i], f,
                          &sum);
        }
        memcpy(end, row + columns - WW_VALUE_COLUMNS, WW_VALUE_COLUMNS * sizeof *end);
    }
    return sum;
}

/* Sums that switch, in bits; *of: bits compared. */
static uint64_t pass_sums(ww_sm *sm, uint32_t w, const ww_inst *inst, ww_plane *last, uint64_t *of)
{
    const uint32_t *regs = sm->warps.at[w]->regs;
    uint64_t switched = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < inst->dst_count; i++) {
        const ww_operand *o = &inst->dst[i];
        for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words && n < WW_VALUE_SUMS; k++) {
            switched += pass(&last[n++], regs + (size_t)(o->reg + k) * WW_WARP_SIZE, UINT32_MAX);
        }
    }
    *of = (uint64_t)n * 32 * WW_WARP_SIZE;
    return switched;
}

static ww_counter switched_counter(ww_counter event)
{
    static const uint16_t counter[] = {
#define OF(format) [WW_C_MMA_##format - WW_C_MMA_F16] = WW_C_SWITCHED_MMA_##format
        OF(F16), OF(F16_SUM16), OF(BF16), OF(TF32), OF(F8), OF(F64), OF(I8), OF(I4), OF(B1),
#undef OF
    };
    const unsigned at = (unsigned)event - WW_C_MMA_F16;
    return at < WW_ARRAY_LEN(counter) ? (ww_counter)counter[at] : WW_C_CORE_CYCLES;
}

static double part_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* The share of one that either of two comes to, as if they were independent. */
static double either(double a, double b)
{
    return a + b - a * b;
}

/* Of the bits of a sum of eight products (8 x 4 x 8 a cycle: NVIDIA A100 whitepaper), whose factors
 * have `width` bits, the share that switches. */
static double tree_of(const factor_bits *a, const factor_bits *b, unsigned width)
{
    const double now = part_of(a->now, a->elements) * part_of(b->now, b->elements);
    const double before = part_of(a->before, a->elements) * part_of(b->before, b->elements);
    const double both = part_of(a->both, a->elements) * part_of(b->both, b->elements);
    const double comes_or_goes = now + before - 2 * both;
    const double sign_a = part_of(a->signs, a->both), sign_b = part_of(b->signs, b->both);
    const double whole = either(either(part_of(a->moved, a->both), part_of(b->moved, b->both)),
                                sign_a + sign_b - 2 * sign_a * sign_b);
    const double change = either(part_of(a->changed, a->both), part_of(b->changed, b->both));
    const double reach =
        either(part_of(a->reached, 2 * width * a->both), part_of(b->reached, 2 * width * b->both));
    const double one = both * either(whole, change) + comes_or_goes; /* product changes */
    const double bits = both * (whole + (1 - whole) * reach) + comes_or_goes;
    const double two = (1 - one) * (1 - one), four = two * two;
    return one > 0 ? (1 - four * four) * fmin(bits / one, 1) / 2 : 0;
}

/* The share of factors' bits that switch, where multipliers get as many of A as of B. */
static double factors_of(const factor_bits *a, const factor_bits *b, const element_form *fa,
                         const element_form *fb)
{
    return (part_of(a->switched, a->elements * fa->bits) +
            part_of(b->switched, b->elements * fb->bits)) /
           2;
}

/* The same of a warp group's product: an element of A comes to the multipliers of so many columns,
 * once, and one of B to those of every row. */
static double held_factors_of(const factor_bits *a, const factor_bits *b, uint64_t cycles,
                              const element_form *f)
{
    const uint64_t come =
        a->elements / cycles * WW_VALUE_COLUMNS + b->elements * WW_WARPGROUP_WARP_M;
    return part_of(a->switched * WW_VALUE_COLUMNS + b->switched * WW_WARPGROUP_WARP_M,
                   come * f->bits);
}

static void count_matrix(ww_sm *sm, uint32_t w, uint32_t pc, const operand_words *o)
{
    const ww_sm_op *uop = &sm->program->uop[pc];
    const ww_counter counter = switched_counter((ww_counter)uop->event);
    const ww_inst *inst = inst_at(sm, pc);
    ww_matrix_values *v = sm->values->matrix[w % sm->issue.schedulers];
    const ww_type type = (ww_type)inst->type2;
    element_form form;
    const uint64_t macs = (uint64_t)uop->lane_work * WW_WARP_SIZE;
    factor_bits a, b;
    double factors;
    if (counter == WW_C_CORE_CYCLES || v == NULL) {
        return;
    }
    if (inst->op == WW_OP_WGMMA) {
        const ww_factors *f = sm->values->factors;
        const uint32_t depth = f->a_count / WW_WARPGROUP_WARP_M, columns = f->b_count / depth;
        const uint64_t cycles = columns / WW_VALUE_COLUMNS;
        form = form_of(type, 8 * ww_type_bytes(type));
        form.per = type == WW_T_B1 ? form.per : 1;
        a = hold_rows(v->held, f->a, f->a_count, cycles, &form);
        b = pass_columns(v->columns, f->b, columns, depth, &form);
        factors = held_factors_of(&a, &b, cycles, &form);
    } else {
        const bool wmma = inst->op == WW_OP_WMMA_MMA;
        const ww_fragment fa = ww_isa_fragment((ww_tile)inst->tile, WW_SUB_A, type, wmma);
        const ww_fragment fb =
            ww_isa_fragment((ww_tile)inst->tile, WW_SUB_B, (ww_type)inst->type_b, wmma);
        const element_form form_b = form_of((ww_type)inst->type_b, fb.bits);
        form = form_of(type, fa.bits);
        const unsigned first_b = fa.registers;
        if (first_b + fb.registers >= o->operands) {
            return;
        }
        const unsigned words_a = o->first[first_b], end = o->first[first_b + fb.registers];
        a = pass_fragment(v->a, o->word, words_a, &form);
        b = pass_fragment(v->b, o->word + words_a, end - words_a, &form_b);
        factors = factors_of(&a, &b, &form, &form_b);
    }
    uint64_t sum_bits;
    const uint64_t sums = pass_sums(sm, w, inst, v->sum, &sum_bits);
    const double parts = FACTOR_PARTS * factors +
                         TREE_PARTS * tree_of(&a, &b, factor_width(&form)) +
                         SUM_PARTS * part_of(sums, sum_bits);
    const double switched = (double)macs * parts;
    values_charge(sm, pc, counter, (uint64_t)(switched + 0.5), ALL_PARTS * macs);
}
