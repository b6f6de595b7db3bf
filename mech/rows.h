/* rows.h - every row that the mechanisms' rooms declare (mech/NAME/mech.def), and those that
 * several rooms share (mech/lib/lib.def). Defines nothing that stays: a consumer defines the rows
 * that it wants, includes this file, and gets them expanded; all other rows expand to nothing. So
 * arch reads parameters, counters the counters, analysis the measures, power and perf the list of
 * names, from one place, and a room never sees another folder's libraries.
 *
 * Rows of a room, ID in upper case as in WW_MECH_ID and WW_C_ID_…, name as in --mech:
 *   WW_MECH(ID, name, doc)                           opens the room
 *   WW_MECH_U(name, field, unit, lo, hi, doc)        parameter, uint32_t
 *   WW_MECH_R(name, field, unit, lo, hi, doc)        parameter, double in the SI unit named
 *   WW_MECH_B(name, field, doc)                      parameter, bool
 *   WW_MECH_E(name, field, tag, doc)                 parameter, enum ww_<tag>
 *   WW_MECH_END(ID, name)                            behind the last parameter
 *   WW_MECH_ENUM(tag) WW_MECH_VALUE(tag, ENUMERATOR, "text in XML", doc) … WW_MECH_ENUM_END(tag)
 *                                                    a value set, outside WW_MECH … WW_MECH_END
 *   WW_MECH_SETS(ID, key, value)                     a parameter of the machine that it changes
 *   WW_MECH_UNSOUND(ID, name, field, ENUMERATOR, "name.field=text")
 *       a variant that may supply wrong results: they are reported, where else they end the run
 *   WW_MECH_SLOTS(ID, n)                             warp slots of its own, for those it starts
 *   WW_MECH_COUNTER(ID, text, unit, SCOPE, consumers, doc)
 *                                                    as WW_COUNTER in counters.def
 *   WW_MECH_ZERO(ID, COUNTER)                        a counter that stays 0, or it is wrong
 *   WW_MECH_PREFETCHES(ID)                           its requests look up the L1D (mech/lib)
 *   WW_MECH_ALIAS(name, "room,room", doc)            a name for several rooms together
 *   WW_MECH_MEASURE(ID, name, unit, over, under, doc)
 *       a ratio for mechanisms.csv; over and under are expressions of N(COUNTER) */
#ifndef WW_MECH
#define WW_MECH(ID, name, doc)
#endif
#ifndef WW_MECH_U
#define WW_MECH_U(name, field, unit, lo, hi, doc)
#endif
#ifndef WW_MECH_R
#define WW_MECH_R(name, field, unit, lo, hi, doc)
#endif
#ifndef WW_MECH_B
#define WW_MECH_B(name, field, doc)
#endif
#ifndef WW_MECH_E
#define WW_MECH_E(name, field, tag, doc)
#endif
#ifndef WW_MECH_END
#define WW_MECH_END(ID, name)
#endif
#ifndef WW_MECH_ENUM
#define WW_MECH_ENUM(tag)
#endif
#ifndef WW_MECH_VALUE
#define WW_MECH_VALUE(tag, enumerator, text, doc)
#endif
#ifndef WW_MECH_ENUM_END
#define WW_MECH_ENUM_END(tag)
#endif
#ifndef WW_MECH_SETS
#define WW_MECH_SETS(ID, key, value)
#endif
#ifndef WW_MECH_UNSOUND
#define WW_MECH_UNSOUND(ID, name, field, enumerator, text)
#endif
#ifndef WW_MECH_SLOTS
#define WW_MECH_SLOTS(ID, n)
#endif
#ifndef WW_MECH_COUNTER
#define WW_MECH_COUNTER(ID, text, unit, scope, consumers, doc)
#endif
#ifndef WW_MECH_ZERO
#define WW_MECH_ZERO(ID, COUNTER)
#endif
#ifndef WW_MECH_PREFETCHES
#define WW_MECH_PREFETCHES(ID)
#endif
#ifndef WW_MECH_MEASURE
#define WW_MECH_MEASURE(ID, name, unit, over, under, doc)
#endif

#ifndef WW_MECH_ALIAS
#define WW_MECH_ALIAS(name, rooms, doc)
#endif

#include "mech/lib/lib.def"
#include "mech/registry.def"

#undef WW_MECH
#undef WW_MECH_U
#undef WW_MECH_R
#undef WW_MECH_B
#undef WW_MECH_E
#undef WW_MECH_END
#undef WW_MECH_ENUM
#undef WW_MECH_VALUE
#undef WW_MECH_ENUM_END
#undef WW_MECH_SETS
#undef WW_MECH_UNSOUND
#undef WW_MECH_SLOTS
#undef WW_MECH_COUNTER
#undef WW_MECH_ZERO
#undef WW_MECH_PREFETCHES
#undef WW_MECH_MEASURE
#undef WW_MECH_ALIAS
