/* regfile.h - where registers lie in the banks. */
#ifndef WW_PERF_SM_REGFILE_H
#define WW_PERF_SM_REGFILE_H

#include "perf/sm/sm_state.h"

/* Bank mask of a warp from the mask for warp slot 0: rotated within the number of banks. */
static inline uint64_t ww_bank_rotate(const ww_regfile_stage *regfile, uint64_t mask, uint32_t w)
{
    uint32_t shift = regfile->bank_shift[w];
    if (shift == 0) {
        return mask;
    }
    return ((mask << shift) | (mask >> (regfile->bank_count - shift))) & regfile->bank_mask;
}

#endif
