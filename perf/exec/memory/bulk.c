/* bulk.c - cp.async.bulk and cp.reduce.async.bulk: copies and reductions of many bytes between
 * shared memory, of the CTA or of others of its cluster, and elsewhere, done at once. The engine
 * that a GPU has for them is stood in for by the warp: each pass of the instruction moves a unit
 * per lane, whichever lanes asked for it, and it stays at its pc until everything is moved; so the
 * memory system sees the bytes. What other CTAs receive they get at the window's edge. */
#include "perf/exec/memory/bulk.h"

#include <string.h>

#include "perf/exec/memory/engine_jobs.h"

enum { COPY_BYTES = 16, GRAIN = 16 };

/* What the lanes ask for. */
typedef struct bulk_job {
    uint64_t outside[WW_LANES]; /* device address, or address in shared memory */
    uint32_t inside[WW_LANES], bytes[WW_LANES];
    uint32_t mask[WW_LANES];  /* of CTAs, where u is a multicast */
    ww_delivery to[WW_LANES]; /* of what shared memory receives */
    bool remote;              /* other CTAs receive some of it */
} bulk_job;

static bool is_shared(const ww_uop *u)
{
    return u->inst->space == WW_SPACE_SHARED;
}

/* From shared memory to global memory. */
static bool drains(const ww_uop *u)
{
    return !is_shared(u) && (u->inst->sub == WW_SUB_TO || u->inst->op == WW_OP_CP_REDUCE);
}

static void read_job(ww_exec_ctx *x, const ww_uop *u, bulk_job *job)
{
    uint32_t scratch[3][WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch[0]);
    ww_address_summary sum;
    x->code->lanes->addresses(&sum, job->outside, base, u->src[0].words, (uint64_t)u->inst->offset,
                              x->exec, COPY_BYTES);
    memcpy(job->inside, ww__src(x, &u->src[1], scratch[1]), sizeof job->inside);
    memcpy(job->bytes, ww__src(x, &u->src[2], scratch[2]), sizeof job->bytes);
    if (u->element_count > 0) {
        memcpy(job->mask, ww__src(x, &u->element[0], scratch[0]), sizeof job->mask);
    }
}

/* Which CTAs' shared memory a lane's bytes come from and go to; offsets in place of addresses. */
static ww_status resolve_lane(const ww_exec_ctx *x, const ww_uop *u, bulk_job *job, unsigned lane)
{
    uint32_t *inside = &job->inside[lane];
    ww_delivery *to = &job->to[lane];
    if (drains(u)) {
        return ww__own_offset(x, u, lane, *inside, inside);
    }
    if (is_shared(u)) {
        WW_TRY(ww__delivery_of(x, u, lane, (uint32_t)job->outside[lane], false, 0, to));
        WW_TRY(ww__own_offset(x, u, lane, *inside, inside));
        job->outside[lane] = to->offset;
    } else {
        WW_TRY(ww__delivery_of(x, u, lane, *inside, u->element_count > 0, job->mask[lane], to));
        *inside = to->offset;
    }
    job->remote |= ww__delivery_is_remote(x, to);
    return WW_OK;
}

static bool in_shared(const ww_cta *cta, uint64_t at, uint32_t bytes)
{
    return at <= cta->shared_bytes && bytes <= cta->shared_bytes - at;
}

/* All of a lane's bytes must be there, and lie on multiples of 16. */
static ww_status check_lane(const ww_exec_ctx *x, const ww_uop *u, const bulk_job *job,
                            unsigned lane)
{
    const ww_cta *cta = x->warp->cta;
    uint64_t outside = job->outside[lane];
    uint32_t inside = job->inside[lane], bytes = job->bytes[lane];
    uint64_t first, end;
    char what[160];
    const char *name = ww_op_name((ww_op)u->inst->op);
    if (outside % GRAIN != 0 || inside % GRAIN != 0 || bytes % GRAIN != 0) {
        WW_DROP(ww__lane_fault(x, u, lane,
                               "misaligned access by %s of %u bytes at 0x%llx and 0x%x in shared "
                               "memory: all must be multiples of %d",
                               name, bytes, (unsigned long long)outside, inside,
                               GRAIN)); /* it is another status */
        if (x->err != NULL) {
            x->err->code = WW_EALIGN;
        }
        return WW_EALIGN;
    }
    if (!in_shared(cta, inside, bytes) || (is_shared(u) && !in_shared(cta, outside, bytes))) {
        return ww__lane_fault(x, u, lane,
                              "access out of bounds by %s of %u bytes in shared memory at 0x%x: "
                              "the CTA has %u bytes",
                              name, bytes, inside, cta->shared_bytes);
    }
    if (!is_shared(u) && bytes > 0 &&
        (!ww_devmem_bounds(x->env->launch->mem, outside, &first, &end) || bytes > end - outside)) {
        return ww__lane_fault(
            x, u, lane, "access out of bounds by %s of %u bytes in global memory at 0x%llx: %s",
            name, bytes, (unsigned long long)outside,
            ww_devmem_explain(x->env->launch->mem, outside, what, sizeof what));
    }
    return WW_OK;
}

/* The next units, from `done` bytes of all lanes' bytes in a row. */
static unsigned units_of(const ww_exec_ctx *x, const ww_uop *u, const bulk_job *job, uint64_t done,
                         ww_bulk_unit unit[WW_LANES])
{
    unsigned count = 0;
    uint64_t before = 0;
    for (uint32_t m = x->exec; m != 0 && count < WW_LANES; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = done > before ? done - before : 0;
        before += job->bytes[lane];
        for (; at < job->bytes[lane] && count < WW_LANES; at += u->element_bytes) {
            unit[count++] = (ww_bulk_unit){.lane = lane,
                                           .outside = job->outside[lane] + at,
                                           .inside = job->inside[lane] + (uint32_t)at,
                                           .at = (uint32_t)at,
                                           .ranks = job->to[lane].ranks};
        }
    }
    return count;
}

unsigned ww__bulk_units(ww_exec_ctx *x, const ww_uop *u, ww_bulk_unit unit[WW_LANES])
{
    bulk_job job = {.remote = false};
    read_job(x, u, &job);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        /* What is wrong is said when it runs. */
        WW_DROP(resolve_lane(x, u, &job, (unsigned)__builtin_ctz(m)));
    }
    return units_of(x, u, &job, x->warp->bulk_done, unit);
}

static ww_status reduce(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job,
                        const ww_bulk_unit *unit, unsigned count, uint32_t lanes)
{
    const ww_cta *cta = x->warp->cta;
    uint32_t value[WW_PAIR_WORDS] = {0};
    uintptr_t place[WW_LANES] = {0};
    for (unsigned k = 0; k < count; k++) {
        uint64_t v = 0;
        uintptr_t base = x->code->bias;
        if (is_shared(u)) {
            unsigned rank = (unsigned)__builtin_ctz(job->to[unit[k].lane].ranks);
            base = (uintptr_t)ww__delivery_cta(x, rank)->shared;
        }
        memcpy(&v, cta->shared + unit[k].inside, u->element_bytes); /* little-endian */
        value[k] = (uint32_t)v;
        value[k + WW_LANES] = (uint32_t)(v >> 32);
        place[k] = base + unit[k].outside;
    }
    return ww__atomic_apply(x, u, lanes, !is_shared(u), place, value);
}

static ww_status copy(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job,
                      const ww_bulk_unit *unit, unsigned count)
{
    const unsigned char *shared = x->warp->cta->shared;
    unsigned char *kept = NULL;
    bool out = drains(u);
    if (out && x->env->pending != NULL) {
        kept = ww__pending_store(x->env->pending, x, x->out->address, x->out->exec, COPY_BYTES);
        if (kept == NULL) {
            return ww__pending_no_memory(x);
        }
    }
    for (unsigned k = 0; k < count; k++) {
        const void *inside = shared + unit[k].inside;
        void *outside = (void *)(x->code->bias + unit[k].outside);
        if (out) {
            memcpy(kept != NULL ? kept + k * COPY_BYTES : outside, inside, COPY_BYTES);
        } else {
            ww__deliver(x, &job->to[unit[k].lane], unit[k].at, is_shared(u) ? inside : outside,
                        COPY_BYTES);
        }
    }
    return WW_OK;
}

static ww_status move(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job,
                      const ww_bulk_unit *unit, unsigned count)
{
    uint32_t lanes = UINT32_MAX >> (WW_LANES - count);
    return u->inst->op == WW_OP_CP_REDUCE ? reduce(x, u, job, unit, count, lanes)
                                          : copy(x, u, job, unit, count);
}

/* Tells the mbarriers how many bytes have come. */
static ww_status complete(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job)
{
    uint32_t scratch[WW_PAIR_WORDS];
    if (u->src_count > 3) {
        const uint32_t *object = ww__src(x, &u->src[3], scratch);
        for (uint32_t m = x->exec; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            WW_TRY(
                ww__deliver_complete(x, u, lane, &job->to[lane], object[lane], job->bytes[lane]));
        }
    }
    return WW_OK;
}

/* At the edge: what other CTAs receive too. */
static ww_status deliver_all(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job, uint64_t total)
{
    ww_bulk_unit unit[WW_LANES];
    for (uint64_t done = 0; done < total;) {
        unsigned count = units_of(x, u, job, done, unit);
        WW_TRY(move(x, u, job, unit, count));
        done += (uint64_t)count * u->element_bytes;
    }
    return ww__engines_complete(x) ? WW_OK : complete(x, u, job);
}

/* Goes on behind the copy. */
static ww_status finish(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job)
{
    bool later = job->remote && x->env->pending != NULL;
    x->warp->bulk_done = 0;
    WW_TRY(later ? ww__call_at_edge(x) : complete(x, u, job));
    ww__simt_advance(x);
    return WW_OK;
}

/* What a pass touches, for who looks at it. */
static void show(ww_exec_ctx *x, const ww_uop *u, const ww_bulk_unit *unit, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        x->out->address[k] = unit[k].outside;
    }
    x->out->exec = UINT32_MAX >> (WW_LANES - count);
    x->out->is_memory = true;
    x->out->is_store = u->inst->sub == WW_SUB_TO;
    x->out->is_atomic = u->inst->op == WW_OP_CP_REDUCE;
    x->out->space = is_shared(u) ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
    x->out->lane_bytes = u->element_bytes;
}

/* What the copy engine is to take time for. */
static ww_status make_jobs(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job)
{
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t scratch[WW_PAIR_WORDS];
        ww_copy_job *made = ww__engine_job(x);
        if (made == NULL) {
            return ww__pending_no_memory(x);
        }
        made->kind = is_shared(u)                     ? WW_COPY_SHARED
                     : u->inst->op == WW_OP_CP_REDUCE ? WW_COPY_REDUCE
                     : drains(u)                      ? WW_COPY_STORE
                                                      : WW_COPY_LOAD;
        made->address = job->outside[lane];
        made->bytes = job->bytes[lane];
        made->ranks = drains(u) ? 0 : (uint16_t)job->to[lane].ranks;
        made->multicast = job->to[lane].multicast;
        made->reduces = u->inst->op == WW_OP_CP_REDUCE;
        made->completes = u->src_count > 3;
        if (made->completes) {
            made->object = ww__src(x, &u->src[3], scratch)[lane];
            WW_TRY(ww__deliver_check(x, u, lane, &job->to[lane], &made->object));
        }
        if (made->kind == WW_COPY_STORE) {
            made->inside = job->inside[lane];
            ww__engine_share_job(x);
        }
    }
    return WW_OK;
}

/* In time: everything moves now, or at the edge where other CTAs receive some of it, and the copy
 * engine is told. */
static ww_status hand_over(ww_exec_ctx *x, const ww_uop *u, const bulk_job *job, uint64_t total)
{
    ww_bulk_unit unit[WW_LANES];
    const uint32_t exec = x->out->exec;
    const bool fills = !is_shared(u) && !drains(u);
    const unsigned passes = job->remote ? 0 : fills ? 2 : 1;
    for (uint64_t done = 0, pass = 0; pass < passes; pass++, done = 0) {
        while (done < total) { /* of a load, all of it before any of it moves */
            unsigned count = units_of(x, u, job, done, unit);
            show(x, u, unit, count);
            if (fills && pass == 0 &&
                ww__pending_meets(x->env->pending, x->out->address, x->out->exec, COPY_BYTES)) {
                x->out->exec = exec;
                x->out->is_memory = false;
                return ww__again(x);
            }
            if (!fills || pass == 1) {
                WW_TRY(move(x, u, job, unit, count));
            }
            done += (uint64_t)count * u->element_bytes;
        }
    }
    x->out->exec = exec;
    x->out->is_memory = false;
    WW_TRY(make_jobs(x, u, job));
    if (job->remote) {
        WW_TRY(ww__call_at_edge(x));
    }
    ww__simt_advance(x);
    return WW_OK;
}

ww_status ww__run_bulk(ww_exec_ctx *x, const ww_uop *u)
{
    bulk_job job = {.remote = false};
    ww_bulk_unit unit[WW_LANES];
    uint64_t total = 0;
    read_job(x, u, &job);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        WW_TRY(resolve_lane(x, u, &job, lane));
        WW_TRY(check_lane(x, u, &job, lane));
        total += job.bytes[lane];
    }
    if (x->env->at_edge) {
        return deliver_all(x, u, &job, total);
    }
    if (ww__engines(x) != NULL) {
        return hand_over(x, u, &job, total);
    }
    unsigned count = units_of(x, u, &job, x->warp->bulk_done, unit);
    if (count > 0) {
        uint32_t exec = x->out->exec;
        show(x, u, unit, count);
        if (!is_shared(u) && !drains(u) &&
            ww__pending_meets(x->env->pending, x->out->address, x->out->exec, COPY_BYTES)) {
            x->out->exec = exec;
            x->out->is_memory = false;
            return ww__again(x);
        }
        if (!job.remote || x->env->pending == NULL) {
            WW_TRY(move(x, u, &job, unit, count));
        }
    }
    uint64_t done = x->warp->bulk_done + (uint64_t)count * u->element_bytes;
    if (done >= total) {
        return finish(x, u, &job);
    }
    x->warp->bulk_done = done;
    return WW_OK;
}

ww_status ww__decode_bulk(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    bool reduces = inst->op == WW_OP_CP_REDUCE;
    unsigned bytes = reduces ? ww_type_bytes((ww_type)inst->type) : COPY_BYTES;
    if (inst->src_count < 3 || inst->src_count > 5 || bytes == 0 || bytes > COPY_BYTES ||
        (inst->space != WW_SPACE_GLOBAL && inst->space != WW_SPACE_SHARED)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    for (unsigned k = 1; k < inst->src_count && k < WW_UOP_SOURCES; k++) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], WW_T_U32, &u->src[k], err));
    }
    u->src_count = inst->src_count < WW_UOP_SOURCES ? inst->src_count : WW_UOP_SOURCES;
    if (inst->src_count > WW_UOP_SOURCES) { /* the mask of a multicast */
        WW_TRY(ww__decode_elements(code, inst, WW_UOP_SOURCES, WW_T_U32, u, err));
    }
    u->element_bytes = (uint8_t)bytes;
    u->moves_pc = inst->sub != WW_SUB_PREFETCH;
    u->run = u->moves_pc ? ww__run_bulk : ww__run_bulk_prefetch;
    return WW_OK;
}
