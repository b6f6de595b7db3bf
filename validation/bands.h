/* bands.h - bands.csv. Private to validation/. */
#ifndef WW_VALIDATION_BANDS_H
#define WW_VALIDATION_BANDS_H

#include "validation/paper.h"
#include "validation/references.h"

/** Reads a table of bands into the arena; texts are the table's, which the caller destroys.
 * @error ESCHEMA, EPARSE, ERANGE (file, line) */
WW_NODISCARD ww_status ww__bands_load(const char *path, ww_arena *arena, ww_refs **table,
                                      ww_band **out, ww_error *err);

#endif
