/* scalar_tally.c - see scalar_tally.h. */
#include "perf/ptx/analysis/scalar_tally.h"

static void mark_named(const ww_operand *list, unsigned count, bool *named)
{
    for (unsigned k = 0; k < count; k++) {
        if (list[k].kind == WW_OPD_REG) {
            named[list[k].reg] = true;
        }
    }
}

ww_status ww_scalar_tally_of(const ww_function *f, unsigned varying, ww_arena *arena,
                             ww_scalar_tally *out, ww_error *err)
{
    ww_view view;
    ww_chains chains;
    ww_scalars s;
    WW_TRY(ww_view_of_function(f, arena, &view, err));
    WW_TRY(ww_chains_build(&view, arena, &chains, err));
    WW_TRY(ww_scalars_find(&view, &chains, varying, arena, &s, err));
    bool *named = WW_ARENA_NEW_ARRAY(arena, bool, (size_t)f->vreg_count + 1);
    if (named == NULL) {
        return ww_no_memory(err);
    }
    *out = (ww_scalar_tally){0};
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        mark_named(inst->dst, inst->dst_count, named);
        mark_named(inst->src, inst->src_count, named);
        ww_form form = ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2,
                                   (ww_sub)inst->sub);
        out->instructions += form.unit != WW_UNIT_CTRL;
        out->once += (uint32_t)(s.inst[i / 64] >> (i % 64) & 1);
    }
    for (uint32_t r = 0; r < f->vreg_count; r++) {
        uint32_t words = named[r] ? f->vreg[r].words : 0;
        out->registers += words > 0;
        out->words += words;
        out->scalars += words > 0 && s.scalar[r];
        out->scalar_words += s.scalar[r] ? words : 0;
    }
    return WW_OK;
}
