/* options.h - options of NVRTC for a machine that executes PTX and no machine code. */
#ifndef WW_RUNTIME_NVRTC_OPTIONS_H
#define WW_RUNTIME_NVRTC_OPTIONS_H

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies a list of options, asking for PTX in place of machine code: an architecture sm_N becomes
 * compute_N, and one below the lowest that this NVRTC knows becomes that. Everything else, values
 * that name no architecture included, stays as it is, for NVRTC to judge.
 * @param lowest  75: compute_75; 0: not known, nothing is raised
 * @param out     [count] in the arena; elements may be those of options
 * @error ENOMEM
 */
WW_NODISCARD ww_status rt_nvrtc_options(const char *const *options, size_t count, unsigned lowest,
                                        ww_arena *arena, const char ***out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
