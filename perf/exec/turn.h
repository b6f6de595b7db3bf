/* turn.h - private to perf/exec: instructions without time, several at once. */
#ifndef WW_PERF_EXEC_TURN_H
#define WW_PERF_EXEC_TURN_H

#include "perf/exec/code.h"

/** Finds what turns can do at once in predecoded code; without it they go step by step.
 * @error ENOMEM */
ww_status ww__turn_prepare(struct ww_exec_code *code, ww_error *err);

/* ---- direct.c ---- */
/** Sets u->direct of a load or store that is simple enough; ordinal tells memory instructions
 * apart. @error ENOMEM */
ww_status ww__direct_prepare(struct ww_exec_code *code, uint32_t ordinal, ww_uop *u, ww_error *err);
/** Executes u, which has u->direct, for the lanes x->exec, at least one. False, and nothing is
 * done, where it must be done lane by lane: lanes in several allocations, faults. */
bool ww__direct_access(const ww_exec_ctx *x, const ww_uop *u);

#endif
