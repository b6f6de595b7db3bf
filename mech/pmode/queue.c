/* queue.c - the P-queue of a warp: results of P-mode in fetch order. */
#include "mech/pmode/pmode.h"

#include <string.h>

#include "base/assert.h"

pm_entry *pm_find(pmode *s, uint32_t w, uint32_t pc, uint64_t place)
{
    pm_entry *queue = pm_queue(s, w);
    for (uint32_t i = 0; i < s->warp[w].entries && queue[i].place <= place; i++) {
        if (queue[i].place == place) {
            return queue[i].pc == pc ? &queue[i] : NULL;
        }
    }
    return NULL;
}

pm_entry *pm_enter(pmode *s, uint32_t w, uint32_t cells, uint64_t place)
{
    pm_warp *x = &s->warp[w];
    pm_entry *queue = pm_queue(s, w);
    if (x->closed || x->used + cells > s->params->queue_entries) {
        x->closed = true; /* a later result may not stand where an earlier one was left out */
        return NULL;
    }
    if (x->entries > 0 && queue[x->entries - 1].place >= place) {
        return NULL;
    }
    x->used += cells;
    WW_ASSERT(x->entries < s->params->queue_entries);
    return &queue[x->entries++];
}

void pm_take_first(pmode *s, uint32_t w)
{
    pm_warp *x = &s->warp[w];
    pm_entry *queue = pm_queue(s, w);
    WW_ASSERT(x->entries > 0 && queue[0].cells <= x->used);
    for (uint32_t k = 0; k < queue[0].cells; k++) {
        WW_ASSERT(s->pool[queue[0].at[k]].queued);
        s->pool[queue[0].at[k]].queued = false;
        pm_check_free(s, queue[0].at[k]);
    }
    x->used -= queue[0].cells;
    x->entries--;
    x->at_head = false;
    memmove(queue, queue + 1, x->entries * sizeof *queue);
}

void pm_empty_queue(pmode *s, uint32_t w)
{
    while (s->warp[w].entries > 0) {
        pm_take_first(s, w);
    }
}
