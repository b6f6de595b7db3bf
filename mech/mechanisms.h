/* mechanisms.h - the hooks of the mechanisms that ship with WarpWatt: one room each (mech/NAME). */
#ifndef WW_MECH_MECHANISMS_H
#define WW_MECH_MECHANISMS_H

#include "perf/sm/seam.h"

/* mech/NAME/hooks.c, compiled for each width of sets of warps (perf/sm/slots.h) */
#define WW_MECH(ID, name, doc) extern const ww_mech ww_mech_##name, ww_mech_##name##_wide;
#include "mech/rows.h"

/** The hooks of a mechanism, for SMs of that architecture. */
const ww_mech *ww_mech_of(ww_mech_id id, const ww_arch *arch);

#endif
