/* mechanisms.h - the hooks of the mechanisms that ship with WarpWatt: one room each (mech/NAME).
 *
 * A room holds everything of one published idea: parameters and counters (mech.def), state machine,
 * what its structures cost (overhead.c), values (NAME.xml), tests and a page with its bands. It
 * reaches the SM through perf/sm/seam.h alone and is registered by a line of registry.def; lib/ is
 * what rooms share. docs/mechanisms.md has the catalogue of hooks. */
#ifndef WW_MECH_MECHANISMS_H
#define WW_MECH_MECHANISMS_H

#include "perf/sm/seam.h"

/* mech/NAME/hooks.c */
#define WW_MECH(ID, name, doc) extern const ww_mech ww_mech_##name;
#include "mech/rows.h"

/** The hooks of a mechanism. */
const ww_mech *ww_mech_of(ww_mech_id id);

#endif
