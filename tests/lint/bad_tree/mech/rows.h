/* rows.h - rows of which one ran into prose:
 *   WW_MECH(ID, name, doc)                           opens the room
 *   WW_MECH_SLOTS(ID, n)                             warp slots of its own, for warps that it
 * starts WW_MECH_COUNTER(ID, text, unit, SCOPE, consumers, doc) */
#ifndef WW_MECH
#define WW_MECH(ID, name, doc)
#endif
#ifndef WW_MECH_SLOTS
#define WW_MECH_SLOTS(ID, n)
#endif
#ifndef WW_MECH_COUNTER /* refused: rooms */
#define WW_MECH_COUNTER(ID, text, unit, SCOPE, consumers, doc)
#endif
