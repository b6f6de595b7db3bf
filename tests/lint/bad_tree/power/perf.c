/* power never includes perf: they meet in counters. */
#include "counters/counters.h"
#include "perf/sm/sm.h" /* refused: floors */
#include "perf/types.h" /* refused: floors */
