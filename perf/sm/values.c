/* values.c - bits that switch where registers are read, operands collected, results made and
 * brought back. */
#include "base/arith.h"
#include "perf/sm/significand.h"
#include "perf/sm/values.h"

#include <string.h>

#include "base/mem.h"

static ww_status sm_set_values(ww_sm *sm, bool on, ww_error *err)
{
    if (!on) {
        values_destroy(sm);
        return WW_OK;
    }
    if (sm->values == NULL) {
        sm->values = WW_NEW(ww_values);
        if (sm->values != NULL) {
            sm->values->bank = WW_NEW_ARRAY(ww_plane, (size_t)WW_SM_SCHEDULERS * WW_VALUE_BANKS);
        }
    }
    return sm->values != NULL && sm->values->bank != NULL
               ? WW_OK
               : ww_no_memory_for(err, "the values of SM %u", sm->id);
}

static void values_destroy(ww_sm *sm)
{
    if (sm->values != NULL) {
        for (uint32_t s = 0; s < WW_SM_SCHEDULERS; s++) {
            ww_free(sm->values->matrix[s]);
        }
        ww_free(sm->values->factors);
        ww_free(sm->values->bank);
        ww_free(sm->values);
        sm->values = NULL;
    }
}

static void values_begin(ww_sm *sm)
{
    ww_values *v = sm->values;
    memset(v->bank, 0, (size_t)WW_SM_SCHEDULERS * WW_VALUE_BANKS * sizeof *v->bank);
    for (uint32_t s = 0; s < WW_SM_SCHEDULERS; s++) {
        if (v->matrix[s] != NULL) {
            memset(v->matrix[s], 0, sizeof *v->matrix[s]);
        }
    }
    memset(&v->latches, 0, sizeof v->latches);
}

/* Counts bits of a row; `counter` is that of bits that switch, and the next that of bits compared.
 */
static void values_charge(ww_sm *sm, uint32_t row, ww_counter counter, uint64_t switched,
                          uint64_t compared)
{
    ww_charge(sm, row, counter, switched);
    ww_charge(sm, row, (ww_counter)(counter + 1), compared);
}

/* A word of the lanes passes a place: bits that switch there. */
static uint64_t pass(ww_plane *last, const uint32_t *word, uint32_t exec)
{
    uint64_t switched = 0;
    if (exec == UINT32_MAX) {
        for (unsigned lane = 0; lane < WW_WARP_SIZE; lane += 2) { /* two words at a time */
            uint64_t old, new;
            memcpy(&old, &last->lane[lane], sizeof old);
            memcpy(&new, &word[lane], sizeof new);
            switched += (uint64_t)__builtin_popcountll(old ^ new);
        }
        memcpy(last->lane, word, sizeof last->lane);
        return switched;
    }
    for (uint32_t m = exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        switched += (uint64_t)__builtin_popcount(last->lane[lane] ^ word[lane]);
        last->lane[lane] = word[lane];
    }
    return switched;
}

/* ---- operands ---- */

static const ww_inst *inst_at(const ww_sm *sm, uint32_t pc)
{
    return &sm->launch->kernel->code[ww_program_inst(sm->program, pc)];
}

/* Sums of a warp group's product, and its descriptors, are the matrix unit's business. */
static unsigned sources_of(const ww_inst *inst)
{
    return inst->op == WW_OP_WGMMA ? 0 : inst->src_count;
}

static bool is_read(const ww_sm *sm, uint32_t pc, unsigned i)
{
    const ww_inst_shape *shape = sm->launch->kernel->shape;
    return shape == NULL || i >= 15 ||
           (shape[ww_program_inst(sm->program, pc)].unread >> i & 1) == 0;
}

/* Room for a scheduler's first product. */
static WW_NOINLINE ww_status make_matrix(ww_sm *sm, uint32_t s, ww_error *err)
{
    ww_values *v = sm->values;
    if (v->factors == NULL) {
        v->factors = WW_NEW(ww_factors);
    }
    if (v->matrix[s] == NULL) {
        v->matrix[s] = WW_NEW(ww_matrix_values);
    }
    return v->factors != NULL && v->matrix[s] != NULL
               ? WW_OK
               : ww_no_memory_for(err, "the values of SM %u", sm->id);
}

static bool is_product(const ww_inst *inst)
{
    return inst->op == WW_OP_WGMMA || inst->op == WW_OP_MMA || inst->op == WW_OP_WMMA_MMA;
}

static ww_status values_keep(ww_sm *sm, uint32_t w, uint32_t pc, ww_error *err)
{
    ww_values *v = sm->values;
    const ww_inst *inst = inst_at(sm, pc);
    if (is_product(inst) && v->matrix[w % sm->issue.schedulers] == NULL) {
        WW_TRY(make_matrix(sm, w % sm->issue.schedulers, err));
    }
    const uint32_t *regs = sm->warps.at[w]->regs;
    v->sources = 0;
    for (unsigned i = 0; i < sources_of(inst); i++) {
        const ww_operand *o = &inst->src[i];
        for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words; k++) {
            if (v->sources < WW_VALUE_WORDS) {
                memcpy(&v->source[v->sources++], regs + (size_t)(o->reg + k) * WW_WARP_SIZE,
                       sizeof *v->source);
            }
        }
    }
    return WW_OK;
}

/* What parameters hold from a byte on; 0 behind their end. */
static uint32_t parameter(const ww_sm *sm, uint64_t at)
{
    const uint64_t bytes = sm->launch->kernel->param_bytes;
    uint32_t word = 0;
    if (at < bytes) {
        memcpy(&word, sm->launch->params + at, bytes - at < sizeof word ? bytes - at : sizeof word);
    }
    return word;
}

/* Word k of an operand that is one value for all lanes; false: it is not known here. */
static bool uniform_word(const ww_sm *sm, const ww_operand *o, uint32_t k, ww_plane *out)
{
    uint32_t word;
    if (o->kind == WW_OPD_IMM) {
        word = (uint32_t)(o->imm >> (32 * k));
    } else if (o->kind == WW_OPD_CONST) {
        word = parameter(sm, o->imm + 4 * k);
    } else {
        return false;
    }
    for (unsigned lane = 0; lane < WW_WARP_SIZE; lane++) {
        out->lane[lane] = word;
    }
    return true;
}

/* The words of an instruction's operands, in order; those that are not known are left out. */
typedef struct operand_words {
    const uint32_t *word[WW_VALUE_WORDS];
    uint8_t first[WW_VALUE_SOURCES + 1]; /* [operand] its first word, and that behind the last */
    unsigned operands, words;
    ww_plane uniform[WW_VALUE_OPERANDS];
} operand_words;

static uint32_t words_of(const ww_inst *inst, const ww_operand *o)
{
    return o->kind == WW_OPD_IMM ? (ww_type_bytes((ww_type)inst->type) > 4 ? 2u : 1u) : o->words;
}

static void find_words(const ww_sm *sm, uint32_t pc, operand_words *out)
{
    const ww_inst *inst = inst_at(sm, pc);
    unsigned uniform = 0, kept = 0;
    out->words = 0;
    out->operands = ww_min_u32(sources_of(inst), WW_VALUE_SOURCES);
    for (unsigned i = 0; i < out->operands; i++) {
        const ww_operand *o = &inst->src[i];
        out->first[i] = (uint8_t)out->words;
        for (uint32_t k = 0; k < words_of(inst, o) && out->words < WW_VALUE_WORDS; k++) {
            if (o->kind == WW_OPD_REG) {
                WW_ASSERT(kept < WW_VALUE_WORDS);
                out->word[out->words] = sm->values->source[kept++].lane;
                out->words += kept <= sm->values->sources;
            } else if (uniform < WW_VALUE_OPERANDS &&
                       uniform_word(sm, o, k, &out->uniform[uniform])) {
                out->word[out->words++] = out->uniform[uniform++].lane;
            }
        }
    }
    out->first[out->operands] = (uint8_t)out->words;
}

/* Words of an operand; 0: it is not known, or there is none. */
static unsigned known_words(const operand_words *o, unsigned i)
{
    WW_ASSERT(i >= o->operands || o->first[i] <= o->first[i + 1]);
    return i < o->operands ? (unsigned)(o->first[i + 1] - o->first[i]) : 0;
}

/* ---- register banks, collectors, result bus ---- */

/* The bank's last value; in an SM of partitions each scheduler has its own banks. */
static ww_plane *bank_of(ww_sm *sm, uint32_t w, uint32_t reg)
{
    const uint32_t banks = ww_register_banks(sm->arch);
    const bool apart = sm->arch->sm.core == WW_CORE_PARTITIONED;
    const uint32_t s = apart ? w % sm->issue.schedulers : 0;
    WW_ASSERT(banks > 0 && s < WW_SM_SCHEDULERS);
    return &sm->values->bank[s * WW_VALUE_BANKS + (reg + w) % banks % WW_VALUE_BANKS];
}

/* A register that an instruction names twice is read once. */
static bool seen_before(const uint32_t *reg, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (reg[i] == reg[n]) {
            return true;
        }
    }
    return false;
}

static void count_reads(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t exec)
{
    const ww_inst *inst = inst_at(sm, pc);
    uint32_t reg[WW_VALUE_WORDS];
    uint64_t switched = 0;
    unsigned kept = 0, n = 0;
    for (unsigned i = 0; i < sources_of(inst); i++) {
        const ww_operand *o = &inst->src[i];
        for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words; k++, kept++) {
            if (kept == sm->values->sources || !is_read(sm, pc, i)) {
                continue;
            }
            WW_ASSERT(n < WW_VALUE_WORDS);
            reg[n] = o->reg + k;
            if (!seen_before(reg, n)) {
                switched += pass(bank_of(sm, w, reg[n]), sm->values->source[kept].lane, exec);
                n++;
            }
        }
    }
    values_charge(sm, pc, WW_C_SWITCHED_RF_READ, switched,
                  (uint64_t)n * 32 * (unsigned)__builtin_popcount(exec));
}

static void count_collected(ww_sm *sm, uint32_t w, uint32_t pc, const operand_words *o,
                            uint32_t exec)
{
    ww_plane *place = sm->values->latches.collector[w % sm->issue.schedulers];
    uint64_t switched = 0;
    for (unsigned k = 0; k < o->words; k++) {
        switched += pass(&place[k % WW_VALUE_OPERANDS], o->word[k], exec);
    }
    values_charge(sm, pc, WW_C_SWITCHED_COLLECT, switched,
                  (uint64_t)o->words * 32 * (unsigned)__builtin_popcount(exec));
}

static void count_written(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t exec)
{
    const ww_inst *inst = inst_at(sm, pc);
    const uint32_t *regs = sm->warps.at[w]->regs;
    uint64_t switched = 0, words = 0;
    for (unsigned i = 0; inst->op != WW_OP_WGMMA && i < inst->dst_count; i++) {
        const ww_operand *o = &inst->dst[i];
        for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words; k++, words++) {
            switched += pass(&sm->values->latches.bus[w % sm->issue.schedulers],
                             regs + (size_t)(o->reg + k) * WW_WARP_SIZE, exec);
        }
    }
    values_charge(sm, pc, WW_C_SWITCHED_RF_WRITE, switched,
                  words * 32 * (unsigned)__builtin_popcount(exec));
}

/* ---- units ---- */

/* What a kind of lane operation is compared by. */
typedef struct value_rule {
    uint16_t counter; /* of bits that switch, or of partial products; 0: not compared */
    uint16_t latch;   /* of bits that switch, where the other one is of partial products of the
                         first two operands; 0: it is not */
    uint8_t unit;     /* ww_value_unit */
    uint8_t bits;     /* of each factor, as energies are per partial product */
} value_rule;

static value_rule rule_of(ww_counter event)
{
    enum { FIRST = WW_C_OP_INT_ADD, MOST = WW_C_OP_PRED - FIRST + 1 };
    const unsigned at = (unsigned)event - FIRST;
#define RULE(op, unit) [WW_C_OP_##op - FIRST] = { WW_C_SWITCHED_OP_##op, 0, WW_VALUE_##unit, 0 }
#define PRODUCT(op, unit, bits)                                                                    \
    [WW_C_OP_##op -                                                                                \
        FIRST] = {WW_C_SWITCHED_OP_##op, WW_C_SWITCHED_LATCH_##op, WW_VALUE_##unit, bits}
    static const value_rule rule[MOST] = {
        RULE(INT_ADD, INT),
        RULE(INT_LOGIC, INT),
        PRODUCT(INT_MUL, INT_MUL, 32),
        RULE(MOVE, INT),
        RULE(FP32_ADD, FP32),
        PRODUCT(FP32_MUL, FP32, 24),
        PRODUCT(FP32_FMA, FP32, 24),
        RULE(FP64_ADD, FP64),
        PRODUCT(FP64_MUL, FP64, 53),
        PRODUCT(FP64_FMA, FP64, 53),
        PRODUCT(FP16, FP16, 11),
        RULE(CVT, SFU),
        RULE(SFU, SFU),
        RULE(IDIV, INT_MUL),
        RULE(FDIV, FP32),
        RULE(DDIV, FP64),
        RULE(PRED, INT),
    };
#undef PRODUCT
#undef RULE
    return at < MOST ? rule[at] : (value_rule){0};
}

/* Partial products that switch: where a bit of one factor switches and one of the other is 1. */
static uint64_t products(uint64_t a, uint64_t a_last, uint64_t b, uint64_t b_last, ww_number_form f)
{
    const uint64_t now_a = ww_significand(a, f), now_b = ww_significand(b, f);
    return (uint64_t)__builtin_popcountll(now_a ^ ww_significand(a_last, f)) *
               (uint64_t)__builtin_popcountll(now_b) +
           (uint64_t)__builtin_popcountll(now_b ^ ww_significand(b_last, f)) *
               (uint64_t)__builtin_popcountll(now_a);
}

static uint64_t lane_products(uint64_t a, uint64_t a_last, uint64_t b, uint64_t b_last, bool halves,
                              ww_number_form f)
{
    const uint64_t low = UINT64_C(0xffff);
    return halves ? products(a & low, a_last & low, b & low, b_last & low, f) +
                        products(a >> 16, a_last >> 16, b >> 16, b_last >> 16, f)
                  : products(a, a_last, b, b_last, f);
}

/* A factor of a lane in one or two words. */
static uint64_t factor(const uint32_t *const *word, unsigned words, unsigned lane)
{
    const uint64_t low = word[0][lane];
    return words > 1 ? low | (uint64_t)word[1][lane] << 32 : low;
}

/* Words of the operands pass the unit's latches, a pair for each. */
static uint64_t pass_operands(ww_plane *latch, const operand_words *o, uint32_t exec,
                              uint64_t *words)
{
    enum { MOST = WW_VALUE_LATCHES / 2 - 1, PAIR = 2 };
    uint64_t switched = 0;
    for (unsigned i = 0; i < o->operands && i < MOST; i++) {
        for (unsigned k = 0; k < known_words(o, i) && k < PAIR; k++, *words += 1) {
            switched += pass(&latch[PAIR * i + k], o->word[o->first[i] + k], exec);
        }
    }
    return switched;
}

/* Of numbers whose factors have other bits than energies are per, as if they had those. */
static uint64_t in_proportion(uint64_t switched, unsigned bits, unsigned wanted)
{
    WW_ASSERT(bits > 0);
    return (switched * wanted * wanted + bits * bits / 2) / (bits * bits);
}

/* Partial products of the first two operands, before they pass the latches. */
static void count_products(ww_sm *sm, uint32_t pc, const ww_plane *latch, const operand_words *o,
                           value_rule rule, uint32_t exec)
{
    const unsigned a_words = known_words(o, 0), b_words = known_words(o, 1);
    const bool halves = rule.unit == WW_VALUE_FP16;
    if (a_words == 0 || b_words == 0) {
        return;
    }
    ww_number_form form = ww_number_form_of((ww_type)inst_at(sm, pc)->type);
    if (halves && form.mantissa != 7) { /* also of types that name only the pair's bits */
        form = ww_number_form_of(WW_T_F16);
    }
    const uint32_t *const *a = o->word + o->first[0], *const *b = o->word + o->first[1];
    const uint32_t *const last[] = {latch[0].lane, latch[1].lane, latch[2].lane, latch[3].lane};
    const unsigned bits = form.exponent > 0 ? form.mantissa + 1u : a_words > 1 ? 64 : 32;
    uint64_t switched = 0;
    for (uint32_t m = exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        switched +=
            lane_products(factor(a, a_words, lane), factor(last, a_words, lane),
                          factor(b, b_words, lane), factor(last + 2, b_words, lane), halves, form);
    }
    values_charge(sm, pc, (ww_counter)rule.counter, in_proportion(switched, bits, rule.bits),
                  (uint64_t)(halves ? 2 : 1) * rule.bits * rule.bits *
                      (unsigned)__builtin_popcount(exec));
}

static void count_operation(ww_sm *sm, uint32_t w, uint32_t pc, const operand_words *o,
                            uint32_t exec)
{
    enum { RESULT = WW_VALUE_LATCHES - 2 };
    const value_rule rule = rule_of((ww_counter)sm->program->uop[pc].event);
    WW_ASSERT(rule.unit < WW_VALUE_UNITS);
    ww_plane *latch = sm->values->latches.unit[w % sm->issue.schedulers][rule.unit];
    if (rule.counter == 0) {
        return;
    }
    if (rule.latch != 0) {
        count_products(sm, pc, latch, o, rule, exec);
    }
    const ww_inst *inst = inst_at(sm, pc);
    const uint32_t *regs = sm->warps.at[w]->regs;
    uint64_t words = 0, switched = pass_operands(latch, o, exec, &words);
    const ww_operand *d = inst->dst_count > 0 ? &inst->dst[0] : NULL;
    for (uint32_t k = 0; d != NULL && d->kind == WW_OPD_REG && k < d->words && k < 2;
         k++, words++) {
        switched += pass(&latch[RESULT + k], regs + (size_t)(d->reg + k) * WW_WARP_SIZE, exec);
    }
    values_charge(sm, pc, (ww_counter)(rule.latch != 0 ? rule.latch : rule.counter), switched,
                  words * 32 * (unsigned)__builtin_popcount(exec));
}

static void values_count(ww_sm *sm, uint32_t w, uint32_t pc, const ww_step *step, bool unit)
{
    const ww_sm_op *uop = &sm->program->uop[pc];
    operand_words o;
    if (step->exec == 0) {
        return;
    }
    if (uop->src_words > 0) {
        count_reads(sm, w, pc, step->exec);
    }
    if (uop->unit == WW_UNIT_CTRL || !unit) {
        return;
    }
    find_words(sm, pc, &o);
    count_collected(sm, w, pc, &o, step->exec);
    count_written(sm, w, pc, step->exec);
    if (uop->unit == WW_UNIT_LDST) {
        count_words(sm, w, pc, &o, step);
    } else if (is_product(inst_at(sm, pc))) {
        count_matrix(sm, w, pc, &o);
    } else {
        count_operation(sm, w, pc, &o, step->exec);
    }
}
