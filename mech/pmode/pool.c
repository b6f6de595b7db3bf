/* pool.c - the registers that CTAs leave free: who holds each, and the renaming tables that name
 * them. */
#include "mech/pmode/pmode.h"

#include <string.h>

#include "base/assert.h"

static bool is_free(const pm_register *r)
{
    return !r->context && !r->queued && !r->renamed && !r->writing && !r->reserved;
}

void pm_check_free(pmode *s, uint32_t r)
{
    s->freed = s->freed || is_free(&s->pool[r]);
}

/* Whether as many registers as that are free. */
static bool enough(const pmode *s, uint32_t wanted)
{
    for (uint32_t r = 0; r < s->pool_size && wanted > 0; r++) {
        wanted -= is_free(&s->pool[r]);
    }
    return wanted == 0;
}

/* A free register in the bank where the cell's own lies, else the lowest free one. The pool lies
 * behind all registers of CTAs: its register r in bank r. Predicates have no bank. */
static uint32_t choose(const pmode *s, uint32_t w, uint32_t cell)
{
    const uint32_t bank = (cell + w) % s->banks;
    for (uint32_t r = bank; cell < s->kernel->registers && r < s->pool_size; r += s->banks) {
        if (is_free(&s->pool[r])) {
            return r;
        }
    }
    uint32_t r = 0;
    while (r < s->pool_size && !is_free(&s->pool[r])) {
        r++;
    }
    WW_ASSERT(r < s->pool_size); /* `enough` has counted it */
    ww_mech_count(s->sm, WW_C_PMODE_OTHER_BANK, cell < s->kernel->registers);
    return r;
}

bool pm_reserve(pmode *s, uint32_t w, const pm_note *n)
{
    pm_warp *x = &s->warp[w];
    const bool result =
        n->action == PM_EXECUTE || n->action == PM_SHARED_LOAD || n->action == PM_LOCAL_LOAD;
    const uint32_t needed = result ? n->writes : 0;
    const uint32_t least = s->params->strict_pool && needed == 0 ? 1 : needed;
    if (!enough(s, least)) {
        return false;
    }
    for (uint32_t k = 0; k < needed; k++) {
        const uint32_t r = choose(s, w, pm_writes(s, n)[k]);
        WW_ASSERT(is_free(&s->pool[r]) && k < PM_RESULTS);
        s->pool[r] = (pm_register){.reserved = true, .warp = (uint8_t)w};
        x->reserved[k] = (uint8_t)r;
    }
    x->reserved_cells = (uint8_t)needed;
    return true;
}

void pm_unreserve(pmode *s, uint32_t w)
{
    pm_warp *x = &s->warp[w];
    for (uint32_t k = 0; k < x->reserved_cells; k++) {
        WW_ASSERT(s->pool[x->reserved[k]].reserved && s->pool[x->reserved[k]].warp == w);
        s->pool[x->reserved[k]].reserved = false;
        pm_check_free(s, x->reserved[k]);
    }
    x->reserved_cells = 0;
}

uint8_t pm_replaced(const pmode *s, uint32_t w, uint32_t cell)
{
    const uint8_t r = s->p_renamed[(size_t)w * s->cells + cell];
    const bool own = r != PM_NOWHERE && s->pool[r].context && s->pool[r].warp == w;
    return s->params->release_in_p_mode && own ? r : PM_NOWHERE;
}

void pm_release_replaced(pmode *s, uint8_t r)
{
    if (r != PM_NOWHERE) {
        s->pool[r].context = false;
        pm_check_free(s, r);
    }
}

void pm_end_context(pmode *s, uint32_t w)
{
    for (uint32_t i = 0; i < s->flights; i++) {
        if (s->flight[i].warp == w) {
            memset(s->flight[i].before, PM_NOWHERE, sizeof s->flight[i].before);
        }
    }
    for (uint32_t r = 0; r < s->pool_size; r++) {
        if (s->pool[r].context && s->pool[r].warp == w) {
            s->pool[r].context = false;
            pm_check_free(s, r);
        }
    }
    memset(s->p_renamed + (size_t)w * s->cells, PM_NOWHERE, s->cells);
    s->warp[w].p_valid = 0;
}

static void no_longer_renamed(pmode *s, uint32_t r)
{
    WW_ASSERT(r < s->pool_size && s->pool[r].renamed);
    s->pool[r].renamed = false;
    pm_check_free(s, r);
}

void pm_end_renaming(pmode *s, uint32_t w, uint32_t cell, bool now)
{
    uint8_t *named = pm_named(s, w, cell);
    if (*named == PM_NOWHERE) {
        return;
    }
    if (now) {
        no_longer_renamed(s, *named);
    } else {
        s->ending[(size_t)w * s->cells + cell] = *named;
    }
    *named = PM_NOWHERE;
    WW_ASSERT(s->warp[w].n_valid > 0);
    s->warp[w].n_valid--;
    ww_mech_count(s->sm, WW_C_PMODE_RENAME_WRITE, 1);
}

void pm_renaming_ended(pmode *s, uint32_t w, uint32_t cell)
{
    uint8_t *named = &s->ending[(size_t)w * s->cells + cell];
    if (*named != PM_NOWHERE) {
        no_longer_renamed(s, *named);
        *named = PM_NOWHERE;
    }
}

void pm_forget_warp(pmode *s, uint32_t w)
{
    pm_empty_queue(s, w);
    for (uint32_t c = 0; c < s->cells; c++) {
        uint8_t *named = pm_named(s, w, c);
        if (*named != PM_NOWHERE) {
            no_longer_renamed(s, *named);
            *named = PM_NOWHERE;
        }
        pm_renaming_ended(s, w, c);
    }
    s->warp[w] = (pm_warp){.awaited = UINT32_MAX};
}
