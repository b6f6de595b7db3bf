/* helper_warp.c - see helper_warp.h. */
#include "tests/mech/helper_warp.h"

#include <string.h>

enum {
    JOBS = 64,   /* warps that wait for their loads to be issued ahead */
    LINES = 256, /* lines locked and not yet read */
    LOCKED_WAYS = 2,
};

/* A warp whose loads are to be issued ahead. */
typedef struct job {
    uint32_t linear, index; /* CTA, warp within it */
    uint8_t cta;            /* slot */
} job;

typedef struct held_line {
    uint64_t address;
    uint8_t cta;
} held_line;

typedef struct helper {
    ww_sm *sm;
    const ww_kernel *kernel;
    uint32_t entry; /* 0: this kernel has no second program */
    job jobs[JOBS]; /* ring, oldest first */
    uint32_t first, count;
    held_line lines[LINES];
    uint32_t line_count;
    uint32_t warp; /* slot of the running helper; UINT32_MAX: none */
    job current;
} helper;

/* ---- the pass: the address slice of the first block ---- */

static bool ends_block(const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    return form.kind == WW_KIND_BRANCH || form.kind == WW_KIND_SYNC || form.unit == WW_UNIT_CTRL;
}

static uint32_t first_block(const ww_kernel *k)
{
    uint32_t end = 0;
    while (end < k->code_count && !ends_block(&k->code[end])) {
        end++;
    }
    for (uint32_t i = 0; i < k->code_count; i++) {
        if (k->code[i].target != WW_NO_TARGET && k->code[i].target < end) {
            end = k->code[i].target; /* a loop comes back into it */
        }
    }
    return end;
}

/* Registers and predicates with values that the helper does not have. */
typedef struct unknowns {
    bool *reg, *pred;
} unknowns;

static bool is_unknown(const unknowns *u, const ww_operand *o)
{
    bool any = o->kind == WW_OPD_PRED && u->pred[o->reg];
    for (uint32_t r = 0; o->kind == WW_OPD_REG && r < o->words; r++) {
        any = any || u->reg[o->reg + r];
    }
    return any;
}

static void set_unknown(unknowns *u, const ww_operand *o, bool value)
{
    if (o->kind == WW_OPD_PRED) {
        u->pred[o->reg] = value;
    }
    for (uint32_t r = 0; o->kind == WW_OPD_REG && r < o->words; r++) {
        u->reg[o->reg + r] = value;
    }
}

/* Whether the helper executes the instruction; notes what becomes of its results. */
static bool keep(const ww_inst *i, unknowns *u)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    bool global = i->op == WW_OP_LD && i->space == WW_SPACE_GLOBAL;
    bool constant = i->op == WW_OP_LD && (i->space == WW_SPACE_CONST || i->space == WW_SPACE_PARAM);
    bool computes = form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE;
    bool known = !is_unknown(u, &i->guard);
    for (unsigned s = 0; s < i->src_count; s++) {
        known = known && !is_unknown(u, &i->src[s]);
    }
    bool result = known && (computes || constant);
    for (unsigned d = 0; d < i->dst_count; d++) {
        set_unknown(u, &i->dst[d], !result);
    }
    return known && (computes || constant || global);
}

static ww_status pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                      ww_error *err)
{
    const ww_kernel *k = build->kernel;
    uint32_t block = first_block(k), n = k->code_count, loads = 0;
    ww_inst *code = WW_ARENA_NEW_ARRAY(build->arena, ww_inst, n + block + 1);
    ww_kernel *both = WW_ARENA_NEW(build->arena, ww_kernel);
    helper_note *note = WW_ARENA_NEW(build->arena, helper_note);
    unknowns u = {.reg = WW_ARENA_NEW_ARRAY(build->arena, bool, k->registers + 4),
                  .pred = WW_ARENA_NEW_ARRAY(build->arena, bool, k->predicates + 1)};
    if (!code || !both || !note || !u.reg || !u.pred) {
        return ww_no_memory(err);
    }
    memcpy(code, k->code, n * sizeof *code);
    for (uint32_t i = 0; i < block; i++) {
        if (keep(&k->code[i], &u)) {
            loads += k->code[i].op == WW_OP_LD && k->code[i].space == WW_SPACE_GLOBAL;
            code[n++] = k->code[i];
        }
    }
    if (loads == 0) {
        return WW_OK;
    }
    code[n++] = (ww_inst){.op = WW_OP_EXIT,
                          .type = WW_T_NONE,
                          .vec = 1,
                          .target = WW_NO_TARGET,
                          .reconv = WW_NO_TARGET,
                          .line = k->code[0].line};
    *both = *k;
    both->code = code;
    both->code_count = n;
    note->entry = k->code_count;
    *kernel = both;
    *notes = note;
    return WW_OK;
}

/* ---- lifetime ---- */

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    (void)arch;
    helper *h = WW_NEW(helper);
    if (h == NULL) {
        return ww_no_memory(err);
    }
    h->sm = sm;
    *state = h;
    return WW_OK;
}

static void destroy(void *state)
{
    ww_free(state);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    helper *h = state;
    const helper_note *note = launch->notes;
    (void)err;
    *h = (helper){.sm = h->sm,
                  .kernel = launch->kernel,
                  .entry = note != NULL ? note->entry : 0,
                  .warp = UINT32_MAX};
    return WW_OK;
}

/* ---- jobs ---- */

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    helper *h = state;
    (void)now;
    ww_warps_walk i = ww_warps_from(warps);
    while (h->entry != 0 && h->count < JOBS && ww_warps_next(&i)) {
        const ww_warp *warp = ww_mech_warp(h->sm, i.warp);
        h->jobs[(h->first + h->count++) % JOBS] =
            (job){.linear = warp->cta->linear, .index = warp->index, .cta = (uint8_t)cta};
    }
}

static void tick(void *state, uint64_t now)
{
    helper *h = state;
    if (h->count == 0 || h->warp != UINT32_MAX) {
        return;
    }
    h->current = h->jobs[h->first];
    h->first = (h->first + 1) % JOBS;
    h->count--;
    if (ww_mech_start_warp(h->sm, h->entry, h->current.linear, now, &h->warp, NULL) != WW_OK) {
        h->warp = UINT32_MAX;
        h->count = 0;
        return;
    }
    ww_mech_warp(h->sm, h->warp)->index = h->current.index; /* %tid of the warp it works for */
}

static uint64_t next(const void *state, uint64_t now)
{
    const helper *h = state;
    return h->count > 0 && h->warp == UINT32_MAX ? now + 1 : UINT64_MAX;
}

static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    helper *h = state;
    (void)now;
    if (warp == h->warp) {
        h->warp = UINT32_MAX;
    }
}

/* ---- loads ahead, into locked lines ---- */

static ww_issue_verdict issue(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    helper *h = state;
    (void)now;
    const ww_inst *inst = &h->kernel->code[pc];
    bool load = warp == h->warp && inst->op == WW_OP_LD && inst->space == WW_SPACE_GLOBAL;
    return (ww_issue_verdict){.kind = load ? WW_ISSUE_PRELOAD : WW_ISSUE_UNIT};
}

static void release(helper *h, uint32_t i)
{
    ww_mech_unlock(h->sm, h->lines[i].address);
    h->lines[i] = h->lines[--h->line_count];
}

static void looked_up(void *state, const ww_mech_access *a, ww_cache_result result, uint64_t now)
{
    helper *h = state;
    (void)now;
    bool read = result == WW_CACHE_HIT || result == WW_CACHE_MISS || result == WW_CACHE_MERGED;
    if (!read || a->kind == WW_ACCESS_STORE || a->local) {
        return;
    }
    if (a->extra) {
        if (h->line_count < LINES && ww_mech_lock(h->sm, a->address, LOCKED_WAYS)) {
            h->lines[h->line_count++] = (held_line){a->address, h->current.cta};
        }
        return;
    }
    for (uint32_t i = 0; i < h->line_count; i++) {
        if (h->lines[i].address == a->address && h->lines[i].cta == a->cta) {
            release(h, i);
            return;
        }
    }
}

static void cta_ended(void *state, uint32_t cta, uint64_t now)
{
    helper *h = state;
    (void)now;
    for (uint32_t i = h->line_count; i-- > 0;) {
        if (h->lines[i].cta == cta) {
            release(h, i);
        }
    }
    for (uint32_t n = h->count; n > 0; n--) { /* jobs for it are pointless */
        job j = h->jobs[h->first];
        h->first = (h->first + 1) % JOBS;
        h->count--;
        if (j.cta != cta) {
            h->jobs[(h->first + h->count++) % JOBS] = j;
        }
    }
}

const ww_mech helper_warp_mech = {
    .name = "helper-warp",
    .pass = pass,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .cta_ended = cta_ended,
    .warp_exited = warp_exited,
    .issue = issue,
    .looked_up = looked_up,
    .tick = tick,
    .next = next,
};
