/* regalloc.c - register allocation: virtual registers onto 32-bit machine registers and seven
 * predicates. Greedy coloring of the interference graph in order of first definition, which is
 * optimal for straight-line code and close to it for what compilers emit (Hack, Grund, Goos,
 * "Register allocation for programs in SSA form", 2006); 64-bit values take even-aligned pairs;
 * copies prefer the register they copy; what does not fit is spilled by cost and the coloring
 * repeated: first gently, a register of each crowd in a round, which spills the fewest; where that
 * takes too many rounds, firmly, as many of a crowd as it has too many. */
#include "perf/ptx/regalloc/regalloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/lower/schedule.h"

enum {
    MOST_COLORS = 1024,
    SPARE_COLORS = 8,   /* words of a register that found none */
    GENTLE_ROUNDS = 64, /* rounds that spill about one register of each crowd of live ones */
    HOPELESS = 512      /* so many registers too many that those would not do */
};

typedef struct coloring {
    uint32_t *color; /* [vreg]: first 32-bit register, or predicate number; UINT32_MAX: none */
    uint32_t *order; /* virtual registers by first definition */
    uint32_t order_count;
    uint32_t used_regs, used_preds, used_scalars;
    const ww_scalars *scalars; /* NULL: none */
    uint32_t classified;       /* registers that those know; later ones are vectors */
} coloring;

/* What the rounds share. */
typedef struct spilling {
    uint32_t limit;
    uint32_t original; /* registers from here on were made by spilling */
    bool firm;
} spilling;

typedef struct by_definition {
    uint32_t first, reg;
} by_definition;

static int compare_definitions(const void *a, const void *b)
{
    const by_definition *x = a, *y = b;
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static ww_status order_by_definition(const ww_interference *g, ww_arena *scratch, coloring *c,
                                     ww_error *err)
{
    by_definition *list = WW_ARENA_NEW_ARRAY(scratch, by_definition, g->n);
    c->order = WW_ARENA_NEW_ARRAY(scratch, uint32_t, g->n);
    c->color = WW_ARENA_NEW_ARRAY(scratch, uint32_t, g->n);
    if (list == NULL || c->order == NULL || c->color == NULL) {
        return ww_no_memory_for(err, "allocating registers");
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < g->n; r++) {
        c->color[r] = UINT32_MAX;
        if (g->first[r] != UINT32_MAX || g->cost[r] > 0) {
            list[n++] = (by_definition){g->first[r], r};
        }
    }
    qsort(list, n, sizeof *list, compare_definitions);
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = list[i].reg;
    }
    c->order_count = n;
    return WW_OK;
}

static bool is_scalar(const coloring *c, const ww_function *f, uint32_t r)
{
    return c->scalars != NULL && r < c->classified && c->scalars->scalar[r] && f->vreg[r].words > 0;
}

/* Marks the colors that neighbours of r hold. */
static void mark_taken(const ww_function *f, const ww_interference *g, const coloring *c,
                       uint32_t r, bool *taken)
{
    memset(taken, 0, MOST_COLORS);
    const uint64_t *row = g->row + (size_t)r * g->words;
    for (uint32_t w = 0; w < g->words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t other = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (c->color[other] == UINT32_MAX || is_scalar(c, f, other) != is_scalar(c, f, r)) {
                continue;
            }
            uint32_t words = f->vreg[other].words > 0 ? f->vreg[other].words : 1;
            for (uint32_t k = 0; k < words; k++) {
                WW_ASSERT(c->color[other] + k < MOST_COLORS + SPARE_COLORS);
                taken[c->color[other] + k] = true;
            }
        }
    }
}

static bool is_free(const bool *taken, uint32_t color, uint32_t words)
{
    for (uint32_t k = 0; k < words; k++) {
        if (color + k >= MOST_COLORS || taken[color + k]) {
            return false;
        }
    }
    return true;
}

/* Lowest free color; a single word first fills the other half of a broken pair below the current
 * maximum. */
static uint32_t pick(const bool *taken, uint32_t words, uint32_t hint, uint32_t used)
{
    if (hint != UINT32_MAX && hint % words == 0 && is_free(taken, hint, words)) {
        return hint;
    }
    if (words == 1) {
        for (uint32_t color = 0; color < used; color++) {
            if (!taken[color] && taken[color ^ 1u]) {
                return color;
            }
        }
    }
    for (uint32_t color = 0; color < MOST_COLORS; color += words) {
        if (is_free(taken, color, words)) {
            return color;
        }
    }
    return MOST_COLORS;
}

static void paint(const ww_function *f, const ww_interference *g, coloring *c)
{
    bool taken[MOST_COLORS + SPARE_COLORS];
    c->used_regs = 0;
    c->used_preds = 0;
    c->used_scalars = 0;
    for (uint32_t i = 0; i < c->order_count; i++) {
        uint32_t r = c->order[i];
        bool pred = f->vreg[r].words == 0;
        uint32_t words = pred ? 1 : f->vreg[r].words;
        mark_taken(f, g, c, r, taken);
        bool scalar = is_scalar(c, f, r);
        uint32_t *used = pred ? &c->used_preds : scalar ? &c->used_scalars : &c->used_regs;
        bool hinted = g->hint[r] != UINT32_MAX && is_scalar(c, f, g->hint[r]) == scalar;
        uint32_t hint = hinted ? c->color[g->hint[r]] : UINT32_MAX;
        uint32_t color = pred ? pick(taken, 1, UINT32_MAX, 0) : pick(taken, words, hint, *used);
        WW_ASSERT(color <= MOST_COLORS && (words == 1 || color % words == 0)); /* pairs are even */
        c->color[r] = color;
        *used = color + words > *used ? color + words : *used;
    }
}

/* ---- spill choice ---- */

/* A round's choice. */
typedef struct choice {
    const ww_function *f;
    const ww_interference *g;
    const coloring *c;
    const spilling *how;
    uint32_t *degree;    /* [vreg] */
    bool *spill;         /* [vreg] */
    ww_operand *sign_of; /* [vreg] as of ww__find_signs */
} choice;

static uint32_t degree(const ww_interference *g, uint32_t r)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < g->words; w++) {
        n += (uint32_t)__builtin_popcountll(g->row[(size_t)r * g->words + w]);
    }
    return n;
}

static uint32_t width(const ww_function *f, uint32_t r)
{
    return f->vreg[r].words > 0 ? f->vreg[r].words : 1;
}

static bool same_class(const choice *h, uint32_t a, uint32_t b)
{
    return (h->f->vreg[a].words == 0) == (h->f->vreg[b].words == 0) &&
           is_scalar(h->c, h->f, a) == is_scalar(h->c, h->f, b);
}

/* Temporaries made by spilling are never spilled again; what stands for a predicate is. */
static bool may_spill(const choice *h, uint32_t r)
{
    return r < h->how->original || (h->how->firm && h->f->vreg[r].home);
}

/* A sign that is no longer kept costs no access, and cards no instruction either (signs.c). */
static double spill_cost(const choice *h, uint32_t r)
{
    const ww_operand word = h->sign_of[r];
    return word.kind != WW_OPD_NONE && !h->spill[word.reg] ? 0 : h->g->cost[r];
}

/* The cheapest register of the class among r and its neighbours, by cost per interference removed;
 * UINT32_MAX: none, or, of `enough` words, those that go already suffice. */
static uint32_t cheapest(const choice *h, uint32_t r, uint32_t enough)
{
    uint32_t best = UINT32_MAX, going = 0;
    double best_score = 0;
    for (uint32_t other = 0; other < h->g->n; other++) {
        if ((other != r && !ww__interferes(h->g, r, other)) || !may_spill(h, other) ||
            !same_class(h, other, r)) {
            continue;
        }
        if (h->spill[other]) {
            going += width(h->f, other);
            if (going >= enough) {
                return UINT32_MAX; /* look again after the next coloring */
            }
            continue;
        }
        double score = spill_cost(h, other) / (double)(h->degree[other] + 1);
        if (best == UINT32_MAX || score < best_score) {
            best = other;
            best_score = score;
        }
    }
    return best;
}

static uint32_t choose_spills(choice *h)
{
    uint32_t chosen = 0;
    const coloring *c = h->c;
    for (uint32_t r = 0; r < h->g->n; r++) {
        h->degree[r] = degree(h->g, r);
    }
    for (uint32_t i = 0; i < c->order_count; i++) {
        uint32_t r = c->order[i];
        bool pred = h->f->vreg[r].words == 0;
        uint32_t end = c->color[r] + width(h->f, r);
        uint32_t most = pred ? WW_MACHINE_PREDICATES : h->how->limit;
        if (end <= most) {
            continue;
        }
        uint32_t victim = cheapest(h, r, h->how->firm ? end - most : 1);
        if (victim != UINT32_MAX) {
            h->spill[victim] = true;
            chosen++;
        }
    }
    return chosen;
}

static ww_status spill_some(ww_function *f, ww_arena *arena, const ww_interference *g,
                            const coloring *c, spilling *how, ww_arena *scratch, ww_error *err)
{
    choice h = {f,
                g,
                c,
                how,
                WW_ARENA_NEW_ARRAY(scratch, uint32_t, g->n),
                WW_ARENA_NEW_ARRAY(scratch, bool, g->n),
                WW_ARENA_NEW_ARRAY(scratch, ww_operand, g->n)};
    if (h.degree == NULL || h.spill == NULL || h.sign_of == NULL) {
        return ww_no_memory_for(err, "allocating registers of %s", f->name);
    }
    WW_TRY(ww__find_signs(f, how->original, h.sign_of, err));
    uint32_t chosen = choose_spills(&h);
    if (chosen == 0 && !how->firm) {
        how->firm = true;
        chosen = choose_spills(&h);
    }
    if (chosen == 0) {
        return ww_fail(
            err, WW_EUNSUP,
            "function %s does not fit into %u registers and %d predicates even with spilling",
            f->name, how->limit, WW_MACHINE_PREDICATES);
    }
    return ww__spill(f, arena, h.spill, g->n, h.sign_of, err);
}

/* ---- result ---- */

/* Number of the first scalar: pairs stay even-aligned. */
static uint32_t scalar_base(const coloring *c)
{
    return (c->used_regs + 1) / 2 * 2;
}

static void apply(ww_operand *o, const ww_function *f, const coloring *c)
{
    if (ww__is_register(*o)) {
        WW_ASSERT(o->reg < f->vreg_count);
        uint32_t color = c->color[o->reg] != UINT32_MAX ? c->color[o->reg] : 0;
        uint32_t base = is_scalar(c, f, o->reg) ? scalar_base(c) : 0;
        o->reg = base + color + (o->part == 2 ? 1 : 0);
        o->part = 0;
        WW_ASSERT(o->kind == WW_OPD_PRED ? o->reg < WW_MACHINE_PREDICATES : o->reg < MOST_COLORS);
    }
}

static bool names_vector(const coloring *c, const ww_function *f, const ww_operand *list,
                         unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (list[k].kind != WW_OPD_PRED && ww__is_register(list[k]) &&
            !is_scalar(c, f, list[k].reg)) {
            return true;
        }
    }
    return false;
}

/* Spilling leaves vectors where scalars were: all threads execute what names one. */
static void keep_once(const coloring *c, const ww_function *f, ww_inst *inst)
{
    if (names_vector(c, f, inst->dst, inst->dst_count) ||
        names_vector(c, f, inst->src, inst->src_count)) {
        inst->mods &= ~(uint32_t)WW_MOD_ONCE;
    }
}

static bool self_move_rule(ww_rewriter *l, const ww_inst *inst)
{
    (void)l;
    return inst->op == WW_OP_MOV && inst->dst_count == 1 && inst->src_count == 1 &&
           inst->src[0].kind == WW_OPD_REG && inst->dst[0].kind == WW_OPD_REG &&
           inst->src[0].flags == 0 && inst->src[0].reg == inst->dst[0].reg &&
           inst->src[0].words == inst->dst[0].words;
}

static ww_status finish(ww_function *f, ww_arena *arena, const coloring *c, ww_allocation *out,
                        ww_error *err)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        keep_once(c, f, inst);
        for (unsigned k = 0; k < inst->dst_count; k++) {
            apply(&inst->dst[k], f, c);
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            apply(&inst->src[k], f, c);
        }
        apply(&inst->guard, f, c);
    }
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        apply(&f->formal_in[i], f, c);
    }
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        apply(&f->formal_out[i], f, c);
    }
    out->registers = out->vector_registers = c->used_regs > 0 ? c->used_regs : 1;
    out->predicates = c->used_preds;
    if (c->used_scalars > 0) {
        out->vector_registers = c->used_regs;
        out->scalar_base = scalar_base(c);
        out->registers = out->scalar_base + c->used_scalars;
    }
    return ww__lower_rewrite(f, arena, NULL, self_move_rule, err);
}

static bool is_hopeless(const coloring *c, uint32_t limit)
{
    return c->used_regs > limit + HOPELESS || c->used_scalars > limit + HOPELESS ||
           c->used_preds > WW_MACHINE_PREDICATES + HOPELESS;
}

/* Colors of all registers; the graph is the caller's to release if it succeeds. */
static ww_status color_all(ww_function *f, coloring *c, ww_interference *g, ww_arena *scratch,
                           ww_error *err)
{
    WW_TRY(ww__interference_build(f, g, err));
    if (c->scalars != NULL) {
        ww__interference_separate(g, f, c->scalars);
    }
    ww_status status = order_by_definition(g, scratch, c, err);
    if (status != WW_OK) {
        ww__interference_fini(g);
        return status;
    }
    paint(f, g, c);
    return WW_OK;
}

static bool has_room(const coloring *c, uint32_t limit)
{
    return c->used_regs <= limit && c->used_scalars <= limit &&
           c->used_preds <= WW_MACHINE_PREDICATES;
}

static ww_status one_round(ww_function *f, ww_arena *arena, spilling *how, coloring *c,
                           ww_arena *scratch, bool *fits, ww_error *err)
{
    ww_interference g;
    WW_TRY(color_all(f, c, &g, scratch, err));
    *fits = has_room(c, how->limit);
    how->firm |= is_hopeless(c, how->limit);
    ww_status status = *fits ? WW_OK : spill_some(f, arena, &g, c, how, scratch, err);
    ww__interference_fini(&g);
    return status;
}

/* What was spilled is loaded right before it is read. Scheduled once more, loads stand as early as
 * registers last; the order is kept if it can be colored. */
static ww_status schedule_reloads(ww_function *f, const ww_arch *arch, uint32_t limit, coloring *c,
                                  ww_arena *scratch, ww_error *err)
{
    ww_inst *before = WW_ARENA_NEW_ARRAY(scratch, ww_inst, (size_t)f->inst_count + 1);
    coloring again = {.classified = c->classified};
    ww_interference g;
    if (before == NULL) {
        return ww_no_memory_for(err, "allocating registers of %s", f->name);
    }
    memcpy(before, f->inst, f->inst_count * sizeof *before);
    WW_TRY(ww__schedule(f, scratch, arch, err));
    WW_TRY(color_all(f, &again, &g, scratch, err));
    ww__interference_fini(&g);
    if (has_room(&again, limit)) {
        *c = again;
    } else {
        memcpy(f->inst, before, f->inst_count * sizeof *before);
    }
    return WW_OK;
}

ww_status ww_allocate_registers(ww_function *f, ww_arena *arena, uint32_t register_limit,
                                uint32_t *registers, uint32_t *predicates, uint32_t *spill_bytes,
                                ww_error *err)
{
    ww_allocation a;
    WW_TRY(ww__allocate_classes(f, arena, register_limit, NULL, NULL, &a, err));
    *registers = a.registers;
    *predicates = a.predicates;
    *spill_bytes = a.spill_bytes;
    return WW_OK;
}

ww_status ww__allocate_classes(ww_function *f, ww_arena *arena, uint32_t register_limit,
                               const ww_scalars *scalars, const ww_arch *arch, ww_allocation *out,
                               ww_error *err)
{
    *out = (ww_allocation){0};
    spilling how = {.limit = register_limit, .original = f->vreg_count};
    uint32_t local_before = f->local_bytes;
    uint32_t most_rounds = GENTLE_ROUNDS + f->vreg_count / 8;
    for (uint32_t round = 0; round < most_rounds; round++) {
        ww_arena scratch = {0};
        coloring c = {.scalars = scalars, .classified = how.original};
        bool fits = false;
        how.firm |= round >= GENTLE_ROUNDS;
        ww_status status = one_round(f, arena, &how, &c, &scratch, &fits, err);
        if (status == WW_OK && fits && round > 0 && arch != NULL && scalars == NULL) {
            status = schedule_reloads(f, arch, how.limit, &c, &scratch, err);
        }
        if (status == WW_OK && fits) {
            out->spill_bytes = f->local_bytes - local_before;
            out->rounds = round;
            status = finish(f, arena, &c, out, err);
        }
        ww_arena_fini(&scratch);
        if (status != WW_OK || fits) {
            return status;
        }
    }
    return ww_fail(err, WW_EUNSUP,
                   "registers of %s could not be allocated within %u spilling rounds", f->name,
                   most_rounds);
}
