/* order.c - which accesses each warp of a CTA has seen: by barriers, by mbarrier objects,
 * and by a fence and an atomic on one side that meet an atomic and a fence on the other (PTX ISA,
 * "Memory Consistency Model", release and acquire patterns). */
#include "perf/exec/memcheck/shadow.h"

#include <string.h>

static uint32_t *row(const struct ww_shadow *s, uint32_t *rows, uint32_t k)
{
    return rows + (size_t)k * s->warps;
}

static void join(const struct ww_shadow *s, uint32_t *to, const uint32_t *from)
{
    for (uint32_t k = 0; k < s->warps; k++) {
        to[k] = from[k] > to[k] ? from[k] : to[k];
    }
}

/* Hands over what a warp has seen and done; what it does from now on is later. */
static void release(struct ww_shadow *s, uint32_t warp, uint32_t *to)
{
    uint32_t *own = row(s, s->clock, warp);
    join(s, to, own);
    own[warp]++;
}

void ww__shadow_order_init(struct ww_shadow *s)
{
    for (uint32_t w = 0; w < s->warps; w++) {
        row(s, s->clock, w)[w] = 1;
    }
    for (uint32_t k = 0; k < s->warps * WW_LANES; k++) {
        s->group[k] = s->done[k] = 1;
    }
}

void ww__shadow_arrive(struct ww_shadow *s, uint32_t warp, uint32_t barrier)
{
    release(s, warp, row(s, s->barrier, barrier));
}

void ww__shadow_open(ww_cta *cta, uint32_t barrier, uint64_t waiting)
{
    struct ww_shadow *s = cta->shadow;
    uint32_t *met = row(s, s->barrier, barrier);
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        if (cta->warp[w].depth == 0) {
            join(s, met, row(s, s->clock, w));
        }
    }
    for (uint64_t m = waiting; m != 0; m &= m - 1) {
        join(s, row(s, s->clock, (uint32_t)__builtin_ctzll(m)), met);
    }
    memset(met, 0, s->warps * sizeof *met);
}

void ww__shadow_fence(struct ww_shadow *s, uint32_t warp)
{
    uint32_t *heard = row(s, s->heard, warp);
    join(s, row(s, s->clock, warp), heard);
    memset(heard, 0, s->warps * sizeof *heard);
    release(s, warp, row(s, s->fenced, warp));
}

void ww__shadow_atomic(struct ww_shadow *s, uint32_t warp)
{
    join(s, row(s, s->heard, warp), s->passed);
    join(s, s->passed, row(s, s->fenced, warp));
}

void ww__shadow_object_arrive(struct ww_shadow *s, uint32_t warp)
{
    release(s, warp, s->object);
}

void ww__shadow_object_passed(struct ww_shadow *s, uint32_t warp)
{
    join(s, row(s, s->clock, warp), s->object);
}

void ww__shadow_engine_start(struct ww_shadow *s, uint32_t warp)
{
    release(s, warp, row(s, s->clock, ww__shadow_engine(s)));
}

void ww__shadow_engine_arrive(struct ww_shadow *s)
{
    release(s, ww__shadow_engine(s), s->object);
}

void ww__shadow_engine_passed(struct ww_shadow *s, uint32_t warp)
{
    release(s, ww__shadow_engine(s), row(s, s->clock, warp));
}
