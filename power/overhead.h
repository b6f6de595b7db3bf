/* overhead.h - what the overhead model of a mechanism (mech/NAME/overhead.c, compiled into
 * ww_power) is built with: the builder of component.h, at depth 2 under the mechanism's own
 * structure of the component MECH. */
#ifndef WW_POWER_OVERHEAD_H
#define WW_POWER_OVERHEAD_H

#include "power/component.h"

/** One copy of a structure of configs/tech/structures.xml with as many entries and bits as the
 * machine has: what `validate structures` prints beside a paper is what is charged. A zero one
 * after a failure. */
ww_structure ww__described(ww__builder *b, const char *name, uint32_t entries, uint32_t entry_bits);
/** What it costs at the machine's node; a zero cost for no entries and after a failure. */
ww_structure_cost ww__described_cost(ww__builder *b, const ww_structure *s);
/** A unit (not an array) of that list. */
ww_structure_cost ww__described_unit(ww__builder *b, const char *name);

/** Adds the structures of an active mechanism to the model, with the events that use them. */
#define WW_MECH(ID, name, doc) void ww__overhead_##name(ww__builder *b);
#include "mech/rows.h"

#endif
