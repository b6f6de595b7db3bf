/* signs.c - spilled registers that need no memory: a word's sign in all bits, the upper word of a
 * 32-bit number that was extended to 64, is computed anew from that word wherever it is read.
 * Method: Briggs, Cooper, Torczon, "Rematerialization" (PLDI 1992). ptxas leaves such words out:
 * LEA.HI.X.SX32 and IMAD.WIDE extend a word within the addition that reads it. */
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/regalloc/regalloc.h"

enum { NOWHERE = -1, MANY = -2 };

typedef struct walk {
    const ww_function *f;
    ww_cfg cfg;
    int64_t *definition; /* [reg]: the only instruction that defines it, NOWHERE or MANY */
    uint32_t *reads;     /* [reg]: instructions that read it */
    uint32_t *block_of;  /* [inst] */
    uint32_t *pending;   /* blocks to go through, */
    bool *seen;          /* [block] and those that were pending */
} walk;

static bool is_word(ww_operand o)
{
    return o.kind == WW_OPD_REG && o.flags == 0 && (o.words == 1 || o.part != 0);
}

static bool takes_sign(const ww_inst *inst)
{
    return inst->op == WW_OP_SHR && inst->type == WW_T_S32 && inst->guard.kind == 0 &&
           is_word(inst->src[0]) && inst->src[1].kind == WW_OPD_IMM && inst->src[1].imm == 31 &&
           is_word(inst->dst[0]) && inst->dst[0].part == 0;
}

static bool reads(const ww_inst *inst, uint32_t reg)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k]) && inst->src[k].kind != WW_OPD_PRED &&
            inst->src[k].reg == reg) {
            return true;
        }
    }
    return false;
}

static void note_definition(walk *w, ww_operand o, int64_t where)
{
    if (ww__is_register(o)) {
        w->definition[o.reg] = w->definition[o.reg] == NOWHERE ? where : MANY;
    }
}

static void note_registers(walk *w, uint32_t i)
{
    const ww_inst *inst = &w->f->inst[i];
    for (unsigned k = 0; k < inst->dst_count; k++) {
        note_definition(w, inst->dst[k], i);
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k])) {
            w->reads[inst->src[k].reg]++;
        }
    }
}

static ww_status begin(walk *w, const ww_function *f, ww_arena *scratch, ww_error *err)
{
    *w = (walk){.f = f};
    WW_TRY(ww_cfg_build(f, scratch, &w->cfg, err));
    const size_t blocks = (size_t)w->cfg.block_count + 1;
    w->definition = WW_ARENA_NEW_ARRAY(scratch, int64_t, (size_t)f->vreg_count + 1);
    w->reads = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->vreg_count + 1);
    w->block_of = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->inst_count + 1);
    w->pending = WW_ARENA_NEW_ARRAY(scratch, uint32_t, blocks);
    w->seen = WW_ARENA_NEW_ARRAY(scratch, bool, blocks);
    if (w->definition == NULL || w->reads == NULL || w->block_of == NULL || w->pending == NULL ||
        w->seen == NULL) {
        return ww_no_memory_for(err, "spilling registers of %s", f->name);
    }
    for (uint32_t r = 0; r < f->vreg_count; r++) {
        w->definition[r] = NOWHERE;
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        note_definition(w, f->formal_in[i], MANY); /* not by an instruction */
    }
    for (uint32_t b = 0; b < w->cfg.block_count; b++) {
        for (uint32_t i = w->cfg.block[b].first; i < w->cfg.block[b].last; i++) {
            w->block_of[i] = b;
            note_registers(w, i);
        }
    }
    return WW_OK;
}

/* Goes from instruction i to its block's end. @return whether a read of reg is met before `until`
 */
static bool meets_read(walk *w, uint32_t b, uint32_t i, uint32_t reg, uint32_t until,
                       uint32_t *pending)
{
    const ww_block *block = &w->cfg.block[b];
    for (; i < block->last; i++) {
        if (i == until) {
            return false;
        }
        if (reads(&w->f->inst[i], reg)) {
            return true;
        }
    }
    for (uint32_t k = 0; k < block->succ_count; k++) {
        const uint32_t next = ww_block_successor(block, k);
        if (!w->seen[next]) {
            w->seen[next] = true;
            w->pending[(*pending)++] = next;
        }
    }
    return false;
}

/* Whether on every way from the definition of the word to a read of its sign the sign is taken: the
 * word then still has the value that it was taken of. */
static bool follows(walk *w, uint32_t word, uint32_t sign)
{
    const uint32_t from = (uint32_t)w->definition[word], until = (uint32_t)w->definition[sign];
    uint32_t pending = 0;
    memset(w->seen, 0, w->cfg.block_count * sizeof *w->seen);
    if (meets_read(w, w->block_of[from], from + 1, sign, until, &pending)) {
        return false;
    }
    while (pending > 0) {
        const uint32_t b = w->pending[--pending];
        if (meets_read(w, b, w->cfg.block[b].first, sign, until, &pending)) {
            return false;
        }
    }
    return true;
}

/* From instruction `from`, the first that takes a sign. */
static ww_status find(const ww_function *f, uint32_t from, uint32_t count, ww_arena *scratch,
                      ww_operand *sign_of, ww_error *err)
{
    walk w;
    WW_TRY(begin(&w, f, scratch, err));
    for (uint32_t i = from; i < f->inst_count; i++) {
        if (!takes_sign(&f->inst[i])) {
            continue;
        }
        const ww_operand word = f->inst[i].src[0];
        const uint32_t sign = f->inst[i].dst[0].reg;
        if (sign >= count || word.reg >= count || w.definition[sign] < 0 ||
            w.definition[word.reg] < 0 || w.reads[word.reg] == 1) {
            continue;
        }
        if (takes_sign(&f->inst[w.definition[word.reg]])) {
            continue; /* of a sign's sign a circle could be made */
        }
        if (follows(&w, word.reg, sign)) {
            sign_of[sign] = word;
        }
    }
    return WW_OK;
}

ww_status ww__find_signs(const ww_function *f, uint32_t count, ww_operand *sign_of, ww_error *err)
{
    uint32_t from = 0;
    while (from < f->inst_count && !takes_sign(&f->inst[from])) {
        from++;
    }
    if (from == f->inst_count) {
        return WW_OK;
    }
    ww_arena scratch = {0};
    ww_status status = find(f, from, count, &scratch, sign_of, err);
    ww_arena_fini(&scratch);
    return status;
}
