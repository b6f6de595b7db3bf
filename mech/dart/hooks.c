/* hooks.c - DART (LPGPU D5.5.3, 2013, section 3.3) is another core, not a structure beside one: it
 * lies in perf/sm/lanes.c and lanes_shared.c, and needs none of the seam's hooks. */
#include "mech/mechanisms.h"

const ww_mech ww_mech_dart = {.name = "dart"};
