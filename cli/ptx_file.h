/* ptx_file.h - PTX files for commands that look at code without running it. */
#ifndef WW_CLI_PTX_FILE_H
#define WW_CLI_PTX_FILE_H

#include "cli/command.h"
#include "perf/ptx/ptx.h"

/** Reads and parses a PTX file; variables, which are not placed anywhere, get addresses that
 * differ. @error those of reading and parsing */
WW_NODISCARD ww_status ww_ptx_file_open(const char *path, ww_ptx_module **out, ww_error *err);

/* What a command does with a kernel. */
typedef ww_status ww_ptx_kernel_visit(void *context, ww_ptx_module *module, const char *kernel,
                                      ww_error *err);

/** Visits the kernels of the PTX files that a command was given, in their order; with --kernel the
 * ones of that name. @error those of opening a file and of the visits; ENOTFOUND: no such kernel */
WW_NODISCARD ww_status ww_ptx_files_visit(const ww_args *args, ww_ptx_kernel_visit *visit,
                                          void *context, ww_error *err);

/** Reads --isa: machine-like instructions, which is what holds without it, those of compute
 * capability 1.3, or the PTX as it stands. @error EUSAGE */
WW_NODISCARD ww_status ww_ptx_read_isa(const ww_args *args, ww_code *code, ww_error *err);

/** Reads X,Y,Z of --block. @error EUSAGE, also for more threads than a CTA may have */
WW_NODISCARD ww_status ww_ptx_read_block(const char *text, uint32_t most_threads, uint32_t block[3],
                                         ww_error *err);

#endif
