/* ldst.c - the load/store unit: memory instructions in order, one access per cycle and pipeline, by
 * path. */
#include "perf/sm/sm_state.h"

static WW_ALWAYS_INLINE ww_mem_path path_of(const ww_sm_op *uop, const ww_step *step)
{
    if ((uop->flags & WW_SM_OP_MEMORY) == 0 || !step->is_memory) {
        return WW_PATH_NONE;
    }
    switch (step->space) {
    case WW_SPACE_SHARED:
        return WW_PATH_SHARED;
    case WW_SPACE_CONST:
    case WW_SPACE_PARAM:
        return WW_PATH_CONST;
    case WW_SPACE_TEX:
        return WW_PATH_TEX;
    case WW_SPACE_GLOBAL:
    case WW_SPACE_LOCAL:
    case WW_SPACE_GENERIC:
    case WW_SPACE_NONE:
    case WW_SPACE_REG:
    case WW_SPACE_SREG:
    case WW_SPACE_COUNT:
        break;
    }
    if (step->is_atomic) {
        return WW_PATH_ATOMIC;
    }
    if ((uop->flags & WW_SM_OP_TEXTURE) != 0 && step->space == WW_SPACE_GLOBAL) {
        return WW_PATH_TEX;
    }
    return step->is_store ? WW_PATH_STORE : WW_PATH_LOAD;
}

static ww_mem_path sm_mem_path(const ww_sm_op *uop, const ww_step *step)
{
    return path_of(uop, step);
}

static void sm_ldst_enqueue(ww_sm *sm, uint32_t index)
{
    ww_mem_inst *m = &sm->ldst.at[index];
    const ww_sm_op *uop = sm->flights.at[m->flight].op;
    m->path = (uint8_t)path_of(uop, &m->step);
    if (m->path != WW_PATH_NONE) {
        bool made = (uop->flags & WW_SM_OP_ADDRESSED) == 0; /* by address generation */
        const uint32_t pc = ww_place_of(sm, uop);
        ww_charge(sm, pc, WW_C_AGU_LANES, made ? sm->flights.at[m->flight].lanes : 0);
        ww_charge(sm, pc, WW_C_ATOMICS, m->step.is_atomic);
    }
    WW_ASSERT(sm->ldst.count <= sm->ldst.mask && index < sm->ldst.capacity);
    sm->ldst.queue[(sm->ldst.first + sm->ldst.count++) & sm->ldst.mask] = index;
}

/* A cross-lane operation: one pass through the crossbar. */
static bool crossbar_pass(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    ww_flight *f = &sm->flights.at[m->flight];
    uint32_t latency = f->op->latency;
    ww_charge(sm, f->uop, WW_C_SHARED_LANES, f->lanes);
    f->ready_at = now + (latency > 0 ? latency : 1);
    return true;
}

static bool access_head(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    switch ((ww_mem_path)m->path) {
    case WW_PATH_NONE:
        return crossbar_pass(sm, m, now);
    case WW_PATH_SHARED:
        return sm_shared_access(sm, m, now);
    case WW_PATH_CONST:
    case WW_PATH_LOAD:
    case WW_PATH_STORE:
    case WW_PATH_ATOMIC:
    case WW_PATH_TEX:
        break;
    }
    return sm_global_access(sm, m, now);
}

/* Whether another has the L1D's port in this cycle (mech_claim_l1d); shared memory, constants
 * and textures have ports of their own. */
static bool is_kept_from_l1d(const ww_sm *sm, const ww_mem_inst *m, uint64_t now)
{
    return sm->l1d.claimed == now &&
           (m->path == WW_PATH_LOAD || m->path == WW_PATH_STORE || m->path == WW_PATH_ATOMIC);
}

/* Where segments are made as addresses come: the first instruction that has one, made
 * in an earlier cycle, becomes the head;
 * false: none has. */
static bool bring_forward(ww_ldst_stage *ldst, uint64_t now)
{
    WW_ASSERT(ldst->count > 0 && ldst->count <= ldst->mask + 1);
    uint32_t k = 0, mask = ldst->mask, first = ldst->first;
    while (k < ldst->count && sm_segment_at(&ldst->at[ldst->queue[(first + k) & mask]]) >= now) {
        k++;
    }
    if (k == ldst->count) {
        return false;
    }
    const uint32_t index = ldst->queue[(first + k) & mask];
    for (; k > 0; k--) {
        ldst->queue[(first + k) & mask] = ldst->queue[(first + k - 1) & mask];
    }
    ldst->queue[first] = index;
    return true;
}

static void sm_ldst(ww_sm *sm, uint64_t now)
{
    for (uint32_t i = 0; i < sm->arch->units.ldst_count; i++) {
        if (sm->ldst.count == 0 || sm->ldst.busy_until > now || sm->ldst.blocked) {
            break;
        }
        if (sm->ldst.streams && !bring_forward(&sm->ldst, now)) {
            break;
        }
        uint32_t index = sm->ldst.queue[sm->ldst.first];
        ww_mem_inst *m = &sm->ldst.at[index];
        WW_ASSERT(index < sm->ldst.capacity && m->flight < sm->flights.capacity);
        WW_ASSERT(!sm->flights.at[m->flight].sent); /* an entry is in the queue once */
        if (is_kept_from_l1d(sm, m, now)) {
            break;
        }
        if (!access_head(sm, m, now)) {
            continue;
        }
        sm->ldst.first = (sm->ldst.first + 1) & sm->ldst.mask;
        sm->ldst.count--;
        ww_ldst_give(&sm->ldst, index);
        ww_sm_stir(sm, sm->board.ready & sm->ibuf.head[WW_UNIT_LDST]);
        sm->flights.at[m->flight].sent = true;
        sm_flight_settle(sm, m->flight, now);
    }
}
