/* pipeline_plain.h - the pipeline as far as ww_sm_run needs it in plain launches. Included by
 * sm_plain_*.c and sm_lined_*.c alone. */
#ifndef WW_PERF_SM_PIPELINE_PLAIN_H
#define WW_PERF_SM_PIPELINE_PLAIN_H

#pragma GCC diagnostic ignored "-Wunused-function" /* what a launch begins and ends with, hooks */
#include "perf/sm/pipeline_files.h"

#endif
