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

ww_mem_path ww_sm_mem_path(const ww_sm_op *uop, const ww_step *step)
{
    return path_of(uop, step);
}

void ww_sm_ldst_enqueue(ww_sm *sm, uint32_t index)
{
    ww_mem_inst *m = &sm->mem[index];
    const ww_sm_op *uop = &sm->program->uop[sm->flight[m->flight].uop];
    m->path = (uint8_t)path_of(uop, &m->step);
    if (m->path != WW_PATH_NONE) {
        bool made = (uop->flags & WW_SM_OP_ADDRESSED) == 0; /* by address generation */
        ww_count(sm, WW_C_AGU_LANES, made ? sm->flight[m->flight].lanes : 0);
        ww_count(sm, WW_C_ATOMICS, m->step.is_atomic);
    }
    sm->mem_queue[(sm->mem_first + sm->mem_count++) & sm->mem_mask] = index;
}

/* A cross-lane operation: one pass through the crossbar. */
static bool crossbar_pass(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    ww_flight *f = &sm->flight[m->flight];
    uint32_t latency = sm->program->uop[f->uop].latency;
    ww_count(sm, WW_C_SHARED_LANES, f->lanes);
    f->ready_at = now + (latency > 0 ? latency : 1);
    return true;
}

static bool access_head(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    switch ((ww_mem_path)m->path) {
    case WW_PATH_NONE:
        return crossbar_pass(sm, m, now);
    case WW_PATH_SHARED:
        return ww_sm_shared_access(sm, m, now);
    case WW_PATH_CONST:
    case WW_PATH_LOAD:
    case WW_PATH_STORE:
    case WW_PATH_ATOMIC:
    case WW_PATH_TEX:
        break;
    }
    return ww_sm_global_access(sm, m, now);
}

/* Where segments are made as addresses come: the first instruction that has one, made
 * in an earlier cycle, becomes the head;
 * false: none has. */
static bool bring_forward(ww_sm *sm, uint64_t now)
{
    uint32_t k = 0, mask = sm->mem_mask, first = sm->mem_first;
    while (k < sm->mem_count &&
           ww_sm_segment_at(&sm->mem[sm->mem_queue[(first + k) & mask]]) >= now) {
        k++;
    }
    if (k == sm->mem_count) {
        return false;
    }
    const uint32_t index = sm->mem_queue[(first + k) & mask];
    for (; k > 0; k--) {
        sm->mem_queue[(first + k) & mask] = sm->mem_queue[(first + k - 1) & mask];
    }
    sm->mem_queue[first] = index;
    return true;
}

void ww_sm_ldst(ww_sm *sm, uint64_t now)
{
    const bool streams = sm->lanes != NULL && sm->arch->dart.coalesce == WW_DART_COALESCE_STREAM;
    for (uint32_t i = 0; i < sm->arch->units.ldst_count; i++) {
        if (sm->mem_count == 0 || sm->mem_busy_until > now || sm->mem_blocked) {
            break;
        }
        if (streams && !bring_forward(sm, now)) {
            break;
        }
        uint32_t index = sm->mem_queue[sm->mem_first];
        ww_mem_inst *m = &sm->mem[index];
        if (!access_head(sm, m, now)) {
            continue;
        }
        sm->mem_first = (sm->mem_first + 1) & sm->mem_mask;
        sm->mem_count--;
        m->next = sm->mem_free;
        sm->mem_free = index;
        sm->flight[m->flight].sent = true;
        ww_sm_flight_settle(sm, m->flight, now);
    }
    ww_count(sm, WW_C_L1D_STALL, sm->mem_blocked);
}
