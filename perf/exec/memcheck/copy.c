/* copy.c - the checks of --memcheck around asynchronous copies: what they read and write,
 * and whether anyone touches it before it is known to be done. */
#include "perf/exec/memcheck/shadow.h"
#include "perf/exec/tensor/job.h"

bool ww__shadow_in_copy(const struct ww_shadow *s, const ww_cell *cell)
{
    size_t warp = cell->write.agent - s->first; /* of the CTA, as cp.async writes there alone */
    return cell->copy != 0 && cell->copy >= s->done[warp * WW_LANES + cell->write.lane];
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
        t = (ww_touch){WW_SPACE_SHARED, lane, to[lane], u->element_bytes, false, NULL};
        ww__shadow_touch(x, u, &t, &writes);
    }
    return WW_OK;
}

/* The end of a group, or a wait for those that are not among the latest. */
ww_status ww__checked_copy_wait(ww_exec_ctx *x, const ww_uop *u)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    uint64_t pending = (uint64_t)u->inst->offset;
    if (u->inst->sub == WW_SUB_COMMIT_BULK) {
        return ww__shadow_run_inner(x, u);
    }
    if (u->inst->sub == WW_SUB_WAIT_BULK) {
        ww__shadow_bulk_passed(s, x->warp->index);
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

/* ---- copies by the copy engine ---- */

/* What a lane's copy does, stamped with the phase of the mbarrier at which it ends in that CTA, or
 * with its warp's bulk group. */
static ww_touching by_engine(const ww_exec_ctx *x, ww_cta *cta, const uint32_t *object)
{
    struct ww_shadow *s = cta->shadow;
    ww_touching how = {.engine = true};
    if (object != NULL) {
        uint32_t k = ww__shadow_object(s, *object & ((1u << WW_CLUSTER_RANK_SHIFT) - 1));
        how.agent = ww__shadow_object_agent(s, k);
        how.stamp = s->object[k].phase;
    } else {
        how.agent = ww__shadow_bulk(s, x->warp->index);
        how.stamp = s->bulk[x->warp->index];
    }
    return how;
}

static ww_touch outside_touch(const ww_uop *u, unsigned lane, uint64_t address, uint32_t bytes)
{
    return (ww_touch){WW_SPACE_GLOBAL, lane, address, bytes, u->inst->op != WW_OP_CP_BULK, NULL};
}

/* A unit of a bulk copy: what it reads, and what it writes in every CTA that receives it. */
static void touch_unit(const ww_exec_ctx *x, const ww_uop *u, const ww_bulk_unit *unit,
                       const uint32_t *objects)
{
    ww_cta *own = x->warp->cta;
    const bool reduces = u->inst->op == WW_OP_CP_REDUCE;
    const bool within = u->inst->space == WW_SPACE_SHARED; /* from CTA to CTA */
    const bool drains = !within && (u->inst->sub == WW_SUB_TO || reduces);
    const uint32_t *object = objects != NULL ? &objects[unit->lane] : NULL;
    const uint32_t bytes = u->element_bytes;
    ww_touch inside = {WW_SPACE_SHARED, unit->lane, unit->inside, bytes, false, own};
    ww_touch outside = outside_touch(u, unit->lane, unit->outside, bytes);
    if (drains) {
        ww_touching reads = by_engine(x, own, object), writes = reads;
        reads.reads = writes.writes = true;
        writes.reads = writes.atomic = reduces;
        ww__shadow_touch(x, u, &inside, &reads);
        ww__shadow_touch(x, u, &outside, &writes);
        return;
    }
    for (uint32_t m = unit->ranks; m != 0; m &= m - 1) {
        ww_cta *to = ww__delivery_cta(x, (unsigned)__builtin_ctz(m));
        ww_touching reads = by_engine(x, to, object), writes = reads;
        reads.reads = writes.writes = true;
        writes.reads = writes.atomic = reduces;
        ww_touch target =
            within ? (ww_touch){WW_SPACE_SHARED, unit->lane, unit->outside, bytes, reduces, to}
                   : inside;
        target.cta = to;
        ww__shadow_touch(x, u, within ? &inside : &outside, &reads);
        ww__shadow_touch(x, u, &target, &writes);
    }
}

/* Copies that reach beyond memory are refused when they run. */
static bool is_sound(const ww_exec_ctx *x, const ww_uop *u, const ww_bulk_unit *unit)
{
    const ww_cta *cta = x->warp->cta;
    uint64_t most = cta->shared_bytes;
    return u->element_bytes <= most && unit->inside <= most - u->element_bytes &&
           (u->inst->space != WW_SPACE_SHARED || unit->outside <= most - u->element_bytes);
}

/* The units of a pass are known before it. */
ww_status ww__checked_bulk(ww_exec_ctx *x, const ww_uop *u)
{
    ww_bulk_unit unit[WW_LANES];
    uint32_t scratch[WW_PAIR_WORDS];
    if (x->env->at_edge || u->inst->sub == WW_SUB_PREFETCH) {
        return ww__shadow_run_inner(x, u);
    }
    unsigned count = ww__bulk_units(x, u, unit);
    const uint32_t *objects = u->src_count > 3 ? ww__src(x, &u->src[3], scratch) : NULL;
    x->warp->cta->shadow->serial++;
    /* Before the object hears of the bytes, which may end its phase. */
    for (unsigned k = 0; k < count && x->warp->bulk_checked <= x->warp->bulk_done; k++) {
        if (is_sound(x, u, &unit[k])) {
            touch_unit(x, u, &unit[k], objects);
        }
    }
    x->warp->bulk_checked = x->warp->bulk_done + 1;
    WW_TRY(ww__shadow_run_inner(x, u));
    x->warp->bulk_checked = x->warp->bulk_done == 0 && !x->out->again ? 0 : x->warp->bulk_checked;
    return WW_OK;
}

/* A row of a box in global memory: together, or unit by unit. */
static void touch_row(const ww_exec_ctx *x, const ww_uop *u, const ww_tensor_job *job,
                      const ww_tensor_row *row, const ww_touching *how)
{
    uint32_t unit = job->box.unit, parts = row->last - row->first;
    bool together = row->stride == unit;
    for (uint32_t k = 0; row->first < row->last && k < (together ? 1 : parts); k++) {
        const ww_touch t =
            outside_touch(u, job->lane, row->address + (uint64_t)(row->first + k) * row->stride,
                          together ? parts * unit : unit);
        ww__shadow_touch(x, u, &t, how);
    }
}

/* A box in the shared memory of a CTA, in pieces that swizzles keep together. */
static void touch_box(const ww_exec_ctx *x, const ww_uop *u, const ww_tensor_job *job, ww_cta *cta,
                      uint32_t base, const ww_touching *how)
{
    enum { PIECE = 16 };
    for (uint64_t at = 0; at < job->box.bytes; at += PIECE) {
        uint32_t to = ww_tensor_box_shared(&job->box, base, (uint32_t)at);
        const ww_touch t = {WW_SPACE_SHARED, job->lane, to, PIECE, false, cta};
        if (to <= cta->shared_bytes - PIECE) {
            ww__shadow_touch(x, u, &t, how);
        }
    }
}

static void touch_tensor(const ww_exec_ctx *x, const ww_uop *u, const ww_tensor_job *job)
{
    const bool reduces = u->inst->op == WW_OP_CP_TENSOR_REDUCE;
    const bool loads = !reduces && u->inst->sub == WW_SUB_NONE;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *objects = ww__src(x, &u->src[2], scratch);
    ww_cta *own = x->warp->cta;
    ww_touching inside = by_engine(x, own, NULL), outside = inside;
    inside.reads = outside.writes = !loads;
    inside.writes = loads;
    outside.reads = loads || reduces;
    outside.atomic = reduces;
    for (uint64_t r = 0; r < job->box.rows; r++) {
        const ww_tensor_row row = ww_tensor_box_row(&job->box, r);
        touch_row(x, u, job, &row, &outside);
    }
    if (!loads) {
        touch_box(x, u, job, own, job->inside, &inside);
        return;
    }
    for (uint32_t m = job->to.ranks; m != 0; m &= m - 1) {
        ww_cta *cta = ww__delivery_cta(x, (unsigned)__builtin_ctz(m));
        inside = by_engine(x, cta, &objects[job->lane]);
        inside.writes = true;
        touch_box(x, u, job, cta, job->to.offset, &inside);
    }
}

/* All of a box is looked at when its copy begins. */
ww_status ww__checked_tensor(ww_exec_ctx *x, const ww_uop *u)
{
    const bool prefetches = u->inst->sub == WW_SUB_PREFETCH;
    if (x->env->at_edge || prefetches || x->warp->bulk_done > 0) {
        return ww__shadow_run_inner(x, u);
    }
    x->warp->cta->shadow->serial++;
    for (uint32_t m = x->warp->bulk_checked == 0 ? x->exec : 0; m != 0; m &= m - 1) {
        ww_tensor_job job;
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), &job));
        touch_tensor(x, u, &job);
    }
    x->warp->bulk_checked = 1; /* it may have to be issued again */
    WW_TRY(ww__shadow_run_inner(x, u));
    x->warp->bulk_checked = x->out->again ? 1 : 0;
    return WW_OK;
}
