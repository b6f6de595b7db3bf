/* pipeline_whole.h - the pipeline, for a width of sets of warp slots (slots.h): every file of it
 * with everything static, and the table of what it offers. Included by sm_one.c and sm_wide.c
 * alone. */
#ifndef WW_PERF_SM_PIPELINE_WHOLE_H
#define WW_PERF_SM_PIPELINE_WHOLE_H

#include "perf/sm/ops.h"

#include "perf/sm/verify.c"
#include "perf/sm/scheduler.c"
#include "perf/sm/fetch.c"
#include "perf/sm/ibuffer.c"
#include "perf/sm/scoreboard.c"
#include "perf/sm/constcache.c"
#include "perf/sm/stall.c"
#include "perf/sm/issue.c"
#include "perf/sm/profile.c"
#include "perf/sm/flight.c"
#include "perf/sm/core.c"
#include "perf/sm/regfile.c"
#include "perf/sm/collector.c"
#include "perf/sm/partition.c"
#include "perf/sm/given_core.c"
#include "perf/sm/pipeline.c"
#include "perf/sm/ldst.c"
#include "perf/sm/ldst_global.c"
#include "perf/sm/shared.c"
#include "perf/sm/async/groups.c"
#include "perf/sm/async/copy.c"
#include "perf/sm/async/engines.c"
#include "perf/sm/async/overlap.c"
#include "perf/sm/async/registers.c"
#include "perf/sm/async/remote.c"
#include "perf/sm/outqueue.c"
#include "perf/sm/barrier.c"
#include "perf/sm/cta.c"
#include "perf/sm/hooks.c"
#include "perf/sm/services.c"
#include "perf/sm/shadow_context.c"
#include "perf/sm/elsewhere.c"
#include "perf/sm/packed.c"
#include "perf/sm/skip.c"
#include "perf/sm/sm.c"
#include "perf/sm/window.c"
#include "perf/sm/fast_forward.c"
#include "perf/sm/lifecycle.c"
#include "perf/sm/explain.c"

#define WW_OPS_CALL(type, name, parameters, arguments)    .name = sm_##name,
#define WW_OPS_DO(name, parameters, arguments)            .name = sm_##name,
#define WW_OPS_SERVICE(type, name, parameters, arguments) .name = mech_##name,
#define WW_OPS_SERVE(name, parameters, arguments)         .name = mech_##name,

static const ww_mech_services services = {WW_MECH_SERVICES(WW_OPS_SERVICE, WW_OPS_SERVE)};

/* clang-format off */
#define WW_SM_OPS_OF_THIS_WIDTH                                                                    \
    {.create = sm_create, .destroy = sm_destroy, .services = &services,                            \
     WW_SM_CALLS(WW_OPS_CALL, WW_OPS_DO)}
/* clang-format on */

#endif
