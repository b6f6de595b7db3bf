/* folders.h - where passes leave their results.
 *
 * Depends on: analysis (writing of results), pass.h. */
#ifndef WW_INFERENCE_FOLDERS_H
#define WW_INFERENCE_FOLDERS_H

#include "analysis/result_store.h"
#include "inference/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the files of a pass's result into a folder that is there.
 * @param run_id  what tells the result from others */
WW_NODISCARD ww_status ww_infer_write(const ww_infer *infer, const ww_infer_request *request,
                                      const char *command, const char *folder, uint64_t *run_id,
                                      ww_error *err);
/** Writes and publishes the result of a pass into a folder that ww_result_begin has begun.
 * @param command  the command line that the result states */
WW_NODISCARD ww_status ww_infer_publish(const ww_infer *infer, const ww_infer_request *request,
                                        const char *command, ww_result_store *store, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
