/* measured.h - powers of kernels, measured and ours, summed up. Private to validation/. */
#ifndef WW_VALIDATION_MEASURED_H
#define WW_VALIDATION_MEASURED_H

#include "validation/compare.h"

#define WW__KERNELS "kernels" /* group of the rows that are kernels' powers */
/* Of such a row, detail: watts that go with time and not with work, as the model has them: idle,
 * static and board. */
enum { WW__REST = 0 };
/** What a kernel's power exceeds that by, measured or ours; NaN where it does not. */
double ww__above_rest(const ww_row *row, double watts);

/** Prints a row per GPU and split, per GPU, and for all, of the kernels' rows that have a number of
 * ours; nothing when there is none. @error ENOMEM */
WW_NODISCARD ww_status ww__measured_print(const ww_rows *rows, const ww_output *output,
                                          ww_error *err);

/* measured_judge.c */

/** Judges the kernels of every card that bars.csv has bars for. */
WW_NODISCARD ww_status ww__measured_judge(ww__comparing *c, ww_error *err);
/** Judges a row's own error where bars.csv has a bar "GPU QUANTITY". */
WW_NODISCARD ww_status ww__measured_judge_energy(ww__comparing *c, ww_row *row, ww_error *err);
/** Prints the statistics that were judged beside their bars; nothing when there is none. */
WW_NODISCARD ww_status ww__measured_print_bars(const ww_rows *statistics, const ww_output *output,
                                               ww_error *err);

#endif
