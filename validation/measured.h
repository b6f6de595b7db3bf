/* measured.h - powers of kernels, measured and ours, summed up. Private to validation/. */
#ifndef WW_VALIDATION_MEASURED_H
#define WW_VALIDATION_MEASURED_H

#include "validation/compare.h"

#define WW__KERNELS "kernels" /* group of the rows that are kernels' powers */

/** Prints a row per GPU and split, per GPU, and for all, of the kernels' rows that have a number of
 * ours; nothing when there is none. @error ENOMEM */
WW_NODISCARD ww_status ww__measured_print(const ww_rows *rows, const ww_output *output,
                                          ww_error *err);

#endif
