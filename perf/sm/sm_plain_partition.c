/* sm_plain_partition.c - the same with a partition for each scheduler (sm_plain_pool.c). */
#define WW_SM_PLAIN
#define WW_SM_PARTITION
#include "perf/sm/pipeline_plain.h"

ww_status ww__sm_run_partition(ww_sm *sm, uint64_t from, uint64_t until, bool edge,
                               const ww_sm_order *order, uint32_t orders, uint64_t *stopped,
                               ww_error *err)
{
    return sm_run(sm, from, until, edge, order, orders, stopped, err);
}
