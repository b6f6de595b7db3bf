/* core.c - the kinds of execution back end. */
#include "perf/sm/core.h"

static void pool_write(ww_sm *sm, uint32_t flight, uint64_t now)
{
    (void)now;
    ww_sm_write_back(sm, flight);
}

/* What the pool holds moves every cycle, which keeps the SM awake. */
static uint64_t pool_next_free(const ww_sm *sm, uint64_t now)
{
    (void)sm;
    (void)now;
    return UINT64_MAX;
}

const ww_core_ops *ww_core_ops_of(ww_core kind)
{
    static const ww_core_ops table[] = {
        [WW_CORE_SHARED] = {ww_pool_blocked, ww_pool_start, pool_write, pool_next_free},
        [WW_CORE_PARTITIONED] = {ww_partition_blocked, ww_partition_start, ww_partition_write,
                                 ww_partition_next_free},
        [WW_CORE_TURNED] = {ww_partition_blocked, ww_partition_start, ww_partition_write,
                            ww_partition_next_free},
        [WW_CORE_LANES] = {ww_lanes_blocked, ww_lanes_start, ww_lanes_write, ww_lanes_next_free},
    };
    return &table[kind];
}
