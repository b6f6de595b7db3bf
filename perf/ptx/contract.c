/* contract.c - products and sums that PTX gives no rounding become fused multiply-adds, which the
 * manual allows ("mul/add sequences with no rounding modifiers may be optimized to use
 * fused-multiply-add") and ptxas does unless told --fmad=false. Which ones was read off its machine
 * code: decision 0007. It is done to the program, before code of any kind is made of it, so that
 * values do not depend on the kind. The product stays: nothing reads it, and code that is as
 * written has it still. */
#include "perf/ptx/contract.h"

#include "base/arith.h"
#include "perf/ptx/lower/lower.h"

static const uint32_t NO_SUM = UINT32_MAX;

/* A sum has two places, 2 * its instruction and the next, which a product may take. */
typedef struct contraction {
    ww_function *f;
    ww_arena *arena;
    ww_defs defs;
    uint32_t *written;  /* [register]: 1 + the last instruction so far that writes it */
    uint32_t *readers;  /* [instruction]: of a product: sums that could take it in */
    uint32_t *last;     /* [instruction]: of a product: place of the last of these, NO_SUM: none */
    uint32_t *previous; /* [place]: the one before */
    uint32_t *product;  /* [place]: 1 + the product there; 0: none that the sum could take in */
    uint8_t *taken;     /* [instruction]: of a sum: 1 + which operand it takes in; 0: none */
} contraction;

static bool is_contractable(ww_type type)
{
    return type == WW_T_F32 || type == WW_T_F64 || type == WW_T_F16 || type == WW_T_F16X2 ||
           type == WW_T_BF16 || type == WW_T_BF16X2;
}

static bool is_free(const ww_inst *inst, uint32_t allowed)
{
    return inst->round == WW_ROUND_DEFAULT && inst->dst_count == 1 && inst->src_count == 2 &&
           is_contractable((ww_type)inst->type) && (inst->mods & ~allowed) == 0;
}

static bool is_sum(const ww_inst *inst)
{
    return (inst->op == WW_OP_ADD || inst->op == WW_OP_SUB) &&
           is_free(inst, WW_MOD_FTZ | WW_MOD_SAT);
}

static bool is_product(const ww_inst *inst)
{
    return inst->op == WW_OP_MUL && inst->guard.kind == WW_OPD_NONE && is_free(inst, WW_MOD_FTZ);
}

/* Whether a factor still holds at the instruction that is looked at what `product` read. */
static bool keeps(const contraction *c, ww_operand factor, uint32_t product)
{
    return factor.kind != WW_OPD_REG || c->written[factor.reg] <= product;
}

/* The product that a sum could take in for its operand k, one of the stretch of straight code that
 * begins at `start`. */
static bool find_product(const contraction *c, uint32_t sum, unsigned k, uint32_t start,
                         uint32_t *out)
{
    const ww_inst *inst = &c->f->inst[sum];
    const ww_operand o = inst->src[k], other = inst->src[1 - k];
    if (!ww__single_def(c->f, &c->defs, o) || o.flags != 0 ||
        (other.kind == WW_OPD_REG && other.reg == o.reg)) {
        return false;
    }
    const uint32_t at = c->defs.inst[ww__part_index(o)];
    const ww_inst *product = &c->f->inst[at];
    *out = at;
    return at >= start && at < sum && is_product(product) && product->type == inst->type &&
           (product->mods & WW_MOD_FTZ) == (inst->mods & WW_MOD_FTZ) &&
           keeps(c, product->src[0], at) && keeps(c, product->src[1], at);
}

static void note_products(contraction *c, uint32_t sum, uint32_t start)
{
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t place = 2 * sum + k;
        uint32_t at;
        if (find_product(c, sum, k, start, &at)) {
            c->product[place] = at + 1;
            c->previous[place] = c->last[at];
            c->last[at] = place;
            c->readers[at]++;
        }
    }
}

static void find_sums(contraction *c)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < c->f->inst_count; i++) {
        const ww_inst *inst = &c->f->inst[i];
        start = c->defs.breaks[i] ? i : start;
        if (is_sum(inst)) {
            note_products(c, i, start);
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            if (inst->dst[k].kind == WW_OPD_REG) {
                c->written[inst->dst[k].reg] = i + 1;
            }
        }
    }
}

/* A product goes into all the sums that read it or into none: it is computed by itself else. */
static void take_in(contraction *c, uint32_t product)
{
    for (uint32_t p = c->last[product]; p != NO_SUM; p = c->previous[p]) {
        if (c->taken[p / 2] != 0) {
            return;
        }
    }
    for (uint32_t p = c->last[product]; p != NO_SUM; p = c->previous[p]) {
        c->taken[p / 2] = (uint8_t)(p % 2 + 1);
    }
}

/* The products that fewest sums read choose first; of those that as many read, the one that is read
 * first, of a sum's two its first operand. */
static void choose(contraction *c)
{
    uint32_t next;
    for (uint32_t readers = 1; readers != UINT32_MAX; readers = next) {
        next = UINT32_MAX;
        for (uint32_t p = 0; p < 2 * c->f->inst_count; p++) {
            const uint32_t at = c->product[p] - 1;
            if (c->product[p] == 0 || c->readers[at] < readers ||
                c->readers[at] != c->defs.uses[ww__part_index(c->f->inst[at].dst[0])]) {
                continue;
            }
            if (c->readers[at] == readers) {
                take_in(c, at);
            } else {
                next = ww_min_u32(next, c->readers[at]);
            }
        }
    }
}

/* A number is negated by its sign, a register by the instruction that reads it. */
static ww_operand negated(ww_operand o, ww_type type)
{
    if (o.kind != WW_OPD_IMM) {
        return ww__neg(o);
    }
    const unsigned bits = 8 * ww_type_bytes(type);
    const bool packed = type == WW_T_F16X2 || type == WW_T_BF16X2;
    return ww_opd_imm(o.imm ^ 1ull << (bits - 1) ^ (packed ? 1ull << 15 : 0));
}

static ww_status fuse(contraction *c, ww_inst *sum, unsigned k, ww_error *err)
{
    const ww_inst *product = &c->f->inst[c->product[2 * (sum - c->f->inst) + k] - 1];
    ww_operand *src = WW_ARENA_NEW_ARRAY(c->arena, ww_operand, 3);
    if (src == NULL) {
        return ww_no_memory_for(err, "contracting %s", c->f->name);
    }
    src[0] = product->src[0];
    src[1] = product->src[1];
    src[2] = sum->src[1 - k];
    if (sum->op == WW_OP_SUB) {
        ww_operand *subtracted = k == 0 ? &src[2] : &src[0];
        *subtracted = negated(*subtracted, (ww_type)sum->type);
    }
    sum->op = WW_OP_FMA;
    sum->round = WW_ROUND_RN;
    sum->src = src;
    sum->src_count = 3;
    return WW_OK;
}

ww_status ww__contract(ww_function *f, ww_arena *arena, ww_arena *scratch, ww_error *err)
{
    const size_t n = (size_t)f->inst_count + 1;
    contraction c = {
        .f = f,
        .arena = arena,
        .written = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->vreg_count + 1),
        .readers = WW_ARENA_NEW_ARRAY(scratch, uint32_t, n),
        .last = WW_ARENA_NEW_ARRAY(scratch, uint32_t, n),
        .previous = WW_ARENA_NEW_ARRAY(scratch, uint32_t, 2 * n),
        .product = WW_ARENA_NEW_ARRAY(scratch, uint32_t, 2 * n),
        .taken = WW_ARENA_NEW_ARRAY(scratch, uint8_t, n),
    };
    if (c.written == NULL || c.readers == NULL || c.last == NULL || c.previous == NULL ||
        c.product == NULL || c.taken == NULL) {
        return ww_no_memory_for(err, "contracting %s", f->name);
    }
    WW_TRY(ww__defs_build(f, scratch, &c.defs, err));
    for (uint32_t i = 0; i < f->inst_count; i++) {
        c.last[i] = NO_SUM;
    }
    find_sums(&c);
    choose(&c);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (c.taken[i] != 0) {
            WW_TRY(fuse(&c, &f->inst[i], c.taken[i] - 1u, err));
        }
    }
    return WW_OK;
}
