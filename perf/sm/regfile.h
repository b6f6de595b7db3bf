/* regfile.h - where registers lie in the banks. */
#ifndef WW_PERF_SM_REGFILE_H
#define WW_PERF_SM_REGFILE_H

#include "perf/sm/sm_state.h"

/* Bank mask of a warp from the mask for warp slot 0: rotated within the number of banks. */
static inline uint64_t ww_bank_rotate(const ww_sm *sm, uint64_t mask, uint32_t w)
{
    uint32_t shift = sm->regfile.bank_shift[w];
    if (shift == 0) {
        return mask;
    }
    return ((mask << shift) | (mask >> (sm->arch->regfile.banks - shift))) & sm->regfile.bank_mask;
}

#endif
