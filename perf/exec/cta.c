/* cta.c - a CTA's storage: registers, predicates, local and shared memory in one block, reused from
 * CTA to CTA of a launch. */
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "perf/exec/memcheck/shadow.h"

enum { ALIGNMENT = 64, STACK_ENTRIES = 40 };

typedef struct layout {
    size_t registers, preds, local; /* bytes per warp */
    size_t shared;                  /* bytes per CTA */
    size_t total;
} layout;

static layout layout_of(const ww_launch *launch)
{
    const ww_kernel *k = launch->kernel;
    layout l = {
        .registers = (size_t)(k->registers + 1) * WW_LANES *
                     sizeof(uint32_t), /* a spare plane: pair reads of the last */
        .preds = ww_align_up((k->predicates + 1) * sizeof(uint32_t),
                             ALIGNMENT), /* one more, always zero */
        .local = ww_align_up((size_t)k->local_bytes * WW_LANES, ALIGNMENT),
        .shared = ww_align_up(launch->code->shared_bytes, ALIGNMENT),
    };
    l.total = launch->code->warps * (l.registers + l.preds + l.local) + l.shared + ALIGNMENT;
    return l;
}

static ww_status allocate(ww_cta *cta, const ww_launch *launch, const layout *l, ww_error *err)
{
    uint32_t warps = launch->code->warps;
    ww_cta_fini(cta);
    cta->storage = ww_alloc_array(l->total, 1);
    cta->warp = WW_NEW_ARRAY(ww_warp, warps);
    cta->warp_count = warps;
    bool ok = cta->storage != NULL && cta->warp != NULL;
    for (uint32_t w = 0; ok && w < warps; w++) {
        cta->warp[w].stack = WW_NEW_ARRAY(ww_stack_entry, STACK_ENTRIES);
        cta->warp[w].capacity = STACK_ENTRIES;
        ok = cta->warp[w].stack != NULL;
    }
    if (!ok) {
        ww_cta_fini(cta);
        return ww_no_memory_for(err, "a CTA of kernel %s", launch->kernel->name);
    }
    cta->storage_bytes = l->total;
    return WW_OK;
}

static void init_warp(ww_cta *cta, uint32_t index, uint32_t threads, const layout *l,
                      unsigned char **next)
{
    ww_warp *w = &cta->warp[index];
    uint32_t lanes = threads - index * WW_LANES;
    uint32_t mask = lanes >= WW_LANES ? UINT32_MAX : (1u << lanes) - 1;
    ww_stack_entry *stack = w->stack;
    uint32_t capacity = w->capacity;
    *w = (ww_warp){
        .regs = (uint32_t *)(void *)*next, .cta = cta, .index = index, .slot = index, .live = mask};
    *next += l->registers;
    w->preds = (uint32_t *)(void *)*next;
    *next += l->preds;
    w->local = l->local != 0 ? *next : NULL;
    *next += l->local;
    w->stack = stack;
    w->capacity = capacity;
    w->depth = 1;
    w->stack[0] = (ww_stack_entry){0, WW_NO_TARGET, mask, 0};
}

ww_status ww_cta_init(ww_cta *cta, const ww_launch *launch, uint32_t linear, ww_cluster *cluster,
                      ww_error *err)
{
    layout l = layout_of(launch);
    uint32_t x = launch->grid.x;
    uint32_t y = launch->grid.y;
    if (cta->storage_bytes != l.total || cta->warp_count != launch->code->warps) {
        WW_TRY(allocate(cta, launch, &l, err));
    } else {
        memset(cta->storage, 0, l.total);
    }
    unsigned char *next =
        (unsigned char *)(((uintptr_t)cta->storage + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
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
        init_warp(cta, w, launch->code->threads, &l, &next);
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
        ww_free(cta->warp[w].stack);
    }
    ww_free(cta->warp);
    ww_free(cta->storage);
    ww__shadow_fini(cta);
    *cta = (ww_cta){0};
}
