/* held.c - a number that a register holds already is not set again. Compilers set what paths join
 * with on each of them, so that the accumulators of a loop that may be passed over are cleared
 * before the branch and once more behind it; ptxas clears them once. Constant propagation over the
 * blocks (Kildall 1973), of registers of one word that are copies somewhere. */
#include <string.h>

#include "perf/ptx/lower/lower.h"

enum { MOST_CELLS = 1 << 24 }; /* blocks times registers, beyond which code stays as it is */

/* What a register holds: nothing that was seen yet, this number, or who knows. */
typedef enum { UNSEEN, NUMBER, VARIES } holding_kind;

typedef struct holding {
    uint32_t kind, number;
} holding;

typedef struct following {
    ww_function *f;
    ww_cfg cfg;
    uint32_t *place; /* [register]: 1 + its place in a state; 0: it is not followed */
    uint32_t count;  /* registers that are */
    holding *at;     /* [block][count], where the block begins */
    holding *now;    /* [count] */
} following;

static bool sets_word(const ww_function *f, const ww_inst *inst)
{
    return inst->op == WW_OP_MOV && inst->mods == 0 && inst->sub == WW_SUB_NONE &&
           inst->dst_count == 1 && inst->src_count == 1 && inst->dst[0].kind == WW_OPD_REG &&
           inst->dst[0].part == 0 && f->vreg[inst->dst[0].reg].words == 1 &&
           ww_type_bytes((ww_type)inst->type) == 4;
}

static void choose_registers(following *o)
{
    for (uint32_t i = 0; i < o->f->inst_count; i++) {
        const ww_inst *inst = &o->f->inst[i];
        if (sets_word(o->f, inst) && o->place[inst->dst[0].reg] == 0) {
            o->place[inst->dst[0].reg] = ++o->count;
        }
    }
}

static holding *held_by(const following *o, ww_operand reg)
{
    const uint32_t place = ww__is_register(reg) ? o->place[reg.reg] : 0;
    return place > 0 ? &o->now[place - 1] : NULL;
}

static holding value_of(const following *o, ww_operand src)
{
    if (src.flags != 0) {
        return (holding){.kind = VARIES};
    }
    if (src.kind == WW_OPD_IMM) {
        return (holding){NUMBER, (uint32_t)src.imm};
    }
    const holding *h = held_by(o, src);
    return h != NULL ? *h : (holding){.kind = VARIES};
}

static bool is_same(holding a, holding b)
{
    return a.kind == b.kind && (a.kind != NUMBER || a.number == b.number);
}

/* Follows an instruction; whether it sets a number that is there already. */
static bool follow(following *o, const ww_inst *inst)
{
    if (!sets_word(o->f, inst)) {
        for (unsigned k = 0; k < inst->dst_count; k++) {
            holding *h = held_by(o, inst->dst[k]);
            if (h != NULL) {
                h->kind = VARIES;
            }
        }
        return false;
    }
    holding *h = held_by(o, inst->dst[0]);
    const holding value = value_of(o, inst->src[0]);
    if (value.kind == NUMBER && is_same(*h, value)) {
        return true;
    }
    *h = inst->guard.kind == WW_OPD_NONE ? value : (holding){.kind = VARIES};
    return false;
}

/* What holds at the end of a block joins what was known where the next one begins. */
static bool join(const following *o, uint32_t block)
{
    holding *to = o->at + (size_t)block * o->count;
    bool changed = false;
    for (uint32_t r = 0; r < o->count; r++) {
        if (o->now[r].kind == UNSEEN || is_same(to[r], o->now[r]) || to[r].kind == VARIES) {
            continue;
        }
        to[r] = to[r].kind == UNSEEN ? o->now[r] : (holding){.kind = VARIES};
        changed = true;
    }
    return changed;
}

static void begin(const following *o, uint32_t block)
{
    memcpy(o->now, o->at + (size_t)block * o->count, o->count * sizeof *o->now);
}

static bool pass_over(following *o)
{
    bool changed = false;
    for (uint32_t b = 0; b < o->cfg.block_count; b++) {
        const ww_block *block = &o->cfg.block[b];
        begin(o, b);
        for (uint32_t i = block->first; i < block->last; i++) {
            (void)follow(o, &o->f->inst[i]);
        }
        for (uint32_t s = 0; s < block->succ_count; s++) {
            changed |= join(o, ww_block_successor(block, s));
        }
    }
    return changed;
}

static void drop(following *o)
{
    for (uint32_t b = 0; b < o->cfg.block_count; b++) {
        begin(o, b);
        for (uint32_t i = o->cfg.block[b].first; i < o->cfg.block[b].last; i++) {
            ww_inst *inst = &o->f->inst[i];
            const bool sets = sets_word(o->f, inst);
            const holding value = sets ? value_of(o, inst->src[0]) : (holding){.kind = VARIES};
            if (follow(o, inst)) {
                ww__lower_mark_dropped(inst);
            } else if (value.kind == NUMBER) {
                inst->src[0] = ww_opd_imm(value.number);
            }
        }
    }
}

static ww_status follow_numbers(following *o, ww_arena *scratch, ww_error *err)
{
    ww_function *f = o->f;
    WW_TRY(ww_cfg_build(f, scratch, &o->cfg, err));
    o->place = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->vreg_count + 1);
    if (o->place == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    choose_registers(o);
    const size_t cells = (size_t)o->cfg.block_count * o->count;
    if (cells == 0 || cells > MOST_CELLS) {
        return WW_OK;
    }
    o->at = WW_ARENA_NEW_ARRAY(scratch, holding, cells);
    o->now = WW_ARENA_NEW_ARRAY(scratch, holding, o->count);
    if (o->at == NULL || o->now == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t r = 0; r < o->count; r++) {
        o->at[r].kind = VARIES; /* where the function is entered */
    }
    while (pass_over(o)) {
    }
    drop(o);
    return WW_OK;
}

ww_status ww__lower_held(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_arena scratch = {0};
    following o = {.f = f};
    const ww_status status = follow_numbers(&o, &scratch, err);
    ww_arena_fini(&scratch);
    return status == WW_OK ? ww__lower_rewrite(f, arena, NULL, ww__lower_drop_rule, err) : status;
}
