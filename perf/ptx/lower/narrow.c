/* narrow.c - addresses of 32 bits. Of a 64-bit address only the low word is named; whatever
 * computes the high one then has no reader, loop-carried or not, and goes as dead code: carries,
 * upper halves of products, sign extensions. A pointer that is stored, compared or returned keeps
 * both words, as do generic addresses, whose windows lie above 4 GiB. */
#include "perf/ptx/lower/lower.h"

static bool has_narrow_space(const ww_inst *inst)
{
    return inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_CONST ||
           inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL;
}

ww_status ww__narrow(ww_function *f, ww_arena *arena, ww_error *err)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        if (!ww_inst_has_address(inst) || !has_narrow_space(inst)) {
            continue;
        }
        ww_operand *base = &inst->src[0];
        if (base->kind == WW_OPD_REG && base->words == 2 && base->flags == 0) {
            *base = ww__lo(*base);
        }
    }
    WW_TRY(ww__remove_dead(f, arena, err));
    return ww__drop_carries(f, arena, err);
}

ww_status ww__drop_carries(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        const bool carries = inst->op == WW_OP_ADD || inst->op == WW_OP_SUB ||
                             inst->op == WW_OP_MAD || inst->op == WW_OP_ADDC ||
                             inst->op == WW_OP_SUBC || inst->op == WW_OP_MADC;
        if (carries && inst->dst_count == 2 && inst->dst[1].kind == WW_OPD_PRED &&
            defs.uses[ww__part_index(inst->dst[1])] == 0) {
            inst->dst_count = 1;
        }
    }
    return WW_OK;
}
