/* check_scalar.h - `warpwatt check --scalar`: what scalarization finds in kernels. */
#ifndef WW_CLI_CHECK_SCALAR_H
#define WW_CLI_CHECK_SCALAR_H

#include "cli/command.h"

/** Prints scalar registers and slots saved of the files' kernels, launched in blocks of a shape,
 * with the seed of the report and with the correct one. @error those of reading and building;
 * EUSAGE */
WW_NODISCARD ww_status ww_check_scalar(const ww_args *args, ww_error *err);

#endif
