/* The narrow waist knows neither those who count nor those who charge; the mechanisms' rows it may
 * read. */
#include "base/status.h"
#include "mech/rows.h"
#include "arch/arch.h"       /* refused: floors */
#include "mech/mechanisms.h" /* refused: floors */
#include "perf/sm/sm.h"      /* refused: floors */
