/* map.h - private to perf/exec: tensor maps in memory, as instructions find them. */
#ifndef WW_PERF_EXEC_TENSOR_MAP_H
#define WW_PERF_EXEC_TENSOR_MAP_H

#include "isa/tensor_map.h"
#include "perf/exec/code.h"

/** Host view of the 128 bytes at a generic address, or a shared one where the instruction names
 * shared memory. @error EFAULT, EALIGN */
WW_NODISCARD ww_status ww__tensor_map_view(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                           uint64_t address, ww_space space, unsigned char **out);
/** The map at a generic address, without a problem. @error EFAULT: no map, or what is wrong with it
 */
WW_NODISCARD ww_status ww__tensor_map_read(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                           uint64_t address, ww_tensor_map *out);

#endif
