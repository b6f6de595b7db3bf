/* cta.c - a CTA's storage: registers, local and shared memory in one block, reused from CTA to CTA
 * of a launch, and behind them what every instruction looks at: its warps and, for each, predicates
 * and the first entries of its stack in one line of the host's caches. */
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "perf/exec/memcheck/shadow.h"

enum { ALIGNMENT = 64, STACK_ENTRIES = 40 };

typedef struct layout {
    size_t registers, local; /* bytes per warp */
    size_t shared;           /* bytes per CTA */
    size_t cleared;          /* all of these: zero when a CTA begins */
    size_t warps;            /* bytes of the warps themselves */
    size_t preds, control;   /* bytes per warp; control: predicates and stack */
    size_t total;
} layout;

static layout layout_of(const ww_launch *launch)
{
    const ww_kernel *k = launch->kernel;
    const size_t warps = launch->code->warps;
    layout l = {
        .registers = (size_t)(k->registers + 1) * WW_LANES *
                     sizeof(uint32_t), /* a spare plane: pair reads of the last */
        .local = ww_align_up((size_t)k->local_bytes * WW_LANES, ALIGNMENT),
        .shared = ww_align_up(launch->code->shared_bytes, ALIGNMENT),
        .warps = ww_align_up(warps * sizeof(ww_warp), ALIGNMENT),
        .preds = ww_align_up((k->predicates + 1) * sizeof(uint32_t),
                             sizeof(ww_stack_entry)), /* one more, always zero */
    };
    l.control = ww_align_up(l.preds + STACK_ENTRIES * sizeof(ww_stack_entry), ALIGNMENT);
    l.cleared = warps * (l.registers + l.local) + l.shared;
    l.total = l.cleared + l.warps + warps * l.control + ALIGNMENT;
    return l;
}

static unsigned char *first_of(const ww_cta *cta)
{
    uintptr_t from = (uintptr_t)cta->storage;
    return (unsigned char *)cta->storage + (ww_align_up(from, ALIGNMENT) - from);
}

/* Whether the storage of an earlier CTA has the same things in the same places. */
static bool fits(const ww_cta *cta, const ww_launch *launch, const layout *l)
{
    return cta->storage_bytes == l->total && cta->warp_count == launch->code->warps &&
           (unsigned char *)cta->warp == first_of(cta) + l->cleared;
}

static ww_status allocate(ww_cta *cta, const ww_launch *launch, const layout *l, ww_error *err)
{
    ww_cta_fini(cta);
    cta->storage = ww_alloc_array(l->total, 1);
    if (cta->storage == NULL) {
        return ww_no_memory_for(err, "a CTA of kernel %s", launch->kernel->name);
    }
    cta->storage_bytes = l->total;
    cta->warp = (ww_warp *)(void *)(first_of(cta) + l->cleared);
    cta->warp_count = launch->code->warps;
    return WW_OK;
}

/* Its first registers lie at `registers`, its predicates and stack at `control`. */
static void init_warp(ww_cta *cta, uint32_t index, uint32_t threads, const layout *l,
                      unsigned char *registers, unsigned char *control)
{
    ww_warp *w = &cta->warp[index];
    uint32_t lanes = threads - index * WW_LANES;
    uint32_t mask = lanes >= WW_LANES ? UINT32_MAX : (1u << lanes) - 1;
    ww_stack_entry *grown = w->grown;
    *w = (ww_warp){.regs = (uint32_t *)(void *)registers,
                   .preds = (uint32_t *)(void *)control,
                   .stack = (ww_stack_entry *)(void *)(control + l->preds),
                   .capacity = STACK_ENTRIES,
                   .depth = 1,
                   .local = l->local != 0 ? registers + l->registers : NULL,
                   .cta = cta,
                   .index = index,
                   .slot = index,
                   .live = mask};
    ww_free(grown);
    memset(w->preds, 0, l->preds);
    w->stack[0] = (ww_stack_entry){0, WW_NO_TARGET, mask, 0};
}

bool ww_warp_make_room(ww_warp *warp, uint32_t entries)
{
    if (entries <= warp->capacity) {
        return true;
    }
    ww_stack_entry *grown = ww_realloc_array(warp->grown, entries, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    if (warp->grown == NULL) {
        memcpy(grown, warp->stack, warp->depth * sizeof *grown);
    }
    warp->grown = warp->stack = grown;
    warp->capacity = entries;
    return true;
}

ww_status ww_cta_init(ww_cta *cta, const ww_launch *launch, uint32_t linear, ww_cluster *cluster,
                      ww_error *err)
{
    layout l = layout_of(launch);
    uint32_t x = launch->grid.x;
    uint32_t y = launch->grid.y;
    if (fits(cta, launch, &l)) {
        memset(first_of(cta), 0, l.cleared);
    } else {
        WW_TRY(allocate(cta, launch, &l, err));
    }
    unsigned char *next = first_of(cta);
    unsigned char *control = next + l.cleared + l.warps;
    cta->id[0] = linear % x;
    cta->id[1] = linear / x % y;
    cta->id[2] = linear / x / y;
    cta->linear = linear;
    cta->cluster = cluster;
    cta->rank = ww__cluster_rank(launch, cta->id);
    cta->cluster_arrivals = 0;
    cta->cluster_arrived_at = 0;
    if (cluster != NULL) {
        cluster->cta[cta->rank] = cta;
    }
    cta->live_warps = cta->warp_count;
    cta->shared = next;
    cta->shared_bytes = launch->code->shared_bytes;
    cta->recent_first = 0;
    cta->recent_end = 0;
    memset(cta->place, 0, sizeof cta->place);
    memset(cta->barrier, 0, sizeof cta->barrier);
    next += l.shared;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        init_warp(cta, w, launch->code->threads, &l, next, control);
        next += l.registers + l.local;
        control += l.control;
    }
    if (launch->memcheck != NULL) {
        return ww__shadow_init(cta, launch, err);
    }
    ww__shadow_fini(cta); /* of an earlier launch */
    return WW_OK;
}

void ww_cta_fini(ww_cta *cta)
{
    if (cta == NULL) {
        return;
    }
    for (uint32_t w = 0; cta->warp != NULL && w < cta->warp_count; w++) {
        ww_free(cta->warp[w].grown);
    }
    ww_free(cta->storage);
    ww__shadow_fini(cta);
    *cta = (ww_cta){0};
}
