/* engine_jobs.h - private to perf/exec: handing copies over to an SM's engines. */
#ifndef WW_PERF_EXEC_MEMORY_ENGINE_JOBS_H
#define WW_PERF_EXEC_MEMORY_ENGINE_JOBS_H

#include "perf/exec/engines.h"
#include "perf/exec/memory/pending.h"

/** The engines that an instruction may leave something to; NULL: there is no time, or none; or
 * memory is checked, which follows copies pass by pass and needs no time. */
static inline ww_engines *ww__engines(const ww_exec_ctx *x)
{
    const ww_cta *cta = x->warp->cta;
    return x->env->pending != NULL && cta->shadow == NULL ? cta->engines : NULL;
}

/** Whether what happens at the edge is completed by engines, later. */
static inline bool ww__engines_complete(const ww_exec_ctx *x)
{
    const ww_cta *cta = x->warp->cta;
    return x->env->at_edge && cta->shadow == NULL && cta->engines != NULL;
}

/** A new job of the instruction's; NULL when out of memory. */
ww_copy_job *ww__engine_job(ww_exec_ctx *x);
/** Takes the newest job back where an earlier one of the instruction is the same. Stores and
 * prefetches are a warp's: ptxas emits one where operands are uniform, and else a loop over those
 * that differ; loads and reductions it emits in a loop over lanes. */
void ww__engine_share_job(ww_exec_ctx *x);
/** Adds an operation on an mbarrier of another CTA; false when out of memory. */
bool ww__engine_op(ww_exec_ctx *x, const ww_object_op *op);

#endif
