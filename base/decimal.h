/* decimal.h - digits of doubles of everyday size, in whole numbers alone. */
#ifndef WW_BASE_DECIMAL_H
#define WW_BASE_DECIMAL_H

#include <stdbool.h>

#include "base/num.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes what ww_num_format prints for a finite value; false, and nothing is written: its
 * magnitude lies outside of 10^-34 to 10^17, or it is a power of two. */
bool ww_decimal_format(double value, char buf[WW_NUM_CHARS]);

#ifdef __cplusplus
}
#endif
#endif
