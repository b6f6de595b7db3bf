/* slice.c - backward slices: the instructions that make a value, and where they take it from. */
#include <string.h>

#include "perf/ptx/analysis/internal.h"

typedef struct slicer {
    const ww_view *view;
    const ww_chains *chains;
    unsigned options;
    ww_slice *out;
    uint32_t *stack, depth; /* instructions in the slice whose operands are to be followed */
} slicer;

/* Where a load takes its value; a generic address may be any of several. */
static uint32_t load_source(uint32_t places)
{
    static const struct {
        uint32_t place, source;
    } rows[] = {{WW_AT_PARAMETER, WW_FROM_PARAM}, {WW_AT_CONSTANT, WW_FROM_CONST},
                {WW_AT_GLOBAL, WW_FROM_GLOBAL},   {WW_AT_SHARED, WW_FROM_SHARED},
                {WW_AT_LOCAL, WW_FROM_LOCAL},     {WW_AT_TEXTURE, WW_FROM_TEXTURE},
                {WW_AT_SURFACE, WW_FROM_TEXTURE}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(rows); k++) {
        if (places == rows[k].place) {
            return rows[k].source;
        }
    }
    return WW_FROM_GENERIC;
}

uint32_t ww_value_source(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const uint32_t memory = WW_AT_MEMORY | WW_AT_READ_ONLY;
    if (e.goes == WW_GOES_CALLS) {
        return WW_FROM_CALL;
    }
    if ((e.writes & WW_AT_VALUES) == 0) {
        return 0;
    }
    if ((e.reads & memory) == 0) {
        return e.meets != 0 ? WW_FROM_LANES : 0;
    }
    bool replaces = (e.reads & e.writes & memory) != 0 && (e.reads & WW_AT_OBJECTS) == 0;
    return replaces ? WW_FROM_ATOMIC : load_source(e.reads & memory);
}

/* The instructions whose operand 0 with an offset is an address; the others' operands are not. */
static bool follows_operands(const slicer *s, const ww_inst *inst)
{
    uint32_t source = ww_value_source(inst);
    if (source == 0 ||
        ww_inst_folded(inst) != NULL) { /* it computes beside the word that it reads */
        return true;
    }
    return (s->options & WW_SLICE_ADDRESSES) != 0 && (source & (WW_FROM_LANES | WW_FROM_CALL)) == 0;
}

static void add_inst(slicer *s, uint32_t inst)
{
    if (!ww_slice_has(s->out, inst)) {
        ww__add_bit(s->out->inst, inst);
        WW_ASSERT(s->depth < s->view->inst_count);
        s->out->inst_count++;
        s->stack[s->depth++] = inst;
    }
}

static void add_read(slicer *s, uint32_t access)
{
    uint32_t count;
    const uint32_t *def = ww_chain(s->chains, access, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (def[k] == WW_DEF_ENTRY) {
            s->out->sources |= WW_FROM_ENTRY;
        } else {
            add_inst(s, s->view->access[def[k]].inst);
        }
    }
}

/* An operand that names no register. */
static void add_constant(slicer *s, ww_operand o)
{
    switch (o.kind) {
    case WW_OPD_IMM:
        s->out->sources |= WW_FROM_IMMEDIATE;
        break;
    case WW_OPD_CONST:
        s->out->sources |= WW_FROM_PARAM;
        break;
    case WW_OPD_SREG:
        s->out->sources |= WW_FROM_SREG;
        s->out->sregs |= 1ull << o.reg;
        break;
    default:
        break;
    }
}

/* Follows the operands of one role of an instruction; index UINT32_MAX: all. */
static void add_operands(slicer *s, uint32_t inst, ww_role role, uint32_t index)
{
    const ww_view *v = s->view;
    for (uint32_t a = v->reads[inst]; a < v->writes[inst]; a++) {
        const ww_access *access = &v->access[a];
        if (access->role == role && (index == UINT32_MAX || access->index == index)) {
            add_read(s, a);
        }
    }
    for (uint32_t k = 0; role == WW_ROLE_SRC && k < v->inst[inst].src_count; k++) {
        if (index == UINT32_MAX || index == k) {
            add_constant(s, v->inst[inst].src[k]);
        }
    }
}

/* Predicates, or the index of a brx, of the branches that decide whether an instruction runs. */
static void add_control(slicer *s, uint32_t inst)
{
    const ww_dominance *d = &s->view->dominance;
    uint32_t block = ww_view_block(s->view, inst);
    for (uint32_t k = d->control_at[block]; k < d->control_at[block + 1]; k++) {
        uint32_t branch = s->view->cfg.block[d->control[k]].last - 1;
        add_operands(s, branch, WW_ROLE_GUARD, UINT32_MAX);
        if (s->view->inst[branch].op == WW_OP_BRX) {
            add_operands(s, branch, WW_ROLE_SRC, UINT32_MAX);
        }
    }
}

static void follow(slicer *s)
{
    while (s->depth > 0) {
        uint32_t at = s->stack[--s->depth];
        const ww_inst *inst = &s->view->inst[at];
        s->out->sources |= ww_value_source(inst);
        if (follows_operands(s, inst)) {
            add_operands(s, at, WW_ROLE_SRC, UINT32_MAX);
        }
        if ((s->options & WW_SLICE_GUARDS) != 0) {
            add_operands(s, at, WW_ROLE_GUARD, UINT32_MAX);
        }
        if ((s->options & WW_SLICE_CONTROL) != 0) {
            add_control(s, at);
        }
    }
}

/* ---- values that depend on themselves ---- */

/* Counts, or takes away again, instruction `at` as a reader of each definition that it reads;
 * stacks what is left without readers. */
static void count_reader(slicer *s, uint32_t at, uint32_t *readers, bool take_away)
{
    const ww_view *v = s->view;
    uint32_t count;
    for (uint32_t a = v->reads[at]; a < v->writes[at] && follows_operands(s, &v->inst[at]); a++) {
        const uint32_t *def = ww_chain(s->chains, a, &count);
        for (uint32_t k = 0; k < count && v->access[a].role == WW_ROLE_SRC; k++) {
            if (def[k] == WW_DEF_ENTRY || !ww_slice_has(s->out, v->access[def[k]].inst)) {
                continue;
            }
            uint32_t from = v->access[def[k]].inst;
            if (!take_away) {
                readers[from]++;
            } else if (--readers[from] == 0) {
                s->stack[s->depth++] = from;
            }
        }
    }
}

/* Kahn 1962: what cannot be ordered by taking away readers is on, or made from, a cycle. */
static ww_status find_cycle(slicer *s, ww_arena *arena, ww_error *err)
{
    uint32_t n = s->view->inst_count, left = s->out->inst_count;
    uint32_t *readers = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    if (readers == NULL) {
        return ww__analysis_no_memory(s->view, err);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ww_slice_has(s->out, i)) {
            count_reader(s, i, readers, false);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ww_slice_has(s->out, i) && readers[i] == 0) {
            WW_ASSERT(s->depth < s->view->inst_count);
            s->stack[s->depth++] = i;
        }
    }
    while (s->depth > 0) {
        left--;
        count_reader(s, s->stack[--s->depth], readers, true);
    }
    s->out->cyclic = left > 0;
    return WW_OK;
}

ww_status ww_slice_build(const ww_view *view, const ww_chains *chains, uint32_t inst, ww_role role,
                         uint32_t index, unsigned options, ww_arena *arena, ww_slice *out,
                         ww_error *err)
{
    *out = (ww_slice){.inst = WW_ARENA_NEW_ARRAY(arena, uint64_t, view->inst_count / 64 + 1)};
    slicer s = {.view = view, .chains = chains, .options = options, .out = out};
    s.stack = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)view->inst_count + 1);
    if (out->inst == NULL || s.stack == NULL) {
        return ww__analysis_no_memory(view, err);
    }
    add_operands(&s, inst, role, index);
    follow(&s);
    return find_cycle(&s, arena, err);
}
