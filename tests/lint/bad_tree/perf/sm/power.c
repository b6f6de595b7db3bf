/* perf never includes power, nor what stands on it. */
#include "perf/mem/port.h"
#include "power/component.h" /* refused: floors */
#include "perf/gpu/gpu.h"    /* refused: floors */
#include "mech/one/one.h"    /* refused: floors, rooms */
