/* passes.h - passes that `validate inference` makes itself. Private to validation/. */
#ifndef WW_VALIDATION_PASSES_H
#define WW_VALIDATION_PASSES_H

#include "inference/models.h"
#include "validation/validate.h"

/* How a pass was measured. */
typedef struct ww__pass {
    const char *gpu;
    const ww_model *model;
    ww_model_request request;
    double mhz;      /* mean core clock */
    double launch_s; /* the host launches operators so far apart */
} ww__pass;

/** Whether names of passes are asked for: `pattern` is one of the shell, NULL asks for all. */
bool ww__pass_asked(const char *pattern, const char *name);

/** Runs a pass in eager PyTorch's kernels and leaves its result in a folder that is not there yet.
 * @error as ww_infer_run and ww_result_publish */
WW_NODISCARD ww_status ww__pass_run(const ww_validation *asked, const ww__pass *pass,
                                    const char *name, const char *folder, ww_error *err);

#endif
