/* mechanisms.h - the hooks of the mechanisms that ship with WarpWatt: one room each (mech/NAME). */
#ifndef WW_MECH_MECHANISMS_H
#define WW_MECH_MECHANISMS_H

#include "perf/sm/seam.h"

/* mech/NAME/hooks.c */
#define WW_MECH(ID, name, doc) extern const ww_mech ww_mech_##name;
#include "mech/rows.h"

/** The hooks of a mechanism. */
const ww_mech *ww_mech_of(ww_mech_id id);

#endif
