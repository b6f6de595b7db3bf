/* state.c - P-mode's state on one SM: made with it, laid out anew for each launch. */
#include <string.h>

#include "mech/pmode/pmode.h"

ww_status pm_create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    pmode *s = WW_NEW(pmode);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    s->sm = sm;
    s->params = &arch->pmode;
    s->instruction_bytes = arch->sm.instruction_bytes;
    s->banks = arch->regfile.banks;
    s->warps = arch->sm.max_warps;
    s->sector_bytes = arch->l1d.sector_bytes;
    s->sectors = arch->l1d.bytes / arch->l1d.sector_bytes;
    *state = s;
    return WW_OK;
}

static void release(pmode *s)
{
    ww_free(s->flight);
    ww_free(s->warp);
    ww_free(s->queue);
    ww_free(s->poison);
    ww_free(s->n_renamed);
    ww_free(s->p_renamed);
    ww_free(s->ending);
    ww_free(s->load);
    ww_free(s->store);
    s->flight = NULL;
    s->warp = NULL;
    s->queue = NULL;
    s->poison = NULL;
    s->n_renamed = s->p_renamed = s->ending = NULL;
    s->load = NULL;
    s->store = NULL;
    s->flights = s->flight_capacity = 0;
}

void pm_destroy(void *state)
{
    if (state != NULL) {
        release(state);
        ww_free(state);
    }
}

static ww_status allocate(pmode *s, ww_error *err)
{
    const size_t cells = (size_t)s->warps * s->cells;
    release(s);
    s->flight_capacity = s->pool_size + 1; /* each holds a register of the pool */
    s->flight = WW_NEW_ARRAY(pm_flight, s->flight_capacity);
    s->warp = WW_NEW_ARRAY(pm_warp, s->warps);
    s->queue = WW_NEW_ARRAY(pm_entry, (size_t)s->warps * s->params->queue_entries + 1);
    s->poison = WW_NEW_ARRAY(uint64_t, (size_t)s->warps * s->words);
    s->n_renamed = WW_NEW_ARRAY(uint8_t, cells);
    s->p_renamed = WW_NEW_ARRAY(uint8_t, cells);
    s->ending = WW_NEW_ARRAY(uint8_t, cells);
    s->load = WW_NEW_ARRAY(pm_load, cells);
    s->store = WW_NEW_ARRAY(pm_store, (size_t)s->warps * s->params->local_stores + 1);
    if (s->store == NULL || s->flight == NULL || s->warp == NULL || s->queue == NULL ||
        s->poison == NULL || s->n_renamed == NULL || s->p_renamed == NULL || s->ending == NULL ||
        s->load == NULL) {
        return ww_no_memory_for(err, "P-mode");
    }
    memset(s->n_renamed, PM_NOWHERE, cells);
    memset(s->p_renamed, PM_NOWHERE, cells);
    memset(s->ending, PM_NOWHERE, cells);
    for (uint32_t w = 0; w < s->warps; w++) {
        s->warp[w].awaited = UINT32_MAX;
    }
    return WW_OK;
}

ww_status pm_begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    pmode *s = state;
    s->kernel = launch->kernel;
    s->notes = launch->notes;
    s->cells = launch->kernel->registers + launch->kernel->predicates + 1;
    s->words = (s->cells + 63) / 64;
    s->pool_size = launch->spare_registers < s->params->pool_registers ? launch->spare_registers
                                                                       : s->params->pool_registers;
    ww_mech_count(s->sm, WW_C_PMODE_SPARE, launch->spare_registers);
    ww_mech_count(s->sm, WW_C_PMODE_LAUNCH, 1);
    s->leaving = s->held_back = s->starving = WW_NO_WARPS;
    s->freed = false;
    ww_behind_clear(&s->behind, s->sectors);
    memset(s->pool, 0, sizeof s->pool);
    WW_TRY(allocate(s, err));
    return ww_mech_prepare_shadows(s->sm, s->params->stack_entries, err);
}

/* A predicate's cell has one word. */
static uint32_t *words_of(const pmode *s, uint32_t w, uint32_t cell, size_t *count)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    const uint32_t registers = s->kernel->registers;
    *count = cell < registers ? WW_WARP_SIZE : 1;
    return cell < registers ? warp->regs + (size_t)cell * WW_WARP_SIZE
                            : warp->preds + (cell - registers);
}

void pm_copy_out(const pmode *s, uint32_t w, uint32_t cell, uint32_t *value)
{
    size_t n;
    const uint32_t *from = words_of(s, w, cell, &n);
    memcpy(value, from, n * sizeof *value);
}

void pm_copy_in(const pmode *s, uint32_t w, uint32_t cell, const uint32_t *value)
{
    size_t n;
    uint32_t *to = words_of(s, w, cell, &n);
    memcpy(to, value, n * sizeof *value);
}
