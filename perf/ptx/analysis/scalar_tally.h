/* scalar_tally.h - how many registers and instructions of a function scalarization finds, as LPGPU
 * D5.5.3 counts them in figures 10 and 11. */
#ifndef WW_PERF_PTX_ANALYSIS_SCALAR_TALLY_H
#define WW_PERF_PTX_ANALYSIS_SCALAR_TALLY_H

#include "perf/ptx/analysis/scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* General registers of a function that some instruction names. */
typedef struct ww_scalar_tally {
    uint32_t registers, scalars; /* virtual registers */
    uint32_t words, scalar_words;
    uint32_t instructions, once; /* that pass the lanes; of those, for one thread */
} ww_scalar_tally;

/** Counts a function without calls. @param varying  as ww_scalars_find @error ENOMEM */
WW_NODISCARD ww_status ww_scalar_tally_of(const ww_function *f, unsigned varying, ww_arena *arena,
                                          ww_scalar_tally *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
