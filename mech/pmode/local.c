/* local.c - what a skipped store of a thread to its own memory keeps from that thread's later
 * loads: addresses are compared lane by lane. A store whose address is not known, and one beyond
 * those that are remembered, may have written anything. */
#include "mech/pmode/pmode.h"

/* Bytes of its own memory that each executing lane accesses; false: the operand is none that names
 * an address by itself. */
static bool access_of(const pmode *s, uint32_t w, uint32_t pc, pm_store *out)
{
    const ww_inst *inst = &s->kernel->code[pc];
    const ww_operand *o = &inst->src[0];
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    if (inst->space != WW_SPACE_LOCAL || inst->src_count == 0 ||
        (o->kind != WW_OPD_REG && o->kind != WW_OPD_IMM)) {
        return false;
    }
    out->lanes = pm_executing(warp, inst);
    out->bytes = ww_type_bytes((ww_type)inst->type) * inst->vec;
    for (uint32_t lane = 0; lane < WW_WARP_SIZE; lane++) { /* below 4 GiB: the low word */
        const uint32_t base = o->kind == WW_OPD_IMM
                                  ? (uint32_t)o->imm
                                  : warp->regs[(size_t)o->reg * WW_WARP_SIZE + lane];
        out->at[lane] = base + (uint32_t)inst->offset;
    }
    return true;
}

void pm_skip_store(pmode *s, uint32_t w, uint32_t pc, bool known)
{
    pm_warp *x = &s->warp[w];
    pm_store *to = s->store + (size_t)w * s->params->local_stores + x->local_stores;
    const bool room = x->local_stores < s->params->local_stores;
    if (!known || !s->notes->inst[pc].stores_own || !room || !access_of(s, w, pc, to)) {
        x->local_unknown = true;
    } else {
        x->local_stores++;
    }
}

static bool overlap(const pm_store *a, const pm_store *b)
{
    for (uint32_t m = a->lanes & b->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (a->at[lane] - b->at[lane] < b->bytes || b->at[lane] - a->at[lane] < a->bytes) {
            return true;
        }
    }
    return false;
}

bool pm_reads_skipped(const pmode *s, uint32_t w, uint32_t pc)
{
    const pm_warp *x = &s->warp[w];
    const pm_store *skipped = s->store + (size_t)w * s->params->local_stores;
    pm_store load;
    if (x->local_unknown || !access_of(s, w, pc, &load)) {
        return true;
    }
    for (uint32_t i = 0; i < x->local_stores; i++) {
        if (overlap(&load, &skipped[i])) {
            return true;
        }
    }
    return false;
}
