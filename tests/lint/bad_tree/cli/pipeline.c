/* A command asks the device API, not the pipeline. */
#include "run/run.h"
#include "perf/sm/sm.h" /* refused: floors */
