/* significand.h - what a multiplier multiplies of a number: its significand, with the leading one
 * that only zeros and subnormal numbers lack. Private to perf/sm. */
#ifndef WW_PERF_SM_SIGNIFICAND_H
#define WW_PERF_SM_SIGNIFICAND_H

#include <stdint.h>

#include "isa/isa.h"

/* Bits of a number; exponent 0: an integer, all of whose bits are multiplied. */
typedef struct ww_number_form {
    uint8_t mantissa, exponent;
} ww_number_form;

static inline ww_number_form ww_number_form_of(ww_type type)
{
    switch ((int)type) {
    case WW_T_F16:
    case WW_T_F16X2:
        return (ww_number_form){10, 5};
    case WW_T_BF16:
    case WW_T_BF16X2:
        return (ww_number_form){7, 8};
    case WW_T_TF32:
        return (ww_number_form){10, 8};
    case WW_T_F32:
        return (ww_number_form){23, 8};
    case WW_T_F64:
        return (ww_number_form){52, 11};
    case WW_T_E4M3:
        return (ww_number_form){3, 4};
    case WW_T_E5M2:
        return (ww_number_form){2, 5};
    default:
        return (ww_number_form){0, 0};
    }
}

/** The bits that are multiplied, from the lowest on. */
static inline uint64_t ww_significand(uint64_t bits, ww_number_form f)
{
    const uint64_t one = UINT64_C(1) << f.mantissa;
    if (f.exponent == 0) {
        return bits;
    }
    const uint64_t exponent = bits >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1);
    return (bits & (one - 1)) | (exponent != 0 ? one : 0);
}

#endif
