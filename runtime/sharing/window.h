/* window.h - device addresses over memory that has another owner: a segment, or part of one. A
 * window is an allocation of the device, whose pages give way to the segment's. */
#ifndef WW_RUNTIME_SHARING_WINDOW_H
#define WW_RUNTIME_SHARING_WINDOW_H

#include "runtime/core/context.h"
#include "runtime/sharing/segment.h"

/** Reserves addresses; align is a power of two. Until something is mapped they hold memory of their
 * own. */
cudaError_t rt_window_open(rt_context *c, uint64_t bytes, uint64_t align, rt_window *out);
void rt_window_close(rt_context *c, rt_window *window);
/** Does the window hold this range? */
bool rt_window_holds(const rt_window *window, ww_devptr address, uint64_t bytes);
/** Puts a segment's bytes from offset on over a range of whole pages within the window. */
bool rt_window_map(rt_context *c, const rt_window *window, ww_devptr address,
                   const rt_segment *segment, uint64_t offset, uint64_t bytes);
/** Puts memory of its own in their place. */
bool rt_window_unmap(rt_context *c, const rt_window *window, ww_devptr address, uint64_t bytes);

#endif
