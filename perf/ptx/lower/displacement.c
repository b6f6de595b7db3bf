/* displacement.c - accesses to global memory without a displacement: GT200's name one register
 * (envytools, docs/hw/graph/tesla/cuda, operand GLOBAL), so that what lies apart from a base takes
 * a sum, made once per block for each base and distance. */
#include "perf/ptx/lower/lower.h"

enum { MOST_SUMS = 16 }; /* of a block, held at a time */

typedef struct sums {
    ww_operand base[MOST_SUMS], sum[MOST_SUMS];
    int64_t offset[MOST_SUMS];
    unsigned count, next;
} sums;

static bool is_displaced(const ww_inst *inst)
{
    return ww_inst_has_address(inst) && inst->space == WW_SPACE_GLOBAL && inst->offset != 0 &&
           inst->src[0].kind == WW_OPD_REG && inst->src[0].words == 1;
}

static ww_operand sum_of(ww_rewriter *l, sums *s, ww_operand base, int64_t offset)
{
    for (unsigned k = 0; k < s->count; k++) {
        if (s->base[k].kind == WW_OPD_REG && s->base[k].reg == base.reg &&
            s->base[k].part == base.part && s->offset[k] == offset) {
            return s->sum[k];
        }
    }
    ww_operand sum = ww__new_reg(l, WW_T_B32);
    ww_inst *add = ww__emit2(l, WW_OP_ADD, WW_T_U32, sum, base, ww_opd_imm((uint32_t)offset));
    add->guard = (ww_operand){0};
    s->base[s->next] = base;
    s->sum[s->next] = sum;
    s->offset[s->next] = offset;
    s->next = (s->next + 1) % MOST_SUMS;
    s->count += s->count < MOST_SUMS;
    return sum;
}

/* A base that is written anew takes its sums with it. */
static void forget(sums *s, const ww_inst *inst)
{
    for (unsigned k = 0; k < s->count; k++) {
        if (s->base[k].kind == WW_OPD_REG && ww__writes(inst, s->base[k].reg)) {
            s->base[k] = (ww_operand){0};
        }
    }
}

ww_status ww__undo_displacements(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_rewriter l = {.f = f, .arena = arena};
    ww_defs defs;
    sums s = {.count = 0};
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->inst_count + 1);
    if (where == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (defs.breaks[i]) {
            s.count = s.next = 0;
        }
        where[i] = l.count;
        l.cur = inst;
        if (is_displaced(inst)) {
            ww_operand sum = sum_of(&l, &s, inst->src[0], inst->offset);
            ww_inst *copy = ww__emit_copy(&l, inst);
            copy->src[0] = sum;
            copy->offset = 0;
        } else {
            ww__emit_copy(&l, inst);
        }
        forget(&s, inst);
    }
    where[f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}
