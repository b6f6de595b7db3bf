/* shadow.c - the checks of --memcheck around the instructions that touch memory: each instruction
 * does what it always does, and its lanes' accesses are then held against the shadow (stores
 * before, while memory still has the old bytes). Bounds and alignment are address.c's and end the
 * kernel. */
#include "perf/exec/memcheck/shadow.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "isa/tensor_map.h"

/* ---- a CTA's shadow ---- */

/* The next `bytes` of a block; NULL while there is no block yet. */
static void *cut(unsigned char *block, size_t *next, size_t bytes)
{
    size_t at = *next;
    *next += (bytes + 7) / 8 * 8;
    return block != NULL ? block + at : NULL;
}

/* Lays the tables out in a block; returns the bytes they take. */
static size_t lay_out(struct ww_shadow *s, unsigned char *block)
{
    const size_t barriers = WW_BARRIER_CLUSTER + 1;
    const size_t row = 2 * s->agents * sizeof(uint32_t), count = s->warps * sizeof(uint32_t);
    size_t next = 0;
    s->clock = cut(block, &next, s->warps * row);
    s->fenced = cut(block, &next, s->warps * row);
    s->heard = cut(block, &next, s->warps * row);
    s->barrier = cut(block, &next, barriers * row);
    s->opened = cut(block, &next, row);
    s->passed = cut(block, &next, row);
    s->arriving = cut(block, &next, WW_SHADOW_OBJECTS * row);
    s->ended = cut(block, &next, WW_SHADOW_OBJECTS * row);
    s->object = cut(block, &next, WW_SHADOW_OBJECTS * sizeof *s->object);
    s->cell = cut(block, &next, s->shared_bytes * sizeof *s->cell);
    s->group = cut(block, &next, count * WW_LANES);
    s->done = cut(block, &next, count * WW_LANES);
    s->bulk = cut(block, &next, count);
    s->products = cut(block, &next, count);
    s->order = cut(block, &next, count);
    s->multiplied = cut(block, &next, count);
    s->in_flight = cut(block, &next, count * s->registers);
    s->touched = cut(block, &next, count * s->registers);
    s->local = cut(block, &next, (size_t)s->warps * WW_LANES * s->local_bytes);
    return next;
}

ww_status ww__shadow_init(ww_cta *cta, const ww_launch *launch, ww_error *err)
{
    const uint32_t per = 3 * cta->warp_count + WW_SHADOW_OBJECTS;
    struct ww_shadow s = {.warps = cta->warp_count,
                          .per = per,
                          .agents = per * ww_cluster_size(launch) + 1,
                          .first = per * cta->rank,
                          .shared_bytes = cta->shared_bytes,
                          .registers = launch->code->has_products ? launch->kernel->registers : 0,
                          .local_bytes = launch->kernel->local_bytes};
    const struct ww_shadow *old = cta->shadow;
    size_t bytes = lay_out(&s, NULL);
    if (old == NULL || old->warps != s.warps || old->shared_bytes != s.shared_bytes ||
        old->local_bytes != s.local_bytes || old->agents != s.agents ||
        old->registers != s.registers) {
        ww__shadow_fini(cta);
        cta->shadow = ww_alloc_array(sizeof s + bytes, 1);
        if (cta->shadow == NULL) {
            return ww_no_memory_for(err, "the memory check of kernel %s", launch->kernel->name);
        }
    } else {
        memset(cta->shadow + 1, 0, bytes);
    }
    (void)lay_out(&s, (unsigned char *)(cta->shadow + 1));
    *cta->shadow = s;
    ww__shadow_order_init(cta->shadow);
    return WW_OK;
}

void ww__shadow_fini(ww_cta *cta)
{
    ww_free(cta->shadow);
    cta->shadow = NULL;
}

/* ---- the accesses of an instruction ---- */

ww_touch ww__shadow_touch_of(const ww_exec_ctx *x, unsigned lane, uint32_t bytes)
{
    uint64_t address = x->out->address[lane];
    ww_touch t = {.space = x->out->space, .lane = lane, .address = address, .bytes = bytes};
    if (t.space == WW_SPACE_GENERIC) {
        bool shared = address - WW_SHARED_WINDOW < WW_WINDOW_BYTES;
        bool local = address - WW_LOCAL_WINDOW < WW_WINDOW_BYTES;
        t.space = shared ? WW_SPACE_SHARED : local ? WW_SPACE_LOCAL : WW_SPACE_GLOBAL;
        bool parameter = address - WW_PARAM_WINDOW < WW_WINDOW_BYTES;
        t.space = parameter ? WW_SPACE_PARAM : t.space;
        t.address -= shared ? WW_SHARED_WINDOW : local ? WW_LOCAL_WINDOW : 0;
    }
    if (t.space == WW_SPACE_SHARED) {
        uint32_t offset;
        t.cta = ww__cluster_find(x->warp->cta, t.address, &offset);
        t.address = offset;
    }
    return t;
}

static void touch_global(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                         const ww_touching *how)
{
    ww_memcheck *check = x->env->launch->memcheck;
    if (how->reads && !ww__memcheck_is_written(check, t->address, t->bytes)) {
        ww__memcheck_uninitialized(x, u, t);
    }
    if (how->writes) {
        ww_memcheck_written(check, t->address, t->bytes);
    }
    ww__grids_touch(x, u, t, how);
}

/* Whether it brings back a register that the lowering keeps in memory: for every lane, also for
 * those that have given it no value and do not use it. */
static bool brings_back(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t)
{
    const ww_kernel *k = x->env->launch->kernel;
    return k->lowered && u->inst->space == WW_SPACE_LOCAL &&
           u->inst->offset >= (int64_t)k->spill_at && t->address >= k->spill_at &&
           t->address - k->spill_at < k->spill_bytes;
}

static void touch_local(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                        const ww_touching *how)
{
    const struct ww_shadow *s = x->warp->cta->shadow;
    size_t thread = (size_t)x->warp->index * WW_LANES + t->lane;
    unsigned char *written = s->local + thread * s->local_bytes + t->address;
    if (how->reads && memchr(written, 0, t->bytes) != NULL && !brings_back(x, u, t)) {
        ww__memcheck_uninitialized(x, u, t);
    }
    if (how->writes) {
        memset(written, 1, t->bytes);
    }
}

/* Byte k of what a lane stores; negative when the instruction does not tell. */
static int value_of(const ww_exec_ctx *x, const ww_touching *how, unsigned lane, uint32_t k)
{
    uint32_t scratch[WW_PAIR_WORDS];
    if (how->element == NULL) {
        return -1;
    }
    const uint32_t *planes = ww__src(x, &how->element[k / how->element_bytes], scratch);
    uint32_t byte = k % how->element_bytes;
    return (int)(planes[byte / 4 * WW_LANES + lane] >> byte % 4 * 8 & 0xff);
}

static ww_mark mark_of(const ww_exec_ctx *x, const ww_touch *t, const ww_touching *how)
{
    const struct ww_shadow *by = x->warp->cta->shadow;
    uint32_t issuer = by->first + x->warp->index;
    return (ww_mark){.stamp = how->engine ? how->stamp
                                          : ww__shadow_seen(by, x->warp->index, issuer, false),
                     .pc = x->out->pc,
                     .agent = (uint16_t)(how->engine ? how->agent : issuer),
                     .issuer = (uint16_t)issuer,
                     .lane = (uint8_t)t->lane,
                     .atomic = how->atomic};
}

static void touch_shared(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                         const ww_touching *how)
{
    ww_cta *own = x->warp->cta, *cta = t->cta != NULL ? t->cta : own;
    struct ww_shadow *s = cta->shadow;
    const ww_mark now = mark_of(x, t, how);
    ww_hazard worst = WW_HAZARD_NONE;
    ww_mark other = now;
    bool unwritten = false;
    s->serial += cta != own; /* lanes of one instruction are told in the issuer's own CTA alone */
    for (uint32_t k = 0; k < t->bytes; k++) {
        uint32_t byte = (uint32_t)t->address + k;
        ww_cell *cell = &s->cell[byte];
        WW_ASSERT(cell < s->cell + s->shared_bytes);
        ww_hazard hazard = WW_HAZARD_NONE;
        ww_mark before = now;
        unwritten |= how->reads && cell->write.stamp == 0;
        if (worst == WW_HAZARD_NONE && ww__shadow_in_copy(s, cell)) {
            worst = how->writes ? WW_HAZARD_WAW : WW_HAZARD_RAW;
            other = cell->write;
        }
        if (how->writes) {
            hazard = ww__shadow_write(s, own->shadow, byte, &now, value_of(x, how, t->lane, k),
                                      cta->shared[byte], &before);
        } else {
            hazard = ww__shadow_read(s, own->shadow, byte, &now, &before);
        }
        WW_ASSERT(!how->writes || cell->write.stamp != 0);
        if (worst == WW_HAZARD_NONE && hazard != WW_HAZARD_NONE) {
            worst = hazard;
            other = before;
        }
        cell->copy = how->writes ? how->copy : cell->copy;
    }
    if (unwritten) {
        ww__memcheck_uninitialized(x, u, t);
    }
    if (cta != own && cta->live_warps == 0) {
        ww__memcheck_race(x, u, t, WW_HAZARD_EXIT, &now);
    } else if (worst != WW_HAZARD_NONE) {
        ww__memcheck_race(x, u, t, worst, &other);
    }
}

/* Whether a warp of the CTA has seen an access of another CTA's warp, or the access is of its own.
 */
static bool is_known(const ww_cta *cta, const ww_mark *m)
{
    const struct ww_shadow *s = cta->shadow;
    if (m->stamp == 0 || (m->agent >= s->first && m->agent < s->first + s->per)) {
        return true;
    }
    for (uint32_t w = 0; w < s->warps; w++) {
        if (ww__shadow_seen(s, w, m->agent, false) >= m->stamp) {
            return true;
        }
    }
    return false;
}

void ww__shadow_cta_exited(const ww_exec_ctx *x)
{
    ww_cta *cta = x->warp->cta;
    const struct ww_shadow *s = cta->shadow;
    const ww_uop *u = &x->code->uop[x->out->pc];
    ww__grids_cta_exited(x);
    for (uint32_t byte = 0; byte < s->shared_bytes && cta->cluster != NULL; byte++) {
        const ww_cell *c = &s->cell[byte];
        const ww_mark *marks[] = {&c->write, &c->read[0], &c->read[1]};
        for (unsigned k = 0; k < WW_ARRAY_LEN(marks); k++) {
            if (!is_known(cta, marks[k])) {
                const ww_touch t = {.space = WW_SPACE_SHARED,
                                    .lane = (unsigned)__builtin_ctz(x->exec),
                                    .address = byte,
                                    .bytes = 1};
                ww__memcheck_race(x, u, &t, WW_HAZARD_EXIT, marks[k]);
            }
        }
    }
}

void ww__shadow_touch(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                      const ww_touching *how)
{
    switch (t->space) {
    case WW_SPACE_GLOBAL:
    case WW_SPACE_CONST:
        touch_global(x, u, t, how);
        break;
    case WW_SPACE_LOCAL:
        touch_local(x, u, t, how);
        break;
    case WW_SPACE_SHARED:
        touch_shared(x, u, t, how);
        break;
    default: /* parameters have values */
        break;
    }
}

static void touch_all(const ww_exec_ctx *x, const ww_uop *u, const ww_touching *how)
{
    x->warp->cta->shadow->serial++;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        ww_touch t = ww__shadow_touch_of(x, (unsigned)__builtin_ctz(m), x->out->lane_bytes);
        ww__shadow_touch(x, u, &t, how);
    }
}

/* ---- the instructions ---- */

ww_status ww__shadow_run_inner(ww_exec_ctx *x, const ww_uop *u)
{
    return x->code->inner[u - x->code->uop](x, u);
}

/* An access that is an acquire or a release as well. */
static void order(const ww_exec_ctx *x, bool fences)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    uint32_t warp = x->warp->index;
    if (fences) {
        ww__shadow_fence(s, warp);
    }
    ww__shadow_atomic(x->warp->cta, warp);
    if (fences) {
        ww__shadow_fence(s, warp);
    }
}

static bool is_ordered(const ww_uop *u)
{
    return (u->inst->mods & WW_MOD_ORDERED) != 0;
}

static ww_status checked_store(ww_exec_ctx *x, const ww_uop *u)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    const ww_touching how = {.writes = true,
                             .atomic = is_ordered(u),
                             .element = u->element,
                             .element_bytes = u->element_bytes};
    if (x->env->at_edge) {
        return ww__shadow_run_inner(x, u);
    }
    WW_TRY(ww__access_resolve(x, u, (uint32_t)u->element_bytes * u->element_count, groups, &count));
    if (how.atomic) {
        order(x, true);
    }
    touch_all(x, u, &how);
    return ww__shadow_run_inner(x, u);
}

/* Instructions that leave in x->out what they have read or written. */
static ww_status checked_access(ww_exec_ctx *x, const ww_uop *u)
{
    ww_op op = (ww_op)u->inst->op;
    bool atomic = op == WW_OP_ATOM || op == WW_OP_RED;
    bool stores = op == WW_OP_WMMA_STORE || op == WW_OP_STMATRIX;
    const ww_touching how = {.reads = !stores && !(atomic && u->inst->sub == WW_SUB_EXCH),
                             .writes = stores || atomic,
                             .atomic = atomic || is_ordered(u)};
    WW_TRY(ww__shadow_run_inner(x, u));
    if (x->out->again || x->env->at_edge) {
        return WW_OK;
    }
    if (how.atomic) {
        order(x, is_ordered(u));
    }
    touch_all(x, u, &how);
    return WW_OK;
}

/* The load of a folded operand. */
static ww_status checked_folded(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_touching how = {.reads = true};
    WW_TRY(u->run(x, u));
    touch_all(x, u, &how);
    return WW_OK;
}

/* The object itself is as if atomic; arrivals and successful tests order what is around them. What
 * becomes of the object, the hooks in mbarrier.c say. */
static ww_status checked_mbarrier(ww_exec_ctx *x, const ww_uop *u)
{
    ww_cta *cta = x->warp->cta;
    ww_sub sub = (ww_sub)u->inst->sub;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    bool tests = sub == WW_SUB_TEST || sub == WW_SUB_TEST_PARITY;
    const ww_touching how = {.reads = sub != WW_SUB_INIT, .writes = !tests, .atomic = true};
    if (x->env->at_edge) {
        return ww__shadow_run_inner(x, u);
    }
    WW_TRY(ww__access_resolve(x, u, u->element_bytes, groups, &count));
    touch_all(x, u, &how); /* what an arrival hands over includes itself */
    for (uint32_t m = !tests && sub != WW_SUB_INIT ? x->exec : 0; m != 0; m &= m - 1) {
        const ww_touch t = ww__shadow_touch_of(x, (unsigned)__builtin_ctz(m), u->element_bytes);
        if (t.cta != NULL && t.space == WW_SPACE_SHARED) {
            ww__shadow_object_arrive(cta, x->warp->index, t.cta, (uint32_t)t.address);
        }
    }
    WW_TRY(ww__shadow_run_inner(x, u));
    uint32_t passed = tests && u->pred_dst != WW_NO_REG ? x->warp->preds[u->pred_dst] & x->exec : 0;
    for (; passed != 0; passed &= passed - 1) {
        const ww_touch t =
            ww__shadow_touch_of(x, (unsigned)__builtin_ctz(passed), u->element_bytes);
        ww__shadow_object_passed(cta->shadow, x->warp->index, (uint32_t)t.address);
    }
    return WW_OK;
}

static ww_status checked_barrier(ww_exec_ctx *x, const ww_uop *u)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    if (u->inst->sub == WW_SUB_SYNC_CLUSTER) {
        WW_TRY(ww__shadow_run_inner(x, u));
        if (!x->warp->at_barrier) { /* it had opened before; else it hands on when it opens */
            ww__shadow_cluster_passed(s, x->warp->index);
        }
        return WW_OK;
    }
    ww__shadow_check_barrier(x, u);
    uint32_t id =
        u->inst->sub == WW_SUB_ARRIVE_CLUSTER ? WW_BARRIER_CLUSTER : ww__src_uniform(x, &u->src[0]);
    if (id <= WW_BARRIER_CLUSTER) {
        ww__shadow_arrive(s, x->warp->index, id);
    }
    return ww__shadow_run_inner(x, u); /* opens it, perhaps */
}

static ww_status checked_fence(ww_exec_ctx *x, const ww_uop *u)
{
    ww__shadow_fence(x->warp->cta->shadow, x->warp->index);
    if ((u->inst->mods & WW_MOD_PROXY) != 0) {
        ww__shadow_proxy_fence(x->warp->cta->shadow, x->warp->index);
    }
    return ww__shadow_run_inner(x, u);
}

/* What they write has a value; who may look at it when is not followed. */
static ww_status checked_map(ww_exec_ctx *x, const ww_uop *u)
{
    WW_TRY(ww__shadow_run_inner(x, u));
    for (uint32_t m = x->out->is_memory ? x->out->exec : 0; m != 0; m &= m - 1) {
        const ww_touch t = ww__shadow_touch_of(x, (unsigned)__builtin_ctz(m), WW_TENSOR_MAP_BYTES);
        if (t.space == WW_SPACE_GLOBAL) {
            ww_memcheck_written(x->env->launch->memcheck, t.address, t.bytes);
        }
    }
    return WW_OK;
}

/* A block may have been in use before, and then holds what its user left. */
static ww_status checked_malloc(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t bytes[WW_PAIR_WORDS];
    memcpy(bytes, ww__src(x, &u->src[0], scratch), sizeof bytes);
    WW_TRY(ww__shadow_run_inner(x, u));
    if (x->env->pending != NULL || u->dst == WW_NO_REG) {
        return WW_OK; /* its turn comes at the edge */
    }
    const uint32_t *result = x->warp->regs + u->dst;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = (uint64_t)result[lane + WW_LANES] << 32 | result[lane];
        if (address != 0) {
            ww_memcheck_forget(x->env->launch->memcheck, address,
                               (uint64_t)bytes[lane + WW_LANES] << 32 | bytes[lane]);
        }
    }
    return WW_OK;
}

static ww_uop_run *check_for(const ww_inst *inst)
{
    switch ((ww_op)inst->op) {
    case WW_OP_ST:
        return checked_store;
    case WW_OP_LD:
    case WW_OP_ATOM:
    case WW_OP_RED:
    case WW_OP_LDMATRIX:
    case WW_OP_STMATRIX:
    case WW_OP_WMMA_LOAD:
    case WW_OP_WMMA_STORE:
        return checked_access;
    case WW_OP_CP_ASYNC:
        return ww__checked_copy;
    case WW_OP_CP_BULK:
    case WW_OP_CP_REDUCE:
        return ww__checked_bulk;
    case WW_OP_CP_TENSOR:
    case WW_OP_CP_TENSOR_REDUCE:
        return ww__checked_tensor;
    case WW_OP_CP_WAIT:
        return ww__checked_copy_wait;
    case WW_OP_WGMMA:
        return ww__checked_wgmma;
    case WW_OP_WGMMA_WAIT:
        return ww__checked_products;
    case WW_OP_TENSORMAP_REPLACE: /* a map's bytes are looked at through proxies of their own */
    case WW_OP_TENSORMAP_COPY:
        return checked_map;
    case WW_OP_SETMAXNREG:
        return ww__shadow_run_inner;
    case WW_OP_GRID_CONTROL:
        return ww__checked_grid_control;
    case WW_OP_MBARRIER:
        return checked_mbarrier;
    case WW_OP_BAR:
        return checked_barrier;
    case WW_OP_MEMBAR:
        return checked_fence;
    case WW_OP_SHFL:
    case WW_OP_VOTE:
    case WW_OP_MATCH:
    case WW_OP_REDUX:
    case WW_OP_ELECT:
    case WW_OP_BAR_WARP:
        return ww__checked_members;
    case WW_OP_CALL:
        return ww_inst_is_builtin(inst) && inst->sub == WW_SUB_MALLOC ? checked_malloc : NULL;
    default:
        return NULL;
    }
}

/* Accesses to memory that has a shadow, and what orders them or waits for them. What takes nothing
 * from memory, as prefetches do, may read what it likes; the host's calls answer for themselves. */
static bool needs_check(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const uint32_t shadowed = WW_AT_GENERIC, ordering = WW_AT_OBJECTS | WW_AT_GROUPS;
    bool loads =
        (e.reads & shadowed) != 0 && ww_inst_folded(inst) == NULL && (e.writes & WW_AT_VALUES) != 0;
    return !ww_inst_is_builtin(inst) &&
           (loads || (e.writes & (shadowed | ordering)) != 0 || ww_effects_asynchronous(&e));
}

ww_status ww__shadow_wrap(struct ww_exec_code *code, ww_error *err)
{
    const ww_kernel *kernel = code->launch->kernel;
    code->inner = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_run *, kernel->code_count + 1);
    code->checks = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_run *, kernel->code_count + 1);
    if (code->inner == NULL || code->checks == NULL) {
        return ww_no_memory_for(err, "preparing kernel %s", kernel->name);
    }
    for (uint32_t k = 0; k < kernel->code_count; k++) {
        code->has_products |= kernel->code[k].op == WW_OP_WGMMA;
    }
    for (uint32_t k = 0; k < kernel->code_count; k++) {
        const ww_inst *inst = &kernel->code[k];
        ww_uop_run *check = check_for(inst);
        if (check == NULL && needs_check(inst)) {
            return ww_fail_at(err, WW_EUNSUP, kernel->file, (int)inst->line, 0,
                              "kernel %s: --memcheck does not know what %s does to memory.",
                              kernel->name, ww_op_name((ww_op)inst->op));
        }
        if (code->uop[k].folded != NULL) {
            code->uop[k].folded->check = checked_folded;
        }
        code->inner[k] = code->uop[k].run;
        code->checks[k] = check != NULL ? check : code->inner[k];
        if (code->has_products && !ww_inst_is_builtin(inst)) {
            code->uop[k].run = ww__checked_registers;
        } else if (check != NULL) {
            code->uop[k].run = check;
        }
    }
    return WW_OK;
}
