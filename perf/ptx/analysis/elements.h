/* elements.h - what a kernel takes the memory behind a pointer for. Private to perf/. */
#ifndef WW_PERF_PTX_ANALYSIS_ELEMENTS_H
#define WW_PERF_PTX_ANALYSIS_ELEMENTS_H

#include "perf/ptx/ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements that loads, stores and atomics reach through one parameter. */
typedef struct ww_elements {
    unsigned bits; /* of each; 0: none is reached, or not all are as long */
    bool floats;   /* some access says that they are numbers in floating point */
} ww_elements;

/**
 * Follows an address from a kernel's 64-bit parameter through moves and arithmetic, whatever the
 * control flow; not through memory and calls.
 * @param offset  of the parameter, within the parameter block
 * @error as ww_ptx_translate
 */
WW_NODISCARD ww_status ww_ptx_param_elements(ww_ptx_module *module, const char *kernel,
                                             uint32_t offset, ww_elements *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
