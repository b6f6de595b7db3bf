/* check_affine.h - `warpwatt check --affine`: classes of a kernel's values and its two streams. */
#ifndef WW_CLI_CHECK_AFFINE_H
#define WW_CLI_CHECK_AFFINE_H

#include "cli/command.h"

/** Prints what decoupled affine computation makes of the kernels of the PTX files; as JSON the
 * sizes alone.
 * @error what ww_ptx_build_kernel may fail with; ENOTFOUND: no kernel of that name */
WW_NODISCARD ww_status ww_check_affine(const ww_args *args, ww_error *err);

#endif
