/* validate.h - the comparisons of `warpwatt validate`, and where their reference tables are. */
#ifndef WW_CLI_VALIDATE_H
#define WW_CLI_VALIDATE_H

#include "base/mem.h"
#include "cli/command.h"
#include "validation/validate.h"

/** `validate arrays`: memory arrays beside CACTI 7.0 and CACTI-P. EVERIFY when a bar is missed. */
ww_status ww_validate_arrays(const ww_args *args, ww_error *err);
#endif
