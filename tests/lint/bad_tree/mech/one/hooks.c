/* A room sees the SM, not what its structures cost, nor another room. */
#include "mech/lib/prefetch.h"
#include "mech/one/one.h"
#include "perf/sm/seam.h"
#include "mech/two/two.h"   /* refused: floors */
#include "power/overhead.h" /* refused: floors */
