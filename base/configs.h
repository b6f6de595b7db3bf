/* configs.h - where the shipped configuration files are. */
#ifndef WW_BASE_CONFIGS_H
#define WW_BASE_CONFIGS_H

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The folder "gpu", "tech", "sweep" or "schema" of the configuration directory, which is
 * the first of: the environment variable WARPWATT_CONFIGS, the source tree this was built from,
 * ../share/warpwatt/configs beside the program, the same beside the library that this is part of
 * (one or two folders up), the installation's data directory.
 * @param out    path in arena
 * @error ENOTFOUND (names the places searched), ENOMEM
 */
WW_NODISCARD ww_status ww_configs_dir(ww_arena *arena, const char *folder, const char **out,
                                      ww_error *err);

/**
 * The folder of the mechanisms' rooms ("mech"), beside the configuration directory, in the source
 * tree as in an installation. One beside the directory that WARPWATT_CONFIGS names comes first.
 * @param out    path in arena
 * @error as ww_configs_dir
 */
WW_NODISCARD ww_status ww_configs_rooms(ww_arena *arena, const char **out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
