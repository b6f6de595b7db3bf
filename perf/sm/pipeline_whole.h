/* pipeline_whole.h - the pipeline, for a width of sets of warp slots (slots.h): every file of it
 * with everything static, and the table of what it offers. Included by sm_one.c and sm_wide.c
 * alone. */
#ifndef WW_PERF_SM_PIPELINE_WHOLE_H
#define WW_PERF_SM_PIPELINE_WHOLE_H

#include "perf/sm/pipeline_files.h"

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
