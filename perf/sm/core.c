/* core.c - the kinds of execution back end. */
#include "perf/sm/core.h"

static void pool_write(ww_sm *sm, uint32_t flight, uint64_t now)
{
    (void)now;
    sm_write_back(sm, flight);
}

static const ww_core_ops *core_ops_of(ww_core kind)
{
    static const ww_core_ops table[] = {
        [WW_CORE_SHARED] = {pool_blocked, pool_accepts, pool_start, pool_write, pool_next_free,
                            false},
        [WW_CORE_PARTITIONED] = {partition_blocked, partition_accepts, partition_start,
                                 partition_write, partition_next_free, true},
        [WW_CORE_TURNED] = {partition_blocked, partition_accepts, partition_start, partition_write,
                            partition_next_free, true},
        [WW_CORE_LANES] = {given_blocked, NULL, given_start, given_write, given_next_free, true},
    };
    return &table[kind];
}
