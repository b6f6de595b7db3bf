/* halves.c - both halves of a pair that are one half of a word: the machine's operations on packed
 * halves name it as a source by itself (.H0_H0, .H1_H1), so that the moves by which PTX takes words
 * apart and puts pairs together have no reader. ptxas 13 makes two HFMA2 and no move for sm_80 of
 * mov.b32 {l, h}, w; mov.b32 a, {l, l}; mov.b32 b, {h, h} and the two fma.rn.f16x2 that read a and
 * b. */
#include "perf/ptx/lower/lower.h"

/* What a register holds since an instruction of the present stretch: a half of another one. */
typedef struct held {
    uint32_t since; /* stretch; 0: nothing known */
    uint32_t word;  /* a register that has been written so often */
    uint32_t written;
    uint8_t flag; /* WW_OPD_LOWER or WW_OPD_UPPER of it */
} held;

typedef struct halves {
    uint32_t *written; /* [register] how often */
    held *half, *pair; /* [register] a half in its lower bits; both halves alike */
    uint32_t stretch;
} halves;

static bool is_word(ww_operand o)
{
    return o.kind == WW_OPD_REG && o.words == 1 && o.part == 0 && o.flags == 0;
}

static bool holds(const halves *h, const held *what)
{
    return what->since == h->stretch && h->written[what->word] == what->written;
}

static bool reads_pairs(const ww_inst *inst)
{
    const bool pairs = inst->type == WW_T_F16X2 || inst->type == WW_T_BF16X2;
    return pairs && (inst->op == WW_OP_ADD || inst->op == WW_OP_SUB || inst->op == WW_OP_MUL ||
                     inst->op == WW_OP_FMA || inst->op == WW_OP_MAD);
}

static void name_halves(const halves *h, ww_inst *inst)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        ww_operand *o = &inst->src[k];
        if (o->kind == WW_OPD_REG && o->words == 1 && o->part == 0 &&
            (o->flags & (WW_OPD_LOWER | WW_OPD_UPPER)) == 0 && holds(h, &h->pair[o->reg])) {
            const held *pair = &h->pair[o->reg];
            o->flags |= pair->flag;
            o->reg = pair->word;
        }
    }
}

static bool is_move(const ww_inst *inst, unsigned dsts, unsigned srcs)
{
    return inst->op == WW_OP_MOV && inst->guard.kind == WW_OPD_NONE && inst->dst_count == dsts &&
           inst->src_count == srcs && ww_type_bytes((ww_type)inst->type) == 4;
}

static void forget_results(halves *h, const ww_inst *inst)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (ww__is_register(inst->dst[k])) {
            h->written[inst->dst[k].reg]++;
            h->half[inst->dst[k].reg].since = h->pair[inst->dst[k].reg].since = 0;
        }
    }
}

static held half_of(const halves *h, uint32_t word, uint8_t flag)
{
    return (held){h->stretch, word, h->written[word], flag};
}

/* A word is taken apart. */
static void learn_halves(halves *h, const ww_inst *inst)
{
    for (unsigned k = 0; k < 2; k++) {
        if (is_word(inst->dst[k]) && !ww__writes(inst, inst->src[0].reg)) {
            h->half[inst->dst[k].reg] =
                half_of(h, inst->src[0].reg, k == 0 ? WW_OPD_LOWER : WW_OPD_UPPER);
        }
    }
}

/* A pair is put together of a register's lower half, or of the half of a word that this is. */
static void learn_pair(halves *h, const ww_inst *inst)
{
    const uint32_t source = inst->src[0].reg;
    if (!ww__writes(inst, source)) {
        h->pair[inst->dst[0].reg] =
            holds(h, &h->half[source]) ? h->half[source] : half_of(h, source, WW_OPD_LOWER);
    }
}

static void follow(halves *h, ww_inst *inst)
{
    const bool apart = is_move(inst, 2, 1) && is_word(inst->src[0]);
    const bool alike = is_move(inst, 1, 2) && is_word(inst->src[0]) && is_word(inst->src[1]) &&
                       inst->src[0].reg == inst->src[1].reg && is_word(inst->dst[0]);
    if (reads_pairs(inst)) {
        name_halves(h, inst);
    }
    forget_results(h, inst);
    if (apart) {
        learn_halves(h, inst);
    } else if (alike) {
        learn_pair(h, inst);
    }
}

ww_status ww__lower_halves(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    halves h = {.written = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->vreg_count + 1),
                .half = WW_ARENA_NEW_ARRAY(arena, held, (size_t)f->vreg_count + 1),
                .pair = WW_ARENA_NEW_ARRAY(arena, held, (size_t)f->vreg_count + 1),
                .stretch = 1};
    if (h.written == NULL || h.half == NULL || h.pair == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        h.stretch += defs.breaks[i];
        follow(&h, &f->inst[i]);
    }
    return ww__remove_dead(f, arena, err);
}
