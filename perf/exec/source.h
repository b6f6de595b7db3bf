/* source.h - which functions of a program's source an instruction comes from. Depends on: perf/ptx.
 */
#ifndef WW_PERF_EXEC_SOURCE_H
#define WW_PERF_EXEC_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "perf/ptx/ptx.h"

/** Names of the functions that were inlined at a PTX line, as they are in the object file, the
 * outermost first, with ; between them; "" where none was, or no .loc says so. Returns buf. */
char *ww_source_function(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size);

#endif
