/* direct.c - loads and stores without time: straight between registers and the host's memory. The
 * timing model wants every lane's address, memcheck looks at each; here only the data counts. */
#include "base/mem.h"
#include "perf/exec/memory/direct.h"

static bool plain(const ww_uop_src *s)
{
    return s->kind <= WW_SRC_POOL && s->flags == 0;
}

/* Planes of the elements, each of one or several; false where an element has none. */
static bool find_planes(const ww_uop *u, bool stores, struct ww_direct *d)
{
    unsigned count = stores ? u->element_count : u->dst_count;
    unsigned each = u->element_bytes < 4 ? 1 : u->element_bytes / 4u;
    if (count * each > WW_DIRECT_PLANES || (!stores && u->out_words != each)) {
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
        return ww_no_memory_for(err, "preparing a kernel");
    }
    d.base = u->src[0].at;
    d.base_in_pool = u->src[0].kind == WW_SRC_POOL;
    d.base_words = u->src[0].words == 2 ? 2 : 1;
    d.offset = (uint64_t)u->inst->offset;
    d.space = u->inst->space;
    d.shared_word = d.space == WW_SPACE_SHARED && u->element_bytes == 4 && d.words == 1;
    *kept = d;
    u->direct = kept;
    return WW_OK;
}

/* Another allocation than the last time, perhaps. */
bool ww__direct_elsewhere(const ww_exec_ctx *x, const struct ww_direct *d, ww_lane_access *a,
                          uint32_t *const *planes)
{
    ww_place *place = &x->warp->cta->place[d->place];
    uint64_t first;
    uint64_t end;
    if (d->space == WW_SPACE_SHARED || d->space == WW_SPACE_LOCAL ||
        !ww_devmem_bounds(x->env->launch->mem, ww_lane_access_first(a), &first, &end) ||
        (first == place->first && end == place->end)) {
        return false;
    }
    *place = (ww_place){first, end};
    ww__direct_place(x, d, a);
    a->lane_stride = 0;
    return d->move(a, planes);
}
