/* core.h - what lies between issue and the pipelines, as one table: a pool of operand collectors
 * and pipelines that serves all schedulers (collector.c, pipeline.c), or a partition for each
 * (partition.c), or what a mechanism brings (given_core.c). */
#ifndef WW_PERF_SM_CORE_H
#define WW_PERF_SM_CORE_H

#include "perf/sm/sm_state.h"

struct ww_core_ops {
    /* Of ready heads of scheduler s: those that cannot issue in cycle now, because their unit or
     * its way there is taken. Where that is all of them, *next: the first cycle in which one may by
     * time alone, if nothing is given back before; UINT64_MAX: none. */
    ww_slots (*blocked)(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now, uint64_t *next);
    /* Whether a head of scheduler s that goes to the unit can issue in cycle now; NULL: a warp
     * can be blocked for itself too. */
    bool (*accepts)(const ww_sm *sm, uint32_t s, unsigned unit, uint64_t now);
    /* Takes an instruction that has just been issued. */
    void (*start)(ww_sm *sm, uint32_t flight, const ww_sm_op *uop, uint64_t now);
    /* Results are there: writes them to the registers. */
    void (*write)(ww_sm *sm, uint32_t flight, uint64_t now);
    /* First cycle after now in which something taken is free again; UINT64_MAX: not by time alone.
     */
    uint64_t (*next_free)(const ww_sm *sm, uint64_t now);
    bool timed; /* what heads wait for is free again by time; elsewhere when something goes on */
};

static const ww_core_ops *core_ops_of(ww_core kind);

/* ---- collector.c, core.c ---- */
static void pool_write(ww_sm *sm, uint32_t flight, uint64_t now);
static ww_slots pool_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now,
                             uint64_t *next);
static bool pool_accepts(const ww_sm *sm, uint32_t s, unsigned unit, uint64_t now);
static void pool_start(ww_sm *sm, uint32_t flight, const ww_sm_op *uop, uint64_t now);
/* How many of them a unit's instructions may hold. */
static void share_collectors(ww_collect_stage *oc, const ww_regfile_params *p);
/* ---- pipeline.c ---- */
static uint64_t pool_next_free(const ww_sm *sm, uint64_t now);
/* ---- partition.c ---- */
/* Which pipelines serve which scheduler. */
static void partition_divide(ww_sm *sm);
static ww_slots partition_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now,
                                  uint64_t *next);
static bool partition_accepts(const ww_sm *sm, uint32_t s, unsigned unit, uint64_t now);
static void partition_start(ww_sm *sm, uint32_t flight, const ww_sm_op *uop, uint64_t now);
static void partition_write(ww_sm *sm, uint32_t flight, uint64_t now);
static uint64_t partition_next_free(const ww_sm *sm, uint64_t now);
/* ---- given_core.c ---- */
/* Between launches: the mechanism's core takes the place of the machine's. @error EUNSUP (there is
 * one already), ENOMEM */
WW_MAYBE_UNUSED static ww_status given_take(ww_sm *sm, const ww_mech_core *core, void *state,
                                            ww_error *err);
static void given_reset(ww_given_stage *given);
static ww_slots given_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now,
                              uint64_t *next);
static void given_start(ww_sm *sm, uint32_t flight, const ww_sm_op *uop, uint64_t now);
static void given_write(ww_sm *sm, uint32_t flight, uint64_t now);
static uint64_t given_next_free(const ww_sm *sm, uint64_t now);
/* What moves every cycle. */
static void given_cycle(ww_sm *sm, uint64_t now);
/* ---- the kinds ---- */
static const ww_core_ops ww_pool_core = {pool_blocked, pool_accepts,   pool_start,
                                         pool_write,   pool_next_free, false};
static const ww_core_ops ww_partition_core = {partition_blocked,   partition_accepts,
                                              partition_start,     partition_write,
                                              partition_next_free, true};
/* The SM's; a constant where the compilation is for one kind alone. */
static inline const ww_core_ops *ww_core_of(const ww_sm *sm)
{
#if defined WW_SM_POOL
    (void)sm;
    return &ww_pool_core;
#elif defined WW_SM_PARTITION
    (void)sm;
    return &ww_partition_core;
#else
    return sm->core;
#endif
}

/* Whether it is, or may be, a pool of collectors. */
static inline bool ww_sm_pools(void)
{
#if defined WW_SM_PARTITION
    return false;
#else
    return true;
#endif
}

/* True: ready warp w of scheduler s can issue in cycle now; false: `blocked` knows. */
static inline bool ww_sm_head_accepted(const ww_sm *sm, uint32_t s, uint32_t w, uint64_t now)
{
    const ww_core_ops *core = ww_core_of(sm);
    return core->accepts != NULL && core->accepts(sm, s, sm->ibuf.unit[w], now);
}
/* ---- lifecycle.c ---- */
/* Longest time an event of a core of the machine's may lie ahead. */
static uint32_t sm_horizon(const ww_arch *arch);

#endif
