/* sm_wide.c - the SM of machines of more warp slots than a word names. */
#define WW_SM_WIDE
#include "perf/sm/pipeline_whole.h"

const ww_sm_ops ww_sm_wide = WW_SM_OPS_OF_THIS_WIDTH;
