/* contract.h - private to perf/ptx: products and sums without a rounding mode become one. */
#ifndef WW_PERF_PTX_CONTRACT_H
#define WW_PERF_PTX_CONTRACT_H

#include "perf/ptx/ir.h"

/** Makes fused multiply-adds of a translated function's sums; the products stay, unread. */
WW_NODISCARD ww_status ww__contract(ww_function *f, ww_arena *arena, ww_arena *scratch,
                                    ww_error *err);

#endif
