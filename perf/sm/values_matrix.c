/* values_matrix.c - bits that switch in matrix units. A factor is compared with the one in the same
 * position of the scheduler's last product; a zero holds what stands in its place, so that products
 * by zero switch nothing. Every element of A meets a row's worth of B and the reverse: partial
 * products that switch follow from both factors' bits, as if they were independent. */
#include "isa/fragment.h"
#include "perf/sm/significand.h"
#include "perf/sm/values.h"

enum {
    MULTIPLY_PARTS = 4, /* of five: partial products against sums; estimate */
    ALL_PARTS = 5,
};

/* Bits of a factor. */
typedef struct factor_bits {
    uint64_t switched, ones, elements;
} factor_bits;

/* How elements lie in words: `per` of them in one, `bits` each from `low` on; the sign is no part
 * of a zero. */
typedef struct element_form {
    unsigned bits, per, low;
    uint64_t sign;
    bool gated;
    ww_number_form number;
} element_form;

/* bits: of an element in registers. */
static element_form form_of(ww_type type, unsigned bits)
{
    const bool real = ww_type_is_float(type);
    const ww_number_form number = ww_number_form_of(type);
    const uint64_t sign = real ? UINT64_C(1) << (bits - 1) : 0;
    if (type == WW_T_TF32) { /* the 19 upper bits are looked at */
        return (element_form){19, 1, 13, UINT64_C(1) << 18, true, number};
    }
    if (type == WW_T_B1) {
        return (element_form){1, 32, 0, 0, false, number};
    }
    return (element_form){bits, bits < 32 ? 32 / bits : 1, 0, sign, true, number};
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

/* A word's elements, or one of two words, take the place of those before. */
static uint64_t pass_elements(uint64_t last, uint64_t word, const element_form *f, factor_bits *sum)
{
    for (unsigned e = 0; e < f->per; e++) {
        const unsigned at = f->low + e * f->bits;
        const uint64_t mask = ones_of(f->bits) << at, value = word & mask;
        sum->elements++;
        if (f->gated && (value >> at & ~f->sign) == 0) {
            continue;
        }
        const uint64_t now = ww_significand(value >> at, f->number);
        const uint64_t before = ww_significand((last & mask) >> at, f->number);
        sum->switched += (uint64_t)__builtin_popcountll(now ^ before);
        sum->ones += (uint64_t)__builtin_popcountll(now);
        last = (last & ~mask) | value;
    }
    return last;
}

static factor_bits pass_fragment(ww_plane *last, const uint32_t *const *word, unsigned words,
                                 const element_form *f)
{
    const unsigned step = f->bits == 64 ? 2 : 1;
    factor_bits sum = {0};
    for (unsigned k = 0; k + step <= words && k < WW_VALUE_FRAGMENT; k += step) {
        for (unsigned lane = 0; lane < WW_WARP_SIZE; lane++) {
            const uint64_t old = last[k].lane[lane], new = word[k][lane];
            const uint64_t upper = step == 2 ? (uint64_t)last[k + 1].lane[lane] << 32 | old : old;
            const uint64_t value = step == 2 ? (uint64_t)word[k + 1][lane] << 32 | new : new;
            const uint64_t now = pass_elements(upper, value, f, &sum);
            last[k].lane[lane] = (uint32_t)now;
            last[k + step - 1].lane[lane] = (uint32_t)(step == 2 ? now >> 32 : now);
        }
    }
    return sum;
}

/* Factors that warp groups' products have read, one word an element. */
static factor_bits pass_factors(uint32_t *last, const uint32_t *element, uint32_t count,
                                const element_form *f)
{
    factor_bits sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        last[i] = (uint32_t)pass_elements(last[i], element[i], f, &sum);
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

/* Bits of each factor, as energies are per partial product. */
static unsigned nominal_width(ww_counter event)
{
    static const uint8_t width[] = {
#define OF(format, bits) [WW_C_MMA_##format - WW_C_MMA_F16] = bits
        OF(F16, 11), OF(F16_SUM16, 11), OF(BF16, 8), OF(TF32, 11), OF(F8, 4),
        OF(F64, 53), OF(I8, 8),         OF(I4, 4),   OF(B1, 1),
#undef OF
    };
    const unsigned at = (unsigned)event - WW_C_MMA_F16;
    WW_ASSERT(at < WW_ARRAY_LEN(width));
    return width[at];
}

/* Partial products of `macs` multiplications, those of each pair of elements alike. */
static double products_of(const factor_bits *a, const factor_bits *b, uint64_t macs)
{
    const double pairs = (double)a->elements * (double)b->elements;
    return pairs > 0
               ? (double)macs / pairs *
                     ((double)a->switched * (double)b->ones + (double)b->switched * (double)a->ones)
               : 0;
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
    if (counter == WW_C_CORE_CYCLES || v == NULL) {
        return;
    }
    if (inst->op == WW_OP_WGMMA) {
        const ww_factors *f = sm->values->factors;
        form = form_of(type, 8 * ww_type_bytes(type));
        form.per = type == WW_T_B1 ? form.per : 1;
        a = pass_factors(v->shared_a, f->a, f->a_count, &form);
        b = pass_factors(v->shared_b, f->b, f->b_count, &form);
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
    }
    uint64_t sum_bits;
    const uint64_t sums = pass_sums(sm, w, inst, v->sum, &sum_bits);
    const double wanted = (double)nominal_width((ww_counter)uop->event), of = factor_width(&form);
    const double all = (double)macs * wanted * wanted;
    const double switched =
        MULTIPLY_PARTS * products_of(&a, &b, macs) * (wanted / of) * (wanted / of) +
        (sum_bits > 0 ? (ALL_PARTS - MULTIPLY_PARTS) * all * (double)sums / (double)sum_bits : 0);
    values_charge(sm, pc, counter, (uint64_t)(switched + 0.5), (uint64_t)(ALL_PARTS * all));
}
