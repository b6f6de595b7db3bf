/* shadow_context.c - a warp runs on in its own slot and comes back: what it goes back to is kept
 * here. While it is away the scoreboard rows in use are those of the shadow context. What was in
 * flight when it entered clears the kept rows when it is written, and the shadow's too unless it
 * comes from memory: such registers are not pending there (the mechanism knows them as unknown),
 * and an instruction of the shadow context may be writing them. What a shadow context has issued
 * clears its own rows alone, and nothing once the warp has left it. */
#include <string.h>

#include "perf/sm/core.h"
#include "perf/sm/hooks.h"

struct ww_kept {
    uint32_t *regs, *preds; /* all slots: [warp][registers][32], [warp][predicates] */
    ww_stack_entry *stack;  /* [warp][entries] */
    ww_awaited *awaited;    /* [warp][board.stride] */
    uint32_t depth[WW_SM_WARPS];
    uint32_t entries;
};

static size_t register_words(const ww_sm *sm)
{
    return (size_t)sm->launch->kernel->registers * WW_WARP_SIZE;
}

static ww_status mech_prepare_shadows(ww_sm *sm, uint32_t stack_entries, ww_error *err)
{
    const uint32_t warps = sm->arch->sm.max_warps;
    sm_forget_shadows(&sm->shadow);
    ww_kept *k = sm->shadow.kept = WW_NEW(ww_kept);
    if (k != NULL) {
        k->entries = stack_entries;
        k->regs = WW_NEW_ARRAY(uint32_t, warps * register_words(sm) + 1);
        k->preds = WW_NEW_ARRAY(uint32_t, warps * sm->launch->kernel->predicates + 1);
        k->stack = WW_NEW_ARRAY(ww_stack_entry, (size_t)warps * stack_entries);
        k->awaited = WW_NEW_ARRAY(ww_awaited, (size_t)warps * sm->board.stride);
    }
    if (k == NULL || k->regs == NULL || k->preds == NULL || k->stack == NULL ||
        k->awaited == NULL) {
        return ww_no_memory_for(err, "the shadow contexts of SM %u", sm->id);
    }
    return WW_OK;
}

static void sm_forget_shadows(ww_shadow_stage *shadow)
{
    ww_kept *k = shadow->kept;
    if (k != NULL) {
        ww_free(k->regs);
        ww_free(k->preds);
        ww_free(k->stack);
        ww_free(k->awaited);
        ww_free(k);
        shadow->kept = NULL;
    }
    shadow->warps = shadow->dropping = WW_NO_SLOTS;
    memset(shadow->id, 0, sizeof shadow->id);
}

/* Copies the state between the warp and its place in k. */
static void keep(const ww_sm *sm, ww_kept *k, uint32_t w)
{
    const ww_warp *warp = sm->warps.at[w];
    const uint32_t predicates = sm->launch->kernel->predicates;
    memcpy(k->regs + w * register_words(sm), warp->regs, register_words(sm) * sizeof *k->regs);
    memcpy(k->preds + (size_t)w * predicates, warp->preds, predicates * sizeof *k->preds);
    memcpy(k->stack + (size_t)w * k->entries, warp->stack, warp->depth * sizeof *k->stack);
    k->depth[w] = warp->depth;
}

static void give_back(const ww_sm *sm, const ww_kept *k, uint32_t w)
{
    ww_warp *warp = sm->warps.at[w];
    const uint32_t predicates = sm->launch->kernel->predicates;
    memcpy(warp->regs, k->regs + w * register_words(sm), register_words(sm) * sizeof *k->regs);
    memcpy(warp->preds, k->preds + (size_t)w * predicates, predicates * sizeof *k->preds);
    memcpy(warp->stack, k->stack + (size_t)w * k->entries, k->depth[w] * sizeof *k->stack);
    warp->depth = k->depth[w];
}

/* The head, decoded or awaited, is one of the other context. */
static void start_anew(ww_sm *sm, uint32_t w)
{
    sm->mech.told &= ~ww_slot(w);
    sm->mech.lifted &= ~ww_slot(w);
    sm->mech.halved &= ~ww_slot(w);
    sm_constants_forget(&sm->constants, w);
    sm_flush(sm, w, ww_warp_pc(sm->warps.at[w]));
    sm_evaluate(sm, w);
}

static bool mech_enter_shadow(ww_sm *sm, uint32_t w)
{
    ww_kept *k = sm->shadow.kept;
    if (k == NULL || ww_in(sm->shadow.warps, w) || sm->warps.at[w]->depth > k->entries) {
        return false;
    }
    ww_awaited *row = ww_awaited_of(sm, w);
    keep(sm, k, w);
    memcpy(k->awaited + (size_t)w * sm->board.stride, row, sm->board.stride * sizeof *row);
    for (uint32_t i = 0; i < sm->board.stride; i++) {
        row[i].all &= ~row[i].slow;
        row[i].slow = 0;
    }
    sm->shadow.warps |= ww_slot(w);
    sm->shadow.last[w] = sm->shadow.last[w] == UINT16_MAX ? 1 : (uint16_t)(sm->shadow.last[w] + 1);
    sm->shadow.id[w] = sm->shadow.last[w];
    start_anew(sm, w);
    ww_count(sm, WW_C_MECH_SHADOWS, 1);
    return true;
}

static void mech_leave_shadow(ww_sm *sm, uint32_t w)
{
    const ww_slots bit = ww_slot(w);
    if (!ww_any(sm->shadow.warps & bit)) {
        return;
    }
    ww_kept *k = sm->shadow.kept;
    ww_awaited *row = ww_awaited_of(sm, w);
    give_back(sm, k, w);
    memcpy(row, k->awaited + (size_t)w * sm->board.stride, sm->board.stride * sizeof *row);
    sm->shadow.warps &= ~bit;
    sm->shadow.id[w] = 0;
    sm->shadow.dropping &= ~bit;
    sm->warps.at_barrier &= ~bit;
    sm->hold.issue &= ~bit;
    sm->hold.fetch &= ~bit;
    sm->hold.blamed &= ~bit;
    start_anew(sm, w);
}

static bool mech_look_ahead(ww_sm *sm, uint32_t w)
{
    ww_kept *k = sm->shadow.kept;
    if (k == NULL || ww_in(sm->shadow.warps, w) || sm->warps.at[w]->depth > k->entries) {
        return false;
    }
    keep(sm, k, w);
    return true;
}

static bool mech_step_ahead(ww_sm *sm, uint32_t w, bool execute)
{
    const ww_exec_env env = {.launch = sm->launch};
    ww_warp *warp = sm->warps.at[w];
    const ww_inst *inst = &sm->launch->kernel->code[ww_warp_pc(warp)];
    ww_step step;
    const bool fine = execute && inst->op != WW_OP_EXIT && !sm_leaves_context(inst) &&
                      ww_exec_step(&env, warp, &step, NULL) == WW_OK;
    if (!fine) {
        ww_exec_pass(&env, warp, &step);
    }
    return fine;
}

static void mech_look_back(ww_sm *sm, uint32_t w)
{
    give_back(sm, sm->shadow.kept, w);
}

static bool mech_in_shadow(const ww_sm *sm, uint32_t warp)
{
    return ww_in(sm->shadow.warps, warp);
}

static ww_warps mech_shadow(const ww_sm *sm)
{
    return ww_warps_of_slots(sm->shadow.warps);
}

static bool mech_waits_for_memory(const ww_sm *sm, uint32_t warp, uint32_t reg)
{
    return ww_awaits_memory(sm, warp, ww_program_bit(sm->program, reg));
}

static void sm_release_beside_shadow(ww_sm *sm, const ww_flight *f, const ww_sm_op *uop)
{
    if (f->shadow != 0) {
        if (f->shadow == sm->shadow.id[f->warp]) {
            sm_release(sm, f->warp, uop);
        }
        return;
    }
    if (!ww_in(sm->shadow.warps, f->warp)) {
        sm_release(sm, f->warp, uop);
        return;
    }
    const ww_reg_bits *list = ww_program_written(sm->program, uop);
    ww_awaited *row = sm->shadow.kept->awaited + (size_t)f->warp * sm->board.stride;
    for (unsigned i = 0; i < uop->reserve_count; i++) {
        row[list[i].word].all &= ~list[i].mask;
        row[list[i].word].slow &= ~list[i].mask;
    }
    if ((uop->flags & WW_SM_OP_LONG) == 0) {
        sm_release(sm, f->warp, uop);
    } else {
        ww_charge(sm, f->uop, WW_C_SCOREBOARD_WRITE, 1);
    }
}

static void sm_drop_heads(ww_sm *sm, ww_slots due, uint64_t now)
{
    for (ww_slots m = due & sm->shadow.dropping; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        const ww_exec_env env = {.launch = sm->launch};
        sm->shadow.dropping &= ~ww_slot(w);
        sm->warps.at_barrier &= ~ww_slot(w);
        ww_exec_pass(&env, sm->warps.at[w], &sm->scratch);
        sm->pulse.progress++;
        ww_count(sm, WW_C_MECH_SHADOW_DROPPED, 1);
        const uint32_t row = ww_charge_row_of(sm, WW_CHARGE_MECH);
        ww_charge(sm, row, WW_C_STACK_READ, 1);
        ww_charge(sm, row, WW_C_STACK_POP, sm->scratch.popped);
        ww_charge(sm, row, WW_C_SCOREBOARD_READ, 1);
        sm_advance(sm, w, ww_warp_pc(sm->warps.at[w]), now);
    }
}
