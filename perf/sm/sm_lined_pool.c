/* sm_lined_pool.c - cycles of an SM of up to 64 warp slots with a pool of collectors, in launches
 * whose lines are counted and that are plain otherwise (sm_plain_pool.c). */
#define WW_SM_LINED
#define WW_SM_POOL
#include "perf/sm/pipeline_plain.h"

ww_status ww__sm_run_lined_pool(ww_sm *sm, uint64_t from, uint64_t until, bool edge,
                                const ww_sm_order *order, uint32_t orders, uint64_t *stopped,
                                ww_error *err)
{
    return sm_run(sm, from, until, edge, order, orders, stopped, err);
}
