/* mechanisms.h - the mechanisms that ship with WarpWatt: one file each, one row in arch/params.h.
 */
#ifndef WW_PERF_MECH_MECHANISMS_H
#define WW_PERF_MECH_MECHANISMS_H

#include "perf/mech/mech.h"

extern const ww_mech ww_mech_nlp; /* nlp.c */
extern const ww_mech ww_mech_uv;  /* uv.c */

/** The hooks of a mechanism. */
const ww_mech *ww_mech_of(ww_mech_id id);

#endif
