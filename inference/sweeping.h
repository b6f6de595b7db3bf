/* sweeping.h - passes of models in a sweep. Depends on: run (sweep.h), pass.h. */
#ifndef WW_INFERENCE_SWEEPING_H
#define WW_INFERENCE_SWEEPING_H

#include "run/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What all passes of a sweep share. */
typedef struct ww_sweep_sharing {
    const char *memory; /* folder of operators that runs before have simulated; NULL: none */
    void (*warn)(void *user, const char *text); /* what a run does without; NULL: says nothing */
} ww_sweep_sharing;

/**
 * Lets a sweep run its passes: each is made once to see whether there is such a model, and what a
 * machine has no kernel or memory for is left out.
 * @param sharing  must outlive the sweep
 * @error of a pass's graph, located at its element
 */
WW_NODISCARD ww_status ww_infer_sweep_passes(ww_sweep *sweep, const ww_sweep_sharing *sharing,
                                             ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
