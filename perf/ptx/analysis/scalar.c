/* scalar.c - scalarization: a fixed point over virtual registers. See scalar.h for the rules. */
#include "perf/ptx/analysis/scalar.h"

#include <string.h>

#include "perf/ptx/analysis/internal.h"

enum { WARP = 32 };

unsigned ww_scalar_varying(uint32_t x, uint32_t y, uint32_t z)
{
    unsigned varying = 0;
    varying |= y > 1 && x % WARP != 0 ? WW_VARIES_TID_Y : 0;
    varying |= z > 1 && (uint64_t)x * y % WARP != 0 ? WW_VARIES_TID_Z : 0;
    return varying;
}

typedef struct finder {
    const ww_view *view;
    const ww_chains *chains;
    unsigned varying;
    ww_arena *arena;
    ww_scalars *out;
    uint32_t *owner;   /* [cell] virtual register */
    uint32_t *writers; /* [vreg] instructions that write it */
    bool *expanded;    /* [block] its branch's sides have been looked at */
    uint64_t *side[2]; /* blocks; registers written there */
    bool changed;
    ww_error *err;
} finder;

/* ---- what one instruction makes ---- */

static bool is_vector(const finder *f, ww_operand o)
{
    bool named = o.kind == WW_OPD_PRED || ww_operand_registers(&o) > 0;
    return named && !f->out->scalar[o.reg];
}

static bool sreg_varies(const finder *f, ww_sreg sreg)
{
    switch (ww_sreg_kind_of(sreg)) {
    case WW_SREG_KIND_THREAD:
        return sreg == WW_SREG_TID_X ||
               (f->varying & (sreg == WW_SREG_TID_Y ? WW_VARIES_TID_Y : WW_VARIES_TID_Z)) != 0;
    case WW_SREG_KIND_LANE:
    case WW_SREG_KIND_TIME:
        return true;
    default:
        return false;
    }
}

static bool has_vector_source(const finder *f, const ww_inst *inst)
{
    for (uint32_t k = 0; k < inst->src_count; k++) {
        ww_operand o = inst->src[k];
        if (is_vector(f, o) || (o.kind == WW_OPD_SREG && sreg_varies(f, (ww_sreg)o.reg))) {
            return true;
        }
    }
    return false;
}

/* Values that differ between threads whatever the operands are, or may. */
static bool makes_vectors(const ww_inst *inst)
{
    enum {
        PER_THREAD = WW_FROM_ATOMIC | WW_FROM_LANES | WW_FROM_CALL | WW_FROM_LOCAL | WW_FROM_GENERIC
    };
    const ww_effects e = ww_inst_effects(inst);
    bool together = (e.meets & (WW_MEETS_LANES | WW_MEETS_WARP | WW_MEETS_WARP_GROUP)) != 0;
    bool stays = (e.may & WW_MAY_DROPPED) == 0 && (e.reads & WW_AT_MEMORY) != 0;
    return (ww_value_source(inst) & PER_THREAD) != 0 || together || stays;
}

/* Whether every read of what the instruction writes stands under its guard, and nobody else writes
 * it. */
static bool stays_under_guard(const finder *f, uint32_t inst)
{
    const ww_view *v = f->view;
    uint32_t readers, defs;
    for (uint32_t a = v->writes[inst]; a < v->reads[inst + 1]; a++) {
        if (f->writers[f->owner[v->access[a].cell]] != 1) {
            return false;
        }
        const uint32_t *read = ww_chain(f->chains, a, &readers);
        for (uint32_t k = 0; k < readers; k++) {
            (void)ww_chain(f->chains, read[k], &defs);
            if (defs != 1) {
                return false;
            }
        }
    }
    return true;
}

static void make_vector(finder *f, uint32_t reg)
{
    f->changed |= f->out->scalar[reg];
    f->out->scalar[reg] = false;
}

static void visit(finder *f, uint32_t i)
{
    const ww_inst *inst = &f->view->inst[i];
    bool vector = makes_vectors(inst) || has_vector_source(f, inst) ||
                  (is_vector(f, inst->guard) && !stays_under_guard(f, i));
    for (uint32_t k = 0; vector && k < inst->dst_count; k++) {
        if (inst->dst[k].kind == WW_OPD_REG || inst->dst[k].kind == WW_OPD_PRED) {
            make_vector(f, inst->dst[k].reg);
        }
    }
}

/* ---- branches on vectors ---- */

/* Registers that the marked blocks write. */
static void written_in(const finder *f, const uint64_t *blocks, uint64_t *regs)
{
    const ww_view *v = f->view;
    memset(regs, 0, f->out->words * sizeof *regs);
    for (uint32_t b = 0; b < v->cfg.block_count; b++) {
        for (uint32_t a = v->writes[v->cfg.block[b].first];
             ww__has_bit(blocks, b) && a < v->reads[v->cfg.block[b].last]; a++) {
            if (v->access[a].role == WW_ROLE_DST) {
                ww__add_bit(regs, f->owner[v->access[a].cell]);
            }
        }
    }
}

/* Registers live at a block's entry. */
static void live_at(const finder *f, uint32_t block, uint64_t *regs)
{
    const uint64_t *live = f->chains->live_in + (size_t)block * f->chains->words;
    memset(regs, 0, f->out->words * sizeof *regs);
    for (uint32_t w = 0; w < f->chains->words; w++) {
        for (uint64_t bits = live[w]; bits != 0; bits &= bits - 1) {
            ww__add_bit(regs, f->owner[w * 64 + (uint32_t)__builtin_ctzll(bits)]);
        }
    }
}

/* What is written here and lives there is a vector; the rest of the two must be kept apart. */
static ww_status separate(finder *f, const uint64_t *written, uint32_t block)
{
    uint32_t words = f->out->words;
    uint64_t *live = WW_ARENA_NEW_ARRAY(f->arena, uint64_t, words);
    uint64_t *kept = WW_ARENA_NEW_ARRAY(f->arena, uint64_t, words);
    if (live == NULL || kept == NULL) {
        return ww__analysis_no_memory(f->view, f->err);
    }
    live_at(f, block, live);
    memcpy(kept, written, words * sizeof *kept);
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t bits = live[w] & written[w]; bits != 0; bits &= bits - 1) {
            make_vector(f, w * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
    f->out->clash[f->out->clash_count++] = (ww_clash){.written = kept, .live = live};
    return WW_OK;
}

static ww_status make_room(finder *f, uint32_t more)
{
    uint32_t n = f->out->clash_count;
    ww_clash *list = WW_ARENA_NEW_ARRAY(f->arena, ww_clash, (size_t)n + more);
    if (list == NULL) {
        return ww__analysis_no_memory(f->view, f->err);
    }
    if (n > 0) {
        memcpy(list, f->out->clash, n * sizeof *list);
    }
    f->out->clash = list;
    return WW_OK;
}

static ww_status expand(finder *f, uint32_t block)
{
    const ww_block *b = &f->view->cfg.block[block];
    uint64_t *blocks = f->side[0], *written = f->side[1];
    WW_TRY(make_room(f, b->succ_count * (b->succ_count + 1)));
    for (uint32_t k = 0; k < b->succ_count; k++) {
        memset(blocks, 0, (f->view->cfg.block_count / 64 + 1) * sizeof *blocks);
        ww_branch_side(f->view, block, k, blocks);
        written_in(f, blocks, written);
        if (b->ipdom != WW_NO_TARGET) {
            WW_TRY(separate(f, written, b->ipdom));
        }
        for (uint32_t j = 0; j < b->succ_count; j++) {
            uint32_t other = ww_block_successor(b, j);
            if (j != k && other != b->ipdom) {
                WW_TRY(separate(f, written, other));
            }
        }
    }
    return WW_OK;
}

static bool branches_on_vector(const finder *f, uint32_t block)
{
    const ww_block *b = &f->view->cfg.block[block];
    const ww_inst *last = &f->view->inst[b->last - 1];
    return b->succ_count > 1 && (is_vector(f, last->guard) || has_vector_source(f, last));
}

/* ---- all of it ---- */

static ww_status allocate(finder *f)
{
    const ww_view *v = f->view;
    uint32_t regs = v->function->vreg_count;
    size_t words = f->out->words = (regs + 63) / 64;
    f->out->scalar = WW_ARENA_NEW_ARRAY(f->arena, bool, (size_t)regs + 1);
    f->out->inst = WW_ARENA_NEW_ARRAY(f->arena, uint64_t, v->inst_count / 64 + 1);
    f->owner = WW_ARENA_NEW_ARRAY(f->arena, uint32_t, (size_t)v->cell_count + 1);
    f->writers = WW_ARENA_NEW_ARRAY(f->arena, uint32_t, (size_t)regs + 1);
    f->expanded = WW_ARENA_NEW_ARRAY(f->arena, bool, v->cfg.block_count);
    f->side[0] = WW_ARENA_NEW_ARRAY(f->arena, uint64_t, v->cfg.block_count / 64 + 1);
    f->side[1] = WW_ARENA_NEW_ARRAY(f->arena, uint64_t, words + 1);
    if (f->out->scalar == NULL || f->out->inst == NULL || f->owner == NULL || f->writers == NULL ||
        f->expanded == NULL || f->side[0] == NULL || f->side[1] == NULL) {
        return ww__analysis_no_memory(v, f->err);
    }
    for (uint32_t r = 0; r < regs; r++) {
        uint32_t cells = v->function->vreg[r].words > 0 ? v->function->vreg[r].words : 1;
        for (uint32_t k = 0; k < cells; k++) {
            f->owner[v->first_cell[r] + k] = r;
        }
        f->out->scalar[r] = true;
    }
    for (uint32_t i = 0; i < v->inst_count; i++) {
        for (uint32_t a = v->writes[i]; a < v->reads[i + 1]; a++) {
            f->writers[f->owner[v->access[a].cell]] += v->access[a].word == 0;
        }
    }
    return WW_OK;
}

/* One thread may act for all: what it computes, or stores, all threads would. */
static bool executes_once(const finder *f, const ww_inst *inst)
{
    bool results = inst->dst_count > 0 && ww_isa_form((ww_op)inst->op, (ww_type)inst->type,
                                                      (ww_type)inst->type2, (ww_sub)inst->sub)
                                                  .unit != WW_UNIT_CTRL;
    bool stores = inst->op == WW_OP_ST && inst->space != WW_SPACE_LOCAL &&
                  inst->space != WW_SPACE_GENERIC && (inst->mods & WW_MOD_VOLATILE) == 0;
    if ((!results && !stores) || makes_vectors(inst) || has_vector_source(f, inst) ||
        is_vector(f, inst->guard)) {
        return false;
    }
    for (uint32_t k = 0; k < inst->dst_count; k++) {
        if (is_vector(f, inst->dst[k])) {
            return false;
        }
    }
    return true;
}

ww_status ww_scalars_find(const ww_view *view, const ww_chains *chains, unsigned varying,
                          ww_arena *arena, ww_scalars *out, ww_error *err)
{
    *out = (ww_scalars){0};
    finder f = {.view = view,
                .chains = chains,
                .varying = varying,
                .arena = arena,
                .out = out,
                .changed = true,
                .err = err};
    WW_TRY(allocate(&f));
    while (f.changed) {
        f.changed = false;
        for (uint32_t i = 0; i < view->inst_count; i++) {
            visit(&f, i);
        }
        for (uint32_t b = 0; b < view->cfg.block_count; b++) {
            if (!f.expanded[b] && branches_on_vector(&f, b)) {
                f.expanded[b] = true;
                WW_TRY(expand(&f, b));
            }
        }
    }
    for (uint32_t i = 0; i < view->inst_count; i++) {
        if (executes_once(&f, &view->inst[i])) {
            ww__add_bit(out->inst, i);
        }
    }
    return WW_OK;
}
