/* operator_memory.h - where simulated operators are remembered, as users name it. Depends on: base.
 */
#ifndef WW_CLI_OPERATOR_MEMORY_H
#define WW_CLI_OPERATOR_MEMORY_H

#include "base/mem.h"

/** Where operators are remembered: `given`, else $WARPWATT_CACHE, else a folder of the user's
 * cache. NULL: nowhere, which "off" asks for. */
const char *ww_operator_memory(const char *given, ww_arena *arena);
/** Tells that a pass goes without its memory, and why. */
void ww_operator_memory_warn(void *user, const char *text);

#endif
