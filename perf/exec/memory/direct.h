/* direct.h - private to perf/exec: loads and stores without time, straight between registers and
 * the host's memory. */
#ifndef WW_PERF_EXEC_MEMORY_DIRECT_H
#define WW_PERF_EXEC_MEMORY_DIRECT_H

#include "perf/exec/code.h"

enum { WW_DIRECT_PLANES = 4 };

/* What a load or store moves, resolved at preparation. */
struct ww_direct {
    ww_lane_move *move;
    uint64_t offset;
    uint32_t base;                    /* first word of its planes */
    bool base_in_pool;                /* a constant */
    uint8_t base_words;               /* 1 or 2 */
    uint8_t space;                    /* ww_space */
    uint8_t place;                    /* of ww_cta.place */
    uint8_t words;                    /* planes */
    bool shared_word;                 /* one word a lane of shared memory */
    bool from_pool[WW_DIRECT_PLANES]; /* a constant is stored */
    uint32_t plane[WW_DIRECT_PLANES]; /* first word of each */
};

/** Sets u->direct of a load or store that is simple enough; ordinal tells memory instructions
 * apart. @error ENOMEM */
WW_NODISCARD ww_status ww__direct_prepare(struct ww_exec_code *code, uint32_t ordinal, ww_uop *u,
                                          ww_error *err);
/** Tries the allocation of the first lane's address, after the window of a has failed. */
bool ww__direct_elsewhere(const ww_exec_ctx *x, const struct ww_direct *d, ww_lane_access *a,
                          uint32_t *const *planes);

static inline void ww__direct_shared(const ww_exec_ctx *x, ww_lane_access *a, uint64_t first)
{
    a->first = first;
    a->bytes = x->warp->cta->shared_bytes;
    a->host = x->warp->cta->shared;
}

static inline void ww__direct_local(const ww_exec_ctx *x, ww_lane_access *a, uint64_t first)
{
    a->first = first;
    a->bytes = x->env->launch->kernel->local_bytes;
    a->host = x->warp->local;
    a->lane_stride = x->env->launch->kernel->local_bytes;
}

/* The allocation that the instruction touched last. */
static inline void ww__direct_place(const ww_exec_ctx *x, const struct ww_direct *d,
                                    ww_lane_access *a)
{
    const ww_place *place = &x->warp->cta->place[d->place];
    a->first = place->first;
    a->bytes = place->end - place->first;
    a->host = (unsigned char *)(x->code->bias + (uintptr_t)place->first);
}

static inline void ww__direct_generic(const ww_exec_ctx *x, const struct ww_direct *d,
                                      ww_lane_access *a)
{
    uint64_t first = ww_lane_access_first(a);
    if (first - WW_SHARED_WINDOW < WW_WINDOW_BYTES) {
        ww__direct_shared(x, a, WW_SHARED_WINDOW);
    } else if (first - WW_LOCAL_WINDOW < WW_WINDOW_BYTES) {
        ww__direct_local(x, a, WW_LOCAL_WINDOW);
    } else {
        ww__direct_place(x, d, a);
    }
}

/* Executes d for the lanes exec, at least one. False, and nothing is done, where it must be done
 * lane by lane: lanes in several allocations, faults. */
static WW_ALWAYS_INLINE bool ww__direct_access(const ww_exec_ctx *x, const struct ww_direct *d,
                                               uint32_t exec)
{
    uint32_t *regs = x->warp->regs;
    uint32_t *planes[WW_DIRECT_PLANES];
    for (unsigned k = 0; k < d->words; k++) {
        planes[k] = (d->from_pool[k] ? x->code->pool : regs) + d->plane[k];
    }
    ww_lane_access a;
    a.base = (d->base_in_pool ? x->code->pool : regs) + d->base;
    a.words = d->base_words;
    a.mask = exec;
    a.offset = d->offset;
    a.lane_stride = 0;
    switch ((ww_space)d->space) {
    case WW_SPACE_SHARED:
        ww__direct_shared(x, &a, 0);
        break;
    case WW_SPACE_LOCAL:
        ww__direct_local(x, &a, 0);
        break;
    case WW_SPACE_GENERIC:
        ww__direct_generic(x, d, &a);
        break;
    default:
        ww__direct_place(x, d, &a);
        break;
    }
    return WW_LIKELY(d->move(&a, planes)) || ww__direct_elsewhere(x, d, &a, planes);
}

#endif
