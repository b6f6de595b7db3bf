/* address.c - address arithmetic: constant parts go into the displacement of memory
 * instructions, products and sums into multiply-add, shifts and sums into scaled add. */
#include "perf/ptx/lower/lower.h"

/* What a fusing pass knows about the function it rewrites. */
typedef struct fuse_view {
    const ww_function *f;
    const ww_defs *defs;
} fuse_view;

/* The instruction that alone defines register o; NULL when there is none. The result may only be
 * used if the sources it reads still hold the same values, so those must be single-definition too
 * (see stable). */
static const ww_inst *definition(const fuse_view *v, ww_operand o)
{
    if (o.kind != WW_OPD_REG || o.flags != 0 || o.part != 0 || !ww__single_def(v->f, v->defs, o)) {
        return NULL;
    }
    return &v->f->inst[v->defs->inst[ww__part_index(o)]];
}

/* True when operand o of the instruction still has the value it had there wherever the
 * instruction's result is read. */
static bool stable(const fuse_view *v, ww_operand o, const ww_inst *at)
{
    return o.kind == WW_OPD_IMM || o.kind == WW_OPD_CONST ||
           ww__keeps_step(v->f, v->defs, o, (uint32_t)(at - v->f->inst));
}

static bool used_once(const fuse_view *v, ww_operand o)
{
    return v->defs->uses[ww__part_index(o)] == 1;
}

static bool is_register(ww_operand o)
{
    return o.kind == WW_OPD_REG && o.flags == 0;
}

/* ---- displacement folding ---- */

static bool fits_displacement(int64_t offset)
{
    return offset >= -(1ll << 23) &&
           offset < (1ll << 23); /* signed 24 bits, as Fermi and later encode it */
}

static bool fold_displacement(const fuse_view *v, ww_inst *inst)
{
    const ww_inst *add = definition(v, inst->src[0]);
    if (add == NULL || (add->op != WW_OP_ADD && add->op != WW_OP_SUB) || add->dst_count != 1 ||
        ww_type_is_float((ww_type)add->type) ||
        ww_type_bytes((ww_type)add->type) != inst->src[0].words * 4u) {
        return false;
    }
    unsigned imm = add->src[1].kind == WW_OPD_IMM ? 1 : 0;
    if (add->src[imm].kind != WW_OPD_IMM || (add->op == WW_OP_SUB && imm == 0)) {
        return false;
    }
    ww_operand base = add->src[1 - imm];
    if (!is_register(base) || !stable(v, base, add) || base.words != inst->src[0].words) {
        return false;
    }
    int64_t k = inst->src[0].words == 2 ? (int64_t)add->src[imm].imm
                                        : (int64_t)(int32_t)(uint32_t)add->src[imm].imm;
    k = add->op == WW_OP_SUB ? -k : k;
    if (!fits_displacement(k) || !fits_displacement(inst->offset + k)) {
        return false;
    }
    inst->src[0] = base;
    inst->offset += k;
    return true;
}

static ww_status fold_addresses(ww_function *f, ww_arena *arena, bool near, ww_error *err)
{
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    fuse_view v = {f, &defs};
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        const bool is_near = inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL;
        if (!ww_inst_has_address(inst) || (near && !is_near)) {
            continue;
        }
        for (int hops = 0;
             hops < 16 && inst->src[0].kind == WW_OPD_REG && fold_displacement(&v, inst); hops++) {
        }
    }
    return WW_OK;
}

ww_status ww__lower_addresses(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    (void)arch;
    return fold_addresses(f, arena, false, err);
}

ww_status ww__lower_near_addresses(ww_function *f, ww_arena *arena, ww_error *err)
{
    return fold_addresses(f, arena, true, err);
}

/* ---- fusion ---- */

static bool is_integer_add(const ww_inst *inst)
{
    return inst->op == WW_OP_ADD && inst->dst_count == 1 && inst->src_count == 2 &&
           !ww_type_is_float((ww_type)inst->type) && (inst->mods & WW_MOD_SAT) == 0;
}

/* d = a + x*y with x*y a wide product used here alone: one multiply-add with a 64-bit addend. Of
 * two constants one comes from a register (scale.c), where there is a wide multiply-add. */
static bool fuse_wide_product(const fuse_view *v, const ww_arch *arch, ww_inst *add, unsigned which)
{
    const ww_inst *mul = definition(v, add->src[which]);
    if (mul == NULL || mul->op != WW_OP_MUL || mul->sub != WW_SUB_WIDE ||
        ww_type_bytes((ww_type)mul->type) != 4 || !used_once(v, add->src[which]) ||
        !stable(v, mul->src[0], mul) || !stable(v, mul->src[1], mul)) {
        return false;
    }
    ww_operand addend = add->src[1 - which];
    bool scaled = addend.kind == WW_OPD_CONST && mul->src[1].kind == WW_OPD_IMM &&
                  mul->src[0].kind == WW_OPD_REG && ww__is_recent(arch);
    if (addend.kind != WW_OPD_REG && mul->src[1].kind != WW_OPD_REG && !scaled) {
        return false; /* one constant per instruction */
    }
    ww_operand *src = add->src; /* room for three: see ww__lower_fuse */
    add->op = WW_OP_MAD;
    add->type = mul->type;
    add->sub = WW_SUB_WIDE;
    add->src_count = 3;
    src[2] = addend;
    src[0] = mul->src[0];
    src[1] = mul->src[1];
    return true;
}

/* d = (a << k) + b, 32 bits, shift used here alone. */
static bool fuse_scaled_add(const fuse_view *v, ww_inst *add, unsigned which)
{
    const ww_inst *shl = definition(v, add->src[which]);
    if (shl == NULL || shl->op != WW_OP_SHL || ww_type_bytes((ww_type)shl->type) != 4 ||
        shl->src[1].kind != WW_OPD_IMM || shl->src[1].imm > 31 || !used_once(v, add->src[which]) ||
        !is_register(shl->src[0]) || !stable(v, shl->src[0], shl) ||
        add->src[1 - which].kind != WW_OPD_REG) {
        return false;
    }
    ww_operand addend = add->src[1 - which];
    add->op = WW_OP_SCADD;
    add->src_count = 3;
    add->src[0] = shl->src[0];
    add->src[1] = addend;
    add->src[2] = shl->src[1];
    return true;
}

/* Gives every two-source add room for a third source, so that fusion can rewrite in place. */
static bool widen_rule(ww_rewriter *l, const ww_inst *inst)
{
    if (!is_integer_add(inst)) {
        return false;
    }
    ww_inst *copy = ww__emit(l, WW_OP_ADD, (ww_type)inst->type, 1, 3);
    ww_operand *dst = copy->dst, *src = copy->src;
    src[0] = inst->src[0];
    src[1] = inst->src[1];
    dst[0] = inst->dst[0];
    *copy = *inst;
    copy->dst = dst;
    copy->src = src;
    return true;
}

/* A product that a machine without scaled sums makes by a shift. */
static bool is_shift(const fuse_view *v, ww_operand o)
{
    const ww_inst *mul = definition(v, o);
    const uint64_t k = mul != NULL && mul->src_count > 1 ? mul->src[1].imm : 0;
    return mul != NULL && mul->op == WW_OP_MUL && mul->src[1].kind == WW_OPD_IMM &&
           (k & (k - 1)) == 0;
}

/* scales: the machine shifts and adds in one instruction. */
static ww_status fuse(ww_function *f, ww_arena *arena, const ww_arch *arch, bool scales,
                      ww_error *err)
{
    WW_TRY(ww__lower_rewrite(f, arena, arch, widen_rule, err));
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    fuse_view v = {f, &defs};
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        if (!is_integer_add(inst)) {
            continue;
        }
        const bool wide = ww_type_bytes((ww_type)inst->type) == 8;
        bool fused = false;
        for (unsigned k = 2; k-- > 0 && !fused;) {
            const unsigned which = wide ? k : 1 - k;
            if (!scales && (!wide || is_shift(&v, inst->src[which]))) {
                continue;
            }
            fused =
                wide ? fuse_wide_product(&v, arch, inst, which)
                     : ww_type_bytes((ww_type)inst->type) == 4 && fuse_scaled_add(&v, inst, which);
        }
    }
    return WW_OK;
}

ww_status ww__lower_fuse(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    return fuse(f, arena, arch, true, err);
}

ww_status ww__lower_fuse_products(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                  ww_error *err)
{
    return fuse(f, arena, arch, false, err);
}
