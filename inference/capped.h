/* capped.h - a pass under a power cap. Depends on: pass.h. */
#ifndef WW_INFERENCE_CAPPED_H
#define WW_INFERENCE_CAPPED_H

#include "inference/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/** ww_infer_run, at the clock to which the machine's power.cap_w lowers it where it has one. */
WW_NODISCARD ww_status ww_infer_capped(const ww_infer_request *request, ww_infer **out,
                                       ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
