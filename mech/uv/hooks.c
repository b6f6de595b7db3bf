/* hooks.c - UV, uniform-vector reuse as DARSIE (Yeh et al., ASPLOS 2020, section 5) describes its
 * baseline (Xiang et al., ICS 2013): an instruction whose operands are the same in all lanes is
 * looked up by PC and operand values in an instruction reuse buffer (Sodani and Sohi, ISCA 1997);
 * found, it does not execute. It has been fetched, decoded and issued by then. Memory operations
 * and instructions with inactive lanes are never reused.
 *
 * A register is known to be uniform when the instruction that wrote it had uniform operands and all
 * lanes: one bit per register and warp. A result can be reused once its first execution has written
 * it back. */
#include <string.h>

#include "base/assert.h"
#include "mech/mechanisms.h"

enum {
    SOURCES = 3, /* operand words that an entry compares, CTA index included */
    RESULTS = 2, /* result words that it holds */
    WARPS = WW_WARPS,
};

/* What the pass finds of an instruction. */
typedef struct uv_note {
    bool spreads;  /* uniform operands make a uniform result */
    bool reusable; /* and that may come from the buffer */
    bool cta;      /* the result depends on the CTA's index */
} uv_note;

typedef struct uv_key {
    uint32_t pc;
    uint32_t source[SOURCES];
} uv_key;

typedef struct uv_entry {
    uv_key key;
    uint32_t result[RESULTS];
    uint64_t used; /* replacement order; 0: free */
    uint8_t warp;  /* that executes it */
    bool ready;    /* its result is written back */
} uv_entry;

typedef struct uv {
    ww_sm *sm;
    const ww_kernel *kernel;
    const uv_note *note; /* [instruction] */
    uint64_t *uniform;   /* [warp][words]: registers, then predicates */
    uint32_t words, predicate_base;
    uv_entry *entry; /* [sets][ways] */
    uint32_t sets, ways, latency;
    uint64_t clock;
    /* of the instruction between `issue` and `executed` */
    uv_key key;
    bool inputs_uniform;
    uv_entry *hit;
} uv;

/* ---- the pass ---- */

/* Words of the operand in an entry; 0: it is the same for all warps of a launch. */
static unsigned operand_words(const ww_operand *o, uv_note *note)
{
    switch (o->kind) {
    case WW_OPD_REG:
    case WW_OPD_SHARED: /* one word for all lanes whose base is the same */
        return o->words;
    case WW_OPD_PRED:
        return 1;
    case WW_OPD_SREG:
        switch (ww_sreg_kind_of((ww_sreg)o->reg)) {
        case WW_SREG_KIND_CTA:
            note->cta = true;
            return 0;
        case WW_SREG_KIND_DIMENSION:
        case WW_SREG_KIND_SHARED:
            return 0;
        default: /* differs by lane, by warp or by time, but for two */
            note->spreads = note->spreads && (o->reg == WW_SREG_GRIDID || o->reg == WW_SREG_NSMID);
            return 0;
        }
    default:
        return 0;
    }
}

static bool uniform_load(const ww_inst *i)
{
    return i->op == WW_OP_LD && i->space != WW_SPACE_LOCAL && (i->mods & WW_MOD_VOLATILE) == 0;
}

static uv_note describe(const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    bool computes = (form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE) &&
                    form.unit != WW_UNIT_TENSOR && form.unit != WW_UNIT_LDST;
    uv_note note = {.spreads = computes || uniform_load(i)};
    unsigned sources = 0, results = 0;
    for (unsigned k = 0; k < i->src_count; k++) {
        sources += operand_words(&i->src[k], &note);
    }
    for (unsigned k = 0; k < i->dst_count; k++) {
        results += i->dst[k].kind == WW_OPD_PRED ? 1u : i->dst[k].words;
    }
    sources += note.cta;
    note.reusable = /* memory may have changed since */
        note.spreads && computes && ww_inst_folded(i) == NULL && sources <= SOURCES &&
        results > 0 && results <= RESULTS;
    return note;
}

static ww_status pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                      ww_error *err)
{
    (void)kernel;
    const ww_kernel *k = build->kernel;
    uv_note *note = WW_ARENA_NEW_ARRAY(build->arena, uv_note, k->code_count);
    if (note == NULL) {
        return ww_no_memory_for(err, "kernel %s", k->name);
    }
    for (uint32_t i = 0; i < k->code_count; i++) {
        note[i] = describe(&k->code[i]);
    }
    *notes = note;
    return WW_OK;
}

/* ---- lifetime ---- */

static void destroy(void *state)
{
    uv *s = state;
    if (s != NULL) {
        ww_free(s->uniform);
        ww_free(s->entry);
        ww_free(s);
    }
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_uv_params *p = &arch->uv;
    if (p->entries % p->ways != 0) {
        return ww_fail(err, WW_ERANGE, "uv.entries = %u does not divide into %u ways", p->entries,
                       p->ways);
    }
    uv *s = WW_NEW(uv);
    uv_entry *entry = WW_NEW_ARRAY(uv_entry, p->entries);
    if (s == NULL || entry == NULL) {
        ww_free(s);
        ww_free(entry);
        return ww_no_memory(err);
    }
    *s = (uv){.sm = sm,
              .entry = entry,
              .sets = p->entries / p->ways,
              .ways = p->ways,
              .latency = p->latency};
    *state = s;
    return WW_OK;
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    uv *s = state;
    s->kernel = launch->kernel;
    s->note = launch->notes;
    s->predicate_base = launch->kernel->registers;
    s->words = (launch->kernel->registers + launch->kernel->predicates + 63) / 64;
    ww_free(s->uniform);
    s->uniform = WW_NEW_ARRAY(uint64_t, (size_t)ww_mech_slots(s->sm) * s->words);
    if (s->uniform == NULL) {
        return ww_no_memory(err);
    }
    memset(s->entry, 0, (size_t)s->sets * s->ways * sizeof *s->entry);
    s->clock = 0;
    return WW_OK;
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    uv *s = state;
    (void)cta;
    (void)now;
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        memset(s->uniform + (size_t)w * s->words, 0, s->words * sizeof *s->uniform);
    }
}

/* ---- the table of uniform registers ---- */

/* The word of a warp's register or predicate. */
static uint64_t *word_of(const uv *s, uint32_t w, uint32_t at)
{
    WW_ASSERT(w < ww_mech_slots(s->sm) && at / 64 < s->words);
    return &s->uniform[(size_t)w * s->words + at / 64];
}

static bool get_bit(const uv *s, uint32_t w, uint32_t at)
{
    return (*word_of(s, w, at) >> (at % 64) & 1) != 0;
}

static bool is_uniform(const uv *s, uint32_t w, const ww_operand *o)
{
    if (o->kind == WW_OPD_PRED) {
        return get_bit(s, w, s->predicate_base + o->reg);
    }
    WW_ASSERT(o->kind != WW_OPD_PRED);
    for (uint32_t r = o->reg; r < o->reg + ww_operand_registers(o); r++) {
        if (!get_bit(s, w, r)) {
            return false;
        }
    }
    return true;
}

static void set_bit(const uv *s, uint32_t w, uint32_t at, bool value)
{
    uint64_t *word = word_of(s, w, at), bit = UINT64_C(1) << (at % 64);
    *word = value ? *word | bit : *word & ~bit;
}

static void mark(const uv *s, uint32_t w, const ww_operand *o, bool uniform)
{
    if (o->kind == WW_OPD_PRED) {
        set_bit(s, w, s->predicate_base + o->reg, uniform);
    }
    for (uint32_t r = o->reg; o->kind == WW_OPD_REG && r < o->reg + o->words; r++) {
        set_bit(s, w, r, uniform);
    }
}

static bool sources_uniform(const uv *s, uint32_t w, const ww_inst *inst)
{
    if (inst->guard.kind == WW_OPD_PRED && !is_uniform(s, w, &inst->guard)) {
        return false;
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (!is_uniform(s, w, &inst->src[k])) {
            return false;
        }
    }
    return true;
}

/* Every lane of the warp is active and passes the guard. */
static bool all_lanes(const ww_warp *warp, const ww_inst *inst)
{
    if (ww_warp_active(warp) != UINT32_MAX) {
        return false;
    }
    if (inst->guard.kind != WW_OPD_PRED) {
        return true;
    }
    uint32_t flip = (inst->guard.flags & WW_OPD_NOT) != 0 ? UINT32_MAX : 0;
    return (warp->preds[inst->guard.reg] ^ flip) == UINT32_MAX;
}

/* ---- the reuse buffer ---- */

/* Values of uniform operands, at most `most` words: those of lane 0. Returns the number of words.
 */
static unsigned read_values(const ww_warp *warp, const ww_operand *list, unsigned count,
                            uint32_t *out, unsigned most)
{
    unsigned n = 0;
    for (unsigned k = 0; k < count; k++) {
        const ww_operand *o = &list[k];
        if (o->kind == WW_OPD_PRED) {
            WW_ASSERT(n < most);
            out[n++] = warp->preds[o->reg] & 1;
        }
        for (uint32_t r = 0; o->kind == WW_OPD_REG && r < o->words; r++) {
            WW_ASSERT(n < most);
            out[n++] = warp->regs[(size_t)(o->reg + r) * WW_WARP_SIZE];
        }
    }
    (void)most; /* looked at by the assertions alone */
    return n;
}

static uv_entry *set_of(uv *s, uint32_t pc)
{
    return s->entry + (size_t)(pc % s->sets) * s->ways;
}

static uv_entry *search(uv *s, const uv_key *key)
{
    uv_entry *set = set_of(s, key->pc);
    for (uint32_t i = 0; i < s->ways; i++) {
        if (set[i].used != 0 && memcmp(&set[i].key, key, sizeof *key) == 0) {
            return &set[i];
        }
    }
    return NULL;
}

static uv_entry *oldest(uv *s, uint32_t pc)
{
    uv_entry *set = set_of(s, pc), *best = set;
    for (uint32_t i = 1; i < s->ways; i++) {
        best = set[i].used < best->used ? &set[i] : best;
    }
    return best;
}

/* ---- hooks ---- */

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    uv *s = state;
    (void)now;
    s->hit = NULL;
    s->inputs_uniform = false;
    bool extra = ww_mech_is_extra(s->sm, w);
    if (extra || s->note == NULL || !s->note[pc].spreads) {
        return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
    }
    const ww_inst *inst = &s->kernel->code[pc];
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    ww_mech_count(s->sm, WW_C_UV_CHECK, 1);
    s->inputs_uniform = sources_uniform(s, w, inst) && all_lanes(warp, inst);
    if (!s->inputs_uniform || !s->note[pc].reusable) {
        return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
    }
    s->key = (uv_key){.pc = pc};
    unsigned n = read_values(warp, inst->src, inst->src_count, s->key.source, SOURCES);
    ww_mech_count(s->sm, WW_C_UV_LOOKUP, 1);
    ww_mech_count(s->sm, WW_C_RF_READ, n); /* operands are compared, one lane each */
    ww_mech_count(s->sm, WW_C_RF_READ_LANES, n);
    if (s->note[pc].cta) {
        WW_ASSERT(n < SOURCES);
        s->key.source[n] = warp->cta->linear;
    }
    s->hit = search(s, &s->key);
    if (s->hit == NULL || !s->hit->ready) {
        return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
    }
    s->hit->used = ++s->clock;
    ww_mech_count(s->sm, WW_C_UV_REUSED, 1);
    return (ww_issue_verdict){.kind = WW_ISSUE_REUSE, .latency = s->latency};
}

/* The oracle: plain execution has just computed what the buffer supplied. */
static void check(uv *s, const ww_warp *warp, const ww_inst *inst)
{
    uint32_t value[RESULTS] = {0};
    unsigned n = read_values(warp, inst->dst, inst->dst_count, value, RESULTS);
    if (memcmp(value, s->hit->result, n * sizeof value[0]) != 0) {
        ww_mech_count(s->sm, WW_C_MECH_MISMATCH, 1);
    }
}

static void enter(uv *s, uint32_t w, const ww_warp *warp, const ww_inst *inst)
{
    uv_entry *e = oldest(s, s->key.pc);
    *e = (uv_entry){.key = s->key, .used = ++s->clock, .warp = (uint8_t)w};
    read_values(warp, inst->dst, inst->dst_count, e->result, RESULTS);
    ww_mech_count(s->sm, WW_C_UV_WRITE, 1);
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    uv *s = state;
    (void)flight;
    (void)now;
    const ww_inst *inst = &s->kernel->code[step->pc];
    if (s->note == NULL || step->exec == 0) {
        return;
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        mark(s, w, &inst->dst[k], s->inputs_uniform);
    }
    ww_mech_count(s->sm, WW_C_UV_MARK, inst->dst_count > 0);
    if (!s->inputs_uniform || !s->note[step->pc].reusable) {
        return;
    }
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    if (s->hit == NULL) {
        enter(s, w, warp, inst);
    } else if (s->hit->ready) {
        check(s, warp, inst);
    }
}

static void written(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    uv *s = state;
    (void)now;
    bool extra = ww_mech_is_extra(s->sm, w); /* in code that a later pass appended */
    if (extra || s->note == NULL || !s->note[pc].reusable) {
        return;
    }
    uv_entry *set = set_of(s, pc);
    for (uint32_t i = 0; i < s->ways; i++) {
        if (set[i].used != 0 && set[i].key.pc == pc && set[i].warp == w) {
            set[i].ready = true;
        }
    }
}

const ww_mech ww_mech_uv = {
    .name = "uv",
    .pass = pass,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .issue = issue,
    .executed = executed,
    .written = written,
};
