/* ranges.h - NVTX's ranges: what a program calls the parts of its work. Launches are of the ranges
 * that are open in their thread. */
#ifndef WW_RUNTIME_CORE_RANGES_H
#define WW_RUNTIME_CORE_RANGES_H

#include "base/str.h"

/** Appends "/OUTER/INNER": the ranges that are open in the calling thread, outermost first, those
 * that threads start and end anywhere before those that they push and pop. Nothing: none is. */
void rt_ranges_append(ww_str *out);

#endif
