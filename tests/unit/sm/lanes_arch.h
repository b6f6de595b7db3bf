/* lanes_arch.h - a small machine whose core is lanes, for tests of who brings such a core: eight
 * lanes, 24 cycles from an instruction to its dependent one. */
#ifndef WW_TESTS_UNIT_SM_LANES_ARCH_H
#define WW_TESTS_UNIT_SM_LANES_ARCH_H

#include "tests/unit/sm/kernels.h"

enum { LANES = 8, LATENCY = 24 };

static inline ww_arch lanes_arch(void)
{
    ww_arch a = small_arch();
    a.sm.core = WW_CORE_LANES;
    a.sm.schedulers = 1;
    a.sm.issue_interval = 1;
    a.sm.fetch_warps = 2;
    a.sm.collect_cycles = a.sm.writeback_cycles = 1;
    a.dart.skip_width = 32;
    a.units.sp_count = 1;
    a.units.sp_lanes = LANES;
    a.units.int_latency = a.units.logic_latency = LATENCY - 2;
    a.units.int_interval = a.units.logic_interval = 4; /* 32 threads over 8 lanes */
    a.units.sfu_interval = 16;
    a.ldst.shared_banks = 16;
    return a;
}

#endif
