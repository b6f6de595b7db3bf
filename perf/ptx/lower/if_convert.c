/* if_convert.c - short forward branches become predication, as ptxas does: the instructions a
 * branch would skip run under the opposite predicate, which costs issue slots but no divergence. */
#include "perf/ptx/lower/lower.h"

enum { LONGEST = 7 }; /* instructions; ptxas predicates bodies of about this length */

static bool may_be_predicated(const ww_inst *inst)
{
    return inst->guard.kind == WW_OPD_NONE && (ww_inst_effects(inst).may & WW_MAY_GUARDED) != 0;
}

/* True when the branch at `at` skips a short body that nothing else enters and that can be
 * predicated. */
static bool convertible(const ww_function *f, const uint32_t *entries, uint32_t at)
{
    const ww_inst *bra = &f->inst[at];
    if (bra->op != WW_OP_BRA || bra->guard.kind != WW_OPD_PRED || (bra->mods & WW_MOD_UNI) != 0 ||
        bra->target <= at + 1 || bra->target > f->inst_count || bra->target - at - 1 > LONGEST) {
        return false;
    }
    for (uint32_t i = at + 1; i < bra->target; i++) {
        if (entries[i] > 0 || !may_be_predicated(&f->inst[i])) {
            return false;
        }
        if (ww__writes(&f->inst[i], bra->guard.reg) && i + 1 < bra->target) {
            return false;
        }
    }
    return true;
}

ww_status ww__if_convert(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    uint32_t *entries = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->inst_count + 1);
    if (entries == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA && inst->target <= f->inst_count) {
            entries[inst->target]++;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            entries[inst->table[k]]++;
        }
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (!convertible(f, entries, i)) {
            continue;
        }
        ww_inst *bra = &f->inst[i];
        ww_operand guard = bra->guard;
        guard.flags ^= WW_OPD_NOT;
        for (uint32_t k = i + 1; k < bra->target; k++) {
            f->inst[k].guard = guard;
        }
        entries[bra->target]--;
        ww__lower_mark_dropped(bra);
        bra->guard = (ww_operand){0};
        bra->target = WW_NO_TARGET;
    }
    return ww__lower_rewrite(f, arena, arch, ww__lower_drop_rule, err);
}
