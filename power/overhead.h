/* overhead.h - what the overhead model of a mechanism (mech/NAME/overhead.c, compiled into
 * ww_power) is built with: the builder of component.h, at depth 2 under the mechanism's own
 * structure of the component MECH. */
#ifndef WW_POWER_OVERHEAD_H
#define WW_POWER_OVERHEAD_H

#include "power/component.h"

/** Adds the structures of an active mechanism to the model, with the events that use them. */
#define WW_MECH(ID, name, doc) void ww__overhead_##name(ww__builder *b);
#include "mech/rows.h"

#endif
