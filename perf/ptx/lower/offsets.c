/* offsets.c - offset registers: shared and local memory are addressed through $a1 to $a4, which
 * only R2A (a register shifted left) and ADA (a sum with a constant) write (envytools,
 * docs/hw/graph/tesla/ cuda). A base that a shift by a constant makes for addresses alone is the
 * R2A itself, one that a constant steps is an ADA; any other base takes an R2A where it is made.
 * Operands beyond 31 words from their base share a further register, a window, which takes an ADA.
 * The registers are allocated among the general ones: that there are four is not modelled. */
#include "perf/ptx/lower/lower.h"

#include "base/assert.h"

enum { MOST_SHIFT = 15 };

/* What a base needs behind each of its definitions. */
typedef struct window {
    uint32_t base; /* ww__part_index; UINT32_MAX: no register */
    int64_t anchor;
    ww_operand reg;
} window;

typedef struct offsets {
    ww_function *f;
    ww_arena *arena;
    ww_defs defs;
    uint32_t *addresses; /* [part] reads of it as an address */
    uint32_t *steps;     /* [part] reads of it by the sums that step it */
    bool *other;         /* [part] something else than a shift or a step defines it */
    ww_operand *moved;   /* [part] offset register in its place; NONE: it is one itself */
    window *list;
    uint32_t count, capacity;
} offsets;

/* The operand through which the instruction addresses shared or local memory, as the machine has
 * offset registers for it; NULL: it does not. */
static ww_operand *base_of(ww_inst *inst)
{
    for (unsigned k = 0; inst->folded_line != 0 && k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_SHARED) {
            return &inst->src[k];
        }
    }
    const bool near = inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL;
    return near && ww_inst_has_address(inst) && inst->src[0].kind == WW_OPD_REG &&
                   inst->src[0].words == 1
               ? &inst->src[0]
               : NULL;
}

/* A shift by 0. */
static bool is_copy(const ww_inst *inst)
{
    return inst->op == WW_OP_MOV && inst->src_count == 1 && inst->dst_count == 1 &&
           inst->src[0].kind == WW_OPD_REG && inst->src[0].words == 1 && inst->src[0].flags == 0;
}

static bool is_shift(const ww_inst *inst)
{
    return inst->op == WW_OP_SHL && inst->src[1].kind == WW_OPD_IMM &&
           inst->src[1].imm <= MOST_SHIFT && inst->src[0].kind == WW_OPD_REG;
}

/* d = d + constant. */
static bool is_step(const ww_inst *inst)
{
    const ww_operand *d = inst->dst, *a = inst->src;
    return inst->op == WW_OP_ADD && inst->dst_count == 1 && inst->src_count == 2 &&
           d[0].kind == WW_OPD_REG && a[0].kind == WW_OPD_REG && a[0].reg == d[0].reg &&
           a[0].part == d[0].part && a[1].kind == WW_OPD_IMM;
}

static void note(offsets *o, ww_inst *inst)
{
    const ww_operand *base = base_of(inst);
    if (base != NULL && base->words == 1) {
        o->addresses[ww__part_index(*base)]++;
    }
    if (inst->dst_count == 0 || inst->dst[0].kind != WW_OPD_REG) {
        return;
    }
    const size_t d = ww__part_index(inst->dst[0]);
    const bool constant =
        inst->op == WW_OP_MOV && inst->src_count == 1 && inst->src[0].kind == WW_OPD_IMM;
    if (is_step(inst)) {
        o->steps[d]++;
    } else if (!is_shift(inst) && !is_copy(inst) && !constant) {
        o->other[d] = true;
    }
    for (unsigned k = 1; k < inst->dst_count; k++) {
        if (inst->dst[k].kind == WW_OPD_REG) {
            o->other[ww__part_index(inst->dst[k])] = true;
        }
    }
}

/* Bases that are not offset registers from the start get one beside them. */
static bool give_registers(offsets *o, ww_rewriter *l)
{
    const uint32_t count = o->f->vreg_count;
    for (uint32_t r = 0; r < count; r++) {
        for (unsigned part = 0; part < 3; part++) {
            const size_t at = (size_t)r * 3 + part;
            const bool own = part == 0 && !o->other[at] && o->defs.count[at] > 0 &&
                             o->addresses[at] + o->steps[at] == o->defs.uses[at];
            if (o->addresses[at] > 0 && !own) {
                o->moved[at] = ww__new_reg(l, WW_T_B32);
            }
        }
    }
    return !l->out_of_memory;
}

/* ---- windows ---- */

static window *window_for(const offsets *o, uint32_t base, int64_t offset)
{
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->list[k].base == base && ww__in_window(o->list[k].anchor, offset)) {
            return &o->list[k];
        }
    }
    return NULL;
}

/* The lowest operand of a base that no window holds. */
static bool lowest_left(const offsets *o, uint32_t base, int64_t *offset)
{
    bool found = false;
    for (uint32_t i = 0; i < o->f->inst_count; i++) {
        const ww_operand *s = ww_inst_folded(&o->f->inst[i]);
        if (s == NULL || (s->words == 1 ? (uint32_t)ww__part_index(*s) : UINT32_MAX) != base ||
            ww__in_window(0, (int64_t)s->imm) || window_for(o, base, (int64_t)s->imm) != NULL) {
            continue;
        }
        *offset = !found || (int64_t)s->imm < *offset ? (int64_t)s->imm : *offset;
        found = true;
    }
    return found;
}

static bool add_window(offsets *o, ww_rewriter *l, uint32_t base, int64_t anchor)
{
    if (o->count == o->capacity) {
        const uint32_t capacity = o->capacity > 0 ? 2 * o->capacity : 16;
        window *list = WW_ARENA_NEW_ARRAY(o->arena, window, capacity);
        if (list == NULL) {
            return false;
        }
        for (uint32_t k = 0; k < o->count; k++) {
            list[k] = o->list[k];
        }
        o->list = list;
        o->capacity = capacity;
    }
    WW_ASSERT(o->count < o->capacity);
    WW_ASSERT(o->count == 0 || o->list[o->count - 1].base != base ||
              anchor > o->list[o->count - 1].anchor); /* lowest first, each once */
    o->list[o->count++] = (window){base, anchor, ww__new_reg(l, WW_T_B32)};
    return true;
}

static bool open_windows(offsets *o, ww_rewriter *l)
{
    for (uint32_t i = 0; i < o->f->inst_count; i++) {
        const ww_operand *s = ww_inst_folded(&o->f->inst[i]);
        int64_t anchor = 0;
        if (s == NULL || ww__in_window(0, (int64_t)s->imm)) {
            continue;
        }
        const uint32_t base = s->words == 1 ? (uint32_t)ww__part_index(*s) : UINT32_MAX;
        while (window_for(o, base, (int64_t)s->imm) == NULL && lowest_left(o, base, &anchor)) {
            if (!add_window(o, l, base, anchor)) {
                return false;
            }
        }
    }
    return !l->out_of_memory;
}

/* ---- rewriting ---- */

static ww_operand register_at(uint32_t at)
{
    ww_operand o = ww_opd_reg(at / 3, 1);
    o.part = (uint8_t)(at % 3);
    return o;
}

static void emit_unguarded(ww_rewriter *l, ww_op op, ww_operand d, ww_operand a, uint64_t imm)
{
    WW_ASSERT(d.kind == WW_OPD_REG);
    ww__emit2(l, op, WW_T_U32, d, a, ww_opd_imm(imm))->guard = (ww_operand){0};
}

/* What hangs on a base that has just been written. */
static void follow(offsets *o, ww_rewriter *l, uint32_t at)
{
    ww_operand base = register_at(at);
    if (o->moved[at].kind == WW_OPD_REG) {
        emit_unguarded(l, WW_OP_SHL, o->moved[at], base, 0);
        base = o->moved[at];
    }
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->list[k].base == at) {
            emit_unguarded(l, WW_OP_ADD, o->list[k].reg, base, (uint32_t)o->list[k].anchor);
        }
    }
}

static void follow_register(offsets *o, ww_rewriter *l, ww_operand d, size_t parts)
{
    if (d.kind != WW_OPD_REG || (size_t)d.reg * 3 >= parts) {
        return;
    }
    follow(o, l, d.reg * 3);
    for (unsigned part = 1; part < 3; part++) {
        if (d.part == 0 || d.part == part) {
            follow(o, l, d.reg * 3 + part);
        }
    }
}

static void take_registers(offsets *o, ww_inst *inst)
{
    ww_operand *base = base_of(inst);
    if (base == NULL) {
        return;
    }
    const uint32_t at = base->words == 1 ? (uint32_t)ww__part_index(*base) : UINT32_MAX;
    const bool far = base->kind == WW_OPD_SHARED && !ww__in_window(0, (int64_t)base->imm);
    const window *w = far ? window_for(o, at, (int64_t)base->imm) : NULL;
    const ww_operand to = w != NULL ? w->reg : at != UINT32_MAX ? o->moved[at] : (ww_operand){0};
    if (to.kind != WW_OPD_REG) {
        return;
    }
    base->imm -= w != NULL ? (uint64_t)w->anchor : 0;
    base->words = 1;
    base->reg = to.reg;
    base->part = 0;
}

/* An offset register takes a copy by an instruction of its own: it is none that vanishes when the
 * two share a register. */
static bool copies_to_base(const offsets *o, const ww_inst *inst)
{
    const size_t at =
        is_copy(inst) && inst->dst[0].kind == WW_OPD_REG ? ww__part_index(inst->dst[0]) : SIZE_MAX;
    return at != SIZE_MAX && o->addresses[at] > 0 && o->moved[at].kind == WW_OPD_NONE;
}

static ww_status rewrite(offsets *o, ww_rewriter *l, size_t parts, ww_error *err)
{
    ww_function *f = o->f;
    const ww_inst entry = {.line = f->line};
    uint32_t *where = WW_ARENA_NEW_ARRAY(o->arena, uint32_t, (size_t)f->inst_count + 1);
    if (where == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    l->cur = &entry;
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->list[k].base == UINT32_MAX) {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, o->list[k].reg,
                      ww_opd_imm((uint32_t)o->list[k].anchor));
        }
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        follow_register(o, l, f->formal_in[i], parts);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        where[i] = l->count;
        l->cur = &f->inst[i];
        ww_inst *copy =
            copies_to_base(o, l->cur)
                ? ww__emit2(l, WW_OP_SHL, WW_T_U32, l->cur->dst[0], l->cur->src[0], ww_opd_imm(0))
                : ww__emit_copy(l, l->cur);
        take_registers(o, copy);
        for (unsigned k = 0; k < l->cur->dst_count; k++) {
            follow_register(o, l, l->cur->dst[k], parts);
        }
    }
    where[f->inst_count] = l->count;
    return ww__rewriter_finish(l, where, err);
}

ww_status ww__offset_registers(ww_function *f, ww_arena *arena, ww_error *err)
{
    offsets o = {.f = f, .arena = arena};
    ww_rewriter l = {.f = f, .arena = arena};
    const size_t parts = (size_t)f->vreg_count * 3;
    WW_TRY(ww__defs_build(f, arena, &o.defs, err));
    o.addresses = WW_ARENA_NEW_ARRAY(arena, uint32_t, parts + 1);
    o.steps = WW_ARENA_NEW_ARRAY(arena, uint32_t, parts + 1);
    o.other = WW_ARENA_NEW_ARRAY(arena, bool, parts + 1);
    o.moved = WW_ARENA_NEW_ARRAY(arena, ww_operand, parts + 1);
    if (o.addresses == NULL || o.steps == NULL || o.other == NULL || o.moved == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        note(&o, &f->inst[i]);
    }
    if (!give_registers(&o, &l) || !open_windows(&o, &l)) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    return rewrite(&o, &l, parts, err);
}
