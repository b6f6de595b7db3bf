/* unread_sums.c - a product of a warp group that begins a sum (scale-d is false) reads no D. PTX
 * names D all the same, so that compilers set its registers to zero before, which ptxas leaves out
 * of the machine code. */
#include "perf/ptx/lower/lower.h"

static bool is_number(ww_operand o)
{
    return o.kind == WW_OPD_IMM && o.flags == 0;
}

/* Whether a predicate is known: one that is written, or the comparison of two numbers. */
static bool know_predicate(const ww_function *f, const ww_defs *defs, ww_operand p, bool *value)
{
    const bool negated = (p.flags & WW_OPD_NOT) != 0;
    if (p.kind == WW_OPD_IMM) {
        *value = (p.imm != 0) != negated;
        return true;
    }
    if (p.kind != WW_OPD_PRED || defs->count[ww__part_index(p)] != 1) {
        return false;
    }
    const ww_inst *inst = &f->inst[defs->inst[ww__part_index(p)]];
    if (inst->guard.kind != WW_OPD_NONE || inst->op != WW_OP_SETP || inst->dst_count != 1 ||
        inst->src_count != 2 || ww_type_is_float((ww_type)inst->type) ||
        ww_type_bytes((ww_type)inst->type) != 4 || !is_number(inst->src[0]) ||
        !is_number(inst->src[1]) || (inst->cmp != WW_CMP_NE && inst->cmp != WW_CMP_EQ)) {
        return false;
    }
    const bool equal = (uint32_t)inst->src[0].imm == (uint32_t)inst->src[1].imm;
    *value = (equal == (inst->cmp == WW_CMP_EQ)) != negated;
    return true;
}

/* Whether some product begins a sum; it names no D as a source then. */
static bool forget_sums(ww_function *f, const ww_defs *defs)
{
    bool some = false, value;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        if (inst->op != WW_OP_WGMMA || inst->guard.kind != WW_OPD_NONE) {
            continue;
        }
        const unsigned last = inst->src_count - 1u;
        if (!know_predicate(f, defs, inst->src[last], &value)) {
            continue;
        }
        inst->src[last] = ww_opd_imm(value);
        for (unsigned k = last - inst->dst_count; k < last && !value; k++) {
            inst->src[k] = ww_opd_imm(0);
        }
        some = some || !value;
    }
    return some;
}

static bool is_live(const uint64_t *live, uint32_t reg)
{
    return (live[reg / 64] >> reg % 64 & 1) != 0;
}

/* A move whose register nobody reads behind it. */
static bool is_idle(const ww_inst *inst, const uint64_t *live)
{
    return inst->op == WW_OP_MOV && inst->guard.kind == WW_OPD_NONE && inst->dst_count == 1 &&
           inst->dst[0].kind == WW_OPD_REG && !is_live(live, inst->dst[0].reg);
}

ww_status ww__lower_unread_sums(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_defs defs;
    ww_cfg cfg;
    ww_liveness live;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    if (!forget_sums(f, &defs)) {
        return WW_OK;
    }
    uint32_t *definitions = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->vreg_count + 1);
    if (definitions == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    WW_TRY(ww__count_definitions(f, arena, definitions, err));
    WW_TRY(ww_cfg_build(f, arena, &cfg, err));
    WW_TRY(ww_liveness_build(f, &cfg, arena, &live, err));
    for (uint32_t b = 0; b < cfg.block_count; b++) {
        uint64_t *at_end = live.live_out + (size_t)b * live.words;
        for (uint32_t i = cfg.block[b].last; i-- > cfg.block[b].first;) {
            if (is_idle(&f->inst[i], at_end)) {
                ww__lower_mark_dropped(&f->inst[i]);
            } else {
                ww__live_before(&f->inst[i], definitions, at_end);
            }
        }
    }
    return ww__lower_rewrite(f, arena, NULL, ww__lower_drop_rule, err);
}
