/* sm_one.c - the SM of machines of up to 64 warp slots: a set of them is a word. */
#include "perf/sm/pipeline_whole.h"

const ww_sm_ops ww_sm_one = WW_SM_OPS_OF_THIS_WIDTH;
