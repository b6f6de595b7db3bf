/* memcheck.h - what --memcheck finds and does not stop at: reads of memory that nobody has written,
 * races in shared memory, and lanes that are waited for in vain. A launch that names a ww_memcheck
 * runs with a shadow beside its memory; one that names none pays nothing. It is used by one thread
 * at a time. */
#ifndef WW_PERF_EXEC_MEMCHECK_MEMCHECK_H
#define WW_PERF_EXEC_MEMCHECK_MEMCHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "perf/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_memcheck ww_memcheck;

WW_NODISCARD ww_status ww_memcheck_create(ww_memcheck **out, ww_error *err);
void ww_memcheck_destroy(ww_memcheck *check);

/** Bytes of global memory have a value now: a copy, a fill, an initialiser. */
void ww_memcheck_written(ww_memcheck *check, uint64_t address, uint64_t bytes);
/** They have none: a new allocation. */
void ww_memcheck_forget(ww_memcheck *check, uint64_t address, uint64_t bytes);

/** Launches in the order in which they run, of which some may begin before the one before them has
 * ended: what each touches of global memory is kept until the end of the last. @error ENOMEM */
WW_NODISCARD ww_status ww_memcheck_grids_begin(ww_memcheck *check, size_t count, ww_error *err);
/** The launch of that number is next. before: number of the one whose end it need not wait for;
 * NULL: all before it have ended. */
void ww_memcheck_grids_next(ww_memcheck *check, size_t number, const uint32_t *before);
void ww_memcheck_grids_end(ww_memcheck *check);

/** What was found so far, in the order of first sight; valid until the next launch.
 * @param more  accesses at places beyond the list's end */
const ww_finding *ww_memcheck_findings(const ww_memcheck *check, size_t *count, uint64_t *more);

#ifdef __cplusplus
}
#endif
#endif
