/* bands.h - bands.csv. Private to validation/. */
#ifndef WW_VALIDATION_BANDS_H
#define WW_VALIDATION_BANDS_H

#include "validation/paper.h"

/** Reads a table of bands into the arena. @error ESCHEMA, EPARSE (file, line) */
ww_status ww__bands_load(const char *path, ww_arena *arena, ww_band **out, size_t *count,
                         ww_error *err);

#endif
