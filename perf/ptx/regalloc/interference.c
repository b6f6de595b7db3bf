/* interference.c - the interference graph of a function's virtual registers.
 * Method: Chaitin et al., "Register allocation via coloring" (1981): a definition interferes with
 * everything live after it. */
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/regalloc/regalloc.h"

enum { MOST_REGISTERS = 65536 };

static void connect(ww_interference *g, uint32_t a, uint32_t b)
{
    WW_ASSERT(a / 64 < g->words && b / 64 < g->words);
    if (a != b) {
        g->row[(size_t)a * g->words + b / 64] |= 1ull << (b % 64);
        g->row[(size_t)b * g->words + a / 64] |= 1ull << (a % 64);
    }
}

/* The register whose value a plain copy takes over; it need not differ from the copy's own. */
static uint32_t copied(const ww_inst *inst)
{
    bool copy = inst->op == WW_OP_MOV && inst->dst_count == 1 && inst->src_count == 1 &&
                inst->src[0].kind == WW_OPD_REG && inst->src[0].flags == 0 &&
                inst->src[0].part == inst->dst[0].part;
    return copy ? inst->src[0].reg : UINT32_MAX;
}

/* Connects the definition with all of one class that is live after it. */
static void connect_live(ww_interference *g, const ww_function *f, uint32_t def,
                         const uint64_t *live, uint32_t except)
{
    bool pred = f->vreg[def].words == 0;
    for (uint32_t w = 0; w < g->words; w++) {
        for (uint64_t bits = live[w]; bits != 0; bits &= bits - 1) {
            uint32_t other = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (other != except && (f->vreg[other].words == 0) == pred) {
                connect(g, def, other);
            }
        }
    }
}

static double loop_weight(const ww_cfg *cfg, uint32_t block)
{
    /* Without a loop tree: a block inside the span of a backward edge counts as one level deeper.
     */
    double weight = 1;
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        for (uint32_t s = 0; s < cfg->block[b].succ_count && s < 2; s++) {
            uint32_t head = cfg->block[b].succ[s];
            if (head <= b && head <= block && block <= b && weight < 1e6) {
                weight *= 10;
            }
        }
    }
    return weight;
}

/* Products behind a wgmma.fence may begin to write D as soon as it has passed: also where the first
 * of them reads no D, no other value has D's registers between the two. Walking back, D stays live
 * up to the fence, which defines it. */
static void hold_sums(ww_interference *g, const ww_function *f, const ww_inst *inst, uint64_t *live,
                      uint64_t *held)
{
    if (inst->op == WW_OP_WGMMA_WAIT && inst->sub == WW_SUB_FENCE) {
        for (uint32_t w = 0; w < g->words; w++) {
            for (uint64_t bits = held[w]; bits != 0; bits &= bits - 1) {
                connect_live(g, f, w * 64 + (uint32_t)__builtin_ctzll(bits), live, UINT32_MAX);
            }
        }
        for (uint32_t w = 0; w < g->words; w++) {
            live[w] &= ~held[w];
            held[w] = 0;
        }
    } else if (ww_inst_begins_sum(inst)) {
        for (unsigned k = 0; k < inst->dst_count; k++) {
            const uint32_t reg = inst->dst[k].reg;
            WW_ASSERT(ww__is_register(inst->dst[k]) && reg / 64 < g->words);
            live[reg / 64] |= 1ull << (reg % 64);
            held[reg / 64] |= 1ull << (reg % 64);
        }
    }
}

static void scan_block(ww_interference *g, ww_function *f, const ww_block *block, uint64_t *live,
                       uint64_t *held, double weight, const uint32_t *def_count)
{
    memset(held, 0, g->words * sizeof *held);
    for (uint32_t i = block->last; i-- > block->first;) {
        const ww_inst *inst = &f->inst[i];
        uint32_t except = copied(inst);
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand d = inst->dst[k];
            if (!ww__is_register(d)) {
                continue;
            }
            connect_live(g, f, d.reg, live, except);
            for (unsigned m = 0; m < k;
                 m++) { /* results of one instruction differ even when unused */
                if (ww__is_register(inst->dst[m]) && inst->dst[m].kind == d.kind) {
                    connect(g, d.reg, inst->dst[m].reg);
                }
            }
            g->first[d.reg] = i < g->first[d.reg] ? i : g->first[d.reg];
            g->cost[d.reg] += weight;
            if (except != UINT32_MAX) {
                g->hint[d.reg] = except;
                g->hint[except] = d.reg;
            }
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand d = inst->dst[k];
            if (ww__is_register(d) && ww__definition_kills(inst, d, def_count[d.reg])) {
                live[d.reg / 64] &= ~(1ull << (d.reg % 64));
            }
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            if (ww__is_register(inst->src[k])) {
                live[inst->src[k].reg / 64] |= 1ull << (inst->src[k].reg % 64);
                g->cost[inst->src[k].reg] += weight;
            }
        }
        if (inst->guard.kind == WW_OPD_PRED) {
            live[inst->guard.reg / 64] |= 1ull << (inst->guard.reg % 64);
            g->cost[inst->guard.reg] += weight;
        }
        hold_sums(g, f, inst, live, held);
    }
}

static ww_status build(ww_function *f, ww_arena *scratch, ww_interference *g, ww_error *err)
{
    ww_cfg cfg;
    ww_liveness live;
    WW_TRY(ww_cfg_build(f, scratch, &cfg, err));
    WW_TRY(ww_liveness_build(f, &cfg, scratch, &live, err));
    uint32_t *def_count = WW_ARENA_NEW_ARRAY(scratch, uint32_t, f->vreg_count);
    uint64_t *now = WW_ARENA_NEW_ARRAY(scratch, uint64_t, g->words);
    uint64_t *held = WW_ARENA_NEW_ARRAY(scratch, uint64_t, g->words);
    if (def_count == NULL || now == NULL || held == NULL) {
        return ww_no_memory_for(err, "allocating registers of %s", f->name);
    }
    WW_TRY(ww__count_definitions(f, scratch, def_count, err));
    for (uint32_t b = 0; b < cfg.block_count; b++) {
        memcpy(now, live.live_out + (size_t)b * live.words, live.words * sizeof *now);
        scan_block(g, f, &cfg.block[b], now, held, loop_weight(&cfg, b), def_count);
    }
    /* Arguments arrive together. */
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        uint32_t a = f->formal_in[i].reg;
        g->first[a] = 0;
        for (uint32_t k = 0; k < i; k++) {
            connect(g, a, f->formal_in[k].reg);
        }
        for (uint32_t w = 0; w < live.words; w++) {
            for (uint64_t bits = live.live_in[w]; bits != 0; bits &= bits - 1) {
                uint32_t other = w * 64 + (uint32_t)__builtin_ctzll(bits);
                if ((f->vreg[other].words == 0) == (f->vreg[a].words == 0)) {
                    connect(g, a, other);
                }
            }
        }
    }
    return WW_OK;
}

ww_status ww__interference_build(ww_function *f, ww_interference *g, ww_error *err)
{
    *g = (ww_interference){.n = f->vreg_count, .words = (f->vreg_count + 63) / 64};
    if (g->n > MOST_REGISTERS) {
        return ww_fail(err, WW_EUNSUP,
                       "function %s needs %u virtual registers; at most %d can be allocated",
                       f->name, g->n, MOST_REGISTERS);
    }
    g->row = WW_NEW_ARRAY(uint64_t, (size_t)g->n * g->words);
    g->first = WW_NEW_ARRAY(uint32_t, g->n);
    g->cost = WW_NEW_ARRAY(double, g->n);
    g->hint = WW_NEW_ARRAY(uint32_t, g->n);
    if (g->row == NULL || g->first == NULL || g->cost == NULL || g->hint == NULL) {
        ww__interference_fini(g);
        return ww_no_memory_for(err, "allocating registers of %s", f->name);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        g->first[i] = UINT32_MAX;
        g->hint[i] = UINT32_MAX;
    }
    ww_arena scratch = {0};
    ww_status status = build(f, &scratch, g, err);
    ww_arena_fini(&scratch);
    if (status != WW_OK) {
        ww__interference_fini(g);
    }
    return status;
}

void ww__interference_separate(ww_interference *g, const ww_function *f, const ww_scalars *scalars)
{
    for (uint32_t i = 0; i < scalars->clash_count; i++) {
        const ww_clash *clash = &scalars->clash[i];
        for (uint32_t a = 0; a < scalars->words * 64; a++) {
            if ((clash->written[a / 64] >> (a % 64) & 1) == 0 || !scalars->scalar[a] ||
                f->vreg[a].words == 0) {
                continue;
            }
            for (uint32_t w = 0; w < scalars->words; w++) {
                for (uint64_t bits = clash->live[w]; bits != 0; bits &= bits - 1) {
                    uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(bits);
                    if (scalars->scalar[b] && f->vreg[b].words > 0) {
                        connect(g, a, b);
                    }
                }
            }
        }
    }
}

void ww__interference_fini(ww_interference *g)
{
    ww_free(g->row);
    ww_free(g->first);
    ww_free(g->cost);
    ww_free(g->hint);
    *g = (ww_interference){0};
}
