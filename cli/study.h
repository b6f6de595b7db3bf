/* study.h - workload studies named on the command line, and their tables in print. */
#ifndef WW_CLI_STUDY_H
#define WW_CLI_STUDY_H

#include <stdbool.h>

#include "analysis/study.h"
#include "cli/command.h"

/** `analyze correlate`: Pearson and Spearman matrices of one study. */
WW_NODISCARD ww_status ww_study_correlate(const ww_args *args, ww_error *err);
/** `analyze categories`: IPC categories of one study. */
WW_NODISCARD ww_status ww_study_categories(const ww_args *args, ww_error *err);
/** `analyze compare`: result sets against the first of them. */
WW_NODISCARD ww_status ww_study_compare(const ww_args *args, ww_error *err);

/**
 * The study that --metrics and --power name, or the result folders from positional `first` on,
 * appended.
 * @error EUSAGE when the command line names neither or both
 */
WW_NODISCARD ww_status ww_study_from_args(const ww_args *args, size_t first, ww_study **out,
                                          ww_error *err);
/** Peak IPC: --peak-ipc, else the GPU of --gpu, else that of the first result folder. EUSAGE when
 * none tells. */
WW_NODISCARD ww_status ww_study_peak_ipc(const ww_args *args, size_t first, double *out,
                                         ww_error *err);

/** Says which of these results lack some of their run. */
void ww_note_incomplete(const char *const *dirs, size_t count);

#endif
