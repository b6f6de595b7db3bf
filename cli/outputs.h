/* outputs.h - what a command writes is none of what it reads: one check for all commands, by the
 * files themselves, whatever they are called. */
#ifndef WW_CLI_OUTPUTS_H
#define WW_CLI_OUTPUTS_H

#include "cli/command.h"

/** Fails when an output of the command line (--out, --uncertainty) would take the place of an input
 * of it, or of a file of a result or a sweep. @error EUSAGE, ENOMEM */
WW_NODISCARD ww_status ww_outputs_check(const ww_args *args, ww_error *err);

/** Makes the folder that a file is to be written into, where it is missing. @error EIO, ENOMEM */
WW_NODISCARD ww_status ww_outputs_folder(const char *file, ww_error *err);

#endif
