/* liveness.c - live registers by backward data flow, and the rule for when a definition ends the
 * former value. */
#include <string.h>

#include "perf/ptx/lower/lower.h"

enum { PREDICATED_STRETCH = 64 }; /* instructions looked at behind a guarded definition */

static uint32_t reads_of(const ww_inst *inst, uint32_t reg)
{
    uint32_t n = inst->guard.kind == WW_OPD_PRED && inst->guard.reg == reg;
    for (unsigned k = 0; k < inst->src_count; k++) {
        n += ww__is_register(inst->src[k]) && inst->src[k].reg == reg;
    }
    return n;
}

static bool same_guard(const ww_inst *a, const ww_inst *b)
{
    return a->guard.kind == b->guard.kind && a->guard.reg == b->guard.reg &&
           a->guard.flags == b->guard.flags;
}

/* True when every read of the register stands behind its guarded definition at `at`, in
 * straight-line code and under the same unchanged guard: then nobody can see what it held where the
 * guard is false. */
static bool is_local_to_guard(const ww_function *f, const bool *entered, uint32_t at, uint32_t reg,
                              uint32_t reads)
{
    const ww_inst *def = &f->inst[at];
    uint32_t found = 0;
    for (uint32_t i = at + 1; i < f->inst_count && i <= at + PREDICATED_STRETCH && found < reads;
         i++) {
        const ww_inst *inst = &f->inst[i];
        uint32_t here = reads_of(inst, reg);
        if (entered[i] || inst->op == WW_OP_BRA || inst->op == WW_OP_BRX ||
            inst->op == WW_OP_CALL || (here > 0 && !same_guard(def, inst))) {
            return false;
        }
        found += here;
        if (ww__writes(inst, def->guard.reg) && f->vreg[def->guard.reg].words == 0) {
            break;
        }
    }
    return found == reads;
}

static void find_entries(const ww_function *f, bool *entered)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA && inst->target < f->inst_count) {
            entered[inst->target] = true;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            entered[inst->table[k]] = true;
        }
    }
}

ww_status ww__count_definitions(const ww_function *f, ww_arena *arena, uint32_t *count,
                                ww_error *err)
{
    uint32_t *reads = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->vreg_count + 1);
    bool *entered = WW_ARENA_NEW_ARRAY(arena, bool, (size_t)f->inst_count + 1);
    if (reads == NULL || entered == NULL) {
        return ww_no_memory_for(err, "the liveness of %s", f->name);
    }
    find_entries(f, entered);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        for (unsigned k = 0; k < inst->dst_count; k++) {
            /* The two halves of a pair are one definition, counted at the low word. */
            if (ww__is_register(inst->dst[k]) && inst->dst[k].part != 2) {
                WW_ASSERT(inst->dst[k].reg < f->vreg_count);
                count[inst->dst[k].reg]++;
            }
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            if (ww__is_register(inst->src[k])) {
                reads[inst->src[k].reg]++;
            }
        }
        if (inst->guard.kind == WW_OPD_PRED) {
            reads[inst->guard.reg]++;
        }
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        count[f->formal_in[i].reg]++; /* defined by the caller as well */
    }
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        reads[f->formal_out[i].reg]++; /* read by the caller */
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        for (unsigned k = 0; k < inst->dst_count && inst->guard.kind == WW_OPD_PRED; k++) {
            ww_operand d = inst->dst[k];
            if (ww__is_register(d) && d.part != 2 && count[d.reg] == 1 && !f->vreg[d.reg].brief &&
                !is_local_to_guard(f, entered, i, d.reg, reads[d.reg])) {
                count[d.reg] = 2; /* what it held before counts as a definition */
            }
        }
    }
    return WW_OK;
}

bool ww__definition_kills(const ww_inst *inst, ww_operand d, uint32_t definitions)
{
    return d.part != 2 && (inst->guard.kind == WW_OPD_NONE || definitions == 1);
}

static void set_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}

static void clear_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(1ull << (i % 64));
}

void ww__live_before(const ww_inst *inst, const uint32_t *definitions, uint64_t *live)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        ww_operand d = inst->dst[k];
        if (ww__is_register(d) && ww__definition_kills(inst, d, definitions[d.reg])) {
            clear_bit(live, d.reg);
        }
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k])) {
            set_bit(live, inst->src[k].reg);
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        set_bit(live, inst->guard.reg);
    }
}

static void live_at_end(const ww_function *f, const ww_cfg *cfg, const ww_liveness *l,
                        uint32_t block, uint64_t *live)
{
    memset(live, 0, l->words * sizeof *live);
    const ww_block *b = &cfg->block[block];
    for (uint32_t k = 0; k < b->succ_count; k++) {
        uint32_t s = ww_block_successor(b, k);
        for (uint32_t w = 0; w < l->words; w++) {
            live[w] |= l->live_in[(size_t)s * l->words + w];
        }
    }
    /* A guarded ret has a successor too. */
    if (b->succ_count == 0 || f->inst[b->last - 1].op == WW_OP_RET) {
        for (uint32_t i = 0; i < f->formal_out_count; i++) {
            set_bit(live, f->formal_out[i].reg);
        }
    }
}

ww_status ww_liveness_build(const ww_function *f, const ww_cfg *cfg, ww_arena *arena,
                            ww_liveness *out, ww_error *err)
{
    uint32_t words = (f->vreg_count + 63) / 64;
    *out = (ww_liveness){
        .words = words,
        .live_in = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)cfg->block_count * words),
        .live_out = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)cfg->block_count * words),
    };
    uint32_t *definitions = WW_ARENA_NEW_ARRAY(arena, uint32_t, f->vreg_count + 1);
    uint64_t *live = WW_ARENA_NEW_ARRAY(arena, uint64_t, words + 1);
    if (out->live_in == NULL || out->live_out == NULL || definitions == NULL || live == NULL) {
        return ww_no_memory_for(err, "the liveness of %s", f->name);
    }
    WW_TRY(ww__count_definitions(f, arena, definitions, err));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->block_count; b-- > 0;) {
            live_at_end(f, cfg, out, b, live);
            memcpy(out->live_out + (size_t)b * words, live, words * sizeof *live);
            for (uint32_t i = cfg->block[b].last; i-- > cfg->block[b].first;) {
                ww__live_before(&f->inst[i], definitions, live);
            }
            uint64_t *in = out->live_in + (size_t)b * words;
            if (memcmp(in, live, words * sizeof *live) != 0) {
                memcpy(in, live, words * sizeof *live);
                changed = true;
            }
        }
    }
    return WW_OK;
}
