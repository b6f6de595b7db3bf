/* order.c - which accesses each warp of a CTA has seen: by barriers, by mbarrier objects, by waits
 * for engines, and by a fence and an atomic on one side that meet an atomic and a fence on the
 * other (PTX ISA, "Memory Consistency Model", release and acquire patterns). */
#include "isa/warpgroup.h"
#include "perf/exec/memcheck/shadow.h"

#include <string.h>

/* Clocks of a row: what has been seen, and what of it engines see. */
static uint32_t width(const struct ww_shadow *s)
{
    return 2 * s->agents;
}

static uint32_t *row(const struct ww_shadow *s, uint32_t *rows, uint32_t k)
{
    return rows + (size_t)k * width(s);
}

static void join(const struct ww_shadow *s, uint32_t *to, const uint32_t *from)
{
    for (uint32_t k = 0; k < width(s); k++) {
        to[k] = from[k] > to[k] ? from[k] : to[k];
    }
}

static void clear(const struct ww_shadow *s, uint32_t *r)
{
    memset(r, 0, width(s) * sizeof *r);
}

/* Hands over what a warp has seen and done; what it does from now on is later. */
static void release(struct ww_shadow *s, uint32_t warp, uint32_t *to)
{
    uint32_t *own = row(s, s->clock, warp);
    join(s, to, own);
    own[s->first + warp]++;
}

void ww__shadow_order_init(struct ww_shadow *s)
{
    for (uint32_t w = 0; w < s->warps; w++) {
        row(s, s->clock, w)[s->first + w] = 1;
        s->bulk[w] = s->products[w] = s->order[w] = 1;
    }
    for (uint32_t k = 0; k < s->warps * WW_LANES; k++) {
        s->group[k] = s->done[k] = 1;
    }
}

uint32_t ww__shadow_seen(const struct ww_shadow *s, uint32_t warp, uint32_t agent, bool engine)
{
    return row(s, s->clock, warp)[agent + (engine ? s->agents : 0)];
}

void ww__shadow_arrive(struct ww_shadow *s, uint32_t warp, uint32_t barrier)
{
    release(s, warp, row(s, s->barrier, barrier));
}

/* What warps that have ended had seen. */
static void join_ended(const ww_cta *cta, uint32_t *to)
{
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        if (cta->warp[w].depth == 0) {
            join(cta->shadow, to, row(cta->shadow, cta->shadow->clock, w));
        }
    }
}

void ww__shadow_open(ww_cta *cta, uint32_t barrier, uint64_t waiting)
{
    struct ww_shadow *s = cta->shadow;
    uint32_t *met = row(s, s->barrier, barrier);
    join_ended(cta, met);
    for (uint64_t m = waiting; m != 0; m &= m - 1) {
        join(s, row(s, s->clock, (uint32_t)__builtin_ctzll(m)), met);
    }
    clear(s, met);
}

void ww__shadow_cluster_opens(const ww_cluster *cluster)
{
    struct ww_shadow *first = cluster->cta[0]->shadow;
    uint32_t *all = row(first, first->barrier, WW_BARRIER_CLUSTER);
    for (uint32_t r = 0; r < cluster->size; r++) {
        struct ww_shadow *s = cluster->cta[r]->shadow;
        join_ended(cluster->cta[r], all);
        join(s, all, row(s, s->barrier, WW_BARRIER_CLUSTER));
    }
    for (uint32_t r = 0; r < cluster->size; r++) {
        struct ww_shadow *s = cluster->cta[r]->shadow;
        join(s, row(s, s->barrier, WW_BARRIER_CLUSTER), all);
        join(s, s->opened, all);
    }
}

void ww__shadow_cluster_passed(struct ww_shadow *s, uint32_t warp)
{
    join(s, row(s, s->clock, warp), s->opened);
}

void ww__shadow_fence(struct ww_shadow *s, uint32_t warp)
{
    uint32_t *heard = row(s, s->heard, warp);
    join(s, row(s, s->clock, warp), heard);
    clear(s, heard);
    release(s, warp, row(s, s->fenced, warp));
}

void ww__shadow_proxy_fence(struct ww_shadow *s, uint32_t warp)
{
    uint32_t *own = row(s, s->clock, warp);
    memcpy(own + s->agents, own, s->agents * sizeof *own);
    own[s->first + warp]++;
}

/* CTAs of a cluster meet in the first one's row. */
void ww__shadow_atomic(ww_cta *cta, uint32_t warp)
{
    struct ww_shadow *s = cta->shadow;
    const ww_cta *home =
        cta->cluster != NULL && cta->cluster->cta[0] != NULL ? cta->cluster->cta[0] : cta;
    join(s, row(s, s->heard, warp), home->shadow->passed);
    join(s, home->shadow->passed, row(s, s->fenced, warp));
}

/* ---- mbarrier objects ---- */

uint32_t ww__shadow_object(struct ww_shadow *s, uint32_t offset)
{
    uint32_t k = 0;
    while (k + 1 < WW_SHADOW_OBJECTS && s->object[k].place != 0 &&
           s->object[k].place != offset + 1) {
        k++;
    }
    if (s->object[k].place == 0) {
        s->object[k] = (ww_shadow_object){.place = offset + 1, .phase = 1};
    }
    return k;
}

void ww__shadow_object_arrive(const ww_cta *from, uint32_t warp, ww_cta *to, uint32_t offset)
{
    struct ww_shadow *s = to->shadow;
    release(from->shadow, warp, row(s, s->arriving, ww__shadow_object(s, offset)));
}

void ww__shadow_object_passed(struct ww_shadow *s, uint32_t warp, uint32_t offset)
{
    join(s, row(s, s->clock, warp), row(s, s->ended, ww__shadow_object(s, offset)));
}

void ww__shadow_object_init(struct ww_shadow *s, uint32_t offset)
{
    uint32_t k = ww__shadow_object(s, offset);
    clear(s, row(s, s->arriving, k));
    clear(s, row(s, s->ended, k));
}

void ww__shadow_object_ended(struct ww_shadow *s, uint32_t offset)
{
    uint32_t k = ww__shadow_object(s, offset);
    uint32_t *ended = row(s, s->ended, k), *arriving = row(s, s->arriving, k);
    join(s, ended, arriving);
    clear(s, arriving);
    ended[ww__shadow_object_agent(s, k)] = s->object[k].phase++;
}

/* ---- engines that a warp waits for ---- */

void ww__shadow_bulk_passed(struct ww_shadow *s, uint32_t warp)
{
    row(s, s->clock, warp)[ww__shadow_bulk(s, warp)] = s->bulk[warp]++;
}

void ww__shadow_waited(struct ww_shadow *s, uint32_t warp, bool at_once)
{
    row(s, at_once ? s->clock : s->heard, warp)[ww__shadow_before(s)] = 1;
}

/* A product is its warp group's: who has waited for it has waited for all four warps' shares. */
void ww__shadow_products_passed(struct ww_shadow *s, uint32_t warp, uint32_t newest)
{
    const uint32_t first = warp / WW_WARPGROUP_WARPS * WW_WARPGROUP_WARPS;
    const uint32_t ended = s->products[warp] - 1 > newest ? s->products[warp] - 1 - newest : 0;
    for (uint32_t k = first; k < first + WW_WARPGROUP_WARPS && k < s->warps; k++) {
        uint32_t *seen = &row(s, s->clock, warp)[ww__shadow_products(s, k)];
        *seen = ended > *seen ? ended : *seen;
    }
}
