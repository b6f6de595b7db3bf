/* registers.h - register counts of kernels from a file, for `run --registers`. */
#ifndef WW_CLI_REGISTERS_H
#define WW_CLI_REGISTERS_H

#include "base/mem.h"
#include "cli/command.h"
#include "run/run.h"

/**
 * Reads the counts of --registers FILE into the request, if it is given: a table with the columns
 * kernel and registers, or what `ptxas -v` or `cuobjdump --dump-resource-usage` prints.
 * ENOTFOUND: the file names no kernel; ERANGE: a count that is not 1 to 255.
 */
WW_NODISCARD ww_status ww_registers_load(const ww_args *args, ww_arena *arena,
                                         ww_run_request *request, ww_error *err);

/** The same from text; name stands in messages. Counts live in the arena; the last row of a kernel
 * holds. */
WW_NODISCARD ww_status ww_registers_parse(const char *name, const char *text, size_t length,
                                          ww_arena *arena, const ww_kernel_registers **out,
                                          size_t *count, ww_error *err);

#endif
