/* run_info.h - what a result folder says about its run: GPU, command, and every parameter with
 * where it came from. Depends on: base. */
#ifndef WW_ANALYSIS_RUN_INFO_H
#define WW_ANALYSIS_RUN_INFO_H

#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_run_parameter {
    const char *key, *value, *unit, *source, *file;
    int line; /* 0: none */
} ww_run_parameter;

typedef struct ww_run_info {
    ww_arena arena;                                    /* owns everything below */
    const char *gpu, *version, *command, *config_hash; /* "" when the file does not say */
    ww_run_parameter *parameter;
    size_t parameter_count;
} ww_run_info;

/** Reads run.json of a result folder, or of the first result folder in a folder. ENOTFOUND, EPARSE
 * with line and column, ESCHEMA (another document). */
WW_NODISCARD ww_status ww_run_info_load(const char *dir, ww_run_info *out, ww_error *err);
/** Releases it; idempotent; NULL allowed. */
void ww_run_info_fini(ww_run_info *info);
/** Value of a parameter ("sm.count") as written, NULL when there is none. */
const char *ww_run_info_value(const ww_run_info *info, const char *key);
/** Peak IPC of the run's GPU: SMs x schedulers x 32; ENOTFOUND when the parameters are missing. */
WW_NODISCARD ww_status ww_run_info_peak_ipc(const ww_run_info *info, double *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
