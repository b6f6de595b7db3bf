/* decoupling.h - decoupled affine computation as a machine does it: what its description says of
 * the analysis (perf/ptx/analysis/decouple.h), which knows no machine. */
#ifndef WW_PERF_PTX_DECOUPLING_H
#define WW_PERF_PTX_DECOUPLING_H

#include "arch/arch.h"
#include "perf/ptx/analysis/decouple.h"

/** The options of ww_decouple by the parameters of `dac`. */
static inline ww_decouple_options ww_decouple_options_of(const ww_dac_params *p)
{
    return (ww_decouple_options){.divergence = p->divergence,
                                 .conditions = p->conditions,
                                 .stack_depth = p->stack,
                                 .follow_data = p->data_branches == WW_DAC_BRANCHES_FOLLOW,
                                 .shared = p->shared};
}

#endif
