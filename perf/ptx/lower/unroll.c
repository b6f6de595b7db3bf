/* unroll.c - loops of one block with a known number of rounds are laid out one round after the
 * other, as ptxas does: all of them when the whole stays short, else as many as divide the number.
 * Each round gets registers of its own, so that the scheduler may overlap them.
 *
 * How far: measured on ptxas of CUDA 13 for compute capability 7.5. Loops of 36, 68 and 132
 * instructions are laid out whole up to 324, 272 and 264 instructions, and not at 432, 340 and 396;
 * longer ones in parts of 180 to 240 when a round has no more than some forty instructions. */
#include <string.h>

#include "perf/ptx/lower/lower.h"

enum {
    MOST_ROUNDS = 1024,
    MOST_WHOLE = 330,  /* instructions of a loop laid out as a whole */
    MOST_PART = 240,   /* instructions of a loop laid out in part */
    LONGEST_ROUND = 40 /* instructions per round of the latter */
};

/* A loop: [first, last), its branch at last. */
typedef struct loop {
    uint32_t first, last;
    uint32_t rounds;
    uint32_t copies;  /* rounds laid out in a row; rounds: the branch goes */
    uint32_t counter; /* register */
    uint64_t start;   /* its value in the first round */
} loop;

/* A pass over a function. */
typedef struct unroller {
    ww_rewriter l;
    const uint32_t *entries; /* [instruction] branches that lead there */
    const uint32_t *defs;    /* [register] definitions in the whole function */
    uint32_t *name;          /* [register] what holds its value now */
    uint32_t *last_def;      /* [register] 1 + last instruction of the round that defines it */
    uint32_t *base;          /* [register] its value before the first round; stepped ones only */
    uint64_t *step;          /* [register] what a round adds to it; 0: not a stepped one */
    bool *fixed;             /* [register] keeps its name: defined in part or under a guard */
} unroller;

static bool is_whole_register(ww_operand o)
{
    return o.kind == WW_OPD_REG && o.part == 0 && o.flags == 0;
}

static bool is_integer(const ww_inst *inst)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    return !ww_type_is_float((ww_type)inst->type) && (bytes == 4 || bytes == 8);
}

static uint64_t truncated(uint64_t value, const ww_inst *inst)
{
    return ww_type_bytes((ww_type)inst->type) == 4 ? value & UINT32_MAX : value;
}

/* r = r + constant: what it adds, 0 for everything else. */
static uint64_t step_of(const ww_inst *inst)
{
    bool add = inst->op == WW_OP_ADD, sub = inst->op == WW_OP_SUB;
    if ((!add && !sub) || !is_integer(inst) || inst->guard.kind != WW_OPD_NONE || inst->mods != 0 ||
        inst->dst_count != 1 || inst->src_count != 2 || !is_whole_register(inst->dst[0]) ||
        !is_whole_register(inst->src[0]) || inst->src[0].reg != inst->dst[0].reg ||
        inst->src[1].kind != WW_OPD_IMM) {
        return 0;
    }
    return truncated(add ? inst->src[1].imm : 0 - inst->src[1].imm, inst);
}

/* ---- recognition ---- */

static bool stays_inside(const ww_inst *inst)
{
    const ww_goes goes = (ww_goes)ww_inst_effects(inst).goes;
    return goes == WW_GOES_ON || goes == WW_GOES_BREAKS;
}

/* The only instruction of [first, last) that defines the register; NULL: none or several. */
static const ww_inst *only_definition(const ww_function *f, const loop *at, uint32_t reg)
{
    const ww_inst *found = NULL;
    for (uint32_t i = at->first; i < at->last; i++) {
        if (ww__writes(&f->inst[i], reg)) {
            if (found != NULL) {
                return NULL;
            }
            found = &f->inst[i];
        }
    }
    return found;
}

/* Finds the constant that the counter holds where the loop is entered, going back over code that
 * is passed whenever it is. */
static bool find_start(const unroller *u, loop *at)
{
    const ww_function *f = u->l.f;
    for (uint32_t i = at->first; i-- > 0;) {
        const ww_inst *inst = &f->inst[i];
        bool leaves = inst->op == WW_OP_BRX || inst->op == WW_OP_CALL ||
                      (!stays_inside(inst) && inst->guard.kind == WW_OPD_NONE);
        if (leaves) {
            return false;
        }
        if (ww__writes(inst, at->counter)) {
            at->start = inst->src_count == 1 ? inst->src[0].imm : 0;
            return inst->op == WW_OP_MOV && inst->guard.kind == WW_OPD_NONE &&
                   inst->src[0].kind == WW_OPD_IMM && is_whole_register(inst->dst[0]);
        }
        if (u->entries[i] > 0) {
            return false;
        }
    }
    return false;
}

static bool holds(const ww_inst *setp, uint64_t a, bool *known)
{
    uint64_t b = truncated(setp->src[1].imm, setp);
    bool narrow = ww_type_bytes((ww_type)setp->type) == 4;
    bool is_signed = setp->type == WW_T_S32 || setp->type == WW_T_S64;
    int64_t x = narrow ? (int32_t)(uint32_t)a : (int64_t)a;
    int64_t y = narrow ? (int32_t)(uint32_t)b : (int64_t)b;
    *known = true;
    switch ((ww_cmp)setp->cmp) {
    case WW_CMP_EQ:
        return a == b;
    case WW_CMP_NE:
        return a != b;
    case WW_CMP_LT:
        return is_signed ? x < y : a < b;
    case WW_CMP_LE:
        return is_signed ? x <= y : a <= b;
    case WW_CMP_GT:
        return is_signed ? x > y : a > b;
    case WW_CMP_GE:
        return is_signed ? x >= y : a >= b;
    case WW_CMP_LO:
        return a < b;
    case WW_CMP_LS:
        return a <= b;
    case WW_CMP_HI:
        return a > b;
    case WW_CMP_HS:
        return a >= b;
    default:
        *known = false;
        return false;
    }
}

/* Rounds until the branch is not taken; 0: unknown or too many. */
static uint32_t count_rounds(const ww_function *f, const loop *at, const ww_inst *add,
                             const ww_inst *setp)
{
    uint64_t value = truncated(at->start, add), step = step_of(add);
    bool before = setp < add; /* the comparison sees the value of this round */
    bool inverted = (f->inst[at->last].guard.flags & WW_OPD_NOT) != 0;
    for (uint32_t rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
        bool known, taken;
        uint64_t next = truncated(value + step, add);
        taken = holds(setp, before ? value : next, &known) != inverted;
        if (!known) {
            return 0;
        }
        if (!taken) {
            return rounds;
        }
        value = next;
    }
    return 0;
}

static bool counts(const unroller *u, loop *at)
{
    const ww_function *f = u->l.f;
    const ww_inst *setp = only_definition(f, at, f->inst[at->last].guard.reg);
    if (setp == NULL || setp->op != WW_OP_SETP || setp->guard.kind != WW_OPD_NONE ||
        setp->bool_op != WW_BOOL_NONE || setp->dst_count != 1 || setp->src_count != 2 ||
        !is_integer(setp) || !is_whole_register(setp->src[0]) || setp->src[1].kind != WW_OPD_IMM) {
        return false;
    }
    at->counter = setp->src[0].reg;
    const ww_inst *add = only_definition(f, at, at->counter);
    if (add == NULL || step_of(add) == 0 || u->defs[at->counter] != 2 ||
        ww_type_bytes((ww_type)add->type) != ww_type_bytes((ww_type)setp->type) ||
        !find_start(u, at)) {
        return false;
    }
    at->rounds = count_rounds(f, at, add, setp);
    return at->rounds > 0;
}

/* Rounds to lay out in a row; below 2: leave the loop as it is. */
static uint32_t choose_copies(const loop *at)
{
    uint32_t length = at->last - at->first;
    if (at->rounds * length <= MOST_WHOLE) {
        return at->rounds;
    }
    uint32_t copies = length <= LONGEST_ROUND ? MOST_PART / length : 1;
    while (copies > 1 && at->rounds % copies != 0) {
        copies--;
    }
    return copies;
}

/* True when the branch at `last` closes a loop to lay out. */
static bool recognise(const unroller *u, uint32_t last, loop *at)
{
    const ww_function *f = u->l.f;
    const ww_inst *bra = &f->inst[last];
    if (bra->op != WW_OP_BRA || bra->guard.kind != WW_OPD_PRED || bra->target >= last ||
        u->entries[bra->target] != 1) {
        return false;
    }
    *at = (loop){.first = bra->target, .last = last};
    for (uint32_t i = at->first; i < last; i++) {
        if (!stays_inside(&f->inst[i]) || (i > at->first && u->entries[i] > 0)) {
            return false;
        }
    }
    if (!counts(u, at)) {
        return false;
    }
    at->copies = choose_copies(at);
    return at->copies == at->rounds || at->copies > 1;
}

/* ---- layout ---- */

static uint32_t fresh(unroller *u, uint32_t reg)
{
    uint32_t name = ww_function_new_vreg(u->l.f, u->l.arena, (ww_type)u->l.f->vreg[reg].type);
    if (name == UINT32_MAX) {
        u->l.out_of_memory = true;
        return reg;
    }
    return name;
}

static ww_operand register_named(ww_operand like, uint32_t name)
{
    like.reg = name;
    return like;
}

/* Learns how the loop's registers may be renamed, and saves the stepped ones. */
static void prepare(unroller *u, const loop *at, bool whole)
{
    const ww_function *f = u->l.f;
    for (uint32_t i = at->first; i <= at->last; i++) {
        const ww_inst *inst = &f->inst[i];
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand d = inst->dst[k];
            if (!ww__is_register(d)) {
                continue;
            }
            uint32_t r = d.reg;
            bool again = u->last_def[r] > at->first && u->last_def[r] <= at->last;
            /* The sums of a warp group's product stay where they are. */
            bool stays = d.part != 0 || inst->guard.kind != WW_OPD_NONE || inst->op == WW_OP_WGMMA;
            u->fixed[r] = (again && u->fixed[r]) || stays;
            u->step[r] = again ? 0 : step_of(inst);
            u->last_def[r] = i + 1;
            u->name[r] = r;
        }
    }
    for (uint32_t i = at->first; i < at->last; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->dst_count != 1 || step_of(inst) == 0 || u->step[inst->dst[0].reg] == 0 ||
            (whole && inst->dst[0].reg == at->counter)) {
            continue;
        }
        uint32_t r = inst->dst[0].reg;
        u->l.cur = inst;
        u->base[r] = fresh(u, r);
        ww__emit1(&u->l, WW_OP_MOV, ww_type_bytes((ww_type)inst->type) == 8 ? WW_T_B64 : WW_T_B32,
                  register_named(inst->dst[0], u->base[r]), inst->dst[0]);
        u->name[r] = u->base[r];
    }
}

static void rename_source(const unroller *u, const loop *at, ww_operand *o)
{
    if (ww__is_register(*o) && u->last_def[o->reg] > at->first && u->last_def[o->reg] <= at->last) {
        o->reg = u->name[o->reg];
    }
}

static void emit_round(unroller *u, const loop *at, uint32_t round, bool whole)
{
    const ww_function *f = u->l.f;
    bool last_round = round + 1 == at->copies;
    for (uint32_t i = at->first; i < at->last; i++) {
        u->l.cur = &f->inst[i];
        ww_inst *inst = ww__emit_copy(&u->l, &f->inst[i]);
        uint64_t step =
            inst->dst_count == 1 && ww__is_register(inst->dst[0]) ? u->step[inst->dst[0].reg] : 0;
        if (step != 0 && whole && inst->dst[0].reg == at->counter) {
            inst->op = WW_OP_MOV;
            inst->src_count = 1;
            inst->src[0] = ww_opd_imm(truncated(at->start + step * (round + 1), inst));
        } else if (step != 0) {
            inst->op = WW_OP_ADD;
            inst->src[0] = register_named(inst->dst[0], u->base[inst->dst[0].reg]);
            inst->src[1] = ww_opd_imm(truncated(step * (round + 1), inst));
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            if (step == 0) {
                rename_source(u, at, &inst->src[k]);
            }
        }
        rename_source(u, at, &inst->guard);
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand *d = &inst->dst[k];
            if (ww__is_register(*d) && !u->fixed[d->reg]) {
                uint32_t r = d->reg;
                bool outlives = last_round && u->last_def[r] == i + 1;
                u->name[r] = outlives ? r : fresh(u, r);
                d->reg = u->name[r];
            }
        }
    }
}

static void lay_out(unroller *u, const loop *at)
{
    bool whole = at->copies == at->rounds;
    prepare(u, at, whole);
    for (uint32_t round = 0; round < at->copies; round++) {
        emit_round(u, at, round, whole);
    }
    if (!whole) {
        u->l.cur = &u->l.f->inst[at->last];
        ww_inst *bra = ww__emit_copy(&u->l, u->l.cur);
        rename_source(u, at, &bra->guard);
    }
}

static bool allocate(unroller *u, uint32_t **entries, uint32_t **defs, uint32_t **where)
{
    ww_arena *arena = u->l.arena;
    const ww_function *f = u->l.f;
    size_t n = (size_t)f->inst_count + 1, regs = (size_t)f->vreg_count + 1;
    *entries = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    *defs = WW_ARENA_NEW_ARRAY(arena, uint32_t, regs);
    u->name = WW_ARENA_NEW_ARRAY(arena, uint32_t, regs);
    u->last_def = WW_ARENA_NEW_ARRAY(arena, uint32_t, regs);
    u->base = WW_ARENA_NEW_ARRAY(arena, uint32_t, regs);
    u->step = WW_ARENA_NEW_ARRAY(arena, uint64_t, regs);
    u->fixed = WW_ARENA_NEW_ARRAY(arena, bool, regs);
    u->entries = *entries;
    u->defs = *defs;
    return *entries != NULL && *where != NULL && *defs != NULL && u->name != NULL &&
           u->last_def != NULL && u->base != NULL && u->step != NULL && u->fixed != NULL;
}

static void survey(const ww_function *f, uint32_t *entries, uint32_t *defs)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA && inst->target <= f->inst_count) {
            entries[inst->target]++;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            entries[inst->table[k]] += 2; /* from elsewhere, whatever else leads there */
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            if (ww__is_register(inst->dst[k])) {
                defs[inst->dst[k].reg]++;
            }
        }
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        defs[f->formal_in[i].reg]++;
    }
}

ww_status ww__unroll(ww_function *f, ww_arena *arena, const ww_arch *arch, bool *changed,
                     ww_error *err)
{
    unroller u = {.l = {.f = f, .arena = arena, .arch = arch}};
    uint32_t *entries, *defs, *where;
    *changed = false;
    if (!allocate(&u, &entries, &defs, &where)) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    survey(f, entries, defs);
    uint32_t count = f->inst_count, regs = f->vreg_count;
    uint32_t *end = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    if (end == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    loop at;
    for (uint32_t i = 0; i < count; i++) {
        if (recognise(&u, i, &at)) {
            end[at.first] = i + 1;
        }
    }
    for (uint32_t i = 0; i < count;) {
        where[i] = u.l.count;
        if (end[i] == 0) {
            u.l.cur = &f->inst[i];
            ww__emit_copy(&u.l, u.l.cur);
            i++;
            continue;
        }
        memset(u.last_def, 0, regs * sizeof *u.last_def);
        if (recognise(&u, end[i] - 1, &at)) {
            lay_out(&u, &at);
            *changed = true;
        }
        i = end[i];
    }
    where[count] = u.l.count;
    return ww__rewriter_finish(&u.l, where, err);
}
