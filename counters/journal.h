/* journal.h - an activity file that grows launch by launch, so that what has been launched is in it
 * however the process ends. Launches without intervals: those of a run are merged as a whole. */
#ifndef WW_COUNTERS_JOURNAL_H
#define WW_COUNTERS_JOURNAL_H

#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_journal ww_journal; /* opaque */

/** Creates the file; what was there is gone. EIO, ENOMEM, ERANGE (name). */
WW_NODISCARD ww_status ww_journal_create(const char *path, const char *gpu, uint64_t config_hash,
                                         ww_journal **out, ww_error *err);
/** Writes a launch, as launch index the number of those before it; it is in the file when this
 * returns. ERANGE, EIO. */
WW_NODISCARD ww_status ww_journal_add(ww_journal *journal, const ww_launch_record *launch,
                                      ww_error *err);
/** Ends and closes the file. NULL allowed. */
WW_NODISCARD ww_status ww_journal_close(ww_journal *journal, ww_error *err);

/** Makes a file that was not ended a whole one, less a launch that is not complete. A file that is
 * whole stays as it is. ENOTFOUND: it holds no complete launch. */
WW_NODISCARD ww_status ww_journal_mend(const char *path, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
