/* liveness.c - live registers by backward data flow, and the rule for when a definition ends the former value. */
#include <string.h>

#include "perf/ptx/lower.h"

void ww__count_definitions(const ww_function *f, uint32_t *count)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand d = inst->dst[k];
            /* The two halves of a pair are one definition, counted at the low word. */
            if ((d.kind == WW_OPD_REG && d.part != 2) || d.kind == WW_OPD_PRED) {
                count[d.reg]++;
            }
        }
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        count[f->formal_in[i].reg]++; /* defined by the caller as well */
    }
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

/* Steps `live` backward over one instruction. */
static void step(const ww_inst *inst, const uint32_t *definitions, uint64_t *live)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        ww_operand d = inst->dst[k];
        if ((d.kind == WW_OPD_REG || d.kind == WW_OPD_PRED) && ww__definition_kills(inst, d, definitions[d.reg])) {
            clear_bit(live, d.reg);
        }
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_REG || inst->src[k].kind == WW_OPD_PRED) {
            set_bit(live, inst->src[k].reg);
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        set_bit(live, inst->guard.reg);
    }
}

static void live_at_end(const ww_function *f, const ww_cfg *cfg, const ww_liveness *l, uint32_t block, uint64_t *live)
{
    memset(live, 0, l->words * sizeof *live);
    const ww_block *b = &cfg->block[block];
    for (uint32_t k = 0; k < b->succ_count; k++) {
        uint32_t s = b->succ_count > 2 ? b->more[k] : b->succ[k];
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

ww_status ww_liveness_build(const ww_function *f, const ww_cfg *cfg, ww_arena *arena, ww_liveness *out, ww_error *err)
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
        return ww_fail(err, WW_ENOMEM, "out of memory for the liveness of %s", f->name);
    }
    ww__count_definitions(f, definitions);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->block_count; b-- > 0;) {
            live_at_end(f, cfg, out, b, live);
            memcpy(out->live_out + (size_t)b * words, live, words * sizeof *live);
            for (uint32_t i = cfg->block[b].last; i-- > cfg->block[b].first;) {
                step(&f->inst[i], definitions, live);
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
