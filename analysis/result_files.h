/* result_files.h - private to the store of results: which files are a result's. */
#ifndef WW_ANALYSIS_RESULT_FILES_H
#define WW_ANALYSIS_RESULT_FILES_H

#include <stdbool.h>

#include "base/status.h"

#define WW__RESULT_MARK ".warpwatt-replacing" /* stands while files of a result change places */

/* Files that every result may have; ends with NULL. What a launch file dumps is in files.csv. */
extern const char *const ww__result_names[];

/** Removes the files of the result in dir, the list last. */
WW_NODISCARD ww_status ww__result_remove_files(const char *dir, ww_error *err);
/** True when dir has files that are no result's. */
bool ww__result_has_strangers(const char *dir);

#endif
