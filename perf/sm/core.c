/* core.c - the kinds of execution back end. */
#include "perf/sm/core.h"

static void pool_write(ww_sm *sm, uint32_t flight, uint64_t now)
{
    (void)now;
    sm_write_back(sm, flight);
}

static const ww_core_ops *core_ops_of(ww_core kind)
{
    static const ww_core_ops given = {given_blocked,   NULL, given_start, given_write,
                                      given_next_free, true};
    static const ww_core_ops *const table[] = {
        [WW_CORE_SHARED] = &ww_pool_core,
        [WW_CORE_PARTITIONED] = &ww_partition_core,
        [WW_CORE_TURNED] = &ww_partition_core,
        [WW_CORE_LANES] = &given,
    };
    return table[kind];
}
