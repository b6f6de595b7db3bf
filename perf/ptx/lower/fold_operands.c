/* fold_operands.c - a load of shared memory whose word one instruction reads becomes an operand of
 * that instruction, where GT200 has the form: one shared source, in the places that envytools gives
 * for each operation (envydis/g80.c, tabl and tabi), within 31 words above an offset register.
 * Nothing may stand between load and reader that writes memory, meets other threads or changes the
 * base; a parameter takes the same place in an instruction, since parameters lie in shared memory
 * there, unless a move frees two instructions or more of it. */
#include <stdlib.h>
#include <string.h>

#include "perf/ptx/lower/lower.h"

/* Sources that may be the shared one: bits. Those that commute, by themselves or as the mirrored
 * comparison or difference that the machine has, count for both. */
enum { FIRST = 1, EITHER = 3 };
static const uint8_t places[WW_OP_COUNT] = {
    [WW_OP_ADD] = EITHER,   [WW_OP_SUB] = EITHER,   [WW_OP_ADDC] = EITHER, [WW_OP_SUBC] = EITHER,
    [WW_OP_MUL24] = EITHER, [WW_OP_MAD24] = EITHER, [WW_OP_FMA] = EITHER,  [WW_OP_MIN] = EITHER,
    [WW_OP_MAX] = EITHER,   [WW_OP_SETP] = EITHER,  [WW_OP_SET] = EITHER,  [WW_OP_SAD] = EITHER,
    [WW_OP_AND] = EITHER,   [WW_OP_OR] = EITHER,    [WW_OP_XOR] = EITHER,  [WW_OP_NOT] = FIRST,
    [WW_OP_SHL] = FIRST,    [WW_OP_SHR] = FIRST,    [WW_OP_CVT] = FIRST,   [WW_OP_NEG] = FIRST,
    [WW_OP_ABS] = FIRST,    [WW_OP_SLCT] = FIRST,   [WW_OP_RRO] = FIRST,
};

/* Products are single-precision ones: integers of 32 bits take several instructions, of which no
 * one reads the whole word. */
static unsigned places_of(const ww_inst *inst)
{
    const bool product = inst->op == WW_OP_MUL || inst->op == WW_OP_MAD;
    const ww_type read = inst->op == WW_OP_CVT ? (ww_type)inst->type2 : (ww_type)inst->type;
    if (product) {
        return inst->type == WW_T_F32 ? EITHER : 0;
    }
    const bool word =
        ww_type_bytes(read) == 4 && read != WW_T_F16X2 && read != WW_T_BF16X2 && read != WW_T_PRED;
    return word && inst->op < WW_OP_COUNT ? places[inst->op] : 0;
}

/* A load and where its word is read. */
typedef struct candidate {
    uint32_t load, reader;
    uint32_t base; /* ww__part_index of it; UINT32_MAX: none */
    int32_t offset;
    uint32_t fellows; /* candidates of its window, itself included */
    uint8_t source;   /* of the reader */
    bool stays;       /* a load after all */
} candidate;

typedef struct folder {
    ww_function *f;
    ww_defs defs;
    uint32_t *reader; /* [vreg] the last instruction that reads it */
    uint32_t *barred; /* [instruction] grows where something holds loads, or control may enter */
    candidate **of;   /* [instruction] what it reads */
    candidate *list;
    uint32_t count;
    bool volatiles; /* fold, too */
} folder;

static bool is_plain_load(const folder *f, const ww_inst *inst)
{
    const ww_type t = (ww_type)inst->type;
    const uint32_t kept = f->volatiles ? ~(uint32_t)WW_MOD_VOLATILE : UINT32_MAX;
    return inst->op == WW_OP_LD && inst->space == WW_SPACE_SHARED && inst->vec == 1 &&
           (inst->mods & kept) == 0 && inst->dst_count == 1 && inst->dst[0].kind == WW_OPD_REG &&
           inst->dst[0].words == 1 && inst->dst[0].part == 0 &&
           (t == WW_T_U32 || t == WW_T_S32 || t == WW_T_B32 || t == WW_T_F32) &&
           (inst->src[0].kind == WW_OPD_NONE ||
            (inst->src[0].kind == WW_OPD_REG && inst->src[0].words == 1)) &&
           inst->offset >= INT32_MIN / 2 && inst->offset <= INT32_MAX / 2;
}

static bool same_guard(ww_operand a, ww_operand b)
{
    return a.kind == b.kind && a.reg == b.reg && a.flags == b.flags;
}

static bool written_between(const folder *f, uint32_t reg, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        if (ww__writes(&f->f->inst[i], reg)) {
            return true;
        }
    }
    return false;
}

/* The source that is the register; src_count: none is. */
static unsigned source_of(const ww_inst *reader, uint32_t reg)
{
    unsigned k = 0;
    while (k < reader->src_count &&
           (reader->src[k].kind != WW_OPD_REG || reader->src[k].reg != reg)) {
        k++;
    }
    return k;
}

/* The source that is a parameter; NULL: none is. */
static ww_operand *parameter_of(const ww_inst *reader)
{
    for (unsigned k = 0; k < reader->src_count; k++) {
        if (reader->src[k].kind == WW_OPD_CONST) {
            return &reader->src[k];
        }
    }
    return NULL;
}

/* Between load and reader the word, its address and the lanes that read it stay what they are. */
static bool stays_same(const folder *f, uint32_t load, uint32_t reader)
{
    const ww_inst *l = &f->f->inst[load];
    const bool guarded = l->guard.kind == WW_OPD_PRED;
    if (reader <= load || reader >= f->f->inst_count || f->defs.breaks[load + 1] ||
        f->barred[reader] != f->barred[load + 1] ||
        (guarded && !same_guard(l->guard, f->f->inst[reader].guard))) {
        return false;
    }
    return (!guarded || !written_between(f, l->guard.reg, load, reader)) &&
           (l->src[0].kind == WW_OPD_NONE || !written_between(f, l->src[0].reg, load, reader));
}

/* Lists the load if the reader of its word may have it in that place. */
static void consider(folder *f, uint32_t i)
{
    const ww_inst *load = &f->f->inst[i];
    if (!is_plain_load(f, load)) {
        return;
    }
    const ww_operand value = load->dst[0], base = load->src[0];
    const size_t at = ww__part_index(value);
    const uint32_t reader = f->reader[value.reg];
    if (f->defs.count[at] != 1 || f->defs.uses[at] != 1 || !stays_same(f, i, reader)) {
        return;
    }
    const ww_inst *to = &f->f->inst[reader];
    const unsigned source = source_of(to, value.reg);
    if (source < to->src_count && (places_of(to) >> source & 1) != 0) {
        WW_ASSERT(f->count < f->f->inst_count);
        f->list[f->count++] = (candidate){
            .load = i,
            .reader = reader,
            .base = base.kind == WW_OPD_REG ? (uint32_t)ww__part_index(base) : UINT32_MAX,
            .offset = (int32_t)load->offset,
            .source = (uint8_t)source,
            .stays = parameter_of(to) != NULL};
    }
}

/* ---- parameters ---- */

/* A parameter that takes the place of words of shared memory. */
typedef struct parameter {
    uint32_t offset, readers;
    ww_operand moved; /* register that it is moved to; NONE: it stays */
} parameter;

enum { MOST_PARAMETERS = 16 };

static parameter *parameter_at(parameter *list, unsigned *count, uint32_t offset)
{
    for (unsigned k = 0; k < *count; k++) {
        if (list[k].offset == offset) {
            return &list[k];
        }
    }
    if (*count == MOST_PARAMETERS) {
        return NULL;
    }
    list[*count] = (parameter){.offset = offset};
    return &list[(*count)++];
}

/* One move pays for two readers. */
static unsigned count_parameters(const folder *f, parameter *list, unsigned *count)
{
    unsigned moves = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const ww_operand *o = parameter_of(&f->f->inst[f->list[i].reader]);
        parameter *p =
            o != NULL && o->words == 1 ? parameter_at(list, count, (uint32_t)o->imm) : NULL;
        moves += p != NULL && ++p->readers == 2;
    }
    return moves;
}

static void take_register(const folder *f, uint32_t reader, parameter *list, unsigned count)
{
    ww_operand *o = parameter_of(&f->f->inst[reader]);
    const parameter *p =
        o != NULL && o->words == 1 ? parameter_at(list, &count, (uint32_t)o->imm) : NULL;
    if (p != NULL && p->moved.kind == WW_OPD_REG) {
        const uint8_t flags = o->flags;
        *o = p->moved;
        o->flags = flags;
    }
}

/* Parameters in whose place words of shared memory would stand go to registers, once, where the
 * function begins. */
static ww_status move_parameters(folder *f, ww_arena *arena, bool *moved, ww_error *err)
{
    parameter list[MOST_PARAMETERS];
    unsigned count = 0;
    ww_rewriter l = {.f = f->f, .arena = arena};
    const ww_inst entry = {.line = f->f->line};
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->f->inst_count + 1);
    if (where == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->f->name);
    }
    *moved = count_parameters(f, list, &count) > 0;
    if (!*moved) {
        return WW_OK;
    }
    l.cur = &entry;
    for (unsigned k = 0; k < count; k++) {
        if (list[k].readers > 1) {
            list[k].moved = ww__new_reg(&l, WW_T_B32);
            ww__emit1(&l, WW_OP_MOV, WW_T_B32, list[k].moved, ww_opd_const(list[k].offset, 1));
        }
    }
    for (uint32_t i = 0; i < f->count; i++) {
        take_register(f, f->list[i].reader, list, count);
    }
    for (uint32_t i = 0; i < f->f->inst_count; i++) {
        where[i] = l.count;
        l.cur = &f->f->inst[i];
        ww__emit_copy(&l, l.cur);
    }
    where[f->f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}

/* ---- which of them ---- */

static int by_address(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->base != y->base       ? (x->base < y->base ? -1 : 1)
           : x->offset != y->offset ? (x->offset < y->offset ? -1 : 1)
           : x->load != y->load     ? (x->load < y->load ? -1 : 1)
                                    : 0;
}

/* Sorted by base, then offset: counts the candidates of each window (offsets.c makes the same). */
static void count_fellows(folder *f)
{
    for (uint32_t i = 0, end; i < f->count; i = end) {
        const candidate *first = &f->list[i];
        const int32_t anchor = ww__in_window(0, first->offset) ? 0 : first->offset;
        uint32_t members = 0;
        for (end = i; end < f->count && f->list[end].base == first->base &&
                      ww__in_window(anchor, f->list[end].offset);
             end++) {
            members += !f->list[end].stays;
        }
        for (uint32_t k = i; k < end; k++) {
            f->list[k].fellows = members;
        }
    }
}

/* A window of its own costs an offset register, which one fold does not pay for. Of two words that
 * one instruction reads, that of the larger window is the operand. */
static bool choose(folder *f)
{
    bool changed = false;
    count_fellows(f);
    memset(f->of, 0, f->f->inst_count * sizeof *f->of);
    for (uint32_t i = 0; i < f->count; i++) {
        candidate *c = &f->list[i], *other = c->stays ? NULL : f->of[c->reader];
        const bool dear = c->fellows < 2 && !ww__in_window(0, c->offset);
        if (c->stays) {
            continue;
        }
        if (dear || (other != NULL && other->fellows >= c->fellows)) {
            c->stays = changed = true;
            continue;
        }
        if (other != NULL) {
            other->stays = changed = true;
        }
        f->of[c->reader] = c;
    }
    return changed;
}

static void fold(folder *f, const candidate *c)
{
    ww_inst *load = &f->f->inst[c->load], *reader = &f->f->inst[c->reader];
    ww_operand word = ww_opd_shared(load->src[0], load->offset);
    word.flags = reader->src[c->source].flags;
    reader->src[c->source] = word;
    reader->folded_line = load->line;
    ww__lower_mark_dropped(load);
}

static ww_status prepare(folder *f, ww_arena *arena, ww_error *err)
{
    const ww_function *fn = f->f;
    const size_t n = (size_t)fn->inst_count + 1;
    WW_TRY(ww__defs_build(fn, arena, &f->defs, err));
    f->reader = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)fn->vreg_count + 1);
    f->barred = WW_ARENA_NEW_ARRAY(arena, uint32_t, n + 1);
    f->of = WW_ARENA_NEW_ARRAY(arena, candidate *, n);
    f->list = WW_ARENA_NEW_ARRAY(arena, candidate, n);
    if (f->reader == NULL || f->barred == NULL || f->of == NULL || f->list == NULL) {
        return ww_no_memory_for(err, "lowering %s", fn->name);
    }
    uint32_t barred = 0;
    for (uint32_t i = 0; i < fn->inst_count; i++) {
        const ww_inst *inst = &fn->inst[i];
        barred += f->defs.breaks[i];
        f->barred[i] = barred;
        barred += ww__holds_shared_loads(inst);
        for (unsigned k = 0; k < inst->src_count; k++) {
            if (inst->src[k].kind == WW_OPD_REG) {
                f->reader[inst->src[k].reg] = i;
            }
        }
    }
    return WW_OK;
}

static ww_status find_candidates(folder *f, ww_arena *arena, ww_error *err)
{
    f->count = 0;
    WW_TRY(prepare(f, arena, err));
    for (uint32_t i = 0; i < f->f->inst_count; i++) {
        consider(f, i);
    }
    return WW_OK;
}

ww_status ww__fold_operands(ww_function *f, ww_arena *arena, bool volatiles, ww_error *err)
{
    folder all = {.f = f, .volatiles = volatiles};
    bool moved = false;
    WW_TRY(find_candidates(&all, arena, err));
    WW_TRY(move_parameters(&all, arena, &moved, err));
    if (moved) {
        WW_TRY(find_candidates(&all, arena, err));
    }
    if (all.count > 0) {
        qsort(all.list, all.count, sizeof *all.list, by_address);
    }
    while (choose(&all)) {
    }
    for (uint32_t i = 0; i < all.count; i++) {
        if (!all.list[i].stays) {
            fold(&all, &all.list[i]);
        }
    }
    return ww__lower_rewrite(f, arena, NULL, ww__lower_drop_rule, err);
}
