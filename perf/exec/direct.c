/* direct.c - loads and stores without time: straight between registers and the host's memory. The
 * timing model wants every lane's address, memcheck looks at each; here only the data counts. */
#include "base/mem.h"
#include "perf/exec/turn.h"

enum { MOST_WORDS = 4 };

/* What an access moves, resolved at preparation. */
struct ww_direct {
    ww_lane_move *move;
    bool from_pool[MOST_WORDS]; /* a constant is stored */
    uint8_t words;              /* planes */
    uint8_t place;              /* of ww_cta.place */
    uint32_t plane[MOST_WORDS]; /* first word of each */
};

static bool plain(const ww_uop_src *s)
{
    return s->kind <= WW_SRC_POOL && s->flags == 0;
}

/* Planes of the elements, each of one or several; false where an element has none. */
static bool find_planes(const ww_uop *u, bool stores, struct ww_direct *d)
{
    unsigned count = stores ? u->element_count : u->dst_count;
    unsigned each = u->element_bytes < 4 ? 1 : u->element_bytes / 4u;
    if (count * each > MOST_WORDS || (!stores && u->out_words != each)) {
        return false;
    }
    d->words = (uint8_t)(count * each);
    for (unsigned k = 0; k < d->words; k++) {
        const ww_uop_src *from = stores ? &u->element[k / each] : NULL;
        if (stores ? !plain(from) : u->dst_list[k / each] == WW_NO_REG) {
            return false;
        }
        d->from_pool[k] = stores && from->kind == WW_SRC_POOL;
        d->plane[k] = (stores ? from->at : u->dst_list[k / each]) + k % each * WW_LANES;
    }
    return true;
}

/* A constant has two planes, which is what an element of two words needs at most. */
static bool constants_suffice(const ww_uop *u, const struct ww_direct *d)
{
    return u->element_bytes <= 8 || !d->from_pool[0];
}

ww_status ww__direct_prepare(struct ww_exec_code *code, uint32_t ordinal, ww_uop *u, ww_error *err)
{
    bool stores = u->run == ww__run_st;
    struct ww_direct d = {.place = (uint8_t)(ordinal % WW_CTA_PLACES)};
    if ((!stores && u->run != ww__run_ld) || u->inst->space == WW_SPACE_PARAM ||
        !plain(&u->src[0]) || !find_planes(u, stores, &d) || !constants_suffice(u, &d)) {
        return WW_OK;
    }
    d.move = code->lanes->find_move((ww_type)u->inst->type, d.words, stores);
    if (d.move == NULL) {
        return WW_OK;
    }
    struct ww_direct *kept = WW_ARENA_NEW(&code->arena, struct ww_direct);
    if (kept == NULL) {
        return ww_fail(err, WW_ENOMEM, "Out of memory while preparing a kernel.");
    }
    *kept = d;
    u->direct = kept;
    return WW_OK;
}

static uint64_t address_of_first(const ww_lane_access *a)
{
    unsigned lane = (unsigned)__builtin_ctz(a->mask);
    uint64_t base = a->base[lane];
    if (a->words == 1) {
        return (uint32_t)(base + a->offset);
    }
    return (base | (uint64_t)a->base[lane + WW_LANES] << 32) + a->offset;
}

static WW_ALWAYS_INLINE void use_shared(const ww_exec_ctx *x, ww_lane_access *a, uint64_t first)
{
    a->first = first;
    a->bytes = x->warp->cta->shared_bytes;
    a->host = x->warp->cta->shared;
}

static WW_ALWAYS_INLINE void use_local(const ww_exec_ctx *x, ww_lane_access *a, uint64_t first)
{
    a->first = first;
    a->bytes = x->env->launch->kernel->local_bytes;
    a->host = x->warp->local;
    a->lane_stride = x->env->launch->kernel->local_bytes;
}

/* The allocation that the instruction touched last. */
static WW_ALWAYS_INLINE void use_place(const ww_exec_ctx *x, const struct ww_direct *d,
                                       ww_lane_access *a)
{
    const ww_place *place = &x->warp->cta->place[d->place];
    a->first = place->first;
    a->bytes = place->end - place->first;
    a->host = (unsigned char *)(x->code->bias + (uintptr_t)place->first);
}

static WW_ALWAYS_INLINE void use_generic(const ww_exec_ctx *x, const struct ww_direct *d,
                                         ww_lane_access *a)
{
    uint64_t first = address_of_first(a);
    if (first - WW_SHARED_WINDOW < WW_WINDOW_BYTES) {
        use_shared(x, a, WW_SHARED_WINDOW);
    } else if (first - WW_LOCAL_WINDOW < WW_WINDOW_BYTES) {
        use_local(x, a, WW_LOCAL_WINDOW);
    } else {
        use_place(x, d, a);
    }
}

/* Another allocation than the last time, perhaps. */
static bool move_elsewhere(const ww_exec_ctx *x, const ww_uop *u, ww_lane_access *a,
                           uint32_t *const *planes)
{
    const struct ww_direct *d = u->direct;
    ww_place *place = &x->warp->cta->place[d->place];
    uint64_t first;
    uint64_t end;
    if (u->inst->space == WW_SPACE_SHARED || u->inst->space == WW_SPACE_LOCAL ||
        !ww_devmem_bounds(x->env->launch->mem, address_of_first(a), &first, &end) ||
        (first == place->first && end == place->end)) {
        return false;
    }
    *place = (ww_place){first, end};
    use_place(x, d, a);
    a->lane_stride = 0;
    return d->move(a, planes);
}

bool ww__direct_access(const ww_exec_ctx *x, const ww_uop *u)
{
    const struct ww_direct *d = u->direct;
    uint32_t *const base[2] = {x->warp->regs, x->code->pool};
    uint32_t *planes[MOST_WORDS];
    for (unsigned k = 0; k < d->words; k++) {
        planes[k] = base[d->from_pool[k]] + d->plane[k];
    }
    ww_lane_access a;
    a.base = base[u->src[0].kind] + u->src[0].at;
    a.words = u->src[0].words == 2 ? 2 : 1;
    a.mask = x->exec;
    a.offset = (uint64_t)u->inst->offset;
    a.lane_stride = 0;
    switch ((ww_space)u->inst->space) {
    case WW_SPACE_SHARED:
        use_shared(x, &a, 0);
        break;
    case WW_SPACE_LOCAL:
        use_local(x, &a, 0);
        break;
    case WW_SPACE_GENERIC:
        use_generic(x, d, &a);
        break;
    default:
        use_place(x, d, &a);
        break;
    }
    return WW_LIKELY(d->move(&a, planes)) || move_elsewhere(x, u, &a, planes);
}
