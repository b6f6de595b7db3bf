/* What structures cost sees nothing of perf. */
#include "power/overhead.h"
#include "perf/sm/seam.h" /* refused: floors */
