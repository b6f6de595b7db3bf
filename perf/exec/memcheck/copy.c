/* copy.c - the checks of --memcheck around asynchronous copies: what they read and write,
 * and whether anyone touches it before it is known to be done. */
#include "perf/exec/memory/bulk.h"
#include "perf/exec/memcheck/shadow.h"

bool ww__shadow_in_copy(const struct ww_shadow *s, const ww_cell *cell)
{
    return cell->copy != 0 &&
           cell->copy >= s->done[(size_t)cell->write.warp * WW_LANES + cell->write.lane];
}

/* cp.async: x->out has the source's addresses, of lanes that read anything. */
ww_status ww__checked_copy(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[2][WW_PAIR_WORDS];
    const uint32_t *to = ww__src(x, &u->src[1], scratch[0]);
    const uint32_t *used = ww__src(x, &u->src[2], scratch[1]);
    struct ww_shadow *s = x->warp->cta->shadow;
    const ww_touching reads = {.reads = true};
    WW_TRY(ww__shadow_run_inner(x, u));
    s->serial++;
    for (uint32_t m = x->out->again ? 0 : x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t bytes = used[lane] < u->element_bytes ? used[lane] : u->element_bytes;
        const ww_touching writes = {.writes = true,
                                    .copy = s->group[(size_t)x->warp->index * WW_LANES + lane]};
        ww_touch t = ww__shadow_touch_of(x, lane, bytes);
        if (bytes > 0) {
            ww__shadow_touch(x, u, &t, &reads);
        }
        t = (ww_touch){WW_SPACE_SHARED, lane, to[lane], u->element_bytes, false};
        ww__shadow_touch(x, u, &t, &writes);
    }
    return WW_OK;
}

/* The end of a group, or a wait for those that are not among the latest. */
ww_status ww__checked_copy_wait(ww_exec_ctx *x, const ww_uop *u)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    uint64_t pending = (uint64_t)u->inst->offset;
    if (u->inst->sub == WW_SUB_WAIT_BULK) {
        ww__shadow_engine_passed(s, x->warp->index);
        return ww__shadow_run_inner(x, u);
    }
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        size_t k = (size_t)x->warp->index * WW_LANES + (unsigned)__builtin_ctz(m);
        switch ((ww_sub)u->inst->sub) {
        case WW_SUB_COMMIT:
            s->group[k]++;
            break;
        case WW_SUB_WAIT_GROUP:
            if (pending < s->group[k] && s->done[k] < s->group[k] - pending) {
                s->done[k] = s->group[k] - (uint32_t)pending;
            }
            break;
        default: /* all, those of no group included */
            s->done[k] = ++s->group[k];
            break;
        }
    }
    return ww__shadow_run_inner(x, u);
}

/* The engine has seen what the warp saw that asks; the units of a pass are known before it. */
ww_status ww__checked_bulk(ww_exec_ctx *x, const ww_uop *u)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    ww_bulk_unit unit[WW_LANES];
    bool reduces = u->inst->op == WW_OP_CP_REDUCE;
    bool fills = !reduces && u->inst->sub != WW_SUB_TO;
    bool first = x->warp->bulk_done == 0;
    const ww_touching inside = {.reads = !fills, .writes = fills, .engine = true};
    const ww_touching outside = {
        .reads = fills || reduces, .writes = !fills, .engine = true, .atomic = reduces};
    unsigned count = ww__bulk_units(x, u, unit);
    WW_TRY(ww__shadow_run_inner(x, u));
    if (x->out->again) {
        return WW_OK;
    }
    if (first) {
        ww__shadow_engine_start(s, x->warp->index);
    }
    s->serial++;
    ww_space space = (ww_space)u->inst->space;
    for (unsigned k = 0; k < count; k++) {
        ww_touch t = {space, unit[k].lane, unit[k].outside, u->element_bytes, reduces};
        ww__shadow_touch(x, u, &t, &outside);
        t = (ww_touch){WW_SPACE_SHARED, unit[k].lane, unit[k].inside, u->element_bytes, false};
        ww__shadow_touch(x, u, &t, &inside);
    }
    if (x->warp->bulk_done == 0 && u->src_count > 3) {
        ww__shadow_engine_arrive(s);
    }
    return WW_OK;
}
