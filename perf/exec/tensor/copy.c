/* copy.c - cp.async.bulk.tensor and its like: boxes between tensors in global memory and shared
 * memory. Without time a box is moved at once. In time the warp stands in for the copy engine, as
 * with other bulk copies: each pass moves some of the box, so that the memory system sees the
 * bytes; what other CTAs receive, and reductions, happen at the window's edge. */
#include <inttypes.h>
#include <string.h>

#include "perf/exec/memory/bulk.h"
#include "perf/exec/memory/engine_jobs.h"
#include "perf/exec/tensor/job.h"
#include "perf/exec/tensor/map.h"

enum {
    UNIT = 16,       /* bytes that all layouts keep together; rows are multiples of them */
    ALIGNMENT = 128, /* of boxes in shared memory */
    FIRST_PLACE = 4, /* source of the first coordinate */
    MOST_ELEMENTS = 16
};

static bool loads(const ww_uop *u)
{
    return u->inst->op == WW_OP_CP_TENSOR && u->inst->sub == WW_SUB_NONE;
}

static bool prefetches(const ww_uop *u)
{
    return u->inst->sub == WW_SUB_PREFETCH;
}

static bool reduces(const ww_uop *u)
{
    return u->inst->op == WW_OP_CP_TENSOR_REDUCE;
}

static uint32_t lane_value(const ww_exec_ctx *x, const ww_uop_src *s, unsigned lane)
{
    uint32_t scratch[WW_PAIR_WORDS];
    return ww__src(x, s, scratch)[lane];
}

static uint64_t map_address(const ww_exec_ctx *x, const ww_uop *u, unsigned lane)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch);
    uint64_t high = u->src[0].words != 1 ? (uint64_t)base[lane + WW_LANES] << 32 : 0;
    return (high | base[lane]) + (uint64_t)u->inst->offset;
}

/* ---- what a lane asks for ---- */

static ww_status check_place(const ww_exec_ctx *x, const ww_uop *u, const ww_tensor_job *job,
                             uint32_t offset)
{
    const char *name = ww_op_name((ww_op)u->inst->op);
    uint32_t all = x->code->shared_bytes;
    if (offset % ALIGNMENT != 0) {
        WW_DROP(ww__lane_fault(x, u, job->lane,
                               "misaligned access by %s of %" PRIu64 " bytes at 0x%x in shared "
                               "memory: a box lies on a multiple of %d",
                               name, job->box.bytes, offset, ALIGNMENT)); /* it is another status */
        if (x->err != NULL) {
            x->err->code = WW_EALIGN;
        }
        return WW_EALIGN;
    }
    if (offset > all || job->box.bytes > all - offset) {
        return ww__lane_fault(x, u, job->lane,
                              "access out of bounds by %s of %" PRIu64 " bytes at 0x%x in shared "
                              "memory: the CTA has %u bytes",
                              name, job->box.bytes, offset, all);
    }
    return WW_OK;
}

ww_status ww__tensor_job(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, ww_tensor_job *job)
{
    int32_t at[WW_TENSOR_RANK] = {0};
    uint16_t shift[WW_TENSOR_SPATIAL] = {0};
    const unsigned rank = u->inst->vec;
    *job = (ww_tensor_job){.lane = lane, .row_known = UINT64_MAX};
    WW_TRY(ww__tensor_map_read(x, u, lane, map_address(x, u, lane), &job->map));
    bool columns = (u->inst->layout & WW_TENSOR_COLUMNS) != 0;
    if (job->map.rank != rank || job->map.im2col != columns) {
        return ww__lane_fault(x, u, lane, "%s of rank %u%s by a tensor map of rank %u%s",
                              ww_op_name((ww_op)u->inst->op), rank, columns ? ", im2col," : "",
                              job->map.rank, job->map.im2col ? ", im2col" : "");
    }
    for (unsigned i = 0; i < rank; i++) {
        at[i] = (int32_t)lane_value(x, &u->element[i], lane);
    }
    for (unsigned i = rank; i < u->element_count; i++) {
        shift[i - rank] = (uint16_t)lane_value(x, &u->element[i], lane);
    }
    job->box = ww_tensor_box_at(&job->map, at, shift);
    uint32_t shared = lane_value(x, &u->src[1], lane);
    if (prefetches(u)) {
        return WW_OK;
    }
    if (!loads(u)) {
        WW_TRY(ww__own_offset(x, u, lane, shared, &job->inside));
        return check_place(x, u, job, job->inside);
    }
    bool multicast = (u->inst->layout & WW_TENSOR_MULTICAST) != 0;
    uint32_t mask = lane_value(x, &u->src[3], lane);
    WW_TRY(ww__delivery_of(x, u, lane, shared, multicast, mask, &job->to));
    return check_place(x, u, job, job->to.offset);
}

/* ---- units of a box ---- */

/* Elements of a unit of the box that lie inside the tensor: [first, last), of `bytes` each. */
typedef struct unit_place {
    uint64_t address; /* of the unit's first element, inside or not */
    uint32_t first, last, bytes, stride;
} unit_place;

static ww_status find_unit(const ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                           unit_place *out)
{
    const ww_tensor_box *box = &job->box;
    uint64_t number = at / box->row_bytes;
    if (number != job->row_known) {
        job->row_known = number;
        job->row = ww_tensor_box_row(box, number);
        const ww_tensor_row *r = &job->row;
        uint64_t first, end, low = r->address + (uint64_t)r->first * r->stride;
        uint64_t high = r->address + (uint64_t)(r->last - 1) * r->stride + box->unit;
        if (r->first < r->last &&
            (!ww_devmem_bounds(x->env->launch->mem, low, &first, &end) || high > end)) {
            char what[160];
            return ww__lane_fault(x, u, job->lane,
                                  "access out of bounds by %s in global memory at 0x%" PRIx64
                                  " to 0x%" PRIx64 ", a row of the tensor: %s",
                                  ww_op_name((ww_op)u->inst->op), low, high,
                                  ww_devmem_explain(x->env->launch->mem, low, what, sizeof what));
        }
    }
    /* Of interleaved slices a unit is one, or half of one. */
    uint32_t bytes = box->unit < UNIT ? box->unit : UNIT;
    uint32_t inner = (uint32_t)(at % box->row_bytes), slice = inner / box->unit;
    uint32_t count = UNIT / bytes, per = box->unit / bytes;
    const ww_tensor_row *r = &job->row;
    *out = (unit_place){.address = r->address + (uint64_t)slice * r->stride + inner % box->unit,
                        .bytes = bytes,
                        .stride = per > 1 ? bytes : r->stride};
    out->first = r->first > slice ? r->first - slice : 0;
    out->last = r->last > slice ? r->last - slice : 0;
    out->last = out->last < count ? out->last : count;
    out->first = out->first < out->last ? out->first : out->last;
    return WW_OK;
}

static bool is_whole(const unit_place *p)
{
    return p->first == 0 && p->last * p->bytes == UNIT && p->stride == p->bytes;
}

static bool converts(unsigned type)
{
    return type == WW_TENSOR_F32_FTZ || type == WW_TENSOR_TF32 || type == WW_TENSOR_TF32_FTZ;
}

/* The bytes of a unit as they arrive. */
static void fetch(const ww_exec_ctx *x, const ww_tensor_job *job, const unit_place *p,
                  unsigned char out[UNIT])
{
    uint64_t fill = ww_tensor_fill(&job->map);
    memcpy(out, &fill, sizeof fill);
    memcpy(out + sizeof fill, &fill, sizeof fill);
    for (uint32_t e = p->first; e < p->last; e++) {
        uint64_t address = p->address + (uint64_t)e * p->stride;
        if (is_whole(p)) {
            memcpy(out, (const void *)(x->code->bias + address), UNIT);
            break;
        }
        memcpy(out + e * p->bytes, (const void *)(x->code->bias + address), p->bytes);
    }
    for (uint32_t e = p->first; converts(job->map.type) && e < p->last; e++) {
        uint32_t bits;
        memcpy(&bits, out + 4 * e, sizeof bits);
        bits = ww_tensor_arriving(job->map.type, bits);
        memcpy(out + 4 * e, &bits, sizeof bits);
    }
}

static uint32_t shared_at(const ww_tensor_job *job, uint32_t base, uint64_t at)
{
    return ww_tensor_box_shared(&job->box, base, (uint32_t)at);
}

static ww_status load_unit(const ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                           const unit_place *p)
{
    unsigned char data[UNIT];
    uint32_t to = shared_at(job, job->to.offset, at);
    if (to > x->code->shared_bytes - UNIT) {
        return ww__lane_fault(x, u, job->lane,
                              "access out of bounds by %s at 0x%x in shared memory, where the "
                              "swizzle takes it: the CTA has %u bytes",
                              ww_op_name((ww_op)u->inst->op), to, x->code->shared_bytes);
    }
    fetch(x, job, p, data);
    const ww_delivery place = {.offset = to, .ranks = job->to.ranks};
    ww__deliver(x, &place, 0, data, UNIT);
    return WW_OK;
}

/* Where the unit's elements lie in global memory. */
static uint32_t element_places(const unit_place *p, uint64_t address[WW_LANES])
{
    uint32_t n = 0;
    for (uint32_t e = p->first; e < p->last; e++) {
        WW_ASSERT(n < WW_LANES);
        address[n++] = p->address + (uint64_t)e * p->stride;
    }
    return n;
}

static ww_status store_unit(ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                            const unit_place *p)
{
    uint32_t from = shared_at(job, job->inside, at);
    uint64_t address[WW_LANES];
    uint32_t n = element_places(p, address), bytes = p->bytes;
    if (n == 0) {
        return WW_OK;
    }
    if (from > x->code->shared_bytes - UNIT) {
        return ww__lane_fault(x, u, job->lane,
                              "access out of bounds by %s at 0x%x in shared memory",
                              ww_op_name((ww_op)u->inst->op), from);
    }
    WW_ASSERT(n > 0 && p->first < p->last);
    const unsigned char *data = x->warp->cta->shared + from + p->first * bytes;
    if (is_whole(p)) {
        n = 1;
        bytes = UNIT;
    }
    if (x->env->pending != NULL) {
        unsigned char *kept = ww__pending_store(x->env->pending, x, address,
                                                n == 32 ? UINT32_MAX : (1u << n) - 1, bytes);
        if (kept == NULL) {
            return ww__pending_no_memory(x);
        }
        memcpy(kept, data, (size_t)n * bytes);
        return WW_OK;
    }
    for (uint32_t e = 0; e < n; e++) {
        memcpy((void *)(x->code->bias + address[e]), data + (size_t)e * bytes, bytes);
    }
    return WW_OK;
}

/* The types that a reduction knows, as atomics name them (PTX ISA, "cp.reduce.async.bulk.tensor").
 */
static ww_type reduced_type(const ww_tensor_map *map, ww_sub sub)
{
    static const uint8_t types[] = {
        [WW_TENSOR_U32] = WW_T_U32,        [WW_TENSOR_S32] = WW_T_S32,
        [WW_TENSOR_U64] = WW_T_U64,        [WW_TENSOR_S64] = WW_T_S64,
        [WW_TENSOR_F16] = WW_T_F16,        [WW_TENSOR_BF16] = WW_T_BF16,
        [WW_TENSOR_F32] = WW_T_F32,        [WW_TENSOR_F32_FTZ] = WW_T_F32,
        [WW_TENSOR_TYPE_COUNT] = WW_T_NONE};
    ww_type type = (ww_type)types[map->type];
    bool logic = sub == WW_SUB_AND || sub == WW_SUB_OR || sub == WW_SUB_XOR;
    bool steps = sub == WW_SUB_INC || sub == WW_SUB_DEC;
    bool real = ww_type_is_float(type), half = type == WW_T_F16 || type == WW_T_BF16;
    bool legal = logic ? !real : steps ? type == WW_T_U32 : real ? sub == WW_SUB_ADD || half : true;
    return legal ? type : WW_T_NONE;
}

static ww_status reduce_unit(ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                             const unit_place *p)
{
    const ww_type type = reduced_type(&job->map, (ww_sub)u->inst->sub);
    uint32_t from = shared_at(job, job->inside, at), value[WW_PAIR_WORDS] = {0};
    uint64_t address[WW_LANES];
    uintptr_t place[WW_LANES] = {0};
    uint32_t n = element_places(p, address);
    if (type == WW_T_NONE || p->bytes != ww_type_bytes(type)) {
        return ww__lane_fault(x, u, job->lane, "%s.%s of a tensor of another type",
                              ww_op_name((ww_op)u->inst->op), ww_sub_name((ww_sub)u->inst->sub));
    }
    if (n == 0 || from > x->code->shared_bytes - UNIT) {
        return n == 0 ? WW_OK
                      : ww__lane_fault(x, u, job->lane,
                                       "access out of bounds by %s at 0x%x in shared memory",
                                       ww_op_name((ww_op)u->inst->op), from);
    }
    for (uint32_t e = 0; e < n; e++) {
        uint64_t v = 0;
        memcpy(&v, x->warp->cta->shared + from + (p->first + e) * p->bytes, p->bytes);
        value[e] = (uint32_t)v;
        value[e + WW_LANES] = (uint32_t)(v >> 32);
        place[e] = (uintptr_t)address[e] + x->code->bias;
    }
    ww_inst inst = *u->inst;
    ww_uop atomic = *u;
    inst.op = WW_OP_RED;
    inst.type = (uint8_t)type;
    atomic.inst = &inst;
    atomic.element_bytes = (uint8_t)p->bytes;
    atomic.dst = WW_NO_REG;
    return ww__atomic_apply(x, &atomic, (1u << n) - 1, true, place, value);
}

static ww_status move_unit(ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                           const unit_place *p)
{
    return prefetches(u) ? WW_OK
           : loads(u)    ? load_unit(x, u, job, at, p)
           : reduces(u)  ? reduce_unit(x, u, job, at, p)
                         : store_unit(x, u, job, at, p);
}

/* ---- all of it ---- */

static ww_status move_all(ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job)
{
    for (uint64_t at = 0; at < job->box.bytes; at += UNIT) {
        unit_place p;
        WW_TRY(find_unit(x, u, job, at, &p));
        WW_TRY(move_unit(x, u, job, at, &p));
    }
    return WW_OK;
}

static ww_status complete(ww_exec_ctx *x, const ww_uop *u, const ww_tensor_job *job)
{
    return loads(u) ? ww__deliver_complete(x, u, job->lane, &job->to,
                                           lane_value(x, &u->src[2], job->lane),
                                           (uint32_t)job->box.bytes)
                    : WW_OK;
}

/* Without time, or at the edge: every lane's box at once. */
static ww_status run_at_once(ww_exec_ctx *x, const ww_uop *u)
{
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        ww_tensor_job job;
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), &job));
        WW_TRY(move_all(x, u, &job));
        if (!ww__engines_complete(x)) {
            WW_TRY(complete(x, u, &job));
        }
    }
    return WW_OK;
}

/* Places of global memory that a pass touches. */
typedef struct pass {
    uint64_t address[WW_LANES];
    uint32_t lanes, count; /* count: units, inside the tensor or not */
} pass;

/* One pass over a lane's box, from `at` on: shows what it touches; moves it unless that is for the
 * edge. */
static ww_status run_pass(ww_exec_ctx *x, const ww_uop *u, ww_tensor_job *job, uint64_t at,
                          bool later, pass *show)
{
    unit_place p;
    uint64_t first = at;
    *show = (pass){.lanes = 0};
    for (; show->count < WW_LANES && at < job->box.bytes; at += UNIT, show->count++) {
        WW_TRY(find_unit(x, u, job, at, &p));
        show->address[show->count] = p.address + (uint64_t)p.first * p.stride;
        show->lanes |= p.first < p.last ? 1u << show->count : 0;
    }
    if ((loads(u) || prefetches(u)) &&
        ww__pending_meets(x->env->pending, show->address, show->lanes, UNIT)) {
        return ww__again(x);
    }
    for (uint32_t k = 0; k < show->count && !later; k++) {
        WW_TRY(find_unit(x, u, job, first + (uint64_t)k * UNIT, &p));
        WW_TRY(move_unit(x, u, job, first + (uint64_t)k * UNIT, &p));
    }
    return WW_OK;
}

static void tell(ww_exec_ctx *x, const ww_uop *u, const pass *show)
{
    x->out->exec = show->lanes;
    x->out->is_memory = true;
    x->out->is_store = u->inst->sub == WW_SUB_TO;
    x->out->is_atomic = reduces(u);
    x->out->space = WW_SPACE_GLOBAL;
    x->out->lane_bytes = UNIT;
    for (uint32_t m = show->lanes; m != 0; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        x->out->address[k] = show->address[k] & ~(uint64_t)(UNIT - 1);
    }
}

/* Boxes of several lanes follow each other: which one is under way after so many bytes. */
static ww_status job_at(ww_exec_ctx *x, const ww_uop *u, uint64_t done, ww_tensor_job *job,
                        uint64_t *at, bool *last)
{
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), job));
        *at = done;
        *last = (m & (m - 1)) == 0;
        if (done < job->box.bytes || *last) {
            return WW_OK;
        }
        done -= job->box.bytes;
    }
    return WW_OK;
}

/* Whether some lane's box goes to other CTAs, or is reduced, and moves at the edge. */
static ww_status moves_later(ww_exec_ctx *x, const ww_uop *u, bool *later)
{
    *later = reduces(u);
    for (uint32_t m = x->exec; m != 0 && loads(u) && !*later; m &= m - 1) {
        ww_tensor_job job;
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), &job));
        *later = ww__delivery_is_remote(x, &job.to);
    }
    return WW_OK;
}

/* In time: boxes move now, or at the edge, and the copy engine is told what it is to take time for.
 */
static ww_status hand_over(ww_exec_ctx *x, const ww_uop *u, bool later)
{
    for (uint32_t m = later ? 0 : x->exec; m != 0; m &= m - 1) {
        ww_tensor_job job;
        pass show = {.lanes = 0};
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), &job));
        for (uint64_t at = 0; at < job.box.bytes; at += (uint64_t)WW_LANES * UNIT) {
            WW_TRY(run_pass(x, u, &job, at, true, &show));
            if (x->out->again) {
                return WW_OK;
            }
        }
    }
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        ww_tensor_job job;
        ww_copy_job *made = ww__engine_job(x);
        WW_TRY(ww__tensor_job(x, u, (unsigned)__builtin_ctz(m), &job));
        if (made == NULL) {
            return ww__pending_no_memory(x);
        }
        made->kind = prefetches(u) ? WW_COPY_PREFETCH
                     : loads(u)    ? WW_COPY_LOAD
                     : reduces(u)  ? WW_COPY_REDUCE
                                   : WW_COPY_STORE;
        made->tensor = true;
        made->map = job.map;
        made->box = job.box;
        made->bytes = job.box.bytes;
        made->map_address = map_address(x, u, job.lane);
        made->ranks = loads(u) ? (uint16_t)job.to.ranks : 0;
        made->multicast = job.to.multicast;
        made->completes = loads(u);
        if (made->completes) {
            made->object = lane_value(x, &u->src[2], job.lane);
            WW_TRY(ww__deliver_check(x, u, job.lane, &job.to, &made->object));
        }
        made->inside = made->kind == WW_COPY_STORE ? job.inside : 0;
        if (made->kind == WW_COPY_STORE || made->kind == WW_COPY_PREFETCH) {
            ww__engine_share_job(x);
        }
        if (!later) {
            WW_TRY(move_all(x, u, &job));
        }
    }
    if (later) {
        WW_TRY(ww__call_at_edge(x));
    }
    ww__simt_advance(x);
    return WW_OK;
}

ww_status ww__run_tensor(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->at_edge) {
        return run_at_once(x, u);
    }
    if (x->env->pending == NULL && x->env->observer == NULL) {
        WW_TRY(run_at_once(x, u));
        ww__simt_advance(x);
        return WW_OK;
    }
    if (ww__engines(x) != NULL) {
        bool move_later;
        WW_TRY(moves_later(x, u, &move_later));
        return hand_over(x, u, move_later);
    }
    ww_tensor_job job;
    pass show;
    uint64_t at = 0;
    bool last = true;
    WW_TRY(job_at(x, u, x->warp->bulk_done, &job, &at, &last));
    bool timed = x->env->pending != NULL;
    bool some_lanes = (x->exec & (x->exec - 1)) != 0; /* all or none of them at the edge */
    bool later = timed && !prefetches(u) &&
                 (some_lanes || reduces(u) || (loads(u) && ww__delivery_is_remote(x, &job.to)));
    WW_TRY(run_pass(x, u, &job, at, later, &show));
    if (x->out->again) {
        return WW_OK;
    }
    uint64_t done = at + (uint64_t)show.count * UNIT;
    x->warp->bulk_done += (uint64_t)show.count * UNIT;
    if (done >= job.box.bytes) {
        if (!timed) {
            WW_TRY(complete(x, u, &job));
        } else if (last) {
            WW_TRY(later ? ww__call_at_edge(x) : complete(x, u, &job));
        }
    }
    if (done >= job.box.bytes && last) {
        x->warp->bulk_done = 0;
        ww__simt_advance(x);
    }
    tell(x, u, &show);
    return WW_OK;
}

ww_status ww__decode_tensor(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                            ww_error *err)
{
    bool shifted = (inst->layout & WW_TENSOR_COLUMNS) != 0 &&
                   (inst->sub == WW_SUB_NONE || inst->sub == WW_SUB_PREFETCH);
    unsigned places = inst->vec + (shifted ? inst->vec - 2u : 0);
    if (inst->vec < 1 || inst->vec > WW_TENSOR_RANK || (shifted && inst->vec < 3) ||
        inst->src_count != FIRST_PLACE + places) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    for (unsigned k = 1; k < FIRST_PLACE; k++) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], WW_T_U32, &u->src[k], err));
    }
    u->src_count = FIRST_PLACE;
    WW_TRY(ww__decode_elements(code, inst, FIRST_PLACE, WW_T_U32, u, err));
    u->element_bytes = UNIT;
    u->run = ww__run_tensor;
    u->moves_pc = true;
    return WW_OK;
}
