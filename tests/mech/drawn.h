/* drawn.h - random kernels as PTX: threads leave and break out of loops by their indices and by
 * what they have loaded, before and between barriers, which all that are left reach. No two threads
 * access what one of them writes, so that results do not depend on order. */
#ifndef WW_TESTS_MECH_DRAWN_H
#define WW_TESTS_MECH_DRAWN_H

#include <stdint.h>

#include "base/str.h"

enum { DRAWN_WIDTH = 16, DRAWN_HEIGHT = 16, DRAWN_COUNT = 1024 };

/** Appends a module with one kernel, drawn(out, a, n): out has two words for each thread of the
 * grid, a DRAWN_COUNT numbers between -1 and 1, n is DRAWN_COUNT; blocks of DRAWN_WIDTH by
 * DRAWN_HEIGHT threads. */
void draw_kernel(ww_str *out, uint64_t seed);

#endif
