/* state.c - what an SM keeps of a launch, its blocks and their warps. */
#include <string.h>

#include "mech/darsie/darsie.h"
#include "perf/ptx/analysis/redundancy.h"

ww_status ds_create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    darsie *s = WW_NEW(darsie);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    s->sm = sm;
    s->arch = arch;
    s->banks = arch->regfile.banks;
    *state = s;
    return WW_OK;
}

static void release(darsie *s)
{
    for (uint32_t c = 0; c < DS_CTAS; c++) {
        ww_free(s->cta[c].entry);
        s->cta[c] = (ds_cta){0};
    }
    ww_free(s->map);
    ww_free(s->contents);
    s->map = NULL;
    s->contents = NULL;
}

void ds_destroy(void *state)
{
    if (state != NULL) {
        release(state);
        ww_free(state);
    }
}

static ww_status allocate(darsie *s, uint32_t ctas, ww_error *err)
{
    const size_t versions = (size_t)ctas * s->arch->darsie.registers;
    s->map = WW_NEW_ARRAY(uint8_t, (size_t)ww_mech_slots(s->sm) * s->cells);
    s->contents = WW_NEW_ARRAY(uint32_t, versions * WW_WARP_SIZE);
    bool ok = s->map != NULL && s->contents != NULL;
    for (uint32_t c = 0; c < ctas && c < DS_CTAS; c++) {
        s->cta[c].entry = WW_NEW_ARRAY(ds_entry, s->entries);
        ok = ok && s->cta[c].entry != NULL;
    }
    return ok ? WW_OK : ww_no_memory_for(err, "the tables of DARSIE");
}

/* Registers for shared results never cost a block its place (section 4.3.1). */
static uint32_t registers_of(const darsie *s, const ww_mech_launch *launch)
{
    uint32_t spare = launch->cta_limit > 0 ? launch->spare_registers / launch->cta_limit : 0;
    spare += s->arch->darsie.unnamed ? launch->unnamed_registers : 0;
    uint32_t most = s->arch->darsie.registers;
    return spare < most ? spare : most;
}

ww_status ds_begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    darsie *s = state;
    const ww_dim3 b = launch->launch->block;
    const ds_notes *notes = launch->notes;
    release(s);
    s->kernel = launch->kernel;
    s->promotes = ww_redundancy_promotes(b.x, b.y, b.z);
    const bool skips = notes != NULL && notes->any[s->promotes];
    s->notes = skips ? notes : NULL;
    s->cells = launch->kernel->registers + launch->kernel->predicates + 1;
    s->registers = registers_of(s, launch);
    s->entries = ds_by_history(s) ? DS_HISTORIES : s->arch->darsie.entries;
    s->members = s->held = s->asked = s->copying = WW_NO_WARPS;
    s->again = false;
    return skips ? allocate(s, launch->cta_limit, err) : WW_OK;
}

/* Warps without inactive lanes. */
static ww_warps full(const darsie *s, ww_warps warps)
{
    ww_warps whole = WW_NO_WARPS;
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (ww_warp_active(ww_mech_warp(s->sm, w)) == UINT32_MAX) {
            ww_warps_add(&whole, w);
        }
    }
    return whole;
}

void ds_cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    darsie *s = state;
    (void)now;
    if (s->notes == NULL || cta >= DS_CTAS || s->cta[cta].entry == NULL ||
        ww_mech_is_extra(s->sm, ww_warps_first(warps))) {
        return;
    }
    ds_cta *c = &s->cta[cta];
    ds_entry *entry = c->entry;
    memset(entry, 0, s->entries * sizeof *entry);
    const ww_warps whole = full(s, warps);
    *c = (ds_cta){.entry = entry, .live = warps, .majority = whole, .free = s->registers};
    c->on = ww_warps_count(whole) > 1; /* a leader and a follower */
    if (!c->on) {
        return;
    }
    s->members = ww_warps_either(s->members, warps);
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        ds_warp *w = &s->warp[m.warp];
        memset(s->map + (size_t)m.warp * s->cells, DS_NONE, s->cells);
        *w = (ds_warp){.cta = (uint8_t)cta, .front = WW_NO_TARGET};
    }
}

void ds_cta_ended(void *state, uint32_t cta, uint64_t now)
{
    darsie *s = state;
    (void)now;
    if (cta < DS_CTAS) {
        s->cta[cta].on = false;
    }
}
