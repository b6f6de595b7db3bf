/* kernel_name.h - names of kernels as people write them. Tables that programs read keep names as
 * the PTX has them. */
#ifndef WW_ANALYSIS_KERNEL_NAME_H
#define WW_ANALYSIS_KERNEL_NAME_H

#include "base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The name of a kernel, "workload/kernel" too: of a mangled one the C++ name without its result,
 * template arguments and parameters; else, and without a C++ library or memory, the label itself.
 * In the arena, or the label. */
const char *ww_kernel_plain(ww_arena *arena, const char *label);
/** Those of count labels; NULL: no memory for the list. */
const char *const *ww_kernel_plain_all(ww_arena *arena, const char *const *labels, size_t count);

#ifdef __cplusplus
}
#endif
#endif
