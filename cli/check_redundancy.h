/* check_redundancy.h - `warpwatt check --redundancy`: marks of redundant instructions. */
#ifndef WW_CLI_CHECK_REDUNDANCY_H
#define WW_CLI_CHECK_REDUNDANCY_H

#include "cli/command.h"

/** Prints the mark of every instruction of the files' kernels, as built for a GPU, and with a block
 * shape what becomes of it at launch. @error those of reading and building; EUSAGE */
WW_NODISCARD ww_status ww_check_redundancy(const ww_args *args, ww_error *err);

#endif
