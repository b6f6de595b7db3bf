/* address.c - addresses of memory instructions: generation, resolution of generic ones, alignment
 * and bounds, and the message for the first lane that is wrong. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "perf/exec/code.h"

/* ---- faults ---- */

typedef enum fault_kind { FAULT_BOUNDS, FAULT_ALIGNMENT } fault_kind;

const char *ww__describe_space(const ww_exec_ctx *x, ww_space space, uint64_t address, char *buf,
                               size_t size)
{
    const struct ww_exec_code *code = x->code;
    const ww_kernel *kernel = x->env->launch->kernel;
    switch (space) {
    case WW_SPACE_SHARED:
        snprintf(buf, size, "the CTA has %u bytes of shared memory", code->shared_bytes);
        return buf;
    case WW_SPACE_LOCAL:
        snprintf(buf, size, "the thread has %u bytes of local memory", kernel->local_bytes);
        return buf;
    case WW_SPACE_PARAM:
        snprintf(buf, size, "the kernel has %u bytes of parameters", kernel->param_bytes);
        return buf;
    default:
        return ww_devmem_explain(x->env->launch->mem, address, buf, size);
    }
}

static ww_status fault(const ww_exec_ctx *x, const ww_uop *u, ww_space space, unsigned lane,
                       uint32_t bytes, fault_kind kind)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const uint32_t *cta = x->warp->cta->id;
    const uint32_t *tid = x->code->tid + x->warp->index * 3 * WW_LANES + lane;
    uint64_t address = x->out->address[lane];
    char where[160];
    char source[200];
    ww__source_line(kernel, u->inst->line, source, sizeof source);
    return ww_fail_at(x->err, kind == FAULT_ALIGNMENT ? WW_EALIGN : WW_EFAULT, kernel->file,
                      (int)u->inst->line, 0,
                      "kernel %s: %s by %s of %u bytes in %s memory at 0x%" PRIx64
                      ", CTA (%u,%u,%u), thread (%u,%u,%u): %s%s%s.",
                      kernel->name,
                      kind == FAULT_ALIGNMENT ? "misaligned access" : "access out of bounds",
                      ww_op_name((ww_op)u->inst->op), bytes, ww_space_name(space), address, cta[0],
                      cta[1], cta[2], tid[0], tid[WW_LANES], tid[2 * WW_LANES],
                      ww__describe_space(x, space, address, where, sizeof where),
                      source[0] != '\0' ? "; source line " : "", source);
}

ww_status ww__lane_fault(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, const char *fmt, ...)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const uint32_t *cta = x->warp->cta->id;
    uint32_t tid[3];
    char what[256];
    char source[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    ww__thread_of(x, lane, tid);
    ww__source_line(kernel, u->inst->line, source, sizeof source);
    return ww_fail_at(x->err, WW_EFAULT, kernel->file, (int)u->inst->line, 0,
                      "kernel %s: %s, CTA (%u,%u,%u), thread (%u,%u,%u)%s%s.", kernel->name, what,
                      cta[0], cta[1], cta[2], tid[0], tid[1], tid[2],
                      source[0] != '\0' ? "; source line " : "", source);
}

/* ---- bounds ---- */

static bool misaligned(uint64_t address, uint32_t bytes)
{
    return (address & (bytes - 1)) != 0;
}

/* Spaces of a fixed size, whose offsets start at 0. */
static ww_status check_offsets(const ww_exec_ctx *x, const ww_uop *u, ww_space space, uint32_t mask,
                               uint64_t origin, uint64_t limit, uint32_t bytes)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t offset = x->out->address[lane] - origin;
        if (misaligned(offset, bytes)) {
            return fault(x, u, space, lane, bytes, FAULT_ALIGNMENT);
        }
        if (offset > limit || bytes > limit - offset) {
            return fault(x, u, space, lane, bytes, FAULT_BOUNDS);
        }
    }
    return WW_OK;
}

static bool in_recent(const ww_cta *cta, uint64_t lowest, uint64_t highest, uint32_t bytes)
{
    return lowest >= cta->recent_first && highest < cta->recent_end &&
           bytes <= cta->recent_end - highest;
}

/* Whether all lanes are in the allocation of the lowest; the CTA remembers it for the next access.
 */
static bool in_one_allocation(const ww_exec_ctx *x, const ww_address_summary *sum, uint32_t bytes)
{
    ww_cta *cta = x->warp->cta;
    if (in_recent(cta, sum->lowest, sum->highest, bytes)) {
        return true;
    }
    uint64_t first, end;
    if (!ww_devmem_bounds(x->env->launch->mem, sum->lowest, &first, &end) || sum->highest >= end ||
        bytes > end - sum->highest) {
        return false;
    }
    cta->recent_first = first;
    cta->recent_end = end;
    return true;
}

/* Lane by lane; the CTA remembers the allocation for the next access. */
static ww_status check_global(const ww_exec_ctx *x, const ww_uop *u, ww_space space, uint32_t mask,
                              uint32_t bytes)
{
    ww_cta *cta = x->warp->cta;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = x->out->address[lane];
        if (misaligned(address, bytes)) {
            return fault(x, u, space, lane, bytes, FAULT_ALIGNMENT);
        }
        if (in_recent(cta, address, address, bytes)) {
            continue;
        }
        uint64_t first;
        uint64_t end;
        if (!ww_devmem_bounds(x->env->launch->mem, address, &first, &end) ||
            bytes > end - address) {
            return fault(x, u, space, lane, bytes, FAULT_BOUNDS);
        }
        cta->recent_first = first;
        cta->recent_end = end;
    }
    return WW_OK;
}

/* ---- resolution ---- */

/* ---- the shared memory of a cluster ---- */

static bool names_rank(uint64_t offset)
{
    return offset >> WW_CLUSTER_RANK_SHIFT != 0;
}

static bool any_rank(const ww_exec_ctx *x, uint32_t mask, uint64_t origin)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        if (names_rank(x->out->address[__builtin_ctz(m)] - origin)) {
            return true;
        }
    }
    return false;
}

static bool takes_ranks(const ww_inst *inst)
{
    return inst->op == WW_OP_LD || inst->op == WW_OP_ST || inst->op == WW_OP_ATOM ||
           inst->op == WW_OP_RED || inst->op == WW_OP_MBARRIER;
}

/* Whether a lane may access that address. All CTAs have as much shared memory. */
static ww_status check_rank(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t address,
                            uint32_t bytes)
{
    uint64_t rank = (address >> WW_CLUSTER_RANK_SHIFT) - 1;
    uint64_t offset = address & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    const char *name = ww_op_name((ww_op)u->inst->op);
    if (!names_rank(address)) {
        rank = x->warp->cta->rank;
    }
    if (rank >= ww_cluster_size(x->env->launch)) {
        return ww__lane_fault(
            x, u, lane, "%s names CTA %llu of a cluster of %u in shared memory at 0x%llx", name,
            (unsigned long long)rank, ww_cluster_size(x->env->launch), (unsigned long long)address);
    }
    if (rank != x->warp->cta->rank && !takes_ranks(u->inst)) {
        return ww__lane_fault(x, u, lane, "%s of shared memory of another CTA at 0x%llx", name,
                              (unsigned long long)address);
    }
    if (misaligned(offset, bytes)) {
        return fault(x, u, WW_SPACE_SHARED, lane, bytes, FAULT_ALIGNMENT);
    }
    if (offset > x->code->shared_bytes || bytes > x->code->shared_bytes - offset) {
        return fault(x, u, WW_SPACE_SHARED, lane, bytes, FAULT_BOUNDS);
    }
    return WW_OK;
}

/* The CTA of that rank. In time it may be running at this moment: what is not the access's own CTA
 * is touched at edges alone. */
static ww_status use_rank(ww_exec_ctx *x, const ww_uop *u, uint64_t rank, uint64_t origin,
                          ww_access *out)
{
    ww_cta *own = x->warp->cta;
    ww_cta *cta = own;
    if (rank != 0 && rank - 1 != own->rank) {
        x->remote = true;
        if (x->env->pending != NULL) {
            return WW_OK;
        }
        cta = own->cluster != NULL ? own->cluster->cta[rank - 1] : NULL;
    }
    bool ended = cta != own && cta != NULL && cta->live_warps == 0;
    if (cta == NULL || (ended && x->env->launch->memcheck != NULL)) {
        return ww__lane_fault(x, u, (unsigned)__builtin_ctz(out->mask),
                              "%s of shared memory of CTA %llu of the cluster, which has ended",
                              ww_op_name((ww_op)u->inst->op), (unsigned long long)rank - 1);
    }
    out->base = (uintptr_t)cta->shared - (uintptr_t)(origin + (rank << WW_CLUSTER_RANK_SHIFT));
    return WW_OK;
}

/* One access for each CTA that lanes name; the first is in *out, others follow it. */
static ww_status use_cluster(ww_exec_ctx *x, const ww_uop *u, uint64_t origin, uint32_t bytes,
                             ww_access *out, unsigned *more)
{
    unsigned n = 0;
    for (uint32_t m = out->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        WW_TRY(check_rank(x, u, lane, x->out->address[lane] - origin, bytes));
    }
    for (uint32_t left = out->mask; left != 0; n++) {
        uint64_t rank = (x->out->address[__builtin_ctz(left)] - origin) >> WW_CLUSTER_RANK_SHIFT;
        uint32_t mask = 0;
        for (uint32_t m = left; m != 0; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            bool same = (x->out->address[i] - origin) >> WW_CLUSTER_RANK_SHIFT == rank;
            mask |= same ? 1u << i : 0;
        }
        left &= ~mask;
        out[n] = (ww_access){.mask = mask};
        WW_TRY(use_rank(x, u, rank, origin, &out[n]));
    }
    *more = n - 1;
    return WW_OK;
}

/* ---- spaces ---- */

/* Checks one space's lanes and says where they lie; origin is the window's start in the addresses.
 * *more: accesses behind *out, where lanes name several CTAs of a cluster. */
static ww_status use_space(ww_exec_ctx *x, const ww_uop *u, ww_space space, uint64_t origin,
                           const ww_address_summary *sum, uint32_t bytes, ww_access *out,
                           unsigned *more)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const ww_warp *w = x->warp;
    uint64_t limit = 0;
    switch (space) {
    case WW_SPACE_SHARED:
        out->base = (uintptr_t)w->cta->shared;
        limit = w->cta->shared_bytes;
        break;
    case WW_SPACE_LOCAL:
        out->base = (uintptr_t)w->local;
        out->lane_stride = kernel->local_bytes;
        out->consecutive = false;
        out->same = false;
        limit = kernel->local_bytes;
        break;
    case WW_SPACE_PARAM:
        if (u->inst->op != WW_OP_LD) {
            return ww__lane_fault(x, u, (unsigned)__builtin_ctz(out->mask),
                                  "%s of the kernel's parameters, which can be read only",
                                  ww_op_name((ww_op)u->inst->op));
        }
        out->base = (uintptr_t)x->env->launch->params;
        limit = kernel->param_bytes;
        break;
    default: /* global and constant variables */
        out->base = x->code->bias;
        if (sum != NULL && !misaligned(sum->bits, bytes) && in_one_allocation(x, sum, bytes)) {
            x->out->neighbours = sum->consecutive;
            return WW_OK;
        }
        return check_global(x, u, space, out->mask, bytes);
    }
    out->base -= (uintptr_t)origin;
    if (sum != NULL && origin == 0 && !misaligned(sum->bits, bytes) && sum->highest <= limit &&
        bytes <= limit - sum->highest) {
        return WW_OK;
    }
    if (space == WW_SPACE_SHARED && any_rank(x, out->mask, origin)) {
        return use_cluster(x, u, origin, bytes, out, more);
    }
    return check_offsets(x, u, space, out->mask, origin, limit, bytes);
}

static ww_space window_of(uint64_t address)
{
    if (address - WW_SHARED_WINDOW < WW_WINDOW_BYTES) {
        return WW_SPACE_SHARED;
    }
    return address - WW_LOCAL_WINDOW < WW_WINDOW_BYTES   ? WW_SPACE_LOCAL
           : address - WW_PARAM_WINDOW < WW_WINDOW_BYTES ? WW_SPACE_PARAM
                                                         : WW_SPACE_GLOBAL;
}

static uint64_t origin_of(ww_space space)
{
    return space == WW_SPACE_SHARED  ? WW_SHARED_WINDOW
           : space == WW_SPACE_LOCAL ? WW_LOCAL_WINDOW
           : space == WW_SPACE_PARAM ? WW_PARAM_WINDOW
                                     : 0;
}

/* Generic lanes that disagree about their space: one access per space, addresses left as they are.
 */
static ww_status use_mixed(ww_exec_ctx *x, const ww_uop *u, uint32_t bytes, ww_access *groups,
                           unsigned *count)
{
    static const ww_space order[] = {WW_SPACE_GLOBAL, WW_SPACE_SHARED, WW_SPACE_LOCAL,
                                     WW_SPACE_PARAM};
    *count = 0;
    for (unsigned k = 0; k < WW_ARRAY_LEN(order); k++) {
        uint32_t mask = 0;
        for (uint32_t m = x->exec; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            mask |= window_of(x->out->address[lane]) == order[k] ? 1u << lane : 0;
        }
        if (mask != 0) {
            ww_access *g = &groups[(*count)++];
            unsigned more = 0;
            *g = (ww_access){.mask = mask};
            WW_TRY(use_space(x, u, order[k], origin_of(order[k]), NULL, bytes, g, &more));
            *count += more;
        }
    }
    return WW_OK;
}

/* All lanes in one space, offsets in it. */
static ww_status use_rest(ww_exec_ctx *x, const ww_uop *u, ww_space space,
                          const ww_address_summary *sum, uint32_t bytes, ww_access *groups,
                          unsigned *count)
{
    unsigned more = 0;
    WW_TRY(use_space(x, u, space, 0, sum, bytes, groups, &more));
    *count = 1 + more;
    return WW_OK;
}

static ww_status use_generic(ww_exec_ctx *x, const ww_uop *u, ww_address_summary *sum,
                             uint32_t bytes, ww_access *groups, unsigned *count)
{
    ww_space space = window_of(sum->lowest);
    bool below_windows = sum->highest < WW_SHARED_WINDOW;
    if (!below_windows && (space == WW_SPACE_GLOBAL || window_of(sum->highest) != space)) {
        return use_mixed(x, u, bytes, groups, count);
    }
    uint64_t origin = origin_of(space);
    if (origin != 0) {
        for (uint32_t m = x->exec; m != 0; m &= m - 1) {
            x->out->address[__builtin_ctz(m)] -= origin;
        }
        sum->lowest -= origin;
        sum->highest -= origin;
    }
    x->out->space = space;
    return use_rest(x, u, space, sum, bytes, groups, count);
}

static ww_status resolve(ww_exec_ctx *x, const ww_uop *u, ww_address_summary *sum, uint32_t bytes,
                         ww_access groups[WW_ACCESS_GROUPS], unsigned *count)
{
    ww_space space = (ww_space)u->inst->space;
    x->out->is_memory = true;
    x->out->lane_bytes = bytes;
    x->out->space = space;
    x->remote = false;
    x->out->same = sum->same;
    groups[0] = (ww_access){.mask = x->exec, .consecutive = sum->consecutive, .same = sum->same};
    *count = 1;
    if (space == WW_SPACE_GENERIC) {
        return use_generic(x, u, sum, bytes, groups, count);
    }
    return use_rest(x, u, space, sum, bytes, groups, count);
}

ww_status ww__access_resolve(ww_exec_ctx *x, const ww_uop *u, uint32_t bytes,
                             ww_access groups[WW_ACCESS_GROUPS], unsigned *count)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch);
    ww_address_summary sum;
    x->code->lanes->addresses(&sum, x->out->address, base, u->src[0].words,
                              (uint64_t)u->inst->offset, x->exec, bytes);
    return resolve(x, u, &sum, bytes, groups, count);
}

ww_status ww__access_resolve_set(ww_exec_ctx *x, const ww_uop *u, uint32_t bytes,
                                 ww_access groups[WW_ACCESS_GROUPS], unsigned *count)
{
    ww_address_summary sum = {.lowest = UINT64_MAX};
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        uint64_t address = x->out->address[__builtin_ctz(m)];
        sum.lowest = address < sum.lowest ? address : sum.lowest;
        sum.highest = address > sum.highest ? address : sum.highest;
        sum.bits |= address;
    }
    return resolve(x, u, &sum, bytes, groups, count);
}

ww_status ww__access_require_shared(const ww_exec_ctx *x, const ww_uop *u, const ww_access *groups,
                                    unsigned count)
{
    uintptr_t shared = (uintptr_t)x->warp->cta->shared;
    for (unsigned g = 0; g < count && !x->remote; g++) {
        unsigned lane = (unsigned)__builtin_ctz(groups[g].mask);
        uintptr_t at = groups[g].base + x->out->address[lane] + lane * groups[g].lane_stride;
        if (at < shared || at - shared >= x->code->shared_bytes) {
            return ww__lane_fault(x, u, lane, "%s outside shared memory",
                                  ww_op_name((ww_op)u->inst->op));
        }
    }
    for (uint32_t m = x->remote && x->out->space == WW_SPACE_GENERIC ? x->exec : 0; m != 0;
         m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (window_of(x->out->address[lane]) != WW_SPACE_SHARED) {
            return ww__lane_fault(x, u, lane, "%s outside shared memory",
                                  ww_op_name((ww_op)u->inst->op));
        }
    }
    return WW_OK;
}
